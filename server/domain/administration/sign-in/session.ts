import type { HeldPermission, Session, User } from '../../../../client/contract.gen.ts'
import { type Call, newCall, type WriteCall } from '../../../platform/calls/call.ts'
import type { Db } from '../../../platform/database/database.ts'
import { recordEvent } from '../../../platform/events/record.ts'
import type { OpenedSession, SessionState } from '../../../platform/keys/identity.ts'
import { memberOf, type SignedIn, signedIn, type Visitor } from '../../../platform/keys/principals.ts'
import * as users from '../../office/users/queries.ts'
import { end, membersOf, moveTo } from './queries.ts'

/** Returns what the pages need to know about the signed-in user. */
export async function sessionOf(call: Call, expiresAt?: Date): Promise<Session> {
  const { session, organization, permissions, id } = signedIn(call)
  const { tier, ...builder } = organization
  const members = await membersOf(call.surroundings.database.statements, session.email)
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
    createdAt: session.createdAt.toISOString(),
    expiresAt: (expiresAt ?? session.expiresAt).toISOString(),
  }
}

/**
 * Returns the same request with another principal: after a visitor signed in, or the session switched to another
 * organization.
 */
export function callOf(call: Call, principal: SignedIn): Call {
  const { surroundings, requestId, address } = call
  return newCall(surroundings, { principal, requestId, address })
}

/** Records that the user has signed in. An invited user becomes active. */
export async function arrive(call: WriteCall): Promise<{ before: User; after: User }> {
  const before = await users.lock(call, signedIn(call).id)
  const status = before.status === 'invited' ? 'active' : before.status
  const after = await users.update(call, before, { status, lastLoginAt: call.now.toISOString() })
  return { before, after }
}

/**
 * Signs a visitor in with a new session, and records the sign-in. The session replaces the browser's previous one.
 * Returns null and ends the session if no active user has the address.
 */
export async function letIn(
  visit: Call,
  { session, setCookie }: OpenedSession,
): Promise<{ status: 200; body: Session; headers: { 'Set-Cookie': string } } | null> {
  const db = visit.surroundings.database.statements
  const previous = await previousSessionOf(visit)
  const member = await memberOf(db, await inTheSameOrganization(db, session, previous))
  if (member === null) {
    await end(db, session.identityId, session.id)
    return null
  }
  if (previous !== null) await end(db, previous.identityId, previous.id)
  const call = callOf(visit, member)
  await call.write(async (call) => {
    const { before, after } = await arrive(call)
    await recordEvent(call, 'user.logged_in', after, before)
  })
  // The response's events are those of the visitor's call.
  visit.events.push(...call.events)
  return { status: 200, body: await sessionOf(call), headers: { 'Set-Cookie': setCookie } }
}

async function previousSessionOf({ principal, surroundings }: Call): Promise<SessionState | null> {
  const { previousCookie = null } = principal as Partial<Visitor>
  return previousCookie === null ? null : surroundings.identity.find(previousCookie)
}

/**
 * Returns the organization of the session that the same person had in this browser. A sign-in to confirm a change must
 * not move the change to another organization.
 */
async function inTheSameOrganization(
  db: Db,
  session: SessionState,
  previous: SessionState | null,
): Promise<SessionState> {
  const before = previous?.identityId === session.identityId ? await memberOf(db, previous) : null
  if (before === null) return session
  const activeOrganizationId = before.organization.id
  await moveTo(db, session.id, activeOrganizationId)
  return { ...session, activeOrganizationId }
}
