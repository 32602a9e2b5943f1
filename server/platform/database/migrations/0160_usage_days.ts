import { type Kysely, sql } from 'kysely'

/** Adds the number of each key's requests per day (UTC). The limit windows do not keep this number. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The table has no foreign key, because a late write must not block erasing a builder.
  await sql`
    create table "usageDays" (
      "organizationId" text collate "C" not null,
      "keyId" text collate "C" not null,
      "day" date not null,
      "requests" integer not null,
      "refused" integer not null,
      primary key ("organizationId", "keyId", "day")
    )`.execute(db)
  // This index is for the totals over all keys of a builder.
  await sql`create index "usageDays_of_builder" on "usageDays" ("organizationId", "day")`.execute(db)
  // The job that deletes old days uses this index.
  await sql`create index "usageDays_day" on "usageDays" ("day")`.execute(db)
}
