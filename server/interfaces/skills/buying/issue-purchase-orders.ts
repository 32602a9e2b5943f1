import { sql } from 'kysely'
import type { IssuePurchaseOrdersInput, IssuePurchaseOrdersResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { formatDate } from '../../../platform/values/format.ts'
import { sum } from '../../../platform/values/money.ts'
import { attemptTask } from '../frame/attempt-task.ts'
import { createRowConflict, type RejectedItem } from '../frame/rejected-item.ts'
import { getToday, truncateRows } from '../frame/report.ts'

/**
 * The maximum number of orders. Issuing an order locks a home, an order, and a vendor, so issuing more orders would
 * delay other requests.
 */
const MAX_ORDERS = 50
/**
 * The maximum number of orders to read. It is larger than MAX_ORDERS, because orders that are too early to issue are read
 * and reported, but not issued.
 */
const MAX_ORDERS_READ = 200

export async function issuePurchaseOrders(
  input: IssuePurchaseOrdersInput,
  call: Call,
): Promise<IssuePurchaseOrdersResult> {
  const { homeId, poIds, withinDays } = input
  if ((homeId === undefined) === (poIds === undefined))
    throw validationFailed([
      {
        pointer: '/homeId',
        code: 'required',
        message: 'is required unless poIds is set, and cannot be combined with it',
      },
    ])
  const found = truncateRows(await findOrdersToIssue(call, input), MAX_ORDERS_READ)
  const last = withinDays === undefined ? null : addDays(getToday(call), withinDays)
  const isDue = ({ firstTaskOn }: OrderToIssue) => last === null || (firstTaskOn !== null && firstTaskOn <= last)
  const due = truncateRows(found.rows.filter(isDue), MAX_ORDERS)
  const heldBack: RejectedItem[] = found.rows
    .filter((order) => !isDue(order))
    .map((order) => ({
      ...toRefusedOrder(order, poIds),
      problem: createRowConflict('wrong_status', describeTooEarly(order)),
    }))
  const issued: IssuePurchaseOrdersResult['issued'] = []
  for (const order of due.rows) {
    const { id: poId } = order
    const moved = await attemptTask(call, (call) =>
      call.operation('changePurchaseOrderStatus', { poId, status: 'issued' }),
    )
    if (moved.refused !== null) heldBack.push({ ...toRefusedOrder(order, poIds), problem: moved.refused })
    else {
      const { number, vendorId, scope, total } = moved.done
      issued.push({ poId, number, vendorId, scope, total, firstTaskOn: order.firstTaskOn })
    }
  }
  return {
    ...{ issued, heldBack: heldBack.slice(0, MAX_ORDERS_READ) },
    total: sum(issued.map(({ total }) => total)),
    currency: call.currency,
    truncated: found.truncated || due.truncated,
  }
}

interface OrderToIssue {
  id: string
  number: string
  firstTaskOn: string | null
}

function toRefusedOrder(
  { id, number }: OrderToIssue,
  poIds: readonly string[] | undefined,
): Omit<RejectedItem, 'problem'> {
  return { id, label: number, pointer: poIds === undefined ? null : `/input/poIds/${poIds.indexOf(id)}` }
}

function describeTooEarly({ number, firstTaskOn }: OrderToIssue): string {
  return firstTaskOn === null
    ? `${number} is not attached to an open task.`
    : `The first task of ${number} starts on ${formatDate(firstTaskOn)}.`
}

/**
 * Returns the requested orders or the home's approved orders, sorted by ID. Orders must always be locked in this order.
 */
async function findOrdersToIssue(call: Call, { homeId, poIds }: IssuePurchaseOrdersInput): Promise<OrderToIssue[]> {
  const { db, organizationId } = call
  const isMeant =
    poIds === undefined
      ? sql`o."homeId" = ${homeId ?? null} and o."status" = 'approved'`
      : sql`o."id" = any(${[...poIds]}::text[])`
  const { rows } = await sql<OrderToIssue>`
    select o."id", o."number", (
      select min(t."plannedStart") from "tasks" t
      where t."organizationId" = ${organizationId} and t."homeId" = o."homeId" and t."archivedAt" is null
        and t."status" in ('not_started', 'in_progress', 'on_hold')
        and (o."id" = any(t."poIds") or lower(t."scope") = lower(o."scope"))) as "firstTaskOn"
    from "purchaseOrders" o
    where o."organizationId" = ${organizationId} and ${isMeant}
    order by o."id" limit ${MAX_ORDERS_READ + 1}`.execute(db)
  return rows
}
