import { sql } from 'kysely'
import type { CostPerSquareFootInput, CostPerSquareFootResult } from '../../../../client/contract.gen.ts'
import { COMMITTED_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { getMinorUnits } from '../../../platform/values/minor-units.ts'
import { createReportFooter, selectSentences } from '../frame/report.ts'

/** The maximum number of homes. The newest homes are used, because they reflect current building costs. */
const MAX_HOMES = 500
const MAX_SCOPES = 200

interface ComparedCosts {
  homes: number
  unmeasured: number
  more: boolean
  mean: number | null
  scopes: CostPerSquareFootResult['scopes'] | null
}

/**
 * Reports direct construction cost divided by living area. The living area comes from the plan revision from which the
 * home was built.
 */
export async function reportCostPerSquareFoot(
  { planId, communityId }: CostPerSquareFootInput,
  call: Call,
): Promise<CostPerSquareFootResult> {
  const { db, organizationId, currency } = call
  const decimals = getMinorUnits(currency)
  const { rows } = await sql<ComparedCosts>`
    with "built" as materialized (
      select h."id", coalesce(r."squareFeet", p."squareFeet") as "area" from "homes" h
      left join "plans" p on p."organizationId" = h."organizationId" and p."id" = h."planId"
      left join "planRevisions" r on r."organizationId" = h."organizationId" and r."planId" = h."planId"
        and r."revision" = h."planRevision"
      where h."organizationId" = ${organizationId} and h."status" in ('completed', 'closed', 'warranty')
        and (${planId ?? null}::text is null or h."planId" = ${planId ?? null})
        and (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})
      order by h."actualCompletionDate" desc nulls last, h."id" limit ${MAX_HOMES}
    ), "costs" as (
      select lower(o."scope") as "key", min(o."scope") as "scope", b."area", sum(o."total") as "cost"
      from "built" b
      join "purchaseOrders" o on o."organizationId" = ${organizationId} and o."homeId" = b."id"
        and o."status" = any(${[...COMMITTED_STATUSES]}::text[])
      where b."area" > 0
      group by b."id", b."area", lower(o."scope")
    )
    select (select count(*) from "built" where "area" > 0) as "homes",
      (select count(*) from "built" where "area" is null or "area" = 0) as "unmeasured",
      (select count(*) from "built") = ${MAX_HOMES} as "more",
      (select round(sum("cost") / nullif((select sum("area") from "built" where "area" > 0), 0), ${decimals}::integer) from "costs") as "mean",
      (select json_agg(s) from (
        select min("scope") as "scope", count(*) as "homes", round(sum("cost") / sum("area"), ${decimals}::integer) as "mean",
          round(min("cost" / "area"), ${decimals}::integer) as "lowest", round(max("cost" / "area"), ${decimals}::integer) as "highest"
        from "costs" group by "key" order by 3 desc, 1 limit ${MAX_SCOPES}) as s) as "scopes"`.execute(db)
  const { homes = 0, unmeasured = 0, more = false, mean = null, scopes = null } = rows[0] ?? {}
  return {
    ...{ homes, scopes: scopes ?? [], mean },
    ...createReportFooter(call, {
      truncated: more,
      unknown: selectSentences(
        unmeasured > 0 && `Homes that have no plan, or whose plan has no area, are excluded: ${unmeasured}.`,
        'Only ordered costs are included. Your own labor and land are not included.',
      ),
    }),
    currency,
  }
}
