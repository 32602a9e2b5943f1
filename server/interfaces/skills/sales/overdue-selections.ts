import { sql } from 'kysely'
import type { OverdueSelectionsInput, OverdueSelectionsResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { createReportFooter, getToday, truncateRows } from '../frame/report.ts'

const MAX_SELECTIONS = 500

export async function findOverdueSelections(
  { communityId }: OverdueSelectionsInput,
  call: Call,
): Promise<OverdueSelectionsResult> {
  const { db, organizationId } = call
  const today = getToday(call)
  const { rows } = await sql<OverdueSelectionsResult['selections'][number]>`
    select s."id" as "selectionId", left(coalesce(o."code" || ' ' || o."name", s."customDescription", 'Selection'), 500) as "selection",
      s."homeId", h."name" || ', ' || c."name" as "home", s."deadline", ${today}::date - s."deadline" as "daysOverdue",
      k."name" as "task", k."plannedStart" as "taskStartsOn"
    from "selections" s
    join "homes" h on h."organizationId" = s."organizationId" and h."id" = s."homeId"
    join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
    left join "options" o on o."organizationId" = s."organizationId" and o."id" = s."optionId"
    left join lateral (
      select t."name", t."plannedStart" from "tasks" t
      where t."organizationId" = s."organizationId" and t."homeId" = s."homeId" and t."archivedAt" is null
        and t."status" in ('not_started', 'on_hold')
        and case when o."cutoffTaskName" is null then lower(t."scope") = lower(coalesce(s."scope", o."scope")) else t."name" = o."cutoffTaskName" end
      order by t."plannedStart", t."id" limit 1
    ) as k on true
    where s."organizationId" = ${organizationId} and s."status" = 'pending' and s."deadline" < ${today}::date
      and h."status" not in ('closed', 'warranty', 'archived', 'cancelled')
      and (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})
    order by s."deadline", s."id" limit ${MAX_SELECTIONS + 1}`.execute(db)
  const { rows: selections, truncated } = truncateRows(rows, MAX_SELECTIONS)
  return {
    selections,
    ...createReportFooter(call, { truncated, unknown: ['Selections without a deadline are not included.'] }),
  }
}
