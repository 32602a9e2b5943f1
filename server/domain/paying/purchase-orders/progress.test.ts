import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listEvents } from '../../../../test/support/recorded-events.ts'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let site: Site
let homeId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
// Each test has its own home and therefore its own order numbers and budget.
beforeEach(async () => {
  homeId = (await made('/homes', { name: 'Lot 41', communityId: site.communityId })).id
})
afterAll(() => plumbline.stop())

type Body = ServiceResponse['body']
const post = (path: string, body: object) => plumbline.post(`/api/ext${path}`, body, { key: site.key })
const get = async (path: string): Promise<Body> => (await plumbline.get(`/api/ext${path}`, { key: site.key })).body
const made = async (path: string, body: object): Promise<Body> => {
  const answer = await post(path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const move = async (id: string, ...statuses: string[]) => {
  for (const status of statuses) {
    const answer = await post(`/purchase-orders/${id}/status`, { status, reason: 'As agreed.' })
    expect(answer.body, JSON.stringify(answer.body)).toMatchObject({ status })
  }
}
const LINES = [
  { lineId: 'walls', description: 'Walls', quantity: 3, unit: 'EA', unitPrice: 33.35, taxPercent: 8.25 },
  { lineId: 'trusses', description: 'Trusses', quantity: 1, unitPrice: 500 },
]
/** Creates an order of 608.30: walls for 100.05 plus 8.25 tax, and trusses for 500. */
const ordered = async (status: string, more: object = {}): Promise<Body> => {
  const order = { homeId, vendorId: site.loneStar, scope: 'framing', retainagePercent: 10, lines: LINES, ...more }
  const { id } = await made('/purchase-orders', order)
  const path = ['approved', 'issued', 'accepted']
  if (status !== 'draft') await move(id, ...path.slice(0, path.indexOf(status) + 1))
  return get(`/purchase-orders/${id}`)
}
const progress = (id: string, body: object) => post(`/purchase-orders/${id}/progress`, body)
const pointers = ({ body }: ServiceResponse) =>
  body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
const movesOf = async (id: string) =>
  (await listEvents(plumbline, site.organizationId)).flatMap(({ type, data }) =>
    type === 'po.status_changed' && data.object.id === id ? [data.object.status] : [],
  )

test('recording progress by line, percentage, or quantity updates the status of the order', async () => {
  const { id } = await ordered('accepted')
  const started = await progress(id, { lines: [{ lineId: 'walls', completedQuantity: 1 }] })
  expect(started.status, JSON.stringify(started.body)).toBe(200)
  expect(started.body).toMatchObject({
    status: 'partially_completed',
    lines: [
      { lineId: 'walls', completedPercent: 33.33, completedQuantity: 1, completedAmount: 36.1 },
      { lineId: 'trusses', completedPercent: 0, completedQuantity: 0, completedAmount: 0 },
    ],
    ...{ completedAmount: 36.1, retainedAmount: 3.61, paidAmount: 0, payableAmount: 32.49, balance: 608.3 },
  })
  expect(await get(`/purchase-orders/${id}`)).toEqual(started.body)
  const further = await progress(id, {
    lines: [
      { lineId: 'trusses', completedPercent: 12.5 },
      { lineId: 'walls', completedQuantity: 2.9999 },
    ],
  })
  expect(further.body).toMatchObject({
    ...{ status: 'partially_completed', completedAmount: 170.8, completedAt: null },
    lines: [
      { completedPercent: 99.99, completedAmount: 108.3 },
      { completedPercent: 12.5, completedQuantity: 0.125, completedAmount: 62.5 },
    ],
  })
  expect(further.body.version).toBeGreaterThan(started.body.version)
  const done = await progress(id, { completedPercent: 100 })
  expect(done.body).toMatchObject({
    ...{ status: 'completed', completedAmount: 608.3, retainedAmount: 60.83, payableAmount: 547.47 },
    lines: [{ completedQuantity: 3 }, { completedQuantity: 1 }],
  })
  expect(done.body.completedAt).not.toBeNull()
  expect((await progress(id, { completedPercent: 100 })).body).toEqual(done.body)
  expect(await movesOf(id)).toEqual(['approved', 'issued', 'accepted', 'partially_completed', 'completed'])
  await move(id, 'closed')
  expect(await get(`/purchase-orders/${id}`)).toMatchObject({
    ...{ completedAmount: 608.3, retainedAmount: 0, paidAmount: 608.3, payableAmount: 0, balance: 0 },
  })
})

test('reducing the progress of an order requires a reason and reverts the completion of the order', async () => {
  const { id } = await ordered('accepted')
  await progress(id, { completedPercent: 100 })
  const lower = { lines: [{ lineId: 'trusses', completedPercent: 60 }] }
  expect(pointers(await progress(id, lower))).toEqual(['/reason required'])
  const undone = await progress(id, { ...lower, reason: 'Six trusses are missing.' })
  expect(undone.body).toMatchObject({ status: 'partially_completed', completedAmount: 408.3, completedAt: null })
  const nothing = await progress(id, { completedPercent: 0, reason: 'It was another house.' })
  expect(nothing.body).toMatchObject({ status: 'partially_completed', completedAmount: 0, retainedAmount: 0 })
  const history = await plumbline.database.statements
    .selectFrom('statusChanges')
    .select(['from', 'to', 'reason'])
    .where('resourceId', '=', id)
    .orderBy('id')
    .execute()
  expect(history.slice(-2)).toEqual([
    { from: 'completed', to: 'partially_completed', reason: 'Six trusses are missing.' },
    { from: 'partially_completed', to: 'partially_completed', reason: 'It was another house.' },
  ])
})

test('manually completing an order completes all its lines', async () => {
  const { id } = await ordered('accepted')
  await progress(id, { completedPercent: 25 })
  await move(id, 'completed')
  expect(await get(`/purchase-orders/${id}`)).toMatchObject({
    completedAmount: 608.3,
    lines: [{ completedPercent: 100 }, { completedPercent: 100 }],
  })
})

test('reverting the completion of an order resets its progress', async () => {
  const { id } = await ordered('accepted')
  await move(id, 'completed')
  await move(id, 'partially_completed')
  const undone = await get(`/purchase-orders/${id}`)
  expect(undone).toMatchObject({ completedAmount: 0, retainedAmount: 0, lines: [{ completedAmount: 0 }, {}] })
})

test('voiding an order resets its progress', async () => {
  const { id } = await ordered('accepted')
  await progress(id, { completedPercent: 25 })
  await move(id, 'void')
  expect(await get(`/purchase-orders/${id}`)).toMatchObject({ completedAmount: 0, payableAmount: 0, balance: 0 })
})

test('recording progress on an issued order also accepts the order', async () => {
  const { id, version } = await ordered('issued')
  expect((await progress(id, { completedPercent: 0 })).body).toMatchObject({ status: 'issued', version })
  const done = await progress(id, { completedPercent: 100 })
  expect(done.body).toMatchObject({ status: 'completed' })
  expect(done.body.acceptedAt).not.toBeNull()
  expect(await movesOf(id)).toEqual(['approved', 'issued', 'accepted', 'completed'])
})

test('progress can be recorded only on an issued order that is still open', async () => {
  const { id } = await ordered('accepted', {
    lines: [...LINES, { lineId: 'free', description: 'Straps', quantity: 0, unitPrice: 5 }],
  })
  expect(pointers(await progress(id, {}))).toEqual(['/lines required'])
  const lines = [{ lineId: 'walls', completedPercent: 1 }]
  expect(pointers(await progress(id, { completedPercent: 1, lines }))).toEqual(['/completedPercent exclusive'])
  const wrong = [
    ...[...lines, ...lines, { lineId: 'trusses', completedPercent: 1, completedQuantity: 1 }],
    ...[{ lineId: 'free', completedQuantity: 0 }],
  ]
  expect(pointers(await progress(id, { lines: wrong }))).toEqual([
    ...['/lines/1/lineId unique', '/lines/2/completedQuantity exclusive', '/lines/3/completedQuantity no_quantity'],
  ])
  expect(pointers(await progress(id, { lines: [{ lineId: 'walls', completedQuantity: 3.0001 }] }))).toEqual([
    '/lines/0/completedQuantity maximum',
  ])
  expect(pointers(await progress(id, { lines: [{ lineId: 'walls' }] }))).toEqual(['/lines/0/completedPercent required'])
  const unknown = await progress(id, { lines: [{ lineId: 'roof', completedPercent: 1 }] })
  expect(unknown.body.code).toBe('unknown_reference')
  expect(pointers(unknown)).toEqual(['/lines/0/lineId unknown_reference'])
  const draft = await ordered('draft')
  const early = await progress(draft.id, { completedPercent: 1 })
  expect([early.status, early.body.reason, early.body.detail]).toEqual([
    ...[409, 'wrong_status'],
    `Cannot record progress: ${draft.number} is a draft. Progress can be recorded only for issued orders that are still open.`,
  ])
  await progress(id, { completedPercent: 100 })
  await move(id, 'closed')
  expect((await progress(id, { completedPercent: 1, reason: 'No.' })).status).toBe(409)
})

test('the completed amount of positive and negative lines cannot exceed the maximum of an order', async () => {
  const max = 999_999_999_900
  const lines = [max, max, -max, -max].map((price, i) => ({
    ...{
      lineId: `line-${i}`,
      description: 'Framing',
      quantity: 100,
      unitPrice: price / 100,
      taxPercent: i === 0 ? 8 : 0,
    },
  }))
  const { id } = await ordered('accepted', { lines })
  const [first, second] = ['line-0', 'line-1'].map((lineId) => ({ lineId, completedPercent: 100 }))
  expect((await progress(id, { lines: [first] })).status).toBe(409)
  // If this line exceeds the total, the credit lines count as completed by the excess amount.
  expect((await progress(id, { lines: [second] })).body.completedAmount).toBe(79_999_999_992)
  // With tax, this line alone exceeds the maximum total of an order.
  const whole = { lines: [first, { lineId: 'line-2', completedPercent: 100 }] }
  expect((await progress(id, whole)).status).toBe(409)
  expect((await progress(id, { completedPercent: 100 })).body.completedAmount).toBe(79_999_999_992)
})

test('the progress of an order cannot fall below its paid amount', async () => {
  const { id } = await ordered('accepted')
  await progress(id, { completedPercent: 100 })
  const payment = await made('/payments', { poId: id, paymentType: 'deposit', grossAmount: 300 })
  for (const status of ['approved', 'paid']) await post(`/payments/${payment.id}/status`, { status })
  expect(await get(`/purchase-orders/${id}`)).toMatchObject({ payableAmount: 247.47, balance: 308.3 })
  expect((await post(`/purchase-orders/${id}/status`, { status: 'void', reason: 'No.' })).status).toBe(409)
  // A deposit is paid before the work begins, so no bill includes it.
  expect((await progress(id, { completedPercent: 50, reason: 'Half of it.' })).body.completedAmount).toBe(304.15)
  const { scopes } = await get(`/homes/${homeId}/budget`)
  expect(scopes).toMatchObject([{ actual: 304.15, paid: 300, retained: 30.42 }])
  await progress(id, { completedPercent: 100 })
  await made('/payments', { poId: id, grossAmount: 4 })
  const refused = await progress(id, { completedPercent: 49, reason: 'Half of it.' })
  expect([refused.status, refused.body.reason, refused.body.detail]).toEqual([
    ...[409, 'not_enough_left'],
    expect.stringContaining('to $298.07: $304.15 is billed and included in payments.'),
  ])
  for (const status of ['partially_completed', 'void'])
    expect((await post(`/purchase-orders/${id}/status`, { status, reason: 'No.' })).status).toBe(409)
})

test('two concurrent progress reports on different lines are both stored', async () => {
  const { id } = await ordered('accepted')
  const answers = await Promise.all(
    LINES.map(({ lineId }) => progress(id, { lines: [{ lineId, completedPercent: 100 }] })),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(await get(`/purchase-orders/${id}`)).toMatchObject({ status: 'completed', completedAmount: 608.3 })
  expect((await movesOf(id)).slice(-2)).toEqual(['partially_completed', 'completed'])
})

test('a dry run of a progress report stores nothing', async () => {
  const before = await ordered('accepted')
  const input = { poId: before.id, completedPercent: 100 }
  const tried = await post('/execute', { skill: 'recordPurchaseOrderProgress', input, dryRun: true })
  expect(tried.body.result).toMatchObject({ status: 'completed', completedAmount: 608.3 })
  expect(tried.body.events).toMatchObject([{ type: 'bill.approved' }, { type: 'po.status_changed' }])
  expect(await get(`/purchase-orders/${before.id}`)).toEqual(before)
})

test("a builder cannot record progress on another builder's order", async () => {
  const { id } = await ordered('accepted')
  const { key } = await plumbline.newBuilder()
  const path = `/api/ext/purchase-orders/${id}/progress`
  expect((await plumbline.post(path, { completedPercent: 1 }, { key })).status).toBe(404)
})
