import { createRequire } from 'node:module'
import { extractText, getDocumentProxy } from 'unpdf'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { updateOrganization } from '../../office/organizations/organizations.ts'
import { createPdf } from '../documents/pdf.ts'

const ORDERS = '/api/ext/purchase-orders'

let plumbline: TestPlumbline
let homeId: string
let vendorId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const created = async (address: string, body: object) => (await plumbline.post(`/api/ext/${address}`, body)).body.id
  const communityId = await created('communities', {
    name: 'Zażółć Ridge',
    status: 'active',
    city: 'Łódź',
    state: 'TX',
  })
  const address = { line1: '4410 Burnet Rd', city: 'Austin', state: 'TX', postalCode: '78756' }
  vendorId = await created('vendors', {
    ...{
      companyName: 'Żółw Framing of Łódź',
      email: 'bids@example.com',
      contactName: 'Ελένη Ruiz',
      address,
      status: 'active',
    },
  })
  homeId = await created('homes', { name: 'Lot 15', lotNumber: '15', communityId })
})
afterAll(() => plumbline.stop())

const WALLS = { description: 'Wall framing, labor and material', quantity: 2450.5, unit: 'SF', unitPrice: 9.8125 }

async function newOrder(fields: object = {}) {
  const order = { homeId, vendorId, scope: 'framing', retainagePercent: 10, lines: [WALLS], ...fields }
  const { status, body } = await plumbline.post(ORDERS, order)
  expect([status, body.errors]).toEqual([201, undefined])
  return body
}

async function getDocument(id: string, headers: Record<string, string> = {}, key = plumbline.key) {
  const answer = await fetch(`${plumbline.url}${ORDERS}/${id}/pdf`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  })
  return { status: answer.status, headers: answer.headers, bytes: new Uint8Array(await answer.arrayBuffer()) }
}

async function setTerms(poTerms: string | null) {
  const { database, clock, organizationId } = plumbline
  await updateOrganization(database, clock, organizationId, { poTerms })
}

const requireFont = createRequire(import.meta.url)

/** Returns the names of the embedded fonts without their subset prefixes. */
function listFonts(bytes: Uint8Array): string[] {
  const found = Buffer.from(bytes)
    .toString('latin1')
    .matchAll(/\/FontName \/(?:[A-Z]{6}\+)?([\w-]+)/g)
  return [...new Set([...found].map(([, name = '']) => name))].sort()
}

/** Returns the text of each page, extracted by a library that is independent of the drawing code. */
async function getPages(bytes: Uint8Array): Promise<string[]> {
  const { text } = await extractText(await getDocumentProxy(bytes.slice()), { mergePages: false })
  return text.map((page) => page.replace(/\s+/g, ' '))
}

test('an order document shows Thai, Hindi, and Arabic in fonts that have the necessary letters', async () => {
  const descriptions = ['ก่อสร้างผนังและหลังคา', 'क्षत्रिय निर्माण', 'شركة']
  const order = await newOrder({ lines: descriptions.map((description) => ({ ...WALLS, description })) })
  const { status, bytes } = await getDocument(order.id)
  const [page = ''] = await getPages(bytes)
  expect([status, ...listFonts(bytes)]).toEqual([
    ...[200, 'DejaVuSansCondensed', 'DejaVuSansCondensed-Bold', 'NotoSansDevanagari-Regular', 'NotoSansThai-Regular'],
  ])
  // The extracted text contains Hindi letters in drawing order, in which the vowel sign i precedes its consonant.
  for (const letters of ['ก่อสร้าง', 'िनमार्ण', 'شركة']) expect(page.normalize('NFKC')).toContain(letters)
})

test('Chinese, Japanese, and Korean text uses the font that the operator provides', async () => {
  const font = requireFont.resolve('dejavu-fonts-ttf/ttf/DejaVuSerif.ttf')
  const about = { title: 'Order', author: 'Builder', changedAt: '2026-11-20T12:00:00.000Z', foot: ['1'] }
  const draw = () => createPdf(about, (doc) => void doc.text('Walls').text('中国').text('ビル').text('건설'))
  expect(listFonts(await draw())).toEqual(['DejaVuSansCondensed'])
  process.env.PDF_FONT_CJK = font
  try {
    expect(listFonts(await draw())).toEqual(['DejaVuSansCondensed', 'DejaVuSerif'])
  } finally {
    delete process.env.PDF_FONT_CJK
  }
})

test('an order document can contain every European alphabet', async () => {
  await setTerms('Payable after completion.\nZażółć gęślą jaźń.')
  const order = await newOrder({ notes: 'Start at the garage.' })
  const { status, headers, bytes } = await getDocument(order.id)
  expect([status, headers.get('content-type')]).toEqual([200, 'application/pdf'])
  expect(headers.get('content-disposition')).toBe(`attachment; filename=${order.number}.pdf`)
  const [page = '', ...more] = await getPages(bytes)
  expect(more).toEqual([])
  for (const said of [
    ...[
      'Harrow & Finch Homes',
      `Purchase order ${order.number}`,
      'Trade: framing',
      'Żółw Framing of Łódź',
      'Ελένη Ruiz',
    ],
    ...['4410 Burnet Rd', 'Austin, TX 78756', 'Lot 15', 'Zażółć Ridge, Łódź, TX', 'Wall framing, labor and material'],
    ...['2,450.5 SF', '$9.8125', 'Total $24,045.53', 'Of it retained until the end (10 %) $2,404.55'],
    ...['Notes Start at the garage.', 'Terms Payable after completion. Zażółć gęślą jaźń.', 'Page 1 of 1', 'DRAFT'],
  ])
    expect(page).toContain(said)
})

test('only the document of a void order has a watermark', async () => {
  const { id } = await newOrder()
  const move = (status: string) => plumbline.post(`${ORDERS}/${id}/status`, { status, reason: 'Enough.' })
  const marks = async () => (await getPages((await getDocument(id)).bytes)).join().match(/DRAFT|NOT APPROVED|VOID/g)
  for (const status of ['approved', 'issued']) expect((await move(status)).status).toBe(200)
  expect(await marks()).toBeNull()
  expect((await move('void')).status).toBe(200)
  expect(await marks()).toEqual(['VOID'])
})

test('the document of the longest order is complete and smaller than 1 MB', async () => {
  const lines = Array.from({ length: 200 }, (_, i) => ({
    ...{ description: `Line ${i + 1}: ${'Ąbć déf '.repeat(55)}`.trim(), quantity: 1, unit: 'EA', unitPrice: i + 1 },
  }))
  const { id } = await newOrder({ lines, notes: 'Nöte '.repeat(1000).trim() })
  const { bytes } = await getDocument(id)
  expect(bytes.length).toBeLessThan(1_000_000)
  const pages = await getPages(bytes)
  expect(pages.length).toBeGreaterThan(10)
  pages.forEach((page, i) => {
    expect(page).toContain(`Page ${i + 1} of ${pages.length}`)
  })
  const text = pages.join(' ')
  for (let i = 1; i <= 200; i++) expect(text).toContain(`Line ${i}:`)
  expect(text).toContain('Total $20,100.00')
})

test('line breaks in the lines of an order are printed as spaces', async () => {
  const lines = Array.from({ length: 200 }, () => ({ ...WALLS, description: `Walls${'\n'.repeat(490)}north` }))
  const { id } = await newOrder({ lines })
  const pages = await getPages((await getDocument(id)).bytes)
  expect(pages.length).toBeLessThan(10)
  expect(pages[0]).toContain('Walls north')
})

test('an order document with more than 100 pages is rejected', async () => {
  await setTerms('a\n'.repeat(5000))
  const { id, number } = await newOrder({ notes: 'a\n'.repeat(2500) })
  const { status, bytes } = await getDocument(id)
  const problem = JSON.parse(Buffer.from(bytes).toString())
  expect([status, problem.code, problem.detail]).toEqual([
    ...[422, 'too_much_work'],
    `${number}.pdf would have more than 100 pages. Shorten the text in the document.`,
  ])
  await setTerms(null)
  expect((await getDocument(id)).status).toBe(200)
})

test('most of the work to create a document is done outside the thread that handles requests', async () => {
  const lines = Array.from({ length: 200 }, (_, i) => ({ ...WALLS, description: `${i} ${'Ąbć déf '.repeat(60)}` }))
  const { id } = await newOrder({ lines })
  // The first document starts the drawing thread.
  await getDocument((await newOrder()).id)
  const before = { process: process.cpuUsage(), thread: process.threadCpuUsage() }
  expect((await getDocument(id)).status).toBe(200)
  const ofThread = process.threadCpuUsage(before.thread).user
  const ofProcess = process.cpuUsage(before.process).user
  expect(ofThread / ofProcess).toBeLessThan(0.35)
})

test('two documents with the same content have the same bytes', async () => {
  const about = { title: 'Purchase order', author: 'Żółw', changedAt: '2026-11-18T08:00:00Z', foot: ['PO-0001'] }
  const drawn = () => createPdf(about, (doc) => doc.font('bold').text('Łódź').font('plain').text('Ελένη'))
  expect((await drawn()).equals(await drawn())).toBe(true)
})

test('a request for an unchanged order document returns 304', async () => {
  const order = await newOrder()
  const first = await getDocument(order.id)
  const etag = first.headers.get('etag') ?? ''
  expect((await getDocument(order.id, { 'if-none-match': etag })).status).toBe(304)
  await plumbline.patch(`${ORDERS}/${order.id}`, { notes: 'Another.' })
  expect((await getDocument(order.id, { 'if-none-match': etag })).status).toBe(200)
})

test('a skill returns an order document as base64', async () => {
  const order = await newOrder()
  const first = await getDocument(order.id)
  const input = { poId: order.id }
  const { body } = await plumbline.post('/api/ext/execute', { skill: 'getPurchaseOrderPdf', input })
  expect(Buffer.from(body.result, 'base64').equals(first.bytes)).toBe(true)
})

test('an order document requires pos:read and cannot be read by another builder', async () => {
  const { id } = await newOrder()
  expect((await getDocument(id, {}, await plumbline.newKey(['bids:read']))).status).toBe(403)
  expect((await getDocument(id, {}, (await plumbline.newBuilder()).key)).status).toBe(404)
})
