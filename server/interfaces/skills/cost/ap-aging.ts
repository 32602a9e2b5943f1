import { sql } from 'kysely'
import type { AgedPayables, ApAgingInput, ApAgingResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { explainEarlyDate } from '../frame/ledger-start.ts'
import { selectOpenPostings } from '../frame/open-postings.ts'
import { createReportFooter, getToday, selectSentences, truncateRows } from '../frame/report.ts'

const MAX_VENDORS = 500

/**
 * Reports the amounts owed to vendors by the number of days since their due date. All amounts are ledger balances at
 * the end of a day, so a report for a past day never changes. A deposit is deducted from the bills of its order, oldest
 * bill first, as happens when bills are paid.
 */
export async function reportApAging(
  { asOf, knownAt, communityId, vendorId }: ApAgingInput,
  call: Call,
): Promise<ApAgingResult> {
  const { db, organizationId, currency } = call
  const through = asOf ?? getToday(call)
  const open = selectOpenPostings(call, { through, knownAt, vendorId, communityId })
  const { rows } = await sql<AgedPayables & { vendorId: string; vendor: string; isTotal: boolean }>`
    with "balances" as materialized (
      select p."vendorId", p."poId", p."billId", p."measure", sum(p."amount") as "amount" from (${open}) as p
      group by p."vendorId", p."poId", p."billId", p."measure" having sum(p."amount") <> 0
    ), "prepaid" as materialized (
      select "vendorId", "poId", "amount" from "balances" where "measure" = 'payable' and "billId" is null
    ), "bills" as materialized (
      select b."vendorId", b."poId", d."dueDate", b."amount",
        -- The positive amounts of older bills of the same order.
        sum(greatest(b."amount", 0)) over (
          partition by b."vendorId", b."poId" order by d."invoiceDate", d."id") - greatest(b."amount", 0) as "before"
      from "balances" b join "bills" d on d."organizationId" = ${organizationId} and d."id" = b."billId"
      where b."measure" = 'payable'
    ), "billed" as materialized (
      select b."vendorId", b."poId", ${through}::date - b."dueDate" as "days", b."amount",
        case when b."poId" is null then 0
          else least(greatest(coalesce(-p."amount", 0) - b."before", 0), greatest(b."amount", 0)) end as "absorbed"
      from "bills" b left join "prepaid" p on p."vendorId" = b."vendorId" and p."poId" = b."poId"
    ), "figures" as (
      select "vendorId", "days", "amount" - "absorbed" as "open", "absorbed" as "unapplied", 0 as "retainage",
        0 as "unbilled" from "billed"
      union all
      select "vendorId", 0, 0, "amount", 0, 0 from "prepaid"
      union all
      select "vendorId", 0, 0, 0, case "measure" when 'retainage' then "amount" else 0 end,
        case "measure" when 'unbilled' then "amount" else 0 end
      from "balances" where "measure" <> 'payable'
    ), "aged" as (
      select f."vendorId", grouping(f."vendorId") = 1 as "isTotal",
        coalesce(sum("open") filter (where "days" <= 0), 0) as "current",
        coalesce(sum("open") filter (where "days" between 1 and 30), 0) as "days1To30",
        coalesce(sum("open") filter (where "days" between 31 and 60), 0) as "days31To60",
        coalesce(sum("open") filter (where "days" between 61 and 90), 0) as "days61To90",
        coalesce(sum("open") filter (where "days" > 90), 0) as "over90Days",
        coalesce(sum("unapplied"), 0) as "unapplied", coalesce(sum("open" + "unapplied"), 0) as "total",
        coalesce(sum("retainage"), 0) as "retainage", coalesce(sum("unbilled"), 0) as "unbilled"
      from "figures" f group by grouping sets ((f."vendorId"), ())
      having grouping(f."vendorId") = 1 or bool_or("open" <> 0) or sum("unapplied") <> 0 or sum("retainage") <> 0
        or sum("unbilled") <> 0
    )
    select a.*, v."companyName" as "vendor"
    from "aged" a left join "vendors" v on v."organizationId" = ${organizationId} and v."id" = a."vendorId"
    order by a."isTotal" desc, a."total" desc, a."vendorId" limit ${MAX_VENDORS + 2}`.execute(db)
  const [first, ...ofVendors] = rows.map(({ isTotal: _, ...row }) => row)
  if (first === undefined) throw new Error('Expected the total of the payables to have a row.')
  const { vendorId: _id, vendor: _vendor, ...total } = first
  const { rows: vendors, truncated } = truncateRows(ofVendors, MAX_VENDORS)
  return {
    ...{ through, vendors, total },
    ...createReportFooter(call, {
      truncated,
      unknown: selectSentences(await explainEarlyDate(call, through), 'Bills that are not approved are excluded.'),
    }),
    currency,
  }
}
