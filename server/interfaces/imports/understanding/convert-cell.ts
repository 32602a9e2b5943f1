import type { ImportDateFormat, ImportNumberFormat } from '../../../../client/contract.gen.ts'
import { formatList } from '../../../platform/values/format.ts'
import { describeTypedNumberError, parseTypedNumber } from '../../../platform/values/typed-number.ts'
import { type FieldDefinition, toHeadingKey } from '../kinds/import-kind.ts'
import { parseDate, removePercentSign } from './number-cells.ts'

/** The value of a cell or, if the cell cannot be converted, the error message: a predicate without a subject. */
export type ConvertedCell = { value: unknown; message: null } | { value: null; message: string }

export interface CellFormats {
  readonly numberFormat: ImportNumberFormat | null
  readonly dateFormat: ImportDateFormat | null
}

/** Converts a non-empty cell to the value of a field. */
export function convertCell(cell: string | number, field: FieldDefinition, formats: CellFormats): ConvertedCell {
  const text = String(cell)
  switch (field.type) {
    case 'number':
    case 'integer':
      return convertNumber(cell, field, formats)
    case 'date': {
      const date = parseDate(cell, formats.dateFormat ?? 'ymd')
      return date === null ? refuse('must be a date, such as 2026-11-20') : accept(date)
    }
    case 'boolean': {
      const word = text.toLowerCase()
      if (YES.has(word)) return accept(true)
      return NO.has(word) ? accept(false) : refuse('must be yes or no')
    }
    case 'choice': {
      const choices = field.choices ?? {}
      const key = toHeadingKey(text)
      const value = Object.hasOwn(choices, key) ? choices[key] : undefined
      const allowed = [...new Set(Object.values(choices))]
      return value === undefined ? refuse(`must be ${formatList(allowed, 'or')}`) : accept(value)
    }
    case 'list':
      return accept([...new Set(text.split(/[,;|\n]/).flatMap((part) => part.trim() || []))])
    default: {
      const value = field.convert === undefined ? text : field.convert(text)
      return value === undefined ? refuse('is not a recognized value') : accept(value)
    }
  }
}

const YES: ReadonlySet<string> = new Set(['yes', 'y', 'true', '1', 'x', '\u2713', '1099'])
const NO: ReadonlySet<string> = new Set(['no', 'n', 'false', '0', '-', 'none'])

function convertNumber(cell: string | number, { type }: FieldDefinition, { numberFormat }: CellFormats): ConvertedCell {
  const decimalSign = numberFormat ?? 'point'
  const { value, error } =
    typeof cell === 'number' ? { value: cell, error: null } : parseTypedNumber(removePercentSign(cell), { decimalSign })
  if (error !== null) return refuse(describeTypedNumberError(error, decimalSign))
  if (value === null) return refuse('must be a number')
  return type === 'integer' && !Number.isInteger(value) ? refuse('must be a whole number') : accept(value)
}

function accept(value: unknown): ConvertedCell {
  return { value, message: null }
}

function refuse(message: string): ConvertedCell {
  return { value: null, message }
}
