import { afterAll, beforeAll, expect, test } from 'vitest'
import { Desk } from '../../../../test/support/desk.ts'

/**
 * There are three vendors. The vendor Busy has orders of 30,000 and a policy that ends in ten days. Small has an order
 * of 10,000. Idle has had no work for a year.
 */
let desk: Desk
beforeAll(async () => {
  desk = await Desk.open()
  const vendor = async (companyName: string) =>
    (
      await desk.post('/vendors', {
        companyName,
        scopes: ['framing'],
        email: `${companyName}@example.com`.toLowerCase(),
      })
    ).id
  const idle = await vendor('Idle')
  desk.plumbline.clock.advance(365 * 86_400_000)
  const { id: communityId } = await desk.post('/communities', { name: 'Juniper Ridge', code: 'JR', status: 'active' })
  const { id: homeId } = await desk.post('/homes', { name: 'Lot 1', communityId })
  const [busy, small] = [await vendor('Busy'), await vendor('Small')]
  const policy = (type: string, days: number) => ({
    type,
    status: 'valid',
    effectiveDate: desk.day(-300),
    expirationDate: desk.day(days),
  })
  await desk.post(`/vendors/${busy}/compliance-documents`, policy('general_liability', 10))
  await desk.post(`/vendors/${busy}/compliance-documents`, policy('auto', 200))
  await desk.post(`/vendors/${small}/compliance-documents`, policy('general_liability', 20))
  await desk.post(`/vendors/${small}/compliance-documents`, policy('general_liability', 300))
  await desk.order({ homeId, vendorId: busy, scope: 'framing', amount: 30_000, done: 40 })
  await desk.order({ homeId, vendorId: small, scope: 'framing', amount: 10_000 })
  await desk.post('/tasks', { homeId, name: 'Walls framed', vendorId: busy, plannedStart: desk.day(7) })
  const requested = await desk.post('/bids/request', {
    vendorIds: [small, idle],
    scope: 'framing',
    deadline: desk.day(5),
    communityId,
    homeIds: [homeId],
  })
  await desk.post('/bids', { bidRequestId: requested.id, vendorId: small, amount: 100, source: 'phone' })
}, 60_000)
afterAll(() => desk.plumbline.stop())

test('rankVendors lists vendors without a record last', async () => {
  const { vendors } = await desk.run('rankVendors', { scope: 'Framing', communityId: 'JR' })
  expect(vendors).toMatchObject([
    { rank: 1, vendor: 'Small', score: 100, answeredPercent: 100, orders: 1, openCommitment: 10_000 },
    { rank: 2, vendor: 'Busy', score: null, orders: 1, openCommitment: 30_000 },
    { rank: 3, vendor: 'Idle', score: null, orders: 0 },
  ])
})

test('findExpiringInsurance returns the open work of each vendor with expiring insurance', async () => {
  const expiring = [
    {
      ...{ vendor: 'Busy', openCommitment: 18_000, tasksAhead: 1 },
      documents: [{ type: 'general_liability', expirationDate: desk.day(10), isExpired: false }],
    },
  ]
  expect((await desk.run('findExpiringInsurance', { communityId: 'JR' })).vendors).toMatchObject(expiring)
  expect((await desk.run('findExpiringInsurance', { withinDays: 5 })).vendors).toEqual([])
})

test('concentrationRisk returns the share of the committed cost of each vendor', async () => {
  expect(await desk.run('concentrationRisk', { scope: 'framing' })).toMatchObject({
    ...{ committed: 40_000, vendorCount: 2, herfindahlIndex: 75 ** 2 + 25 ** 2 },
    vendors: [
      { vendor: 'Busy', committed: 30_000, sharePercent: 75, homes: 1 },
      { vendor: 'Small', sharePercent: 25 },
    ],
  })
  await desk.post('/scopes', { name: 'roofing' })
  expect(await desk.run('concentrationRisk', { scope: 'roofing' })).toMatchObject({
    vendors: [],
    herfindahlIndex: null,
  })
})

test('findInactiveVendors lists vendors without a recent order or bid', async () => {
  expect((await desk.run('findInactiveVendors')).vendors).toMatchObject([
    { vendor: 'Idle', lastOrderAt: null, lastBidAt: null },
  ])
  expect((await desk.run('findInactiveVendors', { months: 24 })).vendors).toEqual([])
})
