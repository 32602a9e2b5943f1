import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pageRequest, startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { createUser, updateUser } from '../../office/users/users.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

const OWNER = 'priya@harrowfinch.example.com'
const HOUR_MS = 3_600_000

async function tokenFor(email: string, lifeMs = HOUR_MS): Promise<string> {
  const { url } = await plumbline.app.services.identity.makeLink(email, lifeMs)
  return url.slice(url.indexOf('#token=') + '#token='.length)
}

const redeem = (token: string, device?: string) =>
  plumbline.post('/api/admin/sign-in', { token, ...(device !== undefined && { device }) }, pageRequest(''))

test('a sign-in link signs the user in once, with an HttpOnly, SameSite cookie', async () => {
  const token = await tokenFor('PRIYA@harrowfinch.example.com')
  const answer = await redeem(token, 'Chrome on macOS')
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({
    user: { email: OWNER, role: 'owner', lastLoginAt: expect.any(String) },
    organization: { id: plumbline.organizationId },
    organizations: [{ id: plumbline.organizationId, name: 'Harrow & Finch Homes', role: 'owner' }],
    permissions: expect.arrayContaining(['vendors:write', 'keys:write']),
  })
  const [cookie = ''] = answer.headers.getSetCookie()
  expect(cookie).toMatch(/^plumbline_session=[^;]+; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/)
  const session = await plumbline.get('/api/admin/session', pageRequest(cookie.split(';')[0] ?? ''))
  expect([session.status, session.body]).toEqual([200, answer.body])
  expect((await redeem(token)).body).toMatchObject({ status: 409, code: 'link_spent' })
})

test('a device name may contain any characters', async () => {
  const device = 'Ελένη’s 📱\nphone'
  expect((await redeem(await tokenFor(OWNER), device)).status).toBe(200)
  const { body } = await plumbline.get('/api/admin/sessions', await plumbline.signIn())
  expect(body.data.map((each: { device: string }) => each.device)).toContain(device)
})

test('only one of several concurrent uses of a sign-in link succeeds', async () => {
  const token = await tokenFor(OWNER)
  const answers = await Promise.all([redeem(token), redeem(token), redeem(token)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
})

test('expired and unknown sign-in links are rejected', async () => {
  const token = await tokenFor(OWNER, 1000)
  await sql`update "signInLinks" set "expiresAt" = now() - interval '1 second'`.execute(plumbline.database.statements)
  for (const dead of [token, 'kXbWqLmVtRzYcHsNfGdPjTaEoUiBnQwS', '0'])
    expect((await redeem(dead)).body).toMatchObject({ status: 409, code: 'link_spent' })
})

test('sign-in link tokens are stored only as hashes', async () => {
  const token = await tokenFor(OWNER)
  const { rows } = await sql<{ text: string }>`select l::text as "text" from "signInLinks" l`.execute(
    plumbline.database.statements,
  )
  expect(rows.length).toBeGreaterThan(0)
  expect(rows.map(({ text }) => text).join()).not.toContain(token)
})

test('a sign-in is recorded as an event with the user as actor', async () => {
  await plumbline.signIn()
  const { body } = await plumbline.get('/api/ext/events?type=user.logged_in&sort=-sequence&limit=1')
  const { body: users } = await plumbline.get('/api/ext/users?role=owner')
  const [owner] = users.data
  expect(body.data[0]).toMatchObject({ actor: { type: 'user', id: owner.id }, data: { object: { id: owner.id } } })
  expect(body.data[0].data.previous).toHaveProperty('lastLoginAt')
})

test('a session is rejected if it has expired according to the clock of the service or of the database', async () => {
  const [byHand, byClock] = [await plumbline.signIn(), await plumbline.signIn()]
  const id = (await plumbline.get('/api/admin/session', byHand)).body.id
  await sql`update "sessions" set "expiresAt" = now() - interval '1 second' where "id" = ${id}`.execute(
    plumbline.database.statements,
  )
  for (const path of ['/api/admin/session', '/api/ext/vendors'])
    expect((await plumbline.get(path, byHand)).body).toMatchObject({ status: 401, code: 'not_signed_in' })
  expect((await plumbline.get('/api/admin/session', byClock)).status).toBe(200)
  plumbline.clock.advance(15 * 24 * HOUR_MS)
  expect((await plumbline.get('/api/admin/session', byClock)).body.code).toBe('not_signed_in')
  plumbline.clock.advance(-15 * 24 * HOUR_MS)
})

test('the expiry of a session in use is extended once a day', async () => {
  const somebody = await plumbline.signIn()
  const { body: before, headers } = await plumbline.get('/api/admin/session', somebody)
  expect(headers.getSetCookie()).toEqual([])
  await sql`update "sessions" set "updatedAt" = now() - interval '2 days', "expiresAt" = now() + interval '12 days'
    where "id" = ${before.id}`.execute(plumbline.database.statements)
  const lengthened = await plumbline.get('/api/admin/session', somebody)
  expect(lengthened.headers.getSetCookie()[0]).toMatch(/^plumbline_session=/)
  expect(Date.parse(lengthened.body.expiresAt)).toBeGreaterThanOrEqual(Date.parse(before.expiresAt))
  expect((await plumbline.get('/api/admin/session', somebody)).headers.getSetCookie()).toEqual([])
})

test('a user can list and end only their own sessions', async () => {
  const { database, clock, organizationId } = plumbline
  const email = 'otto@example.com'
  await createUser(database, clock, { organizationId, email, name: 'Otto', role: 'viewer', poApprovalLimit: 0 })
  const [laptop, phone, tablet] = [
    await plumbline.signIn(email),
    await plumbline.signIn(email),
    await plumbline.signIn(email),
  ]
  const { body: list } = await plumbline.get('/api/admin/sessions', laptop)
  expect(list.data).toMatchObject([
    { device: 'Test', isCurrent: false, address: expect.any(String) },
    { device: 'Test', isCurrent: false },
    { device: 'Test', isCurrent: true },
  ])
  const { body: first } = await plumbline.get('/api/admin/sessions?limit=2', laptop)
  const { body: rest } = await plumbline.get(`/api/admin/sessions?limit=2&cursor=${first.nextCursor}`, laptop)
  expect([...first.data, ...rest.data]).toEqual(list.data)
  const [{ id: ofTablet }] = list.data
  expect((await plumbline.delete(`/api/admin/sessions/${ofTablet}`, laptop)).status).toBe(204)
  expect((await plumbline.get('/api/admin/session', tablet)).status).toBe(401)
  // Deleting a session of another user returns 404.
  const owner = await plumbline.signIn()
  const ofPhone = list.data[1].id
  expect((await plumbline.delete(`/api/admin/sessions/${ofPhone}`, owner)).status).toBe(404)
  const out = await plumbline.delete('/api/admin/session', phone)
  expect([out.status, out.headers.getSetCookie()]).toEqual([
    204,
    ['plumbline_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax'],
  ])
  expect((await plumbline.get('/api/admin/session', phone)).status).toBe(401)
  expect((await plumbline.get('/api/admin/session', laptop)).status).toBe(200)
})

test('a user of two builders sees the records of only one builder at a time', async () => {
  const { database, clock, organizationId } = plumbline
  const other = await plumbline.newBuilder()
  const email = 'dana@example.com'
  const created = { email, name: 'Dana Cho', role: 'estimator', poApprovalLimit: 0 } as const
  const here = await createUser(database, clock, { ...created, organizationId })
  const there = await createUser(database, clock, { ...created, role: 'viewer', organizationId: other.organizationId })
  const dana = await plumbline.signIn(email)
  const { body: first } = await plumbline.get('/api/admin/session', dana)
  expect(first.organizations.map(({ id }: { id: string }) => id).sort()).toEqual(
    [organizationId, other.organizationId].sort(),
  )
  const vendor = (await plumbline.post('/api/ext/vendors', { companyName: 'Ours alone', scopes: ['framing'] })).body
  const move = (id: string) => plumbline.post('/api/admin/session/organization', { organizationId: id }, dana)
  expect((await move(organizationId)).body).toMatchObject({ user: { id: here.id, role: 'estimator' } })
  expect((await plumbline.get(`/api/ext/vendors/${vendor.id}`, dana)).status).toBe(200)
  expect((await move(other.organizationId)).body).toMatchObject({
    user: { id: there.id, role: 'viewer' },
    organization: { id: other.organizationId },
  })
  expect((await plumbline.get(`/api/ext/vendors/${vendor.id}`, dana)).status).toBe(404)
  const again = await plumbline.signIn(email)
  expect((await plumbline.get('/api/admin/session', again)).body.organization.id).toBe(other.organizationId)
  const stranger = await plumbline.newBuilder()
  for (const id of [stranger.organizationId, 'org_nowhere'])
    expect((await move(id)).body).toMatchObject({ status: 422, code: 'unknown_reference' })
  // A user who is deactivated by one of two builders can still work for the other builder. A user who is deactivated by
  // both has no access.
  await updateUser(database, clock, there.id, { status: 'disabled' })
  expect((await plumbline.get('/api/admin/session', dana)).body.organization.id).toBe(organizationId)
  await updateUser(database, clock, here.id, { status: 'disabled' })
  expect((await plumbline.get('/api/admin/session', dana)).body.code).toBe('not_signed_in')
  expect((await redeem(await tokenFor(email))).body.code).toBe('link_spent')
})

test('a change with a session cookie is rejected unless a page of the service sends the request', async () => {
  const { headers = {} } = await plumbline.signIn()
  const { cookie = '' } = headers
  const origin = new URL(plumbline.config.publicUrl).origin
  const post = (others: Record<string, string>) =>
    plumbline.post('/api/ext/vendors', { companyName: 'From somewhere' }, { key: null, headers: { cookie, ...others } })
  const foreign: Record<string, string>[] = [
    {},
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example.com' },
    { origin: 'null' },
  ]
  for (const others of foreign) expect([others, (await post(others)).body.code]).toEqual([others, 'cross_site'])
  expect((await post({ 'sec-fetch-site': 'same-origin' })).status).toBe(201)
  expect((await post({ origin })).status).toBe(201)
  // Reading is allowed, because the other site cannot see the response.
  expect((await plumbline.get('/api/ext/vendors', { key: null, headers: { cookie } })).status).toBe(200)
  // Another site cannot sign a visitor in as a different user.
  const token = await tokenFor(OWNER)
  const refused = await plumbline.post('/api/admin/sign-in', { token }, { key: null })
  expect(refused.body).toMatchObject({ status: 403, code: 'cross_site' })
  // Requests with a key are allowed, because browsers never send a key automatically.
  const byKey = await plumbline.get('/api/ext/vendors', { headers: { cookie, 'sec-fetch-site': 'cross-site' } })
  expect(byKey.headers.get('ratelimit')).toContain('"day"')
})

test('a malformed session cookie is rejected', async () => {
  const { cookie = '' } = (await plumbline.signIn()).headers ?? {}
  for (const wrong of [
    `${cookie}x`,
    cookie.replace(/=(.)/, (_, first) => (first === '0' ? '=1' : '=0')),
    'plumbline_session=nonsense',
    'plumbline_session=%E0%A4%A.%E0',
    'plumbline_session=é.é',
    `plumbline_session=${'x'.repeat(4000)}.x`,
    'plumbline_session=',
  ]) {
    const { status, body, headers } = await plumbline.get('/api/admin/session', {
      key: null,
      headers: { cookie: wrong },
    })
    expect([wrong, status, body.code, headers.get('www-authenticate')]).toEqual([
      wrong,
      401,
      'not_signed_in',
      'Session realm="plumbline"',
    ])
  }
})

test('an API key cannot be used in the admin area', async () => {
  expect((await plumbline.get('/api/admin/session')).body.code).toBe('not_signed_in')
})

test('an operation that describes the calling key rejects a session', async () => {
  const { headers = {} } = await plumbline.signIn()
  expect((await plumbline.get('/api/ext/me', { key: null, headers })).body.code).toBe('missing_key')
})

test('a request without a key is rejected', async () => {
  expect((await plumbline.get('/api/ext/vendors', { key: null })).body.code).toBe('missing_key')
})

test("a user's change is attributed to the user in the record, the events, and the audit trail", async () => {
  const owner = await plumbline.signIn()
  const { body: session } = await plumbline.get('/api/admin/session', owner)
  const created = await plumbline.post('/api/ext/vendors', { companyName: 'By hand' }, owner)
  const actor = { type: 'user', id: session.user.id }
  expect(created.body.createdBy).toEqual(actor)
  const events = await plumbline.until(
    `/api/ext/events?resourceId=${created.body.id}`,
    ({ body }) => body.data.length > 0,
  )
  expect(events.body.data[0]).toMatchObject({ type: 'vendor.created', actor })
  const { body: trail } = await plumbline.get(`/api/ext/audit-entries?resourceId=${created.body.id}`)
  expect(trail.data[0]).toMatchObject({ action: 'vendor.created', actor, address: expect.any(String) })
})

test("a user's change does not count toward the key quota", async () => {
  const owner = await plumbline.signIn()
  const created = await plumbline.post('/api/ext/vendors', { companyName: 'Not counted' }, owner)
  expect(created.headers.get('ratelimit')).not.toContain('day')
})

test('a role change immediately limits the user to the permissions of the new role', async () => {
  const { database, clock, organizationId } = plumbline
  const requested = {
    organizationId,
    email: 'viv@example.com',
    name: 'Viv',
    role: 'viewer',
    poApprovalLimit: 0,
  } as const
  const { id } = await createUser(database, clock, requested)
  const viv = await plumbline.signIn('viv@example.com')
  expect((await plumbline.get('/api/ext/vendors', viv)).status).toBe(200)
  const refused = await plumbline.post('/api/ext/vendors', { companyName: 'No' }, viv)
  expect(refused.body).toMatchObject({ status: 403, code: 'permission_denied', permission: 'vendors:write' })
  expect((await plumbline.get('/api/admin/keys', viv)).body).toMatchObject({ status: 403, permission: 'keys:read' })
  await updateUser(database, clock, id, { role: 'estimator' })
  expect((await plumbline.post('/api/ext/vendors', { companyName: 'Yes' }, viv)).status).toBe(201)
})
