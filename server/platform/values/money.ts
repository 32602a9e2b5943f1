import Big from 'big.js'

/**
 * Money is calculated in decimals and rounded half up to the cent, line by line. A sum of rounded lines is not rounded
 * again.
 */

/** The limit of a money column, and of the schema Money. */
export const MOST_MONEY = 999_999_999_999.99

export function lineTotal(quantity: number, unitPrice: number): number {
  return new Big(quantity).times(unitPrice).round(2, Big.roundHalfUp).toNumber()
}

/** Returns a percentage of an amount, such as tax or retainage, rounded half up to the cent. */
export function percentOf(amount: number, percent: number): number {
  return new Big(amount).times(percent).div(100).round(2, Big.roundHalfUp).toNumber()
}

/** Returns a part as a percentage of the whole, to two decimals; null if there is no whole. */
export function percentage(part: number | null, whole: number | null): number | null {
  if (part === null || whole === null || whole <= 0) return null
  return new Big(part).times(100).div(whole).round(2, Big.roundHalfUp).toNumber()
}

export function minus(amount: number, other: number): number {
  return new Big(amount).minus(other).toNumber()
}

/** Returns the average, rounded half up to the cent. Requires at least one amount. */
export function average(amounts: readonly number[]): number {
  return new Big(sum(amounts)).div(amounts.length).round(2, Big.roundHalfUp).toNumber()
}

export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total.plus(amount), new Big(0)).toNumber()
}

/**
 * Divides an amount in proportion to the shares, none of which is negative and at least one of which is positive. Each
 * part is the amount's portion for the running total of the shares, rounded half up to the cent, less the previous
 * parts. So the parts add up to the amount.
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

/** Returns an amount as text with two decimals. */
export function amountText(amount: number): string {
  return new Big(amount).toFixed(2)
}
