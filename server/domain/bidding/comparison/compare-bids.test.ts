import { afterAll, beforeAll, expect, test } from 'vitest'
import { listEvents } from '../../../../test/support/recorded-events.ts'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

const LINES = [
  { lineId: 'walls', description: 'Wall framing', quantity: 2450, unit: 'SF' },
  { lineId: 'trusses', description: 'Roof trusses' },
  { lineId: 'porch', description: 'Porch', required: false },
]

/** Submits a bid with a unit price for each line. Omitted lines have no price. */
async function bid(
  site: Site,
  bidRequestId: string,
  vendorId: string,
  prices: Record<string, number | 'excluded'>,
  more: object = {},
): Promise<ServiceResponse['body']> {
  const lines = Object.entries(prices).map(([lineId, price]) =>
    price === 'excluded' ? { lineId, excluded: true } : { lineId, unitPrice: price },
  )
  const answer = await plumbline.post('/api/ext/bids', { bidRequestId, vendorId, lines, ...more }, { key: site.key })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

async function ask(site: Site, more: object = {}): Promise<ServiceResponse['body']> {
  const vendorIds = [site.loneStar, site.hillCountry, site.redrock]
  const answer = await plumbline.post(
    '/api/ext/bids/request',
    { ...site.framing(), vendorIds, lines: LINES, homeIds: [site.lot15], ...more },
    { key: site.key },
  )
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

const read = async (site: Site, id: string, below = '') =>
  (await plumbline.get(`/api/ext/bids/requests/${id}${below}`, { key: site.key })).body
const budget = (site: Site, homeId: string, scope: string, amount: number) =>
  plumbline.post(`/api/ext/homes/${homeId}/budget/lines`, { scope, amount }, { key: site.key })

test('each bid updates the bid count, the amounts, and the version of the bid request', async () => {
  const site = await buildSite(plumbline)
  const request = await ask(site)
  expect(request).toMatchObject({ bidCount: 0, lowAmount: null, highAmount: null, averageAmount: null, version: 2 })
  await bid(site, request.id, site.loneStar, { walls: 9.8, trusses: 11200 })
  const second = await bid(site, request.id, site.hillCountry, { walls: 10.4, trusses: 10500.01 })
  const now = await read(site, request.id)
  expect(now).toMatchObject({
    bidCount: 2,
    lowAmount: 35210,
    highAmount: 35980.01,
    averageAmount: 35595.01,
    version: 4,
  })
  expect(now.invitations.map((invitation: { status: string }) => invitation.status)).toEqual([
    'submitted',
    'submitted',
    'sent',
  ])
  const updates = await listEvents(plumbline, site.organizationId, /^bid_request.updated/)
  expect(updates.at(-1)?.data.object).toEqual(now)
  await plumbline.post(`/api/ext/bids/${second.id}/withdraw`, {}, { key: site.key })
  expect(await read(site, request.id)).toMatchObject({ bidCount: 1, highAmount: 35210, version: 5 })
})

test('the comparison shows the lowest price of each line, missing prices, the spread, and the difference from the budget', async () => {
  const site = await buildSite(plumbline)
  await budget(site, site.lot15, 'Framing', 30000)
  await budget(site, site.lot15, 'framing', 5500)
  await budget(site, site.lot15, 'roofing', 99999)
  await budget(site, site.lot14, 'framing', 99999)
  const request = await ask(site)
  const cheap = await bid(
    site,
    request.id,
    site.loneStar,
    { walls: 9.8, trusses: 11200 },
    { exclusions: 'Crane.', leadTimeDays: 10 },
  )
  const dear = await bid(site, request.id, site.hillCountry, { walls: 10.4, trusses: 10500, porch: 900 })
  // The builder provides the crane, so the exclusion adds no cost.
  await plumbline.post(
    `/api/ext/bids/${cheap.id}/leveling`,
    { amounts: [{ lineId: null, amount: 0 }] },
    { key: site.key },
  )
  const compared = await read(site, request.id, '/comparison')
  expect(compared).toMatchObject({
    number: request.number,
    currency: 'USD',
    bidCount: 2,
    lowAmount: 35210,
    highAmount: 36880,
    averageAmount: 36045,
    spreadAmount: 1670,
    spreadPercent: 4.74,
    lowestBidIds: [cheap.id],
    lowestLinesTotal: 34510,
    budgeted: 35500,
  })
  expect(compared.vendors).toMatchObject([
    {
      vendorId: site.loneStar,
      companyName: 'Lone Star Framing LLC',
      bidId: cheap.id,
      rank: 1,
      amount: 35210,
      aboveLowAmount: 0,
      aboveBudgetAmount: -290,
      aboveBudgetPercent: -0.82,
      missingLineIds: ['porch'],
      exclusions: 'Crane.',
      leadTimeDays: 10,
      flags: ['compliance_missing', 'exclusions'],
      awardable: true,
    },
    {
      bidId: dear.id,
      rank: 2,
      aboveLowAmount: 1670,
      aboveLowPercent: 4.74,
      aboveBudgetAmount: 1380,
      pricedLineCount: 3,
      flags: ['compliance_missing', 'over_budget'],
    },
    { vendorId: site.redrock, bidId: null, invitationStatus: 'sent', amount: null, rank: null, awardable: false },
  ])
  expect(compared.lines).toMatchObject([
    {
      lineId: 'walls',
      lowAmount: 24010,
      highAmount: 25480,
      spreadAmount: 1470,
      spreadPercent: 6.12,
      lowestBidIds: [cheap.id],
      missingBidIds: [],
    },
    { lineId: 'trusses', lowAmount: 10500, lowestBidIds: [dear.id] },
    {
      lineId: 'porch',
      required: false,
      lowAmount: 900,
      missingBidIds: [cheap.id],
      prices: [{ bidId: dear.id, unitPrice: 900, lowest: true }],
    },
  ])
  expect(compared.lines[0].prices).toMatchObject([
    { bidId: cheap.id, unitPrice: 9.8, amount: 24010, lowest: true },
    { bidId: dear.id, unitPrice: 10.4, amount: 25480, lowest: false },
  ])
})

test('the bid comparison flags excluded and missing lines and ignores the price of an alternate line', async () => {
  const site = await buildSite(plumbline)
  const request = await ask(site)
  const gaps = await bid(site, request.id, site.loneStar, { walls: 9.8, trusses: 'excluded' })
  const thin = await bid(site, request.id, site.hillCountry, { walls: 10 })
  const other = await bid(
    site,
    request.id,
    site.redrock,
    {},
    {
      lines: [
        { lineId: 'walls', unitPrice: 1, alternate: true, note: 'Panels' },
        { lineId: 'trusses', unitPrice: 40000 },
      ],
    },
  )
  const { vendors, lines } = await read(site, request.id, '/comparison')
  const flags = Object.fromEntries(
    vendors.map((vendor: { bidId: string; flags: string[] }) => [vendor.bidId, vendor.flags]),
  )
  expect(flags).toEqual({
    [gaps.id]: ['compliance_missing', 'lines_excluded'],
    [thin.id]: ['compliance_missing', 'lines_missing'],
    [other.id]: ['compliance_missing', 'alternate'],
  })
  expect(lines[0]).toMatchObject({ lineId: 'walls', lowAmount: 24010, lowestBidIds: [gaps.id] })
  expect(lines[1]).toMatchObject({ lineId: 'trusses', lowAmount: 40000, missingBidIds: [gaps.id, thin.id] })
})

test('an alternate that the request does not list is not part of the compared price', async () => {
  const site = await buildSite(plumbline)
  const request = await ask(site)
  const lines = [
    ...[
      { lineId: 'walls', unitPrice: 10 },
      { lineId: 'trusses', unitPrice: 11_000 },
    ],
    { description: 'Larger crane', unitPrice: 900, alternate: true },
  ]
  await bid(site, request.id, site.loneStar, {}, { lines })
  const { vendors } = await read(site, request.id, '/comparison')
  const [{ amount, leveledSubtotal }] = vendors.filter(({ bidId }: { bidId: string | null }) => bidId !== null)
  expect(leveledSubtotal).toBe(amount)
})

test('a vendor on hold cannot be awarded', async () => {
  const site = await buildSite(plumbline)
  const request = await ask(site)
  await bid(site, request.id, site.loneStar, { walls: 9.8, trusses: 11200 })
  await plumbline.post(`/api/ext/vendors/${site.loneStar}/status`, { status: 'on_hold' }, { key: site.key })
  const { vendors } = await read(site, request.id, '/comparison')
  expect(vendors[0]).toMatchObject({
    vendorStatus: 'on_hold',
    flags: ['vendor_on_hold', 'compliance_missing'],
    awardable: false,
  })
})

test('a blind request reveals no amount in any response or event until it closes', async () => {
  const site = await buildSite(plumbline)
  await budget(site, site.lot15, 'framing', 30000)
  const request = await ask(site, { blind: true })
  // These prices cannot occur in a timestamp, because seconds are always below 60.
  const [dear, cheap] = [
    await bid(site, request.id, site.loneStar, { walls: 91.25, trusses: 54321 }),
    await bid(site, request.id, site.hillCountry, { walls: 90.75, trusses: 12345 }),
  ]
  const hidden = await read(site, request.id)
  expect(hidden).toMatchObject({
    amountsHidden: true,
    bidCount: 2,
    lowAmount: null,
    highAmount: null,
    averageAmount: null,
  })
  const compared = await read(site, request.id, '/comparison')
  expect(compared).toMatchObject({
    amountsHidden: true,
    bidCount: 2,
    lowAmount: null,
    spreadAmount: null,
    lowestBidIds: [],
    lowestLinesTotal: null,
    budgeted: 30000,
  })
  // The bids are ordered by submission, regardless of their prices.
  expect(compared.vendors.map((vendor: { bidId: string }) => vendor.bidId)).toEqual([dear.id, cheap.id, null])
  expect(compared.vendors[0]).toMatchObject({
    amount: null,
    rank: null,
    aboveBudgetAmount: null,
    missingLineIds: ['porch'],
    flags: ['compliance_missing'],
    awardable: false,
  })
  expect(compared.lines).toMatchObject([{ prices: [], lowAmount: null }, {}, { missingBidIds: [dear.id, cheap.id] }])
  const reported = JSON.stringify([hidden, compared, await listEvents(plumbline, site.organizationId)])
  for (const secret of ['91.25', '90.75', '54321', '12345', String(dear.amount ?? 277883.5), '234682.5'])
    expect(reported).not.toContain(secret)

  await plumbline.post(`/api/ext/bids/requests/${request.id}/close`, undefined, { key: site.key })
  const open = await read(site, request.id)
  expect(open).toMatchObject({
    amountsHidden: false,
    lowAmount: 234682.5,
    highAmount: 277883.5,
    version: hidden.version + 1,
  })
  expect((await listEvents(plumbline, site.organizationId, /^bid_request/)).at(-1)?.data.object).toEqual(open)
  const after = await read(site, request.id, '/comparison')
  expect(after.vendors.map((vendor: { bidId: string }) => vendor.bidId)).toEqual([cheap.id, dear.id, null])
  const seen = (await plumbline.get(`/api/ext/bids/${cheap.id}`, { key: site.key })).body
  expect(seen).toMatchObject({ amount: 234682.5, version: cheap.version + 1 })
})

test('the comparison includes rejected bids after the award', async () => {
  const site = await buildSite(plumbline)
  const request = await ask(site)
  const winner = await bid(site, request.id, site.loneStar, { walls: 9.8, trusses: 11200 })
  await bid(site, request.id, site.hillCountry, { walls: 10.4, trusses: 10500 })
  await plumbline.post(`/api/ext/bids/${winner.id}/accept`, {}, { key: site.key })
  expect(await read(site, request.id)).toMatchObject({
    ...{ status: 'awarded', acceptedBidIds: [winner.id] },
    ...{ bidCount: 2, lowAmount: winner.amount, highAmount: winner.amount },
  })
  const compared = await read(site, request.id, '/comparison')
  expect(compared).toMatchObject({ status: 'awarded', bidCount: 2, spreadAmount: 770 })
  expect(compared.vendors).toMatchObject([
    { bidStatus: 'accepted', rank: 1, awardable: false },
    { bidStatus: 'rejected', rank: 2, awardable: false },
    {},
  ])
})

const SHINGLES = [{ lineId: 'shingles', description: 'Shingles', quantity: 3000, unit: 'SF' }]

async function compareVendor(site: Site, bidRequestId: string, bidId: string): Promise<ServiceResponse['body']> {
  const { vendors } = await read(site, bidRequestId, '/comparison')
  return vendors.find((vendor: { bidId: string }) => vendor.bidId === bidId)
}

test('a bid for a tenth of the quantity is leveled to the requested quantity', async () => {
  const site = await buildSite(plumbline)
  await budget(site, site.lot15, 'framing', 13_000)
  const request = await ask(site, { lines: SHINGLES })
  const fair = await bid(site, request.id, site.loneStar, { shingles: 4.5 })
  const short = await bid(
    site,
    request.id,
    site.hillCountry,
    {},
    {
      lines: [{ lineId: 'shingles', quantity: 300, unitPrice: 4.6 }],
    },
  )
  const compared = await read(site, request.id, '/comparison')
  expect(compared).toMatchObject({
    ...{ bidCount: 2, leveledBidCount: 2, lowAmount: 13_500, highAmount: 13_800, lowestBidIds: [fair.id] },
    lowestLinesTotal: 13_500,
    vendors: [
      { bidId: fair.id, rank: 1, amount: 13_500, leveledAmount: 13_500, gaps: [] },
      {
        ...{ bidId: short.id, rank: 2, amount: 1380, leveledAmount: 13_800, aboveLowAmount: 300 },
        ...{ aboveBudgetAmount: 800, flags: ['compliance_missing', 'over_budget', 'quantity_differs'] },
      },
      {},
    ],
    lines: [
      {
        lowestBidIds: [fair.id],
        prices: [
          { quantity: 3000, leveledAmount: 13_500, lowest: true },
          { quantity: 300, amount: 1380, leveledAmount: 13_800, lowest: false },
        ],
      },
    ],
  })
})

test('a bid line with a unit that cannot be converted is not compared until the line is leveled', async () => {
  const site = await buildSite(plumbline)
  const request = await ask(site, { lines: SHINGLES })
  const inUnit = (vendorId: string, quantity: number, unit: string, unitPrice: number) =>
    bid(site, request.id, vendorId, {}, { lines: [{ lineId: 'shingles', quantity, unit, unitPrice }] })
  const squares = await inUnit(site.loneStar, 30, 'sq', 410)
  const yards = await inUnit(site.hillCountry, 300, 'SY', 36)
  const bundles = await inUnit(site.redrock, 95, 'BDL', 20)
  const compared = await read(site, request.id, '/comparison')
  expect(compared.lowestBidIds).toEqual([yards.id])
  expect(compared.vendors).toMatchObject([
    {
      bidId: yards.id,
      rank: 1,
      leveledAmount: 12_000,
      flags: ['compliance_missing', 'unit_differs', 'quantity_differs'],
    },
    { bidId: squares.id, rank: 2, leveledAmount: 12_300, flags: ['compliance_missing', 'unit_differs'] },
    {
      ...{
        bidId: bundles.id,
        rank: null,
        amount: 1900,
        leveledAmount: null,
        flags: ['compliance_missing', 'unit_differs'],
      },
      gaps: [{ lineId: 'shingles', reason: 'unit_differs' }],
    },
  ])
  expect(compared.lines[0].prices[2]).toMatchObject({ quantity: 95, unit: 'BDL', leveledAmount: null, lowest: false })
})

test('bids for individual homes are compared by their total for all requested homes', async () => {
  const site = await buildSite(plumbline)
  const third = await plumbline.post(
    '/api/ext/homes',
    { name: 'Lot 16', communityId: site.framing().communityId },
    { key: site.key },
  )
  const homeIds = [site.lot14, site.lot15, third.body.id]
  const request = await ask(site, { homeIds, lines: [], bidType: 'lump_sum' })
  const submit = (vendorId: string, homeId: string | null, amount: number) =>
    bid(site, request.id, vendorId, {}, { lines: [], homeId, amount })
  const whole = await submit(site.loneStar, null, 30_000)
  const part = await submit(site.hillCountry, site.lot14, 11_000)
  for (const [place, homeId] of homeIds.entries()) await submit(site.redrock, homeId, 8000 + 1000 * place)
  const compared = await read(site, request.id, '/comparison')
  expect(compared).toMatchObject({ lowAmount: 27_000, highAmount: 33_000 })
  const own = { vendorId: site.redrock, rank: 1, leveledAmount: 27_000, flags: ['compliance_missing'] }
  expect(compared.vendors).toMatchObject([
    ...[own, own, own],
    { bidId: whole.id, rank: 4, leveledAmount: 30_000 },
    {
      ...{ bidId: part.id, rank: 5, amount: 11_000, leveledAmount: 33_000 },
      flags: ['compliance_missing', 'part_of_homes'],
    },
  ])
})

test('a bid with an alternate, a gap, or exclusions is not ranked until the builder sets an amount for each', async () => {
  const site = await buildSite(plumbline)
  const request = await ask(site)
  const cheap = await bid(
    site,
    request.id,
    site.loneStar,
    {},
    {
      exclusions: 'Crane.',
      lines: [
        { description: 'Setup', unitPrice: 0 },
        { lineId: 'walls', unitPrice: 1, alternate: true },
        { lineId: 'trusses', excluded: true },
      ],
    },
  )
  const whole = await bid(site, request.id, site.hillCountry, { walls: 10, trusses: 10_000 })
  expect((await read(site, request.id, '/comparison')).lowestBidIds).toEqual([whole.id])
  expect(await compareVendor(site, request.id, cheap.id)).toMatchObject({
    ...{ rank: null, leveledAmount: null, flags: ['compliance_missing', 'lines_excluded', 'alternate', 'exclusions'] },
    gaps: [
      { lineId: 'walls', reason: 'alternate' },
      { lineId: 'trusses', reason: 'excluded' },
      { lineId: null, reason: 'exclusions' },
    ],
  })
  const level = (amounts: object[]) =>
    plumbline.post(`/api/ext/bids/${cheap.id}/leveling`, { amounts }, { key: site.key })
  const partly = await level([{ lineId: 'walls', amount: 20_000 }])
  expect(partly.status).toBe(200)
  expect(await compareVendor(site, request.id, cheap.id)).toMatchObject({ leveledSubtotal: 20_000, rank: null })
  const wrong = await level([
    { lineId: 'walls', amount: 1 },
    { lineId: 'roof', amount: 1 },
    { lineId: 'walls', amount: 1 },
  ])
  expect(wrong.body.errors).toMatchObject([
    { pointer: '/amounts/1/lineId', code: 'unknown_line' },
    { pointer: '/amounts/2/lineId', code: 'unique' },
  ])
  const amounts = [
    { lineId: 'walls', amount: 20_000 },
    { lineId: 'trusses', amount: 11_000 },
    { lineId: null, amount: 900 },
  ]
  const leveled = await level(amounts)
  expect(leveled.body).toMatchObject({ lowestBidIds: [cheap.id], lowAmount: 31_900 })
  expect(leveled.body.vendors[0]).toMatchObject({ bidId: cheap.id, rank: 1, gaps: [], leveling: amounts })
  // A revised bid must be leveled again.
  await plumbline.patch(`/api/ext/bids/${cheap.id}`, { exclusions: 'Crane and permits.' }, { key: site.key })
  expect(await compareVendor(site, request.id, cheap.id)).toMatchObject({ rank: null, leveling: [] })
})

test('a bid with exclusions is not the lowest bid for a line until the excluded work has an amount', async () => {
  const site = await buildSite(plumbline)
  const request = await ask(site, { lines: SHINGLES })
  const cheap = await bid(site, request.id, site.loneStar, { shingles: 4 }, { exclusions: 'Tear-off.' })
  const whole = await bid(site, request.id, site.hillCountry, { shingles: 5 })
  const before = await read(site, request.id, '/comparison')
  expect(before).toMatchObject({ lowestLinesTotal: 15_000, lines: [{ lowestBidIds: [whole.id] }] })
  const amounts = [{ lineId: null, amount: 0 }]
  const after = await plumbline.post(`/api/ext/bids/${cheap.id}/leveling`, { amounts }, { key: site.key })
  expect(after.body).toMatchObject({ lowestLinesTotal: 12_000, lines: [{ lowestBidIds: [cheap.id] }] })
})

test('a sealed or withdrawn bid cannot be leveled', async () => {
  const site = await buildSite(plumbline)
  const sealed = await ask(site, { blind: true })
  const hidden = await bid(site, sealed.id, site.loneStar, { walls: 10, trusses: 10_000 })
  const level = (id: string) => plumbline.post(`/api/ext/bids/${id}/leveling`, { amounts: [] }, { key: site.key })
  expect(await level(hidden.id)).toMatchObject({ status: 409, body: { reason: 'bids_sealed' } })
  await plumbline.post(`/api/ext/bids/requests/${sealed.id}/close`, undefined, { key: site.key })
  await plumbline.post(`/api/ext/bids/${hidden.id}/withdraw`, {}, { key: site.key })
  expect(await level(hidden.id)).toMatchObject({ status: 409, body: { reason: 'wrong_status' } })
})
