import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { PLAN_EACH_TIME } from './prepared-statements.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  // The pool has three connections, of which one organization can use one at a time.
  plumbline = await startTestPlumbline({ DATABASE_CONNECTIONS: '4' })
})
afterAll(() => plumbline.stop())

const isOnPostgres = inject('postgres') !== null
const divided = (by: number) => CompiledQuery.raw('select 1 / $1::int as "share"', [by])
const renamed = (name: string) => CompiledQuery.raw('update "organizations" set "name" = $1', [name])

async function names(): Promise<string[]> {
  const { rows } = await plumbline.database.statements.executeQuery<{ name: string }>(
    CompiledQuery.raw('select "name" from "organizations"'),
  )
  return rows.map(({ name }) => name)
}

describe('a transaction', () => {
  test('is rolled back when a statement fails, and its connection can be used again', async () => {
    await plumbline.database.transaction((trx) => trx.executeQuery(renamed('Kept')))
    const failing = plumbline.database.transaction(async (trx) => {
      await trx.executeQuery(renamed('Undone'))
      await trx.executeQuery(divided(0))
    })
    await expect(failing).rejects.toThrow('division by zero')
    expect(await names()).toEqual(['Kept'])
  })

  test('whose first statement fails reports that error', async () => {
    const failing = plumbline.database.transaction((trx) => trx.executeQuery(divided(0)))
    await expect(failing).rejects.toThrow('division by zero')
  })

  test('is rolled back even if the error of a statement is ignored', async () => {
    const ignoring = plumbline.database.transaction(async (trx) => {
      await trx.executeQuery(renamed('Ignored'))
      await trx.executeQuery(divided(0)).catch(() => {})
    })
    await expect(ignoring).rejects.toThrow()
    expect(await names()).toEqual(['Kept'])
  })

  test('accepts no statement after its end, even one that was waiting when it failed', async () => {
    const over = await plumbline.database.transaction(async (trx) => trx)
    await expect(over.executeQuery(renamed('Late'))).rejects.toThrow()
    const waiting: Promise<unknown>[] = []
    const failing = plumbline.database.transaction(async (trx) => {
      waiting.push(...['a', 'b', 'c'].map((name) => trx.executeQuery(renamed(name))))
      for (const each of waiting) each.catch(() => {})
      throw new Error('thought better of it')
    })
    await expect(failing).rejects.toThrow('thought better of it')
    await Promise.allSettled(waiting)
    expect(await names()).toEqual(['Kept'])
  })
})

test('a statement that has never succeeded fails with the same error each time', async () => {
  const { statements } = plumbline.database.of(plumbline.organizationId)
  const fail = () => statements.executeQuery(divided(0)).catch(({ code }) => code)
  expect(new Set(await Promise.all(Array.from({ length: 24 }, fail)))).toEqual(new Set(['22012']))
})

test('each statement is published with its text and whether row-level security restricts it', async () => {
  const seen: unknown[] = []
  const note = (message: unknown) => void seen.push(message)
  const text = `select 'published' as "said"`
  subscribe('plumbline:statement', note)
  await plumbline.database.statements.executeQuery(CompiledQuery.raw(text))
  await plumbline.database.of(plumbline.organizationId).statements.executeQuery(CompiledQuery.raw(text))
  await plumbline.database.of(plumbline.organizationId).transaction((trx) => trx.executeQuery(CompiledQuery.raw(text)))
  unsubscribe('plumbline:statement', note)
  expect(seen.filter((message) => (message as { text: string }).text === text)).toEqual([
    { text, narrow: false },
    { text, narrow: true },
    { text, narrow: true },
  ])
})

test('a connection shows each organization only its own rows, whoever used it before and however that ended', async () => {
  const { database } = plumbline
  const other = await plumbline.newBuilder()
  const ids = [plumbline.organizationId, other.organizationId]
  const seen = CompiledQuery.raw('select "id" from "organizations" order by "id"')
  const all = await database.statements.executeQuery(seen)
  for (let round = 0; round < 5; round++) {
    for (const id of ids) {
      const access = database.of(id)
      expect((await access.statements.executeQuery(seen)).rows).toEqual([{ id }])
      await access.statements.executeQuery(divided(0)).catch(() => {})
      await access.transaction((trx) => trx.executeQuery(divided(0))).catch(() => {})
      expect((await access.transaction((trx) => trx.executeQuery(seen))).rows).toEqual([{ id }])
    }
    expect((await database.statements.executeQuery(seen)).rows).toEqual(all.rows)
    expect(
      await Promise.all(ids.map(async (id) => (await database.of(id).statements.executeQuery(seen)).rows)),
    ).toEqual(ids.map((id) => [{ id }]))
  }
})

// The embedded database has one connection, so nothing waits for another.
describe.skipIf(!isOnPostgres)('on PostgreSQL', () => {
  test('a list query is prepared once, and a filtered list query is planned each time', async () => {
    const { key, organizationId } = await plumbline.newBuilder()
    for (const filter of ['', '?updatedAfter=2099-01-01T00:00:00Z'])
      for (let i = 0; i < 9; i++)
        expect((await plumbline.get(`/api/ext/vendors${filter}`, { key })).body.data).toEqual([])
    // Each connection knows its own statements, and any of the idle ones may have read the lists.
    const { statements } = plumbline.database.of(organizationId)
    const prepared = CompiledQuery.raw(
      `select "statement" from pg_prepared_statements where "statement" like '%from "vendors" as t%'`,
    )
    const results = await Promise.all(
      Array.from({ length: 6 }, () => statements.executeQuery<{ statement: string }>(prepared)),
    )
    const known = new Set(results.flatMap(({ rows }) => rows.map(({ statement }) => statement)))
    const lists = [...known].filter((statement) => statement.includes('order by'))
    expect(lists.filter((statement) => statement.endsWith(PLAN_EACH_TIME))).toEqual([])
    expect(lists).toHaveLength(1)
  })

  test('the prepared statements of a connection are limited, and each of more statements gets its own result', async () => {
    const { statements } = plumbline.database
    const count = async () => {
      const { rows } = await statements.executeQuery<{ count: number }>(
        CompiledQuery.raw('select count(*) as "count" from pg_prepared_statements'),
      )
      return rows[0]?.count
    }
    const counts: unknown[] = []
    for (let shape = 0; shape < 2500; shape++) {
      const { rows } = await statements.executeQuery(CompiledQuery.raw(`select $1::int + ${shape} as "sum"`, [1]))
      expect(rows).toEqual([{ sum: shape + 1 }])
      if (shape % 100 === 0) counts.push(await count())
    }
    expect(Math.max(...counts.map(Number))).toBeLessThanOrEqual(400)
    expect(Math.max(...counts.map(Number))).toBeGreaterThan(100)
  })

  test('one organization cannot take every connection', async () => {
    const { database, organizationId } = plumbline
    const other = await plumbline.newBuilder()
    const [asleep, awake] = [database.of(organizationId).statements, database.of(other.organizationId).statements]
    const lock = CompiledQuery.raw('select pg_advisory_xact_lock(1)')
    const [held, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = database.transaction(async (trx) => {
      await trx.executeQuery(lock)
      held.resolve()
      await answered.promise
    })
    await held.promise
    let done = 0
    const flood = Array.from({ length: 5 }, () => asleep.executeQuery(lock).finally(() => done++))
    await awake.executeQuery(CompiledQuery.raw('select 1'))
    expect(done).toBe(0)
    answered.resolve()
    await holding
    await Promise.all(flood)
  })

  test('a statement that a deadlock has rolled back is repeated', async () => {
    const { database, organizationId } = plumbline
    const ids: string[] = []
    for (const companyName of ['Brazos Framing', 'Redrock Carpentry'])
      ids.push((await plumbline.post('/api/ext/vendors', { companyName })).body.id)
    const [held, waited] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const lock = (id: string | undefined) => CompiledQuery.raw(`select from "vendors" where "id" = $1 for update`, [id])
    const other = database.transaction(async (trx) => {
      // A long timeout makes the statement the one that detects the deadlock.
      await trx.executeQuery(CompiledQuery.raw(`set local deadlock_timeout = '1min'`))
      await trx.executeQuery(lock(ids[1]))
      held.resolve()
      await waited.promise
      await trx.executeQuery(lock(ids[0]))
    })
    await held.promise
    const change = `with locked as materialized (
        select "id" from "vendors" where "organizationId" = $1 and "id" = any($2) order by "id" for update)
      update "vendors" set "contactName" = 'Ana' where "organizationId" = $1 and "id" in (select "id" from locked)`
    const changed = database.statements.executeQuery(CompiledQuery.raw(change, [organizationId, ids]))
    for (let isWaiting = false; !isWaiting; ) {
      const waiting = `select from "pg_locks" join "pg_stat_activity" using ("pid") where "datname" = current_database() and not "granted"`
      isWaiting = (await database.statements.executeQuery(CompiledQuery.raw(waiting))).rows.length > 0
    }
    waited.resolve()
    await other
    expect((await changed).numAffectedRows).toBe(2n)
  })
})
