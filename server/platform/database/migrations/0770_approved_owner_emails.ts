import { type Kysely, sql } from 'kysely'

/**
 * Adds the address to which everyone who can edit home owners may email a link. It is null for existing owners, so that
 * only a caller who can copy links can email them the next link, which approves their address.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "homeOwners" add column "approvedEmail" text`.execute(db)
}
