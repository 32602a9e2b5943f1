import { extractText, getDocumentProxy } from 'unpdf'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'
import { formatDate } from '../../../platform/values/format.ts'

let plumbline: TestPlumbline
let site: Site
let payment: ServiceResponse['body']
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
  const { id: vendorId } = await sent('/vendors', { companyName: 'Żółw Framing of Łódź' })
  const lines = [{ description: 'Walls', quantity: 1, unitPrice: 1250.5 }]
  const { id: poId } = await sent('/purchase-orders', { homeId: site.lot15, vendorId, scope: 'framing', lines })
  for (const status of ['approved', 'issued']) await sent(`/purchase-orders/${poId}/status`, { status })
  await sent(`/purchase-orders/${poId}/progress`, { completedPercent: 100 })
  payment = await sent('/payments', { poId })
})
afterAll(() => plumbline.stop())

async function sent(path: string, body: object) {
  const { status, body: answer } = await plumbline.post(`/api/ext${path}`, body, { key: site.key })
  expect([status, answer.errors]).toEqual([expect.toSatisfy((code) => code === 200 || code === 201), undefined])
  return answer
}
const request = (body: object = {}) => sent(`/payments/${payment.id}/lien-waivers`, body)
const move = (id: string, body: object) => sent(`/lien-waivers/${id}/status`, body)

async function getDocument(id: string, headers: Record<string, string> = {}, key = site.key) {
  const answer = await fetch(`${plumbline.url}/api/ext/lien-waivers/${id}/pdf`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  })
  return { status: answer.status, headers: answer.headers, bytes: new Uint8Array(await answer.arrayBuffer()) }
}

/** Returns the text of each page, extracted by a library that is independent of the drawing code. */
async function getPages(id: string): Promise<string[]> {
  const { bytes } = await getDocument(id)
  const { text } = await extractText(await getDocumentProxy(bytes), { mergePages: false })
  return text.map((page) => page.replace(/\s+/g, ' '))
}

test('the document of a signed lien waiver shows the signature and the hash instead of signature lines', async () => {
  const { id } = await request({ throughDate: '2026-11-18' })
  const { status, headers } = await getDocument(id)
  expect([status, headers.get('content-type')]).toEqual([200, 'application/pdf'])
  const name = `${payment.number}-conditional_progress.pdf`
  expect(headers.get('content-disposition')).toBe(`attachment; filename=${name}`)
  const [page = '', ...more] = await getPages(id)
  expect(more).toEqual([])
  for (const said of [
    ...['Harrow & Finch Homes', 'Conditional lien waiver, progress payment', 'Vendor: Żółw Framing of Łódź'],
    ...[`Payment: ${payment.number}`, 'Amount: $1,250.50', 'Work through: November 18, 2026', 'Order: PO-'],
    ...['For Żółw Framing of Łódź', 'Signature', 'Name and title', 'Page 1 of 1'],
  ])
    expect(page).toContain(said)
  const { textSha256 } = await move(id, { status: 'signed', signedBy: 'Ελένη Ruiz', signedOn: site.day(-1) })
  const [signed = ''] = await getPages(id)
  expect(signed).toContain(
    `Signed by Ελένη Ruiz on ${formatDate(site.day(-1))}. SHA-256 of the text above: ${textSha256}`,
  )
  expect(signed).not.toMatch(/Name and title|REJECTED|VOID/)
  await move(id, { status: 'rejected', reason: 'It names the wrong lot.' })
  expect(await getPages(id)).toEqual([expect.stringContaining('REJECTED')])
})

test('the longest lien waiver text fits on its pages', async () => {
  const { id } = await request({ text: 'Ąbć déf '.repeat(2500).trim() })
  const pages = await getPages(id)
  expect(pages.length).toBeGreaterThan(3)
  expect(pages.join(' ').match(/Ąbć/g)).toHaveLength(2500)
})

test('each page of a void lien waiver says that the waiver is void', async () => {
  const { id } = await request({ text: 'Ąbć déf '.repeat(2500).trim() })
  await move(id, { status: 'void', reason: 'It is too long.' })
  const pages = await getPages(id)
  expect(pages.length).toBeGreaterThan(3)
  pages.forEach((page, i) => {
    expect(page).toContain(`Page ${i + 1} of ${pages.length}`)
    expect(page).toContain('VOID')
  })
})

test('a request for an unchanged lien waiver PDF returns 304', async () => {
  const { id } = await request()
  const first = await getDocument(id)
  expect((await getDocument(id, { 'if-none-match': first.headers.get('etag') ?? '' })).status).toBe(304)
})

test('a skill returns the PDF of a lien waiver as base64', async () => {
  const { id } = await request()
  const first = await getDocument(id)
  const skill = { skill: 'getLienWaiverPdf', input: { lienWaiverId: id } }
  const { result } = await sent('/execute', skill)
  expect(Buffer.from(result, 'base64').equals(first.bytes)).toBe(true)
})

test('the PDF of a lien waiver requires payments:read', async () => {
  const { id } = await request()
  const stranger = await plumbline.newKey(['bids:read'], site.organizationId)
  expect((await getDocument(id, {}, stranger)).status).toBe(403)
  expect((await getDocument(id, {}, (await plumbline.newBuilder()).key)).status).toBe(404)
})
