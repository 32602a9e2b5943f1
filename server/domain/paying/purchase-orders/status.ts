import { isDeepStrictEqual } from 'node:util'
import type {
  Home,
  PurchaseOrder,
  PurchaseOrderStatus,
  PurchaseOrderStatusMove,
} from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { assertVersionSeen } from '../../../platform/calls/etag.ts'
import { recordEvent } from '../../../platform/events/record.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertMove, conflict, invalid, problem } from '../../../platform/problems/problem.ts'
import { formatAmount } from '../../../platform/values/format.ts'
import { sum } from '../../../platform/values/money.ts'
import * as homes from '../../land/homes/queries.ts'
import * as selections from '../../selling/selections/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { type Obstacle, obstacleToEngage } from '../../vendors/vendors/vendor.ts'
import { isWithinLimit, reasonsForApproval } from './approval.ts'
import { hasPayments } from './payment-queries.ts'
import { postCommitment, postProgress } from './post-order.ts'
import { assertPaidStaysDone, atPercent, isPaidInFull, type Progress } from './progress.ts'
import { NO_APPROVAL, needsReason, PURCHASE_ORDER_MOVES, reasonNotToOrderFor } from './purchase-order.ts'
import * as orders from './queries.ts'

type Approval = PurchaseOrder['approval']

/**
 * Changes the status of an order. The home's row is locked before the order's, so that two concurrent approvals cannot
 * both use the last of a budget. Issuing also locks the vendor's row, so that two cannot both use the last of its
 * limit.
 */
export async function changeStatus(
  call: WriteCall,
  id: string,
  { status: asked, reason = null, version }: PurchaseOrderStatusMove,
): Promise<PurchaseOrder> {
  const { homeId } = await orders.find(call, id)
  const home = await homes.lock(call, homeId)
  const order = await orders.lock(call, id)
  assertVersionSeen(version, order)
  assertMove(PURCHASE_ORDER_MOVES, order.status, asked)
  if (needsReason(order.status, asked) && reason === null) {
    throw invalid([
      {
        pointer: '/reason',
        code: 'required',
        message: `is required to change the status from ${order.status} to ${asked}`,
      },
    ])
  }
  if (order.status === 'draft' && asked !== 'void') {
    const reasons = await reasonsForApproval(call, order)
    const to = asked === 'approved' && reasons.length === 0 ? 'approved' : 'pending_approval'
    return move(call, order, to, reason, {
      approval: {
        ...(to === 'approved' ? approvedBy(call, NO_APPROVAL) : { ...order.approval, required: true }),
        reasons,
        limit: call.poApprovalLimit,
      },
    })
  }
  if (asked === 'approved') assertMayApprove(call, order)
  if (asked === 'closed' || asked === 'void') await assertNoPayments(call, order, asked)
  if (asked === 'issued') await assertMayIssue(call, order, home)
  const progress = progressAfter(order, asked)
  if (progress !== null) return keepProgress(call, order, progress, asked, reason)
  return move(call, order, asked, reason, consequences(call, order, asked, reason))
}

/**
 * Returns the progress that a manual status change implies: all work is completed, or none. Null if it implies nothing.
 */
function progressAfter(order: PurchaseOrder, to: PurchaseOrderStatus): Progress | null {
  if (to === 'completed') return atPercent(order, 100)
  const isUndone = order.status === 'completed' && to === 'partially_completed'
  if (!isUndone && to !== 'void') return null
  const progress = atPercent(order, 0)
  assertPaidStaysDone(order, progress)
  return progress
}

/**
 * Throws if the order has active payments. An order that is paid here is closed by its last payment; closing it
 * manually says that it was paid elsewhere. An order with payments that were not voided cannot be voided, even if no
 * work is completed.
 */
async function assertNoPayments(call: WriteCall, { id, number }: PurchaseOrder, to: 'closed' | 'void'): Promise<void> {
  if (!(await hasPayments(call, id))) return
  const detail =
    to === 'void'
      ? `Cannot void ${number}: it has payments. Void the payments first.`
      : `Cannot close ${number}: it has payments. The last payment closes the order.`
  throw conflict('wrong_status', detail)
}

/** Voids a locked order because of a decision elsewhere. */
export async function voidOrder(call: WriteCall, order: PurchaseOrder, reason: string): Promise<PurchaseOrder> {
  assertMove(PURCHASE_ORDER_MOVES, order.status, 'void')
  await assertNoPayments(call, order, 'void')
  const progress = progressAfter(order, 'void')
  return progress === null ? move(call, order, 'void', reason, {}) : keepProgress(call, order, progress, 'void', reason)
}

/** Accepts a locked, issued order on behalf of its vendor. */
export function accept(call: WriteCall, order: PurchaseOrder, reason: string | null): Promise<PurchaseOrder> {
  return move(call, order, 'accepted', reason, consequences(call, order, 'accepted', reason))
}

/** Writes the progress of a locked order and the resulting status. `on` is the day of the work; defaults to today. */
export async function keepProgress(
  call: WriteCall,
  order: PurchaseOrder,
  { lines, completedAmount, retainedAmount }: Progress,
  to: PurchaseOrderStatus,
  reason: string | null,
  on: string | null = null,
): Promise<PurchaseOrder> {
  const isChanged = !isDeepStrictEqual(lines, order.lines)
  if (isChanged) {
    await orders.writeProgress(call, order.id, lines)
    await postProgress(call, order, lines, on)
  }
  const amounts = { completedAmount, retainedAmount }
  if (to !== order.status) {
    const moved = await move(call, order, to, reason, { ...consequences(call, order, to, reason), ...amounts })
    // Work that was paid in advance is settled once it is completed.
    return to === 'completed' && isPaidInFull(moved) ? close(call, moved, 'The order was already paid in full.') : moved
  }
  const after = await orders.update(call, order, amounts)
  return isChanged && after.version === order.version ? orders.touch(call, order.id) : after
}

/** Closes a locked order that its payments cover. */
export function close(
  call: WriteCall,
  order: PurchaseOrder,
  reason: string,
  amounts: Partial<Amounts> = {},
): Promise<PurchaseOrder> {
  return move(call, order, 'closed', reason, { ...amounts, closedAt: call.now.toISOString(), retainedAmount: 0 })
}

/** Reopens a locked order that its payments no longer cover. */
export function reopen(
  call: WriteCall,
  order: PurchaseOrder,
  reason: string,
  amounts: Partial<Amounts>,
): Promise<PurchaseOrder> {
  return move(call, order, 'completed', reason, { ...amounts, closedAt: null })
}

type Amounts = Pick<
  PurchaseOrder,
  'completedAmount' | 'retainedAmount' | 'releasedAmount' | 'paidAmount' | 'reservedAmount'
>

async function move(
  call: WriteCall,
  before: PurchaseOrder,
  to: PurchaseOrderStatus,
  reason: string | null,
  changes: Partial<Pick<PurchaseOrder, 'approval' | 'issuedAt' | 'acceptedAt' | 'completedAt' | 'closedAt'> & Amounts>,
): Promise<PurchaseOrder> {
  const after = await orders.update(call, before, { status: to, ...changes })
  await recordStatusChange(call, { id: after.id, from: before.status, to, reason })
  await recordEvent(call, 'po.status_changed', after, before)
  await postCommitment(call, before, after)
  if (to === 'void') await takeSelectionBack(call, after)
  return after
}

/**
 * Returns a selection without any other order to approved. Its row is locked before the check, so that an order being
 * voided concurrently does not count.
 */
async function takeSelectionBack(call: WriteCall, { number, optionSelectionId: id }: PurchaseOrder): Promise<void> {
  if (id === null) return
  const selection = await selections.lock(call, id)
  if (selection.status !== 'ordered' || (await selections.isOrdered(call, id))) return
  const { status } = await selections.update(call, selection, { status: 'approved' })
  await recordStatusChange(call, { id, from: selection.status, to: status, reason: `${number} was voided.` })
}

function assertMayApprove(call: Call, order: PurchaseOrder): void {
  const { poApprovalLimit } = call
  if (poApprovalLimit === null || isWithinLimit(call, order)) return
  const amount = (value: number) => formatAmount(value, order.currency)
  throw problem(
    'permission_denied',
    `Your approval limit is ${amount(poApprovalLimit)}. ${order.number} totals ${amount(order.total)}; ask a user with a higher limit.`,
  )
}

async function assertMayIssue(call: WriteCall, order: PurchaseOrder, home: Home): Promise<void> {
  const vendor = await vendors.lock(call, order.vendorId)
  // Backcharges are issued even if the vendor cannot be given more work.
  if (order.poType === 'backcharge') return
  const reason = reasonNotToOrderFor(home)
  const obstacle: Obstacle | null =
    reason === null ? obstacleToEngage(vendor) : { code: 'home_not_open', message: reason }
  if (obstacle !== null) throw conflict(obstacle.code, `Cannot issue ${order.number}. ${obstacle.message}`)
  if (vendor.poLimit === null || order.total <= 0) return
  const open = await orders.openWith(call, vendor.id)
  if (sum([open, order.total]) <= vendor.poLimit) return
  const amount = (value: number) => formatAmount(value, order.currency)
  throw conflict(
    'po_limit_exceeded',
    `Cannot issue ${order.number}: ${vendor.companyName} already has ${amount(open)} of open orders, and its limit is ${amount(vendor.poLimit)}.`,
  )
}

function approvedBy(call: Call, approval: Approval): Approval {
  return { ...approval, approvedBy: call.actor, approvedAt: call.now.toISOString(), rejectedReason: null }
}

/** Returns the fields that a status change sets in addition to the status. */
function consequences(call: Call, order: PurchaseOrder, to: PurchaseOrderStatus, reason: string | null) {
  const now = call.now.toISOString()
  if (to === 'approved') return { approval: approvedBy(call, order.approval) }
  if (to === 'draft' && order.status === 'pending_approval')
    return { approval: { ...NO_APPROVAL, rejectedReason: reason } }
  if (to === 'draft') return { approval: NO_APPROVAL, issuedAt: null }
  if (to === 'issued') return { issuedAt: now }
  if (to === 'accepted') return { acceptedAt: now }
  if (to === 'completed') return { completedAt: now }
  if (to === 'partially_completed') return { completedAt: null }
  // Closing manually says that everything was paid elsewhere, including the retainage.
  if (to === 'closed') return { closedAt: now, paidAmount: order.completedAmount, retainedAmount: 0 }
  return {}
}
