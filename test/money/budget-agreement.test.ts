import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createUser } from '../../server/domain/office/users/users.ts'
import { Desk } from '../support/desk.ts'
import type { ServiceResponse } from '../support/test-plumbline.ts'
import { expectBalancedLedger } from './expect-balanced-ledger.ts'

type Body = ServiceResponse['body']

let desk: Desk
let communityId: string
let vendorId: string
let lumber: string
let homeId: string
let otherHomeId: string
let lots = 0
beforeAll(async () => {
  desk = await Desk.open()
  communityId = (await desk.post('/communities', { name: 'Juniper Ridge', status: 'active' })).id
  vendorId = (await desk.post('/vendors', { companyName: 'Lone Star Framing', scopes: ['framing'] })).id
  lumber = (await desk.post('/cost-codes', { code: '06-110', name: 'Framing lumber', category: 'material' })).id
  return () => desk.plumbline.stop()
})
beforeEach(async () => {
  homeId = await sell()
  otherHomeId = await sell()
})
afterEach(() => expectBalancedLedger(desk.plumbline, desk.builder.organizationId))

/** Creates a home with a locked budget, and sells it with revenue over time, so that it is in every report. */
async function sell(): Promise<string> {
  const { id } = await desk.post('/homes', { communityId, name: `Lot ${++lots}` })
  await desk.post(`/homes/${id}/budget/lines`, { scope: 'framing', costCodeId: lumber, amount: 5000 })
  await desk.post(`/homes/${id}/budget/lock`)
  const buyers = [{ name: 'Elena Marsh' }]
  const sale = await desk.post('/sales', { homeId: id, buyers, basePrice: 400_000, revenueMethod: 'over_time' })
  await desk.post(`/sales/${sale.id}/approve`)
  return id
}

/** Returns the budget of the home, which must agree with every report about the home's cost. */
async function getAgreedBudget(): Promise<Body> {
  const budget = await desk.get(`/homes/${homeId}/budget`)
  const byTrade = await desk.run('budgetVsActual', { homeId, groupBy: 'scope' })
  const toFigures = ({ budgeted, committed, actual, paid }: Body) => [budgeted, committed, actual, paid]
  expect(budget.scopes.map((each: Body) => [each.scope, ...toFigures(each)])).toEqual(
    byTrade.rows.map((row: Body) => [row.name, ...toFigures(row)]),
  )
  const byCode = await desk.run('budgetVsActual', { homeId, groupBy: 'costCode' })
  const codes: Body[] = budget.scopes.flatMap(({ costCodes }: Body) => costCodes)
  const sumOf = (name: string, figure: 'actual' | 'paid') =>
    codes
      .filter(({ code }) => (code === null ? 'Without a cost code' : `${code} Framing lumber`) === name)
      .reduce((sum, each) => sum + Math.round(each[figure] * 100), 0) / 100
  for (const { name, actual, paid } of byCode.rows)
    expect([name, sumOf(name, 'actual'), sumOf(name, 'paid')]).toEqual([name, actual, paid])
  for (const { budgeted, committed, pendingCommitted, costWithoutOrder, forecastAtCompletion } of budget.scopes)
    expect(forecastAtCompletion).toBe(Math.max(budgeted, committed + pendingCommitted + costWithoutOrder))
  const { totalActual: costToDate, totalForecastAtCompletion: estimatedCost } = budget
  const { homes } = await desk.run('wipReport')
  expect(homes.find((row: Body) => row.homeId === homeId)).toMatchObject({ costToDate, estimatedCost })
  expect(await desk.run('forecastCostAtCompletion', { homeId })).toMatchObject({
    ...{ costToDate, estimateAtCompletion: estimatedCost },
  })
  expect(await desk.run('homeSnapshot', { homeId })).toMatchObject({ costToDate, estimateAtCompletion: estimatedCost })
  const over = await desk.run('findHomesOverBudget')
  const listed = over.homes.find((row: Body) => row.homeId === homeId)
  if (estimatedCost > budget.totalBudgeted) expect(listed).toMatchObject({ costToDate, estimatedCost })
  else expect(listed).toBeUndefined()
  expect((await desk.get(`/homes/${homeId}/ledger`)).closing).toBe(costToDate)
  const { balances } = await desk.get(`/ledger/balances?homeId=${homeId}`)
  expect(balances[0].amounts).toMatchObject({ cost: costToDate, retainage: budget.totalRetained })
  return budget
}

async function approveBill(lines: object[]): Promise<Body> {
  const bill = await desk.post('/bills', { vendorId, lines })
  return desk.post(`/bills/${bill.id}/status`, { status: 'approved' })
}

test('a bill without an order is an actual cost of the budget', async () => {
  await approveBill([{ homeId, description: 'Crane', amount: 700 }])
  expect(await getAgreedBudget()).toMatchObject({
    ...{ totalBudgeted: 5000, totalCommitted: 0, totalActual: 700, totalPaid: 0, totalForecastAtCompletion: 5700 },
    totalCostWithoutOrder: 700,
    scopes: [
      { scope: 'framing', actual: 0, costWithoutOrder: 0, forecastAtCompletion: 5000 },
      { scope: 'unassigned', budgeted: 0, actual: 700, costWithoutOrder: 700, forecastAtCompletion: 700 },
    ],
  })
})

test('voiding a bill without an order removes its row from the budget', async () => {
  const bill = await approveBill([{ homeId, description: 'Crane', amount: 700 }])
  await desk.post(`/bills/${bill.id}/void`, { reason: 'Billed to the wrong builder.' })
  expect(await getAgreedBudget()).toMatchObject({ totalActual: 0, scopes: [{ scope: 'framing', actual: 0 }] })
})

test('a journal and a cost transfer are actual costs of the budget', async () => {
  await desk.post('/ledger/journals', {
    note: 'Fuel.',
    lines: [{ homeId, scope: 'Framing', costCodeId: lumber, amount: 5200.5 }],
  })
  expect(await getAgreedBudget()).toMatchObject({
    ...{ totalActual: 5200.5, totalCostWithoutOrder: 5200.5, totalForecastAtCompletion: 5200.5 },
    scopes: [
      { scope: 'framing', costCodes: [{ code: '06-110', costWithoutOrder: 5200.5, forecastAtCompletion: 5200.5 }] },
    ],
  })
  await desk.post('/ledger/transfers', {
    ...{ fromHomeId: homeId, fromScope: 'framing', fromCostCodeId: lumber, amount: 1200.5 },
    ...{ toHomeId: otherHomeId, toScope: 'framing', note: 'Lumber that was used on the next lot.' },
  })
  expect(await getAgreedBudget()).toMatchObject({ totalActual: 4000, totalForecastAtCompletion: 5000 })
  homeId = otherHomeId
  expect(await getAgreedBudget()).toMatchObject({ totalActual: 1200.5, totalForecastAtCompletion: 5000 })
})

test('approved time is an actual cost of the budget', async () => {
  const { database, clock } = desk.plumbline
  const { organizationId } = desk.builder
  const person = { email: `ana${lots}@harrowfinch.example.com`, name: 'Ana Ruiz', role: 'superintendent' as const }
  const { id: userId } = await createUser(database, clock, { organizationId, ...person, poApprovalLimit: 0 })
  const weekStarting = getMonday()
  const sheet = await desk.post('/timesheets', { userId, weekStarting, rate: 40 })
  await desk.post(`/timesheets/${sheet.id}/entries`, { date: weekStarting, hours: 8, homeId, scope: 'framing' })
  await desk.move(`/timesheets/${sheet.id}`, 'submitted', 'approved')
  expect(await getAgreedBudget()).toMatchObject({
    ...{ totalActual: 320, totalCostWithoutOrder: 320, totalForecastAtCompletion: 5000 },
  })
})

test('completed work, stored materials, and payments of an order are in the budget', async () => {
  const lines = [
    { lineId: 'walls', description: 'Walls', quantity: 1, unitPrice: 3000, costCodeId: lumber },
    { lineId: 'roof', description: 'Roof', quantity: 1, unitPrice: 1000 },
  ]
  const { id } = await desk.post('/purchase-orders', {
    homeId,
    vendorId,
    scope: 'framing',
    retainagePercent: 10,
    lines,
  })
  expect(await getAgreedBudget()).toMatchObject({ totalPendingCommitted: 4000, totalActual: 0 })
  await desk.move(`/purchase-orders/${id}`, 'approved', 'issued', 'accepted')
  await desk.post(`/purchase-orders/${id}/progress`, {
    lines: [
      { lineId: 'walls', completedPercent: 50 },
      { lineId: 'roof', storedAmount: 600 },
    ],
  })
  expect(await getAgreedBudget()).toMatchObject({
    ...{ totalCommitted: 4000, totalActual: 2100, totalCostWithoutOrder: 0, totalRetained: 210 },
    totalForecastAtCompletion: 5000,
    scopes: [
      {
        costCodes: [
          { code: '06-110', actual: 1500 },
          { code: null, actual: 600 },
        ],
      },
    ],
  })
  const payment = await desk.post('/payments', { poId: id, grossAmount: 1000 })
  await desk.move(`/payments/${payment.id}`, 'approved', 'paid')
  expect((await getAgreedBudget()).totalPaid).toBe(payment.amount)
  await approveBill([{ homeId, description: 'Crane', costCodeId: lumber, amount: 99.99 }])
  expect(await getAgreedBudget()).toMatchObject({ totalActual: 2199.99, totalForecastAtCompletion: 5099.99 })
})

/** Returns the Monday of last week, so that the week is over. */
function getMonday(): string {
  const today = new Date(`${desk.day(0)}T00:00:00Z`)
  return desk.day(-7 - ((today.getUTCDay() + 6) % 7))
}
