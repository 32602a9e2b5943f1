import { type Kysely, sql } from 'kysely'

/**
 * Adds the email address to which all users who can edit home owners may email links. Null for existing owners. The
 * next link must therefore be emailed by a caller with the permission to copy links, which approves the address.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "homeOwners" add column "approvedEmail" text`.execute(db)
}
