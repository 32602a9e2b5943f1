import Big from 'big.js'

/**
 * Money is calculated in decimals and rounded half up to the cent, line by line; a sum of rounded lines is not rounded
 * again.
 */

/** The limit of a money column, and of the schema Money. */
export const MOST_MONEY = 999_999_999_999.99

export function lineTotal(quantity: number, unitPrice: number): number {
  return new Big(quantity).times(unitPrice).round(2, Big.roundHalfUp).toNumber()
}

/** A share of an amount, such as tax or retainage. */
export function percentOf(amount: number, percent: number): number {
  return new Big(amount).times(percent).div(100).round(2, Big.roundHalfUp).toNumber()
}

/** A part as a percentage of the whole, to two decimals; null if there is no whole. */
export function percentage(part: number | null, whole: number | null): number | null {
  if (part === null || whole === null || whole <= 0) return null
  return new Big(part).times(100).div(whole).round(2, Big.roundHalfUp).toNumber()
}

export function minus(amount: number, other: number): number {
  return new Big(amount).minus(other).toNumber()
}

/** To the cent; there is at least one amount. */
export function average(amounts: readonly number[]): number {
  return new Big(sum(amounts)).div(amounts.length).round(2, Big.roundHalfUp).toNumber()
}

export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total.plus(amount), new Big(0)).toNumber()
}

/**
 * Divides an amount in proportion to the shares, of which none is negative and at least one is more than zero. Each
 * part is what the running total of the shares comes to, rounded half up to the cent, less the parts before it; so the
 * parts add up to the amount.
 */
export function divide(amount: number, shares: readonly number[]): number[] {
  const whole = sum(shares)
  let [running, given] = [new Big(0), new Big(0)]
  return shares.map((share) => {
    running = running.plus(share)
    const upToHere = running.times(amount).div(whole).round(2, Big.roundHalfUp)
    const part = upToHere.minus(given)
    given = upToHere
    return part.toNumber()
  })
}

export function isMoney(amount: number): boolean {
  return Math.abs(amount) <= MOST_MONEY
}

/** An amount as text, with its cents. */
export function amountText(amount: number): string {
  return new Big(amount).toFixed(2)
}
