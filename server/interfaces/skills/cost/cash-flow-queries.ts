import { sql } from 'kysely'
import { contractPriceSql } from '../../../domain/land/homes/queries.ts'
import { UNSETTLED_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { getMinorUnits } from '../../../platform/values/minor-units.ts'

/** Money that goes out or comes in on one day, or on an unknown day. */
export interface CashFlow {
  kind: 'payments' | 'payable' | 'work' | 'retainage' | 'deposits' | 'draws' | 'closings'
  day: string | null
  amount: number
}

/** Returns sums by day, so that the result has at most a few thousand rows however many orders there are. */
export async function findOutflows(call: Call, communityId: string | undefined): Promise<CashFlow[]> {
  const { db, organizationId, timeZone } = call
  const { rows } = await sql<CashFlow>`
    with "unsettled" as materialized (
      select o.*, h."forecastCompletionDate" from "purchaseOrders" o
      join "homes" h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
      where o."organizationId" = ${organizationId} and o."status" = any(${[...UNSETTLED_STATUSES]}::text[])
        and (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})
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
    ), "open" as materialized (
      select o."total", o."completedAmount", o."payableAmount" - o."reservedAmount" as "payable", o."retainedAmount",
        round((o."total" - o."completedAmount") * o."retainagePercent" / 100, ${getMinorUnits(call.currency)}::integer) as "toRetain",
        coalesce((v."paymentTerms" ->> 'netDays')::integer, 0) as "netDays",
        (coalesce(o."progressedAt", o."updatedAt") at time zone ${timeZone})::date as "doneOn", o."forecastCompletionDate", greatest(s."endsOn", p."endsOn") as "endsOn"
      from "unsettled" o
      join "vendors" v on v."organizationId" = o."organizationId" and v."id" = o."vendorId"
      left join "ofTrades" s on s."homeId" = o."homeId" and s."key" = lower(o."scope")
      left join "ofOrders" p on p."poId" = o."id"
    ), "flows" as (
      select 'payable' as "kind", "doneOn" + "netDays" as "day", "payable" as "amount" from "open"
      union all
      select 'work', "endsOn" + "netDays", "total" - "completedAmount" - "toRetain" from "open"
      union all
      select 'retainage', "forecastCompletionDate" + "netDays", "retainedAmount" + "toRetain" from "open"
      union all
      select 'payments', p."dueDate", p."amount" from "payments" p
      left join "homes" h on h."organizationId" = p."organizationId" and h."id" = p."homeId"
      where p."organizationId" = ${organizationId} and p."status" in ('pending', 'approved')
        and (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})
    )
    select "kind", "day", sum("amount") as "amount" from "flows" where "amount" <> 0 group by "kind", "day"`.execute(db)
  return rows
}

export async function findInflows(call: Call, communityId: string | undefined): Promise<CashFlow[]> {
  const { db, organizationId } = call
  const { rows } = await sql<CashFlow>`
    with "sold" as materialized (
      select s."id", s."deposits"::jsonb as "deposits", s."depositsReceived", h."id" as "homeId", h."price",
        coalesce(h."closingDate", s."targetCloseDate", h."forecastCompletionDate") as "closesOn"
      from "sales" s
      join (select t.*, ${sql.raw(contractPriceSql('t'))} as "price" from "homes" t where t."organizationId" = ${organizationId}) as h
        on h."id" = s."homeId"
      where s."organizationId" = ${organizationId} and s."status" = 'approved'
        and h."status" not in ('closed', 'warranty', 'archived', 'cancelled')
        and (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})
    ), "draws" as materialized (
      select s."id", m."status", coalesce(m."drawAmount", round(m."drawPercent" * s."price" / 100, ${getMinorUnits(call.currency)}::integer)) as "amount",
        case when m."status" = 'pending' then coalesce((
          select max(k."earlyFinish") from "tasks" k
          where k."organizationId" = m."organizationId" and k."id" = any(m."taskIds") and k."archivedAt" is null
            and k."status" <> 'skipped'), m."targetDate") end as "day"
      from "sold" s
      join "milestones" m on m."organizationId" = ${organizationId} and m."homeId" = s."homeId" and m."archivedAt" is null
        and coalesce(m."drawAmount", m."drawPercent") is not null
    ), "due" as materialized (
      select s."id", (d ->> 'dueDate')::date as "day", (d ->> 'amount')::numeric as "amount"
      from "sold" s, jsonb_array_elements(s."deposits") as d where d ->> 'status' = 'due'
    ), "flows" as (
      select 'deposits' as "kind", "day", "amount" from "due"
      union all
      select 'draws', "day", "amount" from "draws" where "status" = 'pending'
      union all
      select 'closings', s."closesOn", s."price" - s."depositsReceived" - coalesce(e."amount", 0)
      from "sold" s
      left join (
        select "id", sum("amount") as "amount" from (
          select "id", "amount" from "due" union all select "id", "amount" from "draws"
        ) as b group by "id"
      ) as e on e."id" = s."id"
      where s."price" is not null
    )
    select "kind", "day", sum("amount") as "amount" from "flows" where "amount" <> 0 group by "kind", "day"`.execute(db)
  return rows
}
