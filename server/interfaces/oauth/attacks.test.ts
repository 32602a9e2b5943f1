import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  connectApp,
  createOauthApp,
  type OauthApp,
  openConsentPage,
  postForm,
  REDIRECT,
  registerApp,
  submitDecision,
  VERIFIER,
} from '../../../test/support/oauth-app.ts'
import { type RequestOptions, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { createUser } from '../../domain/office/users/users.ts'
import { deleteUnusedApps } from './delete-unused-apps.ts'

let plumbline: TestPlumbline
let owner: RequestOptions
let app: OauthApp
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  app = await createOauthApp(plumbline)
})
// Tests may move the clock forward, so each test signs in again: only users who signed in recently can connect an app.
beforeEach(async () => {
  owner = await plumbline.signIn()
})
afterAll(() => plumbline.stop())

const reads = (key: string) => plumbline.get('/api/ext/vendors', { key })
async function newCode(): Promise<string> {
  const { led } = await submitDecision(plumbline, app.address(), owner)
  return led.get('code') ?? ''
}
const spend = (code: string, fields: Record<string, string> = {}, by = app) =>
  by.token({ grant_type: 'authorization_code', code, code_verifier: VERIFIER, ...fields })
const refresh = (token: string, fields: Record<string, string> = {}, by = app) =>
  by.token({ grant_type: 'refresh_token', refresh_token: token, ...fields })

test('an authorization code is rejected with an incorrect verifier, for another app, or after one minute', async () => {
  const code = await newCode()
  const other = await createOauthApp(plumbline)
  for (const refused of [
    await spend(code, { code_verifier: 'x'.repeat(43) }),
    await spend(code, { code_verifier: '' }),
    await spend(code, { redirect_uri: 'http://127.0.0.1:7777/elsewhere' }),
    await spend(code, {}, other),
    await spend(`${code.slice(0, -1)}~`),
  ])
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant'])
  expect((await spend(code, { redirect_uri: REDIRECT })).status).toBe(200)
  const late = await newCode()
  plumbline.clock.advance(60_000)
  expect((await spend(late)).body.error).toBe('invalid_grant')
})

test('using an authorization code a second time revokes all tokens from the first use', async () => {
  const code = await newCode()
  const { body } = await spend(code)
  expect((await reads(body.access_token)).status).toBe(200)
  const again = await spend(code)
  expect([again.status, again.body.error]).toEqual([400, 'invalid_grant'])
  const refused = await reads(body.access_token)
  expect([refused.status, refused.body.code]).toEqual([401, 'invalid_key'])
  expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant')
})

test('two concurrent requests with the same authorization code leave no valid token', async () => {
  const code = await newCode()
  const bought = await Promise.all([spend(code), spend(code)])
  expect(bought.map(({ status }) => status).sort()).toEqual([200, 400])
  const [won] = bought.filter(({ status }) => status === 200)
  expect((await reads(won?.body.access_token)).status).toBe(401)
})

test('using a refresh token a second time revokes the grant', async () => {
  const first = await connectApp(plumbline, app, owner)
  const other = await createOauthApp(plumbline)
  expect((await refresh(first.refresh, {}, other)).body.error).toBe('invalid_grant')
  const narrow = await connectApp(plumbline, other, owner, { permissions: ['vendors:read'] })
  expect((await refresh(narrow.refresh, { scope: 'write' }, other)).body.error).toBe('invalid_scope')
  expect((await refresh(narrow.refresh, { scope: 'read' }, other)).body.scope).toBe('vendors:read')
  const { body: second } = await refresh(first.refresh)
  expect((await reads(second.access_token)).status).toBe(200)
  expect((await refresh(first.refresh)).body.error).toBe('invalid_grant')
  expect((await reads(second.access_token)).status).toBe(401)
  expect((await refresh(second.refresh_token)).body.error).toBe('invalid_grant')
})

test('a refresh with a narrower scope does not narrow later refreshes', async () => {
  const provided = { permissions: ['vendors:read', 'vendors:write', 'homes:read'] }
  const { refresh: first } = await connectApp(plumbline, app, owner, provided)
  const writes = async (key: string) =>
    (await plumbline.post('/api/ext/vendors', { companyName: 'Ridge Framing' }, { key })).body.permission
  const permissionsOf = async (key: string) => (await plumbline.get('/api/ext/me', { key })).body.permissions
  const { body: narrow } = await refresh(first, { scope: 'vendors:read' })
  expect(narrow.scope).toBe('vendors:read')
  expect(await permissionsOf(narrow.access_token)).toEqual(['vendors:read'])
  expect(await writes(narrow.access_token)).toBe('vendors:write')
  expect((await plumbline.get('/api/ext/homes', { key: narrow.access_token })).body.permission).toBe('homes:read')
  const { body: reading } = await refresh(narrow.refresh_token, { scope: 'read' })
  expect(await permissionsOf(reading.access_token)).toEqual(['homes:read', 'vendors:read'])
  const wider = await refresh(reading.refresh_token, { scope: 'vendors:read bids:read' })
  expect(wider.body.error).toBe('invalid_scope')
  // The rejected attempt did not use up the refresh token.
  const { body: whole } = await refresh(reading.refresh_token)
  expect(await permissionsOf(whole.access_token)).toEqual(['homes:read', 'vendors:read', 'vendors:write'])
})

test('a redirect URI is rejected if it differs from the registered URI in any character', async () => {
  for (const redirect_uri of [
    ...['https://evil.example.com/callback', 'http://127.0.0.1:7777/callback/..', 'http://127.0.0.1:7777/callback#x'],
    ...['http://127.0.0.1.evil.example.com/callback', 'http://127.0.0.1:7777/callback?x=1', 'javascript:alert(1)', ''],
    ...['http://localhost:7777/callback', 'http://127.0.0.1:7777@evil.example.com/callback', '//127.0.0.1/callback'],
  ]) {
    for (const response_type of ['code', 'token']) {
      const page = await openConsentPage(plumbline, app.address({ redirect_uri, response_type }), owner)
      expect([redirect_uri, page.status, page.location, page.ticket]).toEqual([redirect_uri, 400, '', ''])
    }
  }
  const unknown = await openConsentPage(plumbline, app.address({ client_id: 'cli_nobody' }), owner)
  expect([unknown.status, unknown.location]).toEqual([400, ''])
  const onAnyPort = await openConsentPage(
    plumbline,
    app.address({ redirect_uri: 'http://127.0.0.1:50123/callback' }),
    owner,
  )
  expect(onAnyPort.status).toBe(200)
})

test('an authorization request without S256 PKCE, for another resource, or with repeated parameters shows no consent page', async () => {
  const changes: [Record<string, string | null>, string][] = [
    [{ code_challenge: null }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge_method: null }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ resource: 'https://other.example.com/mcp' }, 'invalid_target'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ scope: 'admin' }, 'invalid_scope'],
  ]
  const addresses = changes.map(([change, error]) => [app.address(change), error] as const)
  for (const [address, error] of [...addresses, [`${app.address()}&state=two`, 'invalid_request'] as const]) {
    const { status, location } = await openConsentPage(plumbline, address, owner)
    const led = new URL(location).searchParams
    expect([error, status, location.split('?')[0], led.get('error')]).toEqual([error, 303, REDIRECT, error])
    if (!address.includes('two')) expect(led.get('state')).toBe('their-state')
  }
  const code = await newCode()
  expect((await spend(code, { resource: 'https://other.example.com/mcp' })).body.error).toBe('invalid_target')
})

test('an invalid request from an app that the user has not connected does not redirect the user', async () => {
  const redirect_uri = 'https://phishing.example.com/sign-in'
  const stranger = await createOauthApp(plumbline, { client_name: 'Invoice', redirect_uris: [redirect_uri] })
  const colleague = 'colleague@harrowfinch.example.com'
  const { database, clock, organizationId } = plumbline
  await createUser(database, clock, {
    organizationId,
    email: colleague,
    name: 'Cole',
    role: 'viewer',
    poApprovalLimit: 0,
  })
  for (const person of [owner, { headers: {} }, await plumbline.signIn(colleague)]) {
    const changes: Record<string, string | null>[] = [
      { scope: 'admin' },
      { response_type: 'token' },
      { code_challenge: null },
    ]
    for (const change of changes) {
      const page = await openConsentPage(plumbline, stranger.address({ redirect_uri, ...change }), person)
      expect([page.status, page.location]).toEqual([400, ''])
      expect(page.html).toContain('Return to phishing.example.com')
    }
  }
  // The response to a denial does not redirect either, although the request asks for a redirect.
  const refused = await submitDecision(plumbline, stranger.address({ redirect_uri }), owner, { decision: 'refuse' })
  expect([refused.status, refused.location]).toEqual([200, ''])
  const link = new URL(/href="([^"]+)"/.exec(refused.html)?.[1]?.replaceAll('&amp;', '&') ?? '')
  expect([link.origin + link.pathname, link.searchParams.get('error')]).toEqual([redirect_uri, 'access_denied'])
  // After a user has connected the app, the app gets errors as the standard requires, but only for that user.
  await connectApp(plumbline, stranger, owner, {}, { redirect_uri })
  const led = await openConsentPage(plumbline, stranger.address({ redirect_uri, scope: 'admin' }), owner)
  expect([led.status, led.location.startsWith(redirect_uri)]).toEqual([303, true])
  const other = await openConsentPage(
    plumbline,
    stranger.address({ redirect_uri, scope: 'admin' }),
    await plumbline.signIn(colleague),
  )
  expect([other.status, other.location]).toEqual([400, ''])
})

test('connecting an app requires a fresh sign-in', async () => {
  const person = await plumbline.signIn()
  plumbline.clock.advance(601_000)
  const page = await openConsentPage(plumbline, app.address(), person)
  expect([page.status, page.ticket]).toEqual([303, ''])
  const led = new URL(page.location, plumbline.url)
  expect([led.pathname, led.searchParams.get('to')?.split('?')[0]]).toEqual(['/sign-in', '/oauth/authorize'])
  expect((await openConsentPage(plumbline, app.address(), await plumbline.signIn())).status).toBe(200)
})

test('an OAuth token for another service URL is rejected', async () => {
  const { key } = await connectApp(plumbline, app, owner)
  await plumbline.database.statements
    .updateTable('oauthGrants')
    .set({ audience: 'https://other.example.com' })
    .execute()
  const { status, body } = await reads(key)
  expect([status, body.code]).toEqual([401, 'invalid_key'])
})

test('the consent form can be submitted only by the user who opened it', async () => {
  const { ticket, offered } = await openConsentPage(plumbline, app.address(), owner)
  // The service must reject a form from one session if the form is sent in another session.
  const again = await plumbline.signIn()
  const foreign = await submitDecision(plumbline, app.address(), again, { ticket })
  expect([foreign.status, foreign.location]).toEqual([400, ''])
  const send = (headers: Record<string, string>) =>
    fetch(`${plumbline.url}/oauth/authorize`, {
      ...{ method: 'POST', redirect: 'manual', headers: { ...owner.headers, ...headers } },
      body: new URLSearchParams({ ticket, decision: 'allow', permission: offered[0] ?? '' }),
    })
  for (const site of ['cross-site', 'same-site', 'none']) {
    const answer = await send({ 'sec-fetch-site': site })
    expect([answer.status, answer.headers.get('location')]).toEqual([403, null])
  }
  plumbline.clock.advance(31 * 60_000)
  expect((await send({})).status).toBe(400)
})

test('a grant contains only permissions that the app requested and the user selected', async () => {
  const wider = { permissions: ['vendors:read', 'bids:write', 'keys:write', 'nonsense'] }
  const { scope } = await connectApp(plumbline, app, owner, wider, { scope: 'vendors:read' })
  expect(scope).toBe('vendors:read')
  expect((await submitDecision(plumbline, app.address(), owner, { permissions: [] })).status).toBe(422)
  const { location, led } = await submitDecision(plumbline, app.address(), owner, { decision: 'refuse' })
  expect([location.startsWith(REDIRECT), led.get('error'), led.get('code')]).toEqual([true, 'access_denied', null])
})

test('an app registration is rejected if it is too large or has an invalid redirect URI', async () => {
  for (const redirect of [
    ...[
      'http://example.com/callback',
      'javascript:alert(1)',
      'data:text/html,x',
      'https://a.example.com/#x',
      'ftp://a/b',
    ],
    ...[
      'https://user:secret@a.example.com/',
      `https://a.example.com/${'x'.repeat(500)}`,
      'file:///etc/passwd',
      '',
      'x y',
    ],
  ]) {
    const { status, body } = await registerApp(plumbline, { redirect_uris: [redirect] })
    expect([redirect, status, body.error]).toEqual([redirect, 400, 'invalid_redirect_uri'])
  }
  for (const wrong of [{}, [], 'null', { redirect_uris: Array(11).fill(REDIRECT) }, { redirect_uris: [7] }])
    expect((await registerApp(plumbline, wrong)).status).toBe(400)
  expect((await registerApp(plumbline, '{')).body.error).toBe('invalid_request')
  const huge = await registerApp(plumbline, { redirect_uris: [REDIRECT], client_name: 'x'.repeat(20_000) })
  expect([huge.status, huge.body.error]).toEqual([413, 'invalid_request'])
  const other = { redirect_uris: ['com.example.app:/done', 'cursor://anysphere.cursor-retrieval/oauth/callback'] }
  const { status, body } = await registerApp(plumbline, { ...other, token_endpoint_auth_method: 'client_secret_post' })
  expect([status, body.token_endpoint_auth_method, body.client_secret]).toEqual([201, 'none', undefined])
})

test('the token endpoint returns the error codes that the OAuth standard defines', async () => {
  const sent: [Record<string, string>, number, string][] = [
    [{}, 400, 'unsupported_grant_type'],
    [{ grant_type: 'password' }, 400, 'unsupported_grant_type'],
    [{ grant_type: 'refresh_token' }, 401, 'invalid_client'],
    [{ grant_type: 'refresh_token', client_id: 'cli_x' }, 400, 'invalid_grant'],
    [{ grant_type: 'refresh_token', client_id: 'cli_x', refresh_token: plumbline.key }, 400, 'invalid_grant'],
  ]
  for (const [fields, status, error] of sent) {
    const answer = await postForm(plumbline, '/oauth/token', fields)
    expect([answer.status, answer.body.error]).toEqual([status, error])
  }
  expect((await postForm(plumbline, '/oauth/revoke', { token: 'x' })).body.error).toBe('invalid_request')
})

test('revoking a refresh token also revokes the access tokens of the app', async () => {
  const { key, refresh: token } = await connectApp(plumbline, app, owner)
  const { body: next } = await refresh(token)
  const giveBack = (provided: string, client_id = app.clientId) =>
    postForm(plumbline, '/oauth/revoke', { token: provided, client_id })
  expect((await giveBack(key, 'cli_other')).status).toBe(200)
  expect((await reads(key)).status).toBe(200)
  await giveBack(key)
  expect([(await reads(key)).status, (await reads(next.access_token)).status]).toEqual([401, 200])
  await giveBack(next.refresh_token)
  expect((await reads(next.access_token)).status).toBe(401)
  expect((await giveBack('plr_none')).status).toBe(200)
})

test('an MCP request without a valid token gets a response that names the authorization server', async () => {
  for (const headers of [
    {},
    { authorization: 'Bearer pla_wrong' },
    { authorization: `Bearer pla_${'x'.repeat(43)}` },
  ]) {
    const answer = await fetch(`${plumbline.url}/mcp`, { method: 'POST', headers, body: '{}' })
    const metadata = /resource_metadata="([^"]+)"/.exec(answer.headers.get('www-authenticate') ?? '')?.[1] ?? ''
    expect(answer.status).toBe(401)
    const resource = await (await fetch(metadata)).json()
    const { publicUrl } = plumbline.config
    expect(resource).toMatchObject({ resource: `${publicUrl}/mcp`, authorization_servers: [publicUrl] })
    const server = await (await fetch(`${publicUrl}/.well-known/oauth-authorization-server`)).json()
    expect(server).toMatchObject({ issuer: publicUrl, code_challenge_methods_supported: ['S256'] })
  }
})

test('OAuth tokens are stored only as hashes', async () => {
  const { key, refresh: token } = await connectApp(plumbline, app, owner)
  const rows = await plumbline.database.statements.selectFrom('oauthTokens').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(key.slice(4))
  expect(JSON.stringify(rows)).not.toContain(token.slice(4))
})

// This test moves the clock forward, so it runs last.
test('an expired OAuth token is deleted', async () => {
  await connectApp(plumbline, await createOauthApp(plumbline), owner)
  plumbline.clock.advance(90 * 86_400_000)
  await deleteUnusedApps(plumbline.database, plumbline.clock)
  expect(await plumbline.database.statements.selectFrom('oauthTokens').select('kind').execute()).toEqual([])
})

test('an app that was never connected is deleted after one day', async () => {
  const tried = await createOauthApp(plumbline)
  plumbline.clock.advance(90 * 86_400_000)
  await deleteUnusedApps(plumbline.database, plumbline.clock)
  const stored = await plumbline.database.statements.selectFrom('oauthClients').select('id').execute()
  expect(stored.map(({ id }) => id)).not.toContain(tried.clientId)
})

test('each client address can register at most 20 apps per hour', async () => {
  plumbline.clock.advance(3_600_000)
  const requested: number[] = []
  for (let i = 0; i < 21; i++) requested.push((await registerApp(plumbline, { redirect_uris: [REDIRECT] })).status)
  expect(requested).toEqual([...Array(20).fill(201), 429])
})
