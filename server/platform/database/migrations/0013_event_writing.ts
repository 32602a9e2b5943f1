import { type Kysely, sql } from 'kysely'

// Every change stores an event, so this migration makes storing events faster. The ID is unique by itself and increases
// over time. As the first column of the key, it makes inserts append to the end of the index, for all organizations.
// Events without a sequence are never searched by resource, so an event is added to the index by resource only when it
// gets its sequence. The payload is no longer parsed on insert, because the service creates and delivers it byte for
// byte.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "events" alter column "payload" type text, drop constraint "events_pkey",
      add primary key ("id", "organizationId")`.execute(db)
  await sql`drop index "events_resourceId"`.execute(db)
  await sql`
    create index "events_resourceId" on "events" ("organizationId", "resourceId", "sequence")
    where "sequence" is not null`.execute(db)
}
