import { sql } from 'kysely'
import type { PunchAgingInput, PunchAgingResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { createReportFooter, getToday, truncateRows } from '../frame/report.ts'

const MAX_ROWS = 500

export async function reportPunchAging(
  { communityId, vendorId }: PunchAgingInput,
  call: Call,
): Promise<PunchAgingResult> {
  const { db, organizationId, now } = call
  const today = getToday(call)
  const { rows: found } = await sql<PunchAgingResult['rows'][number]>`
    select p."vendorId", v."companyName" as "vendor", p."homeId", h."name" as "home", count(*)::integer as "open",
      count(*) filter (where p."dueDate" < ${today}::date)::integer as "overdue",
      count(*) filter (where p."reopenedCount" > 0)::integer as "reopened",
      greatest(0, extract(day from ${now}::timestamptz - min(p."createdAt")))::integer as "oldestDays"
    from "punchItems" as p
    join "homes" as h on h."organizationId" = p."organizationId" and h."id" = p."homeId"
    left join "vendors" as v on v."organizationId" = p."organizationId" and v."id" = p."vendorId"
    where p."organizationId" = ${organizationId} and p."status" in ('open', 'assigned')
      and (${communityId ?? null}::text is null or p."communityId" = ${communityId ?? null})
      and (${vendorId ?? null}::text is null or p."vendorId" = ${vendorId ?? null})
    group by p."vendorId", v."companyName", p."homeId", h."name"
    order by "overdue" desc, "open" desc, "home", p."homeId" limit ${MAX_ROWS + 1}`.execute(db)
  const { rows, truncated } = truncateRows(found, MAX_ROWS)
  const open = rows.reduce((count, row) => count + row.open, 0)
  const overdue = rows.reduce((count, row) => count + row.overdue, 0)
  return { rows, open, overdue, ...createReportFooter(call, { truncated }) }
}
