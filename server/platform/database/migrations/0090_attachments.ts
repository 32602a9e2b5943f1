import { type Kysely, sql } from 'kysely'

/** The files that hang on records, and what has to happen to their bytes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The record is one of several kinds, so no foreign key can hold it; records are archived and not removed.
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

  // Small files that came in JSON, in base64, in the transaction that made their attachments, until a job has put them
  // into the store. Nothing outside the database could be undone with that transaction.
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

  // What the store has or may have although no attachment needs it: files that were put there before their attachment
  // was committed, and files of attachments that were deleted.
  await sql`
    create table "looseFiles" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "attachmentId" text collate "C" not null,
      "removeAfter" timestamptz(3) not null,
      primary key ("organizationId", "attachmentId")
    )`.execute(db)
  await sql`create index "looseFiles_removeAfter" on "looseFiles" ("removeAfter")`.execute(db)

  // How many bytes an organization's files have. Whoever adds one locks the row, so the limits are exact.
  await sql`
    create table "fileUsage" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "bytes" bigint not null,
      primary key ("organizationId")
    )`.execute(db)
}
