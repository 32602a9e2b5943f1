import ICAL from 'ical.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addCopies } from '../../../../test/support/add-copies.ts'
import { connectApp, createOauthApp } from '../../../../test/support/oauth-app.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'
import { createUser, updateUser } from '../../office/users/users.ts'

const FEEDS = '/api/ext/calendar-feeds'
const ZONE = 'America/Chicago'

let plumbline: TestPlumbline
let communityId: string
let otherCommunityId: string
let vendorId: string
let superintendentId: string
let homeId: string

beforeAll(async () => {
  plumbline = await startTestPlumbline({ PORTAL_LIMIT_PER_MINUTE: '100', PORTAL_CLIENT_LIMIT_PER_MINUTE: '1000' })
  superintendentId = await newUser('marcus@example.com')
  const workdays = [1, 2, 3, 4, 5, 6, 7]
  const community = { name: 'Juniper, Ridge; Lot', status: 'active', timeZone: ZONE, workdays, superintendentId }
  communityId = (await plumbline.post('/api/ext/communities', community)).body.id
  const other = { name: 'Cedar Hollow', status: 'active', timeZone: ZONE, workdays }
  otherCommunityId = (await plumbline.post('/api/ext/communities', other)).body.id
  vendorId = await newVendor('Lone Star Framing LLC')
  const address = { line1: '118 Juniper Ridge Dr', city: 'Austin', state: 'TX', postalCode: '78744' }
  homeId = await newHome('Lot 22', { address, basePrice: 370490 })
})
afterAll(() => plumbline.stop())

const today = () => toLocalDate(ZONE, plumbline.clock.now())
const day = (days: number) => addDays(today(), days)

async function newUser(email: string): Promise<string> {
  const { database, clock, organizationId } = plumbline
  const user = { organizationId, email, name: 'Marcus Bell', role: 'superintendent' as const, poApprovalLimit: 0 }
  return (await createUser(database, clock, user)).id
}

async function newVendor(companyName: string): Promise<string> {
  // Disables automatic notices. Otherwise, a background job would notify the vendor and thereby change the tasks.
  const notificationPreferences = { advanceNoticeDays: null, reminderDays: null }
  const vendor = { companyName, email: 'bids@example.com', notificationPreferences }
  return (await plumbline.post('/api/ext/vendors', vendor)).body.id
}

async function newHome(name: string, fields: object = {}): Promise<string> {
  return (await plumbline.post('/api/ext/homes', { name, communityId, ...fields })).body.id
}

async function newTask(name: string, fields: object = {}) {
  const { status, body } = await plumbline.post('/api/ext/tasks', { homeId, name, vendorId, ...fields })
  expect([status, body.errors]).toEqual([201, undefined])
  return body
}

async function newFeed(of: object) {
  const { status, body } = await plumbline.post(FEEDS, of)
  expect(status).toBe(201)
  return body
}

const open = (url: string, headers: Record<string, string> = {}) =>
  fetch(plumbline.url + new URL(url).pathname, { headers })

interface Event {
  uid: string
  summary: string
  start: string
  end: string
  text(name: string): string
}

/** Returns the events of a calendar, parsed by a library that is independent of the library that writes calendars. */
async function eventsAt(url: string): Promise<Event[]> {
  const answer = await open(url)
  expect(answer.status).toBe(200)
  return parsed(await answer.text())
}

function parsed(text: string): Event[] {
  const calendar = new ICAL.Component(ICAL.parse(text))
  return calendar.getAllSubcomponents('vevent').map((component) => {
    const event = new ICAL.Event(component)
    expect([event.startDate.isDate, event.endDate.isDate]).toEqual([true, true])
    return {
      ...{ uid: event.uid, summary: event.summary },
      ...{ start: event.startDate.toString(), end: event.endDate.toString() },
      text: (name) => String(component.getFirstPropertyValue(name)),
    }
  })
}

const namesAt = async (url: string) => (await eventsAt(url)).map(({ summary }) => summary).sort()

test("the events in a vendor's calendar keep their IDs when the tasks move", async () => {
  const walls = await newTask('Walls, framed; Süd\\Nord', { durationDays: 6, plannedStart: day(3), scope: 'framing' })
  await newTask('Somebody else’s', { vendorId: await newVendor('Hill Country Framers') })
  const { url } = await newFeed({ vendorId })
  const [event, ...more] = await eventsAt(url)
  expect(more).toEqual([])
  expect(event).toMatchObject({
    ...{ uid: `${walls.id}@plumbline`, summary: 'Lot 22: Walls, framed; Süd\\Nord', start: day(3), end: day(9) },
  })
  expect(event?.text('location')).toBe('118 Juniper Ridge Dr, Austin, TX 78744')
  expect(event?.text('description')).toBe('Juniper, Ridge; Lot\nframing\nNot started\nDate not confirmed')
  expect(event?.text('sequence')).toBe('1')
  await plumbline.post(`/api/ext/tasks/${walls.id}/delay`, { days: 2, reasonCode: 'weather' })
  const [moved] = await eventsAt(url)
  expect(moved).toMatchObject({ uid: event?.uid, start: day(5), end: day(11) })
  expect(moved?.text('sequence')).toBe('2')
  expect(moved?.text('status')).toBe('TENTATIVE')
  await plumbline.post(`/api/ext/tasks/${walls.id}/confirmation`, { answer: 'confirmed' })
  const [confirmed] = await eventsAt(url)
  expect(confirmed?.text('status')).toBe('CONFIRMED')
  expect(confirmed?.text('description')).not.toContain('not confirmed')
  await plumbline.post(`/api/ext/tasks/${walls.id}/status`, { status: 'on_hold' })
  expect((await eventsAt(url))[0]?.text('status')).toBe('TENTATIVE')
  await plumbline.post(`/api/ext/tasks/${walls.id}/status`, { status: 'not_started' })
  await plumbline.post(`/api/ext/tasks/${walls.id}/status`, { status: 'skipped' })
  expect((await eventsAt(url))[0]?.text('status')).toBe('CANCELLED')
})

test('a calendar file follows RFC 5545 for line length, line endings, and control characters', async () => {
  const otherVendor = await newVendor('Ünïted; Framers, "Süd" \\ Nord')
  await newTask(`${'é😀'.repeat(60)}\u0007`.trim(), { vendorId: otherVendor, plannedStart: day(1) })
  const { url } = await newFeed({ vendorId: otherVendor, communityId })
  const answer = await open(url)
  expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
  const text = await answer.text()
  expect(text.endsWith('END:VCALENDAR\r\n')).toBe(true)
  const lines = text.split('\r\n')
  expect(lines.filter((line) => /\p{Cc}/u.test(line.replaceAll('\t', '')))).toEqual([])
  expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75)
  for (const required of ['VERSION:2.0', 'DTSTAMP:', 'LAST-MODIFIED:', 'DTSTART;VALUE=DATE:', 'DTEND;VALUE=DATE:'])
    expect(text).toContain(`\r\n${required}`)
  // The parser does not unescape the name of a calendar.
  const name = new ICAL.Component(ICAL.parse(text)).getFirstPropertyValue('name')
  expect(name).toBe('Ünïted\\; Framers\\, "Süd" \\\\ Nord – Juniper\\, Ridge\\; Lot – Harrow & Finch Homes')
  expect(parsed(text)[0]?.summary).toContain('é😀'.repeat(60))
})

test('a request for an unchanged calendar returns 304', async () => {
  const task = await newTask('Roof sheathed', { plannedStart: day(1) })
  const { url } = await newFeed({ vendorId })
  const first = await open(url)
  const etag = first.headers.get('etag') ?? ''
  plumbline.clock.advance(1000)
  expect((await open(url, { 'If-None-Match': etag })).status).toBe(304)
  await plumbline.patch(`/api/ext/tasks/${task.id}`, { durationDays: 2 })
  expect((await open(url, { 'If-None-Match': etag })).status).toBe(200)
})

test("a superintendent's calendar contains the assigned tasks and all tasks of the superintendent's homes", async () => {
  const user = await newUser('lena@example.com')
  const [own, deputy] = [await newHome('Own'), await newHome('Deputy', { superintendentId: user })]
  const elsewhere = await newHome('Elsewhere', { communityId: otherCommunityId })
  await newTask('Slab', { homeId: own, plannedStart: day(1) })
  await newTask('Walls', { homeId: deputy, plannedStart: day(1) })
  await newTask('Permit', { homeId: elsewhere, plannedStart: day(1), assigneeUserId: user })
  await newTask('Roof', { homeId: elsewhere, plannedStart: day(1) })
  const site = (await newFeed({ userId: superintendentId })).url
  const names = await namesAt(site)
  expect(names).toContain('Own: Slab')
  expect(names.filter((name) => /Deputy|Elsewhere/.test(name))).toEqual([])
  const slab = (await eventsAt(site)).find(({ summary }) => summary === 'Own: Slab')
  expect(slab?.text('description')).toBe('Juniper, Ridge; Lot\nLone Star Framing LLC\nNot started\nDate not confirmed')
  expect(await namesAt((await newFeed({ userId: user })).url)).toEqual(['Deputy: Walls', 'Elsewhere: Permit'])
  const within = await newFeed({ userId: user, communityId: otherCommunityId })
  expect(await namesAt(within.url)).toEqual(['Elsewhere: Permit'])
  const ahead = async (who: string, name: string) =>
    (await plumbline.get(`/api/ext/tasks?superintendentId=${who}&q=${name}&plannedStartTo=${day(20)}`)).body.data
  expect(await ahead(user, 'Walls')).toMatchObject([{ homeId: deputy }])
  expect(await ahead(superintendentId, 'Slab')).toMatchObject([{ homeId: own }])
})

test('a calendar contains at most 2,000 tasks, planned from 30 days ago to 365 days ahead', async () => {
  const builder = await plumbline.newBuilder()
  const { key } = builder
  const post = async (path: string, body: object) => (await plumbline.post(`/api/ext${path}`, body, { key })).body
  const workdays = [1, 2, 3, 4, 5, 6, 7]
  const site = await post('/communities', { name: 'Mill Creek', status: 'active', workdays })
  const home = await post('/homes', { name: 'Lot 1', communityId: site.id })
  // The IDs of the copies below are not valid, so a background job would fail to announce them and would retry every
  // second.
  const notificationPreferences = { advanceNoticeDays: null, reminderDays: null }
  const vendor = await post('/vendors', { companyName: 'Brazos Framing', notificationPreferences })
  const add = (name: string, plannedStart: string, durationDays = 1) =>
    post('/tasks', { homeId: home.id, vendorId: vendor.id, name, plannedStart, durationDays })
  await add('Too old', day(-40))
  await add('Long', day(-40), 20)
  await add('Far', day(360))
  await add('Too far', day(370))
  const { url } = await post('/calendar-feeds', { vendorId: vendor.id })
  expect(await namesAt(url)).toEqual(['Lot 1: Far', 'Lot 1: Long'])
  const task = await add('Next', day(1))
  await addCopies(plumbline.database.statements, { table: 'tasks', id: task.id, count: 2000 })
  const names = await namesAt(url)
  expect(names).toHaveLength(2000)
  expect(names).not.toContain('Lot 1: Far')
})

test('a calendar feed URL is shown only once', async () => {
  const { url, ...feed } = await newFeed({ vendorId })
  expect(url).toMatch(new RegExp(`/calendars/${feed.id}\\.[\\w-]{32}\\.ics$`))
  expect((await plumbline.get(`${FEEDS}/${feed.id}`)).body).toEqual(feed)
  const { body: listed } = await plumbline.get(`${FEEDS}?vendorId=${vendorId}&ids=${feed.id}`)
  expect(listed.data).toEqual([feed])
})

test('a dry run of creating a calendar feed returns no feed URL', async () => {
  const dry = await plumbline.post('/api/ext/execute', {
    ...{ skill: 'createCalendarFeed', input: { vendorId }, dryRun: true },
  })
  expect(dry.body.result).toMatchObject({ vendorId, url: null })
})

test('a revoked calendar feed URL returns 410', async () => {
  const { url, ...feed } = await newFeed({ vendorId })
  expect((await open(url)).status).toBe(200)
  expect(await plumbline.post(`${FEEDS}/${feed.id}/revoke`)).toMatchObject({
    ...{ status: 200, body: { id: feed.id, archivedAt: expect.any(String) } },
  })
  expect((await plumbline.post(`${FEEDS}/${feed.id}/revoke`)).body).toMatchObject({ version: 2 })
  const gone = await open(url)
  expect([gone.status, await gone.text()]).toEqual([410, 'This calendar is no longer in use.\n'])
  expect((await plumbline.get(`${FEEDS}?vendorId=${vendorId}&ids=${feed.id}`)).body.data).toEqual([])
})

test('malformed and unknown calendar feed URLs return the same 404', async () => {
  const { url } = await newFeed({ vendorId })
  const wrong = url.replace(/.{4}\.ics$/, 'AAAA.ics')
  for (const path of [new URL(wrong).pathname, '/calendars/x.ics', '/calendars/%E0%A4%A.ics', '/calendars/%00.ics']) {
    const answer = await fetch(plumbline.url + path)
    expect([path, answer.status, await answer.text()]).toEqual([path, 404, 'Not found.\n'])
  }
  // The token is rejected by all other interfaces.
  const token = url.split('/').at(-1)?.slice(0, -4) ?? ''
  expect((await plumbline.get('/api/portal/invitations', { key: token })).status).toBe(401)
  expect((await plumbline.get('/api/ext/tasks', { key: token })).status).toBe(401)
})

test('a calendar feed can be read only while its vendor or user is active', async () => {
  const vendor = await newVendor('Blanco Framers')
  const { url } = await newFeed({ vendorId: vendor })
  await plumbline.post(`/api/ext/vendors/${vendor}/status`, { status: 'inactive' })
  expect((await open(url)).status).toBe(410)
  expect((await plumbline.post(FEEDS, { vendorId: vendor })).body.reason).toBe('vendor_inactive')
  await plumbline.post(`/api/ext/vendors/${vendor}/status`, { status: 'active' })
  expect((await open(url)).status).toBe(200)
  await plumbline.delete(`/api/ext/vendors/${vendor}`)
  expect((await open(url)).status).toBe(410)
  expect((await plumbline.post(FEEDS, { vendorId: vendor })).body.reason).toBe('vendor_archived')
  const user = await newUser('leaver@example.com')
  const own = await newFeed({ userId: user })
  await updateUser(plumbline.database, plumbline.clock, user, { status: 'disabled' })
  expect((await open(own.url)).status).toBe(410)
  expect((await plumbline.post(FEEDS, { userId: user })).body.reason).toBe('user_disabled')
})

test('a calendar feed belongs to exactly one vendor or user', async () => {
  const elsewhere = await plumbline.newBuilder()
  for (const [of, pointer] of [
    [{}, '/vendorId'],
    [{ vendorId, userId: superintendentId }, '/vendorId'],
    [{ vendorId: 'ven_nobody' }, '/vendorId'],
    [{ userId: elsewhere.userId }, '/userId'],
    [{ vendorId, communityId: 'com_none' }, '/communityId'],
  ] as const)
    expect(await plumbline.post(FEEDS, of)).toMatchObject({ status: 422, body: { errors: [{ pointer }] } })
})

test('a vendor or user can have at most 20 calendar feeds', async () => {
  const vendor = await newVendor('Blanco Framers')
  const answers = await Promise.all(Array.from({ length: 22 }, () => plumbline.post(FEEDS, { vendorId: vendor })))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
  const refused = answers.find(({ status }) => status !== 201)
  expect(refused?.body).toMatchObject({
    reason: 'limit_reached',
    detail: 'Blanco Framers already has 20 calendar feeds, the maximum. Revoke one of them first.',
  })
})

test("a builder cannot read or revoke another builder's calendar feed", async () => {
  const elsewhere = await plumbline.newBuilder()
  const { url, id } = await newFeed({ vendorId })
  expect((await plumbline.get(`${FEEDS}/${id}`, { key: elsewhere.key })).status).toBe(404)
  expect((await plumbline.post(`${FEEDS}/${id}/revoke`, undefined, { key: elsewhere.key })).status).toBe(404)
  expect((await open(url)).status).toBe(200)
})

test('a calendar feed of an app ends when the app is disconnected', async () => {
  const owner = await plumbline.signIn()
  const app = await connectApp(plumbline, await createOauthApp(plumbline), owner)
  const { status, body: feed } = await plumbline.post(FEEDS, { vendorId }, app)
  expect([status, feed.createdBy.via]).toMatchObject([201, { grantId: expect.any(String) }])
  expect((await open(feed.url)).status).toBe(200)
  await plumbline.post(`/api/admin/oauth-grants/${feed.createdBy.via.grantId}/revoke`, undefined, owner)
  expect((await open(feed.url)).status).toBe(410)
})

test('a browser token cannot create a calendar feed', async () => {
  const origin = 'https://app.example.com'
  const { body: browser } = await plumbline.post('/api/ext/browser-tokens', { origin, permissions: ['tasks:write'] })
  const refused = await plumbline.post(FEEDS, { vendorId }, { key: browser.token, headers: { origin } })
  expect([refused.status, refused.body.reason, refused.body.url]).toEqual([409, 'wrong_caller', undefined])
})
