import { type Kysely, sql } from 'kysely'

/** Adds the outbox, which contains emails that will be sent and emails that have been sent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "mails" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "kind" text not null,
      "to" text not null,
      "subject" text not null,
      "text" text not null,
      "vendorId" text collate "C",
      "userId" text collate "C",
      "aboutId" text collate "C" not null,
      "sealedLink" text,
      "status" text not null check ("status" in ('queued', 'sent', 'failed')),
      "attempts" integer not null,
      "lastError" text,
      "nextAttemptAt" timestamptz(3),
      "sentAt" timestamptz(3),
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "bytes" integer not null generated always as (octet_length("text")) stored,
      primary key ("organizationId", "id"),
      constraint "mails_waits" check (("status" = 'queued') = ("nextAttemptAt" is not null)),
      constraint "mails_vendorId_fkey" foreign key ("organizationId", "vendorId") references "vendors" ("organizationId", "id"),
      constraint "mails_userId_fkey" foreign key ("organizationId", "userId") references "users" ("organizationId", "id")
    )`.execute(db)
  for (const column of ['updatedAt', 'status', 'vendorId', 'userId', 'aboutId'] as const)
    await sql`create index ${sql.ref(`mails_${column}`)} on "mails" ("organizationId", ${sql.ref(column)}, "id")`.execute(
      db,
    )
  // Only a small part of all emails is queued, and the sender searches the queued emails of all organizations.
  await sql`create index "mails_due" on "mails" ("nextAttemptAt", "id") where "status" = 'queued'`.execute(db)
  await sql`create index "mails_ended" on "mails" ("updatedAt") where "status" <> 'queued'`.execute(db)
}
