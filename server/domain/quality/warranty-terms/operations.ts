import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import * as parts from '../../costs/parts/queries.ts'
import * as homes from '../../land/homes/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import * as terms from './queries.ts'

export const warrantyTermOperations = {
  async listWarrantyTerms({ query }, call) {
    return { status: 200, body: await terms.list(call, query) }
  },

  async createWarrantyTerm({ body }, call) {
    const term = await call.write(async (call) =>
      terms.insert(call, { ...body, ...(await checkCovered(call, body)), text: body.text ?? null }),
    )
    return { status: 201, body: term }
  },

  async getWarrantyTerm({ path }, call) {
    return { status: 200, body: await terms.find(call, path.warrantyTermId) }
  },

  async updateWarrantyTerm({ path, body, ifMatch }, call) {
    const term = await call.write(async (call) => {
      const before = await terms.lock(call, path.warrantyTermId)
      const covered = await checkCovered(call, { ...before, ...body })
      return terms.update(call, before, { ...body, ...covered }, ifMatch)
    })
    return { status: 200, body: term }
  },

  async archiveWarrantyTerm({ path, ifMatch }, call) {
    await call.write(async (call) => terms.archive(call, await terms.lock(call, path.warrantyTermId), ifMatch))
    return { status: 204 }
  },

  async listHomeCoverages({ path, query }, call) {
    await homes.find(call, path.homeId)
    return { status: 200, body: await terms.coverages.list(call, query, { homeId: path.homeId }) }
  },
} satisfies Partial<Handlers>

/** Returns the covered trades in the organization's spelling. Throws if a part does not exist. */
async function checkCovered(
  call: WriteCall,
  { scopes: names, partIds }: { scopes: readonly string[]; partIds: readonly string[] },
): Promise<{ scopes: string[]; partIds: string[] }> {
  await parts.assertExist(call, partIds, '/partIds')
  return { scopes: await scopes.requireTrades(call, names), partIds: [...new Set(partIds)] }
}
