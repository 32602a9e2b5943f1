import { parse } from 'csv-parse/sync'
import { extractText, getDocumentProxy } from 'unpdf'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

type Body = ServiceResponse['body']

/**
 * Creates a builder with the given currency, a home, and a vendor. Returns functions that call the API with the
 * builder's key.
 */
async function builderIn(currency: string) {
  const { key } = await plumbline.newBuilder({ currency })
  const post = (path: string, body: object) => plumbline.post(`/api/ext${path}`, body, { key })
  const get = (path: string) => plumbline.get(`/api/ext${path}`, { key })
  const made = async (path: string, body: object): Promise<Body> => {
    const answer = await post(path, body)
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    return answer.body
  }
  const communityId = (await made('/communities', { name: 'Juniper Ridge', city: 'Austin', state: 'TX' })).id
  const homeId = (await made('/homes', { name: 'Lot 1', communityId })).id
  const vendorId = (await made('/vendors', { companyName: 'Lone Star Framing', scopes: ['framing'] })).id
  const order = async (line: object, more: object = {}): Promise<Body> => {
    const lines = [{ description: 'Walls', ...line }]
    const { id } = await made('/purchase-orders', { homeId, vendorId, scope: 'framing', lines, ...more })
    for (const status of ['approved', 'issued', 'accepted']) await made(`/purchase-orders/${id}/status`, { status })
    return (await get(`/purchase-orders/${id}`)).body
  }
  return { key, post, get, made, order, homeId, vendorId }
}

const faultsOf = ({ status, body }: ServiceResponse) => [
  status,
  ...(body.errors ?? []).map(({ pointer, code }: Body) => `${pointer} ${code}`),
]

describe('a currency without decimals', () => {
  test('orders, payments, budgets, and exports show amounts in yen as whole numbers', async () => {
    const { made, get, order, homeId, key } = await builderIn('JPY')
    const { id, total, lines } = await order({ quantity: 3, unitPrice: 33.33, taxPercent: 10 }, { retainagePercent: 5 })
    expect([total, lines[0].total, lines[0].taxAmount]).toEqual([110, 100, 10])
    const done = await made(`/purchase-orders/${id}/progress`, { completedPercent: 33.33 })
    expect([done.completedAmount, done.retainedAmount, done.payableAmount]).toEqual([37, 2, 35])
    const payment = await made('/payments', { poId: id, paymentType: 'progress' })
    expect([payment.grossAmount, payment.retainageWithheld, payment.amount]).toEqual([37, 2, 35])
    for (const status of ['approved', 'paid']) await made(`/payments/${payment.id}/status`, { status })
    const budget = (await get(`/homes/${homeId}/budget`)).body
    expect([budget.totalCommitted, budget.totalPaid, budget.totalRetained]).toEqual([110, 35, 2])
    const csv = (await plumbline.get('/api/ext/accounting/export.csv?type=payment', { key })).body
    expect(parse(csv, { columns: true })).toMatchObject([{ grossAmount: '37', amount: '35', currency: 'JPY' }])
    const file = await fetch(`${plumbline.url}/api/ext/purchase-orders/${id}/pdf`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const pages = await extractText(await getDocumentProxy(new Uint8Array(await file.arrayBuffer())))
    expect(pages.text.join(' ')).toMatch(/¥33\.33 .*Subtotal ¥100\s.*Total ¥110\s/s)
  })

  test('an amount in yen with decimals is rejected', async () => {
    const { post, order, vendorId, homeId } = await builderIn('JPY')
    const { id } = await order({ quantity: 1, unitPrice: 100 })
    const payment = await post('/payments', { poId: id, paymentType: 'deposit', grossAmount: 99.99 })
    expect(faultsOf(payment)).toEqual([422, '/grossAmount decimals'])
    expect(payment.body.errors[0].message).toBe('must be a whole number, because JPY has no decimals')
    // A unit price can have four decimal places in any currency.
    const line = { scope: 'framing', description: 'Nails' }
    const priced = await post(`/homes/${homeId}/budget/lines`, { ...line, quantity: 4, unitCost: 2.5001 })
    expect(priced.body).toMatchObject({ budgeted: 10, unitCost: 2.5001 })
    expect(faultsOf(await post(`/homes/${homeId}/budget/lines`, { ...line, amount: 10.5 }))).toEqual([
      422,
      '/amount decimals',
    ])
    const rows = [{ externalId: 'b-1', homeId, ...line, amount: 10.5 }]
    expect(faultsOf(await post('/budget-lines/batch', { match: 'externalId', rows }))).toEqual([
      422,
      '/rows/0/amount decimals',
    ])
    const skill = { skill: 'matchInvoice', input: { vendorId, amount: 99.5, invoiceNumber: 'A-1' } }
    expect(faultsOf(await post('/execute', skill))).toEqual([422, '/input/amount decimals'])
  })
})

describe('a currency with three decimals', () => {
  test('orders, payments, and lien waivers show amounts in Kuwaiti dinars with three decimals', async () => {
    const { made, get, order } = await builderIn('KWD')
    const { id, total } = await order({ quantity: 1, unitPrice: 1.2345 }, { retainagePercent: 10 })
    expect(total).toBe(1.235)
    await made(`/purchase-orders/${id}/progress`, { completedPercent: 100 })
    const now = (await get(`/purchase-orders/${id}`)).body
    expect([now.completedAmount, now.retainedAmount, now.payableAmount, now.balance]).toEqual([
      1.235, 0.124, 1.111, 1.235,
    ])
    const payment = await made('/payments', { poId: id, paymentType: 'progress' })
    expect([payment.grossAmount, payment.retainageWithheld, payment.amount]).toEqual([1.235, 0.124, 1.111])
    const waiver = await made(`/payments/${payment.id}/lien-waivers`, {})
    expect(waiver.text).toContain('1.111')
  })

  test('an amount in Kuwaiti dinars with four decimals is rejected', async () => {
    const { post, order } = await builderIn('KWD')
    const { id } = await order({ quantity: 1, unitPrice: 100 })
    const deposit = { poId: id, paymentType: 'deposit' }
    expect(faultsOf(await post('/payments', { ...deposit, grossAmount: 9.9995 }))).toEqual([
      422,
      '/grossAmount decimals',
    ])
    expect((await post('/payments', { ...deposit, grossAmount: 9.999 })).body.grossAmount).toBe(9.999)
  })
})

test('an amount in dollars with three decimals is rejected', async () => {
  const { post, order } = await builderIn('USD')
  const { id } = await order({ quantity: 1, unitPrice: 100 })
  const answer = await post('/payments', { poId: id, paymentType: 'deposit', grossAmount: 99.999 })
  expect(faultsOf(answer)).toEqual([422, '/grossAmount decimals'])
  expect(answer.body.errors[0].message).toBe('must have at most 2 decimals in USD')
})
