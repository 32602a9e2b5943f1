import { type Kysely, sql } from 'kysely'

// Makes writing events cheaper, because every change writes an event. The ID is unique by itself and increases over
// time. As the first key column, it appends to the end of the index for every organization. Events without a sequence
// are never looked up by resource, so the index by resource is written only when an event gets its sequence. The
// payload is no longer parsed on insert, because the service builds and delivers it byte for byte.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "events" alter column "payload" type text, drop constraint "events_pkey",
      add primary key ("id", "organizationId")`.execute(db)
  await sql`drop index "events_resourceId"`.execute(db)
  await sql`
    create index "events_resourceId" on "events" ("organizationId", "resourceId", "sequence")
    where "sequence" is not null`.execute(db)
}
