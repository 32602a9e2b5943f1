import { type Kysely, sql } from 'kysely'

/** Adds the language of a vendor's portal; null to use the language of the browser. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "vendors" add column "language" text`.execute(db)
}
