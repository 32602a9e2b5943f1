import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Authenticator, createAuthenticator, type Deviations } from '../../../../test/support/authenticator.ts'
import {
  pageRequest,
  type RequestOptions,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'
import { createUser, updateUser } from '../../office/users/users.ts'

let plumbline: TestPlumbline
let owner: RequestOptions
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  owner = await plumbline.signIn()
})
afterAll(() => plumbline.stop())

const PASSKEYS = '/api/admin/passkeys'
const prepare = async (by = owner) => (await plumbline.post(`${PASSKEYS}/prepare`, undefined, by)).body
const challenge = async () =>
  (await plumbline.post('/api/admin/sign-in/passkey/challenge', undefined, pageRequest(''))).body
const add = (created: object, by = owner, name = 'Laptop') => plumbline.post(PASSKEYS, { name, ...created }, by)
const enter = (signed: object) => plumbline.post('/api/admin/sign-in/passkey', signed, pageRequest(''))
const listed = async (by = owner) => (await plumbline.get(PASSKEYS, by)).body.data

/** Returns a device with a registered passkey. By default, the passkey belongs to the owner. */
async function known(by = owner): Promise<Authenticator> {
  const device = createAuthenticator(plumbline.config.publicUrl)
  const added = await add(device.create(await prepare(by)), by)
  expect([added.status, added.body]).toEqual([200, expect.objectContaining({ name: 'Laptop', lastUsedAt: null })])
  return device
}

async function colleague(email: string) {
  const { database, clock, organizationId } = plumbline
  const created = { organizationId, email, name: 'Dana Cho', role: 'viewer', poApprovalLimit: 0 } as const
  const { id } = await createUser(database, clock, created)
  return { id, by: await plumbline.signIn(email) }
}

const refused = { status: 409, code: 'passkey_refused' }

test('signing in with a passkey starts the same session as a sign-in link', async () => {
  const device = await known()
  const requested = await challenge()
  expect(requested).toMatchObject({ rpId: 'localhost', timeout: 300_000 })
  const answer = await enter({ ...device.sign(requested), device: 'Safari on iPhone' })
  expect(answer.body).toMatchObject({
    user: { email: 'priya@harrowfinch.example.com' },
    organization: { id: plumbline.organizationId },
  })
  const [cookie = ''] = answer.headers.getSetCookie()
  expect(cookie).toMatch(/^plumbline_session=[^;]+; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/)
  const session = pageRequest(cookie.split(';')[0] ?? '')
  expect((await plumbline.get('/api/admin/session', session)).body).toEqual(answer.body)
  const { body: sessions } = await plumbline.get('/api/admin/sessions', session)
  expect(sessions.data[0]).toMatchObject({ device: 'Safari on iPhone', isCurrent: true, address: expect.any(String) })
  const { body: events } = await plumbline.get('/api/ext/events?type=user.logged_in&sort=-sequence&limit=1')
  expect(events.data[0]).toMatchObject({ actor: { type: 'user', id: answer.body.user.id } })
  const [used] = await listed()
  expect(used).toMatchObject({ name: 'Laptop', isSynced: false, lastUsedAt: expect.any(String) })
})

test('a passkey challenge can be used only once, before it expires, and for its purpose', async () => {
  const device = await known()
  const requested = await challenge()
  const signed = device.sign(requested)
  const answers = await Promise.all([enter(signed), enter(signed), enter(signed)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  const late = device.sign(await challenge())
  await sql`update "passkeyChallenges" set "expiresAt" = now() - interval '1 second'`.execute(
    plumbline.database.statements,
  )
  expect((await enter(late)).body).toMatchObject(refused)
  // A failed attempt also consumes the challenge.
  const again = await challenge()
  expect((await enter(device.sign(again, { origin: 'https://evil.example.com' }))).body).toMatchObject(refused)
  expect((await enter(device.sign(again))).body).toMatchObject(refused)
  expect((await enter(device.sign(await prepare()))).body).toMatchObject(refused)
  expect((await enter(device.sign({ challenge: 'c2Vjb25kLWhhbmQ' }))).body).toMatchObject(refused)
  const { by: dana } = await colleague('dana@example.com')
  const stranger = createAuthenticator(plumbline.config.publicUrl)
  expect((await add(stranger.create(await challenge()))).body).toMatchObject(refused)
  expect((await add(stranger.create(await prepare(dana)))).body).toMatchObject(refused)
  expect((await add(stranger.create(await prepare()), dana)).body).toMatchObject(refused)
})

test.each<[string, Deviations]>([
  ['another site', { origin: 'https://evil.example.com' }],
  ['another port of this host', { origin: 'http://localhost:1' }],
  ['another host', { rpId: 'evil.example.com' }],
  ['another ceremony', { type: 'webauthn.get.not' }],
  ['an unverified user, because the device was not unlocked', { flags: 0x41 }],
  ['an absent user', { flags: 0x44 }],
])('a passkey response for %s is rejected', async (_what, lies) => {
  const device = await known()
  const signing = lies.flags === undefined ? lies : { flags: lies.flags & 0x0f }
  expect((await enter(device.sign(await challenge(), signing))).body).toMatchObject(refused)
  const another = createAuthenticator(plumbline.config.publicUrl)
  expect((await add(another.create(await prepare(), lies))).body).toMatchObject(refused)
  await removeAll(owner)
})

test('a sign-in is rejected if the passkey was copied or belongs to another user', async () => {
  const device = await known()
  const other = await known()
  expect((await enter(device.sign(await challenge(), { counter: 7 }))).status).toBe(200)
  for (const counter of [7, 6, 0])
    expect((await enter(device.sign(await challenge(), { counter }))).body).toMatchObject(refused)
  expect((await enter(device.sign(await challenge(), { counter: 8 }))).status).toBe(200)
  const notTheirs = Buffer.from('idn_01m7y975jzfesvq6zzzzzzzzzz').toString('base64url')
  expect((await enter(other.sign(await challenge(), { userHandle: notTheirs }))).body).toMatchObject(refused)
  expect((await enter(other.sign(await challenge(), { userHandle: null }))).status).toBe(200)
  // The signature is valid, but the request contains the ID of another passkey.
  const signed = device.sign(await challenge(), { counter: 99 })
  expect((await enter({ ...signed, credentialId: other.credentialId })).body).toMatchObject(refused)
  const unknown = createAuthenticator(plumbline.config.publicUrl)
  expect((await enter(unknown.sign(await challenge()))).body).toMatchObject(refused)
})

test('a passkey response with malformed bytes is rejected without a server error', async () => {
  const device = await known()
  const garbage = [
    'AA',
    Buffer.from('null').toString('base64url'),
    Buffer.from('{"challenge":7}').toString('base64url'),
  ]
  for (const each of garbage) {
    const signed = device.sign(await challenge())
    for (const field of ['clientDataJSON', 'authenticatorData', 'signature'])
      expect((await enter({ ...device.sign(await challenge()), [field]: each })).body).toMatchObject(refused)
    expect((await enter({ ...signed, credentialId: each })).body).toMatchObject(refused)
    const created = createAuthenticator(plumbline.config.publicUrl).create(await prepare())
    for (const field of ['clientDataJSON', 'attestationObject', 'credentialId'])
      expect((await add({ ...created, [field]: each })).body).toMatchObject(refused)
  }
  for (const wrong of [{ signature: 'not base64!' }, { signature: '' }, { credentialId: 'x'.repeat(1401) }])
    expect((await enter({ ...device.sign(await challenge()), ...wrong })).status).toBe(422)
})

async function removeAll(by: RequestOptions): Promise<void> {
  for (const { id } of await listed(by)) expect((await plumbline.delete(`${PASSKEYS}/${id}`, by)).status).toBe(204)
}

test('only the owner of a passkey can list, rename, and remove it', async () => {
  await removeAll(owner)
  const { by: otto } = await colleague('otto@example.com')
  const [first, second] = [await known(otto), await known(otto)]
  const list = await listed(otto)
  expect(list).toHaveLength(2)
  const { body: page } = await plumbline.get(`${PASSKEYS}?limit=1`, otto)
  const { body: rest } = await plumbline.get(`${PASSKEYS}?limit=1&cursor=${page.nextCursor}`, otto)
  expect([...page.data, ...rest.data]).toEqual(list)
  const { known: stored } = await prepare(otto)
  expect(stored.map(({ credentialId }: { credentialId: string }) => credentialId).sort()).toEqual(
    [first.credentialId, second.credentialId].sort(),
  )
  expect((await add(first.create(await prepare(otto)), otto)).body).toMatchObject(refused)
  const [newest] = list
  const rename = (by: RequestOptions) =>
    plumbline.post(`${PASSKEYS}/${newest.id}/rename`, { name: 'The key on the ring' }, by)
  expect((await rename(owner)).status).toBe(404)
  expect((await plumbline.delete(`${PASSKEYS}/${newest.id}`, owner)).status).toBe(404)
  expect((await rename(otto)).body).toEqual({ ...newest, name: 'The key on the ring' })
  expect((await plumbline.delete(`${PASSKEYS}/${newest.id}`, otto)).status).toBe(204)
  expect((await enter(second.sign(await challenge()))).body).toMatchObject(refused)
  expect((await enter(first.sign(await challenge()))).status).toBe(200)
})

test('the audit trail records added and removed passkeys', async () => {
  const { id: userId, by } = await colleague('trail@example.com')
  for (let i = 0; i < 2; i++) await known(by)
  const [newest] = await listed(by)
  expect((await plumbline.delete(`${PASSKEYS}/${newest.id}`, by)).status).toBe(204)
  const { body: trail } = await plumbline.get(`/api/ext/audit-entries?resourceId=${userId}&sort=at`)
  const actions = trail.data.map(({ action }: { action: string }) => action)
  expect(actions.filter((action: string) => action.startsWith('user.passkey'))).toEqual([
    ...['user.passkey_added', 'user.passkey_added', 'user.passkey_removed'],
  ])
})

test('a user can have at most 20 passkeys', async () => {
  const { by } = await colleague('many@example.com')
  await Promise.all(Array.from({ length: 20 }, () => known(by)))
  const another = createAuthenticator(plumbline.config.publicUrl)
  expect((await add(another.create(await prepare(by)), by)).body).toMatchObject({ status: 409, code: 'conflict' })
})

test('a deactivated user cannot sign in with a passkey', async () => {
  const { id, by } = await colleague('former@example.com')
  const device = await known(by)
  await updateUser(plumbline.database, plumbline.clock, id, { status: 'disabled' })
  expect((await enter(device.sign(await challenge()))).body).toMatchObject(refused)
})
