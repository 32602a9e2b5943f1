import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { StatementCounter } from '../../../../test/support/count-statements.ts'
import { listEvents } from '../../../../test/support/recorded-events.ts'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'
import { formatDate } from '../../../platform/values/format.ts'

const counted = new StatementCounter('createPaymentRun')
let plumbline: TestPlumbline
let site: Site
let communityId: string
let homeId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline({}, { handlers: counted.handlers })
  site = await buildSite(plumbline)
})
beforeEach(async () => {
  communityId = (await made('/communities', { name: `Cedar Hollow ${crypto.randomUUID()}` })).id
  homeId = (await made('/homes', { name: 'Lot 9', communityId })).id
})
afterAll(() => plumbline.stop())

type Body = ServiceResponse['body']
const post = (path: string, body: object) => plumbline.post(`/api/ext${path}`, body, { key: site.key })
const get = async (path: string): Promise<Body> => (await plumbline.get(`/api/ext${path}`, { key: site.key })).body
const made = async (path: string, body: object): Promise<Body> => {
  const answer = await post(path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const newVendor = async (companyName: string, more: object = {}): Promise<string> =>
  (await made('/vendors', { companyName, paymentTerms: { netDays: 0 }, ...more })).id
/** Creates an order whose work is fully completed. */
const done = async (vendorId: string, unitPrice: number, more: object = {}): Promise<Body> => {
  const lines = [{ description: 'As agreed', quantity: 1, unitPrice }]
  const { id } = await made('/purchase-orders', {
    ...{ homeId, vendorId, scope: 'framing', retainagePercent: unitPrice < 0 ? 0 : 10, lines },
    ...more,
  })
  for (const status of ['approved', 'issued']) await post(`/purchase-orders/${id}/status`, { status })
  await post(`/purchase-orders/${id}/progress`, { completedPercent: 100 })
  return get(`/purchase-orders/${id}`)
}
const run = (more: object = {}): Promise<Body> => made('/payment-runs', { communityId, ...more })
const skips = ({ skipped }: Body) => skipped.map(({ reason, poId }: Body) => [reason, poId])

test('a payment run creates one payment per vendor and explains each skipped order', async () => {
  const [prompt, held, lapsed, owing] = [
    await newVendor('Prompt Framing', { paymentTerms: { netDays: 0, discountPercent: 2 } }),
    await newVendor('Held Framing'),
    await newVendor('Lapsed Framing'),
    await newVendor('Owing Framing'),
  ]
  const [one, other] = [await done(prompt, 100.01), await done(prompt, 200)]
  const owed = await done(prompt, -30, { poType: 'backcharge' })
  const entered = await done(prompt, 50)
  await made('/payments', { poId: entered.id })
  await done(held, 100)
  await post(`/vendors/${held}/status`, { status: 'on_hold' })
  await done(lapsed, 100)
  await made(`/vendors/${lapsed}/compliance-documents`, {
    ...{ type: 'general_liability', status: 'valid', effectiveDate: '2020-01-01', expirationDate: '2021-01-01' },
  })
  await done(owing, 10)
  await done(owing, -10, { poType: 'backcharge' })

  const result = await run({ method: 'ach' })
  expect(result).toMatchObject({ communityId, throughDate: site.day(0), amount: 240.01, discountAmount: 5.4 })
  expect(result.number).toMatch(/^PR-\d{4}$/)
  const bySkipped = (id: string) => result.skipped.filter(({ vendorId }: Body) => vendorId === id)
  expect(bySkipped(prompt)).toMatchObject([{ poId: entered.id, reason: 'under_way', amount: 45 }])
  expect(bySkipped(held)).toMatchObject([{ poId: null, reason: 'vendor_on_hold', amount: 90 }])
  expect(bySkipped(lapsed)).toMatchObject([
    { poId: null, reason: 'compliance_expired', detail: 'The compliance documents of Lapsed Framing have expired.' },
  ])
  expect(bySkipped(owing)).toMatchObject([{ poId: null, reason: 'vendor_owes', amount: -1 }])

  const { data } = await get(`/payments?paymentRunId=${result.id}`)
  expect(data).toMatchObject([
    {
      ...{ id: result.paymentIds[0], paymentRunId: result.id, vendorId: prompt, homeId, poId: null, method: 'ach' },
      ...{ paymentType: 'progress', status: 'pending', grossAmount: 270.01, retainageWithheld: 30, amount: 240.01 },
      ...{ dueDate: site.day(0), discountAmount: 5.4, discountDueDate: site.day(0) },
    },
  ])
  expect(data[0].allocations[0]).toMatchObject({ poId: owed.id, amount: -30, retainageWithheld: 0 })
  expect(await get(`/purchase-orders/${one.id}`)).toMatchObject({ reservedAmount: 90.01, payableAmount: 90.01 })
  const reported = (await listEvents(plumbline, site.organizationId)).filter(
    ({ data }) => data.object.id === result.paymentIds[0],
  )
  expect(reported.map(({ type }) => type)).toEqual(['payment.created'])

  // Payments of a run are approved and paid like other payments. The next run finds nothing left to pay.
  for (const status of ['approved', 'paid']) await post(`/payments/${result.paymentIds[0]}/status`, { status })
  expect(await get(`/purchase-orders/${other.id}`)).toMatchObject({ paidAmount: 180, payableAmount: 0 })
  expect(await get(`/purchase-orders/${owed.id}`)).toMatchObject({ status: 'closed', paidAmount: -30 })
  const again = await run({ vendorIds: [prompt, held] })
  expect(again).toMatchObject({ paymentIds: [], amount: 0 })
  expect(skips(again).sort()).toEqual([
    ['under_way', entered.id],
    ['vendor_on_hold', null],
  ])
  expect((await get(`/payment-runs?communityId=${communityId}`)).data).toEqual([again, result])
  expect(await get(`/payment-runs/${result.id}`)).toEqual(result)
})

test('a payment run pays a bill by its due date or, if earlier, before its discount expires', async () => {
  const [slow, prompt, idle] = [
    await newVendor('Patient Framing', { paymentTerms: { netDays: 45 } }),
    await newVendor('Eager Framing', { paymentTerms: { netDays: 45, discountPercent: 1, discountDays: 10 } }),
    await newVendor('Idle Framing'),
  ]
  const order = await done(slow, 100)
  const eager = await done(prompt, 100)
  const vendorIds = [slow, prompt, idle]
  const early = await run({ vendorIds, throughDate: site.day(9) })
  expect(early.paymentIds).toEqual([])
  expect(skips(early).sort()).toEqual(
    [
      ['not_due', eager.id],
      ['not_due', order.id],
      ['nothing_payable', null],
    ].sort(),
  )
  const skipped = early.skipped.find(({ poId }: Body) => poId === order.id)
  expect([skipped.reason, skipped.detail]).toEqual(['not_due', expect.stringContaining(formatDate(site.day(45)))])
  const discounted = await run({ vendorIds, throughDate: site.day(10) })
  expect(discounted).toMatchObject({ amount: 90, discountAmount: 0.9 })
  const { paymentIds } = await run({ vendorIds, throughDate: site.day(45) })
  expect(await get(`/payments/${paymentIds[0]}`)).toMatchObject({
    vendorId: slow,
    poId: order.id,
    dueDate: site.day(45),
  })
})

test('concurrent payment runs and payments never pay for the same work twice', async () => {
  const vendorId = await newVendor('Busy Framing')
  const orders = await Promise.all([100, 200, 300].map((amount) => done(vendorId, amount)))
  const answers = await Promise.all([
    ...Array.from({ length: 6 }, () => post('/payment-runs', { vendorIds: [vendorId] })),
    ...orders.map(({ id }) => post('/payments', { poId: id })),
  ])
  for (const { status } of answers) expect([201, 409]).toContain(status)
  const { data } = await get(`/payments?vendorId=${vendorId}`)
  const allocated = data.flatMap(({ allocations }: Body) => allocations)
  expect(allocated).toHaveLength(3)
  for (const { id, total } of orders)
    expect(allocated.filter(({ poId }: Body) => poId === id)).toMatchObject([{ amount: total }])
})

test('a payment run for many vendors needs no more statements than for one vendor', async () => {
  const vendorIds = [await newVendor('First')]
  await done(vendorIds[0] ?? '', 10)
  counted.statements = 0
  await run()
  const ofOne = counted.statements
  for (let i = 0; i < 6; i++) {
    const id = await newVendor(`Another ${i}`)
    vendorIds.push(id)
    await done(id, 10)
  }
  counted.statements = 0
  expect((await run()).paymentIds).toHaveLength(6)
  expect(counted.statements).toBe(ofOne)
})

test('a dry run of a payment run returns its payments and events', async () => {
  const vendorIds = [await newVendor('First')]
  await done(vendorIds[0] ?? '', 10)
  const dry = await post('/execute', { skill: 'createPaymentRun', dryRun: true, input: { vendorIds } })
  expect(dry.body).toMatchObject({ result: { amount: 9 }, events: [{ type: 'payment.created' }] })
})

test('invalid fields of a payment run are reported at their field', async () => {
  const pointers = async (body: object) => (await post('/payment-runs', body)).body.errors.map((e: Body) => e.pointer)
  expect(await pointers({ vendorIds: ['ven_gone', site.loneStar, 'ven_lost'] })).toEqual([
    '/vendorIds/0',
    '/vendorIds/2',
  ])
  expect(await pointers({ communityId: 'com_gone' })).toEqual(['/communityId'])
})

/** Creates an approved bill without an order. */
const billed = async (vendorId: string, amount: number, more: object = {}): Promise<Body> => {
  const lines = [{ homeId, description: 'Dumpster', amount }]
  const { id } = await made('/bills', { vendorId, lines, ...more })
  expect((await post(`/bills/${id}/status`, { status: 'approved' })).status).toBe(200)
  return get(`/bills/${id}`)
}

test('a payment run of selected bills pays only these bills, even before they are due', async () => {
  const [first, second] = [await newVendor('First'), await newVendor('Second', { paymentTerms: { netDays: 60 } })]
  const [one, left, later] = [await billed(first, 120), await billed(first, 80), await billed(second, 300)]
  const result = await made('/payment-runs', { billIds: [one.id, later.id] })
  expect(result).toMatchObject({ billIds: [one.id, later.id], amount: 420, skipped: [] })
  const { data } = await get(`/payments?paymentRunId=${result.id}`)
  const paid = data.flatMap(({ allocations }: Body) => allocations.map(({ billId }: Body) => billId))
  expect(paid.sort()).toEqual([one.id, later.id].sort())
  expect(await get(`/bills/${left.id}`)).toMatchObject({ reservedAmount: 0 })
  expect((await get(`/payments?billId=${later.id}`)).data).toMatchObject([{ vendorId: second, amount: 300 }])
})

test('a payment run of selected bills deducts the credit memos of their vendors', async () => {
  const vendorId = await newVendor('Credited')
  const [one, credit] = [await billed(vendorId, 120), await billed(vendorId, -20, { billType: 'credit_memo' })]
  await billed(vendorId, 500)
  const result = await made('/payment-runs', { billIds: [one.id] })
  expect(result).toMatchObject({ amount: 100 })
  const [payment] = (await get(`/payments?paymentRunId=${result.id}`)).data
  expect(payment.allocations.map(({ billId }: Body) => billId)).toEqual([credit.id, one.id])
})

test('a payment run explains why a selected bill that is not approved is skipped', async () => {
  const vendorId = await newVendor('Waiting')
  const lines = [{ homeId, description: 'Dumpster', amount: 90 }]
  const bill = await made('/bills', { vendorId, lines })
  const result = await made('/payment-runs', { billIds: [bill.id] })
  expect(result).toMatchObject({ paymentIds: [], skipped: [{ billId: bill.id, reason: 'not_payable', amount: 90 }] })
})

test('a payment run cannot be limited by both bills and a community', async () => {
  const bill = await billed(await newVendor('Combined'), 10)
  const response = await post('/payment-runs', { billIds: [bill.id], communityId })
  expect(response.body.errors).toMatchObject([{ pointer: '/billIds', code: 'exclusive' }])
})

test('an unknown bill in the request for a payment run is reported at its position', async () => {
  const bill = await billed(await newVendor('Known'), 10)
  const response = await post('/payment-runs', { billIds: [bill.id, 'bill_gone'] })
  expect(response.body.errors).toMatchObject([{ pointer: '/billIds/1' }])
})
