import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { type Body, Builder } from './builder.ts'
import { example } from './examples.ts'
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

const NO_RETAINAGE = { retainagePercent: 0 }

test('the due date of a bill never moves', async () => {
  const [first, second] = example('B1').steps
  const { id } = await builder.order(1000, NO_RETAINAGE)
  await builder.progress(id, first?.with.completedPercent, { on: '2026-10-01' })
  await builder.progress(id, second?.with.completedPercent, { on: '2026-10-29' })
  expect(await builder.billsOf(id)).toMatchObject([
    { ...first?.expect.bill, source: 'completion', status: 'approved', invoiceDate: '2026-10-01' },
    { ...second?.expect.bill, source: 'completion', status: 'approved', invoiceDate: '2026-10-29' },
  ])
  for (const [date, due] of Object.entries<number>(example('B1').expect.dueBy)) {
    const { data } = await builder.get(`/bills?poId=${id}&dueBy=${date}`)
    expect(
      data.reduce((sum: number, { amount }: Body) => sum + amount, 0),
      date,
    ).toBe(due)
  }
})

test('a payment takes the discounts of the bills that are still within their discount period', async () => {
  const [step] = example('B2').steps
  const { payment: expected } = step?.expect ?? {}
  const paidOn = Object.values<Body>(example('B2').expect.paidOn)
  for (const [i, late] of [0, 1].entries()) {
    await builder.reset({ netDays: 30, discountPercent: 2, discountDays: 10 })
    const [a, b] = [await builder.order(10_000, NO_RETAINAGE), await builder.order(10_000, NO_RETAINAGE)]
    const today = late === 0 ? 0 : -11
    await builder.progress(a.id, 100, { on: builder.day(today - 31) })
    await builder.progress(b.id, 100, { on: builder.day(today) })
    if (late === 1) {
      // One day later, there is no discount, so compare the amount with a payment that was entered in time.
      const payment = await builder.pay({
        allocations: [
          { poId: a.id, amount: 10_000 },
          { poId: b.id, amount: 10_000 },
        ],
        ...{ discountAmount: 200, discountDueDate: builder.day(-1) },
      })
      expect(await builder.paid(payment)).toMatchObject(paidOn[i])
      continue
    }
    const { payment } = await builder.run({ throughDate: builder.day(10) })
    expect(payment).toMatchObject({
      ...{ grossAmount: expected.grossAmount, discountAmount: expected.discountAmount },
      discountDueDate: builder.day(10),
      allocations: [
        { poId: a.id, amount: 10_000, discountAmount: 0, dueDate: builder.day(-1) },
        { poId: b.id, amount: 10_000, discountAmount: 200, discountDueDate: builder.day(10), dueDate: builder.day(30) },
      ],
    })
    expect(await builder.paid(payment)).toMatchObject(paidOn[i])
  }
})

test('an invoice number in a different spelling needs an override', async () => {
  const [first, second, third, fourth] = example('B3').steps
  const { id } = await builder.order(1000, NO_RETAINAGE)
  const create = (invoiceNumber: string) =>
    builder.post('/bills', { vendorId: builder.vendorId, invoiceNumber, lines: [{ poId: id, amount: 500 }] })
  const { body: bill } = await create(first?.with.invoiceNumber)
  expect(bill.invoiceKey).toBe(first?.expect.invoiceKey)
  expect(await create(second?.with.invoiceNumber)).toMatchObject({
    status: 409,
    body: { reason: 'needs_override', conflictingId: bill.id },
  })
  await builder.progress(id, 100)
  expect(await builder.post('/payments', { poId: id, invoiceNumber: third?.with.invoiceNumber })).toMatchObject({
    status: 409,
    body: { reason: 'needs_override', conflictingId: bill.id },
  })
  expect((await create(fourth?.with.invoiceNumber)).status).toBe(201)
  const { data } = await builder.get(`/bills?vendorId=${builder.vendorId}&source=manual`)
  expect(data).toHaveLength(example('B3').expect.bills)
  // Different spellings of an invoice number, as scanners produce them, must count as the same number.
  expect((await create('S-1')).status).toBe(201)
  for (const spelling of ['S-1 ', 'S\u20111', '\uff33-1', 'S -1', 's 001'])
    expect([spelling, (await create(spelling)).body.reason]).toEqual([spelling, 'needs_override'])
})

test('voiding a partial payment of a bill for two orders reopens the bill', async () => {
  const [create, , pay, paid, voided] = example('B4').steps
  const byBill = { billingMethod: 'by_bill' }
  const a = await builder.order(1000, byBill)
  const b = await builder.order(500, { ...byBill, ...NO_RETAINAGE })
  for (const { id } of [a, b]) await builder.progress(id, 100)
  const bill = await builder.bill([
    { poId: a.id, amount: 1000 },
    { poId: b.id, amount: 500 },
  ])
  expect(bill).toMatchObject(create?.expect)
  await builder.approve(bill)
  const payment = await builder.pay({ billId: bill.id, amount: pay?.with.amount })
  expect(
    payment.allocations.map(({ poId, amount, retainageWithheld }: Body) => [poId, amount - retainageWithheld]),
  ).toEqual([
    [a.id, pay?.expect.allocations[0].net],
    [b.id, pay?.expect.allocations[1].net],
  ])
  await builder.paid(payment)
  expect(await builder.get(`/bills/${bill.id}`)).toMatchObject(paid?.expect.bill)
  await builder.done(`/payments/${payment.id}/void`, { reason: 'lost' })
  expect(await builder.get(`/bills/${bill.id}`)).toMatchObject(voided?.expect.bill)
  expect(await builder.orderNow(a.id)).toMatchObject(example('B4').expect.A)
  expect(await builder.orderNow(b.id)).toMatchObject(example('B4').expect.B)
})

test('a credit memo reduces the retainage of its order', async () => {
  const [progress, create, , run] = example('B5').steps
  const { id } = await builder.order(1000)
  await builder.progress(id, 100)
  expect(await builder.billsOf(id)).toMatchObject([progress?.expect.bill])
  const memo = await builder.creditMemo(id, create?.with.lines[0].amount)
  expect(memo).toMatchObject(create?.expect)
  await builder.approve(memo)
  const { payment } = await builder.run()
  expect(payment).toMatchObject(run?.expect.payment)
  await builder.paid(payment)
  const { cost: _, ...expected } = example('B5').expect
  expect(await builder.orderNow(id)).toMatchObject(expected)
  for (const bill of await builder.billsOf(id)) expect(bill).toMatchObject({ status: 'paid', openAmount: 0 })
})

test('completed work of an order that is billed by the vendor is payable only after a bill is approved', async () => {
  const [payable, tooMuch, create, pay] = example('B6').steps
  const { id } = await builder.order(1000, { billingMethod: 'by_bill' })
  await builder.progress(id, 100)
  expect(await builder.skill('payableNow', { vendorId: builder.vendorId })).toMatchObject(payable?.expect)
  const above = await builder.bill([{ poId: id, amount: tooMuch?.with.amount }])
  expect((await builder.refused(`/bills/${above.id}/status`, { status: 'approved' })).slice(0, 2)).toEqual([
    409,
    tooMuch?.expect.reason,
  ])
  const bill = await builder.approve(await builder.bill([{ poId: id, amount: create?.with.amount }]))
  expect(bill).toMatchObject({ ...create?.expect, match: 'matched' })
  expect((await builder.refused('/payments', { poId: id, ...pay?.with })).slice(0, 2)).toEqual([
    409,
    pay?.expect.reason,
  ])
  expect(await builder.orderNow(id)).toMatchObject(example('B6').expect)
})

test('paying an amount other than the amount in the conditional lien waiver needs an override', async () => {
  const [request, pay, again] = example('B7').steps
  await builder.reset({ netDays: 30 }, { lienWaiverRequired: true, email: 'office@lonestar.example.com' })
  const { id } = await builder.order(1000, NO_RETAINAGE)
  await builder.progress(id, 100, { on: builder.day(-2) })
  const discount = { discountAmount: 20, discountDueDate: builder.day(0) }
  const payment = await builder.pay({ poId: id, ...discount })
  await builder.done(`/payments/${payment.id}/status`, { status: 'approved' })
  const waiver = await builder.made(`/payments/${payment.id}/lien-waivers`, {})
  expect(waiver).toMatchObject(request?.expect.waiver)
  await builder.done(`/lien-waivers/${waiver.id}/status`, { status: 'signed', signedBy: 'Ana Ruiz' })
  const move = { status: 'paid', takeDiscount: false }
  const problem = await builder.post(`/payments/${payment.id}/status`, move)
  expect([problem.status, problem.body.reason, problem.body.detail]).toEqual([
    ...[409, pay?.expect.reason],
    expect.stringContaining('The signed lien waiver is for $980.00, but the payment is $1,000.00.'),
  ])
  plumbline.clock.advance(2 * 86_400_000)
  expect(await builder.made(`/payments/${payment.id}/lien-waivers`, {})).toMatchObject(again?.expect.waiver)
  expect(await builder.get(`/lien-waivers/${waiver.id}`)).toMatchObject({ status: 'void' })
})

test('an order is closed when its exact total is paid, and no override can pay more', async () => {
  const [above, exact] = example('B9').steps
  const { id } = await builder.order(100, NO_RETAINAGE)
  await builder.progress(id, 100)
  expect((await builder.refused('/payments', { poId: id, ...above?.with })).slice(0, 2)).toEqual([
    409,
    above?.expect.reason,
  ])
  await builder.paid(await builder.pay({ poId: id, ...exact?.with }))
  expect(await builder.orderNow(id)).toMatchObject({ status: 'closed', ...example('B9').expect })
})

test('an amount that is due remains due when more progress is recorded', async () => {
  const { id } = await builder.order(10_000, NO_RETAINAGE)
  await builder.progress(id, 90, { on: builder.day(-31) })
  await builder.progress(id, 91)
  const { payment, run } = await builder.run({ throughDate: builder.day(0) })
  expect(payment).toMatchObject({ amount: 9000, dueDate: builder.day(-1) })
  expect(run.skipped).toMatchObject([{ reason: 'not_due', amount: 100 }])
})

test('an override for a bill that is ahead of the work records the progress', async () => {
  const { id } = await builder.order(1000, { billingMethod: 'by_bill' })
  await builder.progress(id, 50)
  const bill = await builder.bill([{ poId: id, amount: 600 }])
  expect(bill.match).toBe('ahead_of_work')
  const path = `/bills/${bill.id}/status`
  expect((await builder.refused(path, { status: 'approved' })).slice(0, 2)).toEqual([409, 'needs_override'])
  await builder.done(path, { status: 'approved', overrideReason: 'Seen on site.' })
  expect(await builder.orderNow(id)).toMatchObject({
    ...{ completedAmount: 600, billedAmount: 600, unbilledAmount: 0, retainedAmount: 60, payableAmount: 540 },
  })
})

test('progress that an override records does not use up the stored materials', async () => {
  const { id } = await builder.order([250, 250], { billingMethod: 'by_bill' })
  await builder.progress(id, 80)
  await builder.done(`/purchase-orders/${id}/progress`, { lines: [{ lineId: 'line-1', storedAmount: 20 }] })
  const bill = await builder.bill([{ poId: id, amount: 490 }])
  await builder.approve(bill, { overrideReason: 'Seen on site.' })
  expect(await builder.orderNow(id)).toMatchObject({
    ...{ completedAmount: 470, storedAmount: 20, billedAmount: 490, unbilledAmount: 0 },
  })
})

test('a second bill for work that recorded progress has already billed is rejected', async () => {
  const { id } = await builder.order(1000)
  await builder.progress(id, 100)
  const bill = await builder.bill([{ poId: id, amount: 1000 }])
  expect((await builder.refused(`/bills/${bill.id}/status`, { status: 'approved' })).slice(0, 2)).toEqual([
    409,
    'not_enough_left',
  ])
  const [completion] = await builder.billsOf(id)
  const named = await builder.patch(`/bills/${completion?.id}`, { invoiceNumber: 'LS-1' })
  expect(named.body).toMatchObject({ invoiceNumber: 'LS-1', invoiceKey: 'LS1', dueDate: completion?.dueDate })
  const changed = await builder.patch(`/bills/${completion?.id}`, { invoiceDate: '2026-01-01' })
  expect([changed.status, changed.body.reason]).toEqual([409, 'fixed'])
})

test('a rejected bill can be received again', async () => {
  const { id } = await builder.order(1000, { billingMethod: 'by_bill' })
  await builder.progress(id, 100)
  const bill = await builder.bill([{ poId: id, amount: 1000 }], { status: 'draft' })
  const path = `/bills/${bill.id}/status`
  expect((await builder.refused(path, { status: 'approved' }))[1]).toBe('invalid_transition')
  await builder.done(path, { status: 'received' })
  expect((await builder.post(path, { status: 'rejected' })).body.errors).toMatchObject([{ pointer: '/reason' }])
  expect(await builder.done(path, { status: 'rejected', reason: 'Not finished.' })).toMatchObject({
    ...{ status: 'rejected', openAmount: 0, approval: { rejectedReason: 'Not finished.' } },
  })
  await builder.done(path, { status: 'received' })
  await builder.done(path, { status: 'approved' })
  const payment = await builder.pay({ billId: bill.id })
  expect((await builder.refused(`/bills/${bill.id}/void`, { reason: 'No.' })).slice(0, 2)).toEqual([409, 'in_use'])
  await builder.done(`/payments/${payment.id}/void`, { reason: 'No.' })
  expect(await builder.done(`/bills/${bill.id}/void`, { reason: 'No.' })).toMatchObject({
    status: 'void',
    openAmount: 0,
  })
  expect(await builder.orderNow(id)).toMatchObject({ billedAmount: 0, unbilledAmount: 1000, payableAmount: 0 })
})

test('a bill without an order is paid like other bills', async () => {
  const bill = await builder.bill([{ homeId: builder.homeId, description: 'Dumpster', amount: 300 }], {
    invoiceDate: builder.day(-40),
  })
  expect(bill).toMatchObject({ match: 'no_order', amount: 300, retainageWithheld: 0 })
  await builder.approve(bill)
  const { payment } = await builder.run({ throughDate: builder.day(0) })
  expect(payment).toMatchObject({
    amount: 300,
    homeId: null,
    poId: null,
    allocations: [{ billId: bill.id, poId: null }],
  })
  await builder.paid(payment)
  expect(await builder.get(`/bills/${bill.id}`)).toMatchObject({ status: 'paid', openAmount: 0 })
})

test('a deposit is applied to later bills', async () => {
  const { id } = await builder.order(1000, NO_RETAINAGE)
  await builder.paid(await builder.pay({ poId: id, paymentType: 'deposit', grossAmount: 300 }))
  expect(await builder.orderNow(id)).toMatchObject({ payableAmount: -300 })
  await builder.progress(id, 20)
  await builder.progress(id, 100)
  expect(await builder.billsOf(id)).toMatchObject([
    { status: 'paid', amount: 200, paidAmount: 200, openAmount: 0 },
    { status: 'partially_paid', amount: 800, paidAmount: 100, openAmount: 700 },
  ])
  const { payment } = await builder.run()
  expect(payment.amount).toBe(700)
  await builder.paid(payment)
  expect(await builder.orderNow(id)).toMatchObject({ status: 'closed', paidAmount: 1000, balance: 0 })
})

test('a bill that a deposit covers is paid when it is approved', async () => {
  const { id } = await builder.order(1000, { ...NO_RETAINAGE, billingMethod: 'by_bill' })
  await builder.paid(await builder.pay({ poId: id, paymentType: 'deposit', grossAmount: 300 }))
  await builder.progress(id, 100)
  const bill = await builder.bill([{ poId: id, amount: 300 }])
  await builder.approve(bill)
  expect(await builder.get(`/bills/${bill.id}`)).toMatchObject({ status: 'paid', paidAmount: 300, openAmount: 0 })
})

test('a deposit pays a bill whose own payment is voided', async () => {
  const { id } = await builder.order(1000, { ...NO_RETAINAGE, billingMethod: 'by_bill' })
  await builder.progress(id, 100)
  const bill = await builder.bill([{ poId: id, amount: 300 }])
  await builder.approve(bill)
  const payment = await builder.pay({ billId: bill.id, amount: 300 })
  await builder.paid(await builder.pay({ poId: id, paymentType: 'deposit', grossAmount: 300 }))
  expect(await builder.get(`/bills/${bill.id}`)).toMatchObject({ status: 'approved', reservedAmount: 300 })
  await builder.done(`/payments/${payment.id}/void`, { reason: 'The check was lost.' })
  expect(await builder.get(`/bills/${bill.id}`)).toMatchObject({ status: 'paid', paidAmount: 300 })
})

test.each([
  ['another sign than the order', 40],
  ['the sign of the order without a bill', -20],
])('a payment of a deduction is rejected with %s', async (_, grossAmount) => {
  const { id: parentPoId } = await builder.order(1000)
  const { id } = await builder.order(-20, { poType: 'change', parentPoId, retainagePercent: undefined })
  const { status } = await builder.post('/payments', { poId: id, paymentType: 'progress', grossAmount })
  expect(status).toBe(grossAmount > 0 ? 422 : 409)
})
