import { isDeepStrictEqual } from 'node:util'
import { typeid } from 'typeid-js'
import type { Permission } from '../../../client/contract.gen.ts'
import { recordOperatorAct } from '../audit/record.ts'
import type { Tenant } from '../calls/call.ts'
import type { Database, Db } from '../database/database.ts'
import { conflict, notFound, validationFailed } from '../problems/problem.ts'
import type { Clock } from '../runtime/clock.ts'
import { hashKeySecret, keySecretStart, newKeySecret } from './key-secret.ts'
import { isDelegablePermission, type Role, rolePermissions } from './roles.ts'

export interface NewKey {
  organizationId: string
  /** The creator, whose role limits the key's permissions. Defaults to the organization's first owner. */
  userId?: string | undefined
  name: string
  /** Defaults to everything that the creator's role allows and, for a propose-only key, that may be delegated. */
  permissions?: readonly string[] | undefined
  /** Defaults to one year. Null for a key that never expires. */
  expiresAt?: Date | null | undefined
  /** Addresses and ranges that the key may be used from. Defaults to any. */
  allowedAddresses?: readonly string[] | null | undefined
  /** Whether its changes become proposals. Defaults to false. */
  proposeOnly?: boolean | undefined
}

/** So that a forgotten key expires by itself. */
export const DEFAULT_LIFETIME_MS = 365 * 24 * 3_600_000

/**
 * Creates an API key. The secret is returned only here. Throws `not_found` for an unknown organization or user, and
 * `validation_failed` for a permission that does not exist or that the creator's role lacks.
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
    const power = rolePermissions(creator.role as Role)
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
    const secret = await issueSecret(trx, { organizationId, keyId: key.id, now })
    await recordOperatorAct(trx, { organizationId, at: now, action: 'key.created', resourceId: key.id })
    return { ...key, secret }
  })
}

interface KeyReference {
  organizationId: string
  keyId: string
  now: Date
}

/** Creates a secret for a key and returns it. Only its hash is stored. */
export async function issueSecret(trx: Db, { organizationId, keyId, now }: KeyReference): Promise<string> {
  const secret = newKeySecret()
  await trx
    .insertInto('apiKeySecrets')
    .values({ hash: hashKeySecret(secret), organizationId, keyId, start: keySecretStart(secret), createdAt: now })
    .execute()
  return secret
}

/** Creates a new secret. The current one stays valid for the overlap, and any earlier one ends now. */
export async function replaceSecret(trx: Db, of: KeyReference, overlapMs: number) {
  const { organizationId, keyId, now } = of
  const previousEndsAt = new Date(now.getTime() + overlapMs)
  const ofKey = trx.updateTable('apiKeySecrets').where('organizationId', '=', organizationId).where('keyId', '=', keyId)
  await ofKey.set({ expiresAt: now }).where('expiresAt', '>', now.toISOString()).execute()
  await ofKey.set({ expiresAt: previousEndsAt }).where('expiresAt', 'is', null).execute()
  return { secret: await issueSecret(trx, of), previousEndsAt }
}

/** Returns what the holder of a key may know about it. Throws `not_found`. */
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

/** Returns the same about the grant of an app that sends a token. Throws `not_found`. */
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

/** Returns the keys of an organization, newest first, each with the start of its active secrets. */
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
 * Gives a key a new secret. The previous one stays valid for the overlap. One from an earlier overlap ends now, so
 * there are never more than two. Throws `not_found`, and `conflict` for a key that has ended.
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
    const { secret, previousEndsAt } = await replaceSecret(trx, { organizationId, keyId: id, now }, overlapMs)
    await trx
      .updateTable('apiKeys')
      .set((set) => ({ version: set('version', '+', 1), updatedAt: now }))
      .where('organizationId', '=', organizationId)
      .where('id', '=', id)
      .execute()
    await recordOperatorAct(trx, {
      ...{ organizationId: key.organizationId, at: now, resourceId: id },
      action: 'key.rotated',
    })
    return { ...key, previousSecretEndsAt: previousEndsAt.toISOString(), secret }
  })
}

export interface KeyChanges {
  name?: string | undefined
  /** Null for a key that never expires. */
  expiresAt?: Date | null | undefined
  /** Null for a key that may be used from anywhere. */
  allowedAddresses?: readonly string[] | null | undefined
}

/**
 * Updates a key, on every process within a second. Omitted fields keep their value. An expired key can be extended.
 * Throws `not_found`, and `conflict` for a revoked key, which stays revoked.
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
    await recordOperatorAct(trx, {
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

/** Revokes a key, on every process within a second. Idempotent. Throws `not_found`. */
export async function revokeKey(database: Database, clock: Clock, id: string) {
  const now = clock.now()
  return database.transaction(async (trx) => {
    const key = await lockKey(trx, id)
    if (key.revokedAt !== null) return key
    await recordOperatorAct(trx, {
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

// An operator names a key by its ID alone, which is unique across all builders.
async function lockKey(trx: Db, id: string) {
  const key = await trx.selectFrom('apiKeys').select(KEY_FIELDS).where('id', '=', id).forUpdate().executeTakeFirst()
  if (key === undefined) throw notFound()
  return key
}
