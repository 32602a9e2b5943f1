import { sql } from 'kysely'
import type { RankVendorsInput, RankVendorsResult, Vendor } from '../../../../client/contract.gen.ts'
import { findTrackRecords } from '../../../domain/bidding/scorecards/queries.ts'
import { computeScorecard } from '../../../domain/bidding/scorecards/scorecard.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { createReportFooter, truncateRows } from '../frame/report.ts'

const MAX_VENDORS = 200

export async function rankVendors({ scope, communityId }: RankVendorsInput, call: Call): Promise<RankVendorsResult> {
  const found = truncateRows(await findVendorsOfTrade(call, scope, communityId), MAX_VENDORS)
  const period = { from: null, to: null }
  const frame = { ...period, asOf: call.now.toISOString(), currency: call.currency }
  const records = await findTrackRecords(
    call,
    found.rows.map(({ id }) => id),
    period,
  )
  const vendors = found.rows.flatMap(({ id: vendorId, companyName, complianceStatus }) => {
    const record = records.get(vendorId)
    if (record === undefined) return []
    const { score, invitations, bids, orders, openCommitment } = computeScorecard(record, { ...frame, vendorId })
    return [
      {
        ...{
          vendorId,
          vendor: companyName,
          score,
          answeredPercent: invitations.answeredPercent,
          winPercent: bids.winPercent,
        },
        ...{
          averageVariancePercent: orders.averageVariancePercent,
          orders: orders.count,
          openCommitment,
          complianceStatus,
        },
      },
    ]
  })
  vendors.sort((a, b) => (b.score ?? -1) - (a.score ?? -1) || (a.vendor < b.vendor ? -1 : 1))
  return {
    vendors: vendors.map((vendor, i) => ({ rank: i + 1, ...vendor })),
    ...createReportFooter(call, { truncated: found.truncated, unknown: ['Quality of work is not recorded.'] }),
    currency: call.currency,
  }
}

/** Returns the vendors of a trade. If there are too many for the list, returns those with the most orders. */
async function findVendorsOfTrade({ db, organizationId }: Call, scope: string, communityId: string | undefined) {
  const { rows } = await sql<Pick<Vendor, 'id' | 'companyName' | 'complianceStatus'>>`
    select v."id", v."companyName", v."complianceStatus" from "vendors" v
    where v."organizationId" = ${organizationId} and v."archivedAt" is null and v."status" = 'active'
      and exists (select from unnest(v."scopes") as s where lower(s) = lower(${scope}))
      and (${communityId ?? null}::text is null or cardinality(v."communityIds") = 0 or ${communityId ?? null} = any(v."communityIds"))
    order by (select count(*) from "purchaseOrders" o where o."organizationId" = v."organizationId" and o."vendorId" = v."id") desc,
      v."id" limit ${MAX_VENDORS + 1}`.execute(db)
  return rows
}
