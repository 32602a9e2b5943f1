import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listEventsAbout } from '../../../test/support/recorded-events.ts'
import { buildSite, type Site } from '../../../test/support/site.ts'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { deleteEndedLimitWindows } from '../../platform/database/delete-ended-limit-windows.ts'

/** Tests the limits for vendors and for clients that guess links, and the log lines for visits. */
let plumbline: TestPlumbline
let site: Site
// biome-ignore lint/suspicious/noExplicitAny: a log line can have any shape.
const lines: any[] = []
beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const env = { PORTAL_LIMIT_PER_MINUTE: '30', PORTAL_CLIENT_LIMIT_PER_MINUTE: '120', TRUSTED_PROXIES: 'loopback' }
  plumbline = await startTestPlumbline(env, { log })
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAMAAADJ2y/JAAAAA1BMVEXY2NjlCUyjAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADElEQVQI12NgIAcAAAA2AAFnV6ZyAAAAAElFTkSuQmCC'

const ask = async (): Promise<ServiceResponse['body']> =>
  (await plumbline.post('/api/ext/bids/request', site.framing(), { key: site.key })).body
const tokenOf = async ({ id }: { id: string }): Promise<string> =>
  (await plumbline.mailedLink(id)).split('/').at(-1) ?? ''

/** Returns the headers that a trusted proxy would add to a request from a client with this IP address. */
const from = (client: string) => ({ 'x-forwarded-for': client })
const open = (token: string, client: string) => fetch(`${plumbline.url}/portal/${token}`, { headers: from(client) })
const list = (key: string, client: string) => plumbline.get('/api/portal/invitations', { key, headers: from(client) })

test('pages and API operations of a portal link share a limit of 30 requests per minute', async () => {
  const [one, another] = (await ask()).invitations
  const [first, second] = [await tokenOf(one), await tokenOf(another)]
  for (let i = 0; i < 15; i++) expect((await open(first, `192.0.2.${i}`)).status).toBe(200)
  for (let i = 0; i < 14; i++) expect((await list(first, `192.0.2.${i}`)).status).toBe(200)
  const last = await list(first, '192.0.2.1')
  expect(last.headers.get('ratelimit-policy')).toBe('"minute";q=30;w=60')
  expect(last.headers.get('ratelimit')).toMatch(/^"minute";r=0;t=\d+$/)

  const refused = await list(first, '192.0.2.2')
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  const page = await open(first, '192.0.2.3')
  expect(page.status).toBe(429)
  expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await page.text()).toContain('try again in a minute')
  expect((await list(second, '192.0.2.4')).status).toBe(200)
  plumbline.clock.advance(61_000)
  expect((await open(first, '192.0.2.3')).status).toBe(200)
})

test('images on a portal page do not count as page requests', async () => {
  const dueDate = site.day(5)
  const scratch = { homeId: site.lot14, location: 'Kitchen', description: 'Scratch', vendorId: site.loneStar, dueDate }
  const { id } = (await plumbline.post('/api/ext/punch-items', scratch, { key: site.key })).body
  const upload = `/api/ext/attachments?recordId=${id}&fileName=Scratch.png&stage=before`
  const { body: photo } = await plumbline.post(upload, { content: PNG }, { key: site.key })
  expect(photo.errors).toBeUndefined()
  await plumbline.post(`/api/ext/vendors/${site.loneStar}/invite`, undefined, { key: site.key })
  const token = await tokenOf({ id: site.loneStar })
  const path = `/portal/${token}/${id}/files/${photo.id}`
  for (let i = 0; i < 40; i++)
    expect((await fetch(plumbline.url + path, { headers: from('192.0.2.77') })).status).toBe(200)
  expect((await open(token, '192.0.2.77')).status).toBe(200)
})

test('a client can send 120 portal requests per minute', async () => {
  const token = await tokenOf((await ask()).invitations[0])
  const wrong = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
  for (let i = 0; i < 60; i++) {
    expect((await open(wrong, `2001:db8:7:1::${i}`)).status).toBe(404)
    expect((await list(wrong, `2001:db8:7:1:ffff::${i}`)).body.code).toBe('invalid_key')
  }
  const refused = await list(token, '2001:db8:7:1:abcd::9')
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await open(token, '2001:db8:7:1::9')).status).toBe(429)
  expect((await open(token, '2001:db8:7:2::9')).status).toBe(200)
  // The limits of an API key do not depend on the IP address of its requests.
  const headers = from('2001:db8:7:1::9')
  expect((await plumbline.get('/api/ext/me', { key: site.key, headers })).status).toBe(200)
})

test('portal visits are logged without the token of the link', async () => {
  const [{ id }] = (await ask()).invitations
  const token = await tokenOf({ id })
  lines.length = 0
  const page = await open(token, '198.51.100.7')
  await list(token, '198.51.100.8')
  const body = new URLSearchParams({ answer: 'will_bid' })
  await fetch(`${plumbline.url}/portal/${token}`, {
    method: 'POST',
    body,
    redirect: 'manual',
    headers: from('198.51.100.7'),
  })
  await open(`${token}x`, '198.51.100.9')
  const visits = lines.filter(({ msg }) => msg === 'request')
  const by = { callerId: site.loneStar, subjectId: id }
  expect(visits).toMatchObject([
    { operationId: 'openPortal', method: 'GET', status: 200, address: '198.51.100.7', ...by },
    { operationId: 'listPortalInvitations', method: 'GET', status: 200, address: '198.51.100.8', ...by },
    { operationId: 'answerPortalInvitation', method: 'POST', status: 303, address: '198.51.100.7', ...by },
    { operationId: 'openPortal', method: 'GET', status: 404, address: '198.51.100.9' },
  ])
  expect(visits[0].requestId).toBe(page.headers.get('x-request-id'))
  expect(JSON.stringify(lines)).not.toContain(token.split('.')[1])
})

test('an invitation accepts at most six changed responses per hour, and each emits an event', async () => {
  const request = await ask()
  const [{ id }] = request.invitations
  const key = await tokenOf({ id })
  const answer = (body: object) =>
    plumbline.post(`/api/portal/invitations/${id}/answer`, body, {
      key,
      headers: from('203.0.113.1'),
    })
  const updates = async () =>
    (await listEventsAbout(plumbline, request.id)).filter(({ actor }) => actor.type === 'vendor')
  for (const [i, body] of [
    { answer: 'will_bid' },
    { answer: 'declined' },
    { answer: 'declined', reason: 'No crew.' },
    { answer: 'will_bid' },
    { answer: 'declined' },
    { answer: 'will_bid' },
  ].entries()) {
    const first = await answer(body)
    expect(first.status).toBe(200)
    expect((await answer(body)).body).toEqual(first.body)
    expect(await updates()).toHaveLength(i + 1)
  }
  const refused = await answer({ answer: 'declined' })
  expect([refused.status, refused.body.code]).toEqual([429, 'too_many_answers'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500)
  const page = await fetch(`${plumbline.url}/portal/${key}`, {
    method: 'POST',
    body: new URLSearchParams({ answer: 'declined' }),
    headers: from('203.0.113.1'),
    redirect: 'manual',
  })
  const said = page.headers.get('location') ?? ''
  expect((await answer({ answer: 'will_bid' })).body.status).toBe('will_bid')
  expect(await updates()).toHaveLength(6)
  plumbline.clock.advance(3_600_000)
  expect((await answer({ answer: 'declined' })).body.status).toBe('declined')
  expect(await updates()).toHaveLength(7)
  const shown = await fetch(plumbline.url + said)
  expect([shown.status, await shown.text()]).toEqual([429, expect.stringContaining('Your last response is saved')])
})

test("a client's request counter is deleted one hour after its minute ends", async () => {
  const { database, clock } = plumbline
  const token = await tokenOf((await ask()).invitations[0])
  expect((await open(token, '203.0.113.9')).status).toBe(200)
  const stored = async () =>
    (await sql`select 1 from "limitWindows" where "scope" like 'client:%'`.execute(database.statements)).rows.length
  await deleteEndedLimitWindows(database, clock)
  expect(await stored()).toBeGreaterThan(0)
  clock.advance(2 * 3_600_000)
  await deleteEndedLimitWindows(database, clock)
  expect(await stored()).toBe(0)
  expect((await open(token, '203.0.113.9')).status).toBe(200)
  expect(await stored()).toBe(1)
})
