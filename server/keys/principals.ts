import { typeid } from 'typeid-js'
import type { Permission } from '../../client/contract.gen.ts'
import type { Db } from '../database/database.ts'
import {
  type Call,
  callWithin,
  newCall,
  type Organization,
  type Principal,
  type Surroundings,
  type WriteCall,
} from '../http/call.ts'
import { notFound } from '../http/problem.ts'
import { ALL_PERMISSIONS, permissionsOf, type Role } from './roles.ts'

/**
 * Principals that do not use an API key: the service itself, a user, a vendor. Each is loaded from the database, so
 * that its permissions and the rows it sees never depend on what the caller claims.
 */

/** A call by the service itself on behalf of one builder, for scheduled work. */
export async function systemCall(surroundings: Surroundings, organizationId: string): Promise<Call> {
  const principal = systemOf(await organizationOf(surroundings.database.statements, organizationId))
  return newCall(surroundings, { principal, requestId: newRequestId(), address: null })
}

/** The same within an open transaction, whose events the owner of the transaction announces. */
export async function systemCallWithin(
  surroundings: Surroundings,
  trx: Db,
  organizationId: string,
): Promise<WriteCall> {
  const principal = systemOf(await organizationOf(trx, organizationId))
  return callWithin(surroundings, trx, { principal, requestId: newRequestId(), address: null })
}

/** A user, with the permissions of their current role; none if they are disabled. Throws `not_found`. */
export async function userOf(db: Db, organizationId: string, userId: string): Promise<Principal> {
  const user = await db
    .selectFrom('users')
    .select(['role', 'status', 'poApprovalLimit'])
    .where('organizationId', '=', organizationId)
    .where('id', '=', userId)
    .executeTakeFirst()
  if (user === undefined) throw notFound()
  const organization = await organizationOf(db, organizationId)
  return {
    kind: 'user',
    id: userId,
    organization,
    permissions: user.status === 'disabled' ? new Set<Permission>() : permissionsOf(user.role as Role),
    poApprovalLimit: user.poApprovalLimit,
    subjectId: null,
    counters: { minute: `minute:${userId}`, kind: 'key', day: null },
  }
}

/**
 * A vendor has no permissions: it may call what the contract opens to portal tokens, and see what its token was made
 * for. Its requests do not count against the builder's quota.
 */
export function vendorOf(organization: Organization, vendorId: string, subjectId: string): Principal {
  return {
    kind: 'vendor',
    id: vendorId,
    organization,
    permissions: new Set<Permission>(),
    poApprovalLimit: null,
    subjectId,
    counters: { minute: `minute:${subjectId}`, kind: 'portal', day: null },
  }
}

export async function organizationOf(db: Db, organizationId: string): Promise<Organization> {
  return db
    .selectFrom('organizations')
    .select(['id', 'name', 'tier', 'currency', 'timeZone'])
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow()
}

function systemOf(organization: Organization): Principal {
  return {
    kind: 'system',
    id: null,
    organization,
    permissions: new Set(ALL_PERMISSIONS),
    poApprovalLimit: null,
    subjectId: null,
    counters: { minute: 'minute:system', kind: 'key', day: null },
  }
}

function newRequestId(): string {
  return typeid('req').toString()
}
