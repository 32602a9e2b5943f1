import { sql } from 'kysely'
import type { PayableNowInput, PayableNowResult, PayableOrder } from '../../../../client/contract.gen.ts'
import { findPartsOfBills, getOpenAmounts, getReservedAmount } from '../../../domain/paying/bill-records/parts.ts'
import { findOrdersLackingWaiver } from '../../../domain/paying/lien-waivers/queries.ts'
import { findPartObjection, findVendorObjection } from '../../../domain/paying/payment-runs/decide-payee-amounts.ts'
import { findOpenParts, findPayees } from '../../../domain/paying/payment-runs/queries.ts'
import * as orders from '../../../domain/paying/purchase-orders/queries.ts'
import { OPEN_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { sum } from '../../../platform/values/money.ts'
import { createReportFooter, getToday, selectSentences, truncateRows } from '../frame/report.ts'

/** The maximum number of bills. A payment run has the same limit. */
const MAX_PARTS = 500

/**
 * Checks each bill with the rules of a payment run. Changes nothing, and returns all reasons that prevent a payment.
 */
export async function findPayableOrders(input: PayableNowInput, call: Call): Promise<PayableNowResult> {
  const { vendorId, communityId = null } = input
  const through = input.asOf ?? getToday(call)
  const reach = { communityId, vendorIds: vendorId === undefined ? [] : [vendorId], billIds: [] }
  const { rows, truncated } = truncateRows(await findOpenParts(call, reach, MAX_PARTS + 1), MAX_PARTS)
  const requested = new Set(rows.map(({ billId, poId }) => `${billId} ${poId}`))
  const parts = (await findPartsOfBills(call, [...new Set(rows.map(({ billId }) => billId))])).filter(
    ({ billId, poId }) => requested.has(`${billId} ${poId}`),
  )
  const poIds = [...new Set(parts.flatMap(({ poId }) => poId ?? []))]
  const [ordered, vendors, lacking, homes, unbilled] = await Promise.all([
    orders.findAll(call, poIds),
    findPayees(call, [...new Set(parts.map((part) => part.vendorId))]),
    findOrdersLackingWaiver(call, poIds),
    findHomes(call, [...new Set(parts.map(({ billId }) => billId))]),
    findUnbilled(call, input),
  ])
  const orderById = new Map(ordered.map((order) => [order.id, order]))
  const vendorById = new Map(vendors.map((vendor) => [vendor.id, vendor]))
  const terms = { today: getToday(call), throughDate: through, lacking, chosen: new Set<string>() }
  const found = parts.flatMap((part): PayableOrder[] => {
    const vendor = vendorById.get(part.vendorId)
    const home = homes.get(`${part.billId} ${part.poId}`)
    const order = orderById.get(part.poId ?? '') ?? null
    if (vendor === undefined || home === undefined) return []
    if (order !== null && !OPEN_STATUSES.includes(order.status)) return []
    const open = getOpenAmounts(part)
    const underWay = getReservedAmount(part)
    if (open.net === 0 && underWay === 0) return []
    const objections = [findPartObjection({ part, order, whole: null }, terms), findVendorObjection(vendor)]
    const blockers = objections.filter((each) => each !== null)
    return [
      {
        ...{ poId: part.poId, number: order?.number ?? part.billNumber, homeId: home.id, home: home.name },
        ...{ billId: part.billId, billNumber: part.billNumber, dueDate: part.dueDate },
        ...{ vendorId: vendor.id, vendor: vendor.companyName, done: open.gross, retainage: open.retainage },
        ...{ payable: open.net, underWay, isPayable: blockers.length === 0, blockers },
      },
    ]
  })
  found.sort(
    (a, b) => Number(b.isPayable) - Number(a.isPayable) || b.payable - a.payable || (a.number < b.number ? -1 : 1),
  )
  const totalOf = (isPayable: boolean) =>
    sum(found.filter((order) => order.isPayable === isPayable).map(({ payable }) => payable))
  return {
    ...{ through, orders: found, payable: totalOf(true), blocked: totalOf(false), unbilled },
    ...createReportFooter(call, {
      truncated,
      unknown: selectSentences(
        found.some(({ payable }) => payable < 0) &&
          'Credit memos and backcharges are deducted. Vendors that owe you more than you owe them are not paid.',
        unbilled !== 0 && 'Completed work that has not been billed is payable after a bill is approved.',
        'Retainage is not included. See retainageSummary, and release it with releaseRetainage.',
      ),
    }),
    currency: call.currency,
  }
}

interface HomeOfPart {
  id: string
  name: string
}

/**
 * Returns the home of each part of a bill. If the lines of a part have different homes, returns the home of the first
 * line.
 */
async function findHomes(
  { db, organizationId }: Call,
  billIds: readonly string[],
): Promise<ReadonlyMap<string, HomeOfPart>> {
  const { rows } = await sql<HomeOfPart & { billId: string; poId: string | null }>`
    select distinct on (l."billId", l."poId") l."billId", l."poId", h."id", h."name" || ', ' || c."name" as "name"
    from "billLines" l
    join "homes" h on h."organizationId" = l."organizationId" and h."id" = l."homeId"
    join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
    where l."organizationId" = ${organizationId} and l."billId" = any(${[...billIds]}::text[])
    order by l."billId", l."poId", l."position"`.execute(db)
  return new Map(rows.map(({ billId, poId, ...home }) => [`${billId} ${poId}`, home]))
}

/** Returns the amount of work that is completed but not billed. */
async function findUnbilled({ db, organizationId }: Call, { vendorId, communityId }: PayableNowInput): Promise<number> {
  // Lists the statuses exactly as in the index purchaseOrders_open. Otherwise, the database could not use the index.
  const { rows } = await sql<{ unbilled: number }>`
    select coalesce(sum(o."unbilledAmount"), 0) as "unbilled" from "purchaseOrders" o
    join "homes" h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
    where o."organizationId" = ${organizationId}
      and o."status" in (${sql.join(OPEN_STATUSES.map((status) => sql.lit(status)))})
      ${vendorId === undefined ? sql`` : sql`and o."vendorId" = ${vendorId}`}
      ${communityId === undefined ? sql`` : sql`and h."communityId" = ${communityId}`}`.execute(db)
  return rows[0]?.unbilled ?? 0
}
