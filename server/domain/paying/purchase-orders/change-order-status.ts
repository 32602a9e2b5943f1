import { isDeepStrictEqual } from 'node:util'
import type {
  Home,
  PurchaseOrder,
  PurchaseOrderStatus,
  PurchaseOrderStatusMove,
} from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { assertVersionSeen } from '../../../platform/calls/etag.ts'
import { assertTransition, conflict, problem, validationFailed } from '../../../platform/problems/problem.ts'
import { formatAmount } from '../../../platform/values/format.ts'
import { sum } from '../../../platform/values/money.ts'
import { findDrawingsForOrder } from '../../land/drawings/queries.ts'
import * as homes from '../../land/homes/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { findEngagementObstacle, type Obstacle } from '../../vendors/vendors/vendor.ts'
import { hasBills, hasPayments } from './amount-queries.ts'
import { findApprovalReasons, isWithinApprovalLimit } from './approval.ts'
import { billProgress, type ProgressBilling } from './bill-progress.ts'
import { moveOrder } from './move-order.ts'
import { postExternalPayment, postProgress } from './post-order.ts'
import { clearProgress, computeProgressAtPercent, type OrderProgress } from './progress.ts'
import { explainWhyHomeAcceptsNoOrders, isReasonRequired, NO_APPROVAL, PURCHASE_ORDER_MOVES } from './purchase-order.ts'
import * as orders from './queries.ts'
import { closeFullyPaidOrders, updateOrderAmounts } from './update-orders-after-payment.ts'
import { getLockedOrder, getSignOfWhole, getTotalOfWhole, getWhole, lockWhole, sumOverWhole } from './whole.ts'

type OrderApproval = PurchaseOrder['approval']

/**
 * Changes the status of an order. Locks the home's row before the order's row, so that two concurrent approvals cannot
 * both use the rest of a budget. If the order is issued, also locks the vendor's row, so that two orders cannot both
 * use the rest of the vendor's limit.
 */
export async function changeOrderStatus(
  call: WriteCall,
  id: string,
  { status: requested, reason = null, version }: PurchaseOrderStatusMove,
): Promise<PurchaseOrder> {
  const { homeId } = await orders.find(call, id)
  const home = await homes.lock(call, homeId)
  const locked = await lockWhole(call, id)
  const order = getLockedOrder(locked, id)
  assertVersionSeen(version, order)
  assertTransition(PURCHASE_ORDER_MOVES, order.status, requested)
  if (isReasonRequired(order.status, requested) && reason === null) {
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
    if (to === 'approved') assertDeductible(locked, order)
    return moveOrder(call, order, to, reason, {
      approval: {
        ...(to === 'approved' ? applyApproval(call, NO_APPROVAL) : { ...order.approval, required: true }),
        reasons,
        limit: call.poApprovalLimit,
      },
    })
  }
  if (requested === 'approved') {
    assertCanApprove(call, order)
    assertDeductible(locked, order)
  }
  if (requested === 'issued') await assertCanIssue(call, order, home)
  if (requested === 'void') return voidWhole(call, locked, order, reason)
  if (requested === 'closed') return closeByHand(call, locked, order, reason)
  if (requested === 'completed')
    return storeProgressAndStatus(call, locked, order, computeProgressAtPercent(order, 100), { to: requested, reason })
  if (order.status === 'completed' && requested === 'partially_completed')
    return storeProgressAndStatus(call, locked, order, computeProgressAtPercent(order, 0), { to: requested, reason })
  // Stores the current drawings with the issued order, because the vendor agrees to build according to these drawings.
  const drawings = requested === 'issued' ? { drawings: await findDrawingsForOrder(call, order) } : {}
  const fields = { ...fieldsForStatus(call, order, requested, reason), ...drawings }
  return moveOrder(call, order, requested, reason, fields)
}

/** Throws if a deduction would reduce the total of an order below its billed or paid amount. */
export function assertDeductible(locked: readonly PurchaseOrder[], order: PurchaseOrder): void {
  if (order.rootPoId === null || order.total >= 0) return
  const whole = getWhole(locked, order.id)
  const sign = getSignOfWhole(whole)
  const total = sum([getTotalOfWhole(whole), order.total])
  const money = (value: number) => formatAmount(value, order.currency)
  const billed = sumOverWhole(whole, ({ billedAmount }) => billedAmount)
  const { number } = whole.root
  if (sign * billed > sign * total)
    throw conflict(
      'not_enough_left',
      `Cannot approve ${order.number}: ${money(billed)} of ${number} is billed, which exceeds its new total of ${money(total)}. Enter a credit memo with createBill first.`,
    )
  const provided = sumOverWhole(whole, (one) => sum([one.paidAmount, one.reservedAmount, one.releasingAmount]))
  if (sign * provided > sign * total)
    throw conflict(
      'not_enough_left',
      `Cannot approve ${order.number}: ${money(provided)} of ${number} is included in payments, which exceeds its new total of ${money(total)}. Void a payment or record a refund first.`,
    )
}

/** Voids a locked order because of another change, such as a revoked award. */
export async function voidOrder(call: WriteCall, { id }: PurchaseOrder, reason: string): Promise<PurchaseOrder> {
  const locked = await lockWhole(call, id)
  const order = getLockedOrder(locked, id)
  assertTransition(PURCHASE_ORDER_MOVES, order.status, 'void')
  return voidWhole(call, locked, order, reason)
}

/**
 * Voids an order and its change orders, and reverses their progress and the bills that the progress created. Throws if
 * an order has other bills or payments that are neither rejected nor void.
 */
async function voidWhole(
  call: WriteCall,
  locked: readonly PurchaseOrder[],
  order: PurchaseOrder,
  reason: string | null,
): Promise<PurchaseOrder> {
  const voided = order.rootPoId === null ? getWhole(locked, order.id).members : [order]
  const living = voided.filter(({ status }) => status !== 'void')
  const ids = living.map(({ id }) => id)
  if (await hasPayments(call, ids))
    throw conflict('in_use', `Cannot void ${order.number}: it has payments. Void the payments first.`)
  for (const one of living) await writeProgress(call, one, clearProgress(one))
  const after = await billProgress(call, locked, order.id)
  if (await hasBills(call, ids))
    throw conflict('in_use', `Cannot void ${order.number}: it has bills. Void the bills first.`)
  for (const id of ids) {
    const why = id === order.id ? reason : `${order.number} was voided.`
    await moveOrder(call, getLockedOrder(after, id), 'void', why, {})
  }
  return orders.find(call, order.id)
}

/**
 * Closes an order that was paid outside Plumbline, including its retainage. The last payment in Plumbline closes all
 * other orders.
 */
async function closeByHand(
  call: WriteCall,
  locked: readonly PurchaseOrder[],
  order: PurchaseOrder,
  reason: string | null,
): Promise<PurchaseOrder> {
  if (await hasPayments(call, [order.id]))
    throw conflict('wrong_status', `Cannot close ${order.number}: it has payments. The last payment closes the order.`)
  await moveOrder(call, order, 'closed', reason, fieldsForStatus(call, order, 'closed', reason))
  await orders.storeExternallyPaidAmount(call, order.id, sum([order.completedAmount, order.storedAmount]))
  await postExternalPayment(call, order)
  await updateOrderAmounts(
    call,
    await orders.findAll(
      call,
      locked.map(({ id }) => id),
    ),
  )
  return orders.find(call, order.id)
}

/**
 * Stores the progress of a locked order and the resulting status, and bills the progress. If the order was paid in
 * advance and is now completed, closes the order.
 */
export async function storeProgressAndStatus(
  call: WriteCall,
  locked: readonly PurchaseOrder[] | null,
  order: PurchaseOrder,
  progress: OrderProgress,
  { to, reason, ...billing }: { to: PurchaseOrderStatus; reason: string | null } & ProgressBilling,
): Promise<PurchaseOrder> {
  const { on } = billing
  await writeProgress(call, order, progress, on)
  // If `locked` is null, the progress comes from a bill, which already bills the change.
  const after =
    locked === null ? [await orders.find(call, order.id)] : await billProgress(call, locked, order.id, billing)
  const billed = getLockedOrder(after, order.id)
  if (to === billed.status) return billed
  const moved = await moveOrder(call, billed, to, reason, fieldsForStatus(call, order, to, reason))
  if (to === 'completed' && locked !== null) {
    const all = after.map((one) => (one.id === moved.id ? moved : one))
    await closeFullyPaidOrders(call, all, 'The order was already paid in full.')
  }
  return orders.find(call, order.id)
}

async function writeProgress(
  call: WriteCall,
  order: PurchaseOrder,
  progress: OrderProgress,
  on?: string | undefined,
): Promise<void> {
  const { lines, completedAmount, storedAmount } = progress
  const isChanged = !isDeepStrictEqual(lines, order.lines)
  if (isChanged) {
    await orders.storeProgress(call, order.id, lines)
    await postProgress(call, order, progress, on)
  }
  const after = await orders.update(call, order, { completedAmount, storedAmount })
  if (isChanged && after.version === order.version) await orders.bumpVersion(call, order.id)
}

/** Throws `permission_denied` if the order exceeds the caller's approval limit. */
export function assertCanApprove(call: Call, order: PurchaseOrder): void {
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
  // A backcharge can be issued even if the vendor must not receive more work.
  if (order.poType === 'backcharge') return
  const reason = explainWhyHomeAcceptsNoOrders(home)
  const obstacle: Obstacle | null =
    reason === null ? findEngagementObstacle(vendor) : { code: 'home_not_open', message: reason }
  if (obstacle !== null) throw conflict(obstacle.code, `Cannot issue ${order.number}. ${obstacle.message}`)
  if (vendor.poLimit === null || order.total <= 0) return
  const open = await orders.sumOpenOrders(call, vendor.id)
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

/** Returns the fields that change together with the status. */
function fieldsForStatus(call: Call, order: PurchaseOrder, to: PurchaseOrderStatus, reason: string | null) {
  const now = call.now.toISOString()
  if (to === 'approved') return { approval: applyApproval(call, order.approval) }
  if (to === 'draft' && order.status === 'pending_approval')
    return { approval: { ...NO_APPROVAL, rejectedReason: reason } }
  if (to === 'draft') return { approval: NO_APPROVAL, issuedAt: null, drawings: [] }
  if (to === 'issued') return { issuedAt: now }
  if (to === 'accepted') return { acceptedAt: now }
  if (to === 'completed') return { completedAt: now }
  if (to === 'partially_completed') return { completedAt: null }
  // Closing an order manually means that all amounts, including the retainage, were paid outside Plumbline.
  if (to === 'closed')
    return { closedAt: now, paidAmount: sum([order.completedAmount, order.storedAmount]), retainedAmount: 0 }
  return {}
}
