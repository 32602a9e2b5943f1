import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { copies } from '../../test/support/copies.ts'
import { startTestPlumbline, type TestPlumbline } from '../../test/support/plumbline.ts'
import { keepUp, learnGrown } from './upkeep.ts'

interface Known {
  /** The planner's row count; -1 if the table was never analyzed. */
  rows: number
  dead: number
  /** How many rows were read so far, by any kind of scan. */
  read: number
}

let plumbline: TestPlumbline
beforeEach(async () => {
  plumbline = await startTestPlumbline()
})
afterEach(() => plumbline.stop())

async function known(table: string): Promise<Known> {
  await sql`select pg_stat_force_next_flush()`.execute(plumbline.database.statements)
  const { rows } = await sql<Known>`
    select c."reltuples" as "rows", s."n_dead_tup" as "dead", s."seq_tup_read" + s."idx_tup_fetch" as "read"
    from "pg_class" c join "pg_stat_user_tables" s on s."relid" = c."oid" where c."relname" = ${table}`.execute(
    plumbline.database.statements,
  )
  return rows[0] ?? { rows: Number.NaN, dead: Number.NaN, read: Number.NaN }
}

test('a table that grows from nothing is known to the planner each time it has doubled', async () => {
  const add = async (count: number) => {
    const { id } = (await plumbline.post('/api/ext/vendors', { companyName: `Brazos Framing ${count}` })).body
    await copies(plumbline.database.statements, { table: 'vendors', id, count })
  }
  // A session's changes only count once it reports them.
  const learnt = () =>
    expect.poll(
      async () => {
        await learnGrown(plumbline.database)
        return (await known('vendors')).rows
      },
      { timeout: 20_000 },
    )
  await add(300)
  await learnt().toBe(301)
  await add(200)
  await add(250)
  await learnt().toBe(753)
})

test('a table of somebody else in the same database is left alone', async () => {
  const { statements } = plumbline.database
  await sql`create schema "elsewhere"`.execute(statements)
  await sql`create table "elsewhere"."grown" as select generate_series(1, 1000) as "n"`.execute(statements)
  await sql`select pg_stat_force_next_flush()`.execute(statements)
  await learnGrown(plumbline.database)
  expect(await known('grown')).toMatchObject({ rows: -1 })
  await sql`drop schema "elsewhere" cascade`.execute(statements)
})

// A PostgreSQL server has background workers for this.
describe.skipIf(inject('postgres') !== null)('the embedded database', () => {
  async function rowsReadFor(target: string): Promise<number> {
    const { read } = await known('vendors')
    expect((await plumbline.get(target)).body.data).toHaveLength(20)
    return (await known('vendors')).read - read
  }

  test('learns how much there is, and is rid of what was overwritten', async () => {
    for (let i = 0; i < 80; i++) await plumbline.post('/api/ext/vendors', { companyName: `Brazos Framing ${i}` })
    // Each event is written a second time when it gets its sequence.
    await plumbline.until('/api/ext/events?sort=-sequence&limit=1', ({ body }) => body.data[0]?.sequence === 80)
    expect(await known('vendors')).toMatchObject({ rows: -1 })
    expect((await known('events')).dead).toBeGreaterThan(50)
    await keepUp(plumbline.database)
    expect(await known('vendors')).toMatchObject({ rows: 80, dead: 0 })
    expect(await known('events')).toMatchObject({ rows: 80, dead: 0 })
  })

  test('reads no more than a page of a long list for a page of it', async () => {
    const { id } = (await plumbline.post('/api/ext/vendors', { companyName: 'Brazos Framing' })).body
    await copies(plumbline.database.statements, { table: 'vendors', id, count: 8000 })
    // The index of the search reads what is new, too, and is no part of what is counted.
    await plumbline.database.statements.deleteFrom('searchQueue').execute()
    await keepUp(plumbline.database)
    expect(await rowsReadFor('/api/ext/vendors?limit=20&sort=companyName')).toBeLessThan(30)
    expect(await rowsReadFor('/api/ext/vendors?limit=20')).toBeLessThan(30)
  })

  test('leaves a table alone that has hardly changed', async () => {
    await plumbline.post('/api/ext/scopes', { name: 'Framing' })
    await keepUp(plumbline.database)
    expect(await known('scopes')).toMatchObject({ rows: -1 })
  })
})
