import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RequestOptions, startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { createKey } from '../../../platform/keys/keys.ts'
import { createUser, updateUser } from '../../office/users/users.ts'

let plumbline: TestPlumbline
let owner: RequestOptions
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  owner = await plumbline.signIn()
})
afterAll(() => plumbline.stop())

const KEYS = '/api/admin/keys'
const create = (body: object, by = owner) => plumbline.post(KEYS, body, by)
const statusWith = async (key: string) => (await plumbline.get('/api/ext/me', { key })).status

test('a user creates a key with the selected permissions and sees its secret only once', async () => {
  const { status, body, headers } = await create({ name: 'Voice agent', permissions: ['vendors:read', 'bids:write'] })
  expect([status, headers.get('location')]).toEqual([201, `${KEYS}/${body.id}`])
  const { body: session } = await plumbline.get('/api/admin/session', owner)
  const { secret, ...key } = body
  expect(secret).toMatch(/^plb_[0-9A-Za-z]{37}$/)
  expect(key).toMatchObject({
    ...{ createdBy: { type: 'user', id: session.user.id }, createdByUserId: session.user.id, version: 1 },
    ...{ secrets: [{ start: secret.slice(0, 10), expiresAt: null }], revokedAt: null, allowedAddresses: null },
  })
  expect(Math.round((Date.parse(key.expiresAt) - Date.parse(key.createdAt)) / 86_400_000)).toBe(365)
  const { body: caller } = await plumbline.get('/api/ext/me', { key: secret })
  expect(caller).toMatchObject({ keyId: body.id, permissions: ['bids:write', 'vendors:read'] })
  const read = await plumbline.get(`${KEYS}/${body.id}`, owner)
  expect(read.body).not.toHaveProperty('secret')
  const { body: list } = await plumbline.get(`${KEYS}?sort=-createdAt&limit=1`, owner)
  expect(list.data).toEqual([read.body])
})

test('a repeated request to create a key with the same Idempotency-Key returns the first key without its secret', async () => {
  const once = { ...owner, headers: { ...owner.headers, 'idempotency-key': 'make-a-key' } }
  const requested = { name: 'Once', permissions: ['vendors:read'], expiresAt: null }
  const [first, again] = [await create(requested, once), await create(requested, once)]
  expect([first.body.secret === null, again.body]).toEqual([false, { ...first.body, secret: null }])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
})

test('invalid values of a new key are reported at their fields', async () => {
  const { status, body } = await create({
    name: 'Wrong',
    permissions: ['vendors:read'],
    expiresAt: '2020-01-01T00:00:00Z',
    allowedAddresses: ['10.0.0.0/8', 'office'],
  })
  const pointers = body.errors.map(({ pointer }: { pointer: string }) => pointer)
  expect([status, pointers]).toEqual([422, ['/allowedAddresses/1', '/expiresAt']])
})

test('a key cannot have permissions that are reserved for users', async () => {
  expect((await create({ name: 'Keys', permissions: ['keys:write'] })).status).toBe(422)
})

test('a key cannot be used while its creator is deactivated', async () => {
  const { database, clock, organizationId } = plumbline
  const email = 'ada@example.com'
  await createUser(database, clock, { organizationId, email, name: 'Ada', role: 'admin', poApprovalLimit: 0 })
  const { body: created } = await create(
    { name: 'Of Ada', permissions: ['vendors:read'] },
    await plumbline.signIn(email),
  )
  const { id } = (await plumbline.get('/api/ext/users?role=admin')).body.data[0]
  await updateUser(database, clock, id, { status: 'disabled' })
  plumbline.clock.advance(1000)
  expect((await plumbline.get('/api/ext/vendors', { key: created.secret })).status).toBe(403)
})

test('a key can be updated with its current ETag until it is revoked', async () => {
  const { body: created, headers } = await create({ name: 'Old name', permissions: ['vendors:read'] })
  const etag = (await plumbline.get(`${KEYS}/${created.id}`, owner)).headers.get('etag') ?? ''
  expect(headers.get('etag')).not.toBe('')
  const change = (body: object, ifMatch = etag) =>
    plumbline.patch(`${KEYS}/${created.id}`, body, { ...owner, headers: { ...owner.headers, 'if-match': ifMatch } })
  const changed = await change({ name: 'New name', allowedAddresses: ['192.0.2.0/24'] })
  expect(changed.body).toMatchObject({ name: 'New name', allowedAddresses: ['192.0.2.0/24'], version: 2 })
  expect((await change({ name: 'Late' })).status).toBe(412)
  plumbline.clock.advance(1000)
  expect(await statusWith(created.secret)).toBe(403)
  const revoke = () => plumbline.post(`${KEYS}/${created.id}/revoke`, undefined, owner)
  const revoked = await revoke()
  expect(revoked.body).toMatchObject({ revokedAt: expect.any(String), secrets: [] })
  expect((await revoke()).body).toEqual(revoked.body)
  plumbline.clock.advance(1000)
  expect(await statusWith(created.secret)).toBe(401)
  expect((await change({ name: 'Again' }, '*')).body.code).toBe('conflict')
  expect((await plumbline.post(`${KEYS}/${created.id}/rotate`, {}, owner)).body.code).toBe('conflict')
})

test('during the overlap after a key rotation, only the latest previous secret remains valid', async () => {
  const { body: created } = await create({ name: 'Rotated', permissions: ['vendors:read'] })
  const rotate = (body: object) => plumbline.post(`${KEYS}/${created.id}/rotate`, body, owner)
  const { body: second } = await rotate({ overlapDays: 7 })
  expect(second.secrets).toMatchObject([
    { start: second.secret.slice(0, 10), expiresAt: null },
    { start: created.secret.slice(0, 10), expiresAt: expect.any(String) },
  ])
  expect([await statusWith(created.secret), await statusWith(second.secret)]).toEqual([200, 200])
  const { body: third } = await rotate({})
  plumbline.clock.advance(1000)
  const statuses = [created, second, third].map(({ secret }) => statusWith(secret))
  expect(await Promise.all(statuses)).toEqual([401, 401, 200])
  expect((await rotate({ overlapDays: 8 })).status).toBe(422)
})

test('rotating or extending a key that acts for a user with more permissions returns permission_denied', async () => {
  const { database, clock, organizationId } = plumbline
  const colleague = async (name: string, role: 'admin' | 'accountant' | 'owner', poApprovalLimit: number | null) => {
    const email = `${name}@example.com`
    const { id: userId } = await createUser(database, clock, { organizationId, email, name, role, poApprovalLimit })
    const key = await createKey(database, clock, { organizationId, userId, name, permissions: ['pos:read'] })
    return { keyId: key.id, by: await plumbline.signIn(email) }
  }
  const admin = await colleague('Anna', 'admin', 5000)
  const more = [await colleague('Olga', 'owner', 0), await colleague('Rico', 'accountant', null)]
  more.push(await colleague('Rita', 'admin', 5000.01))
  const less = [admin, await colleague('Lena', 'accountant', 5000)]
  const rotate = async (keyId: string, by: RequestOptions) =>
    (await plumbline.post(`${KEYS}/${keyId}/rotate`, {}, by)).body
  const update = (keyId: string, body: object) => plumbline.patch(`${KEYS}/${keyId}`, body, admin.by)
  for (const { keyId } of more) {
    expect(await rotate(keyId, admin.by)).toMatchObject({ status: 403, code: 'permission_denied' })
    for (const body of [{ expiresAt: null }, { allowedAddresses: null }])
      expect((await update(keyId, body)).body).toMatchObject({ status: 403, code: 'permission_denied' })
    expect((await update(keyId, { name: 'Renamed' })).status).toBe(200)
    expect((await rotate(keyId, owner)).secret).toMatch(/^plb_/)
    expect((await plumbline.post(`${KEYS}/${keyId}/revoke`, undefined, admin.by)).status).toBe(200)
  }
  for (const { keyId } of less) expect((await rotate(keyId, admin.by)).secret).toMatch(/^plb_/)
})

test('the audit trail records each change of a key with the actor and the IP address', async () => {
  const { body: created } = await create({ name: 'Watched', permissions: ['vendors:read'] })
  await plumbline.patch(`${KEYS}/${created.id}`, { name: 'Watched well' }, owner)
  await plumbline.post(`${KEYS}/${created.id}/rotate`, {}, owner)
  await plumbline.post(`${KEYS}/${created.id}/revoke`, undefined, owner)
  const { body: trail } = await plumbline.get(`/api/ext/audit-entries?resourceId=${created.id}&sort=at`)
  const { body: session } = await plumbline.get('/api/admin/session', owner)
  const by = { actor: { type: 'user', id: session.user.id }, address: expect.any(String) }
  expect(trail.data).toMatchObject([
    { ...by, action: 'key.created' },
    { ...by, action: 'key.updated', changed: ['name'] },
    { ...by, action: 'key.rotated' },
    { ...by, action: 'key.revoked' },
  ])
})

test("a builder cannot see or change another builder's keys", async () => {
  const { organizationId } = await plumbline.newBuilder()
  const { database, clock } = plumbline
  const email = 'other@example.com'
  await createUser(database, clock, { organizationId, email, name: 'Other', role: 'owner', poApprovalLimit: null })
  const other = await plumbline.signIn(email)
  const { body: created } = await create({ name: 'Ours', permissions: ['vendors:read'] })
  expect((await plumbline.get(`${KEYS}/${created.id}`, other)).status).toBe(404)
  for (const what of ['rotate', 'revoke'])
    expect((await plumbline.post(`${KEYS}/${created.id}/${what}`, undefined, other)).status).toBe(404)
  expect((await plumbline.patch(`${KEYS}/${created.id}`, { name: 'Mine' }, other)).status).toBe(404)
  const { body: list } = await plumbline.get(KEYS, other)
  expect(list.data.map(({ id }: { id: string }) => id)).not.toContain(created.id)
})
