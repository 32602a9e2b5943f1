import { type Kysely, sql } from 'kysely'

// What an event costs to write, which every change pays. Its id alone says which one is meant and grows with time, so as
// the first part of the key it lands at the end of the index, wherever the organization's events lie. By resource nothing
// is looked up that has no place yet, so that index is written once, not twice. And the payload, which is made here and
// delivered byte by byte, is not parsed again on its way in.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "events" alter column "payload" type text, drop constraint "events_pkey",
      add primary key ("id", "organizationId")`.execute(db)
  await sql`drop index "events_resourceId"`.execute(db)
  await sql`
    create index "events_resourceId" on "events" ("organizationId", "resourceId", "sequence")
    where "sequence" is not null`.execute(db)
}
