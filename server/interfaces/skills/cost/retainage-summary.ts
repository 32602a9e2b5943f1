import { sql } from 'kysely'
import type { RetainageSummaryInput, RetainageSummaryResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { sum } from '../../../platform/values/money.ts'
import { explainEarlyDate } from '../frame/ledger-start.ts'
import { selectOpenPostings } from '../frame/open-postings.ts'
import { createReportFooter, getToday, selectSentences, truncateRows } from '../frame/report.ts'

const MAX_VENDORS = 200
const MAX_HOMES = 50

type Withholding = RetainageSummaryResult['vendors'][number]

/**
 * Reports retainage as ledger balances at the end of a day. Retainage is held until all work is accepted, and can be
 * released after the home is completed.
 */
export async function summarizeRetainage(
  { asOf, knownAt, communityId }: RetainageSummaryInput,
  call: Call,
): Promise<RetainageSummaryResult> {
  const { db, organizationId, currency, timeZone } = call
  const through = asOf ?? getToday(call)
  const { rows } = await sql<Withholding>`
    with "orders" as materialized (
      select p."vendorId", p."homeId",
        coalesce(sum(p."amount") filter (where p."measure" = 'retainage'), 0) as "withheld",
        -- A vendor owes what it was paid beyond its bills, after the work was taken back.
        case when coalesce(sum(p."amount") filter (where p."measure" = 'unbilled' and p."billId" is not null), 0) = 0 then 0
          else greatest(coalesce(sum(- p."amount") filter (where p."measure" = 'payable'), 0), 0) end as "owedByVendor"
      from (${selectOpenPostings(call, { through, knownAt, communityId })}) as p
      where p."poId" is not null
      group by p."vendorId", p."homeId", p."poId"
    ), "held" as materialized (
      select o."vendorId", h."id" as "homeId", h."name" || ', ' || c."name" as "home", sum(o."withheld") as "withheld",
        sum(o."owedByVendor") as "owedByVendor",
        h."status" in ('completed', 'closed', 'warranty') and not exists (
          select from "statusChanges" s
          where s."organizationId" = h."organizationId" and s."resourceId" = h."id" and s."to" = 'completed'
            and (s."at" >= "dayStart"(${through}::date + 1, ${timeZone})
              or s."at" > ${knownAt ?? null}::timestamptz)) as "isReleasable"
      from "orders" o
      join "homes" h on h."organizationId" = ${organizationId} and h."id" = o."homeId"
      join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
      where o."withheld" <> 0 or o."owedByVendor" <> 0
      group by o."vendorId", h."organizationId", h."id", h."name", h."status", c."name"
    )
    select v."id" as "vendorId", v."companyName" as "vendor", sum(w."withheld") as "withheld",
      sum(w."owedByVendor") as "owedByVendor", sum(w."withheld") - sum(w."owedByVendor") as "net",
      coalesce(sum(w."withheld") filter (where w."isReleasable"), 0) as "releasable",
      (select json_agg(r) from (
        select "homeId", "home", "withheld", "owedByVendor", "isReleasable" from "held" f
        where f."vendorId" = v."id" order by f."withheld" desc, f."homeId" limit ${MAX_HOMES}) as r) as "homes"
    from "held" w join "vendors" v on v."organizationId" = ${organizationId} and v."id" = w."vendorId"
    group by v."id", v."companyName"
    order by "withheld" desc, v."id" limit ${MAX_VENDORS + 1}`.execute(db)
  const { rows: vendors, truncated } = truncateRows(rows, MAX_VENDORS)
  return {
    ...{ through, vendors, withheld: sum(vendors.map((vendor) => vendor.withheld)) },
    owedByVendors: sum(vendors.map((vendor) => vendor.owedByVendor)),
    releasable: sum(vendors.map((vendor) => vendor.releasable)),
    ...createReportFooter(call, { truncated, unknown: selectSentences(await explainEarlyDate(call, through)) }),
    currency,
  }
}
