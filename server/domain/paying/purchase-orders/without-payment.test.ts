import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'

const DAY_MS = 86_400_000

let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

type Body = ServiceResponse['body']
const post = (path: string, body: object) => plumbline.post(`/api/ext${path}`, body, { key: site.key })
const get = async (path: string): Promise<Body> =>
  (await plumbline.get(`/api/ext/purchase-orders${path}`, { key: site.key })).body

const order = (unitPrice: number, more: object = {}) => ({
  ...{ homeId: site.lot14, vendorId: site.loneStar, scope: 'framing', ...more },
  lines: [{ description: 'Walk the lot', quantity: 1, unitPrice }],
})

/** Creates an order and moves it to the given status. */
async function newOrder(unitPrice: number, more: object = {}): Promise<string> {
  const { status, body } = await post('/purchase-orders', order(unitPrice, more))
  expect([status, body.errors ?? body.detail]).toEqual([201, undefined])
  for (const status of ['approved', 'issued', 'accepted', 'completed'])
    expect((await post(`/purchase-orders/${body.id}/status`, { status })).status).toBe(200)
  return body.id
}

test('an order closes automatically one day after its completion if no payment is due', async () => {
  const [free, scheduled, owed] = [await newOrder(0), await newOrder(0, { noPayment: true }), await newOrder(100)]
  const undone = await newOrder(0)
  const back = { status: 'partially_completed', reason: 'The wrong lot.' }
  expect((await post(`/purchase-orders/${undone}/status`, back)).status).toBe(200)
  plumbline.clock.advance(DAY_MS - 60_000)
  expect((await get(`/${free}`)).status).toBe('completed')
  plumbline.clock.advance(120_000)
  for (const id of [free, scheduled]) {
    await vi.waitFor(async () => expect((await get(`/${id}`)).status).toBe('closed'), 10_000)
    expect(await get(`/${id}`)).toMatchObject({
      status: 'closed',
      closedAt: expect.any(String),
      paidAmount: 0,
      retainedAmount: 0,
    })
  }
  const { data } = (await plumbline.get(`/api/ext/status-changes?resourceId=${free}&sort=-at`, { key: site.key })).body
  expect(data[0]).toMatchObject({
    to: 'closed',
    by: { type: 'system' },
    reason: 'Closed automatically because no payment is due.',
  })
  expect([(await get(`/${owed}`)).status, (await get(`/${undone}`)).status]).toEqual([
    ...['completed', 'partially_completed'],
  ])
})

test('an order with noPayment cannot be paid', async () => {
  const priced = await post('/purchase-orders', order(10, { noPayment: true }))
  expect([priced.status, priced.body.errors]).toMatchObject([
    ...[422, [{ pointer: '/lines/0/unitPrice', message: 'must be 0 when noPayment is true' }]],
  ])
  const { body: draft } = await post('/purchase-orders', order(10))
  expect(draft.noPayment).toBe(false)
  const change = (fields: object) => plumbline.patch(`/api/ext/purchase-orders/${draft.id}`, fields, { key: site.key })
  expect((await change({ noPayment: true })).body.errors).toMatchObject([{ pointer: '/lines/0/unitPrice' }])
  const { lines } = order(0)
  expect((await change({ noPayment: true, lines })).body).toMatchObject({ noPayment: true, total: 0 })
  for (const status of ['approved', 'issued']) await post(`/purchase-orders/${draft.id}/status`, { status })
  expect((await change({ noPayment: false })).body.errors).toMatchObject([{ pointer: '/noPayment', code: 'fixed' }])
  const payment = await post('/payments', {
    poId: draft.id,
    paymentType: 'deposit',
    grossAmount: 5,
    overrideReason: 'x',
  })
  expect([payment.status, payment.body.reason, payment.body.detail]).toEqual([
    ...[409, 'not_suitable', `Cannot pay ${draft.number}: it is marked as noPayment.`],
  ])
})
