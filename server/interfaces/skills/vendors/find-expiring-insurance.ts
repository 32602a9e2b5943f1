import { sql } from 'kysely'
import type { FindExpiringInsuranceResult } from '../../../../client/contract.gen.ts'
import { UNSETTLED_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { createReportFooter, getToday, truncateRows } from '../frame/report.ts'

const MAX_VENDORS = 500
const INSURANCE = ['general_liability', 'workers_comp', 'auto', 'umbrella']
/** The number of days in which tasks are checked, because work should not start without insurance. */
const DAYS_AHEAD = 60

type VendorAtRisk = FindExpiringInsuranceResult['vendors'][number]

export async function findExpiringInsurance(
  { withinDays, communityId }: Checked['FindExpiringInsuranceInput'],
  call: Call,
): Promise<FindExpiringInsuranceResult> {
  const { db, organizationId } = call
  const today = getToday(call)
  // Considers only the latest policy of each kind, because it replaced the older ones.
  const { rows } = await sql<VendorAtRisk>`
    with "ending" as materialized (
      select "vendorId", json_agg(json_build_object('type', "type", 'expirationDate', "until", 'isExpired', "until" < ${today}::date)
        order by "until", "type") as "documents"
      from (
        select d."vendorId", d."type", max(coalesce(d."expirationDate", 'infinity')) as "until" from "complianceDocuments" d
        join "vendors" v on v."organizationId" = d."organizationId" and v."id" = d."vendorId"
          and v."archivedAt" is null and v."status" in ('active', 'on_hold')
        where d."organizationId" = ${organizationId} and d."type" = any(${INSURANCE}::text[])
          and d."status" in ('valid', 'expired') and d."archivedAt" is null
        group by d."vendorId", d."type"
      ) as p
      where "until" <= ${addDays(today, withinDays)}::date
      group by "vendorId"
    ), "orders" as (
      select o."vendorId", sum(o."total" - o."completedAmount") as "open" from "purchaseOrders" o
      join "homes" h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
      where o."organizationId" = ${organizationId} and o."vendorId" = any(array(select "vendorId" from "ending"))
        and o."status" = any(${[...UNSETTLED_STATUSES]}::text[])
        and (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})
      group by o."vendorId"
    ), "ahead" as (
      select t."vendorId", count(*) as "tasks", min(t."plannedStart") as "next" from "tasks" t
      where t."organizationId" = ${organizationId} and t."vendorId" = any(array(select "vendorId" from "ending"))
        and t."archivedAt" is null and t."status" in ('not_started', 'in_progress', 'on_hold')
        and t."plannedStart" <= ${addDays(today, DAYS_AHEAD)}::date
        and (${communityId ?? null}::text is null or t."communityId" = ${communityId ?? null})
      group by t."vendorId"
    )
    select v."id" as "vendorId", v."companyName" as "vendor", e."documents", coalesce(o."open", 0) as "openCommitment",
      coalesce(a."tasks", 0) as "tasksAhead", a."next" as "nextTaskOn"
    from "ending" e
    join "vendors" v on v."organizationId" = ${organizationId} and v."id" = e."vendorId"
    left join "orders" o on o."vendorId" = v."id" left join "ahead" a on a."vendorId" = v."id"
    where ${communityId ?? null}::text is null or o."vendorId" is not null or a."vendorId" is not null
    order by "openCommitment" desc, "tasksAhead" desc, v."id" limit ${MAX_VENDORS + 1}`.execute(db)
  const { rows: vendors, truncated } = truncateRows(rows, MAX_VENDORS)
  return {
    vendors,
    ...createReportFooter(call, { truncated, unknown: ['Vendors that have never sent a policy are excluded.'] }),
    currency: call.currency,
  }
}
