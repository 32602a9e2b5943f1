import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type MailServer, startMailServer } from '../../../test/support/mail-server.ts'
import { buildSite, type Site } from '../../../test/support/site.ts'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { formatDate } from '../../platform/values/format.ts'

const PORTAL = '/api/portal/lien-waivers'

let mailServer: MailServer
let plumbline: TestPlumbline
let site: Site
/** The portal link of a vendor that must provide a lien waiver. Each test has its own vendor. */
let portalUrl: string
let email: string
let vendorId: string
let orderId: string
let paymentId: string
let waiverId: string
let vendors = 0

beforeAll(async () => {
  mailServer = await startMailServer()
  plumbline = await startTestPlumbline(mailServer.env)
  site = await buildSite(plumbline)
})
afterAll(async () => {
  await plumbline.stop()
  await mailServer.stop()
})
beforeEach(async () => {
  email = `bids${++vendors}@example.com`
  vendorId = (await made('/vendors', { companyName: `Framers ${vendors} <& Sons>`, email })).id
  const lines = [{ description: 'Walls', quantity: 1, unitPrice: 1000 }]
  orderId = (await made('/purchase-orders', { homeId: site.lot15, vendorId, scope: 'framing', lines })).id
  for (const status of ['approved', 'issued']) await moved(`/purchase-orders/${orderId}/status`, { status })
  await moved(`/purchase-orders/${orderId}/progress`, { completedPercent: 100 })
  paymentId = await pay()
  waiverId = (await made(`/payments/${paymentId}/lien-waivers`, {})).id
  portalUrl = await plumbline.mailedLink(vendorId)
})

type Body = ServiceResponse['body']
const post = (path: string, body: object, key = site.key) => plumbline.post(`/api/ext${path}`, body, { key })
async function made(path: string, body: object): Promise<Body> {
  const answer = await post(path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
async function moved(path: string, body: object): Promise<Body> {
  const answer = await post(path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}
const pay = async () => (await made('/payments', { poId: orderId, grossAmount: 10 })).id
const read = async (path: string): Promise<Body> => (await plumbline.get(`/api/ext${path}`, { key: site.key })).body
const vendor = (url = portalUrl) => ({ key: url.split('/').at(-1) ?? '' })
const seen = async (id = waiverId): Promise<Body> => (await plumbline.get(`${PORTAL}/${id}`, vendor())).body
const DANA = { signedBy: 'Dana Whitfield', consent: true }
const sign = (body: object = DANA, id = waiverId, url = portalUrl) =>
  plumbline.post(`${PORTAL}/${id}/signature`, body, vendor(url))
/** Requests a page below the vendor's portal link, from the test's own server and port. */
/** Opens a page, or sends a form. If the form was not accepted, opens the page that shows the reason. */
async function page(path = '', init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(`${plumbline.url}${new URL(portalUrl).pathname}${path}`, { redirect: 'manual', ...init })
  const location = answer.headers.get('location') ?? ''
  return location.includes('?retry=') ? fetch(plumbline.url + location, { headers: init.headers ?? {} }) : answer
}
const submit = (form: Record<string, string>) =>
  page(`/${waiverId}`, { method: 'POST', body: new URLSearchParams(form) })

test('a vendor receives a portal link by email when a lien waiver is requested', async () => {
  expect(portalUrl).toMatch(/\/portal\/ven_/)
  const { number } = await read(`/payments/${paymentId}`)
  const subjects = [await mailServer.next(email), await mailServer.next(email)].map((mail) => mail.header('Subject'))
  expect(subjects.sort()).toEqual([
    'Harrow & Finch Homes invites you to its vendor portal',
    `Please sign the lien waiver for ${number}`,
  ])
  const [mail] = (await read(`/mails?aboutId=${waiverId}`)).data
  expect(mail).toMatchObject({
    kind: 'lien_waiver',
    vendorId,
    text: expect.stringContaining('10.00, for work through'),
  })
  const { body } = await plumbline.get(`${PORTAL}?status=requested`, vendor())
  const summary = { id: waiverId, waiverType: 'conditional_progress', status: 'requested', paymentNumber: number }
  expect(body).toMatchObject({ data: [{ ...summary, amount: 10, currency: 'USD' }], nextCursor: null })
  const waiver = await seen()
  const { text } = await read(`/lien-waivers/${waiverId}`)
  expect(waiver).toMatchObject({
    ...summary,
    text,
    textSha256: null,
    canSign: true,
    version: 1,
    vendor: { id: vendorId },
  })
  const { headers, body: again } = await post(`/payments/${await pay()}/lien-waivers`, {})
  expect(headers.get('location')).toBe(`/api/ext/lien-waivers/${again.id}`)
  const { body: first } = await plumbline.get(`${PORTAL}?limit=1`, vendor())
  expect(first.data[0].id).toBe(again.id)
  const next = await plumbline.get(`${PORTAL}?limit=1&cursor=${first.nextCursor}`, vendor())
  expect(next.body.data[0].id).toBe(waiverId)
  const clerk = await plumbline.newKey(['payments:write'], site.organizationId)
  await plumbline.post(`/api/ext/vendors/${vendorId}/revoke-portal`, undefined, { key: site.key })
  expect((await post(`/payments/${paymentId}/lien-waivers`, {}, clerk)).status).toBe(201)
  await expect(plumbline.mailedLink(vendorId)).rejects.toThrow('no portal link')
})

test('the text of a lien waiver that is signed through the API is stored with the signature', async () => {
  const before = await seen()
  const { status, body } = await sign({ ...DANA, version: 1 })
  const signedOn = site.day(0)
  const text = `${before.text}\n\nSigned by Dana Whitfield on ${formatDate(signedOn)}, electronically and with consent to signing electronically.`
  const textSha256 = createHash('sha256').update(text).digest('hex')
  const stored = { status: 'signed', text, textSha256, signedBy: 'Dana Whitfield', signedOn, version: 2 }
  expect([status, body]).toEqual([200, { ...before, ...stored, canSign: false }])
  expect(await seen()).toEqual(body)
  expect(await read(`/lien-waivers/${waiverId}`)).toMatchObject({ ...stored, signedVia: 'portal' })
  expect((await read(`/payments/${paymentId}`)).lienWaiverId).toBe(waiverId)
  const { data } = await read(`/status-changes?resourceId=${waiverId}&sort=-at`)
  expect(data[0]).toMatchObject({ to: 'signed', by: { type: 'vendor', id: vendorId } })
  expect((await plumbline.get(`${PORTAL}?status=requested`, vendor())).body.data).toEqual([])
  await moved(`/lien-waivers/${waiverId}/status`, { status: 'accepted' })
  expect(await seen()).toMatchObject({ status: 'accepted', text, textSha256 })
})

test('a signature of a lien waiver is rejected without a name, consent, or the current version', async () => {
  const refused = async (body?: object) => {
    const answer = await sign(body)
    return [answer.status, answer.body.detail, ...(answer.body.errors ?? []).map(({ pointer }: Body) => pointer)]
  }
  expect(await refused({ signedBy: ' ', consent: true })).toEqual([422, expect.any(String), '/signedBy'])
  expect(await refused({ signedBy: 'Dana', consent: false })).toEqual([422, expect.any(String), '/consent'])
  expect(await refused({ signedBy: 'Dana' })).toEqual([422, expect.any(String), '/consent'])
  await made(`/payments/${paymentId}/lien-waivers`, { text: 'Everything is waived.' })
  expect(await refused({ ...DANA, version: 1 })).toEqual([
    409,
    expect.stringMatching(/^The text of this lien waiver has changed\./),
  ])
  expect((await seen()).status).toBe('requested')
  const [one, other] = await Promise.all([sign({ ...DANA, version: 2 }), sign({ signedBy: 'Eli Ray', consent: true })])
  expect([one.status, other.status].sort()).toEqual([200, 409])
  const { signedBy } = await seen()
  expect(await refused()).toEqual([409, `${signedBy} already signed this lien waiver on ${formatDate(site.day(0))}.`])
  await moved(`/lien-waivers/${waiverId}/status`, { status: 'rejected', reason: 'It is for another lot.' })
  expect((await refused())[0]).toBe(409)
  const { id } = await made(`/payments/${paymentId}/lien-waivers`, {})
  await moved(`/payments/${paymentId}/void`, { reason: 'The check was lost.' })
  const voided = await sign(DANA, id)
  expect([voided.status, voided.body.detail]).toEqual([409, expect.stringContaining('is void')])
})

test('a vendor can read and sign a lien waiver on a page without scripts', async () => {
  expect(await (await page()).text()).toContain(`/${waiverId}">Conditional lien waiver, progress payment</a>`)
  const html = await (await page(`/${waiverId}`)).text()
  expect(html).toContain('Vendor: Framers')
  expect(html).toContain('name="version" value="1"')
  expect(html).not.toMatch(/<script|<& Sons>/)
  const form = { signedBy: ' Dana <Whitfield> ', consent: 'yes', version: '1' }
  for (const wrong of [{ signedBy: ' ' }, { consent: '' }]) {
    const answer = await submit({ ...form, ...wrong })
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining('Type your name')])
  }
  expect((await submit({ ...form, version: 'none' })).status).toBe(422)
  await made(`/payments/${paymentId}/lien-waivers`, { text: 'Everything is waived.' })
  const reworded = await submit(form)
  expect([reworded.status, await reworded.text()]).toEqual([
    409,
    expect.stringContaining('This page has changed since you opened it.'),
  ])
  const signed = await submit({ ...form, version: '2' })
  expect([signed.status, signed.headers.get('location')]).toEqual([303, `${new URL(portalUrl).pathname}/${waiverId}`])
  expect(await seen()).toMatchObject({ status: 'signed', signedBy: 'Dana <Whitfield>' })
  const after = await (await page(`/${waiverId}`)).text()
  expect(after).toContain('Signed by Dana &lt;Whitfield&gt; on')
  expect(after).toContain((await seen()).textSha256)
  expect(after).not.toContain('<form')
  expect((await submit({ ...form, version: '3' })).status).toBe(409)
})

test("only the vendor of a lien waiver can see and sign it, and only with a link to the vendor's whole portal", async () => {
  await post(`/vendors/${site.hillCountry}/invite`, {})
  const { body: request } = await post('/bids/request', { ...site.framing(), vendorIds: [vendorId] })
  for (const subjectId of [site.hillCountry, request.invitations[0].id]) {
    const url = await plumbline.mailedLink(subjectId)
    expect((await plumbline.get(PORTAL, vendor(url))).body.data).toEqual([])
    expect((await plumbline.get(`${PORTAL}/${waiverId}`, vendor(url))).status).toBe(404)
    expect((await sign(DANA, waiverId, url)).status).toBe(404)
    expect((await fetch(`${plumbline.url}${new URL(url).pathname}/${waiverId}`)).status).toBe(404)
  }
  expect((await seen()).status).toBe('requested')
})

test('a vendor can download the PDF of a signed lien waiver from the portal page and through the API', async () => {
  expect((await sign()).status).toBe(200)
  const { status, headers } = await plumbline.get(`${PORTAL}/${waiverId}/pdf`, vendor())
  expect([status, headers.get('content-type')]).toEqual([200, 'application/pdf'])
  const same = await plumbline.get(`/api/ext/lien-waivers/${waiverId}/pdf`, { key: site.key })
  expect(headers.get('etag')).toBe(same.headers.get('etag'))
  const root = new URL(portalUrl).pathname
  const page = `${root}/${waiverId}`
  expect(await (await fetch(plumbline.url + page)).text()).toContain(`href="${page}/pdf"`)
  const file = await fetch(`${plumbline.url}${page}/pdf`)
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/pdf'])

  const { id: other } = await made('/vendors', { companyName: 'Hill Country', email: 'hill@example.com' })
  await post(`/vendors/${other}/invite`, {})
  const foreign = vendor(await plumbline.mailedLink(other))
  expect((await plumbline.get(`${PORTAL}/${waiverId}/pdf`, foreign)).status).toBe(404)
})
