import { type Kysely, sql } from 'kysely'

/** What a builder's orders end with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "organizations" add column "poTerms" text`.execute(db)
}
