import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listEvents } from '../../../test/support/recorded-events.ts'
import { buildSite, type Site } from '../../../test/support/site.ts'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

/** Tests how long portal links are valid and which events end their validity earlier. */
const DAY_MS = 86_400_000

let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

const post = (path: string, body?: unknown) => plumbline.post(`/api/ext${path}`, body, { key: site.key })
const ask = async (more: object = {}): Promise<ServiceResponse['body']> =>
  (await post('/bids/request', { ...site.framing(), ...more })).body
const read = async (id: string) => (await plumbline.get(`/api/ext/bids/requests/${id}`, { key: site.key })).body
const tokenOf = (portalUrl: string): string => portalUrl.split('/').at(-1) ?? ''
/** Invites a vendor to its portal and returns the link in its email. */
const invite = async (vendorId: string): Promise<string> => {
  expect((await post(`/vendors/${vendorId}/invite`)).status).toBe(200)
  return plumbline.mailedLink(vendorId)
}
const newVendor = async (): Promise<string> =>
  (await post('/vendors', { companyName: 'Blanco Framers', email: 'bids@blanco.example.com' })).body.id

/** Opens a portal link. Returns the status and text of the page, and the code that the API returns. */
async function opens(portalUrl: string) {
  const page = await fetch(plumbline.url + new URL(portalUrl).pathname)
  const { status, body } = await plumbline.get('/api/portal/invitations', { key: tokenOf(portalUrl) })
  return { page: page.status, text: await page.text(), code: status === 200 ? 'open' : body.code }
}

test('an invitation link is valid until 14 days after the current bid deadline', async () => {
  const request = await ask({ deadline: site.day(1) })
  const portalUrl = await plumbline.mailedLink(request.invitations[0].id)
  plumbline.clock.advance(14 * DAY_MS)
  expect(await opens(portalUrl)).toMatchObject({ page: 200, code: 'open' })
  plumbline.clock.advance(2 * DAY_MS)
  const expired = await opens(portalUrl)
  expect(expired).toMatchObject({ page: 410, code: 'expired_token' })
  expect(expired.text).toContain('This link has expired')
  expect(expired.text).toContain('ask the builder to send you a new link')

  expect((await post(`/invitations/${request.invitations[0].id}/resend`)).body.detail).toContain('would have expired')
  expect((await post(`/bids/requests/${request.id}/reopen`, { deadline: site.day(3) })).status).toBe(200)
  expect(await opens(portalUrl)).toMatchObject({ page: 200, code: 'open' })
})

test("a vendor's portal link is valid for 180 days or until the vendor gets a new link", async () => {
  const vendorId = await newVendor()
  const first = await invite(vendorId)
  plumbline.clock.advance(179 * DAY_MS)
  expect(await opens(first)).toMatchObject({ page: 200, code: 'open' })
  const { expiresAt } = (await post(`/vendors/${vendorId}/invite`)).body
  const second = await plumbline.mailedLink(vendorId)
  const replaced = await opens(first)
  expect(replaced).toMatchObject({ page: 410, code: 'revoked_token' })
  expect(replaced.text).toContain('the newest link from the builder')
  plumbline.clock.advance(Date.parse(expiresAt) - plumbline.clock.nowMs() - 60_000)
  expect(await opens(second)).toMatchObject({ code: 'open' })
  plumbline.clock.advance(61_000)
  expect(await opens(second)).toMatchObject({ page: 410, code: 'expired_token' })
})

test('resending an invitation replaces its portal link', async () => {
  const request = await ask()
  const [{ id, version }] = request.invitations
  const portalUrl = await plumbline.mailedLink(id)
  const resent = await post(`/invitations/${id}/resend`)
  expect(resent).toMatchObject({ status: 200, body: { id, status: 'sent', version: version + 1 } })
  expect(await opens(portalUrl)).toMatchObject({ page: 410, code: 'revoked_token' })
  expect(await opens(await plumbline.mailedLink(id))).toMatchObject({ page: 200, code: 'open' })
  const events = (await listEvents(plumbline, site.organizationId))
    .filter(({ actor }) => actor.type === 'key')
    .slice(-2)
  expect(events.map(({ type, data }) => [type, data.object.id, data.reason, data.bidRequestId])).toEqual([
    ['bid_request.updated', request.id, undefined, undefined],
    ['vendor.invited', site.loneStar, 'bid_request', request.id],
  ])
})

test('an invitation cannot be resent if it was not sent, was canceled, or belongs to an inactive vendor', async () => {
  const draft = await ask({ sendNow: false })
  const cancelled = await ask()
  await post(`/bids/requests/${cancelled.id}/cancel`)
  const vendorId = await newVendor()
  const held = await ask({ vendorIds: [vendorId] })
  await post(`/vendors/${vendorId}/status`, { status: 'on_hold' })
  for (const [request, reason, why] of [
    [draft, 'wrong_status', 'it has not been sent'],
    [cancelled, 'wrong_status', 'the bid request is canceled'],
    [held, 'vendor_on_hold', 'is on hold'],
  ]) {
    const refused = await post(`/invitations/${request.invitations[0].id}/resend`)
    expect([refused.status, refused.body.code, refused.body.reason]).toEqual([409, 'conflict', reason])
    expect(refused.body.detail).toContain(why)
  }
})

test('revoking an invitation link closes it without changing the status of the invitation', async () => {
  const request = await ask()
  const [{ id }] = request.invitations
  const portalUrl = await plumbline.mailedLink(id)
  const whole = await invite(site.loneStar)
  const revoked = await post(`/invitations/${id}/revoke`)
  expect(revoked).toMatchObject({ status: 200, body: { id, status: 'sent' } })
  expect(await opens(portalUrl)).toMatchObject({ page: 410, code: 'revoked_token' })
  const after = await read(request.id)
  expect(after).toMatchObject({ status: 'sent', version: request.version + 1, invitations: [revoked.body, {}] })
  // Revoking the invitation again changes nothing, and the vendor's link to the whole portal still works.
  expect((await post(`/invitations/${id}/revoke`)).body).toEqual(revoked.body)
  expect(await read(request.id)).toEqual(after)
  expect((await plumbline.get(`/api/portal/invitations/${id}`, { key: tokenOf(whole) })).status).toBe(200)

  const left = await post(`/vendors/${site.loneStar}/revoke-portal`)
  expect(left).toMatchObject({ status: 200, body: { portalStatus: 'not_invited' } })
  expect(await opens(whole)).toMatchObject({ page: 410, code: 'revoked_token' })
  const last = (await listEvents(plumbline, site.organizationId, /^vendor/)).at(-1)
  expect(last).toMatchObject({ type: 'vendor.updated', data: { previous: { portalStatus: 'joined' } } })
  expect((await post(`/vendors/${site.loneStar}/revoke-portal`)).body).toEqual(left.body)
})

test('the portal links of an inactive or archived vendor do not open the portal', async () => {
  const vendorId = await newVendor()
  const request = await ask({ vendorIds: [vendorId] })
  const urls = [await plumbline.mailedLink(request.invitations[0].id), await invite(vendorId)]
  const codes = () => Promise.all(urls.map(async (url) => (await opens(url)).code))
  await post(`/vendors/${vendorId}/status`, { status: 'on_hold' })
  expect(await codes()).toEqual(['open', 'open'])
  await post(`/vendors/${vendorId}/status`, { status: 'inactive' })
  expect(await codes()).toEqual(['revoked_token', 'revoked_token'])
  await post(`/vendors/${vendorId}/status`, { status: 'active' })
  expect(await codes()).toEqual(['open', 'open'])
  await plumbline.delete(`/api/ext/vendors/${vendorId}`, { key: site.key })
  expect(await codes()).toEqual(['revoked_token', 'revoked_token'])
})

test('a portal link works even if its encrypted copy was deleted', async () => {
  const request = await ask()
  const [{ id }] = request.invitations
  const portalUrl = await plumbline.mailedLink(id)
  const forget = sql`update "portalAddresses" set "sealedToken" = null where "subjectId" = ${id}`
  await forget.execute(plumbline.database.statements)
  expect(await opens(portalUrl)).toMatchObject({ page: 200, code: 'open' })
})

test('finding a portal link needs only one index lookup', async () => {
  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    explain select a."organizationId" from "portalAddresses" as a where a."hash" = '\\x00'::bytea`.execute(
    plumbline.database.statements,
  )
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/portalAddresses_pkey/)
})
