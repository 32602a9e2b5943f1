import { sql } from 'kysely'
import type { DrawRequestInput, DrawRequestResult } from '../../../../client/contract.gen.ts'
import { rowsOfAll } from '../../../domain/costs/budgets/figure-queries.ts'
import { budgetFrom } from '../../../domain/costs/budgets/home-budget.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { percentage, sum } from '../../../platform/values/money.ts'
import { homeNamed } from '../frame/home.ts'
import { listed, reported, sentences } from '../frame/report.ts'

const MOST_MILESTONES = 100

export async function drawRequest({ homeId }: DrawRequestInput, call: Call): Promise<DrawRequestResult> {
  const [home, rows] = await Promise.all([homeNamed(call, homeId), rowsOfAll(call, [homeId])])
  const price = home.contractPrice ?? home.price
  const found = listed(await milestonesOf(call, homeId, price), MOST_MILESTONES)
  const { totalActual, totalForecastAtCompletion } = budgetFrom(rows.get(homeId) ?? [])
  const totalOf = (isReached: boolean) =>
    sum(found.rows.filter((each) => each.isReached === isReached).map(({ amount }) => amount ?? 0))
  return {
    ...{ homeId, home: home.home, milestones: found.rows, drawable: totalOf(true), toCome: totalOf(false) },
    costDonePercent: percentage(totalActual, totalForecastAtCompletion),
    ...reported(call, {
      truncated: found.truncated,
      unknown: sentences(
        found.rows.length === 0 && 'The home has no milestones with a draw.',
        found.rows.some(({ amount }) => amount === null) &&
          'The home has no price, so draws that are a percentage of the price cannot be calculated.',
        'Earlier draws are not recorded. Subtract them from the available amount.',
      ),
    }),
    currency: call.currency,
  }
}

async function milestonesOf({ db, organizationId }: Call, homeId: string, price: number | null) {
  const { rows } = await sql<DrawRequestResult['milestones'][number]>`
    select m."id" as "milestoneId", m."name", m."status" = 'completed' as "isReached",
      coalesce(m."completedDate", (
        select max(k."earlyFinish") from "tasks" k
        where k."organizationId" = ${organizationId} and k."id" = any(m."taskIds") and k."archivedAt" is null
          and k."status" <> 'skipped'), m."targetDate") as "date",
      coalesce(m."drawAmount", round(m."drawPercent" * ${price}::numeric / 100, 2)) as "amount"
    from "milestones" m
    where m."organizationId" = ${organizationId} and m."homeId" = ${homeId} and m."archivedAt" is null
      and coalesce(m."drawAmount", m."drawPercent") is not null
    order by 4 nulls last, m."id" limit ${MOST_MILESTONES + 1}`.execute(db)
  return rows
}
