import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import * as scopes from './queries.ts'

export const scopeOperations = {
  async listScopes({ query }, call) {
    return { status: 200, body: await scopes.list(call, query) }
  },

  async createScope({ body }, call) {
    const scope = await call.write((call) => scopes.insert(call, body))
    return { status: 201, body: scope }
  },

  async getScope({ path }, call) {
    return { status: 200, body: await scopes.find(call, path.scopeId) }
  },

  async updateScope({ path, body, ifMatch }, call) {
    const scope = await call.write(async (call) => {
      const before = await scopes.lock(call, path.scopeId)
      assertIfMatch(ifMatch, before)
      if (body.name !== undefined && body.name !== before.name) {
        const uses = (await scopes.countTradeUses(call, before.name)).filter((use) => use.count > 0)
        if (uses.length > 0) {
          const reported = uses.map(({ what, count }) => `${what}: ${count}`).join(', ')
          throw conflict('in_use', `Cannot rename "${before.name}": it is in use (${reported}).`)
        }
      }
      const after = await scopes.update(call, before, body)
      scopes.forgetSpelling(call.organizationId, before.name)
      return after
    })
    return { status: 200, body: scope }
  },

  async archiveScope({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const before = await scopes.lock(call, path.scopeId)
      assertIfMatch(ifMatch, before)
      const covering = before.archivedAt === null ? await scopes.countCoveringVendors(call, before.name) : 0
      if (covering > 0) {
        throw conflict(
          'in_use',
          `Cannot archive "${before.name}": ${covering === 1 ? '1 vendor covers' : `${covering} vendors cover`} it. Remove it from their trades first.`,
        )
      }
      await scopes.archive(call, before)
      scopes.forgetSpelling(call.organizationId, before.name)
    })
    return { status: 204 }
  },
} satisfies Partial<Handlers>
