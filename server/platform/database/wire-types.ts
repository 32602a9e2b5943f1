import pg from 'pg'

type TypeId = Parameters<typeof pg.types.getTypeParser>[0]

const OIDS = { int8: 20, textArray: 1009, date: 1082, timestamptz: 1184, numeric: 1700 } as const

// The types of `pg` do not include array types, although `pg` can parse arrays.
const parseTextArray = pg.types.getTypeParser(OIDS.textArray as TypeId)

/**
 * Converts values of the database to those of the API contract, without creating Date objects. Timestamps have the
 * format of RFC 3339 in UTC with milliseconds, and dates have the format YYYY-MM-DD. Numerics and bigints become
 * numbers (amounts have at most 14 digits, which a double represents exactly). The TimeZone of all connections is UTC.
 */
const PARSERS: Record<number, (text: string) => unknown> = {
  [OIDS.int8]: Number,
  [OIDS.numeric]: Number,
  [OIDS.date]: (text) => text,
  [OIDS.timestamptz]: toTimestamp,
  [OIDS.textArray]: parseTexts,
}

export function installWireTypes(): void {
  for (const [oid, parse] of Object.entries(PARSERS)) pg.types.setTypeParser(Number(oid) as TypeId, parse)
}

// PostgreSQL writes timestamps as 2026-11-20 15:04:05.5+00, and omits a fraction of zero.
function toTimestamp(text: string): string {
  if (text.charAt(10) !== ' ' || !text.endsWith('+00')) return new Date(text).toISOString()
  const milliseconds = text.slice(20, -3).padEnd(3, '0').slice(0, 3)
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${milliseconds}Z`
}

// If no element is quoted, the elements between the braces are separated only by commas.
function parseTexts(text: string): unknown {
  if (text === '{}') return []
  if (text.includes('"') || text.includes('NULL') || text.includes('{', 1)) return parseTextArray(text)
  return text.slice(1, -1).split(',')
}
