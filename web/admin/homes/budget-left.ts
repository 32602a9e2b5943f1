import type { BudgetScope, HomeBudget } from '../../../client/contract.gen.ts'

type LeftFigures = Pick<BudgetScope, 'variance' | 'pendingCommitted' | 'costWithoutOrder'>

/**
 * Returns the budget that is left to commit: the budget minus its orders, including pending ones, and minus all costs
 * without an order. Rounds to a thousandth, which no currency divides further, to remove the errors of binary fractions.
 */
export function computeBudgetLeft({ variance, pendingCommitted, costWithoutOrder }: LeftFigures): number {
  return Math.round((variance - pendingCommitted - costWithoutOrder) * 1000) / 1000
}

/** Returns the budget of the whole home that is left to commit. */
export function computeTotalBudgetLeft(budget: HomeBudget): number {
  return computeBudgetLeft({
    variance: budget.totalVariance,
    pendingCommitted: budget.totalPendingCommitted,
    costWithoutOrder: budget.totalCostWithoutOrder,
  })
}
