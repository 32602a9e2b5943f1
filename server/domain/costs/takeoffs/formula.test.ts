import { expect, test } from 'vitest'
import { evaluateFormula, FormulaError, parseFormula, roundUp } from './formula.ts'

const figures = new Map([
  ['squareFeet', 2100],
  ['roofSquares', 37],
  ['min', 3],
])
const value = (text: string) => evaluateFormula(parseFormula(text), figures).toNumber()

test.each([
  ['2', 2],
  ['.5 + 1.25', 1.75],
  ['1 + 2 * 3', 7],
  ['(1 + 2) × 3', 9],
  ['10 - 4 - 3', 3],
  ['100 ÷ 8 / 2', 6.25],
  ['-2 * -(3 - 1)', 4],
  ['squareFeet / 260', 8.076923076923077],
  ['round(2.5) + ceil(2.01) + floor(2.99)', 8],
  ['ceil(-1.5) + floor(-1.5) + round(-2.5)', -6],
  ['min(roofSquares, 40) + max(roofSquares, 40)', 77],
  // A figure may have the same name as a function.
  ['min + 1', 4],
  ['0.1 + 0.2', 0.3],
])('the formula %s has the value %d', (text, expected) => {
  expect(value(text)).toBe(expected)
})

test.each([
  ['', 'ends before it is complete'],
  ['1 +', 'ends before it is complete'],
  ['1 2', 'has an unexpected "2" at character 3'],
  ['(1', 'ends before it is complete'],
  ['1)', 'has an unexpected ")" at character 2'],
  ['1 + $x', 'has an unexpected "$" at character 5'],
  ['2 ** 3', 'has an unexpected "*" at character 4'],
  ['abs(1)', 'uses the unknown function abs; available functions: round, ceil, floor, min, max'],
  ['constructor(1)', 'uses the unknown function constructor; available functions: round, ceil, floor, min, max'],
  ['min(1)', 'passes 1 value to min, which requires 2'],
  ['round(1, 2)', 'passes 2 values to round, which requires 1'],
  ['squareFeet / (roofSquares - 37)', 'divides by zero'],
  ['squareMeters', 'uses the unknown figure squareMeters'],
  ['toString', 'uses the unknown figure toString'],
  ['('.repeat(100), 'must not be nested deeper than 32 levels'],
  ['-'.repeat(100), 'must not be nested deeper than 32 levels'],
])('the formula %s is rejected because it %s', (text, words) => {
  expect(() => value(text)).toThrow(new FormulaError(words))
})

test('ceiling returns the smallest integer that is not less than the value, including negative values', async () => {
  const { default: Big } = await import('big.js')
  expect([1, 1.001, -1.5, 0].map((number) => roundUp(new Big(number)).toNumber())).toEqual([1, 2, -1, 0])
})

test('the intermediate results of a formula have a limited number of digits', () => {
  const factors = new Map([['x', 9.87654321098765]])
  const product = parseFormula(Array(250).fill('x').join('/1.1*'))
  expect(() => evaluateFormula(product, factors)).toThrow('has an intermediate result above 10^30')
  const small = parseFormula(Array(250).fill('0.987654321098765').join('*'))
  expect(evaluateFormula(small, factors).c.length).toBeLessThanOrEqual(20)
})
