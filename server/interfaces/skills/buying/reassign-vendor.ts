import { sql } from 'kysely'
import type { PurchaseOrder, PurchaseOrderLine, ReassignVendorResult } from '../../../../client/contract.gen.ts'
import { findVendorOffers } from '../../../domain/costs/prices/vendor-offers.ts'
import * as orders from '../../../domain/paying/purchase-orders/queries.ts'
import * as vendors from '../../../domain/vendors/vendors/queries.ts'
import { listRecipients } from '../../../domain/vendors/vendors/vendor.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { attemptTask } from '../frame/attempt-task.ts'
import { findHomeOverview, type HomeOverview } from '../frame/home-overview.ts'
import type { RejectedItem } from '../frame/rejected-item.ts'
import { getToday, truncateRows } from '../frame/report.ts'

/**
 * The maximum number of orders. A home usually has only a few orders and tasks for a trade. More would lock the home
 * for too long.
 */
const MAX_ORDERS = 20
const MAX_TASKS = 50

export async function reassignVendor(input: Checked['ReassignVendorInput'], call: Call): Promise<ReassignVendorResult> {
  const { homeId, newVendorId, notify } = input
  const home = await findHomeOverview(call, homeId)
  const vendor = await vendors.find(call, newVendorId)
  const standing = truncateRows(await findOrdersToReplace(call, input), MAX_ORDERS)
  const replaced: ReassignVendorResult['replaced'] = []
  const kept: RejectedItem[] = []
  const found = await orders.findAll(call, standing.rows)
  // Voiding an order also voids its variance orders, so the variance orders are replaced first.
  for (const before of found.toSorted(
    (one, other) => Number(one.rootPoId === null) - Number(other.rootPoId === null),
  )) {
    const done = await attemptTask(call, (call) => replaceOrder(call, before, home, input))
    if (done.refused === null) replaced.push(done.done)
    else kept.push({ id: before.id, label: before.number, pointer: null, problem: done.refused })
  }
  const toReassign = truncateRows(await findTasksToReassign(call, input), MAX_TASKS)
  const isAddressed = listRecipients(vendor).length > 0
  const successors = new Map(replaced.map(({ voidedPoId, poId }) => [voidedPoId, poId]))
  const tasks: ReassignVendorResult['tasks'] = []
  for (const { taskId, name, poIds } of toReassign.rows) {
    const task = await call.operation('updateTask', {
      ...{ taskId, vendorId: newVendorId },
      ...(poIds.length > 0 && { poIds: poIds.map((id) => successors.get(id) ?? id) }),
    })
    const isTold = notify && isAddressed && task.plannedStart >= getToday(call)
    if (isTold) await call.operation('notifyVendor', { vendorId: newVendorId, kind: 'advance', taskId })
    tasks.push({ taskId, name, plannedStart: task.plannedStart, isTold })
  }
  return {
    ...{ homeId, home: home.home, vendorId: newVendorId, kept, tasks },
    replaced: replaced.toSorted((one, other) => (one.voidedPoId < other.voidedPoId ? -1 : 1)),
    truncated: standing.truncated || toReassign.truncated,
  }
}

/**
 * Voids an order and creates a draft with the same content for the new vendor. Throws a problem if any part of the
 * order is completed or paid.
 */
async function replaceOrder(
  call: Call,
  before: PurchaseOrder,
  home: HomeOverview,
  { newVendorId, reason }: Checked['ReassignVendorInput'],
): Promise<ReassignVendorResult['replaced'][number]> {
  const { id: voidedPoId, number: voidedNumber, homeId, scope, optionSelectionId, notes } = before
  await call.operation('changePurchaseOrderStatus', { poId: voidedPoId, status: 'void', reason })
  const order = await call.operation('createPurchaseOrder', {
    ...{ homeId, vendorId: newVendorId, scope, poType: before.poType, optionSelectionId, notes },
    ...(before.poType === 'variance' && {
      ...{ varianceReasonCode: before.varianceReasonCode, varianceResponsible: before.varianceResponsible },
    }),
    lines: await toVendorLines(call, before, home, newVendorId),
  })
  return {
    ...{ voidedPoId, voidedNumber, poId: order.id, number: order.number },
    ...{ totalBefore: before.total, total: order.total },
  }
}

/**
 * Returns the order's lines for the new vendor. If the new vendor has a price for the part of a line, that price
 * replaces the old one.
 */
async function toVendorLines(
  call: Call,
  { lines }: PurchaseOrder,
  { communityId, planId }: HomeOverview,
  vendorId: string,
): Promise<object[]> {
  const parts = lines.flatMap(({ partId, quantity }) =>
    partId === null ? [] : [{ partId, quantity, communityId, planId }],
  )
  const offers = (await findVendorOffers(call, parts, { vendorId, contractId: null, on: getToday(call) })).values()
  return lines.map((line) => {
    const { lineId, budgetLineId, costCodeId, partId, description, quantity, unit, taxPercent } = line
    const unitPrice = partId === null ? line.unitPrice : chooseUnitPrice(line, offers.next().value)
    const stored = { lineId, budgetLineId, costCodeId, partId, description, quantity, unit, taxPercent }
    return { ...stored, ...(unitPrice !== null && { unitPrice }) }
  })
}

/**
 * Returns the price for the new order. Null means that the order uses the price from the vendor's price list and
 * records where it came from.
 */
function chooseUnitPrice({ unitPrice }: PurchaseOrderLine, offer: { issue: string | null } | undefined): number | null {
  return offer?.issue === null ? null : unitPrice
}

/**
 * Returns the IDs of the trade's active orders with other vendors. Leaves out backcharges and change orders, because
 * they belong to the original orders.
 */
async function findOrdersToReplace(
  call: Call,
  { homeId, scope, newVendorId }: Checked['ReassignVendorInput'],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select "id" from "purchaseOrders"
    where "organizationId" = ${call.organizationId} and "homeId" = ${homeId} and lower("scope") = lower(${scope})
      and "vendorId" <> ${newVendorId} and "status" not in ('declined', 'void', 'closed')
      and "poType" in ('base', 'option', 'variance', 'service')
    order by "id" limit ${MAX_ORDERS + 1}`.execute(call.db)
  return rows.map(({ id }) => id)
}

async function findTasksToReassign(
  call: Call,
  { homeId, scope, newVendorId, effectiveDate = getToday(call) }: Checked['ReassignVendorInput'],
): Promise<{ taskId: string; name: string; poIds: string[] }[]> {
  const { rows } = await sql<{ taskId: string; name: string; poIds: string[] }>`
    select "id" as "taskId", "name", "poIds" from "tasks"
    where "organizationId" = ${call.organizationId} and "homeId" = ${homeId} and "archivedAt" is null
      and lower("scope") = lower(${scope}) and "vendorId" is distinct from ${newVendorId}
      and "status" in ('not_started', 'on_hold') and "plannedStart" >= ${effectiveDate}::date
    order by "plannedStart", "id" limit ${MAX_TASKS + 1}`.execute(call.db)
  return rows
}
