import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPdf, sendBytes } from '../../../test/support/files.ts'
import { type MailServer, startMailServer } from '../../../test/support/mail-server.ts'
import { buildSite, type Site } from '../../../test/support/site.ts'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

/**
 * Tests alternates that accompany a bid, the receipt for a bid, and files that are removed before a bid is submitted.
 */
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

const LINES = [{ lineId: 'walls', description: 'Wall framing', quantity: 10, unit: 'SF' }]
const ALTERNATES = [
  { description: 'Zip sheathing', amount: 1450, note: 'Two weeks later' },
  { description: 'No blocking', amount: -300 },
]

async function invite(more: object = {}) {
  const requested = { ...site.framing(), lines: LINES, bidType: 'unit_price', ...more }
  const { body } = await plumbline.post('/api/ext/bids/request', requested, { key: site.key })
  const [{ id }] = body.invitations
  const link = new URL(await plumbline.mailedLink(id)).pathname
  const key = link.split('/').at(-1) ?? ''
  const path = `/api/portal/invitations/${id}`
  return {
    ...{ request: body as ServiceResponse['body'], link, id: id as string, key, path },
    post: (rest: string, content?: unknown) => plumbline.post(`${path}/bid${rest}`, content, { key }),
  }
}

const bidOn = async ({ id }: { id: string }) =>
  (await plumbline.get(`/api/ext/bids?bidRequestId=${id}`, { key: site.key })).body.data[0]
const page = async (path: string) => (await fetch(plumbline.url + path)).text()
async function send(path: string, fields: Record<string, string>): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return fetch(plumbline.url + path, { method: 'POST', body: form, redirect: 'manual' })
}

async function nextReceipt({ number }: { number: string }): Promise<string> {
  for (;;) {
    const { source } = await mailServer.next('bids@lonestarframingllc.example.com')
    const text = source.replaceAll('=\r\n', '').replaceAll('=3D', '=')
    if (text.includes(`Receipt for your bid: ${number}`)) return text
  }
}

test('alternates of a bid are not part of its total', async () => {
  const { request, post } = await invite()
  const lines = [{ lineId: 'walls', unitPrice: 100 }]
  expect((await post('/draft', { lines, alternates: ALTERNATES })).body.review.total).toBe(1000)
  const { body } = await post('/submit')
  const stored = [ALTERNATES[0], { ...ALTERNATES[1], note: null }]
  expect(body.bid).toMatchObject({ amount: 1000, alternates: stored })
  expect(await bidOn(request)).toMatchObject({ amount: 1000, alternates: stored })
  const comparison = await plumbline.get(`/api/ext/bids/requests/${request.id}/comparison`, { key: site.key })
  expect(comparison.body.vendors[0]).toMatchObject({ amount: 1000, alternates: stored })
})

test('amounts of alternates are hidden from the builder while a blind bid request is open', async () => {
  const { request, post } = await invite({ blind: true })
  await post('/draft', { lines: [{ lineId: 'walls', unitPrice: 100 }], alternates: ALTERNATES })
  await post('/submit')
  expect((await bidOn(request)).alternates.map(({ amount }: { amount: unknown }) => amount)).toEqual([null, null])
  const revised = await plumbline.patch(
    `/api/ext/bids/${(await bidOn(request)).id}`,
    { alternates: ALTERNATES },
    { key: site.key },
  )
  expect([revised.status, revised.body.revision]).toEqual([200, 2])
})

test('a draft bid with an incomplete alternate cannot be submitted', async () => {
  const { post } = await invite()
  const lines = [{ lineId: 'walls', unitPrice: 100 }]
  const { body } = await post('/draft', { lines, alternates: [{ description: 'Zip sheathing' }, { amount: 5 }] })
  const pointers = ['/alternates/0/amount', '/alternates/1/description']
  expect(body.review.problems.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers)
  expect((await post('/submit')).status).toBe(422)
})

test('a vendor can enter alternates on the price page and see them in the review, on the request page, and on the receipt', async () => {
  const { request, link, id } = await invite()
  const price = `${link}/${id}/price`
  const fields = {
    by: 'lines',
    p0: '100',
    ad0: 'Zip sheathing',
    aa0: '1450',
    ad1: 'No blocking',
    ae1: 'deduct',
    aa1: '300',
  }
  const refused = await send(price, { ...fields, aa1: '-300' })
  expect(await page(refused.headers.get('location') ?? '')).toContain('less than zero')
  await send(price, fields)
  const review = await page(`${link}/${id}/review`)
  for (const shown of ['add $1,450.00', 'deduct $300.00', 'Send bid of $1,000.00']) expect(review).toContain(shown)
  const version = /name="version" value="(\d+)"/.exec(review)?.[1] ?? ''
  await send(`${link}/${id}/review`, { do: 'submit', version })
  for (const path of [`${link}/${id}`, `${link}/${id}/receipt`]) expect(await page(path)).toContain('deduct $300.00')
  expect((await bidOn(request)).alternates).toMatchObject([{ amount: 1450 }, { amount: -300 }])
  expect(await page(price)).toContain('value="1450"')
})

test('a vendor gets an email receipt with its complete bid and its portal link', async () => {
  const { request, link, post } = await invite()
  await post('/draft', { lines: [{ lineId: 'walls', unitPrice: 123.45 }], alternates: ALTERNATES, exclusions: 'Crane' })
  await post('/submit')
  const receipt = await nextReceipt(request)
  for (const shown of [
    'Total: $1,234.50',
    'Zip sheathing: add $1,450.00',
    'No blocking: deduct $300.00',
    'Crane',
    link,
  ])
    expect(receipt).toContain(shown)
})

test('an email receipt for a blind bid request contains no amounts, because the builder can read the email', async () => {
  const { request, post } = await invite({ blind: true })
  await post('/draft', { lines: [{ lineId: 'walls', unitPrice: 123.45 }], alternates: ALTERNATES })
  await post('/submit')
  expect(await nextReceipt(request)).not.toMatch(/1,234|1,450|300\.00/)
  const { id } = await bidOn(request)
  const { body } = await plumbline.get(`/api/ext/mails?aboutId=${id}`, { key: site.key })
  expect(body.data).toMatchObject([{ kind: 'bid_receipt' }])
})

test('the receipt page of a bid shows the submission time and exists only after the submission', async () => {
  const { link, id, post } = await invite()
  const receipt = `${link}/${id}/receipt`
  expect((await fetch(plumbline.url + receipt)).status).toBe(404)
  await post('/draft', { lines: [{ lineId: 'walls', unitPrice: 100 }] })
  const { body } = await post('/submit')
  const html = await page(receipt)
  for (const shown of [body.bid.id, '$1,000.00', /\d:\d\d:\d\d (AM|PM) C[SD]T/]) expect(html).toMatch(shown)
})

test('the receipt of a bid states only once that the bid was sent', async () => {
  const { link, id, post } = await invite()
  await post('/draft', { lines: [{ lineId: 'walls', unitPrice: 100 }] })
  await post('/submit')
  expect(await page(`${link}/${id}/receipt`)).toMatch(/Total<small>sent /)
})

test('removing a file from a draft bid keeps the entered prices', async () => {
  const { link, id, key, path, post } = await invite()
  const upload = (name: string) =>
    sendBytes(`${plumbline.url}${path}/attachments?fileName=${name}`, createPdf(), { key })
  const { body: first } = await upload('first.pdf')
  const price = `${link}/${id}/price`
  expect(await page(price)).toContain(`value="remove ${first.id}"`)
  const removed = await send(price, { by: 'lines', p0: '7', do: `remove ${first.id}` })
  expect(removed.headers.get('location')).toBe(`${price}?done=saved`)
  const html = await page(price)
  expect([html.includes('first.pdf'), html.includes('value="7"')]).toEqual([false, true])
  expect((await plumbline.post(`${path}/attachments/${first.id}/discard`, undefined, { key })).status).toBe(200)

  const { body: second } = await upload('second.pdf')
  await post('/submit')
  const refused = await plumbline.post(`${path}/attachments/${second.id}/discard`, undefined, { key })
  expect([refused.status, refused.body.reason]).toEqual([409, 'wrong_status'])
  expect(await page(price)).toContain('sent with your bid')
})

test("a vendor can delete neither the builder's files nor files of another vendor", async () => {
  const { id, key, path, request } = await invite()
  const other = await invite()
  const share = (recordId: string) =>
    sendBytes(`${plumbline.url}/api/ext/attachments?recordId=${recordId}&fileName=plan.pdf`, createPdf(), {
      key: site.key,
    })
  const uploads = await sendBytes(`${plumbline.url}${other.path}/attachments?fileName=a.pdf`, createPdf(), {
    key: other.key,
  })
  for (const { body } of [await share(request.id), await share(id), uploads])
    expect((await plumbline.post(`${path}/attachments/${body.id}/discard`, undefined, { key })).status).toBe(404)
})
