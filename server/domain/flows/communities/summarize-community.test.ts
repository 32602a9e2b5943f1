import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

type Caller = { key: string }

async function made(path: string, body: object, caller: Caller): Promise<ServiceResponse['body']> {
  const answer = await plumbline.post(`/api/ext${path}`, body, caller)
  if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

const summary = async (communityId: string, caller: Caller) => {
  const answer = await plumbline.get(`/api/ext/communities/${communityId}/summary`, caller)
  expect(answer.status).toBe(200)
  return answer.body
}

/** Advances the clock to the given time. */
const at = (timestamp: string) => plumbline.clock.advance(Date.parse(timestamp) - plumbline.clock.nowMs())

async function bring(homeId: string, statuses: readonly string[], caller: Caller): Promise<void> {
  for (const status of statuses) await made(`/homes/${homeId}/status`, { status }, caller)
}

async function newHome(communityId: string, fields: object, caller: Caller): Promise<string> {
  const { id } = await made('/homes', { communityId, ...fields }, caller)
  await made(`/homes/${id}/budget/lines`, { scope: 'framing', amount: 1000.25 }, caller)
  await made(`/homes/${id}/budget/lock`, {}, caller)
  return id
}

const UP_TO_READY = ['permitting', 'ready_to_start']

test('the community summary counts starts by month', async () => {
  const caller = await plumbline.newBuilder()
  const { id } = await made(
    '/communities',
    { name: 'Juniper Ridge', timeZone: 'America/Chicago', holidays: ['2031-11-27'], lotCount: 3 },
    caller,
  )
  const first = await newHome(id, { name: 'Lot 1' }, caller)
  const second = await newHome(id, { name: 'Lot 2' }, caller)
  const cancelled = await newHome(id, { name: 'Lot 3' }, caller)
  await bring(cancelled, ['cancelled'], caller)
  await made('/homes', { name: 'Lot 3', communityId: id }, caller)
  for (const home of [first, second]) await bring(home, UP_TO_READY, caller)

  // In UTC, this time is already in November.
  at('2031-11-01T04:30:00Z')
  await bring(first, ['under_construction'], caller)
  at('2031-11-24T15:00:00Z')
  await bring(second, ['under_construction'], caller)
  expect(await summary(id, caller)).toMatchObject({ startsThisMonth: 1, completions: 0, averageCycleDays: null })
  at('2031-12-01T15:00:00Z')
  for (const home of [first, second]) await bring(home, ['completed'], caller)

  const after = await summary(id, caller)
  expect(after).toMatchObject({
    communityId: id,
    homesByStatus: { planning: 1, under_construction: 0, completed: 2, cancelled: 1, closed: 0 },
    lotsTaken: 3,
    lotsFree: 0,
    startsThisMonth: 0,
    completions: 2,
    // The average of 21 and 5 workdays. Weekends and Thanksgiving do not count.
    averageCycleDays: 13,
  })
  expect(after.starts).toHaveLength(12)
  expect(after.starts[0]).toEqual({ month: '2031-01-01', starts: 0 })
  expect(after.starts.slice(-3)).toEqual([
    { month: '2031-10-01', starts: 1 },
    { month: '2031-11-01', starts: 1 },
    { month: '2031-12-01', starts: 0 },
  ])
  await plumbline.patch(`/api/ext/communities/${id}`, { workdays: [1, 2, 3, 4, 5, 6], lotCount: null }, caller)
  expect(await summary(id, caller)).toMatchObject({ averageCycleDays: 16, lotsFree: null })
})

test('the budget, orders, and bids in a community summary equal the sums over its homes', async () => {
  const caller = await plumbline.newBuilder()
  const { id } = await made('/communities', { name: 'Juniper Ridge' }, caller)
  const { id: otherId } = await made('/communities', { name: 'Mill Creek' }, caller)
  const { id: vendorId } = await made('/vendors', { companyName: 'Lone Star Framing' }, caller)
  const homes = [await newHome(id, { name: 'Lot 1' }, caller), await newHome(id, { name: 'Lot 2' }, caller)]
  const elsewhere = await newHome(otherId, { name: 'Lot 1' }, caller)
  const cancelled = await newHome(id, { name: 'Lot 3' }, caller)
  const archived = await newHome(id, { name: 'Lot 4' }, caller)
  for (const homeId of [...homes, elsewhere]) {
    const line = { description: 'Framing', quantity: 3, unitPrice: 100.1 }
    const order = { homeId, vendorId, scope: 'framing', lines: [line] }
    const { id: orderId } = await made('/purchase-orders', order, caller)
    await made('/purchase-orders', { ...order, lines: [{ ...line, quantity: 1 }] }, caller)
    for (const status of ['approved', 'issued']) await made(`/purchase-orders/${orderId}/status`, { status }, caller)
  }
  await bring(cancelled, ['cancelled'], caller)
  await plumbline.delete(`/api/ext/homes/${archived}`, caller)
  const request = { vendorIds: [vendorId], scope: 'framing', deadline: '2040-01-01' }
  await made('/bids/request', { ...request, communityId: id }, caller)
  await made('/bids/request', { ...request, communityId: id, sendNow: false }, caller)
  await made('/bids/request', { ...request, communityId: otherId }, caller)

  const shown = await summary(id, caller)
  expect(shown).toMatchObject({
    homesByStatus: { planning: 2, cancelled: 1 },
    budget: { budgeted: 2000.5, committed: 600.6, pendingCommitted: 200.2, variance: 1399.9 },
    openOrders: { count: 2, amount: 600.6 },
    bidRequests: { draft: 1, sent: 1, closed: 0, awarded: 0, cancelled: 0, openInvitations: 1 },
    currency: 'USD',
  })
  const budgets = await Promise.all(
    homes.map(async (homeId) => (await plumbline.get(`/api/ext/homes/${homeId}/budget`, caller)).body),
  )
  const total = (field: string) => budgets.reduce((sum, budget) => sum + budget[field] * 100, 0) / 100
  expect(shown.budget).toEqual({
    budgeted: total('totalBudgeted'),
    committed: total('totalCommitted'),
    pendingCommitted: total('totalPendingCommitted'),
    variance: total('totalVariance'),
  })
})

test('the community summary counts sales by status and unsold homes as available', async () => {
  const caller = await plumbline.newBuilder()
  const { id: communityId } = await made('/communities', { name: 'Juniper Ridge', status: 'active' }, caller)
  const buyers = [{ name: 'Elena Marsh' }]
  const sales: string[] = []
  for (const name of ['Lot 1', 'Lot 2', 'Lot 3', 'Lot 4']) {
    const { id: homeId } = await made('/homes', { name, communityId, basePrice: 300000 }, caller)
    if (name !== 'Lot 4') sales.push((await made('/sales', { buyers, homeId }, caller)).id)
  }
  const [first, second] = sales
  await made(`/sales/${first}/approve`, {}, caller)
  await made(`/sales/${second}/cancel`, { reason: 'They moved away.' }, caller)
  const { sales: shown } = await summary(communityId, caller)
  expect(shown).toEqual({ pending: 1, approved: 1, pipelineComplete: 0, cancelled: 1, homesAvailable: 2 })
})

test('the summary of an empty community contains zero for every figure', async () => {
  const caller = await plumbline.newBuilder()
  const { id } = await made('/communities', { name: 'Juniper Ridge', lotCount: 12 }, caller)
  expect(await summary(id, caller)).toMatchObject({
    lotsTaken: 0,
    lotsFree: 12,
    budget: { budgeted: 0, committed: 0, pendingCommitted: 0, variance: 0 },
    openOrders: { count: 0, amount: 0 },
    bidRequests: { draft: 0, sent: 0, openInvitations: 0 },
    sales: { pending: 0, approved: 0, pipelineComplete: 0, cancelled: 0, homesAvailable: 0 },
  })
})

test('in a community summary, figures that the key cannot read are null', async () => {
  const { id } = await made('/communities', { name: 'Juniper Ridge' }, plumbline)
  const nothing = { budget: null, openOrders: null, bidRequests: null, sales: null }
  const seen = {
    ...{ 'budgets:read': 'budget', 'pos:read': 'openOrders' },
    ...{ 'bids:read': 'bidRequests', 'sales:read': 'sales' },
  }
  for (const [permission, field] of Object.entries(seen)) {
    const key = await plumbline.newKey(['communities:read', permission])
    expect(await summary(id, { key })).toMatchObject({ ...nothing, [field]: expect.any(Object) })
  }
  expect(await summary(id, { key: await plumbline.newKey(['communities:read']) })).toMatchObject(nothing)
  const path = `/api/ext/communities/${id}/summary`
  expect((await plumbline.get(path, { key: await plumbline.newKey(['budgets:read']) })).status).toBe(403)
})

test("a builder cannot read the summary of another builder's community", async () => {
  const { id } = await made('/communities', { name: 'Juniper Ridge' }, plumbline)
  const path = `/api/ext/communities/${id}/summary`
  expect((await plumbline.get(path, await plumbline.newBuilder())).status).toBe(404)
})
