import { CompiledQuery } from 'kysely'
import { type DataRow, LENGTH_BYTES, lengthAt, NULL } from './wire-rows.ts'
import { type ColumnForm, columnForm, columnText } from './wire-types.ts'

/** The name prefix of a column that holds members of the object, as JSON. */
export const MEMBERS = '{'

/** The name prefix of a column that is not part of the object but accompanies it. */
export const BESIDE = '|'

const AS_JSON = Symbol('rows as JSON')

/** What Kysely makes of a text. It freezes each, on which a read spends a hundredth of its time. */
const RAW = CompiledQuery.raw('')

/** A query whose rows are passed on as JSON. */
export function rowsAsJson(text: string, values: readonly unknown[]): CompiledQuery<JsonRow> {
  return { ...RAW, sql: text, parameters: values, [AS_JSON]: true } as CompiledQuery<never>
}

export function isAsJson(query: CompiledQuery): boolean {
  return AS_JSON in query
}

/** How the rows of a statement are written as JSON. */
export interface JsonForm {
  readonly columns: readonly JsonColumn[]
  /** The names of the columns that are not part of the object. */
  readonly beside: readonly string[]
  /** How many bytes a row has at most as JSON that it has not on the wire, where nothing has to be escaped. */
  readonly added: number
}

interface JsonColumn {
  /** What stands before the value; null if the column is not part of the object. */
  readonly lead: Uint8Array | null
  /** What stands instead of it, if there is no value. */
  readonly absent: Uint8Array
  readonly write: Write
  /** For a value that cannot be written as it is. */
  convert(text: string): string
}

/** Writes a column as JSON and tells where it ends; `UNWRITTEN` if it has to be converted. */
type Write = (wire: Buffer, from: number, to: number, json: Buffer, at: number) => number

export function jsonForm(fields: readonly { name: string; dataTypeID: number }[]): JsonForm {
  let start = '{'
  const columns = fields.map(({ name, dataTypeID }): JsonColumn => {
    const convert = columnText(dataTypeID) ?? asItIs
    if (name.startsWith(BESIDE)) return { lead: null, absent: Buffer.alloc(0), write: verbatim, convert }
    const isMembers = name.startsWith(MEMBERS)
    const lead = isMembers ? start : `${start}${JSON.stringify(name)}:`
    start = ','
    const write = isMembers ? verbatim : WRITES[columnForm(dataTypeID)]
    return { lead: Buffer.from(lead), absent: Buffer.from(`${lead}null`), write, convert }
  })
  const beside = fields.map(({ name }) => name).filter((name) => name.startsWith(BESIDE))
  return { columns, beside, added: columns.reduce((sum, { absent }) => sum + absent.length + MOST_ADDED, CLOSE_BYTES) }
}

/** To one column: both quotes, and to an instant a fraction of four bytes. */
const MOST_ADDED = 8
const CLOSE_BYTES = 1

/** A row that is passed on as JSON, and what accompanies it. */
export class JsonRow {
  readonly json: string
  readonly #beside: readonly (string | null)[]
  readonly #form: JsonForm

  constructor(row: DataRow, form: JsonForm) {
    const beside: (string | null)[] = []
    this.json = jsonOf(row, form, beside)
    this.#beside = beside
    this.#form = form
  }

  /** What the database wrote in a column beside the object; undefined if there is none of that name. */
  cell(name: `${typeof BESIDE}${string}`): string | null | undefined {
    return this.#beside[this.#form.beside.indexOf(name)]
  }
}

// All rows are written to the same place, one after the other, and then copied as a text. Bytes of their own would count as
// memory outside of V8's heap, for which it collects garbage far more often.
const room = Buffer.allocUnsafeSlow(256 * 1024)

function jsonOf({ bytes, start, end }: DataRow, { columns, added }: JsonForm, beside: (string | null)[]): string {
  const most = (end - start) * MOST_ESCAPED + added
  const json = most <= room.length ? room : Buffer.allocUnsafe(most)
  let length = 0
  let next = start
  for (const { lead, absent, write, convert } of columns) {
    const size = lengthAt(bytes, next)
    const from = next + LENGTH_BYTES
    next = size === NULL ? from : from + size
    if (lead === null) {
      beside.push(size === NULL ? null : bytes.toString('utf8', from, next))
      continue
    }
    if (size === NULL) {
      length = put(absent, 0, absent.length, json, length)
      continue
    }
    length = put(lead, 0, lead.length, json, length)
    const written = write(bytes, from, next, json, length)
    length = written === UNWRITTEN ? length + json.write(convert(bytes.toString('utf8', from, next)), length) : written
  }
  json[length++] = CLOSE
  return json.toString('utf8', 0, length)
}

/** What one byte becomes at most: \u001f. */
const MOST_ESCAPED = 6

const [CLOSE, QUOTE, BACKSLASH, SPACE, T, Z, ZERO, POINT, PLUS] = [125, 34, 92, 32, 84, 90, 48, 46, 43]
const UNWRITTEN = -1
/** From here on one native copy is faster than one byte after the other. */
const LONG_BYTES = 64

function put(from: Uint8Array, start: number, end: number, to: Buffer, at: number): number {
  let next = at
  for (let i = start; i < end; i++) to[next++] = from[i] ?? 0
  return next
}

function verbatim(wire: Buffer, from: number, to: number, json: Buffer, at: number): number {
  if (to - from < LONG_BYTES) return put(wire, from, to, json, at)
  return at + wire.copy(json, at, from, to)
}

function quoted(wire: Buffer, from: number, to: number, json: Buffer, at: number): number {
  json[at] = QUOTE
  const end = put(wire, from, to, json, at + 1)
  json[end] = QUOTE
  return end + 1
}

// Most texts have nothing that JSON escapes.
function text(wire: Buffer, from: number, to: number, json: Buffer, at: number): number {
  let next = at
  json[next++] = QUOTE
  for (let i = from; i < to; i++) {
    const byte = wire[i] ?? 0
    if (byte < SPACE || byte === QUOTE || byte === BACKSLASH) return UNWRITTEN
    json[next++] = byte
  }
  json[next++] = QUOTE
  return next
}

// PostgreSQL writes 2026-11-20 15:04:05.5+00 and omits a zero fraction.
function instant(wire: Buffer, from: number, to: number, json: Buffer, at: number): number {
  const zone = to - 3
  const isUsual = wire[from + 10] === SPACE && wire[zone] === PLUS && wire[zone + 1] === ZERO && wire[zone + 2] === ZERO
  if (!isUsual) return UNWRITTEN
  json[at] = QUOTE
  let next = put(wire, from, from + 10, json, at + 1)
  json[next++] = T
  next = put(wire, from + 11, from + 19, json, next)
  json[next++] = POINT
  for (let i = from + 20; i < from + 23; i++) json[next++] = i < zone ? (wire[i] ?? 0) : ZERO
  json[next++] = Z
  json[next++] = QUOTE
  return next
}

const WRITES: Record<ColumnForm, Write> = { verbatim, quoted, text, instant, other: () => UNWRITTEN }

function asItIs(text: string): string {
  return text
}
