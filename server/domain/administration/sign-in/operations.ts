import type { Handlers } from '../../../platform/calls/operation.ts'
import { LENGTHENED_EVERY_MS } from '../../../platform/keys/identity.ts'
import { memberOf, signedIn } from '../../../platform/keys/principals.ts'
import { notFound, problem, unknownReference } from '../../../platform/problems/problem.ts'
import * as sessions from './queries.ts'
import { arrive, callOf, letIn, sessionOf } from './session.ts'

export const signInOperations = {
  async requestSignInLink({ body }, { surroundings }) {
    if (surroundings.config.mail === null) return { status: 202, body: { delivery: 'none' } }
    surroundings.linkRequests.add(body.email)
    return { status: 202, body: { delivery: 'mail' } }
  },

  async signIn({ body }, call) {
    const { identity } = call.surroundings
    const { token, device = null } = body
    const opened = await identity.redeem(token, { address: call.address, device })
    if (opened === null)
      throw problem('link_spent', 'This sign-in link has expired or was already used. Request a new one.')
    const answer = await letIn(call, opened)
    if (answer === null) throw problem('link_spent', 'No active user has the email address of this sign-in link.')
    return answer
  },

  async getSession(_input, call) {
    const { session } = signedIn(call)
    if (call.now.getTime() - session.updatedAt.getTime() < LENGTHENED_EVERY_MS)
      return { status: 200, body: await sessionOf(call) }
    const lengthened = await call.surroundings.identity.lengthen(session.cookie)
    const headers: Record<string, string> = lengthened?.setCookie ? { 'Set-Cookie': lengthened.setCookie } : {}
    return { status: 200, body: await sessionOf(call, lengthened?.session.expiresAt), headers }
  },

  async deleteSession(_input, call) {
    const { session } = signedIn(call)
    const { database, identity } = call.surroundings
    await sessions.end(database.statements, session.identityId, session.id)
    return { status: 204, headers: { 'Set-Cookie': identity.clearing } }
  },

  async switchOrganization({ body }, call) {
    const { session } = signedIn(call)
    const { organizationId } = body
    const db = call.surroundings.database.statements
    const member = await memberOf(db, { ...session, activeOrganizationId: organizationId })
    if (member === null || member.organization.id !== organizationId) throw unknownReference(['/organizationId'])
    await sessions.moveTo(db, session.id, organizationId)
    const there = callOf(call, member)
    await there.write(arrive)
    return { status: 200, body: await sessionOf(there) }
  },

  async listSessions({ query }, call) {
    const { session } = signedIn(call)
    const whose = { identityId: session.identityId, currentId: session.id, now: call.now }
    return { status: 200, body: await sessions.listOf(call.surroundings.database.statements, whose, query) }
  },

  async removeSession({ path }, call) {
    const { identityId } = signedIn(call).session
    if (!(await sessions.end(call.surroundings.database.statements, identityId, path.sessionId))) throw notFound()
    return { status: 204 }
  },
} satisfies Partial<Handlers>
