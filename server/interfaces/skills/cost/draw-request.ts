import { sql } from 'kysely'
import type { DrawRequestInput, DrawRequestResult } from '../../../../client/contract.gen.ts'
import { findBudgetRows } from '../../../domain/costs/budgets/figure-queries.ts'
import { toBudget } from '../../../domain/costs/budgets/home-budget.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { getMinorUnits } from '../../../platform/values/minor-units.ts'
import { sum, toPercentage } from '../../../platform/values/money.ts'
import { findHomeOverview } from '../frame/home-overview.ts'
import { createReportFooter, selectSentences, truncateRows } from '../frame/report.ts'

const MAX_MILESTONES = 100

export async function buildDrawRequest({ homeId }: DrawRequestInput, call: Call): Promise<DrawRequestResult> {
  const [home, rows] = await Promise.all([findHomeOverview(call, homeId), findBudgetRows(call, [homeId])])
  const price = home.contractPrice ?? home.price
  const found = truncateRows(await findMilestones(call, homeId, price), MAX_MILESTONES)
  const { totalActual, totalForecastAtCompletion } = toBudget(rows.get(homeId) ?? [], call.currency)
  const withoutDraw = found.rows.filter(({ drawId }) => drawId === null)
  const totalOf = (isReached: boolean) =>
    sum(withoutDraw.filter((each) => each.isReached === isReached).map(({ amount }) => amount ?? 0))
  return {
    ...{ homeId, home: home.home, milestones: found.rows, drawable: totalOf(true), toCome: totalOf(false) },
    drawn: await findDrawn(call, homeId),
    costDonePercent: toPercentage(totalActual, totalForecastAtCompletion),
    ...createReportFooter(call, {
      truncated: found.truncated,
      unknown: selectSentences(
        found.rows.length === 0 && 'The home has no milestones with a draw.',
        found.rows.some(({ amount }) => amount === null) &&
          'The home has no price, so draws that are a percentage of the price cannot be calculated.',
      ),
    }),
    currency: call.currency,
  }
}

async function findDrawn({ db, organizationId }: Call, homeId: string): Promise<number> {
  const { rows } = await sql<{ drawn: number }>`
    select coalesce(sum(coalesce("fundedAmount", "requestedAmount")), 0) as "drawn" from "loanDraws"
    where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "status" <> 'rejected'`.execute(db)
  return rows[0]?.drawn ?? 0
}

async function findMilestones({ db, organizationId, currency }: Call, homeId: string, price: number | null) {
  const { rows } = await sql<DrawRequestResult['milestones'][number]>`
    select m."id" as "milestoneId", m."name", m."status" = 'completed' as "isReached",
      coalesce(m."completedDate", (
        select max(k."earlyFinish") from "tasks" k
        where k."organizationId" = ${organizationId} and k."id" = any(m."taskIds") and k."archivedAt" is null
          and k."status" <> 'skipped'), m."targetDate") as "date",
      coalesce(d."requestedAmount", m."drawAmount", round(m."drawPercent" * ${price}::numeric / 100, ${getMinorUnits(currency)}::integer)) as "amount",
      d."id" as "drawId", d."status" as "drawStatus"
    from "milestones" m left join "loanDraws" d
      on d."organizationId" = m."organizationId" and d."milestoneId" = m."id" and d."status" <> 'rejected'
    where m."organizationId" = ${organizationId} and m."homeId" = ${homeId} and m."archivedAt" is null
      and coalesce(m."drawAmount", m."drawPercent") is not null
    order by 4 nulls last, m."id" limit ${MAX_MILESTONES + 1}`.execute(db)
  return rows
}
