import type { BudgetCostCode, BudgetScope, HomeBudget } from '../../../../client/contract.gen.ts'
import { divideAmount, subtract, sum } from '../../../platform/values/money.ts'
import type { AdditiveFigures, BudgetRow } from './figure-queries.ts'

/**
 * The computed figures of a budget, which are not stored. Each read computes them from budget lines, purchase orders,
 * and approved time, so they are always current.
 */
type BudgetFigures = Omit<BudgetScope, 'scope' | 'costCodes'>
type ComputedBudget = Omit<HomeBudget, 'homeId' | 'lockedAt' | 'asOf' | 'currency'>

/** Returns the budget of a home from its rows, which must be sorted by trade. */
export function toBudget(rows: readonly BudgetRow[], currency: string): ComputedBudget {
  const byScope = new Map<string, BudgetRow[]>()
  for (const row of rows) {
    const ofScope = byScope.get(row.scope)
    if (ofScope === undefined) byScope.set(row.scope, [row])
    else ofScope.push(row)
  }
  const scopes = [...byScope].map(([scope, ofScope]) => toBudgetScope(scope, ofScope, currency))
  return { scopes, ...sumScopes(scopes) }
}

function toBudgetScope(scope: string, rows: readonly BudgetRow[], currency: string): BudgetScope {
  const forecasts = forecastCostCodes(rows, currency)
  const whole: AdditiveFigures = {
    budgeted: sum(rows.map((row) => row.budgeted)),
    originalBudgeted: sum(rows.map((row) => row.originalBudgeted)),
    approvedChanges: sum(rows.map((row) => row.approvedChanges)),
    committed: sum(rows.map((row) => row.committed)),
    pendingCommitted: sum(rows.map((row) => row.pendingCommitted)),
    actual: sum(rows.map((row) => row.actual)),
    paid: sum(rows.map((row) => row.paid)),
    retained: sum(rows.map((row) => row.retained)),
    costWithoutOrder: sum(rows.map((row) => row.costWithoutOrder)),
  }
  const costCodes = rows.map((row, i): BudgetCostCode => {
    const { costCodeId, code, name, category } = row
    return { costCodeId, code, name, category, ...toFigures(row, forecasts[i] ?? 0) }
  })
  return { scope, ...toFigures(whole, sum(forecasts)), costCodes }
}

function toFigures(added: AdditiveFigures, forecastAtCompletion: number): BudgetFigures {
  const { budgeted, committed, pendingCommitted, actual, costWithoutOrder, paid, retained } = added
  const { originalBudgeted, approvedChanges } = added
  return {
    ...{ budgeted, committed, pendingCommitted, actual, costWithoutOrder, paid, retained },
    ...{ variance: subtract(budgeted, committed), forecastAtCompletion, originalBudgeted, approvedChanges },
  }
}

/**
 * Returns the forecast cost of each cost code of a trade. The cost codes of a trade share its budget, so the unused
 * budget of one code offsets the excess of another. The budget that orders and approved time do not use is divided
 * among the codes that are below budget. The forecasts add up to the forecast of the trade, which is its budget or, if
 * orders and time exceed the budget, their total.
 */
function forecastCostCodes(rows: readonly BudgetRow[], currency: string): number[] {
  const takenUp = rows.map((row) => sum([row.committed, row.pendingCommitted, row.costWithoutOrder]))
  const left = rows.map((row, i) => subtract(row.budgeted, takenUp[i] ?? 0))
  const leftInAll = sum(left)
  if (leftInAll <= 0) return takenUp
  const shares = divideAmount(
    leftInAll,
    left.map((amount) => Math.max(amount, 0)),
    currency,
  )
  return takenUp.map((amount, i) => sum([amount, shares[i] ?? 0]))
}

function sumScopes(scopes: readonly BudgetScope[]): Omit<ComputedBudget, 'scopes'> {
  return {
    totalBudgeted: sum(scopes.map((scope) => scope.budgeted)),
    totalCommitted: sum(scopes.map((scope) => scope.committed)),
    totalPendingCommitted: sum(scopes.map((scope) => scope.pendingCommitted)),
    totalVariance: sum(scopes.map((scope) => scope.variance)),
    totalForecastAtCompletion: sum(scopes.map((scope) => scope.forecastAtCompletion)),
    totalActual: sum(scopes.map((scope) => scope.actual)),
    totalCostWithoutOrder: sum(scopes.map((scope) => scope.costWithoutOrder)),
    totalPaid: sum(scopes.map((scope) => scope.paid)),
    totalRetained: sum(scopes.map((scope) => scope.retained)),
    totalOriginalBudgeted: sum(scopes.map((scope) => scope.originalBudgeted)),
    totalApprovedChanges: sum(scopes.map((scope) => scope.approvedChanges)),
  }
}
