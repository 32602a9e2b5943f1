import Big from 'big.js'
import { sql } from 'kysely'
import type {
  CreateChangePoFromSelectionInput,
  CreateChangePoFromSelectionResult,
  PurchaseOrder,
  Selection,
} from '../../../../client/contract.gen.ts'
import * as orders from '../../../domain/paying/purchase-orders/queries.ts'
import { ORDERED_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { conflict, problem } from '../../../platform/problems/problem.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import { sum } from '../../../platform/values/money.ts'

/**
 * The maximum number of orders. A selection is usually ordered from a few vendors. Creating a change order locks the
 * home, so that the home's orders are numbered consecutively.
 */
const MAX_ORDERS = 20

export async function createChangePoFromSelection(
  input: CreateChangePoFromSelectionInput,
  call: Call,
): Promise<CreateChangePoFromSelectionResult> {
  const { selectionId, quantity } = input
  const selection = await call.operation('getSelection', { selectionId })
  if (selection.status !== 'ordered' && selection.status !== 'installed')
    throw conflict(
      'wrong_status',
      `Cannot create a change order: the selection is ${describeStatus(selection.status)} and has not been ordered. Update the selection instead.`,
    )
  const all = await findOrdersOfSelection(call, selectionId)
  const since = all.filter(({ id, poType }) => poType === 'change' && id > (selection.changePoId ?? ''))
  const changes = since.length > 0 ? since : await createChangeOrders(call, selection, quantity, all)
  const isApproved =
    changes.length > 0 && changes.every(({ status }) => status !== 'pending_approval' && status !== 'draft')
  return {
    selection: isApproved ? await changeSelection(call, input) : selection,
    isChanged: isApproved,
    orders: changes.map(({ id: poId, number, parentPoId, vendorId, status, total }) => ({
      ...{ poId, number, parentPoId: parentPoId ?? '', vendorId, status, total },
    })),
    amount: sum(changes.map(({ total }) => total)),
    currency: call.currency,
  }
}

/** Returns all active orders for the selection, oldest first. */
async function findOrdersOfSelection(call: Call, selectionId: string): Promise<PurchaseOrder[]> {
  const { rows } = await sql<{ id: string }>`
    select "id" from "purchaseOrders"
    where "organizationId" = ${call.organizationId} and "optionSelectionId" = ${selectionId}
      and "status" not in ('declined', 'void') order by "id" limit ${MAX_ORDERS * 2 + 1}`.execute(call.db)
  if (rows.length > MAX_ORDERS * 2)
    throw problem(
      'too_much_work',
      `Cannot create a change order: the selection is on more than ${MAX_ORDERS * 2} orders.`,
    )
  const found = await orders.findAll(
    call,
    rows.map(({ id }) => id),
  )
  return found.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** Creates change orders for all ordered lines, in proportion to the new quantity. */
async function createChangeOrders(
  call: Call,
  { id: optionSelectionId, quantity: before, homeId }: Selection,
  quantity: number,
  all: readonly PurchaseOrder[],
): Promise<PurchaseOrder[]> {
  const parents = all.filter(({ poType, status }) => poType !== 'change' && ORDERED_STATUSES.includes(status))
  if (parents.length === 0)
    throw conflict(
      'missing_data',
      'Cannot create a change order: the selection has no issued order. Change or void the existing order of the selection instead.',
    )
  if (quantity === before) throw conflict('already_done', `The quantity of the selection is already ${before}.`)
  const created: PurchaseOrder[] = []
  for (const parent of parents) {
    const earlier = all.filter(({ poType, parentPoId }) => poType === 'change' && parentPoId === parent.id)
    const lines = scaleLines([parent, ...earlier], new Big(quantity).minus(before).div(before))
    if (lines.length === 0) continue
    const of = { homeId, vendorId: parent.vendorId, scope: parent.scope, parentPoId: parent.id, optionSelectionId }
    const draft = await call.operation('createPurchaseOrder', { ...of, poType: 'change', lines })
    created.push(await call.operation('changePurchaseOrderStatus', { poId: draft.id, status: 'approved' }))
  }
  return created
}

/** Returns the ordered lines with their quantities multiplied by the factor. A negative factor results in credits. */
function scaleLines(ordered: readonly PurchaseOrder[], factor: Big): object[] {
  const lines = ordered.flatMap((order) => order.lines)
  const alike = Map.groupBy(lines, (line) =>
    JSON.stringify([
      line.partId,
      line.description,
      line.unit,
      Math.abs(line.unitPrice),
      line.taxPercent,
      line.costCodeId,
    ]),
  )
  return [...alike.values()].flatMap((same) => {
    const [first] = same
    const net = same.reduce(
      (net, { quantity, unitPrice }) => net.plus(unitPrice < 0 ? -quantity : quantity),
      new Big(0),
    )
    const change = net.times(factor).round(4, Big.roundHalfUp)
    if (first === undefined || change.eq(0)) return []
    const { partId, description, unit, unitPrice, taxPercent, costCodeId } = first
    const price = Math.abs(unitPrice) * (change.lt(0) ? -1 : 1)
    return [{ partId, description, unit, taxPercent, costCodeId, quantity: change.abs().toNumber(), unitPrice: price }]
  })
}

function changeSelection(
  call: Call,
  { selectionId, quantity, reason, overrideReason }: CreateChangePoFromSelectionInput,
): Promise<Selection> {
  const override = overrideReason === undefined ? {} : { overrideReason }
  if (quantity > 0) return call.operation('updateSelection', { selectionId, quantity, ...override })
  const why = reason === undefined ? {} : { reason }
  return call.operation('changeSelectionStatus', { selectionId, status: 'cancelled', ...why, ...override })
}
