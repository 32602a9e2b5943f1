import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
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
let home: Body
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

type Body = ServiceResponse['body']
let lot = 100
const post = (path: string, body?: unknown, options?: RequestOptions) =>
  plumbline.post(`/api/ext${path}`, body, { key: site.key, ...options })
const patch = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  plumbline.patch(`/api/ext/purchase-orders/${id}`, body, { key: site.key, headers })
const get = async (path: string): Promise<Body> => (await plumbline.get(`/api/ext${path}`, { key: site.key })).body
const made = async (path: string, body: unknown): Promise<Body> => {
  const answer = await post(path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const newHome = () => made('/homes', { name: `Home ${++lot}`, communityId: site.communityId, lotNumber: String(lot) })
const lumpSum = (unitPrice: number) => [{ description: 'Framing', quantity: 1, unitPrice }]
const order = (more: object = {}) => ({
  homeId: home.id,
  vendorId: site.loneStar,
  scope: 'framing',
  lines: lumpSum(1000),
  ...more,
})
const move = (id: string, status: string, more: object = {}, options?: RequestOptions) =>
  post(`/purchase-orders/${id}/status`, { status, ...more }, options)
const walk = async (id: string, ...statuses: string[]) => {
  for (const status of statuses) {
    const answer = await move(id, status)
    expect(answer.body.status, JSON.stringify(answer.body)).toBe(status)
  }
}
const pointers = (answer: ServiceResponse) =>
  answer.body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`).sort()
const eventsAbout = async (id: string) =>
  (await listEvents(plumbline, site.organizationId)).filter((event) => event.data.object.id === id)

// Each test has its own home and therefore its own order numbers and budget.
beforeEach(async () => {
  home = await newHome()
})

test('the totals of a draft order are computed from its lines, each amount rounded half up', async () => {
  const created = await post('/purchase-orders', {
    ...order({ retainagePercent: 7.5 }),
    lines: [
      { lineId: 'bracing', description: 'Wall bracing', quantity: 14, unit: 'HR', unitPrice: 68.5 },
      { description: 'Lumber', quantity: 320, unit: 'LF', unitPrice: 1.8725, taxPercent: 8.25 },
      { description: 'Straps', quantity: 3, unit: 'EA', unitPrice: 0.335 },
    ],
  })
  expect(created.status).toBe(201)
  expect(created.body).toMatchObject({
    number: `PO-0${lot}-01`,
    status: 'draft',
    poType: 'base',
    subtotal: 1559.21,
    taxTotal: 49.43,
    total: 1608.64,
    retainagePercent: 7.5,
    ...{ completedAmount: 0, retainedAmount: 0, paidAmount: 0, payableAmount: 0, balance: 1608.64 },
    currency: 'USD',
    bidId: null,
    approval: { required: false, reasons: [], approvedBy: null },
  })
  expect(created.body.lines.map((line: Body) => [line.lineId, line.taxAmount, line.total])).toEqual([
    ['bracing', 0, 959],
    ['line-2', 49.43, 599.2],
    ['line-3', 0, 1.01],
  ])
  expect(await get(`/purchase-orders/${created.body.id}`)).toEqual(created.body)
  expect((await get(`/purchase-orders?homeId=${home.id}`)).data).toEqual([created.body])
  expect((await eventsAbout(created.body.id)).map((event) => event.type)).toEqual(['po.created'])
})

test("the retainage of an order defaults to the vendor's retainage", async () => {
  const vendor = await made('/vendors', { companyName: 'Brightwater Plumbing', defaultRetainagePercent: 10 })
  expect(await made('/purchase-orders', order({ vendorId: vendor.id }))).toMatchObject({
    retainagePercent: 10,
  })
  expect(await made('/purchase-orders', order({ vendorId: vendor.id, retainagePercent: 0 }))).toMatchObject({
    retainagePercent: 0,
  })
})

test("the records that an order refers to must exist and match the order's home", async () => {
  const other = await newHome()
  const elsewhere = await made(`/homes/${other.id}/budget/lines`, { scope: 'framing', amount: 1 })
  const roofing = await made(`/homes/${home.id}/budget/lines`, { scope: 'roofing', amount: 1 })
  const unknown = await post('/purchase-orders', {
    homeId: 'hom_x',
    vendorId: 'ven_x',
    parentPoId: 'po_x',
    bidId: 'bid_x',
  })
  expect(unknown.body.code).toBe('unknown_reference')
  expect(pointers(unknown)).toEqual(
    ['/bidId', '/homeId', '/parentPoId', '/vendorId'].map((pointer) => `${pointer} unknown_reference`),
  )
  expect(pointers(await post('/purchase-orders', { homeId: home.id }))).toEqual([
    '/lines required',
    '/scope required',
    '/vendorId required',
  ])
  const lines = [elsewhere, roofing].map(({ id }) => ({ ...lumpSum(1)[0], budgetLineId: id }))
  expect(pointers(await post('/purchase-orders', order({ lines })))).toEqual([
    '/lines/0/budgetLineId other_home',
    '/lines/1/budgetLineId other_scope',
  ])
  const unknownLine = await post('/purchase-orders', order({ lines: [{ ...lumpSum(1)[0], budgetLineId: 'bud_x' }] }))
  expect(pointers(unknownLine)).toEqual(['/lines/0/budgetLineId unknown_reference'])
  const foreign = await made('/purchase-orders', { ...order(), homeId: other.id })
  expect(pointers(await post('/purchase-orders', order({ parentPoId: foreign.id })))).toEqual([
    '/parentPoId other_home',
  ])
  const twice = [
    { lineId: 'a', ...lumpSum(1)[0] },
    { lineId: 'a', ...lumpSum(1)[0] },
  ]
  expect(pointers(await post('/purchase-orders', order({ lines: twice })))).toEqual(['/lines/1/lineId unique'])
})

test('the type of an order determines the sign of its total and its required fields', async () => {
  expect(pointers(await post('/purchase-orders', order({ lines: lumpSum(-1) })))).toEqual(['/lines sum'])
  expect(pointers(await post('/purchase-orders', order({ poType: 'backcharge' })))).toEqual(['/lines sum'])
  expect(await made('/purchase-orders', order({ poType: 'backcharge', lines: lumpSum(-250.5) }))).toMatchObject({
    total: -250.5,
  })
  const reported = { poType: 'variance', varianceReasonCode: 'weather', varianceResponsible: 'builder' }
  expect(pointers(await post('/purchase-orders', order({ ...reported, lines: lumpSum(-1) })))).toEqual(['/lines sum'])
  const variance = await post('/purchase-orders', order({ poType: 'variance' }))
  expect(pointers(variance)).toEqual(['/varianceReasonCode required', '/varianceResponsible required'])
  const { id } = await made('/purchase-orders', order(reported))
  expect(
    (await get(`/purchase-orders?homeId=${home.id}&varianceReasonCode=weather`)).data.map((one: Body) => one.id),
  ).toEqual([id])
  expect(pointers(await patch(id, { varianceReasonCode: null }))).toEqual(['/varianceReasonCode required'])
})

test('an order is rejected if its home is canceled or its vendor is archived', async () => {
  const gone = await made('/vendors', { companyName: 'Gone Framing' })
  await plumbline.delete(`/api/ext/vendors/${gone.id}`, { key: site.key })
  expect((await post('/purchase-orders', order({ vendorId: gone.id }))).body).toMatchObject({
    reason: 'vendor_archived',
    detail: 'Cannot create a purchase order: Gone Framing is archived.',
  })
  await post(`/homes/${home.id}/status`, { status: 'cancelled' })
  const refused = await post('/purchase-orders', order())
  expect(refused.status).toBe(409)
  expect(refused.body).toMatchObject({ reason: 'home_not_open', detail: expect.stringContaining('is canceled') })
})

test('the order numbers of a home have no gaps, even if concurrent requests fail', async () => {
  const bodies = Array.from({ length: 30 }, (_, i) => order(i % 5 === 0 ? { lines: lumpSum(-1) } : {}))
  const answers = await Promise.all(bodies.map((body) => post('/purchase-orders', body)))
  const numbers = answers.filter((answer) => answer.status === 201).map((answer) => answer.body.number)
  expect(numbers.sort()).toEqual(Array.from({ length: 24 }, (_, i) => `PO-0${lot}-${String(i + 1).padStart(2, '0')}`))
})

test('creating an order returns the same record as reading it', async () => {
  const task = await made('/tasks', { homeId: home.id, name: 'Frame', plannedStart: '2099-01-05', durationDays: 1 })
  const lines = [
    { description: 'Framing “labor”', quantity: 1234.5678, unit: 'SF', unitPrice: 0.33, taxPercent: 8.25 },
    { lineId: 'back', description: 'Credit\n', quantity: 0.0001, unitPrice: -99999.99, taxPercent: 0 },
  ]
  const { status, body, headers } = await post('/purchase-orders', {
    ...order({
      lines,
      retainagePercent: 7.25,
      notes: 'Ring twice. \\ "Gate" ',
      externalId: 'erp-4711',
      accountingId: 'A-1',
    }),
  })
  expect(status, JSON.stringify(body)).toBe(201)
  const read = await plumbline.get(`/api/ext/purchase-orders/${body.id}`, { key: site.key })
  expect(body).toEqual(read.body)
  expect(headers.get('etag')).toBe(read.headers.get('etag'))
  expect(body).toMatchObject({ taskIds: [], payableAmount: 0, balance: body.total })
  expect((await eventsAbout(body.id)).map(({ type, data }) => [type, data.object])).toEqual([['po.created', read.body]])
  expect(task.poIds).toEqual([])
})

test('an order with the external ID of another order is rejected', async () => {
  const { body: first } = await post('/purchase-orders', order({ externalId: 'erp-12' }))
  const requested = order({ externalId: 'erp-12' })
  const refused = await post('/purchase-orders', requested)
  expect(refused.status).toBe(409)
  expect(refused.body).toMatchObject({
    code: 'conflict',
    conflictingId: first.id,
    errors: [{ pointer: '/externalId' }],
  })
  for (const dryRun of [true, false]) {
    const execution = await post('/execute', { skill: 'createPurchaseOrder', input: requested, dryRun })
    expect(execution.status).toBe(409)
    expect(execution.body).toMatchObject({ conflictingId: first.id, errors: [{ pointer: '/input/externalId' }] })
    const steps = [
      { name: 'plain', skill: 'createPurchaseOrder', input: order() },
      { name: 'taken', skill: 'createPurchaseOrder', input: requested },
    ]
    const batch = await post('/execute/batch', { steps, dryRun })
    expect(batch.body).toMatchObject({ errors: [{ pointer: '/steps/1/input/externalId' }] })
  }
  expect((await get(`/purchase-orders?homeId=${home.id}`)).data.map((each: Body) => each.id)).toEqual([first.id])
  const { body: next } = await post('/purchase-orders', order())
  expect(next.number).toBe(`PO-0${lot}-02`)
})

test("an order number is derived from the lot number, or from the home's position if there is none", async () => {
  const numberFor = async (lotNumber: string | null, block: string) => {
    const { id } = await made('/homes', { name: 'Odd', communityId: site.communityId, lotNumber, block })
    return (await made('/purchase-orders', order({ homeId: id }))).number
  }
  expect(await numberFor(null, 'A')).toMatch(/^PO-H\d{3}-01$/)
  expect(await numberFor('12b / west', 'A')).toBe('PO-12B-WEST-01')
  expect(await numberFor('Дом', 'A')).toMatch(/^PO-H\d{3}-01$/)
})

test('after an order is no longer a draft, only its notes and links can be changed', async () => {
  const { id } = await made('/purchase-orders', order())
  const lines = [{ lineId: 'line-1', description: 'Framing and trusses', quantity: 2, unitPrice: 600, taxPercent: 10 }]
  const changed = await patch(id, { lines, notes: 'Call ahead.', scope: 'trusses' }, { 'if-match': '"1"' })
  expect(changed.status, JSON.stringify(changed.body)).toBe(200)
  expect(changed.body).toMatchObject({
    version: 2,
    total: 1320,
    notes: 'Call ahead.',
    scope: 'trusses',
    lines: [{ total: 1200, taxAmount: 120 }],
  })
  const reworded = await patch(id, { lines: [{ ...lines[0], description: 'Trusses' }] })
  expect(reworded.body).toMatchObject({ version: 3, total: 1320, lines: [{ description: 'Trusses' }] })
  expect((await patch(id, { notes: 'Call ahead.' })).body).toEqual(reworded.body)
  expect((await patch(id, { notes: null }, { 'if-match': '"2"' })).status).toBe(412)
  expect((await get(`/purchase-orders?homeId=${home.id}&q=trusses%20call`)).data.map((one: Body) => one.id)).toEqual([
    id,
  ])
  await walk(id, 'approved')
  const frozen = await patch(id, { lines, vendorId: site.hillCountry })
  expect(frozen.status).toBe(409)
  expect(pointers(frozen)).toEqual(['/lines fixed', '/vendorId fixed'])
  expect((await patch(id, { accountingId: 'QB-PO-1', notes: null })).body).toMatchObject({
    accountingId: 'QB-PO-1',
    notes: null,
  })
  expect((await get(`/purchase-orders?homeId=${home.id}&accountingId=null`)).data).toEqual([])
  expect((await eventsAbout(id)).map((event) => event.type)).toEqual(['po.created', 'po.status_changed'])
})

test('each status change of an order creates an event and a history entry', async () => {
  const { id } = await made('/purchase-orders', order())
  await walk(id, 'approved', 'issued', 'accepted', 'partially_completed', 'completed')
  const undone = await move(id, 'partially_completed')
  expect(pointers(undone)).toEqual(['/reason required'])
  expect((await move(id, 'partially_completed', { reason: 'Trusses are missing.' })).body.completedAt).toBeNull()
  await walk(id, 'completed', 'closed')
  const refused = await move(id, 'void')
  expect(refused.body).toMatchObject({
    status: 409,
    code: 'invalid_transition',
    from: 'closed',
    to: 'void',
    allowed: [],
  })
  const closed = await get(`/purchase-orders/${id}`)
  for (const field of ['issuedAt', 'acceptedAt', 'completedAt', 'closedAt']) expect(closed[field]).not.toBeNull()
  const [, ...moves] = await eventsAbout(id)
  expect(moves.map((event) => event.data.previous.status)).toEqual([
    'draft',
    'approved',
    'issued',
    'accepted',
    'partially_completed',
    'completed',
    'partially_completed',
    'completed',
  ])
  expect(moves.at(-1)?.data.object).toEqual(closed)
  const history = await plumbline.database.statements
    .selectFrom('statusChanges')
    .select(['from', 'to', 'reason'])
    .where('resourceId', '=', id)
    .orderBy('id')
    .execute()
  expect(history[0]).toEqual({ from: null, to: 'draft', reason: null })
  expect(history).toContainEqual({ from: 'completed', to: 'partially_completed', reason: 'Trusses are missing.' })
})

test('the error for an invalid status change of an order lists the allowed statuses', async () => {
  const { id } = await made('/purchase-orders', order())
  for (const to of ['issued', 'accepted', 'declined', 'partially_completed', 'completed', 'closed', 'draft']) {
    const refused = await move(id, to)
    expect(refused.body).toMatchObject({
      status: 409,
      code: 'invalid_transition',
      from: 'draft',
      to,
      allowed: ['pending_approval', 'approved', 'void'],
    })
  }
})

test("an order above the caller's approval limit waits for approval by a user with a sufficient limit", async () => {
  const small = await plumbline.newKey(['pos:read', 'pos:write', 'homes:read'], site.organizationId)
  await plumbline.database.statements
    .insertInto('users')
    .values({
      organizationId: site.organizationId,
      id: 'usr_small',
      email: 'sam@harrowfinch.example.com',
      name: 'Sam',
      role: 'superintendent',
      poApprovalLimit: 500,
      createdAt: plumbline.clock.now(),
      updatedAt: plumbline.clock.now(),
    })
    .execute()
  await plumbline.database.statements
    .updateTable('apiKeys')
    .set({ createdByUserId: 'usr_small' })
    .where('organizationId', '=', site.organizationId)
    .where('name', '=', 'Narrow')
    .execute()
  const { id } = await made('/purchase-orders', order())
  const requested = await move(id, 'approved', {}, { key: small })
  expect(requested.status, JSON.stringify(requested.body)).toBe(200)
  expect(requested.body).toMatchObject({
    status: 'pending_approval',
    approval: { required: true, reasons: ['over_limit'], limit: 500, approvedBy: null },
  })
  const tooMuch = await move(id, 'approved', {}, { key: small })
  expect(tooMuch.status).toBe(403)
  expect(tooMuch.body).toMatchObject({
    code: 'permission_denied',
    detail: expect.stringContaining('Your approval limit is $500.00.'),
  })
  expect(pointers(await move(id, 'draft'))).toEqual(['/reason required'])
  const refused = await move(id, 'draft', { reason: 'Ask for a better price.' })
  expect(refused.body).toMatchObject({
    status: 'draft',
    approval: { required: false, reasons: [], rejectedReason: 'Ask for a better price.' },
  })
  await move(id, 'pending_approval', {}, { key: small })
  const approved = await move(id, 'approved')
  expect(approved.body).toMatchObject({
    status: 'approved',
    approval: { required: true, limit: 500, approvedBy: { type: 'key' }, rejectedReason: null },
  })
  const within = await made('/purchase-orders', order({ lines: lumpSum(500) }))
  expect((await move(within.id, 'approved', {}, { key: small })).body.status).toBe('approved')
})

test('an order above the remaining budget requires a second approval', async () => {
  const line = await made(`/homes/${home.id}/budget/lines`, { scope: 'Framing', amount: 1500 })
  const framing = async () => (await get(`/homes/${home.id}/budget`)).scopes[0]
  const lines = lumpSum(1000).map((one) => ({ ...one, budgetLineId: line.id }))
  const first = await made('/purchase-orders', order({ lines }))
  const second = await made('/purchase-orders', order({ lines }))
  expect((await get(`/purchase-orders?budgetLineId=${line.id}`)).data).toHaveLength(2)
  expect(await framing()).toMatchObject({ budgeted: 1500, committed: 0, pendingCommitted: 2000 })
  await walk(first.id, 'approved')
  expect(await framing()).toMatchObject({ committed: 1000, pendingCommitted: 1000, variance: 500 })
  const over = await move(second.id, 'approved')
  expect(over.body).toMatchObject({
    status: 'pending_approval',
    approval: { required: true, reasons: ['over_budget'], limit: null },
  })
  await walk(second.id, 'approved')
  expect(await framing()).toMatchObject({ committed: 2000, variance: -500 })
  await walk(second.id, 'void')
  expect(await framing()).toMatchObject({ committed: 1000, pendingCommitted: 0 })
  const unbudgeted = await made('/purchase-orders', order({ scope: 'paint' }))
  expect((await move(unbudgeted.id, 'approved')).body).toMatchObject({
    status: 'pending_approval',
    approval: { reasons: ['over_budget'] },
  })
})

test('ten concurrent approvals of orders never exceed the budget', async () => {
  await made(`/homes/${home.id}/budget/lines`, { scope: 'framing', amount: 3500 })
  const ids: string[] = []
  for (let i = 0; i < 10; i++) ids.push((await made('/purchase-orders', order())).id)
  const answers = await Promise.all(ids.map((id) => move(id, 'approved')))
  expect(answers.map((answer) => answer.body.status).sort()).toEqual([
    ...Array(3).fill('approved'),
    ...Array(7).fill('pending_approval'),
  ])
})

test('an order cannot be issued if its vendor is on hold or would exceed its poLimit', async () => {
  const vendor = await made('/vendors', { companyName: 'Limited Framing', poLimit: 2500 })
  const ids: string[] = []
  for (let i = 0; i < 5; i++) {
    const { id } = await made('/purchase-orders', order({ vendorId: vendor.id }))
    await walk(id, 'approved')
    ids.push(id)
  }
  await post(`/vendors/${vendor.id}/status`, { status: 'on_hold', reason: 'Test.' })
  const held = await move(ids[0] ?? '', 'issued')
  expect(held.status).toBe(409)
  expect(held.body.reason).toBe('vendor_on_hold')
  await post(`/vendors/${vendor.id}/status`, { status: 'active' })
  const answers = await Promise.all(ids.map((id) => move(id, 'issued')))
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 200, 409, 409, 409])
  const refused = answers.find((answer) => answer.status === 409)
  expect(refused?.body).toMatchObject({
    reason: 'po_limit_exceeded',
    detail: expect.stringMatching(/Limited Framing already has .* of open orders, and its limit is \$2,500\.00\.$/),
  })
  const issued = ids.find((_, i) => answers[i]?.status === 200) ?? ''
  await walk(issued, 'declined', 'draft')
  expect((await get(`/purchase-orders/${issued}`)).issuedAt).toBeNull()
  const waiting = ids.find((_, i) => answers[i]?.status === 409) ?? ''
  await walk(waiting, 'issued')
})

test('an accepted bid can be ordered once for each home', async () => {
  const request = await made('/bids/request', { ...site.framing(), homeIds: [home.id] })
  const bid = await made('/bids', { bidRequestId: request.id, vendorId: site.loneStar, amount: 39_850 })
  const early = await post('/purchase-orders', { homeId: home.id, bidId: bid.id })
  expect(early.body).toMatchObject({ reason: 'wrong_status', detail: expect.stringContaining('it is submitted') })
  await post(`/bids/${bid.id}/accept`)
  const wrong = await post('/purchase-orders', { homeId: site.lot14, bidId: bid.id, vendorId: site.hillCountry })
  expect(pointers(wrong)).toEqual(['/homeId other_home', '/vendorId other_vendor'])
  const ordered = await made('/purchase-orders', { homeId: home.id, bidId: bid.id })
  expect(ordered).toMatchObject({ vendorId: site.loneStar, scope: 'framing', bidId: bid.id, total: 39_850 })
  expect(await get(`/bids/${bid.id}`)).toMatchObject({ poIds: [ordered.id], version: 3 })
  const twice = await post('/purchase-orders', { homeId: home.id, bidId: bid.id })
  expect(twice.status).toBe(409)
  expect(twice.body).toMatchObject({
    reason: 'already_ordered',
    detail: expect.stringContaining(ordered.number),
  })
  expect((await patch(ordered.id, { vendorId: site.hillCountry })).body).toMatchObject({
    reason: 'fixed',
    detail: expect.stringContaining('created from a bid'),
  })
  await walk(ordered.id, 'void')
  expect((await made('/purchase-orders', { homeId: home.id, bidId: bid.id })).number).toMatch(/-02$/)
})

test('creating an order twice with the same Idempotency-Key creates only one order', async () => {
  const headers = { 'idempotency-key': `order-${home.id}` }
  const first = await post('/purchase-orders', order(), { headers })
  const again = await post('/purchase-orders', order(), { headers })
  expect(again.body).toEqual(first.body)
  expect((await get(`/purchase-orders?homeId=${home.id}`)).data).toHaveLength(1)
})

test("a builder cannot see or change another builder's orders", async () => {
  const first = await post('/purchase-orders', order())
  const { key } = await plumbline.newBuilder()
  const path = `/api/ext/purchase-orders/${first.body.id}`
  expect((await plumbline.get(path, { key })).status).toBe(404)
  expect((await plumbline.patch(path, { notes: null }, { key })).status).toBe(404)
  expect((await plumbline.post(`${path}/status`, { status: 'void' }, { key })).status).toBe(404)
  expect((await plumbline.get('/api/ext/purchase-orders', { key })).body.data).toEqual([])
  expect((await plumbline.post('/api/ext/purchase-orders', order(), { key })).body.code).toBe('unknown_reference')
})
