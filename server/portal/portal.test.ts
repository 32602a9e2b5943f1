import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, startTestPlumbline, type TestPlumbline } from '../../test/support/plumbline.ts'
import { eventsOf } from '../../test/support/recorded-events.ts'
import { buildSite, type Site } from '../../test/support/site.ts'

let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

const ask = async (more: object = {}): Promise<Answer['body']> =>
  (await plumbline.post('/api/ext/bids/request', { ...site.framing(), ...more }, { key: site.key })).body
const read = async (id: string) => (await plumbline.get(`/api/ext/bids/requests/${id}`, { key: site.key })).body
/** The address is the public one; the test's server listens on a port of its own. */
const visit = (portalUrl: string, init: RequestInit = {}) =>
  fetch(plumbline.url + new URL(portalUrl).pathname, { redirect: 'manual', ...init })
const say = (portalUrl: string, form: Record<string, string>) =>
  visit(portalUrl, { method: 'POST', body: new URLSearchParams(form) })

test('a vendor sees the request behind its address, and the first look is noted', async () => {
  const lines = [{ lineId: 'walls', description: 'Walls <b>with "sheathing"</b>', quantity: 2450, unit: 'SF' }]
  const request = await ask({ title: 'Framing & trusses', homeIds: [site.lot15], lines, inclusions: "Crane, owner's" })
  const [{ portalUrl }] = request.invitations
  const response = await visit(portalUrl)
  const html = await response.text()
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toContain('text/html')
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  expect(response.headers.get('cache-control')).toBe('no-store')
  for (const shown of [
    'Framing &amp; trusses',
    request.number,
    'Juniper Ridge',
    'Lot 15',
    'Walls &lt;b&gt;with &quot;sheathing&quot;&lt;/b&gt;',
    '2450',
    'Crane, owner&#39;s',
    'Harrow &amp; Finch Homes',
    'slab is poured',
  ]) {
    expect(html).toContain(shown)
  }
  expect(html).not.toContain('<b>')
  expect(html).not.toContain('Hill Country')

  const after = await read(request.id)
  expect(after).toMatchObject({ version: 3, invitations: [{ status: 'viewed' }, { status: 'sent', viewedAt: null }] })
  expect((await plumbline.get(`/api/ext/vendors/${site.loneStar}`, { key: site.key })).body.portalStatus).toBe('joined')
  const events = (await eventsOf(plumbline, site.organizationId)).slice(-2)
  expect(events.map((event) => [event.type, event.actor])).toEqual([
    ['bid_request.updated', { type: 'vendor', id: site.loneStar }],
    ['vendor.updated', { type: 'vendor', id: site.loneStar }],
  ])
  expect(events[0]?.data.object).toEqual(after)
  await visit(portalUrl)
  expect(await read(request.id)).toEqual(after)
})

test('a wrong address leads nowhere, and neither does that of a draft', async () => {
  const request = await ask()
  const draft = await ask({ sendNow: false })
  const [{ portalUrl }] = request.invitations
  const [first, second] = request.invitations
  const mixed = portalUrl.replace(first.id, second.id)
  for (const url of [
    `${portalUrl}x`,
    portalUrl.slice(0, -1),
    mixed,
    `http://x/portal/${first.id}`,
    'http://x/portal/..%2f',
    'http://x/portal/%00',
    'http://x/portal/%E0%A4%A',
    draft.invitations[0].portalUrl,
  ]) {
    const response = await visit(url)
    expect(response.status, url).toBe(404)
    expect(await response.text()).toContain('leads nowhere')
  }
  expect(await read(request.id)).toEqual(request)
})

test('a vendor says that it will bid, thinks better of it, and is then not reminded any more', async () => {
  const request = await ask()
  const [{ portalUrl }] = request.invitations
  expect((await say(portalUrl, { answer: 'will_bid' })).status).toBe(303)
  expect((await read(request.id)).invitations[0]).toMatchObject({ status: 'will_bid', declineReason: null })
  expect(await (await visit(portalUrl)).text()).toContain('You have said that you will bid.')
  expect((await say(portalUrl, { answer: 'declined', reason: ' No crew before <spring> ' })).status).toBe(303)
  const [declined] = (await read(request.id)).invitations
  expect(declined).toMatchObject({ status: 'declined', declineReason: 'No crew before <spring>' })
  expect(declined.respondedAt).not.toBeNull()
  const reminded = (await plumbline.post(`/api/ext/bids/requests/${request.id}/remind`, undefined, { key: site.key }))
    .body
  expect(reminded.invitations.map((invitation: { remindersSent: number }) => invitation.remindersSent)).toEqual([0, 1])
  expect((await say(portalUrl, { answer: 'accepted' })).status).toBe(422)
  expect((await say(portalUrl, { answer: 'declined', reason: 'x'.repeat(50_000) })).status).toBe(413)
})

test('a request that is over says so, and takes no answer', async () => {
  const request = await ask()
  const [{ portalUrl }] = request.invitations
  await plumbline.post(`/api/ext/bids/requests/${request.id}/cancel`, { reason: 'Plan <withdrawn>' }, { key: site.key })
  const html = await (await visit(portalUrl)).text()
  expect(html).toContain('This request was cancelled: Plan &lt;withdrawn&gt;')
  expect(html).not.toContain('<form')
  expect((await say(portalUrl, { answer: 'will_bid' })).status).toBe(409)
  expect((await read(request.id)).invitations[0]).toMatchObject({ status: 'viewed', respondedAt: null })
})

test("the page shows nothing of another vendor's bid", async () => {
  const request = await ask()
  await plumbline.post(
    '/api/ext/bids',
    { bidRequestId: request.id, vendorId: site.hillCountry, amount: 41234.56 },
    { key: site.key },
  )
  const html = await (await visit(request.invitations[0].portalUrl)).text()
  expect(html).not.toContain('41234')
  expect(html).not.toContain('41,234')
})

test("a vendor's own portal address lists what it was asked for", async () => {
  const request = await ask({ title: 'Framing, Lot 22' })
  const { body } = await plumbline.post(`/api/ext/vendors/${site.hillCountry}/invite`, undefined, { key: site.key })
  const response = await visit(body.portalUrl)
  const html = await response.text()
  expect(response.status).toBe(200)
  expect(html).toContain('Framing, Lot 22')
  const href = new URL(request.invitations[1].portalUrl).pathname
  expect(html).toContain(`href="${href}"`)
  expect((await plumbline.get(`/api/ext/vendors/${site.hillCountry}`, { key: site.key })).body.portalStatus).toBe(
    'joined',
  )
})
