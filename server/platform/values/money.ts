import Big from 'big.js'
import { getMinorUnits } from './minor-units.ts'

/**
 * Money is calculated in decimals. Each line, tax, retainage, and discount is rounded to the minor unit of its currency,
 * half away from zero. A sum of rounded amounts is exact and is not rounded again.
 */

/** The limit of an amount, and of the schema Money. */
export const MAX_MONEY = 999_999_999_999.99

/** Rounds an amount to the minor unit of the currency, half away from zero. */
export function roundMoney(amount: Big | number, currency: string): number {
  return roundedTo(new Big(amount), getMinorUnits(currency)).toNumber()
}

/** Rounds half away from zero, which is what Big's roundHalfUp does. */
function roundedTo(value: Big, decimals: number): Big {
  return value.round(decimals, Big.roundHalfUp)
}

export function computeLineTotal(quantity: number, unitPrice: number, currency: string): number {
  return roundMoney(new Big(quantity).times(unitPrice), currency)
}

/** Returns a percentage of an amount, such as tax or retainage, rounded to the minor unit. */
export function getPercent(amount: number, percent: number, currency: string): number {
  return roundMoney(new Big(amount).times(percent).div(100), currency)
}

/** Returns a part as a percentage of the whole, to two decimals; null if there is no whole. */
export function toPercentage(part: number | null, whole: number | null): number | null {
  if (part === null || whole === null || whole <= 0) return null
  return roundedTo(new Big(part).times(100).div(whole), 2).toNumber()
}

export function subtract(amount: number, other: number): number {
  return new Big(amount).minus(other).toNumber()
}

/** Returns the average, rounded to two decimals. Requires at least one number. */
export function average(numbers: readonly number[]): number {
  return roundedTo(new Big(sum(numbers)).div(numbers.length), 2).toNumber()
}

/** Returns the average, rounded to the minor unit. Requires at least one amount. */
export function averageAmount(amounts: readonly number[], currency: string): number {
  return roundMoney(new Big(sum(amounts)).div(amounts.length), currency)
}

export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total.plus(amount), new Big(0)).toNumber()
}

/**
 * Divides an amount in proportion to the shares, whose sum must be positive; a single share may be negative. Each part
 * is first rounded down to the minor unit. The remaining units are assigned one by one to the parts with the
 * largest remainders, and among equal remainders to the earlier share. So the parts add up to the amount, differ from
 * the exact shares by less than one unit, and differ only in sign for a negative amount.
 */
export function divideAmount(amount: number, shares: readonly number[], currency: string): number[] {
  const scale = new Big(10).pow(getMinorUnits(currency))
  const units = new Big(amount).abs().times(scale)
  const whole = shares.reduce((total, share) => total.plus(share), new Big(0))
  const parts = shares.map((share, place) => {
    const numerator = units.times(share)
    const floor = getFloor(numerator, whole)
    // Remainders are numerators of the same denominator, so comparing them rounds no quotient.
    return { place, floor, remainder: numerator.minus(floor.times(whole)) }
  })
  const left = units.minus(parts.reduce((total, { floor }) => total.plus(floor), new Big(0))).toNumber()
  const byRemainder = parts.toSorted((a, b) => b.remainder.cmp(a.remainder) || a.place - b.place)
  const raised = new Set(byRemainder.slice(0, left).map(({ place }) => place))
  const sign = amount < 0 ? -1 : 1
  return parts.map(({ floor, place }) => {
    const part = raised.has(place) ? floor.plus(1) : floor
    return part.eq(0) ? 0 : part.div(scale).times(sign).toNumber()
  })
}

/** Returns the exact integer part of a quotient. Big rounds quotients to 20 decimals, which can reach the next integer. */
function getFloor(numerator: Big, denominator: Big): Big {
  const quotient = numerator.div(denominator).round(0, Big.roundDown)
  return quotient.times(denominator).gt(numerator) ? quotient.minus(1) : quotient
}

export function isMoney(amount: number): boolean {
  return Math.abs(amount) <= MAX_MONEY
}

/** Returns an amount as text with all decimals of its currency. */
export function toAmountText(amount: number, currency: string): string {
  return new Big(amount).toFixed(getMinorUnits(currency))
}
