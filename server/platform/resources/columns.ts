/**
 * The kind of value in a record's column. An `id` is always an ID that the service generated, never text that a caller
 * wrote.
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

/** SQL of a computed field; the row is `t`. */
export interface ComputedColumn {
  readonly sql: string
  readonly isInstant?: boolean
}

/** A kind, with a question mark if the value may be null, or a computed field. */
export type Column = ColumnKind | `${ColumnKind}?` | ComputedColumn
export type Columns = Readonly<Record<string, Column>>

/** Returns the column list of a select whose rows are read as objects. */
export function toSelectColumnsSql(columns: Columns): string {
  return Object.entries(columns)
    .map(([name, column]) => `${toColumnSql(name, column)} as "${name}"`)
    .join(', ')
}

/**
 * A row up to this size is short, and is read with its page. A page holds 200 rows of this size. Longer rows are read
 * separately.
 */
export const MAX_SHORT_BYTES = 5000

/**
 * Returns the column list of a select whose rows the database converts to JSON. Parsing and serializing each value in
 * this process would cost more than all other work of a list request. In a row that is not short, the `long` columns
 * are null and are not read.
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
 * Replaces each comparison with the organization of another row by a comparison with the first parameter of the
 * statement. A distributed database does not recognize the organization of a row in a subquery of a subquery.
 */
export function compareWithTenant(sql: string): string {
  return sql.replaceAll(/= "?\w+"?\."organizationId"/g, '= $1')
}

/** Returns a select that reads the rows `t` as JSON objects, which is faster than reading their values one by one. */
export function toJsonRowsSql(columns: Columns, rows: string): string {
  return compareWithTenant(
    `select row_to_json(item) as "item" from ${rows} cross join lateral (select ${toJsonColumnsSql(columns)}) as item`,
  )
}

/** Returns SQL that converts a row to one JSON object, in the form of its record. */
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
  // 1250.50 becomes 1250.5, as if the value had been converted to a number.
  return column.startsWith('decimal') ? `trim_scale(${value})` : value
}

function toColumnSql(name: string, column: Column): string {
  return typeof column === 'object' ? `(${column.sql})` : `t."${name}"`
}

/** Without this conversion, the database would format timestamps in JSON in its own way. */
function formatTimestampSql(value: string): string {
  return `to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
