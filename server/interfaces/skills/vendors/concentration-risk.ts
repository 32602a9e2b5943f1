import { sql } from 'kysely'
import type { ConcentrationRiskInput, ConcentrationRiskResult } from '../../../../client/contract.gen.ts'
import { UNSETTLED_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { toPercentage } from '../../../platform/values/money.ts'
import { createReportFooter } from '../frame/report.ts'

const MAX_VENDORS = 200

interface CommittedTotals {
  committed: number
  vendorCount: number
  index: number | null
  vendors: { vendorId: string; vendor: string; committed: number; homes: number }[] | null
}

/** Reports the Herfindahl-Hirschman index. A market with an index above 2,500 is considered highly concentrated. */
export async function reportConcentrationRisk(
  { scope, communityId }: ConcentrationRiskInput,
  call: Call,
): Promise<ConcentrationRiskResult> {
  const { db, organizationId, currency } = call
  const { rows } = await sql<CommittedTotals>`
    with "of" as materialized (
      select o."vendorId", sum(o."total") as "committed", count(distinct o."homeId") as "homes" from "purchaseOrders" o
      join "homes" h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
      where o."organizationId" = ${organizationId} and o."status" = any(${[...UNSETTLED_STATUSES]}::text[]) and o."poType" <> 'backcharge'
        and (${scope ?? null}::text is null or lower(o."scope") = lower(${scope ?? null}))
        and (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})
      group by o."vendorId" having sum(o."total") > 0
    )
    select (select coalesce(sum("committed"), 0) from "of") as "committed", (select count(*) from "of") as "vendorCount",
      (select round(sum(power("committed" * 100 / (select sum("committed") from "of"), 2))) from "of") as "index",
      (select json_agg(r) from (
        select o."vendorId", v."companyName" as "vendor", o."committed", o."homes" from "of" o
        join "vendors" v on v."organizationId" = ${organizationId} and v."id" = o."vendorId"
        order by o."committed" desc, v."id" limit ${MAX_VENDORS}) as r) as "vendors"`.execute(db)
  const { committed = 0, vendorCount = 0, index = null, vendors = null } = rows[0] ?? {}
  return {
    ...{ committed, vendorCount, herfindahlIndex: index },
    vendors: (vendors ?? []).map((vendor) => ({ ...vendor, sharePercent: toPercentage(vendor.committed, committed) })),
    ...createReportFooter(call, { truncated: vendorCount > MAX_VENDORS }),
    currency,
  }
}
