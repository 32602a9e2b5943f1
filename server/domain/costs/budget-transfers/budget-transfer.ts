import type { BudgetLine, FieldError } from '../../../../client/contract.gen.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { formatAmount } from '../../../platform/values/format.ts'
import { isMoney, MAX_MONEY, subtract, sum } from '../../../platform/values/money.ts'
import { splitBudgeted } from '../budgets/budget-line.ts'

type LineChanges = Pick<BudgetLine, 'approvedChanges'>

/**
 * Returns the changes that a transfer makes to the two lines. The source line must keep at least zero, because a
 * negative budget would let others spend money that nobody has. It may keep less than is ordered: orders count by trade
 * and cost code, and many transfers correct money that was budgeted in the wrong place.
 */
export function planTransfer(
  from: BudgetLine,
  to: BudgetLine,
  amount: number,
  currency: string,
): { from: LineChanges; to: LineChanges } {
  const left = subtract(from.budgeted, amount)
  if (left < 0) {
    const [asked, most] = [amount, from.budgeted].map((value) => formatAmount(value, currency))
    throw conflict('not_enough_left', `Cannot transfer ${asked}: the line only has ${most}.`, {
      errors: [{ pointer: '/amount', code: 'conflict', message: `must not exceed the ${most} of the line` }],
    })
  }
  const raised = sum([to.budgeted, amount])
  if (!isMoney(raised)) {
    throw validationFailed([
      {
        pointer: '/amount',
        code: 'maximum',
        message: `must not raise the line above ${formatAmount(MAX_MONEY, currency)}`,
      },
    ])
  }
  return { from: toLineChanges(from, left), to: toLineChanges(to, raised) }
}

// A locked budget keeps its original amounts, so a transfer is an approved change.
function toLineChanges({ originalAmount }: BudgetLine, budgeted: number): LineChanges {
  return { approvedChanges: splitBudgeted(budgeted, originalAmount, true).approvedChanges }
}

/** Returns why nothing can be transferred from or to the line. `pointer` is the field that names it. */
export function findLineErrors(line: BudgetLine, homeId: string, pointer: string): FieldError[] {
  if (line.homeId !== homeId)
    return [{ pointer, code: 'other_home', message: 'must be in the budget of the same home' }]
  if (line.archivedAt !== null) return [{ pointer, code: 'archived', message: 'has been removed from the budget' }]
  if (line.optionSelectionId !== null) {
    const message = 'belongs to a selection; change the selection instead'
    return [{ pointer, code: 'of_selection', message }]
  }
  return []
}
