import { afterAll, beforeAll, expect, test } from 'vitest'
import { Desk } from '../../../../test/support/desk.ts'
import { addDays, countDaysBetween } from '../../../platform/values/calendar.ts'

/**
 * Lot 1 is sold for 300,000, and half of its framing is completed. Lot 2 (1,000 square feet) and Lot 3 (2,000 square
 * feet) are built, and Lot 2 is closed. All expected figures below were calculated by hand from this data.
 */
let desk: Desk
let homes: string[]
let framer: string
let painter: string
let framing: { id: string; number: string }
beforeAll(async () => {
  desk = await Desk.open()
  const community = await desk.post('/communities', { name: 'Juniper Ridge', code: 'JR', status: 'active' })
  const terms = { paymentTerms: { netDays: 7 } }
  framer = (await desk.post('/vendors', { companyName: 'Lone Star Framing', scopes: ['framing'], ...terms })).id
  painter = (await desk.post('/vendors', { companyName: 'Smoothwall', scopes: ['painting'], ...terms })).id
  const plans = []
  for (const [code, squareFeet] of [
    ['S', 1000],
    ['L', 2000],
  ] as const) {
    const plan = await desk.post('/plans', { name: `Plan ${code}`, code, squareFeet, basePrice: 200_000 })
    await desk.post(`/plans/${plan.id}/status`, { status: 'released' })
    plans.push(plan.id)
  }
  homes = []
  for (const [lot, more] of [
    ['1', { basePrice: 300_000 }],
    ['2', { planId: plans[0] }],
    ['3', { planId: plans[1] }],
  ] as const)
    homes.push(
      (await desk.post('/homes', { name: `Lot ${lot}`, lotNumber: lot, communityId: community.id, ...more })).id,
    )
  const [lot1 = '', lot2 = '', lot3 = ''] = homes
  const code = await desk.post('/cost-codes', { code: '09-900', name: 'Paint', category: 'subcontract' })
  await desk.post(`/homes/${lot1}/budget/lines`, { scope: 'framing', amount: 40_000 })
  await desk.post(`/homes/${lot1}/budget/lines`, { scope: 'painting', amount: 10_000, costCodeId: code.id })
  await desk.post(`/homes/${lot2}/budget/lines`, { scope: 'framing', amount: 100_000 })
  await desk.post(`/homes/${lot3}/budget/lines`, { scope: 'framing', amount: 1 })

  const frame = { vendorId: framer, scope: 'framing', retainagePercent: 10 }
  framing = await desk.order({ ...frame, homeId: lot1, amount: 45_000, done: 50 })
  const variance = { poType: 'variance', homeId: lot1, varianceResponsible: 'builder' }
  await desk.order({ ...frame, ...variance, varianceReasonCode: 'design_change', amount: 1000, statuses: [] })
  await desk.order({
    ...variance,
    vendorId: painter,
    scope: 'painting',
    varianceReasonCode: 'price_increase',
    amount: 500,
    statuses: ['approved'],
  })
  await desk.order({ ...frame, homeId: lot2, amount: 110_000, statuses: ['approved'] })
  await desk.order({ ...frame, homeId: lot3, amount: 200_000, done: 1, retainagePercent: 5 })
  for (const lot of [lot2, lot3]) {
    await desk.post(`/homes/${lot}/budget/lock`)
    await desk.move(`/homes/${lot}`, 'permitting', 'ready_to_start', 'under_construction', 'completed')
  }
  await desk.post(`/homes/${lot2}/status`, { status: 'closed', overrideReason: 'Sold before.' })

  await desk.post('/tasks', { homeId: lot1, name: 'Walls framed', scope: 'framing', plannedStart: desk.day(14) })
  const sale = await desk.post('/sales', {
    ...{ buyers: [{ name: 'Elena Marsh' }], homeId: lot1, targetCloseDate: desk.day(25), revenueMethod: 'over_time' },
    deposits: [
      { amount: 10_000, dueDate: desk.day(0) },
      { amount: 5000, dueDate: desk.day(3) },
    ],
  })
  await desk.post(`/sales/${sale.id}/deposits`, { depositId: 'D1', status: 'received', date: desk.day(0) })
  await desk.post(`/sales/${sale.id}/approve`)
  const dried = await desk.post('/milestones', { homeId: lot1, name: 'Dried in', drawPercent: 20 })
  await desk.post(`/milestones/${dried.id}/complete`)
  await desk.post('/milestones', { homeId: lot1, name: 'Drywall', drawAmount: 30_000, targetDate: desk.day(20) })
  await desk.post('/payments', {
    poId: framing.id,
    invoiceNumber: 'LS-1',
    invoiceDate: desk.day(0),
    dueDate: desk.day(10),
  })
}, 60_000)
afterAll(() => desk.plumbline.stop())

test('forecastCostAtCompletion uses the larger of the budget and the orders for each trade', async () => {
  expect(await desk.run('forecastCostAtCompletion', { homeId: 'Lot 1' })).toMatchObject({
    home: 'Lot 1, Juniper Ridge',
    scopes: [
      {
        scope: 'framing',
        budgeted: 40_000,
        committed: 45_000,
        pendingCommitted: 1000,
        costToDate: 22_500,
        estimateAtCompletion: 46_000,
        overBudgetBy: 6000,
      },
      {
        scope: 'painting',
        budgeted: 10_000,
        committed: 500,
        pendingCommitted: 0,
        costToDate: 0,
        estimateAtCompletion: 10_000,
        overBudgetBy: 0,
      },
    ],
    ...{ budgeted: 50_000, costToDate: 22_500, estimateAtCompletion: 56_000, costToComplete: 33_500 },
    ...{ price: 300_000, expectedMargin: 244_000, expectedMarginPercent: 81.33, truncated: false },
  })
})

test('budgetVsActual totals amounts by trade or by cost code', async () => {
  const byScope = await desk.run('budgetVsActual', { homeId: 'Lot 1' })
  expect(byScope.rows).toMatchObject([
    {
      name: 'framing',
      original: 40_000,
      changes: 0,
      budgeted: 40_000,
      committed: 45_000,
      actual: 22_500,
      variance: -5000,
      remaining: 17_500,
    },
    { name: 'painting', budgeted: 10_000, committed: 500, actual: 0, variance: 9500, remaining: 10_000 },
  ])
  expect(byScope.total).toMatchObject({ budgeted: 50_000, committed: 45_500, actual: 22_500, paid: 0 })
  const byCode = await desk.run('budgetVsActual', { homeId: 'Lot 1', groupBy: 'costCode' })
  expect(byCode.rows).toMatchObject([
    { name: '09-900 Paint', budgeted: 10_000, committed: 0 },
    { name: 'Without a cost code', budgeted: 40_000, committed: 45_500 },
  ])
  expect(byCode.total).toEqual(byScope.total)
})

test('marginReport includes only closed homes', async () => {
  expect(await desk.run('marginReport', { communityId: 'JR' })).toMatchObject({
    homes: [
      {
        home: 'Lot 2, Juniper Ridge',
        price: 200_000,
        cost: 110_000,
        margin: 90_000,
        marginPercent: 45,
        fade: 10_000,
        fadePercent: 5,
      },
    ],
    ...{ price: 200_000, cost: 110_000, margin: 90_000, marginPercent: 45 },
  })
  expect((await desk.run('marginReport', { from: '2020-01-01', to: '2020-12-31' })).homes).toEqual([])
  const backwards = await desk.execute('marginReport', { from: '2026-02-01', to: '2026-01-01' })
  expect(backwards.body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/input/to' }] })
})

test('wipReport recognizes revenue by the ratio of the cost to date to the estimated cost', async () => {
  const report = await desk.run('wipReport')
  expect(report.homes).toMatchObject([
    {
      ...{ home: 'Lot 1, Juniper Ridge', contract: 300_000, estimatedCost: 56_000, estimatedProfit: 244_000 },
      ...{ costToDate: 22_500, percentComplete: 40.18, earned: 120_535.71 },
      ...{ deposits: 10_000, draws: 0, billed: 0, overUnder: -120_535.71, lossToDate: 0, lossProvision: 0 },
    },
  ])
  expect(report.total).toMatchObject({ contract: 300_000, earned: 120_535.71, overbilled: 0, underbilled: 120_535.71 })
  expect(report.atClosing).toMatchObject([
    { home: 'Lot 2, Juniper Ridge', contract: null, costToDate: 0, closingDate: desk.day(0), inventory: 0 },
    { home: 'Lot 3, Juniper Ridge', contract: null, costToDate: 2000, closingDate: null, inventory: 2000 },
  ])
  // The day before, the home had not been sold and no work had been completed.
  const before = await desk.run('wipReport', { asOf: desk.day(-1) })
  expect(before.homes).toEqual([])
  expect(before.atClosing).toMatchObject([{ home: 'Lot 1, Juniper Ridge', contract: null, costToDate: 0 }, {}, {}])
})

test('cashFlowForecast assigns every payment to its week', async () => {
  const { weeks, later, undated } = await desk.run('cashFlowForecast', { weeks: 6, openingBalance: 1000 })
  const lot1 = await desk.get(`/homes/${homes[0]}`)
  const task = (await desk.get('/tasks')).data[0]
  const weekOf = (date: string) => Math.floor(countDaysBetween(desk.day(0), date) / 7)
  const at = (kind: string) =>
    weeks.flatMap((week: Record<string, number>, i: number) => (week[kind] === 0 ? [] : [[i, week[kind]]]))
  expect(at('payments')).toEqual([[1, 20_250]])
  // On Lot 3, one percent of 200,000 is completed. This is 2,000, of which 5 % is retained and the rest is payable in 7
  // days.
  expect(at('payable')).toEqual([[1, 1900]])
  expect(at('work')).toEqual([[weekOf(addDays(task.plannedEnd, 7)), 20_250]])
  expect(at('retainage')).toEqual([[weekOf(addDays(lot1.forecastCompletionDate, 7)), 4500]])
  // No draw has been requested for the completed milestone.
  expect([at('deposits'), at('draws'), at('closings')]).toEqual([[[0, 5000]], [[2, 30_000]], [[3, 255_000]]])
  const net = weeks.reduce((sum: number, week: { in: number; out: number }) => sum + week.in - week.out, 1000)
  expect(weeks.at(-1).balance).toBeCloseTo(net, 2)
  expect(later).toBe(0)
  // The rest of Lot 2, the rest of Lot 3, the retainage of Lot 3, and the painting have no task and therefore no date.
  // They are the amounts 110,000, 198,000, 100, and 500.
  expect(undated).toBe(-(110_000 + 198_000 + 100 + 500))
})

test('varianceReport excludes pending approvals from the total of each reason', async () => {
  expect(await desk.run('varianceReport')).toMatchObject({
    groups: [
      { key: 'price_increase', count: 1, amount: 500, percentOfBudget: 1, pendingCount: 0 },
      { key: 'design_change', count: 0, amount: 0, pendingCount: 1, pendingAmount: 1000 },
    ],
    ...{ count: 1, amount: 500, budgeted: 50_000, percentOfBudget: 1 },
  })
  const byVendor = await desk.run('varianceReport', { groupBy: 'vendor' })
  expect(byVendor.groups.map(({ name }: { name: string }) => name)).toEqual(['Smoothwall', 'Lone Star Framing'])
  for (const groupBy of ['superintendent', 'community', 'responsible'])
    expect((await desk.run('varianceReport', { groupBy })).amount).toBe(500)
})

test('costPerSquareFoot weights homes by their area', async () => {
  expect(await desk.run('costPerSquareFoot')).toMatchObject({
    homes: 2,
    scopes: [{ scope: 'framing', homes: 2, mean: 103.33, lowest: 100, highest: 110 }],
    mean: 103.33,
  })
  expect((await desk.run('costPerSquareFoot', { planId: 'S' })).mean).toBe(110)
})

test('drawRequest returns available, requested, and future draws', async () => {
  expect(await desk.run('drawRequest', { homeId: 'Lot 1' })).toMatchObject({
    milestones: [
      { name: 'Dried in', isReached: true, amount: 60_000, drawId: null },
      { name: 'Drywall', isReached: false, date: desk.day(20), amount: 30_000 },
    ],
    ...{ drawable: 60_000, toCome: 30_000, drawn: 0, costDonePercent: 40.18 },
  })
  const loan = await desk.post('/loans', { homeId: homes[0], lender: 'First Hill Bank', limitAmount: 200_000 })
  const [dried] = (await desk.get(`/milestones?homeId=${homes[0]}&status=completed`)).data
  const draw = await desk.post(`/loans/${loan.id}/draws`, { milestoneId: dried.id })
  expect(await desk.run('drawRequest', { homeId: 'Lot 1' })).toMatchObject({
    milestones: [{ name: 'Dried in', amount: 60_000, drawId: draw.id, drawStatus: 'requested' }, {}],
    ...{ drawable: 0, toCome: 30_000, drawn: 60_000 },
  })
})

test('simulatePriceIncrease counts only parts that are not ordered yet', async () => {
  const byScope = await desk.run('simulatePriceIncrease', { scope: 'Painting', percent: 8 })
  expect(byScope).toMatchObject({
    homes: [{ home: 'Lot 1, Juniper Ridge', budgeted: 10_000, ordered: 500, unbought: 9500, increase: 760 }],
    increase: 760,
  })
  const byCode = await desk.run('simulatePriceIncrease', { costCodeId: '09-900', percent: 10, communityId: 'JR' })
  expect(byCode).toMatchObject({ homes: [{ budgeted: 10_000, ordered: 0, increase: 1000 }] })
  expect((await desk.run('simulatePriceIncrease', { scope: 'framing', percent: 8 })).homes).toEqual([])
  expect((await desk.execute('simulatePriceIncrease', { percent: 8 })).body.code).toBe('validation_failed')
})

test('retainageSummary returns the releasable retainage of each vendor and home', async () => {
  expect(await desk.run('retainageSummary')).toMatchObject({
    vendors: [
      {
        ...{ vendor: 'Lone Star Framing', withheld: 2350, releasable: 100 },
        homes: [
          { home: 'Lot 1, Juniper Ridge', withheld: 2250, isReleasable: false },
          { home: 'Lot 3, Juniper Ridge', withheld: 100, isReleasable: true },
        ],
      },
    ],
    ...{ withheld: 2350, releasable: 100 },
  })
})

test("vendorStatement returns a vendor's orders, payments, and balance", async () => {
  const [payment] = (await desk.get('/payments')).data
  await desk.move(`/payments/${payment.id}`, 'approved', 'paid')
  const statement = await desk.run('vendorStatement', { vendorId: 'Lone Star Framing' })
  expect(statement).toMatchObject({
    ...{ ordered: 355_000, completed: 24_500, paidInPeriod: 20_250, retained: 2350, payable: 1900 },
    payments: [{ number: payment.number, invoiceNumber: 'LS-1', amount: 20_250 }],
  })
  expect(statement.orders).toHaveLength(3)
})

test('committedCostAging groups orders by their days since issue', async () => {
  desk.plumbline.clock.advance(40 * 86_400_000)
  const { buckets, oldest } = await desk.run('committedCostAging')
  expect(buckets.map(({ count }: { count: number }) => count)).toEqual([0, 2, 0, 0, 0])
  expect(buckets[1]).toMatchObject({ days: '31-60', total: 245_000, unpaid: 224_750 })
  expect(oldest[0]).toMatchObject({ number: framing.number, vendor: 'Lone Star Framing', ageDays: 40 })
})
