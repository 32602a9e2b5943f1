import type { Call } from '../../../platform/calls/call.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { signedIn } from '../../../platform/keys/principals.ts'
import { notFound } from '../../../platform/problems/problem.ts'
import * as grants from './queries.ts'

export const oauthGrantOperations = {
  async listOauthGrants({ query }, call) {
    return { status: 200, body: await grants.list(call, query, seesAll(call) ? {} : { userId: signedIn(call).id }) }
  },

  async getOauthGrant({ path }, call) {
    const grant = await grants.find(call, path.grantId)
    if (!seesAll(call) && grant.userId !== signedIn(call).id) throw notFound()
    return { status: 200, body: grant }
  },

  async revokeOauthGrant({ path }, call) {
    const grant = await call.write(async (call) => {
      const before = await grants.lock(call, path.grantId)
      if (!call.permissions.has('keys:write') && before.userId !== signedIn(call).id) throw notFound()
      await grants.revoke(call, before.id)
      return grants.find(call, before.id)
    })
    return { status: 200, body: grant }
  },
} satisfies Partial<Handlers>

function seesAll({ permissions }: Call): boolean {
  return permissions.has('keys:read')
}
