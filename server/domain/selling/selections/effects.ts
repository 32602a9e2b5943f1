import type { Home, Selection } from '../../../../client/contract.gen.ts'
import { noteChange, type WriteCall } from '../../../platform/calls/call.ts'
import type { Costed } from '../../costs/budgets/costing.ts'
import { issuesOf } from '../../costs/budgets/estimate.ts'
import { replaceEstimate } from '../../costs/budgets/estimate-queries.ts'
import { keepCosts } from '../../costs/budgets/selection-queries.ts'
import * as homes from '../../land/homes/queries.ts'
import * as sales from '../sales/queries.ts'

/**
 * Adds the cost of a selection and of those that depend on it to the home's budget, or removes it if it no longer costs
 * anything.
 */
export async function budgetSelection(
  call: WriteCall,
  home: Home,
  selectionId: string,
  costs: readonly Costed[],
): Promise<void> {
  const of = [selectionId, ...costs.map(({ id }) => id)]
  const lines = costs.flatMap((each) => each.lines)
  const isLocked = home.budgetLockedAt !== null
  const { added, changed, removed } = await replaceEstimate(call, { homeId: home.id, isLocked, of }, lines)
  const others = costs.filter(({ id }) => id !== selectionId)
  await keepCosts(
    call,
    others.map((each) => ({ ...each, issues: issuesOf(each.unpriced) })),
  )
  if (added + changed + removed > 0) noteChange(call, home.id, 'updated', ['budget'])
}

/** Increments the versions of a home whose price has changed and of its sale, so that clients read them again. */
export async function repriceHome(call: WriteCall, home: Home, before: Selection, after: Selection): Promise<void> {
  const hasMoved = before.difference !== after.difference || before.status !== after.status
  if (!hasMoved) return
  await homes.touch(call, home.id, ['optionsTotal', 'price', ...(home.contractPrice === null ? [] : ['contractPrice'])])
  if (home.saleId !== null) await sales.touch(call, home.saleId, ['optionsTotal', 'totalPrice', 'commission'])
}
