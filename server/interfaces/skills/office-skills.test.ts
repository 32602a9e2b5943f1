import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../test/support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

const post = (path: string, body: unknown) => plumbline.post(`/api/ext${path}`, body, { key: site.key })
const get = (path: string) => plumbline.get(`/api/ext${path}`, { key: site.key })
const run = (skill: string, input: object, dryRun = false) => post('/execute', { skill, input, dryRun })

test('a dry run of raisePrices changes nothing', async () => {
  const { id: partId } = (await post('/parts', { sku: 'LUM-2X4', name: 'Stud', unit: 'EA', scope: 'framing' })).body
  const price = {
    vendorId: site.loneStar,
    unitPrice: 3.3333,
    effectiveDate: '2026-01-01',
    expirationDate: '2099-12-31',
  }
  const before = (await post(`/parts/${partId}/prices`, price)).body
  expect(before.unitPrice).toBe(3.3333)
  const input = { vendorId: 'Lone Star Framing LLC', percent: 6, effectiveDate: '2099-03-01' }
  const tried = await run('raisePrices', input, true)
  expect([tried.status, tried.body.code]).toEqual([200, undefined])
  expect(tried.body.result).toMatchObject({ changedCount: 1, prices: [{ part: 'LUM-2X4 Stud', newUnitPrice: 3.5333 }] })
  expect((await get(`/parts/${partId}/prices`)).body.data).toHaveLength(1)
})

test('the result of raisePrices shows the minimum quantity of each price', async () => {
  const { id: partId } = (await post('/parts', { sku: 'LUM-2X8', name: 'Joist', unit: 'EA', scope: 'framing' })).body
  const price = { vendorId: site.hillCountry, unitPrice: 5, effectiveDate: '2026-01-01' }
  for (const minQuantity of [1, 100]) await post(`/parts/${partId}/prices`, { ...price, minQuantity })
  const { body } = await run(
    'raisePrices',
    { vendorId: site.hillCountry, percent: 10, effectiveDate: '2099-03-01' },
    true,
  )
  const expected = [1, 100].map((minQuantity) => ({
    part: 'LUM-2X8 Joist',
    planId: null,
    minQuantity,
    newUnitPrice: 5.5,
  }))
  expect(body.result.prices).toHaveLength(2)
  expect(body.result.prices).toEqual(expect.arrayContaining(expected.map((each) => expect.objectContaining(each))))
})

test('raisePrices ends the current prices of a vendor and adds higher prices', async () => {
  const { id: partId } = (await post('/parts', { sku: 'LUM-2X6', name: 'Joist', unit: 'EA', scope: 'framing' })).body
  const price = {
    vendorId: site.loneStar,
    unitPrice: 3.3333,
    effectiveDate: '2026-01-01',
    expirationDate: '2099-12-31',
  }
  const before = (await post(`/parts/${partId}/prices`, price)).body
  expect(before.unitPrice).toBe(3.3333)
  const input = { vendorId: 'Lone Star Framing LLC', percent: 6, effectiveDate: '2099-03-01' }
  expect((await run('raisePrices', input)).status).toBe(200)
  const { data } = (await get(`/parts/${partId}/prices?sort=effectiveDate`)).body
  expect(data).toMatchObject([
    { id: before.id, unitPrice: 3.3333, expirationDate: '2099-02-28' },
    { unitPrice: 3.5333, effectiveDate: '2099-03-01', expirationDate: '2099-12-31' },
  ])
})

test('raisePrices requires a vendor', async () => {
  const nobody = await run('raisePrices', { percent: 6, effectiveDate: '2099-03-01' })
  expect([nobody.status, nobody.body.errors[0].pointer]).toEqual([422, '/input/vendorId'])
})

test('findHomesOverBudget returns by how much the cost of each home exceeds the budget', async () => {
  await post(`/homes/${site.lot15}/budget/lines`, { scope: 'framing', amount: 40_000 })
  await post(`/homes/${site.lot14}/budget/lines`, { scope: 'framing', amount: 40_000 })
  const lines = [{ description: 'Framing', quantity: 1, unit: 'LS', unitPrice: 42_500 }]
  const order = await post('/purchase-orders', { homeId: site.lot15, vendorId: site.loneStar, scope: 'framing', lines })
  expect([order.status, order.body.code]).toEqual([201, undefined])
  await post(`/purchase-orders/${order.body.id}/status`, { status: 'issued' })
  const { body } = await run('findHomesOverBudget', {})
  expect(body.result).toMatchObject({
    ...{ homesChecked: 2, overCount: 1, overBy: 2500 },
    homes: [{ homeId: site.lot15, home: 'Lot 15, Juniper Ridge', budgeted: 40_000, overBy: 2500, overPercent: 6.25 }],
  })
  const none = await run('findHomesOverBudget', { communityId: 'Juniper Ridge', minOverBy: 2500 })
  expect(none.body.result).toMatchObject({ overCount: 0, homes: [] })
})

test("sendInsuranceReminders sends a message to each vendor with expiring insurance in the vendor's language", async () => {
  const policy = { type: 'general_liability', status: 'valid', expirationDate: site.day(10) }
  await post(`/vendors/${site.hillCountry}/compliance-documents`, policy)
  await post(`/vendors/${site.redrock}/compliance-documents`, { ...policy, expirationDate: site.day(90) })
  await plumbline.patch(`/api/ext/vendors/${site.hillCountry}`, { language: 'es' }, { key: site.key })
  const tried = await run('sendInsuranceReminders', { withinDays: 30 }, true)
  expect(tried.body.result).toMatchObject({ remindedCount: 1, reminded: [{ vendor: 'Hill Country Framers' }] })
  expect((await get('/messages')).body.data).toEqual([])
  const sent = await run('sendInsuranceReminders', { withinDays: 30 })
  expect([sent.status, sent.body.code]).toEqual([200, undefined])
  const { data } = (await get('/messages')).body
  expect(data).toMatchObject([{ subject: expect.stringMatching(/certificado/) }])
  const other = await run('sendInsuranceReminders', { withinDays: 30, vendorIds: ['Redrock Carpentry'] })
  expect(other.body.result).toMatchObject({ remindedCount: 0 })
})
