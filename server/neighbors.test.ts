import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { addCopies } from '../test/support/add-copies.ts'
import {
  type Builder,
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../test/support/test-plumbline.ts'
import { operations } from './interfaces/operations.ts'

/**
 * Checks that the actions of one builder do not affect other builders. The tests check the connections and locks that
 * builders share. They do not measure time, because it depends on the machine.
 */
const VENDORS = 400

let plumbline: TestPlumbline
let flooding: Builder
let neighbor: Builder
let vendorId: string

// This skill exceeds the statement timeout on any database.
const handlers: typeof operations = {
  ...operations,
  async getUsage(input, call) {
    await sql`select pg_sleep(5)`.execute(call.db)
    return operations.getUsage(input, call)
  },
}

beforeAll(async () => {
  // The service has three connections for transactions. One organization may use only one of them at a time.
  plumbline = await startTestPlumbline(
    { DATABASE_CONNECTIONS: '14', DATABASE_STATEMENT_TIMEOUT_MS: '2000' },
    { handlers },
  )
  ;[flooding, neighbor] = [await plumbline.newBuilder(), await plumbline.newBuilder()]
  const { body } = await plumbline.post('/api/ext/vendors', { companyName: 'Own' }, { key: neighbor.key })
  vendorId = body.id
  const created = await plumbline.post(
    '/api/ext/vendors',
    { companyName: 'Brazos Framing', scopes: ['framing'] },
    { key: flooding.key },
  )
  await addCopies(plumbline.database.statements, { table: 'vendors', id: created.body.id, count: VENDORS })
})
afterAll(() => plumbline.stop())

const change = (builder: Builder, id: string, contactName: string): Promise<ServiceResponse> =>
  plumbline.patch(`/api/ext/vendors/${id}`, { contactName }, { key: builder.key })

test.each([12, 50])(
  "%i concurrent composite skills under Idempotency-Keys do not block another builder's changes",
  async (count) => {
    let isOver = false
    const flood = Promise.all(
      Array.from({ length: count }, (_, i) =>
        plumbline.post(
          '/api/ext/execute',
          { skill: 'suggestVendorsForScope', input: { scope: 'framing' } },
          { key: flooding.key, headers: { 'idempotency-key': `flood-${count}-${i}` } },
        ),
      ),
    ).finally(() => {
      isOver = true
    })
    let changes = 0
    while (!isOver || changes === 0) {
      expect((await change(neighbor, vendorId, `${count} ${changes++}`)).status).toBe(200)
    }
    for (const { status, body } of await flood) expect(status === 429 ? body.code : status).toBe(200)
    const { rows } =
      await sql`select 1 from "idempotencyRecords" where "organizationId" = ${flooding.organizationId}`.execute(
        plumbline.database.statements,
      )
    expect(rows).toEqual([])
  },
)

// The embedded database has only one connection, so one transaction never waits for the lock of another.
describe.skipIf(inject('postgres') === null)('while another transaction holds a lock for long', () => {
  /** Runs the given function while another transaction locks the vendor's row. */
  async function whileHeld<T>(id: string, work: () => Promise<T>): Promise<T> {
    return plumbline.database.transaction(async (trx) => {
      await sql`select 1 from "vendors" where "id" = ${id} for update`.execute(trx)
      return work()
    })
  }

  async function ownVendor(builder: Builder): Promise<string> {
    const { body } = await plumbline.post('/api/ext/vendors', { companyName: 'Held' }, { key: builder.key })
    return body.id
  }

  test('a change that waits too long for a lock returns timed_out and can be retried', async () => {
    const id = await ownVendor(flooding)
    const refused = await whileHeld(id, () => change(flooding, id, 'waited'))
    expect([refused.status, refused.body.code]).toEqual([503, 'timed_out'])
    expect(refused.headers.get('retry-after')).toBe('1')
    expect((await change(flooding, id, 'done')).body.contactName).toBe('done')
  })

  test("changes that wait for a lock use only their builder's share of connections", async () => {
    const id = await ownVendor(flooding)
    const waiting = await whileHeld(id, async () => {
      const flood = Array.from({ length: 20 }, (_, i) => change(flooding, id, `flood ${i}`))
      for (let i = 0; i < 10; i++) expect((await change(neighbor, vendorId, `beside ${i}`)).status).toBe(200)
      return flood
    })
    for (const { status, body } of await Promise.all(waiting))
      expect(['timed_out', 'too_many_concurrent_requests', undefined]).toContain(status === 200 ? undefined : body.code)
  })

  /** Returns the running statements that contain this text and have waited half a second for a lock. */
  async function waitingFor(text: string) {
    const { rows } = await sql<{ pid: number; since: string }>`
      select "pid", "query_start" as "since" from "pg_stat_activity"
      where "wait_event_type" = 'Lock' and "query" like ${`%${text}%`} and "pid" <> pg_backend_pid()
        and "query_start" < clock_timestamp() - interval '0.5 s'`.execute(plumbline.database.statements)
    return rows
  }

  test('reports that wait for a lock do not block requests of another builder', async () => {
    let answered = 0
    const report = async () => {
      await plumbline.get('/api/ext/accounting/tax-totals?year=2026', { key: flooding.key })
      answered++
    }
    const reports = await plumbline.database.transaction(async (trx) => {
      await sql`lock table "payments" in access exclusive mode`.execute(trx)
      const all = Array.from({ length: 10 }, report)
      while (answered === 0 && (await waitingFor('"reported" as materialized')).length === 0);
      const created = await plumbline.post('/api/ext/vendors', { companyName: 'Beside' }, { key: neighbor.key })
      const listed = await plumbline.get('/api/ext/vendors', { key: neighbor.key })
      expect([created.status, listed.status, answered]).toEqual([201, 200, 0])
      return all
    })
    await Promise.all(reports)
  })

  test('a job that waits for a lock does not block other requests', async () => {
    const { key } = await plumbline.newBuilder()
    await plumbline.database.transaction(async (trx) => {
      await sql`lock table "tasks" in access exclusive mode`.execute(trx)
      let jobs = await waitingFor('select distinct "job"')
      while (jobs.length === 0) jobs = await waitingFor('select distinct "job"')
      const { status } = await plumbline.get('/api/ext/vendors', { key })
      expect([status, await waitingFor('select distinct "job"')]).toEqual([200, jobs])
    })
  })

  test('a request whose statement takes too long returns timed_out', async () => {
    const slow = await plumbline.get('/api/ext/usage', { key: flooding.key })
    expect([slow.status, slow.body.code]).toEqual([503, 'timed_out'])
    expect(slow.headers.get('retry-after')).toBe('1')
  })
})

// The embedded database behaves in the same way, but creating the records for this test would take too long.
test.skipIf(inject('postgres') === null)('a composite skill with too many records to read is rejected', async () => {
  const builder = await plumbline.newBuilder()
  const { body: community } = await plumbline.post('/api/ext/communities', { name: 'A' }, { key: builder.key })
  const { body: home } = await plumbline.post(
    '/api/ext/homes',
    { name: 'Lot 1', communityId: community.id, lotNumber: '1' },
    { key: builder.key },
  )
  const many = { table: 'homes', id: home.id, count: 20_000, unlike: 'lotNumber' }
  await addCopies(plumbline.database.sessions, many)
  const body = { skill: 'detectOverCommittedBudgets', input: {} }
  const refused = await plumbline.post('/api/ext/execute', body, { key: builder.key })
  expect([refused.status, refused.body.code]).toEqual([422, 'too_much_work'])
})
