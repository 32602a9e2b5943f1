import type { BudgetLine, BudgetLineCreate, BudgetLineUpdate } from '../../../../client/contract.gen.ts'
import { invalid } from '../../../platform/problems/problem.ts'
import type { Values } from '../../../platform/resources/resource.ts'
import { formatNumber } from '../../../platform/values/format.ts'
import { amountText, isMoney, lineTotal, MOST_MONEY, sum } from '../../../platform/values/money.ts'

/** A budget is given as an amount, or as a quantity and a unit cost, to which transferred amounts are added. */
interface Pricing {
  currency: string
  quantity: number | null
  unitCost: number | null
  amount: number | undefined
  transferred: number
}

/**
 * Returns the budgeted amount of a line: quantity × unitCost, rounded to the minor unit of the currency, plus
 * transfers, if both factors are given; otherwise the amount. Returns `undefined` if neither is given. Throws if a
 * given amount contradicts the product, because one of them must be a mistake.
 */
export function budgetedAt({ quantity, unitCost, amount, transferred, currency }: Pricing): number | undefined {
  if (quantity === null || unitCost === null) return amount
  const product = sum([lineTotal(quantity, unitCost, currency), transferred])
  if (!isMoney(product)) {
    throw invalid([
      { pointer: '/unitCost', code: 'maximum', message: `times quantity must not exceed ${formatNumber(MOST_MONEY)}` },
    ])
  }
  if (amount !== undefined && amount !== product) {
    throw invalid([
      {
        pointer: '/amount',
        code: 'conflict',
        message: `must equal quantity × unitCost${transferred === 0 ? '' : ' plus transfers'} (${amountText(product, currency)}) or be omitted`,
      },
    ])
  }
  return product
}

/**
 * Splits a budgeted amount. Before the lock it is the original amount; afterwards the original stays, and the
 * difference is an approved change.
 */
export function split(
  budgeted: number,
  originalAmount: number,
  isLocked: boolean,
): Pick<BudgetLine, 'originalAmount' | 'approvedChanges'> {
  if (!isLocked) return { originalAmount: budgeted, approvedChanges: 0 }
  const approvedChanges = sum([budgeted, -originalAmount])
  if (!isMoney(approvedChanges)) {
    throw invalid([
      {
        pointer: '/amount',
        code: 'maximum',
        message: `must not differ from the original amount by more than ${formatNumber(MOST_MONEY)}`,
      },
    ])
  }
  return { originalAmount, approvedChanges }
}

export function newBudgetLine(
  homeId: string,
  { amount, ...body }: BudgetLineCreate,
  { isLocked, currency }: { isLocked: boolean; currency: string },
) {
  const { quantity = null, unitCost = null } = body
  const budgeted = budgetedAt({ quantity, unitCost, amount, transferred: 0, currency })
  if (budgeted === undefined) {
    throw invalid([
      { pointer: '/amount', code: 'required', message: 'is required unless quantity and unitCost are set' },
    ])
  }
  return { ...body, homeId, source: 'manual' as const, ...split(budgeted, 0, isLocked) }
}

export const OF_SELECTION = 'This budget line belongs to a selection. Change the selection instead.'

/** Returns why the line cannot be changed in this way; null if it can. */
export function reasonFixed(line: BudgetLine, scope: string | undefined, isLocked: boolean): string | null {
  if (line.optionSelectionId !== null) return OF_SELECTION
  const isMoved = scope !== undefined && scope !== line.scope
  return isLocked && isMoved ? 'Cannot change the scope of the line: the budget is locked.' : null
}

/** Returns the changes that an update makes to the line, including its amounts. */
export function changesOf(
  line: BudgetLine,
  body: BudgetLineUpdate,
  { isLocked, currency }: { isLocked: boolean; currency: string },
): Partial<Values<BudgetLine, 'budgeted' | 'transferred'>> {
  const { amount, ...rest } = body
  const { quantity, unitCost } = { ...line, ...rest }
  const budgeted = budgetedAt({ quantity, unitCost, amount, transferred: line.transferred, currency })
  return { ...rest, ...(budgeted !== undefined && split(budgeted, line.originalAmount, isLocked)) }
}
