import { type Kysely, sql } from 'kysely'

/** Adds the files attached to records, and the storage state of their content. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The record can be of several types, so the column is not a foreign key. Records are archived instead of deleted.
  await sql`
    create table "attachments" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "recordType" text collate "C" not null,
      "recordId" text collate "C" not null,
      "fileName" text not null,
      "contentType" text not null,
      "size" integer not null,
      "sha256" text collate "C" not null,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      primary key ("organizationId", "id")
    )`.execute(db)
  await sql`create index "attachments_updatedAt" on "attachments" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "attachments_recordId" on "attachments" ("organizationId", "recordId", "id")`.execute(db)
  await sql`create index "attachments_recordType" on "attachments" ("organizationId", "recordType", "id")`.execute(db)

  // Small files that were uploaded as base64 in JSON. They are stored in the transaction of their attachment, until a
  // job moves them to the file store. Content outside the database could not be rolled back together with that
  // transaction.
  await sql`
    create table "fileArrivals" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "attachmentId" text collate "C" not null,
      "content" text not null,
      "createdAt" timestamptz(3) not null,
      primary key ("organizationId", "attachmentId"),
      constraint "fileArrivals_attachmentId_fkey" foreign key ("organizationId", "attachmentId") references "attachments" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "fileArrivals_createdAt" on "fileArrivals" ("createdAt")`.execute(db)

  // Content in the file store that has no attachment, because the attachment was not committed or has been deleted.
  await sql`
    create table "looseFiles" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "attachmentId" text collate "C" not null,
      "removeAfter" timestamptz(3) not null,
      primary key ("organizationId", "attachmentId")
    )`.execute(db)
  await sql`create index "looseFiles_removeAfter" on "looseFiles" ("removeAfter")`.execute(db)

  // The total size of an organization's files. Adding a file locks this row, so that limits are never exceeded.
  await sql`
    create table "fileUsage" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "bytes" bigint not null,
      primary key ("organizationId")
    )`.execute(db)
}
