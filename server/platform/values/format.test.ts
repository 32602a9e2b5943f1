import { describe, expect, test } from 'vitest'
import { describeStatus, formatAmount, formatDate, formatList, formatNumber, formatTimestamp } from './format.ts'

describe('values in error messages', () => {
  test('an amount in an error message has its currency symbol, separators, and cents', () => {
    expect(formatAmount(1250, 'USD')).toBe('$1,250.00')
    expect(formatAmount(-0.5, 'USD')).toBe('-$0.50')
    expect(formatAmount(1250, 'CAD')).toBe('CA$1,250.00')
  })

  test('a number in an error message has thousands separators', () => {
    expect(formatNumber(999_999_999_999.99)).toBe('999,999,999,999.99')
    expect(formatNumber(12.5)).toBe('12.5')
  })

  test('a date in an error message contains the name of the month', () => {
    expect(formatDate('2026-11-20')).toBe('November 20, 2026')
  })

  test('a timestamp in an error message contains its time zone', () => {
    const text = formatTimestamp('2026-11-20T23:00:00Z', 'America/Chicago')
    expect(text).toBe('November 20, 2026 at 5:00 PM CST')
  })

  test('a status in an error message is written in words', () => {
    expect(describeStatus('partially_completed')).toBe('partially completed')
    expect(describeStatus('draft')).toBe('a draft')
  })

  test('a list in an error message has "and" or "or" before its last item', () => {
    expect(formatList(['PO-7', 'PO-8', 'PO-9'])).toBe('PO-7, PO-8, and PO-9')
    expect(formatList(['issued', 'accepted'], 'or')).toBe('issued or accepted')
  })
})
