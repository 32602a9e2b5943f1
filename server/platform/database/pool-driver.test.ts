import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { PLAN_EACH_TIME } from './prepared-statements.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  // The pool has three connections, and each organization can use one of them at a time.
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
  test('a transaction is rolled back if one of its statements fails', async () => {
    await plumbline.database.transaction((trx) => trx.executeQuery(renamed('Kept')))
    const failing = plumbline.database.transaction(async (trx) => {
      await trx.executeQuery(renamed('Undone'))
      await trx.executeQuery(divided(0))
    })
    await expect(failing).rejects.toThrow('division by zero')
    expect(await names()).toEqual(['Kept'])
  })

  test('a transaction whose first statement fails throws the error of that statement', async () => {
    const failing = plumbline.database.transaction((trx) => trx.executeQuery(divided(0)))
    await expect(failing).rejects.toThrow('division by zero')
  })

  test('a transaction is rolled back even if the caller ignores the error of a statement', async () => {
    const ignoring = plumbline.database.transaction(async (trx) => {
      await trx.executeQuery(renamed('Ignored'))
      await trx.executeQuery(divided(0)).catch(() => {})
    })
    await expect(ignoring).rejects.toThrow()
    expect(await names()).toEqual(['Kept'])
  })

  test('a transaction rejects all statements after its end', async () => {
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

test('a statement that always fails returns the same error each time', async () => {
  const { statements } = plumbline.database.of(plumbline.organizationId)
  const fail = () => statements.executeQuery(divided(0)).catch(({ code }) => code)
  expect(new Set(await Promise.all(Array.from({ length: 24 }, fail)))).toEqual(new Set(['22012']))
})

test('a diagnostic message for each statement contains its text and whether row-level security applies', async () => {
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

test('a pooled connection shows each organization only its own rows', async () => {
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

// The embedded database has only one connection, so connections cannot wait for each other.
describe.skipIf(!isOnPostgres)('on PostgreSQL', () => {
  test('only list queries without filters are prepared', async () => {
    const { key, organizationId } = await plumbline.newBuilder()
    const { statements } = plumbline.database.of(organizationId)
    const prepared = CompiledQuery.raw(
      `select "statement" from pg_prepared_statements where "statement" like '%from "vendors" as t%'`,
    )
    const lists = new Set<string>()
    // Each connection has its own prepared statements, and the two steps may use different connections of the pool.
    // Repeat both steps until they use the same connection.
    await expect
      .poll(
        async () => {
          for (const filter of ['', '?updatedAfter=2099-01-01T00:00:00Z'])
            expect((await plumbline.get(`/api/ext/vendors${filter}`, { key })).body.data).toEqual([])
          const { rows } = await statements.executeQuery<{ statement: string }>(prepared)
          for (const { statement } of rows) if (statement.includes('order by')) lists.add(statement)
          return lists.size
        },
        { timeout: 30_000 },
      )
      .toBeGreaterThan(0)
    expect([...lists].filter((statement) => statement.endsWith(PLAN_EACH_TIME))).toEqual([])
    expect(lists.size).toBe(1)
  })

  test('a database connection keeps a limited number of prepared statements', async () => {
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

  test('an organization cannot use all database connections', async () => {
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
      // The long timeout ensures that the other statement, instead of this transaction, detects the deadlock.
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
