import { sql } from 'kysely'
import { FINISHED_STATUSES } from '../../../domain/land/home-statuses.ts'
import { COMMITTED_STATUSES, PENDING_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'

/** A trade in a home's budget, and how far the trade is from an order. */
export interface TradeCoverage {
  homeId: string
  home: string
  scope: string
  budgeted: number
  committed: number
  pending: number
  /** The number of submitted or accepted bids on requests for this home or for the whole community. */
  bids: number
  /** The number of requests that are sent or closed. */
  requests: number
  isOutForBids: boolean
  hasContract: boolean
  neededOn: string | null
}

/** Reads the budgeted trades of one home or of all open homes, largest budgets first, in one statement. */
export async function findTradeCoverage(
  { db, organizationId }: Call,
  {
    homeId,
    communityId,
    onlyUnbought,
  }: { homeId?: string | undefined; communityId?: string | undefined; onlyUnbought: boolean },
  max: number,
): Promise<TradeCoverage[]> {
  const { rows } = await sql<TradeCoverage>`
    with "of" as materialized (
      select h."id", h."communityId", h."name" || ', ' || c."name" as "home" from "homes" h
      join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
      where h."organizationId" = ${organizationId}
        and case when ${homeId ?? null}::text is null then h."status" <> all(${[...FINISHED_STATUSES]}::text[]) else h."id" = ${homeId ?? null} end
        and (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})
    ), "budgeted" as (
      select "homeId", lower("scope") as "key", min("scope") as "scope", sum("budgeted") as "budgeted" from "budgetLines"
      where "organizationId" = ${organizationId} and "homeId" = any(array(select "id" from "of")) and "archivedAt" is null
      group by "homeId", lower("scope") having sum("budgeted") > 0
    ), "ordered" as (
      select "homeId", lower("scope") as "key",
        coalesce(sum("total") filter (where "status" = any(${[...COMMITTED_STATUSES]}::text[])), 0) as "committed",
        coalesce(sum("total") filter (where "status" = any(${[...PENDING_STATUSES]}::text[])), 0) as "pending"
      from "purchaseOrders"
      where "organizationId" = ${organizationId} and "homeId" = any(array(select "id" from "of")) and "poType" <> 'backcharge'
      group by "homeId", lower("scope")
    ), "asked" as materialized (
      select r."id", lower(r."scope") as "key", r."communityId", r."homeIds", r."status",
        (select count(*) from "bids" b where b."organizationId" = ${organizationId} and b."bidRequestId" = r."id"
          and b."status" in ('submitted', 'accepted')) as "bids"
      from "bidRequests" r
      where r."organizationId" = ${organizationId} and r."status" in ('sent', 'closed', 'awarded')
        and r."communityId" = any(array(select distinct "communityId" from "of"))
    ), "requested" as materialized (
      select h."id" as "homeId", r."key", sum(r."bids") as "bids", count(*) filter (where r."status" in ('sent', 'closed')) as "requests",
        bool_or(r."status" = 'sent') as "isOut"
      from "asked" r
      join "of" h on h."communityId" = r."communityId" and (cardinality(r."homeIds") = 0 or h."id" = any(r."homeIds"))
      group by h."id", r."key"
    ), "contracted" as materialized (
      select lower("scope") as "key", "communityIds" from "contracts"
      where "organizationId" = ${organizationId} and "status" = 'active' and "archivedAt" is null
    )
    select h."id" as "homeId", h."home", b."scope", b."budgeted", coalesce(o."committed", 0) as "committed",
      coalesce(o."pending", 0) as "pending", coalesce(a."bids", 0) as "bids", coalesce(a."requests", 0) as "requests",
      coalesce(a."isOut", false) as "isOutForBids",
      exists (select from "contracted" k where k."key" = b."key"
        and (cardinality(k."communityIds") = 0 or h."communityId" = any(k."communityIds"))) as "hasContract",
      case when ${homeId ?? null}::text is not null then (
        select min(t."plannedStart") from "tasks" t where t."organizationId" = ${organizationId} and t."homeId" = h."id"
          and lower(t."scope") = b."key" and t."archivedAt" is null and t."status" in ('not_started', 'in_progress', 'on_hold')
      ) end as "neededOn"
    from "budgeted" b
    join "of" h on h."id" = b."homeId"
    left join "ordered" o on o."homeId" = b."homeId" and o."key" = b."key"
    left join "requested" a on a."homeId" = b."homeId" and a."key" = b."key"
    where not ${onlyUnbought}::boolean or coalesce(o."committed", 0) = 0
    order by b."budgeted" desc, h."id", b."key" limit ${max + 1}`.execute(db)
  return rows
}
