import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPdf, sendBytes } from '../../../../test/support/files.ts'
import { connectApp, createOauthApp } from '../../../../test/support/oauth-app.ts'
import { listEventsAbout } from '../../../../test/support/recorded-events.ts'
import {
  type RequestOptions,
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'
import { createKey } from '../../../platform/keys/keys.ts'
import { getRolePermissions } from '../../../platform/keys/roles.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'
import { createUser } from '../../office/users/users.ts'

/**
 * A portal link allows its holder to act for the vendor. Copying a portal link therefore requires a separate
 * permission, is recorded, and never reveals sealed bids.
 */
let plumbline: TestPlumbline
let communityId: string
let vendorId: string
let homeId: string
let site = 0

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = (await ext('/communities', { name: 'Juniper Ridge', timeZone: 'America/Chicago' })).id
  homeId = (await ext('/homes', { name: 'Lot 15', communityId })).id
  vendorId = await newVendor()
})
afterAll(() => plumbline.stop())

async function ext(path: string, body?: object): Promise<ServiceResponse['body']> {
  const answer = await plumbline.post(`/api/ext${path}`, body)
  expect([path, answer.status < 300, answer.body.detail]).toEqual([path, true, undefined])
  return answer.body
}
const newVendor = async (): Promise<string> =>
  (await ext('/vendors', { companyName: `Framers ${++site}`, email: 'bids@framers.example.com', status: 'active' })).id
const day = (days: number) => addDays(toLocalDate('America/Chicago', plumbline.clock.now()), days)
const ask = (more: object = {}): Promise<ServiceResponse['body']> =>
  ext('/bids/request', { vendorIds: [vendorId], scope: 'framing', deadline: day(14), communityId, ...more })
const copyOf = (id: string, options: RequestOptions = {}) =>
  plumbline.post(`/api/ext/${id.startsWith('ven_') ? 'vendors' : 'invitations'}/${id}/portal-link`, undefined, options)
const tokenIn = (url: string) => ({ key: url.split('/').at(-1) ?? '' })
async function copied(id: string): Promise<{ url: string; key: string }> {
  const { status, body } = await copyOf(id)
  expect([status, body.detail]).toEqual([200, undefined])
  return { url: body.portalUrl, ...tokenIn(body.portalUrl) }
}
const mailed = async (id: string) => tokenIn(await plumbline.mailedLink(id))
const colleague = (role: 'admin' | 'estimator', email: string) =>
  createUser(plumbline.database, plumbline.clock, {
    ...{ organizationId: plumbline.organizationId, email, name: `Kim ${role}`, role, poApprovalLimit: null },
  })

test('a copied portal link differs from the emailed link', async () => {
  const request = await ask()
  const [{ id }] = request.invitations
  const me = (await plumbline.get('/api/ext/me')).body
  const { status, body } = await copyOf(id)
  const copiedBy = { type: 'key', id: me.keyId, name: me.name }
  expect(status).toBe(200)
  expect(body).toMatchObject({ vendorId, invitationId: id, copiedBy })
  expect(Date.parse(body.expiresAt)).toBe(Date.parse(request.deadlineAt) + 14 * 86_400_000)
  expect(body.portalUrl).not.toBe(await plumbline.mailedLink(id))
  for (const link of [tokenIn(body.portalUrl), await mailed(id)])
    expect((await plumbline.get('/api/portal/invitations', link)).body.data).toMatchObject([{ id }])
})

test('an event records who copied a portal link', async () => {
  const request = await ask()
  const [{ id }] = request.invitations
  const me = (await plumbline.get('/api/ext/me')).body
  await copyOf(id)
  const path = `/api/ext/events?resourceId=${vendorId}&sort=-sequence&limit=1`
  const isRecorded = ([event]: ServiceResponse['body'][]) => event?.data.invitationId === id
  const events = (await plumbline.until(path, ({ body }) => isRecorded(body.data))).body.data
  expect(events).toMatchObject([
    {
      type: 'vendor.portal_link_copied',
      actor: { type: 'key', id: me.keyId },
      data: { invitationId: id, bidRequestId: request.id, previous: null },
    },
  ])
  expect(JSON.stringify(events)).not.toContain('/portal/')
  const [entry] = (await plumbline.get(`/api/ext/audit-entries?resourceId=${vendorId}&limit=1`)).body.data
  expect(entry).toMatchObject({ action: 'vendor.portal_link_copied', actor: { id: me.keyId }, eventId: events[0].id })
})

test('only owners and admins have portal_links:read', () => {
  const holders = (
    ['owner', 'admin', 'estimator', 'superintendent', 'salesperson', 'accountant', 'viewer'] as const
  ).filter((role) => getRolePermissions(role).has('portal_links:read'))
  expect(holders).toEqual(['owner', 'admin'])
})

test('an estimator, a propose-only key, a browser token, an app, and an MCP client cannot copy a portal link', async () => {
  const request = await ask()
  const [{ id }] = request.invitations
  await ext(`/vendors/${vendorId}/invite`)
  const { database, clock, organizationId } = plumbline
  const estimator = await colleague('estimator', 'estimator@example.com')
  const key = async (requested: object) => ({
    key: (await createKey(database, clock, { organizationId, name: 'Narrow', ...requested })).secret,
  })
  const owner = await plumbline.signIn()
  const app = await connectApp(plumbline, await createOauthApp(plumbline), owner)
  const origin = 'https://app.example.com'
  const { body: browser } = await plumbline.post('/api/ext/browser-tokens', { origin, permissions: ['bids:read'] })
  const callers: Record<string, RequestOptions> = {
    session: await plumbline.signIn('estimator@example.com'),
    key: await key({ userId: estimator.id }),
    proposing: await key({ proposeOnly: true }),
    app: { key: app.key },
    browser: { key: browser.token, headers: { origin } },
  }
  // A stored permission of a key or grant has no effect.
  await sql`update "apiKeys" set "permissions" = array_append("permissions", 'portal_links:read') where "name" = 'Narrow'`.execute(
    database.statements,
  )
  await sql`update "oauthGrants" set "permissions" = array_append("permissions", 'portal_links:read')`.execute(
    database.statements,
  )
  clock.advance(1000)
  for (const [name, caller] of Object.entries(callers)) {
    for (const subject of [id, vendorId]) {
      const { status, body } = await copyOf(subject, caller)
      expect([name, status, body.code, body.permission]).toEqual([name, 403, 'permission_denied', 'portal_links:read'])
    }
    const { body } = await plumbline.get(`/api/ext/bids/requests/${request.id}`, caller)
    expect([name, JSON.stringify(body).includes('/portal/')]).toEqual([name, false])
  }
  const tool = { name: 'execute_skill', arguments: { skill: 'copyInvitationLink', input: { invitationId: id } } }
  const answer = await fetch(`${plumbline.url}/mcp`, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${plumbline.key}`, accept: 'application/json, text/event-stream' },
      'content-type': 'application/json',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool }),
  })
  const text = await answer.text()
  expect(text).toContain('skill_not_found')
  expect(text).not.toContain('/portal/')
  const input = { skill: 'copyInvitationLink', input: { invitationId: id } }
  expect((await plumbline.post('/api/ext/execute', input)).body.code).toBe('skill_not_found')
})

test('propose-only keys, browser tokens, and apps cannot have portal_links:read', async () => {
  const owner = await plumbline.signIn()
  const requested = { name: 'Agent', permissions: ['portal_links:read'], proposeOnly: true }
  const refused = await plumbline.post('/api/admin/keys', requested, owner)
  expect([refused.status, refused.body.errors]).toMatchObject([422, [{ pointer: '/permissions/0' }]])
  const created = await plumbline.post('/api/admin/keys', { ...requested, proposeOnly: false }, owner)
  expect(created.status).toBe(201)
  const { database, clock, organizationId } = plumbline
  await expect(createKey(database, clock, { organizationId, ...requested })).rejects.toThrow()
  const token = { origin: 'https://app.example.com', permissions: ['portal_links:read'] }
  const page = await plumbline.post('/api/ext/browser-tokens', token)
  expect([page.status, page.body.errors]).toMatchObject([422, [{ pointer: '/permissions/0', code: 'beyond_key' }]])
  const app = await createOauthApp(plumbline)
  const { scope } = await connectApp(plumbline, app, owner, {}, { scope: 'read write portal_links:read' })
  expect(scope).not.toContain('portal_links')
})

test('a user can copy a portal link only after a fresh sign-in', async () => {
  await colleague('admin', 'admin@example.com')
  const person = await plumbline.signIn('admin@example.com')
  await ext(`/vendors/${vendorId}/invite`)
  const { status, body } = await copyOf(vendorId, person)
  expect([status, body.copiedBy]).toMatchObject([200, { type: 'user', name: 'Kim admin' }])
  const before = (await listEventsAbout(plumbline, vendorId)).length
  plumbline.clock.advance(11 * 60_000)
  const stale = await copyOf(vendorId, person)
  expect([stale.status, stale.body.code]).toEqual([403, 'fresh_sign_in_required'])
  expect(await listEventsAbout(plumbline, vendorId)).toHaveLength(before)
})

test('a copied link cannot open a blind bid request until bidding closes', async () => {
  const bidder = await newVendor()
  await ext(`/vendors/${bidder}/invite`)
  const whole = await copied(bidder)
  const request = await ask({ vendorIds: [bidder], blind: true })
  const [{ id }] = request.invitations
  const sealed = await copyOf(id)
  expect([sealed.status, sealed.body.reason]).toEqual([409, 'bids_sealed'])

  const own = await mailed(id)
  const bid = `/api/portal/invitations/${id}/bid`
  expect((await plumbline.post(`${bid}/draft`, { amount: 41_234 }, own)).status).toBe(200)
  expect((await plumbline.post(`${bid}/submit`, {}, own)).body.bid.amount).toBe(41_234)
  const looks = async (link: { url: string; key: string }) => {
    const { pathname } = new URL(link.url)
    const answers = [
      await plumbline.get('/api/portal/invitations', link),
      await plumbline.get(`/api/portal/invitations/${id}`, link),
      await plumbline.get(bid, link),
      await plumbline.get(`/api/portal/invitations/${id}/attachments`, link),
      await plumbline.post(`${bid}/draft`, { amount: 1 }, link),
      await plumbline.post(`/api/portal/invitations/${id}/answer`, { answer: 'declined' }, link),
      await plumbline.post('/api/portal/visits', { invitationId: id }, link),
    ]
    const pages = await Promise.all(
      [pathname, `${pathname}/${id}`, `${pathname}/${id}/price`, `${pathname}/invitations`].map(async (path) =>
        (await fetch(plumbline.url + path)).text(),
      ),
    )
    const shown = JSON.stringify([answers.map(({ body }) => body), pages])
    return { statuses: answers.map(({ status }) => status), isShown: /41[,.]?234/.test(shown), text: shown }
  }
  const hidden = await looks(whole)
  expect(hidden).toMatchObject({ statuses: [200, 404, 404, 404, 404, 404, 422], isShown: false })
  expect(hidden.text).not.toContain(request.number)
  expect((await plumbline.get('/api/portal/invitations', await mailed(bidder))).body.data).toMatchObject([{ id }])

  await ext(`/bids/requests/${request.id}/close`)
  const narrow = await copied(id)
  for (const link of [whole, narrow]) expect((await plumbline.get(bid, link)).body.bid.amount).toBe(41_234)
  await ext(`/bids/requests/${request.id}/reopen`, { deadline: day(20) })
  for (const link of [whole, narrow])
    expect(await looks(link)).toMatchObject({ statuses: [200, 404, 404, 404, 404, 404, 422], isShown: false })
})

test('an action that uses a copied link is recorded with its source and the user who copied the link', async () => {
  const bidder = await newVendor()
  await ext(`/vendors/${bidder}/invite`)
  const request = await ask({ vendorIds: [bidder] })
  const [{ id }] = request.invitations
  const link = await copied(id)
  const { name } = (await plumbline.get('/api/ext/me')).body
  const by = { type: 'vendor', id: bidder, source: 'portal_copied_link', copiedBy: { type: 'key', name } }
  await fetch(plumbline.url + new URL(link.url).pathname)
  await plumbline.post(`/api/portal/invitations/${id}/bid/draft`, { amount: 40_000 }, link)
  await plumbline.post(`/api/portal/invitations/${id}/bid/submit`, {}, link)
  const [bid] = (await plumbline.get(`/api/ext/bids?bidRequestId=${request.id}`)).body.data
  expect(bid).toMatchObject({ amount: 40_000, source: 'portal_copied_link', createdBy: by })
  const found = await plumbline.get(`/api/ext/bids?source=portal_copied_link&bidRequestId=${request.id}`)
  expect(found.body.data).toHaveLength(1)
  expect((await listEventsAbout(plumbline, bid.id)).map(({ actor }) => actor)).toMatchObject([by])
  for (const [resourceId, action] of [
    [bid.id, 'bid.submitted'],
    [id, 'portal.visited'],
    [id, 'invitation.updated'],
  ]) {
    const { data } = (await plumbline.get(`/api/ext/audit-entries?resourceId=${resourceId}&action=${action}`)).body
    expect([action, data[0]?.actor]).toMatchObject([action, by])
  }
  // Actions through the vendor's own link do not refer to a user of the builder.
  const revised = await mailed(id)
  await plumbline.post(`/api/portal/invitations/${id}/bid/draft`, { amount: 39_000 }, revised)
  await plumbline.post(`/api/portal/invitations/${id}/bid/submit`, {}, revised)
  expect((await plumbline.get(`/api/ext/bids/${bid.id}`)).body.source).toBe('portal')
  expect((await listEventsAbout(plumbline, bid.id)).at(-1)?.actor).toEqual({ type: 'vendor', id: bidder })
})

test("a copied link gives no access to the vendor's draft bid", async () => {
  const request = await ask({ blind: false })
  const [{ id }] = request.invitations
  const own = await mailed(id)
  const bid = `/api/portal/invitations/${id}/bid`
  const files = `/api/portal/invitations/${id}/attachments`
  const draft = { amount: 41_234, note: 'Between us' }
  expect((await plumbline.post(`${bid}/draft`, draft, own)).body.draft).toMatchObject({ ...draft, version: 1 })
  const sent = await sendBytes(`${plumbline.url}${files}?fileName=Offer.pdf`, createPdf(), own)
  expect([sent.status, sent.body.detail]).toEqual([200, undefined])
  const copy = await copied(id)
  expect((await plumbline.get(bid, copy)).body).toMatchObject({ draft: null, review: null, bid: null })
  expect((await plumbline.get(files, copy)).body.data).toEqual([])
  expect((await plumbline.get(`${files}/${sent.body.id}/content`, copy)).status).toBe(404)
  const page = await (await fetch(`${copy.url}/price`)).text()
  expect(page).not.toMatch(/41[,.]?234|Between us/)
  expect((await plumbline.post(`${bid}/submit`, {}, copy)).body.reason).toBe('missing_data')
  // A draft that was saved through a copied link is separate from the vendor's draft.
  expect((await plumbline.post(`${bid}/draft`, { amount: 1 }, copy)).body.draft.version).toBe(1)
  expect((await plumbline.post(`${bid}/discard`, undefined, copy)).status).toBe(200)
  expect((await plumbline.get(bid, own)).body.draft).toMatchObject({ ...draft, version: 1 })
  expect((await plumbline.post(`${bid}/submit`, {}, own)).status).toBe(200)
  expect((await plumbline.get(bid, copy)).body.bid.amount).toBe(41_234)
  expect((await plumbline.get(files, copy)).body.data).toMatchObject([{ fileName: 'Offer.pdf' }])
  expect((await plumbline.get(`${files}/${sent.body.id}/content`, copy)).status).toBe(200)
})

test('the text of a lien waiver says that it was signed through a copied link', async () => {
  const bidder = await newVendor()
  const lines = [{ description: 'Walls', quantity: 1, unitPrice: 1000 }]
  const order = await ext('/purchase-orders', { homeId, vendorId: bidder, scope: 'framing', lines })
  for (const status of ['approved', 'issued']) await ext(`/purchase-orders/${order.id}/status`, { status })
  await ext(`/purchase-orders/${order.id}/progress`, { completedPercent: 100 })
  const payment = await ext('/payments', { poId: order.id, grossAmount: 10 })
  const waiver = await ext(`/payments/${payment.id}/lien-waivers`, {})
  const link = await copied(bidder)
  const signature = { signedBy: 'Dana Whitfield', consent: true }
  const { status } = await plumbline.post(`/api/portal/lien-waivers/${waiver.id}/signature`, signature, link)
  expect(status).toBe(200)
  const { name } = (await plumbline.get('/api/ext/me')).body
  const { body: signed } = await plumbline.get(`/api/ext/lien-waivers/${waiver.id}`)
  expect(signed.signedVia).toBe('portal_copied_link')
  expect(signed.text).toContain(`through a portal link that ${name} copied.`)
})

test('a vendor that was not invited has no portal link to copy', async () => {
  const bidder = await newVendor()
  const none = await copyOf(bidder)
  expect([none.status, none.body.reason]).toEqual([409, 'missing_data'])
})

test('a portal link can have at most 20 active copies', async () => {
  const bidder = await newVendor()
  await ext(`/vendors/${bidder}/invite`)
  for (let i = 0; i < 20; i++) await copied(bidder)
  const full = await copyOf(bidder)
  expect([full.status, full.body.reason]).toEqual([409, 'limit_reached'])
})

test('revoking an emailed portal link also revokes its copies', async () => {
  const bidder = await newVendor()
  await ext(`/vendors/${bidder}/invite`)
  const links = [await copied(bidder), await copied(bidder)]
  for (const link of links) expect((await plumbline.get('/api/portal/invitations', link)).status).toBe(200)
  await ext(`/vendors/${bidder}/revoke-portal`)
  for (const link of links)
    expect((await plumbline.get('/api/portal/invitations', link)).body.code).toBe('revoked_token')
  const revoked = await copyOf(bidder)
  expect([revoked.status, revoked.body.reason]).toEqual([409, 'missing_data'])
})

test('resending an invitation revokes the copies of its link', async () => {
  const bidder = await newVendor()
  const request = await ask({ vendorIds: [bidder] })
  const [{ id }] = request.invitations
  const narrow = await copied(id)
  await ext(`/invitations/${id}/resend`)
  expect((await plumbline.get('/api/portal/invitations', narrow)).body.code).toBe('revoked_token')
})

test('a draft bid request has no portal link to copy', async () => {
  const bidder = await newVendor()
  const draft = await ask({ vendorIds: [bidder], sendNow: false })
  expect((await copyOf(draft.invitations[0].id)).body.reason).toBe('missing_data')
})

test('the portal link of an inactive vendor cannot be copied', async () => {
  const bidder = await newVendor()
  const request = await ask({ vendorIds: [bidder] })
  const [{ id }] = request.invitations
  await ext(`/vendors/${bidder}/status`, { status: 'inactive' })
  expect((await copyOf(id)).body.reason).toBe('vendor_inactive')
})

test('repeating a copy request with the same Idempotency-Key does not show the link again', async () => {
  const [{ id }] = (await ask()).invitations
  const once = { headers: { 'idempotency-key': 'copy-once' } }
  const [first, again] = [await copyOf(id, once), await copyOf(id, once)]
  expect(first.body.portalUrl).toContain('/portal/inv_')
  expect(again.body).toEqual({ ...first.body, portalUrl: null })
})

test("a builder cannot copy the portal link of another builder's vendor or invitation", async () => {
  const [{ id }] = (await ask()).invitations
  const { key } = await plumbline.newBuilder()
  for (const subject of [id, vendorId]) expect((await copyOf(subject, { key })).status).toBe(404)
})

test('a user cannot set the portal as the source of a bid', async () => {
  const bidder = await newVendor()
  const request = await ask({ vendorIds: [bidder] })
  const [{ id }] = request.invitations
  for (const source of ['portal', 'portal_copied_link']) {
    const bid = { bidRequestId: request.id, vendorId: bidder, amount: 1, source }
    expect((await plumbline.post('/api/ext/bids', bid)).body.errors).toMatchObject([{ pointer: '/source' }])
  }
  const own = await mailed(id)
  await plumbline.post(`/api/portal/invitations/${id}/bid/draft`, { amount: 40_000 }, own)
  const { bid } = (await plumbline.post(`/api/portal/invitations/${id}/bid/submit`, {}, own)).body
  const revised = await plumbline.patch(`/api/ext/bids/${bid.id}`, { amount: 39_000 })
  expect(revised.body).toMatchObject({ amount: 39_000, source: 'api' })
})
