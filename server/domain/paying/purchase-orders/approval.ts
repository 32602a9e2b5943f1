import type { ApprovalExplanation, PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import { subtract } from '../../../platform/values/money.ts'
import * as budgetLines from '../../costs/budgets/queries.ts'
import { PENDING_STATUSES } from '../../statuses/order-statuses.ts'
import { findApprovers } from './approver-queries.ts'
import * as orders from './queries.ts'

type OrderApproval = PurchaseOrder['approval']

/** Returns whether the order's total is within the caller's approval limit. */
export function isWithinApprovalLimit({ poApprovalLimit }: Call, { total }: Pick<PurchaseOrder, 'total'>): boolean {
  return poApprovalLimit === null || total <= poApprovalLimit
}

/** Returns the reasons why a draft requires approval by another user or a second review. */
export async function findApprovalReasons(call: Call, order: PurchaseOrder): Promise<OrderApproval['reasons']> {
  return listApprovalReasons(call, order, await findBudgetLeft(call, order))
}

function listApprovalReasons(call: Call, order: PurchaseOrder, budgetLeft: number | null): OrderApproval['reasons'] {
  const reasons: OrderApproval['reasons'] = []
  if (!isWithinApprovalLimit(call, order)) reasons.push('over_limit')
  if (computeOverBudget(order, budgetLeft) > 0) reasons.push('over_budget')
  return reasons
}

function computeOverBudget({ total }: PurchaseOrder, budgetLeft: number | null): number {
  return budgetLeft === null || total <= 0 ? 0 : Math.max(subtract(total, budgetLeft), 0)
}

// If a home has no budget, no limit applies. If the budget contains only other trades, this trade has no budget left.
async function findBudgetLeft(call: Call, order: PurchaseOrder): Promise<number | null> {
  if (!(await budgetLines.hasBudgetLines(call, order.homeId))) return null
  const scopes = await budgetLines.findCommitments(call, order.homeId)
  const scope = scopes.find((candidate) => candidate.scope.toLowerCase() === order.scope.toLowerCase())
  return scope?.variance ?? 0
}

/** Returns the facts that determine who can approve an order. Throws if the order is already approved. */
export async function explainApproval(call: Call, id: string): Promise<ApprovalExplanation> {
  const order = await orders.find(call, id)
  const { number, status, total, currency, scope } = order
  if (!PENDING_STATUSES.includes(status))
    throw conflict(
      'wrong_status',
      `Cannot explain the approval of ${number}: the order is ${describeStatus(status)}. Only the approval of a draft or of an order that is pending approval can be explained.`,
    )
  const budgetLeft = await findBudgetLeft(call, order)
  return {
    ...{ poId: id, status, asOf: call.now.toISOString(), total, currency, limit: call.poApprovalLimit },
    mayApprove: isWithinApprovalLimit(call, order) && call.permissions.has('pos:write'),
    reasons: listApprovalReasons(call, order, budgetLeft),
    ...{ scope, budgetLeft, overBudgetBy: computeOverBudget(order, budgetLeft) },
    approvers: await findApprovers(call, total),
  }
}
