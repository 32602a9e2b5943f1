import { type Kysely, sql } from 'kysely'

// Windows that ended long ago are removed, and are found by when they ended. A window's end changes once a minute or a
// day, so counting within it still touches no index.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index "limitWindows_endsAt" on "limitWindows" ("endsAt")`.execute(db)
}
