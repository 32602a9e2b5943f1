import { type Kysely, sql } from 'kysely'

// If a caller may read only some types of events, a page is read from the beginning of the entries of each type, even
// if these events are rare. As in the other indexes on events, an event is added to this index only when it gets its
// sequence.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index "events_type" on "events" ("organizationId", "type", "sequence")
    where "sequence" is not null`.execute(db)
}
