import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { expectBalancedLedger } from '../../../../test/money/expect-balanced-ledger.ts'
import { Desk } from '../../../../test/support/desk.ts'
import { allowPostingErasure } from '../../ledger/erasure.ts'
import { checkAndCorrectLedgers } from './correct-differences.ts'

let desk: Desk
let communityId: string
let homeId: string
let saleId: string
let lots = 0
beforeAll(async () => {
  desk = await Desk.open()
  communityId = (await desk.post('/communities', { name: 'Juniper Ridge', status: 'active' })).id
  return () => desk.plumbline.stop()
})

/** Sells a home with a locked budget, a deposit, a certified application, a receipt, and a funded draw. */
beforeEach(async () => {
  homeId = (await desk.post('/homes', { communityId, name: `Lot ${++lots}` })).id
  await desk.post(`/homes/${homeId}/budget/lines`, { scope: 'framing', amount: 5000 })
  await desk.post(`/homes/${homeId}/budget/lock`)
  const sale = await desk.post('/sales', {
    ...{ homeId, buyers: [{ name: 'Elena Marsh' }], basePrice: 400_000, revenueMethod: 'over_time' },
    deposits: [{ amount: 20_000 }],
  })
  saleId = sale.id
  await desk.post(`/sales/${saleId}/approve`)
  await desk.post(`/sales/${saleId}/deposits`, { depositId: 'D1', status: 'received', date: desk.day(0) })
  const lines = [{ description: 'House', scheduledValue: 400_000 }]
  const path = `/api/ext/sales/${saleId}/schedule-of-values`
  await desk.plumbline.patch(path, { lines, retainagePercent: 10 }, { key: desk.builder.key })
  const application = await desk.post(`/sales/${saleId}/applications`, {
    ...{ periodTo: desk.day(0), lines: [{ lineId: 'L1', periodAmount: 100_000 }] },
  })
  await desk.post(`/applications/${application.id}/status`, { status: 'submitted' })
  await desk.post(`/applications/${application.id}/status`, { status: 'certified' })
  await desk.post(`/applications/${application.id}/receipts`, { amount: 50_000, date: desk.day(0) })
  const loan = await desk.post('/loans', { homeId, lender: 'First Hill Bank', limitAmount: 300_000 })
  const draw = await desk.post(`/loans/${loan.id}/draws`, { amount: 80_000 })
  await desk.post(`/loan-draws/${draw.id}/status`, { status: 'funded' })
})

const readBalances = async () => {
  const { balances } = await desk.get(`/ledger/balances?homeId=${homeId}`)
  return balances[0].amounts
}

/** Deletes the postings of a measure of the home, as if an earlier version had not recorded them. */
async function losePostings(measure: string): Promise<void> {
  await desk.plumbline.database.transaction(async (trx) => {
    await allowPostingErasure(trx)
    await sql`delete from "postings" where "homeId" = ${homeId} and "measure" = ${measure}`.execute(trx)
  })
}

async function check(): Promise<void> {
  await sql`delete from "ledgerChecks"`.execute(desk.plumbline.database.statements)
  await checkAndCorrectLedgers(desk.plumbline.app.services)
}

/** Returns the IDs of the records whose differences are reported. */
async function listDifferences(): Promise<string[]> {
  const { exceptions } = await desk.run('exceptionsToday')
  const { examples } = exceptions.find(({ kind }: { kind: string }) => kind === 'ledger_difference')
  return [...new Set<string>(examples.map((each: { id: string }) => each.id))]
}

const MEASURES = ['budget', 'contract', 'ownerBilled', 'ownerRetainage', 'ownerReceived', 'ownerDeposit', 'loan']

for (const measure of MEASURES)
  test(`the daily check posts a missing ${measure} amount`, async () => {
    const before = await readBalances()
    expect(before[measure]).toBeGreaterThan(0)
    await losePostings(measure)
    expect(await readBalances()).toMatchObject({ [measure]: 0 })
    await check()
    await expect.poll(readBalances, { timeout: 10_000 }).toEqual(before)
    const { data } = await desk.get(`/ledger/postings?homeId=${homeId}&measure=${measure}`)
    expect(data).toMatchObject([
      { note: 'The daily check of the ledger found a missing posting.', actor: { type: 'system' } },
    ])
    await expectBalancedLedger(desk.plumbline, desk.builder.organizationId)
  })

test('a difference in the cost of an order is reported and not posted', async () => {
  const vendor = await desk.post('/vendors', { companyName: 'Lone Star Framing', scopes: ['framing'] })
  const { id } = await desk.order({ vendorId: vendor.id, scope: 'framing', homeId, amount: 1000, done: 50 })
  await sql`update "purchaseOrders" set "completedAmount" = "completedAmount" + 1 where "id" = ${id}`.execute(
    desk.plumbline.database.statements,
  )
  await losePostings('loan')
  await check()
  await expect.poll(async () => (await readBalances()).loan, { timeout: 10_000 }).toBe(80_000)
  // The differences are compared again after the missing posting.
  await expect.poll(listDifferences, { timeout: 10_000 }).toEqual([id])
  expect(await readBalances()).toMatchObject({ loan: 80_000, cost: 500 })
})
