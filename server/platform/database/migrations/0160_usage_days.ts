import { type Kysely, sql } from 'kysely'

/** Adds the number of requests of each key per day (UTC), because rate limit windows do not store it permanently. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The table has no foreign key. With one, usage that is written late would block the erasure of a builder.
  await sql`
    create table "usageDays" (
      "organizationId" text collate "C" not null,
      "keyId" text collate "C" not null,
      "day" date not null,
      "requests" integer not null,
      "refused" integer not null,
      primary key ("organizationId", "keyId", "day")
    )`.execute(db)
  // This index is for the totals of all keys of a builder.
  await sql`create index "usageDays_of_builder" on "usageDays" ("organizationId", "day")`.execute(db)
  // This index is for the job that deletes old days.
  await sql`create index "usageDays_day" on "usageDays" ("day")`.execute(db)
}
