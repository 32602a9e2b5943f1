import { afterAll, beforeAll, expect, test } from 'vitest'
import { listEvents } from '../../../../test/support/recorded-events.ts'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type RequestOptions,
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

type Body = ServiceResponse['body']
const DAY_MS = 86_400_000
const post = (path: string, body?: unknown, options?: RequestOptions) =>
  plumbline.post(`/api/ext${path}`, body, { key: site.key, ...options })
const get = async (path: string): Promise<Body> => (await plumbline.get(`/api/ext${path}`, { key: site.key })).body
const revise = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  plumbline.patch(`/api/ext/bids/${id}`, body, { key: site.key, headers })
const made = async (path: string, body: unknown): Promise<Body> => {
  const answer = await post(path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const ask = (more: object = {}) => made('/bids/request', { ...site.framing(), homeIds: [site.lot15], ...more })
const submit = (bidRequestId: string, vendorId: string, more: object = { amount: 40_000 }) =>
  made('/bids', { bidRequestId, vendorId, ...more })
const pointers = (answer: ServiceResponse) =>
  answer.body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`).sort()
const typesOf = async (id: string) =>
  (await listEvents(plumbline, site.organizationId))
    .filter((event) => event.data.object.id === id)
    .map((event) => event.type)

const form = {
  bidType: 'both',
  lines: [
    { lineId: 'walls', description: 'Wall framing', quantity: 2450, unit: 'SF' },
    { lineId: 'trusses', description: 'Roof trusses' },
    { lineId: 'crane', description: 'Crane', required: false },
  ],
}
const prices = [
  { lineId: 'walls', unitPrice: 9.8 },
  { lineId: 'trusses', unitPrice: 11_200 },
]

test('the amount of a bid is the sum of its lines, each rounded half up', async () => {
  const request = await ask(form)
  const bid = await submit(request.id, site.loneStar, {
    lines: [
      ...prices,
      { description: 'Hurricane straps', quantity: 3, unit: 'EA', unitPrice: 0.335, note: 'galvanized' },
    ],
    source: 'phone',
    leadTimeDays: 10,
  })
  expect(bid).toMatchObject({
    bidRequestId: request.id,
    scope: 'framing',
    communityId: site.communityId,
    homeId: null,
    status: 'submitted',
    revision: 1,
    amount: 35_211.01,
    currency: 'USD',
    amountsHidden: false,
    source: 'phone',
    poIds: [],
  })
  expect(await get(`/bids/${bid.id}`)).toEqual(bid)
})

test('the lines of a bid copy their details from the bid request', async () => {
  const request = await ask(form)
  const bid = await submit(request.id, site.loneStar, {
    lines: [
      ...prices,
      { description: 'Hurricane straps', quantity: 3, unit: 'EA', unitPrice: 0.335, note: 'galvanized' },
    ],
    source: 'phone',
    leadTimeDays: 10,
  })
  expect(bid.lines).toEqual([
    {
      lineId: 'walls',
      description: 'Wall framing',
      quantity: 2450,
      unit: 'SF',
      unitPrice: 9.8,
      amount: 24_010,
      excluded: false,
      alternate: false,
      note: null,
    },
    {
      lineId: 'trusses',
      description: 'Roof trusses',
      quantity: 1,
      unit: 'LS',
      unitPrice: 11_200,
      amount: 11_200,
      excluded: false,
      alternate: false,
      note: null,
    },
    {
      lineId: 'extra-1',
      description: 'Hurricane straps',
      quantity: 3,
      unit: 'EA',
      unitPrice: 0.335,
      amount: 1.01,
      excluded: false,
      alternate: false,
      note: 'galvanized',
    },
  ])
})

test('a submitted bid updates the count and the lowest amount of its bid request', async () => {
  const request = await ask(form)
  const bid = await submit(request.id, site.loneStar, { lines: prices })
  const after = await get(`/bids/requests/${request.id}`)
  expect(after).toMatchObject({ bidCount: 1, lowAmount: bid.amount })
  expect(after.version).toBeGreaterThan(request.version)
  expect(after.invitations[0]).toMatchObject({ id: bid.invitationId, vendorId: site.loneStar, status: 'submitted' })
  expect(await typesOf(bid.id)).toEqual(['bid.submitted'])
})

test('all price errors of a bid are reported in one response', async () => {
  const request = await ask(form)
  const refused = await post('/bids', {
    bidRequestId: request.id,
    vendorId: site.loneStar,
    lines: [
      { lineId: 'wals', unitPrice: 1 },
      { lineId: 'crane', unitPrice: 5, excluded: true },
      { lineId: 'crane' },
      { unitPrice: 1 },
      { lineId: 'trusses', quantity: 9_999_999_999, unitPrice: 9_999_999_999 },
    ],
  })
  expect(refused.status).toBe(422)
  expect(pointers(refused)).toEqual([
    '/lines missing_line',
    '/lines/0/description required',
    '/lines/0/lineId unknown_line',
    '/lines/1/unitPrice excluded',
    '/lines/2/lineId unique',
    '/lines/2/unitPrice required',
    '/lines/3/description required',
    '/lines/4/unitPrice maximum',
  ])
  const contradiction = await post('/bids', {
    bidRequestId: request.id,
    vendorId: site.loneStar,
    lines: prices,
    amount: 35_210.01,
  })
  expect(pointers(contradiction)).toEqual(['/amount sum'])
  const agreed = await post('/bids', {
    bidRequestId: request.id,
    vendorId: site.loneStar,
    lines: prices,
    amount: 35_210,
  })
  expect(agreed.status).toBe(201)
  const lumpSum = await ask()
  expect(pointers(await post('/bids', { bidRequestId: lumpSum.id, vendorId: site.loneStar }))).toEqual([
    '/amount required',
  ])
  expect(pointers(await post('/bids', { bidRequestId: lumpSum.id, vendorId: site.loneStar, amount: 10.005 }))).toEqual([
    '/amount decimals',
  ])
})

test('a bid is rejected if its home or vendor is unknown or is not part of the bid request', async () => {
  const request = await ask()
  const unknown = await post('/bids', { bidRequestId: 'brq_nothing', vendorId: 'ven_nothing', amount: 1 })
  expect(unknown.status).toBe(422)
  expect(pointers(unknown)).toEqual(['/bidRequestId unknown_reference', '/vendorId unknown_reference'])
  const bid = { bidRequestId: request.id, vendorId: site.loneStar, amount: 1 }
  expect(pointers(await post('/bids', { ...bid, homeId: 'hom_nothing' }))).toEqual(['/homeId unknown_reference'])
  expect(pointers(await post('/bids', { ...bid, homeId: site.lot14 }))).toEqual(['/homeId not_requested'])
  const uninvited = await post('/bids', { ...bid, vendorId: site.redrock })
  expect(uninvited.status).toBe(409)
  expect(uninvited.body).toMatchObject({
    reason: 'not_invited',
    detail: `The vendor is not invited to ${request.number}. Invite it with inviteToBid first.`,
  })
  expect(pointers(await post('/bids', { ...bid, validUntil: site.day(-1) }))).toEqual(['/validUntil past'])
})

test('if a vendor submits a second bid for the same home or bid request, the error suggests reviseBid', async () => {
  const request = await ask({ homeIds: [site.lot14, site.lot15] })
  const first = await submit(request.id, site.loneStar)
  const second = await post('/bids', { bidRequestId: request.id, vendorId: site.loneStar, amount: 39_000 })
  expect(second.status).toBe(409)
  expect(second.body).toMatchObject({
    reason: 'already_bid',
    detail: `The vendor already has a bid for ${request.number} (${first.id}). The bid is submitted. Use reviseBid to change it.`,
  })
  const forLot14 = await submit(request.id, site.loneStar, { homeId: site.lot14, amount: 19_000 })
  expect(forLot14.homeId).toBe(site.lot14)
  expect((await post(`/bids/${first.id}/withdraw`, { reason: 'Priced the wrong plan.' })).body.status).toBe('withdrawn')
  expect((await submit(request.id, site.loneStar)).id).not.toBe(first.id)
  expect((await get(`/bids?bidRequestId=${request.id}&status=withdrawn`)).data.map((bid: Body) => bid.id)).toEqual([
    first.id,
  ])
  expect((await get(`/bids?homeId=${site.lot14}&bidRequestId=${request.id}`)).data).toEqual([forLot14])
})

test('only one of twenty concurrent bids of one vendor is stored', async () => {
  const request = await ask()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => post('/bids', { bidRequestId: request.id, vendorId: site.loneStar, amount: 1 })),
  )
  expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(19).fill(409)])
})

test('after the deadline, a bid is accepted only if acceptLate is set', async () => {
  const draft = await ask({ sendNow: false })
  const bid = { vendorId: site.loneStar, amount: 1 }
  expect((await post('/bids', { ...bid, bidRequestId: draft.id })).body).toMatchObject({
    reason: 'bid_request_not_open',
    detail: `Cannot submit a bid: ${draft.number} is a draft. Send the bid request first.`,
  })
  const punctual = await ask()
  const lenient = await ask({ acceptLate: true })
  const inTime = await submit(punctual.id, site.hillCountry)
  for (const { id } of [punctual, lenient]) await post(`/bids/requests/${id}/close`)
  const late = await post('/bids', { ...bid, bidRequestId: punctual.id })
  expect(late.status).toBe(409)
  expect(late.body).toMatchObject({
    reason: 'deadline_passed',
    detail: expect.stringContaining('does not accept late bids'),
  })
  expect((await revise(inTime.id, { amount: 1 })).status).toBe(409)
  expect((await revise(inTime.id, { externalId: 'erp-late' })).status).toBe(200)
  expect((await post('/bids', { ...bid, bidRequestId: lenient.id })).status).toBe(201)
  await post(`/bids/requests/${lenient.id}/cancel`, {})
  expect((await post('/bids', { ...bid, vendorId: site.hillCountry, bidRequestId: lenient.id })).body).toMatchObject({
    reason: 'bid_request_not_open',
    detail: expect.stringContaining('is canceled'),
  })
})

test('only a revision that changes the bid is counted', async () => {
  const request = await ask(form)
  const bid = await submit(request.id, site.loneStar, { lines: prices, durationDays: 12 })
  const revised = await revise(bid.id, { lines: [{ ...prices[0], unitPrice: 9.65 }, prices[1]] }, { 'if-match': '"1"' })
  expect(revised.status).toBe(200)
  expect(revised.body).toMatchObject({
    revision: 2,
    version: 2,
    amount: 34_842.5,
    durationDays: 12,
    status: 'submitted',
  })
  const [, event] = (await listEvents(plumbline, site.organizationId, /bid.submitted/)).filter(
    ({ data }) => data.object.id === bid.id,
  )
  expect(event?.data).toMatchObject({ object: revised.body, previous: { amount: 35_210, revision: 1 } })
  expect((await revise(bid.id, { durationDays: 12 })).body).toEqual(revised.body)
  expect((await revise(bid.id, { externalId: 'erp-1' })).body).toMatchObject({
    revision: 2,
    version: 3,
    externalId: 'erp-1',
  })
  expect(pointers(await revise(bid.id, { amount: 30_000 }))).toEqual(['/amount sum'])
  expect(pointers(await revise(bid.id, { lines: [] }))).toEqual(['/lines missing_line', '/lines missing_line'])
  expect((await revise(bid.id, { durationDays: 13 }, { 'if-match': '"1"' })).status).toBe(412)
  expect(await typesOf(bid.id)).toEqual(['bid.submitted', 'bid.submitted'])
})

test('no response or event shows the amounts of a blind bid request until it is closed', async () => {
  const request = await ask({ ...form, blind: true })
  const bid = await submit(request.id, site.loneStar, { lines: prices })
  expect(bid).toMatchObject({
    amount: null,
    amountsHidden: true,
    lines: [
      { unitPrice: null, amount: null },
      { unitPrice: null, amount: null },
    ],
  })
  expect(await get(`/bids/${bid.id}`)).toEqual(bid)
  expect((await get(`/bids?bidRequestId=${request.id}`)).data).toEqual([bid])
  const revised = await revise(bid.id, { lines: [{ ...prices[0], unitPrice: 9.6543 }, prices[1]] })
  expect(revised.body).toMatchObject({ amount: null, revision: 2 })
  const reported = JSON.stringify(
    (await listEvents(plumbline, site.organizationId)).filter(({ data }) => data.object.id === bid.id),
  )
  expect(reported).not.toContain('11200')
  expect(reported).not.toContain('9.6543')
  const early = await post(`/bids/${bid.id}/accept`)
  expect(early.status).toBe(409)
  expect(early.body).toMatchObject({ code: 'conflict', reason: 'bids_sealed' })

  const before = await plumbline.get(`/api/ext/bids/${bid.id}`, { key: site.key })
  await post(`/bids/requests/${request.id}/close`)
  const after = await plumbline.get(`/api/ext/bids/${bid.id}`, {
    key: site.key,
    headers: { 'if-none-match': before.headers.get('etag') ?? '' },
  })
  expect(after.status).toBe(200)
  expect(after.body).toMatchObject({ amountsHidden: false, amount: 34_853.04 })
  expect((await post(`/bids/${bid.id}/accept`)).body).toMatchObject({ status: 'accepted', purchaseOrder: null })
})

test('an award accepts one bid and rejects the others', async () => {
  const request = await ask(form)
  const winner = await submit(request.id, site.loneStar, { lines: [...prices, { lineId: 'crane', excluded: true }] })
  const loser = await submit(request.id, site.hillCountry, { lines: prices })
  const accepted = await post(`/bids/${winner.id}/accept`, { createPurchaseOrder: true, reason: 'Free in December.' })
  expect(accepted.status, JSON.stringify(accepted.body)).toBe(200)
  expect(accepted.body).toMatchObject({ status: 'accepted', decisionReason: 'Free in December.', awardedLineIds: null })
  expect(accepted.body.decidedBy.type).toBe('key')
  const { purchaseOrder: _, ...awarded } = accepted.body
  expect(await get(`/bids/${winner.id}`)).toEqual(awarded)
  expect(await get(`/bids/${loser.id}`)).toMatchObject({
    status: 'rejected',
    decisionReason: 'Another bid was accepted.',
  })
  expect(await get(`/bids/requests/${request.id}`)).toMatchObject({ status: 'awarded', acceptedBidIds: [winner.id] })
})

test('an award with an order drafts the order', async () => {
  const request = await ask(form)
  const winner = await submit(request.id, site.loneStar, { lines: [...prices, { lineId: 'crane', excluded: true }] })
  const accepted = await post(`/bids/${winner.id}/accept`, { createPurchaseOrder: true, reason: 'Free in December.' })
  expect(accepted.status, JSON.stringify(accepted.body)).toBe(200)
  const order = await get(`/purchase-orders/${accepted.body.poIds[0]}`)
  expect(accepted.body.purchaseOrder).toEqual(order)
  expect(order).toMatchObject({
    bidId: winner.id,
    homeId: site.lot15,
    vendorId: site.loneStar,
    scope: 'framing',
    status: 'draft',
    total: 35_210,
  })
  expect(order.lines.map((line: Body) => [line.lineId, line.quantity, line.unit, line.unitPrice, line.total])).toEqual([
    ['walls', 2450, 'SF', 9.8, 24_010],
    ['trusses', 1, 'LS', 11_200, 11_200],
  ])
})

test('an award emits an event for each record that it changes', async () => {
  const request = await ask(form)
  const winner = await submit(request.id, site.loneStar, { lines: [...prices, { lineId: 'crane', excluded: true }] })
  await submit(request.id, site.hillCountry, { lines: prices })
  const { length: before } = await listEvents(plumbline, site.organizationId)
  const accepted = await post(`/bids/${winner.id}/accept`, { createPurchaseOrder: true, reason: 'Free in December.' })
  expect(accepted.status, JSON.stringify(accepted.body)).toBe(200)
  const { purchaseOrder: order, ...awarded } = accepted.body
  const events = (await listEvents(plumbline, site.organizationId)).slice(before)
  expect(events.map((event) => event.type)).toEqual([
    'bid.accepted',
    'bid.rejected',
    'bid_request.updated',
    'po.created',
  ])
  expect(events[0]?.data).toMatchObject({ object: awarded, previous: { status: 'submitted', poIds: [] } })
  expect(events[3]?.data.object).toEqual(order)
})

test('if the order of an award cannot be created, no bid is accepted', async () => {
  const request = await ask({ homeIds: [] })
  const bid = await submit(request.id, site.loneStar)
  const vague = await post(`/bids/${bid.id}/accept`, { createPurchaseOrder: true })
  expect(vague.status).toBe(409)
  expect(vague.body).toMatchObject({ reason: 'missing_data', detail: expect.stringContaining('homeId') })
  expect(await get(`/bids/${bid.id}`)).toEqual(bid)
  expect(pointers(await post(`/bids/${bid.id}/accept`, { homeId: site.lot14 }))).toEqual(['/homeId unexpected'])
  const clear = await post(`/bids/${bid.id}/accept`, { createPurchaseOrder: true, homeId: site.lot14 })
  const order = await get(`/purchase-orders/${clear.body.poIds[0]}`)
  expect(order).toMatchObject({
    homeId: site.lot14,
    total: 40_000,
    lines: [{ lineId: 'line-1', quantity: 1, unit: 'LS', unitPrice: 40_000 }],
  })

  const several = await ask({ homeIds: [site.lot14, site.lot15] })
  const together = await submit(several.id, site.loneStar)
  expect((await post(`/bids/${together.id}/accept`, { createPurchaseOrder: true })).body).toMatchObject({
    reason: 'missing_data',
    detail: expect.stringContaining('several homes'),
  })
  expect((await get(`/bids/requests/${several.id}`)).status).toBe('sent')
})

test('an award with an order requires pos:write', async () => {
  const request = await ask()
  const bid = await submit(request.id, site.loneStar)
  const key = await plumbline.newKey(['bids:read', 'bids:write'], site.organizationId)
  const refused = await post(`/bids/${bid.id}/accept`, { createPurchaseOrder: true }, { key })
  expect(refused.status).toBe(403)
  expect(refused.body).toMatchObject({ code: 'permission_denied', permission: 'pos:write' })
  expect((await post(`/bids/${bid.id}/accept`, {}, { key })).status).toBe(200)
})

test('the error for a bid that cannot be awarded contains the reason', async () => {
  const request = await ask()
  const [bid, other] = [await submit(request.id, site.loneStar), await submit(request.id, site.hillCountry)]
  const reason = async (id = bid.id) => {
    const answer = await post(`/bids/${id}/accept`, {})
    expect(answer.status).toBe(409)
    return answer.body.reason ?? [answer.body.code, answer.body.from]
  }
  const move = (status: string) => post(`/vendors/${site.loneStar}/status`, { status, reason: 'Test.' })
  await move('on_hold')
  expect(await reason()).toBe('vendor_on_hold')
  await move('inactive')
  expect(await reason()).toBe('vendor_inactive')
  await move('active')
  const paper = await made(`/vendors/${site.loneStar}/compliance-documents`, {
    type: 'general_liability',
    status: 'valid',
    expirationDate: site.day(-10),
  })
  expect(await reason()).toBe('compliance_expired')
  await plumbline.delete(`/api/ext/compliance-documents/${paper.id}`, { key: site.key })
  await post(`/bids/${other.id}/withdraw`)
  expect(await reason(other.id)).toEqual(['invalid_transition', 'withdrawn'])
  await post(`/bids/requests/${request.id}/cancel`, {})
  expect(await reason()).toBe('wrong_status')
})

test('only one of fifty concurrent awards succeeds and creates an order', async () => {
  const vendorIds: string[] = []
  for (let i = 0; i < 10; i++) vendorIds.push((await made('/vendors', { companyName: `Framer ${i}` })).id)
  const request = await ask({ vendorIds })
  const bids: string[] = []
  for (const vendorId of vendorIds) bids.push((await submit(request.id, vendorId)).id)
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => post(`/bids/${bids[i % bids.length]}/accept`, { createPurchaseOrder: true })),
  )
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(49).fill(409)])
  const after = (await get(`/bids?bidRequestId=${request.id}`)).data
  expect(after.filter((bid: Body) => bid.status === 'accepted')).toHaveLength(1)
  expect(after.filter((bid: Body) => bid.status === 'rejected')).toHaveLength(9)
  const ordered = after.flatMap((bid: Body) => bid.poIds)
  expect(ordered).toHaveLength(1)
  const types = (await listEvents(plumbline, site.organizationId, /^bid\.(accepted|rejected)/)).filter(
    ({ data }) => data.object.bidRequestId === request.id,
  )
  expect(types.map((event) => event.type)).toEqual(['bid.accepted', ...Array(9).fill('bid.rejected')])
})

const alternates = [
  { description: 'Zip sheathing', amount: 1450 },
  { description: 'No blocking', amount: -300 },
]
const withPanels = [...prices, { lineId: 'crane', unitPrice: 900, alternate: true, note: 'Larger crane' }]
const orderOf = async ({ body }: ServiceResponse) => get(`/purchase-orders/${body.poIds[0]}`)

test('the price of an alternate line is not part of the amount of a bid', async () => {
  const request = await ask(form)
  const bid = await submit(request.id, site.loneStar, { lines: withPanels, alternates })
  expect(bid.amount).toBe(35_210)
  expect(bid.lines[2]).toMatchObject({ lineId: 'crane', amount: 900, alternate: true })
})

test('a bid needs a price that is not an alternate', async () => {
  const request = await ask({ ...form, bidType: 'lump_sum' })
  const lines = [{ lineId: 'walls', unitPrice: 9.8, alternate: true }]
  const answer = await post('/bids', { bidRequestId: request.id, vendorId: site.loneStar, lines })
  expect([answer.status, pointers(answer)]).toEqual([422, ['/lines priced']])
})

test('the order of an awarded bid contains no alternate that was not chosen', async () => {
  const request = await ask(form)
  const bid = await submit(request.id, site.loneStar, { lines: withPanels, alternates })
  const award = await post(`/bids/${bid.id}/accept`, { createPurchaseOrder: true })
  expect(award.body).toMatchObject({ awardedAlternates: null, awardedLineIds: null })
  expect(await orderOf(award)).toMatchObject({ total: 35_210, lines: [{ lineId: 'walls' }, { lineId: 'trusses' }] })
})

test('the order of an awarded bid contains the chosen alternates, deductions with a negative price', async () => {
  const request = await ask(form)
  const bid = await submit(request.id, site.loneStar, { lines: withPanels, alternates })
  const chosen = { alternates: [1, 0], alternateLineIds: ['crane'], createPurchaseOrder: true }
  const award = await post(`/bids/${bid.id}/accept`, chosen)
  expect(award.body).toMatchObject({
    ...{ amount: 35_210, awardedAlternates: [0, 1], awardedLineIds: ['walls', 'trusses', 'crane'] },
  })
  expect(await orderOf(award)).toMatchObject({
    total: 35_210 + 900 + 1450 - 300,
    lines: [
      ...[{ lineId: 'walls' }, { lineId: 'trusses' }, { lineId: 'crane', unitPrice: 900 }],
      { lineId: 'alternate-1', description: 'Alternate (add): Zip sheathing', unitPrice: 1450 },
      { lineId: 'alternate-2', description: 'Alternate (deduct): No blocking', unitPrice: -300 },
    ],
  })
})

test('the order of an awarded lump sum contains the chosen alternates', async () => {
  const request = await ask()
  const bid = await submit(request.id, site.loneStar, { amount: 40_000, alternates })
  const award = await post(`/bids/${bid.id}/accept`, { alternates: [1], createPurchaseOrder: true })
  expect(await orderOf(award)).toMatchObject({ total: 39_700, lines: [{ unitPrice: 40_000 }, { unitPrice: -300 }] })
})

test('an order can contain an alternate whose shortened description ends within an emoji', async () => {
  const request = await ask()
  // The order adds a prefix of 17 characters, so the limit of 500 characters falls in the middle of the emoji.
  const long = { description: `${'x'.repeat(482)}\u{1F3E0}${'x'.repeat(16)}`, amount: 1450 }
  const bid = await submit(request.id, site.loneStar, { amount: 40_000, alternates: [long] })
  const award = await post(`/bids/${bid.id}/accept`, { alternates: [0], createPurchaseOrder: true })
  expect(award.status).toBe(200)
  const { description } = (await orderOf(award)).lines[1]
  expect(description).toBe(`Alternate (add): ${'x'.repeat(482)}\uFFFD`)
})

test('an award names only alternates that the bid offers', async () => {
  const request = await ask(form)
  const bid = await submit(request.id, site.loneStar, { lines: withPanels, alternates })
  const award = (body: object) => post(`/bids/${bid.id}/accept`, body)
  expect(pointers(await award({ alternates: [0, 2] }))).toEqual(['/alternates/1 unknown_alternate'])
  expect(pointers(await award({ alternateLineIds: ['walls'] }))).toEqual(['/alternateLineIds/0 unknown_line'])
})

test('a split award closes only the bids of its lines', async () => {
  const request = await ask({ ...form, awardMode: 'split', vendorIds: [site.loneStar, site.hillCountry, site.redrock] })
  const walls = await submit(request.id, site.loneStar, { lines: prices })
  const trusses = await submit(request.id, site.hillCountry, { lines: prices })
  const both = await submit(request.id, site.redrock, { lines: prices })
  expect(pointers(await post(`/bids/${walls.id}/accept`, { lineIds: ['crane'] }))).toEqual(['/lineIds/0 unknown_line'])
  const first = await post(`/bids/${walls.id}/accept`, { lineIds: ['walls'], createPurchaseOrder: true })
  expect(first.body).toMatchObject({ status: 'accepted', awardedLineIds: ['walls'] })
  expect(await get(`/purchase-orders/${first.body.poIds[0]}`)).toMatchObject({
    total: 24_010,
    lines: [{ lineId: 'walls' }],
  })
  expect((await get(`/bids/${both.id}`)).status).toBe('submitted')
  const greedy = await post(`/bids/${trusses.id}/accept`, {})
  expect(greedy.status).toBe(409)
  expect(greedy.body).toMatchObject({ reason: 'already_awarded', detail: expect.stringContaining('"walls"') })
  const second = await post(`/bids/${trusses.id}/accept`, { lineIds: ['trusses'], rejectOthers: false })
  expect(second.body.status).toBe('accepted')
  expect((await get(`/bids/${both.id}`)).status).toBe('submitted')
  expect(await get(`/bids/requests/${request.id}`)).toMatchObject({
    status: 'awarded',
    acceptedBidIds: [walls.id, trusses.id].sort(),
  })
  const single = await ask(form)
  const bid = await submit(single.id, site.loneStar, { lines: prices })
  expect(pointers(await post(`/bids/${bid.id}/accept`, { lineIds: ['walls'] }))).toEqual(['/lineIds split'])
})

test('revoking an award voids its draft order and closes the bid request again', async () => {
  const request = await ask()
  const bid = await submit(request.id, site.loneStar)
  const reserve = await submit(request.id, site.hillCountry, { amount: 41_000 })
  const { body: won } = await post(`/bids/${bid.id}/accept`, { createPurchaseOrder: true, rejectOthers: false })
  const { length: before } = await listEvents(plumbline, site.organizationId)
  const revoked = await post(`/bids/${bid.id}/reject`, { reason: 'The crew is not available.' })
  expect(revoked.body).toMatchObject({
    status: 'rejected',
    decisionReason: 'The crew is not available.',
    poIds: won.poIds,
  })
  expect(await get(`/purchase-orders/${won.poIds[0]}`)).toMatchObject({ status: 'void' })
  expect((await get(`/bids/requests/${request.id}`)).status).toBe('closed')
  const events = (await listEvents(plumbline, site.organizationId)).slice(before)
  expect(events.map((event) => event.type)).toEqual(['bid.rejected', 'po.status_changed', 'bid_request.updated'])

  const { body: next } = await post(`/bids/${reserve.id}/accept`, { createPurchaseOrder: true })
  expect(next.status).toBe('accepted')
  const orderPath = `/purchase-orders/${next.poIds[0]}/status`
  for (const status of ['approved', 'issued']) expect((await post(orderPath, { status })).body.status).toBe(status)
  const ordered = await post(`/bids/${reserve.id}/reject`, {})
  expect(ordered.status).toBe(409)
  expect(ordered.body).toMatchObject({ detail: expect.stringContaining('has been issued to the vendor') })
  await post(orderPath, { status: 'declined' })
  expect((await post(`/bids/${reserve.id}/reject`, {})).body.status).toBe('rejected')
})

test('a rejected or withdrawn bid cannot change its status', async () => {
  const request = await ask()
  const [one, two] = [await submit(request.id, site.loneStar), await submit(request.id, site.hillCountry)]
  expect((await post(`/bids/${one.id}/reject`)).body).toMatchObject({ status: 'rejected', decisionReason: null })
  expect((await post(`/bids/${two.id}/withdraw`)).body).toMatchObject({ status: 'withdrawn', decidedAt: null })
  for (const { id } of [one, two]) {
    const again = await post(`/bids/${id}/withdraw`)
    expect(again.status).toBe(409)
    expect(again.body).toMatchObject({ code: 'invalid_transition', to: 'withdrawn', allowed: [] })
  }
  expect(await typesOf(one.id)).toEqual(['bid.submitted', 'bid.rejected'])
  expect(await typesOf(two.id)).toEqual(['bid.submitted'])
  expect((await get(`/bids/requests/${request.id}`)).bidCount).toBe(1)
})

test('creating a bid twice with the same Idempotency-Key creates only one bid', async () => {
  const request = await ask()
  const body = { bidRequestId: request.id, vendorId: site.loneStar, amount: 1 }
  const headers = { 'idempotency-key': `bid-${request.id}` }
  const first = await post('/bids', body, { headers })
  const again = await post('/bids', body, { headers })
  expect(again.status).toBe(201)
  expect(again.body).toEqual(first.body)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
})

test("a builder cannot see or change another builder's bids", async () => {
  const request = await ask()
  const body = { bidRequestId: request.id, vendorId: site.loneStar, amount: 1 }
  const first = await post('/bids', body)
  const { key } = await plumbline.newBuilder()
  const path = `/api/ext/bids/${first.body.id}`
  expect((await plumbline.get(path, { key })).status).toBe(404)
  expect((await plumbline.patch(path, { amount: 2 }, { key })).status).toBe(404)
  for (const action of ['accept', 'reject', 'withdraw'])
    expect((await plumbline.post(`${path}/${action}`, {}, { key })).status).toBe(404)
  expect((await plumbline.get('/api/ext/bids', { key })).body.data).toEqual([])
  const foreign = await plumbline.post('/api/ext/bids', body, { key })
  expect(foreign.body.code).toBe('unknown_reference')
})

// These tests must be last, because they advance the clock.
test('a bid cannot be awarded after its last valid day', async () => {
  const request = await ask({ deadline: site.day(60) })
  const short = await submit(request.id, site.loneStar, { amount: 1, validUntil: site.day(3) })
  const long = await submit(request.id, site.hillCountry, { amount: 2, validUntil: site.day(30) })
  plumbline.clock.advance(5 * DAY_MS)
  const late = await post(`/bids/${short.id}/accept`, {})
  expect(late.status).toBe(409)
  await expect.poll(async () => (await get(`/bids/${short.id}`)).status, { timeout: 10_000 }).toBe('expired')
  expect((await get(`/bids/${long.id}`)).status).toBe('submitted')
  expect(await typesOf(short.id)).toEqual(['bid.submitted'])
  expect((await post('/bids', { bidRequestId: request.id, vendorId: site.loneStar, amount: 1 })).status).toBe(201)
  expect((await get(`/bids/requests/${request.id}`)).bidCount).toBe(2)
})
