import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { readConfig } from '../../platform/config/config.ts'
import { deleteEndedLimitWindows } from '../../platform/database/delete-ended-limit-windows.ts'
import { startPlumbline } from '../../plumbline.ts'
import { startDeletionWorker } from './delete-expired.ts'

const DAY_MS = 86_400_000

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on what came over the wire, whatever that is.
type Body = any

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

async function createVendors(many: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < many; i++)
    ids.push((await plumbline.post('/api/ext/vendors', { companyName: `Vendor ${i}` })).body.id)
  return ids
}

/** Returns the events as soon as they include one about the last of these resources. */
async function eventsUpTo(ids: string[]): Promise<Body[]> {
  const isThere = ({ body }: { body: Body }) => body.data.some((event: Body) => event.data.object.id === ids.at(-1))
  return (await plumbline.until('/api/ext/events?limit=200', isThere)).body.data
}

const forget = (eventRetentionDays: number | null) =>
  startDeletionWorker(plumbline.app.services, { archives: false, eventRetentionDays, historyRetentionDays: null }).run()

describe('events', () => {
  test('events are deleted after their retention period', async () => {
    const old = await eventsUpTo(await createVendors(4))
    const { body: page } = await plumbline.get('/api/ext/events?limit=2')
    const half = `/api/ext/events?limit=2&cursor=${page.nextCursor}`
    const descending = (await plumbline.get('/api/ext/events?limit=1&sort=-sequence')).body.nextCursor

    plumbline.clock.advance(100 * DAY_MS)
    await forget(null)
    await forget(101)
    expect((await plumbline.get('/api/ext/events')).body.data).toHaveLength(old.length)
    expect((await plumbline.get(half)).status).toBe(200)

    const recent = (await eventsUpTo(await createVendors(2))).slice(old.length)
    await forget(99)
    const { body } = await plumbline.get('/api/ext/events')
    expect(body.data).toEqual(recent)
    expect(recent[0].sequence).toBe(old.at(-1).sequence + 1)

    const refused = await plumbline.get(half)
    expect([refused.status, refused.body.code, refused.body.errors[0].code]).toEqual([
      422,
      'invalid_cursor',
      'no_longer_kept',
    ])
    const after = await plumbline.get(`/api/ext/events?after=${old[1].id}`)
    expect([after.status, after.body.code]).toEqual([422, 'unknown_reference'])
    expect((await plumbline.get(`/api/ext/events/${old[1].id}`)).status).toBe(404)
    // Reading backward ends at the deleted events. It misses no other events.
    const backwards = await plumbline.get(`/api/ext/events?limit=1&sort=-sequence&cursor=${descending}`)
    expect([backwards.status, backwards.body.data]).toEqual([200, []])
  })

  test('a cursor returns all later events, even if the event that it points to was deleted', async () => {
    await eventsUpTo(await createVendors(2))
    const { body } = await plumbline.get('/api/ext/events?limit=200')
    const { data } = body
    const cursor = (await plumbline.get(`/api/ext/events?limit=${data.length - 1}`)).body.nextCursor
    plumbline.clock.advance(100 * DAY_MS)
    const [next] = await createVendors(1)
    await plumbline.until(`/api/ext/events?resourceId=${next}`, (answer) => answer.body.data.length === 1)
    await plumbline.database.statements.deleteFrom('events').where('sequence', '<', data.at(-1).sequence).execute()
    expect((await plumbline.get(`/api/ext/events?limit=200&cursor=${cursor}`)).body.data).toHaveLength(2)
    await forget(99)
    expect((await plumbline.get(`/api/ext/events?limit=200&cursor=${cursor}`)).body.code).toBe('invalid_cursor')
  })

  test('the event sequence continues after all earlier events were deleted', async () => {
    const before = (await eventsUpTo(await createVendors(1))).at(-1)
    plumbline.clock.advance(100 * DAY_MS)
    await forget(99)
    expect((await plumbline.get('/api/ext/events')).body.data).toEqual([])
    const [after] = await eventsUpTo(await createVendors(1))
    expect(after.sequence).toBe(before.sequence + 1)
  })

  test('the event sequence continues after the newest events were deleted', async () => {
    const created = (await eventsUpTo(await createVendors(3))).slice(-3)
    const last = created.at(-1).sequence
    await plumbline.database.statements.deleteFrom('events').where('sequence', '>', created[0].sequence).execute()
    const stored = (await eventsUpTo(await createVendors(1))).slice(-2)
    expect(stored.map(({ sequence }) => sequence)).toEqual([created[0].sequence, last + 1])
  })
})

test('a running service deletes old events after the configured period', async () => {
  const { database, clock, organizationId } = plumbline
  const [id] = await createVendors(1)
  const [event] = (await plumbline.until(`/api/ext/events?resourceId=${id}`, (answer) => answer.body.data.length === 1))
    .body.data
  clock.advance(40 * DAY_MS)
  const config = readConfig({
    ...{
      PORT: '0',
      LOG_LEVEL: 'silent',
      COMPILE_AHEAD: 'false',
      DATABASE_URL: 'postgres://unused',
      EVENT_RETENTION_DAYS: '30',
      ARCHIVES: 'false',
    },
    ENCRYPTION_KEY: plumbline.config.encryptionKey.toString('base64'),
  })
  const another = await startPlumbline({
    ...{ config, clock, log: plumbline.log },
    // The second instance does not close the database, because the first instance does.
    database: Object.create(database, { close: { value: async () => {} } }),
  })
  await plumbline.until('/api/ext/events?sort=-sequence', ({ body }) => body.data.length === 0)
  expect((await plumbline.get(`/api/ext/events/${event.id}`)).status).toBe(404)
  await another.stop()
  const stored = await database.statements
    .selectFrom('organizations')
    .select('lastEventSequence')
    .where('id', '=', organizationId)
    .executeTakeFirst()
  expect(stored?.lastEventSequence).toBe(event.sequence)
})

test('a rate limit window is deleted one hour after its end', async () => {
  const scopes = async () =>
    (await plumbline.database.statements.selectFrom('limitWindows').select('scope').execute()).map(({ scope }) => scope)
  await plumbline.get('/api/ext/vendors')
  const before = await scopes()
  expect(before.length).toBeGreaterThan(0)
  await deleteEndedLimitWindows(plumbline.database, plumbline.clock)
  expect(await scopes()).toEqual(before)
  plumbline.clock.advance(3 * DAY_MS)
  const { key } = await plumbline.newBuilder()
  await plumbline.get('/api/ext/vendors', { key })
  await deleteEndedLimitWindows(plumbline.database, plumbline.clock)
  const after = await scopes()
  expect(after.filter((scope) => before.includes(scope))).toEqual([])
  expect(after.length).toBeGreaterThan(0)
  // After a while, the number of requests of a client starts at zero again.
  expect((await plumbline.get('/api/ext/vendors')).status).toBe(200)
})
