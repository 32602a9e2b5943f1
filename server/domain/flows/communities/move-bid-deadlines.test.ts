import { afterAll, beforeAll, expect, test } from 'vitest'
import { listEvents } from '../../../../test/support/recorded-events.ts'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

const ask = async ({ key, framing }: Site, more: object = {}): Promise<ServiceResponse['body']> => {
  const answer = await plumbline.post('/api/ext/bids/request', { ...framing(), ...more }, { key })
  expect(answer.status).toBe(201)
  return answer.body
}
const read = async ({ key }: Site, id: string) => (await plumbline.get(`/api/ext/bids/requests/${id}`, { key })).body
const moveTo = (timeZone: string, { key, communityId }: Site) =>
  plumbline.patch(`/api/ext/communities/${communityId}`, { timeZone }, { key })

test("changing a community's time zone moves the deadlines of its open and draft bid requests", async () => {
  const site = await buildSite(plumbline)
  const other = await plumbline.post('/api/ext/communities', { name: 'Mill Creek', timeZone: 'America/Chicago' }, site)
  const sent = await ask(site, { deadline: '2031-07-01' })
  const draft = await ask(site, { deadline: '2031-12-01', sendNow: false })
  const closed = await ask(site)
  const elsewhere = await ask(site, { communityId: other.body.id })
  await plumbline.post(`/api/ext/bids/requests/${closed.id}/close`, undefined, site)
  const untouched = [await read(site, closed.id), await read(site, elsewhere.id)]
  const eventsBefore = (await listEvents(plumbline, site.organizationId)).length

  expect((await moveTo('America/Denver', site)).status).toBe(200)
  const after = [await read(site, sent.id), await read(site, draft.id)]
  expect(after).toMatchObject([
    { deadline: '2031-07-01', deadlineAt: '2031-07-02T06:00:00.000Z', version: sent.version + 1 },
    { deadline: '2031-12-01', deadlineAt: '2031-12-02T07:00:00.000Z', version: draft.version + 1 },
  ])
  expect([await read(site, closed.id), await read(site, elsewhere.id)]).toEqual(untouched)
  const events = (await listEvents(plumbline, site.organizationId)).slice(eventsBefore)
  expect(events.map(({ type, data }) => [type, data.previous])).toEqual([
    ['bid_request.updated', { deadlineAt: '2031-07-02T05:00:00.000Z' }],
    ['bid_request.updated', { deadlineAt: '2031-12-02T06:00:00.000Z' }],
  ])
  expect(events.map(({ data }) => data.object)).toEqual(after)
  // No deadline changes if the time zone is the same, or if its days end at the same time.
  expect((await moveTo('America/Denver', site)).status).toBe(200)
  expect((await moveTo('America/Boise', site)).status).toBe(200)
  expect((await listEvents(plumbline, site.organizationId)).at(-1)?.id).toBe(events[1]?.id)
  const page = await fetch(plumbline.url + new URL(await plumbline.mailedLink(sent.invitations[0].id)).pathname)
  expect(await page.text()).toContain('Tuesday, July 1, 2031, end of day (MDT)')
})

test('a deadline does not move if the new time zone would put the deadline in the past', async () => {
  const site = await buildSite(plumbline)
  expect((await moveTo('Pacific/Pago_Pago', site)).status).toBe(200)
  const today = toLocalDate('Pacific/Pago_Pago', plumbline.clock.now())
  const request = await ask(site, { deadline: today })
  // In this time zone, each day ends 25 hours earlier.
  expect((await moveTo('Pacific/Kiritimati', site)).status).toBe(200)
  expect(await read(site, request.id)).toEqual(request)
  const bid = { bidRequestId: request.id, vendorId: site.loneStar, amount: 39850, source: 'phone' }
  expect((await plumbline.post('/api/ext/bids', bid, site)).status).toBe(201)
})

test("a bid that is valid until a date expires at the end of that date in the community's time zone", async () => {
  const site = await buildSite(plumbline)
  const request = await ask(site)
  const bid = {
    bidRequestId: request.id,
    vendorId: site.loneStar,
    amount: 39850,
    source: 'phone',
    validUntil: '2031-07-01',
  }
  const { id, version } = (await plumbline.post('/api/ext/bids', bid, site)).body
  await moveTo('Pacific/Honolulu', site)
  // Reads the table directly, because responses do not contain this time.
  const stored = await plumbline.database.statements
    .selectFrom('bids')
    .select(['expiresAt', 'version'])
    .where('id', '=', id)
    .executeTakeFirst()
  expect(stored).toEqual({ expiresAt: '2031-07-02T10:00:00.000Z', version })
})

test('bid requests that are created or reopened during a time zone change use the new time zone', async () => {
  const site = await buildSite(plumbline)
  const closed = await ask(site)
  await plumbline.post(`/api/ext/bids/requests/${closed.id}/close`, undefined, site)
  const deadline = '2031-07-01'
  const zones = ['America/Denver', 'America/New_York', 'America/Los_Angeles']
  const answers = await Promise.all([
    ...Array.from({ length: 6 }, () => plumbline.post('/api/ext/bids/request', { ...site.framing(), deadline }, site)),
    ...zones.map((timeZone) => moveTo(timeZone, site)),
    plumbline.post(`/api/ext/bids/requests/${closed.id}/reopen`, { deadline }, site),
  ])
  for (const { status } of answers) expect([200, 201]).toContain(status)
  const { timeZone } = (await plumbline.get(`/api/ext/communities/${site.communityId}`, site)).body
  const { data } = (await plumbline.get('/api/ext/bids/requests', site)).body
  const ends = { 'America/Denver': '06', 'America/New_York': '04', 'America/Los_Angeles': '07' }[timeZone as string]
  expect(data.map((request: ServiceResponse['body']) => request.deadlineAt)).toEqual(
    Array.from({ length: 7 }, () => `2031-07-02T${ends}:00:00.000Z`),
  )
})

test('a dry run of a time zone change returns the events and moves no deadline', async () => {
  const site = await buildSite(plumbline)
  const request = await ask(site)
  const input = { communityId: site.communityId, timeZone: 'America/Denver' }
  const { body } = await plumbline.post('/api/ext/execute', { skill: 'updateCommunity', input, dryRun: true }, site)
  expect(body.result.timeZone).toBe('America/Denver')
  expect(body.events).toMatchObject([{ type: 'bid_request.updated', data: { object: { id: request.id } } }])
  expect(await read(site, request.id)).toEqual(request)
})
