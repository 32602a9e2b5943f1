import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let communityId: string
let lots = 0
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const { body } = await plumbline.post('/api/ext/communities', { name: 'Juniper Ridge', status: 'active' })
  communityId = body.id
})
afterAll(() => plumbline.stop())

/** Creates a home and sells it for the given price. */
async function sell(basePrice: number) {
  const home = await plumbline.post('/api/ext/homes', { communityId, name: `Lot ${++lots}`, lotNumber: String(lots) })
  expect([home.status, home.body.errors]).toEqual([201, undefined])
  const sale = await plumbline.post('/api/ext/sales', {
    ...{ homeId: home.body.id, buyers: [{ name: 'Elena Marsh' }], basePrice },
  })
  expect([sale.status, sale.body.errors]).toEqual([201, undefined])
  const approved = await plumbline.post(`/api/ext/sales/${sale.body.id}/approve`, {})
  expect(approved.body).toMatchObject({ status: 'approved', originalPrice: basePrice })
  return { saleId: sale.body.id as string, homeId: home.body.id as string }
}

/** Adds an approved selection, which increases the price of the sale. */
async function select(homeId: string, unitPrice: number) {
  const fields = { customDescription: 'Screened porch', unitPrice, cost: 14_000, scope: 'porch' }
  const { body } = await plumbline.post(`/api/ext/homes/${homeId}/selections?createScopes=true`, fields)
  expect((await plumbline.post(`/api/ext/selections/${body.id}/status`, { status: 'approved' })).status).toBe(200)
}

async function schedule(saleId: string, values: number[], retainagePercent = 10) {
  const lines = values.map((scheduledValue, i) => ({ description: `Part ${i + 1}`, scheduledValue }))
  const { status, body } = await plumbline.patch(`/api/ext/sales/${saleId}/schedule-of-values`, {
    lines,
    retainagePercent,
  })
  expect([status, body.errors]).toEqual([200, undefined])
  return body
}

const apply = (saleId: string, body: object) => plumbline.post(`/api/ext/sales/${saleId}/applications`, body)
const move = (id: string, body: object) => plumbline.post(`/api/ext/applications/${id}/status`, body)
const receive = (id: string, body: object) => plumbline.post(`/api/ext/applications/${id}/receipts`, body)

/** Creates an application and certifies its full amount. */
async function certifyNext(saleId: string, body: object) {
  const { body: application } = await apply(saleId, body)
  expect((await move(application.id, { status: 'submitted' })).status).toBe(200)
  const certified = await move(application.id, { status: 'certified' })
  expect([certified.status, certified.body.errors]).toEqual([200, undefined])
  return certified.body
}

test('the second application for payment has the totals of AIA document G702', async () => {
  const { saleId, homeId } = await sell(400_000)
  await select(homeId, 20_000)
  await schedule(saleId, [200_000, 220_000])
  const first = await certifyNext(saleId, { periodTo: '2026-09-30', lines: [{ lineId: 'L1', periodAmount: 100_000 }] })
  expect(first).toMatchObject({ number: 1, certifiedAmount: 90_000, billedAmount: 100_000, openAmount: 90_000 })
  const second = await apply(saleId, {
    periodTo: '2026-10-31',
    lines: [
      { lineId: 'L1', periodAmount: 40_000 },
      { lineId: 'L2', periodAmount: 20_000, storedAmount: 10_000 },
    ],
  })
  expect(second).toMatchObject({
    status: 201,
    body: {
      ...{ number: 2, status: 'draft', saleId, homeId, originalContractSum: 400_000, netChange: 20_000 },
      ...{ contractSum: 420_000, completedAndStored: 170_000, retainage: 17_000, earnedLessRetainage: 153_000 },
      ...{ previousCertificates: 90_000, currentPaymentDue: 63_000, balanceToFinish: 267_000 },
      lines: [
        { lineId: 'L1', previousAmount: 100_000, periodAmount: 40_000, completedAndStored: 140_000, retainage: 14_000 },
        { lineId: 'L2', previousAmount: 0, periodAmount: 20_000, storedAmount: 10_000, retainage: 3000 },
      ],
    },
  })
})

test('the stored materials of a sale are billed only once', async () => {
  const { saleId } = await sell(100_000)
  await schedule(saleId, [60_000, 40_000])
  await certifyNext(saleId, {
    periodTo: '2026-08-31',
    lines: [{ lineId: 'L1', periodAmount: 30_000, storedAmount: 10_000 }],
  })
  const built = await certifyNext(saleId, { periodTo: '2026-09-30', lines: [{ lineId: 'L1', periodAmount: 30_000 }] })
  expect(built).toMatchObject({ completedAndStored: 60_000, currentPaymentDue: 18_000, billedAmount: 20_000 })
})

test('the last application for payment bills the retainage', async () => {
  const { saleId } = await sell(100_000)
  await schedule(saleId, [60_000, 40_000])
  await certifyNext(saleId, { periodTo: '2026-09-30', lines: [{ lineId: 'L1', periodAmount: 60_000 }] })
  const rest = { periodTo: '2026-10-31', lines: [{ lineId: 'L2', periodAmount: 40_000 }], retainagePercent: 0 }
  expect(await certifyNext(saleId, rest)).toMatchObject({
    ...{ retainage: 0, previousCertificates: 54_000, currentPaymentDue: 46_000, billedAmount: 40_000 },
    ...{ balanceToFinish: 0 },
  })
})

test('an amount that was billed but not certified is due in the next application for payment', async () => {
  const { saleId } = await sell(100_000)
  await schedule(saleId, [100_000], 0)
  const { body: first } = await apply(saleId, {
    periodTo: '2026-09-30',
    lines: [{ lineId: 'L1', periodAmount: 50_000 }],
  })
  await move(first.id, { status: 'submitted' })
  const lower = { status: 'certified', certifiedAmount: 45_000 }
  expect(await move(first.id, lower)).toMatchObject({ status: 422, body: { errors: [{ pointer: '/reason' }] } })
  expect(await move(first.id, { ...lower, certifiedAmount: 50_000.01, reason: 'More.' })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/certifiedAmount', code: 'maximum' }] },
  })
  const certified = await move(first.id, { ...lower, reason: 'The stairs are missing.' })
  expect(certified.body).toMatchObject({ certifiedAmount: 45_000, reason: 'The stairs are missing.' })
  const next = await apply(saleId, { periodTo: '2026-10-31', lines: [{ lineId: 'L1', periodAmount: 10_000 }] })
  expect(next.body).toMatchObject({ previousCertificates: 45_000, currentPaymentDue: 15_000 })
})

test('a line of an application for payment cannot exceed its scheduled value', async () => {
  const { saleId } = await sell(100_000)
  await schedule(saleId, [110_000, -10_000])
  const faulty = await apply(saleId, {
    periodTo: '2026-09-30',
    lines: [
      { lineId: 'L1', periodAmount: 110_000, storedAmount: 0.01 },
      { lineId: 'L2', periodAmount: 1 },
      { lineId: 'L3' },
      { lineId: 'L1', periodAmount: 1 },
    ],
  })
  expect(faulty).toMatchObject({
    status: 422,
    body: {
      errors: [
        { pointer: '/lines/0/periodAmount', code: 'maximum' },
        { pointer: '/lines/1/periodAmount', code: 'maximum' },
        { pointer: '/lines/2/lineId', code: 'unknown' },
        { pointer: '/lines/3/lineId', code: 'unknown' },
      ],
    },
  })
  const whole = [
    { lineId: 'L1', periodAmount: 110_000 },
    { lineId: 'L2', periodAmount: -10_000 },
  ]
  expect((await apply(saleId, { periodTo: '2026-09-30', lines: whole })).body).toMatchObject({
    completedAndStored: 100_000,
  })
})

test('a sale without a schedule of values cannot be billed', async () => {
  const { saleId } = await sell(100_000)
  const path = `/api/ext/sales/${saleId}/schedule-of-values`
  expect((await plumbline.get(path)).status).toBe(404)
  expect(await apply(saleId, { periodTo: '2026-09-30' })).toMatchObject({
    status: 409,
    body: { reason: 'not_available' },
  })
})

test('a schedule of values must total the price of its sale', async () => {
  const { saleId } = await sell(100_000)
  const path = `/api/ext/sales/${saleId}/schedule-of-values`
  const short = { lines: [{ description: 'House', scheduledValue: 99_999.99 }] }
  expect(await plumbline.patch(path, short)).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/lines', code: 'total' }] },
  })
})

test('a scheduled value cannot be less than its billed amount', async () => {
  const { saleId } = await sell(100_000)
  const path = `/api/ext/sales/${saleId}/schedule-of-values`
  await schedule(saleId, [60_000, 40_000])
  await certifyNext(saleId, { periodTo: '2026-09-30', lines: [{ lineId: 'L2', periodAmount: 30_000 }] })
  const faulty = { lines: [{ lineId: 'L1', description: 'A', scheduledValue: 100_000 }] }
  expect(await plumbline.patch(path, faulty)).toMatchObject({ status: 422, body: { errors: [{ code: 'required' }] } })
})

test('an approved change adds a line to the schedule of values', async () => {
  const { saleId, homeId } = await sell(100_000)
  const path = `/api/ext/sales/${saleId}/schedule-of-values`
  await schedule(saleId, [60_000, 40_000])
  await select(homeId, 5000)
  expect((await plumbline.get(path)).body).toMatchObject({
    ...{ version: 2, scheduledTotal: 105_000, contractSum: 105_000 },
    lines: [{ lineId: 'L1' }, { lineId: 'L2' }, { lineId: 'L3', description: 'Change 1: Screened porch' }],
  })
})

test('a schedule of values can be rearranged after a price change', async () => {
  const { saleId, homeId } = await sell(100_000)
  const path = `/api/ext/sales/${saleId}/schedule-of-values`
  await schedule(saleId, [60_000, 40_000])
  await certifyNext(saleId, { periodTo: '2026-09-30', lines: [{ lineId: 'L2', periodAmount: 30_000 }] })
  await select(homeId, 5000)
  const rearranged = {
    lines: [
      { lineId: 'L2', description: 'Part 2', scheduledValue: 30_000 },
      { lineId: 'L1', description: 'Part 1', scheduledValue: 70_000 },
      { lineId: 'L3', description: 'Porch', scheduledValue: 5000 },
    ],
  }
  expect((await plumbline.patch(path, rearranged)).body).toMatchObject({
    ...{ version: 3, scheduledTotal: 105_000, contractSum: 105_000, retainagePercent: 10 },
    lines: [{ lineId: 'L2' }, { lineId: 'L1' }, { lineId: 'L3' }],
  })
  expect((await apply(saleId, { periodTo: '2026-10-31' })).body).toMatchObject({
    netChange: 5000,
    currentPaymentDue: 0,
  })
})

test('the period of an application for payment must end after the period of the previous application', async () => {
  const { saleId } = await sell(100_000)
  await schedule(saleId, [100_000], 0)
  const line = (periodAmount: number) => [{ lineId: 'L1', periodAmount }]
  await certifyNext(saleId, { periodTo: '2026-08-31', lines: line(10_000) })
  expect(await apply(saleId, { periodTo: '2026-08-31' })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/periodTo' }] },
  })
})

test('a sale has at most one open application for payment', async () => {
  const { saleId } = await sell(100_000)
  await schedule(saleId, [100_000], 0)
  const line = (periodAmount: number) => [{ lineId: 'L1', periodAmount }]
  await apply(saleId, { periodTo: '2026-09-30', lines: line(20_000) })
  expect(await apply(saleId, { periodTo: '2026-10-31' })).toMatchObject({ status: 409, body: { reason: 'open_work' } })
})

test('an application for payment can be changed only as a draft', async () => {
  const { saleId } = await sell(100_000)
  await schedule(saleId, [100_000], 0)
  const line = (periodAmount: number) => [{ lineId: 'L1', periodAmount }]
  const { body: second } = await apply(saleId, { periodTo: '2026-09-30', lines: line(20_000) })
  await move(second.id, { status: 'submitted' })
  expect(await plumbline.patch(`/api/ext/applications/${second.id}`, { lines: [] })).toMatchObject({
    ...{ status: 409, body: { reason: 'wrong_status' } },
  })
  expect((await move(second.id, { status: 'rejected', reason: 'Too much.' })).body).toMatchObject({
    status: 'rejected',
  })
  await move(second.id, { status: 'draft' })
  const lowered = await plumbline.patch(`/api/ext/applications/${second.id}`, { lines: line(5000), notes: 'Less.' })
  expect(lowered.body).toMatchObject({ currentPaymentDue: 5000, notes: 'Less.' })
})

test('only the newest application for payment of a sale can be voided', async () => {
  const { saleId } = await sell(100_000)
  await schedule(saleId, [100_000], 0)
  const line = (periodAmount: number) => [{ lineId: 'L1', periodAmount }]
  const first = await certifyNext(saleId, { periodTo: '2026-08-31', lines: line(10_000) })
  const { body: second } = await apply(saleId, { periodTo: '2026-09-30', lines: line(20_000) })
  const reason = 'Billed twice.'
  expect(await move(first.id, { status: 'void', reason })).toMatchObject({ status: 409, body: { reason: 'in_use' } })
  expect((await move(second.id, { status: 'void', reason })).body).toMatchObject({ status: 'void', openAmount: 0 })
  expect((await move(first.id, { status: 'void', reason })).body).toMatchObject({ status: 'void', openAmount: 0 })
  expect((await apply(saleId, { periodTo: '2026-08-31' })).body).toMatchObject({ number: 3, previousCertificates: 0 })
})

test('the receipts for an application for payment cannot exceed its certified amount', async () => {
  const { saleId } = await sell(100_000)
  await schedule(saleId, [100_000], 0)
  const { body: draft } = await apply(saleId, { periodTo: '2026-08-31', lines: [{ lineId: 'L1', periodAmount: 1000 }] })
  expect(await receive(draft.id, { amount: 1 })).toMatchObject({ status: 409, body: { reason: 'wrong_status' } })
  await move(draft.id, { status: 'submitted' })
  await move(draft.id, { status: 'certified' })
  const both = await Promise.all([receive(draft.id, { amount: 600 }), receive(draft.id, { amount: 600 })])
  expect(both.map(({ status, body }) => body.reason ?? status).sort()).toEqual([200, 'not_enough_left'])
  const paid = await receive(draft.id, { amount: 400, date: '2026-09-04', reference: '20871' })
  expect(paid.body).toMatchObject({ status: 'paid', receivedAmount: 1000, openAmount: 0 })
  expect(await move(draft.id, { status: 'void', reason: 'Wrong.' })).toMatchObject({ status: 409 })
  const bounced = await receive(draft.id, { amount: -1000, reference: 'bounced' })
  expect(bounced.body).toMatchObject({ status: 'certified', receivedAmount: 0, openAmount: 1000 })
  expect(await receive(draft.id, { amount: -0.01 })).toMatchObject({ status: 409, body: { reason: 'not_enough_left' } })
  expect(await receive(draft.id, { amount: 1, date: '2999-01-01' })).toMatchObject({ status: 422 })
})

test('an application for payment of a canceled sale cannot be submitted', async () => {
  const { saleId } = await sell(1000)
  await schedule(saleId, [1000])
  const { body: application } = await apply(saleId, { periodTo: '2026-09-30' })
  await plumbline.post(`/api/ext/sales/${saleId}/cancel`, { reason: 'Fell through.' })
  expect(await move(application.id, { status: 'submitted' })).toMatchObject({
    ...{ status: 409, body: { reason: 'wrong_status' } },
  })
  expect((await move(application.id, { status: 'void', reason: 'Fell through.' })).status).toBe(200)
})

test('a sale that is not approved cannot be billed', async () => {
  const { body: home } = await plumbline.post('/api/ext/homes', {
    communityId,
    name: `Lot ${++lots}`,
    lotNumber: String(lots),
  })
  const fields = { homeId: home.id, buyers: [{ name: 'Elena Marsh' }], basePrice: 1000 }
  const { body: sale } = await plumbline.post('/api/ext/sales', fields)
  const lines = [{ description: 'House', scheduledValue: 1000 }]
  expect(await plumbline.patch(`/api/ext/sales/${sale.id}/schedule-of-values`, { lines })).toMatchObject({
    ...{ status: 409, body: { reason: 'wrong_status' } },
  })
})

test("a builder cannot see another builder's applications for payment", async () => {
  const { saleId } = await sell(1000)
  await schedule(saleId, [1000])
  const { body: application } = await apply(saleId, { periodTo: '2026-09-30' })
  const other = await plumbline.newBuilder()
  for (const path of [
    `sales/${saleId}/schedule-of-values`,
    `sales/${saleId}/applications`,
    `applications/${application.id}`,
  ])
    expect([path, (await plumbline.get(`/api/ext/${path}`, { key: other.key })).status]).toEqual([path, 404])
  expect((await plumbline.get(`/api/ext/sales/${saleId}/applications`)).body.data).toEqual([application])
})
