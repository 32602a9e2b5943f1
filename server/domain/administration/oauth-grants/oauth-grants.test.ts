import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectApp, createOauthApp, type OauthApp } from '../../../../test/support/oauth-app.ts'
import { type RequestOptions, startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let owner: RequestOptions
let viewer: RequestOptions
let app: OauthApp
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  owner = await plumbline.signIn()
  viewer = await colleague('viewer@harrowfinch.example.com')
  app = await createOauthApp(plumbline, { client_name: 'Claude Desktop' })
})
afterAll(() => plumbline.stop())

async function colleague(email: string): Promise<RequestOptions> {
  await plumbline.post('/api/admin/users', { email, name: 'Vi Ewer', role: 'viewer' }, owner)
  return plumbline.signIn(email)
}
const listed = async (by: RequestOptions) => (await plumbline.get('/api/admin/oauth-grants', by)).body.data
const reads = async (key: string) => (await plumbline.get('/api/ext/vendors', { key })).status
const revoke = (id: string, by: RequestOptions) => plumbline.post(`/api/admin/oauth-grants/${id}/revoke`, undefined, by)

test('a grant shows its app, user, permissions, and time of last use', async () => {
  const { key } = await connectApp(plumbline, app, owner, { permissions: ['vendors:read'], proposeOnly: true })
  expect(await reads(key)).toBe(200)
  const [grant] = await listed(owner)
  const { body: session } = await plumbline.get('/api/admin/session', owner)
  expect(grant).toMatchObject({
    ...{ clientId: app.clientId, clientName: 'Claude Desktop', redirectHost: '127.0.0.1:7777', proposeOnly: true },
    ...{ userId: session.user.id, permissions: ['vendors:read'], revokedAt: null },
    lastUsedAt: expect.stringMatching(/:00\.000Z$/),
  })
  expect((await plumbline.get(`/api/admin/oauth-grants/${grant.id}`, owner)).body).toEqual(grant)
})

test('revoking a grant invalidates its tokens immediately', async () => {
  const { key, refresh } = await connectApp(plumbline, app, owner)
  const [grant] = await listed(owner)
  expect((await revoke(grant.id, owner)).body).toMatchObject({ version: 2, revokedAt: expect.any(String) })
  expect(await reads(key)).toBe(401)
  expect((await app.token({ grant_type: 'refresh_token', refresh_token: refresh })).status).toBe(400)
  expect((await revoke(grant.id, owner)).body.version).toBe(2)
  const { body } = await plumbline.get(`/api/ext/audit-entries?resourceId=${grant.id}&sort=at`)
  expect(body.data.map(({ action }: { action: string }) => action)).toEqual([
    'oauth_grant.created',
    'oauth_grant.revoked',
  ])
})

test('connecting an app again replaces its previous grant', async () => {
  const before = await connectApp(plumbline, app, owner)
  const after = await connectApp(plumbline, app, owner, { permissions: ['homes:read'] })
  expect([await reads(before.key), after.scope]).toEqual([401, 'homes:read'])
  const standing = (await listed(owner)).filter(({ revokedAt }: { revokedAt: string | null }) => revokedAt === null)
  expect(standing).toHaveLength(1)
})

test('users can list and revoke only their own grants unless their role can manage keys', async () => {
  const { key } = await connectApp(plumbline, app, viewer)
  const [own, ...others] = await listed(viewer)
  expect(others).toEqual([])
  const all = await listed(owner)
  expect(all.map(({ id }: { id: string }) => id)).toContain(own.id)
  const foreign = all.find(({ userId }: { userId: string }) => userId !== own.userId)
  expect((await plumbline.get(`/api/admin/oauth-grants/${foreign.id}`, viewer)).status).toBe(404)
  expect((await revoke(foreign.id, viewer)).status).toBe(404)
  expect((await plumbline.get(`/api/admin/oauth-grants?userId=${own.userId}`, owner)).body.data).toEqual([own])
  expect((await revoke(own.id, owner)).status).toBe(200)
  expect(await reads(key)).toBe(401)
  const builder = await plumbline.newBuilder()
  expect((await plumbline.get('/api/admin/oauth-grants', { key: builder.key })).status).toBe(401)
})

test('two apps can use the same Idempotency-Key', async () => {
  const { key } = await connectApp(plumbline, app, owner)
  const requested = { url: 'https://hooks.example.com/of-an-app', eventTypes: ['vendor.created'] }
  const once = { key, headers: { 'idempotency-key': 'once' } }
  await plumbline.post('/api/ext/webhooks', requested, once)
  const other = await connectApp(plumbline, await createOauthApp(plumbline), owner)
  const another = { ...requested, url: 'https://hooks.example.com/of-another-app' }
  const elsewhere = await plumbline.post('/api/ext/webhooks', another, { ...once, key: other.key })
  expect(elsewhere.status).toBe(201)
})

test('disconnecting an app disables only the webhooks that the app created', async () => {
  const { key } = await connectApp(plumbline, app, owner)
  const subscribe = async (name: string, by: string) => {
    const requested = { url: `https://hooks.example.com/${name}`, eventTypes: ['vendor.created'] }
    return (await plumbline.post('/api/ext/webhooks', requested, { key: by })).body
  }
  const webhook = await subscribe('disconnected-app', key)
  const other = await connectApp(plumbline, await createOauthApp(plumbline), owner)
  const elsewhere = await subscribe('connected-app', other.key)
  const { body: caller } = await plumbline.get('/api/ext/me', { key })
  await revoke(caller.keyId, owner)
  const stopped = await plumbline.until(`/api/ext/webhooks/${webhook.id}`, ({ body }) => body.status !== 'active')
  expect(stopped.body).toMatchObject({ status: 'disabled', disabledReason: 'owner_revoked' })
  expect((await plumbline.get(`/api/ext/webhooks/${elsewhere.id}`)).body.status).toBe('active')
})

test("deactivating a user immediately invalidates all tokens of the user's apps, including refresh tokens", async () => {
  const email = 'leaves@harrowfinch.example.com'
  const leaving = await colleague(email)
  const { key, refresh } = await connectApp(plumbline, app, leaving)
  expect(await reads(key)).toBe(200)
  const { body: session } = await plumbline.get('/api/admin/session', leaving)
  await plumbline.post(`/api/admin/users/${session.user.id}/status`, { status: 'disabled' }, owner)
  expect(await reads(key)).toBe(401)
  expect((await app.token({ grant_type: 'refresh_token', refresh_token: refresh })).body.error).toBe('invalid_grant')
})

test("changing a user's role changes the permissions of the user's apps", async () => {
  const email = 'promoted@harrowfinch.example.com'
  const person = await colleague(email)
  const { body: session } = await plumbline.get('/api/admin/session', person)
  const role = (to: string) => plumbline.patch(`/api/admin/users/${session.user.id}`, { role: to }, owner)
  await role('estimator')
  const { key } = await connectApp(plumbline, app, person)
  const create = async (companyName: string) =>
    (await plumbline.post('/api/ext/vendors', { companyName }, { key })).status
  expect(await create('While Estimator')).toBe(201)
  await role('viewer')
  expect([await create('As Viewer'), await reads(key)]).toEqual([403, 200])
})

test('an app has the same rate limits as a key', async () => {
  const limited = await startTestPlumbline({ RATE_LIMIT_PER_MINUTE: '3' })
  const person = await limited.signIn()
  const { key } = await connectApp(limited, await createOauthApp(limited), person)
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) statuses.push((await limited.get('/api/ext/vendors', { key })).status)
  expect(statuses).toEqual([200, 200, 200, 429])
  await limited.stop()
})
