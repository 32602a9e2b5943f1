import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrateToBills } from '../../../test/money/migrate-to-bills.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { createDemo } from '../../operators/demo/create-demo.ts'
import { up } from '../../platform/database/migrations/0470_posted_history.ts'
import { checkLedgers } from './check-ledgers.ts'
import { allowPostingErasure } from './erasure.ts'

let plumbline: TestPlumbline
let demo: { organizationId: string; key: string }
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  demo = await createDemo(plumbline.database, plumbline.config)
})
afterAll(() => plumbline.stop())

const query = async <Row>(statement: ReturnType<typeof sql<Row>>) =>
  (await statement.execute(plumbline.database.statements)).rows
const differences = async () => {
  await sql`delete from "ledgerChecks"`.execute(plumbline.database.statements)
  await checkLedgers(plumbline.app.services)
  return query(sql<{ recordId: string; measure: string; posted: number; expected: number }>`
    select "recordId", "measure", "posted", "expected" from "ledgerDifferences" order by 1, 2`)
}
const balances = () =>
  query(sql`
    select "measure", "homeId", lower("scope") as "scope", "costCodeId", "vendorId", "poId", "poLineId", "paymentId", "saleId",
      sum("amount") as "amount"
    from "postings" where "organizationId" = ${demo.organizationId}
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9 having sum("amount") <> 0 order by 1, 2, 3, 4, 5, 6, 7, 8, 9`)
/** The measures outside the identity of costs. */
const OUTSIDE =
  sql.raw(`'commitment', 'budget', 'contract', 'ownerBilled', 'ownerRetainage', 'ownerReceived', 'ownerDeposit',
  'loan', 'stored'`)
const imbalances = () =>
  query(sql`
    select "effectiveDate", "homeId", "poId", "vendorId", "costCodeId",
      sum(case when "measure" = 'cost' then "amount" when "measure" in (${OUTSIDE}) then 0 else - "amount" end) as "difference"
    from "postings" group by 1, 2, 3, 4, 5
    having sum(case when "measure" = 'cost' then "amount" when "measure" in (${OUTSIDE}) then 0 else - "amount" end) <> 0`)

test('the ledger postings of the demo builder agree with its records', async () => {
  expect(await differences()).toEqual([])
  expect(await imbalances()).toEqual([])
  expect((await balances()).length).toBeGreaterThan(300)
})

test('a difference between the amount of a record and its ledger postings is reported', async () => {
  const [order] = await query(sql<{ id: string; completedAmount: number }>`
    update "purchaseOrders" set "completedAmount" = "completedAmount" + 1
    where "organizationId" = ${demo.organizationId} and "id" = (
      select max("id") from "purchaseOrders" where "organizationId" = ${demo.organizationId} and "status" = 'completed')
    returning "id", "completedAmount"`)
  expect(await differences()).toMatchObject([
    { recordId: order?.id, measure: 'cost', expected: order?.completedAmount },
    { recordId: order?.id, measure: 'unbilled', posted: 0, expected: 1 },
  ])
  const { body } = await plumbline.post('/api/ext/execute', { skill: 'exceptionsToday', input: {} }, { key: demo.key })
  expect(body.result.exceptions).toContainEqual({
    ...{ kind: 'ledger_difference', count: 2 },
    examples: expect.arrayContaining([{ id: order?.id, label: expect.stringMatching(/^PO-.*: cost$/) }]),
  })
  await sql`update "purchaseOrders" set "completedAmount" = "completedAmount" - 1 where "id" = ${order?.id}`.execute(
    plumbline.database.statements,
  )
  expect(await differences()).toEqual([])
})

test('the ledger migration creates the same balances from the records as the service does', async () => {
  const recorded = await balances()
  await migrateToBills(plumbline.database)
  expect(await balances()).toEqual(recorded)
  expect(await imbalances()).toEqual([])
  expect(await differences()).toEqual([])
  const { body } = await plumbline.get('/api/ext/ledger/balances?asOf=2000-01-01', { key: demo.key })
  expect(body).toMatchObject({ isApproximate: true, balances: [{ amounts: { cost: 0 } }] })
  const { body: page } = await plumbline.get('/api/ext/ledger/postings?limit=1', { key: demo.key })
  expect(page.data[0]).toMatchObject({ basis: 'migrated', actor: { type: 'system', id: null } })
})

test('if balances would differ, the ledger migration fails and lists the differences', async () => {
  const change = plumbline.database.transaction(async (trx) => {
    await allowPostingErasure(trx)
    await sql`delete from "postings" where "organizationId" = ${demo.organizationId}`.execute(trx)
    await sql`
      update "purchaseOrders" set "completedAmount" = "completedAmount" + 1
      where "organizationId" = ${demo.organizationId} and "id" = (
        select max("id") from "purchaseOrders" where "organizationId" = ${demo.organizationId} and "status" = 'completed')`.execute(
      trx,
    )
    await up(trx as unknown as Kysely<unknown>)
  })
  await expect(change).rejects.toThrow(/Correct these first: po_\w+ cost [\d.]+ instead of [\d.]+$/)
})
