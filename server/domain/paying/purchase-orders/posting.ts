import type { PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import * as budgetLines from '../../costs/budgets/queries.ts'
import { assertCostCodesInUse } from '../../costs/cost-codes/assert-cost-codes-in-use.ts'
import * as parts from '../../costs/parts/queries.ts'

type LineInput = Pick<Checked['PurchaseOrderLineInput'], 'budgetLineId' | 'partId' | 'costCodeId'>

/**
 * Returns the lines with their cost codes. A line without a cost code receives the code of its budget line, because
 * ordered work must appear where it is budgeted, even if the budget line has no code or an archived code. A line
 * without a budget line receives the code of its part, or else the default code of the trade (`ofScope`). `stored`
 * contains the current lines of the order. A request can send their cost codes again, even if these codes have been
 * archived.
 */
export async function assignCostCodes<Line extends LineInput>(
  call: WriteCall,
  lines: readonly Line[],
  ofScope: string | null,
  stored: PurchaseOrder['lines'] = [],
): Promise<Line[]> {
  const before = new Set(stored.map((line) => line.costCodeId))
  await assertCostCodesInUse(
    call,
    lines.flatMap(({ costCodeId }, i) =>
      costCodeId == null || before.has(costCodeId) ? [] : [{ pointer: `/lines/${i}/costCodeId`, costCodeId }],
    ),
  )
  const open = lines.filter((line) => line.costCodeId === undefined)
  if (open.length === 0) return [...lines]
  const ids = [...new Set(open.flatMap((line) => line.budgetLineId ?? []))]
  const budgeted = new Map(
    (ids.length === 0 ? [] : await budgetLines.findAll(call, ids)).map((line) => [line.id, line]),
  )
  const unbudgeted = open.filter((line) => line.budgetLineId == null)
  const partIds = [...new Set(unbudgeted.flatMap((line) => line.partId ?? []))]
  const named = new Map((partIds.length === 0 ? [] : await parts.findAll(call, partIds)).map((part) => [part.id, part]))
  return lines.map((line): Line => {
    if (line.costCodeId !== undefined) return line
    if (line.budgetLineId == null) return { ...line, costCodeId: named.get(line.partId ?? '')?.costCodeId ?? ofScope }
    // If the budget line is unknown, a later check reports it with the other errors of the order.
    return { ...line, costCodeId: budgeted.get(line.budgetLineId)?.costCodeId ?? null }
  })
}
