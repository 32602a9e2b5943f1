import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type MailServer, startMailServer } from '../../../../test/support/mail-server.ts'
import { createNetwork } from '../../../../test/support/network.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { readConfig } from '../../../platform/config/config.ts'
import { FailureLog } from '../../../platform/problems/failure-log.ts'
import { toHtml } from '../message-templates/render-mail.ts'
import { deleteOldMails } from './delete-old-mails.ts'
import { startMailSender } from './send-due-mails.ts'

let mailServer: MailServer
let plumbline: TestPlumbline
let communityId: string

beforeAll(async () => {
  mailServer = await startMailServer()
  plumbline = await startTestPlumbline(mailServer.env)
  const community = { name: 'Juniper Ridge', status: 'active', timeZone: 'America/Chicago' }
  communityId = (await plumbline.post('/api/ext/communities', community)).body.id
})
afterAll(async () => {
  await plumbline.stop()
  await mailServer.stop()
})

const newVendor = async (email: string, more: object = {}) =>
  (await plumbline.post('/api/ext/vendors', { companyName: 'Brazos Framing', scopes: ['framing'], email, ...more }))
    .body
async function ask(vendorId: string, more: object = {}) {
  const requested = { vendorIds: [vendorId], scope: 'framing', deadline: '2031-06-30', communityId, ...more }
  return (await plumbline.post('/api/ext/bids/request', requested)).body
}
const mailsTo = (vendorId: string, holds: (mails: { status: string }[]) => boolean) =>
  plumbline.until(`/api/ext/mails?vendorId=${vendorId}`, ({ body }) => body.data.length > 0 && holds(body.data))
const allSent = (mails: { status: string }[]) => mails.every(({ status }) => status === 'sent')

test('a bid invitation is emailed to each subscribed address with its portal link', async () => {
  const vendor = await newVendor('bids@brazos.example.com', {
    contacts: [
      { name: 'Ana', email: 'ana@brazos.example.com', notify: true },
      { name: 'Ben', email: 'ben@brazos.example.com', notify: false },
    ],
  })
  const request = await ask(vendor.id, { title: 'Framing, Lot 14' })
  const [invitation] = request.invitations
  const mail = await mailServer.next('bids@brazos.example.com')
  await mailServer.next('ana@brazos.example.com')
  expect(mail.from).toBe('no-reply@plumbline.example.com')
  expect(mail.header('From')).toBe('"Harrow & Finch Homes" <no-reply@plumbline.example.com>')
  const { email } = await plumbline.database.statements
    .selectFrom('users')
    .select('email')
    .where('organizationId', '=', plumbline.organizationId)
    .where('role', '=', 'owner')
    .executeTakeFirstOrThrow()
  expect(mail.header('Reply-To')).toBe(`"Harrow & Finch Homes" <${email}>`)
  expect(mail.header('Subject')).toBe(`Invitation to bid: ${request.number} Framing, Lot 14`)
  expect(mail.source.replaceAll('=\r\n', '')).toContain(await plumbline.mailedLink(invitation.id))
  const listed = await plumbline.until(`/api/ext/mails?aboutId=${invitation.id}`, ({ body }) => allSent(body.data))
  expect(listed.body.data.map(({ to }: { to: string }) => to).sort()).toEqual([
    'ana@brazos.example.com',
    'bids@brazos.example.com',
  ])
  for (const stored of listed.body.data) {
    expect(stored).toMatchObject({ kind: 'bid_invitation', attempts: 1, lastError: null, nextAttemptAt: null })
    expect(stored.text).not.toContain('/portal/')
  }
  const row = await plumbline.database.statements.selectFrom('mails').select('sealedLink').execute()
  expect(row.every(({ sealedLink }) => sealedLink === null)).toBe(true)
  expect(mailServer.received.some(({ to }) => to.includes('ben@brazos.example.com'))).toBe(false)
})

test('reminders and portal invitations are sent by email', async () => {
  const vendor = await newVendor('portal@brazos.example.com')
  const tried = { skill: 'inviteVendor', input: { vendorId: vendor.id }, dryRun: true }
  expect((await plumbline.post('/api/ext/execute', tried)).status).toBe(200)
  await plumbline.post(`/api/ext/vendors/${vendor.id}/invite`)
  const mail = await mailServer.next('portal@brazos.example.com')
  const [, link = ''] = /(\/portal\/ven_\w+\.[\w-]{32})/.exec(mail.source.replaceAll('=\r\n', '')) ?? []
  expect((await fetch(plumbline.url + link)).status).toBe(200)
  expect(mail.header('Subject')).toBe('Harrow & Finch Homes invites you to its vendor portal')
  const request = await ask(vendor.id)
  await mailServer.next('portal@brazos.example.com')
  await plumbline.post(`/api/ext/bids/requests/${request.id}/remind`)
  const reminder = await mailServer.next('portal@brazos.example.com')
  expect(reminder.header('Subject')).toContain(`Reminder: ${request.number}`)
  expect((await mailsTo(vendor.id, allSent)).body.data).toHaveLength(3)
})

test('an email that is temporarily rejected is sent again later with the same Message-ID', async () => {
  const vendor = await newVendor('later@brazos.example.com')
  mailServer.refuse('later@brazos.example.com', 451, 451)
  await plumbline.post(`/api/ext/vendors/${vendor.id}/invite`)
  const waiting = (attempts: number) => (mails: object[]) =>
    mails.every((mail) => (mail as { version: number }).version > attempts)
  const [first] = (await mailsTo(vendor.id, waiting(1))).body.data
  expect(first).toMatchObject({ status: 'queued', attempts: 1 })
  expect(first.lastError).toContain('451')
  plumbline.clock.advance(61_000)
  const [second] = (await mailsTo(vendor.id, waiting(2))).body.data
  expect(second).toMatchObject({ status: 'queued', attempts: 2 })
  plumbline.clock.advance(5 * 61_000)
  const [third] = (await mailsTo(vendor.id, allSent)).body.data
  expect(third).toMatchObject({ status: 'sent', attempts: 3, lastError: null })
  const mail = await mailServer.next('later@brazos.example.com')
  expect(mail.header('Message-ID')).toBe(`<${first.id}@plumbline.example.com>`)
})

test('an email fails after one permanent rejection or seven temporary rejections', async () => {
  const refused = await newVendor('gone@brazos.example.com')
  mailServer.refuse('gone@brazos.example.com', 550)
  await plumbline.post(`/api/ext/vendors/${refused.id}/invite`)
  const failed = (mails: { status: string }[]) => mails.every(({ status }) => status === 'failed')
  expect((await mailsTo(refused.id, failed)).body.data).toMatchObject([{ attempts: 1, nextAttemptAt: null }])
  const never = await newVendor('never@brazos.example.com')
  mailServer.refuse('never@brazos.example.com', ...Array<number>(7).fill(421))
  await plumbline.post(`/api/ext/vendors/${never.id}/invite`)
  for (let attempts = 1; attempts < 7; attempts++) {
    await mailsTo(never.id, (mails) =>
      mails.every((mail) => (mail as unknown as { version: number }).version > attempts),
    )
    plumbline.clock.advance(13 * 3_600_000)
  }
  expect((await mailsTo(never.id, failed)).body.data).toMatchObject([{ attempts: 7 }])
})

test('an outage of the mail server logs one line when the outage begins and one line when it ends', async () => {
  const lines: { level: number; msg: string; job?: string }[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const own = await startMailServer()
  const network = await createNetwork(own.env.SMTP_URL)
  const port = Number(new URL(own.env.SMTP_URL).port)
  const running = await startTestPlumbline({ ...own.env, SMTP_URL: network.url }, { log })
  onTestFinished(async () => {
    await running.stop()
    await network.close()
    await own.stop()
  })
  const contacts = Array.from({ length: 9 }, (_, i) => ({ name: `C${i}`, email: `many${i}@brazos.example.com` }))
  const vendor = { companyName: 'Brazos Framing', scopes: ['framing'], email: 'many@brazos.example.com', contacts }
  const { body } = await running.post('/api/ext/vendors', vendor)
  const mails = (holds: (mails: { status: string; version: number }[]) => boolean) =>
    running.until(
      `/api/ext/mails?vendorId=${body.id}`,
      (answer) => answer.body.data.length === 10 && holds(answer.body.data),
    )
  // Each outcome of an attempt increments the version. No server listens on port 1.
  network.lead(1)
  await running.post(`/api/ext/vendors/${body.id}/invite`)
  await mails((all) => all.every(({ version }) => version === 2))
  running.clock.advance(61_000)
  await mails((all) => all.every(({ version }) => version === 3))
  network.lead(port)
  running.clock.advance(10 * 61_000)
  await mails(allSent)
  const ofOutage = lines.filter(({ level, job }) => level > 30 || job !== undefined)
  expect(ofOutage.filter(({ msg }) => !msg.includes('row-level'))).toMatchObject([
    { msg: 'a job failed and will be retried', job: 'reachMailServer' },
    { msg: 'a job is working again', job: 'reachMailServer' },
  ])
})

test('concurrent mail senders send each email only once', async () => {
  const vendor = await newVendor('many@brazos.example.com', {
    contacts: Array.from({ length: 19 }, (_, i) => ({ name: `C${i}`, email: `many${i}@brazos.example.com` })),
  })
  const { app, database, log } = plumbline
  const failures = new FailureLog(database, log)
  const others = [1, 2].map(() => startMailSender({ services: app.services, log, failures }))
  await plumbline.post(`/api/ext/vendors/${vendor.id}/invite`)
  await Promise.all(others.map((mailing) => mailing?.run()))
  const { body } = await mailsTo(vendor.id, allSent)
  expect(body.data).toHaveLength(20)
  const ids = mailServer.received.map((mail) => mail.header('Message-ID'))
  expect(new Set(ids).size).toBe(ids.length)
  expect(mailServer.mostConnections()).toBeLessThanOrEqual(12)
  for (const mailing of others) mailing?.close()
})

test('user input cannot add headers or HTML to an email', async () => {
  const vendor = await newVendor('safe@brazos.example.com', {
    companyName: 'A <b>bold</b>\r\nBcc: all@example.com & Co',
  })
  await ask(vendor.id, { title: 'Framing\r\nBcc: all@example.com', message: '<script>1</script>' })
  const mail = await mailServer.next('safe@brazos.example.com')
  expect(mail.header('Bcc')).toBeUndefined()
  expect(mail.to).toEqual(['safe@brazos.example.com'])
  expect(mail.source.slice(mail.source.indexOf('text/html'))).not.toContain('<script>')
  expect(toHtml('A\nB\n\n<i> https://x.example/portal/inv_1.a-b')).toBe(
    '<p>A<br>B</p>\n<p>&#60;i&#62; <a href="https://x.example/portal/inv_1.a-b">https://x.example/portal/inv_1.a-b</a></p>',
  )
})

test('a message sent by email shows the delivery status of each recipient', async () => {
  const [reached, refused] = [await newVendor('yes@brazos.example.com'), await newVendor('no@brazos.example.com')]
  mailServer.refuse('no@brazos.example.com', 550)
  const recipients = [reached, refused].map(({ id }) => ({ type: 'vendor', id }))
  const body = 'Can you start a day earlier?\n\nThe slab is ready.'
  const { body: sent } = await plumbline.post('/api/ext/messages', { channel: 'email', body, recipients })
  expect(sent).toMatchObject({ channel: 'email', status: 'sent', recipients: [{ deliveryStatus: 'queued' }, {}] })
  const states = ({ recipients }: { recipients: { deliveryStatus: string }[] }) =>
    recipients.map(({ deliveryStatus }) => deliveryStatus)
  const settled = await plumbline.until(`/api/ext/messages/${sent.id}`, ({ body }) => !states(body).includes('queued'))
  expect(states(settled.body)).toEqual(['sent', 'failed'])
  expect((await mailServer.next('yes@brazos.example.com')).header('Subject')).toBe('Can you start a day earlier?')
  const mute = await newVendor('mute@brazos.example.com')
  await plumbline.patch(`/api/ext/vendors/${mute.id}`, { email: null })
  const toMute = { channel: 'email', body, recipients: [{ type: 'vendor', id: mute.id }] }
  expect((await plumbline.post('/api/ext/messages', toMute)).status).toBe(409)
})

test("a builder cannot see another builder's emails", async () => {
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.get('/api/ext/mails', { key })).body.data).toEqual([])
})

test('emails are deleted after 30 days', async () => {
  plumbline.clock.advance(31 * 86_400_000)
  await deleteOldMails(plumbline.database, plumbline.clock, 30)
  expect((await plumbline.get('/api/ext/mails')).body.data).toEqual([])
})

test('the error for an invalid mail configuration does not contain the password', () => {
  const env = { DATA_DIR: '/tmp/plumbline-none', ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') }
  const read = (more: object) => readConfig({ ...env, ...more }).mail
  expect(read({})).toBeNull()
  expect(read({ SMTP_URL: 'smtps://a%40b:p%3A@mail.example.com', MAIL_FROM: 'a@example.com' })).toEqual({
    ...{ host: 'mail.example.com', port: 465, secure: true, user: 'a@b', password: 'p:', from: 'a@example.com' },
  })
  expect(() => read({ SMTP_URL: 'http://u:secret@mail.example.com', MAIL_FROM: 'a@example.com' })).toThrow(
    /^SMTP_URL must be(?!.*secret)/,
  )
  expect(() => read({ SMTP_URL: 'smtp://mail.example.com' })).toThrow('MAIL_FROM')
  expect(() => read({ SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: 'a@b\r\nBcc: c@d' })).toThrow('MAIL_FROM')
})
