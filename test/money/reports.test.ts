import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { addDays, countDaysBetween } from '../../server/platform/values/calendar.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { type Body, Builder } from './builder.ts'
import { example } from './examples.ts'
import { expectBalancedLedger } from './expect-balanced-ledger.ts'

const DAY = 86_400_000

let plumbline: TestPlumbline
let builder: Builder
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
// Each example has its own builder, because reports include all of a builder's records.
beforeEach(async () => {
  builder = await Builder.start(plumbline)
  await builder.done(`/communities/${builder.site.communityId}/status`, { status: 'active' })
  await builder.reset()
})
afterEach(() => expectBalancedLedger(plumbline))
afterAll(() => plumbline.stop())

const given = (id: string) => (example(id) as unknown as { given: Body }).given

/** Returns a function that adds up the amounts of a kind over all weeks of a cash flow forecast. */
async function forecast(input: object = {}): Promise<(kind: string) => number> {
  const { weeks } = await builder.skill('cashFlowForecast', { weeks: 52, ...input })
  return (kind) => weeks.reduce((sum: number, week: Body) => sum + week[kind], 0)
}

/** Adds a task for the trade of an order, so that its work and its retainage have a date. */
function plan(more: object = {}): Promise<Body> {
  return builder.made('/tasks', {
    ...{ homeId: builder.homeId, name: 'Walls framed', scope: 'framing', plannedStart: builder.day(7) },
    ...more,
  })
}

async function lock(homeId: string): Promise<void> {
  await builder.done(`/homes/${homeId}/budget/lock`, {})
}

/** Builds a home, and closes it. */
async function close(homeId: string): Promise<Body> {
  for (const status of ['permitting', 'ready_to_start', 'under_construction', 'completed'])
    await builder.done(`/homes/${homeId}/status`, { status })
  return builder.done(`/homes/${homeId}/status`, { status: 'closed', overrideReason: 'Closed at the title company.' })
}

async function sell(homeId: string, more: object = {}): Promise<Body> {
  const sale = await builder.made('/sales', { homeId, buyers: [{ name: 'Elena Marsh' }], ...more })
  return builder.done(`/sales/${sale.id}/approve`, {})
}

/** Completes all stages of a sale. */
async function completePipeline({ id, pipeline }: Body): Promise<Body> {
  let sale: Body
  for (const { stage } of pipeline)
    sale = await builder.done(`/sales/${id}/pipeline`, { stage, status: 'waived', reason: 'Settled elsewhere.' })
  expect(sale.status).toBe('pipeline_complete')
  return sale
}

test('a forecast counts a pending retainage release once', async () => {
  const expected = example('P1').expect
  const { id } = await builder.order(1000)
  await plan()
  await builder.progress(id, 100)
  const { payment } = await builder.run()
  await builder.paid(payment)
  await builder.pay({ poId: id, paymentType: 'retainage_release', grossAmount: 100 })
  const of = await forecast()
  expect({ out: of('out'), payments: of('payments'), retainage: of('retainage') }).toEqual(expected)
})

test('a forecast divides a payment among the communities of its orders', async () => {
  const { payments: expected } = example('P2').expect
  const x = builder.site.communityId
  const y = (await builder.made('/communities', { name: 'Cedar Bend', code: 'CB' })).id
  const elsewhere = (await builder.made('/homes', { name: 'Lot 3', communityId: y })).id
  const orders = [
    await builder.order(expected.X, { retainagePercent: 0 }),
    await builder.order(expected.Y, { retainagePercent: 0, homeId: elsewhere }),
  ]
  for (const { id } of orders) await builder.progress(id, 100)
  await builder.pay({ allocations: orders.map(({ id, total }) => ({ poId: id, amount: total })) })
  const inX = await forecast({ communityId: x })
  const inY = await forecast({ communityId: y })
  const everywhere = await forecast()
  expect({ X: inX('payments'), Y: inY('payments'), all: everywhere('payments') }).toEqual(expected)
})

test('a forecast divides a payment of a bill without an order among the homes of its lines', async () => {
  const y = (await builder.made('/communities', { name: 'Cedar Bend', code: 'CB' })).id
  const elsewhere = (await builder.made('/homes', { name: 'Lot 3', communityId: y })).id
  const line = (homeId: string, amount: number) => ({ homeId, amount, description: 'Dumpster' })
  const bill = await builder.approve(
    await builder.bill([line(builder.homeId, 100), line(elsewhere, 50), line(elsewhere, 50)]),
  )
  await builder.pay({ billId: bill.id, amount: 99.99 })
  const [inX, inY] = [await forecast({ communityId: builder.site.communityId }), await forecast({ communityId: y })]
  expect([inX('payments'), inY('payments')].toSorted()).toEqual([49.99, 50])
  expect(inX('payable') + inY('payable')).toBeCloseTo(100.01, 5)
})

test('a forecast counts a deposit as an advance on the work instead of income', async () => {
  const { total, depositPaid } = given('P3').purchaseOrder
  const { id } = await builder.order(total, { retainagePercent: 0 })
  await plan()
  await builder.paid(await builder.pay({ poId: id, paymentType: 'deposit', grossAmount: depositPaid }))
  const of = await forecast()
  expect({ payable: of('payable'), work: of('work'), out: of('out') }).toEqual(example('P3').expect)
})

test('a forecast counts a pending deposit once, even if its order has an open bill', async () => {
  const { id } = await builder.order(20_000, { retainagePercent: 0 })
  await plan()
  await builder.done(`/purchase-orders/${id}/progress`, { completedPercent: 5 })
  await builder.pay({ poId: id, paymentType: 'deposit', grossAmount: 5000 })
  const of = await forecast()
  expect([of('payments'), of('payable'), of('work'), of('out')]).toEqual([5000, 0, 15_000, 20_000])
})

test("a forecast dates an order by the order's own task, even if the trade has a later task", async () => {
  const { order, netDays } = given('P4')
  const { id } = await builder.order(order.total, { retainagePercent: 0 })
  const own = await plan({ poIds: [id] })
  await plan({ name: 'Punch list of the framing', plannedStart: builder.day(120) })
  const { weeks } = await builder.skill('cashFlowForecast', { weeks: 52 })
  const paid = weeks.findIndex(({ work }: Body) => work === order.total)
  expect(paid).toBe(Math.floor(countDaysBetween(builder.day(0), addDays(own.plannedEnd, netDays)) / 7))
})

test('a forecast includes the closing of a sale whose stages are complete', async () => {
  const { price } = given('P5').sale
  const { id: homeId } = await builder.made('/homes', {
    ...{ name: 'Lot 42', communityId: builder.site.communityId, basePrice: price },
  })
  await completePipeline(await sell(homeId, { targetCloseDate: builder.day(19) }))
  expect((await forecast())('closings')).toBe(example('P5').expect.closings)
})

test('a forecast deducts certified applications and requested draws from the closing', async () => {
  const sale = await sell(builder.homeId, { basePrice: 400_000, targetCloseDate: builder.day(60) })
  const path = `/api/ext/sales/${sale.id}/schedule-of-values`
  const lines = [{ description: 'House', scheduledValue: 400_000 }]
  await plumbline.patch(path, { lines, retainagePercent: 10 }, { key: builder.site.key })
  const application = await builder.made(`/sales/${sale.id}/applications`, {
    ...{ periodTo: builder.day(0), lines: [{ lineId: 'L1', periodAmount: 100_000 }] },
  })
  for (const status of ['submitted', 'certified'])
    await builder.done(`/applications/${application.id}/status`, { status })
  const loan = await builder.made('/loans', { homeId: builder.homeId, lender: 'First Hill Bank', limitAmount: 90_000 })
  await builder.made(`/loans/${loan.id}/draws`, { amount: 50_000 })
  const of = await forecast()
  expect([of('applications'), of('draws'), of('closings'), of('in')]).toEqual([90_000, 50_000, 260_000, 400_000])
})

test('a forecast reserves the retainage of unbilled work according to the retainage steps of its order', async () => {
  const { id } = await builder.order(10_000, {
    retainageSteps: [{ atPercent: 50, percent: 0, applies: 'further' }],
  })
  await plan()
  await builder.progress(id, 20)
  const of = await forecast()
  // 10 % of the first half is retained: 200 of the completed work and 300 of the rest.
  expect([of('payable'), of('work'), of('retainage')]).toEqual([1800, 7700, 500])
})

test('an extra that was sold later does not count as margin fade', async () => {
  const { baseline, afterLock } = given('P6')
  const { homeId } = builder
  await builder.made(`/homes/${homeId}/budget/lines`, { scope: 'framing', amount: baseline.cost })
  await lock(homeId)
  await sell(homeId, { basePrice: baseline.price })
  plumbline.clock.advance(DAY)
  const extra = await builder.made(`/homes/${homeId}/selections`, {
    ...{ customDescription: 'Sunroom', unitPrice: afterLock.price, cost: afterLock.cost, scope: 'framing' },
  })
  await builder.done(`/selections/${extra.id}/status`, { status: 'approved' })
  const { id } = await builder.order(baseline.cost + afterLock.cost, { retainagePercent: 0 })
  await builder.progress(id, 100)
  await close(homeId)
  const { homes } = await builder.skill('marginReport', {})
  expect(homes).toMatchObject([{ ...example('P6').expect, fadeFromChanges: -6000, fadeFromCost: 0 }])
})

test('an archived home remains in the margin report of its year', async () => {
  const { homes: expected, margin } = example('P7').expect
  const ids: string[] = []
  for (const { margin: ofHome } of given('P7').homes) {
    await builder.reset()
    await builder.made(`/homes/${builder.homeId}/budget/lines`, { scope: 'framing', amount: 200_000 })
    await lock(builder.homeId)
    await sell(builder.homeId, { basePrice: 200_000 + ofHome })
    const { id } = await builder.order(200_000, { retainagePercent: 0 })
    await builder.progress(id, 100)
    await builder.paid((await builder.run()).payment)
    await close(builder.homeId)
    ids.push(builder.homeId)
  }
  const [archived = '', inWarranty = ''] = ids
  for (const status of ['warranty', 'archived']) await builder.done(`/homes/${archived}/status`, { status })
  await builder.done(`/homes/${inWarranty}/status`, { status: 'warranty' })
  const year = builder.day(0).slice(0, 4)
  plumbline.clock.advance(400 * DAY)
  const report = await builder.skill('marginReport', { from: `${year}-01-01`, to: `${year}-12-31` })
  expect([report.homes.length, report.margin]).toEqual([expected, margin])
})

test('payables are aged by the due dates of their bills', async () => {
  const { expect: days } = example('P8')
  const terms = (netDays: number) => builder.patch(`/vendors/${builder.vendorId}`, { paymentTerms: { netDays } })
  // Retains 10 % of the first line.
  const lines = [
    { lineId: 'line-1', description: 'Walls', quantity: 1, unitPrice: 500, retainagePercent: 10 },
    { lineId: 'line-2', description: 'Roof', quantity: 1, unitPrice: 550, retainagePercent: 0 },
  ]
  const order = await builder.order(0, { lines })
  await terms(30)
  await builder.progress(order.id, 100, { on: '2026-09-01' })
  const [first] = await builder.billsOf(order.id)
  expect(first).toMatchObject({ amount: 1000, retainageWithheld: 50, dueDate: '2026-10-01' })
  await terms(45)
  const line = { homeId: builder.homeId, amount: 500, description: 'Dumpster' }
  await builder.approve(await builder.bill([line], { invoiceDate: '2026-10-01' }))
  await builder.paid(await builder.pay({ billId: first?.id, amount: 400 }), { paidDate: '2026-10-20' })
  for (const [on, { current, d1to30, d31to60 = 0, total, retainage }] of Object.entries<Body>(days)) {
    const asOf = on.replace('asOf ', '')
    const aging = await builder.skill('apAging', { asOf })
    const amounts = { current, days1To30: d1to30, days31To60: d31to60, total, retainage, unapplied: 0, unbilled: 0 }
    expect(aging, asOf).toMatchObject({
      through: asOf,
      vendors: [{ vendorId: builder.vendorId, ...amounts }],
      total: amounts,
    })
  }
})

test('apAging deducts a deposit from the oldest bill of its order', async () => {
  const { id } = await builder.order(1000, { retainagePercent: 0 })
  await builder.paid(await builder.pay({ poId: id, paymentType: 'deposit', grossAmount: 300 }))
  const before = await builder.skill('apAging', {})
  expect(before.total).toMatchObject({ current: 0, unapplied: -300, total: -300 })
  await builder.progress(id, 20)
  expect((await builder.skill('apAging', {})).total).toMatchObject({ current: 0, unapplied: -100, total: -100 })
  await builder.progress(id, 50)
  expect((await builder.skill('apAging', {})).total).toMatchObject({ current: 200, unapplied: 0, total: 200 })
})

test('the total of apAging equals the payable balance of the ledger, for each vendor and community', async () => {
  const [first] = [await builder.order(1000)]
  await builder.progress(first.id, 80)
  await builder.approve(await builder.creditMemo(first.id, -100))
  const one = builder.vendorId
  await builder.reset()
  const byBill = await builder.order(500, { billingMethod: 'by_bill' })
  await builder.progress(byBill.id, 40)
  const aging = await builder.skill('apAging', { communityId: builder.site.communityId })
  for (const vendorId of [one, builder.vendorId]) {
    const { balances } = await builder.get(`/ledger/balances?vendorId=${vendorId}`)
    const { payable: total, retainage, unbilled } = balances[0].amounts
    const row = aging.vendors.find((vendor: Body) => vendor.vendorId === vendorId)
    expect(row).toMatchObject({ total, retainage, unbilled })
  }
})

test('a vendor statement has an opening and a closing balance', async () => {
  const { bills, payments } = given('P9')
  const created: Body[] = []
  for (const { postingDate, amount } of bills) {
    const line = { homeId: builder.homeId, amount, description: 'Dumpster' }
    created.push(await builder.approve(await builder.bill([line], { invoiceDate: postingDate })))
  }
  const payment = await builder.pay({ billId: created[0]?.id, amount: payments[0].amount })
  await builder.paid(payment, { paidDate: payments[0].paidDate })
  const period = { vendorId: builder.vendorId, from: '2026-10-01', to: '2026-10-31' }
  const expected = { ...example('P9').expect, credits: 0, discounts: 0, adjustments: 0 }
  expect(await builder.skill('vendorStatement', period)).toMatchObject(expected)
  // Voiding a payment today changes no past period.
  await builder.done(`/payments/${payment.id}/void`, { reason: 'Check lost.' })
  expect(await builder.skill('vendorStatement', period)).toMatchObject(expected)
  const now = await builder.skill('vendorStatement', { vendorId: builder.vendorId, from: '2026-11-01' })
  expect(now).toMatchObject({ opening: 900, billed: 0, paid: -400, closing: 1300 })
})

test('a vendor statement has the retainage, credit memos, and discounts of its period', async () => {
  await builder.reset({ netDays: 30, discountPercent: 2, discountDays: 10 })
  const { id } = await builder.order(1000)
  await builder.progress(id, 100)
  await builder.approve(await builder.creditMemo(id, -100))
  await builder.paid((await builder.run()).payment)
  await builder.paid(await builder.pay({ poId: id, paymentType: 'retainage_release', grossAmount: 90 }))
  const statement = await builder.skill('vendorStatement', { vendorId: builder.vendorId })
  expect(statement).toMatchObject({
    ...{ opening: 0, billed: 900, credits: 90, adjustments: 0, closing: 0, payable: 0 },
    retainage: { opening: 0, withheld: 90, released: 90, adjustments: 0, closing: 0 },
  })
  expect(statement.paid + statement.discounts).toBe(810)
  expect(statement.discounts).toBeGreaterThan(0)
  expect(statement.paidInPeriod).toBe(statement.paid + 90)
  expect(statement.bills).toMatchObject([
    { amount: -90, retainage: -10 },
    { amount: 900, retainage: 100 },
  ])
})

test('the backlog of a past day includes homes that closed later', async () => {
  const { expect: days } = example('P11')
  const [first, complete, closed] = given('P11').sales
  const sold: Body[] = []
  for (const { price } of [first, complete, closed]) {
    await builder.reset()
    sold.push(await sell(builder.homeId, { basePrice: price }))
  }
  for (const sale of sold.slice(1)) await completePipeline(sale)
  const before = builder.day(0)
  plumbline.clock.advance(40 * DAY)
  const [, , last] = sold
  await builder.made(`/homes/${last?.homeId}/budget/lines`, { scope: 'framing', amount: 1 })
  await lock(last?.homeId)
  await close(last?.homeId)
  const [now, past] = Object.values<Body>(days)
  expect(await builder.skill('backlogReport', {})).toMatchObject(now ?? {})
  expect(await builder.skill('backlogReport', { asOf: before })).toMatchObject(past ?? {})
})

test('a sale that is canceled later remains in the backlog of an earlier day, at its price on that day', async () => {
  const sale = await sell(builder.homeId, { basePrice: 300_000 })
  const before = builder.day(0)
  plumbline.clock.advance(3 * DAY)
  await builder.done(`/sales/${sale.id}/cancel`, { reason: 'The buyer withdrew.', depositDisposition: 'refunded' })
  expect(await builder.skill('backlogReport', {})).toMatchObject({ count: 0, value: 0 })
  expect(await builder.skill('backlogReport', { asOf: before })).toMatchObject({ count: 1, value: 300_000 })
})

test('the cost of a home on a past day includes retainage once', async () => {
  const { invoice, invoiceDate } = given('W6')
  const { homeId } = builder
  const { id } = await builder.order(100_000)
  await builder.progress(id, (invoice / 100_000) * 100, { on: invoiceDate })
  await builder.progress(id, 100)
  const { asOf } = example('W6').steps[0]?.with ?? {}
  const { atClosing } = await builder.skill('wipReport', { asOf })
  const row = atClosing.find((each: Body) => each.homeId === homeId)
  expect(row).toMatchObject(example('W6').expect)
})

test('a home whose only cost is a backcharge has no negative progress', async () => {
  const { contract, estimatedCost, costToDate } = given('W5')
  await builder.made(`/homes/${builder.homeId}/budget/lines`, { scope: 'framing', amount: estimatedCost })
  await sell(builder.homeId, { basePrice: contract, revenueMethod: 'over_time' })
  const { id } = await builder.order(costToDate, { poType: 'backcharge', retainagePercent: 0 })
  await builder.progress(id, 100)
  expect((await builder.skill('wipReport', {})).homes).toMatchObject([example('W5').expect])
})

test('stored materials earn no margin, even in a report for a past day', async () => {
  const { contract, estimatedCost, costToDate, uninstalledMaterials } = given('W9')
  const { homeId } = builder
  await builder.made(`/homes/${homeId}/budget/lines`, { scope: 'framing', amount: estimatedCost })
  await lock(homeId)
  await sell(homeId, { basePrice: contract, revenueMethod: 'over_time' })
  const { id } = await builder.order([costToDate - uninstalledMaterials, uninstalledMaterials])
  await builder.done(`/purchase-orders/${id}/progress`, {
    lines: [
      { lineId: 'line-1', completedPercent: 100 },
      { lineId: 'line-2', completedPercent: 0, storedAmount: uninstalledMaterials },
    ],
  })
  const asOf = builder.day(0)
  plumbline.clock.advance(DAY)
  await builder.progress(id, 100)
  const report = await builder.skill('wipReport', { asOf })
  expect(report.homes).toMatchObject([{ costToDate, uninstalledMaterials, ...example('W9').expect }])
  expect((await builder.skill('wipReport', {})).homes).toMatchObject([{ costToDate, uninstalledMaterials: 0 }])
})

test('a WIP report does not change when later work, budget changes, and contracts are recorded', async () => {
  const { homeId } = builder
  await builder.made(`/homes/${homeId}/budget/lines`, { scope: 'framing', amount: 200_000 })
  await lock(homeId)
  await sell(homeId, { basePrice: 300_000, revenueMethod: 'over_time' })
  const { id } = await builder.order(150_000)
  await builder.progress(id, 50)
  const asOf = builder.day(0)
  plumbline.clock.advance(DAY)
  const before = await builder.skill('wipReport', { asOf })
  expect(before.homes).toMatchObject([
    { contract: 300_000, estimatedCost: 200_000, costToDate: 75_000, percentComplete: 37.5, earned: 112_500 },
  ])
  await builder.progress(id, 100)
  const extra = await builder.made(`/homes/${homeId}/selections`, {
    ...{ customDescription: 'Sunroom', unitPrice: 20_000, cost: 14_000, scope: 'framing' },
  })
  await builder.done(`/selections/${extra.id}/status`, { status: 'approved' })
  expect((await builder.skill('wipReport', { asOf })).homes).toEqual(before.homes)
  expect((await builder.skill('wipReport', {})).homes).toMatchObject([
    { contract: 320_000, estimatedCost: 214_000, costToDate: 150_000 },
  ])
})
