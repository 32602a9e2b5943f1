import { afterAll, beforeAll, expect, test } from 'vitest'
import { listEventsAbout } from '../../../test/support/recorded-events.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

/** Messages that a vendor reads and answers in its portal, through the operations and the pages. */
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

test('a vendor reads a message, marks it as read, and replies to its author', async () => {
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

test('the pages show messages without running their scripts, and accept a reply', async () => {
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

test("a vendor does not see other vendors' messages, and with an invitation's link sees none", async () => {
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
