import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let communityId: string
let vendorId: string
let stud: string
let labor: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = (await plumbline.post('/api/ext/communities', { name: 'Juniper Ridge' })).body.id
  vendorId = (await plumbline.post('/api/ext/vendors', { companyName: 'Brazos Lumber', status: 'active' })).body.id
  stud = await newPart({ sku: 'LUM-2X4', name: 'Stud', unit: 'EA', scope: 'framing' })
  labor = await newPart({ sku: 'LAB-FRM', name: 'Framing labor', unit: 'SF', scope: 'framing' })
  await priced(stud, { unitPrice: 3.42 })
  await priced(labor, { unitPrice: 5.125, effectiveDate: '2026-01-01', expirationDate: '2026-12-31' })
})
afterAll(() => plumbline.stop())

const newPart = async (fields: object) => (await plumbline.post('/api/ext/parts', fields)).body.id as string
let plans = 0

async function priced(partId: string, fields: object) {
  const price = { vendorId, effectiveDate: '2020-01-01', ...fields }
  const { status, body } = await plumbline.post(`/api/ext/parts/${partId}/prices`, price)
  expect(status).toBe(201)
  return body.id as string
}

/** Creates a home on a released plan with this takeoff. */
async function newHome(lines: object[]): Promise<{ home: string; plan: string }> {
  const { body: plan } = await plumbline.post('/api/ext/plans', { code: `P${++plans}`, name: 'X', squareFeet: 2100 })
  expect((await plumbline.put(`/api/ext/plans/${plan.id}/takeoff`, { lines })).status).toBe(200)
  await plumbline.post(`/api/ext/plans/${plan.id}/status`, { status: 'released' })
  const { body: home } = await plumbline.post('/api/ext/homes', { name: 'Lot 15', communityId, planId: plan.id })
  return { home: home.id, plan: plan.id }
}

const estimate = (home: string, body: object = { on: '2026-06-01' }) =>
  plumbline.post(`/api/ext/homes/${home}/budget/estimate`, body)
const budgetLines = async (home: string) =>
  (await plumbline.get(`/api/ext/homes/${home}/budget/lines?sort=createdAt`)).body.data

const TAKEOFF = [
  { lineId: 'studs', partId: '', formula: 'squareFeet / 9', wastePercent: 10 },
  { lineId: 'labor', partId: '', formula: 'squareFeet' },
]
const takeoff = () => [
  { ...TAKEOFF[0], partId: stud },
  { ...TAKEOFF[1], partId: labor },
]

test('an estimate creates a budget line for each takeoff line at the price of the given date', async () => {
  const { home, plan } = await newHome(takeoff())
  const { status, body } = await estimate(home)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    ...{ homeId: home, planId: plan, planRevision: 1, elevation: null, on: '2026-06-01' },
    // The total is 257 studs at 3.42 and 2,100 square feet at 5.125.
    ...{ total: 11641.44, priced: 2, added: 2, changed: 0, removed: 0, unpriced: [], currency: 'USD' },
  })
  expect(await budgetLines(home)).toMatchObject([
    { source: 'base', takeoffLineId: 'studs', partId: stud, quantity: 257, unitCost: 3.42, budgeted: 878.94 },
    { source: 'base', takeoffLineId: 'labor', partId: labor, quantity: 2100, unitCost: 5.125, budgeted: 10762.5 },
  ])
  const budget = await plumbline.get(`/api/ext/homes/${home}/budget`)
  expect(budget.body).toMatchObject({ totalBudgeted: 11641.44, scopes: [{ scope: 'framing', budgeted: 11641.44 }] })
})

test('takeoff lines without a price are reported separately from the estimate', async () => {
  const { home } = await newHome(takeoff())
  const { body } = await estimate(home, { on: '2027-01-04' })
  expect(body).toMatchObject({
    ...{ priced: 1, total: 878.94 },
    unpriced: [{ lineId: 'labor', sku: 'LAB-FRM', quantity: 2100, unit: 'SF', issue: 'expired' }],
  })
  expect(await budgetLines(home)).toHaveLength(1)
})

test('a second estimate changes only lines whose costs have changed', async () => {
  const { home } = await newHome(takeoff())
  await plumbline.post(`/api/ext/homes/${home}/budget/lines`, { scope: 'permits', amount: 1200 })
  await estimate(home)
  const before = await budgetLines(home)
  expect((await estimate(home)).body).toMatchObject({ added: 0, changed: 0, removed: 0 })
  expect(await budgetLines(home)).toEqual(before)

  const local = await priced(stud, { communityId, unitPrice: 3.1 })
  expect((await estimate(home)).body).toMatchObject({ added: 0, changed: 1, removed: 0 })
  expect((await estimate(home, { on: '2027-01-04' })).body).toMatchObject({ changed: 0, removed: 1 })
  const after = await budgetLines(home)
  expect(after.map(({ id }: { id: string }) => id)).toEqual([before[0].id, before[1].id])
  expect(after).toMatchObject([
    { source: 'manual', budgeted: 1200, version: 1 },
    { source: 'base', unitCost: 3.1, version: 2 },
  ])
  // A removed line is restored with the same ID.
  expect((await estimate(home)).body).toMatchObject({ added: 0, changed: 1 })
  expect(await budgetLines(home)).toHaveLength(3)
  await plumbline.delete(`/api/ext/prices/${local}`)
})

test('a budget cannot be estimated if it is locked, or if its home has no plan or is canceled', async () => {
  const { home } = await newHome(takeoff())
  await estimate(home)
  await plumbline.post(`/api/ext/homes/${home}/budget/lock`)
  expect((await estimate(home)).body).toMatchObject({
    ...{ code: 'conflict', reason: 'budget_locked' },
    detail: expect.stringContaining('it was locked on'),
  })
  const { body: custom } = await plumbline.post('/api/ext/homes', { name: 'Lot 16', communityId })
  expect((await estimate(custom.id)).body).toMatchObject({
    reason: 'missing_data',
    detail: 'Cannot estimate the budget: Lot 16 has no plan. Set planId on the home first.',
  })
  await plumbline.post(`/api/ext/homes/${custom.id}/status`, { status: 'cancelled' })
  expect((await estimate(custom.id)).body.reason).toBe('home_not_open')
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.post(`/api/ext/homes/${home}/budget/estimate`, {}, { key })).status).toBe(404)
})

test('an estimate is rejected if the takeoff cannot be computed or an amount exceeds the maximum of a line', async () => {
  const { body: plan } = await plumbline.post('/api/ext/plans', {
    ...{ code: `P${++plans}`, name: 'X', figures: [{ name: 'roofSquares', value: 37 }] },
  })
  const path = `/api/ext/plans/${plan.id}`
  await plumbline.put(`${path}/takeoff`, { lines: [{ partId: stud, formula: 'roofSquares' }] })
  await plumbline.patch(path, { figures: [] })
  await plumbline.post(`${path}/status`, { status: 'released' })
  const built = { name: 'Lot 17', communityId, planId: plan.id }
  const { body: home } = await plumbline.post('/api/ext/homes', built)
  expect(await estimate(home.id)).toMatchObject({
    status: 409,
    body: { reason: 'not_suitable', detail: expect.stringContaining('roofSquares') },
  })

  const dear = await newPart({ sku: 'GOLD', name: 'Gold', unit: 'LS' })
  await priced(dear, { unitPrice: 999_999_999 })
  for (const line of [{ quantity: 1_000_000 }, { quantity: 9_999_999_999, wastePercent: 100 }]) {
    const { home: large } = await newHome([{ partId: dear, ...line }])
    expect(await estimate(large)).toMatchObject({ status: 409, body: { code: 'conflict' } })
  }
})

test('concurrent estimates create each budget line only once', async () => {
  const { home } = await newHome(takeoff())
  const answers = await Promise.all([estimate(home), estimate(home), estimate(home)])
  expect(answers.map(({ body }) => body.added).sort()).toEqual([0, 0, 2])
  expect(await budgetLines(home)).toHaveLength(2)
})

test('a budget line entered by hand gets the default cost code of its trade', async () => {
  const { body: code } = await plumbline.post('/api/ext/cost-codes', { code: '22-100', name: 'P', category: 'other' })
  await plumbline.post('/api/ext/scopes', { name: 'plumbing', defaultCostCodeId: code.id })
  const { home } = await newHome([])
  const add = async (fields: object) =>
    (await plumbline.post(`/api/ext/homes/${home}/budget/lines`, { scope: 'plumbing', amount: 1, ...fields })).body
  expect(await add({})).toMatchObject({ costCodeId: code.id, source: 'manual', takeoffLineId: null })
  expect((await add({ costCodeId: null })).costCodeId).toBeNull()
  const posted = await plumbline.get(`/api/ext/homes/${home}/budget/lines?costCodeId=${code.id}&source=manual`)
  expect(posted.body.data).toHaveLength(1)
})
