import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeSchemaErrors } from '../../../scripts/conformance/walked-contract.ts'
import {
  type Builder,
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

/** A builder with a community, a home that has a framing budget, and all other data that a request for bids needs. */
class Site {
  readonly builder: Builder
  communityId = ''
  homeId = ''

  constructor(builder: Builder) {
    this.builder = builder
  }

  static async make(): Promise<Site> {
    const site = new Site(await plumbline.newBuilder())
    site.communityId = (await site.post('/communities', { name: 'Juniper Ridge', status: 'active' })).body.id
    site.homeId = (
      await site.post('/homes', { name: 'Lot 15', communityId: site.communityId, lotNumber: '15' })
    ).body.id
    await site.post(`/homes/${site.homeId}/budget/lines`, { scope: 'framing', amount: 42_000 })
    return site
  }

  post(path: string, body: unknown): Promise<ServiceResponse> {
    return plumbline.post(`/api/ext${path}`, body, { key: this.builder.key })
  }

  get(path: string): Promise<ServiceResponse> {
    return plumbline.get(`/api/ext${path}`, { key: this.builder.key })
  }

  execute(skill: string, input: object, more: object = {}): Promise<ServiceResponse> {
    return this.post('/execute', { skill, input, ...more })
  }

  async vendor(companyName: string, more: object = {}): Promise<string> {
    const { body } = await this.post('/vendors', { companyName, scopes: ['framing'], ...more })
    await this.post(`/vendors/${body.id}/compliance-documents`, { type: 'general_liability', status: 'valid' })
    return body.id
  }

  /** Sends a request to the vendors and records a bid for each vendor that has an amount. */
  async request(
    amounts: Record<string, number | null>,
    more: object = {},
  ): Promise<{ id: string; bids: Record<string, string> }> {
    const { status, body } = await this.post('/bids/request', {
      vendorIds: Object.keys(amounts),
      scope: 'framing',
      deadline: '2099-12-04',
      communityId: this.communityId,
      homeIds: [this.homeId],
      ...more,
    })
    expect([status, body.code]).toEqual([201, undefined])
    const bids: Record<string, string> = {}
    for (const [vendorId, amount] of Object.entries(amounts)) {
      if (amount === null) continue
      const bid = await this.post('/bids', { bidRequestId: body.id, vendorId, amount, source: 'phone' })
      expect([bid.status, bid.body.code]).toEqual([201, undefined])
      bids[vendorId] = bid.body.id
    }
    return { id: body.id, bids }
  }
}

function assertSound(skill: string, answer: ServiceResponse): void {
  expect([answer.status, answer.body.code, answer.body.errors]).toEqual([200, undefined, undefined])
  expect(describeSchemaErrors(answer.body.result, 'x-skills', skill, 'output')).toBe('')
}

test('awardBid emits an event for each record that it changes', async () => {
  const site = await Site.make()
  const [a, b, c] = [await site.vendor('A'), await site.vendor('B'), await site.vendor('C')]
  const { id, bids } = await site.request({ [a]: 39_850, [b]: 41_200, [c]: 43_000 })
  const awarded = await site.execute('awardBid', { bidId: bids[a], createPurchaseOrder: true, reason: 'Lowest.' })
  assertSound('awardBid', awarded)
  const { bid, rejectedBidIds, purchaseOrder } = awarded.body.result
  expect(bid).toMatchObject({ id: bids[a], status: 'accepted', decisionReason: 'Lowest.', poIds: [purchaseOrder.id] })
  expect(rejectedBidIds.sort()).toEqual([bids[b], bids[c]].sort())
  expect(purchaseOrder).toMatchObject({
    homeId: site.homeId,
    vendorId: a,
    status: 'draft',
    total: 39_850,
    bidId: bid.id,
  })
  const types = awarded.body.events.map((event: { type: string }) => event.type)
  expect(types.sort()).toEqual(['bid.accepted', 'bid.rejected', 'bid.rejected', 'bid_request.updated', 'po.created'])
  expect((await site.get(`/bids/requests/${id}`)).body.status).toBe('awarded')
  const again = await site.execute('awardBid', { bidId: bids[b] })
  expect(again.status).toBe(409)
})

test('a dry run of awardBid returns the award and its events without changing anything', async () => {
  const site = await Site.make()
  const [a, b] = [await site.vendor('A'), await site.vendor('B')]
  const { id, bids } = await site.request({ [a]: 39_850, [b]: 41_200 })
  const tried = await site.execute('awardBid', { bidId: bids[a], createPurchaseOrder: true }, { dryRun: true })
  assertSound('awardBid', tried)
  expect(tried.body.result).toMatchObject({
    bid: { status: 'accepted' },
    rejectedBidIds: [bids[b]],
    purchaseOrder: { total: 39_850 },
  })
  expect(tried.body.events).toHaveLength(4)
  expect((await site.get(`/bids/requests/${id}`)).body.status).toBe('sent')
  expect((await site.get(`/bids/${bids[a]}`)).body).toMatchObject({ status: 'submitted', version: 1 })
  expect((await site.get('/purchase-orders')).body.data).toEqual([])
  expect((await site.get('/events?type=bid.accepted')).body.data).toEqual([])
})

test('awardBid requires pos:write to create an order', async () => {
  const site = await Site.make()
  const [a, b] = [await site.vendor('A'), await site.vendor('B')]
  const { bids } = await site.request({ [a]: 39_850, [b]: 41_200 })
  const key = await plumbline.newKey(['skills:write', 'bids:read', 'bids:write'], site.builder.organizationId)
  const input = { bidId: bids[a], rejectOthers: false }
  const ordering = await plumbline.post(
    '/api/ext/execute',
    { skill: 'awardBid', input: { ...input, createPurchaseOrder: true } },
    { key },
  )
  expect(ordering.body).toMatchObject({ code: 'permission_denied', permission: expect.stringMatching(/^pos:/) })
  expect((await site.get(`/bids/${bids[a]}`)).body.status).toBe('submitted')
})

test('awardBid can leave the other bids open', async () => {
  const site = await Site.make()
  const [a, b] = [await site.vendor('A'), await site.vendor('B')]
  const { bids } = await site.request({ [a]: 39_850, [b]: 41_200 })
  const key = await plumbline.newKey(['skills:write', 'bids:read', 'bids:write'], site.builder.organizationId)
  const input = { bidId: bids[a], rejectOthers: false }
  const awarded = await plumbline.post('/api/ext/execute', { skill: 'awardBid', input }, { key })
  assertSound('awardBid', awarded)
  expect(awarded.body.result).toMatchObject({ rejectedBidIds: [], purchaseOrder: null })
  expect((await site.get(`/bids/${bids[b]}`)).body.status).toBe('submitted')
})

test('only one of ten concurrent awards of the same bid request succeeds', async () => {
  const site = await Site.make()
  const vendors: string[] = []
  for (let i = 0; i < 5; i++) vendors.push(await site.vendor(`Vendor ${i}`))
  const { bids } = await site.request(Object.fromEntries(vendors.map((vendor, i) => [vendor, 40_000 + i])))
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      site.execute('awardBid', { bidId: bids[vendors[i % 5] ?? ''], createPurchaseOrder: true }),
    ),
  )
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(9).fill(409)])
  expect((await site.get('/purchase-orders')).body.data).toHaveLength(1)
})

test('suggestVendorsForScope ranks vendors and returns the reason for each excluded vendor', async () => {
  const site = await Site.make()
  const [busy, cheap, dear, unknown] = [
    await site.vendor('Busy Framing'),
    await site.vendor('Cheap Framing'),
    await site.vendor('Dear Framing'),
    await site.vendor('Unknown Framing'),
  ]
  const { body: bare } = await site.post('/vendors', { companyName: 'Bare Framing', scopes: ['framing'] })
  const held = await site.vendor('Held Framing')
  await site.post(`/vendors/${held}/status`, { status: 'on_hold' })
  const full = await site.vendor('Full Framing', { poLimit: 0 })
  await site.vendor('Other Trade', { scopes: ['roofing'] })

  const first = await site.request({ [busy]: 40_000 })
  await site.execute('awardBid', { bidId: first.bids[busy], createPurchaseOrder: true })
  const [order] = (await site.get('/purchase-orders')).body.data
  for (const status of ['approved', 'issued']) await site.post(`/purchase-orders/${order.id}/status`, { status })
  await site.request({ [cheap]: 30_000, [dear]: 60_000 })

  const suggested = await site.execute('suggestVendorsForScope', { scope: 'framing', count: 50 })
  assertSound('suggestVendorsForScope', suggested)
  const { vendors, passedOver, communityId, asOf } = suggested.body.result
  expect(communityId).toBeNull()
  expect(Math.abs(Date.parse(asOf) - Date.now())).toBeLessThan(60_000)
  const named = (id: string) => vendors.find((vendor: { vendorId: string }) => vendor.vendorId === id)
  expect(vendors.map((vendor: { rank: number }) => vendor.rank)).toEqual([1, 2, 3, 4])
  expect(named(busy).parts.load).toEqual({ openCommitment: 40_000, points: 0 })
  expect(named(cheap).parts.load).toEqual({ openCommitment: 0, points: 100 })
  expect(named(cheap).parts.price).toMatchObject({ lastPrice: 30_000, points: 100 })
  expect(named(dear).parts.price).toMatchObject({ lastPrice: 60_000, points: 50 })
  expect(named(unknown).parts).toMatchObject({
    scorecard: { score: null, points: 50 },
    price: { lastPrice: null, bidId: null, points: 50 },
  })
  expect(named(cheap).rank).toBeLessThan(named(dear).rank)
  for (const { score, parts } of vendors) {
    expect(score).toBeCloseTo(parts.scorecard.points / 2 + parts.load.points / 4 + parts.price.points / 4, 1)
  }
  const reasons = Object.fromEntries(
    passedOver.map((each: { vendorId: string; reason: string }) => [each.vendorId, each.reason]),
  )
  expect(reasons).toEqual({ [bare.id]: 'compliance_missing', [held]: 'on_hold', [full]: 'po_limit_reached' })
})

test('suggestVendorsForScope suggests only vendors of the community, up to the given count', async () => {
  const site = await Site.make()
  const { body: elsewhere } = await site.post('/communities', { name: 'Cedar Hollow' })
  const [here, there] = [await site.vendor('Here'), await site.vendor('There', { communityIds: [elsewhere.id] })]
  const { body: second } = await site.post('/homes', { name: 'Lot 16', communityId: site.communityId, lotNumber: '16' })
  await site.request({ [here]: 80_000 }, { homeIds: [site.homeId, second.id] })
  const suggested = await site.execute('suggestVendorsForScope', { scope: 'framing', communityId: site.communityId })
  assertSound('suggestVendorsForScope', suggested)
  expect(suggested.body.result.vendors).toMatchObject([{ vendorId: here, parts: { price: { lastPrice: 40_000 } } }])
  const one = await site.execute('suggestVendorsForScope', { scope: 'framing', count: 1 })
  expect(one.body.result.vendors).toHaveLength(1)
  const all = await site.execute('suggestVendorsForScope', { scope: 'framing' })
  expect(all.body.result.vendors.map((vendor: { vendorId: string }) => vendor.vendorId).sort()).toEqual(
    [here, there].sort(),
  )
  const none = await site.execute('suggestVendorsForScope', { scope: 'underwater basketry' })
  expect(none.body.code).toBe('unknown_reference')
})

test('detectOverCommittedBudgets finds trades without a budget and trades above a percentage of the budget', async () => {
  const site = await Site.make()
  const vendorId = await site.vendor('A')
  const order = async (scope: string, unitPrice: number) =>
    (
      await site.post('/purchase-orders', {
        homeId: site.homeId,
        vendorId,
        scope,
        lines: [{ description: 'Work', quantity: 1, unitPrice }],
      })
    ).body
  const found = async (input: object) => {
    const answer = await site.execute('detectOverCommittedBudgets', input)
    assertSound('detectOverCommittedBudgets', answer)
    return answer.body.result
  }
  const committed = await order('framing', 39_850)
  await site.post(`/purchase-orders/${committed.id}/status`, { status: 'approved' })
  expect(await found({})).toMatchObject({
    thresholdPercent: 100,
    currency: 'USD',
    homesChecked: 1,
    overCommittedCount: 0,
    overCommitted: [],
  })
  expect((await found({ thresholdPercent: 90 })).overCommitted).toMatchObject([
    {
      homeId: site.homeId,
      homeName: 'Lot 15',
      scope: 'framing',
      budgeted: 42_000,
      committed: 39_850,
      pendingCommitted: 0,
      usedPercent: 94.9,
      overBy: -2150,
    },
  ])
  await order('framing', 5000.55)
  await order('roofing', 900)
  expect(await found({ communityId: site.communityId })).toMatchObject({
    overCommittedCount: 2,
    overCommitted: [
      { scope: 'framing', committed: 39_850, pendingCommitted: 5000.55, overBy: 2850.55 },
      { scope: 'roofing', budgeted: 0, pendingCommitted: 900, usedPercent: null, overBy: 900 },
    ],
  })
  // A trade that was archived and created again exists twice, but its budget must be counted once.
  await site.post(`/homes/${site.homeId}/budget/lines`, { scope: 'roofing', amount: 600 })
  const { data: trades } = (await site.get('/scopes?q=roofing')).body
  await plumbline.delete(`/api/ext/scopes/${trades[0].id}`, { key: site.builder.key })
  expect((await site.post('/scopes', { name: 'roofing' })).status).toBe(201)
  expect((await found({})).overCommitted[1]).toMatchObject({ scope: 'roofing', budgeted: 600, overBy: 300 })
  const { body: empty } = await site.post('/communities', { name: 'Cedar Hollow' })
  expect(await found({ communityId: empty.id })).toMatchObject({ homesChecked: 0, overCommitted: [] })
})
