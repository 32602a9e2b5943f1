import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { syncRows } from '../../../platform/resources/sync-rows.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import * as costCodes from '../cost-codes/queries.ts'
import * as parts from './queries.ts'
import { definePartSync } from './sync-parts.ts'

export const partOperations = {
  async listParts({ query }, call) {
    return { status: 200, body: await parts.list(call, query) }
  },

  async createPart({ query, body }, call) {
    const part = await call.write(async (call) => {
      if (body.costCodeId != null) await costCodes.assertExist(call, [body.costCodeId], '/costCodeId')
      const scope = body.scope == null ? null : await scopes.requireTrade(call, body.scope, query.createScopes)
      const ofScope =
        scope === null || body.costCodeId !== undefined ? null : await scopes.findDefaultCostCode(call, scope)
      return parts.insert(call, { ...body, scope, costCodeId: body.costCodeId ?? ofScope })
    })
    return { status: 201, body: part }
  },

  async syncParts({ query, body }, call) {
    return { status: 200, body: await syncRows(call, body, definePartSync(body.match, query.createScopes)) }
  },

  async getPart({ path }, call) {
    return { status: 200, body: await parts.find(call, path.partId) }
  },

  async updatePart({ path, query, body, ifMatch }, call) {
    const part = await call.write(async (call) => {
      const before = await parts.lock(call, path.partId)
      assertIfMatch(ifMatch, before)
      if (body.unit !== undefined && body.unit !== before.unit && (await parts.hasPricesOfPart(call, before.id)))
        throw conflict(
          'in_use',
          `Cannot change the unit of ${before.sku}: the part has prices per ${before.unit}. Create another part instead.`,
        )
      const { scope, ...rest } = body
      return parts.update(call, before, {
        ...rest,
        ...(scope !== undefined && {
          scope: scope === null ? null : await scopes.requireTrade(call, scope, query.createScopes),
        }),
      })
    })
    return { status: 200, body: part }
  },

  async archivePart({ path, ifMatch }, call) {
    await call.write(async (call) => {
      await parts.archive(call, await parts.lock(call, path.partId), ifMatch)
    })
    return { status: 204 }
  },
} satisfies Partial<Handlers>
