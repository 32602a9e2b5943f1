import { sql } from 'kysely'
import type { HomeStatus, SaleRevenueMethod } from '../../../../client/contract.gen.ts'
import { toHomePriceSql } from '../../../domain/land/homes/queries.ts'
import { NO_TRADE } from '../../../domain/ledger/no-trade.ts'
import { PENDING_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'

/** A home with its ledger balances at the end of a day. */
export interface LedgerHome {
  homeId: string
  home: string
  status: HomeStatus
  closingDate: string | null
  /** The revenue method of the sale that is under contract; null if the home was not under contract. */
  revenueMethod: SaleRevenueMethod | null
  /** The price of the home before any sale. */
  price: number | null
  /** The price in the contract; null if the home was not under contract. */
  contract: number | null
  budget: number
  /**
   * The contract price at the later of two times: when the budget was locked, and when the sale was approved.
   * `baselineBudget` is the budget at that time.
   */
  baselineContract: number
  baselineBudget: number
  hasBaseline: boolean
  cost: number
  /** The cost of approved orders, plus all cost without an order. */
  finalCost: number
  /** The sum over all trades of the budget or, if it is higher, the orders plus all cost without an order. */
  estimatedCost: number
  /** The value of materials that are stored but not installed. */
  storedMaterials: number
  /** Whether the budget was not locked at the end of the day. In this case, the current budget is used. */
  isUnlocked: boolean
}

interface LedgerHomesQuery {
  communityId?: string | undefined
  /** If given, only homes that closed between these dates. */
  closed?: { from: string; to: string }
  /** If given, only homes that have not closed or that closed on or after this day. */
  openOn?: string
  through: string
  knownAt?: string | undefined
  /** Whether to include orders that await approval. Their history is not recorded. */
  includesPending: boolean
}

/**
 * Returns the homes, sorted by name, in one statement. Returns up to `max` + 1 homes, so that the caller knows whether
 * there are more.
 */
export async function findLedgerHomes(
  call: Call,
  { communityId, closed, openOn, through, knownAt, includesPending }: LedgerHomesQuery,
  max: number,
): Promise<LedgerHome[]> {
  const { db, organizationId, timeZone } = call
  const pending = includesPending ? [...PENDING_STATUSES] : []
  const { rows } = await sql<LedgerHome>`
    with "of" as materialized (
      select h.*, h."name" || ', ' || c."name" as "home",
        h."budgetLockedAt" is null or h."budgetLockedAt" >= "dayStart"(${through}::date + 1, ${timeZone}) as "isUnlocked"
      from "homes" h
      join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
      where h."organizationId" = ${organizationId} and h."status" <> 'cancelled'
        and (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})
        and (${closed?.from ?? null}::date is null or h."closingDate" between ${closed?.from ?? null} and ${closed?.to ?? null})
        and (${openOn ?? null}::date is null or coalesce(h."closingDate", 'infinity') >= ${openOn ?? null}::date)
      order by h."name", h."id" limit ${max + 1}
    ), "posted" as materialized (
      select p.* from "postings" p
      where p."organizationId" = ${organizationId} and p."homeId" = any(array(select "id" from "of"))
        and p."effectiveDate" <= ${through}::date
        and (${knownAt ?? null}::timestamptz is null or p."recordedAt" <= ${knownAt ?? null}::timestamptz)
        and p."measure" in ('budget', 'contract', 'commitment', 'cost', 'stored')
    ), "contracts" as materialized (
      select "homeId", "saleId", sum("amount") as "amount" from "posted" where "measure" = 'contract'
      group by "homeId", "saleId" having sum("amount") <> 0
    ), "sold" as materialized (
      select c."homeId", sum(c."amount") as "amount", max(s."revenueMethod") as "revenueMethod", max(s."approvedAt") as "approvedAt"
      from "contracts" c join "sales" s on s."organizationId" = ${organizationId} and s."id" = c."saleId"
      group by c."homeId"
    ), "baselines" as materialized (
      select h."id" as "homeId", greatest(h."budgetLockedAt", s."approvedAt") as "at"
      from "of" h left join "sold" s on s."homeId" = h."id" where not h."isUnlocked"
    ), "ofBaselines" as materialized (
      -- Derived postings were recorded later than the records from which they were derived.
      select p."homeId", coalesce(sum(p."amount") filter (where p."measure" = 'contract'), 0) as "contract",
        coalesce(sum(p."amount") filter (where p."measure" = 'budget'), 0) as "budget"
      from "posted" p join "baselines" b on b."homeId" = p."homeId"
      where p."measure" in ('contract', 'budget') and case p."basis" when 'recorded' then p."recordedAt" <= b."at"
        else p."effectiveDate" <= (b."at" at time zone ${timeZone})::date end
      group by p."homeId"
    ), "figures" as (
      select "homeId", lower(coalesce("scope", ${NO_TRADE}::text)) as "key",
        case "measure" when 'budget' then "amount" else 0 end as "budget",
        case "measure" when 'commitment' then "amount" else 0 end as "committed",
        case "measure" when 'cost' then "amount" else 0 end as "cost",
        case when "measure" = 'cost' and "poId" is null then "amount" else 0 end as "unordered",
        case "measure" when 'stored' then "amount" else 0 end as "stored", 0 as "pending"
      from "posted" where "measure" <> 'contract'
      union all
      select b."homeId", lower(b."scope"), b."budgeted", 0, 0, 0, 0, 0 from "budgetLines" b
      where b."organizationId" = ${organizationId} and b."archivedAt" is null
        and b."homeId" = any(array(select "id" from "of" where "isUnlocked"))
      union all
      select o."homeId", lower(o."scope"), 0, 0, 0, 0, 0, o."total" from "purchaseOrders" o
      where o."organizationId" = ${organizationId} and o."homeId" = any(array(select "id" from "of"))
        and o."status" = any(${pending}::text[])
    ), "byScope" as (
      select "homeId", sum("budget") as "budget", sum("committed") as "committed", sum("cost") as "cost",
        sum("unordered") as "unordered", sum("stored") as "stored", greatest(sum("budget"), sum("committed" + "pending" + "unordered")) as "estimated"
      from "figures" group by "homeId", "key"
    ), "byHome" as (
      select "homeId", sum("budget") as "budget", sum("cost") as "cost", sum("committed" + "unordered") as "finalCost",
        sum("stored") as "stored", sum("estimated") as "estimated"
      from "byScope" group by "homeId"
    )
    select h."id" as "homeId", h."home", h."status", h."closingDate", s."revenueMethod", s."amount" as "contract",
      ${sql.raw(toHomePriceSql('h'))} as "price", h."isUnlocked", b."homeId" is not null as "hasBaseline",
      coalesce(b."contract", 0) as "baselineContract", coalesce(b."budget", 0) as "baselineBudget",
      coalesce(f."budget", 0) as "budget", coalesce(f."cost", 0) as "cost", coalesce(f."finalCost", 0) as "finalCost",
      coalesce(f."estimated", 0) as "estimatedCost", coalesce(f."stored", 0) as "storedMaterials"
    from "of" h
    left join "sold" s on s."homeId" = h."id"
    left join "ofBaselines" b on b."homeId" = h."id"
    left join "byHome" f on f."homeId" = h."id"
    order by h."name", h."id"`.execute(db)
  return rows
}
