import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { revokeKey } from '../../platform/keys/keys.ts'

const origin = 'https://app.harrowfinch.example.com'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline({ CORS_ORIGINS: origin })
})
afterAll(() => plumbline.stop())

const make = (body: object, key?: string) =>
  plumbline.post('/api/ext/browser-tokens', body, key === undefined ? {} : { key })
const fromPage = (key: string, page = origin) => ({ key, headers: { origin: page } })

test('a browser token works only with its permissions and from a page of its origin', async () => {
  const { status, body } = await make({ origin, permissions: ['vendors:read'] })
  expect([status, body.permissions, body.corsAllowed]).toEqual([200, ['vendors:read'], true])
  const listed = await plumbline.get('/api/ext/vendors', fromPage(body.token))
  expect([listed.status, listed.headers.get('access-control-allow-origin')]).toEqual([200, origin])
  const written = await plumbline.post('/api/ext/vendors', { companyName: 'No LLC' }, fromPage(body.token))
  expect([written.status, written.body.permission]).toEqual([403, 'vendors:write'])
  const elsewhere = await plumbline.get('/api/ext/vendors', fromPage(body.token, 'https://elsewhere.example.com'))
  expect([elsewhere.status, elsewhere.body.code]).toEqual([401, 'invalid_key'])
  expect(elsewhere.body.detail).toBe(
    `The browser token is valid only for pages from ${origin}, not from https://elsewhere.example.com.`,
  )
  const nowhere = await plumbline.get('/api/ext/vendors', { key: body.token })
  expect([nowhere.status, nowhere.body.detail]).toEqual([
    401,
    expect.stringMatching(/the request has no Origin header\.$/),
  ])
})

test('a browser token expires after 15 minutes', async () => {
  const { body } = await make({ origin, permissions: ['vendors:read'] })
  expect(Date.parse(body.expiresAt) - plumbline.clock.nowMs()).toBeGreaterThan(14 * 60_000)
  expect((await plumbline.get('/api/ext/vendors', fromPage(body.token))).status).toBe(200)
  plumbline.clock.advance(15 * 60_000)
  const late = await plumbline.get('/api/ext/vendors', fromPage(body.token))
  expect([late.status, late.body.code, late.body.title]).toEqual([401, 'expired_key', expect.stringMatching(/token/)])
  expect(late.body.detail).toMatch(/^The browser token expired on [A-Z]/)
})

test('revoking a key also revokes its browser tokens', async () => {
  const key = await plumbline.newKey(['vendors:read'])
  const { body } = await make({ origin, permissions: ['vendors:read'] }, key)
  const { body: caller } = await plumbline.get('/api/ext/me', fromPage(body.token))
  expect(caller.permissions).toEqual(['vendors:read'])
  await revokeKey(plumbline.database, plumbline.clock, caller.keyId)
  plumbline.clock.advance(1000)
  expect((await plumbline.get('/api/ext/vendors', fromPage(body.token))).body.code).toBe('revoked_key')
})

test('a browser token requires a valid origin and can have only permissions of its key', async () => {
  const key = await plumbline.newKey(['vendors:read'])
  const { status, body } = await make({ origin: `${origin}/page`, permissions: ['vendors:read', 'bids:read'] }, key)
  expect(status).toBe(422)
  expect(body.errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code])).toEqual([
    ['/permissions/1', 'beyond_key'],
    ['/origin', 'format'],
  ])
})

test('a browser token cannot create another token', async () => {
  const { body } = await make({ origin, permissions: ['vendors:read'] })
  const again = await plumbline.post('/api/ext/browser-tokens', { origin, permissions: [] }, fromPage(body.token))
  expect([again.status, again.body.reason]).toEqual([409, 'wrong_caller'])
})

test('a modified browser token is rejected', async () => {
  const { body } = await make({ origin, permissions: ['vendors:read'] })
  const [prefix, sealed] = body.token.split('.')
  const within = Buffer.from(`${Buffer.from(sealed, 'base64url')}!`).toString('base64url')
  const forged = [`${body.token.slice(0, -4)}AAAA`, `${body.token}x`, `${body.token}=`, `${prefix}.${within}`]
  for (const token of forged)
    expect([token, (await plumbline.get('/api/ext/vendors', fromPage(token))).body.code]).toEqual([
      token,
      'invalid_key',
    ])
})

test('the response for a new browser token says whether the origin is allowed by CORS', async () => {
  const { body } = await make({ origin: 'http://localhost:5173', permissions: [] })
  expect(body.corsAllowed).toBe(false)
})
