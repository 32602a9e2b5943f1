import { sql } from 'kysely'
import type { HomeStatus, SaleRevenueMethod } from '../../../../client/contract.gen.ts'
import { contractPriceSql, homePriceSql } from '../../../domain/land/homes/queries.ts'
import { COMMITTED_STATUSES, PENDING_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'

/** A home with its revenue, its cost to date and its estimated cost, for reports about many homes. */
export interface CostedHome {
  homeId: string
  home: string
  status: HomeStatus
  closingDate: string | null
  /** Of its approved sale; null without one. */
  revenueMethod: SaleRevenueMethod | null
  forecastCompletionDate: string | null
  price: number | null
  contractPrice: number | null
  budgeted: number
  originalBudgeted: number
  committed: number
  pendingCommitted: number
  /** The approved hours of the builder's own employees, as a cost. */
  labor: number
  /** The completed part of its orders, plus labor. */
  costToDate: number
  /** For each trade its budget, or its orders and labor if they exceed it. */
  estimatedCost: number
}

interface CostedHomesQuery {
  communityId?: string | undefined
  statuses: readonly HomeStatus[]
  /** Only homes that closed between these dates. */
  closed?: { from: string; to: string }
  /** Only homes that have not closed, or closed on this day or later. */
  openOn?: string
  /** Costs up to the end of this day alone. */
  through?: string
}

/** Returns the homes by name, up to `most` of them plus one if there are more, in one statement. */
export async function findCostedHomes(
  call: Call,
  { communityId, statuses, closed, openOn, through }: CostedHomesQuery,
  max: number,
): Promise<CostedHome[]> {
  const { db, organizationId, timeZone } = call
  const dayEnd = through === undefined ? null : sql`(${through}::date + 1)::timestamp at time zone ${timeZone}`
  // For an order that continued after the day, only the amount invoiced by then is known.
  const done =
    dayEnd === null
      ? sql`o."completedAmount"`
      : sql`case when o."progressedAt" is null or o."progressedAt" < ${dayEnd} then o."completedAmount" else coalesce((
          select sum(a."amount" + a."retainageWithheld") from "paymentAllocations" a
          join "payments" p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
          where a."organizationId" = o."organizationId" and a."poId" = o."id" and p."invoiceDate" <= ${through}
            and p."status" not in ('rejected', 'voided') and p."paymentType" in ('progress', 'final')), 0) end`
  const { rows } = await sql<CostedHome>`
    with "of" as materialized (
      select h.*, h."name" || ', ' || c."name" as "home" from "homes" h
      join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
      where h."organizationId" = ${organizationId} and h."status" = any(${[...statuses]}::text[])
        and (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})
        and (${closed?.from ?? null}::date is null or h."closingDate" between ${closed?.from ?? null} and ${closed?.to ?? null})
        and (${openOn ?? null}::date is null or coalesce(h."closingDate", 'infinity') >= ${openOn ?? null}::date)
      order by h."name", h."id" limit ${max + 1}
    ), "figures" as (
      select "homeId", lower("scope") as "key", "budgeted", "originalAmount" as "original",
        0 as "committed", 0 as "pending", 0 as "labor", 0 as "done"
      from "budgetLines"
      where "organizationId" = ${organizationId} and "homeId" = any(array(select "id" from "of")) and "archivedAt" is null
      union all
      select o."homeId", lower(o."scope"), 0, 0,
        case when o."status" = any(${[...COMMITTED_STATUSES]}::text[]) then o."total" else 0 end,
        case when o."status" = any(${[...PENDING_STATUSES]}::text[]) then o."total" else 0 end, 0, ${done}
      from "purchaseOrders" o
      where o."organizationId" = ${organizationId} and o."homeId" = any(array(select "id" from "of"))
        and o."status" = any(${[...COMMITTED_STATUSES, ...PENDING_STATUSES]}::text[])
      union all
      select "homeId", lower(coalesce("scope", '')), 0, 0, 0, 0, "cost", "cost" from "timeEntries"
      where "organizationId" = ${organizationId} and "homeId" = any(array(select "id" from "of"))
        and "postedAt" is not null and (${through ?? null}::date is null or "date" <= ${through ?? null}::date)
    ), "ofScope" as (
      select "homeId", sum("budgeted") as "budgeted", sum("original") as "original", sum("committed") as "committed",
        sum("pending") as "pending", sum("labor") as "labor", sum("done") as "done"
      from "figures" group by "homeId", "key"
    ), "ofHome" as (
      select "homeId", sum("budgeted") as "budgeted", sum("original") as "original", sum("committed") as "committed",
        sum("pending") as "pending", sum("labor") as "labor", sum("done") as "done",
        sum(greatest("budgeted", "committed" + "pending" + "labor")) as "estimated"
      from "ofScope" group by "homeId"
    )
    select h."id" as "homeId", h."home", h."status", h."closingDate", h."forecastCompletionDate", (
        select s."revenueMethod" from "sales" s
        where s."organizationId" = ${organizationId} and s."id" = h."saleId" and s."status" in ('approved', 'pipeline_complete')
      ) as "revenueMethod",
      ${sql.raw(homePriceSql('h'))} as "price", ${sql.raw(contractPriceSql('h'))} as "contractPrice",
      coalesce(f."budgeted", 0) as "budgeted", coalesce(f."original", 0) as "originalBudgeted",
      coalesce(f."committed", 0) as "committed", coalesce(f."pending", 0) as "pendingCommitted",
      coalesce(f."labor", 0) as "labor", coalesce(f."done", 0) as "costToDate", coalesce(f."estimated", 0) as "estimatedCost"
    from "of" h left join "ofHome" f on f."homeId" = h."id"
    order by h."name", h."id"`.execute(db)
  return rows
}
