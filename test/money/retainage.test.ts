import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { Builder } from './builder.ts'
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

const release = (id: string, more: object = {}) => ({ poId: id, paymentType: 'retainage_release', ...more })

test('the progress of an order cannot fall below a pending release of retainage', async () => {
  const [progress, pay, lower] = example('R1').steps
  const { id } = await builder.order(1000)
  expect(await builder.progress(id, 100)).toMatchObject(progress?.expect)
  await builder.pay(release(id, { grossAmount: 100 }))
  expect(await builder.orderNow(id)).toMatchObject(pay?.expect)
  expect((await builder.refused(`/purchase-orders/${id}/progress`, lower?.with)).slice(0, 2)).toEqual([
    409,
    lower?.expect.reason,
  ])
  // The service pays only up to the total of the order.
  await builder.pay({ poId: id })
  for (const paymentType of ['progress', 'retainage_release'])
    expect((await builder.refused('/payments', { poId: id, paymentType, grossAmount: 1 }))[1]).toBe('not_enough_left')
})

test('retainage cannot be released before it is withheld', async () => {
  const [step] = example('R2').steps
  const { id } = await builder.order(1000, { billingMethod: 'by_bill' })
  await builder.progress(id, 100)
  expect((await builder.refused('/payments', release(id, { grossAmount: 100 }))).slice(0, 2)).toEqual([
    409,
    step?.expect.reason,
  ])
  expect(await builder.orderNow(id)).toMatchObject(example('R2').expect)
})

test('paid work can be reversed only by a credit memo', async () => {
  const [, run, , lower, memo] = example('R3').steps
  const { id } = await builder.order(1000)
  await builder.progress(id, 100)
  const { payment } = await builder.run()
  expect(payment.amount).toBe(run?.expect.payment.amount)
  await builder.paid(payment)
  expect((await builder.refused(`/purchase-orders/${id}/progress`, lower?.with)).slice(0, 2)).toEqual([
    409,
    lower?.expect.reason,
  ])
  expect(await builder.approve(await builder.creditMemo(id, -100))).toMatchObject(memo?.expect)
  const { retainageSummary, ...expected } = example('R3').expect
  expect(await builder.orderNow(id)).toMatchObject(expected)
  const { vendors } = await builder.skill('retainageSummary', {})
  expect(vendors.find((one: { vendorId: string }) => one.vendorId === builder.vendorId)).toMatchObject(retainageSummary)
})

test.each(['R4', 'R6'])('retainage follows the steps and the limit in example %s', async (name) => {
  const { given, expect: expected } = example(name) as unknown as {
    given: { total: number }
    expect: { retainageByDone: Record<string, number> }
  }
  const { total, ...terms } = given
  const { id } = await builder.order(total, terms)
  for (const [done, retained] of Object.entries(expected.retainageByDone)) {
    const order = await builder.progress(id, (Number(done) / total) * 100)
    expect([done, order.retainedAmount]).toEqual([done, retained])
  }
})

test('a retainage step that applies to all amounts makes the excess retainage releasable', async () => {
  const { steps, expect: expected } = example('R5')
  const { given } = example('R5') as unknown as { given: { retainageSteps: object[] } }
  const { id } = await builder.order(10_000, { billingMethod: 'by_bill', retainageSteps: given.retainageSteps })
  await builder.progress(id, 100)
  for (const step of steps) {
    const bill = await builder.approve(await builder.bill([{ poId: id, amount: step.with.amount }]))
    expect(bill).toMatchObject(step.expect)
  }
  expect((await builder.orderNow(id)).whole).toMatchObject({
    requiredRetainage: expected.required,
    ...{ retainedAmount: expected.retainedAmount, releasableAmount: expected.releasable },
  })
})

test('a paid release of retainage remains when lower progress voids the bill that withheld the retainage', async () => {
  const steps = [{ atPercent: 50, percent: 2, applies: 'all' }]
  const { id } = await builder.order(1000, { retainagePercent: 10, retainageSteps: steps })
  await builder.progress(id, 60)
  await builder.paid(await builder.pay({ poId: id, paymentType: 'retainage_release', grossAmount: 2 }))
  await builder.progress(id, 40, { reason: 'The stair wall has to be framed again.' })
  expect(await builder.orderNow(id)).toMatchObject({ billedAmount: 400, retainedAmount: 38, releasedAmount: 2 })
})

test('stored materials of an order are billed only once', async () => {
  const [stored, moved] = example('R7').steps
  const { id } = await builder.order(10_000)
  const progress = (completedAmount: number, storedAmount: number) =>
    builder.done(`/purchase-orders/${id}/progress`, {
      lines: [{ lineId: 'line-1', completedPercent: completedAmount / 100, storedAmount }],
    })
  await progress(stored?.with.completedAmount, stored?.with.storedAmount)
  const { billed, ...expected } = stored?.expect ?? {}
  expect(await builder.billsOf(id)).toMatchObject([{ grossAmount: billed, ...expected }])
  await progress(moved?.with.completedAmount, moved?.with.storedAmount)
  expect(await builder.billsOf(id)).toHaveLength(1)
  expect(await builder.orderNow(id)).toMatchObject(example('R7').expect)
})

test('the lienWaiverRequired setting of an order overrides the setting of the vendor', async () => {
  const vendor = { lienWaiverRequired: false, email: 'office@lonestar.example.com' }
  await builder.reset({ netDays: 30 }, vendor)
  const { id } = await builder.order(1000, { lienWaiverRequired: true })
  await builder.progress(id, 100)
  const payment = await builder.pay({ poId: id })
  await builder.done(`/payments/${payment.id}/status`, { status: 'approved' })
  await builder.done(`/payments/${payment.id}/status`, { status: 'paid', overrideReason: 'On paper.' })
  const waiver = await builder.made(`/payments/${payment.id}/lien-waivers`, {})
  await builder.done(`/lien-waivers/${waiver.id}/status`, { status: 'signed', signedBy: 'Ana Ruiz' })
  await plumbline.database.statements
    .updateTable('homes')
    .set({ status: 'completed' })
    .where('id', '=', builder.homeId)
    .execute()
  const { payments } = await builder.skill('releaseRetainage', { homeId: builder.homeId })
  expect(payments).toMatchObject([{ amount: 100, lienWaiverId: expect.any(String) }])
  expect(await builder.get(`/lien-waivers/${payments[0].lienWaiverId}`)).toMatchObject({
    waiverType: 'conditional_final',
  })
})
