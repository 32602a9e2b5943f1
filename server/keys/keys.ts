import { typeid } from 'typeid-js'
import type { Permission } from '../../client/contract.gen.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { invalid, notFound } from '../http/problem.ts'
import { permissionsOf, type Role } from './roles.ts'
import { newSecret, secretHash, secretStart } from './secret.ts'

export interface NewKey {
  organizationId: string
  /** Who creates it, and whose power bounds it; the organization's first owner where left out. */
  userId?: string | undefined
  name: string
  /** All that the creator's role has where left out. */
  permissions?: readonly string[] | undefined
  expiresAt?: Date | null
}

/**
 * Makes an API key. The secret is in the answer and nowhere else. Throws `not_found` for an unknown organization or
 * user and `validation_failed` for a permission that does not exist or that the creator's role does not have.
 */
export async function createKey(database: Database, clock: Clock, wanted: NewKey) {
  const { organizationId, userId, name, expiresAt = null } = wanted
  const now = clock.now()
  return database.transaction(async (trx) => {
    let creators = trx.selectFrom('users').select(['id', 'role']).where('organizationId', '=', organizationId)
    creators = userId === undefined ? creators.where('role', '=', 'owner').orderBy('id') : creators.where('id', '=', userId)
    const creator = await creators.limit(1).executeTakeFirst()
    if (creator === undefined) throw notFound()
    const power = permissionsOf(creator.role as Role)
    const permissions = wanted.permissions ?? [...power]
    const beyond = permissions.filter((permission) => !power.has(permission as Permission))
    if (beyond.length > 0) {
      throw invalid(beyond.map((permission) => ({ pointer: '/permissions', code: 'beyond_role', message: `${permission} is not in the power of the role ${creator.role}` })))
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
        createdAt: now,
        updatedAt: now,
      })
      .returning(['id', 'organizationId', 'name', 'permissions', 'createdByUserId', 'expiresAt', 'createdAt'])
      .executeTakeFirstOrThrow()
    const secret = newSecret()
    await trx
      .insertInto('apiKeySecrets')
      .values({ hash: secretHash(secret), organizationId, keyId: key.id, start: secretStart(secret), createdAt: now })
      .execute()
    return { ...key, secret }
  })
}
