import type { PurchaseOrder } from '../../../client/contract.gen.ts'
import * as scopes from '../../bidding/scopes/queries.ts'
import * as budgetLines from '../../costs/budgets/queries.ts'
import { assertInUse } from '../../costs/cost-codes/in-use.ts'
import type { WriteCall } from '../../http/call.ts'
import type { Checked } from '../../http/checked.gen.ts'

type LineInput = Checked['PurchaseOrderLineInput']

/**
 * The lines with the cost codes that they are posted to. A line without one follows the budget line that it is bought
 * for, even to no code or to one that has been archived since, because what is ordered has to appear where it is
 * budgeted. Only a line that names neither gets the default of the trade. `kept` are the lines that the order has: a
 * code that it was posted to before it was archived may be sent again.
 */
export async function posted(
  call: WriteCall,
  scope: string,
  lines: readonly LineInput[],
  kept: PurchaseOrder['lines'] = [],
): Promise<LineInput[]> {
  const before = new Set(kept.map((line) => line.costCodeId))
  await assertInUse(
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
  const needsDefault = open.some((line) => line.budgetLineId == null)
  const ofScope = needsDefault ? await scopes.defaultCostCode(call, scope) : null
  return lines.map((line): LineInput => {
    if (line.costCodeId !== undefined) return line
    if (line.budgetLineId == null) return { ...line, costCodeId: ofScope }
    // A budget line that does not exist is reported with the other faults of the order.
    return { ...line, costCodeId: budgeted.get(line.budgetLineId)?.costCodeId ?? null }
  })
}
