import type { ImportDateFormat, ImportNumberFormat } from '../../../../client/contract.gen.ts'
import { isTypedNumber, parseTypedNumber } from '../../../platform/values/typed-number.ts'
import type { Cell } from '../reading/table.ts'

/** The format of the values in a column, and whether another format is also possible. */
export interface DetectedFormat<Format> {
  readonly format: Format
  readonly isDoubtful: boolean
}

/**
 * Detects the format of the numbers in a column. If every number has the same value in both formats, either format can
 * be used. If both formats are possible but give different values, the user has to choose.
 */
export function detectNumberFormat(cells: readonly Cell[]): DetectedFormat<ImportNumberFormat> {
  const texts = cells.filter((cell) => typeof cell === 'string').map(removePercentSign)
  const counts = (['point', 'comma'] as const).map(
    (format) => texts.filter((text) => isTypedNumber(text, format)).length,
  )
  const [point = 0, comma = 0] = counts
  if (point !== comma) return { format: point > comma ? 'point' : 'comma', isDoubtful: false }
  const read = (text: string, decimalSign: ImportNumberFormat) => parseTypedNumber(text, { decimalSign }).value
  const isDoubtful = texts.some((text) => isTypedNumber(text, 'point') && read(text, 'point') !== read(text, 'comma'))
  return { format: 'point', isDoubtful }
}

/** Removes the percent sign, which retainage and waste often have. */
export function removePercentSign(text: string): string {
  return text.replace(/\s*%$/, '')
}

/** Detects the order of the day, month, and year in the dates of a column. */
export function detectDateFormat(cells: readonly Cell[]): DetectedFormat<ImportDateFormat> {
  const parts = cells.flatMap((cell) => {
    const [, first, sign, second] = typeof cell === 'string' ? (NUMERIC_DATE.exec(cell) ?? []) : []
    return first === undefined ? [] : [{ first: Number(first), second: Number(second), sign }]
  })
  if (parts.length === 0) return { format: 'ymd', isDoubtful: false }
  if (parts.some(({ first }) => first > 12) || parts.every(({ sign }) => sign === '.'))
    return { format: 'dmy', isDoubtful: false }
  const isMonthFirst = parts.some(({ second }) => second > 12)
  const isSame = parts.every(({ first, second }) => first === second)
  return { format: 'mdy', isDoubtful: !isMonthFirst && !isSame }
}

/** Matches `11/20/2026` and `20.11.26`, with or without a time after the date. */
const NUMERIC_DATE = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?:[ T].*)?$/
const ISO_DATE = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[ T].*)?$/
const DAY_MONTH_DATE = /^(\d{1,2})[- ]([a-z]{3})[a-z]*\.?[-, ]+(\d{4}|\d{2})$/i
const MONTH_DAY_DATE = /^([a-z]{3})[a-z]*\.? (\d{1,2}),? (\d{4})$/i
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Returns the date as YYYY-MM-DD; null if the cell is not a date. */
export function parseDate(cell: Cell, format: ImportDateFormat): string | null {
  if (typeof cell === 'number') return toSerialDate(cell)
  const text = cell ?? ''
  const iso = ISO_DATE.exec(text)
  if (iso !== null) return toDate(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const numeric = NUMERIC_DATE.exec(text)
  if (numeric !== null) {
    const [first, second] = [Number(numeric[1]), Number(numeric[3])]
    const [month, day] = format === 'dmy' ? [second, first] : [first, second]
    return toDate(toYear(numeric[4]), month, day)
  }
  const dayMonth = DAY_MONTH_DATE.exec(text)
  if (dayMonth !== null) return toDate(toYear(dayMonth[3]), toMonth(dayMonth[2]), Number(dayMonth[1]))
  const monthDay = MONTH_DAY_DATE.exec(text)
  return monthDay === null ? null : toDate(toYear(monthDay[3]), toMonth(monthDay[1]), Number(monthDay[2]))
}

/** Converts a date from a workbook, which stores it as the number of days since 1899-12-30. */
function toSerialDate(days: number): string | null {
  if (!Number.isInteger(days) || days < 20_000 || days > 80_000) return null
  return new Date(Date.UTC(1899, 11, 30) + days * 86_400_000).toISOString().slice(0, 10)
}

function toYear(text = ''): number {
  const year = Number(text)
  return text.length === 2 ? 2000 + year : year
}

function toMonth(name = ''): number {
  return MONTHS.indexOf(name.toLowerCase()) + 1
}

function toDate(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day))
  const isReal = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isReal && year >= 1900 ? date.toISOString().slice(0, 10) : null
}
