import { expect, test } from 'vitest'
import { describeTypedNumberError, formatTypedNumber, isTypedNumber, parseTypedNumber } from './typed-number.ts'

const unitPrice = (text: string) => parseTypedNumber(text, { decimals: 4, currency: 'USD' })
const money = (text: string) => parseTypedNumber(text, { decimals: 2, isNegativeAllowed: false, currency: 'USD' })

test.each([
  ['', null],
  ['   ', null],
  ['0', 0],
  ['-0', 0],
  ['12500', 12_500],
  ['12,500', 12_500],
  [' $ 1,234.50 ', 1234.5],
  ['1 234 567', 1_234_567],
  ['1\u00a0250', 1250],
  ["1'250.50", 1250.5],
  ['USD 50', 50],
  ['50 usd', 50],
  ['US$50', 50],
  ['€ 7', 7],
  ['.75', 0.75],
  ['12.', 12],
  ['0.125', 0.125],
  ['1.1255', 1.1255],
  ['1.1250', 1.125],
  ['1,234.500', 1234.5],
  ['+5', 5],
  ['\u221235', -35],
  ['-35.5', -35.5],
  ['75-', -75],
  ['-$75', -75],
  ['$-75', -75],
  ['(500)', -500],
  ['($1,075.25)', -1075.25],
  ['9,999,999,999', 9_999_999_999],
])('%j is the number %j', (text, value) => {
  expect(unitPrice(text)).toEqual({ value, error: null })
})

test.each([
  ['12.500', 'point', [12_500, 12.5]],
  ['1.125', 'point', [1125, 1.125]],
  ['-1.125', 'point', [-1125, -1.125]],
  ['1,70', 'signs', [1.7]],
  ['12,5', 'signs', [12.5]],
  ['12.500,00', 'signs', [12_500]],
  ['1.250.000', 'signs', [1_250_000]],
  ['1,2345', 'signs', [1.2345]],
  ['12k', 'short', [12_000]],
  ['12.5 K', 'short', [12_500]],
  ['15 mil', 'short', [15_000]],
  ['1.2m', 'short', [1_200_000]],
  ['1,23,456', 'grouping', [123_456]],
  ['1 25', 'grouping', [125]],
  ['1.2.3', 'grouping', []],
  ['1.23456', 'decimals', []],
  ['12345678901', 'large', []],
  ['twelve', 'text', []],
  ['12-15', 'text', []],
  ['$', 'text', []],
  ['(-5)', 'text', []],
  ['--5', 'text', []],
  ['0x10', 'text', []],
  ['1e5', 'text', []],
  ['Infinity', 'text', []],
  ['MXN 500', 'text', []],
  ['10 pcs', 'text', []],
])('%j is rejected with the code %s and the possible numbers %j', (text, code, candidates) => {
  expect(unitPrice(text)).toEqual({ value: null, error: { code, typed: text, candidates } })
})

test('an amount of money with more than two decimals is rejected', () => {
  expect(money('12.505').error).toEqual({ code: 'point', typed: '12.505', candidates: [12_505, 12.505] })
  expect(money('12.5055').error).toMatchObject({ code: 'decimals' })
  expect(money('-5').error).toMatchObject({ code: 'negative' })
  expect(money('5.25').value).toBe(5.25)
})

test('the specified decimal separator determines how a number is read', () => {
  const comma = ['25.000,00', '1500,50', '1.250', ',5'].map((text) => parseTypedNumber(text, { decimalSign: 'comma' }))
  expect(comma.map(({ value }) => value)).toEqual([25_000, 1500.5, 1250, 0.5])
  expect(parseTypedNumber('1.250', { decimalSign: 'point' }).value).toBe(1.25)
  expect(parseTypedNumber('80 EUR').value).toBe(80)
  expect(['1.70', '39,850.00', '1 25', '1.2.3'].map((text) => isTypedNumber(text, 'comma'))).toEqual(
    Array(4).fill(false),
  )
})

test.each([
  ['39.850,00', undefined, 'is ambiguous; write 39,850'],
  ['1,70', undefined, 'is ambiguous; write 1.70'],
  ['12.500', undefined, 'is ambiguous; write 12,500 or 12.50'],
  ['0x10', undefined, 'must be a number, such as 1,250.50'],
  ['123456789012', undefined, 'is too large'],
  ['39,850.50', 'comma', 'is ambiguous; write 39.850,50'],
  ['x', 'comma', 'must be a number, such as 1.250,50'],
] as const)('the error for %j shows how to write the number', (text, decimalSign, description) => {
  const { error } = parseTypedNumber(text, decimalSign === undefined ? {} : { decimalSign })
  expect(error && describeTypedNumberError(error, decimalSign)).toBe(description)
})

test('a number that is formatted for an input field is parsed as the same number', () => {
  const values = [0, 12, 1.5, 1.125, 12.505, 0.0625, -3.125, 1250.75]
  expect(values.map((value) => parseTypedNumber(formatTypedNumber(value)).value)).toEqual(values)
})
