import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'
import { addDays } from '../../../platform/values/calendar.ts'

let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

type Body = ServiceResponse['body']
const post = async (path: string, body: object): Promise<Body> => {
  const answer = await plumbline.post(`/api/ext${path}`, body, { key: site.key })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}
const totals = (query: string, key = site.key) => plumbline.get(`/api/ext/accounting/tax-totals?${query}`, { key })

/** Pays a vendor the given amount for a completed order. */
async function paid(vendorId: string, unitPrice: number, move: object): Promise<Body> {
  const lines = [{ description: 'Framing', quantity: 1, unitPrice }]
  const order = await post('/purchase-orders', { homeId: site.lot14, vendorId, scope: 'framing', lines })
  for (const status of ['approved', 'issued']) await post(`/purchase-orders/${order.id}/status`, { status })
  await post(`/purchase-orders/${order.id}/progress`, { completedPercent: 100 })
  const payment = await post('/payments', { poId: order.id })
  await post(`/payments/${payment.id}/status`, { status: 'approved' })
  return post(`/payments/${payment.id}/status`, { status: 'paid', ...move })
}

const nec = (paid: number) => ({
  ...{ paid, backupWithheld: 0 },
  forms: [{ form: '1099-NEC', boxes: [{ box: 'nec_1', amount: paid }], backupWithheld: 0 }],
})

test('the tax totals list only vendors that were paid at least the threshold in the year', async () => {
  const today = site.day(0)
  const year = Number(today.slice(0, 4))
  const lastYear = `${year - 1}-12-31`
  await paid(site.loneStar, 1999.99, { paidDate: today })
  expect((await totals(`year=${year}`)).body).toMatchObject({ threshold: 2000, vendorCount: 0, total: 0, vendors: [] })
  await paid(site.loneStar, 0.01, { paidDate: `${year}-01-01` })
  await paid(site.hillCountry, 5000.5, { paidDate: addDays(today, -1) < `${year}-01-01` ? today : addDays(today, -1) })
  await paid(site.hillCountry, 700, { paidDate: lastYear })
  await paid(site.redrock, 9000, { paidDate: today, method: 'card' })
  const { id } = await paid(site.redrock, 8000, { paidDate: today })
  await post(`/payments/${id}/void`, { reason: 'Paid twice.' })

  const all = (await totals(`year=${year}`)).body
  expect(all).toMatchObject({ year, currency: 'USD', vendorCount: 2, total: 7000.5, lastVendorId: null })
  expect(all.vendors).toEqual(
    [
      { vendorId: site.loneStar, companyName: 'Lone Star Framing LLC', taxIdLast4: null, ...nec(2000), payments: 2 },
      { vendorId: site.hillCountry, companyName: expect.any(String), taxIdLast4: null, ...nec(5000.5), payments: 1 },
    ].sort((a, b) => (a.vendorId < b.vendorId ? -1 : 1)),
  )
  const page = (await totals(`year=${year}&limit=1`)).body
  expect(page).toMatchObject({ vendorCount: 2, lastVendorId: all.vendors[0].vendorId, vendors: [all.vendors[0]] })
  const next = (await totals(`year=${year}&limit=1&afterVendorId=${page.lastVendorId}`)).body
  expect(next).toMatchObject({ vendorCount: 2, lastVendorId: null, vendors: [all.vendors[1]] })
  expect((await totals(`year=${year - 1}`)).body).toMatchObject({ threshold: year > 2026 ? 2000 : 600, vendorCount: 1 })
  expect((await totals(`year=${year - 1}&threshold=700.01`)).body.vendors).toEqual([])
})

test('the tax totals exclude exempt vendors', async () => {
  const own = { key: site.key }
  const year = Number(site.day(0).slice(0, 4))
  await plumbline.patch(`/api/ext/vendors/${site.hillCountry}`, { is1099: false }, own)
  const all = (await totals(`year=${year}`)).body
  expect(all).toMatchObject({ vendorCount: 1, total: 2000 })
  await plumbline.patch(`/api/ext/vendors/${site.hillCountry}`, { is1099: true }, own)
  expect((await totals(`year=${year}`)).body.vendorCount).toBe(2)
})

test('the tax export contains tax IDs only for callers with permission', async () => {
  const own = { key: site.key }
  const year = Number(site.day(0).slice(0, 4))
  const address = { line1: '4410 Burnet Rd', city: 'Austin', state: 'TX', postalCode: '78756', country: 'US' }
  await plumbline.patch(`/api/ext/vendors/${site.loneStar}`, { taxId: '12-3454821', address }, own)
  await plumbline.patch(`/api/ext/vendors/${site.hillCountry}`, { is1099: false }, own)
  const all = (await totals(`year=${year}`)).body
  expect(all.vendors).toMatchObject([{ vendorId: site.loneStar, taxIdLast4: '4821' }])
  const csv = (query: string, key = site.key) =>
    plumbline.get(`/api/ext/accounting/tax-totals.csv?year=${year}${query}`, { key })
  const answer = await csv('')
  expect(answer.headers.get('content-disposition')).toContain(`form-1099-${year}.csv`)
  const [row, ...others] = parse(answer.body, { columns: true })
  expect([row, others]).toEqual([
    {
      ...{
        vendorId: site.loneStar,
        companyName: 'Lone Star Framing LLC',
        taxId: '12-3454821',
        line1: '4410 Burnet Rd',
      },
      ...{ line2: '', city: 'Austin', state: 'TX', postalCode: '78756', country: 'US', paid: '2000', payments: '2' },
      ...{ form: '1099-NEC', nec_1: '2000', misc_1: '', misc_3: '', misc_6: '', misc_10: '', backupWithheld: '0' },
    },
    [],
  ])
  const reader = await plumbline.newKey(['payments:read', 'vendors:read'], site.organizationId)
  expect(parse((await csv('', reader)).body, { columns: true })).toMatchObject([{ vendorId: site.loneStar, taxId: '' }])
  expect(parse((await csv(`&afterVendorId=${site.loneStar}`)).body, { columns: true })).toEqual([])
  await plumbline.patch(`/api/ext/vendors/${site.hillCountry}`, { is1099: true }, own)
})

test('the Form 1099 totals require a year', async () => {
  expect((await totals('')).status).toBe(422)
})

test('tax totals contain no vendors of another builder', async () => {
  const { key } = await plumbline.newBuilder()
  expect((await totals('year=2026', key)).body.vendorCount).toBe(0)
})
