import { sql } from 'kysely'
import type { Community, Home } from '../../../../client/contract.gen.ts'
import { recordChange, type WriteCall } from '../../../platform/calls/call.ts'
import { createWorkCalendar } from '../../../platform/values/workdays.ts'

/** The maximum number of selections of a home. */
const MAX_SELECTIONS = 500

/**
 * Sets the selection deadlines of a home that has started. Applies to options whose deadline is a number of workdays
 * before the start. Keeps deadlines that a user has entered.
 */
export async function setSelectionDeadlines(
  call: WriteCall,
  home: Home,
  community: Pick<Community, 'workdays' | 'holidays'>,
): Promise<void> {
  const { startDate } = home
  if (startDate === null) return
  const { rows } = await sql<{ id: string; days: number }>`
    select s."id", o."cutoffDaysBeforeStart" as "days" from "selections" as s
    join "options" as o on o."organizationId" = s."organizationId" and o."id" = s."optionId"
    where s."organizationId" = ${call.organizationId} and s."homeId" = ${home.id} and s."deadline" is null
      and o."cutoffDaysBeforeStart" is not null
    order by s."id" limit ${MAX_SELECTIONS}`.execute(call.db)
  if (rows.length === 0) return
  const calendar = createWorkCalendar(community)
  await sql`
    update "selections" as s set "deadline" = d."deadline", "updatedAt" = ${call.now}, "version" = s."version" + 1
    from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ days }) => calendar.add(startDate, -days))}::date[])
      as d ("id", "deadline")
    where s."organizationId" = ${call.organizationId} and s."id" = d."id"`.execute(call.db)
  for (const { id } of rows) recordChange(call, id, 'updated', ['deadline'])
}
