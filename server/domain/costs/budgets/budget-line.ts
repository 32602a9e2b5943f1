import type { BudgetLine, BudgetLineCreate, BudgetLineUpdate } from '../../../../client/contract.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import type { NewRowValues } from '../../../platform/resources/resource.ts'
import { formatNumber } from '../../../platform/values/format.ts'
import { computeLineTotal, isMoney, MAX_MONEY, sum, toAmountText } from '../../../platform/values/money.ts'

/** A budget is given as an amount, or as a quantity and a unit cost, to which transferred amounts are added. */
interface LinePricing {
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
export function computeBudgeted({
  quantity,
  unitCost,
  amount,
  transferred,
  currency,
}: LinePricing): number | undefined {
  if (quantity === null || unitCost === null) return amount
  const product = sum([computeLineTotal(quantity, unitCost, currency), transferred])
  if (!isMoney(product)) {
    throw validationFailed([
      { pointer: '/unitCost', code: 'maximum', message: `times quantity must not exceed ${formatNumber(MAX_MONEY)}` },
    ])
  }
  if (amount !== undefined && amount !== product) {
    throw validationFailed([
      {
        pointer: '/amount',
        code: 'conflict',
        message: `must equal quantity × unitCost${transferred === 0 ? '' : ' plus transfers'} (${toAmountText(product, currency)}) or be omitted`,
      },
    ])
  }
  return product
}

/**
 * Splits a budgeted amount. Before the lock it is the original amount; afterwards the original stays, and the
 * difference is an approved change.
 */
export function splitBudgeted(
  budgeted: number,
  originalAmount: number,
  isLocked: boolean,
): Pick<BudgetLine, 'originalAmount' | 'approvedChanges'> {
  if (!isLocked) return { originalAmount: budgeted, approvedChanges: 0 }
  const approvedChanges = sum([budgeted, -originalAmount])
  if (!isMoney(approvedChanges)) {
    throw validationFailed([
      {
        pointer: '/amount',
        code: 'maximum',
        message: `must not differ from the original amount by more than ${formatNumber(MAX_MONEY)}`,
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
  const budgeted = computeBudgeted({ quantity, unitCost, amount, transferred: 0, currency })
  if (budgeted === undefined) {
    throw validationFailed([
      { pointer: '/amount', code: 'required', message: 'is required unless quantity and unitCost are set' },
    ])
  }
  return { ...body, homeId, source: 'manual' as const, ...splitBudgeted(budgeted, 0, isLocked) }
}

export const BELONGS_TO_SELECTION = 'This budget line belongs to a selection. Change the selection instead.'

/** Returns why the line cannot be changed in this way; null if it can. */
export function explainFixed(line: BudgetLine, scope: string | undefined, isLocked: boolean): string | null {
  if (line.optionSelectionId !== null) return BELONGS_TO_SELECTION
  const isMoved = scope !== undefined && scope !== line.scope
  return isLocked && isMoved ? 'Cannot change the scope of the line: the budget is locked.' : null
}

/** Returns the changes that an update makes to the line, including its amounts. */
export function toChanges(
  line: BudgetLine,
  body: BudgetLineUpdate,
  { isLocked, currency }: { isLocked: boolean; currency: string },
): Partial<NewRowValues<BudgetLine, 'budgeted' | 'transferred'>> {
  const { amount, ...rest } = body
  const { quantity, unitCost } = { ...line, ...rest }
  const budgeted = computeBudgeted({ quantity, unitCost, amount, transferred: line.transferred, currency })
  return { ...rest, ...(budgeted !== undefined && splitBudgeted(budgeted, line.originalAmount, isLocked)) }
}
