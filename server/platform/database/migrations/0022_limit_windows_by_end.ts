import { type Kysely, sql } from 'kysely'

// This index is for the job that deletes old windows. The end of a window changes at most once a minute or once a day,
// so counting requests within a window updates no index.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index "limitWindows_endsAt" on "limitWindows" ("endsAt")`.execute(db)
}
