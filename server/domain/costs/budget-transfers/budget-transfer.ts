import type { BudgetLine, FieldError } from '../../../../client/contract.gen.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { formatAmount, formatMaxAmount } from '../../../platform/values/format.ts'
import { isWithinMoneyRange, subtract, sum } from '../../../platform/values/money.ts'
import { splitBudgetedAmount } from '../budgets/budget-line.ts'

type LineChanges = Pick<BudgetLine, 'approvedChanges'>

/**
 * Returns the changes that a transfer makes to both lines. The source line must not become negative, because a negative
 * budget would let other lines spend money that does not exist. The source line may become smaller than the amount
 * ordered on it. Budgets are compared with orders by trade and cost code, not by line, and many transfers correct money
 * that was budgeted in the wrong place.
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
    throw conflict('not_enough_left', `Cannot transfer ${asked}: the line has only ${most}.`, {
      errors: [{ pointer: '/amount', code: 'conflict', message: `must not exceed the amount of the line (${most})` }],
    })
  }
  const raised = sum([to.budgeted, amount])
  if (!isWithinMoneyRange(raised)) {
    throw validationFailed([
      {
        pointer: '/amount',
        code: 'maximum',
        message: `must not increase the amount of the line above ${formatMaxAmount(currency)}`,
      },
    ])
  }
  return { from: toLineChanges(from, left, currency), to: toLineChanges(to, raised, currency) }
}

// A locked budget keeps its original amounts, so the transfer changes the approved changes.
function toLineChanges({ originalAmount }: BudgetLine, budgeted: number, currency: string): LineChanges {
  return {
    approvedChanges: splitBudgetedAmount(budgeted, originalAmount, { isLocked: true, currency }).approvedChanges,
  }
}

/**
 * Returns an error for each reason why the line cannot be part of a transfer. `pointer` refers to the field that
 * contains the ID of the line.
 */
export function findTransferLineErrors(line: BudgetLine, homeId: string, pointer: string): FieldError[] {
  if (line.homeId !== homeId)
    return [{ pointer, code: 'other_home', message: 'must be in the budget of the same home' }]
  if (line.archivedAt !== null) return [{ pointer, code: 'archived', message: 'has been removed from the budget' }]
  if (line.optionSelectionId !== null) {
    const message = 'belongs to a selection; change the selection instead'
    return [{ pointer, code: 'of_selection', message }]
  }
  return []
}
