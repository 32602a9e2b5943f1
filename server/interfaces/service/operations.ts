import type { Caller, Permission, Release } from '../../../client/contract.gen.ts'
import type { Handlers } from '../../platform/calls/operation.ts'
import { findGrant, findKey } from '../../platform/keys/keys.ts'
import { createBrowserToken } from './browser-token.ts'
import { getPublishedContractJson, getPublishedContractYaml } from './published-contract.ts'

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
    return { status: 200, body: await call.services.limits.usage(call.principal, call.db) }
  },

  async createBrowserToken({ body }, call) {
    return { status: 200, body: createBrowserToken(call, body) }
  },

  async getChangelog(_input, { services }) {
    return { status: 200, body: { data: services.contract.document['x-changelog'] as Release[] } }
  },

  async getOpenApiJson({ query }, call) {
    return { status: 200, body: getPublishedContractJson(call, query.tags) }
  },

  async getOpenApiYaml({ query }, call) {
    return { status: 200, body: getPublishedContractYaml(call, query.tags) }
  },
} satisfies Partial<Handlers>
