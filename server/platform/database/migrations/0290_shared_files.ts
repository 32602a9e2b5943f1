import { type Kysely, sql } from 'kysely'

/**
 * Whether vendors see a file in their portals, where somebody has said so; null is as usual for the kind of record. So the
 * files that were there before stay as visible as they were, and so do those that the version before adds meanwhile.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "attachments" add column "shared" boolean`.execute(db)
}
