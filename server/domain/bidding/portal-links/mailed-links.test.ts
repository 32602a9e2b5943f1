import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MailServer, startMailServer } from '../../../../test/support/mail-server.ts'
import { type RequestOptions, startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { eraseContact } from '../../../operators/builder-data/erase-person.ts'
import { createKey } from '../../../platform/keys/keys.ts'
import { ALL_PERMISSIONS } from '../../../platform/keys/roles.ts'
import { createUser } from '../../office/users/users.ts'

/**
 * These tests check emailed links. If mail is configured, the service emails portal links, and users do not copy them.
 */
let mailServer: MailServer
let plumbline: TestPlumbline
let communityId: string
beforeAll(async () => {
  mailServer = await startMailServer()
  plumbline = await startTestPlumbline(mailServer.env)
  const community = { name: 'Juniper Ridge', timeZone: 'America/Chicago' }
  communityId = (await plumbline.post('/api/ext/communities', community)).body.id
})
afterAll(async () => {
  await plumbline.stop()
  await mailServer.stop()
})

const invited = async (email: string | null) => {
  const vendor = { companyName: `Framers of ${email}`, email, status: 'active' }
  const { id } = (await plumbline.post('/api/ext/vendors', vendor)).body
  const requested = { vendorIds: [id], scope: 'framing', deadline: '2035-06-30', communityId }
  const { body } = await plumbline.post('/api/ext/bids/request', requested)
  return { vendorId: id, invitationId: body.invitations[0].id }
}

test('a portal link that is sent by email cannot be copied', async () => {
  const { vendorId, invitationId } = await invited('bids@brazos.example.com')
  const mail = await mailServer.next('bids@brazos.example.com')
  expect(mail.source.replaceAll('=\r\n', '')).toContain(await plumbline.mailedLink(invitationId))
  await plumbline.post(`/api/ext/vendors/${vendorId}/invite`)
  for (const path of [`/invitations/${invitationId}`, `/vendors/${vendorId}`]) {
    const { status, body } = await plumbline.post(`/api/ext${path}/portal-link`)
    expect([path, status, body.reason]).toEqual([path, 409, 'not_available'])
  }
})

test('a user without portal_links:read cannot redirect the links of an invited vendor to another address', async () => {
  const { vendorId } = await invited('bids@llano.example.com')
  const { database, clock, organizationId } = plumbline
  const email = 'estimator@example.com'
  const requested = { organizationId, email, name: 'Elena', role: 'estimator', poApprovalLimit: null } as const
  const { id: userId } = await createUser(database, clock, requested)
  const estimator = { key: (await createKey(database, clock, { organizationId, userId, name: 'Elena' })).secret }
  const refusals = [
    await plumbline.patch(`/api/ext/vendors/${vendorId}`, { email }, estimator),
    await plumbline.patch(`/api/ext/vendors/${vendorId}`, { contacts: [{ name: 'Elena', email }] }, estimator),
  ]
  // Revoking the portal link has the same effect, because the invitation can be sent again.
  await plumbline.post(`/api/ext/vendors/${vendorId}/revoke-portal`, undefined, estimator)
  refusals.push(await plumbline.patch(`/api/ext/vendors/${vendorId}`, { email }, estimator))
  for (const { status, body } of refusals)
    expect([status, body.code, body.permission]).toEqual([403, 'permission_denied', 'portal_links:read'])
  const rows = [{ id: vendorId, email }]
  const { body: synced } = await plumbline.post(
    '/api/ext/vendors/batch',
    { match: 'id', rows, mode: 'best_effort' },
    estimator,
  )
  expect(JSON.stringify(synced)).toContain('permission_denied')
  expect((await plumbline.get(`/api/ext/vendors/${vendorId}`)).body.email).toBe('bids@llano.example.com')
  const phone = { phone: '+1 512 555 0100', contacts: [{ name: 'Ben', email: null }] }
  expect((await plumbline.patch(`/api/ext/vendors/${vendorId}`, phone, estimator)).status).toBe(200)
  expect((await plumbline.patch(`/api/ext/vendors/${vendorId}`, { email })).status).toBe(200)
})

test("merging vendors cannot be used to redirect the merged vendor's links to another address", async () => {
  const { vendorId, invitationId } = await invited('bids@sabine.example.com')
  const email = 'kim@example.com'
  const key = { key: await plumbline.newKey(ALL_PERMISSIONS.filter((each) => each !== 'portal_links:read')) }
  const post = (path: string, body: object) => plumbline.post(`/api/ext${path}`, body, key)
  const ownAddress = { companyName: 'Sabine Framing', email, status: 'active' }
  const withAddress = (await post('/vendors', ownAddress)).body.id
  const merge = (keepId: string) => post('/execute', { skill: 'mergeVendors', input: { keepId, mergeId: vendorId } })
  expect((await merge(withAddress)).body).toMatchObject({ status: 403, permission: 'portal_links:read' })
  const keepId = (await post('/vendors', { ...ownAddress, email: null })).body.id
  expect((await merge(keepId)).status).toBe(200)
  const added = await plumbline.patch(`/api/ext/vendors/${keepId}`, { email }, key)
  expect(added.body).toMatchObject({ status: 403, code: 'permission_denied', permission: 'portal_links:read' })
  await post(`/invitations/${invitationId}/resend`, {})
  const { body: mails } = await plumbline.get(`/api/ext/mails?aboutId=${invitationId}`)
  expect(mails.data.map(({ to }: { to: string }) => to)).not.toContain(email)
})

test('a user can copy the portal link of a vendor without an email address', async () => {
  const { invitationId } = await invited(null)
  const { status, body } = await plumbline.post(`/api/ext/invitations/${invitationId}/portal-link`)
  expect([status, body.portalUrl]).toEqual([200, expect.stringContaining('/portal/inv_')])
})

test('changing a phone number or the letter case of an email address does not revoke emailed links', async () => {
  const vendorId = await vendorWith({ email: 'old@brazos.example.com', contacts: [contact('dana@brazos.example.com')] })
  await plumbline.post(`/api/ext/vendors/${vendorId}/invite`)
  const invitationId = await requestedBid(vendorId)
  const old = [linkOf(await plumbline.mailedLink(vendorId)), linkOf(await plumbline.mailedLink(invitationId))]
  const opens = async (link: RequestOptions) => (await plumbline.get('/api/portal/invitations', link)).status
  for (const link of old) expect(await opens(link)).toBe(200)

  const unrelated = { email: 'OLD@brazos.example.com', phone: '+1 512 555 0100' }
  expect((await plumbline.patch(`/api/ext/vendors/${vendorId}`, unrelated)).status).toBe(200)
  for (const link of old) expect(await opens(link)).toBe(200)
})

test('removing an email address revokes the links that were sent to it', async () => {
  const vendorId = await vendorWith({ email: 'old@brazos.example.com', contacts: [contact('dana@brazos.example.com')] })
  await plumbline.post(`/api/ext/vendors/${vendorId}/invite`)
  const invitationId = await requestedBid(vendorId)
  const old = [linkOf(await plumbline.mailedLink(vendorId)), linkOf(await plumbline.mailedLink(invitationId))]
  const opens = async (link: RequestOptions) => (await plumbline.get('/api/portal/invitations', link)).status
  for (const link of old) expect(await opens(link)).toBe(200)
  const moved = { email: 'new@brazos.example.com', contacts: [] }
  expect((await plumbline.patch(`/api/ext/vendors/${vendorId}`, moved)).status).toBe(200)
  for (const link of old) expect((await plumbline.get('/api/portal/invitations', link)).body.code).toBe('revoked_token')
})

test('removing an email address sends new links to the new address', async () => {
  const vendorId = await vendorWith({ email: 'old@brazos.example.com', contacts: [contact('dana@brazos.example.com')] })
  await plumbline.post(`/api/ext/vendors/${vendorId}/invite`)
  const invitationId = await requestedBid(vendorId)
  await plumbline.mailedLink(vendorId)
  const opens = async (link: RequestOptions) => (await plumbline.get('/api/portal/invitations', link)).status
  const moved = { email: 'newest@brazos.example.com', contacts: [] }
  expect((await plumbline.patch(`/api/ext/vendors/${vendorId}`, moved)).status).toBe(200)
  const mails = [await mailServer.next(moved.email), await mailServer.next(moved.email)]
  const sources = mails.map(({ source }) => source.replaceAll('=\r\n', ''))
  const link = await plumbline.mailedLink(invitationId)
  expect(sources.filter((source) => source.includes(link))).toHaveLength(1)
  expect(sources.filter((source) => source.includes(`/portal/${vendorId}.`))).toHaveLength(1)
  expect(await opens(linkOf(link))).toBe(200)
})

test("removing a contact revokes the contact's portal links, even if the contact no longer receives email", async () => {
  const former = contact('former@brazos.example.com')
  const vendorId = await vendorWith({ email: 'office@brazos.example.com', contacts: [former] })
  await plumbline.post(`/api/ext/vendors/${vendorId}/invite`)
  const link = linkOf(await plumbline.mailedLink(vendorId))
  const change = (contacts: object[]) => plumbline.patch(`/api/ext/vendors/${vendorId}`, { contacts })
  expect((await change([{ ...former, notify: false }])).status).toBe(200)
  expect((await plumbline.get('/api/portal/invitations', link)).status).toBe(200)
  expect((await change([])).status).toBe(200)
  expect((await plumbline.get('/api/portal/invitations', link)).body.code).toBe('revoked_token')
})

test('erasing a contact revokes the portal links of the vendor and sends no new links', async () => {
  const vendorId = await vendorWith({
    email: 'yard@brazos.example.com',
    contacts: [contact('gone@brazos.example.com')],
  })
  await plumbline.post(`/api/ext/vendors/${vendorId}/invite`)
  const link = linkOf(await plumbline.mailedLink(vendorId))
  await eraseContact(plumbline, vendorId, { email: 'gone@brazos.example.com', also: [] })
  expect((await plumbline.get('/api/portal/invitations', link)).body.code).toBe('revoked_token')
  await expect(plumbline.mailedLink(vendorId)).rejects.toThrow('no portal link')
})

test('if a vendor loses its last email address, its portal links are revoked', async () => {
  const vendorId = await vendorWith({ email: 'last@brazos.example.com' })
  await plumbline.post(`/api/ext/vendors/${vendorId}/invite`)
  const link = linkOf(await plumbline.mailedLink(vendorId))
  const rows = [{ id: vendorId, email: null }]
  expect((await plumbline.post('/api/ext/vendors/batch', { match: 'id', rows })).status).toBe(200)
  expect((await plumbline.get('/api/portal/invitations', link)).body.code).toBe('revoked_token')
  await expect(plumbline.mailedLink(vendorId)).rejects.toThrow('no portal link')
})

const contact = (email: string) => ({ name: 'Dana Whitfield', email, notify: true })
const linkOf = (url: string) => ({ key: url.slice(url.lastIndexOf('/') + 1) })

async function vendorWith(addresses: object): Promise<string> {
  const vendor = { companyName: 'Brazos Framing', status: 'active', ...addresses }
  return (await plumbline.post('/api/ext/vendors', vendor)).body.id
}

async function requestedBid(vendorId: string): Promise<string> {
  const requested = { vendorIds: [vendorId], scope: 'framing', deadline: '2035-06-30', communityId }
  return (await plumbline.post('/api/ext/bids/request', requested)).body.invitations[0].id
}
