import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type MailServer, startMailServer } from '../../../test/support/mail-server.ts'
import { buildSite, type Site } from '../../../test/support/site.ts'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { deleteOldReplyAddresses } from '../../domain/office/mail/reply-addresses.ts'
import { readNewText } from './new-text.ts'

/** Tests the replies of vendors to invitations and messages. A mail provider delivers the replies. */
const SECRET = 'secret-of-the-mail-provider-with-48-characters-1'
const ADDRESS = 'replies@in.example.com'
const EMAIL = 'bids@lonestarframingllc.example.com'
const PDF = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64')

let mailServer: MailServer
let plumbline: TestPlumbline
let site: Site
let count = 0

const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-inbound-mail-'))

beforeAll(async () => {
  const scanner = path.join(folder, 'scanner')
  writeFileSync(scanner, '#!/bin/sh\ngrep -q EICAR "$1" && exit 1\ngrep -q BROKEN "$1" && exit 2\nexit 0\n')
  chmodSync(scanner, 0o700)
  mailServer = await startMailServer()
  const env = {
    ...mailServer.env,
    INBOUND_MAIL_ADDRESS: ADDRESS,
    INBOUND_MAIL_SECRET: SECRET,
    ATTACHMENT_SCAN: `"${scanner}"`,
  }
  plumbline = await startTestPlumbline(env)
})
beforeEach(async () => {
  site = await buildSite(plumbline)
  mailServer.received.splice(0)
})
afterAll(async () => {
  await plumbline.stop()
  await mailServer.stop()
  rmSync(folder, { recursive: true, force: true })
})

const get = async (path: string) => (await plumbline.get(`/api/ext${path}`, { key: site.key })).body
const post = async (path: string, body?: object) =>
  (await plumbline.post(`/api/ext${path}`, body, { key: site.key })).body

async function invite(
  more: object = {},
): Promise<{ request: ServiceResponse['body']; invitationId: string; to: string }> {
  const request = await post('/bids/request', { ...site.framing(), vendorIds: [site.loneStar], ...more })
  return { request, invitationId: request.invitations[0].id, to: await nextReplyAddress(/^Invitation/) }
}

/** Returns the reply address of the next email with this subject. */
async function nextReplyAddress(subject: RegExp): Promise<string> {
  for (;;) {
    const mail = await mailServer.next(EMAIL)
    if (subject.test(mail.header('Subject') ?? '')) return /<([^>]+)>$/.exec(mail.header('Reply-To') ?? '')?.[1] ?? ''
  }
}

async function deliver(mail: object, headers: Record<string, string> = { authorization: `Bearer ${SECRET}` }) {
  const body = {
    messageId: `<${++count}@lonestar.example.com>`,
    from: `Sam <${EMAIL}>`,
    text: 'See attached.',
    ...mail,
  }
  const response = await fetch(`${plumbline.url}/inbound-mail`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) },
  })
  const received: ServiceResponse['body'] = await response.json()
  return { status: response.status, body: received }
}

const ACCEPTED = { status: 200, body: { outcome: 'accepted' } }
const IGNORED = { status: 200, body: { outcome: 'ignored' } }
const attachments = [{ fileName: 'Framing quote.pdf', content: PDF }]

/** Returns the vendor's bid as shown in its portal. */
async function readBid(invitationId: string) {
  const token = await tokenOf(invitationId)
  const [bid, files] = await Promise.all([
    plumbline.get(`/api/portal/invitations/${invitationId}/bid`, { key: token }),
    plumbline.get(`/api/portal/invitations/${invitationId}/attachments`, { key: token }),
  ])
  return { ...bid.body, files: files.body.data.map(({ fileName }: { fileName: string }) => fileName) }
}
const tokenOf = async (id: string) => new URL(await plumbline.mailedLink(id)).pathname.split('/').pop() ?? ''

/** Returns the text of the next email to the vendor with this subject. */
async function nextMail(subject: RegExp): Promise<string> {
  for (;;) {
    const mail = await mailServer.next(EMAIL)
    if (subject.test(mail.header('Subject') ?? '')) return mail.source.replaceAll('=\r\n', '')
  }
}

test('an email reply with a file to a bid invitation becomes a draft bid', async () => {
  const { request, invitationId, to } = await invite()
  expect(await deliver({ to: [to], attachments })).toEqual(ACCEPTED)
  expect(await readBid(invitationId)).toMatchObject({
    ...{ draft: { note: 'See attached.', amount: null }, bid: null, files: ['Framing quote.pdf'] },
  })
  expect((await get(`/bids?bidRequestId=${request.id}`)).data).toEqual([])
})

test('after an email reply with a file, the vendor gets a link to finish the bid', async () => {
  const { invitationId, to } = await invite({ title: 'Walls' })
  await deliver({ to: [to], attachments })
  expect(await nextMail(/^Finish your bid: BR-\d+ Walls$/)).toContain(await plumbline.mailedLink(invitationId))
})

test('a vendor that reads Spanish gets the email with the link in Spanish', async () => {
  const { invitationId, to } = await invite({ title: 'Walls' })
  await plumbline.patch(`/api/ext/vendors/${site.loneStar}`, { language: 'es' }, { key: site.key })
  await deliver({ to: [to], attachments })
  const { data } = await get(`/mails?aboutId=${invitationId}`)
  expect(data.find(({ kind }: { kind: string }) => kind === 'bid_draft')).toMatchObject({
    ...{ subject: expect.stringMatching(/^Termine su cotización: BR-\d+ Walls$/), to: EMAIL },
    text: expect.stringContaining('Guardamos su correo'),
  })
})

test('an email reply keeps the prices that the vendor has entered in its draft bid', async () => {
  const { invitationId, to } = await invite()
  const key = await tokenOf(invitationId)
  await plumbline.post(`/api/portal/invitations/${invitationId}/bid/draft`, { amount: 18_000 }, { key })
  await deliver({ to: [to], attachments })
  expect((await readBid(invitationId)).draft).toMatchObject({ amount: 18_000, note: 'See attached.' })
})

test('the text of an email reply is added to the note of the draft bid', async () => {
  const { invitationId, to } = await invite()
  await deliver({ to: [to], text: 'Without crane.', attachments })
  await deliver({ to: [to], text: 'With\0 crane \ud800', attachments })
  expect((await readBid(invitationId)).draft.note).toBe('Without crane.\n\nWith crane \ufffd')
})

test('the texts of two email replies that arrive at the same time are both added to the note', async () => {
  const { invitationId, to } = await invite()
  const replies = ['One.', 'Two.'].map((text) => deliver({ to: [to], text, attachments }))
  expect(await Promise.all(replies)).toEqual([ACCEPTED, ACCEPTED])
  expect((await readBid(invitationId)).draft.note.split('\n\n').sort()).toEqual(['One.', 'Two.'])
})

test('an inline image in an email reply is not stored', async () => {
  const { invitationId, to } = await invite()
  await deliver({ to: [to], attachments: [{ ...attachments[0], fileName: 'logo.pdf', inline: true }, ...attachments] })
  expect((await readBid(invitationId)).files).toEqual(['Framing quote.pdf'])
})

test('an email reply after a submitted bid becomes a draft with the prices of the bid', async () => {
  const { invitationId, to } = await invite()
  const key = await tokenOf(invitationId)
  const path = `/api/portal/invitations/${invitationId}/bid`
  await plumbline.post(`${path}/draft`, { amount: 18_000, exclusions: 'Crane' }, { key })
  await plumbline.post(`${path}/submit`, {}, { key })
  await deliver({ to: [to], attachments })
  expect((await readBid(invitationId)).draft).toMatchObject({ amount: 18_000, exclusions: 'Crane' })
})

test('an email reply with a file to a bid reminder becomes a draft bid', async () => {
  const { request, invitationId } = await invite()
  await post(`/bids/requests/${request.id}/remind`)
  await deliver({ to: [await nextReplyAddress(/^Reminder/)], attachments })
  expect((await readBid(invitationId)).files).toEqual(['Framing quote.pdf'])
})

test('an email reply to a bid invitation becomes a question if it has no attachment', async () => {
  const { request, to } = await invite()
  expect(await deliver({ to: [to], text: 'Is the crane included?' })).toEqual(ACCEPTED)
  expect((await get(`/messages?relatedToId=${request.id}`)).data).toMatchObject([
    { body: 'Is the crane included?', sender: { type: 'vendor', id: site.loneStar } },
  ])
})

test('the files of an email reply that arrives after bidding has closed are not stored', async () => {
  const { request, invitationId, to } = await invite()
  await post(`/bids/requests/${request.id}/close`)
  expect(await deliver({ to: [to], text: '', attachments })).toEqual(ACCEPTED)
  expect(await readBid(invitationId)).toMatchObject({ draft: null, files: [] })
  expect(await nextMail(/^Bidding has closed/)).toContain('did not save the files')
})

test('an email tells the vendor which files of its reply were not stored', async () => {
  const { invitationId, to } = await invite()
  const program = { fileName: 'prices.exe', content: Buffer.from('MZ\0\0\u0001').toString('base64') }
  const large = { fileName: 'site.pdf', content: Buffer.alloc(25 * 1024 * 1024 + 1, '%PDF-1.4 ').toString('base64') }
  expect(await deliver({ to: [to], attachments: [program, ...attachments, large] })).toEqual(ACCEPTED)
  expect((await readBid(invitationId)).files).toEqual(['Framing quote.pdf'])
  const mail = await nextMail(/^Finish your bid/)
  expect(mail).toContain('prices.exe: We do not accept files of this type.')
  expect(mail).toContain('site.pdf: The file is larger than 25 MB.')
})

/** Returns a text file. The fake virus scanner decides by the file's text. */
const scanned = (text: string) => ({ fileName: `${text}.txt`, content: Buffer.from(text).toString('base64') })

test('an email tells the vendor that an infected file was not stored', async () => {
  const { invitationId, to } = await invite()
  expect(await deliver({ to: [to], attachments: [scanned('EICAR'), ...attachments] })).toEqual(ACCEPTED)
  expect((await readBid(invitationId)).files).toEqual(['Framing quote.pdf'])
  expect(await nextMail(/^Finish your bid/)).toContain('EICAR.txt')
})

test('an email reply that failed because the virus scanner was unavailable can be delivered again', async () => {
  const { invitationId, to } = await invite()
  const reply = { to: [to], messageId: `<down-${invitationId}@example.com>` }
  const refused = await deliver({ ...reply, attachments: [scanned('BROKEN')] })
  expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(await deliver({ ...reply, attachments })).toEqual(ACCEPTED)
  expect((await readBid(invitationId)).files).toEqual(['Framing quote.pdf'])
})

/** Sends a message to the vendor by email, and returns it with the address for replies. */
async function message() {
  const recipients = [{ type: 'vendor', id: site.loneStar }]
  const sent = await post('/messages', { body: 'Can you start early?', channel: 'email', recipients })
  return { id: sent.id, to: [await nextReplyAddress(/^Can you start early/)] }
}
const listFiles = async (recordId: string) =>
  (await get(`/attachments?recordId=${recordId}`)).data.map(({ fileName }: { fileName: string }) => fileName)

test('the vendor and the builder are told which files of a reply to a message were not saved, and why', async () => {
  const { id, to } = await message()
  const program = { fileName: 'prices.exe', content: Buffer.from('MZ\0\0\u0001').toString('base64') }
  const empty = { fileName: 'empty.pdf', content: '' }
  const files = [program, ...attachments, scanned('EICAR'), empty]
  expect(await deliver({ to, text: 'Yes.', attachments: files })).toEqual(ACCEPTED)
  const { data } = await get(`/messages?threadId=${id}`)
  expect(await listFiles(data[0].id)).toEqual(['Framing quote.pdf'])
  expect(data[0].body.split('\n')).toEqual([
    ...['Yes.', '', 'These files were not saved:', 'prices.exe: We do not accept files of this type.'],
    ...['EICAR.txt: Our virus scanner rejected the file.', 'empty.pdf: The file is empty.'],
  ])
  const mail = await nextMail(/^Some files in your email were not saved$/)
  for (const line of data[0].body.split('\n').slice(3)) expect(mail).toContain(line)
})

test('a vendor that reads Spanish is told in Spanish which files were not saved', async () => {
  await plumbline.patch(`/api/ext/vendors/${site.loneStar}`, { language: 'es' }, { key: site.key })
  const { id, to } = await message()
  await deliver({ to, text: 'Sí.', attachments: [scanned('EICAR')] })
  const { data } = await get(`/messages?threadId=${id}`)
  const mails = await get(`/mails?aboutId=${data[0].id}&vendorId=${site.loneStar}`)
  expect(mails.data).toMatchObject([
    {
      subject: expect.stringContaining('su correo'),
      text: expect.stringContaining('EICAR.txt: Nuestro antivirus'),
    },
  ])
})

test('a reply whose files are all saved has only its text', async () => {
  const { id, to } = await message()
  await deliver({ to, text: 'Yes.', attachments })
  const { data } = await get(`/messages?threadId=${id}`)
  expect(data[0].body).toBe('Yes.')
  expect((await get(`/mails?aboutId=${data[0].id}&vendorId=${site.loneStar}`)).data).toEqual([])
})

/** Returns a picture with this size in bytes. Only its beginning is that of a PNG file. */
const picture = (fileName: string, size: number, more: object = {}) => {
  const start = Buffer.from(PNG, 'base64')
  return { fileName, content: Buffer.concat([start, Buffer.alloc(size - start.length)]).toString('base64'), ...more }
}
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('the pictures of a signature are not stored, even if the mail provider does not mark them', async () => {
  const { id, to } = await message()
  const html = '<p>Yes.</p><img src="cid:logo.png@01D9A"><img src=\'CID:photo%40phone\'>'
  const files = [
    picture('logo.png', 20_000, { contentId: '<logo.png@01D9A>' }),
    picture('icon.png', 900),
    // A photo that is pasted into the text, a picture that the text does not show, and a small file that is no picture.
    picture('photo.png', 300_000, { contentId: 'photo@phone' }),
    picture('crack.png', 20_000, { contentId: '<other@01D9A>' }),
    ...attachments,
  ]
  expect(await deliver({ to, text: 'Yes.', html, attachments: files })).toEqual(ACCEPTED)
  const { data } = await get(`/messages?threadId=${id}`)
  expect((await listFiles(data[0].id)).sort()).toEqual(['Framing quote.pdf', 'crack.png', 'photo.png'])
  expect(data[0].body).toBe('Yes.')
})

test('a reply with only a signature picture becomes a message instead of a bid', async () => {
  const { request, invitationId, to } = await invite()
  const files = [picture('logo.png', 20_000, { contentId: '<logo@1>' })]
  const html = '<img src="cid:logo@1">'
  expect(await deliver({ to: [to], text: 'Is the crane included?', html, attachments: files })).toEqual(ACCEPTED)
  expect(await readBid(invitationId)).toMatchObject({ draft: null, files: [] })
  expect((await get(`/messages?relatedToId=${request.id}`)).data).toMatchObject([{ body: 'Is the crane included?' }])
})

test('an email reply to a message can have at most 20 files', async () => {
  const recipients = [{ type: 'vendor', id: site.loneStar }]
  const message = await post('/messages', { body: 'Can you start early?', channel: 'email', recipients })
  const to = [await nextReplyAddress(/^Can you start early/)]
  const files = Array.from({ length: 21 }, (_, i) => scanned(`Drawing ${i}`))
  expect(await deliver({ to, text: 'Yes.', attachments: files })).toEqual(ACCEPTED)
  const { data } = await get(`/messages?threadId=${message.id}`)
  expect((await get(`/attachments?recordId=${data[0].id}`)).data).toHaveLength(20)
})

test('an email reply to a message is added to the thread of the message', async () => {
  const recipients = [{ type: 'vendor', id: site.loneStar }]
  const message = await post('/messages', { body: 'Can you start early?', channel: 'email', recipients })
  const to = [await nextReplyAddress(/^Can you start early/)]
  const text =
    'Yes, on Monday.\r\n\r\nOn Tue, Dec 1, 2026 at 9:00 AM Harrow <a@example.com>\r\nwrote:\r\n> Can you start early?'
  expect(await deliver({ to, text, attachments })).toEqual(ACCEPTED)
  const { data } = await get(`/messages?threadId=${message.id}`)
  expect(data).toMatchObject([{ body: 'Yes, on Monday.', inReplyToId: message.id }, { id: message.id }])
  expect((await get(`/attachments?recordId=${data[0].id}`)).data).toMatchObject([{ fileName: 'Framing quote.pdf' }])
})

test('an email that is delivered twice at the same time is stored once', async () => {
  const { request, to } = await invite()
  const mail = { to: [to], messageId: `<twice-${request.id}@example.com>`, text: 'Is the crane included?' }
  expect(await Promise.all([deliver(mail), deliver(mail)])).toEqual([ACCEPTED, ACCEPTED])
  expect(await deliver(mail)).toEqual(ACCEPTED)
  expect((await get(`/messages?relatedToId=${request.id}`)).data).toHaveLength(1)
})

test('an email from an unknown sender gets the same response as an email to an unknown address', async () => {
  const { invitationId, to } = await invite()
  const stranger = await deliver({ to: [to], from: 'mallory@example.com', attachments })
  const unknown = await deliver({ to: [`replies+${'0'.repeat(32)}@in.example.com`], attachments })
  expect([stranger, unknown]).toEqual([IGNORED, IGNORED])
  expect(await readBid(invitationId)).toMatchObject({ draft: null, files: [] })
})

test('a vendor cannot reply by email in the name of another recipient of the same message', async () => {
  const other = await post('/vendors', { companyName: 'Hill Framing', email: 'office@hill.example.com' })
  const recipients = [site.loneStar, other.id].map((id) => ({ type: 'vendor', id }))
  const message = await post('/messages', { body: 'Can you start early?', channel: 'email', recipients })
  const to = [await nextReplyAddress(/^Can you start early/)]
  expect(await deliver({ to, from: 'office@hill.example.com', text: 'Yes.' })).toEqual(IGNORED)
  expect((await get(`/messages?threadId=${message.id}`)).data).toHaveLength(1)
})

test('an automatic vacation reply is ignored', async () => {
  const { request, to } = await invite()
  expect(await deliver({ to: [to], text: 'I am away.', autoSubmitted: 'auto-replied' })).toEqual(IGNORED)
  expect((await get(`/messages?relatedToId=${request.id}`)).data).toEqual([])
})

test('an email reply to an invitation is ignored after the builder revokes the link', async () => {
  const { request, invitationId, to } = await invite()
  await post(`/invitations/${invitationId}/revoke`)
  expect(await deliver({ to: [to], text: 'Hello?' })).toEqual(IGNORED)
  expect((await get(`/messages?relatedToId=${request.id}`)).data).toEqual([])
})

test("an email reply to a message is ignored after the builder revokes the vendor's links", async () => {
  const { invitationId } = await invite()
  const recipients = [{ type: 'vendor', id: site.loneStar }]
  const message = await post('/messages', { body: 'Can you start early?', channel: 'email', recipients })
  const to = [await nextReplyAddress(/^Can you start early/)]
  await post(`/invitations/${invitationId}/revoke`)
  expect(await deliver({ to, text: 'Yes.' })).toEqual(IGNORED)
  expect((await get(`/messages?threadId=${message.id}`)).data).toHaveLength(1)
})

test('an inbound email without the secret is rejected', async () => {
  const { to } = await invite()
  const credentials: Record<string, string>[] = [
    {},
    { authorization: 'Bearer wrong' },
    { authorization: `Basic ${Buffer.from('plumbline:wrong').toString('base64')}` },
  ]
  for (const headers of credentials)
    expect(await deliver({ to: [to] }, headers)).toMatchObject({ status: 401, body: { code: 'invalid_key' } })
})

test('the secret for inbound email can be the password of Basic authentication', async () => {
  const { to } = await invite()
  const authorization = `Basic ${Buffer.from(`plumbline:${SECRET}`).toString('base64')}`
  expect(await deliver({ to: [to] }, { authorization })).toEqual(ACCEPTED)
})

test('an inbound email request with invalid fields is rejected with an error for each field', async () => {
  const { status, body } = await deliver({ to: 'replies@in.example.com', mime: '<p>' })
  expect([status, body.code]).toEqual([422, 'validation_failed'])
  expect(body.errors).toMatchObject([{ pointer: '/mime' }, { pointer: '/to' }])
})

test('an inbound email larger than 36 MiB is rejected', async () => {
  const content = 'A'.repeat(36 * 1024 * 1024)
  const sent = await deliver({ to: ['a@b'], attachments: [{ fileName: 'a.pdf', content }] })
  expect(sent).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
})

test('a reply address is valid for 180 days', async () => {
  const { to } = await invite()
  plumbline.clock.advance(181 * 86_400_000)
  await deleteOldReplyAddresses(plumbline.database, plumbline.clock)
  expect(await deliver({ to: [to] })).toEqual(IGNORED)
})

test('only the new text that the sender wrote is stored from an email reply', () => {
  const replies = [
    'We can.\n\nOn Dec 1 Ana wrote:\n> Can you?',
    'We can.\n\nEl mar, 1 dic 2026 a las 9:00, Ana (<ana@example.com>)\nescribió:\n> ¿Pueden?',
    'We can.\n\n-----Original Message-----\nFrom: Ana',
    'We can.\n________________________________\nFrom: Ana <ana@example.com>',
    '> Can you?\nWe can.',
  ]
  expect(replies.map(readNewText)).toEqual(replies.map(() => 'We can.'))
})
