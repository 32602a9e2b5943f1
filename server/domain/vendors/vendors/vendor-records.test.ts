import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listEventsAbout } from '../../../../test/support/recorded-events.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

const framing = { companyName: 'Lone Star Framing LLC', email: 'bids@lonestarframing.example.com', scopes: ['framing'] }

async function newVendor(more: object = {}, key = plumbline.key): Promise<string> {
  const { body } = await plumbline.post('/api/ext/vendors', { ...framing, ...more }, { key })
  return body.id
}

const move = (vendorId: string, status: string, reason?: string) =>
  plumbline.post(`/api/ext/vendors/${vendorId}/status`, { status, ...(reason !== undefined && { reason }) })

test('each status change of a vendor creates a history entry', async () => {
  const vendorId = await newVendor({ status: 'prospective' })
  for (const status of ['active', 'on_hold', 'active', 'inactive', 'active']) {
    const moved = await move(vendorId, status, `to ${status}`)
    expect(moved).toMatchObject({ status: 200, body: { id: vendorId, status } })
    expect(moved.headers.get('etag')).toBe(`"${moved.body.version}"`)
  }
  const [, ...events] = await listEventsAbout(plumbline, vendorId)
  expect(events.map((event) => event.type)).toEqual(Array(5).fill('vendor.updated'))
  expect(events[1]).toMatchObject({ data: { object: { status: 'on_hold' }, previous: { status: 'active' } } })
  const history = await plumbline.database.statements
    .selectFrom('statusChanges')
    .select(['from', 'to', 'reason'])
    .where('resourceId', '=', vendorId)
    .where('from', 'is not', null)
    .orderBy('id')
    .execute()
  expect(history[1]).toEqual({ from: 'active', to: 'on_hold', reason: 'to on_hold' })
})

test('the error for an invalid status change of a vendor lists the allowed statuses', async () => {
  const vendorId = await newVendor({ status: 'prospective' })
  const refused = await move(vendorId, 'on_hold')
  expect(refused.status).toBe(409)
  expect(refused.body).toMatchObject({
    code: 'invalid_transition',
    from: 'prospective',
    to: 'on_hold',
    allowed: ['active', 'inactive'],
  })
  await plumbline.delete(`/api/ext/vendors/${vendorId}`)
  expect(await move(vendorId, 'active')).toMatchObject({ status: 409, body: { code: 'conflict' } })
})

test('only one of two concurrent status changes of a vendor succeeds', async () => {
  const vendorId = await newVendor()
  const answers = await Promise.all([move(vendorId, 'on_hold'), move(vendorId, 'on_hold')])
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
})

test('each portal invitation creates a new link and emits an event', async () => {
  const vendorId = await newVendor()
  const first = await plumbline.post(`/api/ext/vendors/${vendorId}/invite`)
  expect(first.status).toBe(200)
  expect(first.body.vendor).toMatchObject({ id: vendorId, portalStatus: 'invited', version: 2 })
  const link = await plumbline.mailedLink(vendorId)
  expect((await fetch(plumbline.url + new URL(link).pathname)).status).toBe(200)
  const again = await plumbline.post(`/api/ext/vendors/${vendorId}/invite`)
  expect(again.body).toMatchObject({ vendor: { id: vendorId, portalStatus: 'joined' } })
  expect((await fetch(plumbline.url + new URL(link).pathname)).status).toBe(410)
  const events = (await listEventsAbout(plumbline, vendorId)).filter(({ type }) => type === 'vendor.invited')
  expect(events).toHaveLength(2)
  expect(events[0]).toMatchObject({
    data: {
      object: first.body.vendor,
      previous: { portalStatus: 'not_invited' },
      reason: 'portal',
      bidRequestId: null,
    },
  })
  expect(events[1]).toMatchObject({ data: { previous: null } })
})

test('a vendor that is on hold, inactive, archived, or without an email address cannot be invited to the portal', async () => {
  const onHold = await newVendor()
  await move(onHold, 'on_hold')
  const inactive = await newVendor()
  await move(inactive, 'inactive')
  const archived = await newVendor()
  await plumbline.delete(`/api/ext/vendors/${archived}`)
  const mute = await newVendor({ email: null })
  for (const [vendorId, reason, why] of [
    [onHold, 'vendor_on_hold', 'is on hold.'],
    [inactive, 'vendor_inactive', 'is inactive.'],
    [archived, 'vendor_archived', 'is archived.'],
    [mute, 'no_recipient', 'has no email address.'],
  ] as const) {
    const refused = await plumbline.post(`/api/ext/vendors/${vendorId}/invite`)
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict', reason } })
    expect(refused.body.detail).toContain(why)
  }
})

test('a vendor with expired documents can still be invited to the portal to submit new documents', async () => {
  const vendorId = await newVendor()
  await plumbline.post(`/api/ext/vendors/${vendorId}/compliance-documents`, {
    type: 'auto',
    status: 'valid',
    expirationDate: '2020-01-01',
  })
  const invited = await plumbline.post(`/api/ext/vendors/${vendorId}/invite`)
  expect(invited).toMatchObject({ status: 200, body: { vendor: { complianceStatus: 'expired' } } })
})

test("a builder cannot change, invite, or evaluate another builder's vendors", async () => {
  const vendorId = await newVendor()
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.post(`/api/ext/vendors/${vendorId}/status`, { status: 'inactive' }, { key })).status).toBe(
    404,
  )
  expect((await plumbline.post(`/api/ext/vendors/${vendorId}/invite`, undefined, { key })).status).toBe(404)
  expect((await plumbline.get(`/api/ext/vendors/${vendorId}/scorecard`, { key })).status).toBe(404)
})

test('a vendor without a history has a scorecard without a score', async () => {
  const vendorId = await newVendor()
  const { status, body } = await plumbline.get(`/api/ext/vendors/${vendorId}/scorecard`)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    vendorId,
    from: null,
    to: null,
    currency: 'USD',
    invitations: { sent: 0, answeredPercent: null },
    bids: { submitted: 0, winPercent: null },
    orders: { count: 0, amount: 0, compared: 0, averageVariancePercent: null },
    openCommitment: 0,
    score: null,
  })
})

test('a scorecard period that ends before it begins is rejected', async () => {
  const vendorId = await newVendor()
  const refused = await plumbline.get(`/api/ext/vendors/${vendorId}/scorecard?from=2026-11-02&to=2026-11-01`)
  expect(refused).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ pointer: 'to' }] } })
})

test('the scorecard of a vendor is computed from its invitations, bids, and orders in the period', async () => {
  const { key } = await plumbline.newBuilder()
  const post = async (path: string, body: object) => {
    const answer = await plumbline.post(path, body, { key })
    if (answer.status >= 300) throw new Error(`${path} answered ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const today = toLocalDate('America/Chicago', plumbline.clock.now())
  const [winner, loser] = [await newVendor({}, key), await newVendor({ companyName: 'Hill Country Framers' }, key)]
  const community = await post('/api/ext/communities', { name: 'Juniper Ridge', status: 'active' })
  const home = await post('/api/ext/homes', { name: 'Lot 15', communityId: community.id })
  await post(`/api/ext/homes/${home.id}/budget/lines`, { scope: 'framing', amount: 42_000 })
  await post(`/api/ext/homes/${home.id}/budget/lines`, { scope: 'plumbing', amount: 20_000 })
  const requested = { scope: 'framing', communityId: community.id, homeIds: [home.id], deadline: addDays(today, 14) }

  const request = await post('/api/ext/bids/request', { ...requested, vendorIds: [winner, loser] })
  const bid = await post('/api/ext/bids', { bidRequestId: request.id, vendorId: winner, amount: 40_000 })
  await post('/api/ext/bids', { bidRequestId: request.id, vendorId: loser, amount: 41_000 })
  await post(`/api/ext/bids/${bid.id}/accept`, {})
  const ignored = await post('/api/ext/bids/request', { ...requested, vendorIds: [winner] })
  await plumbline.post(`/api/ext/bids/requests/${ignored.id}/close`, undefined, { key })

  const order = async (fields: object) => {
    const { id } = await post('/api/ext/purchase-orders', { homeId: home.id, ...fields })
    await post(`/api/ext/purchase-orders/${id}/status`, { status: 'approved' })
  }
  const line = (unitPrice: number) => [{ description: 'Work', quantity: 1, unitPrice }]
  await order({ bidId: bid.id })
  const unforeseen = { poType: 'variance', varianceReasonCode: 'field_error', varianceResponsible: 'builder' }
  await order({ vendorId: winner, scope: 'Framing', lines: line(2000), ...unforeseen })
  await order({ vendorId: winner, scope: 'framing', lines: line(-500), poType: 'backcharge' })
  await order({ vendorId: loser, scope: 'plumbing', lines: line(19_000) })

  const scorecard = async (vendorId: string, query = '') =>
    (await plumbline.get(`/api/ext/vendors/${vendorId}/scorecard?${query}`, { key })).body
  // A cost of 5% above the bid loses 25 of 100 points: (50 × 40 + 100 × 20 + 75 × 40) / 100.
  const whole = {
    invitations: { sent: 2, answered: 1, unanswered: 1, answeredPercent: 50 },
    bids: { submitted: 1, accepted: 1, rejected: 0, winPercent: 100 },
    orders: { count: 3, amount: 41_500, compared: 1, averageVariancePercent: 5 },
    openCommitment: 41_500,
    score: 70,
  }
  expect(await scorecard(winner)).toMatchObject(whole)
  expect(await scorecard(winner, `from=${today}&to=${today}`)).toMatchObject({ ...whole, from: today, to: today })
  expect(await scorecard(winner, `to=${addDays(today, -1)}`)).toMatchObject({
    orders: { count: 0 },
    openCommitment: 41_500,
    score: null,
  })
  expect(await scorecard(winner, `from=${addDays(today, 1)}`)).toMatchObject({
    invitations: { sent: 0 },
    bids: { submitted: 0 },
    score: null,
  })
  // A cost of 5% below the budget loses no points: (100 × 40 + 0 × 20 + 100 × 40) / 100.
  expect(await scorecard(loser)).toMatchObject({
    bids: { winPercent: 0 },
    orders: { averageVariancePercent: -5 },
    score: 80,
  })
})

describe('the expected cost of a scorecard', () => {
  /** Awards a bid, creates its order, and returns the scorecard of the vendor. */
  async function scoreAward(bidFields: object, award: object) {
    const { key } = await plumbline.newBuilder()
    const post = async (path: string, body: object) => {
      const response = await plumbline.post(`/api/ext${path}`, body, { key })
      if (response.status >= 300) throw new Error(`${path} returned ${JSON.stringify(response.body)}`)
      return response.body
    }
    const today = toLocalDate('America/Chicago', plumbline.clock.now())
    const vendorId = await newVendor({}, key)
    const community = await post('/communities', { name: 'Juniper Ridge', status: 'active' })
    const home = await post('/homes', { name: 'Lot 15', communityId: community.id })
    const place = { scope: 'framing', communityId: community.id, homeIds: [home.id] }
    const request = await post('/bids/request', { ...place, deadline: addDays(today, 14), vendorIds: [vendorId] })
    const bid = await post('/bids', { bidRequestId: request.id, vendorId, ...bidFields })
    const { purchaseOrder } = await post(`/bids/${bid.id}/accept`, { ...award, createPurchaseOrder: true })
    await post(`/purchase-orders/${purchaseOrder.id}/status`, { status: 'approved' })
    return (await plumbline.get(`/api/ext/vendors/${vendorId}/scorecard`, { key })).body
  }

  const alternates = [
    { description: 'Zip sheathing', amount: 2000 },
    { description: 'Steel beams', amount: 9000 },
    { description: 'No blocking', amount: -500 },
  ]
  const lines = [
    { description: 'Walls', unitPrice: 40_000 },
    { lineId: 'crane', description: 'Larger crane', unitPrice: 900, alternate: true },
  ]

  test('the expected cost in a scorecard includes the awarded alternates of a lump sum', async () => {
    const scorecard = await scoreAward({ amount: 40_000, alternates }, { alternates: [0, 2] })
    expect(scorecard.orders).toMatchObject({ amount: 41_500, compared: 1, averageVariancePercent: 0 })
  })

  test('the expected cost in a scorecard includes the awarded alternates of a bid with lines', async () => {
    const scorecard = await scoreAward({ lines, alternates }, { alternates: [0], alternateLineIds: ['crane'] })
    expect(scorecard.orders).toMatchObject({ amount: 42_900, compared: 1, averageVariancePercent: 0 })
  })

  test('the expected cost in a scorecard does not include alternates that were not awarded', async () => {
    const scorecard = await scoreAward({ lines, alternates }, {})
    expect(scorecard.orders).toMatchObject({ amount: 40_000, compared: 1, averageVariancePercent: 0 })
  })
})
