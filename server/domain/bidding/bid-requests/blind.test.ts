import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listEvents, listEventsAbout } from '../../../../test/support/recorded-events.ts'
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

/**
 * The amounts of both bids, their average, and the prices of one bid. These values occur nowhere else, so the test
 * detects every leak.
 */
const SECRETS = ['48217.31', '53908.77', '51063.04', '32538.77', '21.37', '21370']

interface Blind {
  site: Site
  requestId: string
  lumpSum: string
  itemized: string
  execute(skill: string, input: object, more?: object): Promise<ServiceResponse>
  dryRun(skill: string, input: object): Promise<ServiceResponse>
}

/** Creates an open blind request with a lump-sum bid and an itemized bid. */
async function blindRequest(more: object = {}): Promise<Blind> {
  const site = await buildSite(plumbline)
  const { key } = site
  const created = async (path: string, body: unknown): Promise<string> => {
    const answer = await plumbline.post(path, body, { key })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body.id
  }
  const lines = [
    { lineId: 'walls', description: 'Walls', quantity: 1000 },
    { lineId: 'trusses', description: 'Trusses' },
  ]
  const form = { ...site.framing(), blind: true, homeIds: [site.lot15], lines, ...more }
  const requestId = await created('/api/ext/bids/request', form)
  const lumpSum = await created('/api/ext/bids', {
    bidRequestId: requestId,
    vendorId: site.loneStar,
    amount: 48_217.31,
  })
  const itemized = await created('/api/ext/bids', {
    bidRequestId: requestId,
    vendorId: site.hillCountry,
    lines: [
      { lineId: 'walls', unitPrice: 21.37 },
      { lineId: 'trusses', unitPrice: 32_538.77 },
    ],
  })
  const execute = (skill: string, input: object, also: object = {}) =>
    plumbline.post('/api/ext/execute', { skill, input, ...also }, { key })
  const dryRun = (skill: string, input: object) => execute(skill, input, { dryRun: true })
  return { site, requestId, lumpSum, itemized, execute, dryRun }
}

function expectNoSecret(reported: unknown): void {
  // Remove timestamps, because their seconds can look like an amount.
  const text = JSON.stringify(reported).replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, 'null')
  for (const secret of SECRETS) expect(text).not.toContain(secret)
}

describe('a dry run reveals no amount that a read would hide, in its result, events, or error', () => {
  let blind: Blind
  let before: unknown
  const reading = async ({ requestId, lumpSum, site }: Blind) => [
    (await plumbline.get(`/api/ext/bids/requests/${requestId}`, { key: site.key })).body,
    (await plumbline.get(`/api/ext/bids/${lumpSum}`, { key: site.key })).body,
    (await listEvents(plumbline, site.organizationId)).length,
  ]
  beforeAll(async () => {
    blind = await blindRequest()
    before = await reading(blind)
  })

  test.each<[skill: string, input: (blind: Blind) => object, status: number]>([
    ['closeBidRequest', ({ requestId }) => ({ bidRequestId: requestId }), 200],
    ['cancelBidRequest', ({ requestId }) => ({ bidRequestId: requestId, reason: 'Not now' }), 200],
    ['reopenBidRequest', ({ requestId, site }) => ({ bidRequestId: requestId, deadline: site.day(20) }), 409],
    ['updateBidRequest', ({ requestId }) => ({ bidRequestId: requestId, blind: false }), 409],
    ['updateBidRequest', ({ requestId }) => ({ bidRequestId: requestId, acceptLate: true }), 200],
    ['remindInvitedVendors', ({ requestId }) => ({ bidRequestId: requestId }), 200],
    ['inviteToBid', ({ requestId, site }) => ({ bidRequestId: requestId, vendorIds: [site.redrock] }), 200],
    ['acceptBid', ({ lumpSum }) => ({ bidId: lumpSum }), 409],
    ['acceptBid', ({ lumpSum, site }) => ({ bidId: lumpSum, createPurchaseOrder: true, homeId: site.lot15 }), 409],
    ['awardBid', ({ itemized }) => ({ bidId: itemized, createPurchaseOrder: true }), 409],
    ['rejectBid', ({ lumpSum }) => ({ bidId: lumpSum }), 200],
    ['withdrawBid', ({ itemized }) => ({ bidId: itemized }), 200],
    ['reviseBid', ({ itemized }) => ({ bidId: itemized, durationDays: 3 }), 200],
    ['createPurchaseOrder', ({ lumpSum, site }) => ({ bidId: lumpSum, homeId: site.lot15 }), 409],
    ['compareBids', ({ requestId }) => ({ bidRequestId: requestId }), 200],
    ['listBids', ({ requestId }) => ({ bidRequestId: requestId }), 200],
  ])('a dry run of %s reveals no amount of a blind bid request', async (skill, input, status) => {
    const tried = await blind.dryRun(skill, input(blind))
    expect(tried.status, JSON.stringify(tried.body)).toBe(status)
    expectNoSecret(tried.body)
    expect(await reading(blind)).toEqual(before)
  })
})

test('closing a blind bid request reveals its amounts, but a dry run of closing it does not', async () => {
  const { requestId, execute, dryRun, lumpSum, site } = await blindRequest()
  const tried = await dryRun('closeBidRequest', { bidRequestId: requestId })
  const stillHidden = { status: 'closed', amountsHidden: true, bidCount: 2, lowAmount: null, averageAmount: null }
  expect(tried.body).toMatchObject({ result: stillHidden, events: [{ data: { object: stillHidden } }] })
  const closed = await execute('closeBidRequest', { bidRequestId: requestId })
  const shown = { status: 'closed', amountsHidden: false, lowAmount: 48_217.31, highAmount: 53_908.77 }
  expect(closed.body).toMatchObject({ result: shown, events: [{ data: { object: shown } }] })
  expect((await listEventsAbout(plumbline, requestId)).at(-1)?.data.object).toMatchObject(shown)

  // A dry run shows amounts that the caller can read in any case.
  const award = await dryRun('awardBid', { bidId: lumpSum, createPurchaseOrder: true })
  expect(award.body.result).toMatchObject({ bid: { amount: 48_217.31 }, purchaseOrder: { total: 48_217.31 } })
  const reopened = await dryRun('reopenBidRequest', { bidRequestId: requestId, deadline: site.day(20) })
  expect(reopened.body.result).toMatchObject({ status: 'sent', amountsHidden: true, lowAmount: null })
})

test('correct and incorrect guesses of a hidden amount get the same response', async () => {
  const { lumpSum, itemized, dryRun } = await blindRequest()
  const outcome = async (input: object) => {
    const { status, body } = await dryRun('reviseBid', input)
    const { result, events = [], code, errors } = body
    return {
      status,
      code,
      errors,
      revision: result?.revision,
      events: events.map((event: { type: string }) => event.type),
    }
  }
  const guess = await outcome({ bidId: lumpSum, amount: 48_217.31 })
  expect(guess).toEqual(await outcome({ bidId: lumpSum, amount: 48_217.32 }))
  expect(guess).toMatchObject({ status: 200, revision: 2, events: ['bid.submitted'] })

  const sum = await outcome({ bidId: itemized, amount: 53_908.77 })
  expect(sum).toEqual(await outcome({ bidId: itemized, amount: 53_908.78 }))
  expect(sum).toMatchObject({ status: 422, errors: [{ pointer: '/input/amount', code: 'sum' }] })

  const lines = (unitPrice: number) => [
    { lineId: 'walls', unitPrice },
    { lineId: 'trusses', unitPrice: 32_538.77 },
  ]
  expect(await outcome({ bidId: itemized, lines: lines(21.37) })).toEqual(
    await outcome({ bidId: itemized, lines: lines(21.38) }),
  )
})

test.each<[skill: string, input: (blind: Blind) => object, status: number]>([
  ['updateBidRequest', ({ requestId }) => ({ bidRequestId: requestId, title: 'Framing' }), 200],
  ['cancelBidRequest', ({ requestId }) => ({ bidRequestId: requestId }), 200],
  ['rejectBid', ({ lumpSum }) => ({ bidId: lumpSum }), 200],
  ['reviseBid', ({ itemized }) => ({ bidId: itemized, durationDays: 4 }), 200],
  ['acceptBid', ({ lumpSum }) => ({ bidId: lumpSum, createPurchaseOrder: true }), 409],
  ['awardBid', ({ itemized }) => ({ bidId: itemized, createPurchaseOrder: true }), 409],
])(
  'after the deadline of a blind bid request, a dry run of %s reveals no more than a read',
  async (skill, input, status) => {
    const tried = await triedBeforeClosing(skill, input)
    expect(tried.status).toBe(status)
    expectNoSecret(tried.body)
  },
)

/**
 * Executes a dry run after the deadline of a request, but before the job closes the request, and returns the response.
 * The job closes the request within a second, so on a slow machine the dry run may be too late. In that case, tries
 * again with another request. Reading the request afterward shows whether the dry run was in time, because a closed
 * request stays closed.
 */
async function triedBeforeClosing(skill: string, input: (blind: Blind) => object): Promise<ServiceResponse> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const blind = await blindRequest({ acceptLate: true })
    plumbline.clock.advance(20 * 24 * 60 * 60 * 1000)
    const tried = await blind.dryRun(skill, input(blind))
    const read = await plumbline.get(`/api/ext/bids/requests/${blind.requestId}`, { key: blind.site.key })
    if (read.body.status === 'sent' && read.body.amountsHidden) return tried
  }
  throw new Error('The clock closed each of 50 requests before a dry run of it was answered.')
}

describe('a batch reveals no amount that was hidden before its first step', () => {
  const batch = ({ site }: Blind, steps: object[], dryRun = false) =>
    plumbline.post('/api/ext/execute/batch', { steps, dryRun }, { key: site.key })
  const opening = ({ requestId }: Blind) => [
    { name: 'closed', skill: 'closeBidRequest', input: { bidRequestId: requestId } },
    { name: 'bids', skill: 'listBids', input: { bidRequestId: requestId } },
  ]
  const undone = async ({ site, requestId }: Blind) => {
    const query = `resourceId=${requestId}&action=bid_request.opening_undone`
    const { body } = await plumbline.get(`/api/ext/audit-entries?${query}`, { key: site.key })
    return body.data
  }

  test('a batch with a failed step after the bid request was closed reveals no amount', async () => {
    const blind = await blindRequest()
    const outcome = async (amount: number) => {
      const revised = { name: 'revised', skill: 'reviseBid', input: { bidId: blind.lumpSum, amount } }
      const failing = { name: 'failing', skill: 'getVendor', input: { vendorId: 'ven_none' } }
      const { status, body } = await batch(blind, [...opening(blind), revised, failing])
      return { status, code: body.code, pointers: body.errors.map(({ pointer }: { pointer: string }) => pointer) }
    }
    const guess = await outcome(48_217.31)
    expect(guess).toEqual(await outcome(48_217.32))
    const copied = { homeIds: '$steps.bids.data.0.amount', companyName: 'x' }
    const refused = await batch(blind, [...opening(blind), { name: 'copy', skill: 'createVendor', input: copied }])
    expect(refused.status).toBe(422)
    expectNoSecret(refused.body)
    const award = { name: 'award', skill: 'awardBid', input: { bidId: blind.lumpSum } }
    const awarded = await batch(blind, [...opening(blind), award])
    expect([awarded.status, awarded.body.reason]).toEqual([409, 'bids_sealed'])
    const entries = await undone(blind)
    expect(entries).toHaveLength(4)
    expect(entries[0]).toMatchObject({ resourceType: 'bid_request', actor: { type: 'key' }, outcome: 'done' })
    const { body: read } = await plumbline.get(`/api/ext/bids/requests/${blind.requestId}`, { key: blind.site.key })
    expect(read).toMatchObject({ status: 'sent', amountsHidden: true })
  })

  test('a dry run of a batch that closes the bid request reveals no amount', async () => {
    const blind = await blindRequest()
    const tried = await batch(blind, opening(blind), true)
    expect(tried.status).toBe(200)
    expectNoSecret(tried.body)
    await blind.dryRun('closeBidRequest', { bidRequestId: blind.requestId })
    expect(await undone(blind)).toHaveLength(2)
  })

  test('a batch that closes the bid request shows its amounts in the event but not in the results', async () => {
    const blind = await blindRequest()
    const { status, body } = await batch(blind, opening(blind))
    expect(status).toBe(200)
    expectNoSecret(body.steps.map(({ result }: { result: unknown }) => result))
    const [closed] = body.steps
    expect(closed).toMatchObject({ result: { status: 'closed', amountsHidden: true, lowAmount: null } })
    expect(closed.events[0].data.object).toMatchObject({ amountsHidden: false, lowAmount: 48_217.31 })
    expect(await undone(blind)).toEqual([])
    const { body: read } = await plumbline.get(`/api/ext/bids/${blind.lumpSum}`, { key: blind.site.key })
    expect(read.amount).toBe(48_217.31)
  })
})
