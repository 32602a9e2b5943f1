import type { WriteCall } from '../../../platform/calls/call.ts'
import { unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import * as costCodes from './queries.ts'

/**
 * Throws unless the cost codes of new records exist and are not archived. Looks up all cost codes before it throws, so
 * that the error lists every unknown cost code.
 */
export async function assertCostCodesInUse(
  call: WriteCall,
  named: readonly { pointer: string; costCodeId: string }[],
): Promise<void> {
  if (named.length === 0) return
  const ids = [...new Set(named.map(({ costCodeId }) => costCodeId))]
  const known = new Map((await costCodes.findAll(call, ids)).map((code) => [code.id, code]))
  const unknown = named.filter(({ costCodeId }) => !known.has(costCodeId))
  if (unknown.length > 0) throw unknownReference(unknown.map(({ pointer }) => pointer))
  const archived = named.filter(({ costCodeId }) => known.get(costCodeId)?.archivedAt !== null)
  if (archived.length === 0) return
  throw validationFailed(
    archived.map(({ pointer, costCodeId }) => ({
      pointer,
      code: 'archived',
      message: `must not be archived; ${known.get(costCodeId)?.code} is archived`,
    })),
  )
}
