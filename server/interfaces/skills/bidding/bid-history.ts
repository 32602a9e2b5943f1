import { sql } from 'kysely'
import type { BidHistoryInput, BidHistoryResult } from '../../../../client/contract.gen.ts'
import { type Call, listSealedRequestIds } from '../../../platform/calls/call.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { getMinorUnits } from '../../../platform/values/minor-units.ts'
import { computeAverageAmount, subtract, toPercentage } from '../../../platform/values/money.ts'
import { createReportFooter, getToday, selectSentences, toReportPeriod, truncateRows } from '../frame/report.ts'

const MAX_BIDS = 500
const MAX_VENDORS = 200

type PastBid = BidHistoryResult['bids'][number]

export async function reportBidHistory(input: BidHistoryInput, call: Call): Promise<BidHistoryResult> {
  const to = input.to ?? getToday(call)
  const period = toReportPeriod(call, { from: input.from ?? addDays(to, -365), to })
  const { rows: bids, truncated } = truncateRows(await findPastBids(call, { ...input, ...period }), MAX_BIDS)
  const byVendor = Map.groupBy(bids, ({ vendorId }) => vendorId)
  const vendors = [...byVendor.values()].flatMap((ofVendor) => computeTrends(ofVendor, call.currency))
  vendors.sort((a, b) => a.last - b.last || (a.vendor < b.vendor ? -1 : 1))
  return {
    ...{ ...period, vendors: vendors.slice(0, MAX_VENDORS), bids },
    ...createReportFooter(call, {
      truncated: truncated || vendors.length > MAX_VENDORS,
      unknown: selectSentences(
        bids.some(({ pricePerSquareFoot }) => pricePerSquareFoot === null) &&
          'Bids for a whole community or for homes without a plan have no price per square foot.',
        'The amount of a bid for several homes is divided equally among the homes.',
      ),
    }),
    currency: call.currency,
  }
}

/** Returns the trend of a vendor's bids. `bids` contains the bids of one vendor, newest first. */
function computeTrends(bids: readonly PastBid[], currency: string): BidHistoryResult['vendors'] {
  const [newest, oldest] = [bids[0], bids.at(-1)]
  if (newest === undefined || oldest === undefined) return []
  const [first, last] = [oldest.pricePerHome, newest.pricePerHome]
  const { vendorId, vendor } = newest
  return [
    {
      ...{ vendorId, vendor, bids: bids.length, first, last },
      mean: computeAverageAmount(
        bids.map(({ pricePerHome }) => pricePerHome),
        currency,
      ),
      changePercent: bids.length === 1 ? null : toPercentage(subtract(last, first), first),
    },
  ]
}

async function findPastBids(
  call: Call,
  { scope, communityId, from, to }: BidHistoryInput & { from: string; to: string },
): Promise<PastBid[]> {
  const { db, organizationId, timeZone } = call
  const { rows } = await sql<PastBid>`
    select b."vendorId", v."companyName" as "vendor", b."id" as "bidId", r."number" || ' ' || coalesce(r."title", r."scope") as "bidRequest",
      b."submittedAt", b."status", round(b."amount" / n."count", ${getMinorUnits(call.currency)}::integer) as "pricePerHome",
      round(b."amount" / nullif(n."area", 0), ${getMinorUnits(call.currency)}::integer) as "pricePerSquareFoot"
    from "bids" b
    join "bidRequests" r on r."organizationId" = b."organizationId" and r."id" = b."bidRequestId"
    join "vendors" v on v."organizationId" = b."organizationId" and v."id" = b."vendorId"
    cross join lateral (
      select greatest(count(*), 1) as "count", case when bool_and(p."squareFeet" is not null) then sum(p."squareFeet") end as "area"
      from "homes" h left join "plans" p on p."organizationId" = h."organizationId" and p."id" = h."planId"
      where h."organizationId" = ${organizationId}
        and h."id" = any(case when b."homeId" is null then r."homeIds" else array[b."homeId"] end)
    ) as n
    where b."organizationId" = ${organizationId} and lower(b."scope") = lower(${scope}) and b."status" <> 'withdrawn'
      and not (r."blind" and r."status" = 'sent') and r."id" <> all(${listSealedRequestIds(call)}::text[])
      and b."submittedAt" >= "dayStart"(${from}::date, ${timeZone})
      and b."submittedAt" < "dayStart"(${to}::date + 1, ${timeZone})
      and (${communityId ?? null}::text is null or b."communityId" = ${communityId ?? null})
    order by b."submittedAt" desc, b."id" desc limit ${MAX_BIDS + 1}`.execute(db)
  return rows
}
