import { afterAll, beforeAll, expect, test } from 'vitest'
import { Desk } from '../../../../test/support/desk.ts'

/**
 * The plan Cedar has a base price of 300,000. Elevation B costs 5,000 more. The plan needs 50 square feet of granite at
 * 40. The option QTZ replaces the granite with quartz at 60 and has a margin of 50 %. GLD adds gold, which no vendor
 * sells. QTZ and GLD exclude each other. SNK requires QTZ.
 */
let desk: Desk
let lot1: string
beforeAll(async () => {
  desk = await Desk.open()
  const { id: communityId } = await desk.post('/communities', { name: 'Juniper Ridge', code: 'JR', status: 'active' })
  const stone = await desk.post('/vendors', { companyName: 'Hill Country Stone', scopes: ['tops'] })
  const part = async (sku: string, unitPrice?: number) => {
    const { id } = await desk.post('/parts', { sku, name: sku, unit: 'SF', scope: 'tops' })
    const price = { vendorId: stone.id, unitPrice, effectiveDate: '2020-01-01' }
    if (unitPrice !== undefined) await desk.post(`/parts/${id}/prices`, price)
    return id
  }
  const [granite, quartz, gold] = [await part('GRANITE', 40), await part('QUARTZ', 60), await part('GOLD')]
  const elevations = [{ code: 'A' }, { code: 'B', price: 5000 }]
  const plan = await desk.post('/plans', { name: 'Cedar', code: 'CEDAR', basePrice: 300_000, elevations })
  await desk.put(`/plans/${plan.id}/takeoff`, { lines: [{ lineId: 'tops', partId: granite, quantity: 50 }] })
  await desk.post(`/plans/${plan.id}/status`, { status: 'released' })
  const option = async (code: string, fields: object, partId?: string) => {
    const { id } = await desk.post('/options', { code, name: code, optionType: 'upgrade', ...fields })
    const lines = partId === undefined ? [] : [{ lineId: 'tops', partId, quantity: 50 }]
    if (lines.length > 0) await desk.put(`/options/${id}/takeoff`, { lines })
    await desk.post(`/options/${id}/status`, { status: 'active' })
    return id
  }
  const qtz = await option('QTZ', { marginPercent: 50 }, quartz)
  await option('GLD', { price: 9000, excludesOptionIds: [qtz] }, gold)
  await option('SNK', { price: 700, costBasis: 'fixed', cost: 300, requiresOptionIds: [qtz] })
  lot1 = (await desk.post('/homes', { name: 'Lot 1', communityId, planId: plan.id, elevation: 'A' })).id
}, 60_000)
afterAll(() => desk.plumbline.stop())

const price = (more: object = {}) => desk.run('priceHome', { planId: 'CEDAR', communityId: 'JR', ...more })

test('priceHome returns the price, the cost, and the margin of a home with the given choices', async () => {
  expect(await price({ elevation: 'B', lotPremium: 10_000 })).toMatchObject({
    ...{ basePrice: 305_000, price: 315_000, cost: 2000, margin: 313_000, marginPercent: 99.37, conflicts: [] },
  })
  // Quartz costs 1,000 more than granite. With a margin of 50 %, the price of the option is twice this amount.
  expect(await price({ optionIds: ['QTZ', 'SNK'] })).toMatchObject({
    options: expect.arrayContaining([
      expect.objectContaining({ option: 'QTZ QTZ', price: 2000, cost: 1000 }),
      expect.objectContaining({ option: 'SNK SNK', price: 700, cost: 300 }),
    ]),
    ...{ price: 302_700, cost: 3300, conflicts: [], unpricedCount: 0 },
  })
})

test('priceHome returns no cost if a part has no price', async () => {
  const alone = await price({ optionIds: ['GLD'] })
  expect(alone).toMatchObject({ price: 309_000, cost: null, margin: null, unpricedCount: 1 })
  expect(alone.unpriced).toMatchObject([{ part: 'GOLD GOLD', issue: 'no_price' }])
  expect((await price({ optionIds: ['SNK'] })).conflicts).toEqual(['SNK requires options that are not selected.'])
  const both = await price({ optionIds: ['QTZ', 'GLD'] })
  expect(both.conflicts).toContain('GLD and QTZ cannot be combined.')
  expect(both.cost).toBeNull()
  const wrong = await desk.execute('priceHome', { planId: 'CEDAR', communityId: 'JR', elevation: 'Z' })
  expect(wrong.body.errors).toMatchObject([{ pointer: '/input/elevation' }])
})

test('applySelection approves a selection immediately and returns the price before and after', async () => {
  const tried = await desk.run('applySelection', { homeId: 'Lot 1', optionId: 'QTZ' }, { dryRun: true })
  expect(tried).toMatchObject({
    priceBefore: 300_000,
    priceAfter: 302_000,
    selection: { status: 'approved', cost: 1000 },
  })
  expect((await desk.get(`/homes/${lot1}`)).price).toBe(300_000)
  const pending = await desk.post(`/homes/${lot1}/selections`, { optionId: tried.selection.optionId })
  const applied = await desk.run('applySelection', { homeId: 'Lot 1', optionId: 'QTZ' })
  expect(applied).toMatchObject({ selection: { id: pending.id, status: 'approved' }, priceAfter: 302_000 })
  const amounts = applied.budgetLines.map(({ budgeted }: { budgeted: number }) => budgeted)
  expect(amounts.sort((a: number, b: number) => a - b)).toEqual([-2000, 3000])
  const again = await desk.execute('applySelection', { homeId: 'Lot 1', optionId: 'QTZ' })
  expect(again.body.code).toBe('conflict')
})
