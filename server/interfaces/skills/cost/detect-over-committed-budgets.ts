import { sql } from 'kysely'
import type { DetectOverCommittedBudgetsResult, OverCommitment } from '../../../../client/contract.gen.ts'
import { COMMITTED_STATUSES, PENDING_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { MAX_RECORDS, type WorkLimit } from '../frame/work-limit.ts'

/**
 * The maximum number of budgets in the list. The contract documents the same limit. The count includes budgets that are
 * not in the list.
 */
const MAX_LISTED = 500

interface OverCommitments {
  homesChecked: number
  overCommittedCount: number
  overCommitted: OverCommitment[]
}

export async function detectOverCommittedBudgets(
  { communityId, thresholdPercent }: Checked['DetectOverCommittedBudgetsInput'],
  call: Call,
  workLimit: WorkLimit,
): Promise<DetectOverCommittedBudgetsResult> {
  const found = await findOverCommitments(call, communityId, thresholdPercent)
  workLimit.spend(found.homesChecked)
  return { thresholdPercent, currency: call.currency, ...found, asOf: call.now.toISOString() }
}

/**
 * Reads the budgets of trades with orders in one statement. The statement looks up each spelling of a trade, because
 * the index is case-sensitive. `offset 0` forces a separate lookup for each spelling. Without it, the database would
 * read all lines of the home.
 */
async function findOverCommitments(
  { db, organizationId }: Call,
  communityId: string | undefined,
  thresholdPercent: number,
): Promise<OverCommitments> {
  const { rows } = await sql<OverCommitments>`
    with "of" as materialized (
      select "id", "name", "communityId" from "homes"
      where "organizationId" = ${organizationId} and "archivedAt" is null
        and (${communityId ?? null}::text is null or "communityId" = ${communityId ?? null})
      limit ${MAX_RECORDS + 1}
    ), "ordered" as materialized (
      select "homeId", lower("scope") as "key", min("scope") as "scope",
        coalesce(sum("total") filter (where "status" = any(${[...COMMITTED_STATUSES]}::text[])), 0) as "committed",
        coalesce(sum("total") filter (where "status" = any(${[...PENDING_STATUSES]}::text[])), 0) as "pending"
      from "purchaseOrders"
      where "organizationId" = ${organizationId} and "homeId" = any(array(select "id" from "of"))
        and "status" = any(${[...COMMITTED_STATUSES, ...PENDING_STATUSES]}::text[])
      group by "homeId", lower("scope")
    ), "trades" as materialized (
      select lower("name") as "key", array_agg(distinct "name") as "names" from "scopes"
      where "organizationId" = ${organizationId} group by lower("name")
    ), "over" as materialized (
      select o."homeId", coalesce(b."scope", o."scope") as "scope", coalesce(b."budgeted", 0) as "budgeted", o."committed", o."pending",
        o."committed" + o."pending" - coalesce(b."budgeted", 0) as "by"
      from "ordered" o left join "trades" t on t."key" = o."key" cross join lateral (
        select min(l."scope") as "scope", sum(l."budgeted") as "budgeted" from unnest(t."names") as n ("name") cross join lateral (
          select "scope", "budgeted" from "budgetLines"
          where "organizationId" = ${organizationId} and "homeId" = o."homeId" and "scope" = n."name" and "archivedAt" is null offset 0
        ) as l
      ) as b
      where o."committed" + o."pending" > coalesce(b."budgeted", 0) * ${thresholdPercent}::numeric / 100
        and o."committed" + o."pending" <> 0
    ), "largest" as materialized (
      select * from "over" order by "by" desc, "homeId", "scope" limit ${MAX_LISTED}
    )
    select (select count(*) from "of") as "homesChecked", (select count(*) from "over") as "overCommittedCount", coalesce((
      select json_agg(json_build_object('homeId', h."id", 'homeName', h."name", 'communityId', h."communityId", 'scope', l."scope",
        'budgeted', l."budgeted", 'committed', l."committed", 'pendingCommitted', l."pending",
        'usedPercent', round(100 * (l."committed" + l."pending") / nullif(l."budgeted", 0), 1), 'overBy', l."by")
        order by l."by" desc, l."homeId", l."scope")
      from "largest" l join "homes" h on h."organizationId" = ${organizationId} and h."id" = l."homeId"), '[]') as "overCommitted"`.execute(
    db,
  )
  const [found] = rows
  if (found === undefined) throw new Error('Expected the count query to return a row.')
  return found
}
