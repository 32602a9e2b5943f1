import { sql } from 'kysely'
import type { SimulatePriceIncreaseInput, SimulatePriceIncreaseResult } from '../../../../client/contract.gen.ts'
import { FINISHED_STATUSES } from '../../../domain/land/home-statuses.ts'
import { COMMITTED_STATUSES, PENDING_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { computePercentAmount, sum } from '../../../platform/values/money.ts'
import { createReportFooter, truncateRows } from '../frame/report.ts'

const MAX_HOMES = 500

/**
 * Simulates a price increase. The increase affects only parts that have not been ordered yet, because orders have a
 * fixed price.
 */
export async function simulatePriceIncrease(
  input: SimulatePriceIncreaseInput,
  call: Call,
): Promise<SimulatePriceIncreaseResult> {
  const { scope, costCodeId, percent } = input
  if ((scope === undefined) === (costCodeId === undefined)) {
    throw validationFailed([{ pointer: '/scope', code: 'required', message: 'is required unless costCodeId is set' }])
  }
  const { rows, truncated } = truncateRows(await findUnbought(call, input), MAX_HOMES)
  const homes = rows.map((row) => ({ ...row, increase: computePercentAmount(row.unbought, percent, call.currency) }))
  return {
    ...{
      homes,
      unbought: sum(homes.map(({ unbought }) => unbought)),
      increase: sum(homes.map(({ increase }) => increase)),
    },
    ...createReportFooter(call, {
      truncated,
      unknown: [
        'The result excludes homes without a budget for the trade or cost code, and the cost of renewing orders on hold.',
      ],
    }),
    currency: call.currency,
  }
}

type UnboughtBudget = Omit<SimulatePriceIncreaseResult['homes'][number], 'increase'>

async function findUnbought(
  call: Call,
  { scope, costCodeId, communityId }: SimulatePriceIncreaseInput,
): Promise<UnboughtBudget[]> {
  const { db, organizationId } = call
  const codes = sql`(
    with recursive "below" as (
      select "id", 1 as "depth" from "costCodes" where "organizationId" = ${organizationId} and "id" = ${costCodeId ?? null}
      union all
      select c."id", b."depth" + 1 from "below" b
      join "costCodes" c on c."organizationId" = ${organizationId} and c."parentId" = b."id" where b."depth" < 10
    ) select "id" from "below")`
  // For a trade, sums whole orders. For a cost code, sums order lines.
  const isBudgeted =
    scope === undefined ? sql`b."costCodeId" = any(array${codes})` : sql`lower(b."scope") = lower(${scope})`
  const ordered =
    scope === undefined
      ? sql`select sum(l."total" + l."taxAmount") from "purchaseOrders" o
          join "purchaseOrderLines" l on l."organizationId" = o."organizationId" and l."purchaseOrderId" = o."id"
            and l."costCodeId" = any(array${codes})
          where true`
      : sql`select sum(o."total") from "purchaseOrders" o where lower(o."scope") = lower(${scope})`
  const { rows } = await sql<UnboughtBudget>`
    with "of" as materialized (
      select h."id", h."name" || ', ' || c."name" as "home", f."budgeted",
        coalesce((${ordered} and o."organizationId" = ${organizationId} and o."homeId" = h."id"
          and o."status" = any(${[...COMMITTED_STATUSES, ...PENDING_STATUSES]}::text[])), 0) as "ordered"
      from (
        select b."homeId", sum(b."budgeted") as "budgeted" from "budgetLines" b
        where b."organizationId" = ${organizationId} and b."archivedAt" is null and ${isBudgeted} group by b."homeId"
      ) as f
      join "homes" h on h."organizationId" = ${organizationId} and h."id" = f."homeId"
        and h."status" <> all(${[...FINISHED_STATUSES]}::text[])
        and (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})
      join "communities" c on c."organizationId" = ${organizationId} and c."id" = h."communityId"
    )
    select "id" as "homeId", "home", "budgeted", "ordered", greatest("budgeted" - "ordered", 0) as "unbought"
    from "of" where "budgeted" > "ordered"
    order by "unbought" desc, "id" limit ${MAX_HOMES + 1}`.execute(db)
  return rows
}
