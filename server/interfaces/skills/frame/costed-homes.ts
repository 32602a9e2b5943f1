import { sql } from 'kysely'
import type { HomeStatus } from '../../../../client/contract.gen.ts'
import { COMMITTED_STATUSES, PENDING_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'

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
  const { rows } = await sql<CostedHome>`
    with "of" as materialized (
      select h.*, h."name" || ', ' || c."name" as "home" from "homes" h
      join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
      where h."organizationId" = ${organizationId} and h."status" = any(${[...statuses]}::text[])
        and (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})
      order by h."name", h."id" limit ${max + 1}
    ), "figures" as (
      select "homeId", lower("scope") as "key", "budgeted", 0 as "committed", 0 as "pending", 0 as "labor", 0 as "done"
      from "budgetLines"
      where "organizationId" = ${organizationId} and "homeId" = any(array(select "id" from "of")) and "archivedAt" is null
      union all
      select o."homeId", lower(o."scope"), 0,
        case when o."status" = any(${[...COMMITTED_STATUSES]}::text[]) then o."total" else 0 end,
        case when o."status" = any(${[...PENDING_STATUSES]}::text[]) then o."total" else 0 end, 0, o."completedAmount"
      from "purchaseOrders" o
      where o."organizationId" = ${organizationId} and o."homeId" = any(array(select "id" from "of"))
        and o."status" = any(${[...COMMITTED_STATUSES, ...PENDING_STATUSES]}::text[])
      union all
      select "homeId", lower(coalesce("scope", '')), 0, 0, 0, "cost", "cost" from "timeEntries"
      where "organizationId" = ${organizationId} and "homeId" = any(array(select "id" from "of")) and "postedAt" is not null
    ), "ofScope" as (
      select "homeId", sum("budgeted") as "budgeted", sum("committed") as "committed", sum("pending") as "pending",
        sum("labor") as "labor", sum("done") as "done"
      from "figures" group by "homeId", "key"
    ), "ofHome" as (
      select "homeId", sum("budgeted") as "budgeted", sum("committed") as "committed", sum("pending") as "pending",
        sum("done") as "done", sum(greatest("budgeted", "committed" + "pending" + "labor")) as "estimated"
      from "ofScope" group by "homeId"
    )
    select h."id" as "homeId", h."home", h."status", coalesce(f."budgeted", 0) as "budgeted",
      coalesce(f."committed", 0) as "committed", coalesce(f."pending", 0) as "pendingCommitted",
      coalesce(f."done", 0) as "costToDate", coalesce(f."estimated", 0) as "estimatedCost"
    from "of" h left join "ofHome" f on f."homeId" = h."id"
    order by h."name", h."id"`.execute(db)
  return rows
}
