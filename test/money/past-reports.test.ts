import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { checkLedgers } from '../../server/domain/ledger/check-ledgers.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { type Body, Builder } from './builder.ts'
import { expectBalancedLedger } from './expect-balanced-ledger.ts'

const DAY = 86_400_000

let plumbline: TestPlumbline
let builder: Builder
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
// Each test has its own builder, because reports include all of a builder's records.
beforeEach(async () => {
  builder = await Builder.start(plumbline)
  await builder.done(`/communities/${builder.site.communityId}/status`, { status: 'active' })
  await builder.reset()
})
afterEach(() => expectBalancedLedger(plumbline, builder.site.organizationId))
afterAll(() => plumbline.stop())

const now = () => plumbline.clock.now().toISOString()

/** Moves the clock to the next day. Returns the previous day and the time. */
function passDay(): { asOf: string; knownAt: string } {
  const before = { asOf: builder.day(0), knownAt: now() }
  plumbline.clock.advance(DAY)
  return before
}

async function sellOverTime(): Promise<Body> {
  await builder.made(`/homes/${builder.homeId}/budget/lines`, { scope: 'framing', amount: 200_000 })
  await builder.done(`/homes/${builder.homeId}/budget/lock`, {})
  const terms = { basePrice: 300_000, revenueMethod: 'over_time', deposits: [{ amount: 5000 }] }
  const sale = await builder.made('/sales', { homeId: builder.homeId, buyers: [{ name: 'Elena Marsh' }], ...terms })
  return builder.done(`/sales/${sale.id}/approve`, {})
}

/** Certifies a payment application of 100,000 with retainage of 10,000. */
async function certify(sale: Body, periodTo: string): Promise<Body> {
  const path = `/api/ext/sales/${sale.id}/schedule-of-values`
  const lines = [{ description: 'House', scheduledValue: 300_000 }]
  await plumbline.patch(path, { lines, retainagePercent: 10 }, { key: builder.site.key })
  const application = await builder.made(`/sales/${sale.id}/applications`, {
    ...{ periodTo, lines: [{ lineId: 'L1', periodAmount: 100_000 }] },
  })
  for (const status of ['submitted', 'certified'])
    await builder.done(`/applications/${application.id}/status`, { status })
  return application
}

async function fund(date: string): Promise<Body> {
  const loan = await builder.made('/loans', { homeId: builder.homeId, lender: 'First Hill Bank', limitAmount: 90_000 })
  const draw = await builder.made(`/loans/${loan.id}/draws`, { amount: 50_000, date })
  return builder.done(`/loan-draws/${draw.id}/status`, { status: 'funded', date })
}

const reportWip = async (input: object = {}) => (await builder.skill('wipReport', input)).homes[0]

test('retainageSummary of a past day includes retainage that was released later', async () => {
  const { id } = await builder.order(1000)
  await builder.progress(id, 100)
  const { asOf } = passDay()
  await builder.paid(await builder.pay({ poId: id, paymentType: 'retainage_release' }))
  const home = { homeId: builder.homeId, withheld: 100, isReleasable: false }
  expect(await builder.skill('retainageSummary', { asOf })).toMatchObject({
    ...{ through: asOf, withheld: 100, vendors: [{ vendorId: builder.vendorId, withheld: 100, homes: [home] }] },
  })
  expect(await builder.skill('retainageSummary', {})).toMatchObject({ withheld: 0, vendors: [] })
})

test('retainageSummary excludes retainage that was recorded after knownAt', async () => {
  const { id } = await builder.order(1000)
  const { asOf, knownAt } = passDay()
  await builder.progress(id, 100, { on: asOf })
  expect(await builder.skill('retainageSummary', { asOf })).toMatchObject({ withheld: 100 })
  expect(await builder.skill('retainageSummary', { asOf, knownAt })).toMatchObject({ withheld: 0 })
})

test('retainage of a home that was completed later was not releasable on an earlier day', async () => {
  const { id } = await builder.order(1000)
  await builder.progress(id, 50)
  const { asOf } = passDay()
  await builder.made(`/homes/${builder.homeId}/budget/lines`, { scope: 'framing', amount: 1000 })
  await builder.done(`/homes/${builder.homeId}/budget/lock`, {})
  for (const status of ['permitting', 'ready_to_start', 'under_construction', 'completed'])
    await builder.done(`/homes/${builder.homeId}/status`, { status })
  expect(await builder.skill('retainageSummary', { asOf })).toMatchObject({ withheld: 50, releasable: 0 })
  expect(await builder.skill('retainageSummary', {})).toMatchObject({ withheld: 50, releasable: 50 })
})

test('budgetVsActual of a past day does not include later costs and budget changes', async () => {
  const { homeId } = builder
  const line = await builder.made(`/homes/${homeId}/budget/lines`, { scope: 'framing', amount: 2000 })
  await builder.done(`/homes/${homeId}/budget/lock`, {})
  const { id } = await builder.order(1500)
  await builder.progress(id, 40)
  const { asOf } = passDay()
  const before = { original: 2000, changes: 0, budgeted: 2000, committed: 1500, actual: 600, paid: 0 }
  await builder.patch(`/budget-lines/${line.id}`, { amount: 2500 })
  await builder.progress(id, 100)
  await builder.paid((await builder.run()).payment)
  expect(await builder.skill('budgetVsActual', { homeId, asOf })).toMatchObject({
    ...{ through: asOf, rows: [{ name: 'framing', ...before, variance: 500, remaining: 1400 }], total: before },
  })
  expect((await builder.skill('budgetVsActual', { homeId })).total).toMatchObject({
    ...{ original: 2000, changes: 500, budgeted: 2500, committed: 1500, actual: 1500, paid: 1350 },
  })
})

test('budgetVsActual includes costs without an order', async () => {
  const { homeId } = builder
  await builder.approve(await builder.bill([{ homeId, amount: 300, description: 'Dumpster' }]))
  await builder.made('/ledger/journals', { note: 'Permit fee', lines: [{ homeId, amount: 120 }] })
  const { total } = await builder.skill('budgetVsActual', { homeId })
  expect(total).toMatchObject({ committed: 0, actual: 420 })
})

test('a WIP report of a past day includes an application that was voided later', async () => {
  const sale = await sellOverTime()
  const application = await certify(sale, builder.day(0))
  const { asOf } = passDay()
  await builder.done(`/applications/${application.id}/status`, { status: 'void', reason: 'Wrong house.' })
  expect(await reportWip({ asOf })).toMatchObject({ billed: 100_000 })
  expect(await reportWip()).toMatchObject({ billed: 0 })
})

test('a WIP report excludes billings that were recorded after knownAt', async () => {
  const sale = await sellOverTime()
  const { asOf, knownAt } = passDay()
  await certify(sale, asOf)
  expect(await reportWip({ asOf })).toMatchObject({ billed: 100_000 })
  expect(await reportWip({ asOf, knownAt })).toMatchObject({ billed: 0 })
})

test('a WIP report excludes deposits that were recorded after knownAt', async () => {
  const sale = await sellOverTime()
  const { asOf, knownAt } = passDay()
  await builder.done(`/sales/${sale.id}/deposits`, { depositId: 'D1', status: 'received', date: asOf })
  expect(await reportWip({ asOf })).toMatchObject({ deposits: 5000 })
  expect(await reportWip({ asOf, knownAt })).toMatchObject({ deposits: 0 })
})

test('a WIP report excludes draws that were recorded after knownAt', async () => {
  await sellOverTime()
  const { asOf, knownAt } = passDay()
  await fund(asOf)
  expect(await reportWip({ asOf })).toMatchObject({ draws: 50_000 })
  expect(await reportWip({ asOf, knownAt })).toMatchObject({ draws: 0 })
})

test('a WIP report of a past day includes a draw that was repaid later', async () => {
  await sellOverTime()
  const draw = await fund(builder.day(0))
  const { asOf } = passDay()
  await builder.done(`/loan-draws/${draw.id}/status`, { status: 'repaid' })
  expect(await reportWip({ asOf })).toMatchObject({ draws: 50_000 })
  expect(await reportWip()).toMatchObject({ draws: 0 })
})

test('the ledger contains the billed, retained, and received amounts of a buyer', async () => {
  const sale = await sellOverTime()
  const application = await certify(sale, builder.day(0))
  await builder.done(`/applications/${application.id}/receipts`, { amount: 60_000 })
  const { balances } = await builder.get(`/ledger/balances?homeId=${builder.homeId}`)
  expect(balances[0].amounts).toMatchObject({ ownerBilled: 100_000, ownerRetainage: 10_000, ownerReceived: 60_000 })
})

test('a difference between the retainage of an application and its ledger postings is reported', async () => {
  const sale = await sellOverTime()
  const application = await certify(sale, builder.day(0))
  const { statements } = plumbline.database
  const raise = (by: number) =>
    sql`update "applications" set "retainage" = "retainage" + ${by}::numeric where "id" = ${application.id}`.execute(
      statements,
    )
  await raise(500)
  // Removes the record of the last check, because the service checks a ledger only once a day.
  await sql`delete from "ledgerChecks"`.execute(statements)
  await checkLedgers(plumbline.app.services)
  const { rows } = await sql`
    select "recordId", "measure", "posted", "expected" from "ledgerDifferences"
    where "organizationId" = ${builder.site.organizationId}`.execute(statements)
  await raise(-500)
  expect(rows).toEqual([{ recordId: sale.id, measure: 'ownerRetainage', posted: 10_000, expected: 10_500 }])
})

test('canceling a sale reverses its billings in the ledger', async () => {
  const sale = await sellOverTime()
  await certify(sale, builder.day(0))
  await builder.done(`/sales/${sale.id}/cancel`, { reason: 'The loan was declined.' })
  const { balances } = await builder.get(`/ledger/balances?homeId=${builder.homeId}`)
  expect(balances[0].amounts).toMatchObject({ contract: 0, ownerBilled: 0, ownerRetainage: 0 })
})

test('apAging of a past day includes an order that was paid and closed later', async () => {
  const { id } = await builder.order(1000, { retainagePercent: 0 })
  await builder.progress(id, 100)
  const { asOf } = passDay()
  await builder.paid((await builder.run()).payment)
  expect((await builder.orderNow(id)).status).toBe('closed')
  expect((await builder.skill('apAging', { asOf })).total).toMatchObject({ current: 1000, total: 1000 })
  expect((await builder.skill('apAging', {})).vendors).toEqual([])
})

test('apAging excludes bills that were recorded after knownAt', async () => {
  const { asOf, knownAt } = passDay()
  const line = { homeId: builder.homeId, amount: 500, description: 'Dumpster' }
  await builder.approve(await builder.bill([line], { invoiceDate: asOf }))
  expect((await builder.skill('apAging', { asOf })).total).toMatchObject({ total: 500 })
  expect((await builder.skill('apAging', { asOf, knownAt })).total).toMatchObject({ total: 0 })
})

test('apAging ages an open bill and a credit memo of the same order separately', async () => {
  const { id } = await builder.order(1000, { retainagePercent: 0 })
  await builder.progress(id, 100, { on: builder.day(-100) })
  await builder.approve(await builder.creditMemo(id, -1000))
  expect((await builder.orderNow(id)).payableAmount).toBe(0)
  expect((await builder.skill('apAging', {})).total).toMatchObject({ current: -1000, days61To90: 1000, total: 0 })
})
