import type { BudgetLine, BudgetLineCreate, BudgetLineUpdate } from '../../../../client/contract.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import type { NewRowValues } from '../../../platform/resources/resource.ts'
import { formatAmount, formatMaxAmount } from '../../../platform/values/format.ts'
import { computeLineTotal, isWithinMoneyRange, sum } from '../../../platform/values/money.ts'

/** The budget of a line is either an amount, or a quantity and a unit cost plus the transferred amounts. */
interface LinePricing {
  currency: string
  quantity: number | null
  unitCost: number | null
  amount: number | undefined
  transferred: number
}

/**
 * Returns the budgeted amount of a line. If quantity and unitCost are given, returns their product, rounded to the
 * currency's minor unit, plus transfers. Otherwise, returns the given amount, or `undefined` if there is none. Throws
 * if a given amount contradicts the product, because one of them must be a mistake.
 */
export function computeBudgetedAmount({
  quantity,
  unitCost,
  amount,
  transferred,
  currency,
}: LinePricing): number | undefined {
  if (quantity === null || unitCost === null) return amount
  const product = sum([computeLineTotal(quantity, unitCost, currency), transferred])
  if (!isWithinMoneyRange(product)) {
    throw validationFailed([
      { pointer: '/unitCost', code: 'maximum', message: `times quantity must not exceed ${formatMaxAmount(currency)}` },
    ])
  }
  if (amount !== undefined && amount !== product) {
    throw validationFailed([
      {
        pointer: '/amount',
        code: 'conflict',
        message:
          transferred === 0
            ? `must be ${formatAmount(product, currency)} (quantity × unitCost) or be omitted`
            : `must be ${formatAmount(product, currency)} (quantity × unitCost plus transfers) or be omitted`,
      },
    ])
  }
  return product
}

/**
 * Splits a budgeted amount into the original amount and approved changes. Before the budget is locked, the entire
 * budgeted amount is the original amount. Afterward, the original amount does not change, and the difference is an
 * approved change.
 */
export function splitBudgetedAmount(
  budgeted: number,
  originalAmount: number,
  { isLocked, currency }: { isLocked: boolean; currency: string },
): Pick<BudgetLine, 'originalAmount' | 'approvedChanges'> {
  if (!isLocked) return { originalAmount: budgeted, approvedChanges: 0 }
  const approvedChanges = sum([budgeted, -originalAmount])
  if (!isWithinMoneyRange(approvedChanges)) {
    throw validationFailed([
      {
        pointer: '/amount',
        code: 'maximum',
        message: `must not differ from the original amount by more than ${formatMaxAmount(currency)}`,
      },
    ])
  }
  return { originalAmount, approvedChanges }
}

export function buildBudgetLine(
  homeId: string,
  { amount, ...body }: BudgetLineCreate,
  { isLocked, currency }: { isLocked: boolean; currency: string },
) {
  const { quantity = null, unitCost = null } = body
  const budgeted = computeBudgetedAmount({ quantity, unitCost, amount, transferred: 0, currency })
  if (budgeted === undefined) {
    throw validationFailed([
      { pointer: '/amount', code: 'required', message: 'is required unless quantity and unitCost are set' },
    ])
  }
  return { ...body, homeId, source: 'manual' as const, ...splitBudgetedAmount(budgeted, 0, { isLocked, currency }) }
}

export const BELONGS_TO_SELECTION =
  'Cannot change or remove the budget line: it belongs to a selection. Change the selection instead.'

/** Returns the reason why the line cannot be changed in this way; null if it can be changed. */
export function explainWhyLineIsFixed(line: BudgetLine, scope: string | undefined, isLocked: boolean): string | null {
  if (line.optionSelectionId !== null) return BELONGS_TO_SELECTION
  const isMoved = scope !== undefined && scope !== line.scope
  return isLocked && isMoved ? 'Cannot change the scope of the line: the budget is locked.' : null
}

/** Returns the changes of the line for an update, including its amounts. */
export function toBudgetLineChanges(
  line: BudgetLine,
  body: BudgetLineUpdate,
  { isLocked, currency }: { isLocked: boolean; currency: string },
): Partial<NewRowValues<BudgetLine, 'budgeted' | 'transferred'>> {
  const { amount, ...rest } = body
  const { quantity, unitCost } = { ...line, ...rest }
  const budgeted = computeBudgetedAmount({ quantity, unitCost, amount, transferred: line.transferred, currency })
  return {
    ...rest,
    ...(budgeted !== undefined && splitBudgetedAmount(budgeted, line.originalAmount, { isLocked, currency })),
  }
}
