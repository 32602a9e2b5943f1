import { sql } from 'kysely'
import type { PayableNowInput, PayableNowResult, PayableOrder } from '../../../../client/contract.gen.ts'
import { findOrdersLackingWaiver } from '../../../domain/paying/lien-waivers/queries.ts'
import { findOrderObjection, findVendorObjection } from '../../../domain/paying/payment-runs/decide-payee.ts'
import { findPayees, type OpenOrder } from '../../../domain/paying/payment-runs/queries.ts'
import { computeWholeAmount, computeWithheld, createEmptySums } from '../../../domain/paying/payments/payment.ts'
import { findPaymentSums } from '../../../domain/paying/purchase-orders/payment-queries.ts'
import { OPEN_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { subtract, sum } from '../../../platform/values/money.ts'
import { getToday, selectSentences, truncateRows, withReportFooter } from '../frame/report.ts'

/** The same maximum as for a payment run. */
const MAX_ORDERS = 500

/** Judges every order as a payment run would, but writes nothing and names everything that prevents payment. */
export async function payableNow(input: PayableNowInput, call: Call): Promise<PayableNowResult> {
  const through = input.asOf ?? getToday(call)
  const { rows, truncated } = truncateRows(await findOpenOrders(call, input), MAX_ORDERS)
  const ids = rows.map(({ id }) => id)
  const [sums, vendors, lacking] = await Promise.all([
    findPaymentSums(call, ids),
    findPayees(call, [...new Set(rows.map(({ vendorId }) => vendorId))]),
    findOrdersLackingWaiver(call, ids),
  ])
  const byId = new Map(vendors.map((vendor) => [vendor.id, vendor]))
  const when = { currency: call.currency, timeZone: call.timeZone, now: call.now, throughDate: through, lacking }
  const found = rows.flatMap((order): PayableOrder[] => {
    const vendor = byId.get(order.vendorId)
    if (vendor === undefined) return []
    const account = { order, sums: sums.get(order.id) ?? createEmptySums(order.id) }
    const done = computeWholeAmount(account, 'progress') ?? 0
    const retainage = computeWithheld(account, 'progress', done)
    const payable = subtract(done, retainage)
    const underWay = account.sums.reserved
    if (payable === 0 && underWay === 0) return []
    const objections = [findOrderObjection(vendor, account, when), findVendorObjection(vendor)]
    const blockers = objections.flatMap((each) => (each === null ? [] : [{ reason: each.reason, detail: each.detail }]))
    const { id: purchaseOrderId, number, homeId, home, vendorId } = order
    return [
      {
        ...{ purchaseOrderId, number, homeId, home, vendorId, vendor: vendor.companyName },
        ...{ done, retainage, payable, underWay, isPayable: blockers.length === 0, blockers },
      },
    ]
  })
  found.sort(
    (a, b) => Number(b.isPayable) - Number(a.isPayable) || b.payable - a.payable || (a.number < b.number ? -1 : 1),
  )
  const totalOf = (isPayable: boolean) =>
    sum(found.filter((order) => order.isPayable === isPayable).map(({ payable }) => payable))
  return {
    ...{ through, orders: found, payable: totalOf(true), blocked: totalOf(false) },
    ...withReportFooter(call, {
      truncated,
      unknown: selectSentences(
        found.some(({ payable }) => payable < 0) &&
          'Backcharges are deducted. Vendors that owe more than they are owed are not paid.',
        'Retainage is not included. See retainageSummary, and release it with releaseRetainage.',
      ),
    }),
    currency: call.currency,
  }
}

async function findOpenOrders(
  call: Call,
  { vendorId, communityId }: PayableNowInput,
): Promise<(OpenOrder & { home: string })[]> {
  const { db, organizationId } = call
  // The statuses are spelled out like those of the index purchaseOrders_open.
  const { rows } = await sql<OpenOrder & { home: string }>`
    select o."id", o."number", o."homeId", h."name" || ', ' || c."name" as "home", o."vendorId", o."status", o."total",
      o."retainagePercent", o."completedAmount", o."paidAmount", o."retainedAmount", o."payableAmount", o."progressedAt"
    from "purchaseOrders" o
    join "homes" h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
    join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
    where o."organizationId" = ${organizationId} and o."payableAmount" <> 0
      and o."status" in (${sql.join(OPEN_STATUSES.map((status) => sql.lit(status)))})
      ${vendorId === undefined ? sql`` : sql`and o."vendorId" = ${vendorId}`}
      ${communityId === undefined ? sql`` : sql`and h."communityId" = ${communityId}`}
    order by o."id" limit ${MAX_ORDERS + 1}`.execute(db)
  return rows
}
