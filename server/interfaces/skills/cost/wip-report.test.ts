import { beforeAll, describe, expect, test } from 'vitest'
import { Desk } from '../../../../test/support/desk.ts'
import { calculateWip } from './wip.ts'

let desk: Desk
let communityId: string
let vendorId: string
let lots = 0
beforeAll(async () => {
  desk = await Desk.open()
  communityId = (await desk.post('/communities', { name: 'Juniper Ridge', status: 'active' })).id
  vendorId = (await desk.post('/vendors', { companyName: 'Lone Star Framing', scopes: ['framing'] })).id
  return () => desk.plumbline.stop()
})

interface Given {
  contract: number
  estimatedCost: number
  costToDate: number
  revenueMethod?: string
  deposits?: { amount: number }[]
}

/** Creates a home with a budget, an order on which the given amount of work is completed, and an approved sale. */
async function sold({ contract, estimatedCost, costToDate, revenueMethod = 'over_time', deposits = [] }: Given) {
  const name = `Lot ${++lots}`
  const home = await desk.post('/homes', { communityId, name })
  await desk.post(`/homes/${home.id}/budget/lines`, { scope: 'framing', amount: estimatedCost })
  await desk.order({ vendorId, scope: 'framing', homeId: home.id, amount: costToDate, done: 100 })
  const buyers = [{ name: 'Elena Marsh' }]
  const sale = await desk.post('/sales', { homeId: home.id, buyers, basePrice: contract, revenueMethod, deposits })
  await desk.post(`/sales/${sale.id}/approve`)
  return { home, sale, name }
}

async function getRow(name: string, kind: 'homes' | 'atClosing' = 'homes', input: object = {}) {
  const report = await desk.run('wipReport', input)
  return report[kind].find(({ home }: { home: string }) => home.startsWith(`${name},`))
}

describe('wipReport', () => {
  test('wipReport includes only certified applications in the billed amount', async () => {
    const deposits = [{ amount: 20_000 }]
    const { home, sale, name } = await sold({
      contract: 420_000,
      estimatedCost: 336_000,
      costToDate: 126_000,
      deposits,
    })
    await desk.post(`/sales/${sale.id}/deposits`, { depositId: 'D1', status: 'received', date: desk.day(0) })
    const loan = await desk.post('/loans', { homeId: home.id, lender: 'First Hill Bank', limitAmount: 300_000 })
    const draw = await desk.post(`/loans/${loan.id}/draws`, { amount: 80_000 })
    await desk.post(`/loan-draws/${draw.id}/status`, { status: 'funded' })
    const lines = [{ description: 'House', scheduledValue: 420_000 }]
    const path = `/api/ext/sales/${sale.id}/schedule-of-values`
    await desk.plumbline.patch(path, { lines, retainagePercent: 10 }, { key: desk.builder.key })
    const application = await desk.post(`/sales/${sale.id}/applications`, {
      ...{ periodTo: desk.day(0), lines: [{ lineId: 'L1', periodAmount: 170_000 }] },
    })
    await desk.post(`/applications/${application.id}/status`, { status: 'submitted' })
    expect(await getRow(name)).toMatchObject({ billed: 0 })
    await desk.post(`/applications/${application.id}/status`, { status: 'certified' })
    expect(await getRow(name)).toMatchObject({
      ...{ contract: 420_000, estimatedCost: 336_000, costToDate: 126_000, percentComplete: 37.5, earned: 157_500 },
      ...{ billed: 170_000, overUnder: 12_500, deposits: 20_000, draws: 80_000 },
    })
    // The day before, the home had not been sold.
    expect(await getRow(name, 'homes', { asOf: desk.day(-1) })).toBeUndefined()
    // The next buyer of the home has not been billed yet.
    await desk.post(`/sales/${sale.id}/cancel`, { reason: 'Fell through.', depositDisposition: 'forfeited' })
    const next = { homeId: home.id, buyers: [{ name: 'Ana Ruiz' }], basePrice: 430_000, revenueMethod: 'over_time' }
    await desk.post(`/sales/${(await desk.post('/sales', next)).id}/approve`)
    expect(await getRow(name)).toMatchObject({ contract: 430_000, billed: 0, deposits: 0, draws: 80_000 })
  })

  test('wipReport includes the full expected loss of a home', async () => {
    const { name } = await sold({ contract: 100_000, estimatedCost: 110_000, costToDate: 55_000 })
    expect(await getRow(name)).toMatchObject({ earned: 50_000, lossToDate: 5000, lossProvision: 5000 })
  })

  test('wipReport computes the earned amount from the unrounded percentage', async () => {
    const { name } = await sold({ contract: 300_000, estimatedCost: 300_000, costToDate: 100_000 })
    expect(await getRow(name)).toMatchObject({ percentComplete: 33.33, earned: 100_000 })
  })

  test('wipReport reports a home with revenue at closing as inventory until it closes', async () => {
    const provided = { contract: 380_000, estimatedCost: 300_000, costToDate: 300_000, revenueMethod: 'at_closing' }
    const { home, name } = await sold(provided)
    expect(await getRow(name)).toBeUndefined()
    expect(await getRow(name, 'atClosing')).toMatchObject({ contract: 380_000, revenue: 0, inventory: 300_000 })
    await desk.post(`/homes/${home.id}/budget/lock`)
    await desk.move(`/homes/${home.id}`, 'permitting', 'ready_to_start', 'under_construction', 'completed')
    await desk.post(`/homes/${home.id}/status`, { status: 'closed', overrideReason: 'Closed at the bank.' })
    expect(await getRow(name, 'atClosing')).toMatchObject({
      ...{ closingDate: desk.day(0), revenue: 380_000, inventory: 0, costToDate: 300_000 },
    })
    expect(await getRow(name, 'atClosing', { asOf: desk.day(-1) })).toMatchObject({ closingDate: null, revenue: 0 })
  })

  test('the default revenue method of a sale is over_time for a custom home and at_closing otherwise', async () => {
    const custom = await desk.post('/homes', { communityId, name: `Lot ${++lots}`, homeType: 'custom' })
    const spec = await desk.post('/homes', { communityId, name: `Lot ${++lots}` })
    const sell = (homeId: string) => desk.post('/sales', { homeId, buyers: [{ name: 'Ana' }], basePrice: 1 })
    expect([await sell(custom.id), await sell(spec.id)]).toMatchObject([
      { revenueMethod: 'over_time' },
      { revenueMethod: 'at_closing' },
    ])
  })
})

describe('the earned amount', () => {
  const none = { uninstalledMaterials: 0, billed: 0, currency: 'USD' }

  test('if the cost to date is negative, the completed percentage is 0', () => {
    const figures = calculateWip({ contract: 300_000, estimatedCost: 10_000, costToDate: -100, ...none })
    expect(figures).toMatchObject({ percentComplete: 0, earned: 0 })
  })

  test('materials that are not installed earn no margin', () => {
    const figures = { contract: 5_000_000, estimatedCost: 4_000_000, costToDate: 2_000_000, billed: 0, currency: 'USD' }
    expect(calculateWip({ ...figures, uninstalledMaterials: 1_500_000 })).toMatchObject({
      ...{ percentComplete: 20, earned: 2_200_000 },
    })
  })

  test('the earned amount is never more than the contract amount', () => {
    expect(calculateWip({ contract: 100, estimatedCost: 50, costToDate: 60, ...none })).toMatchObject({
      ...{ percentComplete: 100, earned: 100 },
    })
    expect(calculateWip({ contract: 100, estimatedCost: 0, costToDate: 0, ...none })).toMatchObject({
      ...{ percentComplete: 0, earned: 0 },
    })
  })
})
