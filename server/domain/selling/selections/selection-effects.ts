import type { Home, Option, Selection } from '../../../../client/contract.gen.ts'
import { recordChange, type WriteCall } from '../../../platform/calls/call.ts'
import { subtract } from '../../../platform/values/money.ts'
import type { CostedSelection } from '../../costs/budgets/costing.ts'
import { toSelectionIssues } from '../../costs/budgets/estimate-budget.ts'
import { replaceEstimate } from '../../costs/budgets/estimate-queries.ts'
import { postBudget } from '../../costs/budgets/post-budget.ts'
import { ACTIVE_STATUSES } from '../../costs/budgets/selected-option.ts'
import { storeSelectionCosts } from '../../costs/budgets/selection-queries.ts'
import * as homes from '../../land/homes/queries.ts'
import { recordPriceChange } from '../price-changes/record-price-change.ts'
import { postContractAmount } from '../sales/post-contract-amount.ts'
import * as sales from '../sales/queries.ts'
import { formatSelectionName } from './selection.ts'
import type { SelectionPlace } from './selection-place.ts'

/**
 * Updates the budget of the home with the costs of a selection and of the selections that depend on it. If the
 * selection no longer has a cost, removes its lines.
 */
export async function syncSelectionBudget(
  call: WriteCall,
  home: Home,
  selectionId: string,
  costs: readonly CostedSelection[],
): Promise<void> {
  const of = [selectionId, ...costs.map(({ id }) => id)]
  const lines = costs.flatMap((each) => each.lines)
  const isLocked = home.budgetLockedAt !== null
  const { added, changed, removed } = await replaceEstimate(call, { homeId: home.id, isLocked, of }, lines)
  const others = costs.filter(({ id }) => id !== selectionId)
  await storeSelectionCosts(
    call,
    others.map((each) => ({ ...each, issues: toSelectionIssues(each.unpriced) })),
  )
  if (added + changed + removed === 0) return
  recordChange(call, home.id, 'updated', ['budget'])
  await postBudget(call, home)
}

/** Calls `announceHomePrice` if the price difference or the status of the selection has changed. */
export async function announcePriceIfChanged(
  call: WriteCall,
  home: Home,
  before: Selection,
  after: Selection,
): Promise<void> {
  const hasMoved = before.difference !== after.difference || before.status !== after.status
  if (!hasMoved) return
  await announceHomePrice(call, home, home.saleId)
}

/**
 * Applies a new price of a home: increments the versions of the home and its sale, so that clients read them again, and
 * posts the new contract price to the ledger.
 */
export async function announceHomePrice(call: WriteCall, home: Home, saleId: string | null): Promise<void> {
  await homes.bumpVersion(call, home.id, [
    'optionsTotal',
    'price',
    ...(home.contractPrice === null ? [] : ['contractPrice']),
  ])
  if (saleId === null) return
  await sales.bumpVersion(call, saleId, ['optionsTotal', 'totalPrice', 'commission'])
  await postContractAmount(call, saleId)
}

/** If a selection changes without a buyer change, records its effect on the price of an approved sale. */
export async function recordDirectPriceChange(
  call: WriteCall,
  { place, before, option }: { place: SelectionPlace; before: Selection; option: Option | null },
  after: Selection,
): Promise<void> {
  const { home, on } = place
  const price = subtract(addedBy(after, 'difference'), addedBy(before, 'difference'))
  if (home.saleId === null || price === 0) return
  const name = option?.name ?? formatSelectionName(after, option)
  const suffix =
    after.status === 'cancelled' ? ' (cancelled)' : ACTIVE_STATUSES.includes(before.status) ? ' (changed)' : ''
  await recordPriceChange(call, await sales.lock(call, home.saleId), {
    ...{ homeId: home.id, on, title: `${name.slice(0, 130)}${suffix}` },
    line: {
      ...{ optionSelectionId: after.id, description: name, scope: after.scope, price },
      cost: subtract(addedBy(after, 'cost'), addedBy(before, 'cost')),
    },
  })
}

/**
 * Returns the amount that a selection adds to the price or the cost of its home. The amount is zero unless the
 * selection is approved, ordered, or installed.
 */
function addedBy(selection: Selection, field: 'difference' | 'cost'): number {
  return ACTIVE_STATUSES.includes(selection.status) ? (selection[field] ?? 0) : 0
}
