import { sql } from 'kysely'
import type { OwnerAgendaInput, OwnerAgendaResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { findHomeOverview } from '../frame/home-overview.ts'
import { createReportFooter, getToday, truncateRows } from '../frame/report.ts'

type Item = OwnerAgendaResult['items'][number]

const MAX_ITEMS = 200

export async function buildOwnerAgenda({ homeId }: OwnerAgendaInput, call: Call): Promise<OwnerAgendaResult> {
  const { home } = await findHomeOverview(call, homeId)
  const today = getToday(call)
  const { rows } = await sql<Omit<Item, 'isOverdue'>>`
    with "waiting" as (
      select 'choice' as "kind", s."id", coalesce(o."name", s."customDescription") as "label", s."deadline" as "dueDate",
        coalesce(s."scope", o."scope") as "scope"
      from "selections" as s
      left join "options" as o on o."organizationId" = s."organizationId" and o."id" = s."optionId"
      where s."organizationId" = ${call.organizationId} and s."homeId" = ${homeId} and s."status" = 'pending'
      union all
      select 'change', c."id", 'Change ' || c."number" || ': ' || c."title", null, c."lines"->0->>'scope'
      from "buyerChanges" as c
      where c."organizationId" = ${call.organizationId} and c."homeId" = ${homeId} and c."status" = 'sent'
      union all
      select 'walkthrough', w."id", initcap(replace(w."kind", '_', '-')) || ' walkthrough', w."date", null
      from "walkthroughs" as w
      where w."organizationId" = ${call.organizationId} and w."homeId" = ${homeId} and w."status" = 'open'
        and w."kind" in ('orientation', 'final') and w."date" <= ${today}::date
      union all
      select 'visit', v."id", 'Visit for ' || (
        select string_agg(r."number", ', ' order by r."number") from "warrantyRequests" as r
        where r."organizationId" = v."organizationId" and r."visitId" = v."id"), v."date", null
      from "visits" as v
      where v."organizationId" = ${call.organizationId} and v."homeId" = ${homeId} and v."status" = 'proposed'
      union all
      select 'repair', r."id", r."number" || ': ' || left(r."description", 300), (r."completedAt" + interval '10 days')::date, null
      from "warrantyRequests" as r
      where r."organizationId" = ${call.organizationId} and r."homeId" = ${homeId} and r."status" = 'completed'
    )
    select w."kind", w."id", coalesce(w."label", w."id") as "label", w."dueDate", (
      select json_build_object('taskId', t."id", 'name', t."name", 'plannedStart', t."plannedStart")
      from "tasks" as t
      where t."organizationId" = ${call.organizationId} and t."homeId" = ${homeId} and t."archivedAt" is null
        and t."status" = 'not_started' and lower(t."scope") = lower(w."scope")
      order by t."plannedStart", t."sequence", t."id" limit 1) as "blocks"
    from "waiting" as w
    order by w."dueDate" nulls last, w."kind", w."id" limit ${MAX_ITEMS + 1}`.execute(call.db)
  const { rows: shown, truncated } = truncateRows(rows, MAX_ITEMS)
  const items = shown.map((item) => ({ ...item, isOverdue: item.dueDate !== null && item.dueDate < today }))
  const overdue = items.filter(({ isOverdue }) => isOverdue).length
  return { homeId, home, items, overdue, ...createReportFooter(call, { truncated }) }
}
