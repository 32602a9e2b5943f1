import { divideAmount, subtract, sum } from '../../platform/values/money.ts'

/**
 * Divides an amount in proportion to weights, which can have different signs, such as those of a line and a credit. If
 * the weights total 0, the first position receives the entire amount.
 */
export function spreadAmount(amount: number, weights: readonly number[], currency: string): number[] {
  const whole = sum(weights)
  if (whole === 0) return weights.map((_, i) => (i === 0 ? amount : 0))
  // The total of the weights must be positive. Inverting all signs does not change the proportions.
  return divideAmount(amount, whole < 0 ? weights.map((weight) => subtract(0, weight)) : weights, currency)
}
