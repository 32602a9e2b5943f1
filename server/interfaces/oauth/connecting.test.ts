import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
  auth as modernAuth,
} from '@modelcontextprotocol/client'
import { auth as oldAuth } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  connectApp,
  createOauthApp,
  openConsentPage,
  submitDecision,
  VERIFIER,
} from '../../../test/support/oauth-app.ts'
import { listEvents } from '../../../test/support/recorded-events.ts'
import { type RequestOptions, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let owner: RequestOptions
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
// Tests may move the clock forward, so each test signs in again: only users who signed in recently can connect an app.
beforeEach(async () => {
  owner = await plumbline.signIn()
})
afterAll(() => plumbline.stop())

/** Returns an OAuth client that stores the data from the library and simulates the user's decision. */
function program() {
  let information: { client_id: string } | undefined
  let tokens: { access_token: string; token_type: string; refresh_token?: string } | undefined
  let verifier = ''
  let requested: URL | undefined
  return {
    redirectUrl: 'http://127.0.0.1:4321/done',
    clientMetadata: { client_name: 'SDK', redirect_uris: ['http://127.0.0.1:4321/done'] },
    state: () => 'of-the-program',
    clientInformation: () => information,
    saveClientInformation(provided: { client_id: string }) {
      information = provided
    },
    tokens: () => tokens,
    saveTokens(provided: NonNullable<typeof tokens>) {
      tokens = provided
    },
    redirectToAuthorization(to: URL) {
      requested = to
    },
    saveCodeVerifier(provided: string) {
      verifier = provided
    },
    codeVerifier: () => verifier,
    /** Returns the parameters in the redirect after the user has consented. */
    async agreed(): Promise<URLSearchParams> {
      return (await submitDecision(plumbline, `${requested?.pathname}${requested?.search}`, owner)).led
    },
  }
}

describe.each(['2026', '2025'])('a client of %s', (year) => {
  test('an app needs only the MCP URL to connect', async () => {
    const provider = program()
    const url = new URL(`${plumbline.config.publicUrl}/mcp`)
    const sign = year === '2026' ? modernAuth : oldAuth
    expect(await sign(provider as never, { serverUrl: url })).toBe('REDIRECT')
    const led = await provider.agreed()
    expect([led.get('state'), led.get('iss')]).toEqual(['of-the-program', plumbline.config.publicUrl])
    const authorizationCode = led.get('code') ?? ''
    const iss = led.get('iss') ?? ''
    expect(await sign(provider as never, { serverUrl: url, authorizationCode, iss } as never)).toBe('AUTHORIZED')
    const first = provider.tokens()?.access_token

    const options = { authProvider: provider as never }
    const client =
      year === '2026'
        ? new ModernClient({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
        : new OldClient({ name: 'test', version: '1' })
    await client.connect(
      (year === '2026' ? new ModernTransport(url, options) : new OldTransport(url, options)) as never,
    )
    const called = { name: 'read_with_skill', arguments: { skill: 'listVendors' } }
    expect(await client.callTool(called)).not.toHaveProperty('isError', true)
    plumbline.clock.advance(3_700_000)
    expect(await client.callTool(called)).not.toHaveProperty('isError', true)
    expect(provider.tokens()?.access_token).not.toBe(first)
    await client.close()
  })
})

test('records, events, and the audit trail name the user and the app of a change', async () => {
  const app = await createOauthApp(plumbline, { client_name: 'Claude Desktop' })
  const { key } = await connectApp(plumbline, app, owner)
  const created = await plumbline.post('/api/ext/vendors', { companyName: 'By An App' }, { key })
  expect(created.status).toBe(201)
  const { body: session } = await plumbline.get('/api/admin/session', owner)
  const by = {
    ...{ type: 'user', id: session.user.id },
    via: { grantId: expect.stringMatching(/^ogr_/), client: 'Claude Desktop' },
  }
  expect(created.body.createdBy).toEqual(by)
  expect((await listEvents(plumbline, plumbline.organizationId)).at(-1)).toMatchObject({
    type: 'vendor.created',
    actor: by,
  })
  const { body: code } = await plumbline.post(
    '/api/ext/cost-codes',
    { code: '99-100', name: 'By an app', category: 'material' },
    { key },
  )
  for (const id of [created.body.id, code.id]) {
    // An event's audit entry is listed only after the event has received its number.
    const { body } = await plumbline.until(
      `/api/ext/audit-entries?resourceId=${id}`,
      ({ body }) => body.data.length > 0,
    )
    expect(body.data[0].actor).toEqual(by)
  }
  const { body: caller } = await plumbline.get('/api/ext/me', { key })
  expect(caller).toMatchObject({ keyId: by.via.grantId, name: 'Claude Desktop', actor: by, proposeOnly: false })
})

test("an app gets only selected permissions that the user's role includes, and never user-only permissions", async () => {
  const app = await createOauthApp(plumbline)
  const page = await openConsentPage(plumbline, app.address({ scope: 'read bids:write' }), owner)
  expect(page.offered).toContain('vendors:read')
  expect(page.offered.filter((one) => one.endsWith(':write'))).toEqual(['bids:write'])
  const selected = { permissions: ['vendors:read', 'vendors:write'] }
  const { key, scope } = await connectApp(plumbline, app, owner, selected, { scope: 'read' })
  expect(scope).toBe('vendors:read')
  expect((await plumbline.get('/api/ext/vendors', { key })).status).toBe(200)
  expect((await plumbline.get('/api/ext/homes', { key })).body.permission).toBe('homes:read')
  expect((await plumbline.post('/api/ext/vendors', { companyName: 'Not me' }, { key })).status).toBe(403)
  expect((await plumbline.get('/api/admin/keys', { key })).body.code).toBe('not_signed_in')
  const viewer = 'viewer@harrowfinch.example.com'
  await plumbline.post('/api/admin/users', { email: viewer, name: 'Vi Ewer', role: 'viewer' }, owner)
  const seen = await openConsentPage(plumbline, app.address(), await plumbline.signIn(viewer))
  expect(seen.offered.filter((one) => !one.endsWith(':read'))).toEqual([])
  expect(seen.html).toContain('Vi Ewer')
})

test("the changes of an app that can only propose wait for the user's approval", async () => {
  const { key } = await connectApp(plumbline, await createOauthApp(plumbline), owner, { proposeOnly: true })
  const { status, body } = await plumbline.post('/api/ext/vendors', { companyName: 'Later' }, { key })
  expect([status, body.status, body.createdBy.via.client]).toEqual([202, 'proposed', 'Claude'])
  const approved = await plumbline.post(`/api/ext/proposals/${body.id}/approve`, undefined, { key })
  expect(approved.body.code).toBe('permission_denied')
})

test('an app can access only the organization that the user selects on the consent page', async () => {
  const other = await plumbline.newBuilder()
  const app = await createOauthApp(plumbline)
  const { html } = await openConsentPage(plumbline, app.address(), owner)
  const choices = [...html.matchAll(/href="([^"]+)"/g)].map(([, href]) => String(href).replaceAll('&amp;', '&'))
  const chosen = choices.find((href) => href.includes(other.organizationId)) ?? ''
  const { pathname, search } = new URL(chosen, plumbline.url)
  const { led } = await submitDecision(plumbline, pathname + search, owner)
  const { body } = await app.token({
    ...{ grant_type: 'authorization_code', code: led.get('code') ?? '', code_verifier: VERIFIER },
  })
  const { body: caller } = await plumbline.get('/api/ext/me', { key: body.access_token })
  expect(caller.organization.id).toBe(other.organizationId)
})

test('a user who is not signed in is redirected to the sign-in page before the consent page', async () => {
  const app = await createOauthApp(plumbline)
  const { status, location } = await openConsentPage(plumbline, app.address(), { headers: {} })
  const to = new URL(location, plumbline.url)
  expect([status, to.pathname, to.searchParams.get('to')]).toEqual([303, '/sign-in', app.address()])
})

test("the consent page shows the app's name and redirect target as unverified", async () => {
  const name = `<script>alert(1)</script>\u202eevil\n${'x'.repeat(200)}`
  const redirect = 'https://claude.ai/api/mcp/auth_callback'
  const app = await createOauthApp(plumbline, { client_name: name, redirect_uris: [redirect] })
  const { html, headers } = await openConsentPage(plumbline, app.address({ redirect_uri: redirect }), owner)
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; evil xxx')
  expect(html).not.toMatch(/<script|x{100}/)
  expect(html).toMatch(/has not been verified.*<strong>claude\.ai<\/strong>/)
  expect(html).toMatch(/See<\/th><td>Vendors and compliance documents, Bid requests/)
  const policy = headers.get('content-security-policy')
  expect(policy).toMatch(
    /default-src 'none'; style-src 'sha256-.*form-action 'self' https:\/\/claude\.ai; .*frame-ancestors 'none'/,
  )
  expect(headers.get('x-frame-options')).toBe('DENY')
})
