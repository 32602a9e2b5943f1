import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type MailServer, type ReceivedMail, startMailServer } from '../../../../test/support/mail-server.ts'
import {
  pageRequest,
  type RequestOptions,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'
import { createUser } from '../../office/users/users.ts'

let plumbline: TestPlumbline
let mailServer: MailServer
let owner: RequestOptions
let admin: RequestOptions
beforeAll(async () => {
  mailServer = await startMailServer()
  plumbline = await startTestPlumbline(mailServer.env)
  owner = await plumbline.signIn()
  await invite({ email: 'ada@example.com', name: 'Ada', role: 'admin' })
  admin = await plumbline.signIn('ada@example.com')
})
afterAll(async () => {
  await plumbline.stop()
  await mailServer.stop()
})

const USERS = '/api/admin/users'
const invite = (body: object, by = owner) => plumbline.post(USERS, body, by)
/**
 * Returns the token of the sign-in link in an email. In the quoted-printable encoding, lines are broken and = is
 * written as =3D.
 */
function linkIn({ source }: ReceivedMail): string {
  const text = source.replace(/=\r?\n/g, '').replaceAll('=3D', '=')
  return /href="[^"]*\/sign-in#token=([A-Za-z]+)"/.exec(text)?.[1] ?? ''
}

test('an invited user becomes active with the chosen role at the first sign-in', async () => {
  const email = 'Elena@example.com'
  const invited = await invite({ email, name: 'Elena Ruiz', role: 'estimator', poApprovalLimit: 25_000 })
  expect([invited.status, invited.headers.get('location')]).toEqual([201, `/api/ext/users/${invited.body.id}`])
  expect(invited.body).toMatchObject({ email, status: 'invited', poApprovalLimit: 25_000, lastLoginAt: null })
  const mail = await mailServer.next(email)
  expect(mail.header('subject')).toBe('Harrow & Finch Homes invites you to Plumbline')
  const signedIn = await plumbline.post('/api/admin/sign-in', { token: linkIn(mail) }, pageRequest(''))
  expect(signedIn.body.user).toMatchObject({ id: invited.body.id, status: 'active', role: 'estimator' })
  const again = await plumbline.post(`${USERS}/${invited.body.id}/invite`, undefined, owner)
  expect(again.body.code).toBe('conflict')
  expect((await invite({ email: 'elena@EXAMPLE.com', name: 'Twice', role: 'viewer' })).body).toMatchObject({
    status: 409,
    errors: [{ pointer: '/email' }],
  })
})

test('an invitation can be sent again to a user who has not signed in', async () => {
  const { body } = await invite({ email: 'slow@example.com', name: 'Slow', role: 'viewer' })
  expect(body.poApprovalLimit).toBe(0)
  expect((await plumbline.post(`${USERS}/${body.id}/invite`, undefined, owner)).body).toEqual({ delivery: 'mail' })
  const mails = [await mailServer.next('slow@example.com'), await mailServer.next('slow@example.com')]
  expect(new Set(mails.map(linkIn)).size).toBe(2)
})

test('the response to a request for a sign-in link does not reveal whether the email address belongs to a user', async () => {
  const ask = (email: string) => plumbline.post('/api/admin/sign-in/link', { email }, pageRequest(''))
  const [known, unknown] = [await ask('PRIYA@harrowfinch.example.com'), await ask('nobody@example.com')]
  expect([known.status, unknown.status, known.body]).toEqual([202, 202, unknown.body])
  const mail = await mailServer.next('PRIYA@harrowfinch.example.com')
  expect((await plumbline.post('/api/admin/sign-in', { token: linkIn(mail) }, pageRequest(''))).status).toBe(200)
  // Neither the response nor the table of emails contains the link.
  const { body: mails } = await plumbline.get('/api/ext/mails')
  expect(mails.data.map(({ kind }: { kind: string }) => kind)).toContain('sign_in')
  expect(JSON.stringify(mails)).not.toMatch(/token=[A-Za-z]/)
  for (let i = 0; i < 6; i++) await ask('priya@harrowfinch.example.com')
  // Emails are sent in order, so all earlier emails have arrived before this one.
  await ask('ada@example.com')
  for (let i = 0; i < 2; i++) await mailServer.next('ada@example.com')
  const sentTo = (address: string) => mailServer.received.filter(({ to }) => to[0]?.toLowerCase() === address)
  expect(sentTo('priya@harrowfinch.example.com')).toHaveLength(5)
  expect(sentTo('nobody@example.com')).toEqual([])
})

test.skipIf(inject('postgres') === null)(
  'a request for a sign-in link gets its response before any work that depends on the address',
  async () => {
    const emails = ['priya@harrowfinch.example.com', 'nobody@example.com']
    // Until this transaction ends, the service cannot look up users or store links.
    const answers = await plumbline.database.transaction(async (trx) => {
      await sql`lock table "users", "signInLinks", "mails" in access exclusive mode`.execute(trx)
      return Promise.all(emails.map((email) => plumbline.post('/api/admin/sign-in/link', { email }, pageRequest(''))))
    })
    for (const { status, body } of answers) expect([status, body]).toEqual([202, { delivery: 'mail' }])
  },
)

test('an invitation is rejected if its email address cannot be used to sign in', async () => {
  const refused = await invite({ email: '"odd one"@example.com', name: 'Odd', role: 'viewer' })
  expect(refused.body).toMatchObject({ status: 422, errors: [{ pointer: '/email' }] })
  const { database, clock, organizationId } = plumbline
  const email = 'a&b@example.com'
  await createUser(database, clock, { organizationId, email, name: 'Odd', role: 'viewer', poApprovalLimit: 0 })
  const requested = await plumbline.post('/api/admin/sign-in/link', { email }, pageRequest(''))
  expect([requested.status, requested.body]).toEqual([202, { delivery: 'mail' }])
})

test('an update of a user with a stale ETag is rejected', async () => {
  const { body } = await invite({ email: 'change@example.com', name: 'Change', role: 'viewer' })
  const at = `${USERS}/${body.id}`
  const ifMatch = { ...owner, headers: { ...owner.headers, 'if-match': '"1"' } }
  const changed = await plumbline.patch(at, { role: 'accountant', poApprovalLimit: null }, ifMatch)
  expect(changed.body).toMatchObject({ role: 'accountant', poApprovalLimit: null, version: 2 })
  expect((await plumbline.patch(at, { name: 'Late' }, ifMatch)).status).toBe(412)
  expect((await plumbline.patch(at, { email: 'other@example.com' }, owner)).status).toBe(422)
  const { body: trail } = await plumbline.get(`/api/ext/audit-entries?resourceId=${body.id}&sort=at`)
  expect(trail.data.map(({ action }: { action: string }) => action)).toEqual(['user.created', 'user.updated'])
})

test('a deactivated user loses access immediately and regains it when reactivated', async () => {
  const { body } = await invite({ email: 'out@example.com', name: 'Out', role: 'viewer' })
  const out = await plumbline.signIn('out@example.com')
  const change = (status: string) => plumbline.post(`${USERS}/${body.id}/status`, { status }, admin)
  expect((await change('disabled')).body.status).toBe('disabled')
  expect((await plumbline.get('/api/admin/session', out)).status).toBe(401)
  expect((await change('active')).body.status).toBe('active')
  expect((await plumbline.get('/api/admin/session', out)).status).toBe(200)
})

test('an admin cannot create or change an owner', async () => {
  const { body: session } = await plumbline.get('/api/admin/session', owner)
  const { body: self } = await plumbline.get('/api/admin/session', admin)
  const [ofOwner, ofAdmin] = [`${USERS}/${session.user.id}`, `${USERS}/${self.user.id}`]
  for (const refused of [
    await invite({ email: 'boss@example.com', name: 'Boss', role: 'owner' }, admin),
    await plumbline.patch(ofAdmin, { role: 'owner' }, admin),
    await plumbline.patch(ofOwner, { role: 'viewer' }, admin),
    await plumbline.post(`${ofOwner}/status`, { status: 'disabled' }, admin),
  ])
    expect(refused.body).toMatchObject({ status: 403, code: 'permission_denied' })
})

test('the last owner cannot be demoted or deactivated', async () => {
  const { body: session } = await plumbline.get('/api/admin/session', owner)
  const ofOwner = `${USERS}/${session.user.id}`
  for (const refused of [
    await plumbline.patch(ofOwner, { role: 'admin' }, owner),
    await plumbline.post(`${ofOwner}/status`, { status: 'disabled' }, owner),
  ])
    expect(refused.body).toMatchObject({ status: 409, code: 'conflict' })
})

describe('an admin with an approval limit of 5,000', () => {
  let id: string
  let ruth: RequestOptions
  beforeAll(async () => {
    const invited = await invite({ email: 'ruth@example.com', name: 'Ruth', role: 'admin', poApprovalLimit: 5000 })
    id = invited.body.id
    ruth = await plumbline.signIn('ruth@example.com')
  })

  test.each([5000.01, null])("only an owner can raise an admin's approval limit to %s", async (poApprovalLimit) => {
    const refused = await plumbline.patch(`${USERS}/${id}`, { poApprovalLimit }, ruth)
    expect(refused.body).toMatchObject({ status: 403, code: 'permission_denied' })
    expect((await plumbline.patch(`${USERS}/${id}`, { poApprovalLimit }, owner)).status).toBe(200)
    expect((await plumbline.patch(`${USERS}/${id}`, { poApprovalLimit: 5000 }, ruth)).body.poApprovalLimit).toBe(5000)
  })

  test("an admin cannot raise a user's approval limit above the admin's own limit, but can keep a higher limit", async () => {
    for (const poApprovalLimit of [5000.01, null]) {
      const puppet = { email: 'puppet@example.com', name: 'Puppet', role: 'estimator', poApprovalLimit }
      expect((await invite(puppet, ruth)).body).toMatchObject({ status: 403, code: 'permission_denied' })
    }
    const email = `rich${id}@example.com`
    const { body: rich } = await invite({ email, name: 'Rich', role: 'accountant', poApprovalLimit: 9000 })
    const refused = await plumbline.patch(`${USERS}/${rich.id}`, { poApprovalLimit: 9500 }, ruth)
    expect(refused.body).toMatchObject({
      code: 'permission_denied',
      detail: 'Your approval limit is $5,000.00. Only an owner can set a higher limit.',
    })
    const all = { name: 'Richard', role: 'accountant', poApprovalLimit: 9000 }
    expect((await plumbline.patch(`${USERS}/${rich.id}`, all, ruth)).status).toBe(200)
    // An admin cannot change the role of a user whose approval limit is higher than the admin's, and cannot restore the
    // user's access.
    const promoted = await plumbline.patch(`${USERS}/${rich.id}`, { role: 'admin' }, ruth)
    expect([promoted.status, promoted.body.detail]).toEqual([
      403,
      "Cannot change the role of this user: the user's approval limit exceeds yours. Ask an owner.",
    ])
    const statusOf = (status: string) => plumbline.post(`${USERS}/${rich.id}/status`, { status }, ruth)
    expect((await statusOf('disabled')).status).toBe(200)
    expect((await statusOf('active')).body).toMatchObject({ status: 403, code: 'permission_denied' })
    const restored = await plumbline.post(`${USERS}/${rich.id}/status`, { status: 'active' }, owner)
    expect(restored.status).toBe(200)
    expect((await plumbline.patch(`${USERS}/${rich.id}`, { poApprovalLimit: 4000 }, ruth)).status).toBe(200)
    expect((await plumbline.patch(`${USERS}/${rich.id}`, { role: 'viewer' }, ruth)).status).toBe(200)
    expect((await plumbline.patch(`${USERS}/${rich.id}`, { poApprovalLimit: 5000 }, ruth)).status).toBe(200)
  })
})

test('the list of roles contains the permissions of each role', async () => {
  const { body } = await plumbline.get('/api/admin/roles', admin)
  const viewer = body.data.find(({ role }: { role: string }) => role === 'viewer')
  expect(body.data).toHaveLength(7)
  expect(viewer.permissions).toEqual(expect.arrayContaining(['vendors:read', 'settings:read']))
  expect(viewer.permissions).not.toContain('users:read')
})
