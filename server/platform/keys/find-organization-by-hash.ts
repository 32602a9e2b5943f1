import type { Db } from '../database/database.ts'

/** Tables with hashes of secrets. On a distributed database, each of these tables exists on every node. */
type HashTable = 'apiKeySecrets' | 'calendarAddresses' | 'oauthTokens' | 'ownerLinks' | 'portalAddresses'

/**
 * Returns the organization of a secret; undefined if the secret was never issued. The statement that reads the records
 * of the secret can then name the organization, so that a distributed database reads from one node only. A failed node
 * then does not affect the callers of other nodes.
 */
export async function findOrganizationByHash(db: Db, table: HashTable, hash: Buffer): Promise<string | undefined> {
  const found = await db.selectFrom(table).select('organizationId').where('hash', '=', hash).executeTakeFirst()
  return found?.organizationId
}
