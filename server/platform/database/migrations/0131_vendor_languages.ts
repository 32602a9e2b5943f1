import { type Kysely, sql } from 'kysely'

/** Adds the language in which a vendor uses the portal; null for the language of the browser. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "vendors" add column "language" text`.execute(db)
}
