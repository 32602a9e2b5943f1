import type { BudgetLine, FieldError } from '../../../../client/contract.gen.ts'
import { conflict, invalid } from '../../../platform/problems/problem.ts'
import { formatAmount } from '../../../platform/values/format.ts'
import { isMoney, MOST_MONEY, minus, sum } from '../../../platform/values/money.ts'
import { split } from '../budgets/budget-line.ts'

type Changes = Pick<BudgetLine, 'approvedChanges'>

/**
 * What a transfer changes of the two lines. The line that it is taken from keeps at least nothing: a negative budget
 * would let others spend what nobody has. It may keep less than is ordered, because orders count by scope and cost
 * code, and because a transfer is often made for the very reason that money was budgeted in the wrong place.
 */
export function changesOf(
  from: BudgetLine,
  to: BudgetLine,
  amount: number,
  currency: string,
): { from: Changes; to: Changes } {
  const left = minus(from.budgeted, amount)
  if (left < 0) {
    const [asked, most] = [amount, from.budgeted].map((value) => formatAmount(value, currency))
    throw conflict('not_enough_left', `Cannot transfer ${asked}: the line only has ${most}.`, {
      errors: [{ pointer: '/amount', code: 'conflict', message: `must not exceed the ${most} of the line` }],
    })
  }
  const raised = sum([to.budgeted, amount])
  if (!isMoney(raised)) {
    throw invalid([
      {
        pointer: '/amount',
        code: 'maximum',
        message: `must not raise the line above ${formatAmount(MOST_MONEY, currency)}`,
      },
    ])
  }
  return { from: changed(from, left), to: changed(to, raised) }
}

// The original of a locked budget stays, so a transfer is a change.
function changed({ originalAmount }: BudgetLine, budgeted: number): Changes {
  return { approvedChanges: split(budgeted, originalAmount, true).approvedChanges }
}

/** Why nothing can be transferred from or to the line; `pointer` is the field that names it. */
export function lineFaults(line: BudgetLine, homeId: string, pointer: string): FieldError[] {
  if (line.homeId !== homeId)
    return [{ pointer, code: 'other_home', message: 'must be in the budget of the same home' }]
  if (line.archivedAt !== null) return [{ pointer, code: 'archived', message: 'has been removed from the budget' }]
  if (line.optionSelectionId !== null) {
    const message = 'belongs to a selection; change the selection instead'
    return [{ pointer, code: 'of_selection', message }]
  }
  return []
}
