import { type Kysely, sql } from 'kysely'

/** Finds the home owners with an email address, who can request a new link without knowing their builder. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index "homeOwners_address" on "homeOwners" (lower("email")) where "archivedAt" is null`.execute(db)
}
