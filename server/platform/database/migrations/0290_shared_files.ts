import { type Kysely, sql } from 'kysely'

/**
 * Whether vendors see a file in their portals, if a user has set this; null to use the default of the record type.
 * Existing files therefore stay as visible as before, and so do files that the previous version adds in the meantime.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "attachments" add column "shared" boolean`.execute(db)
}
