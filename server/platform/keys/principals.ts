import { typeid } from 'typeid-js'
import type { LinkCopier, Permission } from '../../../client/contract.gen.ts'
import {
  type Call,
  newCall,
  newCallWithin,
  type Organization,
  type Principal,
  type Services,
  type WriteCall,
} from '../calls/call.ts'
import { getNetwork } from '../calls/client-address.ts'
import type { Db } from '../database/database.ts'
import { notFound } from '../problems/problem.ts'
import type { SessionState } from './identity.ts'
import { ALL_PERMISSIONS, adminPermissionsOf, type Role, rolePermissions } from './roles.ts'

/**
 * Principals without an API key: the service itself, a user, or a vendor. Each is loaded from the database, so that its
 * permissions and the rows it sees never depend on what the caller claims.
 */

/** Returns a call by the service itself on behalf of one builder, for scheduled work. */
export async function newSystemCall(services: Services, organizationId: string): Promise<Call> {
  const principal = toSystemPrincipal(await findOrganization(services.database.statements, organizationId))
  return newCall(services, { principal, requestId: newRequestId(), address: null })
}

/** Does the same within an open transaction. The owner of the transaction announces its events. */
export async function newSystemCallWithin(services: Services, trx: Db, organizationId: string): Promise<WriteCall> {
  const principal = toSystemPrincipal(await findOrganization(trx, organizationId))
  return newCallWithin(services, trx, { principal, requestId: newRequestId(), address: null })
}

/** Returns a user with the permissions of their current role; none if they are deactivated. Throws `not_found`. */
export async function findUserPrincipal(db: Db, organizationId: string, userId: string): Promise<Principal> {
  const user = await db
    .selectFrom('users')
    .select(['role', 'status', 'poApprovalLimit'])
    .where('organizationId', '=', organizationId)
    .where('id', '=', userId)
    .executeTakeFirst()
  if (user === undefined) throw notFound()
  const organization = await findOrganization(db, organizationId)
  return {
    kind: 'user',
    id: userId,
    organization,
    permissions: user.status === 'disabled' ? new Set<Permission>() : rolePermissions(user.role as Role),
    poApprovalLimit: user.poApprovalLimit,
    subjectId: null,
    counters: { minute: `minute:${userId}`, kind: 'key', day: null },
  }
}

/**
 * Returns a vendor as a principal. It has no permissions: it may call what the contract opens to portal tokens, and see
 * what its token was created for. Its requests do not count toward the builder's quota. `copiedBy` is null for the
 * vendor's own link.
 */
export function toVendorPrincipal(
  organization: Organization,
  vendorId: string,
  subjectId: string,
  copiedBy: LinkCopier | null = null,
): Principal {
  return {
    kind: 'vendor',
    id: vendorId,
    organization,
    permissions: new Set<Permission>(),
    poApprovalLimit: null,
    subjectId,
    ...(copiedBy !== null && { copiedBy }),
    counters: { minute: `minute:${subjectId}`, kind: 'portal', day: null },
  }
}

/** A signed-in user. */
export interface SignedIn extends Principal {
  readonly session: SessionState
}

/** Returns the caller of an operation that accepts only sessions. */
export function requireSignedIn({ principal }: Pick<Call, 'principal'>): SignedIn & { id: string } {
  if (!('session' in principal)) throw new Error(`Expected a user with a session, not a ${principal.kind}.`)
  return principal as SignedIn & { id: string }
}

/**
 * Returns the user that a session represents: in the organization that was selected last, or else where they signed in
 * last. Null if no active user has this address. Users of a sandbox's example do not count.
 */
export async function findSignedInMember(db: Db, session: SessionState): Promise<SignedIn | null> {
  const row = await db
    .selectFrom('users as u')
    .innerJoin('organizations as o', 'o.id', 'u.organizationId')
    .where('u.signInEmail', '=', session.email)
    .where('u.status', '!=', 'disabled')
    .where('u.isExample', '=', false)
    .orderBy((eb) => eb('u.organizationId', '=', session.activeOrganizationId ?? ''), 'desc')
    .orderBy('u.lastLoginAt', (order) => order.desc().nullsLast())
    .orderBy('u.id')
    .select([
      ...(['u.id as userId', 'u.role', 'u.poApprovalLimit'] as const),
      ...(['o.id', 'o.name', 'o.tier', 'o.currency', 'o.timeZone'] as const),
    ])
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return null
  const { userId, role, poApprovalLimit, ...organization } = row
  return {
    kind: 'user',
    id: userId,
    organization,
    permissions: new Set<string>([...rolePermissions(role as Role), ...adminPermissionsOf(role as Role)]),
    poApprovalLimit,
    subjectId: null,
    // Requests from pages do not count toward the organization's daily quota for programs.
    counters: { minute: `minute:${userId}`, kind: 'user', day: null },
    session,
  }
}

/** No organization has this ID, so the principal sees no rows. */
const NO_ORGANIZATION: Organization = { id: 'org_nowhere', name: '', tier: '', currency: '', timeZone: 'UTC' }

/** A caller who has not signed in yet, or signs in again. */
export interface Visitor extends Principal {
  /** Unverified value of the session cookie in the request; null if there is none. */
  readonly previousCookie: string | null
}

/** Returns the caller of an operation without credentials. Visitors are distinguished by their network. */
export function toVisitorPrincipal(address: string, previousCookie: string | null): Visitor {
  const network = getNetwork(address)
  return {
    kind: 'user',
    id: `visitor ${network}`,
    organization: NO_ORGANIZATION,
    permissions: new Set<Permission>(),
    poApprovalLimit: null,
    subjectId: null,
    counters: { minute: `visitor:${network}`, kind: 'visitor', day: null },
    previousCookie,
  }
}

export async function findOrganization(db: Db, organizationId: string): Promise<Organization> {
  return db
    .selectFrom('organizations')
    .select(['id', 'name', 'tier', 'currency', 'timeZone'])
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow()
}

function toSystemPrincipal(organization: Organization): Principal {
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
