import { sql } from 'kysely'
import type { EvenFlowPlanInput, EvenFlowPlanResult } from '../../../../client/contract.gen.ts'
import * as communities from '../../../domain/land/communities/queries.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { addDays, getStartOfWeek } from '../../../platform/values/calendar.ts'
import { createWorkCalendar } from '../../../platform/values/workdays.ts'
import { createReportFooter, getToday, selectSentences, truncateRows } from '../frame/report.ts'

const MAX_HOMES = 300
const MONDAY = 1

interface StartableHome {
  homeId: string
  home: string
  isSold: boolean
}

/**
 * Plans an even flow of homes: the same number of starts every week. This gives trades steady work and spreads closings
 * evenly.
 */
export async function planEvenFlow(input: EvenFlowPlanInput, call: Call): Promise<EvenFlowPlanResult> {
  const { communityId } = input
  const community = await communities.find(call, communityId)
  const startsPerWeek = input.startsPerWeek ?? community.startsPerWeekTarget
  if (startsPerWeek === null) {
    const message = `is required because ${community.name} has no startsPerWeekTarget`
    throw validationFailed([{ pointer: '/startsPerWeek', code: 'required', message }])
  }
  const from = input.from ?? getToday(call)
  const [found, starting] = await Promise.all([
    findStartableHomes(call, communityId),
    findPlannedStarts(call, communityId, from),
  ])
  const { rows, truncated } = truncateRows(found, MAX_HOMES)
  const calendar = createWorkCalendar(community)
  const byWeek = Map.groupBy(starting, (day) => getStartOfWeek(day, MONDAY))
  const waiting = [...rows]
  const weeks: EvenFlowPlanResult['weeks'] = []
  // The loop ends, because each week either has room for at least one start or is already full, and the number of homes
  // limits the existing starts.
  for (
    let monday = getStartOfWeek(from, MONDAY);
    waiting.length > 0 && weeks.length < MAX_HOMES;
    monday = addDays(monday, 7)
  ) {
    const alreadyStarting = byWeek.get(monday)?.length ?? 0
    const first = calendar.onOrAfter(maxDate(monday, from))
    const isWorked = first < addDays(monday, 7)
    const free = isWorked ? Math.max(Math.ceil(startsPerWeek - alreadyStarting), 0) : 0
    const starts = waiting.splice(0, free).map((home, i) => {
      const day = calendar.add(first, Math.floor((i * community.workdays.length) / startsPerWeek))
      return { ...home, startDate: day < addDays(monday, 7) ? day : first }
    })
    weeks.push({ from: monday, alreadyStarting, starts })
  }
  return {
    ...{ communityId, startsPerWeek, weeks },
    ...createReportFooter(call, {
      truncated: truncated || waiting.length > 0,
      unknown: selectSentences(
        rows.length === 0 && 'The community has no homes that can be started.',
        'Vendor capacity is not known. See getVendorWorkload for the planned work of a vendor.',
        'Permit dates are not known.',
      ),
    }),
  }
}

function maxDate(one: string, other: string): string {
  return one > other ? one : other
}

/**
 * Returns the homes without a schedule that can be started. Sold homes come before unsold homes. Within both groups,
 * homes that are ready to start come first.
 */
async function findStartableHomes({ db, organizationId }: Call, communityId: string): Promise<StartableHome[]> {
  const { rows } = await sql<StartableHome>`
    select h."id" as "homeId", h."name" || ', ' || c."name" as "home", h."salesStatus" in ('reserved', 'under_contract', 'sold') as "isSold"
    from "homes" h join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
    where h."organizationId" = ${organizationId} and h."communityId" = ${communityId} and h."archivedAt" is null
      and h."status" in ('planning', 'permitting', 'ready_to_start') and h."startDate" is null
      and not exists (select from "tasks" t where t."organizationId" = h."organizationId" and t."homeId" = h."id" and t."archivedAt" is null)
    order by "isSold" desc, array_position(array['ready_to_start', 'permitting', 'planning'], h."status"), h."createdAt", h."id"
    limit ${MAX_HOMES + 1}`.execute(db)
  return rows
}

/** Returns the planned start dates of the homes in the community. */
async function findPlannedStarts({ db, organizationId }: Call, communityId: string, from: string): Promise<string[]> {
  const { rows } = await sql<{ day: string }>`
    select coalesce(h."startDate", t."day") as "day" from "homes" h
    left join lateral (
      select min(k."plannedStart") as "day" from "tasks" k
      where k."organizationId" = h."organizationId" and k."homeId" = h."id" and k."archivedAt" is null
    ) as t on true
    where h."organizationId" = ${organizationId} and h."communityId" = ${communityId}
      and h."status" in ('planning', 'permitting', 'ready_to_start', 'under_construction')
      and coalesce(h."startDate", t."day") >= ${getStartOfWeek(from, MONDAY)}::date
    limit ${MAX_HOMES}`.execute(db)
  return rows.map(({ day }) => day)
}
