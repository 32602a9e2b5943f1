import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getValueAtPath } from '../../../../scripts/conformance/walked-contract.ts'
import { type MailServer, startMailServer } from '../../../../test/support/mail-server.ts'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'
import { up } from '../../../platform/database/migrations/0113_message_templates.ts'
import { up as addReceipts } from '../../../platform/database/migrations/0532_bid_receipts.ts'
import { TEMPLATE_KINDS } from './default-templates.ts'

let mailServer: MailServer
let plumbline: TestPlumbline
let site: Site

beforeAll(async () => {
  mailServer = await startMailServer()
  plumbline = await startTestPlumbline(mailServer.env)
  site = await buildSite(plumbline)
})
afterAll(async () => {
  await plumbline.stop()
  await mailServer.stop()
})

type Body = ServiceResponse['body']
const get = async (path: string): Promise<Body> => (await plumbline.get(`/api/ext${path}`, { key: site.key })).body
const post = (path: string, body: object = {}, key = site.key) => plumbline.post(`/api/ext${path}`, body, { key })
const templateOf = async (kind: string): Promise<Body> => (await get(`/message-templates?kind=${kind}`)).data[0]
const pathOf = async (kind: string) => `/api/ext/message-templates/${(await templateOf(kind)).id}`
const word = async (kind: string, wording: object, headers: Record<string, string> = {}) =>
  plumbline.put(await pathOf(kind), wording, { key: site.key, headers })
const reset = async (kind: string) => plumbline.delete(await pathOf(kind), { key: site.key })
const preview = async (kind: string, body: object = {}) =>
  post(`/message-templates/${(await templateOf(kind)).id}/preview`, body)
const faultsOf = ({ status, body }: ServiceResponse) => [
  status,
  ...body.errors.map(({ pointer, code }: Body) => `${pointer} ${code}`),
]

test('a new builder has a template of every kind with the default text', async () => {
  const { data } = await get('/message-templates')
  expect(data.map(({ kind }: Body) => kind)).toEqual(
    getValueAtPath('components', 'schemas', 'MessageTemplateKind', 'enum'),
  )
  for (const template of data) {
    expect(template).toMatchObject({ isDefault: true, version: 1, createdBy: { type: 'system', id: null } })
    const { subject, text, html } = (await preview(template.kind)).body
    expect(`${subject} ${text}`).not.toContain('{{')
    expect(html === null).toBe(template.kind.startsWith('lien_waiver_'))
    expect(subject === null).toBe(template.subject === null)
  }
})

test("an email uses the builder's template until the template is reset", async () => {
  const body = 'Dear {{ vendor.companyName }},\n\n{{message}}\n\n<b>Park</b> & walk. {{bidRequest.number}}'
  const worded = await word('bid_invitation', { subject: '{{builder.name}} asks <you>', body })
  expect([worded.status, worded.body.body, worded.body.isDefault]).toEqual([200, body, false])
  expect(await templateOf('bid_invitation')).toEqual(worded.body)
  const requested = { ...site.framing(), vendorIds: [site.loneStar], message: '<script>{{portalUrl}}' }
  const request = (await post('/bids/request', requested)).body
  const mail = await mailServer.next('bids@lonestarframingllc.example.com')
  expect(mail.header('Subject')).toBe('Harrow & Finch Homes asks <you>')
  const source = mail.source.replaceAll('=\r\n', '').replaceAll('=3D', '=').replaceAll('\r\n', '\n')
  const [text = '', html = ''] = source.split('text/html')
  expect(text).toContain('Dear Lone Star Framing LLC,')
  expect(text).toContain(
    `<b>Park</b> & walk. ${request.number}\n\n${await plumbline.mailedLink(request.invitations[0].id)}`,
  )
  expect(html).toContain('&#60;b&#62;Park&#60;/b&#62; &#38; walk.')
  expect(html).not.toContain('<script>')
  expect(html).not.toContain('<b>')

  expect((await reset('bid_invitation')).status).toBe(204)
  expect(await templateOf('bid_invitation')).toMatchObject({ isDefault: true, version: 3 })
  const again = (await post('/bids/request', { ...requested, vendorIds: [site.redrock] })).body
  const defaults = await mailServer.next('bids@redrockcarpentry.example.com')
  expect(defaults.header('Subject')).toContain(`Invitation to bid: ${again.number}`)
})

test('a template without a Spanish text is sent in English to vendors who read Spanish, including its dates', async () => {
  const named = { companyName: 'Comal Framing', email: 'bids@comal.example.com', scopes: ['framing'], language: 'es' }
  const { id: vendorId } = (await post('/vendors', named)).body
  const invite = () => inviteVendor(vendorId)
  const spanish = await templateOf('bid_invitation')
  expect([spanish.spanishSubject, spanish.spanishBody]).toEqual([
    ...[expect.stringContaining('Invitación a cotizar'), expect.stringContaining('{{willBidUrl}}')],
  ])
  const own = await word('bid_invitation', { body: 'Due {{bidRequest.deadline}}.' })
  expect(own.body).toMatchObject({ spanishSubject: null, spanishBody: null, isDefault: false })
  expect(await invite()).toMatchObject({
    subject: expect.stringContaining('Invitation to bid'),
    text: 'Due Wednesday, December 3, 2031.\n\n{{portalUrl}}',
  })
  const both = { body: 'Due {{bidRequest.deadline}}.', spanishBody: 'Hasta el {{bidRequest.deadline}}.' }
  expect((await word('bid_invitation', both)).body).toMatchObject({
    ...{ spanishSubject: expect.stringContaining('Invitación a cotizar'), spanishBody: both.spanishBody },
  })
  expect(await invite()).toMatchObject({
    subject: expect.stringContaining('Invitación a cotizar'),
    text: 'Hasta el miércoles, 3 de diciembre de 2031.\n\n{{portalUrl}}',
  })
  await word('bid_invitation', { ...both, spanishSubject: 'Cotice {{bidRequest.number}}' })
  expect((await invite()).subject).toMatch(/^Cotice BR-/)
  await reset('bid_invitation')
  expect((await templateOf('bid_invitation')).spanishBody).toBe(spanish.spanishBody)
})

/** Invites the vendor to bid and returns the email. */
async function inviteVendor(vendorId: string): Promise<Body> {
  const requested = { ...site.framing(), vendorIds: [vendorId], deadline: '2031-12-03' }
  const { invitations } = (await post('/bids/request', requested)).body
  return (await get(`/mails?aboutId=${invitations[0].id}`)).data[0]
}

test('the Spanish text of a template follows the same rules as the English text', async () => {
  const wrong = async (kind: string, wording: object) => faultsOf(await word(kind, { body: 'x', ...wording }))
  expect(await wrong('advance', { spanishSubject: 'Fecha' })).toEqual([422, '/spanishSubject required'])
  expect(await wrong('advance', { spanishBody: '{{fecha}}' })).toEqual([422, '/spanishBody unknown_placeholder'])
  expect(await wrong('bid_reminder', { spanishSubject: '{{portalUrl}}', spanishBody: 'x' })).toEqual([
    ...[422, '/spanishSubject unknown_placeholder'],
  ])
  expect(await wrong('bid_invitation', { spanishBody: 'https://evil.example/?u={{portalUrl}}' })).toEqual([
    ...[422, '/spanishBody placeholder_not_alone'],
  ])
  expect(await wrong('lien_waiver_conditional_final', { spanishBody: 'Firme.' })).toEqual([
    ...[422, '/spanishBody exclusive'],
  ])
  expect((await templateOf('lien_waiver_conditional_final')).spanishBody).toBeNull()
})

test('a preview in Spanish shows the Spanish text with dates and names in Spanish', async () => {
  const { body } = await preview('advance', { language: 'es' })
  expect(body.subject).toBe('Lot 14: Armar las paredes, desde el martes, 10 de diciembre de 2030')
  const tried = { language: 'es', body: '{{work}} el {{date}}', values: { work: 'Techo' } }
  expect((await preview('advance', tried)).body.text).toBe('Techo el martes, 10 de diciembre de 2030')
  const request = (await post('/bids/request', { ...site.framing(), deadline: '2031-12-03' })).body
  const named = { language: 'es', bidRequestId: request.id, body: '{{bidRequest.scope}}: {{bidRequest.deadline}}' }
  expect((await preview('bid_invitation', named)).body.text).toContain('framing: miércoles, 3 de diciembre de 2031')
})

test('the subject and the text of an email have a maximum length', async () => {
  await word('message', { subject: '{{message.subject}} '.repeat(14), body: `${'{{message.body}}'.repeat(1200)}` })
  const recipients = [{ type: 'vendor', id: site.hillCountry }]
  const sent = { channel: 'email', subject: '🏠'.repeat(100), body: '🏠'.repeat(5000), recipients }
  const { status, body: message } = await post('/messages', sent)
  expect(status).toBe(201)
  const [long] = (await get(`/mails?aboutId=${message.id}`)).data
  expect([long.subject.length, long.text.length]).toEqual([400, 40_000])
  await reset('message')
})

test('an email from a custom template always includes the message', async () => {
  const recipients = [{ type: 'vendor', id: site.hillCountry }]
  await word('message', { body: 'Good day, {{vendor.companyName}}.' })
  const sent = { channel: 'email', subject: 'Lot 14', body: 'The slab is ready.', recipients }
  const { body: next } = await post('/messages', sent)
  const [mail] = (await get(`/mails?aboutId=${next.id}`)).data
  expect([mail.subject, mail.text]).toEqual(['Lot 14', 'Good day, Hill Country Framers.\n\nThe slab is ready.'])
  await reset('message')
})

test("a lien waiver uses the builder's template unless the request contains a text", async () => {
  const lines = [{ description: 'Walls', quantity: 1, unitPrice: 100 }]
  const order = { homeId: site.lot14, vendorId: site.loneStar, scope: 'framing', lines }
  const poId = (await post('/purchase-orders', order)).body.id
  for (const status of ['approved', 'issued']) await post(`/purchase-orders/${poId}/status`, { status })
  await post(`/purchase-orders/${poId}/progress`, { completedPercent: 100 })
  const payment = (await post('/payments', { poId, grossAmount: 50 })).body
  const request = async (body: object = {}) => post(`/payments/${payment.id}/lien-waivers`, body)
  expect((await request()).body.text).toContain('SAMPLE, NOT LEGAL ADVICE')
  const words = '{{vendor.companyName}} waives {{payment.amount}}. Exceptions: {{waiver.exceptions}}.'
  expect((await word('lien_waiver_conditional_progress', { body: words })).body.subject).toBeNull()
  expect((await request()).body.text).toBe('Lone Star Framing LLC waives $50.00. Exceptions: none.')
  expect((await request({ text: 'Waived.' })).body.text).toBe('Waived.')
  const long = { exceptions: 'x'.repeat(2000), text: '{{waiver.exceptions}}'.repeat(60) }
  expect(faultsOf(await request(long))).toEqual([422, '/text maxLength'])
  expect(faultsOf(await word('lien_waiver_conditional_final', { subject: 'Sign', body: '{{work}}' }))).toEqual([
    ...[422, '/subject exclusive', '/body unknown_placeholder'],
  ])
})

test('an unknown placeholder or a portal link in the subject is reported at its field', async () => {
  const wrong = async (wording: object) => faultsOf(await word('advance', { body: 'x', ...wording }))
  expect(await wrong({ body: 'From {{dates}}' })).toEqual([422, '/body unknown_placeholder'])
  expect(await wrong({ body: 'From {{date}' })).toEqual([422, '/body unknown_placeholder'])
  expect(await wrong({ subject: '{{constructor}}', body: '{{' })).toEqual([
    ...[422, '/subject unknown_placeholder', '/body unknown_placeholder'],
  ])
  expect(faultsOf(await word('bid_reminder', { subject: '{{portalUrl}}', body: 'x' }))).toEqual([
    ...[422, '/subject unknown_placeholder'],
  ])
  expect(await wrong({ body: ' \n' })).toEqual([422, '/body pattern'])
  const { body } = await word('advance', { body: '{{dates}}' })
  expect(body.errors[0].message).toMatch(
    /^has the unknown placeholder dates; available placeholders are builder\.name, .*, and message$/,
  )
  expect((await templateOf('advance')).version).toBe(1)
})

test('the portal link cannot be part of another URL in a template', async () => {
  for (const body of [
    'https://evil.example/?u={{portalUrl}}',
    'Your link: {{ portalUrl }}.',
    '{{message}}{{portalUrl}}',
    'https://evil.example/?u=\u2060{{portalUrl}}',
  ]) {
    expect(faultsOf(await word('bid_invitation', { body }))).toEqual([422, '/body placeholder_not_alone'])
    expect(faultsOf(await preview('bid_invitation', { body }))).toEqual([422, '/body placeholder_not_alone'])
  }
  expect((await word('bid_invitation', { body: 'Your link:\n{{ portalUrl }} (keep it)' })).status).toBe(200)
  await reset('bid_invitation')
})

test('an email is not sent if a saved template or a message inserts a portal link into another URL', async () => {
  const wrapped = 'https://evil.example/?u={{portalUrl}}'
  const { organizationId } = await get('/me')
  await plumbline.database.statements
    .updateTable('messageTemplates')
    .set({ body: `${wrapped}\n\n{{message}}` })
    .where('organizationId', '=', organizationId)
    .where('kind', '=', 'bid_invitation')
    .execute()
  const requested = { ...site.framing(), vendorIds: [site.redrock], message: `See ${wrapped}` }
  const request = (await post('/bids/request', requested)).body
  const mail = await mailServer.next('bids@redrockcarpentry.example.com')
  const source = mail.source.replaceAll('=\r\n', '').replaceAll('=3D', '=').replaceAll('\r\n', '\n')
  const link = await plumbline.mailedLink(request.invitations[0].id)
  expect(source).toContain(`See https://evil.example/?u=\n\n${link}`)
  expect(source).not.toContain(`evil.example/?u=${link}`)
  await reset('bid_invitation')
})

test('an update of a message template is stored only if its ETag is current and its text differs', async () => {
  const match = (version: number) => ({ 'If-Match': `"${version}"` })
  expect((await word('postponed', { body: 'Later.' }, match(1))).body.version).toBe(2)
  expect((await word('postponed', { body: 'Later.' }, match(2))).body.version).toBe(2)
  expect((await word('postponed', { body: 'Much later.' }, match(1))).status).toBe(412)
  await reset('postponed')
  await reset('postponed')
  // Versions are never reused, so an old version number never matches a wording that was saved after a reset.
  expect((await word('postponed', { body: 'Other words.' }, match(1))).status).toBe(412)
  const { id } = await templateOf('postponed')
  const entries = (await get(`/audit-entries?resourceId=${id}&sort=at`)).data
  expect(entries.map(({ action, changed }: Body) => [action, ...changed])).toEqual([
    ['message_template.updated', 'body'],
    ['message_template.updated', 'body'],
  ])
})

test('a preview fills placeholders from the given values, then from named records, then from samples', async () => {
  const request = (await post('/bids/request', { ...site.framing(), title: 'Gable <A>' })).body
  const words = { subject: '{{bidRequest.title}}', body: '{{vendor.companyName}}: {{bidRequest.scope}}, {{message}}' }
  const ids = { vendorId: site.redrock, bidRequestId: request.id }
  const { status, body } = await preview('bid_reminder', { ...words, ...ids, values: { message: 'Soon.' } })
  expect([status, body.subject]).toEqual([200, 'Gable <A>'])
  expect(body.text).toMatch(/^Redrock Carpentry: framing, Soon\.\n\nhttp:\/\/\S+\/portal\/sample$/)
  expect(body.html).toContain('<p>Redrock Carpentry: framing, Soon.</p>\n<p><a href="http')
  expect((await preview('advance', { body: '{{home.name}}', homeId: site.lot15 })).body.text).toBe('Lot 15')
  expect((await templateOf('bid_reminder')).isDefault).toBe(true)
  expect(faultsOf(await preview('advance', { homeId: site.redrock }))).toEqual([422, '/homeId unknown_reference'])
  expect(faultsOf(await preview('advance', { values: { portalUrl: 'x' }, body: '{{}}' }))).toEqual([
    ...[422, '/body unknown_placeholder', '/values unknown_placeholder'],
  ])
  const reader = await plumbline.newKey(['messages:read'], site.organizationId)
  const path = `/message-templates/${(await templateOf('advance')).id}/preview`
  expect((await post(path, {}, reader)).status).toBe(200)
  expect((await post(path, { homeId: site.lot14 }, reader)).body).toMatchObject({
    ...{ code: 'permission_denied', permission: 'homes:read' },
  })
})

test("a builder's template texts affect only its own emails", async () => {
  const { key } = await plumbline.newBuilder()
  const path = await pathOf('reminder')
  for (const answer of [
    await plumbline.get(path, { key }),
    await plumbline.put(path, { body: 'Ours.' }, { key }),
    await plumbline.delete(path, { key }),
  ])
    expect(answer.status).toBe(404)
})

test('the migration adds all templates to existing builders', async () => {
  const { sessions } = plumbline.database
  await sql`drop table "messageTemplates"`.execute(sessions)
  await up(sessions as unknown as Kysely<unknown>)
  await addReceipts(sessions as unknown as Kysely<unknown>)
  const { rows } = await sql<{ kind: string }>`
    select "kind" from "messageTemplates" where "organizationId" = ${site.organizationId}
    order by "createdAt" desc, "id" desc`.execute(sessions)
  expect(rows.map(({ kind }) => kind).sort()).toEqual(TEMPLATE_KINDS.toSorted())
})
