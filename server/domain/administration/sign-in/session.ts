import type { HeldPermission, Session, User } from '../../../../client/contract.gen.ts'
import { type Call, createCall, type WriteCall } from '../../../platform/calls/call.ts'
import type { Db } from '../../../platform/database/database.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import type { OpenedSession, SessionState } from '../../../platform/keys/identity.ts'
import { findSignedInMember, requireSignedIn, type SignedIn, type Visitor } from '../../../platform/keys/principals.ts'
import * as users from '../../office/users/queries.ts'
import { endSession, listMemberships, switchOrganization } from './queries.ts'

/** Returns the data about the signed-in user for the admin area. */
export async function buildSession(call: Call, expiresAt?: Date): Promise<Session> {
  const { session, organization, permissions, id } = requireSignedIn(call)
  const { tier, ...builder } = organization
  const members = await listMemberships(call.services.database.statements, session.email)
  return {
    id: session.id,
    user: await users.find(call, id),
    organization: { ...builder, tier: tier as Session['organization']['tier'] },
    permissions: [...permissions].sort() as HeldPermission[],
    organizations: members.map(({ organizationId, organizationName, role }) => ({
      id: organizationId,
      name: organizationName,
      role,
    })),
    sendsMail: call.services.config.mail !== null,
    createdAt: session.createdAt.toISOString(),
    expiresAt: (expiresAt ?? session.expiresAt).toISOString(),
  }
}

/**
 * Returns the call with another principal, after a visitor signs in or the session switches to another organization.
 */
export function toSignedInCall(call: Call, principal: SignedIn): Call {
  const { services, requestId, address } = call
  return createCall(services, { principal, requestId, address })
}

/** Records that the user has signed in. An invited user becomes active. */
export async function recordSignIn(call: WriteCall): Promise<{ before: User; after: User }> {
  const before = await users.lock(call, requireSignedIn(call).id)
  const status = before.status === 'invited' ? 'active' : before.status
  const after = await users.update(call, before, { status, lastLoginAt: call.now.toISOString() })
  return { before, after }
}

/**
 * Creates a session for a visitor and records the sign-in. The new session replaces the previous session of the
 * browser. Returns null and ends the session if no active user has the address.
 */
export async function signIn(
  visit: Call,
  { session, setCookie }: OpenedSession,
): Promise<{ status: 200; body: Session; headers: { 'Set-Cookie': string } } | null> {
  const db = visit.services.database.statements
  const previous = await findPreviousSession(visit)
  const member = await findSignedInMember(db, await keepOrganization(db, session, previous))
  if (member === null) {
    await endSession(db, session.identityId, session.id)
    return null
  }
  if (previous !== null) await endSession(db, previous.identityId, previous.id)
  const call = toSignedInCall(visit, member)
  await call.write(async (call) => {
    const { before, after } = await recordSignIn(call)
    await recordEvent(call, 'user.logged_in', after, before)
  })
  // The response contains the events of the visitor's call, so copy the events to it.
  visit.events.push(...call.events)
  return { status: 200, body: await buildSession(call), headers: { 'Set-Cookie': setCookie } }
}

async function findPreviousSession({ principal, services }: Call): Promise<SessionState | null> {
  const { previousCookie = null } = principal as Partial<Visitor>
  return previousCookie === null ? null : services.identity.find(previousCookie)
}

/**
 * If the same user had a session in this browser, sets the organization of that session on the new session. Otherwise,
 * a sign-in to confirm a change could apply the change to another organization.
 */
async function keepOrganization(db: Db, session: SessionState, previous: SessionState | null): Promise<SessionState> {
  const before = previous?.identityId === session.identityId ? await findSignedInMember(db, previous) : null
  if (before === null) return session
  const activeOrganizationId = before.organization.id
  await switchOrganization(db, session.id, activeOrganizationId)
  return { ...session, activeOrganizationId }
}
