import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../../test/support/databases.ts'
import type { Db } from '../../platform/database/database.ts'
import { copyTable } from './copy-table.ts'
import { computeTableDigest, listMovedTables } from './moved-tables.ts'

async function newDatabase(): Promise<Db> {
  const database = await createTestDatabase()
  onTestFinished(() => database.close())
  await sql`create table "samples" (
    "word" text not null, "place" bigint not null generated always as identity, "bytes" bytea, "list" text[],
    "json" jsonb, "at" timestamptz, "twice" bigint generated always as (length("word") * 2) stored,
    primary key ("word", "place"))`.execute(database.statements)
  return database.statements
}

test('an interrupted copy of a table continues where it stopped', async () => {
  const [source, target] = [await newDatabase(), await newDatabase()]
  await sql`
    insert into "samples" ("word", "bytes", "list", "json", "at")
    select (array['a', 'B', 'ä', 'b'])[1 + n % 4], case when n % 3 > 0 then decode(md5(n::text), 'hex') end,
      array['{"', null, n::text], jsonb_build_object('n', n, 'text', E'\\\\ "quoted"'),
      timestamptz '2026-01-01 00:00:00.123456Z' + n * interval '1 minute'
    from generate_series(1, 3000) n`.execute(source)
  const table = (await listMovedTables(source)).find(({ name }) => name === 'samples')
  if (table === undefined) throw new Error('Expected the table to be listed.')
  expect(table.columns.map(({ name }) => name)).toEqual(['at', 'bytes', 'json', 'list', 'place', 'word'])
  const batches: number[] = []
  const interrupt = new Error('Interrupted.')
  const interrupted = copyTable(source, target, table, (rows) => {
    batches.push(rows)
    if (batches.length === 2) throw interrupt
  })
  await expect(interrupted).rejects.toBe(interrupt)
  expect((await computeTableDigest(target, table)).rows).toBe(batches.reduce((sum, rows) => sum + rows, 0))
  await copyTable(source, target, table, (rows) => batches.push(rows))
  expect(batches.length).toBeGreaterThan(2)
  expect(batches.reduce((sum, rows) => sum + rows, 0)).toBe(3000)
  expect(await computeTableDigest(target, table)).toEqual(await computeTableDigest(source, table))
  await sql`update "samples" set "list" = '{changed}' where "place" = 7`.execute(target)
  expect((await computeTableDigest(target, table)).checksum).not.toEqual(
    (await computeTableDigest(source, table)).checksum,
  )
})
