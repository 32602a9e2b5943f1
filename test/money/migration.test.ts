import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { type Body, Builder } from './builder.ts'
import { example } from './examples.ts'
import { expectBalancedLedger } from './expect-balanced-ledger.ts'
import { migrateToBills } from './migrate-to-bills.ts'

let plumbline: TestPlumbline
let builder: Builder
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  builder = await Builder.start(plumbline)
})
beforeEach(() => builder.reset({ netDays: 30 }))
afterEach(() => expectBalancedLedger(plumbline))
afterAll(() => plumbline.stop())

const migrate = () => migrateToBills(plumbline.database)

const AMOUNTS = [
  ...['status', 'completedAmount', 'billedAmount', 'unbilledAmount', 'retainedAmount', 'releasedAmount'],
  ...['releasingAmount', 'paidAmount', 'payableAmount', 'reservedAmount', 'balance', 'rootPoId', 'whole'],
]
const amountsOf = async (id: string) => {
  const order = await builder.orderNow(id)
  return Object.fromEntries(AMOUNTS.map((field) => [field, order[field]]))
}

test('the migration keeps the amounts of orders and creates bills and payments that match the amounts', async () => {
  const paid = await builder.order(1000)
  await builder.progress(paid.id, 40)
  await builder.paid(await builder.pay({ poId: paid.id, invoiceNumber: 'INV-0042/A', invoiceDate: builder.day(-9) }))
  await builder.progress(paid.id, 100)
  await builder.paid(await builder.pay({ poId: paid.id, paymentType: 'final' }))
  await builder.pay({ poId: paid.id, paymentType: 'retainage_release', grossAmount: 30 })

  const ahead = await builder.order(1000, { retainagePercent: 0 })
  await builder.paid(await builder.pay({ poId: ahead.id, paymentType: 'deposit', grossAmount: 300 }))
  await builder.progress(ahead.id, 80)
  await builder.pay({ poId: ahead.id, grossAmount: 100 })

  const elsewhere = await builder.order(500)
  await builder.progress(elsewhere.id, 100)
  await builder.move(elsewhere.id, 'closed')

  const refunded = await builder.order(600)
  await builder.progress(refunded.id, 100)
  await builder.paid(await builder.pay({ poId: refunded.id }))
  await builder.paid(await builder.pay({ poId: refunded.id, paymentType: 'adjustment', grossAmount: -40 }))

  const draft = await builder.draft(-100, { poType: 'change', parentPoId: paid.id })
  const ids = [paid.id, ahead.id, elsewhere.id, refunded.id, draft.id]
  const before = await Promise.all(ids.map(amountsOf))
  const billsBefore = await Promise.all(ids.map((id) => builder.billsOf(id)))
  await migrate()
  expect(await Promise.all(ids.map(amountsOf))).toEqual(before)
  const open = (bills: Body[]) => Math.round(bills.reduce((sum, { openAmount }) => sum + openAmount, 0) * 100) / 100
  const after = await Promise.all(ids.map((id) => builder.billsOf(id)))
  expect(after.map(open)).toEqual(billsBefore.map(open))
  const [first] = after[0] ?? []
  expect(first).toMatchObject({
    ...{ source: 'migration', status: 'paid', invoiceNumber: 'INV-0042/A', invoiceKey: 'INV42A' },
    ...{ invoiceDate: builder.day(-9), grossAmount: 400, retainageWithheld: 40, amount: 360, openAmount: 0 },
  })
  const numbers = (await builder.get(`/bills?vendorId=${builder.vendorId}&sort=number`)).data.map(
    ({ number }: Body) => number,
  )
  expect(new Set(numbers).size).toBe(numbers.length)
  // Payments still work after the migration.
  const { payment } = await builder.run()
  expect(payment.amount).toBe(400 + 40)
})

test('the next payment run deducts an earlier overpayment', async () => {
  const [step] = example('B8').steps
  const { payment: expected } = step?.expect ?? {}
  const a = await builder.order(1000, { retainagePercent: 0 })
  await builder.progress(a.id, 100)
  const old = await builder.pay({ poId: a.id })
  await builder.done(`/payments/${old.id}/status`, { status: 'approved' })
  const db = plumbline.database.statements
  await sql`update "payments" set "status" = 'paid', "paidDate" = current_date, "amount" = 1500, "grossAmount" = 1500
    where "id" = ${old.id}`.execute(db)
  await sql`update "paymentAllocations" set "amount" = 1500 where "paymentId" = ${old.id}`.execute(db)
  await sql`update "purchaseOrders" set "paidAmount" = 1500, "reservedAmount" = 0 where "id" = ${a.id}`.execute(db)
  await migrate()
  expect(await builder.orderNow(a.id)).toMatchObject({ status: example('B8').expect.A, paidAmount: 1000, balance: 0 })
  expect(await builder.get(`/payments/${old.id}`)).toMatchObject({ amount: 1500, status: 'paid' })

  const b = await builder.order(2000, { retainagePercent: 0 })
  await builder.progress(b.id, 100)
  const { run, payment } = await builder.run()
  expect(payment).toMatchObject({
    amount: expected.amount,
    allocations: [
      { billId: null, poId: null, amount: expected.allocations[0].amount },
      { poId: b.id, amount: expected.allocations[1].amount },
    ],
  })
  expect(run.skipped).toMatchObject([{ reason: 'vendor_credit', amount: 500 }])
  await builder.paid(payment)
  expect((await builder.run()).payment).toBeNull()
  expect(await builder.orderNow(b.id)).toMatchObject({ status: 'closed', paidAmount: 2000 })
})
