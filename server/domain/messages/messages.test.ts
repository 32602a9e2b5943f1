import { afterAll, beforeAll, expect, test } from 'vitest'
import { listEventsAbout } from '../../../test/support/recorded-events.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { createUser } from '../office/users/users.ts'

let plumbline: TestPlumbline
let owner: string
let admin: string
let viewer: string

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const colleague = async (role: 'admin' | 'viewer', name: string) => {
    const { organizationId, database, clock } = plumbline
    const email = `${name.toLowerCase()}@harrowfinch.example.com`
    const user = { organizationId, email, name, role, poApprovalLimit: 0 }
    return (await createUser(database, clock, user)).id
  }
  admin = await colleague('admin', 'Elena')
  viewer = await colleague('viewer', 'Otto')
  const { body } = await plumbline.post('/api/ext/messages', { body: 'Good morning.', recipientRoles: ['owner'] })
  owner = body.recipients[0].id
})
afterAll(() => plumbline.stop())

const to = (...ids: string[]) => ids.map((id) => ({ type: 'user', id }))
const idsOf = ({ recipients }: { recipients: { id: string }[] }) => recipients.map(({ id }) => id)

/** Creates a key that acts for the given user. */
async function newKeyOf(userId: string): Promise<string> {
  const key = await plumbline.newKey(['messages:read', 'messages:write'])
  const newest = plumbline.database.statements.selectFrom('apiKeys').select('id').orderBy('id', 'desc').limit(1)
  const { id } = await newest.executeTakeFirstOrThrow()
  const change = plumbline.database.statements.updateTable('apiKeys').set({ createdByUserId: userId })
  await change.where('id', '=', id).execute()
  return key
}

async function disable(id: string) {
  await plumbline.database.statements.updateTable('users').set({ status: 'disabled' }).where('id', '=', id).execute()
}

test('a user who is a recipient by name and by role receives a message only once', async () => {
  const sent = await plumbline.post('/api/ext/messages', {
    subject: 'Framing of Lot 14',
    body: 'The slab is ready.',
    recipients: to(viewer, admin),
    recipientRoles: ['owner', 'admin'],
  })
  expect(sent.status).toBe(201)
  expect(idsOf(sent.body)).toEqual([viewer, admin, owner])
  const { sentAt } = sent.body
  expect(sent.body).toMatchObject({ channel: 'in_app', status: 'delivered', threadId: null, createdAt: sentAt })
  expect(sent.body.sender).toEqual(sent.body.createdBy)
  for (const recipient of sent.body.recipients)
    expect(recipient).toMatchObject({ type: 'user', deliveryStatus: 'delivered', deliveredAt: sentAt, readAt: null })
  const events = await listEventsAbout(plumbline, sent.body.id)
  expect(events).toMatchObject([{ type: 'message.sent', data: { object: sent.body, previous: null } }])
  expect((await plumbline.get(sent.headers.get('location') ?? '')).body).toEqual(sent.body)
})

test('a reply to a message belongs to the thread of the original message', async () => {
  const { body: first } = await plumbline.post('/api/ext/messages', { body: 'When?', recipients: to(admin) })
  const answer = (inReplyToId: string) =>
    plumbline.post('/api/ext/messages', { body: 'Tuesday.', recipients: to(owner), inReplyToId })
  const { body: second } = await answer(first.id)
  const { body: third } = await answer(second.id)
  expect([second.threadId, third.threadId]).toEqual([first.id, first.id])
  const { body: thread } = await plumbline.get(`/api/ext/messages?threadId=${first.id}&sort=createdAt`)
  expect(thread.data.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id, third.id])
})

test('messages can be filtered by recipient and by subject', async () => {
  const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: 'Lone Star Framing LLC' })
  const relatedTo = { type: 'vendor', id: vendor.id }
  const { body: about } = await plumbline.post('/api/ext/messages', {
    body: 'Call.',
    recipients: to(viewer),
    relatedTo,
  })
  expect(about.relatedTo).toEqual(relatedTo)
  const found = await plumbline.get(`/api/ext/messages?relatedToId=${vendor.id}`)
  expect(found.body.data).toEqual([about])
  const theirs = await plumbline.get(`/api/ext/messages?recipientId=${viewer}&limit=200`)
  expect(theirs.body.data[0]).toEqual(about)
  for (const message of theirs.body.data) expect(idsOf(message)).toContain(viewer)
})

test('a message is rejected if it has no recipients, unknown recipients, or an unknown related record', async () => {
  const errors = async (body: object) => {
    const refused = await plumbline.post('/api/ext/messages', { body: 'Hello.', ...body })
    return [refused.status, refused.body.code, refused.body.errors?.map(({ pointer }: { pointer: string }) => pointer)]
  }
  expect(await errors({})).toEqual([422, 'validation_failed', ['/recipients']])
  const vendor = [{ type: 'vendor', id: 'ven_01m7y975jzfesvq6ba4mxry0e1' }]
  expect(await errors({ recipients: vendor })).toEqual([422, 'unknown_reference', ['/recipients/0/id']])
  const stranger = (await plumbline.newBuilder()).userId
  expect(await errors({ recipients: to(owner, stranger) })).toEqual([422, 'unknown_reference', ['/recipients/1/id']])
  const nothing = { type: 'home', id: 'hom_01m7y975jzfesvq6ba4mxry0e1' }
  expect(await errors({ recipients: to(owner), relatedTo: nothing })).toEqual([
    422,
    'unknown_reference',
    ['/relatedTo/id'],
  ])
  expect(await errors({ recipients: to(owner), inReplyToId: 'msg_nowhere' })).toEqual([
    422,
    'unknown_reference',
    ['/inReplyToId'],
  ])
})

test('a deactivated user cannot receive a message by name or by role', async () => {
  await disable(viewer)
  expect(await plumbline.post('/api/ext/messages', { body: 'Hello.', recipients: to(viewer) })).toMatchObject({
    status: 409,
    body: { reason: 'user_disabled', detail: 'Cannot send the message: Otto is disabled.' },
  })
  expect((await plumbline.post('/api/ext/messages', { body: 'Hello.', recipientRoles: ['viewer'] })).status).toBe(409)
})

test("a builder cannot see another builder's messages", async () => {
  const { body: message } = await plumbline.post('/api/ext/messages', { body: 'Hello.', recipients: to(owner) })
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.get(`/api/ext/messages/${message.id}`, { key })).status).toBe(404)
  expect((await plumbline.get('/api/ext/messages', { key })).body.data).toEqual([])
})

test('sending a message requires messages:write', async () => {
  const { body: message } = await plumbline.post('/api/ext/messages', { body: 'Hello.', recipients: to(owner) })
  const reader = await plumbline.newKey(['messages:read'])
  expect((await plumbline.get(`/api/ext/messages/${message.id}`, { key: reader })).status).toBe(200)
  expect(
    (await plumbline.post('/api/ext/messages', { body: 'Hello.', recipients: to(owner) }, { key: reader })).status,
  ).toBe(403)
})

test('repeating a message request with the same Idempotency-Key sends only one message', async () => {
  const headers = { 'idempotency-key': 'message-1' }
  const body = { body: 'Once.', recipients: to(owner) }
  const first = await plumbline.post('/api/ext/messages', body, { headers })
  const again = await plumbline.post('/api/ext/messages', body, { headers })
  expect(again.body).toEqual(first.body)
  const { body: all } = await plumbline.get('/api/ext/messages?limit=200')
  expect(all.data.filter((message: { body: string }) => message.body === 'Once.')).toHaveLength(1)
})

test('a reply that names no recipients is sent to every participant of the conversation except its sender', async () => {
  const newKey = async () => ({ key: await plumbline.newKey(['messages:read', 'messages:write']) })
  const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: 'Brazos Framing' })
  const recipients = [...to(owner, admin), { type: 'vendor', id: vendor.id }]
  const { body: first } = await plumbline.post('/api/ext/messages', { body: 'Who comes?', recipients }, await newKey())
  const { body: answer } = await plumbline.post('/api/ext/messages', { body: 'I do.', inReplyToId: first.id })
  expect(idsOf(answer)).toEqual([admin, vendor.id])
  const alone = await plumbline.post('/api/ext/messages', { body: 'A note.', recipients: to(owner) })
  expect(await plumbline.post('/api/ext/messages', { body: 'Another.', inReplyToId: alone.body.id })).toMatchObject({
    status: 409,
    body: { reason: 'no_recipient', detail: expect.stringContaining('has no other participants') },
  })
})

test("a reply through an API key to its own user's message is sent to the original recipient", async () => {
  const first = await plumbline.post('/api/ext/messages', { body: 'Who comes?', recipients: to(admin) })
  const key = await newKeyOf(admin)
  const reply = await plumbline.post('/api/ext/messages', { body: 'I do.', inReplyToId: first.body.id }, { key })
  expect(reply.status).toBe(201)
  expect(idsOf(reply.body)).toEqual([owner])
})

test('each recipient of a message has a separate read status', async () => {
  const { body: sent } = await plumbline.post('/api/ext/messages', { body: 'Read me.', recipients: to(owner, admin) })
  const unread = async (id: string) => {
    const { body } = await plumbline.get(`/api/ext/messages?unreadBy=${id}&limit=200`)
    return body.data.some((message: { id: string }) => message.id === sent.id)
  }
  const mark = (body: object) => plumbline.post(`/api/ext/messages/${sent.id}/read`, body)
  expect([await unread(owner), await unread(admin)]).toEqual([true, true])
  const { status, body: read } = await mark({})
  expect([status, read.version]).toEqual([200, 2])
  expect(read.recipients.map(({ readAt }: { readAt: string | null }) => readAt !== null)).toEqual([true, false])
  expect([await unread(owner), await unread(admin)]).toEqual([false, true])
  expect((await mark({})).body).toEqual(read)
  expect((await mark({ recipientId: owner, isRead: false })).body.recipients[0].readAt).toBeNull()
  expect(await unread(owner)).toBe(true)
  expect(await mark({ recipientId: 'usr_01m7y975jyfesvq68zscp297pv' })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/recipientId' }] },
  })
  const { body: other } = await plumbline.post('/api/ext/messages', { body: 'Not mine.', recipients: to(admin) })
  expect((await plumbline.post(`/api/ext/messages/${other.id}/read`, {})).status).toBe(409)
})

test('linking a message to a record requires permission to read the record', async () => {
  const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: 'Hill Country Framers' })
  const about = { body: 'Call.', recipients: to(owner), relatedTo: { type: 'vendor', id: vendor.id } }
  const writer = { key: await plumbline.newKey(['messages:write']) }
  expect(await plumbline.post('/api/ext/messages', about, writer)).toMatchObject({
    status: 403,
    body: { code: 'permission_denied', permission: 'vendors:read' },
  })
  const reader = { key: await plumbline.newKey(['messages:write', 'vendors:read']) }
  expect((await plumbline.post('/api/ext/messages', about, reader)).status).toBe(201)
})

test('an email message is delivered in the app if no mail server is configured', async () => {
  const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: 'Redrock Concrete' })
  const message = { body: 'Hello.', channel: 'email', recipients: [{ type: 'vendor', id: vendor.id }] }
  const { body: sent } = await plumbline.post('/api/ext/messages', message)
  expect(sent).toMatchObject({ channel: 'in_app', status: 'delivered', recipients: [{ deliveryStatus: 'delivered' }] })
  expect((await plumbline.get(`/api/ext/mails?aboutId=${sent.id}`)).body.data).toEqual([])
})

test('an archived vendor cannot receive messages', async () => {
  const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: 'Redrock Concrete' })
  const message = { body: 'Hello.', channel: 'email', recipients: [{ type: 'vendor', id: vendor.id }] }
  await plumbline.delete(`/api/ext/vendors/${vendor.id}`)
  expect(await plumbline.post('/api/ext/messages', message)).toMatchObject({
    status: 409,
    body: { reason: 'user_disabled', detail: 'Cannot send the message: Redrock Concrete is archived.' },
  })
})
