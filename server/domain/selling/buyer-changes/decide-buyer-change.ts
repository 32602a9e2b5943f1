import type { BuyerChange, BuyerChangeLine, Sale } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict, Problem } from '../../../platform/problems/problem.ts'
import { ACTIVE_STATUSES } from '../../costs/budgets/selected-option.ts'
import { computeChangeTotals } from '../price-changes/buyer-change.ts'
import { addChangeToSchedule, removeChangeFromSchedule } from '../price-changes/schedules.ts'
import { changeSelectionStatus, type LockedSelection } from '../selections/change-selection-status.ts'
import { announceHomePrice } from '../selections/selection-effects.ts'
import { lockSelectionWithHome, type SelectionPlace } from '../selections/selection-place.ts'
import { declineCustomSelections } from './apply-change-lines.ts'

interface Decision {
  readonly reason: string | null
  readonly overrideReason: string | null
}

type Changes = Partial<Pick<BuyerChange, 'lines' | 'price' | 'cost' | 'scheduleLineId' | 'sentAt' | 'voidedAt'>> &
  Partial<Pick<BuyerChange, 'approvedBy' | 'approvedAt' | 'decidedDate'>>

export function planBuyerChangeSending(call: WriteCall, { number, lines }: BuyerChange): Changes {
  const unpriced = lines.find(({ price }) => price === null)
  if (unpriced !== undefined)
    throw conflict(
      'missing_data',
      `Cannot send change ${number}: line ${nameLine(unpriced)} has no price, because it depends on an unknown cost.`,
    )
  return { sentAt: call.now.toISOString() }
}

/** Approves all selections of a change. If one approval fails, approves none. */
export async function approveBuyerChange(
  call: WriteCall,
  place: SelectionPlace,
  sale: Sale,
  change: BuyerChange,
  { overrideReason }: Decision,
): Promise<Changes> {
  const reason = `Buyer change ${change.number}: ${change.title}`
  const approved = new Map<string, Pick<BuyerChangeLine, 'price' | 'cost'>>()
  for (const { line, selectionId } of await inOrder(call, change)) {
    const after = await forLine(line, async () => {
      const locked = await lockSelectionWithHome(call, selectionId)
      return changeSelectionStatus(call, locked, { to: 'approved', reason, overrideReason, isPriceKept: true })
    })
    approved.set(line.lineId, { price: after.difference, cost: after.cost })
  }
  const lines = change.lines.map((line) => ({ ...line, ...approved.get(line.lineId) }))
  const totals = computeChangeTotals(lines)
  await announceHomePrice(call, place.home, sale.id)
  const scheduleLineId = await addChangeToSchedule(call, { ...change, ...totals })
  const approval = { approvedBy: call.actor, approvedAt: call.now.toISOString() }
  return { lines, ...totals, scheduleLineId, ...approval }
}

export async function declineBuyerChange(call: WriteCall, change: BuyerChange, { reason }: Decision): Promise<Changes> {
  for (const { line, selectionId } of getSelections(change))
    await forLine(line, async () =>
      changeSelectionStatus(call, await lockSelectionWithHome(call, selectionId), { to: 'declined', reason }),
    )
  return {}
}

/** Voids a draft. Declines the selections that were created for the draft. All other selections stay pending. */
export async function voidDraftChange(call: WriteCall, { lines }: BuyerChange, { reason }: Decision): Promise<Changes> {
  await declineCustomSelections(call, lines, reason)
  return { voidedAt: call.now.toISOString() }
}

/** Cancels all selections of an approved change. If one cancellation fails, cancels none. */
export async function voidApprovedChange(
  call: WriteCall,
  place: SelectionPlace,
  sale: Sale,
  change: BuyerChange,
  { reason, overrideReason }: Decision,
): Promise<Changes> {
  for (const { line, selectionId } of (await inOrder(call, change)).reverse())
    await forLine(line, async () => {
      const locked = await lockSelectionWithHome(call, selectionId)
      assertAsApproved(locked, line)
      return changeSelectionStatus(call, locked, { to: 'cancelled', reason, overrideReason })
    })
  await announceHomePrice(call, place.home, sale.id)
  await removeChangeFromSchedule(call, change)
  return { voidedAt: call.now.toISOString(), scheduleLineId: null }
}

function assertAsApproved({ before }: LockedSelection, line: BuyerChangeLine): void {
  if (ACTIVE_STATUSES.includes(before.status) && before.difference === line.price) return
  throw conflict(
    'changed_meanwhile',
    'Cannot void the change: the selection was changed or canceled after the approval. Change or cancel the selection itself instead.',
  )
}

interface OfSelection {
  readonly line: BuyerChangeLine
  readonly selectionId: string
}

function getSelections({ lines }: BuyerChange): OfSelection[] {
  return lines.flatMap((line) =>
    line.optionSelectionId === null ? [] : [{ line, selectionId: line.optionSelectionId }],
  )
}

/** Returns the lines with selections, sorted so that each line follows the lines whose options it requires. */
async function inOrder(call: WriteCall, change: BuyerChange): Promise<OfSelection[]> {
  const left = []
  for (const each of getSelections(change)) {
    const { option } = await lockSelectionWithHome(call, each.selectionId)
    left.push({ each, optionId: option?.id, requires: option?.requiresOptionIds ?? [] })
  }
  const ordered: OfSelection[] = []
  while (left.length > 0) {
    const waiting = new Set(left.map(({ optionId }) => optionId))
    const next = left.findIndex(({ requires }) => !requires.some((id) => waiting.has(id)))
    // Options cannot require each other in a cycle. If they did, the approval of a selection would fail with the
    // reason.
    const [taken] = left.splice(Math.max(next, 0), 1)
    if (taken !== undefined) ordered.push(taken.each)
  }
  return ordered
}

const nameLine = ({ lineId, description }: BuyerChangeLine) => `${lineId} (${description})`

/** Calls `run` for one line. If it throws a problem, adds the name of the line to the problem. */
async function forLine<T>(line: BuyerChangeLine, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new Problem(error.code, `Line ${nameLine(line)}: ${error.message}`, error.extras)
  }
}
