import type { ForecastCostAtCompletionInput, ForecastCostAtCompletionResult } from '../../../../client/contract.gen.ts'
import { findBudgetRows } from '../../../domain/costs/budgets/figure-queries.ts'
import { toBudget } from '../../../domain/costs/budgets/home-budget.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { subtract, sum, toPercentage } from '../../../platform/values/money.ts'
import { findHomeOverview } from '../frame/home-overview.ts'
import { createReportFooter, selectSentences } from '../frame/report.ts'

/**
 * Reports the estimate at completion (EAC). The estimate for a trade is the total of its orders or its budget,
 * whichever is higher, because the rest of a budget is expected to be spent. The cost to complete is the estimate minus
 * the cost to date.
 */
export async function forecastCostAtCompletion(
  { homeId }: ForecastCostAtCompletionInput,
  call: Call,
): Promise<ForecastCostAtCompletionResult> {
  const [home, rows] = await Promise.all([findHomeOverview(call, homeId), findBudgetRows(call, [homeId])])
  const budget = toBudget(rows.get(homeId) ?? [], call.currency)
  const scopes = budget.scopes.map(
    ({ scope, budgeted, committed, pendingCommitted, actual, forecastAtCompletion }) => ({
      ...{ scope, budgeted, committed, pendingCommitted },
      ...{ costToDate: actual, estimateAtCompletion: forecastAtCompletion },
      overBudgetBy: subtract(forecastAtCompletion, budgeted),
    }),
  )
  scopes.sort((a, b) => b.overBudgetBy - a.overBudgetBy || (a.scope < b.scope ? -1 : 1))
  const estimateAtCompletion = sum(scopes.map((scope) => scope.estimateAtCompletion))
  const price = home.contractPrice ?? home.price
  const expectedMargin = price === null ? null : subtract(price, estimateAtCompletion)
  return {
    ...{ homeId, home: home.home, scopes, budgeted: budget.totalBudgeted, costToDate: budget.totalActual },
    ...{ estimateAtCompletion, costToComplete: subtract(estimateAtCompletion, budget.totalActual) },
    ...{ price, expectedMargin, expectedMarginPercent: toPercentage(expectedMargin, price) },
    ...createReportFooter(call, {
      unknown: selectSentences(
        price === null && 'The home has no sale and no base price, so its margin cannot be calculated.',
        scopes.every(({ budgeted }) => budgeted === 0) &&
          'The home has no budget, so costs that have not been ordered are excluded.',
        'Land, overhead, financing, and commissions are included only if they are budgeted or ordered.',
      ),
    }),
    currency: call.currency,
  }
}
