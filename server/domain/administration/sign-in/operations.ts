import type { Handlers } from '../../../platform/calls/operation.ts'
import { SESSION_EXTENSION_INTERVAL_MS } from '../../../platform/keys/identity.ts'
import { findSignedInMember, requireSignedIn } from '../../../platform/keys/principals.ts'
import { notFound, problem, unknownReference } from '../../../platform/problems/problem.ts'
import * as sessions from './queries.ts'
import { buildSession, recordSignIn, signIn, toSignedInCall } from './session.ts'

export const signInOperations = {
  async requestSignInLink({ body }, { services }) {
    if (services.config.mail === null) return { status: 202, body: { delivery: 'none' } }
    services.linkRequests.add(body.email)
    return { status: 202, body: { delivery: 'mail' } }
  },

  async signIn({ body }, call) {
    const { identity } = call.services
    const { token, device = null } = body
    const opened = await identity.redeem(token, { address: call.address, device })
    if (opened === null)
      throw problem('link_spent', 'This sign-in link has expired or was already used. Request a new one.')
    const answer = await signIn(call, opened)
    if (answer === null)
      throw problem(
        'link_spent',
        'No active user has the email address of this sign-in link. Contact an owner or admin.',
      )
    return answer
  },

  async getSession(_input, call) {
    const { session } = requireSignedIn(call)
    if (call.now.getTime() - session.updatedAt.getTime() < SESSION_EXTENSION_INTERVAL_MS)
      return { status: 200, body: await buildSession(call) }
    const lengthened = await call.services.identity.lengthen(session.cookie)
    const headers: Record<string, string> = lengthened?.setCookie ? { 'Set-Cookie': lengthened.setCookie } : {}
    return { status: 200, body: await buildSession(call, lengthened?.session.expiresAt), headers }
  },

  async deleteSession(_input, call) {
    const { session } = requireSignedIn(call)
    const { database, identity } = call.services
    await sessions.endSession(database.statements, session.identityId, session.id)
    return { status: 204, headers: { 'Set-Cookie': identity.clearing } }
  },

  async switchOrganization({ body }, call) {
    const { session } = requireSignedIn(call)
    const { organizationId } = body
    const db = call.services.database.statements
    const member = await findSignedInMember(db, { ...session, activeOrganizationId: organizationId })
    if (member === null || member.organization.id !== organizationId) throw unknownReference(['/organizationId'])
    await sessions.switchOrganization(db, session.id, organizationId)
    const there = toSignedInCall(call, member)
    await there.write(recordSignIn)
    return { status: 200, body: await buildSession(there) }
  },

  async listSessions({ query }, call) {
    const { session } = requireSignedIn(call)
    const whose = { identityId: session.identityId, currentId: session.id, now: call.now }
    return { status: 200, body: await sessions.listSessions(call.services.database.statements, whose, query) }
  },

  async removeSession({ path }, call) {
    const { identityId } = requireSignedIn(call).session
    if (!(await sessions.endSession(call.services.database.statements, identityId, path.sessionId))) throw notFound()
    return { status: 204 }
  },
} satisfies Partial<Handlers>
