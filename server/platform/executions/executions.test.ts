import { sql } from 'kysely'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { eraseContact } from '../../operators/builder-data/erase-person.ts'
import { deleteOldExecutions } from './delete-old-executions.ts'
import { flushExecutions } from './execution-buffer.ts'

const DAY_MS = 86_400_000
const LIST = '/api/ext/executions'

let plumbline: TestPlumbline
let caller: { keyId: string }
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  caller = (await plumbline.get('/api/ext/me')).body
})
afterAll(() => plumbline.stop())

const execute = (skill: string, input: object, more: object = {}, options = {}) =>
  plumbline.post('/api/ext/execute', { skill, input, ...more }, options)
const found = async (query = '', key?: string) =>
  (await plumbline.get(`${LIST}?limit=100&${query}`, key === undefined ? {} : { key })).body.data
async function kept(id: string): Promise<boolean> {
  const { rows } = await sql`select from "executions" where "id" = ${id}`.execute(plumbline.database.statements)
  return rows.length === 1
}

test('the execution of a writing skill is recorded in the same transaction as its changes', async () => {
  const input = { companyName: 'Recorded Framing', taxId: '12-3456789', scopes: ['framing'] }
  const { body: done } = await execute('createVendor', input, {}, { headers: { 'x-request-id': 'req_of-the-agent' } })
  expect(await kept(done.id)).toBe(true)
  const { status, body } = await plumbline.get(`${LIST}/${done.id}`)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    ...{ id: done.id, skill: 'createVendor', skills: ['createVendor'], dryRun: false, status: 'done', problem: null },
    ...{ changed: true, requestId: 'req_of-the-agent', createdBy: { type: 'key', id: caller.keyId } },
  })
  expect(body.resourceIds).toContain(done.result.id)
  expect(body.input).toEqual({ companyName: 'Recorded Framing', scopes: ['framing'] })
})

test.each([
  ['a read', () => execute('getCaller', {})],
  ['a dry run', () => execute('createVendor', { companyName: 'Tried' }, { dryRun: true })],
])('%s is not recorded before its response', async (_what, run) => {
  let isHeld = false
  // The buffer is stored once a second, which may happen during this check, so try again.
  for (let tries = 0; tries < 20 && !isHeld; tries++) isHeld = !(await kept((await run()).body.id))
  expect(isHeld).toBe(true)
})

test('executions of reads, dry runs, and rejected skills are recorded', async () => {
  const { body: read } = await execute('getCaller', {})
  const { body: tried } = await execute('createVendor', { companyName: 'Tried' }, { dryRun: true })
  const { status } = await execute('updateVendor', { vendorId: 'ven_none', phone: 5 })
  const [refused, second, first] = await found('sort=-createdAt')
  expect([first, second].map(({ id, changed, dryRun }) => [id, changed, dryRun])).toEqual([
    [read.id, false, false],
    [tried.id, false, true],
  ])
  expect(status).toBe(422)
  expect(refused).toMatchObject({
    skill: 'updateVendor',
    status: 'refused',
    problem: 'validation_failed',
    changed: false,
  })
  expect(refused.input.phone).toBe(5)
})

// The embedded database has only one connection, so reads and writes are never concurrent.
test.skipIf(inject('postgres') === null)(
  'a list of executions includes executions that are still being written',
  async () => {
    const { database } = plumbline
    const { body: read } = await execute('getCaller', {})
    const lists = await database.transaction(async (trx) => {
      await sql`lock table "executions" in share mode`.execute(trx)
      const first = found('skill=getCaller')
      const waits = async () =>
        (await sql`select from pg_locks where not "granted" and "relation" = '"executions"'::regclass`.execute(trx))
          .rows
      await expect.poll(async () => (await waits()).length).toBe(1)
      const second = found('skill=getCaller')
      for (let i = 0; i < 5; i++) await plumbline.get('/api/ext/vendors')
      return { first, second }
    })
    for (const list of [lists.first, lists.second]) expect((await list)[0].id).toBe(read.id)
  },
)

test('a batch is recorded as one execution', async () => {
  const steps = [
    { name: 'vendor', skill: 'createVendor', input: { companyName: 'In A Batch' } },
    { name: 'read', skill: 'getVendor', input: { vendorId: '$steps.vendor.id' } },
  ]
  const { body: batch } = await plumbline.post('/api/ext/execute/batch', { steps })
  const { body } = await plumbline.get(`${LIST}/${batch.id}`)
  expect(body).toMatchObject({ skill: 'executeBatch', skills: ['createVendor', 'getVendor'], changed: true })
  expect(body.input).toEqual({ steps })
  const run = async (name: string, provided: object) => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: provided } }
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const answer = await fetch(`${plumbline.url}/mcp`, {
      ...{ method: 'POST', body: JSON.stringify(message) },
      headers: { ...headers, authorization: `Bearer ${plumbline.key}` },
    })
    return answer.text()
  }
  await run('read_with_skill', { skill: 'getCaller', input: {} })
  expect((await found('skill=getCaller'))[0]).toMatchObject({ status: 'done', createdBy: { id: caller.keyId } })
  await run('execute_skill', { skill: 'updateVendor', input: { vendorId: 'ven_none', phone: '555' } })
  expect((await found('skill=updateVendor'))[0]).toMatchObject({ status: 'refused', problem: 'unknown_reference' })
})

test('an ordinary API call is not recorded as an execution', async () => {
  await plumbline.post('/api/ext/vendors', { companyName: 'Ordinary' })
  expect(JSON.stringify(await found())).not.toContain('Ordinary')
})

test('a long input of an execution is not stored', async () => {
  await execute('createVendor', { companyName: 'x'.repeat(17_000) })
  const [long] = await found('sort=-createdAt')
  expect(long.status).toBe('refused')
  expect(long.input).toBeNull()
})

test('executions can be filtered by skill, status, and actor', async () => {
  const other = await plumbline.newKey(['skills:write', 'vendors:read', 'events:read'])
  const { body: mine } = await execute('getCaller', {}, {}, { key: other })
  const { body: of } = await plumbline.get('/api/ext/me', { key: other })
  expect((await found(`actorId=${of.keyId}`)).map(({ id }: { id: string }) => id)).toEqual([mine.id])
  expect((await found('status=refused')).every(({ problem }: { problem: string }) => problem !== null)).toBe(true)
  expect(await found('skill=createVendor', other)).toEqual([])
  const [made] = await found('skill=createVendor&status=done')
  expect(made.status).toBe('done')
})

test('an execution is visible only to callers who can run its skill', async () => {
  const other = await plumbline.newKey(['skills:write', 'vendors:read', 'events:read'])
  expect(await found('skill=createVendor', other)).toEqual([])
  const [made] = await found('skill=createVendor&status=done')
  expect((await plumbline.get(`${LIST}/${made.id}`, { key: other })).body.permission).toBe('vendors:write')
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.get(`${LIST}/${made.id}`, { key })).status).toBe(404)
})

test("erasing a person removes the person's data from the inputs of executions", async () => {
  const input = { companyName: 'To Erase', contactName: 'Theodora Vance', email: 'theodora@example.com' }
  const { body: done } = await execute('createVendor', input)
  await eraseContact(plumbline, done.result.id, { email: input.email, also: [] })
  const { body } = await plumbline.get(`${LIST}/${done.id}`)
  expect(body.input).toEqual({ companyName: 'To Erase', contactName: 'Erased person', email: 'erased@erased.invalid' })
})

test('executions that could not be written because the database was unavailable are written later', async () => {
  const { services } = plumbline.app
  const away = Object.assign(new Error('terminating connection'), { code: '57P01' })
  const gone = new Proxy(services.database, {
    get: (database, name) => {
      if (name === 'statements') throw away
      return Reflect.get(database, name)
    },
  })
  const { body: read } = await execute('getCaller', {})
  Object.assign(services, { database: gone })
  await expect(flushExecutions(services)).rejects.toBe(away)
  Object.assign(services, { database: plumbline.database })
  expect((await plumbline.get(`${LIST}/${read.id}`)).status).toBe(200)
})

// This test must be last, because it advances the clock.
test('executions without changes are deleted before other executions', async () => {
  const { database, clock } = plumbline
  await found()
  const days = { auditRetentionDays: 400, deliveryRetentionDays: 30 }
  clock.advance(31 * DAY_MS)
  await deleteOldExecutions(database, clock, days)
  const left = await found()
  expect(left.length).toBeGreaterThan(2)
  expect(left.every(({ changed }: { changed: boolean }) => changed)).toBe(true)
  clock.advance(370 * DAY_MS)
  await deleteOldExecutions(database, clock, days)
  expect(await found()).toEqual([])
})
