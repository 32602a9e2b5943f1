import { sql } from 'kysely'
import type { HomeSnapshotInput, HomeSnapshotResult } from '../../../../client/contract.gen.ts'
import { findBudgetRows } from '../../../domain/costs/budgets/figure-queries.ts'
import { toBudget } from '../../../domain/costs/budgets/home-budget.ts'
import { OPEN_STATUSES, PENDING_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { notFound } from '../../../platform/problems/problem.ts'
import { formatAmount, formatDate } from '../../../platform/values/format.ts'
import { subtract, toPercentage } from '../../../platform/values/money.ts'
import { findHomeOverview } from '../frame/home-overview.ts'
import { createReportFooter, getToday, selectSentences } from '../frame/report.ts'

interface HomeCounts {
  openTasks: number
  lateTasks: number
  nextTask: string | null
  nextTaskOn: string | null
  openOrders: number
  pendingOrders: number
  payable: number
}

export async function buildHomeSnapshot({ homeId }: HomeSnapshotInput, call: Call): Promise<HomeSnapshotResult> {
  const [of, rows, counts] = await Promise.all([
    findHomeOverview(call, homeId),
    findBudgetRows(call, [homeId]),
    findHomeCounts(call, homeId),
  ])
  const budget = toBudget(rows.get(homeId) ?? [], call.currency)
  const { totalBudgeted: budgeted, totalForecastAtCompletion: estimateAtCompletion } = budget
  const price = of.contractPrice ?? of.price
  const over = subtract(estimateAtCompletion, budgeted)
  return {
    ...{ homeId, home: of.home, status: of.status, salesStatus: of.salesStatus, price, budgeted },
    ...{ committed: budget.totalCommitted, costToDate: budget.totalActual, estimateAtCompletion },
    expectedMarginPercent: price === null ? null : toPercentage(subtract(price, estimateAtCompletion), price),
    ...{ startDate: of.startDate, forecastCompletionDate: of.forecastCompletionDate, closingDate: of.closingDate },
    ...{ percentComplete: of.percentComplete, ...counts },
    risks: selectSentences(
      counts.lateTasks > 0 && `Late tasks: ${counts.lateTasks}.`,
      over > 0 && `The forecast cost exceeds the budget by ${formatAmount(over, call.currency)}.`,
      counts.pendingOrders > 0 && `Orders in draft or awaiting approval: ${counts.pendingOrders}.`,
      of.closingDate !== null &&
        of.forecastCompletionDate !== null &&
        of.forecastCompletionDate > of.closingDate &&
        `The forecast completion date, ${formatDate(of.forecastCompletionDate)}, is after the closing date, ${formatDate(of.closingDate)}.`,
    ),
    ...createReportFooter(call, {
      unknown: selectSentences(price === null && 'The home has no price.', budgeted === 0 && 'The home has no budget.'),
    }),
    currency: call.currency,
  }
}

async function findHomeCounts(call: Call, homeId: string): Promise<HomeCounts> {
  const { db, organizationId } = call
  const today = getToday(call)
  const { rows } = await sql<HomeCounts>`
    select t."openTasks", t."lateTasks", n."name" as "nextTask", n."plannedStart" as "nextTaskOn", o.*
    from (
      select count(*) as "openTasks", count(*) filter (
        where ("actualStart" is null and "plannedStart" < ${today}::date) or "plannedEnd" < ${today}::date) as "lateTasks"
      from "tasks" where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "archivedAt" is null
        and "status" in ('not_started', 'in_progress', 'on_hold')
    ) as t
    cross join (
      select count(*) filter (where "status" = any(${[...OPEN_STATUSES]}::text[])) as "openOrders",
        count(*) filter (where "status" = any(${[...PENDING_STATUSES]}::text[])) as "pendingOrders",
        coalesce(sum("payableAmount") filter (where "status" = any(${[...OPEN_STATUSES]}::text[])), 0) as "payable"
      from "purchaseOrders" where "organizationId" = ${organizationId} and "homeId" = ${homeId}
    ) as o
    left join lateral (
      select "name", "plannedStart" from "tasks"
      where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "archivedAt" is null and "status" = 'not_started'
      order by "plannedStart", "sequence", "id" limit 1
    ) as n on true`.execute(db)
  const [counts] = rows
  if (counts === undefined) throw notFound()
  return counts
}
