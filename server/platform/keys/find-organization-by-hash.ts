import type { Db } from '../database/database.ts'

/** The tables with hashes of secrets. In a distributed database, each of these tables is on every node. */
type HashTable = 'apiKeySecrets' | 'calendarAddresses' | 'oauthTokens' | 'ownerLinks' | 'portalAddresses'

/**
 * Returns the ID of the organization to which a secret belongs; undefined if the secret was never issued. The next
 * statement can then have a condition on the organization, so a distributed database reads from only one node. If
 * another node fails, the caller is not affected.
 */
export async function findOrganizationByHash(db: Db, table: HashTable, hash: Buffer): Promise<string | undefined> {
  const found = await db.selectFrom(table).select('organizationId').where('hash', '=', hash).executeTakeFirst()
  return found?.organizationId
}
