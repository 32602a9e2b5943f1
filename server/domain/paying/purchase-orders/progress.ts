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
import {
  computePercentAmount,
  divideAmount,
  isWithinMoneyRange,
  roundMoney,
  subtract,
  sum,
} from '../../../platform/values/money.ts'

type OrderLine = PurchaseOrderLine
type LineProgress = Pick<OrderLine, 'completedPercent' | 'completedQuantity' | 'completedAmount'>

/** The completed work and stored materials of an order, for each line and in total. */
export type OrderProgress = Pick<PurchaseOrder, 'lines' | 'completedAmount' | 'storedAmount'>

export const NO_PROGRESS: LineProgress & Pick<OrderLine, 'storedAmount'> = {
  storedAmount: 0,
  completedPercent: 0,
  completedQuantity: 0,
  completedAmount: 0,
}

/** Returns the order's progress with the same percentage on every line. */
export function computeProgressAtPercent(order: PurchaseOrder, percent: number): OrderProgress {
  return toProgress(
    order,
    order.lines.map((line) => ({ ...line, ...progressByPercent(line, percent, order.currency) })),
  )
}

/** Returns the order's progress without completed work or stored materials. */
export function clearProgress(order: PurchaseOrder): OrderProgress {
  return toProgress(
    order,
    order.lines.map((line) => ({ ...line, ...NO_PROGRESS })),
  )
}

/** Returns the order's progress after applying a progress report. */
export function applyProgress(order: PurchaseOrder, requested: PurchaseOrderProgress): OrderProgress {
  const { lines, completedPercent } = requested
  if (lines === undefined && completedPercent === undefined)
    throw validationFailed([
      { pointer: '/lines', code: 'required', message: 'is required unless completedPercent is set' },
    ])
  if (lines === undefined) return computeProgressAtPercent(order, completedPercent ?? 0)
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
      const { completedPercent, completedQuantity, storedAmount = line.storedAmount } = byId.get(line.lineId) ?? {}
      if (completedPercent !== undefined)
        return { ...line, ...progressByPercent(line, completedPercent, order.currency), storedAmount }
      return completedQuantity === undefined
        ? { ...line, storedAmount }
        : { ...line, ...progressByQuantity(line, completedQuantity, order.currency), storedAmount }
    }),
  )
}

function findProgressErrors(
  requested: PurchaseOrderLineProgress,
  i: number,
  all: readonly PurchaseOrderLineProgress[],
  line: OrderLine | undefined,
): FieldError[] {
  const { lineId, completedPercent, completedQuantity, storedAmount } = requested
  const at = (field: string, code: string, message: string) => [{ pointer: `/lines/${i}/${field}`, code, message }]
  if (all.findIndex((other) => other.lineId === lineId) < i)
    return at('lineId', 'unique', 'must be unique; another line has the same lineId')
  if (completedPercent === undefined && completedQuantity === undefined && storedAmount === undefined)
    return at('completedPercent', 'required', 'is required unless completedQuantity or storedAmount is set')
  if (storedAmount !== undefined && line !== undefined) {
    const max = Math.max(getLineAmount(line), 0)
    if (storedAmount > max)
      return at('storedAmount', 'maximum', `must not exceed the amount of the line (${formatNumber(max)})`)
  }
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

/**
 * Returns the progress of an order with the given lines. Stored materials decrease by the amount that becomes part of
 * the completed work.
 */
export function toProgress(order: PurchaseOrder, done: readonly OrderLine[]): OrderProgress {
  const lines = done.map((line) =>
    line.storedAmount === 0
      ? line
      : {
          ...line,
          storedAmount: Math.max(Math.min(line.storedAmount, subtract(getLineAmount(line), line.completedAmount)), 0),
        },
  )
  const exact = sum(lines.map((line) => line.completedAmount))
  // If the other lines exceed the total, the credit lines count as completed by the excess amount.
  const sign = order.total < 0 ? -1 : 1
  const completedAmount = sign * Math.max(0, Math.min(sign * exact, sign * order.total))
  const storedAmount = Math.min(
    sum(lines.map((line) => line.storedAmount)),
    Math.max(subtract(order.total, completedAmount), 0),
  )
  // The order has positive and negative lines, so the completed work can temporarily exceed the total.
  if (!isWithinMoneyRange(exact))
    throw conflict('too_large', `The completed work on ${order.number} would exceed the maximum amount of an order.`)
  return { lines, completedAmount, storedAmount }
}

/** Returns the order's progress with these completed amounts. Lines without an amount are not started. */
export function setProgressByAmounts(
  order: PurchaseOrder,
  amounts: readonly { lineId: string; completedAmount: number }[],
): OrderProgress {
  const known = new Map(order.lines.map((line) => [line.lineId, line]))
  const errors = amounts.flatMap(({ lineId, completedAmount }, i): FieldError[] => {
    const line = known.get(lineId)
    const at = (field: string, code: string, message: string) => ({
      ...{ pointer: `/migration/lines/${i}/${field}`, code, message },
    })
    if (line === undefined) return [at('lineId', 'unknown_reference', 'must be the lineId of a line of the order')]
    if (amounts.findIndex((other) => other.lineId === lineId) < i)
      return [at('lineId', 'unique', 'must be unique; another line has the same lineId')]
    const max = getLineAmount(line)
    if (completedAmount === 0 || completedAmount <= max) return []
    const message = `must not exceed the amount of the line (${formatAmount(max, order.currency)})`
    return [at('completedAmount', 'maximum', message)]
  })
  if (errors.length > 0) throw validationFailed(errors)
  const byId = new Map(amounts.map(({ lineId, completedAmount }) => [lineId, completedAmount]))
  return toProgress(
    order,
    order.lines.map((line) => setProgressByAmount(line, byId.get(line.lineId) ?? 0, order.currency)),
  )
}

function progressByPercent(line: OrderLine, completedPercent: number, currency: string): LineProgress {
  const completedQuantity = new Big(line.quantity).times(completedPercent).div(100).round(4, Big.roundHalfUp).toNumber()
  return {
    completedPercent,
    completedQuantity,
    completedAmount: computePercentAmount(getLineAmount(line), completedPercent, currency),
  }
}

function progressByQuantity(line: OrderLine, completedQuantity: number, currency: string): LineProgress {
  if (completedQuantity === line.quantity) return progressByPercent(line, 100, currency)
  if (completedQuantity === 0) return { completedPercent: 0, completedQuantity: 0, completedAmount: 0 }
  const share = (of: number) => new Big(of).times(completedQuantity).div(line.quantity)
  // Keep the percentage of a started line between 0.01 and 99.99, so that rounding does not show it as not started or
  // completed.
  const completedPercent = Math.min(Math.max(share(100).round(2, Big.roundHalfUp).toNumber(), 0.01), 99.99)
  return { completedPercent, completedQuantity, completedAmount: roundMoney(share(getLineAmount(line)), currency) }
}

/**
 * Returns the line with the given completed amount. Keeps the percentage of a started line between 0.01 and 99.99, so
 * that rounding does not show it as not started or completed.
 */
export function setProgressByAmount(line: OrderLine, completedAmount: number, currency: string): OrderLine {
  const whole = getLineAmount(line)
  if (completedAmount === whole) return { ...line, ...progressByPercent(line, 100, currency) }
  if (completedAmount === 0) return { ...line, completedPercent: 0, completedQuantity: 0, completedAmount: 0 }
  const ratio = new Big(completedAmount).div(whole)
  const completedPercent = Math.min(Math.max(ratio.times(100).round(2, Big.roundHalfUp).toNumber(), 0.01), 99.99)
  const completedQuantity = ratio.times(line.quantity).round(4, Big.roundHalfUp).toNumber()
  return { ...line, completedPercent, completedQuantity, completedAmount }
}

/** Returns the total of a line including tax. */
export function getLineAmount({ total, taxAmount }: OrderLine): number {
  return sum([total, taxAmount])
}

export function isOrderComplete({ lines }: Pick<PurchaseOrder, 'lines'>): boolean {
  return lines.every(({ completedPercent }) => completedPercent === 100)
}

export function hasProgress({ lines }: Pick<PurchaseOrder, 'lines'>): boolean {
  return lines.some(({ completedPercent }) => completedPercent > 0)
}

/** Returns whether the progress of any line decreases. */
export function isProgressLowered(before: Pick<PurchaseOrder, 'lines'>, { lines }: OrderProgress): boolean {
  return before.lines.some(
    (line, i) =>
      (lines[i]?.completedPercent ?? 0) < line.completedPercent ||
      (lines[i]?.completedQuantity ?? 0) < line.completedQuantity ||
      isStoredTaken(line, lines[i]),
  )
}

/** Returns whether stored materials decrease without becoming part of the completed work. */
function isStoredTaken(before: OrderLine, after: OrderLine | undefined): boolean {
  if (after === undefined || before.storedAmount <= after.storedAmount) return false
  return sum([after.completedAmount, after.storedAmount]) < sum([before.completedAmount, before.storedAmount])
}

/**
 * The amount by which completed work changes. The change applies to one line, or to all lines if `poLineId` is null.
 */
export interface ProgressShift {
  poLineId: string | null
  amount: number
}

/**
 * Returns the progress after the completed work changes by the given amounts. Divides an amount without a line among
 * the lines: an increase in proportion to their remaining work, and a decrease in proportion to their completed work.
 * Remaining work excludes stored materials, because the total progress would not increase if they became completed
 * work.
 */
export function shiftProgress(order: PurchaseOrder, shifts: readonly ProgressShift[]): OrderProgress {
  let lines = [...order.lines]
  for (const { poLineId, amount } of shifts) {
    const sign = order.total < 0 ? -1 : 1
    const isMore = sign * amount > 0
    const room = lines.map((line) => {
      if (poLineId !== null && line.lineId !== poLineId) return 0
      if (sign * getLineAmount(line) <= 0) return 0
      return sign * (isMore ? getRemainingAmount(line) : line.completedAmount)
    })
    const parts = fill(room, Math.abs(amount), order)
    lines = lines.map((line, i) => {
      const part = parts[i] ?? 0
      return part === 0
        ? line
        : setProgressByAmount(line, sum([line.completedAmount, isMore ? sign * part : -sign * part]), order.currency)
    })
  }
  return toProgress(order, lines)
}

/** Returns the amount of a line that is neither completed nor stored. */
function getRemainingAmount(line: OrderLine): number {
  return subtract(getLineAmount(line), sum([line.completedAmount, line.storedAmount]))
}

function fill(room: readonly number[], amount: number, order: Pick<PurchaseOrder, 'number' | 'currency'>): number[] {
  const whole = sum(room)
  if (amount > whole)
    throw conflict(
      'not_enough_left',
      `The bill changes the completed work on ${order.number} by ${formatAmount(amount, order.currency)}, but the maximum is ${formatAmount(whole, order.currency)}.`,
    )
  return whole === 0 ? room.map(() => 0) : divideAmount(amount, room, order.currency)
}
