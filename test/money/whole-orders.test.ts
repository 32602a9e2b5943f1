import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { listEvents } from '../support/recorded-events.ts'
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

/** Creates a draft change order for the base order. */
const draftChange = (base: Body, total: number, more: object = {}): Promise<Body> =>
  builder.draft(total, { poType: 'change', parentPoId: base.id, retainagePercent: undefined, ...more })
const change = async (base: Body, total: number): Promise<Body> => {
  const { id } = await draftChange(base, total)
  await builder.move(id, 'approved', 'issued', 'accepted')
  return builder.orderNow(id)
}

test.each(['base first', 'change first'])('an order and its deduction are paid as one order, %s', async (first) => {
  const [, run, , release] = example('O1').steps
  const base = await builder.order(1000)
  const deduction = await change(base, -100)
  expect(deduction).toMatchObject({ rootPoId: base.id, retainagePercent: 10, whole: null })
  for (const { id } of first === 'base first' ? [base, deduction] : [deduction, base]) await builder.progress(id, 100)
  const { payment } = await builder.run()
  expect(payment.amount).toBe(run?.expect.payment.amount)
  await builder.paid(payment)
  const released = await builder.pay({ poId: base.id, paymentType: 'retainage_release' })
  expect(released.amount).toBe(release?.expect.payment.amount)
  await builder.paid(released)
  expect(await builder.orderNow(base.id)).toMatchObject({ status: 'closed', whole: example('O1').expect.whole })
  expect(await builder.orderNow(deduction.id)).toMatchObject({ status: 'closed', balance: 0 })
})

test('a completed order with an open deduction is paid only up to the total of both', async () => {
  const base = await builder.order(1000)
  await change(base, -100)
  await builder.progress(base.id, 100)
  expect((await builder.orderNow(base.id)).whole).toMatchObject({ billedAmount: 900, payableAmount: 810 })
  expect((await builder.run()).payment.amount).toBe(810)
})

test('a credit line of an order limits payments before the line is completed', async () => {
  const [first, run, second] = example('O2').steps
  const { id } = await builder.order([1000, -400])
  const line = (lineId: string) => ({ lines: [{ lineId, completedPercent: 100 }] })
  expect(await builder.done(`/purchase-orders/${id}/progress`, line('line-1'))).toMatchObject(first?.expect)
  const { payment } = await builder.run()
  expect(payment).toMatchObject(run?.expect.payment)
  await builder.paid(payment)
  expect(await builder.done(`/purchase-orders/${id}/progress`, line('line-2'))).toMatchObject(second?.expect)
  expect(await builder.orderNow(id)).toMatchObject(example('O2').expect)
})

test('voiding an order voids its change orders and emits an event for each', async () => {
  const base = await builder.order(1000)
  const addition = await change(base, 200)
  await builder.done(`/purchase-orders/${base.id}/status`, { status: 'void', reason: 'vendor left' })
  for (const { id } of [base, addition]) expect(await builder.orderNow(id)).toMatchObject({ status: 'void' })
  const voided = (await listEvents(plumbline, builder.site.organizationId)).filter(
    ({ type, data }) => type === 'po.status_changed' && data.object.status === 'void',
  )
  expect(voided.map(({ data }) => data.object.id).sort()).toEqual([base.id, addition.id].sort())
  const { scopes } = await builder.get(`/homes/${builder.homeId}/budget`)
  expect(scopes.reduce((sum: number, { committed }: Body) => sum + committed, 0)).toBe(example('O3').expect.commitment)
})

test('an order with a paid change order cannot be voided', async () => {
  const base = await builder.order(1000)
  const addition = await change(base, 200)
  await builder.progress(addition.id, 100)
  await builder.pay({ poId: addition.id })
  const path = `/purchase-orders/${base.id}/status`
  expect((await builder.refused(path, { status: 'void' })).slice(0, 2)).toEqual([409, 'in_use'])
})

test('a deduction that would reduce an order below its billed amount cannot be approved until a credit memo is entered', async () => {
  const [early, memo] = example('O4').steps
  const base = await builder.order(1000)
  await builder.progress(base.id, 100)
  const deduction = await draftChange(base, -100)
  const path = `/purchase-orders/${deduction.id}/status`
  expect((await builder.refused(path, { status: 'approved' })).slice(0, 2)).toEqual([409, early?.expect.reason])
  const bill = await builder.approve(await builder.creditMemo(base.id, -100))
  expect(bill).toMatchObject(memo?.expect)
  await builder.done(path, { status: 'approved' })
  expect((await builder.orderNow(base.id)).whole).toMatchObject(example('O4').expect.whole)
})

test('a change order cannot have its own retainage', async () => {
  const base = await builder.order(1000)
  const problem = await builder.post('/purchase-orders', {
    ...{ homeId: builder.homeId, vendorId: builder.vendorId, scope: 'framing', poType: 'change', parentPoId: base.id },
    ...{ retainagePercent: 5, lines: [{ description: 'More', quantity: 1, unitPrice: 10 }] },
  })
  expect([problem.status, problem.body.errors[0].pointer]).toEqual([422, '/retainagePercent'])
})
