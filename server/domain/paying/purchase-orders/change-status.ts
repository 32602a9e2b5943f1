import { isDeepStrictEqual } from 'node:util'
import type {
  Home,
  PurchaseOrder,
  PurchaseOrderStatus,
  PurchaseOrderStatusMove,
} from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { assertVersionSeen } from '../../../platform/calls/etag.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict, problem, validationFailed } from '../../../platform/problems/problem.ts'
import { formatAmount } from '../../../platform/values/format.ts'
import { sum } from '../../../platform/values/money.ts'
import * as homes from '../../land/homes/queries.ts'
import * as selections from '../../selling/selections/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { findEngagementObstacle, type Obstacle } from '../../vendors/vendors/vendor.ts'
import { findApprovalReasons, isWithinApprovalLimit } from './approval.ts'
import { hasPayments } from './payment-queries.ts'
import { postCommitment, postProgress } from './post-order.ts'
import { assertPaidWorkKept, isPaidInFull, type OrderProgress, progressAtPercent } from './progress.ts'
import { explainNotOrderable, NO_APPROVAL, PURCHASE_ORDER_MOVES, requiresReason } from './purchase-order.ts'
import * as orders from './queries.ts'

type OrderApproval = PurchaseOrder['approval']

/**
 * Changes the status of an order. The home's row is locked before the order's, so that two concurrent approvals cannot
 * both use the last of a budget. Issuing also locks the vendor's row, so that two cannot both use the last of its
 * limit.
 */
export async function changeStatus(
  call: WriteCall,
  id: string,
  { status: requested, reason = null, version }: PurchaseOrderStatusMove,
): Promise<PurchaseOrder> {
  const { homeId } = await orders.find(call, id)
  const home = await homes.lock(call, homeId)
  const order = await orders.lock(call, id)
  assertVersionSeen(version, order)
  assertTransition(PURCHASE_ORDER_MOVES, order.status, requested)
  if (requiresReason(order.status, requested) && reason === null) {
    throw validationFailed([
      {
        pointer: '/reason',
        code: 'required',
        message: `is required to change the status from ${order.status} to ${requested}`,
      },
    ])
  }
  if (order.status === 'draft' && requested !== 'void') {
    const reasons = await findApprovalReasons(call, order)
    const to = requested === 'approved' && reasons.length === 0 ? 'approved' : 'pending_approval'
    return moveOrder(call, order, to, reason, {
      approval: {
        ...(to === 'approved' ? applyApproval(call, NO_APPROVAL) : { ...order.approval, required: true }),
        reasons,
        limit: call.poApprovalLimit,
      },
    })
  }
  if (requested === 'approved') assertCanApprove(call, order)
  if (requested === 'closed' || requested === 'void') await assertNoPayments(call, order, requested)
  if (requested === 'issued') await assertCanIssue(call, order, home)
  const progress = progressForStatus(order, requested)
  if (progress !== null) return storeProgressAndMove(call, order, progress, requested, reason)
  return moveOrder(call, order, requested, reason, fieldsForStatus(call, order, requested, reason))
}

/**
 * Returns the progress that a manual status change implies: all work is completed, or none. Null if it implies nothing.
 */
function progressForStatus(order: PurchaseOrder, to: PurchaseOrderStatus): OrderProgress | null {
  if (to === 'completed') return progressAtPercent(order, 100)
  const isUndone = order.status === 'completed' && to === 'partially_completed'
  if (!isUndone && to !== 'void') return null
  const progress = progressAtPercent(order, 0)
  assertPaidWorkKept(order, progress)
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
  assertTransition(PURCHASE_ORDER_MOVES, order.status, 'void')
  await assertNoPayments(call, order, 'void')
  const progress = progressForStatus(order, 'void')
  return progress === null
    ? moveOrder(call, order, 'void', reason, {})
    : storeProgressAndMove(call, order, progress, 'void', reason)
}

/** Accepts a locked, issued order on behalf of its vendor. */
export function acceptOrder(call: WriteCall, order: PurchaseOrder, reason: string | null): Promise<PurchaseOrder> {
  return moveOrder(call, order, 'accepted', reason, fieldsForStatus(call, order, 'accepted', reason))
}

/** Writes the progress of a locked order and the resulting status. `on` is the day of the work; defaults to today. */
export async function storeProgressAndMove(
  call: WriteCall,
  order: PurchaseOrder,
  { lines, completedAmount, retainedAmount }: OrderProgress,
  to: PurchaseOrderStatus,
  reason: string | null,
  on: string | null = null,
): Promise<PurchaseOrder> {
  const isChanged = !isDeepStrictEqual(lines, order.lines)
  if (isChanged) {
    await orders.storeProgress(call, order.id, lines)
    await postProgress(call, order, lines, on)
  }
  const amounts = { completedAmount, retainedAmount }
  if (to !== order.status) {
    const moved = await moveOrder(call, order, to, reason, { ...fieldsForStatus(call, order, to, reason), ...amounts })
    // Work that was paid in advance is settled once it is completed.
    return to === 'completed' && isPaidInFull(moved)
      ? closeOrder(call, moved, 'The order was already paid in full.')
      : moved
  }
  const after = await orders.update(call, order, amounts)
  return isChanged && after.version === order.version ? orders.bumpVersion(call, order.id) : after
}

/** Closes a locked order that its payments cover. */
export function closeOrder(
  call: WriteCall,
  order: PurchaseOrder,
  reason: string,
  amounts: Partial<OrderAmounts> = {},
): Promise<PurchaseOrder> {
  return moveOrder(call, order, 'closed', reason, { ...amounts, closedAt: call.now.toISOString(), retainedAmount: 0 })
}

/** Reopens a locked order that its payments no longer cover. */
export function reopenOrder(
  call: WriteCall,
  order: PurchaseOrder,
  reason: string,
  amounts: Partial<OrderAmounts>,
): Promise<PurchaseOrder> {
  return moveOrder(call, order, 'completed', reason, { ...amounts, closedAt: null })
}

type OrderAmounts = Pick<
  PurchaseOrder,
  'completedAmount' | 'retainedAmount' | 'releasedAmount' | 'paidAmount' | 'reservedAmount'
>

async function moveOrder(
  call: WriteCall,
  before: PurchaseOrder,
  to: PurchaseOrderStatus,
  reason: string | null,
  changes: Partial<
    Pick<PurchaseOrder, 'approval' | 'issuedAt' | 'acceptedAt' | 'completedAt' | 'closedAt'> & OrderAmounts
  >,
): Promise<PurchaseOrder> {
  const after = await orders.update(call, before, { status: to, ...changes })
  await recordStatusChange(call, { id: after.id, from: before.status, to, reason })
  await recordEvent(call, 'po.status_changed', after, before)
  await postCommitment(call, before, after)
  if (to === 'void') await revertSelection(call, after)
  return after
}

/**
 * Returns a selection without any other order to approved. Its row is locked before the check, so that an order being
 * voided concurrently does not count.
 */
async function revertSelection(call: WriteCall, { number, optionSelectionId: id }: PurchaseOrder): Promise<void> {
  if (id === null) return
  const selection = await selections.lock(call, id)
  if (selection.status !== 'ordered' || (await selections.isSelectionOrdered(call, id))) return
  const { status } = await selections.update(call, selection, { status: 'approved' })
  await recordStatusChange(call, { id, from: selection.status, to: status, reason: `${number} was voided.` })
}

function assertCanApprove(call: Call, order: PurchaseOrder): void {
  const { poApprovalLimit } = call
  if (poApprovalLimit === null || isWithinApprovalLimit(call, order)) return
  const amount = (value: number) => formatAmount(value, order.currency)
  throw problem(
    'permission_denied',
    `Your approval limit is ${amount(poApprovalLimit)}. ${order.number} totals ${amount(order.total)}; ask a user with a higher limit.`,
  )
}

async function assertCanIssue(call: WriteCall, order: PurchaseOrder, home: Home): Promise<void> {
  const vendor = await vendors.lock(call, order.vendorId)
  // Backcharges are issued even if the vendor cannot be given more work.
  if (order.poType === 'backcharge') return
  const reason = explainNotOrderable(home)
  const obstacle: Obstacle | null =
    reason === null ? findEngagementObstacle(vendor) : { code: 'home_not_open', message: reason }
  if (obstacle !== null) throw conflict(obstacle.code, `Cannot issue ${order.number}. ${obstacle.message}`)
  if (vendor.poLimit === null || order.total <= 0) return
  const open = await orders.sumOpenWithVendor(call, vendor.id)
  if (sum([open, order.total]) <= vendor.poLimit) return
  const amount = (value: number) => formatAmount(value, order.currency)
  throw conflict(
    'po_limit_exceeded',
    `Cannot issue ${order.number}: ${vendor.companyName} already has ${amount(open)} of open orders, and its limit is ${amount(vendor.poLimit)}.`,
  )
}

function applyApproval(call: Call, approval: OrderApproval): OrderApproval {
  return { ...approval, approvedBy: call.actor, approvedAt: call.now.toISOString(), rejectedReason: null }
}

/** Returns the fields that a status change sets in addition to the status. */
function fieldsForStatus(call: Call, order: PurchaseOrder, to: PurchaseOrderStatus, reason: string | null) {
  const now = call.now.toISOString()
  if (to === 'approved') return { approval: applyApproval(call, order.approval) }
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
