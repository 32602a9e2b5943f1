import type { Option, Selection } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertMove, conflict } from '../../../platform/problems/problem.ts'
import { budgetSelection } from './effects.ts'
import { assertApprovable, assertInTime, assertSelectable, changeOrderFor, type Place } from './place.ts'
import * as selections from './queries.ts'
import { priceUnknown, type Quote, quote } from './quote.ts'
import { CHOICES, deadlineOf, dependentsOf, nameOf, reasonsTogether, SELECTION_MOVES } from './selection.ts'

/** A locked selection with its home and option. */
export interface LockedSelection {
  readonly place: Place
  readonly before: Selection
  readonly option: Option | null
}

interface Move {
  readonly to: Selection['status']
  readonly reason?: string | null | undefined
  readonly overrideReason?: string | null | undefined
  /** Whether an approval keeps the unit price that the buyer agreed to. Otherwise it is determined again. */
  readonly isPriceKept?: boolean
}

/**
 * Changes the status of a selection and the budget of its home. The caller increments the versions of the home and its
 * sale if the price changes.
 */
export async function moveSelection(
  call: WriteCall,
  { place, before, option }: LockedSelection,
  { to, reason, overrideReason, isPriceKept = false }: Move,
): Promise<Selection> {
  assertMove(SELECTION_MOVES, before.status, to)
  if (CHOICES.has(to))
    assertInTime(place, deadlineOf(before.deadline, option, place.home, place.community), overrideReason)
  const priceBasis = isPriceKept ? ('given' as const) : before.priceBasis
  const { changes, costs } = await consequencesOf(call, place, { ...before, priceBasis }, option, to)
  const after = await selections.update(call, before, { status: to, ...changes })
  const reasons = reasonsTogether(reason, CHOICES.has(to) ? overrideReason : null)
  await recordStatusChange(call, { id: after.id, from: before.status, to, reason: reasons })
  if (to === 'approved' || to === 'cancelled') await budgetSelection(call, place.home, after.id, costs)
  return after
}

/** Returns what a status change sets in addition, after checking its conditions. */
async function consequencesOf(
  call: WriteCall,
  place: Place,
  before: Selection,
  option: Option | null,
  to: Selection['status'],
): Promise<{ changes: Partial<Omit<Selection, 'difference'>>; costs: Quote['costs'] }> {
  const none = { changes: {}, costs: [] }
  const name = nameOf(before, option)
  if (to === 'pending' && option !== null) await assertSelectable(call, place, option, before.id)
  if (to === 'ordered' && !(await selections.isOrdered(call, before.id)))
    throw conflict(
      'missing_data',
      `${name} has no approved purchase order. Create and approve one with optionSelectionId set to it.`,
    )
  if (to === 'cancelled') {
    const dependents = before.optionId === null ? [] : dependentsOf(before.optionId, place.standing)
    const [dependent] = dependents
    if (dependent !== undefined)
      throw conflict(
        'in_use',
        `Cannot cancel ${name}: ${nameOf(dependent, dependent.option)}, which is ${dependent.status}, requires it.`,
      )
    const changePoId = await changeOrderFor(call, before, name, [])
    return { changes: changePoId === undefined ? {} : { changePoId }, costs: [] }
  }
  if (to !== 'approved') return none
  if (option !== null) await assertApprovable(call, place, option, before.id)
  const draft = { ...before, option }
  const { amounts, costs } = await quote(call, place.home, draft, { ...place, dependents: [] })
  if (amounts.price === null) throw priceUnknown(name)
  if (option === null && amounts.cost === null)
    throw conflict('missing_data', `Cannot approve ${name}: it has no cost. Set cost first.`)
  return { changes: { ...amounts, approvedBy: call.actor, approvedAt: call.now.toISOString() }, costs }
}
