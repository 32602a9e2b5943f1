import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Delivery, Permission, Webhook } from '../../../client/contract.gen.ts'
import { type Receiver, startReceiver } from '../../../scripts/processes/receiver.ts'
import { connectApp, createOauthApp } from '../../../test/support/oauth-app.ts'
import { type RequestOptions, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { createUser } from '../../domain/office/users/users.ts'
import { createCall } from '../calls/call.ts'
import { createKey, revokeKey } from '../keys/keys.ts'
import { findUserPrincipal } from '../keys/principals.ts'
import { isDelegablePermission, type Role } from '../keys/roles.ts'

/**
 * These tests check the owners of subscriptions. A subscription acts for its owner, which is a key or a user, and
 * receives events that the owner may read when they are sent.
 */
let plumbline: TestPlumbline
let receiver: Receiver
/** Receives all events, because its key has all read permissions. */
let witness: Receiver

beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())
beforeEach(async () => {
  receiver = await startReceiver()
  witness = await startReceiver()
})
afterEach(async () => {
  for (const { id } of (await plumbline.get('/api/ext/webhooks?limit=200')).body.data)
    await plumbline.delete(`/api/ext/webhooks/${id}`)
  await receiver.close()
  await witness.close()
})

const ADMINISTERING: Permission[] = ['webhooks:read', 'webhooks:write']

/** Creates a key that acts for a new admin, so that a test can revoke the key or deactivate the admin. */
async function newKey(permissions: Permission[], expiresAt: Date | null = null) {
  const { organizationId, database, clock } = plumbline
  const email = `admin${++count}@harrowfinch.example.com`
  const person = { organizationId, email, name: 'Elena', role: 'admin', poApprovalLimit: 0 } as const
  const userId = (await createUser(database, clock, person)).id
  const requested = { organizationId, userId, name: 'Accounting sync', permissions: [...ADMINISTERING, ...permissions] }
  const { id, secret } = await createKey(database, clock, { ...requested, expiresAt })
  return { id, userId, secret }
}

async function subscribe(key: string, eventTypes: string[], url = receiver.url): Promise<Webhook> {
  const answer = await plumbline.post('/api/ext/webhooks', { url, eventTypes }, { key })
  expect([answer.status, answer.body.detail]).toEqual([201, undefined])
  return answer.body
}

let count = 0
async function createVendor(): Promise<string> {
  return (await plumbline.post('/api/ext/vendors', { companyName: `Vendor ${++count}` })).body.id
}

async function createHome(): Promise<string> {
  const community = (await plumbline.post('/api/ext/communities', { name: `Cedar Ridge ${++count}` })).body
  const { status, body } = await plumbline.post('/api/ext/homes', { name: `Lot ${count}`, communityId: community.id })
  expect(status).toBe(201)
  return body.id
}

const objectsAt = ({ received }: Receiver) => received.map(({ event }) => event.data.object.id)
const read = async (id: string): Promise<Webhook> => (await plumbline.get(`/api/ext/webhooks/${id}`)).body
const deliveries = async (id: string, query = ''): Promise<Delivery[]> =>
  (await plumbline.get(`/api/ext/webhooks/${id}/deliveries${query}`)).body.data

async function setUser(id: string, change: { role?: Role; status?: string }): Promise<void> {
  await plumbline.database.statements.updateTable('users').set(change).where('id', '=', id).execute()
}

async function setPermissions(id: string, permissions: Permission[]): Promise<void> {
  await plumbline.database.statements.updateTable('apiKeys').set({ permissions }).where('id', '=', id).execute()
}

describe('a subscription', () => {
  test('a webhook subscription to all events receives only events that its key can read', async () => {
    const { id, secret } = await newKey(['vendors:read'])
    const narrow = await subscribe(secret, ['*'])
    expect(narrow.owner).toEqual({ type: 'key', id })
    await subscribe(plumbline.key, ['*'], witness.url)
    const home = await createHome()
    const vendor = await createVendor()
    await witness.until(2)
    await receiver.until(1)
    expect(objectsAt(witness)).toEqual([home, vendor])
    expect(objectsAt(receiver)).toEqual([vendor])
    expect((await deliveries(narrow.id)).map(({ eventType }) => eventType)).toEqual(['vendor.created'])
  })

  test('a webhook subscription created with a narrower token receives only events that the token can read', async () => {
    const app = await createOauthApp(plumbline)
    const { refresh } = await connectApp(plumbline, app, await plumbline.signIn())
    const scope = [...ADMINISTERING, 'vendors:read'].join(' ')
    const { body: token } = await app.token({ grant_type: 'refresh_token', refresh_token: refresh, scope })
    const ofApp = await subscribe(token.access_token, ['*'])
    await subscribe(plumbline.key, ['*'], witness.url)
    const home = await createHome()
    const vendor = await createVendor()
    await witness.until(2)
    await receiver.until(1)
    expect(objectsAt(witness)).toEqual([home, vendor])
    expect(objectsAt(receiver)).toEqual([vendor])
    expect((await deliveries(ofApp.id)).map(({ eventType }) => eventType)).toEqual(['vendor.created'])
    // When an admin takes over the subscription, the permissions of the app's token no longer limit it.
    await plumbline.patch(`/api/ext/webhooks/${ofApp.id}`, { excludeOwnChanges: false })
    const later = await createHome()
    await receiver.until(2)
    expect(objectsAt(receiver).at(-1)).toBe(later)
  })

  test('a browser token cannot create, take over, or set the secret of a webhook subscription', async () => {
    const { body: webhook } = await plumbline.post('/api/ext/webhooks', { url: receiver.url, eventTypes: ['*'] })
    const { body: me } = await plumbline.get('/api/ext/me')
    const permissions = me.permissions.filter(isDelegablePermission)
    const origin = 'https://app.example.com'
    const { body: browser } = await plumbline.post('/api/ext/browser-tokens', { origin, permissions })
    const caller = { key: browser.token, headers: { origin } }
    const path = `/api/ext/webhooks/${webhook.id}`
    const input = { url: witness.url, eventTypes: ['*'] }
    for (const { status, body } of [
      await plumbline.post('/api/ext/webhooks', input, caller),
      await plumbline.post('/api/ext/execute', { skill: 'createWebhook', input }, caller),
      await plumbline.patch(path, { url: witness.url }, caller),
      await plumbline.post(`${path}/rotate-secret`, {}, caller),
    ])
      expect([status, body.reason, body.secret]).toEqual([409, 'wrong_caller', undefined])
    expect(await read(webhook.id)).toMatchObject({ url: receiver.url, version: 1 })
    expect((await plumbline.patch(path, { status: 'disabled' }, caller)).status).toBe(200)
  })

  test("rotating the secret of another owner's webhook subscription requires all admin permissions", async () => {
    const { secret: narrow } = await newKey(['vendors:read'])
    const others = await subscribe(plumbline.key, ['vendor.created'], witness.url)
    const own = await subscribe(narrow, ['vendor.created'])
    const rotate = ({ id }: Webhook, options: RequestOptions) =>
      plumbline.post(`/api/ext/webhooks/${id}/rotate-secret`, {}, options)
    const owner = await plumbline.signIn()
    const app = await connectApp(plumbline, await createOauthApp(plumbline), owner)
    for (const caller of [{ key: narrow }, { key: app.key }]) {
      const { status, body } = await rotate(others, caller)
      expect([status, body.code, body.secret]).toEqual([403, 'permission_denied', undefined])
    }
    for (const caller of [{ key: narrow }, { key: plumbline.key }, owner])
      expect((await rotate(own, caller)).body.secret).toMatch(/^whsec_/)
  })

  test('a former owner of a webhook subscription cannot get its new secret by repeating the request', async () => {
    const { secret: key } = await newKey(['vendors:read'])
    const requested = { url: receiver.url, eventTypes: ['vendor.created'] }
    const create = () =>
      plumbline.post('/api/ext/webhooks', requested, { key, headers: { 'idempotency-key': 'created' } })
    const { body: created } = await create()
    expect((await create()).body.secret).toBe(created.secret)
    const path = `/api/ext/webhooks/${created.id}`
    expect((await plumbline.patch(path, { excludeOwnChanges: false })).status).toBe(200)
    const { body: rotated } = await plumbline.post(`${path}/rotate-secret`, {})
    expect(rotated.secret).toMatch(/^whsec_/)
    const again = await create()
    expect([again.body.code, again.body.secret]).toEqual(['answer_not_kept', undefined])
    expect(JSON.stringify(again.body)).not.toContain(rotated.secret)
  })

  test.each([true, false])(
    'a repeated dry run of a secret rotation shows no secret (propose-only key: %s)',
    async (proposeOnly) => {
      const { organizationId, database, clock } = plumbline
      const { secret: key } = await createKey(database, clock, { organizationId, name: 'Agent', proposeOnly })
      const webhook = await subscribe(plumbline.key, ['vendor.created'])
      const step = { skill: 'rotateWebhookSecret', input: { webhookId: webhook.id } }
      const options = (name: string) => ({ key, headers: { 'idempotency-key': name } })
      const attempts = [
        () => plumbline.post('/api/ext/execute', { ...step, dryRun: true }, options('dry-run')),
        () =>
          plumbline.post(
            '/api/ext/execute/batch',
            { steps: [{ name: 'rotate', ...step }], dryRun: true },
            options('dry-batch'),
          ),
      ]
      for (const attempt of attempts) {
        const [first, again] = [await attempt(), await attempt()]
        expect([first.status, again.status]).toEqual([200, 200])
        expect(again.body).toEqual(first.body)
        expect(JSON.stringify([first.body, again.body])).not.toContain('whsec_')
      }
    },
  )

  test('a webhook subscription to events that the caller cannot read is rejected on creation and on update', async () => {
    const { secret: key } = await newKey(['vendors:read'])
    const body = { url: receiver.url, eventTypes: ['vendor.created', 'bid.submitted'] }
    const created = await plumbline.post('/api/ext/webhooks', body, { key })
    expect(created).toMatchObject({ status: 403, body: { code: 'permission_denied', permission: 'bids:read' } })
    const { id } = await subscribe(key, ['vendor.created'])
    const changed = await plumbline.patch(`/api/ext/webhooks/${id}`, { eventTypes: ['home.created'] }, { key })
    expect(changed).toMatchObject({ status: 403, body: { code: 'permission_denied', permission: 'homes:read' } })
  })

  test("waiting webhook deliveries are canceled if the subscription's key can no longer read their events", async () => {
    const { id: keyId, secret: key } = await newKey(['vendors:read', 'homes:read'])
    const { id } = await subscribe(key, ['*'])
    await plumbline.patch(`/api/ext/webhooks/${id}`, { status: 'disabled' }, { key })
    const homes = [await createHome(), await createHome()]
    const vendor = await createVendor()
    await plumbline.until(`/api/ext/webhooks/${id}/deliveries?status=held`, ({ body }) => body.data.length === 3)
    await setPermissions(keyId, [...ADMINISTERING, 'vendors:read'])
    expect((await plumbline.patch(`/api/ext/webhooks/${id}`, { status: 'active' }, { key })).status).toBe(200)
    await receiver.until(1)
    expect(objectsAt(receiver)).toEqual([vendor])
    const { body } = await plumbline.until(
      `/api/ext/webhooks/${id}/deliveries?status=cancelled`,
      (answer) => answer.body.data.length === homes.length,
    )
    for (const { eventType, attemptCount, nextAttemptAt } of body.data)
      expect([eventType, attemptCount, nextAttemptAt]).toEqual(['home.created', 0, null])
    // The delivery for the vendor is recorded after the receiver has responded.
    await plumbline.until(
      `/api/ext/webhooks/${id}/deliveries?status=pending`,
      (answer) => answer.body.data.length === 0,
    )
    // Requesting another delivery does not send the event either.
    await plumbline.post(`/api/ext/deliveries/${body.data[0].id}/redeliver`)
    await plumbline.until(`/api/ext/deliveries/${body.data[0].id}`, (answer) => answer.body.status === 'cancelled')
    expect(objectsAt(receiver)).toEqual([vendor])
  })

  test("a webhook subscription is disabled if the role of its key's user no longer allows webhooks", async () => {
    const { userId, secret } = await newKey(['users:read', 'vendors:read'])
    const { id } = await subscribe(secret, ['vendor.created', 'user.logged_in'])
    await setUser(userId, { role: 'owner' })
    await createVendor()
    await receiver.until(1)
    await setUser(userId, { role: 'viewer' })
    await plumbline.until(`/api/ext/webhooks/${id}`, ({ body }) => body.disabledReason === 'owner_revoked')
  })
})

describe('a subscription without an active owner', () => {
  const HOUR_MS = 3_600_000
  test.each<[string, (key: { id: string; userId: string }) => Promise<unknown>]>([
    ['whose key is revoked', ({ id }) => revokeKey(plumbline.database, plumbline.clock, id)],
    ['whose key expires', async () => plumbline.clock.advance(HOUR_MS + 1000)],
    ['whose key can no longer manage webhooks', ({ id }) => setPermissions(id, ['vendors:read'])],
    ['whose user is disabled', ({ userId }) => setUser(userId, { status: 'disabled' })],
    ['whose user is no longer an admin', ({ userId }) => setUser(userId, { role: 'accountant' })],
  ])('a subscription %s is disabled with one notice to the owners and admins', async (_what, lose) => {
    const key = await newKey(['vendors:read'], new Date(plumbline.clock.nowMs() + HOUR_MS))
    const { id, owner } = await subscribe(key.secret, ['vendor.created'])
    await subscribe(plumbline.key, ['vendor.created'], witness.url)
    await createVendor()
    await receiver.until(1)
    await lose(key)
    // Events are no longer sent, even before the service has disabled the subscription.
    const later = await createVendor()
    await witness.until((all) => all.some(({ event }) => event.data.object.id === later))
    const { body } = await plumbline.until(`/api/ext/webhooks/${id}`, (answer) => answer.body.status === 'disabled')
    expect(body).toMatchObject({ disabledReason: 'owner_revoked', owner })
    expect(body.disabledAt).not.toBeNull()
    expect(objectsAt(receiver)).not.toContain(later)
    const reported = (await plumbline.get(`/api/ext/messages?relatedToId=${id}`)).body.data
    expect(reported).toHaveLength(1)
    for (const part of [receiver.url, id, key.id, body.disabledAt, 'active', '14 days'])
      expect(reported[0].body).toContain(part)
  })

  test('an admin who activates a webhook subscription without an active owner becomes its owner', async () => {
    const gone = await newKey(['homes:read', 'vendors:read'])
    const { id } = await subscribe(gone.secret, ['*'])
    await revokeKey(plumbline.database, plumbline.clock, gone.id)
    const home = await createHome()
    const vendor = await createVendor()
    await plumbline.until(`/api/ext/webhooks/${id}`, ({ body }) => body.status === 'disabled')
    await plumbline.until(
      `/api/ext/webhooks/${id}/deliveries?status=held&eventType=vendor.created`,
      ({ body }) => body.data.length === 1,
    )
    expect(objectsAt(receiver)).toEqual([])
    const narrow = await newKey(['vendors:read'])
    const refused = await plumbline.patch(`/api/ext/webhooks/${id}`, { status: 'active' }, { key: narrow.secret })
    expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
    const taken = await plumbline.patch(`/api/ext/webhooks/${id}`, { status: 'active' })
    expect(taken.body).toMatchObject({
      status: 'active',
      disabledReason: null,
      createdBy: { type: 'key', id: gone.id },
    })
    expect(taken.body.owner.id).not.toBe(gone.id)
    await receiver.until(2)
    expect(objectsAt(receiver)).toEqual([home, vendor])
  })
})

describe('changes by users other than the owner', () => {
  test("changing another owner's webhook subscription requires all admin permissions", async () => {
    const subscription = await subscribe(plumbline.key, ['*'], witness.url)
    const path = `/api/ext/webhooks/${subscription.id}`
    const app = await connectApp(plumbline, await createOauthApp(plumbline), await plumbline.signIn())
    for (const key of [(await newKey(['vendors:read'])).secret, app.key]) {
      for (const change of [{ url: receiver.url }, { excludeOwnChanges: true }, { status: 'active' }]) {
        const { status, body } = await plumbline.patch(path, change, { key })
        expect([change, status, body.code]).toEqual([change, 403, 'permission_denied'])
      }
      expect((await plumbline.post(`${path}/rotate-secret`, {}, { key })).status).toBe(403)
    }
    expect(await read(subscription.id)).toMatchObject({ url: witness.url, owner: subscription.owner, version: 1 })
  })

  test('an admin who changes a webhook subscription becomes its owner', async () => {
    const weak = await newKey(['vendors:read'])
    const { id } = await subscribe(weak.secret, ['*'])
    const { body } = await plumbline.patch(`/api/ext/webhooks/${id}`, { excludeOwnChanges: false })
    expect(body.owner.id).not.toBe(weak.id)
    const home = await createHome()
    await receiver.until(1)
    expect(objectsAt(receiver)).toEqual([home])
  })

  test('a change that only disables a webhook subscription does not change its owner', async () => {
    const { id, owner } = await subscribe(plumbline.key, ['*'])
    const weak = await newKey(['vendors:read'])
    const { body } = await plumbline.patch(`/api/ext/webhooks/${id}`, { status: 'disabled' }, { key: weak.secret })
    expect(body).toMatchObject({ status: 'disabled', disabledReason: 'requested', owner })
  })
})

test("deactivating a user disables the user's webhook subscriptions", async () => {
  const { userId } = await newKey([])
  const { organizationId, database } = plumbline
  const principal = await findUserPrincipal(database.statements, organizationId, userId)
  const call = createCall(plumbline.app.services, { principal, requestId: 'req_test', address: null })
  const body = { url: receiver.url, eventTypes: ['vendor.created', 'user.logged_in'] }
  const { id, owner } = await call.operation('createWebhook', body)
  expect(owner).toEqual({ type: 'user', id: userId })
  await createVendor()
  await receiver.until(1)
  await setUser(userId, { status: 'disabled' })
  await plumbline.until(`/api/ext/webhooks/${id}`, (answer) => answer.body.disabledReason === 'owner_revoked')
})

test('webhook deliveries are listed only for callers who can read the events', async () => {
  const { id } = await subscribe(plumbline.key, ['*'])
  for (let i = 0; i < 3; i++) {
    await createHome()
    await createVendor()
  }
  await receiver.until(6)
  const { secret: key } = await newKey(['vendors:read'])
  const shown: Delivery[] = []
  let address = `/api/ext/webhooks/${id}/deliveries?limit=2`
  for (;;) {
    const { body } = await plumbline.get(address, { key })
    shown.push(...body.data)
    if (body.nextCursor === null) break
    expect(body.data).toHaveLength(2)
    address = `/api/ext/webhooks/${id}/deliveries?limit=2&cursor=${body.nextCursor}`
  }
  expect(shown.map(({ eventType }) => eventType)).toEqual(Array(3).fill('vendor.created'))
  const [home] = await deliveries(id, '?eventType=home.created')
  for (const [method, path] of [
    ['GET', `/api/ext/deliveries/${home?.id}`],
    ['POST', `/api/ext/deliveries/${home?.id}/redeliver`],
  ] as const)
    expect((await plumbline.request(method, path, undefined, { key })).status).toBe(404)
  // A test delivery contains only the example from the API contract, which is public.
  const tested = await plumbline.post(`/api/ext/webhooks/${id}/test`, { eventType: 'home.created' }, { key })
  expect(tested.status).toBe(202)
  expect((await plumbline.get(`/api/ext/deliveries/${tested.body.id}`, { key })).status).toBe(200)
})
