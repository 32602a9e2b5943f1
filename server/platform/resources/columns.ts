import { compareWithParameter } from '../database/pool-driver.ts'
/**
 * The kind of values in a column. An `id` is always an ID that the service has generated, and never text that a caller
 * has sent.
 */
export type ColumnKind =
  | 'text'
  | 'instant'
  | 'id'
  | 'enum'
  | 'date'
  | 'integer'
  | 'json'
  | 'decimal'
  | 'boolean'
  | 'texts'

/** The SQL of a computed field of row `t`. */
export interface ComputedColumn {
  readonly sql: string
  readonly isInstant?: boolean
}

/** A kind, followed by a question mark if the value can be null, or a computed field. */
export type Column = ColumnKind | `${ColumnKind}?` | ComputedColumn
export type Columns = Readonly<Record<string, Column>>

/** Returns the columns of a SELECT statement whose rows are returned as objects. */
export function toSelectColumnsSql(columns: Columns): string {
  return Object.entries(columns)
    .map(([name, column]) => `${toColumnSql(name, column)} as "${name}"`)
    .join(', ')
}

/**
 * The maximum size in bytes of a short row. Short rows are read with their page, which can contain 200 of them. Longer
 * rows are read separately.
 */
export const MAX_SHORT_BYTES = 5000

/**
 * Returns the columns of a SELECT statement whose rows the database converts to JSON. Parsing and serializing each
 * value in this process would cost more than the rest of a list request. In longer rows, the `long` columns are null
 * and are not read.
 */
export function toJsonColumnsSql(columns: Columns, long: readonly string[] = []): string {
  return Object.entries(columns)
    .map(([name, column]) => {
      const value = toJsonValueSql(name, column)
      const read = long.includes(name) ? `case when t."bytes" <= ${MAX_SHORT_BYTES} then ${value} end` : value
      return `${read} as "${name}"`
    })
    .join(', ')
}

/**
 * Returns a SELECT statement that returns the rows `t` as JSON objects, which is faster than returning their values
 * separately.
 */
export function toJsonRowsSql(columns: Columns, rows: string): string {
  // For calls, the driver replaces these comparisons. It does not replace them for an export, whose connection is not
  // limited to one organization.
  return compareWithParameter(
    `select row_to_json(item) as "item" from ${rows} cross join lateral (select ${toJsonColumnsSql(columns)}) as item`,
    0,
  )
}

/** Returns SQL that converts a row to one JSON object in the format of its record. */
export function toJsonObjectSql(columns: Columns, alias: string): string {
  const members = Object.entries(columns).map(([name, column]) => {
    if (typeof column === 'object') throw new Error(`Expected ${name} to be a stored column, not a computed one.`)
    const value = `${alias}."${name}"`
    return `'${name}', ${column.startsWith('instant') ? formatTimestampSql(value) : value}`
  })
  return `json_build_object(${members.join(', ')})`
}

function toJsonValueSql(name: string, column: Column): string {
  const value = toColumnSql(name, column)
  if (typeof column === 'object') return column.isInstant === true ? formatTimestampSql(value) : value
  if (column.startsWith('instant')) return formatTimestampSql(value)
  // The database writes 1250.5 instead of 1250.50, so that the text is the same as that of a number.
  return column.startsWith('decimal') ? `trim_scale(${value})` : value
}

function toColumnSql(name: string, column: Column): string {
  return typeof column === 'object' ? `(${column.sql})` : `t."${name}"`
}

/** Without this conversion, timestamps in JSON would have the format of the database. */
function formatTimestampSql(value: string): string {
  return `to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
