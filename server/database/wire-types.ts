import pg from 'pg'

/**
 * Values that PostgreSQL sends as text go out without a Date object in between: a timestamp becomes RFC 3339 in UTC
 * with milliseconds, a date stays YYYY-MM-DD, numerics and bigints become JSON numbers (money has at most 14 digits,
 * well within what a double represents exactly). Every connection has its TimeZone set to UTC.
 */
type TypeId = Parameters<typeof pg.types.getTypeParser>[0]
const OIDS = {
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  json: 114,
  float8: 701,
  textArray: 1009,
  varchar: 1043,
  date: 1082,
  timestamptz: 1184,
  numeric: 1700,
  jsonb: 3802,
} as const

// pg's list of type names lacks the array types, though it parses them.
const parseTextArray = pg.types.getTypeParser(OIDS.textArray as TypeId)

const parsers: Record<number, (text: string) => unknown> = {
  [OIDS.int8]: Number,
  [OIDS.numeric]: Number,
  [OIDS.date]: (text) => text,
  [OIDS.timestamptz]: instant,
  [OIDS.textArray]: textArray,
}

export function installWireTypes(): void {
  for (const [oid, parse] of Object.entries(parsers)) pg.types.setTypeParser(Number(oid) as TypeId, parse)
}

const TEXTS: ReadonlySet<number> = new Set([OIDS.text, OIDS.varchar, OIDS.date])

/** Converts a column's text to its value; null if the text is the value. */
export function columnReader(oid: number): ((text: string) => unknown) | null {
  return TEXTS.has(oid) ? null : pg.types.getTypeParser(oid as TypeId)
}

/**
 * How the text of a column becomes JSON: it is JSON, it lacks nothing but quotes, it may have characters that JSON
 * escapes, it is an instant, or it has to be converted.
 */
export type ColumnForm = 'verbatim' | 'quoted' | 'text' | 'instant' | 'other'

export function columnForm(oid: number): ColumnForm {
  if (VERBATIM.has(oid)) return 'verbatim'
  if (oid === OIDS.date) return 'quoted'
  if (TEXTS.has(oid)) return 'text'
  return oid === OIDS.timestamptz ? 'instant' : 'other'
}

const VERBATIM: ReadonlySet<number> = new Set([OIDS.int2, OIDS.int4, OIDS.int8, OIDS.float8, OIDS.json, OIDS.jsonb])

/** Converts a column's text to JSON; null if the text already is JSON. */
export function columnText(oid: number): ((text: string) => string) | null {
  if (VERBATIM.has(oid)) return null
  if (TEXTS.has(oid)) return jsonString
  if (oid === OIDS.timestamptz) return (text) => `"${instant(text)}"`
  const read = pg.types.getTypeParser(oid as TypeId)
  return (text) => JSON.stringify(read(text))
}

// Most texts contain nothing that JSON escapes.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what JSON escapes.
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/

function jsonString(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`
}

// PostgreSQL writes 2026-11-20 15:04:05.5+00 and omits a zero fraction.
function instant(text: string): string {
  if (text.charCodeAt(10) !== 32 || !text.endsWith('+00')) return new Date(text).toISOString()
  const day = text.slice(0, 10)
  if (text.length === 26) return `${day}T${text.slice(11, 23)}Z`
  if (text.length === 22) return `${day}T${text.slice(11, 19)}.000Z`
  return `${day}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, '0').slice(0, 3)}Z`
}

// Between the braces, unquoted elements are separated by commas alone.
function textArray(text: string): unknown {
  if (text === '{}') return []
  if (text.includes('"') || text.includes('NULL') || text.includes('{', 1)) return parseTextArray(text)
  return text.slice(1, -1).split(',')
}
