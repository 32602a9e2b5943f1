import { sql } from 'kysely'
import type { RetainageSummaryInput, RetainageSummaryResult } from '../../../../client/contract.gen.ts'
import { OPEN_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { sum } from '../../../platform/values/money.ts'
import { truncateRows, withReportFooter } from '../frame/report.ts'

const MAX_VENDORS = 200
const MAX_HOMES = 50

type Withholding = RetainageSummaryResult['vendors'][number]

/**
 * Reports retainage. It is withheld until the work as a whole is accepted, and can be released once the home is
 * completed.
 */
export async function retainageSummary(
  { communityId }: RetainageSummaryInput,
  call: Call,
): Promise<RetainageSummaryResult> {
  const { db, organizationId, currency } = call
  const { rows } = await sql<Withholding>`
    with "held" as materialized (
      select o."vendorId", h."id" as "homeId", h."name" || ', ' || c."name" as "home", sum(o."retainedAmount") as "withheld",
        h."status" in ('completed', 'closed', 'warranty') as "isReleasable"
      from "purchaseOrders" o
      join "homes" h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
      join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
      where o."organizationId" = ${organizationId} and o."status" = any(${[...OPEN_STATUSES]}::text[]) and o."retainedAmount" <> 0
        and (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})
      group by o."vendorId", h."id", h."name", h."status", c."name"
    )
    select v."id" as "vendorId", v."companyName" as "vendor", sum(w."withheld") as "withheld",
      coalesce(sum(w."withheld") filter (where w."isReleasable"), 0) as "releasable",
      (select json_agg(r) from (
        select "homeId", "home", "withheld", "isReleasable" from "held" f
        where f."vendorId" = v."id" order by f."withheld" desc, f."homeId" limit ${MAX_HOMES}) as r) as "homes"
    from "held" w join "vendors" v on v."organizationId" = ${organizationId} and v."id" = w."vendorId"
    group by v."id", v."companyName"
    order by "withheld" desc, v."id" limit ${MAX_VENDORS + 1}`.execute(db)
  const { rows: vendors, truncated } = truncateRows(rows, MAX_VENDORS)
  return {
    vendors,
    withheld: sum(vendors.map((vendor) => vendor.withheld)),
    releasable: sum(vendors.map((vendor) => vendor.releasable)),
    ...withReportFooter(call, { truncated }),
    currency,
  }
}
