import { sql } from 'kysely'
import type { HomeSnapshotInput, HomeSnapshotResult } from '../../../../client/contract.gen.ts'
import { rowsOfAll } from '../../../domain/costs/budgets/figure-queries.ts'
import { budgetFrom } from '../../../domain/costs/budgets/home-budget.ts'
import { OPEN, PENDING } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { notFound } from '../../../platform/problems/problem.ts'
import { formatAmount, formatDate } from '../../../platform/values/format.ts'
import { minus, percentage } from '../../../platform/values/money.ts'
import { homeNamed } from '../frame/home.ts'
import { reported, sentences, todayOf } from '../frame/report.ts'

interface Counts {
  openTasks: number
  lateTasks: number
  nextTask: string | null
  nextTaskOn: string | null
  openOrders: number
  pendingOrders: number
  payable: number
}

export async function homeSnapshot({ homeId }: HomeSnapshotInput, call: Call): Promise<HomeSnapshotResult> {
  const [of, rows, counts] = await Promise.all([
    homeNamed(call, homeId),
    rowsOfAll(call, [homeId]),
    countsOf(call, homeId),
  ])
  const budget = budgetFrom(rows.get(homeId) ?? [], call.currency)
  const { totalBudgeted: budgeted, totalForecastAtCompletion: estimateAtCompletion } = budget
  const price = of.contractPrice ?? of.price
  const over = minus(estimateAtCompletion, budgeted)
  return {
    ...{ homeId, home: of.home, status: of.status, salesStatus: of.salesStatus, price, budgeted },
    ...{ committed: budget.totalCommitted, costToDate: budget.totalActual, estimateAtCompletion },
    expectedMarginPercent: price === null ? null : percentage(minus(price, estimateAtCompletion), price),
    ...{ startDate: of.startDate, forecastCompletionDate: of.forecastCompletionDate, closingDate: of.closingDate },
    ...{ percentComplete: of.percentComplete, ...counts },
    risks: sentences(
      counts.lateTasks > 0 && `Late tasks: ${counts.lateTasks}.`,
      over > 0 && `The forecast cost exceeds the budget by ${formatAmount(over, call.currency)}.`,
      counts.pendingOrders > 0 && `Orders in draft or awaiting approval: ${counts.pendingOrders}.`,
      of.closingDate !== null &&
        of.forecastCompletionDate !== null &&
        of.forecastCompletionDate > of.closingDate &&
        `The forecast completion date, ${formatDate(of.forecastCompletionDate)}, is after the closing date, ${formatDate(of.closingDate)}.`,
    ),
    ...reported(call, {
      unknown: sentences(price === null && 'The home has no price.', budgeted === 0 && 'The home has no budget.'),
    }),
    currency: call.currency,
  }
}

async function countsOf(call: Call, homeId: string): Promise<Counts> {
  const { db, organizationId } = call
  const today = todayOf(call)
  const { rows } = await sql<Counts>`
    select t."openTasks", t."lateTasks", n."name" as "nextTask", n."plannedStart" as "nextTaskOn", o.*
    from (
      select count(*) as "openTasks", count(*) filter (
        where ("actualStart" is null and "plannedStart" < ${today}::date) or "plannedEnd" < ${today}::date) as "lateTasks"
      from "tasks" where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "archivedAt" is null
        and "status" in ('not_started', 'in_progress', 'on_hold')
    ) as t
    cross join (
      select count(*) filter (where "status" = any(${[...OPEN]}::text[])) as "openOrders",
        count(*) filter (where "status" = any(${[...PENDING]}::text[])) as "pendingOrders",
        coalesce(sum("payableAmount") filter (where "status" = any(${[...OPEN]}::text[])), 0) as "payable"
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
