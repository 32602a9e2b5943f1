import { afterAll, beforeAll, expect, test } from 'vitest'
import { listEventsAbout } from '../../../../test/support/recorded-events.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'

let plumbline: TestPlumbline
let vendorId: string
let communityId: string
let homeId: string
let notifications: string

const inDays = (days: number) => addDays(toLocalDate('America/Chicago', plumbline.clock.now()), days)

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const { body: vendor } = await plumbline.post('/api/ext/vendors', {
    companyName: 'Lone Star Framing LLC',
    email: 'bids@lonestarframing.example.com',
    scopes: ['framing'],
    contacts: [
      { name: 'Marisol Vega', email: 'marisol@lonestarframing.example.com', notify: true },
      { name: 'Dana Whitfield', email: 'dana@lonestarframing.example.com', notify: false },
      { name: 'The office', email: 'bids@lonestarframing.example.com', notify: true },
    ],
  })
  vendorId = vendor.id
  notifications = `/api/ext/vendors/${vendorId}/notifications`
  const { body: community } = await plumbline.post('/api/ext/communities', {
    name: 'Juniper Ridge',
    status: 'active',
    timeZone: 'America/Chicago',
  })
  communityId = community.id
  const { body: home } = await plumbline.post('/api/ext/homes', { name: 'Lot 14', communityId })
  homeId = home.id
})
afterAll(() => plumbline.stop())

async function newBidRequest(more: object = {}) {
  const { body } = await plumbline.post('/api/ext/bids/request', {
    vendorIds: [vendorId],
    scope: 'framing',
    deadline: inDays(14),
    communityId,
    ...more,
  })
  return body
}

test('an advance notice about a home is sent to the vendor and its subscribed contacts', async () => {
  const date = inDays(7)
  const sent = await plumbline.post(notifications, { kind: 'advance', homeId, date, message: 'The slab is ready.' })
  expect(sent.status).toBe(201)
  expect(sent.body).toMatchObject({
    vendorId,
    kind: 'advance',
    homeId,
    bidRequestId: null,
    date,
    message: 'The slab is ready.',
    recipients: ['bids@lonestarframing.example.com', 'marisol@lonestarframing.example.com'],
  })
  const events = await listEventsAbout(plumbline, sent.body.id)
  expect(events).toMatchObject([{ type: 'vendor.notification.advance', data: { object: sent.body, previous: null } }])
  const found = await plumbline.get(sent.headers.get('location') ?? '')
  expect(found.body.data).toEqual([sent.body])
})

test('a bid reminder contains the deadline', async () => {
  const request = await newBidRequest()
  const sent = await plumbline.post(notifications, { kind: 'reminder', bidRequestId: request.id })
  expect(sent).toMatchObject({
    status: 201,
    body: { kind: 'reminder', bidRequestId: request.id, homeId: null, date: request.deadline },
  })
  const { body: after } = await plumbline.get(`/api/ext/bids/requests/${request.id}`)
  expect(after.invitations[0].remindersSent).toBe(1)
  expect(after.version).toBeGreaterThan(request.version)
  expect((await listEventsAbout(plumbline, sent.body.id)).map((event) => event.type)).toEqual([
    'vendor.notification.reminder',
  ])
  expect((await listEventsAbout(plumbline, request.id)).at(-1)).toMatchObject({
    type: 'bid_request.updated',
    data: { object: after },
  })
})

test('a bid reminder can be sent only to an invited vendor that can still respond', async () => {
  const { body: other } = await plumbline.post('/api/ext/vendors', {
    companyName: 'Hill Country Framers',
    email: 'ray@hillcountry.example.com',
  })
  const foreign = await newBidRequest({ vendorIds: [other.id] })
  const draft = await newBidRequest({ sendNow: false })
  const closed = await newBidRequest()
  await plumbline.post(`/api/ext/bids/requests/${closed.id}/close`)
  const answered = await newBidRequest()
  await plumbline.post('/api/ext/bids', { bidRequestId: answered.id, vendorId, amount: 39_850 })
  for (const [request, reason] of [
    [foreign, 'not_invited'],
    [draft, 'bid_request_not_open'],
    [closed, 'bid_request_not_open'],
    [answered, 'already_answered'],
  ] as const) {
    const refused = await plumbline.post(notifications, { kind: 'reminder', bidRequestId: request.id })
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict', reason } })
  }
})

test('a vendor notification must refer either to a home and a date or to a bid request', async () => {
  const errors = async (body: object) => {
    const refused = await plumbline.post(notifications, body)
    expect(refused.status).toBe(422)
    return refused.body.errors.map((fault: { pointer: string }) => fault.pointer)
  }
  const bidRequestId = 'brq_01m7y975jzfesvq6da0jsw32jg'
  expect(await errors({ kind: 'advance' })).toEqual(['/homeId', '/date'])
  expect(await errors({ kind: 'advance', homeId })).toEqual(['/date'])
  expect(await errors({ kind: 'advance', bidRequestId, homeId, date: inDays(1) })).toEqual([
    '/bidRequestId',
    '/kind',
    '/date',
  ])
  expect(await errors({ kind: 'reminder', bidRequestId })).toEqual(['/bidRequestId'])
  expect(await errors({ kind: 'reminder', homeId: 'hom_nowhere', date: inDays(1) })).toEqual(['/homeId'])
  expect(await errors({ kind: 'reminder', homeId, date: inDays(-1) })).toEqual(['/date'])
})

test('a vendor notification is rejected for an archived or unreachable vendor or a canceled home', async () => {
  const { body: mute } = await plumbline.post('/api/ext/vendors', {
    companyName: 'Redrock Concrete',
    contacts: [{ name: 'Lee', email: 'lee@redrock.example.com', notify: false }],
  })
  const work = { kind: 'advance', homeId, date: inDays(3) }
  expect(await plumbline.post(`/api/ext/vendors/${mute.id}/notifications`, work)).toMatchObject({
    status: 409,
    body: { code: 'conflict' },
  })
  const { body: gone } = await plumbline.post('/api/ext/vendors', { companyName: 'Gone', email: 'gone@example.com' })
  await plumbline.delete(`/api/ext/vendors/${gone.id}`)
  expect((await plumbline.post(`/api/ext/vendors/${gone.id}/notifications`, work)).status).toBe(409)
  const { body: cancelled } = await plumbline.post('/api/ext/homes', { name: 'Lot 99', communityId })
  await plumbline.post(`/api/ext/homes/${cancelled.id}/status`, { status: 'cancelled', reason: 'No buyer.' })
  expect(await plumbline.post(notifications, { ...work, homeId: cancelled.id })).toMatchObject({
    status: 409,
    body: { reason: 'home_not_open', detail: 'Cannot notify vendors about Lot 99: the home is canceled.' },
  })
})

test('notifications require tasks:write to send and vendors:read to read', async () => {
  const reader = await plumbline.newKey(['vendors:read', 'vendors:write'])
  const work = { kind: 'advance', homeId, date: inDays(3) }
  expect(await plumbline.post(notifications, work, { key: reader })).toMatchObject({
    status: 403,
    body: { permission: 'tasks:write' },
  })
  expect((await plumbline.get(notifications, { key: reader })).status).toBe(200)
  const planner = await plumbline.newKey(['tasks:write'])
  expect((await plumbline.post(notifications, work, { key: planner })).status).toBe(201)
  expect((await plumbline.get(notifications, { key: planner })).status).toBe(403)
})

test('vendor notifications can be filtered by kind, home, and bid request and sorted by date', async () => {
  const { body: vendor } = await plumbline.post('/api/ext/vendors', {
    companyName: 'Summit Electric Co.',
    email: 'june@summitelectric.example.com',
  })
  const path = `/api/ext/vendors/${vendor.id}/notifications`
  const request = await newBidRequest({ vendorIds: [vendor.id], deadline: inDays(5) })
  await plumbline.post(path, { kind: 'advance', homeId, date: inDays(9) })
  await plumbline.post(path, { kind: 'reminder', homeId, date: inDays(2) })
  await plumbline.post(path, { kind: 'reminder', bidRequestId: request.id })
  const dates = async (query: string) =>
    (await plumbline.get(`${path}?${query}`)).body.data.map((one: { date: string }) => one.date)
  expect(await dates('kind=advance')).toEqual([inDays(9)])
  expect(await dates(`homeId=${homeId}&sort=date`)).toEqual([inDays(2), inDays(9)])
  expect(await dates(`bidRequestId=${request.id}`)).toEqual([inDays(5)])
  expect(await dates('sort=-date')).toEqual([inDays(9), inDays(5), inDays(2)])
  expect(await dates('sort=createdAt&limit=1')).toEqual([inDays(9)])
})

test("a builder cannot see or send another builder's vendor notifications", async () => {
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.get(notifications, { key })).status).toBe(404)
  expect((await plumbline.post(notifications, { kind: 'advance', homeId, date: inDays(3) }, { key })).status).toBe(404)
})

test('repeating a notification request with the same Idempotency-Key sends only one notification', async () => {
  const headers = { 'idempotency-key': 'notice-1' }
  const body = { kind: 'advance', homeId, date: inDays(12) }
  const first = await plumbline.post(notifications, body, { headers })
  const again = await plumbline.post(notifications, body, { headers })
  expect(again.body).toEqual(first.body)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await listEventsAbout(plumbline, first.body.id)).toHaveLength(1)
})
