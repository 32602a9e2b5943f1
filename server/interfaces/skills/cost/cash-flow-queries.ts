import { sql } from 'kysely'
import type { RetainageStep } from '../../../../client/contract.gen.ts'
import { computeRequiredRetainage, type RetainageTerms } from '../../../domain/paying/bill-records/retainage.ts'
import { TOTAL_PRICE_SQL } from '../../../domain/selling/sales/queries.ts'
import { UNSETTLED_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { getMinorUnits } from '../../../platform/values/minor-units.ts'

/** An outgoing or incoming payment on one day. The day can be unknown. */
export interface CashFlow {
  kind: 'payments' | 'payable' | 'work' | 'retainage' | 'deposits' | 'applications' | 'draws' | 'closings'
  day: string | null
  amount: number
}

/**
 * Returns the outflows, summed by day, so that the result has at most a few thousand rows for any number of orders. An
 * order includes its change orders. An amount that a vendor owes is not treated as an inflow.
 */
export async function findOutflows(call: Call, communityId: string | undefined): Promise<CashFlow[]> {
  const { db, organizationId, timeZone, currency } = call
  const decimals = sql`${getMinorUnits(currency)}::integer`
  const inCommunity = sql`(${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})`
  /**
   * The part of a bill's amount that belongs to one home. It is computed from rounded running sums, so that the parts
   * add up to the amount.
   */
  const share = (amount: string, part: string) =>
    sql`(round(${sql.raw(amount)} * ${sql.raw(part)}."upTo" / ${sql.raw(part)}."whole", ${decimals})
      - round(${sql.raw(amount)} * (${sql.raw(part)}."upTo" - ${sql.raw(part)}."net") / ${sql.raw(part)}."whole", ${decimals}))`
  const special = await findSteppedRetainage(call)
  const { rows } = await sql<CashFlow>`
    with "unsettled" as materialized (
      select o.*, coalesce(o."rootPoId", o."id") as "wholeId", h."forecastCompletionDate" from "purchaseOrders" o
      join "homes" h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
      where o."organizationId" = ${organizationId} and o."status" = any(${[...UNSETTLED_STATUSES]}::text[]) and ${inCommunity}
    ), "ofTrades" as materialized (
      select t."homeId", lower(t."scope") as "key", max(t."plannedEnd") as "endsOn" from "tasks" t
      where t."organizationId" = ${organizationId} and t."archivedAt" is null and t."scope" is not null
        and t."homeId" = any(array(select distinct "homeId" from "unsettled" where "total" <> "completedAmount"))
      group by t."homeId", lower(t."scope")
    ), "ofOrders" as materialized (
      select l."poId", max(t."plannedEnd") as "endsOn" from "tasks" t cross join lateral unnest(t."poIds") as l("poId")
      where t."organizationId" = ${organizationId} and t."archivedAt" is null and t."poIds" <> '{}'
        and t."homeId" = any(array(select distinct "homeId" from "unsettled" where "total" <> "completedAmount"))
      group by l."poId"
    ), "wholes" as materialized (
      select o."wholeId", sum(o."total") as "total", sum(o."billedAmount") as "billed", sum(o."unbilledAmount") as "unbilled",
        sum(o."retainedAmount" + o."releasedAmount") as "withheld", sum(o."retainedAmount" - o."releasingAmount") as "held",
        -- A deposit that no bill has used makes the payable amount negative. For a backcharge, it is always negative.
        case when sum(o."total") < 0 then 0 else greatest(-sum(o."payableAmount" - o."reservedAmount"), 0) end as "deposit",
        max((coalesce(o."progressedAt", o."updatedAt") at time zone ${timeZone})::date) as "doneOn",
        max(o."forecastCompletionDate") as "completesOn", max(p."endsOn") as "ownEnd", max(s."endsOn") as "tradeEnd",
        max(coalesce((v."paymentTerms" ->> 'netDays')::integer, 0)) as "netDays",
        max(o."retainagePercent") filter (where o."id" = o."wholeId") as "retainagePercent",
        max(o."retainageMaxPercent") filter (where o."id" = o."wholeId") as "retainageMaxPercent"
      from "unsettled" o
      join "vendors" v on v."organizationId" = o."organizationId" and v."id" = o."vendorId"
      left join "ofTrades" s on s."homeId" = o."homeId" and s."key" = lower(o."scope")
      left join "ofOrders" p on p."poId" = o."id"
      group by o."wholeId"
    ), "retained" as materialized (
      select w.*, w."total" - w."billed" as "toBill", coalesce(r."required", round(
          w."total" * least(w."retainagePercent", coalesce(w."retainageMaxPercent", 100)) / 100, ${decimals})) - w."withheld" as "toRetain"
      from "wholes" w
      left join unnest(${[...special.keys()]}::text[], ${[...special.values()]}::numeric[]) as r ("wholeId", "required")
        on r."wholeId" = w."wholeId"
    ), "expected" as materialized (
      -- A deposit is used first by the completed work.
      select w.*, w."unbilled" - w."unbilledRetainage" as "unbilledNet",
        w."toBill" - w."unbilled" - (w."toRetain" - w."unbilledRetainage") as "futureNet"
      from (select r.*, case when r."toBill" = 0 then 0
        else round(r."toRetain" * r."unbilled" / r."toBill", ${decimals}) end as "unbilledRetainage" from "retained" r) as w
    ), "billParts" as materialized (
      select b."id" as "billId", l."poId", l."homeId", b."dueDate", sum(l."amount" - l."retainageWithheld") as "net",
        nullif(sum(sum(l."amount" - l."retainageWithheld")) over (partition by b."id", l."poId"), 0) as "whole",
        sum(sum(l."amount" - l."retainageWithheld")) over (partition by b."id", l."poId" order by l."homeId") as "upTo"
      from "bills" b join "billLines" l on l."organizationId" = b."organizationId" and l."billId" = b."id"
      where b."organizationId" = ${organizationId} and b."status" in ('approved', 'partially_paid')
      group by b."id", l."poId", l."homeId", b."dueDate"
    ), "allocated" as materialized (
      select a."billId", a."poId", sum(a."amount" - a."retainageWithheld") as "net" from "paymentAllocations" a
      join "payments" p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
      where a."organizationId" = ${organizationId} and a."billId" = any(array(select "billId" from "billParts"))
        and p."status" in ('pending', 'approved', 'paid')
      group by a."billId", a."poId"
    ), "openParts" as materialized (
      select b.*, b."whole" - coalesce(a."net", 0) - coalesce(u."appliedAmount", 0) as "open",
        coalesce(o."rootPoId", b."poId", b."billId") as "wholeId"
      from "billParts" b
      left join "purchaseOrders" o on o."organizationId" = ${organizationId} and o."id" = b."poId"
      left join "billOrders" u on u."organizationId" = ${organizationId} and u."billId" = b."billId" and u."poId" = b."poId"
      left join "allocated" a on a."billId" = b."billId" and a."poId" is not distinct from b."poId"
    ), "allocations" as materialized (
      select p."dueDate", a."amount" - a."retainageWithheld" as "amount", a."billId", a."poId", o."homeId", p."paymentType",
        coalesce(o."rootPoId", o."id") as "wholeId"
      from "payments" p
      join "paymentAllocations" a on a."organizationId" = p."organizationId" and a."paymentId" = p."id"
      left join "purchaseOrders" o on o."organizationId" = a."organizationId" and o."id" = a."poId"
      where p."organizationId" = ${organizationId} and p."status" in ('pending', 'approved')
    ), "pendingDeposits" as materialized (
      select "wholeId", sum("amount") as "amount" from "allocations" where "paymentType" = 'deposit' group by "wholeId"
    ), "openShares" as materialized (
      select p."billId", p."homeId", p."wholeId", p."dueDate", ${share('p."open"', 'p')} as "amount",
        coalesce(w."total", 0) < 0 as "isOwed"
      from "openParts" p
      join "homes" h on h."organizationId" = ${organizationId} and h."id" = p."homeId" and ${inCommunity}
      left join "wholes" w on w."wholeId" = p."wholeId"
    ), "openAmounts" as materialized (
      select s.*, sum(s."amount") over (partition by s."wholeId") as "total",
        -- Credits are first, so that they are not paid with the deposit.
        sum(s."amount") over (partition by s."wholeId" order by s."amount" >= 0, s."dueDate", s."billId", s."homeId"
          rows unbounded preceding) as "upTo",
        case when s."isOwed" then 0 else coalesce(d."amount", 0) end as "deposit"
      from "openShares" s left join "pendingDeposits" d on d."wholeId" = s."wholeId"
    ), "flows" as (
      select 'payments' as "kind", a."dueDate" as "day",
        case when b."homeId" is null then a."amount" else coalesce(${share('a."amount"', 'b')}, 0) end as "amount"
      from "allocations" a
      left join "billParts" b on a."poId" is null and b."billId" = a."billId" and b."poId" is null
      left join "homes" ho on ho."organizationId" = ${organizationId} and ho."id" = a."homeId"
      left join "homes" hb on hb."organizationId" = ${organizationId} and hb."id" = b."homeId"
      where ${communityId ?? null}::text is null or coalesce(ho."communityId", hb."communityId") = ${communityId ?? null}
      union all
      -- A pending deposit is one of the payments. Once it is paid, it pays the open bills, oldest first.
      select 'payable', "dueDate", coalesce("amount" - greatest(least("upTo", "deposit") - greatest("upTo" - "amount", 0), 0), 0)
      from "openAmounts" where case when "isOwed" then "total" < 0 else "total" > 0 end
      union all
      select 'work', "doneOn" + "netDays", greatest("unbilledNet" - "deposit", 0) from "expected" where "unbilledNet" > 0
      union all
      select 'work', coalesce("ownEnd", "tradeEnd") + "netDays", "futureNet" - case when "unbilledNet" > 0
        then greatest("deposit" - "unbilledNet", 0) else "deposit" - "unbilledNet" end
      from "expected"
      union all
      select 'retainage', "completesOn" + "netDays", "held" + "toRetain" from "expected"
    )
    select "kind", "day", sum("amount") as "amount" from "flows" where "amount" <> 0 group by "kind", "day"`.execute(db)
  return rows
}

interface SteppedOrder extends Pick<RetainageTerms, 'retainagePercent' | 'retainageMaxPercent' | 'total' | 'own'> {
  id: string
  retainageSteps: RetainageStep[]
  /** The home's completed milestones, each with the amount invoiced up to its completion. */
  reached: { id: string; billed: number }[]
}

/**
 * Returns the retainage of each order whose retainage rate changes in steps or differs by line. The retainage is based
 * on the order's total.
 */
async function findSteppedRetainage({ db, organizationId, currency }: Call): Promise<Map<string, number>> {
  const unsettled = sql`any(${[...UNSETTLED_STATUSES]}::text[])`
  const { rows } = await sql<SteppedOrder>`
    with "stepped" as materialized (
      select o.* from "purchaseOrders" o
      where o."organizationId" = ${organizationId} and o."status" = ${unsettled} and o."rootPoId" is null
        and (o."retainageSteps"::text <> '[]' or exists (
          select from "purchaseOrderLines" l where l."organizationId" = o."organizationId" and l."purchaseOrderId" = o."id"
            and l."retainagePercent" is not null))
    ), "members" as materialized (
      select s."id" as "wholeId", c."id", c."total" from "stepped" s
      join "purchaseOrders" c on c."organizationId" = ${organizationId} and (c."id" = s."id" or c."rootPoId" = s."id")
        and c."status" = ${unsettled}
    )
    select o."id", o."retainagePercent", o."retainageMaxPercent", o."retainageSteps",
      (select sum(m."total") from "members" m where m."wholeId" = o."id") as "total",
      (select coalesce(json_agg(json_build_object('percent', l."retainagePercent", 'amount', l."total" + l."taxAmount")), '[]')
        from "members" m join "purchaseOrderLines" l on l."organizationId" = ${organizationId} and l."purchaseOrderId" = m."id"
          and l."retainagePercent" is not null
        where m."wholeId" = o."id") as "own",
      (select coalesce(json_agg(json_build_object('id', e."id", 'billed', coalesce((
          select sum(p."grossAmount") from "members" m
          join "billOrders" p on p."organizationId" = ${organizationId} and p."poId" = m."id"
          join "bills" b on b."organizationId" = ${organizationId} and b."id" = p."billId"
            and b."status" in ('approved', 'partially_paid', 'paid') and b."invoiceDate" <= e."completedDate"
          where m."wholeId" = o."id"), 0))), '[]')
        from "milestones" e
        where e."organizationId" = ${organizationId} and e."homeId" = o."homeId" and e."completedDate" is not null) as "reached"
    from "stepped" o`.execute(db)
  return new Map(rows.map((order) => [order.id, computeRetainageOfTotal(order, currency)]))
}

function computeRetainageOfTotal({ total, retainageSteps, reached, ...terms }: SteppedOrder, currency: string): number {
  const steps = retainageSteps.flatMap(({ atPercent, milestoneId, ...step }) => {
    const at =
      atPercent === undefined ? reached.find(({ id }) => id === milestoneId)?.billed : (total * atPercent) / 100
    return at === undefined ? [] : [{ ...step, at }]
  })
  steps.sort((one, other) => Math.abs(one.at) - Math.abs(other.at))
  return computeRequiredRetainage(
    { ...terms, currency, total, steps, storedRetainagePercent: null, storedAmount: 0 },
    total,
  )
}

/**
 * Returns the inflows, summed by day. At the closing, a sale yields its price minus the amounts received before, and
 * draws are repaid.
 */
export async function findInflows(call: Call, communityId: string | undefined): Promise<CashFlow[]> {
  const { db, organizationId } = call
  const decimals = sql`${getMinorUnits(call.currency)}::integer`
  const { rows } = await sql<CashFlow>`
    with "sold" as materialized (
      select t."id", t."homeId", t."deposits"::jsonb as "deposits", t."depositsReceived", ${sql.raw(TOTAL_PRICE_SQL)} as "price",
        coalesce(h."closingDate", t."targetCloseDate", h."forecastCompletionDate") as "closesOn"
      from "sales" t left join "homes" h on h."organizationId" = t."organizationId" and h."id" = t."homeId"
      where t."organizationId" = ${organizationId} and t."status" in ('approved', 'pipeline_complete')
        and case when h."id" is null then t."status" = 'approved'
          else h."closingDate" is null and h."status" not in ('archived', 'cancelled') end
        and (${communityId ?? null}::text is null or t."communityId" = ${communityId ?? null})
    ), "due" as materialized (
      select s."id", (d ->> 'dueDate')::date as "day", (d ->> 'amount')::numeric as "amount"
      from "sold" s, jsonb_array_elements(s."deposits") as d where d ->> 'status' = 'due'
    ), "certified" as materialized (
      select s."id", a."certifiedDate" as "day", a."openAmount" as "open", a."receivedAmount" as "received"
      from "sold" s join "applications" a on a."organizationId" = ${organizationId} and a."saleId" = s."id"
        and a."status" in ('certified', 'partially_paid', 'paid')
    ), "draws" as materialized (
      select s."id", d."requestedDate" as "day", d."status" in ('requested', 'approved') as "isComing",
        coalesce(d."fundedAmount", d."requestedAmount") as "amount"
      from "sold" s join "loanDraws" d on d."organizationId" = ${organizationId} and d."homeId" = s."homeId"
        and d."status" in ('requested', 'approved', 'funded')
      union all
      -- A draw that is not requested yet is expected when its milestone is planned, at the present price.
      select s."id", coalesce((
          select max(k."earlyFinish") from "tasks" k
          where k."organizationId" = m."organizationId" and k."id" = any(m."taskIds") and k."archivedAt" is null
            and k."status" <> 'skipped'), m."targetDate"), true,
        coalesce(m."drawAmount", round(m."drawPercent" * s."price" / 100, ${decimals}))
      from "sold" s
      join "milestones" m on m."organizationId" = ${organizationId} and m."homeId" = s."homeId" and m."archivedAt" is null
        and m."status" = 'pending' and coalesce(m."drawAmount", m."drawPercent") is not null
      where not exists (
        select from "loanDraws" d where d."organizationId" = m."organizationId" and d."milestoneId" = m."id"
          and d."status" <> 'rejected')
    ), "flows" as (
      select 'deposits' as "kind", "day", "amount" from "due"
      union all
      select 'applications', "day", "open" from "certified"
      union all
      select 'draws', "day", "amount" from "draws" where "isComing"
      union all
      select 'closings', s."closesOn", s."price" - s."depositsReceived"
        - coalesce((select sum("amount") from "due" d where d."id" = s."id"), 0)
        - coalesce((select sum("open" + "received") from "certified" a where a."id" = s."id"), 0)
        - coalesce((select sum("amount") from "draws" w where w."id" = s."id"), 0)
      from "sold" s where s."price" is not null
    )
    select "kind", "day", sum("amount") as "amount" from "flows" where "amount" <> 0 group by "kind", "day"`.execute(db)
  return rows
}
