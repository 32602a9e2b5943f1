import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPdf, uploadFile } from '../../../test/support/files.ts'
import { listEvents } from '../../../test/support/recorded-events.ts'
import { buildSite, type Site } from '../../../test/support/site.ts'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let site: Site
/**
 * Tokens for the whole portal of Lone Star, for the portal of another vendor, and for one of Lone Star's invitations.
 */
let whole: string
let other: string
let narrow: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
  whole = await tokenOf(site.loneStar)
  other = await tokenOf(site.redrock)
  const { body } = await ext('/bids/request', site.framing())
  narrow = (await plumbline.mailedLink(body.invitations[0].id)).split('/').at(-1) ?? ''
})
afterAll(() => plumbline.stop())

const ext = (path: string, body?: unknown) => plumbline.post(`/api/ext${path}`, body, { key: site.key })
const tokenOf = async (vendorId: string): Promise<string> => {
  await ext(`/vendors/${vendorId}/invite`)
  return (await plumbline.mailedLink(vendorId)).split('/').at(-1) ?? ''
}
const get = (path: string, key = whole) => plumbline.get(`/api/portal${path}`, { key })
const post = (path: string, body: unknown, key = whole) => plumbline.post(`/api/portal${path}`, body, { key })

async function order(upTo = ['approved', 'issued']): Promise<ServiceResponse['body']> {
  const lines = [{ lineId: 'walls', description: 'Walls <b>', quantity: 1, unitPrice: 1000 }]
  const draft = { homeId: site.lot15, vendorId: site.loneStar, scope: 'framing', lines, retainagePercent: 10 }
  let { body } = await ext('/purchase-orders', draft)
  for (const status of upTo) ({ body } = await ext(`/purchase-orders/${body.id}/status`, { status }))
  return body
}

test('the portal shows a vendor only its issued orders', async () => {
  const [issued, draft] = [await order(), await order([])]
  const { body } = await get('/orders')
  expect(body.data).toMatchObject([
    { id: issued.id, number: issued.number, status: 'issued', total: 1000, home: { community: 'Juniper Ridge' } },
  ])
  expect((await get(`/orders/${issued.id}`)).body).toMatchObject({
    canAnswer: true,
    lines: [{ lineId: 'walls', description: 'Walls <b>', total: 1000 }],
    retainagePercent: 10,
    vendor: { companyName: 'Lone Star Framing LLC' },
  })
  expect(JSON.stringify((await get(`/orders/${issued.id}`)).body)).not.toMatch(/budget|costCode|approval/)
  expect((await get(`/orders/${draft.id}`)).status).toBe(404)
  for (const key of [other, narrow]) {
    expect((await get(`/orders/${issued.id}`, key)).status).toBe(404)
    expect((await post(`/orders/${issued.id}/answer`, { answer: 'accepted' }, key)).status).toBe(404)
    expect((await get('/orders', key)).body.data).toEqual([])
  }
})

test("a vendor can download the builder's PDF of an issued order, through the API and from the order's portal page", async () => {
  const [issued, draft] = [await order(), await order([])]
  const answer = await get(`/orders/${issued.id}/pdf`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  expect(answer.headers.get('content-disposition')).toContain(`${issued.number}.pdf`)
  const same = await plumbline.get(`/api/ext/purchase-orders/${issued.id}/pdf`, { key: site.key })
  expect(answer.headers.get('etag')).toBe(same.headers.get('etag'))
  const known = { key: whole, headers: { 'if-none-match': answer.headers.get('etag') ?? '' } }
  expect((await plumbline.get(`/api/portal/orders/${issued.id}/pdf`, known)).status).toBe(304)
  for (const key of [other, narrow]) expect((await get(`/orders/${issued.id}/pdf`, key)).status).toBe(404)
  expect((await get(`/orders/${draft.id}/pdf`)).status).toBe(404)

  const page = `/portal/${whole}/${issued.id}`
  expect(await (await fetch(plumbline.url + page)).text()).toContain(`href="${page}/pdf"`)
  const file = await fetch(`${plumbline.url}${page}/pdf`)
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  expect((await file.text()).slice(0, 5)).toBe('%PDF-')
  expect((await fetch(`${plumbline.url}/portal/${whole}/${draft.id}/pdf`)).status).toBe(404)
})

describe('the files of an order', () => {
  let issued: ServiceResponse['body']
  let layout: ServiceResponse['body']
  let internal: ServiceResponse['body']
  const bytes = createPdf(30_000)
  beforeAll(async () => {
    issued = await order()
    const hung = async (fileName: string, shared: boolean, content = createPdf()) =>
      (await uploadFile(plumbline, content, { recordId: issued.id, fileName, shared, key: site.key })).body
    layout = await hung('Truss <layout>.pdf', true, bytes)
    internal = await hung('What we pay elsewhere.pdf', false)
  })

  const listed = (key = whole, id = issued.id) => get(`/orders/${id}/attachments`, key)
  async function open(id: string, options: { key?: string; of?: string; headers?: Record<string, string> } = {}) {
    const { key = whole, of = issued.id, headers = {} } = options
    const answer = await fetch(`${plumbline.url}/api/portal/orders/${of}/attachments/${id}/content`, {
      headers: { authorization: `Bearer ${key}`, ...headers },
    })
    return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
  }
  const change = (id: string, shared: boolean) =>
    plumbline.patch(`/api/ext/attachments/${id}`, { shared }, { key: site.key })

  test('a vendor can download the shared files of an order, in whole or in part', async () => {
    const { id, sha256, size } = layout
    expect((await listed()).body).toEqual({
      data: [
        {
          ...{ id, sha256, size, fileName: 'Truss -layout-.pdf', contentType: 'application/pdf', from: 'builder' },
          createdAt: layout.createdAt,
        },
      ],
      nextCursor: null,
    })
    const file = await open(id)
    expect([file.status, file.bytes.equals(bytes)]).toEqual([200, true])
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="Truss -layout-.pdf"')
    const part = await open(id, { headers: { range: 'bytes=5-9' } })
    expect([part.status, part.bytes.equals(bytes.subarray(5, 10))]).toEqual([206, true])
    expect((await open(id, { headers: { range: 'bytes=30000-' } })).status).toBe(416)
    expect((await open(id, { headers: { 'if-none-match': `"${sha256}"` } })).status).toBe(304)
  })

  test('an order file returns 404 if it is not shared, belongs to another record, or was deleted', async () => {
    expect((await open(internal.id)).status).toBe(404)
    expect((await change(internal.id, true)).body.shared).toBe(true)
    expect((await open(internal.id)).status).toBe(200)
    await change(internal.id, false)
    expect([(await open(internal.id)).status, (await listed()).body.data.length]).toEqual([404, 1])

    const second = await order()
    const { body: request } = await ext('/bids/request', site.framing())
    const { body: drawing } = await uploadFile(plumbline, createPdf(), { recordId: request.id, key: site.key })
    const { body: gone } = await uploadFile(plumbline, createPdf(), {
      recordId: issued.id,
      shared: true,
      key: site.key,
    })
    await plumbline.delete(`/api/ext/attachments/${gone.id}`, { key: site.key })
    expect((await open(layout.id, { of: second.id })).status).toBe(404)
    expect((await open(drawing.id)).status).toBe(404)
    expect((await open(gone.id)).status).toBe(404)
    expect((await listed(whole, second.id)).body.data).toEqual([])
  })

  test('an order file returns 404 to another vendor, to an invitation link, and to another builder', async () => {
    const abroad = await buildSite(plumbline)
    await plumbline.post(`/api/ext/vendors/${abroad.loneStar}/invite`, undefined, { key: abroad.key })
    for (const key of [other, narrow, (await plumbline.mailedLink(abroad.loneStar)).split('/').at(-1) ?? ''])
      expect([(await listed(key)).status, (await open(layout.id, { key })).status]).toEqual([404, 404])
    const theirs = { key: abroad.key }
    expect((await plumbline.patch(`/api/ext/attachments/${layout.id}`, { shared: false }, theirs)).status).toBe(404)
  })

  test('the files of an order are available after the order is issued, even if the order is void', async () => {
    const draft = await order([])
    const { body: file } = await uploadFile(plumbline, createPdf(), { recordId: draft.id, shared: true, key: site.key })
    const seen = async () => [(await listed(whole, draft.id)).status, (await open(file.id, { of: draft.id })).status]
    expect(await seen()).toEqual([404, 404])
    for (const status of ['approved', 'issued']) await ext(`/purchase-orders/${draft.id}/status`, { status })
    expect(await seen()).toEqual([200, 200])
    await ext(`/purchase-orders/${draft.id}/status`, { status: 'void', reason: 'Not built.' })
    expect((await get(`/orders/${draft.id}`)).body.status).toBe('void')
    expect(await seen()).toEqual([200, 200])
  })

  test('the order page shows a list of files only if files are shared', async () => {
    const page = `/portal/${whole}/${issued.id}`
    const at = async (path: string, language: string) =>
      (await fetch(plumbline.url + path, { headers: { 'accept-language': language } })).text()
    const html = await at(page, 'en')
    expect(html).toContain(
      `<h2>Documents</h2><ul class="rows"><li><div><a href="${page}/files/${layout.id}" download>Truss -layout-.pdf</a><small>30 kB`,
    )
    expect(html).not.toContain('elsewhere')
    expect(await at(page, 'es')).toContain('<h2>Documentos</h2>')
    const file = await fetch(`${plumbline.url}${page}/files/${layout.id}`)
    expect([file.status, Buffer.from(await file.arrayBuffer()).equals(bytes)]).toEqual([200, true])
    expect((await fetch(`${plumbline.url}${page}/files/${internal.id}`)).status).toBe(404)
    expect(await at(`/portal/${whole}/${(await order()).id}`, 'en')).not.toContain('<h2>Documents</h2>')
  })

  test('the files of an order cannot be opened with a revoked link or by an inactive vendor', async () => {
    const { body: vendor } = await ext('/vendors', {
      ...{ companyName: 'Blanco Framers', email: 'bids@blanco.example.com', scopes: ['framing'] },
    })
    const lines = [{ description: 'Walls', quantity: 1, unitPrice: 1000 }]
    const { body: own } = await ext('/purchase-orders', {
      ...{ homeId: site.lot15, vendorId: vendor.id, scope: 'framing', lines },
    })
    for (const status of ['approved', 'issued']) await ext(`/purchase-orders/${own.id}/status`, { status })
    const { body: file } = await uploadFile(plumbline, createPdf(), { recordId: own.id, shared: true, key: site.key })
    const first = await tokenOf(vendor.id)
    const opened = async (key: string) => (await open(file.id, { of: own.id, key })).status
    expect(await opened(first)).toBe(200)
    await ext(`/vendors/${vendor.id}/revoke-portal`)
    expect(await opened(first)).toBe(401)
    const next = await tokenOf(vendor.id)
    expect(await opened(next)).toBe(200)
    expect((await ext(`/vendors/${vendor.id}/status`, { status: 'inactive', reason: 'Retired.' })).status).toBe(200)
    expect([await opened(next), (await get(`/orders/${own.id}`, next)).status]).toEqual([401, 401])
  })
})

test("the order page explains in the vendor's language why the vendor cannot respond to the order", async () => {
  const { id, version } = await order()
  const send = async (language: string) => {
    const body = new URLSearchParams({ answer: 'accepted', version: String(version - 1) })
    const headers = { 'accept-language': language }
    const answer = await fetch(`${plumbline.url}/portal/${whole}/${id}`, { method: 'POST', body, headers })
    return [answer.status, await answer.text()]
  }
  expect(await send('en')).toEqual([
    409,
    expect.stringContaining('This page has changed since you opened it. Please reload the page and read it again'),
  ])
  expect(await send('es')).toEqual([
    409,
    expect.stringContaining('Esta página cambió desde que usted la abrió. Vuelva a cargarla y léala'),
  ])
})

test('a vendor can respond to an order only once', async () => {
  const [first, second] = [await order(), await order()]
  const answer = (id: string, body: object) => post(`/orders/${id}/answer`, body)
  expect((await answer(first.id, { answer: 'accepted', version: first.version - 1 })).status).toBe(409)
  const accepted = await answer(first.id, { answer: 'accepted', version: first.version })
  expect(accepted.body).toMatchObject({ status: 'accepted', canAnswer: false })
  expect((await answer(first.id, { answer: 'accepted' })).body).toEqual(accepted.body)
  expect((await answer(first.id, { answer: 'declined', reason: 'No.' })).body.code).toBe('invalid_transition')

  expect((await answer(second.id, { answer: 'declined' })).body.errors).toMatchObject([{ pointer: '/reason' }])
  const reason = 'The crew is booked until March.'
  expect((await answer(second.id, { answer: 'declined', reason })).body).toMatchObject({ status: 'declined' })
  const { body } = await plumbline.get(`/api/ext/status-changes?resourceId=${second.id}`, { key: site.key })
  expect(body.data).toContainEqual(
    expect.objectContaining({ to: 'declined', reason, by: { type: 'vendor', id: site.loneStar } }),
  )
  const last = (await listEvents(plumbline, site.organizationId)).at(-1)
  expect([last?.type, last?.actor]).toEqual(['po.status_changed', { type: 'vendor', id: site.loneStar }])
})

test('an order that is being revised is hidden in the portal until it is issued again', async () => {
  const { id } = await order()
  await post(`/orders/${id}/answer`, { answer: 'declined', reason: 'Too low.' })
  await ext(`/purchase-orders/${id}/status`, { status: 'draft' })
  expect((await get(`/orders/${id}`)).status).toBe(404)
})

test('a vendor can submit a compliance document with its file for review', async () => {
  const insurance = {
    type: 'general_liability',
    carrier: 'Pecan',
    expirationDate: site.day(300),
    limitAmount: 2_000_000,
  }
  const { status, body } = await post('/compliance-documents', insurance)
  expect([status, body]).toMatchObject([200, { ...insurance, status: 'pending_review', fileNames: [] }])
  const file = { content: Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64') }
  const upload = (id: string, key = whole) =>
    post(`/compliance-documents/${id}/attachments?fileName=Certificate.pdf`, file, key)
  expect((await upload(body.id)).body).toMatchObject({ fileName: 'Certificate.pdf', from: 'vendor' })
  expect((await upload(body.id, other)).status).toBe(404)
  for (let i = 2; i <= 5; i++) await upload(body.id)
  expect((await upload(body.id)).status).toBe(409)
  const documents = `/compliance-documents?type=general_liability`
  expect((await get(documents)).body.data).toMatchObject([{ id: body.id, fileNames: Array(5).fill('Certificate.pdf') }])
  const vendor = async () => (await plumbline.get(`/api/ext/vendors/${site.loneStar}`, { key: site.key })).body
  expect((await vendor()).complianceStatus).toBe('missing')
  await ext(`/compliance-documents/${body.id}/status`, { status: 'valid' })
  expect((await vendor()).complianceStatus).toBe('compliant')
  expect((await upload(body.id)).body).toMatchObject({ code: 'conflict', reason: 'wrong_status' })
  expect((await post('/compliance-documents', insurance, narrow)).status).toBe(404)
  expect((await get('/compliance-documents', narrow)).body.data).toEqual([])
  const backwards = { type: 'auto', effectiveDate: site.day(2), expirationDate: site.day(1) }
  expect((await post('/compliance-documents', backwards)).body.errors).toMatchObject([{ pointer: '/expirationDate' }])
})

test('at most twenty compliance documents of a vendor can await review', async () => {
  for (let i = 1; i <= 20; i++) expect((await post('/compliance-documents', { type: 'other' }, other)).status).toBe(200)
  expect((await post('/compliance-documents', { type: 'other' }, other)).body.code).toBe('conflict')
})

test('the portal shows a vendor its payments and explains why an amount is not paid yet', async () => {
  const { id } = await order(['approved', 'issued', 'accepted'])
  await ext(`/purchase-orders/${id}/progress`, { completedPercent: 100 })
  const pay = async () => (await ext('/payments', { poId: id, grossAmount: 100 })).body
  const [paid, approved, pending, rejected] = [await pay(), await pay(), await pay(), await pay()]
  const move = (payment: { id: string }, body: object) => ext(`/payments/${payment.id}/status`, body)
  await move(paid, { status: 'approved' })
  await move(paid, { status: 'paid', checkNumber: '20417', method: 'check' })
  await move(approved, { status: 'approved' })
  await move(rejected, { status: 'rejected', reason: 'Twice.' })
  const patched = { lienWaiverRequired: true, language: 'es' }
  expect((await plumbline.patch(`/api/ext/vendors/${site.loneStar}`, patched, { key: site.key })).status).toBe(200)
  expect((await get('/payments')).body.data).toMatchObject([
    { id: pending.id, status: 'pending', waitsFor: ['approval', 'lien_waiver'] },
    { id: approved.id, status: 'approved', waitsFor: ['lien_waiver'] },
    { id: paid.id, status: 'paid', waitsFor: [], checkNumber: '20417', amount: 90, retainageWithheld: 10 },
  ])
  expect((await get('/payments?status=paid')).body.data).toMatchObject([{ id: paid.id }])
  for (const key of [other, narrow]) expect((await get('/payments', key)).body.data).toEqual([])
  expect((await post('/visits', {})).body.language).toBe('es')
})
