import { type Kysely, sql } from 'kysely'

// The job that deletes old windows uses this index. The end of a window changes only once a minute or once a day, so
// counting within a window still updates no index.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index "limitWindows_endsAt" on "limitWindows" ("endsAt")`.execute(db)
}
