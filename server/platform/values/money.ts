import Big from 'big.js'
import { getMinorUnits } from './minor-units.ts'

/**
 * Amounts are calculated with decimals instead of binary floating-point numbers. Each line, tax, retainage, and
 * discount is rounded half away from zero to the minor unit of its currency. Sums of rounded amounts are exact, so they
 * are not rounded again.
 */

/** The maximum amount, which is also the maximum of the schema Money. */
export const MAX_MONEY = 999_999_999_999.99

/** Rounds an amount half away from zero to the minor unit of the currency. */
export function roundMoney(amount: Big | number, currency: string): number {
  return roundedTo(new Big(amount), getMinorUnits(currency)).toNumber()
}

/** Rounds half away from zero, as `roundHalfUp` of Big does. */
function roundedTo(value: Big, decimals: number): Big {
  return value.round(decimals, Big.roundHalfUp)
}

export function computeLineTotal(quantity: number, unitPrice: number, currency: string): number {
  return roundMoney(new Big(quantity).times(unitPrice), currency)
}

/** Returns a percentage of an amount, such as tax or retainage, rounded to the minor unit of the currency. */
export function computePercentAmount(amount: number, percent: number, currency: string): number {
  return roundMoney(new Big(amount).times(percent).div(100), currency)
}

/**
 * Returns a part as a percentage of the whole, rounded to two decimals; null if either is null or the whole is not
 * positive.
 */
export function toPercentage(part: number | null, whole: number | null): number | null {
  if (part === null || whole === null || whole <= 0) return null
  return roundedTo(new Big(part).times(100).div(whole), 2).toNumber()
}

export function subtract(amount: number, other: number): number {
  return new Big(amount).minus(other).toNumber()
}

/** Returns the average of at least one number, rounded to two decimals. */
export function computeAverage(numbers: readonly number[]): number {
  return roundedTo(new Big(sum(numbers)).div(numbers.length), 2).toNumber()
}

/** Returns the average of at least one amount, rounded to the minor unit of the currency. */
export function computeAverageAmount(amounts: readonly number[], currency: string): number {
  return roundMoney(new Big(sum(amounts)).div(amounts.length), currency)
}

export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total.plus(amount), new Big(0)).toNumber()
}

/**
 * Divides an amount in proportion to the shares. The sum of the shares must be positive, but individual shares may be
 * negative. First rounds each part down to the minor unit. Then adds the remaining units one by one to the parts with
 * the largest remainders. If remainders are equal, earlier shares are first. As a result, the parts add up to the
 * amount, and each of them differs from its exact share by less than one unit. The parts of a negative amount differ
 * from those of the positive amount only in sign.
 */
export function divideAmount(amount: number, shares: readonly number[], currency: string): number[] {
  const scale = new Big(10).pow(getMinorUnits(currency))
  const units = new Big(amount).abs().times(scale)
  const whole = shares.reduce((total, share) => total.plus(share), new Big(0))
  const parts = shares.map((share, place) => {
    const numerator = units.times(share)
    const floor = getFloor(numerator, whole)
    // All remainders have the same denominator, so comparing the numerators avoids rounding.
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

/**
 * Returns the exact integer part of a quotient. Big rounds quotients to 20 decimals, which can round up to the next
 * integer.
 */
function getFloor(numerator: Big, denominator: Big): Big {
  const quotient = numerator.div(denominator).round(0, Big.roundDown)
  return quotient.times(denominator).gt(numerator) ? quotient.minus(1) : quotient
}

export function isWithinMoneyRange(amount: number): boolean {
  return Math.abs(amount) <= MAX_MONEY
}
