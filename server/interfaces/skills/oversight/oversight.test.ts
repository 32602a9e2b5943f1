import { afterAll, beforeAll, expect, test } from 'vitest'
import { Desk } from '../../../../test/support/desk.ts'

/** Lot 1 has a price of 300,000. It is over budget, its slab is late, and one of its orders awaits approval. */
let desk: Desk
let homeId: string
let today: string
beforeAll(async () => {
  desk = await Desk.open()
  today = desk.day(0)
  const { id: communityId } = await desk.post('/communities', { name: 'Juniper Ridge', code: 'JR', status: 'active' })
  const vendor = await desk.post('/vendors', {
    companyName: 'Lone Star',
    scopes: ['framing'],
    email: 'a@example.com',
    lienWaiverRequired: true,
  })
  homeId = (await desk.post('/homes', { name: 'Lot 1', communityId, basePrice: 300_000 })).id
  await desk.post(`/homes/${homeId}/budget/lines`, { scope: 'framing', amount: 40_000 })
  await desk.post(`/homes/${homeId}/budget/lock`)
  await desk.move(`/homes/${homeId}`, 'permitting', 'ready_to_start', 'under_construction')
  const framing = { homeId, vendorId: vendor.id, scope: 'framing' }
  await desk.order({ ...framing, amount: 45_000, done: 20 })
  const waiting = await desk.post('/purchase-orders', {
    ...framing,
    lines: [{ description: 'More', quantity: 1, unitPrice: 1000 }],
  })
  await desk.post(`/purchase-orders/${waiting.id}/status`, { status: 'approved' })
  const slab = await desk.post('/tasks', { homeId, name: 'Slab poured', scope: 'framing', plannedStart: desk.day(-20) })
  await desk.post('/tasks', {
    homeId,
    name: 'Walls framed',
    scope: 'roofing',
    plannedStart: desk.day(30),
    predecessors: [{ taskId: slab.id }],
  })
}, 60_000)
afterAll(() => desk.plumbline.stop())

test('homeSnapshot describes each risk of the home in a sentence', async () => {
  const snapshot = await desk.run('homeSnapshot', { homeId: 'Lot 1' })
  expect(snapshot).toMatchObject({
    ...{ status: 'under_construction', price: 300_000, budgeted: 40_000, committed: 45_000, costToDate: 9000 },
    ...{ estimateAtCompletion: 46_000, expectedMarginPercent: 84.67, startDate: today },
    ...{ openTasks: 2, lateTasks: 1, nextTask: 'Slab poured', openOrders: 1, pendingOrders: 1, payable: 9000 },
  })
  expect(snapshot.risks).toEqual([
    'Late tasks: 1.',
    'The forecast cost exceeds the budget by $6,000.00.',
    'Orders in draft or awaiting approval: 1.',
  ])
})

test('exceptionsToday returns the number and the first exceptions of each kind', async () => {
  const { exceptions, count } = await desk.run('exceptionsToday', { communityId: 'JR' })
  expect(exceptions.map(({ kind, count }: Record<string, unknown>) => [kind, count])).toEqual([
    ['late_task', 1],
    ['order_to_approve', 1],
    ['over_budget', 1],
  ])
  expect(exceptions[0].examples).toMatchObject([{ label: 'Slab poured, Lot 1, Juniper Ridge' }])
  expect(count).toBe(3)
})

test('communityDashboard returns the same amounts as the reports that it combines', async () => {
  expect(await desk.run('communityDashboard', { communityId: 'JR' })).toMatchObject({
    ...{ community: 'Juniper Ridge', startsThisMonth: 1, closings: 0, backlog: 0, varianceAmount: 0, lateTasks: 1 },
    ...{ marginPercent: null, meanCycleDays: null },
  })
})

test('closingReadiness and startPackageCheck list the failed checks of a home', async () => {
  const unmet = ({ checks }: { checks: { check: string; isMet: boolean }[] }) =>
    checks.filter(({ isMet }) => !isMet).map(({ check }) => check)
  const closing = await desk.run('closingReadiness', { homeId: 'Lot 1' })
  expect(unmet(closing)).toEqual(['completed', 'tasks', 'certificate_of_occupancy', 'orders', 'payable', 'sale'])
  expect(closing).toMatchObject({ isReady: false, readyPercent: 53 })
  const start = await desk.run('startPackageCheck', { homeId: 'Lot 1' })
  expect(unmet(start)).toEqual(['plan', 'vendors', 'orders'])
  expect(start).toMatchObject({ isReady: false, readyPercent: 62 })
})
