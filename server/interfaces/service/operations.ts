import type { Caller, Permission, Release } from '../../../client/contract.gen.ts'
import type { Handlers } from '../../platform/calls/operation.ts'
import { findGrant, findKey } from '../../platform/keys/keys.ts'
import { browserToken } from './browser-token.ts'
import { publishedJson, publishedYaml } from './published.ts'

export const platformOperations = {
  async getCaller(_input, call) {
    const { actor, permissions, poApprovalLimit, principal } = call
    const { tier, ...organization } = principal.organization
    const { id, ...key } = await (principal.via === undefined
      ? findKey(call, String(principal.id))
      : findGrant(call, principal.via.grantId))
    const caller: Caller = {
      keyId: id,
      ...key,
      actor,
      permissions: [...permissions].sort() as Permission[],
      poApprovalLimit,
      organization: { ...organization, tier: tier as Caller['organization']['tier'] },
    }
    return { status: 200, body: caller }
  },

  async getUsage(_input, call) {
    return { status: 200, body: await call.surroundings.limits.usage(call.principal, call.db) }
  },

  async createBrowserToken({ body }, call) {
    return { status: 200, body: browserToken(call, body) }
  },

  async getChangelog(_input, { surroundings }) {
    return { status: 200, body: { data: surroundings.contract.document['x-changelog'] as Release[] } }
  },

  async getOpenApiJson({ query }, call) {
    return { status: 200, body: publishedJson(call, query.tags) }
  },

  async getOpenApiYaml({ query }, call) {
    return { status: 200, body: publishedYaml(call, query.tags) }
  },
} satisfies Partial<Handlers>
