import { afterAll, beforeAll, expect, test } from 'vitest'
import { Desk } from '../../../../test/support/desk.ts'

/**
 * Lot 1 (1,000 square feet) needs framing, roofing, and painting. Three framers have submitted bids: A 10,000 + 5,000,
 * B 9,500 without trusses, C 12,000 + 7,000. The expected figures below were calculated by hand from these amounts.
 */
let desk: Desk
let homeId: string
let request: { id: string; number: string }
const vendors: Record<string, string> = {}
const bids: Record<string, string> = {}
beforeAll(async () => {
  desk = await Desk.open()
  const { id: communityId } = await desk.post('/communities', { name: 'Juniper Ridge', status: 'active' })
  const plan = await desk.post('/plans', { name: 'Small', code: 'S', squareFeet: 1000 })
  await desk.post(`/plans/${plan.id}/status`, { status: 'released' })
  homeId = (await desk.post('/homes', { name: 'Lot 1', communityId, planId: plan.id })).id
  for (const [scope, amount] of [
    ['framing', 40_000],
    ['roofing', 10_000],
    ['painting', 5000],
  ] as const)
    await desk.post(`/homes/${homeId}/budget/lines`, { scope, amount })
  await desk.post('/tasks', { homeId, name: 'Walls framed', scope: 'framing', plannedStart: desk.day(14) })
  for (const [name, scope] of [
    ['A', 'framing'],
    ['B', 'framing'],
    ['C', 'framing'],
    ['R', 'roofing'],
  ] as const) {
    const email = `${name}@example.com`.toLowerCase()
    const vendor = await desk.post('/vendors', { companyName: `Vendor ${name}`, scopes: [scope], email })
    await desk.post(`/vendors/${vendor.id}/compliance-documents`, { type: 'general_liability', status: 'valid' })
    vendors[name] = vendor.id
  }
  request = await desk.post('/bids/request', {
    ...{
      vendorIds: [vendors.A, vendors.B, vendors.C],
      scope: 'framing',
      deadline: desk.day(20),
      communityId,
      homeIds: [homeId],
    },
    ...{ bidType: 'both', awardMode: 'split' },
    lines: [
      { lineId: 'walls', description: 'Walls' },
      { lineId: 'trusses', description: 'Trusses' },
    ],
  })
  const trusses = (unitPrice: number | null) => ({
    lineId: 'trusses',
    ...(unitPrice === null ? { excluded: true } : { unitPrice }),
  })
  for (const [name, walls, others, more] of [
    ['A', 10_000, 5000, { leadTimeDays: 10, durationDays: 10 }],
    ['B', 9500, null, {}],
    ['C', 12_000, 7000, { leadTimeDays: 5, durationDays: 5 }],
  ] as const) {
    const lines = [{ lineId: 'walls', unitPrice: walls }, trusses(others)]
    const bid = {
      bidRequestId: request.id,
      vendorId: vendors[name],
      amount: walls + (others ?? 0),
      lines,
      source: 'phone',
      ...more,
    }
    bids[name] = (await desk.post('/bids', bid)).id
  }
}, 60_000)
afterAll(() => desk.plumbline.stop())

test('levelBids adds the median or the given amount for a missing line of a bid', async () => {
  const { bids: byMedian } = await desk.run('levelBids', { bidRequestId: request.number })
  expect(byMedian).toMatchObject([
    { vendor: 'Vendor A', amount: 15_000, rank: 1, leveledAmount: 15_000, leveledRank: 1, plugs: [] },
    {
      ...{ vendor: 'Vendor B', amount: 9500, rank: null, leveledAmount: 15_500, leveledRank: 2, isComplete: true },
      plugs: [{ lineId: 'trusses', description: 'Trusses', amount: 6000, basis: 'median' }],
    },
    { vendor: 'Vendor C', amount: 19_000, leveledAmount: 19_000, leveledRank: 3 },
  ])
  const plugAmounts = [{ lineId: 'trusses', amount: 4000 }]
  const { bids: byPlug } = await desk.run('levelBids', { bidRequestId: request.id, plugAmounts })
  expect(byPlug[0]).toMatchObject({ vendor: 'Vendor B', leveledAmount: 13_500, plugs: [{ basis: 'given' }] })
})

test('recommendAward uses the requested weights for price, quality, schedule, and compliance', async () => {
  const defaults = await desk.run('recommendAward', { bidRequestId: request.number })
  expect(defaults.recommendedBidId).toBe(bids.A)
  expect(defaults.bids).toMatchObject([
    { vendor: 'Vendor A', score: 92.5, parts: { price: 100, quality: 100, schedule: 50, compliance: 100 }, days: 20 },
    { vendor: 'Vendor B', parts: { price: 96.77, schedule: 50 }, days: null, flags: ['lines_excluded'] },
    { vendor: 'Vendor C', parts: { price: 78.95, schedule: 100 }, days: 10 },
  ])
  expect(defaults.bids[2].score).toBeCloseTo(39.475 + 25 + 15 + 10, 1)
  const weights = { price: 0, quality: 0, schedule: 1, compliance: 0 }
  const fast = await desk.run('recommendAward', { bidRequestId: request.number, weights })
  expect(fast).toMatchObject({
    recommendedBidId: bids.C,
    bids: [{ vendor: 'Vendor C', score: 100 }, { score: 50 }, { score: 50 }],
  })
})

test('bidHistory returns the price per square foot of each bid and the price change of each vendor', async () => {
  const history = await desk.run('bidHistory', { scope: 'Framing' })
  expect(history.vendors).toMatchObject([
    { vendor: 'Vendor B', bids: 1, first: 9500, last: 9500, changePercent: null },
    { vendor: 'Vendor A', last: 15_000 },
    { vendor: 'Vendor C', last: 19_000 },
  ])
  expect(history.bids.map((bid: { pricePerSquareFoot: number }) => bid.pricePerSquareFoot)).toEqual([19, 9.5, 15])
  expect((await desk.run('bidHistory', { scope: 'framing', from: '2020-01-01', to: '2020-12-31' })).bids).toEqual([])
})

test('findBidCoverageGaps counts the bids of each trade without an order', async () => {
  const { gaps } = await desk.run('findBidCoverageGaps', { communityId: 'Juniper Ridge' })
  expect(gaps).toMatchObject([{ scope: 'roofing', budgeted: 10_000, bids: 0, requests: 0 }, { scope: 'painting' }])
  const strict = await desk.run('findBidCoverageGaps', { homeId: 'Lot 1', minimumBids: 4 })
  expect(strict.gaps[0]).toMatchObject({ home: 'Lot 1, Juniper Ridge', scope: 'framing', bids: 3, requests: 1 })
})

test('findUnboughtScopes returns the date on which each trade without an order is needed', async () => {
  const unbought = await desk.run('findUnboughtScopes', { homeId: 'Lot 1' })
  const [task] = (await desk.get('/tasks')).data
  expect(unbought).toMatchObject({
    unbought: 55_000,
    scopes: [
      { scope: 'framing', neededOn: task.plannedStart, isOutForBids: true, bids: 3 },
      { scope: 'roofing', daysLeft: null },
      { scope: 'painting' },
    ],
  })
})

test('a dry run of requestBidsForHome sends nothing', async () => {
  const input = { homeId: 'Lot 1', deadline: desk.day(5) }
  const expected = {
    requests: [{ scope: 'roofing', vendors: [{ vendor: 'Vendor R' }] }],
    skipped: [
      { scope: 'framing', reason: 'out_for_bids' },
      { scope: 'painting', reason: 'no_vendor' },
    ],
  }
  expect(await desk.run('requestBidsForHome', input, { dryRun: true })).toMatchObject(expected)
  expect((await desk.get('/bids/requests')).data).toHaveLength(1)
})

test('requestBidsForHome requests bids only for trades without an open bid request', async () => {
  const input = { homeId: 'Lot 1', deadline: desk.day(5) }
  const expected = {
    requests: [{ scope: 'roofing', vendors: [{ vendor: 'Vendor R' }] }],
    skipped: [
      { scope: 'framing', reason: 'out_for_bids' },
      { scope: 'painting', reason: 'no_vendor' },
    ],
  }
  expect(await desk.run('requestBidsForHome', input)).toMatchObject(expected)
  expect((await desk.get('/bids/requests')).data).toHaveLength(2)
})

test('requestBidsForHome skips trades that are not in the budget', async () => {
  const input = { homeId: 'Lot 1', deadline: desk.day(5) }
  await desk.post('/scopes', { name: 'plumbing' })
  const named = await desk.run('requestBidsForHome', { ...input, scopes: ['Roofing', 'plumbing'] })
  expect(named).toMatchObject({
    requests: [],
    skipped: [
      { scope: 'plumbing', reason: 'not_budgeted' },
      { scope: 'roofing', reason: 'out_for_bids' },
    ],
  })
})

test('extendBidDeadline and sendBidReminders notify only vendors that have not responded', async () => {
  const input = { bidRequestId: 'roofing, Lot 1, Juniper Ridge', deadline: desk.day(9) }
  const tried = await desk.execute('extendBidDeadline', input, { dryRun: true })
  expect(tried.body.events.map(({ type }: { type: string }) => type)).toContain('vendor.notification.reminder')
  const extended = await desk.run('extendBidDeadline', input)
  expect(extended).toMatchObject({
    previousDeadline: desk.day(5),
    deadline: desk.day(9),
    wasClosed: false,
    told: [{ vendor: 'Vendor R' }],
  })
  const earlier = await desk.execute('extendBidDeadline', { ...input, deadline: desk.day(6) })
  expect(earlier.body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/input/deadline' }] })
  expect((await desk.run('sendBidReminders')).requests).toEqual([])
  const reminded = await desk.run('sendBidReminders', { withinDays: 30 }, { dryRun: true })
  expect(reminded).toMatchObject({
    remindedCount: 1,
    requests: [{ deadline: desk.day(9), reminded: [{ vendor: 'Vendor R' }] }],
  })
})

test('splitAward awards all given lines or none', async () => {
  const awards = [
    { bidId: bids.B, lineIds: ['walls'] },
    { bidId: bids.A, lineIds: ['trusses'] },
  ]
  const input = { bidRequestId: request.number, awards, createPurchaseOrders: true }
  const expected = {
    amount: 14_500,
    openLineIds: [],
    awards: [
      { vendor: 'Vendor B', amount: 9500 },
      { vendor: 'Vendor A', amount: 5000 },
    ],
  }
  expect(await desk.run('splitAward', input, { dryRun: true })).toMatchObject(expected)
  expect((await desk.get('/purchase-orders')).data).toEqual([])
  const twice = { ...input, awards: [...awards, { bidId: bids.C, lineIds: ['walls'] }] }
  expect((await desk.execute('splitAward', twice)).status).toBe(409)
  expect((await desk.get(`/bids/${bids.B}`)).status).toBe('submitted')
  const created = await desk.run('splitAward', input)
  expect(created).toMatchObject(expected)
  const order = await desk.get(`/purchase-orders/${created.awards[0].poId}`)
  expect(order).toMatchObject({ vendorId: vendors.B, total: 9500 })
})

test('recommendAward and levelBids level a bid for a tenth of the quantity', async () => {
  const { communityId } = await desk.get(`/homes/${homeId}`)
  const shingles = await desk.post('/bids/request', {
    ...{ vendorIds: [vendors.A, vendors.B, vendors.C], scope: 'framing', deadline: desk.day(30), communityId },
    ...{ homeIds: [homeId], bidType: 'unit_price' },
    lines: [{ lineId: 'shingles', description: 'Shingles', quantity: 3000, unit: 'SF' }],
  })
  const submit = (name: string, line: object, more: object = {}) =>
    desk.post('/bids', {
      ...{ bidRequestId: shingles.id, vendorId: vendors[name], lines: [{ lineId: 'shingles', ...line }], ...more },
    })
  const fair = await submit('A', { unitPrice: 4.5 })
  const short = await submit('B', { quantity: 300, unitPrice: 4.6 })
  const cheap = await submit('C', { unitPrice: 4 }, { exclusions: 'Tear-off and disposal.' })
  const weights = { price: 1, quality: 0, schedule: 0, compliance: 0 }
  expect(await desk.run('recommendAward', { bidRequestId: shingles.id, weights })).toMatchObject({
    recommendedBidId: fair.id,
    bids: [
      { bidId: fair.id, isLeveled: true, prices: [{ quantity: 3000, unit: 'SF' }] },
      {
        ...{ bidId: short.id, amount: 1380, leveledAmount: 13_800, flags: ['quantity_differs'] },
        prices: [{ quantity: 300, unit: 'SF', amount: 1380, leveledAmount: 13_800 }],
      },
      { bidId: cheap.id, isLeveled: false, exclusions: 'Tear-off and disposal.', flags: ['exclusions'] },
    ],
  })
  const plugAmounts = [{ bidId: cheap.id, lineId: null, amount: 1000 }]
  expect(await desk.run('recommendAward', { bidRequestId: shingles.id, weights, plugAmounts })).toMatchObject({
    recommendedBidId: cheap.id,
    bids: [{ bidId: cheap.id, leveledAmount: 13_000, isLeveled: true }, {}, {}],
  })
  const { bids: leveled } = await desk.run('levelBids', { bidRequestId: shingles.id })
  expect(leveled.map((bid: { bidId: string }) => bid.bidId)).toEqual([fair.id, short.id, cheap.id])
  expect(leveled[2]).toMatchObject({
    ...{ isComplete: false, plugs: [{ lineId: null, description: 'Tear-off and disposal.', basis: 'none' }] },
  })
})
