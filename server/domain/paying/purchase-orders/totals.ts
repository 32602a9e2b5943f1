import type { FieldError, PurchaseOrder, PurchaseOrderLine } from '../../../../client/contract.gen.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { formatMaxAmount } from '../../../platform/values/format.ts'
import { computeLineTotal, computePercentAmount, isWithinMoneyRange, sum } from '../../../platform/values/money.ts'
import { NO_PROGRESS } from './progress.ts'

type OrderTotals = Pick<PurchaseOrder, 'lines' | 'subtotal' | 'taxTotal' | 'total'>

/** An order line whose price is known, because it was entered or looked up. */
export interface PricedLine extends Omit<Checked['PurchaseOrderLineInput'], 'description' | 'unitPrice'> {
  description: string
  unitPrice: number
  priceId: string | null
}

/** Returns the totals of the order, and the lines with their names, totals, and tax, but without progress. */
export function calculateOrderTotals(inputs: readonly PricedLine[], currency: string): OrderTotals {
  const errors: FieldError[] = []
  const taken = new Set(inputs.map((line) => line.lineId))
  const names = new Set<string>()
  const lines = inputs.map((input, i): PurchaseOrderLine => {
    const lineId = input.lineId ?? uniqueLineId(i + 1, taken)
    if (names.has(lineId))
      errors.push({
        pointer: `/lines/${i}/lineId`,
        code: 'unique',
        message: `must be unique; another line has the lineId "${lineId}"`,
      })
    names.add(lineId)
    const { description, quantity, unitPrice, unit, budgetLineId = null, partId = null, priceId, taxPercent } = input
    const { retainagePercent = null } = input
    const total = computeLineTotal(quantity, unitPrice, currency)
    if (!isWithinMoneyRange(total))
      errors.push({
        pointer: `/lines/${i}/unitPrice`,
        code: 'maximum',
        message: `times quantity must be between -${formatMaxAmount(currency)} and ${formatMaxAmount(currency)}`,
      })
    return {
      lineId,
      budgetLineId,
      costCodeId: input.costCodeId ?? null,
      partId,
      priceId,
      description,
      quantity,
      unit,
      unitPrice,
      taxPercent,
      taxAmount: computePercentAmount(total, taxPercent, currency),
      total,
      ...NO_PROGRESS,
      retainagePercent,
    }
  })
  const subtotal = sum(lines.map((line) => line.total))
  const taxTotal = sum(lines.map((line) => line.taxAmount))
  const total = sum([subtotal, taxTotal])
  if (errors.length === 0 && ![subtotal, taxTotal, total].every(isWithinMoneyRange)) {
    errors.push({
      pointer: '/lines',
      code: 'maximum',
      message: `must have a total between -${formatMaxAmount(currency)} and ${formatMaxAmount(currency)}`,
    })
  }
  if (errors.length > 0) throw validationFailed(errors)
  return { lines, subtotal, taxTotal, total }
}

function uniqueLineId(place: number, taken: Set<string | undefined>): string {
  let name = `line-${place}`
  for (let next = place + 1; taken.has(name); next++) name = `line-${next}`
  taken.add(name)
  return name
}
