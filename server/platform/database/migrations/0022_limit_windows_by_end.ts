import { type Kysely, sql } from 'kysely'

// For deleting windows that ended long ago. A window's end changes only once a minute or a day, so counting within it
// still updates no index.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index "limitWindows_endsAt" on "limitWindows" ("endsAt")`.execute(db)
}
