import { afterAll, beforeAll, expect, test } from 'vitest'
import { listEvents } from '../../../../test/support/recorded-events.ts'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import { type Answer, startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

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

/** Submits a bid with a unit price for each line; omitted lines get no price. */
async function bid(
  site: Site,
  bidRequestId: string,
  vendorId: string,
  prices: Record<string, number | 'excluded'>,
  more: object = {},
): Promise<Answer['body']> {
  const lines = Object.entries(prices).map(([lineId, price]) =>
    price === 'excluded' ? { lineId, excluded: true } : { lineId, unitPrice: price },
  )
  const answer = await plumbline.post('/api/ext/bids', { bidRequestId, vendorId, lines, ...more }, { key: site.key })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

async function ask(site: Site, more: object = {}): Promise<Answer['body']> {
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

test("a request's figures follow its bids, and each bid increments the request's version", async () => {
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

test('the comparison shows the lowest price of each line, gaps, the spread, and the difference to the budget', async () => {
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
      flags: ['compliance_missing'],
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

test('excluded and missing lines are flagged, and an alternate line is never the lowest', async () => {
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
    [other.id]: ['compliance_missing'],
  })
  expect(lines[0]).toMatchObject({ lineId: 'walls', lowAmount: 24010, lowestBidIds: [gaps.id] })
  expect(lines[1]).toMatchObject({ lineId: 'trusses', lowAmount: 40000, missingBidIds: [gaps.id, thin.id] })
})

test('a vendor that can no longer be hired is flagged and cannot be awarded', async () => {
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
  // No time contains these prices: its seconds are below 60.
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
  // In order of submission, regardless of price.
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

test('after the award the comparison still shows the rejected bids, and the request shows the winner', async () => {
  const site = await buildSite(plumbline)
  const request = await ask(site)
  const winner = await bid(site, request.id, site.loneStar, { walls: 9.8, trusses: 11200 })
  await bid(site, request.id, site.hillCountry, { walls: 10.4, trusses: 10500 })
  await plumbline.post(`/api/ext/bids/${winner.id}/accept`, {}, { key: site.key })
  expect(await read(site, request.id)).toMatchObject({ status: 'awarded', acceptedBidIds: [winner.id], bidCount: 1 })
  const compared = await read(site, request.id, '/comparison')
  expect(compared).toMatchObject({ status: 'awarded', bidCount: 2, spreadAmount: 770 })
  expect(compared.vendors).toMatchObject([
    { bidStatus: 'accepted', rank: 1, awardable: false },
    { bidStatus: 'rejected', rank: 2, awardable: false },
    {},
  ])
})
