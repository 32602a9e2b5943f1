import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let site: Site
let stud: string
let labor: string
let costCodeId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
  const part = async (sku: string, unit: string) => (await post('/parts', { sku, name: sku, unit })).body.id
  stud = await part('LUM-2X4', 'EA')
  labor = await part('LAB-FRM', 'SF')
  costCodeId = (await post('/cost-codes', { code: '06-100', name: 'Framing', category: 'labor' })).body.id
})
afterAll(() => plumbline.stop())

const post = (path: string, body?: unknown, key = site.key) => plumbline.post(`/api/ext${path}`, body, { key })
const get = (path: string) => plumbline.get(`/api/ext${path}`, { key: site.key })

const form = () => [
  { lineId: 'studs', description: 'Studs', quantity: 5000, unit: 'EA', partId: stud, costCodeId },
  { lineId: 'labor', description: 'Framing labor', quantity: 40_000, unit: 'SF', partId: labor },
  { lineId: 'crane', description: 'Crane' },
]
const PRICES = [
  { lineId: 'studs', unitPrice: 3.3125 },
  { lineId: 'labor', unitPrice: 5.05 },
  { lineId: 'crane', unitPrice: 900 },
]

async function bidOn(fields: object = {}, lines: object[] = PRICES) {
  const requested = { ...site.framing(), lines: form(), bidType: 'unit_price', ...fields }
  const { status, body: request } = await post('/bids/request', requested)
  expect(status).toBe(201)
  const { body: bid } = await post('/bids', { bidRequestId: request.id, vendorId: site.loneStar, lines })
  return { request, bid }
}
async function won(fields: object = {}, lines: object[] = PRICES, award: object = {}) {
  const { request, bid } = await bidOn(fields, lines)
  const { status, body } = await post(`/bids/${bid.id}/accept`, award)
  expect(status).toBe(200)
  return { request, bid: body }
}
const agree = (bidId: string, rest: object = {}) => post('/contracts', { bidId, ...rest })

test("an accepted bid for a community becomes a contract with the bid's prices for the requested period", async () => {
  const { request, bid } = await won({ effectiveFrom: '2026-12-01', effectiveTo: '2099-11-30' })
  expect(request).toMatchObject({ effectiveFrom: '2026-12-01', effectiveTo: '2099-11-30' })
  expect(request.lines[0]).toMatchObject({ partId: stud, costCodeId })
  expect(bid.contractId).toBeNull()
  const { status, body } = await agree(bid.id, { externalId: 'agr-1' })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    ...{ bidId: bid.id, vendorId: site.loneStar, scope: 'framing', contractType: 'unit_price', status: 'draft' },
    ...{ communityIds: [site.communityId], effectiveDate: '2026-12-01', expirationDate: '2099-11-30' },
    lines: [
      { lineId: 'studs', partId: stud, unit: 'EA', unitPrice: 3.3125, minQuantity: 0 },
      { lineId: 'labor', partId: labor, unit: 'SF', unitPrice: 5.05 },
    ],
  })
  expect((await get(`/bids/${bid.id}`)).body).toMatchObject({ contractId: body.id, version: bid.version + 1 })
  expect((await get(`/contracts?bidId=${bid.id}`)).body.data).toHaveLength(1)
})

test('only awarded lines that are not alternates become contract prices', async () => {
  const { bid } = await won({ awardMode: 'split' }, PRICES, { lineIds: ['studs', 'crane'] })
  expect((await agree(bid.id)).body.lines).toMatchObject([{ lineId: 'studs' }])
  const [studs, ...others] = PRICES
  const { bid: other } = await won({}, [{ ...studs, alternate: true }, ...others])
  expect((await agree(other.id)).body.lines).toMatchObject([{ lineId: 'labor' }])
})

test('an alternate line becomes a contract price only if it was awarded', async () => {
  const [studs, ...others] = PRICES
  const { bid } = await won({}, [...others, { ...studs, alternate: true }], { alternateLineIds: ['studs'] })
  expect((await agree(bid.id)).body.lines).toMatchObject([
    { lineId: 'labor', partId: labor, unitPrice: 5.05 },
    { lineId: 'studs', partId: stud, unitPrice: 3.3125 },
  ])
})

test('a bid that was awarded with an amount for an alternate becomes no contract without lines', async () => {
  const { bid } = await bidOn()
  const deduct = { description: 'No blocking', amount: -300 }
  const { body: changed } = await plumbline.patch(
    `/api/ext/bids/${bid.id}`,
    { alternates: [deduct] },
    { key: site.key },
  )
  expect((await post(`/bids/${changed.id}/accept`, { alternates: [0] })).status).toBe(200)
  expect((await agree(bid.id)).body).toMatchObject({
    ...{ status: 409, reason: 'not_suitable' },
    detail:
      'Cannot create the contract: the bid was awarded with alternates that have one amount instead of unit prices: "No blocking". Set lines.',
  })
  const lines = [{ lineId: 'labor', partId: labor, unit: 'SF', unitPrice: 5 }]
  expect((await agree(bid.id, { lines })).status).toBe(201)
})

test('a bid has at most one active contract', async () => {
  const { bid } = await won()
  const answers = await Promise.all([agree(bid.id), agree(bid.id)])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
  const contract = answers.find(({ status }) => status === 201)?.body
  expect((await agree(bid.id)).body).toMatchObject({
    reason: 'already_done',
    detail: `The bid already has a contract: ${contract.number}.`,
  })
  const refused = await post(`/bids/${bid.id}/reject`, {})
  expect(refused.body).toMatchObject({ status: 409, detail: expect.stringContaining(contract.number) })

  const status = (id: string, to: string) => post(`/contracts/${id}/status`, { status: to })
  expect((await status(contract.id, 'active')).status).toBe(200)
  const { body: next } = await post(`/contracts/${contract.id}/revise`, { effectiveDate: '2098-01-01' })
  expect(next.bidId).toBe(bid.id)
  expect((await get(`/bids/${bid.id}`)).body.contractId).toBe(next.id)
  await plumbline.delete(`/api/ext/contracts/${next.id}`, { key: site.key })
  await status(contract.id, 'terminated')
  expect((await get(`/bids/${bid.id}`)).body.contractId).toBeNull()
  expect((await agree(bid.id)).status).toBe(201)
})

test('an award can be revoked after its contract is archived', async () => {
  const { bid } = await won()
  const { body } = await agree(bid.id)
  await plumbline.delete(`/api/ext/contracts/${body.id}`, { key: site.key })
  expect((await post(`/bids/${bid.id}/reject`, {})).body.status).toBe('rejected')
})

test('a bid cannot become a contract if it has no parts, is for individual homes, or was not awarded', async () => {
  const { bid: open } = await bidOn()
  expect((await agree(open.id)).body.reason).toBe('wrong_status')
  const { bid: ofHomes } = await won({ homeIds: [site.lot14] })
  expect((await agree(ofHomes.id)).body).toMatchObject({
    reason: 'not_suitable',
    detail: expect.stringContaining('covers individual homes'),
  })
  const { bid: without } = await won({ lines: [{ lineId: 'crane', description: 'Crane' }] }, PRICES.slice(2))
  expect((await agree(without.id)).body).toMatchObject({
    reason: 'missing_data',
    detail: expect.stringMatching(/^None of the lines awarded in .* refers to a part\. Set lines\.$/),
  })
  const { bid: otherUnit } = await won({}, [{ ...PRICES[0], unit: 'LF' }, ...PRICES.slice(1)])
  expect((await agree(otherUnit.id)).body).toMatchObject({
    reason: 'not_suitable',
    detail: expect.stringMatching(/^The bid uses a different unit than .* for "studs"\. Set lines\.$/),
  })
  const lines = [...form(), { lineId: 'more', description: 'More', unit: 'EA', partId: stud }]
  const { bid: twice } = await won({ lines }, [...PRICES, { lineId: 'more', unitPrice: 3 }])
  expect((await agree(twice.id)).body).toMatchObject({
    reason: 'not_suitable',
    detail: 'The bid has more than one price for the parts on these lines: "more". Set lines.',
  })
  const own = await agree(twice.id, { lines: [{ partId: stud, unitPrice: 3 }] })
  expect(own.body.lines).toMatchObject([{ unitPrice: 3 }])
})

test('contract terms that are missing or contradict the bid are reported at their fields', async () => {
  const { bid } = await won()
  const { body } = await agree(bid.id, { vendorId: site.redrock, communityIds: ['com_x'] })
  expect(body.errors).toMatchObject([
    { pointer: '/vendorId', code: 'other_vendor' },
    { pointer: '/communityIds', code: 'other_community' },
  ])
  expect((await agree('bid_x')).body.errors).toMatchObject([{ pointer: '/bidId', code: 'unknown_reference' }])
  const { body: empty } = await post('/contracts', {})
  expect(empty.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
    ...['/vendorId', '/scope', '/effectiveDate', '/lines'],
  ])
  const { key } = await plumbline.newBuilder()
  expect((await post('/contracts', { bidId: bid.id }, key)).body.code).toBe('unknown_reference')
})

test('a bid request line is rejected if its part, unit, or cost code is invalid', async () => {
  const requested = { ...site.framing(), effectiveFrom: '2026-12-01', effectiveTo: '2026-11-30' }
  const [studs] = form()
  const line = { ...studs, unit: 'LF' }
  const { body } = await post('/bids/request', { ...requested, lines: [line] })
  expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/effectiveTo', '/lines/0/unit'])
  const unknown = await post('/bids/request', {
    ...requested,
    lines: [{ ...line, partId: 'prt_x', costCodeId: 'cc_x' }],
  })
  expect(unknown.body).toMatchObject({
    code: 'unknown_reference',
    errors: [{ pointer: '/lines/0/partId' }, { pointer: '/lines/0/costCodeId' }],
  })
  const { body: draft } = await post('/bids/request', { ...site.framing(), sendNow: false })
  const path = `/api/ext/bids/requests/${draft.id}`
  const contradiction = { effectiveFrom: '2026-12-01', effectiveTo: '2026-11-30' }
  expect((await plumbline.patch(path, contradiction, { key: site.key })).status).toBe(422)
  const changed = await plumbline.patch(path, { effectiveFrom: '2026-12-01', lines: form() }, { key: site.key })
  expect(changed.body).toMatchObject({ effectiveFrom: '2026-12-01', lines: [{ partId: stud }, {}, { partId: null }] })
})

test('a lump-sum bid becomes a turnkey contract with a lump sum for each of the given plans', async () => {
  const planIds = await Promise.all(
    ['P2100', 'P2850'].map(async (code) => (await post('/plans', { code, name: code })).body.id),
  )
  const { body: request } = await post('/bids/request', { ...site.framing(), effectiveFrom: '2026-12-01' })
  const { body: bid } = await post('/bids', { bidRequestId: request.id, vendorId: site.loneStar, amount: 38_400 })
  await post(`/bids/${bid.id}/accept`, {})
  const bare = await agree(bid.id)
  expect([bare.status, bare.body.reason, bare.body.detail]).toEqual([
    ...[409, 'missing_data'],
    expect.stringContaining('Set planIds'),
  ])
  expect((await agree(bid.id, { contractType: 'labor_only', planIds })).body).toMatchObject({
    reason: 'missing_data',
    detail: expect.stringContaining('refers to a part'),
  })
  expect((await agree(bid.id, { planIds: [planIds[0], 'pln_x'] })).body.errors).toMatchObject([
    { pointer: '/planIds/1', code: 'unknown_reference' },
  ])
  const { status, body } = await agree(bid.id, { planIds })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    ...{ bidId: bid.id, contractType: 'turnkey', planIds: [], lines: [], effectiveDate: '2026-12-01' },
    lumpSums: planIds.map((planId) => ({ planId, elevation: null, optionId: null, amount: 38_400 })),
  })
})

const bidLumpSum = async (amount: number, alternates: number[]) => {
  const { body: request } = await post('/bids/request', site.framing())
  const offered = alternates.map((price, i) => ({ description: `Alternate ${i + 1}`, amount: price }))
  const bidder = { bidRequestId: request.id, vendorId: site.loneStar }
  const { body: bid } = await post('/bids', { ...bidder, amount, alternates: offered })
  return { bid, accept: (positions: number[]) => post(`/bids/${bid.id}/accept`, { alternates: positions }) }
}

test('the lump sums of a contract include the awarded alternates of the bid', async () => {
  const planId = (await post('/plans', { code: 'P1720', name: 'P1720' })).body.id
  const { bid, accept } = await bidLumpSum(38_400, [1450, 700, -300])
  expect((await accept([0, 2])).status).toBe(200)
  const { status, body } = await agree(bid.id, { planIds: [planId] })
  expect([status, body.lumpSums]).toMatchObject([201, [{ planId, amount: 38_400 + 1450 - 300 }]])
})

test('a bid whose awarded alternates deduct more than its amount cannot become a lump sum', async () => {
  const planId = (await post('/plans', { code: 'P1730', name: 'P1730' })).body.id
  const { bid, accept } = await bidLumpSum(200, [-300])
  expect((await accept([0])).status).toBe(200)
  expect((await agree(bid.id, { planIds: [planId] })).body).toMatchObject({
    ...{ status: 409, reason: 'not_suitable' },
    detail: expect.stringMatching(/must be between \$0\.00 and .*\. Set lumpSums\.$/),
  })
})

test('an itemized bid becomes a turnkey contract that has only the lump sums in the request', async () => {
  const { bid } = await won()
  const refused = await agree(bid.id, { contractType: 'turnkey' })
  expect([refused.status, refused.body.reason, refused.body.detail]).toEqual([
    ...[409, 'missing_data'],
    expect.stringContaining('set lumpSums'),
  ])
  const planId = (await post('/plans', { code: 'P1650', name: 'P1650' })).body.id
  const { body } = await agree(bid.id, { lumpSums: [{ planId, amount: 9 }] })
  expect(body).toMatchObject({ contractType: 'turnkey', lines: [], lumpSums: [{ planId, amount: 9 }] })
})
