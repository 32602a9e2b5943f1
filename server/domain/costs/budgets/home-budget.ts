import type { BudgetCostCode, BudgetScope, HomeBudget } from '../../../../client/contract.gen.ts'
import { divide, minus, sum } from '../../../platform/values/money.ts'
import type { Added, BudgetRow } from './figure-queries.ts'

/**
 * The budget of a home is not stored. Each read computes it from budget lines, purchase orders, and approved time, so
 * it is never stale.
 */
type Figures = Omit<BudgetScope, 'scope' | 'costCodes'>
type Budget = Omit<HomeBudget, 'homeId' | 'lockedAt' | 'asOf' | 'currency'>

/** Returns the budget of a home from its rows, which must be sorted by scope. */
export function budgetFrom(rows: readonly BudgetRow[], currency: string): Budget {
  const byScope = new Map<string, BudgetRow[]>()
  for (const row of rows) {
    const ofScope = byScope.get(row.scope)
    if (ofScope === undefined) byScope.set(row.scope, [row])
    else ofScope.push(row)
  }
  const scopes = [...byScope].map(([scope, ofScope]) => scopeFrom(scope, ofScope, currency))
  return { scopes, ...totalsOf(scopes) }
}

function scopeFrom(scope: string, rows: readonly BudgetRow[], currency: string): BudgetScope {
  const forecasts = forecastsOf(rows, currency)
  const whole: Added = {
    budgeted: sum(rows.map((row) => row.budgeted)),
    originalBudgeted: sum(rows.map((row) => row.originalBudgeted)),
    approvedChanges: sum(rows.map((row) => row.approvedChanges)),
    committed: sum(rows.map((row) => row.committed)),
    pendingCommitted: sum(rows.map((row) => row.pendingCommitted)),
    actual: sum(rows.map((row) => row.actual)),
    paid: sum(rows.map((row) => row.paid)),
    retained: sum(rows.map((row) => row.retained)),
    labor: sum(rows.map((row) => row.labor)),
  }
  const costCodes = rows.map((row, i): BudgetCostCode => {
    const { costCodeId, code, name, category } = row
    return { costCodeId, code, name, category, ...figures(row, forecasts[i] ?? 0) }
  })
  return { scope, ...figures(whole, sum(forecasts)), costCodes }
}

function figures(added: Added, forecastAtCompletion: number): Figures {
  const { budgeted, committed, pendingCommitted, actual, paid, retained, originalBudgeted, approvedChanges } = added
  return {
    ...{ budgeted, committed, pendingCommitted, actual, paid, retained },
    ...{ variance: minus(budgeted, committed), forecastAtCompletion, originalBudgeted, approvedChanges },
  }
}

/**
 * Returns the forecast cost of each code of a scope. A trade's budget is shared: what one code does not need makes up
 * for another that exceeds its own. So what orders and approved time leave of the whole is divided among the codes that
 * are below budget. The forecasts add up to the scope's: its budget, or its orders and time if they exceed it.
 */
function forecastsOf(rows: readonly BudgetRow[], currency: string): number[] {
  const takenUp = rows.map((row) => sum([row.committed, row.pendingCommitted, row.labor]))
  const left = rows.map((row, i) => minus(row.budgeted, takenUp[i] ?? 0))
  const leftInAll = sum(left)
  if (leftInAll <= 0) return takenUp
  const shares = divide(
    leftInAll,
    left.map((amount) => Math.max(amount, 0)),
    currency,
  )
  return takenUp.map((amount, i) => sum([amount, shares[i] ?? 0]))
}

function totalsOf(scopes: readonly BudgetScope[]): Omit<Budget, 'scopes'> {
  return {
    totalBudgeted: sum(scopes.map((scope) => scope.budgeted)),
    totalCommitted: sum(scopes.map((scope) => scope.committed)),
    totalPendingCommitted: sum(scopes.map((scope) => scope.pendingCommitted)),
    totalVariance: sum(scopes.map((scope) => scope.variance)),
    totalForecastAtCompletion: sum(scopes.map((scope) => scope.forecastAtCompletion)),
    totalActual: sum(scopes.map((scope) => scope.actual)),
    totalPaid: sum(scopes.map((scope) => scope.paid)),
    totalRetained: sum(scopes.map((scope) => scope.retained)),
    totalOriginalBudgeted: sum(scopes.map((scope) => scope.originalBudgeted)),
    totalApprovedChanges: sum(scopes.map((scope) => scope.approvedChanges)),
  }
}
