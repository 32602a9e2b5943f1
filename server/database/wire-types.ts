import pg from 'pg'

/**
 * What comes from PostgreSQL as text goes to the wire as it is, without a Date object in between: a timestamp becomes
 * RFC 3339 in UTC with milliseconds, a date stays YYYY-MM-DD, numerics and bigints become JSON numbers (money has at
 * most 14 digits, well within what a double holds exactly). Every connection has its TimeZone set to UTC.
 */
type TypeId = Parameters<typeof pg.types.getTypeParser>[0]
const OIDS = { int8: 20, numeric: 1700, textArray: 1009, date: 1082, timestamptz: 1184 } as const

// pg's list of type names leaves the array types out, though it parses them.
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

// PostgreSQL writes 2026-11-20 15:04:05.5+00 and leaves out a fraction of zero.
function instant(text: string): string {
  if (text.charCodeAt(10) !== 32 || !text.endsWith('+00')) return new Date(text).toISOString()
  const day = text.slice(0, 10)
  const time = text.slice(11, 19)
  if (text.length === 22) return `${day}T${time}.000Z`
  return `${day}T${time}.${text.slice(20, -3).padEnd(3, '0').slice(0, 3)}Z`
}

function textArray(text: string): unknown {
  if (text === '{}') return []
  if (text.includes('"') || text.includes('NULL') || text.includes('{', 1)) return parseTextArray(text)
  return text.slice(1, -1).split(',')
}
