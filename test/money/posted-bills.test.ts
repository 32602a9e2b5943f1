import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { updateOrganization } from '../../server/domain/office/organizations/organizations.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { Builder } from './builder.ts'
import { expectBalancedLedger } from './expect-balanced-ledger.ts'

let plumbline: TestPlumbline
let builder: Builder
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  builder = await Builder.start(plumbline)
})
beforeEach(() => builder.reset())
afterEach(() => expectBalancedLedger(plumbline))
afterAll(() => plumbline.stop())

const balances = async (query: string) => (await builder.get(`/ledger/balances?${query}`)).balances[0].amounts

test('voiding an approved bill reverses its postings to payable and retainage', async () => {
  const order = await builder.order(1000, { billingMethod: 'by_bill' })
  await builder.progress(order.id, 100)
  expect(await balances(`poId=${order.id}`)).toMatchObject({ cost: 1000, unbilled: 1000, payable: 0, retainage: 0 })
  const bill = await builder.bill([{ poId: order.id, amount: 600 }])
  await builder.approve(bill)
  expect(await balances(`poId=${order.id}`)).toMatchObject({ cost: 1000, unbilled: 400, payable: 540, retainage: 60 })
  await builder.done(`/bills/${bill.id}/void`, { reason: 'Wrong house.' })
  expect(await balances(`poId=${order.id}`)).toMatchObject({ cost: 1000, unbilled: 1000, payable: 0, retainage: 0 })
})

test('bills, credit memos, and payments without an order are posted to the balances of the vendor', async () => {
  const line = { homeId: builder.homeId, description: 'Dumpster' }
  const bill = await builder.approve(await builder.bill([{ ...line, amount: 300 }]))
  const memo = await builder.bill([{ ...line, amount: -50 }], { billType: 'credit_memo' })
  await builder.approve(memo)
  expect(await balances(`vendorId=${builder.vendorId}`)).toMatchObject({ cost: 250, payable: 250 })
  await builder.paid(await builder.pay({ billId: bill.id }))
  expect(await balances(`vendorId=${builder.vendorId}`)).toMatchObject({ cost: 250, payable: -50, paid: 300 })
})

test('a line with its own retainage is not subject to the retainage of its order', async () => {
  const lines = [
    { lineId: 'walls', description: 'Walls', quantity: 1, unitPrice: 1000 },
    { lineId: 'paint', description: 'Paint', quantity: 1, unitPrice: 500, retainagePercent: 0 },
  ]
  const { id } = await builder.order(0, { lines })
  await builder.progress(id, 100)
  const [bill] = await builder.billsOf(id)
  expect(bill).toMatchObject({ grossAmount: 1500, retainageWithheld: 100 })
  expect(bill.lines).toMatchObject([{ retainageWithheld: 100 }, { retainageWithheld: 0 }])
})

test('a retainage step begins when its milestone is completed', async () => {
  const milestone = await builder.made('/milestones', { homeId: builder.homeId, name: 'Dry-in' })
  const retainageSteps = [{ milestoneId: milestone.id, percent: 0, applies: 'further' }]
  const { id } = await builder.order(1000, { retainageSteps })
  await builder.progress(id, 40)
  await builder.done(`/milestones/${milestone.id}/complete`, {})
  await builder.progress(id, 100)
  expect((await builder.billsOf(id)).map((bill) => bill.retainageWithheld)).toEqual([40, 0])
})

test('a bill is posted only on an open day, by default the first one', async () => {
  const line = { homeId: builder.homeId, description: 'Dumpster', amount: 100 }
  await builder.done('/ledger/close', { throughDate: builder.day(-5) })
  const of = { vendorId: builder.vendorId, lines: [line] }
  expect((await builder.refused('/bills', { ...of, postingDate: builder.day(-5) })).slice(0, 2)).toEqual([
    ...[409, 'period_closed'],
  ])
  const bill = await builder.bill([line], { invoiceDate: builder.day(-9) })
  expect(bill).toMatchObject({ invoiceDate: builder.day(-9), postingDate: builder.day(-4) })
  await builder.approve(bill)
  expect(await balances(`vendorId=${builder.vendorId}&asOf=${builder.day(-5)}`)).toMatchObject({ cost: 0 })
})

test('with billSecondPerson, the creator of a bill cannot approve it', async () => {
  const { database, clock } = plumbline
  const line = { homeId: builder.homeId, description: 'Dumpster', amount: 100 }
  const bill = await builder.bill([line])
  await updateOrganization(database, clock, builder.site.organizationId, { billSecondPerson: true })
  const [status] = await builder.refused(`/bills/${bill.id}/status`, { status: 'approved' })
  expect(status).toBe(403)
  await updateOrganization(database, clock, builder.site.organizationId, { billSecondPerson: false })
  await builder.approve(bill)
})
