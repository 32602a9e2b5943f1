import type { Option, Selection } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict } from '../../../platform/problems/problem.ts'
import * as selections from './queries.ts'
import { createUnknownPriceProblem, quoteSelection, type SelectionQuote } from './quote-selection.ts'
import {
  BUYER_CHOICES,
  computeDeadline,
  formatSelectionName,
  joinReasons,
  listDependentSelections,
  SELECTION_MOVES,
} from './selection.ts'
import { syncSelectionBudget } from './selection-effects.ts'
import {
  assertBeforeDeadline,
  assertCanApproveOption,
  assertCanSelectOption,
  requireChangeOrder,
  type SelectionPlace,
} from './selection-place.ts'

/** A locked selection with its home and option. */
export interface LockedSelection {
  readonly place: SelectionPlace
  readonly before: Selection
  readonly option: Option | null
}

interface Move {
  readonly to: Selection['status']
  readonly reason?: string | null | undefined
  readonly overrideReason?: string | null | undefined
  /** Whether an approval keeps the unit price to which the buyer agreed. If not, the unit price is determined again. */
  readonly isPriceKept?: boolean
}

/**
 * Changes the status of a selection and updates the budget of its home. If the price changes, the caller must increment
 * the versions of the home and its sale.
 */
export async function changeSelectionStatus(
  call: WriteCall,
  { place, before, option }: LockedSelection,
  { to, reason, overrideReason, isPriceKept = false }: Move,
): Promise<Selection> {
  assertTransition(SELECTION_MOVES, before.status, to)
  if (BUYER_CHOICES.has(to))
    assertBeforeDeadline(place, computeDeadline(before.deadline, option, place.home, place.community), overrideReason)
  const priceBasis = isPriceKept ? ('given' as const) : before.priceBasis
  const { changes, costs } = await findConsequences(call, place, { ...before, priceBasis }, option, to)
  const after = await selections.update(call, before, { status: to, ...changes })
  const reasons = joinReasons(reason, BUYER_CHOICES.has(to) ? overrideReason : null)
  await recordStatusChange(call, { id: after.id, from: before.status, to, reason: reasons })
  if (to === 'approved' || to === 'cancelled') await syncSelectionBudget(call, place.home, after.id, costs)
  return after
}

/** Checks the conditions of a status change. Returns the other fields to change, and the resulting costs. */
async function findConsequences(
  call: WriteCall,
  place: SelectionPlace,
  before: Selection,
  option: Option | null,
  to: Selection['status'],
): Promise<{ changes: Partial<Omit<Selection, 'difference'>>; costs: SelectionQuote['costs'] }> {
  const none = { changes: {}, costs: [] }
  const name = formatSelectionName(before, option)
  if (to === 'pending' && option !== null) await assertCanSelectOption(call, place, option, before.id)
  if (to === 'ordered' && !(await selections.isSelectionOrdered(call, before.id)))
    throw conflict(
      'missing_data',
      `${name} has no approved purchase order. Create and approve a purchase order whose optionSelectionId is this selection.`,
    )
  if (to === 'cancelled') {
    const dependents = before.optionId === null ? [] : listDependentSelections(before.optionId, place.standing)
    const [dependent] = dependents
    if (dependent !== undefined)
      throw conflict(
        'in_use',
        `Cannot cancel ${name}: ${formatSelectionName(dependent, dependent.option)}, which is ${dependent.status}, requires it.`,
      )
    const changePoId = await requireChangeOrder(call, before, name, [])
    return { changes: changePoId === undefined ? {} : { changePoId }, costs: [] }
  }
  // A selection that becomes pending again must be signed again.
  if (to === 'pending') return { changes: { signature: null }, costs: [] }
  if (to !== 'approved') return none
  if (option !== null) await assertCanApproveOption(call, place, option, before.id)
  const draft = { ...before, option }
  const { amounts, costs } = await quoteSelection(call, place.home, draft, { ...place, dependents: [] })
  if (amounts.price === null) throw createUnknownPriceProblem(name)
  if (option === null && amounts.cost === null)
    throw conflict('missing_data', `Cannot approve ${name}: it has no cost. Set cost first.`)
  return { changes: { ...amounts, approvedBy: call.actor, approvedAt: call.now.toISOString() }, costs }
}
