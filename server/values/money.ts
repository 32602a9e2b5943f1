import Big from 'big.js'

/** Money is reckoned in decimals and rounded half up to the cent, line by line; a sum of rounded lines is not rounded again. */

/** What a column of money holds, and the schema Money allows. */
export const MOST_MONEY = 999_999_999_999.99

export function lineTotal(quantity: number, unitPrice: number): number {
  return new Big(quantity).times(unitPrice).round(2, Big.roundHalfUp).toNumber()
}

/** A share of an amount, such as tax or retainage. */
export function percentOf(amount: number, percent: number): number {
  return new Big(amount).times(percent).div(100).round(2, Big.roundHalfUp).toNumber()
}

/** How much a part is in percent of the whole, to two decimals; of nothing there is no percentage. */
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

export function isMoney(amount: number): boolean {
  return Math.abs(amount) <= MOST_MONEY
}

/** An amount as text, with its cents. */
export function amountText(amount: number): string {
  return new Big(amount).toFixed(2)
}
