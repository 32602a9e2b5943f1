import { sql } from 'kysely'
import type { FindInactiveVendorsResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { createReportFooter, truncateRows } from '../frame/report.ts'

const MAX_VENDORS = 500

export async function findInactiveVendors(
  { months }: Checked['FindInactiveVendorsInput'],
  call: Call,
): Promise<FindInactiveVendorsResult> {
  const { db, organizationId, now } = call
  const { rows } = await sql<FindInactiveVendorsResult['vendors'][number]>`
    select v."id" as "vendorId", v."companyName" as "vendor", v."scopes", l."lastOrderAt", l."lastBidAt"
    from "vendors" v cross join lateral (
      select
        (select max(o."createdAt") from "purchaseOrders" o
          where o."organizationId" = v."organizationId" and o."vendorId" = v."id") as "lastOrderAt",
        (select max(b."submittedAt") from "bids" b
          where b."organizationId" = v."organizationId" and b."vendorId" = v."id") as "lastBidAt"
    ) as l
    where v."organizationId" = ${organizationId} and v."archivedAt" is null and v."status" = 'active'
      and greatest(l."lastOrderAt", l."lastBidAt", v."createdAt") < ${now}::timestamptz - make_interval(months => ${months}::integer)
    order by greatest(l."lastOrderAt", l."lastBidAt") nulls first, v."id" limit ${MAX_VENDORS + 1}`.execute(db)
  const { rows: vendors, truncated } = truncateRows(rows, MAX_VENDORS)
  return {
    vendors,
    ...createReportFooter(call, { truncated, unknown: ['Vendors created in that period are excluded.'] }),
  }
}
