import { type Kysely, sql } from 'kysely'

/** Creates the table of saved reports, and adds attachments to emails. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "savedReports" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "name" text not null,
      "report" text collate "C" not null,
      "input" jsonb not null,
      "ownerId" text collate "C" not null,
      "isShared" boolean not null,
      "favoriteUserIds" text[] not null,
      "schedule" jsonb,
      "nextMailingAt" timestamptz(3),
      "lastMailing" jsonb,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      primary key ("organizationId", "id"),
      constraint "savedReports_ownerId_fkey" foreign key ("organizationId", "ownerId") references "users" ("organizationId", "id")
    )`.execute(db)
  for (const column of ['report', 'name', 'ownerId', 'updatedAt'])
    await sql`
      create index ${sql.id(`savedReports_${column}`)} on "savedReports" ("organizationId", ${sql.id(column)}, "id")`.execute(
      db,
    )
  // Few reports have a schedule, and a job searches the due reports of all organizations.
  await sql`
    create index "savedReports_due" on "savedReports" ("nextMailingAt", "id") where "nextMailingAt" is not null`.execute(
    db,
  )
  // The attached file is removed after the email was sent or has failed.
  await sql`alter table "mails" add column "attachmentName" text, add column "attachment" bytea`.execute(db)
}
