import { typeid } from 'typeid-js'
import { recordOperatorAction } from '../../../platform/audit/record-audit-entries.ts'
import type { Database, Db } from '../../../platform/database/database.ts'
import type { Role } from '../../../platform/keys/roles.ts'
import { conflict, notFound } from '../../../platform/problems/problem.ts'
import type { Clock } from '../../../platform/runtime/clock.ts'

/** The columns of users that callers may read. The current role of a user limits all keys that the user has created. */
const USER_FIELDS = [
  ...(['id', 'organizationId', 'email', 'name', 'phone', 'role', 'status', 'poApprovalLimit'] as const),
  ...(['createdAt', 'updatedAt'] as const),
]

export interface NewUser {
  organizationId: string
  email: string
  name: string
  phone?: string | undefined
  role: Role
  /** The maximum total of a purchase order that the user can approve; null if there is no limit. */
  poApprovalLimit: number | null
  /** Whether the user belongs to the example data of a sandbox. Nobody can sign in as such a user. */
  isExample?: boolean | undefined
}

/**
 * Creates a user. Throws `not_found` if the organization is unknown, and `conflict` if another user has the email
 * address.
 */
export async function createUser(database: Database, clock: Clock, requested: NewUser) {
  const now = clock.now()
  const { organizationId } = requested
  return database.transaction(async (trx) => {
    const organization = await trx
      .selectFrom('organizations')
      .select('id')
      .where('id', '=', organizationId)
      .executeTakeFirst()
    if (organization === undefined) throw notFound()
    const user = await trx
      .insertInto('users')
      .values({ ...requested, id: typeid('usr').toString(), createdAt: now, updatedAt: now })
      .returning(USER_FIELDS)
      .executeTakeFirstOrThrow()
    await recordOperatorAction(trx, { organizationId, at: now, action: 'user.created', resourceId: user.id })
    return user
  })
}

export async function listUsers(database: Database, organizationId: string) {
  return database.statements
    .selectFrom('users')
    .select(USER_FIELDS)
    .where('organizationId', '=', organizationId)
    .orderBy('id')
    .execute()
}

export interface UserChanges {
  email?: string | undefined
  name?: string | undefined
  phone?: string | null | undefined
  role?: Role | undefined
  status?: 'active' | 'disabled' | undefined
  poApprovalLimit?: number | null | undefined
}

/**
 * Updates a user. Omitted fields keep their values. Throws `not_found` if the user is unknown. Throws `conflict` if no
 * active owner would remain, because no key would then have full access.
 */
export async function updateUser(database: Database, clock: Clock, id: string, changes: UserChanges) {
  return database.transaction(async (trx) => {
    const found = await trx.selectFrom('users').select('organizationId').where('id', '=', id).executeTakeFirst()
    if (found === undefined) throw notFound()
    const user = await trx
      .selectFrom('users')
      .select(USER_FIELDS)
      .where('organizationId', '=', found.organizationId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (user === undefined) throw notFound()
    const after = { ...user, ...omitUndefined(changes) }
    if (isActiveOwner(user) && !isActiveOwner(after)) await assertOtherOwnerExists(trx, user)
    const changed = Object.keys(omitUndefined(changes))
    const act = { organizationId: user.organizationId, at: clock.now(), resourceId: id, changed }
    await recordOperatorAction(trx, { ...act, action: 'user.updated' })
    return trx
      .updateTable('users')
      .set((set) => ({ ...omitUndefined(changes), version: set('version', '+', 1), updatedAt: clock.now() }))
      .where('organizationId', '=', user.organizationId)
      .where('id', '=', id)
      .returning(USER_FIELDS)
      .executeTakeFirstOrThrow()
  })
}

export function isActiveOwner({ role, status }: { role: string; status: string }): boolean {
  return role === 'owner' && status !== 'disabled'
}

/**
 * Throws `conflict` if this user is the only owner. Locks all owners, so that two owners cannot give up their roles
 * concurrently.
 */
export async function assertOtherOwnerExists(
  trx: Db,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<void> {
  const owners = await trx
    .selectFrom('users')
    .select(['id', 'role', 'status'])
    .where('organizationId', '=', organizationId)
    .where('role', '=', 'owner')
    .orderBy('id')
    .forUpdate()
    .execute()
  if (!owners.some((owner) => owner.id !== id && isActiveOwner(owner))) {
    throw conflict('last_owner', 'The organization must keep at least one active owner. Add another owner first.')
  }
}

function omitUndefined(changes: UserChanges): UserChanges {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}
