import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let site: Site
let creekId: string
let otherLot14: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
  creekId = (await post('/communities', { name: 'Mill Creek Crossing', code: 'MCC' })).body.id
  otherLot14 = (await post('/homes', { name: 'Lot 14', communityId: creekId })).body.id
})
afterAll(() => plumbline.stop())

function post(path: string, body: unknown, key = site.key): Promise<ServiceResponse> {
  return plumbline.post(`/api/ext${path}`, body, { key })
}

function execute(skill: string, input: object, key?: string): Promise<ServiceResponse> {
  return post('/execute', { skill, input }, key)
}

test('an exact name, a code, or a name with its community can replace an ID in any skill', async () => {
  expect((await execute('getHome', { homeId: 'Lot 15' })).body.result.id).toBe(site.lot15)
  expect((await execute('getVendor', { vendorId: 'Hill Country Framers' })).body.result.id).toBe(site.hillCountry)
  expect((await execute('getCommunity', { communityId: 'MCC' })).body.result.id).toBe(creekId)
  for (const homeId of ['Lot 14, Mill Creek Crossing', 'Lot 14, MCC', otherLot14])
    expect((await execute('getHome', { homeId })).body.result.id).toBe(otherLot14)
  const composite = await execute('suggestVendorsForScope', { scope: 'framing', communityId: 'Juniper Ridge' })
  expect(composite.body.result.communityId).toBe(site.communityId)
})

test('names can replace IDs in the lists of a skill input', async () => {
  const { vendorIds: _, ...framing } = site.framing()
  const request = await execute('createBidRequest', {
    ...{ ...framing, communityId: 'Juniper Ridge', title: 'Framing, Lot 15', homeIds: ['Lot 15'] },
    vendorIds: ['Lone Star Framing LLC', 'Hill Country Framers'],
  })
  expect(request.body.result).toMatchObject({
    homeIds: [site.lot15],
    vendorIds: [site.loneStar, site.hillCountry].sort(),
  })
  const { id, number } = request.body.result
  for (const bidRequestId of [number, 'Framing, Lot 15'])
    expect((await execute('getBidRequest', { bidRequestId })).body.result.id).toBe(id)
})

test('a vendor name followed by a bid request number identifies a bid', async () => {
  const { vendorIds: _, ...framing } = site.framing()
  const request = await execute('createBidRequest', {
    ...{ ...framing, communityId: 'Juniper Ridge', title: 'Framing, second round', homeIds: ['Lot 15'] },
    vendorIds: ['Lone Star Framing LLC', 'Hill Country Framers'],
  })
  const { number } = request.body.result
  const bid = await execute('submitBid', {
    bidRequestId: number,
    vendorId: 'Hill Country Framers',
    amount: 100,
    source: 'phone',
  })
  const bidId = bid.body.result.id
  for (const called of [`Hill Country Framers, ${number}`, 'Hill Country Framers, Framing, second round'])
    expect([called, (await execute('getBid', { bidId: called })).body.result?.id]).toEqual([called, bidId])
})

test('the error for an ambiguous name in a skill input lists all matching records and their communities', async () => {
  const refused = await execute('getHome', { homeId: 'Lot 14' })
  expect(refused.status).toBe(422)
  expect(refused.body).toMatchObject({
    code: 'ambiguous_reference',
    errors: [{ pointer: '/input/homeId', message: 'matches more than one home; received "Lot 14"' }],
    candidates: [
      { id: site.lot14, label: 'Lot 14, Juniper Ridge', about: null },
      { id: otherLot14, label: 'Lot 14, Mill Creek Crossing', about: null },
    ],
  })
})

test("the error for an ambiguous vendor name shows each vendor's contact data and accounting ID", async () => {
  const vendors = [
    { companyName: 'Twin Oaks Roofing', email: 'bids@twinoaks.example.com', accountingId: 'QB-77' },
    { companyName: 'Twin Oaks Roofing', phone: '+1 512 555 0177', status: 'prospective' },
  ]
  const [first, second] = await Promise.all(vendors.map(async (vendor) => (await post('/vendors', vendor)).body.id))
  const { body } = await execute('getVendor', { vendorId: 'Twin Oaks Roofing' })
  const label = 'Twin Oaks Roofing'
  expect(body).toMatchObject({
    code: 'ambiguous_reference',
    detail: expect.stringContaining(`${label} (active, bids@twinoaks.example.com, QB-77)`),
    candidates: expect.arrayContaining([
      { id: first, label, about: 'active, bids@twinoaks.example.com, QB-77' },
      { id: second, label, about: 'prospective, +1 512 555 0177' },
    ]),
  })
})

test('the error for an unknown name in a skill input contains the record type, the name, and the most similar names', async () => {
  const refused = await execute('getVendor', { vendorId: 'Hill Cuontry Framer' })
  expect(refused.status).toBe(422)
  expect(refused.body).toMatchObject({
    code: 'unknown_reference',
    errors: [
      {
        pointer: '/input/vendorId',
        message: 'does not match any vendor in your organization; received "Hill Cuontry Framer"',
      },
    ],
  })
  expect(refused.body.nearest[0]).toBe('Hill Country Framers')
  for (const homeId of ['lot 14 juniper ridge', 'Juniper Ridge Lot 14']) {
    const { body } = await execute('getHome', { homeId })
    expect([homeId, body.nearest[0]]).toEqual([homeId, 'Lot 14, Juniper Ridge'])
  }
  expect((await execute('getVendor', { vendorId: 'zzzzzzzz' })).body).not.toHaveProperty('nearest')
  const composite = await execute('detectOverCommittedBudgets', { communityId: 'com_01m7y975jzfesvq6ak0kvx92c2' })
  expect(composite.body).toMatchObject({ code: 'unknown_reference', errors: [{ pointer: '/input/communityId' }] })
  expect((await execute('getHome', { homeId: 'hom_01m7y975jzfesvq6bggkwav0ye' })).status).toBe(404)
})

test('a name in a skill input can refer only to a record that the caller can read and that is not archived', async () => {
  const gone = (await post('/vendors', { companyName: 'Gone Framing' })).body.id
  await plumbline.delete(`/api/ext/vendors/${gone}`, { key: site.key })
  expect((await execute('getVendor', { vendorId: 'Gone Framing' })).body.code).toBe('unknown_reference')
  expect((await execute('getVendor', { vendorId: gone })).body.result.id).toBe(gone)
  const other = await plumbline.newBuilder()
  expect((await execute('getVendor', { vendorId: 'Hill Country Framers' }, other.key)).body.code).toBe(
    'unknown_reference',
  )
  const narrow = await plumbline.newKey(['skills:write', 'homes:read'], site.organizationId)
  const refused = await execute('detectOverCommittedBudgets', { communityId: 'Juniper Ridge' }, narrow)
  expect(refused.body).toMatchObject({ code: 'permission_denied', permission: 'communities:read' })
  expect((await execute('listHomes', { communityId: 'Juniper Ridge' }, narrow)).body.result.data).toEqual([])
})

test('a composite skill rejects an unknown trade instead of creating it', async () => {
  const before = (await plumbline.get('/api/ext/scopes', { key: site.key })).body.data.length
  const requested = await execute('suggestVendorsForScope', { scope: 'framming' })
  expect(requested.body).toMatchObject({
    ...{ status: 422, code: 'unknown_reference', nearest: ['framing'] },
    detail: 'Unknown trade "framming". Did you mean framing?',
    errors: [{ pointer: '/input/scope', code: 'did_you_mean' }],
  })
  const several = { homeId: 'Lot 15', scopes: ['Framing', 'rooffing'], deadline: site.day(9) }
  const second = await execute('requestBidsForHome', several)
  expect(second.body.errors).toMatchObject([{ pointer: '/input/scopes/1', code: 'did_you_mean' }])
  const lines = [{ description: 'Sheathing', quantity: 1, unitPrice: 1 }]
  const variance = { homeId: 'Lot 15', vendorId: site.loneStar, lines, reasonCode: 'weather', responsible: 'builder' }
  expect((await execute('createVariancePo', { ...variance, scope: 'framin' })).status).toBe(422)
  expect((await plumbline.get('/api/ext/scopes', { key: site.key })).body.data).toHaveLength(before)
})
