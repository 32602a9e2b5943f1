import { sql } from 'kysely'
import type { PurchaseForecastResult } from '../../../../client/contract.gen.ts'
import { FINISHED } from '../../../domain/land/home-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { listed, reported, sentences, todayOf } from '../frame/report.ts'

const MOST_ROWS = 1000

type Row = PurchaseForecastResult['parts'][number]

/**
 * Forecasts purchases from the budget of each home, which is its takeoff with selections as estimated. A part is needed
 * when its trade starts.
 */
export async function purchaseForecast(
  { weeks, communityId }: Checked['PurchaseForecastInput'],
  call: Call,
): Promise<PurchaseForecastResult> {
  const today = todayOf(call)
  const [found, unestimated] = await Promise.all([
    neededIn(call, { from: today, to: addDays(today, weeks * 7 - 1), communityId }),
    withoutEstimate(call, communityId),
  ])
  const { rows, truncated } = listed(found, MOST_ROWS)
  return {
    parts: rows,
    ...reported(call, {
      truncated,
      unknown: sentences(
        unestimated > 0 && `Homes with a plan but no estimated budget are excluded: ${unestimated}.`,
        'Trades bought as a lump sum have no parts. Trades without an open task have no week.',
      ),
    }),
  }
}

// Each step is materialized. A database without statistics estimates one row per step and would repeat the next step
// for every row: seconds for a dozen homes.
async function neededIn(
  { db, organizationId }: Call,
  { from, to, communityId }: { from: string; to: string; communityId: string | undefined },
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    with "starting" as materialized (
      select t."homeId", lower(t."scope") as "key", greatest(min(t."plannedStart"), ${from}::date) as "day" from "tasks" t
      join "homes" h on h."organizationId" = t."organizationId" and h."id" = t."homeId"
        and h."status" <> all(${[...FINISHED]}::text[])
        and (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})
      where t."organizationId" = ${organizationId} and t."archivedAt" is null and t."scope" is not null
        and t."status" in ('not_started', 'in_progress', 'on_hold') and t."plannedStart" <= ${to}::date
      group by t."homeId", lower(t."scope")
    ), "needed" as materialized (
      select s."homeId", b."partId", s."day", sum(b."quantity") as "quantity"
      from "starting" s
      join "budgetLines" b on b."organizationId" = ${organizationId} and b."homeId" = s."homeId" and b."archivedAt" is null
        and b."homeId" = any(array(select distinct "homeId" from "starting")) and b."partId" is not null and lower(b."scope") = s."key"
      group by s."homeId", b."partId", s."day"
      having sum(b."quantity") > 0
    ), "ordered" as materialized (
      select o."homeId", l."partId", sum(case when l."unitPrice" < 0 then -l."quantity" else l."quantity" end) as "quantity"
      from "purchaseOrders" o
      join "purchaseOrderLines" l on l."organizationId" = o."organizationId" and l."purchaseOrderId" = o."id"
        and l."partId" is not null
      where o."organizationId" = ${organizationId} and o."homeId" = any(array(select distinct "homeId" from "starting"))
        and o."status" not in ('declined', 'void') and o."poType" <> 'backcharge'
      group by o."homeId", l."partId"
    ), "byHome" as (
      select n.*, ${from}::date + 7 * ((n."day" - ${from}::date) / 7) as "weekFrom",
        least(coalesce(o."quantity", 0), n."quantity") as "ordered"
      from "needed" n left join "ordered" o on o."homeId" = n."homeId" and o."partId" = n."partId"
    )
    select n."weekFrom", p."id" as "partId", p."sku" || ' ' || p."name" as "part", p."unit", count(*) as "homes",
      sum(n."quantity") as "needed", sum(n."ordered") as "ordered", sum(n."quantity" - n."ordered") as "toOrder",
      min(n."day") filter (where n."quantity" > n."ordered") - coalesce(p."leadTimeDays", 0) as "orderBy"
    from "byHome" n join "parts" p on p."organizationId" = ${organizationId} and p."id" = n."partId"
    group by n."weekFrom", p."id", p."sku", p."name", p."unit", p."leadTimeDays"
    order by n."weekFrom", p."sku", p."id" limit ${MOST_ROWS + 1}`.execute(db)
  return rows
}

async function withoutEstimate({ db, organizationId }: Call, communityId: string | undefined): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as "count" from "homes" h
    where h."organizationId" = ${organizationId} and h."planId" is not null and h."status" <> all(${[...FINISHED]}::text[])
      and (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})
      and not exists (select from "budgetLines" b where b."organizationId" = ${organizationId} and b."homeId" = h."id"
        and b."source" in ('base', 'option'))`.execute(db)
  return rows[0]?.count ?? 0
}
