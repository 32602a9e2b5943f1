import { type Kysely, sql } from 'kysely'

/** Adds the number of each key's requests per day (UTC), which the limit windows do not keep. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Without a foreign key: a late write must not block erasing a builder.
  await sql`
    create table "usageDays" (
      "organizationId" text collate "C" not null,
      "keyId" text collate "C" not null,
      "day" date not null,
      "requests" integer not null,
      "refused" integer not null,
      primary key ("organizationId", "keyId", "day")
    )`.execute(db)
  // For the sums over all keys of a builder.
  await sql`create index "usageDays_of_builder" on "usageDays" ("organizationId", "day")`.execute(db)
  // For the job that deletes old days.
  await sql`create index "usageDays_day" on "usageDays" ("day")`.execute(db)
}
