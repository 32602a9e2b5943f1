import { afterAll, beforeAll, expect, test } from 'vitest'
import { Desk } from '../../../../test/support/desk.ts'
import { createWorkCalendar } from '../../../platform/values/workdays.ts'

/**
 * A plan needs 100 studs at 3 and 50 square feet of granite at 40. The option QTZ replaces the granite with quartz at
 * 60. The option RNG adds a range (a stove) without a price. Lot 1 is built from this plan with QTZ. The framing of Lot
 * 1 starts in ten days.
 */
let desk: Desk
let lot1: string
let plan: string
let lumber: string
let stone: string
let framer: string
let stud: string
let quartzSelection: string
beforeAll(async () => {
  desk = await Desk.open()
  const { id: communityId } = await desk.post('/communities', { name: 'Juniper Ridge', code: 'JR', status: 'active' })
  const vendor = async (companyName: string, scope: string) =>
    (await desk.post('/vendors', { companyName, scopes: [scope], email: `${scope}@example.com` })).id
  lumber = await vendor('Brazos Lumber', 'framing')
  framer = await vendor('Lone Star Framing', 'framing')
  stone = await vendor('Hill Country Stone', 'tops')
  const part = async (sku: string, scope: string, unitPrice: number | null, more = {}) => {
    const { id } = await desk.post('/parts', { sku, name: sku.toLowerCase(), unit: 'EA', scope, ...more })
    const vendorId = scope === 'framing' ? lumber : stone
    if (unitPrice !== null) await desk.post(`/parts/${id}/prices`, { vendorId, unitPrice, effectiveDate: '2020-01-01' })
    return id
  }
  stud = await part('STUD', 'framing', 3, { leadTimeDays: 4 })
  const granite = await part('GRANITE', 'tops', 40)
  const quartz = await part('QUARTZ', 'tops', 60)
  const range = await part('RANGE', 'appliances', null)
  plan = (await desk.post('/plans', { name: 'Cedar', code: 'CEDAR', squareFeet: 2000, basePrice: 300_000 })).id
  const lines = [
    { lineId: 'studs', partId: stud, quantity: 100 },
    { lineId: 'tops', partId: granite, quantity: 50 },
  ]
  await desk.put(`/plans/${plan}/takeoff`, { lines })
  await desk.post(`/plans/${plan}/status`, { status: 'released' })
  const option = async (code: string, line: object) => {
    const { id } = await desk.post('/options', { code, name: code, optionType: 'upgrade', price: 2000 })
    await desk.put(`/options/${id}/takeoff`, { lines: [line] })
    await desk.post(`/options/${id}/status`, { status: 'active' })
    return id
  }
  const qtz = await option('QTZ', { lineId: 'tops', partId: quartz, quantity: 50 })
  await option('RNG', { lineId: 'range', partId: range, quantity: 1 })
  lot1 = (await desk.post('/homes', { name: 'Lot 1', lotNumber: '1', communityId, planId: plan })).id
  quartzSelection = (await desk.post(`/homes/${lot1}/selections`, { optionId: qtz })).id
  await desk.post(`/selections/${quartzSelection}/status`, { status: 'approved' })
  await desk.post(`/homes/${lot1}/budget/estimate`)
  await desk.post('/tasks', { homeId: lot1, name: 'Walls framed', scope: 'framing', plannedStart: desk.day(10) })
}, 60_000)
afterAll(() => desk.plumbline.stop())

test('priceTakeoff reports a missing price instead of using 0', async () => {
  const alone = await desk.run('priceTakeoff', { planId: 'CEDAR', communityId: 'JR' })
  expect(alone).toMatchObject({
    lines: [
      { lineId: 'studs', quantity: 100, unitPrice: 3, amount: 300, source: 'default', vendor: 'Brazos Lumber' },
      { lineId: 'tops', quantity: 50, unitPrice: 40, amount: 2000, vendor: 'Hill Country Stone' },
    ],
    ...{ unpriced: [], total: 2300, revision: 1, truncated: false },
  })
  const more = await desk.run('priceTakeoff', { planId: 'CEDAR', communityId: 'JR', optionIds: ['QTZ', 'RNG'] })
  expect(more.total).toBe(3300)
  expect(more.unpriced).toMatchObject([{ lineId: 'range', part: 'RANGE range', issue: 'no_price' }])
  expect(more.unknown).toHaveLength(2)
})

test('purchaseForecast returns the order date of each part that is not ordered yet', async () => {
  const forecast = await desk.run('purchaseForecast', { communityId: 'JR' })
  expect(forecast.parts).toMatchObject([
    { part: 'STUD stud', homes: 1, needed: 100, ordered: 0, toOrder: 100, weekFrom: desk.day(7) },
  ])
  const { orderBy } = forecast.parts[0]
  const task = (await desk.get('/tasks')).data[0]
  const weekdays = createWorkCalendar({ workdays: [1, 2, 3, 4, 5], holidays: [] })
  expect(orderBy).toBe(weekdays.add(task.plannedStart, -4))
  expect((await desk.run('purchaseForecast', { weeks: 1 })).parts).toEqual([])
})

test('draftPurchaseOrders drafts the orders for a home and its selections only once', async () => {
  await desk.post('/scopes', { name: 'roofing' })
  const tried = await desk.run(
    'draftPurchaseOrders',
    { homeId: 'Lot 1', scopes: ['Framing', 'roofing'] },
    { dryRun: true },
  )
  expect(tried).toMatchObject({ orders: [{ scope: 'framing', total: 300 }], total: 300 })
  expect(tried.skipped).toEqual([{ scope: 'roofing', reason: 'not_in_takeoff' }])
  expect((await desk.get('/purchase-orders')).data).toEqual([])
  const drafted = await desk.run('draftPurchaseOrders', { homeId: 'Lot 1' })
  expect(drafted.orders).toMatchObject([
    { vendor: 'Brazos Lumber', scope: 'framing', lines: 1, total: 300, optionSelectionId: null },
    { vendor: 'Hill Country Stone', scope: 'tops', lines: 1, total: 3000, optionSelectionId: quartzSelection },
  ])
  const [order] = (await desk.get(`/purchase-orders/${drafted.orders[0].poId}`)).lines
  expect(order).toMatchObject({ partId: stud, quantity: 100, unitPrice: 3, description: 'stud' })
  expect(order.priceId).toMatch(/^prc_/)
  const again = await desk.run('draftPurchaseOrders', { homeId: 'Lot 1' })
  expect([again.orders, again.skipped]).toEqual([
    [],
    [
      { scope: 'framing', reason: 'ordered' },
      { scope: 'tops', reason: 'ordered' },
    ],
  ])
})

test('issuePurchaseOrders reports each approved order that it does not issue', async () => {
  const [framing, tops] = (await desk.get('/purchase-orders?sort=createdAt')).data
  await desk.move(`/purchase-orders/${framing.id}`, 'approved')
  await desk.move(`/purchase-orders/${tops.id}`, 'approved')
  const early = await desk.run('issuePurchaseOrders', { homeId: 'Lot 1', withinDays: 3 })
  expect(early.issued).toEqual([])
  expect(early.heldBack.map(({ problem }: { problem: { detail: string } }) => problem.detail)).toEqual([
    expect.stringContaining(`The first task of ${framing.number} starts on`),
    `${tops.number} is not attached to an open task.`,
  ])
  const due = await desk.run('issuePurchaseOrders', { homeId: 'Lot 1', withinDays: 14 })
  expect(due).toMatchObject({ issued: [{ number: framing.number, total: 300 }], total: 300, truncated: false })
  const named = await desk.run('issuePurchaseOrders', { poIds: [framing.number, tops.number] })
  expect(named).toMatchObject({
    issued: [{ number: tops.number }],
    heldBack: [{ label: framing.number, pointer: '/input/poIds/0', problem: { code: 'invalid_transition' } }],
  })
  expect((await desk.execute('issuePurchaseOrders', {})).body.code).toBe('validation_failed')
})

test('createVariancePo returns the budget before and after the order', async () => {
  const [framing] = (await desk.get('/purchase-orders?sort=createdAt')).data
  const input = { reasonCode: 'weather', responsible: 'builder' }
  const lines = [{ description: 'Sheathing', quantity: 12, unitPrice: 10 }]
  const result = await desk.run('createVariancePo', { poId: framing.number, lines, ...input })
  expect(result).toMatchObject({
    purchaseOrder: {
      poType: 'variance',
      parentPoId: framing.id,
      vendorId: lumber,
      total: 120,
      status: 'pending_approval',
    },
    ...{ isApproved: false, reasons: ['over_budget'], approvers: [{ name: 'Priya Harrow' }] },
    budgetBefore: { scope: 'framing', budgeted: 300, committed: 300, pendingCommitted: 0 },
    budgetAfter: { committed: 300, pendingCommitted: 120 },
  })
  const missing = await desk.execute('createVariancePo', { homeId: 'Lot 1', lines, ...input })
  expect(missing.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
    '/input/vendorId',
    '/input/scope',
  ])
})

test('a backcharge that createBackcharge drafts has the trade of the original order', async () => {
  const [framing] = (await desk.get('/purchase-orders?sort=createdAt')).data
  const input = { vendorId: 'Brazos Lumber', homeId: 'Lot 1', amount: 640, reason: 'A broken window.' }
  const { purchaseOrder } = await desk.run('createBackcharge', { ...input, relatedPoId: framing.number })
  expect(purchaseOrder).toMatchObject({ poType: 'backcharge', scope: 'framing', total: -640, parentPoId: framing.id })
  const refused = await desk.execute('createBackcharge', input)
  expect(refused.body.errors).toMatchObject([{ pointer: '/input/scope', code: 'required' }])
})

test('createChangePoFromSelection changes the selection after the change order is approved', async () => {
  const early = await desk.execute('createChangePoFromSelection', { selectionId: quartzSelection, quantity: 0 })
  expect(early.body).toMatchObject({ code: 'conflict', reason: 'wrong_status' })
  await desk.post(`/selections/${quartzSelection}/status`, { status: 'ordered' })
  const doubled = await desk.run(
    'createChangePoFromSelection',
    { selectionId: quartzSelection, quantity: 2 },
    { dryRun: true },
  )
  expect(doubled).toMatchObject({ orders: [{ total: 3000, status: 'pending_approval' }], isChanged: false })
  const cancelled = await desk.run('createChangePoFromSelection', { selectionId: quartzSelection, quantity: 0 })
  expect(cancelled).toMatchObject({
    selection: { status: 'cancelled' },
    ...{ isChanged: true, orders: [{ vendorId: stone, total: -3000, status: 'approved' }], amount: -3000 },
  })
})

test('reassignVendor moves only orders that are not partly completed', async () => {
  await desk.post(`/parts/${stud}/prices`, { vendorId: framer, unitPrice: 3.5, effectiveDate: '2020-01-01' })
  const [framing] = (await desk.get('/purchase-orders?sort=createdAt')).data
  const [task] = (await desk.get('/tasks')).data
  await desk.plumbline.patch(
    `/api/ext/tasks/${task.id}`,
    { vendorId: lumber, poIds: [framing.id] },
    { key: desk.builder.key },
  )
  const done = await desk.order({ homeId: lot1, vendorId: lumber, scope: 'framing', amount: 50, done: 40 })
  await desk.post('/payments', { poId: done.id })
  const input = { homeId: 'Lot 1', scope: 'framing', newVendorId: 'Lone Star Framing' }
  const answer = await desk.execute('reassignVendor', input)
  const moved = answer.body.result
  expect(moved.replaced).toMatchObject([
    { voidedPoId: framing.id, totalBefore: 300, total: 350 },
    { totalBefore: 120, total: 120 },
  ])
  expect(moved.kept).toMatchObject([{ label: done.number, problem: { code: 'conflict' } }])
  expect(moved.tasks).toMatchObject([{ taskId: task.id, isTold: true }])
  expect(await desk.get(`/tasks/${task.id}`)).toMatchObject({
    vendorId: framer,
    poIds: [moved.replaced[0].poId],
  })
  expect(answer.body.events.map(({ type }: { type: string }) => type)).toContain('vendor.notification.advance')
  expect((await desk.run('reassignVendor', input)).tasks).toEqual([])
})
