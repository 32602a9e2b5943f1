import type { Call } from '../../../platform/calls/call.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { requireSignedIn } from '../../../platform/keys/principals.ts'
import { notFound } from '../../../platform/problems/problem.ts'
import * as grants from './queries.ts'

export const oauthGrantOperations = {
  async listOauthGrants({ query }, call) {
    return {
      status: 200,
      body: await grants.list(call, query, canSeeAllGrants(call) ? {} : { userId: requireSignedIn(call).id }),
    }
  },

  async getOauthGrant({ path }, call) {
    const grant = await grants.find(call, path.grantId)
    if (!canSeeAllGrants(call) && grant.userId !== requireSignedIn(call).id) throw notFound()
    return { status: 200, body: grant }
  },

  async revokeOauthGrant({ path }, call) {
    const grant = await call.write(async (call) => {
      const before = await grants.lock(call, path.grantId)
      if (!call.permissions.has('keys:write') && before.userId !== requireSignedIn(call).id) throw notFound()
      await grants.revokeGrant(call, before.id)
      return grants.find(call, before.id)
    })
    return { status: 200, body: grant }
  },
} satisfies Partial<Handlers>

function canSeeAllGrants({ permissions }: Call): boolean {
  return permissions.has('keys:read')
}
