import { type Kysely, sql } from 'kysely'

// Whoever may read only some types of event gets a page from the beginning of each type's row, however rare they are among
// the others. Like the other ways to find an event it is written when the event gets its place, not with the change.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index "events_type" on "events" ("organizationId", "type", "sequence")
    where "sequence" is not null`.execute(db)
}
