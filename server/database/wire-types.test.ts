import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newTestDatabase } from '../../test/support/databases.ts'
import type { Database } from './database.ts'
import { rowsAsJson } from './json-rows.ts'

let database: Database
beforeAll(async () => {
  database = await newTestDatabase()
})
afterAll(() => database.close())

const awkward = [
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
const selected = `select $1::text as "text", $2::text[] as "array", $3::timestamptz(3) as "at", $4::date as "day",
  $5::numeric(14,2) as "money", $6::boolean as "flag", $7::integer as "count", $8::json as "nested", null::text as "nothing"`

test('what stands beside a row that is passed on as JSON can be asked for as the database wrote it', async () => {
  const at = '2026-11-20 15:04:05.123456+00'
  const wide = 'x'.repeat(70_000)
  for (const text of [...awkward, wide]) {
    const asked = `select $1::text as "|text", $1::text as "text", null::text as "|none", null::text as "nothing",
      $2::timestamptz as "at", $2::timestamptz as "|at", '"a":1' as "{0", 7 as "|bytes"`
    const [row] = (await database.statements.executeQuery(rowsAsJson(asked, [text, at]))).rows
    expect(row?.json).toBe(JSON.stringify({ text, nothing: null, at: '2026-11-20T15:04:05.123Z', a: 1 }))
    const beside = (['|text', '|none', '|at', '|bytes', '|other'] as const).map((name) => row?.cell(name))
    expect(beside).toEqual([text, null, at, '7', undefined])
  }
})

test('a row read as JSON text says the same as the row read as an object, whatever stands in it', async () => {
  const instants = [
    '2026-11-20T15:04:05.000Z',
    '2026-11-20T15:04:05.100Z',
    '2026-11-20T15:04:05.123Z',
    '1999-12-31T23:59:59.999Z',
  ]
  for (const [i, text] of awkward.entries()) {
    const array = [awkward.slice(0, i), [text], [], ['plain', 'words']][i % 4] ?? []
    const at = instants[i % instants.length]
    const values = [
      text,
      array,
      at,
      '2026-02-28',
      ['0', '1250.50', '-0.01', '999999999999.99'][i % 4],
      i % 2 === 0,
      i,
      JSON.stringify({ a: [text] }),
    ]
    const [object] = (await database.statements.executeQuery(CompiledQuery.raw(selected, values))).rows
    const expected = {
      text,
      array,
      at,
      day: '2026-02-28',
      flag: i % 2 === 0,
      count: i,
      nested: { a: [text] },
      nothing: null,
    }
    expect(object).toEqual({ ...expected, money: [0, 1250.5, -0.01, 999999999999.99][i % 4] })
    const [row] = (await database.statements.executeQuery(rowsAsJson(selected, values))).rows
    expect(JSON.parse(row?.json ?? '')).toEqual(object)
  }
})
