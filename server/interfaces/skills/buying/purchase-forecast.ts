import { sql } from 'kysely'
import type { PurchaseForecastResult } from '../../../../client/contract.gen.ts'
import { FINISHED_STATUSES } from '../../../domain/land/home-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { createWorkCalendar } from '../../../platform/values/workdays.ts'
import { createReportFooter, getToday, selectSentences, truncateRows } from '../frame/report.ts'

const MAX_ROWS = 1000

type ForecastPart = PurchaseForecastResult['parts'][number]

/**
 * A row without its order date. The order date is computed from the first day in each community on which the unordered
 * part is needed.
 */
type Needed = Omit<ForecastPart, 'orderBy'> & {
  leadTimeDays: number
  needs: { day: string; workdays: number[]; holidays: string[] }[] | null
}

/**
 * Forecasts purchases from the budgets of homes. A home's budget is its estimated takeoff with the selections. A part
 * is needed when its trade starts.
 */
export async function forecastPurchases(
  { weeks, communityId }: Checked['PurchaseForecastInput'],
  call: Call,
): Promise<PurchaseForecastResult> {
  const today = getToday(call)
  const [found, unestimated] = await Promise.all([
    findNeededParts(call, { from: today, to: addDays(today, weeks * 7 - 1), communityId }),
    countHomesWithoutEstimate(call, communityId),
  ])
  const { rows, truncated } = truncateRows(found, MAX_ROWS)
  return {
    parts: rows,
    ...createReportFooter(call, {
      truncated,
      unknown: selectSentences(
        unestimated > 0 && `Homes with a plan but no estimated budget are excluded: ${unestimated}.`,
        'Trades bought as a lump sum have no parts. Trades without an open task have no week.',
      ),
    }),
  }
}

// Materializes each step of the query. Without statistics, the database expects one row from each step and would repeat
// the next step for every row. For a dozen homes, this would take seconds.
async function findNeededParts(
  { db, organizationId }: Call,
  { from, to, communityId }: { from: string; to: string; communityId: string | undefined },
): Promise<ForecastPart[]> {
  const { rows } = await sql<Needed>`
    with "starting" as materialized (
      select t."homeId", lower(t."scope") as "key", greatest(min(t."plannedStart"), ${from}::date) as "day" from "tasks" t
      join "homes" h on h."organizationId" = t."organizationId" and h."id" = t."homeId"
        and h."status" <> all(${[...FINISHED_STATUSES]}::text[])
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
    ), "byHome" as materialized (
      select n.*, h."communityId", ${from}::date + 7 * ((n."day" - ${from}::date) / 7) as "weekFrom",
        least(coalesce(o."quantity", 0), n."quantity") as "ordered"
      from "needed" n
      join "homes" h on h."organizationId" = ${organizationId} and h."id" = n."homeId"
      left join "ordered" o on o."homeId" = n."homeId" and o."partId" = n."partId"
    ), "first" as materialized (
      select "weekFrom", "partId", "communityId", min("day") as "day" from "byHome" where "quantity" > "ordered"
      group by "weekFrom", "partId", "communityId"
    ), "needs" as materialized (
      select f."weekFrom", f."partId",
        json_agg(json_build_object('day', f."day", 'workdays', c."workdays", 'holidays', c."holidays")) as "needs"
      from "first" f join "communities" c on c."organizationId" = ${organizationId} and c."id" = f."communityId"
      group by f."weekFrom", f."partId"
    )
    select n."weekFrom", p."id" as "partId", p."sku" || ' ' || p."name" as "part", p."unit", count(*) as "homes",
      sum(n."quantity") as "needed", sum(n."ordered") as "ordered", sum(n."quantity" - n."ordered") as "toOrder",
      coalesce(p."leadTimeDays", 0) as "leadTimeDays",
      (select x."needs" from "needs" x where x."weekFrom" = n."weekFrom" and x."partId" = p."id") as "needs"
    from "byHome" n join "parts" p on p."organizationId" = ${organizationId} and p."id" = n."partId"
    group by n."weekFrom", p."id", p."sku", p."name", p."unit", p."leadTimeDays"
    order by n."weekFrom", p."sku", p."id" limit ${MAX_ROWS + 1}`.execute(db)
  return rows.map(({ leadTimeDays, needs, ...row }) => {
    // Each community has its own workdays and holidays. The earliest of their order dates is early enough for all of
    // them.
    const dates = (needs ?? []).map(({ day, ...calendar }) => createWorkCalendar(calendar).add(day, -leadTimeDays))
    return { ...row, orderBy: dates.sort()[0] ?? null }
  })
}

async function countHomesWithoutEstimate(
  { db, organizationId }: Call,
  communityId: string | undefined,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as "count" from "homes" h
    where h."organizationId" = ${organizationId} and h."planId" is not null and h."status" <> all(${[...FINISHED_STATUSES]}::text[])
      and (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})
      and not exists (select from "budgetLines" b where b."organizationId" = ${organizationId} and b."homeId" = h."id"
        and b."source" in ('base', 'option'))`.execute(db)
  return rows[0]?.count ?? 0
}
