import Big from 'big.js'
import type { PurchaseOrder, RetainageStep } from '../../../../client/contract.gen.ts'
import { computePercentAmount, divideAmount, roundMoney, subtract, sum } from '../../../platform/values/money.ts'

/** A change of the retainage percentage, starting at this billed amount. */
export interface StepAtAmount extends Pick<RetainageStep, 'percent' | 'applies'> {
  at: number
}

/** The billed amount for a line with its own retainage percentage. */
export interface OwnShare {
  percent: number
  amount: number
}

/** The terms that determine the retainage of an order with its change orders. */
export interface RetainageTerms
  extends Pick<PurchaseOrder, 'currency' | 'retainagePercent' | 'retainageMaxPercent' | 'storedRetainagePercent'> {
  /** The total of the order with its change orders, which determines the maximum retainage. */
  total: number
  storedAmount: number
  steps: readonly StepAtAmount[]
  /** The billed amounts for lines with their own retainage percentage. */
  own: readonly OwnShare[]
}

/**
 * Returns the retainage that the terms require for a total billed amount, rounded once at the end. The percentage of
 * each step applies to the part of the amount within that step. A step that applies to all amounts replaces the
 * percentages of all previous steps, starting at zero. The steps do not apply to lines with their own percentage, or to
 * stored materials with a separate percentage. If the vendor owes the order's amounts, all amounts are negative, so
 * their signs are inverted before the comparison.
 */
export function computeRequiredRetainage(terms: RetainageTerms, billed: number): number {
  const sign = terms.total < 0 ? -1 : 1
  const { storedRetainagePercent, retainageMaxPercent } = terms
  const ownAmount = sum(terms.own.map(({ amount }) => amount))
  const whole = new Big(Math.max(sign * subtract(billed, ownAmount), 0))
  const stored = storedRetainagePercent === null ? new Big(0) : getLesser(new Big(sign * terms.storedAmount), whole)
  const own = terms.own.reduce(
    (total, { percent, amount }) => total.plus(new Big(sign * amount).times(percent).div(100)),
    new Big(0),
  )
  const exact = applySteps(terms, whole.minus(stored))
    .plus(stored.times(storedRetainagePercent ?? 0).div(100))
    .plus(own)
  const total = new Big(terms.total).times(sign)
  const limited = retainageMaxPercent === null ? exact : getLesser(exact, total.times(retainageMaxPercent).div(100))
  return roundMoney(limited.times(sign), terms.currency)
}

/** The billed and withheld amounts of an order with its change orders. */
export interface Withheld {
  billed: number
  withheld: number
  /** The withheld amount, minus retainage that is released or on pending releases. */
  free: number
}

/**
 * Returns the retainage to withhold on another bill: the retainage required after the bill, minus the retainage already
 * withheld, but not more than the amount of the bill. If a bill decreases the billed amount, returns the negative
 * difference.
 *
 * @param ownOfBill the parts of the bill for lines with their own retainage percentage
 */
export function computeWithholding(
  terms: RetainageTerms,
  { billed, withheld, free }: Withheld,
  gross: number,
  ownOfBill: readonly OwnShare[],
): number {
  const sign = terms.total < 0 ? -1 : 1
  const after = computeRequiredRetainage({ ...terms, own: [...terms.own, ...ownOfBill] }, sum([billed, gross]))
  if (sign * gross >= 0) return sign * Math.min(sign * gross, Math.max(0, sign * subtract(after, withheld)))
  const back = sign * subtract(computeRequiredRetainage(terms, billed), after)
  return -sign * Math.max(Math.min(back, sign * free, -sign * gross), 0)
}

/**
 * Divides the retainage of a bill among its lines. A line with its own percentage receives the corresponding amount if
 * enough retainage remains.
 */
export function divideRetainage(
  retainage: number,
  lines: readonly { amount: number; percent: number | null }[],
  currency: string,
): number[] {
  const own = lines.map(({ amount, percent }) =>
    percent === null ? null : computePercentAmount(amount, percent, currency),
  )
  const rest = subtract(retainage, sum(own.map((part) => part ?? 0)))
  const weights = lines.map(({ amount, percent }) => (percent === null ? Math.abs(amount) : 0))
  if (sum(weights) === 0 || rest * retainage < 0)
    return divideAmount(
      retainage,
      lines.map(({ amount }) => Math.abs(amount)),
      currency,
    )
  const parts = divideAmount(rest, weights, currency)
  return own.map((part, i) => part ?? parts[i] ?? 0)
}

function applySteps({ retainagePercent, steps, total }: RetainageTerms, amount: Big): Big {
  const sign = total < 0 ? -1 : 1
  let [held, from, percent] = [new Big(0), new Big(0), retainagePercent]
  for (const step of steps) {
    const at = new Big(step.at).times(sign)
    if (amount.lt(at)) break
    held = held.plus(at.minus(from).times(percent).div(100))
    if (step.applies === 'all') held = at.times(step.percent).div(100)
    from = at
    percent = step.percent
  }
  return held.plus(amount.minus(from).times(percent).div(100))
}

function getLesser(one: Big, other: Big): Big {
  return one.lt(other) ? one : other
}
