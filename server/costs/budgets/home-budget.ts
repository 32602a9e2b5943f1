import type { BudgetScope, HomeBudget } from '../../../client/contract.gen.ts'
import { sum } from '../../values/money.ts'

/**
 * The budget of a home is never stored. It is computed from budget lines and purchase orders when it is read, so it
 * cannot be stale.
 */
type Totals = Pick<
  HomeBudget,
  'totalBudgeted' | 'totalCommitted' | 'totalPendingCommitted' | 'totalVariance' | 'totalForecastAtCompletion'
>

export function totalsOf(scopes: readonly BudgetScope[]): Totals {
  return {
    totalBudgeted: sum(scopes.map((scope) => scope.budgeted)),
    totalCommitted: sum(scopes.map((scope) => scope.committed)),
    totalPendingCommitted: sum(scopes.map((scope) => scope.pendingCommitted)),
    totalVariance: sum(scopes.map((scope) => scope.variance)),
    totalForecastAtCompletion: sum(scopes.map((scope) => scope.forecastAtCompletion)),
  }
}
