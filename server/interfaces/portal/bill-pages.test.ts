import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../test/support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

/** These tests check the pages on which a vendor bills an order, in both languages. */
let plumbline: TestPlumbline
let site: Site
let root: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
  await ext(`/vendors/${site.loneStar}/invite`)
  root = new URL(await plumbline.mailedLink(site.loneStar)).pathname
})
afterAll(() => plumbline.stop())

const ext = async (path: string, body: object = {}) =>
  (await plumbline.post(`/api/ext${path}`, body, { key: site.key })).body
const read = async (path: string) => (await plumbline.get(`/api/ext${path}`, { key: site.key })).body
const portal = async (path: string) =>
  (await plumbline.get(`/api/portal${path}`, { key: root.split('/').at(-1) ?? '' })).body
const open = async (path: string, language = 'en') =>
  (await fetch(plumbline.url + root + path, { headers: { 'accept-language': language } })).text()

async function order(more: object = {}, upTo = ['approved', 'issued', 'accepted']): Promise<string> {
  const lines = [{ description: 'Walls', quantity: 1, unitPrice: 10_000 }]
  const draft = { homeId: site.lot15, vendorId: site.loneStar, scope: 'framing', lines, retainagePercent: 10 }
  const { id } = await ext('/purchase-orders', { ...draft, billingMethod: 'by_bill', ...more })
  for (const status of upTo) await ext(`/purchase-orders/${id}/status`, { status })
  return id
}

/** Returns the form of a page as a browser would send it, with the fields that the vendor enters. */
async function formOf(path: string, entered: Record<string, string | File>): Promise<FormData> {
  const [, once = ''] = /name="once" value="([^"]+)"/.exec(await open(path)) ?? []
  const form = new FormData()
  for (const [name, value] of Object.entries({ once, ...entered })) form.append(name, value)
  return form
}

const send = (path: string, body: FormData, language = 'en') =>
  fetch(plumbline.url + root + path, { method: 'POST', body, headers: { 'accept-language': language } })

async function bill(poId: string, entered: Record<string, string | File>, language = 'en') {
  const answer = await send(`/${poId}/bill`, await formOf(`/${poId}/bill`, entered), language)
  return { status: answer.status, html: await answer.text(), path: new URL(answer.url).pathname }
}

const billsOf = async (poId: string) => (await read(`/bills?poId=${poId}`)).data
const PDF = () => new File(['%PDF-1.4\n%%EOF\n'], 'Invoice 7.pdf')

test('a vendor bills an order with an invoice, and sees the bill on its page, the order, and the overview', async () => {
  const poId = await order()
  const { order: seen, form } = { order: await open(`/${poId}`), form: await open(`/${poId}/bill`) }
  expect(seen).toContain(`href="${root}/${poId}/bill"`)
  expect(form).toMatch(/Left to bill<\/dt><dd class="num">\$10,000\.00/)
  const sent = await bill(poId, { invoiceNumber: 'LS-7', amount: '4,000', description: 'First floor', file: PDF() })
  expect(sent.status).toBe(200)
  for (const text of [
    'Bill LS-7',
    'The builder has your bill',
    '$4,000.00',
    '$3,600.00',
    'First floor',
    'Invoice 7.pdf',
  ])
    expect(sent.html).toContain(text)
  expect(await billsOf(poId)).toMatchObject([
    { status: 'received', source: 'portal', invoiceNumber: 'LS-7', grossAmount: 4000, retainageWithheld: 400 },
  ])
  for (const path of [`/${poId}`, '/bills', '']) expect(await open(path)).toContain('LS-7, $4,000.00</a>')
  expect(await portal(`/orders/${poId}`)).toMatchObject({ canBill: true, leftToBill: 6000 })
  expect((await portal(`/bills?poId=${poId}`)).data).toMatchObject([{ invoiceNumber: 'LS-7', canWithdraw: true }])
  expect((await portal(`/bills?poId=${await order()}`)).data).toEqual([])
})

test('a bill form in Spanish is answered in Spanish', async () => {
  const poId = await order()
  expect(await open(`/${poId}/bill`, 'es')).toContain('Número de factura')
  const wrong = await bill(poId, { invoiceNumber: 'F-1', amount: '4.000,00' }, 'es')
  expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining('Use punto solo antes de los centavos')])
  const sent = await bill(poId, { invoiceNumber: 'F-1', amount: '4000' }, 'es')
  expect(sent.html).toContain('El constructor tiene su factura y la va a revisar.')
})

test('a bill form that is sent three times creates one bill with one file', async () => {
  const poId = await order()
  const entered = await formOf(`/${poId}/bill`, { invoiceNumber: 'LS-8', amount: '9000', file: PDF() })
  const both = await Promise.all([send(`/${poId}/bill`, entered), send(`/${poId}/bill`, entered)])
  // The third form exceeds what is then left to bill.
  const pages = [...both, await send(`/${poId}/bill`, entered)]
  for (const each of pages) {
    const html = await each.text()
    expect([each.status, html]).toEqual([200, expect.stringContaining('The builder has your bill')])
    expect(html.match(/Invoice 7\.pdf/g)).toHaveLength(1)
  }
  expect(await billsOf(poId)).toHaveLength(1)
})

test.each([
  ['4k', 'Write the full amount, for example 4,000'],
  ['4.000', 'can mean two amounts'],
  ['-50', 'less than zero'],
  ['0', 'Enter the amount of this bill.'],
  ['', 'Enter the amount of this bill.'],
  ['a lot', 'is not a number'],
])('the amount "%s" is asked about beside its field, and the other entries stay', async (amount, text) => {
  const poId = await order()
  const { status, html } = await bill(poId, { invoiceNumber: 'LS "9"', description: 'Stairs', amount })
  expect([status, html]).toEqual([422, expect.stringContaining(text)])
  expect(html).toContain('value="LS &quot;9&quot;"')
  expect(html).toContain('value="Stairs"')
  expect(html).toMatch(/id="amount"[^>]*aria-invalid="true" aria-describedby="amount-e" autofocus/)
  expect(await billsOf(poId)).toEqual([])
})

test('a bill of more than is left on the order is sent only after the vendor confirms it', async () => {
  const poId = await order()
  const entered = { invoiceNumber: 'LS-10', amount: '10,000.01' }
  const asked = await bill(poId, entered)
  expect([asked.status, asked.html]).toEqual([
    422,
    expect.stringContaining('Yes, this bill is $10,000.01. That is $0.01 more than is left to bill.'),
  ])
  expect(await billsOf(poId)).toEqual([])
  expect((await bill(poId, { ...entered, sure: 'yes' })).html).toContain('The builder has your bill')
  expect(await billsOf(poId)).toHaveLength(1)
})

test('an invoice number, a date, or a file that cannot be accepted is explained, and no bill is created', async () => {
  const poId = await order()
  await bill(poId, { invoiceNumber: 'LS-11', amount: '100' })
  const cases: [entered: Record<string, string | File>, status: number, text: string][] = [
    [{ invoiceNumber: 'ls 11' }, 409, 'You already sent a bill with this'],
    [{ invoiceNumber: ' ' }, 422, 'Enter the number on your invoice.'],
    [{ invoiceDate: site.day(2) }, 422, 'The date must be today or earlier.'],
    [{ invoiceDate: 'soon' }, 422, 'The date must be today or earlier.'],
    [{ file: new File(['MZ'], 'invoice.exe') }, 422, 'The file was not accepted'],
  ]
  for (const [entered, status, text] of cases) {
    const answer = await bill(poId, { invoiceNumber: 'LS-12', amount: '200', ...entered })
    expect([answer.status, answer.html]).toEqual([status, expect.stringContaining(text)])
    expect(answer.html).toContain('value="200"')
    expect(answer.html).not.toContain('Too late')
  }
  expect(await billsOf(poId)).toHaveLength(1)
})

test('a vendor can add a file to a bill and withdraw it until the builder approves it', async () => {
  const poId = await order()
  const { path } = await bill(poId, { invoiceNumber: 'LS-13', amount: '300' })
  const page = path.slice(root.length)
  const added = await send(page, await formOf(page, { do: 'file', file: PDF() }))
  expect([added.status, await added.text()]).toEqual([200, expect.stringContaining('Invoice 7.pdf')])
  const without = await send(page, await formOf(page, { do: 'file' }))
  expect([without.status, await without.text()]).toEqual([422, expect.stringContaining('The file was not accepted')])
  const form = await formOf(page, { do: 'withdraw', reason: 'Wrong order' })
  for (const each of await Promise.all([send(page, form), send(page, form)]))
    expect([each.status, await each.text()]).toEqual([200, expect.stringContaining('This bill was withdrawn.')])
  expect(await portal(`/orders/${poId}`)).toMatchObject({ leftToBill: 10_000 })
  const { html, path: next } = await bill(poId, { invoiceNumber: 'LS-14', amount: '300' })
  expect(html).toContain('Withdraw the bill')
  await ext(`/purchase-orders/${poId}/progress`, { completedPercent: 100 })
  await ext(`/bills/${next.split('/').at(-1)}/status`, { status: 'approved' })
  const approved = await open(next.slice(root.length))
  expect(approved).toContain('The builder approved your bill.')
  expect(approved).not.toContain('Withdraw the bill')
})

test('an order that is paid by progress, is not accepted, or belongs to another vendor has no bill form', async () => {
  const byProgress = await order({ billingMethod: 'on_completion' })
  const page = await open(`/${byProgress}`)
  expect(page).toContain('You do not need to send a bill for this order.')
  for (const poId of [byProgress, await order({}, ['approved', 'issued'])]) {
    expect(await open(`/${poId}`)).not.toContain(`${root}/${poId}/bill`)
    const answer = await fetch(`${plumbline.url}${root}/${poId}/bill`, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${root}/${poId}`])
    const form = new FormData()
    for (const [name, value] of [
      ['invoiceNumber', 'X'],
      ['amount', '1'],
    ] as const)
      form.append(name, value)
    expect((await send(`/${poId}/bill`, form)).status).toBe(409)
  }
  const other = await order({ vendorId: site.redrock })
  expect((await fetch(`${plumbline.url}${root}/${other}/bill`)).status).toBe(404)
})
