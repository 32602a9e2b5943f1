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

export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total.plus(amount), new Big(0)).toNumber()
}

export function isMoney(amount: number): boolean {
  return Math.abs(amount) <= MOST_MONEY
}

/** An amount as it is told to people. */
export function told(amount: number): string {
  return new Big(amount).toFixed(2)
}
