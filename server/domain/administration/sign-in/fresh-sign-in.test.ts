import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toOperationKeyPath } from '../../../../scripts/conformance/describe-response-errors.ts'
import { listEntriesAtPath, wholeContract } from '../../../../scripts/conformance/walked-contract.ts'
import { createAuthenticator } from '../../../../test/support/authenticator.ts'
import { connectApp, createOauthApp } from '../../../../test/support/oauth-app.ts'
import {
  pageRequest,
  type RequestOptions,
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'
import { createUser } from '../../office/users/users.ts'

let plumbline: TestPlumbline
let keyId: string
let userId: string
/** A proposal that an app made for the owner. */
let proposalId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const owner = await plumbline.signIn()
  const key = await plumbline.post('/api/admin/keys', { name: 'Agent', permissions: ['vendors:read'] }, owner)
  const invited = { email: 'vic@harrowfinch.example.com', name: 'Vic Ewer', role: 'viewer' }
  const user = await plumbline.post('/api/admin/users', invited, owner)
  keyId = key.body.id
  userId = user.body.id
  const app = await connectApp(plumbline, await createOauthApp(plumbline), owner, { proposeOnly: true })
  proposalId = (await plumbline.post('/api/ext/vendors', { companyName: 'Lone Star Framing' }, app)).body.id
})
afterAll(() => plumbline.stop())

/** Makes the sign-in of every session older by this number of seconds. */
const ageSessions = (seconds: number) =>
  sql`update "sessions" set "createdAt" = now() - make_interval(secs => ${seconds})`.execute(
    plumbline.database.statements,
  )

const passkey = { credentialId: 'AA', clientDataJSON: 'AA', attestationObject: 'AA', name: 'Laptop' }

/** A well-formed ID that belongs to no record. */
const NOBODY = 'ven_01m7y975jzfesvq6t4k8m2w6rc'

/** For each operation that requires a fresh sign-in, a function that calls the operation. */
const REQUESTS: Readonly<Record<string, (by: RequestOptions) => Promise<ServiceResponse>>> = {
  createPasskeyRegistrationOptions: (by) => plumbline.post('/api/admin/passkeys/prepare', undefined, by),
  addPasskey: (by) => plumbline.post('/api/admin/passkeys', passkey, by),
  removePasskey: (by) => plumbline.delete('/api/admin/passkeys/psk_01m7y975jzfesvq6t4k8m2w6rc', by),
  createKey: (by) => plumbline.post('/api/admin/keys', { name: 'More', permissions: ['vendors:read'] }, by),
  updateKey: (by) => plumbline.patch(`/api/admin/keys/${keyId}`, { expiresAt: null }, by),
  rotateKey: (by) => plumbline.post(`/api/admin/keys/${keyId}/rotate`, {}, by),
  inviteUser: (by) => plumbline.post('/api/admin/users', { email: 'a@example.com', name: 'Ada', role: 'admin' }, by),
  updateUser: (by) => plumbline.patch(`/api/admin/users/${userId}`, { role: 'admin' }, by),
  approveProposal: (by) => plumbline.post(`/api/ext/proposals/${proposalId}/approve`, undefined, by),
  copyVendorPortalLink: (by) => plumbline.post(`/api/ext/vendors/${NOBODY}/portal-link`, undefined, by),
  copyHomeOwnerLink: (by) => plumbline.post(`/api/ext/home-owners/${NOBODY}/link`, undefined, by),
  copyInvitationLink: (by) => plumbline.post(`/api/ext/invitations/${NOBODY}/portal-link`, undefined, by),
  reopenPeriod: (by) =>
    plumbline.post('/api/ext/ledger/close/reopen', { throughDate: null, reason: 'A bill is missing.' }, by),
  changeUserStatus: (by) => plumbline.post(`/api/admin/users/${userId}/status`, { status: 'active' }, by),
}

const declaring = [...wholeContract.operations.values()].filter((operation) =>
  listEntriesAtPath(
    ...toOperationKeyPath(operation),
    'responses',
    '403',
    'content',
    'application/problem+json',
    'examples',
  ).some(([name]) => name === 'fresh_sign_in_required'),
)

test('a test request exists for every operation that declares fresh_sign_in_required', () => {
  expect(declaring.map(({ id }) => id).sort()).toEqual(Object.keys(REQUESTS).sort())
})

test.each(Object.keys(REQUESTS))(
  '%s returns fresh_sign_in_required more than ten minutes after the sign-in',
  async (id) => {
    const owner = await plumbline.signIn()
    await ageSessions(601)
    const refused = await REQUESTS[id]?.(owner)
    expect(refused?.body).toMatchObject({ status: 403, code: 'fresh_sign_in_required' })
    await ageSessions(570)
    expect((await REQUESTS[id]?.(owner))?.body?.code).not.toBe('fresh_sign_in_required')
  },
)

test('a change that grants no access does not require a fresh sign-in', async () => {
  const owner = await plumbline.signIn()
  await ageSessions(601)
  expect((await plumbline.patch(`/api/admin/keys/${keyId}`, { name: 'Voice agent' }, owner)).status).toBe(200)
  expect((await plumbline.patch(`/api/admin/users/${userId}`, { name: 'Vic' }, owner)).status).toBe(200)
  expect((await plumbline.post(`/api/admin/users/${userId}/status`, { status: 'disabled' }, owner)).status).toBe(200)
})

test('recent use of an old session does not count as a fresh sign-in', async () => {
  const owner = await plumbline.signIn()
  await ageSessions(26 * 3600)
  await sql`update "sessions" set "updatedAt" = "createdAt", "expiresAt" = now() + interval '10 days'`.execute(
    plumbline.database.statements,
  )
  const lengthened = await plumbline.get('/api/admin/session', owner)
  expect(lengthened.headers.getSetCookie()).toHaveLength(1)
  expect((await REQUESTS.rotateKey?.(owner))?.body.code).toBe('fresh_sign_in_required')
})

test('a second sign-in in the same browser replaces the session and keeps its organization', async () => {
  const other = await plumbline.newBuilder()
  const before = await plumbline.signIn()
  const moved = { organizationId: other.organizationId }
  expect((await plumbline.post('/api/admin/session/organization', moved, before)).status).toBe(200)
  // In another browser, the same user now works for the first builder.
  await plumbline.post(
    '/api/admin/session/organization',
    { organizationId: plumbline.organizationId },
    await plumbline.signIn(),
  )
  await ageSessions(601)
  expect((await REQUESTS.createKey?.(before))?.body.code).toBe('fresh_sign_in_required')
  const device = createAuthenticator(plumbline.config.publicUrl)
  const fresh = await plumbline.signIn()
  const { body: requested } = await plumbline.post('/api/admin/passkeys/prepare', undefined, fresh)
  await plumbline.post('/api/admin/passkeys', { name: 'Laptop', ...device.create(requested) }, fresh)
  const { body: challenge } = await plumbline.post('/api/admin/sign-in/passkey/challenge', undefined, pageRequest(''))
  const again = await plumbline.post('/api/admin/sign-in/passkey', device.sign(challenge), before)
  expect(again.body).toMatchObject({ organization: { id: other.organizationId } })
  const after = pageRequest(again.headers.getSetCookie()[0]?.split(';')[0] ?? '')
  expect((await REQUESTS.createKey?.(after))?.status).toBe(201)
  expect((await plumbline.get('/api/admin/session', before)).status).toBe(401)
  expect((await plumbline.get('/api/admin/session', after)).body.organization.id).toBe(other.organizationId)
})

test('a sign-in of another user in the same browser removes all state of the previous session', async () => {
  const { database, clock, organizationId } = plumbline
  const other = await plumbline.newBuilder()
  const before = await plumbline.signIn()
  await plumbline.post('/api/admin/session/organization', { organizationId: other.organizationId }, before)
  const email = 'dana@example.com'
  await createUser(database, clock, { organizationId, email, name: 'Dana', role: 'viewer', poApprovalLimit: 0 })
  const { url } = await plumbline.app.services.identity.makeLink(email, 60_000)
  const token = url.slice(url.indexOf('=') + 1)
  const dana = await plumbline.post('/api/admin/sign-in', { token }, before)
  expect(dana.body).toMatchObject({ user: { email }, organization: { id: organizationId } })
  expect((await plumbline.get('/api/admin/session', before)).status).toBe(401)
})
