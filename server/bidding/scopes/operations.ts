import { checkIfMatch } from '../../http/etag.ts'
import type { Some } from '../../http/operation.ts'
import { problem } from '../../http/problem.ts'
import * as scopes from './queries.ts'

export const scopeOperations: Some<'listScopes' | 'createScope' | 'getScope' | 'updateScope' | 'archiveScope'> = {
  async listScopes({ query }, call) {
    return { status: 200, body: await scopes.list(call.db, call.organizationId, query) }
  },

  async createScope({ body }, call) {
    const { name, code = null, sequence = 0 } = body
    const scope = await scopes.insert(call.db, call, { name, code, sequence })
    return { status: 201, body: scope, headers: { Location: `/api/ext/scopes/${scope.id}` } }
  },

  async getScope({ path }, call) {
    return { status: 200, body: await scopes.find(call.db, call.organizationId, path.scopeId) }
  },

  async updateScope({ path, body }, call) {
    const scope = await call.write(async (trx) => {
      const before = await scopes.lock(trx, call.organizationId, path.scopeId)
      checkIfMatch(call, before)
      if (body.name !== undefined && body.name !== before.name) {
        const uses = (await scopes.usesOf(trx, call.organizationId, before.name)).filter((use) => use.count > 0)
        if (uses.length > 0) {
          const told = uses.map(({ what, count }) => `${what}: ${count}`).join(', ')
          throw problem('conflict', `"${before.name}" is in use (${told}), so it keeps its name.`)
        }
      }
      const after = await scopes.update(trx, call, before, body)
      scopes.forget(call.organizationId, before.name)
      return after
    })
    return { status: 200, body: scope }
  },

  async archiveScope({ path }, call) {
    await call.write(async (trx) => {
      const before = await scopes.lock(trx, call.organizationId, path.scopeId)
      checkIfMatch(call, before)
      const covering =
        before.archivedAt === null ? await scopes.coveringVendors(trx, call.organizationId, before.name) : 0
      if (covering > 0) {
        throw problem(
          'conflict',
          covering === 1 ? `1 vendor covers "${before.name}".` : `${covering} vendors cover "${before.name}".`,
        )
      }
      await scopes.archive(trx, call, before)
      scopes.forget(call.organizationId, before.name)
    })
    return { status: 204 }
  },
}
