import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let communityId: string
let vendorId: string
let homeId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = (await plumbline.post('/api/ext/communities', { name: 'Juniper Ridge', status: 'active' })).body.id
  vendorId = (await plumbline.post('/api/ext/vendors', { companyName: 'Lone Star Framing LLC', scopes: ['framing'] }))
    .body.id
})
beforeEach(async () => {
  homeId = (await plumbline.post('/api/ext/homes', { name: 'Lot 15', communityId })).body.id
})
afterAll(() => plumbline.stop())

const addLine = (line: object): Promise<ServiceResponse> =>
  plumbline.post(`/api/ext/homes/${homeId}/budget/lines`, line)
const lock = (): Promise<ServiceResponse> => plumbline.post(`/api/ext/homes/${homeId}/budget/lock`)
const budget = async () => (await plumbline.get(`/api/ext/homes/${homeId}/budget`)).body

async function order(scope: string, amount: number, line: object = {}) {
  const { status, body } = await plumbline.post('/api/ext/purchase-orders', {
    homeId,
    vendorId,
    scope,
    lines: [{ description: scope, quantity: 1, unitPrice: amount, ...line }],
  })
  expect(status).toBe(201)
  return body
}

async function moveOrder(id: string, ...statuses: string[]): Promise<void> {
  for (const status of statuses) {
    const moved = await plumbline.post(`/api/ext/purchase-orders/${id}/status`, { status, reason: 'So it was agreed.' })
    expect(moved).toMatchObject({ status: 200, body: { status } })
  }
}

test('a home without budget lines has an empty budget that contains all fields', async () => {
  const answer = await plumbline.get(`/api/ext/homes/${homeId}/budget`)
  expect(answer.status).toBe(200)
  expect(Object.keys(answer.body).slice(0, 3)).toEqual(['scopes', 'totalBudgeted', 'totalCommitted'])
  expect(answer.body).toMatchObject({
    scopes: [],
    totalBudgeted: 0,
    totalCommitted: 0,
    lockedAt: null,
    currency: 'USD',
  })
})

test('budget lines are summed by trade to the cent', async () => {
  await addLine({ scope: 'framing', amount: 0.1 })
  await addLine({ scope: 'framing', amount: 0.2 })
  await addLine({ scope: 'electrical', amount: 21000 })
  const { scopes, totalBudgeted, totalForecastAtCompletion } = await budget()
  expect(scopes.map((row: object) => Object.keys(row).slice(0, 3))).toEqual(
    Array(2).fill(['scope', 'budgeted', 'committed']),
  )
  expect(scopes).toMatchObject([
    { scope: 'electrical', budgeted: 21000, committed: 0, variance: 21000, forecastAtCompletion: 21000 },
    { scope: 'framing', budgeted: 0.3, committed: 0, variance: 0.3, forecastAtCompletion: 0.3 },
  ])
  expect([totalBudgeted, totalForecastAtCompletion]).toEqual([21000.3, 21000.3])
})

test('the amount of a budget line with a quantity is the quantity times the unit cost, rounded half up', async () => {
  const line = await addLine({ scope: 'framing', quantity: 3, unit: 'SF', unitCost: 0.335 })
  expect(line.body).toMatchObject({ quantity: 3, unit: 'SF', unitCost: 0.335, originalAmount: 1.01, budgeted: 1.01 })
  const contradicted = await addLine({ scope: 'framing', quantity: 3, unitCost: 0.335, amount: 1 })
  expect(contradicted).toMatchObject({ status: 422, body: { errors: [{ pointer: '/amount' }] } })
  expect((await addLine({ scope: 'framing', quantity: 3, unitCost: 0.335, amount: 1.01 })).status).toBe(201)
})

test('a budget line requires an amount, or a quantity and a unit cost', async () => {
  expect(await addLine({ scope: 'framing', quantity: 3 })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/amount', code: 'required' }] },
  })
  expect((await addLine({ scope: 'framing', amount: 1.005 })).status).toBe(422)
  expect((await addLine({ scope: 'framing', quantity: 9999999999, unitCost: 9999999999 })).status).toBe(422)
  expect((await addLine({ scope: 'framing', amount: 18500, quantity: 2 })).body).toMatchObject({
    quantity: 2,
    unitCost: null,
    budgeted: 18500,
  })
})

test('an unknown trade in a budget line is added to the list of trades', async () => {
  const scope = `masonry ${homeId}`
  await addLine({ scope, amount: 100 })
  const { body } = await plumbline.get('/api/ext/scopes?limit=200')
  expect(body.data.map((known: { name: string }) => known.name)).toContain(scope)
})

test('after the budget lock, changing a line changes approvedChanges instead of originalAmount', async () => {
  const { body: line } = await addLine({ scope: 'plumbing', amount: 18500 })
  const before = await plumbline.patch(`/api/ext/budget-lines/${line.id}`, {
    amount: 19000,
    description: 'Rough and finish',
  })
  expect(before.body).toMatchObject({
    originalAmount: 19000,
    approvedChanges: 0,
    budgeted: 19000,
    description: 'Rough and finish',
  })
  expect((await lock()).status).toBe(200)
  const after = await plumbline.patch(`/api/ext/budget-lines/${line.id}`, { amount: 18250.5 })
  expect(after.body).toMatchObject({ originalAmount: 19000, approvedChanges: -749.5, budgeted: 18250.5 })
  const added = await addLine({ scope: 'plumbing', amount: 500 })
  expect(added.body).toMatchObject({ originalAmount: 0, approvedChanges: 500, budgeted: 500 })
  expect(await budget()).toMatchObject({ totalBudgeted: 18750.5 })
})

test('a budget line without a quantity or a unit cost is a lump sum', async () => {
  const { body: line } = await addLine({ scope: 'framing', quantity: 2800, unit: 'SF', unitCost: 15 })
  const at = `/api/ext/budget-lines/${line.id}`
  expect((await plumbline.patch(at, { unitCost: 14.25 })).body.budgeted).toBe(39900)
  expect((await plumbline.patch(at, { amount: 1 })).status).toBe(422)
  expect((await plumbline.patch(at, { amount: 40000, unitCost: null })).body).toMatchObject({
    budgeted: 40000,
    quantity: 2800,
    unitCost: null,
  })
  expect((await plumbline.patch(at, { description: 'Labor' })).body).toMatchObject({ budgeted: 40000 })
})

test('a budget can be locked only once and only if it has lines', async () => {
  expect(await lock()).toMatchObject({ status: 409, body: { reason: 'missing_data' } })
  const { body: line } = await addLine({ scope: 'framing', amount: 42000 })
  const locked = await lock()
  expect(locked.status).toBe(200)
  expect(locked.body).toMatchObject({ totalBudgeted: 42000, homeId })
  expect((await plumbline.get(`/api/ext/homes/${homeId}`)).body).toMatchObject({
    budgetLockedAt: locked.body.lockedAt,
    version: 2,
  })
  expect(await lock()).toMatchObject({ status: 409, body: { code: 'conflict' } })
  expect(await plumbline.delete(`/api/ext/budget-lines/${line.id}`)).toMatchObject({
    status: 409,
    body: {
      reason: 'in_use',
      detail: 'Cannot remove the budget line: the budget is locked. Set the amount to 0 instead.',
    },
  })
  expect((await plumbline.patch(`/api/ext/budget-lines/${line.id}`, { scope: 'roofing' })).status).toBe(409)
})

test('a budget line that is added while the budget is being locked is counted exactly once', async () => {
  await addLine({ scope: 'framing', amount: 1 })
  const [locked, ...added] = await Promise.all([
    lock(),
    ...Array.from({ length: 8 }, () => addLine({ scope: 'framing', amount: 10 })),
  ])
  expect(locked?.status).toBe(200)
  const original = added.filter((line) => line.body.originalAmount === 10).length
  const changes = added.filter((line) => line.body.approvedChanges === 10).length
  expect(original + changes).toBe(8)
  expect(locked?.body.totalBudgeted).toBe(1 + 10 * original)
  expect((await budget()).totalBudgeted).toBe(81)
})

test('a removed budget line is not listed but can still be read', async () => {
  const { body: line } = await addLine({ scope: 'framing', amount: 42000 })
  const at = `/api/ext/budget-lines/${line.id}`
  expect((await plumbline.delete(at, { headers: { 'if-match': '"7"' } })).status).toBe(412)
  expect((await plumbline.delete(at)).status).toBe(204)
  expect((await plumbline.delete(at)).status).toBe(204)
  expect((await budget()).scopes).toEqual([])
  const list = `/api/ext/homes/${homeId}/budget/lines`
  expect((await plumbline.get(list)).body.data).toEqual([])
  expect((await plumbline.get(`${list}?includeArchived=true`)).body.data).toHaveLength(1)
  expect((await plumbline.get(at)).body.archivedAt).not.toBeNull()
  expect((await plumbline.patch(at, { amount: 1 })).status).toBe(409)
})

test('a budget line cannot be removed if a purchase order refers to it', async () => {
  const { body: line } = await addLine({ scope: 'framing', amount: 42000 })
  await order('framing', 39850, { budgetLineId: line.id })
  expect(await plumbline.delete(`/api/ext/budget-lines/${line.id}`)).toMatchObject({
    status: 409,
    body: {
      reason: 'in_use',
      detail: 'Cannot remove the budget line: purchase orders refer to it. Set the amount to 0 instead.',
    },
  })
})

test('each status change of a purchase order updates the committed amount of its trade', async () => {
  await addLine({ scope: 'framing', amount: 42000 })
  const { id } = await order('framing', 39850)
  const figures = async () => {
    const { scopes } = await budget()
    expect(scopes).toHaveLength(1)
    return [scopes[0].pendingCommitted, scopes[0].committed, scopes[0].variance, scopes[0].forecastAtCompletion]
  }
  const { version } = (await plumbline.get(`/api/ext/homes/${homeId}`)).body
  expect(await figures()).toEqual([39850, 0, 42000, 42000])
  for (const status of ['approved', 'issued', 'accepted', 'partially_completed', 'completed', 'closed']) {
    await moveOrder(id, status)
    expect(await figures()).toEqual([0, 39850, 2150, 42000])
  }
  const second = await order('framing', 5000)
  expect(await figures()).toEqual([5000, 39850, 2150, 44850])
  await moveOrder(second.id, 'void')
  expect(await figures()).toEqual([0, 39850, 2150, 42000])
  const third = await order('framing', 100)
  await moveOrder(third.id, 'approved', 'issued')
  expect(await figures()).toEqual([0, 39950, 2050, 42000])
  await moveOrder(third.id, 'declined')
  expect(await figures()).toEqual([0, 39850, 2150, 42000])
  expect((await plumbline.get(`/api/ext/homes/${homeId}`)).body.version).toBe(version)
})

test('a trade with orders but without a budget is listed in the budget', async () => {
  await addLine({ scope: 'Plumbing', amount: 18500 })
  await order('plumbing', 1000)
  await order('cleaning', 650)
  const { scopes, totalVariance, totalPendingCommitted } = await budget()
  expect(scopes).toMatchObject([
    { scope: 'cleaning', budgeted: 0, pendingCommitted: 650, forecastAtCompletion: 650 },
    { scope: 'plumbing', budgeted: 18500, pendingCommitted: 1000, forecastAtCompletion: 18500 },
  ])
  expect([totalVariance, totalPendingCommitted]).toEqual([18500, 1650])
})

test('a conditional request for an unchanged budget returns 304, regardless of the time', async () => {
  await addLine({ scope: 'framing', amount: 42000 })
  const first = await plumbline.get(`/api/ext/homes/${homeId}/budget`)
  plumbline.clock.advance(1000)
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
  expect((await plumbline.get(`/api/ext/homes/${homeId}/budget`, { headers })).status).toBe(304)
  await addLine({ scope: 'framing', amount: 1 })
  expect((await plumbline.get(`/api/ext/homes/${homeId}/budget`, { headers })).status).toBe(200)
})

test('budget lines can be filtered by trade and sorted by amount', async () => {
  for (const amount of [300, 100, 200]) await addLine({ scope: 'framing', amount })
  await addLine({ scope: 'roofing', amount: 50 })
  const amounts: number[] = []
  let next = `/api/ext/homes/${homeId}/budget/lines?scope=framing&sort=-budgeted&limit=1`
  while (next !== '') {
    const { body, headers } = await plumbline.get(next)
    amounts.push(...body.data.map((line: { budgeted: number }) => line.budgeted))
    next = /<(.*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? ''
  }
  expect(amounts).toEqual([300, 200, 100])
})

test('the budget of a canceled home cannot be changed', async () => {
  const { body: line } = await addLine({ scope: 'framing', amount: 42000 })
  await plumbline.post(`/api/ext/homes/${homeId}/status`, { status: 'cancelled' })
  const attempts = [
    await addLine({ scope: 'framing', amount: 1 }),
    await plumbline.patch(`/api/ext/budget-lines/${line.id}`, { amount: 1 }),
    await plumbline.delete(`/api/ext/budget-lines/${line.id}`),
    await lock(),
  ]
  for (const refused of attempts)
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: 'Cannot change the budget of Lot 15: the home is canceled.' },
    })
})

test('reading the lines of a budget requires budgets:read', async () => {
  const homes = await plumbline.newKey(['homes:read'])
  const budgets = await plumbline.newKey(['budgets:read'])
  expect((await plumbline.get(`/api/ext/homes/${homeId}/budget`, { key: homes })).status).toBe(200)
  expect((await plumbline.get(`/api/ext/homes/${homeId}/budget/lines`, { key: homes })).status).toBe(403)
  expect((await plumbline.get(`/api/ext/homes/${homeId}/budget/lines`, { key: budgets })).status).toBe(200)
})

test("a builder can neither read nor change another builder's budgets", async () => {
  const { body: line } = await addLine({ scope: 'framing', amount: 42000 })
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.get(`/api/ext/homes/${homeId}/budget`, { key })).status).toBe(404)
  expect((await plumbline.get(`/api/ext/homes/${homeId}/budget/lines`, { key })).status).toBe(404)
  expect(
    (await plumbline.post(`/api/ext/homes/${homeId}/budget/lines`, { scope: 'framing', amount: 1 }, { key })).status,
  ).toBe(404)
  expect((await plumbline.post(`/api/ext/homes/${homeId}/budget/lock`, undefined, { key })).status).toBe(404)
  expect((await plumbline.get(`/api/ext/budget-lines/${line.id}`, { key })).status).toBe(404)
  expect((await plumbline.patch(`/api/ext/budget-lines/${line.id}`, { amount: 1 }, { key })).status).toBe(404)
  expect((await plumbline.delete(`/api/ext/budget-lines/${line.id}`, { key })).status).toBe(404)
})
