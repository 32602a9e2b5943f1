import { isDeepStrictEqual } from 'node:util'
import { typeid } from 'typeid-js'
import type { Permission } from '../../../client/contract.gen.ts'
import { recordOperatorAction } from '../audit/record-audit-entries.ts'
import type { Tenant } from '../calls/call.ts'
import type { Database, Db } from '../database/database.ts'
import { conflict, notFound, validationFailed } from '../problems/problem.ts'
import type { Clock } from '../runtime/clock.ts'
import { createKeySecret, getKeySecretStart, hashKeySecret } from './key-secret.ts'
import { getRolePermissions, isDelegablePermission, type Role } from './roles.ts'

export interface NewKey {
  organizationId: string
  /**
   * The ID of the creator, whose role limits the permissions of the key. Defaults to the first owner of the
   * organization.
   */
  userId?: string | undefined
  name: string
  /**
   * Defaults to all permissions of the creator's role. For a key that can only propose changes, excludes permissions
   * that cannot be delegated.
   */
  permissions?: readonly string[] | undefined
  /** Defaults to one year from now. Null means that the key never expires. */
  expiresAt?: Date | null | undefined
  /** The addresses and ranges from which the key can be used. Defaults to all addresses. */
  allowedAddresses?: readonly string[] | null | undefined
  /** Whether changes of the key become proposals. Defaults to false. */
  proposeOnly?: boolean | undefined
}

/** The default lifetime of a key. The default ensures that forgotten keys expire. */
export const DEFAULT_LIFETIME_MS = 365 * 24 * 3_600_000

/**
 * Creates an API key and returns its secret, which no other function returns later. Throws `not_found` if the
 * organization or the user is unknown. Throws `validation_failed` if a permission does not exist or is not in the
 * creator's role.
 */
export async function createKey(database: Database, clock: Clock, requested: NewKey) {
  const now = clock.now()
  const { organizationId, userId, name, allowedAddresses = null, proposeOnly = false } = requested
  const { expiresAt = new Date(now.getTime() + DEFAULT_LIFETIME_MS) } = requested
  return database.transaction(async (trx) => {
    let creators = trx
      .selectFrom('users')
      .select(['id', 'role'])
      .where('organizationId', '=', organizationId)
      .where('status', '!=', 'disabled')
    creators =
      userId === undefined ? creators.where('role', '=', 'owner').orderBy('id') : creators.where('id', '=', userId)
    const creator = await creators.limit(1).executeTakeFirst()
    if (creator === undefined) throw notFound()
    const power = getRolePermissions(creator.role as Role)
    const permissions =
      requested.permissions ?? [...power].filter((permission) => isDelegablePermission(permission) || !proposeOnly)
    if (proposeOnly) {
      const fault = permissions.find((permission) => !isDelegablePermission(permission))
      if (fault !== undefined)
        throw validationFailed([
          {
            pointer: '/permissions',
            code: 'not_for_proposals',
            message: `must not contain ${fault} for a key that can only make proposals`,
          },
        ])
    }
    const beyond = permissions.filter((permission) => !power.has(permission as Permission))
    if (beyond.length > 0) {
      throw validationFailed(
        beyond.map((permission) => ({
          pointer: '/permissions',
          code: 'beyond_role',
          message: `must not contain ${permission}, which the role ${creator.role} does not have`,
        })),
      )
    }
    const key = await trx
      .insertInto('apiKeys')
      .values({
        organizationId,
        id: typeid('key').toString(),
        name,
        permissions: [...permissions],
        createdByUserId: creator.id,
        expiresAt,
        allowedAddresses: allowedAddresses === null ? null : [...allowedAddresses],
        proposeOnly,
        createdAt: now,
        updatedAt: now,
      })
      .returning([
        ...(['id', 'organizationId', 'name', 'permissions', 'createdByUserId', 'expiresAt'] as const),
        ...(['allowedAddresses', 'proposeOnly', 'createdAt'] as const),
      ])
      .executeTakeFirstOrThrow()
    const secret = await issueKeySecret(trx, { organizationId, keyId: key.id, now })
    await recordOperatorAction(trx, { organizationId, at: now, action: 'key.created', resourceId: key.id })
    return { ...key, secret }
  })
}

interface KeyReference {
  organizationId: string
  keyId: string
  now: Date
}

/** Creates a secret for a key and returns it. Only the hash of the secret is stored. */
export async function issueKeySecret(trx: Db, { organizationId, keyId, now }: KeyReference): Promise<string> {
  const secret = createKeySecret()
  await trx
    .insertInto('apiKeySecrets')
    .values({ hash: hashKeySecret(secret), organizationId, keyId, start: getKeySecretStart(secret), createdAt: now })
    .execute()
  return secret
}

/**
 * Creates a new secret for a key. The current secret stays valid for the overlap, and an earlier secret expires
 * immediately.
 */
export async function replaceKeySecret(trx: Db, key: KeyReference, overlapMs: number) {
  const { organizationId, keyId, now } = key
  const previousEndsAt = new Date(now.getTime() + overlapMs)
  const ofKey = trx.updateTable('apiKeySecrets').where('organizationId', '=', organizationId).where('keyId', '=', keyId)
  await ofKey.set({ expiresAt: now }).where('expiresAt', '>', now.toISOString()).execute()
  await ofKey.set({ expiresAt: previousEndsAt }).where('expiresAt', 'is', null).execute()
  return { secret: await issueKeySecret(trx, key), previousEndsAt }
}

/** Returns the data about a key that its holder can see. Throws `not_found` if the key does not exist. */
export async function findKey({ db, organizationId }: Tenant, id: string) {
  const key = await db
    .selectFrom('apiKeys')
    .select(['id', 'name', 'proposeOnly', 'expiresAt', 'lastUsedAt'])
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (key === undefined) throw notFound()
  return key
}

/**
 * Returns the same data about the grant of an app that uses an access token. Throws `not_found` if the grant does not
 * exist.
 */
export async function findGrant({ db, organizationId }: Tenant, id: string) {
  const grant = await db
    .selectFrom('oauthGrants')
    .select(['id', 'clientName as name', 'proposeOnly', 'expiresAt', 'lastUsedAt'])
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (grant === undefined) throw notFound()
  return grant
}

/** Returns the keys of an organization, newest first, with the first characters of their active secrets. */
export async function listKeys(database: Database, organizationId: string) {
  const keys = await database.statements
    .selectFrom('apiKeys')
    .select(KEY_FIELDS)
    .where('organizationId', '=', organizationId)
    .orderBy('id', 'desc')
    .execute()
  const secrets = await database.statements
    .selectFrom('apiKeySecrets')
    .select(['keyId', 'start', 'expiresAt', 'createdAt'])
    .where('organizationId', '=', organizationId)
    .orderBy('createdAt', 'desc')
    .execute()
  return keys.map((key) => ({
    ...key,
    secrets: secrets.filter(({ keyId }) => keyId === key.id).map(({ keyId: _, ...secret }) => secret),
  }))
}

/**
 * Creates a new secret for a key. The previous secret stays valid for the overlap. A secret from an earlier overlap
 * expires immediately, so there are never more than two secrets. Throws `not_found` if the key does not exist, and
 * `conflict` if it is revoked or has expired.
 */
export async function rotateKey(database: Database, clock: Clock, id: string, overlapMs: number) {
  const now = clock.now()
  return database.transaction(async (trx) => {
    const key = await lockKey(trx, id)
    if (key.revokedAt !== null)
      throw conflict('key_revoked', 'Cannot rotate the API key: it is revoked. Create a new one.')
    if (key.expiresAt !== null && Date.parse(key.expiresAt) <= now.getTime()) {
      throw conflict('key_expired', 'Cannot rotate the API key: it has expired. Create a new one.')
    }
    const { organizationId } = key
    const { secret, previousEndsAt } = await replaceKeySecret(trx, { organizationId, keyId: id, now }, overlapMs)
    await trx
      .updateTable('apiKeys')
      .set((set) => ({ version: set('version', '+', 1), updatedAt: now }))
      .where('organizationId', '=', organizationId)
      .where('id', '=', id)
      .execute()
    await recordOperatorAction(trx, {
      ...{ organizationId: key.organizationId, at: now, resourceId: id },
      action: 'key.rotated',
    })
    return { ...key, previousSecretEndsAt: previousEndsAt.toISOString(), secret }
  })
}

export interface KeyChanges {
  name?: string | undefined
  /** Null means that the key never expires. */
  expiresAt?: Date | null | undefined
  /** The addresses from which the key can be used; null for all addresses. */
  allowedAddresses?: readonly string[] | null | undefined
}

/**
 * Updates a key. The update takes effect in all processes within a second. Omitted fields keep their values. The
 * expiration of an expired key can be extended. Throws `not_found` if the key does not exist, and `conflict` if it is
 * revoked, because a revoked key stays revoked.
 */
export async function updateKey(database: Database, clock: Clock, id: string, changes: KeyChanges) {
  const now = clock.now()
  return database.transaction(async (trx) => {
    const key = await lockKey(trx, id)
    if (key.revokedAt !== null)
      throw conflict('key_revoked', 'Cannot change the API key: it is revoked. Create a new one.')
    const { name = key.name, expiresAt = key.expiresAt, allowedAddresses = key.allowedAddresses } = changes
    const after = {
      name,
      expiresAt: expiresAt instanceof Date ? expiresAt.toISOString() : expiresAt,
      allowedAddresses: allowedAddresses === null ? null : [...allowedAddresses],
    }
    const changed = (['name', 'expiresAt', 'allowedAddresses'] as const).filter(
      (field) => !isDeepStrictEqual(after[field], key[field]),
    )
    if (changed.length === 0) return key
    await recordOperatorAction(trx, {
      ...{ organizationId: key.organizationId, at: now, resourceId: id },
      ...{ action: 'key.updated', changed },
    })
    return trx
      .updateTable('apiKeys')
      .set((set) => ({ ...after, version: set('version', '+', 1), updatedAt: now }))
      .where('organizationId', '=', key.organizationId)
      .where('id', '=', id)
      .returning(KEY_FIELDS)
      .executeTakeFirstOrThrow()
  })
}

/**
 * Revokes a key. The revocation takes effect in all processes within a second. Revoking a key again has no effect.
 * Throws `not_found` if the key does not exist.
 */
export async function revokeKey(database: Database, clock: Clock, id: string) {
  const now = clock.now()
  return database.transaction(async (trx) => {
    const key = await lockKey(trx, id)
    if (key.revokedAt !== null) return key
    await recordOperatorAction(trx, {
      ...{ organizationId: key.organizationId, at: now, resourceId: id },
      action: 'key.revoked',
    })
    return trx
      .updateTable('apiKeys')
      .set((set) => ({ revokedAt: now, version: set('version', '+', 1), updatedAt: now }))
      .where('organizationId', '=', key.organizationId)
      .where('id', '=', id)
      .returning(KEY_FIELDS)
      .executeTakeFirstOrThrow()
  })
}

const KEY_FIELDS = [
  ...(['id', 'organizationId', 'name', 'permissions', 'createdByUserId', 'expiresAt'] as const),
  ...(['allowedAddresses', 'proposeOnly', 'revokedAt', 'lastUsedAt', 'createdAt'] as const),
]

// Operators identify a key only by its ID, which is unique across all builders.
async function lockKey(trx: Db, id: string) {
  const found = await trx.selectFrom('apiKeys').select('organizationId').where('id', '=', id).executeTakeFirst()
  if (found === undefined) throw notFound()
  const key = await trx
    .selectFrom('apiKeys')
    .select(KEY_FIELDS)
    .where('organizationId', '=', found.organizationId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (key === undefined) throw notFound()
  return key
}
