import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/support/databases.ts'
import type { Database } from './database.ts'

let database: Database
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

async function select(list: string, ...values: unknown[]): Promise<unknown> {
  const { rows } = await database.statements.executeQuery(CompiledQuery.raw(`select ${list}`, values))
  return rows[0]
}

test.each([
  ['2026-11-20 15:04:05+00', '2026-11-20T15:04:05.000Z'],
  ['2026-11-20 15:04:05.1+00', '2026-11-20T15:04:05.100Z'],
  ['2026-11-20 15:04:05.123456+00', '2026-11-20T15:04:05.123Z'],
  ['1999-12-31 18:59:59.999-05', '1999-12-31T23:59:59.999Z'],
])('the timestamp %s is read as %s', async (written, read) => {
  expect(await select('$1::timestamptz as "at"', written)).toEqual({ at: read })
})

test('dates are read as text, but numeric and bigint values are read as numbers', async () => {
  const list = `date '2026-02-28' as "day", 1250.50::numeric(14,2) as "money", -0.01::numeric as "less",
    999999999999.99::numeric(14,2) as "most", 9007199254740991::bigint as "big", null::date as "none"`
  expect(await select(list)).toEqual({
    ...{ day: '2026-02-28', money: 1250.5, less: -0.01, most: 999999999999.99, big: 9007199254740991, none: null },
  })
})

const TEXTS = [
  '',
  ' ',
  'a b',
  'a,b',
  '"',
  '\\',
  '{x}',
  'NULL',
  'null',
  '\u0001',
  'é',
  '木',
  '🏠',
  "O'Neil",
  'line\nbreak',
]

test.each([[[]], [['plain', 'words']], [TEXTS], ...TEXTS.map((text) => [[text]])])(
  'the array %j is read as written',
  async (texts) => {
    expect(await select('$1::text[] as "texts"', texts)).toEqual({ texts })
  },
)
