import { typeid } from 'typeid-js'
import type { LinkCopier, Permission } from '../../../client/contract.gen.ts'
import {
  type Call,
  createCall,
  createCallInTransaction,
  type Organization,
  type Principal,
  type Services,
  type WriteCall,
} from '../calls/call.ts'
import { getNetwork } from '../calls/client-address.ts'
import type { Db } from '../database/database.ts'
import { notFound } from '../problems/problem.ts'
import type { SessionState } from './identity.ts'
import { ALL_PERMISSIONS, getAdminPermissions, getRolePermissions, type Role } from './roles.ts'

/**
 * Loads principals that do not use an API key: the service itself, users, vendors, and home owners. Each principal is
 * read from the database, so that its permissions and the rows that it can see never depend on the caller's input.
 */

/** Returns a call by the service itself for a builder, for jobs. */
export async function createSystemCall(services: Services, organizationId: string): Promise<Call> {
  const principal = toSystemPrincipal(await findOrganization(services.database.statements, organizationId))
  return createCall(services, { principal, requestId: newRequestId(), address: null })
}

/**
 * Like createSystemCall, but within an open transaction. The code that has opened the transaction must announce the
 * events of the call.
 */
export async function createSystemCallInTransaction(
  services: Services,
  trx: Db,
  organizationId: string,
): Promise<WriteCall> {
  const principal = toSystemPrincipal(await findOrganization(trx, organizationId))
  return createCallInTransaction(services, trx, { principal, requestId: newRequestId(), address: null })
}

/**
 * Returns a user with the permissions of the current role, or without permissions if the user is deactivated. Throws
 * `not_found` if the user does not exist.
 */
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
    permissions: user.status === 'disabled' ? new Set<Permission>() : getRolePermissions(user.role as Role),
    poApprovalLimit: user.poApprovalLimit,
    subjectId: null,
    counters: { minute: `minute:${userId}`, kind: 'key', day: null },
  }
}

/**
 * Returns a vendor as a principal, which has no permissions. Vendors can call the operations that the contract opens to
 * portal tokens, and see only the data for which their token was created. Requests of vendors do not count toward the
 * quota of the builder. `copiedBy` is null if the vendor uses its own link.
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

/**
 * The permissions with which the owner's page calls operations. The permissions apply to the entire organization, so
 * the page must check that each record belongs to the owner's home (see server/interfaces/owner/own-records.ts).
 */
const HOME_OWNER_PERMISSIONS: readonly Permission[] = [
  ...([
    'homes:read',
    'milestones:read',
    'logs:read',
    'options:read',
    'options:write',
    'sales:read',
    'sales:write',
  ] as const),
  ...(['punch:read', 'punch:write', 'warranty:read', 'warranty:write', 'messages:read', 'messages:write'] as const),
]

/**
 * Returns a principal for a home owner that is limited to the owner's home. Only the owner's page accepts the link, and
 * HTTP operations do not.
 */
export function toHomeOwnerPrincipal(organization: Organization, homeOwnerId: string, homeId: string): Principal {
  return {
    kind: 'home_owner',
    id: homeOwnerId,
    organization,
    permissions: new Set<Permission>(HOME_OWNER_PERMISSIONS),
    poApprovalLimit: 0,
    subjectId: homeId,
    counters: { minute: `minute:${homeOwnerId}`, kind: 'portal', day: null },
  }
}

/** A user who has signed in. */
export interface SignedIn extends Principal {
  readonly session: SessionState
}

/** Returns the caller of an operation that accepts only sessions. */
export function requireSignedIn({ principal }: Pick<Call, 'principal'>): SignedIn & { id: string } {
  if (!('session' in principal)) throw new Error(`Expected a user with a session, not a ${principal.kind}.`)
  return principal as SignedIn & { id: string }
}

/**
 * Returns the user whom a session represents, in the organization that was selected last. If none was selected, uses
 * the organization in which the owner of the session last signed in. Returns null if no active user has the email
 * address of the session. Ignores the example users of sandboxes.
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
    permissions: new Set<string>([...getRolePermissions(role as Role), ...getAdminPermissions(role as Role)]),
    poApprovalLimit,
    subjectId: null,
    // Requests from pages do not count toward the daily quota of the organization, which is for programs.
    counters: { minute: `minute:${userId}`, kind: 'user', day: null },
    session,
  }
}

/** No organization has this ID, so the principal cannot see any rows. */
const NO_ORGANIZATION: Organization = { id: 'org_nowhere', name: '', tier: '', currency: '', timeZone: 'UTC' }

/** A caller who has not signed in yet, or who is signing in again. */
export interface Visitor extends Principal {
  /** The session cookie of the request, which is not verified; null if there is none. */
  readonly previousCookie: string | null
}

/**
 * Returns the caller of an operation without credentials. Visitors are distinguished by the network of their address.
 */
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
