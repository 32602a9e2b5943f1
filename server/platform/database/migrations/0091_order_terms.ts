import { type Kysely, sql } from 'kysely'

/** Adds the text at the end of a builder's orders. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "organizations" add column "poTerms" text`.execute(db)
}
