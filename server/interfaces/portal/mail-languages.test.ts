import { afterAll, beforeAll, expect, test } from 'vitest'
import { getValueAtPath } from '../../../scripts/conformance/walked-contract.ts'
import { type MailServer, startMailServer } from '../../../test/support/mail-server.ts'
import { buildSite, type Site } from '../../../test/support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

/** Tests that every email to a vendor is in the language of the vendor. */
const SECRET = 'secret-of-the-mail-provider-with-48-characters-1'
const PDF = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64')

let mailServer: MailServer
let plumbline: TestPlumbline
let site: Site
let count = 0
beforeAll(async () => {
  mailServer = await startMailServer()
  const inbound = { INBOUND_MAIL_ADDRESS: 'replies@in.example.com', INBOUND_MAIL_SECRET: SECRET }
  plumbline = await startTestPlumbline({ ...mailServer.env, ...inbound })
  site = await buildSite(plumbline)
  const { data } = await get('/scopes?name=framing')
  await send('PATCH', `/scopes/${data[0].id}`, { spanishName: 'estructura de madera' })
})
afterAll(async () => {
  await plumbline.stop()
  await mailServer.stop()
})

interface VendorParts {
  id: string
  email: string
  /** Each vendor has a separate home, so that the schedules of vendors are independent. */
  homeId: string
}

async function send(method: string, path: string, body: object = {}) {
  const headers = { authorization: `Bearer ${site.key}`, 'content-type': 'application/json' }
  const response = await fetch(`${plumbline.url}/api/ext${path}`, { method, headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${text}`)
  return text === '' ? {} : JSON.parse(text)
}
const post = (path: string, body?: object) => send('POST', path, body)
const get = async (path: string) => (await plumbline.get(`/api/ext${path}`, { key: site.key })).body

async function newVendor(language: 'en' | 'es'): Promise<VendorParts> {
  const email = `bids${++count}@brazos.example.com`
  const named = { companyName: `Brazos ${count}`, scopes: ['framing'], email, language, status: 'active' }
  const { id } = await post('/vendors', named)
  const { id: homeId } = await post('/homes', { name: `Lot ${100 + count}`, communityId: site.communityId })
  return { id, email, homeId }
}

/** Invites the vendor to bid and returns the ID of the request, the ID of the invitation, and the vendor's token. */
async function invite({ id }: VendorParts, more: object = {}) {
  const shared = { communityId: site.communityId, scope: 'framing', deadline: site.day(14) }
  const request = await post('/bids/request', { ...shared, vendorIds: [id], ...more })
  const invitationId: string = request.invitations[0].id
  const key = new URL(await plumbline.mailedLink(invitationId)).pathname.split('/').pop() ?? ''
  return { requestId: String(request.id), invitationId, key }
}

async function submitBid(vendor: VendorParts): Promise<void> {
  const lines = [{ lineId: 'walls', description: 'A-1', quantity: 2, unit: 'EA', required: true }]
  const { invitationId, key } = await invite(vendor, { lines, bidType: 'unit_price' })
  const bid = `/api/portal/invitations/${invitationId}/bid`
  const alternates = [{ description: 'B-2', amount: -450 }]
  const priced = [{ lineId: 'walls', unitPrice: 625.25 }]
  await plumbline.post(`${bid}/draft`, { lines: priced, alternates, validUntil: site.day(60) }, { key })
  expect((await plumbline.post(`${bid}/submit`, {}, { key })).status).toBe(200)
}

/** Sends a file by email as the vendor's response to an invitation. */
async function replyByMail(vendor: VendorParts): Promise<void> {
  await invite(vendor)
  const { header } = await mailServer.next(vendor.email)
  const to = /<([^>]+)>$/.exec(header('Reply-To') ?? '')?.[1] ?? ''
  const attachments = [{ fileName: 'A-1.pdf', content: PDF }]
  const reply = { messageId: `<${++count}@example.com>`, from: vendor.email, to: [to], text: 'A-1', attachments }
  const headers = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' }
  await fetch(`${plumbline.url}/inbound-mail`, { method: 'POST', headers, body: JSON.stringify(reply) })
}

async function issueOrder({ id: vendorId, homeId }: VendorParts): Promise<string> {
  const lines = [{ description: 'A-1', quantity: 1, unitPrice: 9000 }]
  const { id } = await post('/purchase-orders', { homeId, vendorId, scope: 'framing', lines })
  for (const status of ['approved', 'issued', 'accepted']) await post(`/purchase-orders/${id}/status`, { status })
  return id
}

async function requestWaiver(vendor: VendorParts): Promise<void> {
  const poId = await issueOrder(vendor)
  await post(`/purchase-orders/${poId}/progress`, { completedPercent: 100 })
  const { id } = await post('/payments', { poId, grossAmount: 5000 })
  await post(`/payments/${id}/lien-waivers`, { throughDate: '2031-11-30' })
}

async function addTask({ id: vendorId, homeId }: VendorParts, more: object = {}): Promise<string> {
  const named = { name: 'Walls framed', spanishName: 'Armar las paredes' }
  return (await post('/tasks', { homeId, vendorId, plannedStart: site.day(20), ...named, ...more })).id
}

/** Notifies the vendor of its task, and then moves the task by changing an earlier task. */
async function moveTask(vendor: VendorParts, from: number, to: number): Promise<void> {
  const { homeId } = vendor
  const first = await post('/tasks', { homeId, name: 'Slab poured', plannedStart: site.day(from) })
  const task = await addTask(vendor, { predecessors: [{ taskId: first.id }], plannedStart: undefined })
  await post(`/tasks/${task}/confirmation/request`)
  await send('PATCH', `/tasks/${first.id}`, { plannedStart: site.day(to) })
}

async function remindOfTask(vendor: VendorParts): Promise<void> {
  await post(`/tasks/${await addTask(vendor)}/confirmation/request`)
  // Vendors are not reminded at night. 18:00 UTC is midday in Chicago.
  const now = plumbline.clock.nowMs()
  const noon = new Date(now + 4 * 86_400_000).setUTCHours(18, 0, 0, 0)
  plumbline.clock.advance(noon - now)
}

async function reviseDrawing(vendor: VendorParts): Promise<void> {
  const sheet = { homeId: vendor.homeId, sheetNumber: 'S-101', title: 'A-1', discipline: 'structural' }
  const { id } = await post('/drawings', sheet)
  const revise = async (label: string) => {
    const { id: attachmentId } = await post(`/attachments?recordId=${id}&fileName=S-101.pdf`, { content: PDF })
    await post(`/drawings/${id}/revisions`, { attachmentId, label })
  }
  await revise('A')
  await issueOrder(vendor)
  await revise('B')
}

async function scheduleVisit({ id: vendorId, homeId }: VendorParts): Promise<void> {
  const { id } = await post('/warranty-requests', { homeId, location: 'B-2', description: 'A-1' })
  await post(`/warranty-requests/${id}/decision`, { decision: 'goodwill' })
  await post(`/warranty-requests/${id}/assignment`, { vendorId })
  await post('/visits', { requestIds: [id], date: '2031-12-04', window: 'am' })
}

async function assignPunchItems({ id: vendorId, homeId }: VendorParts): Promise<void> {
  for (const description of ['A-1.', 'A-2.'])
    await post('/punch-items', { homeId, vendorId, location: 'B-2', description, dueDate: '2031-12-04' })
  plumbline.clock.advance(16 * 60_000)
}

async function remindOfInsurance({ id }: VendorParts): Promise<void> {
  const policy = { type: 'general_liability', status: 'valid', expirationDate: site.day(10) }
  await post(`/vendors/${id}/compliance-documents`, policy)
  await post('/execute', { skill: 'sendInsuranceReminders', input: { withinDays: 30, vendorIds: [id] } })
}

/** Returns the next email of this kind to the vendor: its subject, and its text as the mail server received it. */
async function readNextMail({ email }: VendorParts, kind: string): Promise<{ subject: string; text: string }> {
  for (;;) {
    const { source, header } = await mailServer.next(email)
    const [, id = ''] = /^<(\w+)@/.exec(header('Message-ID') ?? '') ?? []
    const [mail] = (await get(`/mails?ids=${id}`)).data
    if (mail.kind === kind) return { subject: mail.subject, text: decodeText(source) }
  }
}

/** Returns the plain text of an email, which is encoded as quoted-printable if it contains accents. */
function decodeText(source: string): string {
  const [, text = ''] = /text\/plain.*?\r\n\r\n(.*?)\r\n--/s.exec(source) ?? []
  const joined = text.replaceAll('=\r\n', '').replaceAll('\r\n', '\n')
  const bytes = joined.replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

/** A text that an email contains, or a pattern that it matches. */
type Text = string | RegExp

interface Scenario {
  kind: string
  about: string
  /** Causes the email. */
  cause(vendor: VendorParts): Promise<unknown>
  /** Texts that the email contains, its subject first. */
  english: readonly [Text, ...Text[]]
  spanish: readonly [Text, ...Text[]]
}

const SCENARIOS: readonly Scenario[] = [
  {
    kind: 'portal_invitation',
    about: 'an invitation to the portal',
    cause: ({ id }) => post(`/vendors/${id}/invite`),
    english: ['invites you to its vendor portal', 'Do not share this link'],
    spanish: ['lo invita a su portal de proveedores', 'No comparta este enlace'],
  },
  {
    kind: 'bid_invitation',
    about: 'an invitation to bid',
    cause: (vendor) => invite(vendor, { deadline: '2031-12-03' }),
    english: [
      'Invitation to bid: BR-',
      'framing',
      'Bids are due Wednesday, December 3, 2031',
      'We’ll bid: ',
      'No, we’ll pass: ',
    ],
    spanish: [
      'Invitación a cotizar: BR-',
      'estructura de madera',
      'hasta el miércoles, 3 de diciembre de 2031',
      'Vamos a cotizar: ',
      'No, gracias: ',
    ],
  },
  {
    kind: 'bid_reminder',
    about: 'a reminder of a bid deadline',
    cause: async (vendor) =>
      post(`/bids/requests/${(await invite(vendor, { deadline: '2031-12-03' })).requestId}/remind`),
    english: ['bids due Wednesday, December 3, 2031', 'is waiting for your bid', 'We’ll bid: '],
    spanish: ['cotizaciones hasta el miércoles, 3 de diciembre de 2031', 'espera su cotización', 'Vamos a cotizar: '],
  },
  {
    kind: 'bid_draft',
    about: 'the response to a bid by email',
    cause: replyByMail,
    english: ['Finish your bid', 'We saved your email'],
    spanish: ['Termine su cotización', 'Guardamos su correo'],
  },
  {
    kind: 'bid_receipt',
    about: 'the receipt for a bid',
    cause: submitBid,
    english: ['Receipt for your bid', 'Total: $1,250.50', 'Valid until', 'B-2: deduct $450.00'],
    spanish: ['Recibo de su cotización', 'Total: $1,250.50', 'El precio vale hasta el', 'B-2: restar $450.00'],
  },
  {
    kind: 'lien_waiver',
    about: 'a lien waiver to sign',
    cause: requestWaiver,
    english: ['Please sign the lien waiver', 'of $5,000.00, for work through Sunday, November 30, 2031'],
    spanish: [
      'Por favor firme la renuncia de gravamen',
      'de $5,000.00, por trabajos hasta el domingo, 30 de noviembre de 2031',
    ],
  },
  {
    kind: 'advance',
    about: 'an advance notice of work',
    cause: async (vendor) =>
      post(`/tasks/${await addTask(vendor, { plannedStart: '2031-12-03' })}/confirmation/request`),
    english: ['Walls framed starting Wednesday, December 3, 2031', 'You are scheduled at'],
    spanish: ['Armar las paredes, desde el miércoles, 3 de diciembre de 2031', 'Ustedes están programados en'],
  },
  {
    kind: 'reminder',
    about: 'a reminder of unconfirmed work',
    cause: remindOfTask,
    english: ['Reminder: ', 'Walls framed', 'Please confirm this date.'],
    spanish: ['Recordatorio: ', 'Armar las paredes', 'Por favor confirme esta fecha.'],
  },
  {
    kind: 'moved_earlier',
    about: 'work that moved earlier',
    cause: (vendor) => moveTask(vendor, 15, 5),
    english: [
      /moved earlier, to \w+day, \w+ \d+, 20/,
      'needed earlier',
      /Walls framed: \w+day, .* instead of \w+day, /,
    ],
    spanish: ['se adelantó al ', 'los necesitamos antes', 'Armar las paredes: ', ', en vez del '],
  },
  {
    kind: 'postponed',
    about: 'postponed work',
    cause: (vendor) => moveTask(vendor, 5, 15),
    english: [/postponed to \w+day, \w+ \d+, 20/, 'needed later', /Walls framed: \w+day, .* instead of \w+day, /],
    spanish: ['se pospuso al ', 'los necesitamos después', 'Armar las paredes: ', ', en vez del '],
  },
  {
    kind: 'portal_links',
    about: 'a link to the list of portal links',
    cause: async ({ id, email }) => {
      await post(`/vendors/${id}/invite`)
      await fetch(`${plumbline.url}/portal/links`, { method: 'POST', body: new URLSearchParams({ email }) })
    },
    english: ['Your portal links', 'It works once'],
    spanish: ['Sus enlaces del portal', 'Funciona una vez'],
  },
  {
    kind: 'message',
    about: 'a message about a revised drawing',
    cause: reviseDrawing,
    english: ['Drawing S-101 was revised', 'is now revision B'],
    spanish: ['Cambió el plano S-101', 'ahora es la revisión B'],
  },
  {
    kind: 'message',
    about: 'a message about a service visit',
    cause: scheduleVisit,
    english: ['Service visit to', 'December 4, 2031, in the morning'],
    spanish: ['Visita de servicio en', 'jueves, 4 de diciembre de 2031, por la mañana'],
  },
  {
    kind: 'message',
    about: 'a message about punch items',
    cause: assignPunchItems,
    english: ['Items to fix in', 'Please fix these 2 items', 'A-1. Due December 4, 2031.', 'Respond in your portal.'],
    spanish: [
      'Por arreglar en',
      'Por favor arregle estas 2 cosas',
      'A-1. Vence el jueves, 4 de diciembre de 2031.',
      'Responda en su portal.',
    ],
  },
  {
    kind: 'message',
    about: 'a message about expiring insurance',
    cause: remindOfInsurance,
    english: ['Please send your new certificate of insurance', 'General liability: expires on'],
    spanish: ['Por favor envíe su nuevo certificado de seguro', 'Responsabilidad civil general: vence el'],
  },
]

/** The kinds of emails that vendors do not receive. */
const OTHER_KINDS = ['sign_in', 'user_invitation', 'owner_invitation', 'owner_notice', 'report']

const ENGLISH_WORDS = /\b(the|you|your|please|this|will|due|work|starting|instead|bids?)\b/i
const SPANISH_WORDS = /\b(el|los|usted|ustedes|su|este|esta|para|desde|hasta|por)\b/i

test('every kind of email to vendors is tested in both languages', () => {
  const kinds = new Set([...SCENARIOS.map(({ kind }) => kind), ...OTHER_KINDS])
  const declared = getValueAtPath('components', 'schemas', 'MailKind', 'enum')
  expect(declared).toHaveLength(kinds.size)
  expect(declared).toEqual(expect.arrayContaining([...kinds]))
})

test.each(SCENARIOS)(
  'an email with $about is in the language of the vendor',
  async ({ kind, cause, english, spanish }) => {
    for (const [language, expected, foreign] of [
      ['en', english, SPANISH_WORDS],
      ['es', spanish, ENGLISH_WORDS],
    ] as const) {
      const vendor = await newVendor(language)
      await cause(vendor)
      const { subject, text } = await readNextMail(vendor, kind)
      expect(subject).toMatch(expected[0])
      for (const words of expected) expect(`${subject}\n${text}`).toMatch(words)
      expect(`${subject}\n${text.replace(/http\S+/g, '')}`).not.toMatch(foreign)
    }
  },
)
