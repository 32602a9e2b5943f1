import { type Kysely, sql } from 'kysely'

/**
 * Whether vendors can see a file in the portal, if a user has decided this; null for the default of the record type. As
 * a result, existing files, and files that the previous version adds during an upgrade, stay as visible as before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "attachments" add column "shared" boolean`.execute(db)
}
