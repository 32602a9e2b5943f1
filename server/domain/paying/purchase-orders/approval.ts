import type { ApprovalExplanation, PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import { minus } from '../../../platform/values/money.ts'
import * as budgetLines from '../../costs/budgets/queries.ts'
import { PENDING } from '../../statuses/order-statuses.ts'
import { approversOf } from './approver-queries.ts'
import * as orders from './queries.ts'

type Approval = PurchaseOrder['approval']

/** Returns whether the caller's limit covers the total. */
export function isWithinLimit({ poApprovalLimit }: Call, { total }: Pick<PurchaseOrder, 'total'>): boolean {
  return poApprovalLimit === null || total <= poApprovalLimit
}

/** Returns why a draft requires another user's approval, or a second look. */
export async function reasonsForApproval(call: Call, order: PurchaseOrder): Promise<Approval['reasons']> {
  return reasonsOf(call, order, await budgetLeftFor(call, order))
}

function reasonsOf(call: Call, order: PurchaseOrder, budgetLeft: number | null): Approval['reasons'] {
  const reasons: Approval['reasons'] = []
  if (!isWithinLimit(call, order)) reasons.push('over_limit')
  if (overBudgetBy(order, budgetLeft) > 0) reasons.push('over_budget')
  return reasons
}

function overBudgetBy({ total }: PurchaseOrder, budgetLeft: number | null): number {
  return budgetLeft === null || total <= 0 ? 0 : Math.max(minus(total, budgetLeft), 0)
}

// A home without a budget has no limit to exceed. If only other trades are budgeted, this one has nothing
// left.
async function budgetLeftFor(call: Call, order: PurchaseOrder): Promise<number | null> {
  if (!(await budgetLines.hasLines(call, order.homeId))) return null
  const scopes = await budgetLines.commitmentsOf(call, order.homeId)
  const scope = scopes.find((candidate) => candidate.scope.toLowerCase() === order.scope.toLowerCase())
  return scope?.variance ?? 0
}

/** Returns what the approval of an order depends on. The order must not be approved yet. */
export async function explainApproval(call: Call, id: string): Promise<ApprovalExplanation> {
  const order = await orders.find(call, id)
  const { number, status, total, currency, scope } = order
  if (!PENDING.includes(status))
    throw conflict('wrong_status', `${number} is ${describeStatus(status)}. Its approval has already been decided.`)
  const budgetLeft = await budgetLeftFor(call, order)
  return {
    ...{ purchaseOrderId: id, status, asOf: call.now.toISOString(), total, currency, limit: call.poApprovalLimit },
    mayApprove: isWithinLimit(call, order) && call.permissions.has('pos:write'),
    reasons: reasonsOf(call, order, budgetLeft),
    ...{ scope, budgetLeft, overBudgetBy: overBudgetBy(order, budgetLeft) },
    approvers: await approversOf(call, total),
  }
}
