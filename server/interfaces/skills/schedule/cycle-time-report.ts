import { sql } from 'kysely'
import type { CycleTimeReportInput, CycleTimeReportResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { computeAverage } from '../../../platform/values/money.ts'
import { createReportFooter, selectSentences, toReportPeriod, truncateRows } from '../frame/report.ts'

const MAX_HOMES = 500
const MAX_PHASES = 100

interface BuiltHome {
  homeId: string
  home: string
  startDate: string
  completedOn: string
  days: number
  userId: string | null
  name: string | null
}

/**
 * Reports cycle time as builders measure it: the number of calendar days from the start of construction to completion.
 */
export async function reportCycleTimes(input: CycleTimeReportInput, call: Call): Promise<CycleTimeReportResult> {
  const { from, to } = toReportPeriod(call, input)
  const { targetDays } = input
  const { rows, truncated } = truncateRows(await findBuiltHomes(call, { ...input, from, to }), MAX_HOMES)
  const days = rows.map((row) => row.days)
  const bySuperintendent = Map.groupBy(rows, ({ userId }) => userId)
  const superintendents = [...bySuperintendent].map(([userId, homes]) => {
    const name = homes[0]?.name ?? 'Nobody'
    return { userId, name, homes: homes.length, meanDays: computeAverage(homes.map((home) => home.days)) }
  })
  superintendents.sort((a, b) => a.meanDays - b.meanDays || (a.name < b.name ? -1 : 1))
  const phases = await findPhases(
    call,
    rows.map(({ homeId }) => homeId),
  )
  return {
    ...{ from, to, phases, superintendents: superintendents.slice(0, 200) },
    homes: rows.map(({ homeId, home, startDate, completedOn, days }) => ({
      homeId,
      home,
      startDate,
      completedOn,
      days,
    })),
    ...{ meanDays: days.length === 0 ? null : computeAverage(days), medianDays: medianDays(days) },
    withinTarget: targetDays === undefined ? null : days.filter((each) => each <= targetDays).length,
    ...createReportFooter(call, {
      truncated,
      unknown: selectSentences(
        'Homes without a recorded start are excluded.',
        phases.length === 0 && 'No task of these homes has a phase.',
      ),
    }),
  }
}

function medianDays(days: readonly number[]): number | null {
  if (days.length === 0) return null
  const sorted = days.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return computeAverage(sorted.slice(sorted.length % 2 === 1 ? middle : middle - 1, middle + 1))
}

async function findBuiltHomes(
  { db, organizationId }: Call,
  { communityId, from, to }: CycleTimeReportInput & { from: string; to: string },
): Promise<BuiltHome[]> {
  const { rows } = await sql<BuiltHome>`
    select h."id" as "homeId", h."name" || ', ' || c."name" as "home", h."startDate", h."actualCompletionDate" as "completedOn",
      h."actualCompletionDate" - h."startDate" as "days", u."id" as "userId", u."name"
    from "homes" h
    join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
    left join "users" u on u."organizationId" = h."organizationId"
      and u."id" = coalesce(h."superintendentId", c."superintendentId")
    where h."organizationId" = ${organizationId} and h."actualCompletionDate" between ${from}::date and ${to}::date
      and h."startDate" <= h."actualCompletionDate"
      and (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})
    order by "days" desc, h."id" limit ${MAX_HOMES + 1}`.execute(db)
  return rows
}

async function findPhases({ db, organizationId }: Call, homeIds: string[]): Promise<CycleTimeReportResult['phases']> {
  const { rows } = await sql<CycleTimeReportResult['phases'][number]>`
    select p."phase", count(*) as "homes", round(avg(p."end" - p."start" + 1), 2) as "meanDays"
    from (
      select "homeId", "phase", min("actualStart") as "start", max("actualEnd") as "end", min("sequence") as "place"
      from "tasks"
      where "organizationId" = ${organizationId} and "homeId" = any(${homeIds}::text[]) and "phase" is not null
        and "archivedAt" is null and "actualEnd" is not null
      group by "homeId", "phase"
    ) as p
    group by p."phase" order by avg(p."place"), p."phase" limit ${MAX_PHASES}`.execute(db)
  return rows
}
