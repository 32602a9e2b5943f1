import { afterAll, beforeAll, expect, test } from 'vitest'
import { listEventsAbout } from '../../../test/support/recorded-events.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

/** Tests how a vendor reads messages and replies to them in the portal, through operations and pages. */
let plumbline: TestPlumbline
let vendorId: string
let token: string

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const newVendor = { companyName: 'Lone Star Framing LLC', email: 'bids@lonestar.example.com' }
  vendorId = (await plumbline.post('/api/ext/vendors', newVendor)).body.id
  await plumbline.post(`/api/ext/vendors/${vendorId}/invite`)
  token = (await plumbline.mailedLink(vendorId)).split('/').at(-1) ?? ''
})
afterAll(() => plumbline.stop())

const toVendor = async (more: object = {}) =>
  (
    await plumbline.post('/api/ext/messages', {
      subject: 'Framing of Lot 14',
      body: 'Can you start a day earlier?',
      recipients: [{ type: 'vendor', id: vendorId }],
      ...more,
    })
  ).body
const inPortal = () => ({ key: token })

test('a vendor can read messages and reply to their authors in the portal', async () => {
  const sent = await toVendor()
  const { body: listed } = await plumbline.get('/api/portal/messages', inPortal())
  expect(listed.data[0]).toEqual({
    ...{ id: sent.id, isOwn: false, readAt: null },
    content: { threadId: null, subject: sent.subject, body: sent.body, sentAt: sent.sentAt },
  })
  expect((await plumbline.get(`/api/portal/messages/${sent.id}`, inPortal())).body).toEqual(listed.data[0])
  await plumbline.post('/api/portal/visits', { messageId: sent.id }, inPortal())
  const { body: read } = await plumbline.get(`/api/ext/messages/${sent.id}`)
  expect(read.recipients[0].readAt).not.toBeNull()
  const answered = await plumbline.post(`/api/portal/messages/${sent.id}/reply`, { body: 'Yes.' }, inPortal())
  expect(answered).toMatchObject({ status: 200, body: { isOwn: true, content: { threadId: sent.id, body: 'Yes.' } } })
  expect((await plumbline.get(`/api/portal/messages/${answered.body.id}`, inPortal())).body).toEqual(answered.body)
  const { body: answer } = await plumbline.get(`/api/ext/messages/${answered.body.id}`)
  expect(answer).toMatchObject({ sender: { type: 'vendor', id: vendorId }, inReplyToId: sent.id, threadId: sent.id })
  expect(answer.recipients).toMatchObject([{ type: 'user' }])
  expect(await listEventsAbout(plumbline, answer.id)).toMatchObject([
    { type: 'message.sent', actor: { type: 'vendor' } },
  ])
  const { body: both } = await plumbline.get('/api/portal/messages', inPortal())
  expect(both.data.map(({ id }: { id: string }) => id)).toEqual([answer.id, sent.id])
  const { body: toIt } = await plumbline.get(`/api/ext/messages?recipientId=${vendorId}`)
  expect(toIt.data.map(({ id }: { id: string }) => id)).toEqual([sent.id])
})

test('portal pages do not run scripts in messages', async () => {
  const sent = await toVendor({ subject: '<script>1</script>' })
  const page = `${plumbline.url}/portal/${token}`
  const home = await (await fetch(page)).text()
  expect(home).toContain(`/portal/${token}/${sent.id}`)
  expect(home).not.toContain('<script>1')
  expect(await (await fetch(`${page}/${sent.id}`)).text()).toContain('Can you start a day earlier?')
  const body = new URLSearchParams({ body: 'On Monday.\nAt seven.' })
  const posted = await fetch(`${page}/${sent.id}`, { method: 'POST', body, redirect: 'manual' })
  expect(posted.status).toBe(303)
  const { body: thread } = await plumbline.get(`/api/ext/messages?threadId=${sent.id}`)
  expect(thread.data[0].body).toBe('On Monday.\nAt seven.')
})

test('the page of a message shows only the messages of its thread, oldest first', async () => {
  const other = await toVendor({ body: 'When does the crane come?' })
  const sent = await toVendor()
  const reply = await plumbline.post(`/api/portal/messages/${sent.id}/reply`, { body: 'Yes, at seven.' }, inPortal())
  for (const id of [sent.id, reply.body.id]) {
    const html = await (await fetch(`${plumbline.url}/portal/${token}/${id}`)).text()
    expect(html).toMatch(/Can you start a day earlier\?[\s\S]*Yes, at seven\./)
    expect(html).not.toContain(other.body)
  }
})

test("a vendor's reply to a message to several vendors reaches only the builder", async () => {
  const newVendor = { companyName: 'Redrock', email: 'office@redrock.example.com' }
  const { body: other } = await plumbline.post('/api/ext/vendors', newVendor)
  const recipients = [vendorId, other.id].map((id) => ({ type: 'vendor', id }))
  const sent = await toVendor({ recipients })
  const reply = await plumbline.post(`/api/portal/messages/${sent.id}/reply`, { body: 'We can.' }, inPortal())
  const { body } = await plumbline.get(`/api/ext/messages/${reply.body.id}`)
  expect(body.recipients).toMatchObject([{ type: 'user' }])
})

test('a vendor cannot see messages to other vendors', async () => {
  const { body: other } = await plumbline.post('/api/ext/vendors', {
    companyName: 'Hill Country',
    email: 'a@b.example',
  })
  const foreign = await toVendor({ recipients: [{ type: 'vendor', id: other.id }] })
  for (const path of [`/api/portal/messages/${foreign.id}`, '/api/portal/messages/msg_nowhere'])
    expect((await plumbline.get(path, inPortal())).status).toBe(404)
  const reply = await plumbline.post(`/api/portal/messages/${foreign.id}/reply`, { body: 'No.' }, inPortal())
  expect(reply.status).toBe(404)
  expect((await plumbline.post('/api/portal/visits', { messageId: foreign.id }, inPortal())).status).toBe(422)
})

test('an invitation link gives no access to messages', async () => {
  const community = { name: 'Juniper Ridge', status: 'active', timeZone: 'America/Chicago' }
  const { body: site } = await plumbline.post('/api/ext/communities', community)
  const requested = { vendorIds: [vendorId], scope: 'framing', deadline: '2031-06-30', communityId: site.id }
  const { body: request } = await plumbline.post('/api/ext/bids/request', requested)
  const key = (await plumbline.mailedLink(request.invitations[0].id)).split('/').at(-1) ?? ''
  expect((await plumbline.get('/api/portal/messages', { key })).body.data).toEqual([])
  expect((await plumbline.get(`/api/portal/messages/${(await toVendor()).id}`, { key })).status).toBe(404)
})

test('a vendor can send at most 20 messages per hour', async () => {
  plumbline.clock.advance(3_600_000)
  const { id } = await toVendor()
  const reply = () => plumbline.post(`/api/portal/messages/${id}/reply`, { body: 'And another thing.' }, inPortal())
  for (let i = 0; i < 20; i++) expect((await reply()).status).toBe(200)
  const refused = await reply()
  expect([refused.status, refused.body.code]).toEqual([429, 'too_many_answers'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500)
  plumbline.clock.advance(3_601_000)
  expect((await reply()).status).toBe(200)
})

test("a vendor's question about an invitation is sent to the user who sent the bid request", async () => {
  plumbline.clock.advance(3_601_000)
  const community = { name: 'Pecan Grove', status: 'active', timeZone: 'America/Chicago' }
  const { body: site } = await plumbline.post('/api/ext/communities', community)
  const requested = {
    ...{ vendorIds: [vendorId], scope: 'framing', deadline: '2031-06-30', communityId: site.id, title: 'Walls' },
    blind: true,
  }
  const { body: request } = await plumbline.post('/api/ext/bids/request', requested)
  const [{ id: invitationId }] = request.invitations
  const key = (await plumbline.mailedLink(invitationId)).split('/').at(-1) ?? ''
  const asked = await plumbline.post('/api/portal/messages', { body: 'Is the crane included?', invitationId }, { key })
  expect(asked).toMatchObject({ status: 200, body: { isOwn: true, content: { threadId: null, subject: 'Walls' } } })
  const { body: message } = await plumbline.get(`/api/ext/messages/${asked.body.id}`)
  expect(message).toMatchObject({
    ...{ sender: { type: 'vendor', id: vendorId }, relatedTo: { type: 'bid_request', id: request.id } },
    recipients: [{ type: 'user' }],
  })
  // With a link to one invitation, the vendor can send no other message and ask no question about another invitation.
  const alone = await plumbline.post('/api/portal/messages', { body: 'Hello.' }, { key })
  expect([alone.status, alone.body.errors]).toMatchObject([422, [{ pointer: '/invitationId', code: 'required' }]])
  const { body: second } = await plumbline.post('/api/ext/bids/request', requested)
  const about = { body: 'Hello.', invitationId: second.invitations[0].id }
  expect((await plumbline.post('/api/portal/messages', about, { key })).status).toBe(422)

  const page = `${plumbline.url}/portal/${key}/${invitationId}`
  expect(await (await fetch(page)).text()).toContain('Ask a question')
  const body = new URLSearchParams({ do: 'ask', body: 'Who unloads?' })
  const posted = await fetch(page, { method: 'POST', body })
  expect(await posted.text()).toContain('Your question was sent.')
  const { body: found } = await plumbline.get(`/api/ext/messages?relatedToId=${request.id}`)
  expect(found.data.map((each: { body: string }) => each.body)).toEqual(['Who unloads?', 'Is the crane included?'])
})

test('a message form that is sent twice creates one message to the builder', async () => {
  const page = `${plumbline.url}/portal/${token}`
  expect(await (await fetch(page)).text()).toContain('Write a message')
  const form = await (await fetch(`${page}/write`)).text()
  const [, once = ''] = /name="once" value="([^"]+)"/.exec(form) ?? []
  const sent = { once, subject: 'Gate code', body: 'Which code opens the gate?' }
  const send = (fields: Record<string, string>) =>
    fetch(`${page}/write`, { method: 'POST', body: new URLSearchParams(fields) })
  const pages = await Promise.all([send(sent), send(sent)])
  for (const shown of pages) expect(await shown.text()).toContain('Which code opens the gate?')
  const { body: listed } = await plumbline.get('/api/portal/messages', inPortal())
  const own = listed.data.filter(({ content }: { content: { subject: string } }) => content.subject === 'Gate code')
  expect(own).toHaveLength(1)
  expect(await (await send({ subject: 'Empty', body: ' ' })).text()).toContain('Write your message first.')
})
