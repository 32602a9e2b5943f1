import { type Kysely, sql } from 'kysely'

/** Stores the basis of a proposal: the versions of the records that were read, and the amounts of the result. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Null for existing proposals, which therefore must be created again.
  await sql`alter table "proposals" add column "basis" json`.execute(db)
}
