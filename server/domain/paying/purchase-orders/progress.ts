import Big from 'big.js'
import type {
  FieldError,
  PurchaseOrder,
  PurchaseOrderLine,
  PurchaseOrderLineProgress,
  PurchaseOrderProgress,
} from '../../../../client/contract.gen.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { formatAmount, formatNumber } from '../../../platform/values/format.ts'
import { getPercent, isMoney, roundMoney, subtract, sum } from '../../../platform/values/money.ts'

type OrderLine = PurchaseOrderLine
type LineProgress = Pick<OrderLine, 'completedPercent' | 'completedQuantity' | 'completedAmount'>

/** The completed work of an order, by line and in total. */
export type OrderProgress = Pick<PurchaseOrder, 'lines' | 'completedAmount' | 'retainedAmount'>

export const NO_PROGRESS: LineProgress = { completedPercent: 0, completedQuantity: 0, completedAmount: 0 }

/** Returns the order's progress with every line at the same percentage. */
export function progressAtPercent(order: PurchaseOrder, percent: number): OrderProgress {
  return toProgress(
    order,
    order.lines.map((line) => ({ ...line, ...progressByPercent(line, percent, order.currency) })),
  )
}

/** Returns the order's progress after a report. */
export function applyProgress(order: PurchaseOrder, requested: PurchaseOrderProgress): OrderProgress {
  const { lines, completedPercent } = requested
  if (lines === undefined && completedPercent === undefined)
    throw validationFailed([
      { pointer: '/lines', code: 'required', message: 'is required unless completedPercent is set' },
    ])
  if (lines === undefined) return progressAtPercent(order, completedPercent ?? 0)
  if (completedPercent !== undefined)
    throw validationFailed([
      { pointer: '/completedPercent', code: 'exclusive', message: 'cannot be combined with lines' },
    ])
  const known = new Map(order.lines.map((line) => [line.lineId, line]))
  const unknown = lines.flatMap(({ lineId }, i) => (known.has(lineId) ? [] : [`/lines/${i}/lineId`]))
  if (unknown.length > 0) throw unknownReference(unknown)
  const errors = lines.flatMap((line, i) => findProgressErrors(line, i, lines, known.get(line.lineId)))
  if (errors.length > 0) throw validationFailed(errors)
  const byId = new Map(lines.map((line) => [line.lineId, line]))
  return toProgress(
    order,
    order.lines.map((line) => {
      const { completedPercent, completedQuantity } = byId.get(line.lineId) ?? {}
      if (completedPercent !== undefined)
        return { ...line, ...progressByPercent(line, completedPercent, order.currency) }
      return completedQuantity === undefined
        ? line
        : { ...line, ...progressByQuantity(line, completedQuantity, order.currency) }
    }),
  )
}

function findProgressErrors(
  requested: PurchaseOrderLineProgress,
  i: number,
  all: readonly PurchaseOrderLineProgress[],
  line: OrderLine | undefined,
): FieldError[] {
  const { lineId, completedPercent, completedQuantity } = requested
  const at = (field: string, code: string, message: string) => [{ pointer: `/lines/${i}/${field}`, code, message }]
  if (all.findIndex((other) => other.lineId === lineId) < i)
    return at('lineId', 'unique', 'must be unique; another line has the same lineId')
  if (completedPercent === undefined && completedQuantity === undefined)
    return at('completedPercent', 'required', 'is required unless completedQuantity is set')
  if (completedPercent !== undefined && completedQuantity !== undefined)
    return at('completedQuantity', 'exclusive', 'cannot be combined with completedPercent')
  if (completedQuantity === undefined || line === undefined) return []
  if (line.quantity === 0) return at('completedQuantity', 'no_quantity', 'requires a line with a quantity')
  if (completedQuantity <= line.quantity) return []
  return at(
    'completedQuantity',
    'maximum',
    `must not exceed the ordered quantity (${formatNumber(line.quantity)} ${line.unit})`,
  )
}

function toProgress(order: PurchaseOrder, lines: OrderLine[]): OrderProgress {
  const completedAmount = sum(lines.map((line) => line.completedAmount))
  // With positive and negative lines, the completed work can temporarily exceed the total.
  if (!isMoney(completedAmount))
    throw conflict('too_large', `The completed work of ${order.number} would exceed the maximum of an order.`)
  return { lines, completedAmount, retainedAmount: computeRetained({ ...order, completedAmount }) }
}

/** Returns the retainage of the completed work: the order's percentage of it, less what was already released. */
export function computeRetained(
  order: Pick<PurchaseOrder, 'completedAmount' | 'retainagePercent' | 'releasedAmount' | 'currency'>,
): number {
  return subtract(getPercent(order.completedAmount, order.retainagePercent, order.currency), order.releasedAmount)
}

/**
 * Returns whether all completed work of an order was paid, including its retainage, and no payment of it is pending.
 */
export function isPaidInFull(order: Pick<PurchaseOrder, 'completedAmount' | 'paidAmount' | 'reservedAmount'>): boolean {
  return order.paidAmount !== 0 && order.paidAmount === order.completedAmount && order.reservedAmount === 0
}

function progressByPercent(line: OrderLine, completedPercent: number, currency: string): LineProgress {
  const completedQuantity = new Big(line.quantity).times(completedPercent).div(100).round(4, Big.roundHalfUp).toNumber()
  return {
    completedPercent,
    completedQuantity,
    completedAmount: getPercent(lineAmount(line), completedPercent, currency),
  }
}

function progressByQuantity(line: OrderLine, completedQuantity: number, currency: string): LineProgress {
  if (completedQuantity === line.quantity) return progressByPercent(line, 100, currency)
  if (completedQuantity === 0) return NO_PROGRESS
  const share = (of: number) => new Big(of).times(completedQuantity).div(line.quantity)
  // Rounding must not make a started line look complete or not started.
  const completedPercent = Math.min(Math.max(share(100).round(2, Big.roundHalfUp).toNumber(), 0.01), 99.99)
  return { completedPercent, completedQuantity, completedAmount: roundMoney(share(lineAmount(line)), currency) }
}

/** Returns the amount of a line including tax. */
function lineAmount({ total, taxAmount }: OrderLine): number {
  return sum([total, taxAmount])
}

export function isComplete({ lines }: Pick<PurchaseOrder, 'lines'>): boolean {
  return lines.every(({ completedPercent }) => completedPercent === 100)
}

export function hasProgress({ lines }: Pick<PurchaseOrder, 'lines'>): boolean {
  return lines.some(({ completedPercent }) => completedPercent > 0)
}

/** Returns whether the progress of any line is reduced. */
export function isProgressLowered(before: Pick<PurchaseOrder, 'lines'>, { lines }: OrderProgress): boolean {
  return before.lines.some(
    (line, i) =>
      (lines[i]?.completedPercent ?? 0) < line.completedPercent ||
      (lines[i]?.completedQuantity ?? 0) < line.completedQuantity,
  )
}

/**
 * Throws if the progress would fall below the work that was paid or is reserved for payments. A backcharge has negative
 * payments. A deposit is paid before any work, so more work can be completed at any time.
 */
export function assertPaidWorkKept(order: PurchaseOrder, { completedAmount, retainedAmount }: OrderProgress): void {
  const { number, paidAmount, reservedAmount, releasedAmount, currency } = order
  const amount = (value: number) => formatAmount(value, currency)
  const taken = sum([paidAmount, reservedAmount])
  const sign = order.total < 0 ? -1 : 1
  const isLess = sign * completedAmount < sign * order.completedAmount
  if (!isLess || taken === 0) return
  if (sign * completedAmount >= sign * taken) {
    if (sign * retainedAmount >= 0) return
    throw conflict(
      'not_enough_left',
      `Cannot lower the completed work of ${number} to ${amount(completedAmount)}: its retainage would be less than the ${amount(releasedAmount)} already released.`,
    )
  }
  const paid = reservedAmount === 0 ? 'already paid' : 'already paid or reserved for payments'
  throw conflict(
    'not_enough_left',
    `The completed work of ${number} cannot be ${amount(completedAmount)}: ${amount(taken)} is ${paid}.`,
  )
}
