import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { conflict, unknownReference } from '../../../platform/problems/problem.ts'
import { syncRows } from '../../../platform/resources/sync-rows.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { createParentProblem, explainUnsuitableParent, explainWhyCodeCannotBeArchived } from './cost-code.ts'
import * as costCodes from './queries.ts'
import { defineCostCodeSync } from './sync-cost-codes.ts'

export const costCodeOperations = {
  async listCostCodes({ query }, call) {
    return { status: 200, body: await costCodes.list(call, query) }
  },

  async createCostCode({ query, body }, call) {
    const created = await call.write(async (call) => {
      if (body.parentId != null) await assertFitsBelow(call, body.parentId, 1)
      return costCodes.insert(call, { ...body, scope: await resolveScope(call, body.scope, query.createScopes) })
    })
    return { status: 201, body: created }
  },

  async syncCostCodes({ query, body }, call) {
    return { status: 200, body: await syncRows(call, body, defineCostCodeSync(body.match, query.createScopes)) }
  },

  async getCostCode({ path }, call) {
    return { status: 200, body: await costCodes.find(call, path.costCodeId) }
  },

  async updateCostCode({ path, query, body, ifMatch }, call) {
    const after = await call.write(async (call) => {
      if (body.parentId != null) await costCodes.lockCostCodeTree(call)
      const before = await costCodes.lock(call, path.costCodeId)
      assertIfMatch(ifMatch, before)
      if (body.parentId != null && body.parentId !== before.parentId) {
        const levels = await costCodes.countLevels(call, before.id)
        const above = await assertFitsBelow(call, body.parentId, levels)
        if (above.includes(before.id)) throw createParentProblem('must not be the code itself or a code below it')
      }
      const { scope, ...rest } = body
      return costCodes.update(call, before, {
        ...rest,
        ...(scope !== undefined && { scope: await resolveScope(call, scope, query.createScopes) }),
      })
    })
    return { status: 200, body: after }
  },

  async archiveCostCode({ path, ifMatch }, call) {
    await call.write(async (call) => {
      await costCodes.lockCostCodeTree(call)
      const before = await costCodes.lock(call, path.costCodeId)
      assertIfMatch(ifMatch, before)
      const reason =
        before.archivedAt === null
          ? explainWhyCodeCannotBeArchived(before, await costCodes.countCostCodeUses(call, before.id))
          : null
      if (reason !== null) throw conflict('in_use', reason)
      await costCodes.archive(call, before)
    })
    return { status: 204 }
  },
} satisfies Partial<Handlers>

/**
 * Returns the IDs from the parent up to the top level. Throws if the given number of levels does not fit below the
 * parent.
 */
async function assertFitsBelow(call: WriteCall, parentId: string, levels: number): Promise<string[]> {
  await costCodes.lockCostCodeTree(call)
  const parent = await costCodes.findOptional(call, parentId)
  if (parent === undefined) throw unknownReference(['/parentId'])
  const path = await costCodes.findAncestorPath(call, parentId)
  const reason = explainUnsuitableParent(parent, path, levels)
  if (reason !== null) throw createParentProblem(reason)
  return path
}

async function resolveScope(
  call: Call,
  scope: string | null | undefined,
  createScopes: boolean | undefined,
): Promise<string | null> {
  return scope == null ? null : scopes.requireTrade(call, scope, createScopes)
}
