import { CompiledQuery } from 'kysely'
import type { VendorWorkload, WorkloadWeek } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Input } from '../../../platform/calls/operation.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'
import { toSuperintendentHomesSql } from '../../land/superintendents.ts'
import { FIRST_DAY, LAST_DAY } from '../schedule/day-numbers.ts'

/** Returns the workload of vendors by week, starting with the Monday on or before the given day. */
export async function getWorkload(
  call: Call,
  { from: requested, weeks: count, ...wanted }: Input<'getVendorWorkload'>['query'],
): Promise<VendorWorkload> {
  const day = requested ?? toLocalDate(call.timeZone, call.now)
  if (day < FIRST_DAY || day > LAST_DAY)
    throw validationFailed([
      { pointer: 'from', code: 'out_of_range', message: `must be between ${FIRST_DAY} and ${LAST_DAY}` },
    ])
  const from = getMonday(day)
  const to = addDays(from, 7 * count - 1)
  const found = await listVendorsWithWork(call, { ...wanted, from, to })
  const listed = found.slice(0, wanted.limit)
  const weeks = await listWeeks(call, { ...wanted, from, to, vendorIds: listed.map(({ id }) => id) })
  const byVendor = Map.groupBy(weeks, ({ vendorId }) => vendorId)
  return {
    ...{ asOf: call.now.toISOString(), from, to },
    vendors: listed.map(({ id: vendorId, companyName }) => {
      const worked = new Map(byVendor.get(vendorId)?.map((week) => [week.week, week]))
      const all = Array.from({ length: count }, (_, i): WorkloadWeek => {
        const week = addDays(from, 7 * i)
        const { tasks = 0, workdays = 0 } = worked.get(week) ?? {}
        return { week, tasks, workdays }
      })
      return { vendorId, companyName, weeks: all }
    }),
    lastVendorId: found.length > listed.length ? (listed.at(-1)?.id ?? null) : null,
  }
}

function getMonday(date: string): string {
  return addDays(date, -((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7))
}

interface WorkloadQuery {
  from: string
  to: string
  communityId?: string | undefined
  superintendentId?: string | undefined
}

// Must match the condition of the index tasks_openOfVendor.
const IS_OPEN_SQL = `t."status" in ('not_started', 'in_progress', 'on_hold')`

/**
 * Returns the SQL condition for tasks that are open in these weeks. $1 is the organization; $2 to $5 are the filters.
 */
function plannedTasksSql({ superintendentId }: WorkloadQuery): string {
  const ofSuperintendent =
    superintendentId === undefined ? 'true' : `t."homeId" = any(array(${toSuperintendentHomesSql('$5')}))`
  return `t."organizationId" = $1 and t."archivedAt" is null and ${IS_OPEN_SQL}
    and t."plannedStart" <= $3::date and t."plannedEnd" >= $2::date
    and ($4::text is null or t."communityId" = $4) and ($5::text is null or ${ofSuperintendent})`
}

function queryValues({ organizationId }: Call, { from, to, communityId, superintendentId }: WorkloadQuery): unknown[] {
  return [organizationId, from, to, communityId ?? null, superintendentId ?? null]
}

/**
 * Returns vendors that have work, ordered by ID, starting after the given vendor. Returns one more vendor than the
 * limit to show whether there is a next page.
 */
async function listVendorsWithWork(
  call: Call,
  requested: WorkloadQuery & { limit: number; vendorId?: string | undefined; afterVendorId?: string | undefined },
): Promise<{ id: string; companyName: string }[]> {
  const statement = `
    select v."id", v."companyName" from "vendors" as v
    where v."organizationId" = $1 and ($6::text is null or v."id" = $6) and ($7::text is null or v."id" > $7)
      and exists (select from "tasks" as t where t."vendorId" = v."id" and ${plannedTasksSql(requested)})
    order by v."id" limit $8`
  const { vendorId = null, afterVendorId = null, limit } = requested
  const parameters = [...queryValues(call, requested), vendorId, afterVendorId, limit + 1]
  return (await call.db.executeQuery<{ id: string; companyName: string }>(CompiledQuery.raw(statement, parameters)))
    .rows
}

/**
 * Returns the weeks in which these vendors have work, with the number of tasks and workdays. Considers the workdays and
 * holidays of each community.
 */
async function listWeeks(
  call: Call,
  requested: WorkloadQuery & { vendorIds: readonly string[] },
): Promise<(WorkloadWeek & { vendorId: string })[]> {
  if (requested.vendorIds.length === 0) return []
  const statement = `
    select t."vendorId", date_trunc('week', d)::date as "week", count(distinct t."id")::integer as "tasks",
      count(*)::integer as "workdays"
    from "tasks" as t
    join "communities" as c on c."organizationId" = t."organizationId" and c."id" = t."communityId"
    cross join lateral generate_series(greatest(t."plannedStart", $2::date)::timestamp,
      least(t."plannedEnd", $3::date)::timestamp, interval '1 day') as d
    where t."vendorId" = any($6::text[]) and ${plannedTasksSql(requested)}
      and c."workdays" @> to_jsonb(extract(isodow from d)::integer) and to_char(d, 'YYYY-MM-DD') <> all(c."holidays")
    group by 1, 2`
  const parameters = [...queryValues(call, requested), [...requested.vendorIds]]
  return (await call.db.executeQuery<WorkloadWeek & { vendorId: string }>(CompiledQuery.raw(statement, parameters)))
    .rows
}
