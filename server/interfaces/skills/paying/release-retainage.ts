import { sql } from 'kysely'
import type { ReleaseRetainageResult } from '../../../../client/contract.gen.ts'
import { findOrdersLackingWaiver } from '../../../domain/paying/lien-waivers/queries.ts'
import { ORDER_REQUIRES_WAIVER_SQL } from '../../../domain/paying/waiver-rule.ts'
import { OPEN_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import { computePercentAmount, sum } from '../../../platform/values/money.ts'
import { attemptTask } from '../frame/attempt-task.ts'
import { findHomeOverview } from '../frame/home-overview.ts'
import { createRowConflict, type RejectedItem } from '../frame/rejected-item.ts'
import { truncateRows } from '../frame/report.ts'
import { toEnteredPayment } from './entered-payment.ts'

/**
 * The maximum number of orders. Each release locks an order and a vendor, so more releases would delay other requests.
 */
const MAX_ORDERS = 50

const COMPLETED_STATUSES = ['completed', 'closed', 'warranty']

/**
 * Releases retainage after all work has been accepted. The payment of the retainage requires a final lien waiver, which
 * is requested together with the payment and must be signed before the payment is made. The lien waivers for all
 * earlier payments must already be signed.
 */
export async function releaseRetainage(
  { homeId, vendorId, method, percent }: Checked['ReleaseRetainageInput'],
  call: Call,
): Promise<ReleaseRetainageResult> {
  const { home, status } = await findHomeOverview(call, homeId)
  const { rows, truncated } = truncateRows(await findOrdersWithRetainage(call, homeId, vendorId), MAX_ORDERS)
  const lacking = await findOrdersLackingWaiver(
    call,
    rows.map(({ id }) => id),
  )
  const payments: ReleaseRetainageResult['payments'] = []
  const heldBack: RejectedItem[] = []
  for (const order of rows) {
    const reason = findHoldReason(order, status, lacking)
    const { id, number: label } = order
    if (reason !== null) {
      heldBack.push({ id, label, pointer: null, problem: createRowConflict('open_work', reason) })
      continue
    }
    const released = await attemptTask(call, async (call) => {
      const stage =
        percent === undefined ? {} : { grossAmount: computePercentAmount(order.releasable, percent, call.currency) }
      const payment = await call.operation('createPayment', {
        ...{ poId: id, paymentType: 'retainage_release', method },
        ...stage,
      })
      if (!order.lienWaiverRequired || payment.amount <= 0) return toEnteredPayment(payment)
      const waiver = await call.operation('requestLienWaiver', { paymentId: payment.id })
      return toEnteredPayment(payment, waiver.id)
    })
    if (released.refused === null) payments.push(released.done)
    else heldBack.push({ id, label, pointer: null, problem: released.refused })
  }
  const amount = sum(payments.map((payment) => payment.amount))
  return { homeId, home, payments, heldBack, amount, currency: call.currency, truncated }
}

interface OrderWithRetainage {
  id: string
  number: string
  /** The status of the order or, if one of its change orders is not completed, of that change order. */
  status: string
  releasable: number
  lienWaiverRequired: boolean
}

function findHoldReason(
  { id, number, status }: OrderWithRetainage,
  home: string,
  lacking: ReadonlySet<string>,
): string | null {
  if (!COMPLETED_STATUSES.includes(home))
    return `Cannot release retainage: the home is ${describeStatus(home)}. Complete the home first.`
  if (status !== 'completed')
    return `Cannot release retainage: ${number} or one of its change orders is ${describeStatus(status)}. Complete the order first.`
  return lacking.has(id)
    ? `Cannot release retainage: the lien waiver for an earlier payment of ${number} is missing.`
    : null
}

/**
 * Returns the orders that, together with their change orders, have retainage for which no payment has been entered yet.
 */
async function findOrdersWithRetainage(
  call: Call,
  homeId: string,
  vendorId: string | undefined,
): Promise<OrderWithRetainage[]> {
  const { db, organizationId } = call
  const { rows } = await sql<OrderWithRetainage>`
    select o."id", o."number",
      coalesce((
        select m."status" from "purchaseOrders" m
        where m."organizationId" = o."organizationId" and m."rootPoId" = o."id"
          and m."status" in ('issued', 'accepted', 'partially_completed') order by m."id" limit 1), o."status") as "status",
      o."retainedAmount" - o."releasingAmount" + "changes"."releasable" as "releasable",
      ${sql.raw(ORDER_REQUIRES_WAIVER_SQL)} as "lienWaiverRequired"
    from "purchaseOrders" o
    join "vendors" v on v."organizationId" = o."organizationId" and v."id" = o."vendorId"
    join "organizations" g on g."id" = o."organizationId"
    cross join lateral (
      select coalesce(sum(m."retainedAmount" - m."releasingAmount"), 0) as "releasable" from "purchaseOrders" m
      where m."organizationId" = o."organizationId" and m."rootPoId" = o."id") as "changes"
    where o."organizationId" = ${organizationId} and o."homeId" = ${homeId} and o."status" = any(${[...OPEN_STATUSES]}::text[])
      and o."rootPoId" is null
      and (${vendorId ?? null}::text is null or o."vendorId" = ${vendorId ?? null})
      and o."retainedAmount" - o."releasingAmount" + "changes"."releasable" <> 0
    order by o."id" limit ${MAX_ORDERS + 1}`.execute(db)
  return rows
}
