import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let communityId: string
let vendorId: string
let homeId: string
let lumber: string
let labor: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = (await made('/communities', { name: 'Juniper Ridge', status: 'active' })).id
  vendorId = (await made('/vendors', { companyName: 'Lone Star Framing LLC', scopes: ['framing'] })).id
  // The IDs of the cost codes are not in the order of the codes, so that the test notices sorting by ID.
  labor = (await made('/cost-codes', { code: '06-120', name: 'Framing labor', category: 'labor' })).id
  lumber = (await made('/cost-codes', { code: '06-110', name: 'Framing lumber', category: 'material' })).id
})
beforeEach(async () => {
  homeId = (await made('/homes', { name: 'Lot 15', communityId })).id
})
afterAll(() => plumbline.stop())

async function made(path: string, body: object) {
  const answer = await plumbline.post(`/api/ext${path}`, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

const addLine = (amount: number, costCodeId: string | null = null, scope = 'framing') =>
  made(`/homes/${homeId}/budget/lines`, { scope, amount, costCodeId })
const budget = async () => (await plumbline.get(`/api/ext/homes/${homeId}/budget`)).body
const order = (lines: object[], more: object = {}) =>
  made('/purchase-orders', {
    ...{ homeId, vendorId, scope: 'framing', retainagePercent: 10, ...more },
    lines: lines.map((line) => ({ description: 'Framing', quantity: 1, costCodeId: null, ...line })),
  })
async function move(id: string, ...statuses: string[]) {
  for (const status of statuses) {
    const moved = await plumbline.post(`/api/ext/purchase-orders/${id}/status`, { status, reason: 'As agreed.' })
    expect(moved.body).toMatchObject({ status })
  }
}

interface Row {
  code: string | null
  [figure: string]: unknown
}
const byCode = (rows: Row[], figure: string) => rows.map((row) => [row.code, row[figure]])

test('the budget of a trade lists its cost codes in order, with costs without a code last', async () => {
  await addLine(30_000, lumber)
  await addLine(12_000, labor, 'Framing')
  await addLine(500)
  await order([{ costCodeId: labor, unitPrice: 9000, taxPercent: 8.25 }, { unitPrice: 100 }])
  const { scopes } = await budget()
  expect(scopes).toHaveLength(1)
  const [framing] = scopes
  expect(Object.keys(framing).slice(0, 3)).toEqual(['scope', 'budgeted', 'committed'])
  expect(Object.keys(framing).at(-1)).toBe('costCodes')
  expect(framing.costCodes).toMatchObject([
    { costCodeId: lumber, code: '06-110', name: 'Framing lumber', category: 'material', budgeted: 30_000 },
    { costCodeId: labor, code: '06-120', category: 'labor', budgeted: 12_000, pendingCommitted: 9742.5 },
    { costCodeId: null, code: null, name: null, category: null, budgeted: 500, pendingCommitted: 100 },
  ])
  expect(framing).toMatchObject({ budgeted: 42_500, pendingCommitted: 9842.5, forecastAtCompletion: 42_500 })
})

test('completed work counts as paid only after its order is closed', async () => {
  await addLine(5000, lumber)
  const { id } = await order([{ costCodeId: lumber, unitPrice: 3999.99 }])
  const figures = async () => {
    const { scopes, totalActual, totalPaid, totalRetained } = await budget()
    const [{ actual, paid, retained, committed, costCodes }] = scopes
    expect([totalActual, totalPaid, totalRetained]).toEqual([actual, paid, retained])
    expect(costCodes).toMatchObject([{ actual, paid, retained, committed }])
    return [committed, actual, paid, retained]
  }
  expect(await figures()).toEqual([0, 0, 0, 0])
  for (const status of ['approved', 'issued', 'accepted', 'partially_completed']) {
    await move(id, status)
    expect(await figures()).toEqual([3999.99, 0, 0, 0])
  }
  await plumbline.post(`/api/ext/purchase-orders/${id}/progress`, { completedPercent: 30 })
  expect(await figures()).toEqual([3999.99, 1200, 0, 120])
  await move(id, 'completed')
  expect(await figures()).toEqual([3999.99, 3999.99, 0, 400])
  await move(id, 'partially_completed')
  expect(await figures()).toEqual([3999.99, 0, 0, 0])
  await move(id, 'completed', 'closed')
  expect(await figures()).toEqual([3999.99, 3999.99, 3999.99, 0])
})

test('the retainage of an order is divided among its lines to the cent', async () => {
  const lines = [lumber, labor, null].map((costCodeId) => ({ costCodeId, unitPrice: 0.35 }))
  const ordered = await order(lines)
  // The retainage is 10% of 1.05, rounded half up. Rounding 10% of each line would give 0.04 three times, for a total
  // of 0.12.
  await move(ordered.id, 'approved', 'issued', 'accepted', 'completed')
  expect((await plumbline.get(`/api/ext/purchase-orders/${ordered.id}`)).body.retainedAmount).toBe(0.11)
  const { scopes, totalRetained } = await budget()
  expect(totalRetained).toBe(0.11)
  expect(byCode(scopes[0].costCodes, 'retained')).toEqual([
    ['06-110', 0.04],
    ['06-120', 0.04],
    [null, 0.03],
  ])
})

test('the forecast divides the remaining budget of a trade to the cent among cost codes that are below budget', async () => {
  await addLine(100, lumber)
  await addLine(200, labor)
  const forecasts = async () => {
    const { scopes, totalForecastAtCompletion } = await budget()
    return [...byCode(scopes[0].costCodes, 'forecastAtCompletion'), totalForecastAtCompletion]
  }
  expect(await forecasts()).toEqual([['06-110', 100], ['06-120', 200], 300])
  // The unused budget of the other two codes offsets the excess of the order without a code.
  const { id } = await order([{ unitPrice: 200 }])
  expect(await forecasts()).toEqual([['06-110', 33.33], ['06-120', 66.67], [null, 200], 300])
  await move(id, 'void')
  await order([{ costCodeId: lumber, unitPrice: 350 }])
  expect(await forecasts()).toEqual([['06-110', 350], ['06-120', 0], 350])
})

test('original amounts and changes are reported separately by cost code, by trade, and in total', async () => {
  const { id } = await addLine(1000, lumber)
  await addLine(400, labor)
  await plumbline.post(`/api/ext/homes/${homeId}/budget/lock`)
  await plumbline.patch(`/api/ext/budget-lines/${id}`, { amount: 900.5 })
  await addLine(50, labor)
  const { scopes, totalOriginalBudgeted, totalApprovedChanges, totalBudgeted } = await budget()
  expect([totalOriginalBudgeted, totalApprovedChanges, totalBudgeted]).toEqual([1400, -49.5, 1350.5])
  expect(scopes[0].costCodes).toMatchObject([
    { originalBudgeted: 1000, approvedChanges: -99.5, budgeted: 900.5 },
    { originalBudgeted: 400, approvedChanges: 50, budgeted: 450 },
  ])
})
