/** The kind of value in a record's column. An `id` is always one of ours, never text that a caller wrote. */
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

/** SQL of a computed field, over the row as `t`. */
export interface ComputedColumn {
  readonly sql: string
  readonly isInstant?: boolean
}

/** A kind, with a question mark if it may be null; or a computed field. */
export type Column = ColumnKind | `${ColumnKind}?` | ComputedColumn
export type Columns = Readonly<Record<string, Column>>

/** Returns the columns of a select whose rows are read as objects. */
export function selectValues(columns: Columns): string {
  return Object.entries(columns)
    .map(([name, column]) => `${toColumnSql(name, column)} as "${name}"`)
    .join(', ')
}

/** Up to this size a row is short, and is read with its page; 200 of them fill one. Longer rows are read separately. */
export const MAX_SHORT_BYTES = 5000

/**
 * Returns the columns of a select whose rows become JSON in the database. Parsing and serializing each value here would
 * cost this process more than everything else in a list. In a row that is not short, the `long` columns are null and
 * not even read.
 */
export function selectJsonValues(columns: Columns, long: readonly string[] = []): string {
  return Object.entries(columns)
    .map(([name, column]) => {
      const value = toJsonValueSql(name, column)
      const read = long.includes(name) ? `case when t."bytes" <= ${MAX_SHORT_BYTES} then ${value} end` : value
      return `${read} as "${name}"`
    })
    .join(', ')
}

/** Returns a select of the rows `t` as JSON objects, which are read faster than their values one by one. */
export function selectJsonRows(columns: Columns, rows: string): string {
  return `select row_to_json(item) as "item" from ${rows} cross join lateral (select ${selectJsonValues(columns)}) as item`
}

/** Returns SQL of a row as one JSON object, in the form of its record. */
export function selectJsonObject(columns: Columns, alias: string): string {
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
  // 1250.50 becomes 1250.5, as if it had been converted to a number.
  return column.startsWith('decimal') ? `trim_scale(${value})` : value
}

function toColumnSql(name: string, column: Column): string {
  return typeof column === 'object' ? `(${column.sql})` : `t."${name}"`
}

/** Within JSON the database would format timestamps in its own way. */
function formatTimestampSql(value: string): string {
  return `to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
