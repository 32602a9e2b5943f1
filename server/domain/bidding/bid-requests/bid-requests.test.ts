import { afterAll, beforeAll, expect, test } from 'vitest'
import { listEvents } from '../../../../test/support/recorded-events.ts'
import { buildSite, type Site, TIME_ZONE } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'

let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

const post = (path: string, body?: unknown, at = site): Promise<ServiceResponse> =>
  plumbline.post(`/api/ext/bids${path}`, body, { key: at.key })
const get = (path: string, at = site): Promise<ServiceResponse> =>
  plumbline.get(`/api/ext/bids${path}`, { key: at.key })
const patch = (id: string, body: unknown): Promise<ServiceResponse> =>
  plumbline.patch(`/api/ext/bids/requests/${id}`, body, { key: site.key })
const ask = async (more: object = {}): Promise<ServiceResponse['body']> => {
  const answer = await post('/request', { ...site.framing(), ...more })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const codes = (answer: ServiceResponse) =>
  answer.body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
const statuses = (request: ServiceResponse['body']) =>
  request.invitations.map(({ status }: { status: string }) => status)

test('a bid request requires only five fields', async () => {
  const own = await buildSite(plumbline)
  const created = await post('/request', own.framing(), own)
  expect(created.status).toBe(201)
  expect(created.headers.get('location')).toBe(`/api/ext/bids/requests/${created.body.id}`)
  expect(created.headers.get('etag')).toBe('"2"')
  expect(created.body).toMatchObject({
    ...own.framing(),
    number: 'BR-0001',
    status: 'sent',
    bidType: 'lump_sum',
    lines: [],
    bidCount: 0,
    lowAmount: null,
  })
  expect(statuses(created.body)).toEqual(['sent', 'sent'])
  expect((await get(`/requests/${created.body.id}`, own)).body).toEqual(created.body)
})

test('each invited vendor gets its own portal link', async () => {
  const own = await buildSite(plumbline)
  const created = await post('/request', own.framing(), own)
  const urls = await Promise.all(created.body.invitations.map(({ id }: { id: string }) => plumbline.mailedLink(id)))
  expect(new Set(urls).size).toBe(2)
  for (const url of urls) expect(url).toMatch(/\/portal\/inv_[0-9a-z]{26}\.[\w-]{32}$/)
})

test('a new bid request emits an event for the request and for each invited vendor', async () => {
  const own = await buildSite(plumbline)
  const created = await post('/request', own.framing(), own)
  const events = await listEvents(plumbline, own.organizationId, /bid_request|invited/)
  expect(events.map((event) => event.type)).toEqual([
    'bid_request.created',
    'bid_request.sent',
    'vendor.invited',
    'vendor.invited',
  ])
  expect(events[0]?.data.object).toMatchObject({ status: 'draft', version: 1, vendorIds: own.framing().vendorIds })
  expect(events[1]?.data).toMatchObject({
    object: created.body,
    previous: { status: 'draft', sentAt: null },
  })
  expect(events[2]?.data).toMatchObject({
    object: { id: own.loneStar, portalStatus: 'invited' },
    reason: 'bid_request',
    bidRequestId: created.body.id,
  })
})

test('a bid request with sendNow set to false stays a draft and notifies no vendor until it is sent', async () => {
  const draft = await ask({ sendNow: false, title: 'Framing, Lot 15', homeIds: [site.lot15] })
  expect(draft).toMatchObject({ status: 'draft', version: 1, sentAt: null })
  expect(statuses(draft)).toEqual(['pending', 'pending'])
  const sent = await post(`/requests/${draft.id}/send`)
  expect(sent.status).toBe(200)
  expect(sent.body).toMatchObject({ status: 'sent', version: 2 })
  expect(statuses(sent.body)).toEqual(['sent', 'sent'])
  const again = await post(`/requests/${draft.id}/send`)
  expect(again.body).toMatchObject({ status: 409, code: 'invalid_transition', from: 'sent', to: 'sent' })
})

test('a bid request is rejected with a reason for each vendor that cannot be invited', async () => {
  const own = await buildSite(plumbline)
  const { key } = own
  const vendor = async (companyName: string, more: object = {}) =>
    (await plumbline.post('/api/ext/vendors', { companyName, ...more }, { key })).body.id
  const [onHold, inactive, archived] = [
    await vendor('On Hold Inc.'),
    await vendor('Inactive Inc.'),
    await vendor('Archived Inc.'),
  ]
  const elsewhere = await vendor('Elsewhere Inc.', {
    communityIds: [(await plumbline.post('/api/ext/communities', { name: 'Mill Creek' }, { key })).body.id],
  })
  const expired = await vendor('Expired Inc.')
  await plumbline.post(`/api/ext/vendors/${onHold}/status`, { status: 'on_hold' }, { key })
  await plumbline.post(`/api/ext/vendors/${inactive}/status`, { status: 'inactive' }, { key })
  await plumbline.delete(`/api/ext/vendors/${archived}`, { key })
  await plumbline.post(
    `/api/ext/vendors/${expired}/compliance-documents`,
    { type: 'general_liability', status: 'valid', expirationDate: own.day(-1) },
    { key },
  )
  const unfit = [onHold, inactive, archived, elsewhere, expired]

  const refused = await post('/request', { ...own.framing(), vendorIds: [own.loneStar, ...unfit] }, own)
  expect(refused.body).toMatchObject({ status: 409, code: 'conflict' })
  expect(codes(refused)).toEqual([
    '/vendorIds/1 vendor_on_hold',
    '/vendorIds/2 vendor_inactive',
    '/vendorIds/3 vendor_archived',
    '/vendorIds/4 vendor_restricted',
    '/vendorIds/5 compliance_expired',
  ])
  expect(refused.body).toMatchObject({
    reason: 'vendor_on_hold',
    detail: expect.stringMatching(/^Cannot invite vendors\. On Hold Inc\. is on hold\. /),
  })
  expect((await get('/requests', own)).body.data).toEqual([])

  const request = (await post('/request', own.framing(), own)).body
  const more = await post(`/requests/${request.id}/invitations`, { vendorIds: [own.loneStar, onHold] }, own)
  expect(more.status).toBe(409)
  expect(codes(more)).toEqual(['/vendorIds/0 already_invited', '/vendorIds/1 vendor_on_hold'])
})

test('a draft bid request cannot be sent if one of its vendors is no longer eligible', async () => {
  const own = await buildSite(plumbline)
  const draft = (await post('/request', { ...own.framing(), sendNow: false }, own)).body
  await plumbline.post(`/api/ext/vendors/${own.hillCountry}/status`, { status: 'on_hold' }, { key: own.key })
  const refused = await post(`/requests/${draft.id}/send`, undefined, own)
  expect(refused.status).toBe(409)
  expect(codes(refused)).toEqual(['/vendorIds/1 vendor_on_hold'])
  expect((await get(`/requests/${draft.id}`, own)).body).toEqual(draft)
})

test('all unknown references of a bid request are reported in one response', async () => {
  const refused = await post('/request', {
    ...site.framing(),
    vendorIds: [site.loneStar, 'ven_nobody'],
    communityId: 'com_nowhere',
    homeIds: ['hom_none', site.lot14],
  })
  expect(refused.body).toMatchObject({ status: 422, code: 'unknown_reference' })
  expect(refused.body.errors.map((error: { pointer: string }) => error.pointer)).toEqual([
    '/communityId',
    '/homeIds/0',
    '/vendorIds/1',
  ])
})

test('a bid request with homes of another community, duplicate line names, or unit prices without lines is rejected', async () => {
  const other = (await plumbline.post('/api/ext/communities', { name: 'Mill Creek Crossing' }, { key: site.key })).body
    .id
  const line = { lineId: 'walls', description: 'Walls' }
  const refused = await post('/request', {
    ...site.framing(),
    communityId: other,
    homeIds: [site.lot15],
    lines: [line, line],
  })
  expect(refused.body).toMatchObject({ status: 422, code: 'validation_failed' })
  expect(codes(refused)).toEqual(['/lines/1/lineId unique', '/homeIds/0 community'])
  expect(codes(await post('/request', { ...site.framing(), bidType: 'unit_price' }))).toEqual(['/bidType lines'])
  expect(codes(await post('/request', { ...site.framing(), vendorIds: [] }))).toEqual(['/vendorIds minItems'])
})

test('lines of a bid request get a default name, quantity, and unit', async () => {
  const { lines } = await ask({
    lines: [
      { description: 'Walls', quantity: 2450.5, unit: 'SF' },
      { lineId: 'line-3', description: 'Trusses' },
      { description: 'Sheathing', required: false },
    ],
  })
  const posted = { partId: null, costCodeId: null }
  expect(lines).toEqual([
    { lineId: 'line-1', description: 'Walls', quantity: 2450.5, unit: 'SF', required: true, ...posted },
    { lineId: 'line-3', description: 'Trusses', quantity: 1, unit: 'LS', required: true, ...posted },
    { lineId: 'line-4', description: 'Sheathing', quantity: 1, unit: 'LS', required: false, ...posted },
  ])
})

test("a bid deadline ends at midnight in the community's time zone", async () => {
  const { key } = site
  const place = async (timeZone: string) =>
    (await plumbline.post('/api/ext/communities', { name: timeZone, timeZone }, { key })).body.id
  for (const timeZone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', TIME_ZONE]) {
    const communityId = await place(timeZone)
    const today = toLocalDate(timeZone, plumbline.clock.now())
    const request = await ask({ communityId, deadline: today })
    expect(toLocalDate(timeZone, new Date(Date.parse(request.deadlineAt) - 1))).toBe(today)
    expect(toLocalDate(timeZone, new Date(request.deadlineAt))).toBe(addDays(today, 1))
  }
  // The day on which daylight saving time ends has 25 hours and ends at midnight.
  expect((await ask({ deadline: '2031-11-02' })).deadlineAt).toBe('2031-11-03T06:00:00.000Z')
})

test('a bid deadline in the past is rejected', async () => {
  const { key } = site
  const place = async (timeZone: string) =>
    (await plumbline.post('/api/ext/communities', { name: timeZone, timeZone }, { key })).body.id
  for (const timeZone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', TIME_ZONE]) {
    const communityId = await place(timeZone)
    const today = toLocalDate(timeZone, plumbline.clock.now())
    expect(codes(await post('/request', { ...site.framing(), communityId, deadline: addDays(today, -1) }))).toEqual([
      '/deadline past',
    ])
  }
})

test('bid request numbers have no gaps, even if concurrent requests fail', async () => {
  const own = await buildSite(plumbline)
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, i) =>
      post('/request', { ...own.framing(), externalId: `erp-${i % 16}`, sendNow: i % 2 === 0 }, own),
    ),
  )
  const created = answers.filter((answer) => answer.status === 201).map((answer) => answer.body.number)
  for (const answer of answers) expect([201, 409]).toContain(answer.status)
  expect(created).toHaveLength(16)
  expect(created.toSorted()).toEqual(Array.from({ length: 16 }, (_, i) => `BR-${String(i + 1).padStart(4, '0')}`))
})

test('all fields of a draft bid request can be changed, including its vendors', async () => {
  const draft = await ask({ sendNow: false })
  const changed = await patch(draft.id, {
    vendorIds: [site.redrock, site.loneStar],
    scope: 'trusses',
    homeIds: [site.lot14],
    lines: [{ lineId: 'a', description: 'Trusses' }],
    bidType: 'both',
    blind: true,
    title: 'Trusses',
  })
  expect(changed.status).toBe(200)
  expect(changed.body).toMatchObject({
    vendorIds: [site.loneStar, site.redrock],
    scope: 'trusses',
    homeIds: [site.lot14],
    bidType: 'both',
    blind: true,
    version: 2,
  })
  expect(changed.headers.get('etag')).toBe('"2"')
  const same = await patch(draft.id, {
    title: 'Trusses',
    vendorIds: [site.loneStar, site.redrock],
    lines: [{ lineId: 'a', description: 'Trusses', quantity: 1 }],
  })
  expect(same.body).toEqual(changed.body)
  expect(codes(await patch(draft.id, { lines: [] }))).toEqual(['/bidType lines'])
  expect((await patch(draft.id, { vendorIds: ['ven_nobody'] })).body.code).toBe('unknown_reference')
  const scopes = (await plumbline.get('/api/ext/scopes?q=trusses', { key: site.key })).body.data
  expect(scopes.map((scope: { name: string }) => scope.name)).toEqual(['trusses'])
})

test('the deadline of a sent bid request can be changed, but not its trade, vendors, or blind setting', async () => {
  const request = await ask()
  const extended = await patch(request.id, { deadline: site.day(21), message: null, acceptLate: true })
  expect(extended.body).toMatchObject({ deadline: site.day(21), message: null, acceptLate: true, version: 3 })
  expect(Date.parse(extended.body.deadlineAt)).toBeGreaterThan(Date.parse(request.deadlineAt))
  const refused = await patch(request.id, {
    scope: 'roofing',
    blind: true,
    vendorIds: [site.redrock],
    title: 'New',
    homeIds: [],
  })
  expect(refused.status).toBe(409)
  expect(codes(refused)).toEqual(['/scope fixed', '/blind fixed', '/vendorIds fixed'])
  expect(codes(await patch(request.id, { deadline: site.day(-1) }))).toEqual(['/deadline past'])
  await post(`/requests/${request.id}/cancel`)
  expect(codes(await patch(request.id, { title: 'New', externalId: 'late' }))).toEqual(['/title fixed'])
  expect((await patch(request.id, { externalId: 'br-late' })).body.externalId).toBe('br-late')
})

test('changing only the vendors of a bid request also checks and updates its ETag', async () => {
  const draft = await ask({ sendNow: false })
  const change = (body: object, etag: string) =>
    plumbline.patch(`/api/ext/bids/requests/${draft.id}`, body, { key: site.key, headers: { 'if-match': etag } })
  expect((await change({ vendorIds: [site.loneStar] }, '"9"')).body).toMatchObject({
    code: 'precondition_failed',
    currentVersion: 1,
  })
  expect((await change({ vendorIds: [site.loneStar] }, '"1"')).body).toMatchObject({
    vendorIds: [site.loneStar],
    version: 2,
  })
  await post(`/requests/${draft.id}/invitations`, { vendorIds: [site.redrock] })
  expect((await get(`/requests/${draft.id}`)).headers.get('etag')).toBe('"3"')
})

test('vendors added to a bid request are invited immediately, or when a draft is sent', async () => {
  const request = await ask()
  const added = await post(`/requests/${request.id}/invitations`, { vendorIds: [site.redrock] })
  expect(added.status).toBe(201)
  expect(added.headers.get('location')).toBe(`/api/ext/bids/requests/${request.id}/invitations`)
  expect(added.body).toMatchObject({
    data: [{ vendorId: site.redrock, status: 'sent', bidRequestId: request.id }],
    nextCursor: null,
  })
  const now = (await get(`/requests/${request.id}`)).body
  expect(now.vendorIds).toEqual([site.loneStar, site.hillCountry, site.redrock])
  const last = (await listEvents(plumbline, site.organizationId)).slice(-2)
  expect(last.map((event) => event.type)).toEqual(['bid_request.updated', 'vendor.invited'])
  expect(last[0]?.data.object).toEqual(now)

  const draft = await ask({ sendNow: false, vendorIds: [] })
  const pending = await post(`/requests/${draft.id}/invitations`, { vendorIds: [site.redrock] })
  expect(pending.body.data).toMatchObject([{ status: 'pending', sentAt: null }])
  expect((await post(`/requests/${draft.id}/send`)).body.invitations).toMatchObject([{ status: 'sent' }])
  await post(`/requests/${draft.id}/close`)
  expect((await post(`/requests/${draft.id}/invitations`, { vendorIds: [site.loneStar] })).body.code).toBe('conflict')
})

test('a bid request without vendors or with a past deadline cannot be sent', async () => {
  const draft = await ask({ sendNow: false, vendorIds: [] })
  expect(codes(await post(`/requests/${draft.id}/send`))).toEqual(['/vendorIds minItems'])
})

test('the invitations of a bid request are paginated', async () => {
  const request = await ask({ vendorIds: [site.loneStar, site.hillCountry, site.redrock] })
  const list = (query: string) => get(`/requests/${request.id}/invitations?${query}`)
  const first = (await list('limit=2')).body
  expect(first.data).toEqual(request.invitations.slice(1).toReversed())
  expect((await list(`limit=2&cursor=${first.nextCursor}`)).body).toEqual({
    data: [request.invitations[0]],
    nextCursor: null,
  })
})

test('invitations can be filtered by status and vendor', async () => {
  const request = await ask({ vendorIds: [site.loneStar, site.hillCountry, site.redrock] })
  const list = (query: string) => get(`/requests/${request.id}/invitations?${query}`)
  expect((await list(`vendorId=${site.redrock}&status=sent`)).body.data).toHaveLength(1)
  expect((await list('status=viewed')).body.data).toEqual([])
})

test('listing the invitations of an unknown bid request returns 404', async () => {
  expect((await get('/requests/brq_nothing/invitations')).status).toBe(404)
})

test('unanswered invitations have the status no_response while the bid request is closed', async () => {
  const request = await ask()
  const closed = await post(`/requests/${request.id}/close`)
  expect(closed.body).toMatchObject({ status: 'closed', version: 3 })
  expect(closed.body.closedAt).not.toBeNull()
  expect(statuses(closed.body)).toEqual(['no_response', 'no_response'])
  expect((await post(`/requests/${request.id}/close`)).body).toMatchObject({
    code: 'invalid_transition',
    from: 'closed',
    allowed: ['sent', 'awarded', 'cancelled'],
  })
  expect(codes(await post(`/requests/${request.id}/reopen`, { deadline: site.day(-1) }))).toEqual(['/deadline past'])
  const reopened = await post(`/requests/${request.id}/reopen`, { deadline: site.day(30) })
  expect(reopened.body).toMatchObject({ status: 'sent', deadline: site.day(30), closedAt: null, version: 4 })
  expect(statuses(reopened.body)).toEqual(['sent', 'sent'])
  const types = (await listEvents(plumbline, site.organizationId, /^bid_request/))
    .slice(-2)
    .map((event) => [event.type, event.data.previous.status])
  expect(types).toEqual([
    ['bid_request.updated', 'sent'],
    ['bid_request.updated', 'closed'],
  ])
})

test('the status of a canceled bid request cannot be changed', async () => {
  const request = await ask()
  const cancelled = await post(`/requests/${request.id}/cancel`, { reason: 'The plan was withdrawn.' })
  expect(cancelled.body).toMatchObject({ status: 'cancelled', cancelReason: 'The plan was withdrawn.' })
  for (const [action, body] of [['close'], ['cancel'], ['send'], ['reopen', { deadline: site.day(3) }]] as const) {
    const refused = await post(`/requests/${request.id}/${action}`, body)
    expect(refused.body).toMatchObject({ status: 409, code: 'invalid_transition', from: 'cancelled', allowed: [] })
  }
  expect((await post(`/requests/${request.id}/remind`)).body.code).toBe('conflict')
})

test('canceling a draft bid request does not notify its vendors', async () => {
  const draft = await ask({ sendNow: false })
  expect((await post(`/requests/${draft.id}/close`)).body).toMatchObject({ allowed: ['sent', 'cancelled'] })
  expect((await post(`/requests/${draft.id}/reopen`, { deadline: site.day(3) })).body.code).toBe('conflict')
  const cancelled = await post(`/requests/${draft.id}/cancel`, { reason: 'Asked for twice.' })
  expect(cancelled.body).toMatchObject({ status: 'cancelled', sentAt: null, cancelReason: 'Asked for twice.' })
  expect(statuses(cancelled.body)).toEqual(['pending', 'pending'])
  const reported = await listEvents(plumbline, site.organizationId, /^bid_request/)
  expect(reported.slice(-2).map(({ type }) => type)).toEqual(['bid_request.created', 'bid_request.updated'])
  const invited = await listEvents(plumbline, site.organizationId, /^vendor\.invited/)
  expect(invited.filter((event) => JSON.stringify(event).includes(draft.id))).toEqual([])
})

test('the history of a bid request contains every status change with its actor and reason', async () => {
  const request = await ask()
  await post(`/requests/${request.id}/cancel`, { reason: 'Withdrawn.' })
  const moves = await plumbline.database.statements
    .selectFrom('statusChanges')
    .select(['from', 'to', 'reason'])
    .where('resourceId', '=', request.id)
    .orderBy('id')
    .execute()
  expect(moves).toHaveLength(3)
  expect(moves).toEqual(
    expect.arrayContaining([
      { from: null, to: 'draft', reason: null },
      { from: 'draft', to: 'sent', reason: null },
      { from: 'sent', to: 'cancelled', reason: 'Withdrawn.' },
    ]),
  )
})

test('a reminder is sent to each vendor that has not responded', async () => {
  const request = await ask()
  const reminded = await post(`/requests/${request.id}/remind`)
  expect(reminded.status).toBe(200)
  expect(reminded.body.invitations).toMatchObject([{ remindersSent: 1 }, { remindersSent: 1 }])
  expect(reminded.body.version).toBe(3)
  const last = (await listEvents(plumbline, site.organizationId)).slice(-3)
  expect(last.map((event) => event.type)).toEqual([
    'vendor.notification.reminder',
    'vendor.notification.reminder',
    'bid_request.updated',
  ])
  expect(last[0]?.data.object).toMatchObject({
    vendorId: site.loneStar,
    bidRequestId: request.id,
    date: request.deadline,
  })
  const stored = (await plumbline.get(`/api/ext/vendors/${site.loneStar}/notifications`, { key: site.key })).body.data
  expect(stored[0]).toEqual(last[0]?.data.object)
})

test('bid requests can be filtered by status, trade, community, home, vendor, and text, and sorted by deadline', async () => {
  const own = await buildSite(plumbline)
  const first = (
    await post(
      '/request',
      { ...own.framing(), title: 'Walls of Lot 15', homeIds: [own.lot15], deadline: own.day(9) },
      own,
    )
  ).body
  const second = (
    await post(
      '/request',
      { ...own.framing(), vendorIds: [own.redrock], scope: 'roofing', deadline: own.day(3), sendNow: false },
      own,
    )
  ).body
  const found = async (query: string) =>
    (await get(`/requests?${query}`, own)).body.data.map((request: { id: string }) => request.id)
  // The list contains the number of invitations but not the invitations, because a bid request can have many.
  const listed = [second, first].map(({ vendorIds, invitations, ...rest }) => ({
    ...rest,
    invitationCount: invitations.length,
  }))
  expect((await get('/requests', own)).body.data).toEqual(listed)
  expect(await found('status=sent')).toEqual([first.id])
  expect(await found('scope=roofing')).toEqual([second.id])
  expect(await found(`homeId=${own.lot15}`)).toEqual([first.id])
  expect(await found(`vendorId=${own.redrock}`)).toEqual([second.id])
  expect(await found(`communityId=${own.communityId}`)).toEqual([second.id, first.id])
  expect(await found('q=walls%20lot')).toEqual([first.id])
  expect(await found('q=br-0002')).toEqual([second.id])
  expect(await found('sort=-deadline')).toEqual([first.id, second.id])
  const page = (await get('/requests?sort=deadline&limit=1', own)).body
  expect(page.data[0].id).toBe(second.id)
  expect(await found(`sort=deadline&limit=1&cursor=${page.nextCursor}`)).toEqual([first.id])
})

test("a builder cannot see another builder's bid requests or invite its vendors", async () => {
  const request = await ask()
  const other = await buildSite(plumbline)
  expect((await get('/requests', other)).body.data).toEqual([])
  for (const path of ['', '/invitations', '/comparison'])
    expect((await get(`/requests/${request.id}${path}`, other)).body.code).toBe('not_found')
  for (const action of ['send', 'close', 'cancel', 'remind']) {
    expect((await post(`/requests/${request.id}/${action}`, undefined, other)).body.code).toBe('not_found')
  }
  expect((await post(`/requests/${request.id}/reopen`, { deadline: site.day(3) }, other)).body.code).toBe('not_found')
  expect((await post(`/requests/${request.id}/invitations`, { vendorIds: [other.redrock] }, other)).body.code).toBe(
    'not_found',
  )
  expect((await post('/request', { ...other.framing(), vendorIds: [site.loneStar] }, other)).body.code).toBe(
    'unknown_reference',
  )
})

test('creating a bid request twice with the same Idempotency-Key creates only one bid request', async () => {
  const own = await buildSite(plumbline)
  const once = () =>
    plumbline.post('/api/ext/bids/request', own.framing(), { key: own.key, headers: { 'idempotency-key': 'voice-1' } })
  const [first, second] = [await once(), await once()]
  expect(second.body).toEqual(first.body)
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(await listEvents(plumbline, own.organizationId, /^bid_request/)).toHaveLength(2)
})

test('if midnight occurs twice when clocks are set back, a bid deadline ends at the first midnight', async () => {
  const { key } = site
  const place = { name: 'Vedado', timeZone: 'America/Havana' }
  const communityId = (await plumbline.post('/api/ext/communities', place, { key })).body.id
  const request = await ask({ communityId, deadline: '2027-11-06' })
  expect(request.deadlineAt).toBe('2027-11-07T04:00:00.000Z')
  expect((await ask({ communityId, deadline: '2027-11-07' })).deadlineAt).toBe('2027-11-08T05:00:00.000Z')
  // On this day in spring, the day begins at 1:00 a.m.
  expect((await ask({ communityId, deadline: '2027-03-13' })).deadlineAt).toBe('2027-03-14T05:00:00.000Z')
})
