import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MailServer, startMailServer } from '../../../../test/support/mail-server.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { updateOrganization } from '../../../domain/office/organizations/organizations.ts'
import { toLinkListCookie } from './link-list-tokens.ts'

/**
 * Tests that a vendor that lost its link gets it again by email, and that nobody learns which email addresses the
 * service knows.
 */
const DAY_MS = 86_400_000
const EMAIL = 'office@lonestar.example.com'
const FOREMAN = 'foreman@lonestar.example.com'

let mailServer: MailServer
let plumbline: TestPlumbline
/** The API keys of two builders that work with the same vendor. */
let builders: { key: string; vendorId: string }[]

beforeAll(async () => {
  mailServer = await startMailServer()
  plumbline = await startTestPlumbline(mailServer.env)
  builders = []
  for (const phone of ['+1 512 555 0100', null]) {
    const name = phone === null ? 'Second Homes' : 'First Homes'
    const { key, organizationId } = await plumbline.newBuilder({ name })
    const contacts = [{ name: 'Sam', email: FOREMAN, notify: true }]
    const vendor = { companyName: 'Lone Star Framing', email: EMAIL, contacts, status: 'active' }
    const { id: vendorId } = (await plumbline.post('/api/ext/vendors', vendor, { key })).body
    builders.push({ key, vendorId })
    await updateOrganization(plumbline.database, plumbline.clock, organizationId, { phone })
  }
  await plumbline.post(`/api/ext/vendors/${at(0).vendorId}/invite`, undefined, { key: at(0).key })
  await mailServer.next(EMAIL)
  await requestBid()
  await mailServer.next(EMAIL)
})
afterAll(async () => {
  await plumbline.stop()
  await mailServer.stop()
})

function at(i: number): { key: string; vendorId: string } {
  const found = builders[i]
  if (found === undefined) throw new Error('Expected a builder.')
  return found
}

async function requestBid(): Promise<string> {
  const { key, vendorId } = at(1)
  const community = { name: `Juniper Ridge ${Math.random()}`, timeZone: 'America/Chicago' }
  const { id: communityId } = (await plumbline.post('/api/ext/communities', community, { key })).body
  const requested = { vendorIds: [vendorId], scope: 'framing', title: 'Walls', deadline: '2035-06-30', communityId }
  return (await plumbline.post('/api/ext/bids/request', requested, { key })).body.invitations[0].id
}

const visit = (path: string, init: RequestInit = {}) => fetch(plumbline.url + path, { redirect: 'manual', ...init })
const send = (path: string, fields: Record<string, string>, cookie = '') =>
  visit(path, { method: 'POST', body: new URLSearchParams(fields), headers: { cookie } })
const linkPath = async (subjectId: string) => new URL(await plumbline.mailedLink(subjectId)).pathname

async function requestMail(email: string): Promise<string> {
  const sent = await send('/portal/links', { email })
  expect([sent.status, sent.headers.get('location')]).toEqual([303, '/portal/links?done=sent'])
  for (;;) {
    const { source } = await mailServer.next(email)
    const url = /http\S+\/portal\/links\/\S+/.exec(source.replaceAll('=\r\n', ''))?.[0]
    // The invitations were emailed to the same address.
    if (url !== undefined) return new URL(url).pathname
  }
}

/** Confirms the email address with an emailed link. Returns the cookie with which the list can be shown. */
async function confirm(path: string): Promise<string> {
  const confirmed = await send(path, {})
  expect([confirmed.status, confirmed.headers.get('location')]).toEqual([303, '/portal/links'])
  return confirmed.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

const list = async (cookie: string) => (await visit('/portal/links', { headers: { cookie } })).text()

test('a vendor can open its portal links from all builders after confirming its email address', async () => {
  const path = await requestMail(EMAIL)
  // Opening the link, as mail programs do, does not use it up.
  expect(await (await visit(path)).text()).toContain('Show my links')
  const cookie = await confirm(path)
  const html = await list(cookie)
  expect(html).toContain('First Homes')
  expect(html).toContain('Second Homes')
  expect(html).toMatch(/BR-0001 · Walls/)
  const opened = await send('/portal/links', { do: 'open', link: at(0).vendorId }, cookie)
  expect(opened.headers.get('location')).toBe(await linkPath(at(0).vendorId))
  expect((await visit(opened.headers.get('location') ?? '')).status).toBe(200)
  const invitationId = /value="(inv_\w+)"/.exec(html)?.[1] ?? ''
  const other = await send('/portal/links', { do: 'open', link: invitationId }, cookie)
  expect(other.headers.get('location')).toBe(await linkPath(invitationId))
})

test('an emailed link to the list of portal links works only once', async () => {
  const path = await requestMail(FOREMAN)
  await confirm(path)
  expect((await send(path, {})).headers.get('location')).toBe('/portal/links?done=used')
  expect(await (await visit('/portal/links?done=used')).text()).toContain('already used')
})

test('an emailed link to the list of portal links expires after one hour', async () => {
  const path = await requestMail(EMAIL)
  plumbline.clock.advance(3_600_001)
  expect((await visit(path)).headers.get('location')).toBe('/portal/links?done=used')
  expect((await send(path, {})).headers.getSetCookie()).toEqual([])
})

test('the email with the link to the list names no builder, so that builders do not learn of each other', async () => {
  await requestMail(EMAIL)
  const texts: string[] = []
  for (const { key, vendorId } of builders) {
    const { body } = await plumbline.get(`/api/ext/mails?aboutId=${vendorId}`, { key })
    for (const { kind, subject, text } of body.data) if (kind === 'portal_links') texts.push(`${subject} ${text}`)
  }
  expect(texts[0]).toContain('Your portal links')
  expect(texts.join()).not.toMatch(/First Homes|Second Homes|\/portal\/links\/lnk/)
})

test('a request for the list of portal links gets the same response for known and unknown email addresses', async () => {
  const before = mailServer.received.length
  const [known, unknown] = [
    await send('/portal/links', { email: 'nobody@example.com' }),
    await send('/portal/links', { email: ' nobody@example.com ' }),
  ]
  expect([known.status, known.headers.get('location')]).toEqual([unknown.status, '/portal/links?done=sent'])
  await plumbline.app.services.linkListRequests.stop()
  expect(mailServer.received.length).toBe(before)
  expect((await send('/portal/links', { email: 'nobody' })).headers.get('location')).toBe('/portal/links?done=wrong')
})

test('portal links in the list cannot be opened without a confirmed email address', async () => {
  for (const cookie of ['', 'portal_links=forged', 'portal_links=djIu'])
    expect((await send('/portal/links', { do: 'open', link: at(0).vendorId }, cookie)).headers.get('location')).toBe(
      '/portal/links',
    )
})

test('the list of portal links omits links that a builder revoked', async () => {
  const { key, vendorId } = at(0)
  const cookie = await confirm(await requestMail(FOREMAN))
  await plumbline.post(`/api/ext/vendors/${vendorId}/revoke-portal`, undefined, { key })
  expect(await list(cookie)).not.toContain('First Homes')
  await plumbline.post(`/api/ext/vendors/${vendorId}/invite`, undefined, { key })
  expect(await list(cookie)).toContain('First Homes')
})

test('the list of portal links is in the language of the vendor until the visitor chooses another', async () => {
  const { key, vendorId } = at(0)
  await plumbline.patch(`/api/ext/vendors/${vendorId}`, { language: 'es' }, { key })
  const cookie = `portal_links=${toLinkListCookie(plumbline.app.services, EMAIL)}`
  const html = await list(cookie)
  expect(html).toContain('<html lang="es">')
  expect(html).toContain('href="?language=en"')
  const switched = await visit('/portal/links?language=en', { headers: { cookie } })
  expect([switched.status, switched.headers.get('location')]).toEqual([303, '/portal/links'])
  const [choice = ''] = switched.headers.getSetCookie()[0]?.split(';') ?? []
  expect(await list(`${cookie}; ${choice}`)).toContain('<html lang="en">')
  await plumbline.patch(`/api/ext/vendors/${vendorId}`, { language: null }, { key })
})

test('opening an expired link from the list of portal links replaces it', async () => {
  const { vendorId } = at(0)
  const old = await linkPath(vendorId)
  plumbline.clock.advance(181 * DAY_MS)
  const expired = await visit(old)
  const html = await expired.text()
  expect(expired.status).toBe(410)
  for (const shown of ['First Homes', 'href="tel:+15125550100"', 'action="/portal/links"'])
    expect(html).toContain(shown)
  const cookie = await confirm(await requestMail(FOREMAN))
  const opened = (await send('/portal/links', { do: 'open', link: vendorId }, cookie)).headers.get('location') ?? ''
  expect(opened).not.toBe(old)
  expect((await visit(opened)).status).toBe(200)
  expect((await visit(opened)).headers.get('location')).toBeNull()
})

test('in the list of portal links, old bid requests of one builder do not hide the links of another builder', async () => {
  const [first, second] = [at(0), at(1)]
  const { rows } = await sql<{ organizationId: string; invitationId: string }>`
    select "organizationId", "id" as "invitationId" from "invitations" where "vendorId" = ${second.vendorId}`.execute(
    plumbline.database.statements,
  )
  const [{ organizationId, invitationId } = { organizationId: '', invitationId: '' }] = rows
  await sql`update "organizations" set "name" = 'Aardvark Homes' where "id" = ${organizationId}`.execute(
    plumbline.database.statements,
  )
  // The builder that is first by name gets 300 older links to closed requests, which must not displace the other links.
  await sql`
    insert into "portalAddresses" ("organizationId", "hash", "subjectId", "vendorId", "createdAt")
    select ${organizationId}, sha256(('old ' || n)::bytea), ${invitationId} || '_' || n, ${second.vendorId}, now()
    from generate_series(1, 300) as n`.execute(plumbline.database.statements)
  const html = await list(await confirm(await requestMail(EMAIL)))
  expect(html).toContain('First Homes')
  expect(html).toContain(first.vendorId)
})

test('the error page for a missing portal page links to the start page of the portal', async () => {
  const root = await linkPath(at(0).vendorId)
  const missing = await visit(`${root}/nothing`)
  const html = await missing.text()
  expect(missing.status).toBe(404)
  for (const shown of ['First Homes', '+1 512 555 0100', `href="${root}"`]) expect(html).toContain(shown)
  expect(html).not.toContain('action="/portal/links"')
})

test("the error page for an unknown portal link offers to email the vendor's links but names no builder", async () => {
  const html = await (await visit('/portal/inv_nothing')).text()
  expect(html).toContain('action="/portal/links"')
  expect(html).not.toMatch(/First Homes|Second Homes/)
})
