import type { IncomingHttpHeaders } from 'node:http'
import { listMemberships } from '../../domain/administration/sign-in/queries.ts'
import type { Services } from '../../platform/calls/call.ts'
import { findSignedInMember, type SignedIn } from '../../platform/keys/principals.ts'
import { readSessionCookie } from '../../platform/keys/session-cookie.ts'

/** A signed-in user who opened the page. */
export interface SignedInUser {
  readonly principal: SignedIn
  readonly user: { readonly name: string; readonly email: string; readonly role: string }
  /** The user's other organizations. */
  readonly others: readonly { readonly id: string; readonly name: string }[]
}

/**
 * Returns the user of a session in the chosen organization. If no organization was chosen, uses the session's
 * organization. Returns null for a visitor who is not signed in or is not a user of that organization.
 */
export async function findSignedInUser(
  { identity, database, clock, config }: Services,
  { cookie }: IncomingHttpHeaders,
  organizationId: string | null,
): Promise<SignedInUser | null> {
  const value = readSessionCookie(cookie, config.publicUrl)
  const session = value === null ? null : await identity.find(value)
  if (session === null || session.expiresAt.getTime() <= clock.nowMs()) return null
  const db = database.statements
  const chosen = organizationId === null ? session : { ...session, activeOrganizationId: organizationId }
  const principal = await findSignedInMember(db, chosen)
  if (principal === null || (organizationId !== null && principal.organization.id !== organizationId)) return null
  const members = await listMemberships(db, session.email)
  const { name = '', role = 'viewer' } = members.find(({ userId }) => userId === principal.id) ?? {}
  const others = members
    .filter((one) => one.organizationId !== principal.organization.id)
    .map((one) => ({ id: one.organizationId, name: one.organizationName }))
  return { principal, user: { name, email: session.email, role }, others }
}
