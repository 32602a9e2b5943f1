import { sql } from 'kysely'
import type { RequestStartConfirmationsResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { createReportFooter, getToday, truncateRows } from '../frame/report.ts'

/** The maximum number of requests. Each locks a schedule and writes an email, so more would delay other requests. */
const MAX_TASKS = 50

export async function requestStartConfirmations(
  input: Checked['RequestStartConfirmationsInput'],
  call: Call,
): Promise<RequestStartConfirmationsResult> {
  const { rows, truncated } = truncateRows(await findTasksToConfirm(call, input), MAX_TASKS)
  for (const { taskId } of rows) await call.operation('requestTaskConfirmation', { taskId })
  return { asked: rows, ...createReportFooter(call, { truncated }) }
}

async function findTasksToConfirm(call: Call, { withinDays, communityId }: Checked['RequestStartConfirmationsInput']) {
  const { db, organizationId } = call
  const today = getToday(call)
  const { rows } = await sql<RequestStartConfirmationsResult['asked'][number]>`
    select t."id" as "taskId", t."name", t."homeId", h."name" || ', ' || c."name" as "home", v."companyName" as "vendor", t."plannedStart"
    from "tasks" t
    join "homes" h on h."organizationId" = t."organizationId" and h."id" = t."homeId"
    join "communities" c on c."organizationId" = t."organizationId" and c."id" = t."communityId"
    join "vendors" v on v."organizationId" = t."organizationId" and v."id" = t."vendorId" and v."archivedAt" is null
    where t."organizationId" = ${organizationId} and t."archivedAt" is null and t."status" = 'not_started'
      and t."confirmationStatus" = 'none' and t."actualStart" is null
      and h."status" not in ('closed', 'warranty', 'archived', 'cancelled', 'on_hold')
      and t."plannedStart" between ${addDays(today, 1)}::date and ${addDays(today, withinDays)}::date
      and (${communityId ?? null}::text is null or t."communityId" = ${communityId ?? null})
    order by t."homeId", t."plannedStart", t."id" limit ${MAX_TASKS + 1}`.execute(db)
  return rows
}
