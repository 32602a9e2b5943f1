import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'
import { updateOrganization } from '../../office/organizations/organizations.ts'

let plumbline: TestPlumbline
let site: Site
let year: number
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
beforeEach(async () => {
  site = await buildSite(plumbline)
  year = Number(site.day(0).slice(0, 4))
})
afterAll(() => plumbline.stop())

type Body = ServiceResponse['body']
const ask = (path: string, body: object) => plumbline.post(`/api/ext${path}`, body, { key: site.key })
const post = async (path: string, body: object): Promise<Body> => {
  const answer = await ask(path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}
const get = async (path: string): Promise<Body> => (await plumbline.get(`/api/ext${path}`, { key: site.key })).body
const vendor = async (companyName: string, more: object = {}): Promise<string> =>
  (await post('/vendors', { companyName, scopes: ['framing'], ...more })).id
const totals = (of = year): Promise<Body> => get(`/accounting/tax-totals?year=${of}`)
const corrections = (of: number): Promise<Body> => get(`/accounting/tax-corrections?year=${of}`)

/** Pays a vendor the amount of a completed order. */
async function paid(vendorId: string, unitPrice: number, move: object = {}): Promise<Body> {
  const lines = [{ description: 'Work', quantity: 1, unitPrice }]
  const order = await post('/purchase-orders', { homeId: site.lot14, vendorId, scope: 'framing', lines })
  for (const status of ['approved', 'issued']) await post(`/purchase-orders/${order.id}/status`, { status })
  await post(`/purchase-orders/${order.id}/progress`, { completedPercent: 100 })
  const payment = await post('/payments', { poId: order.id })
  await post(`/payments/${payment.id}/status`, { status: 'approved' })
  const body = await post(`/payments/${payment.id}/status`, { status: 'paid', ...move })
  expect((await get(`/purchase-orders/${order.id}`)).paidAmount).toBe(unitPrice)
  return body
}

test('the 1099 threshold applies to each form separately and ignores card payments', async () => {
  await paid(await vendor('A'), 1950)
  const landlord = await vendor('B', { reportingBox: 'misc_1' })
  await paid(landlord, 2500)
  const third = await vendor('C')
  await paid(third, 1500)
  await paid(third, 3000, { method: 'card' })
  await paid(await vendor('D', { reportingBox: 'none' }), 9000)
  expect((await totals()).vendors).toEqual([
    {
      ...{ vendorId: landlord, companyName: 'B', taxIdLast4: null, paid: 2500, payments: 1, backupWithheld: 0 },
      forms: [{ form: '1099-MISC', boxes: [{ box: 'misc_1', amount: 2500 }], backupWithheld: 0 }],
    },
  ])
  const csv = await get(`/accounting/tax-totals.csv?year=${year}`)
  expect(parse(csv, { columns: true })).toMatchObject([
    { companyName: 'B', form: '1099-MISC', nec_1: '', misc_1: '2500', misc_10: '', backupWithheld: '0' },
  ])
})

/** Creates, approves, and pays a bill without an order. Each line has an amount and, optionally, a box. */
async function paidBill(vendorId: string, lines: readonly object[], move: object = {}): Promise<Body> {
  const toLine = (line: object) => ({ homeId: site.lot14, description: 'Work', ...line })
  const bill = await post('/bills', { vendorId, lines: lines.map(toLine) })
  await post(`/bills/${bill.id}/status`, { status: 'approved' })
  const payment = await post('/payments', { billId: bill.id })
  await post(`/payments/${payment.id}/status`, { status: 'approved' })
  return post(`/payments/${payment.id}/status`, { status: 'paid', ...move })
}

test('the reporting box of a bill line takes precedence over the box of the vendor', async () => {
  const vendorId = await vendor('Landlord and crew')
  await paidBill(vendorId, [{ amount: 2500 }, { amount: 2100, reportingBox: 'misc_1' }])
  await paidBill(vendorId, [{ amount: 700, reportingBox: 'none' }])
  expect((await totals()).vendors).toEqual([
    {
      ...{ vendorId, companyName: 'Landlord and crew', taxIdLast4: null, paid: 4600, payments: 1, backupWithheld: 0 },
      forms: [
        { form: '1099-NEC', boxes: [{ box: 'nec_1', amount: 2500 }], backupWithheld: 0 },
        { form: '1099-MISC', boxes: [{ box: 'misc_1', amount: 2100 }], backupWithheld: 0 },
      ],
    },
  ])
})

test('a partial payment is divided among the boxes of its bill in proportion to the lines', async () => {
  const vendorId = await vendor('Divided')
  const lines = [
    { homeId: site.lot14, description: 'Rent', amount: 2000.01, reportingBox: 'misc_1' },
    { homeId: site.lot14, description: 'Prize', amount: 1000, reportingBox: 'misc_3' },
  ]
  const bill = await post('/bills', { vendorId, lines })
  await post(`/bills/${bill.id}/status`, { status: 'approved' })
  for (const amount of [2400.01, 600]) {
    const payment = await post('/payments', { billId: bill.id, amount })
    await post(`/payments/${payment.id}/status`, { status: 'approved' })
    await post(`/payments/${payment.id}/status`, { status: 'paid' })
    const [{ forms = [] } = {}] = (await totals()).vendors
    const boxes = amount === 600 ? [2000.01, 1000] : [1600.01, 800]
    expect(forms).toMatchObject([
      {
        boxes: [
          { box: 'misc_1', amount: boxes[0] },
          { box: 'misc_3', amount: boxes[1] },
        ],
      },
    ])
  }
})

test('backup tax is withheld only from the reported lines of a bill', async () => {
  const backupWithholding = { reason: 'irs_notice', fromDate: site.day(0), toDate: null }
  const vendorId = await vendor('Noticed', { taxId: '12-3454821', backupWithholding })
  const lines = [{ amount: 1000 }, { amount: 500, reportingBox: 'none' }]
  expect(await paidBill(vendorId, lines)).toMatchObject({ grossAmount: 1500, backupWithheld: 240, amount: 1260 })
  expect((await totals()).vendors).toMatchObject([
    { paid: 1000, forms: [{ form: '1099-NEC', boxes: [{ box: 'nec_1', amount: 1000 }], backupWithheld: 240 }] },
  ])
})

/** Creates an accepted order of $1,000 with 10% retainage. The vendor submits bills for the order. */
async function ordered(vendorId: string): Promise<string> {
  const { id } = await post('/purchase-orders', {
    ...{ homeId: site.lot14, vendorId, scope: 'framing', retainagePercent: 10, billingMethod: 'by_bill' },
    lines: [{ description: 'Work', quantity: 1, unitPrice: 1000 }],
  })
  for (const status of ['approved', 'issued', 'accepted']) await post(`/purchase-orders/${id}/status`, { status })
  return id
}

async function completed(poId: string, vendorId: string, lines: readonly object[]): Promise<void> {
  await post(`/purchase-orders/${poId}/progress`, { completedPercent: 100 })
  const bill = await post('/bills', { vendorId, lines: lines.map((line) => ({ poId, ...line })) })
  await post(`/bills/${bill.id}/status`, { status: 'approved' })
}

async function payOrder(poId: string, more: object = {}): Promise<Body> {
  const payment = await post('/payments', { poId, ...more })
  await post(`/payments/${payment.id}/status`, { status: 'approved' })
  return post(`/payments/${payment.id}/status`, { status: 'paid' })
}

const boxesOf = async () => {
  const { vendors } = await get(`/accounting/tax-totals?year=${year}&threshold=0`)
  return vendors.flatMap(({ forms }: Body) => forms.flatMap(({ boxes }: Body) => boxes))
}

test('released retainage of bill lines that are not reported is not reported', async () => {
  const vendorId = await vendor('Materials')
  const poId = await ordered(vendorId)
  await completed(poId, vendorId, [{ amount: 1000, reportingBox: 'none' }])
  expect(await payOrder(poId)).toMatchObject({ amount: 900 })
  expect(await payOrder(poId, { paymentType: 'retainage_release' })).toMatchObject({ amount: 100 })
  expect(await boxesOf()).toEqual([])
})

test('no backup tax is withheld from released retainage of bill lines that are not reported', async () => {
  const backupWithholding = { reason: 'irs_notice', fromDate: site.day(0), toDate: null }
  const vendorId = await vendor('Noticed', { taxId: '12-3454821', backupWithholding })
  const poId = await ordered(vendorId)
  await completed(poId, vendorId, [{ amount: 1000, reportingBox: 'none' }])
  await payOrder(poId)
  expect(await payOrder(poId, { paymentType: 'retainage_release' })).toMatchObject({ amount: 100, backupWithheld: 0 })
})

test('released retainage is divided among the boxes of the bill lines that withheld it', async () => {
  const vendorId = await vendor('Landlord and crew')
  const poId = await ordered(vendorId)
  await completed(poId, vendorId, [{ amount: 250 }, { amount: 750, reportingBox: 'misc_1' }])
  await payOrder(poId, { paymentType: 'retainage_release' })
  expect(await boxesOf()).toEqual([
    { box: 'nec_1', amount: 25 },
    { box: 'misc_1', amount: 75 },
  ])
})

test('a deposit is divided among the boxes of the bill lines of its order', async () => {
  const vendorId = await vendor('Crew and materials')
  const poId = await ordered(vendorId)
  await payOrder(poId, { paymentType: 'deposit', grossAmount: 200 })
  await completed(poId, vendorId, [{ amount: 400 }, { amount: 600, reportingBox: 'none' }])
  expect(await boxesOf()).toEqual([{ box: 'nec_1', amount: 80 }])
})

test('a deposit on an order without bills is reported in the box of the vendor', async () => {
  const vendorId = await vendor('Landlord', { reportingBox: 'misc_1' })
  await payOrder(await ordered(vendorId), { paymentType: 'deposit', grossAmount: 200 })
  expect(await boxesOf()).toEqual([{ box: 'misc_1', amount: 200 }])
})

test('a deposit with backup tax stays in the box for which the tax was withheld', async () => {
  const backupWithholding = { reason: 'irs_notice', fromDate: site.day(0), toDate: null }
  const vendorId = await vendor('Noticed', { taxId: '12-3454821', backupWithholding })
  const poId = await ordered(vendorId)
  expect(await payOrder(poId, { paymentType: 'deposit', grossAmount: 200 })).toMatchObject({ backupWithheld: 48 })
  await completed(poId, vendorId, [{ amount: 1000, reportingBox: 'none' }])
  expect((await totals()).vendors).toMatchObject([
    { paid: 200, forms: [{ form: '1099-NEC', boxes: [{ box: 'nec_1', amount: 200 }], backupWithheld: 48 }] },
  ])
})

test('backup tax of a payment on two forms is divided between the forms', async () => {
  const backupWithholding = { reason: 'irs_notice', fromDate: site.day(0), toDate: null }
  const vendorId = await vendor('Noticed', { taxId: '12-3454821', backupWithholding })
  await paidBill(vendorId, [{ amount: 100 }, { amount: 300, reportingBox: 'misc_1' }])
  expect((await totals()).vendors).toMatchObject([
    {
      ...{ paid: 400, backupWithheld: 96 },
      forms: [
        { form: '1099-NEC', backupWithheld: 24 },
        { form: '1099-MISC', backupWithheld: 72 },
      ],
    },
  ])
})

test('the 1099 threshold is $600 through 2025 and $2,000 from 2026', async () => {
  const vendorId = await vendor('Two years')
  await paid(vendorId, 600, { paidDate: '2025-12-31' })
  await paid(vendorId, 1999.99, { paidDate: '2026-01-01' })
  expect((await totals(2025)).vendors).toMatchObject([{ vendorId, paid: 600 }])
  expect((await totals(2026)).vendors).toEqual([])
  await paid(vendorId, 0.01, { paidDate: '2026-01-02' })
  expect((await totals(2026)).vendors).toMatchObject([{ vendorId, paid: 2000 }])
})

test('a voided payment of a bill line with its own box is listed as a correction of that form', async () => {
  const vendorId = await vendor('Filed', { taxId: '12-3454821' })
  const other = await paidBill(vendorId, [{ amount: 2000 }, { amount: 3000, reportingBox: 'misc_1' }])
  await post('/accounting/tax-filings', { vendorId, year, form: '1099-MISC', filedOn: site.day(0) })
  expect((await corrections(year)).corrections).toEqual([])
  await post(`/payments/${other.id}/void`, { reason: 'Paid to the wrong company.' })
  expect((await corrections(year)).corrections).toMatchObject([
    {
      form: '1099-MISC',
      reasons: ['amount'],
      filed: { boxes: [{ box: 'misc_1', amount: 3000 }] },
      correct: { boxes: [] },
    },
  ])
})

test('gross proceeds paid to an attorney are reported if they total $600 or more', async () => {
  const attorney = await vendor('Attorney', { reportingBox: 'misc_10' })
  await paid(attorney, 599.99)
  expect((await totals()).vendors).toEqual([])
  await paid(attorney, 0.01)
  expect((await totals()).vendors).toMatchObject([
    { vendorId: attorney, forms: [{ form: '1099-MISC', boxes: [{ box: 'misc_10', amount: 600 }] }] },
  ])
})

test('backup withholding for a vendor without a tax ID starts with the payment that reaches the threshold', async () => {
  const { database, clock } = plumbline
  await updateOrganization(database, clock, site.organizationId, { withholdsBackupTax: true })
  const vendorId = await vendor('No number')
  expect(await paid(vendorId, 1500)).toMatchObject({ amount: 1500, backupWithheld: 0 })
  expect(await paid(vendorId, 1000)).toMatchObject({ grossAmount: 1000, amount: 760, backupWithheld: 240 })
  expect(await paid(vendorId, 100, { method: 'card' })).toMatchObject({ amount: 100, backupWithheld: 0 })
  expect(await paid(vendorId, 10)).toMatchObject({ amount: 7.6, backupWithheld: 2.4 })
  expect((await totals()).vendors).toMatchObject([
    {
      ...{ vendorId, paid: 2510, backupWithheld: 242.4 },
      forms: [{ form: '1099-NEC', boxes: [{ box: 'nec_1', amount: 2510 }], backupWithheld: 242.4 }],
    },
  ])
  const { balances } = await get(`/ledger/balances?asOf=${site.day(0)}&vendorId=${vendorId}`)
  expect(balances).toMatchObject([{ amounts: { cost: 2610, paid: 2367.6, withheldTax: 242.4 } }])
  await plumbline.patch(`/api/ext/vendors/${vendorId}`, { taxId: '12-3454821' }, { key: site.key })
  expect(await paid(vendorId, 50)).toMatchObject({ amount: 50, backupWithheld: 0 })
})

test('without withholdsBackupTax, no backup tax is withheld from a vendor without a tax ID', async () => {
  expect(await paid(await vendor('No number'), 2500)).toMatchObject({ amount: 2500, backupWithheld: 0 })
})

test('backup tax is withheld only during the period in backupWithholding', async () => {
  const [from, to] = [site.day(-2), site.day(-1)]
  const backupWithholding = { reason: 'irs_notice', fromDate: from, toDate: to }
  const vendorId = await vendor('Noticed', { taxId: '12-3454821', backupWithholding })
  expect(await paid(vendorId, 100.05, { paidDate: from })).toMatchObject({ amount: 76.04, backupWithheld: 24.01 })
  expect(await paid(vendorId, 100, { paidDate: to })).toMatchObject({ backupWithheld: 24 })
  expect(await paid(vendorId, 100)).toMatchObject({ backupWithheld: 0 })
  const { vendors } = await totals(Number(from.slice(0, 4)))
  expect(vendors).toMatchObject([{ vendorId, forms: [{ form: '1099-NEC' }] }])
  const wrong = { backupWithholding: { reason: 'irs_notice', fromDate: to, toDate: from } }
  const refused = await ask('/vendors', { companyName: 'X', ...wrong })
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/backupWithholding/toDate' }] } })
})

test('a payment that is voided after the filing is listed as a correction until the form is filed again', async () => {
  const vendorId = await vendor('Filed', { taxId: '12-3454821' })
  const lastYear = year - 1
  await paid(vendorId, 3500, { paidDate: `${lastYear}-06-30` })
  const late = await paid(vendorId, 1500, { paidDate: `${lastYear}-12-20` })
  const filing = { vendorId, year: lastYear, form: '1099-NEC', filedOn: site.day(0) }
  const filed = await post('/accounting/tax-filings', filing)
  expect(filed).toMatchObject({
    ...{ boxes: [{ box: 'nec_1', amount: 5000 }], backupWithheld: 0, companyName: 'Filed', taxIdLast4: '4821' },
  })
  expect((await corrections(lastYear)).corrections).toEqual([])
  await post(`/payments/${late.id}/void`, { reason: 'Check was never cashed.' })
  await plumbline.patch(`/api/ext/vendors/${vendorId}`, { companyName: 'Filed LLC' }, { key: site.key })
  const [found, ...others] = (await corrections(lastYear)).corrections
  expect(others).toEqual([])
  expect(found).toMatchObject({
    ...{ filingId: filed.id, vendorId, form: '1099-NEC', reasons: ['amount', 'name'] },
    filed: { boxes: [{ box: 'nec_1', amount: 5000 }], companyName: 'Filed' },
    correct: { boxes: [{ box: 'nec_1', amount: 3500 }], companyName: 'Filed LLC' },
  })
  await post('/accounting/tax-filings', filing)
  expect((await corrections(lastYear)).corrections).toEqual([])
})

test('invalid fields of a Form 1099 filing are reported', async () => {
  const vendorId = await vendor('Filed')
  const filing = { vendorId, year, form: '1099-NEC', filedOn: site.day(0) }
  const refused = async (more: object) => {
    const { status, body } = await ask('/accounting/tax-filings', { ...filing, ...more })
    return [status, body.errors?.[0]?.pointer ?? body.reason]
  }
  expect(await refused({})).toEqual([409, 'missing_data'])
  expect(await refused({ filedOn: site.day(1) })).toEqual([422, '/filedOn'])
  expect(await refused({ boxes: [{ box: 'misc_1', amount: 1 }] })).toEqual([422, '/boxes/0/box'])
  const box = { box: 'nec_1', amount: 1 }
  expect(await refused({ boxes: [box, box] })).toEqual([422, '/boxes/1/box'])
  expect(await refused({ vendorId: (await plumbline.newBuilder()).userId })).toEqual([422, '/vendorId'])
})
