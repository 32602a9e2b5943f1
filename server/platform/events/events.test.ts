import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on what came over the wire, whatever that is.
type Body = any

async function createVendors(many: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < many; i++)
    ids.push((await plumbline.post('/api/ext/vendors', { companyName: `Vendor ${i}` })).body.id)
  return ids
}

const resources = (body: Body): string[] => body.data.map((event: Body) => event.data.object.id)

/** Waits until all events of these resources have a sequence, and returns them. */
async function getEvents(ids: string[]): Promise<Body[]> {
  const isThere = ({ body }: { body: Body }) => ids.every((id) => resources(body).includes(id))
  const { body } = await plumbline.until('/api/ext/events?limit=200&sort=-sequence', isThere)
  return body.data.filter((event: Body) => ids.includes(event.data.object.id)).reverse()
}

describe('the list of events', () => {
  test('the list of events continues in commit order after a given event', async () => {
    const ids = await createVendors(5)
    const events = await getEvents(ids)
    expect(events.map((event) => event.data.object.id)).toEqual(ids)
    const { body } = await plumbline.get(`/api/ext/events?after=${events[1].id}`)
    expect(resources(body).slice(0, 3)).toEqual(ids.slice(2))
  })

  test('the list of events is paginated without gaps', async () => {
    const ids = await createVendors(7)
    const [first] = await getEvents(ids)
    const walked: string[] = [first.data.object.id]
    let next = `/api/ext/events?after=${first.id}&limit=2`
    for (;;) {
      const { body } = await plumbline.get(next)
      walked.push(...resources(body))
      if (body.nextCursor === null) break
      next = `/api/ext/events?after=${first.id}&limit=2&cursor=${body.nextCursor}`
    }
    expect(walked).toEqual(ids)
  })

  test('events can be filtered by type, resource, time, and ID', async () => {
    const [one = '', two = ''] = await createVendors(2)
    await plumbline.patch(`/api/ext/vendors/${one}`, { phone: '+1 512 555 0100' })
    const [created] = await getEvents([two, one])
    const updated = await plumbline.until(`/api/ext/events?resourceId=${one}`, ({ body }) => body.data.length === 2)
    expect(updated.body.data.map(({ type }: Body) => type)).toEqual(['vendor.created', 'vendor.updated'])
    expect(updated.body.data[1].data.previous).toEqual({ phone: null })
    expect(resources((await plumbline.get(`/api/ext/events?type=vendor.updated&resourceId=${one}`)).body)).toEqual([
      one,
    ])
    expect((await plumbline.get(`/api/ext/events?ids=${created.id},evt_unknown`)).body.data).toHaveLength(1)
    const since = updated.body.data[0].timestamp
    expect((await plumbline.get(`/api/ext/events?resourceId=${one}&createdAfter=${since}`)).body).toEqual(updated.body)
    const future = new Date(plumbline.clock.nowMs() + 60_000).toISOString()
    expect((await plumbline.get(`/api/ext/events?createdAfter=${encodeURIComponent(future)}`)).body.data).toEqual([])
  })

  test('the list of events rejects an unknown event ID as the start position', async () => {
    const { status, body } = await plumbline.get('/api/ext/events?after=evt_01m7y975jzfesvq6gvfwg6b9ft')
    expect(status).toBe(422)
    expect(body).toMatchObject({ code: 'unknown_reference', errors: [{ pointer: 'after' }] })
  })

  test('the list of events contains no events of another builder', async () => {
    const [event] = await getEvents(await createVendors(1))
    const { key } = await plumbline.newBuilder()
    expect((await plumbline.get('/api/ext/events', { key })).body.data).toEqual([])
    expect((await plumbline.get(`/api/ext/events/${event.id}`, { key })).status).toBe(404)
    expect((await plumbline.get(`/api/ext/events?after=${event.id}`, { key })).status).toBe(422)
  })
})

describe('a caller with permission for only some records', () => {
  async function createHomes(many: number): Promise<string[]> {
    const community = (await plumbline.post('/api/ext/communities', { name: `Cedar Ridge ${Math.random()}` })).body.id
    const ids: string[] = []
    for (let i = 0; i < many; i++)
      ids.push((await plumbline.post('/api/ext/homes', { name: `Lot ${i}`, communityId: community })).body.id)
    return ids
  }

  test('a caller with some read permissions gets full pages of only the allowed events', async () => {
    const [before] = await getEvents(await createVendors(1))
    const vendors: string[] = []
    const homes: string[] = []
    for (let i = 0; i < 5; i++) {
      homes.push(...(await createHomes(2)))
      vendors.push(...(await createVendors(1)))
    }
    await getEvents([...homes, ...vendors])
    const key = await plumbline.newKey(['events:read', 'vendors:read', 'bids:read'])
    for (const [sort, expected] of [
      ['sequence', vendors],
      ['-sequence', vendors.toReversed()],
    ] as const) {
      const start = `/api/ext/events?after=${before.id}&sort=${sort}&limit=2`
      const walked: string[] = []
      let next = start
      for (;;) {
        const { body } = await plumbline.get(next, { key })
        walked.push(...resources(body))
        if (body.nextCursor === null) break
        expect(body.data).toHaveLength(2)
        next = `${start}&cursor=${body.nextCursor}`
      }
      expect(walked).toEqual(expected)
    }
    const filtered = async (query: string) => resources((await plumbline.get(`/api/ext/events?${query}`, { key })).body)
    expect(await filtered(`type=vendor.created&after=${before.id}`)).toEqual(vendors)
    expect(await filtered(`type=home.created&after=${before.id}`)).toEqual([])
    expect(await filtered(`resourceId=${homes[0]}`)).toEqual([])
    const [home] = await getEvents([homes[0] ?? ''])
    expect(await filtered(`ids=${home.id},${before.id}`)).toEqual([before.data.object.id])
    expect((await plumbline.get(`/api/ext/events/${home.id}`, { key })).status).toBe(404)
    // A client can continue after an event that it may no longer read.
    expect((await filtered(`after=${home.id}`)).slice(0, 1)).toEqual(vendors.slice(0, 1))
  })

  test('a caller with only events:read gets no events', async () => {
    await getEvents(await createVendors(1))
    const { status, body } = await plumbline.get('/api/ext/events', { key: await plumbline.newKey(['events:read']) })
    expect([status, body.data]).toEqual([200, []])
  })

  test('a caller with some read permissions can read the status history only of the allowed records', async () => {
    const [home = ''] = await createHomes(1)
    const [vendor = ''] = await createVendors(1)
    const key = await plumbline.newKey(['events:read', 'homes:read'])
    const moves = (id: string) => plumbline.get(`/api/ext/status-changes?resourceId=${id}`, { key })
    expect((await moves(home)).body.data).toHaveLength(1)
    expect(await moves(vendor)).toMatchObject({ status: 403, body: { permission: 'vendors:read' } })
    expect((await moves('nonsense')).body.data).toEqual([])
  })
})

test('recording an event does not update the row of its builder, which every request reads', async () => {
  const { statements } = plumbline.database
  const { organizationId } = plumbline
  const version = async () => {
    const { rows } = await sql`select "xmin"::text from "organizations" where "id" = ${organizationId}`.execute(
      statements,
    )
    return rows
  }
  await getEvents(await createVendors(1))
  const before = await version()
  await getEvents(await createVendors(2))
  expect(await version()).toEqual(before)
})

test('reading a single event returns the event that was sent', async () => {
  const [event] = await getEvents(await createVendors(1))
  const { status, body, headers } = await plumbline.get(`/api/ext/events/${event.id}`)
  expect(status).toBe(200)
  expect(body).toEqual(event)
  expect(
    (await plumbline.get(`/api/ext/events/${event.id}`, { headers: { 'if-none-match': headers.get('etag') ?? '' } }))
      .status,
  ).toBe(304)
})

test('every event type is listed with a description, an example, and whether it is available', async () => {
  const { body } = await plumbline.get('/api/ext/event-types')
  expect(body.data).toHaveLength(57)
  for (const entry of body.data) {
    expect(entry.permission).toMatch(/^[a-z]+:read$/)
    expect(entry.example.type).toBe(entry.type)
    expect(entry.description).toMatch(/^Fires /)
  }
  const availability = Object.fromEntries(
    body.data.map(({ type, available }: { type: string; available: boolean }) => [type, available]),
  )
  expect(availability).toMatchObject({
    'vendor.created': true,
    'bid.accepted': true,
    'payment.created': true,
    'sale.created': true,
    'user.logged_in': true,
  })
})

test('the status history of a record can be read', async () => {
  const [id = ''] = await createVendors(1)
  const moved = await plumbline.post(`/api/ext/vendors/${id}/status`, {
    status: 'on_hold',
    reason: 'Insurance has run out.',
  })
  expect(moved.status).toBe(200)
  const { body } = await plumbline.get(`/api/ext/status-changes?resourceId=${id}`)
  expect(body.data.at(-1)).toMatchObject({
    from: 'active',
    to: 'on_hold',
    reason: 'Insurance has run out.',
    by: { type: 'key' },
  })
  const newest = await plumbline.get(`/api/ext/status-changes?resourceId=${id}&sort=-at&limit=1`)
  expect(newest.body.data[0].to).toBe('on_hold')
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.get(`/api/ext/status-changes?resourceId=${id}`, { key })).body.data).toEqual([])
  expect((await plumbline.get('/api/ext/status-changes')).status).toBe(422)
})

describe('a caller that waits', () => {
  const waiting = (key: string, more = '') => plumbline.get(`/api/ext/events?wait=30${more}`, { key })
  const create = (key: string) => plumbline.post('/api/ext/vendors', { companyName: 'Brazos Framing' }, { key })

  test('a request that waits for events gets its response when a matching event occurs', async () => {
    const [{ key }, other] = [await plumbline.newBuilder(), await plumbline.newBuilder()]
    const started = performance.now()
    const many = Promise.all(Array.from({ length: 5 }, () => waiting(key)))
    const homes = waiting(key, '&type=home.created')
    await create(other.key)
    const { body: vendor } = await create(key)
    for (const { body } of await many)
      expect(body.data.map((event: Body) => event.data.object)).toEqual([expect.objectContaining({ id: vendor.id })])
    const { body: community } = await plumbline.post('/api/ext/communities', { name: 'Cedar Ridge' }, { key })
    await plumbline.post('/api/ext/homes', { name: 'Lot 1', communityId: community.id }, { key })
    expect((await homes).body.data).toMatchObject([{ type: 'home.created' }])
    expect(performance.now() - started).toBeLessThan(25_000)
  })

  test('a request that waits for events gets existing events immediately', async () => {
    const { key } = await plumbline.newBuilder()
    expect((await plumbline.get('/api/ext/events?wait=1', { key })).body).toEqual({ data: [], nextCursor: null })
    await create(key)
    expect((await waiting(key)).body.data).toHaveLength(1)
    expect((await waiting(key)).body.data).toHaveLength(1)
    const backwards = await waiting(key, '&sort=-sequence')
    expect(backwards).toMatchObject({ status: 422, body: { errors: [{ pointer: 'wait' }] } })
    expect((await plumbline.get('/api/ext/events?wait=31', { key })).status).toBe(422)
    const skill = { skill: 'listEvents', input: { wait: 1, type: 'home.created' } }
    expect((await plumbline.post('/api/ext/execute', skill, { key })).body.result.data).toEqual([])
  })

  test('a request that waits for events gets a response when the service stops', async () => {
    const stopping = await startTestPlumbline()
    const waits = stopping.get('/api/ext/events?wait=30')
    await stopping.until('/readyz', ({ status }) => status === 200)
    const started = performance.now()
    await stopping.stop()
    expect([(await waits).status, performance.now() - started < 10_000]).toEqual([200, true])
  })
})
