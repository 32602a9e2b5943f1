import { type Kysely, sql } from 'kysely'

/** How many requests each key sent on each day (UTC), which the windows of the limits forget. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Without a foreign key: what is written down late must not hold up the removal of a builder.
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
  // For the job that removes old days.
  await sql`create index "usageDays_day" on "usageDays" ("day")`.execute(db)
}
