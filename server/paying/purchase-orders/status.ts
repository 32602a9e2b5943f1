import type { Home, PurchaseOrder, PurchaseOrderStatus, PurchaseOrderStatusMove } from '../../../client/contract.gen.ts'
import * as vendors from '../../bidding/vendors/queries.ts'
import { reasonNotToEngage } from '../../bidding/vendors/vendor.ts'
import * as budgetLines from '../../costs/budgets/queries.ts'
import { recordEvent } from '../../events/record.ts'
import { recordStatusChange } from '../../events/status-history.ts'
import type { Call, WriteCall } from '../../http/call.ts'
import { assertMove, invalid, problem } from '../../http/problem.ts'
import * as homes from '../../land/homes/queries.ts'
import { amountText, sum } from '../../values/money.ts'
import { NO_APPROVAL, needsReason, PURCHASE_ORDER_MOVES, reasonNotToOrderFor } from './purchase-order.ts'
import * as orders from './queries.ts'

type Approval = PurchaseOrder['approval']

/**
 * Moves an order. The home's row is locked before the order's, so that two orders approved at the same time cannot both
 * take the last of a budget; an issue also locks the vendor's row, so that two cannot both take the last of its limit.
 */
export async function changeStatus(
  call: WriteCall,
  id: string,
  { status: asked, reason = null }: PurchaseOrderStatusMove,
): Promise<PurchaseOrder> {
  const { homeId } = await orders.find(call, id)
  const home = await homes.lock(call, homeId)
  const order = await orders.lock(call, id)
  assertMove(PURCHASE_ORDER_MOVES, order.status, asked)
  if (needsReason(order.status, asked) && reason === null) {
    throw invalid([{ pointer: '/reason', code: 'required', message: `is required from ${order.status} to ${asked}` }])
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
  if (asked === 'issued') await assertMayIssue(call, order, home)
  return move(call, order, asked, reason, consequences(call, order, asked, reason))
}

/** Voids an order because of a decision elsewhere; the caller has locked the row. */
export function voidOrder(call: WriteCall, order: PurchaseOrder, reason: string): Promise<PurchaseOrder> {
  assertMove(PURCHASE_ORDER_MOVES, order.status, 'void')
  return move(call, order, 'void', reason, {})
}

async function move(
  call: WriteCall,
  before: PurchaseOrder,
  to: PurchaseOrderStatus,
  reason: string | null,
  changes: Partial<Pick<PurchaseOrder, 'approval' | 'issuedAt' | 'acceptedAt' | 'completedAt' | 'closedAt'>>,
): Promise<PurchaseOrder> {
  const after = await orders.update(call, before, { status: to, ...changes })
  await recordStatusChange(call, { id: after.id, from: before.status, to, reason })
  await recordEvent(call, 'po.status_changed', after, before)
  return after
}

/** Why a draft needs somebody else's approval, or a second look. */
async function reasonsForApproval(call: WriteCall, order: PurchaseOrder): Promise<Approval['reasons']> {
  const reasons: Approval['reasons'] = []
  if (call.poApprovalLimit !== null && order.total > call.poApprovalLimit) reasons.push('over_limit')
  if (order.total > 0 && (await isOverBudget(call, order))) reasons.push('over_budget')
  return reasons
}

// If nothing is budgeted at all, there is no budget to exceed; if other trades are budgeted and this one is not, it has
// nothing left.
async function isOverBudget(call: WriteCall, order: PurchaseOrder): Promise<boolean> {
  if (!(await budgetLines.hasLines(call, order.homeId))) return false
  const scopes = await budgetLines.commitmentsOf(call, order.homeId)
  const scope = scopes.find((candidate) => candidate.scope.toLowerCase() === order.scope.toLowerCase())
  return order.total > (scope?.variance ?? 0)
}

function assertMayApprove(call: Call, order: PurchaseOrder): void {
  const { poApprovalLimit } = call
  if (poApprovalLimit === null || order.total <= poApprovalLimit) return
  throw problem(
    'permission_denied',
    `To approve ${amountText(order.total)} takes a poApprovalLimit of as much; yours is ${amountText(poApprovalLimit)}.`,
  )
}

async function assertMayIssue(call: WriteCall, order: PurchaseOrder, home: Home): Promise<void> {
  const vendor = await vendors.lock(call, order.vendorId)
  const reason = reasonNotToOrderFor(home) ?? reasonNotToEngage(vendor)
  if (reason !== null) throw problem('conflict', `${order.number} cannot be issued: ${reason}.`)
  if (vendor.poLimit === null || order.total <= 0) return
  const open = await orders.openWith(call, vendor.id)
  if (sum([open, order.total]) <= vendor.poLimit) return
  throw problem(
    'conflict',
    `${order.number} cannot be issued: with ${amountText(open)} open already it would exceed the poLimit of ${vendor.companyName}, ${amountText(vendor.poLimit)}.`,
  )
}

function approvedBy(call: Call, approval: Approval): Approval {
  return { ...approval, approvedBy: call.actor, approvedAt: call.now.toISOString(), rejectedReason: null }
}

/** The fields that a move sets in addition to the status. */
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
  if (to === 'closed') return { closedAt: now }
  return {}
}
