import { sql } from 'kysely'
import type { HomeStatus } from '../../../../client/contract.gen.ts'
import { NO_TRADE } from '../../../domain/ledger/no-trade.ts'
import { toPostingConditions } from '../../../domain/ledger/posting-queries.ts'
import { COMMITTED_STATUSES, PENDING_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { getToday } from './report.ts'

/** A home with its costs to date and its estimated cost, for reports about many homes. */
export interface CostedHome {
  homeId: string
  home: string
  status: HomeStatus
  budgeted: number
  committed: number
  pendingCommitted: number
  /** The cost of the completed part of the home's orders, plus labor. */
  costToDate: number
  /** The sum over all trades of the budget or, if it is higher, the orders plus labor. */
  estimatedCost: number
}

interface CostedHomesQuery {
  communityId?: string | undefined
  statuses: readonly HomeStatus[]
}

/**
 * Returns the homes, sorted by name, in one statement. Returns up to `max` + 1 homes, so that the caller knows whether
 * there are more.
 */
export async function findCostedHomes(
  call: Call,
  { communityId, statuses }: CostedHomesQuery,
  max: number,
): Promise<CostedHome[]> {
  const { db, organizationId } = call
  const costs = toPostingConditions(call, { to: getToday(call), measure: 'cost' })
  const { rows } = await sql<CostedHome>`
    with "of" as materialized (
      select h.*, h."name" || ', ' || c."name" as "home" from "homes" h
      join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
      where h."organizationId" = ${organizationId} and h."status" = any(${[...statuses]}::text[])
        and (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})
      order by h."name", h."id" limit ${max + 1}
    ), "figures" as (
      select "homeId", lower("scope") as "key", "budgeted", 0 as "committed", 0 as "pending", 0 as "unordered", 0 as "cost"
      from "budgetLines"
      where "organizationId" = ${organizationId} and "homeId" = any(array(select "id" from "of")) and "archivedAt" is null
      union all
      select o."homeId", lower(o."scope"), 0,
        case when o."status" = any(${[...COMMITTED_STATUSES]}::text[]) then o."total" else 0 end,
        case when o."status" = any(${[...PENDING_STATUSES]}::text[]) then o."total" else 0 end, 0, 0
      from "purchaseOrders" o
      where o."organizationId" = ${organizationId} and o."homeId" = any(array(select "id" from "of"))
        and o."status" = any(${[...COMMITTED_STATUSES, ...PENDING_STATUSES]}::text[])
      union all
      select p."homeId", lower(coalesce(p."scope", ${NO_TRADE}::text)), 0, 0, 0,
        case when p."poId" is null then p."amount" else 0 end, p."amount"
      from "postings" p
      where ${sql.join(costs, sql` and `)} and p."homeId" = any(array(select "id" from "of"))
    ), "ofScope" as (
      select "homeId", sum("budgeted") as "budgeted", sum("committed") as "committed", sum("pending") as "pending",
        sum("unordered") as "unordered", sum("cost") as "cost"
      from "figures" group by "homeId", "key"
    ), "ofHome" as (
      select "homeId", sum("budgeted") as "budgeted", sum("committed") as "committed", sum("pending") as "pending",
        sum("cost") as "cost", sum(greatest("budgeted", "committed" + "pending" + "unordered")) as "estimated"
      from "ofScope" group by "homeId"
    )
    select h."id" as "homeId", h."home", h."status", coalesce(f."budgeted", 0) as "budgeted",
      coalesce(f."committed", 0) as "committed", coalesce(f."pending", 0) as "pendingCommitted",
      coalesce(f."cost", 0) as "costToDate", coalesce(f."estimated", 0) as "estimatedCost"
    from "of" h left join "ofHome" f on f."homeId" = h."id"
    order by h."name", h."id"`.execute(db)
  return rows
}
