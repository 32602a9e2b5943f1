import { afterAll, beforeAll, expect, test } from 'vitest'
import { listEvents } from '../../../test/support/recorded-events.ts'
import { buildSite, type Site } from '../../../test/support/site.ts'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

const LINES = [
  { lineId: 'walls', description: 'Wall framing', quantity: 2450, unit: 'SF' },
  { lineId: 'trusses', description: 'Trusses', quantity: 1, unit: 'LS' },
  { lineId: 'cleanup', description: 'Clean-up', quantity: 1, unit: 'LS', required: false },
]

interface Invited {
  request: ServiceResponse['body']
  post(path: string, body?: unknown): Promise<ServiceResponse>
  get(): Promise<ServiceResponse>
}

async function invite(more: object = {}): Promise<Invited> {
  const { body } = await plumbline.post('/api/ext/bids/request', { ...site.framing(), ...more }, { key: site.key })
  const [{ id }] = body.invitations
  const key = (await plumbline.mailedLink(id)).split('/').at(-1) ?? ''
  const path = `/api/portal/invitations/${id}/bid`
  return {
    request: body,
    post: (rest, content) => plumbline.post(path + rest, content, { key }),
    get: () => plumbline.get(path, { key }),
  }
}

const bidsOn = async (request: { id: string }) =>
  (await plumbline.get(`/api/ext/bids?bidRequestId=${request.id}`, { key: site.key })).body.data

test('a draft bid shows the vendor its total and the missing prices', async () => {
  const { request, post, get } = await invite({ lines: LINES, bidType: 'unit_price' })
  expect((await get()).body).toMatchObject({ canBid: true, canWithdraw: false, draft: null, review: null, bid: null })
  const before = (await plumbline.get(`/api/ext/bids/requests/${request.id}`, { key: site.key })).body
  const events = (await listEvents(plumbline, site.organizationId)).length
  const { status, body } = await post('/draft', {
    lines: [{ lineId: 'walls', unitPrice: 9.87 }, { lineId: 'trusses' }],
  })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    draft: { version: 1, lines: [{ unitPrice: 9.87 }, { unitPrice: null }] },
    review: {
      total: 24181.5,
      openLineIds: ['trusses', 'cleanup'],
      problems: [{ pointer: '/lines', code: 'missing_line' }],
    },
  })
  expect((await post('/submit')).status).toBe(422)
  expect((await plumbline.get(`/api/ext/bids/requests/${request.id}`, { key: site.key })).body).toEqual(before)
  expect((await listEvents(plumbline, site.organizationId)).length).toBe(events)
  expect(await bidsOn(request)).toEqual([])
  expect((await post('/discard')).body).toMatchObject({ draft: null, review: null })
  expect(await post('/submit')).toMatchObject({ status: 409, body: { code: 'conflict' } })
})

test('a vendor can submit, revise, and withdraw a bid in the portal', async () => {
  const { request, post, get } = await invite({ lines: LINES, bidType: 'unit_price', blind: true })
  const lines = [
    { lineId: 'walls', unitPrice: 9.5, note: 'Studs at 16 inches.' },
    { lineId: 'trusses', unitPrice: 11_000, alternate: true, note: 'From another plant.' },
    { lineId: 'cleanup', excluded: true },
  ]
  const { body: saved } = await post('/draft', { lines, exclusions: 'Crane.', note: 'Two crews.', leadTimeDays: 9 })
  expect(saved.review).toEqual({ total: 23_275, openLineIds: [], problems: [] })
  expect((await post('/submit', { version: saved.draft.version + 1 })).status).toBe(409)
  const { status, body } = await post('/submit', { version: saved.draft.version })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    canWithdraw: true,
    draft: null,
    bid: { status: 'submitted', revision: 1, amount: 23_275, note: 'Two crews.', lines: [{ unitPrice: 9.5 }, {}, {}] },
  })
  // The bid request is blind: the builder sees that there is a bid, but not its amount.
  expect(await bidsOn(request)).toMatchObject([{ source: 'portal', amount: null, amountsHidden: true }])
  const submitted = (await listEvents(plumbline, site.organizationId)).findLast(({ type }) => type === 'bid.submitted')
  expect(submitted?.actor).toEqual({ type: 'vendor', id: site.loneStar })

  await post('/draft', { lines: lines.map((line) => ('unitPrice' in line ? { ...line, unitPrice: 9 } : line)) })
  expect((await get()).body).toMatchObject({ draft: {}, bid: { revision: 1, amount: 23_275 } })
  expect((await post('/submit')).body.bid).toMatchObject({ revision: 2, amount: 22_050, exclusions: null })
  expect((await post('/withdraw', { reason: 'Booked.' })).body).toMatchObject({
    canBid: true,
    canWithdraw: false,
    bid: { status: 'withdrawn' },
  })
  expect((await post('/withdraw')).body.code).toBe('invalid_transition')
  await post('/draft', { lines })
  expect((await post('/submit')).body.bid).toMatchObject({ status: 'submitted', revision: 1 })
  expect((await bidsOn(request)).map((bid: { status: string }) => bid.status)).toEqual(['submitted', 'withdrawn'])
})

test('a draft bid cannot be saved or submitted after the deadline', async () => {
  const { post, get } = await invite()
  await post('/draft', { amount: 41_000 })
  plumbline.clock.advance(15 * 86_400_000)
  expect(await post('/draft', { amount: 40_000 })).toMatchObject({ status: 409, body: { code: 'conflict' } })
  expect((await post('/submit')).status).toBe(409)
  expect((await get()).body).toMatchObject({ canBid: false, draft: { amount: 41_000 }, bid: null })
})

test('the errors of a draft bid point to the fields of the draft', async () => {
  const { post } = await invite({ lines: LINES, bidType: 'lump_sum' })
  const { body } = await post('/draft', {
    lines: [{ lineId: 'walls' }, { lineId: 'nowhere', unitPrice: 5 }, { unitPrice: 3 }],
    validUntil: site.day(-1),
  })
  expect(body.review.problems.map((each: { pointer: string }) => each.pointer)).toEqual([
    '/lines/1/lineId',
    '/lines/1/description',
    '/lines/2/description',
    '/validUntil',
  ])
})

test("a vendor cannot see another vendor's bid", async () => {
  const { request } = await invite()
  const [, other] = request.invitations
  const key = (await plumbline.mailedLink(other.id)).split('/').at(-1) ?? ''
  expect((await plumbline.get(`/api/portal/invitations/${request.invitations[0].id}/bid`, { key })).status).toBe(404)
})

test('a vendor can submit a bid at most six times per hour', async () => {
  const { request, post } = await invite()
  for (let i = 1; i <= 7; i++) {
    await post('/draft', { amount: 41_000 + i })
    const { status, body } = await post('/submit')
    expect([i, status, body.code]).toEqual(i <= 6 ? [i, 200, undefined] : [i, 429, 'too_many_answers'])
  }
  const [bid] = await bidsOn(request)
  expect(bid).toMatchObject({ amount: 41_006, revision: 6 })
})
