import { type Kysely, sql } from 'kysely'

/**
 * Whether vendors see a file in their portals, if a user has set it; null for the default of the kind of record. So
 * existing files stay as visible as before, and so do those that the previous version adds meanwhile.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "attachments" add column "shared" boolean`.execute(db)
}
