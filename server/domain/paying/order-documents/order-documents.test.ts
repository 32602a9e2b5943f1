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

/** Returns the text of each page, extracted with a library other than the one that drew it. */
async function getPages(bytes: Uint8Array): Promise<string[]> {
  const { text } = await extractText(await getDocumentProxy(bytes.slice()), { mergePages: false })
  return text.map((page) => page.replace(/\s+/g, ' '))
}

test('the document of an order shows the builder, the vendor, the home, and the costs, in any European alphabet', async () => {
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

test('an issued order has no watermark, and a void order does', async () => {
  const { id } = await newOrder()
  const move = (status: string) => plumbline.post(`${ORDERS}/${id}/status`, { status, reason: 'Enough.' })
  const marks = async () => (await getPages((await getDocument(id)).bytes)).join().match(/DRAFT|NOT APPROVED|VOID/g)
  for (const status of ['approved', 'issued']) expect((await move(status)).status).toBe(200)
  expect(await marks()).toBeNull()
  expect((await move('void')).status).toBe(200)
  expect(await marks()).toEqual(['VOID'])
})

test('the document of the longest order has every line and page number in less than a megabyte', async () => {
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

test('line breaks in the lines of an order take no more pages than spaces', async () => {
  const lines = Array.from({ length: 200 }, () => ({ ...WALLS, description: `Walls${'\n'.repeat(490)}north` }))
  const { id } = await newOrder({ lines })
  const pages = await getPages((await getDocument(id)).bytes)
  expect(pages.length).toBeLessThan(10)
  expect(pages[0]).toContain('Walls north')
})

test('an order of more than 100 pages is rejected, and drawn once its texts are shorter', async () => {
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

test('most of the drawing is done outside the thread that handles requests', async () => {
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

test('the same content gives the same bytes', async () => {
  const about = { title: 'Purchase order', author: 'Żółw', changedAt: '2026-11-18T08:00:00Z', foot: ['PO-0001'] }
  const drawn = () => createPdf(about, (doc) => doc.font('bold').text('Łódź').font('plain').text('Ελένη'))
  expect((await drawn()).equals(await drawn())).toBe(true)
})

test('an unchanged order returns 304, and is base64 as the result of a skill', async () => {
  const order = await newOrder()
  const first = await getDocument(order.id)
  const etag = first.headers.get('etag') ?? ''
  expect((await getDocument(order.id, { 'if-none-match': etag })).status).toBe(304)
  const input = { purchaseOrderId: order.id }
  const { body } = await plumbline.post('/api/ext/execute', { skill: 'getPurchaseOrderPdf', input })
  expect(Buffer.from(body.result, 'base64').equals(first.bytes)).toBe(true)
  await plumbline.patch(`${ORDERS}/${order.id}`, { notes: 'Another.' })
  expect((await getDocument(order.id, { 'if-none-match': etag })).status).toBe(200)
})

test('a caller without permission and another builder get no document', async () => {
  const { id } = await newOrder()
  expect((await getDocument(id, {}, await plumbline.newKey(['bids:read']))).status).toBe(403)
  expect((await getDocument(id, {}, (await plumbline.newBuilder()).key)).status).toBe(404)
})
