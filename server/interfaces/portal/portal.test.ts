import { afterAll, beforeAll, expect, test } from 'vitest'
import { listEvents } from '../../../test/support/recorded-events.ts'
import { buildSite, type Site } from '../../../test/support/site.ts'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

const ask = async (more: object = {}): Promise<ServiceResponse['body']> =>
  (await plumbline.post('/api/ext/bids/request', { ...site.framing(), ...more }, { key: site.key })).body
const read = async (id: string) => (await plumbline.get(`/api/ext/bids/requests/${id}`, { key: site.key })).body
/** Opens a link. The link contains the public URL, but the test's server listens on its own port. */
const visit = (portalUrl: string, init: RequestInit = {}) =>
  fetch(plumbline.url + new URL(portalUrl).pathname, { redirect: 'manual', ...init })
const say = (portalUrl: string, form: Record<string, string>) =>
  visit(portalUrl, { method: 'POST', body: new URLSearchParams(form) })
/** Sends a form that is not accepted. Returns the page that shows the reason. */
async function getRefusal(portalUrl: string, form: Record<string, string>): Promise<string> {
  const { status, headers } = await say(portalUrl, form)
  const location = headers.get('location') ?? ''
  expect([status, location]).toEqual([303, expect.stringContaining('?retry=')])
  return (await fetch(plumbline.url + location)).text()
}

test('opening a portal link shows the bid request and records the first view', async () => {
  const lines = [{ lineId: 'walls', description: 'Walls <b>with "sheathing"</b>', quantity: 2450, unit: 'SF' }]
  const request = await ask({ title: 'Framing & trusses', homeIds: [site.lot15], lines, inclusions: "Crane, owner's" })
  const portalUrl = await plumbline.mailedLink(request.invitations[0].id)
  const response = await visit(portalUrl)
  const html = await response.text()
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toContain('text/html')
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  expect(response.headers.get('cache-control')).toBe('private, no-cache')
  for (const shown of [
    'Framing &amp; trusses',
    request.number,
    'Juniper Ridge',
    'Lot 15',
    'Walls &lt;b&gt;with &quot;sheathing&quot;&lt;/b&gt;',
    '2,450 SF',
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
  const events = (await listEvents(plumbline, site.organizationId)).slice(-2)
  expect(events.map((event) => [event.type, event.actor])).toEqual([
    ['bid_request.updated', { type: 'vendor', id: site.loneStar }],
    ['vendor.updated', { type: 'vendor', id: site.loneStar }],
  ])
  expect(events[0]?.data.object).toEqual(after)
  await visit(portalUrl)
  expect(await read(request.id)).toEqual(after)
})

test('an unknown portal link is rejected', async () => {
  const request = await ask()
  const portalUrl = await plumbline.mailedLink(request.invitations[0].id)
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
  ]) {
    const response = await visit(url)
    expect(response.status, url).toBe(404)
    expect(await response.text()).toContain('This link is not valid')
  }
  expect(await read(request.id)).toEqual(request)
})

test('a draft bid request has no portal link', async () => {
  const draft = await ask({ sendNow: false })
  await expect(plumbline.mailedLink(draft.invitations[0].id)).rejects.toThrow('no portal link')
})

test('a vendor that declines after it said that it will bid gets no more reminders', async () => {
  const request = await ask()
  const portalUrl = await plumbline.mailedLink(request.invitations[0].id)
  expect((await say(portalUrl, { answer: 'will_bid' })).status).toBe(303)
  expect((await read(request.id)).invitations[0]).toMatchObject({ status: 'will_bid', declineReason: null })
  expect(await (await visit(portalUrl)).text()).toContain('You said that you will bid.')
  expect((await say(portalUrl, { answer: 'declined', reason: ' No crew before <spring> ' })).status).toBe(303)
  const [declined] = (await read(request.id)).invitations
  expect(declined).toMatchObject({ status: 'declined', declineReason: 'No crew before <spring>' })
  expect(declined.respondedAt).not.toBeNull()
  const reminded = (await plumbline.post(`/api/ext/bids/requests/${request.id}/remind`, undefined, { key: site.key }))
    .body
  expect(reminded.invitations.map((invitation: { remindersSent: number }) => invitation.remindersSent)).toEqual([0, 1])
  expect(await getRefusal(portalUrl, { answer: 'accepted' })).toContain('The form was not sent')
  expect((await say(portalUrl, { answer: 'declined', reason: 'x'.repeat(50_000) })).status).toBe(413)
})

test('the portal accepts no response to a canceled bid request', async () => {
  const request = await ask()
  const portalUrl = await plumbline.mailedLink(request.invitations[0].id)
  await plumbline.post(`/api/ext/bids/requests/${request.id}/cancel`, { reason: 'Plan <withdrawn>' }, { key: site.key })
  const html = await (await visit(portalUrl)).text()
  expect(html).toContain('This request was canceled. Reason: Plan &lt;withdrawn&gt;')
  expect(html).not.toContain('<form')
  expect(await getRefusal(portalUrl, { answer: 'will_bid' })).toContain('This bid request no longer accepts bids')
  expect((await read(request.id)).invitations[0]).toMatchObject({ status: 'viewed', respondedAt: null })
})

test("the portal page of a bid request shows no information about another vendor's bid", async () => {
  const request = await ask()
  await plumbline.post(
    '/api/ext/bids',
    { bidRequestId: request.id, vendorId: site.hillCountry, amount: 41234.56 },
    { key: site.key },
  )
  const html = await (await visit(await plumbline.mailedLink(request.invitations[0].id))).text()
  expect(html).not.toContain('41234')
  expect(html).not.toContain('41,234')
})

test('the portal of a vendor lists all bid requests that were sent to the vendor', async () => {
  const request = await ask({ title: 'Framing, Lot 22' })
  await plumbline.post(`/api/ext/vendors/${site.hillCountry}/invite`, undefined, { key: site.key })
  const portalUrl = await plumbline.mailedLink(site.hillCountry)
  const response = await visit(portalUrl)
  const html = await response.text()
  expect(response.status).toBe(200)
  expect(html).toContain('Framing, Lot 22')
  const [theirs, ours] = request.invitations
  const href = `${new URL(portalUrl).pathname}/${ours.id}`
  expect(html).toContain(`href="${href}"`)
  expect(await (await visit(`http://x${href}`)).text()).toContain('Waiting for your price.')
  expect((await say(`http://x${href}`, { answer: 'will_bid' })).headers.get('location')).toBe(href)
  expect((await read(request.id)).invitations[1].status).toBe('will_bid')
  const foreign = `http://x${new URL(portalUrl).pathname}/${theirs.id}`
  expect((await visit(foreign)).status).toBe(404)
  expect((await say(foreign, { answer: 'declined' })).status).toBe(404)
  expect((await plumbline.get(`/api/ext/vendors/${site.hillCountry}`, { key: site.key })).body.portalStatus).toBe(
    'joined',
  )
})

const tokenOf = (portalUrl: string): string => new URL(portalUrl).pathname.slice('/portal/'.length)
const asVendor = (portalUrl: string) => ({ key: tokenOf(portalUrl) })

test("a vendor's own system can read and respond to an invitation through the API", async () => {
  const request = await ask({ title: 'Framing, Lot 14', homeIds: [site.lot14] })
  const [{ id }] = request.invitations
  const portalUrl = await plumbline.mailedLink(id)
  const address = `/api/portal/invitations/${id}`
  const read = await plumbline.get(address, asVendor(portalUrl))
  expect(read).toMatchObject({
    status: 200,
    body: { id, status: 'sent', canAnswer: true, viewedAt: null, request: { number: request.number, status: 'sent' } },
  })
  const opened = await plumbline.post('/api/portal/visits', { invitationId: id }, asVendor(portalUrl))
  expect(opened).toMatchObject({ status: 200, body: { vendor: { id: site.loneStar }, invitationId: id } })
  const answered = await plumbline.post(
    `${address}/answer`,
    { answer: 'declined', reason: 'No crew before the spring.' },
    asVendor(portalUrl),
  )
  expect(answered).toMatchObject({
    status: 200,
    body: { status: 'declined', declineReason: 'No crew before the spring.', canAnswer: true },
  })
  expect((await plumbline.get(address, asVendor(portalUrl))).body).toEqual(answered.body)
  const events = (await listEvents(plumbline, site.organizationId)).filter(
    (event) => event.data.object.id === request.id && event.type === 'bid_request.updated',
  )
  expect(events.map((event) => event.actor)).toEqual(Array(2).fill({ type: 'vendor', id: site.loneStar }))
})

test('only the first visit to the portal changes the status of an invitation', async () => {
  const request = await ask()
  const [{ id }] = request.invitations
  const portalUrl = await plumbline.mailedLink(id)
  await plumbline.get(`/api/portal/invitations/${id}`, asVendor(portalUrl))
  await plumbline.get('/api/portal/invitations', asVendor(portalUrl))
  expect(await read(request.id)).toEqual(request)
  await plumbline.post('/api/portal/visits', { invitationId: id }, asVendor(portalUrl))
  const viewed = await read(request.id)
  expect(viewed.invitations[0].status).toBe('viewed')
  await plumbline.post('/api/portal/visits', { invitationId: id }, asVendor(portalUrl))
  expect(await read(request.id)).toEqual(viewed)
})

test('an invitation token opens only its own invitation, unlike a vendor token', async () => {
  const [first, second] = [await ask(), await ask()]
  const draft = await ask({ sendNow: false })
  const [mine, other] = [first.invitations[0], first.invitations[1]]
  const addressOf = (invitation: { id: string }) => `/api/portal/invitations/${invitation.id}`
  const narrow = asVendor(await plumbline.mailedLink(mine.id))
  const listed = await plumbline.get('/api/portal/invitations', narrow)
  expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([mine.id])
  expect((await plumbline.get(addressOf(second.invitations[0]), narrow)).status).toBe(404)

  await plumbline.post(`/api/ext/vendors/${site.loneStar}/invite`, undefined, { key: site.key })
  const whole = asVendor(await plumbline.mailedLink(site.loneStar))
  const everything = (await plumbline.get('/api/portal/invitations?limit=200', whole)).body.data.map(
    ({ id }: { id: string }) => id,
  )
  expect(everything).toEqual(expect.arrayContaining([mine.id, second.invitations[0].id]))
  expect(everything).not.toContain(draft.invitations[0].id)
  expect((await plumbline.get(addressOf(second.invitations[0]), whole)).status).toBe(200)
  for (const invitation of [other, draft.invitations[0], { id: 'inv_01m7y975jzfesvq6zzzzzzzzzz' }]) {
    const answers = [
      await plumbline.get(addressOf(invitation), whole),
      await plumbline.post(`${addressOf(invitation)}/answer`, { answer: 'will_bid' }, whole),
      await plumbline.post('/api/portal/visits', { invitationId: invitation.id }, whole),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 422])
  }
  expect((await read(draft.id)).invitations[0].viewedAt).toBeNull()
})

test('portal tokens and API keys cannot be used in place of each other', async () => {
  const request = await ask()
  const [{ id }] = request.invitations
  const portalUrl = await plumbline.mailedLink(id)
  for (const path of ['/api/ext/vendors', `/api/ext/bids/requests/${request.id}`, '/api/ext/me']) {
    const refused = await plumbline.get(path, asVendor(portalUrl))
    expect([refused.status, refused.body.code]).toEqual([401, 'invalid_key'])
  }
  for (const token of [site.key, `${tokenOf(portalUrl)}x`, tokenOf(portalUrl).toUpperCase(), tokenOf(draftUrl(id))]) {
    const refused = await plumbline.get(`/api/portal/invitations/${id}`, { key: token })
    expect([refused.status, refused.body.code]).toEqual([401, 'invalid_key'])
  }
  const skill = { skill: 'getPortalInvitation', input: { invitationId: id } }
  expect((await plumbline.post('/api/ext/execute', skill, { key: site.key })).body.code).toBe('skill_not_found')

  function draftUrl(subject: string): string {
    return `http://x/portal/${subject}.${'A'.repeat(32)}`
  }
})

test("a vendor's requests do not count against the builder's daily quota", async () => {
  const request = await ask()
  const [{ id }] = request.invitations
  const portalUrl = await plumbline.mailedLink(id)
  const usage = async () => (await plumbline.get('/api/ext/usage', { key: site.key })).body.day.used
  const before = await usage()
  const seen = await plumbline.get(`/api/portal/invitations/${id}`, asVendor(portalUrl))
  expect(seen.headers.get('ratelimit')).toMatch(/^"minute";r=\d+;t=\d+$/)
  expect(await usage()).toBe(before + 1)
})
