import type { Db } from '../database/database.ts'
import type { BrowserToken } from './browser-token.ts'
import { findOrganizationByHash } from './find-organization-by-hash.ts'
import { hashKeySecret } from './key-secret.ts'

/** The data about a key, its builder, and its creator that authentication requires. */
export type FoundKey = NonNullable<Awaited<ReturnType<typeof findKeyBySecret>>>

export async function findKeyBySecret(db: Db, secret: string) {
  const hash = hashKeySecret(secret)
  const organizationId = await findOrganizationByHash(db, 'apiKeySecrets', hash)
  if (organizationId === undefined) return undefined
  return selectKeysWithCreators(db)
    .innerJoin('apiKeySecrets as s', (join) =>
      join.onRef('s.organizationId', '=', 'k.organizationId').onRef('s.keyId', '=', 'k.id'),
    )
    .where('k.organizationId', '=', organizationId)
    .where('s.hash', '=', hash)
    .select('s.expiresAt as secretExpiresAt')
    .executeTakeFirst()
}

/**
 * Returns the key with which a browser token was created. The token stays valid when the secret of the key is rotated.
 */
export async function findKeyByToken(db: Db, { organizationId, keyId, expires }: BrowserToken) {
  const key = await selectKeysWithCreators(db)
    .where('k.organizationId', '=', organizationId)
    .where('k.id', '=', keyId)
    .executeTakeFirst()
  return key === undefined ? undefined : { ...key, secretExpiresAt: new Date(expires).toISOString() }
}

function selectKeysWithCreators(db: Db) {
  return db
    .selectFrom('apiKeys as k')
    .innerJoin('organizations as o', 'o.id', 'k.organizationId')
    .innerJoin('users as u', (join) =>
      join.onRef('u.organizationId', '=', 'k.organizationId').onRef('u.id', '=', 'k.createdByUserId'),
    )
    .select([
      ...(['k.id', 'k.permissions', 'k.revokedAt', 'k.lastUsedAt', 'k.expiresAt', 'k.allowedAddresses'] as const),
      'k.proposeOnly',
      ...(['o.id as organizationId', 'o.name as organizationName', 'o.tier', 'o.currency', 'o.timeZone'] as const),
      ...(['u.role', 'u.status as userStatus', 'u.poApprovalLimit'] as const),
    ])
}
