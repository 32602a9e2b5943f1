import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import { type Answer, startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
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

type Body = Answer['body']
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

test('the threshold applies to each form, and forms exclude card payments and vendors with the box none', async () => {
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

test('gross proceeds paid to an attorney are reported from $600', async () => {
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

test('no tax is withheld from a vendor without a tax ID unless withholdsBackupTax is on', async () => {
  expect(await paid(await vendor('No number'), 2500)).toMatchObject({ amount: 2500, backupWithheld: 0 })
})

test('tax is withheld in the period of backupWithholding, and the form is listed below the threshold', async () => {
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

test('a void after filing is listed as a correction until the filing is recorded again', async () => {
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

test('an invalid filing is rejected with a pointer to its field', async () => {
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
