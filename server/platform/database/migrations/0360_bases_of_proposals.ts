import { type Kysely, sql } from 'kysely'

/**
 * Stores the basis of a proposal: the versions of the records that the proposal read, and the amounts of its result.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Null for existing proposals, which must be created again.
  await sql`alter table "proposals" add column "basis" json`.execute(db)
}
