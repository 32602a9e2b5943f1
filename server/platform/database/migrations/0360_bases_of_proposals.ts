import { type Kysely, sql } from 'kysely'

/** Stores what a proposal was based on: the versions of the records that it read, and the figures of its outcome. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Null for existing proposals, which must be proposed again.
  await sql`alter table "proposals" add column "basis" json`.execute(db)
}
