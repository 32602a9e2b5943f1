import { sql } from 'kysely'
import type { TimesheetCostSummaryResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { sum } from '../../../platform/values/money.ts'
import { createReportFooter, selectSentences, toReportPeriod, truncateRows } from '../frame/report.ts'

const MAX_GROUPS = 500

type CostGroup = TimesheetCostSummaryResult['groups'][number]

type Grouping = NonNullable<Checked['TimesheetCostSummaryInput']['groupBy']>

/** Returns the SQL for the key and the name of a grouping. The timesheet entry is `e`, and the group is `g`. */
function toGroupingSql(groupBy: Grouping, organizationId: string) {
  switch (groupBy) {
    case 'home':
      return {
        key: sql`e."homeId"`,
        name: sql`(select h."name" || ', ' || c."name" from "homes" h
          join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
          where h."organizationId" = ${organizationId} and h."id" = g."key")`,
      }
    case 'costCode':
      return {
        key: sql`e."costCodeId"`,
        name: sql`(select c."code" || ' ' || c."name" from "costCodes" c
          where c."organizationId" = ${organizationId} and c."id" = g."key")`,
      }
    case 'scope':
      return { key: sql`e."scope"`, name: sql`g."key"` }
    case 'user':
      return {
        key: sql`e."userId"`,
        name: sql`(select u."name" from "users" u where u."organizationId" = ${organizationId} and u."id" = g."key")`,
      }
  }
}

export async function summarizeTimesheetCosts(
  input: Checked['TimesheetCostSummaryInput'],
  call: Call,
): Promise<TimesheetCostSummaryResult> {
  const { from, to } = toReportPeriod(call, input)
  const found = await findCostGroups(call, { from, to }, input.groupBy)
  const { rows, truncated } = truncateRows(found, MAX_GROUPS)
  const groups = rows.map(({ open: _, ...group }) => group)
  const open = rows.reduce((count, row) => count + row.open, 0)
  return {
    ...{ from, to, groups },
    hours: sum(groups.map(({ hours }) => hours)),
    cost: sum(groups.map(({ cost }) => cost)),
    postedCost: sum(groups.map(({ postedCost }) => postedCost)),
    ...createReportFooter(call, {
      truncated,
      unknown: selectSentences(
        open > 0 && `Entries without a rate or clock-out time have no cost yet: ${open}.`,
        'Costs are wages only. Taxes and benefits are included only if the rates include them.',
      ),
    }),
    currency: call.currency,
  }
}

async function findCostGroups(
  { db, organizationId }: Call,
  { from, to }: { from: string; to: string },
  groupBy: Grouping,
): Promise<(CostGroup & { open: number })[]> {
  const { key, name } = toGroupingSql(groupBy, organizationId)
  // Looks up each group's name only once instead of once for each entry.
  const { rows } = await sql<CostGroup & { open: number }>`
    with "g" as (
      select ${key} as "key", coalesce(round(sum(case when e."startedAt" is null or e."endedAt" is null then e."hours"
          else extract(epoch from e."endedAt" - e."startedAt") / 3600.0 - e."breakMinutes" / 60.0 end), 4), 0) as "hours", coalesce(sum(e."overtimeHours"), 0) as "overtimeHours",
        coalesce(sum(e."cost"), 0) as "cost", coalesce(sum(e."cost") filter (where e."postedAt" is not null), 0) as "postedCost",
        count(*) filter (where e."cost" is null) as "open"
      from "timesheets" s
      join "timeEntries" e on e."organizationId" = s."organizationId" and e."timesheetId" = s."id" and e."archivedAt" is null
      where s."organizationId" = ${organizationId} and s."weekStarting" between ${from}::date - 6 and ${to}::date
        and e."date" between ${from}::date and ${to}::date
      group by 1
    )
    select g."key", coalesce(${name}, 'None') as "name",
      g."hours", g."overtimeHours", g."cost", g."postedCost", g."open"
    from "g" order by g."cost" desc, g."hours" desc, g."key" limit ${MAX_GROUPS + 1}`.execute(db)
  return rows
}
