import { type Kysely, sql } from 'kysely'

// Makes writing an event cheaper, which every change pays for. The ID is unique by itself and grows with time, so as
// the first key column it appends to the end of the index, whatever the organization. Events without a sequence are
// never looked up by resource, so that index is written once instead of twice. The payload, which the service builds
// and delivers byte for byte, is no longer parsed on insert.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "events" alter column "payload" type text, drop constraint "events_pkey",
      add primary key ("id", "organizationId")`.execute(db)
  await sql`drop index "events_resourceId"`.execute(db)
  await sql`
    create index "events_resourceId" on "events" ("organizationId", "resourceId", "sequence")
    where "sequence" is not null`.execute(db)
}
