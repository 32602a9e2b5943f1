import { sql } from 'kysely'
import type { ReleaseRetainageResult } from '../../../../client/contract.gen.ts'
import { findOrdersLackingWaiver } from '../../../domain/paying/lien-waivers/queries.ts'
import { OPEN_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import { sum } from '../../../platform/values/money.ts'
import { attemptEach } from '../frame/attempt.ts'
import { findNamedHome } from '../frame/named-home.ts'
import { type RefusedItem, toRowConflict } from '../frame/refused-item.ts'
import { truncateRows } from '../frame/report.ts'
import { toEnteredPayment } from './entered-payment.ts'

/** Each locks an order and a vendor; more would delay others. */
const MAX_ORDERS = 50

const COMPLETED_STATUSES = ['completed', 'closed', 'warranty']

/**
 * Releases retainage when the work as a whole is accepted. The final waiver belongs to the payment of the retainage
 * itself: it is requested with that payment and must be signed before it is paid. Waivers for everything paid before
 * must already be signed.
 */
export async function releaseRetainage(
  { homeId, vendorId, method }: Checked['ReleaseRetainageInput'],
  call: Call,
): Promise<ReleaseRetainageResult> {
  const { home, status } = await findNamedHome(call, homeId)
  const { rows, truncated } = truncateRows(await findOrdersWithRetainage(call, homeId, vendorId), MAX_ORDERS)
  const lacking = await findOrdersLackingWaiver(
    call,
    rows.map(({ id }) => id),
  )
  const payments: ReleaseRetainageResult['payments'] = []
  const heldBack: RefusedItem[] = []
  for (const order of rows) {
    const reason = findHoldReason(order, status, lacking)
    const { id, number: label } = order
    if (reason !== null) {
      heldBack.push({ id, label, pointer: null, problem: toRowConflict('open_work', reason) })
      continue
    }
    const released = await attemptEach(call, async (call) => {
      const payment = await call.operation('createPayment', { poId: id, paymentType: 'retainage_release', method })
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
  status: string
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
    return `Cannot release retainage: ${number} is ${describeStatus(status)}. Complete the order first.`
  return lacking.has(id) ? `The lien waiver for an earlier payment of ${number} is missing.` : null
}

/** Returns the orders with retainage that is not on a payment yet. */
async function findOrdersWithRetainage(
  call: Call,
  homeId: string,
  vendorId: string | undefined,
): Promise<OrderWithRetainage[]> {
  const { db, organizationId } = call
  const { rows } = await sql<OrderWithRetainage>`
    select o."id", o."number", o."status", v."lienWaiverRequired"
    from "purchaseOrders" o join "vendors" v on v."organizationId" = o."organizationId" and v."id" = o."vendorId"
    where o."organizationId" = ${organizationId} and o."homeId" = ${homeId} and o."status" = any(${[...OPEN_STATUSES]}::text[])
      and (${vendorId ?? null}::text is null or o."vendorId" = ${vendorId ?? null})
      and o."retainedAmount" <> coalesce((
        select sum(a."amount") from "paymentAllocations" a
        join "payments" p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
        where a."organizationId" = o."organizationId" and a."poId" = o."id"
          and p."paymentType" = 'retainage_release' and p."status" in ('pending', 'approved')), 0)
    order by o."id" limit ${MAX_ORDERS + 1}`.execute(db)
  return rows
}
