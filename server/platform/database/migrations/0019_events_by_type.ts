import { type Kysely, sql } from 'kysely'

// A caller who may read only some types of event gets a page from the start of each type's entries, however rare they
// are. Like the other event indexes, this one is written when the event gets its sequence, not with the change.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index "events_type" on "events" ("organizationId", "type", "sequence")
    where "sequence" is not null`.execute(db)
}
