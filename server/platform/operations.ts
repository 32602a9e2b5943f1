import type { Caller, Permission, Release } from '../../client/contract.gen.ts'
import type { Some } from '../http/operation.ts'
import { publishedJson, publishedYaml } from './published.ts'

export const platformOperations: Some<'getCaller' | 'getUsage' | 'getChangelog' | 'getOpenApiJson' | 'getOpenApiYaml'> =
  {
    async getCaller(_input, { principal, actor, permissions, poApprovalLimit }) {
      const caller: Caller = {
        keyId: principal.keyId,
        name: principal.keyName,
        actor,
        permissions: [...permissions].sort() as Permission[],
        poApprovalLimit,
        organization: {
          id: principal.organizationId,
          name: principal.organizationName,
          currency: principal.currency,
          timeZone: principal.timeZone,
          tier: principal.tier as Caller['organization']['tier'],
        },
        expiresAt: principal.expiresAt,
        lastUsedAt: principal.lastUsedAt,
      }
      return { status: 200, body: caller }
    },

    async getUsage(_input, call) {
      return { status: 200, body: await call.surroundings.limits.usage(call.principal, call.db) }
    },

    async getChangelog(_input, { surroundings }) {
      return { status: 200, body: { data: surroundings.contract.document['x-changelog'] as Release[] } }
    },

    async getOpenApiJson(_input, call) {
      return { status: 200, body: publishedJson(call) }
    },

    async getOpenApiYaml(_input, call) {
      return { status: 200, body: publishedYaml(call) }
    },
  }
