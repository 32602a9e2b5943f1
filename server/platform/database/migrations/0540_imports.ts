import { type Kysely, sql } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** Imports find the lead of a row by its email address, phone number, or name. */
export const ahead: readonly LargeIndex[] = [
  { name: 'leads_email', on: `"leads" ("organizationId", "email", "id") where "email" is not null` },
  { name: 'leads_phone', on: `"leads" ("organizationId", "phone", "id") where "phone" is not null` },
  {
    name: 'leads_lastName',
    on: `"leads" ("organizationId", "lastName", "firstName", "id") where "lastName" is not null`,
  },
]

/** Imports of files, and their rows with the results of the last run. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "imports" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "kind" text collate "C" not null,
      "status" text collate "C" not null,
      "fileName" text not null,
      "format" text not null,
      "layout" text,
      "encoding" text,
      "delimiter" text,
      "sheet" text,
      "sheets" text[] not null,
      "headerLine" integer not null,
      "signature" text collate "C" not null,
      "columns" jsonb not null,
      "fixedValues" jsonb not null,
      "confirmed" jsonb not null,
      "questions" jsonb not null,
      "duplicates" text,
      "permissions" text[] not null,
      "rowCount" integer not null,
      "doneCount" integer not null,
      "created" integer not null,
      "updated" integer not null,
      "unchanged" integer not null,
      "failed" integer not null,
      "skipped" integer not null,
      "undecided" integer not null,
      "undone" integer not null,
      "startedBy" jsonb,
      "startedAt" timestamptz(3),
      "finishedAt" timestamptz(3),
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id")
    )`.execute(db)
  await sql`create index "imports_createdAt" on "imports" ("organizationId", "createdAt", "id")`.execute(db)
  await sql`create index "imports_updatedAt" on "imports" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "imports_kind" on "imports" ("organizationId", "kind", "id")`.execute(db)
  await sql`create index "imports_signature" on "imports" ("organizationId", "signature", "id")`.execute(db)
  await sql`
    create index "imports_running" on "imports" ("startedAt", "id")
    where "status" in ('checking', 'importing', 'undoing')`.execute(db)
  await sql`
    create table "importRows" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "importId" text collate "C" not null,
      "row" integer not null,
      "line" integer not null,
      "cells" jsonb not null,
      "status" text collate "C" not null,
      "decision" text,
      "recordId" text collate "C",
      "recordVersion" integer,
      "before" jsonb,
      "problem" jsonb,
      "possibleDuplicates" jsonb not null,
      "createdAt" timestamptz(3) not null,
      primary key ("organizationId", "importId", "row"),
      constraint "importRows_importId_fkey" foreign key ("organizationId", "importId")
        references "imports" ("organizationId", "id") on delete cascade
    )`.execute(db)
  await sql`create index "importRows_status" on "importRows" ("organizationId", "importId", "status", "row")`.execute(
    db,
  )
  await sql`create index "importRows_age" on "importRows" ("createdAt")`.execute(db)
  await sql`create index "importRows_recordId" on "importRows" ("organizationId", "importId", "recordId")
    where "recordId" is not null`.execute(db)
  await createIndexes(db, ahead)
}
