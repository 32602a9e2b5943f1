import { MEMBERS } from '../database/json-rows.ts'

/** What a column of a resource holds. An `id` is one of ours, never a text that a caller wrote. */
export type AnyKind = keyof typeof WRITTEN

/** A kind, with a question mark if it may be null; or the SQL of a computed field, over the row as `t`. */
export type Column = AnyKind | `${AnyKind}?` | { sql: string }
export type Columns = Readonly<Record<string, Column>>

/** The columns of a select whose rows are read as objects. */
export function asValues(columns: Columns): string {
  return Object.entries(columns)
    .map(([name, column]) => selectionOf(name, column))
    .join(', ')
}

/** Up to this size a row is short, and comes with its page; 200 of them fill one. What is longer is read by itself. */
export const MOST_SHORT_BYTES = 5000

/**
 * The columns of a select whose rows are passed on as JSON. Reading single values is most of the cost of a list, so
 * adjacent columns that need no escaping are selected as one text with the members of the object, which costs the
 * database no more than sending them one by one. Texts and instants are selected unchanged. The `long` ones are not even
 * read in a row that is not short; what is selected of such a row is not JSON.
 */
export function asMembers(columns: Columns, long: readonly string[] = []): string {
  const ifShort: Written = (name, value) =>
    long.includes(name) ? `case when t."bytes" <= ${MOST_SHORT_BYTES} then ${value} end` : value
  const selection: string[] = []
  let run: Member[] = []
  const end = () => {
    const [first] = run
    if (run.length > 1) selection.push(`${joined(run)} as "${MEMBERS}${selection.length}"`)
    else if (first !== undefined) selection.push(`${first.value} as "${first.name}"`)
    run = []
  }
  for (const [name, column] of Object.entries(columns)) {
    const member = typeof column === 'object' ? null : memberOf(name, column, ifShort)
    if (member === null) {
      end()
      selection.push(selectionOf(name, column, ifShort))
    } else run.push(member)
  }
  end()
  return selection.join(', ')
}

/** SQL of a row as one JSON object, in the form of its resource. */
export function asObject(columns: Columns, alias: string): string {
  const members = Object.entries(columns).map(([name, column]) => {
    if (typeof column === 'object') throw new Error(`${name} is computed, and has no place in another resource.`)
    const value = `${alias}."${name}"`
    // Within JSON the database would format instants in its own way.
    const isInstant = column.startsWith('instant')
    return `'${name}', ${isInstant ? `to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` : value}`
  })
  return `json_build_object(${members.join(', ')})`
}

/** How the value of a column is written. */
type Written = (name: string, value: string) => string
const asItIs: Written = (_name, value) => value

function selectionOf(name: string, column: Column, written = asItIs): string {
  return `${written(name, typeof column === 'object' ? `(${column.sql})` : `t."${name}"`)} as "${name}"`
}

interface Member {
  readonly name: string
  /** SQL of the value in JSON, with or without the quotes. */
  readonly value: string
  readonly isQuoted: boolean
  readonly isNullable: boolean
}

function memberOf(name: string, column: AnyKind | `${AnyKind}?`, written: Written): Member | null {
  const isNullable = column.endsWith('?')
  const kind = (isNullable ? column.slice(0, -1) : column) as AnyKind
  const value = WRITTEN[kind]?.(`t."${name}"`)
  if (value === undefined) return null
  return {
    name,
    value: written(name, value),
    isQuoted: kind === 'id' || kind === 'enum' || kind === 'date',
    isNullable,
  }
}

// Texts would have to be escaped and instants reformatted; both cost the database more than doing it here.
const WRITTEN = {
  text: null,
  instant: null,
  id: (column) => column,
  enum: (column) => column,
  date: (column) => column,
  integer: (column) => column,
  json: (column) => column,
  // 1250.50 is 1250.5, as if it had been converted to a number.
  decimal: (column) => `trim_scale(${column})`,
  boolean: (column) => `to_json(${column})`,
  texts: (column) => `array_to_json(${column})`,
} satisfies Record<string, ((column: string) => string) | null>

function joined(run: readonly Member[]): string {
  const parts: string[] = []
  let literal = ''
  for (const { name, value, isQuoted, isNullable } of run) {
    const quote = isQuoted && !isNullable ? '"' : ''
    parts.push(`'${literal}"${name}":${quote}'`)
    if (!isNullable) parts.push(value)
    else parts.push(`coalesce(${isQuoted ? `'"' || ${value} || '"'` : `(${value})::text`}, 'null')`)
    literal = `${quote},`
  }
  return `concat(${parts.join(', ')}, '${literal.slice(0, -1)}')`
}
