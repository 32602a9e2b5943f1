import { setImmediate as turnOfEventLoop } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../test/support/plumbline.ts'
import { SharedStatements } from './shared-statements.ts'
import { Silence } from './silence.ts'

let plumbline: TestPlumbline
const silence = new Silence(10_000)

beforeAll(async () => {
  // No other file has as many, so nothing is prepared on them yet.
  plumbline = await startTestPlumbline({ DATABASE_CONNECTIONS: '23' })
})

afterAll(async () => {
  silence.end()
  await plumbline.stop()
})

test.skipIf(inject('postgres') === null)(
  'a list is prepared once, and one with a filter planned each time',
  async () => {
    const prepared = `select "statement" from pg_prepared_statements where "statement" like '%from "vendors" as t%'`
    const { key, organizationId } = await plumbline.newBuilder()
    for (const filter of ['', '?updatedAfter=2099-01-01T00:00:00Z']) {
      for (let i = 0; i < 9; i++)
        expect((await plumbline.get(`/api/ext/vendors${filter}`, { key })).body.data).toEqual([])
    }
    const { statements } = plumbline.database.of(organizationId)
    // Reads take the connections in turn, so three of them see what is prepared on each.
    for (let lane = 0; lane < 3; lane++) {
      const { rows } = await statements.executeQuery<{ statement: string }>(CompiledQuery.raw(prepared))
      const ofLists = rows.filter(({ statement }) => statement.includes('order by'))
      expect(ofLists).toHaveLength(1)
      expect(ofLists[0]?.statement).not.toContain('updatedAt" >=')
    }
  },
)

test('what fails again and again before it has once succeeded fails for its own reason each time', async () => {
  const { organizationId } = await plumbline.newBuilder()
  const { statements } = plumbline.database.of(organizationId)
  // It takes a moment, so that each answer comes by itself.
  const failing = 'select 1 / ("zero" * $1::integer) from (select 0 as "zero", pg_sleep(0.003) offset 0) as slept'
  const fail = () => statements.executeQuery(CompiledQuery.raw(failing, [1])).catch(({ code }) => code)
  // More at once than there are connections, so that each is asked again while others are still to fail on it.
  const again = async () => [await fail(), await fail(), await fail()]
  const codes = (await Promise.all(Array.from({ length: 24 }, again))).flat()
  expect(new Set(codes)).toEqual(new Set(['22012']))
})

// The embedded database has one connection, which everything waits for.
describe.skipIf(inject('postgres') === null)('what is heavy for one organization', () => {
  const [flooding, neighbour] = ['org_01m7y975jyfesvq68zscp297pa', 'org_01m7y975jyfesvq68zscp297pb']
  const ask = (organizationId: string, text: string) =>
    plumbline.database.of(organizationId).statements.executeQuery(CompiledQuery.raw(text))

  test('is planned for each of its calls from then on, if it was prepared', async () => {
    const running = async () => {
      const { rows } = await plumbline.database.statements.executeQuery<{ query: string }>(
        CompiledQuery.raw(`select "query" from pg_stat_activity where "query" like 'select pg_sleep(0.1)%'`),
      )
      return rows.map(({ query }) => query)
    }
    const prepared = 'select pg_sleep(0.1) as "once"'
    // Once on each connection for reads, where it is prepared, then on one for heavy reads, and three times there.
    for (let i = 0; i < 3 + 1 + 3; i++) await ask(flooding, prepared)
    await ask(flooding, prepared)
    expect(await running()).toContain(`${prepared} -- planned each time`)
  })

  test.each([
    ['slow', 'select pg_sleep(0.05)'],
    ['large', 'select repeat(\'x\', 1000) as "text" from generate_series(1, 20000)'],
  ])('and %s goes one at a time beside the small reads of another', async (_, heavy) => {
    for (let i = 0; i < 4; i++) await ask(flooding, heavy)
    let left = 20
    const flood = Array.from({ length: left }, () => ask(flooding, heavy).finally(() => left--))
    const seen = []
    for (let i = 0; i < 5; i++) {
      const { rows } = await ask(neighbour, 'select 1 as "one"')
      seen.push(...rows)
    }
    expect(seen).toHaveLength(5)
    // Behind the flood on the same connections, every small read would have waited for a third of it.
    expect(left).toBeGreaterThan(10)
    await Promise.all(flood)
  })

  test('keeps no read waiting that another connection can answer, before it is known to be heavy', async () => {
    let isAnswered = false
    const { heavy } = await plumbline.database.transaction(async (trx) => {
      const waiting = 'select 1 from pg_advisory_xact_lock(20160316)'
      await trx.executeQuery(CompiledQuery.raw(waiting))
      const heavy = ask(flooding, waiting).finally(() => {
        isAnswered = true
      })
      for (let i = 0; i < 6; i++) await ask(neighbour, 'select 1')
      expect(isAnswered).toBe(false)
      return { heavy }
    })
    await heavy
  })

  test('is refused once more of it waits than can have its turn in time', async () => {
    const heavy = 'select pg_sleep(0.03), 2'
    for (let i = 0; i < 4; i++) await ask(flooding, heavy)
    // Until what was answered last has given up its turn.
    await turnOfEventLoop()
    const outcomes = await Promise.allSettled(Array.from({ length: 202 }, () => ask(flooding, heavy)))
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(refused.map(({ reason }) => reason.code)).toEqual(['too_many_concurrent_requests'])
  })
})

describe.skipIf(inject('postgres') === null)('a connection that is lost and cannot be had again', () => {
  const run = (text: string) => plumbline.database.statements.executeQuery(CompiledQuery.raw(text))

  test.each([
    ['reads', 'select pg_backend_pid() as "pid"'],
    ['writes', '-- As if it wrote.\nselect pg_backend_pid() as "pid"'],
  ])('costs none of the %s that come after', async (kind, text) => {
    const role = `few_${kind}`
    await run(`create role "${role}" login password 'few' connection limit 3`)
    const url = new URL(inject('postgres')?.adminUrl ?? '')
    Object.assign(url, { username: role, password: 'few' })
    const shared = new SharedStatements(
      { connectionString: url.href },
      null,
      { reading: 3, writing: 3, burdened: 1 },
      silence,
    )
    const pid = async () => (await shared.run(plumbline.organizationId, text, [])).rows[0] as { pid: number }
    const pids = new Set((await Promise.all([pid(), pid(), pid()])).map((row) => row.pid))
    expect(pids.size).toBe(3)
    await run(`alter role "${role}" connection limit 2`)
    await run(`select pg_terminate_backend(${Math.min(...pids)})`)
    await expect.poll(() => shared.connections).toBe(2)
    for (let i = 0; i < 30; i++) expect(pids).toContain((await pid()).pid)
    await run(`alter role "${role}" connection limit 3`)
    await expect.poll(async () => [await pid(), shared.connections][1], { timeout: 10_000 }).toBe(3)
    await shared.end()
    await run(`drop role "${role}"`)
  })
})

test.skipIf(inject('postgres') === null)('a statement that a deadlock has undone is tried again', async () => {
  const { database, organizationId } = plumbline
  const ids: string[] = []
  for (const companyName of ['Brazos Framing', 'Redrock Carpentry'])
    ids.push((await plumbline.post('/api/ext/vendors', { companyName })).body.id)
  const [held, waited] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const lock = (id: string | undefined) => CompiledQuery.raw(`select from "vendors" where "id" = $1 for update`, [id])
  const other = database.transaction(async (trx) => {
    // So that it is the statement which finds out.
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
    const waiting = `select from "pg_locks" where not "granted"`
    isWaiting = (await database.statements.executeQuery(CompiledQuery.raw(waiting))).rows.length > 0
  }
  waited.resolve()
  await other
  expect((await changed).numAffectedRows).toBe(2n)
})

describe.skipIf(inject('postgres') === null)('what is prepared on a connection', () => {
  const connectionString = inject('postgres')?.adminUrl
  const open = () => new SharedStatements({ connectionString }, null, { reading: 3, writing: 1, burdened: 1 }, silence)

  test('is bounded, and each of more shapes of questions is answered by itself, however many come at once', async () => {
    const shared = open()
    const shapes = Array.from({ length: 2500 }, (_, shape) => shape)
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(
        shapes.map(async (shape) => {
          const text = `select $1::int + ${shape} as "sum", 'shape ${shape}' as "name"`
          return (await shared.run(null, text, [round])).rows[0]
        }),
      )
      expect(answers).toEqual(shapes.map((shape) => ({ sum: round + shape, name: `shape ${shape}` })))
    }
    // One at a time, all go over the first connection.
    const prepared = async (like: string) =>
      (await shared.run(null, 'select "statement" from pg_prepared_statements where "statement" like $1', [like])).rows
    expect(await prepared('select $1::int + %')).toHaveLength(399)
    await shared.run(null, `select 'a shape that comes later' as "name", $1::int as "one"`, [1])
    expect(await prepared('%a shape that comes later%')).toHaveLength(1)
    await shared.end()
  })

  test('is prepared anew after many uses, as the database would go on by what it thought of a smaller table', async () => {
    const shared = open()
    const text = 'select $1::int as "asked"'
    const ask = () => shared.run(null, text, [1])
    const since = async () => {
      const asked = 'select "prepare_time"::text from pg_prepared_statements where "statement" = $1'
      return (await shared.run(null, asked, [text])).rows
    }
    await ask()
    const first = await since()
    expect(first).toHaveLength(1)
    // Four connections share them.
    for (let i = 0; i < 45; i++) await Promise.all(Array.from({ length: 1000 }, ask))
    const later = await since()
    expect(later).toHaveLength(1)
    expect(later).not.toEqual(first)
    await shared.end()
  })
})
