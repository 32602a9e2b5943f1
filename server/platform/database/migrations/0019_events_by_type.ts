import { type Kysely, sql } from 'kysely'

// A caller who may read only some event types gets a page from the start of each type's entries, even if such events
// are rare. Like the other event indexes, this index is written when the event gets its sequence, not together with the
// change.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index "events_type" on "events" ("organizationId", "type", "sequence")
    where "sequence" is not null`.execute(db)
}
