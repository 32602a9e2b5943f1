import type { CreateVariancePoResult, PurchaseOrder, TradeBudget } from '../../../../client/contract.gen.ts'
import * as budgetLines from '../../../domain/costs/budgets/queries.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'

type VariancePoInput = Checked['CreateVariancePoInput']

export async function createVariancePo(input: VariancePoInput, call: Call): Promise<CreateVariancePoResult> {
  const { lines, reasonCode, responsible, notes } = input
  const of = await findOrderPlace(call, input)
  const budgetBefore = await findTradeBudget(call, of)
  const why = { varianceReasonCode: reasonCode, varianceResponsible: responsible }
  const draft = await call.operation('createPurchaseOrder', {
    ...{ ...of, ...why, poType: 'variance', lines },
    ...(notes !== undefined && { notes }),
  })
  const purchaseOrder = await call.operation('changePurchaseOrderStatus', {
    ...{ poId: draft.id, status: 'approved' },
  })
  const isApproved = purchaseOrder.status === 'approved'
  const approvers = isApproved
    ? []
    : (await call.operation('explainPurchaseOrderApproval', { poId: draft.id })).approvers
  const { reasons } = purchaseOrder.approval
  return { purchaseOrder, isApproved, reasons, approvers, budgetBefore, budgetAfter: await findTradeBudget(call, of) }
}

interface OrderPlace extends Pick<PurchaseOrder, 'homeId' | 'vendorId' | 'scope'> {
  parentPoId?: string
}

/**
 * Returns the home, vendor, and trade for the variance order. The values come from the original order, unless the input
 * names another vendor or trade.
 */
async function findOrderPlace(call: Call, { poId, homeId, vendorId, scope }: VariancePoInput): Promise<OrderPlace> {
  if (poId !== undefined) {
    const parent = await call.operation('getPurchaseOrder', { poId })
    if (homeId !== undefined && homeId !== parent.homeId)
      throw validationFailed([{ pointer: '/homeId', code: 'other_home', message: 'must be the home of the order' }])
    return {
      homeId: parent.homeId,
      vendorId: vendorId ?? parent.vendorId,
      scope: scope ?? parent.scope,
      parentPoId: poId,
    }
  }
  const missing = Object.entries({ homeId, vendorId, scope }).filter(([, value]) => value === undefined)
  if (homeId !== undefined && vendorId !== undefined && scope !== undefined) return { homeId, vendorId, scope }
  throw validationFailed(
    missing.map(([field]) => ({ pointer: `/${field}`, code: 'required', message: 'is required unless poId is set' })),
  )
}

async function findTradeBudget(call: Call, { homeId, scope }: OrderPlace): Promise<TradeBudget> {
  const scopes = await budgetLines.findCommitments(call, homeId)
  const found = scopes.find((each) => each.scope.toLowerCase() === scope.toLowerCase())
  const { budgeted = 0, committed = 0, pendingCommitted = 0, variance = 0 } = found ?? {}
  return { scope: found?.scope ?? scope, budgeted, committed, pendingCommitted, variance }
}
