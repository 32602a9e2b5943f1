import Big from 'big.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getMinorUnits, toMinorUnitsSql } from './minor-units.ts'
import { computeLineTotal, computePercentAmount, divideAmount, roundMoney, sum } from './money.ts'

describe('rounding to the minor unit', () => {
  test('roundMoney rounds half away from zero', () => {
    expect([0.125, -0.125, 2.005].map((amount) => roundMoney(amount, 'USD'))).toEqual([0.13, -0.13, 2.01])
    expect([0.5, -0.5, 1.4999].map((amount) => roundMoney(amount, 'JPY'))).toEqual([1, -1, 1])
    expect([1.2345, -1.2345].map((amount) => roundMoney(amount, 'KWD'))).toEqual([1.235, -1.235])
  })

  test('getMinorUnits follows ISO 4217 for currencies that Intl handles differently', () => {
    const currencies = ['USD', 'JPY', 'KWD', 'IQD', 'COP', 'HUF']
    expect(currencies.map(getMinorUnits)).toEqual([2, 0, 3, 3, 2, 2])
    expect(toMinorUnitsSql('"currency"')).toMatch(
      /^\(case when "currency" in \('BIF', .*'JPY'.*\) then 0 when .*'KWD'.* then 3 else 2 end\)$/,
    )
  })

  test('computed amounts have no more decimals than their currency allows', () => {
    expect(computeLineTotal(3, 33.33, 'JPY')).toBe(100)
    expect(computePercentAmount(1000.005, 10, 'KWD')).toBe(100.001)
  })
})

describe('dividing an amount', () => {
  test.for([
    [100, [1, 1, 1], 'USD', [33.34, 33.33, 33.33]],
    [-100, [1, 1, 1], 'USD', [-33.34, -33.33, -33.33]],
    [100, [1, 1, 1], 'JPY', [34, 33, 33]],
    [0.01, [1, 2], 'USD', [0, 0.01]],
    [10, [0, 3, 0], 'USD', [0, 10, 0]],
    [100, [1000, -400], 'USD', [166.67, -66.67]],
  ] as const)('divideAmount splits %s by %s in %s', ([amount, weights, currency, parts]) => {
    expect(divideAmount(amount, weights, currency)).toEqual(parts)
  })

  test('the parts of a divided amount total the amount', () => {
    const units = fc.integer({ min: -99_999_999_999, max: 99_999_999_999 })
    const weights = fc
      .array(fc.oneof(fc.integer({ min: 0, max: 1_000_000 }), fc.constantFrom(0.01, 33.3333, 1e9, 1e-4)), {
        minLength: 1,
        maxLength: 12,
      })
      .filter((shares) => shares.some((share) => share > 0))
    fc.assert(
      fc.property(units, weights, fc.constantFrom('JPY', 'USD', 'KWD'), (count, shares, currency) => {
        const unit = new Big(10).pow(-getMinorUnits(currency))
        const amount = unit.times(count).toNumber()
        const parts = divideAmount(amount, shares, currency)
        expect(sum(parts)).toBe(amount)
        const whole = shares.reduce((total, share) => total.plus(share), new Big(0))
        for (const [i, part] of parts.entries()) {
          expect(roundMoney(part, currency)).toBe(part)
          // Compares without a division, whose result would be rounded: |part × whole − amount × share| < unit × whole.
          const distance = new Big(part).times(whole).minus(new Big(amount).times(shares[i] ?? 0))
          expect(distance.abs().lt(unit.times(whole))).toBe(true)
        }
        const negated = divideAmount(-amount, shares, currency).map((part) => (part === 0 ? 0 : -part))
        expect(negated).toEqual(parts)
      }),
    )
  })
})
