import { type Kysely, sql } from 'kysely'

/** What a proposal was shown with: the versions of the records that it read, and the figures of its outcome. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Null for what was proposed before; it has to be proposed again.
  await sql`alter table "proposals" add column "basis" json`.execute(db)
}
