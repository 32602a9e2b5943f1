import type { FieldError, PurchaseOrder, PurchaseOrderLine } from '../../../../client/contract.gen.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { invalid } from '../../../platform/problems/problem.ts'
import { formatNumber } from '../../../platform/values/format.ts'
import { isMoney, lineTotal, MOST_MONEY, percentOf, sum } from '../../../platform/values/money.ts'
import { NOTHING_DONE } from './progress.ts'

type Totals = Pick<PurchaseOrder, 'lines' | 'subtotal' | 'taxTotal' | 'total'>

/** A line with a known price, entered or looked up. */
export interface PricedLine extends Omit<Checked['PurchaseOrderLineInput'], 'description' | 'unitPrice'> {
  description: string
  unitPrice: number
  priceId: string | null
}

/** Returns the lines with their names, totals, and tax, without progress, and their totals. */
export function totalled(inputs: readonly PricedLine[], currency: string): Totals {
  const faults: FieldError[] = []
  const taken = new Set(inputs.map((line) => line.lineId))
  const names = new Set<string>()
  const lines = inputs.map((input, i): PurchaseOrderLine => {
    const lineId = input.lineId ?? freeName(i + 1, taken)
    if (names.has(lineId))
      faults.push({
        pointer: `/lines/${i}/lineId`,
        code: 'unique',
        message: `must be unique; another line has the lineId "${lineId}"`,
      })
    names.add(lineId)
    const { description, quantity, unitPrice, unit, budgetLineId = null, partId = null, priceId, taxPercent } = input
    const total = lineTotal(quantity, unitPrice, currency)
    if (!isMoney(total))
      faults.push({
        pointer: `/lines/${i}/unitPrice`,
        code: 'maximum',
        message: `times quantity must be between -${formatNumber(MOST_MONEY)} and ${formatNumber(MOST_MONEY)}`,
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
      taxAmount: percentOf(total, taxPercent, currency),
      total,
      ...NOTHING_DONE,
    }
  })
  const subtotal = sum(lines.map((line) => line.total))
  const taxTotal = sum(lines.map((line) => line.taxAmount))
  const total = sum([subtotal, taxTotal])
  if (faults.length === 0 && ![subtotal, taxTotal, total].every(isMoney)) {
    faults.push({
      pointer: '/lines',
      code: 'maximum',
      message: `must total between -${formatNumber(MOST_MONEY)} and ${formatNumber(MOST_MONEY)}`,
    })
  }
  if (faults.length > 0) throw invalid(faults)
  return { lines, subtotal, taxTotal, total }
}

function freeName(place: number, taken: Set<string | undefined>): string {
  let name = `line-${place}`
  for (let next = place + 1; taken.has(name); next++) name = `line-${next}`
  taken.add(name)
  return name
}
