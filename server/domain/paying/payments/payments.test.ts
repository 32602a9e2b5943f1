import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listEvents } from '../../../../test/support/recorded-events.ts'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'
import { formatDate } from '../../../platform/values/format.ts'

let plumbline: TestPlumbline
let site: Site
let homeId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
beforeEach(async () => {
  homeId = (await made('/homes', { name: 'Lot 41', communityId: site.communityId })).id
})
afterAll(() => plumbline.stop())

type Body = ServiceResponse['body']
const post = (path: string, body: object, key = site.key) => plumbline.post(`/api/ext${path}`, body, { key })
const get = async (path: string): Promise<Body> => (await plumbline.get(`/api/ext${path}`, { key: site.key })).body
const made = async (path: string, body: object): Promise<Body> => {
  const answer = await post(path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const moved = async (path: string, ...moves: object[]): Promise<Body> => {
  let body: Body
  for (const move of moves) {
    const answer = await post(path, move)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    body = answer.body
  }
  return body
}
const LINES = [
  { lineId: 'walls', description: 'Walls', quantity: 1, unitPrice: 100.01 },
  { lineId: 'trusses', description: 'Trusses', quantity: 1, unitPrice: 500 },
]
/** Creates an accepted order of 600.01 with the given percentage of completed work. */
const order = async (completedPercent: number, more: object = {}): Promise<Body> => {
  const draft = { homeId, vendorId: site.loneStar, scope: 'framing', retainagePercent: 10, lines: LINES, ...more }
  const { id } = await made('/purchase-orders', draft)
  await moved(`/purchase-orders/${id}/status`, { status: 'approved' }, { status: 'issued' }, { status: 'accepted' })
  if (completedPercent > 0) await moved(`/purchase-orders/${id}/progress`, { completedPercent })
  return get(`/purchase-orders/${id}`)
}
const orderNow = (id: string) => get(`/purchase-orders/${id}`)
const pay = (body: object) => made('/payments', body)
const paid = async (body: object): Promise<Body> => {
  const { id } = await pay(body)
  return moved(`/payments/${id}/status`, { status: 'approved' }, { status: 'paid' })
}
const refused = async (path: string, body: object, key?: string) => {
  const answer = await post(path, body, key)
  return [answer.status, answer.body.reason ?? answer.body.code]
}
const pointers = async (body: object) => {
  const answer = await post('/payments', body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(422)
  return answer.body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
}
const typesOf = async (id: string) =>
  (await listEvents(plumbline, site.organizationId)).flatMap(({ type, data }) => (data.object.id === id ? [type] : []))
const historyOf = async (id: string) =>
  (await get(`/status-changes?resourceId=${id}&sort=at`)).data.map((change: Body) => [change.to, change.reason])

test('an order closes when its work is paid and its retainage is released', async () => {
  const { id } = await order(33.33)
  const first = await pay({ poId: id, invoiceNumber: 'A-1', invoiceDate: '2026-05-04' })
  expect(first).toMatchObject({
    ...{ vendorId: site.loneStar, homeId, poId: id, status: 'pending', dueDate: '2026-06-03', method: 'check' },
    ...{ grossAmount: 199.98, retainageWithheld: 20, discountTaken: 0, amount: 179.98, paidDate: null },
    allocations: [{ poId: id, lineId: null, amount: 199.98, retainageWithheld: 20 }],
  })
  expect(first.number).toMatch(/^PM-\d{4}$/)
  expect(await orderNow(id)).toMatchObject({ paidAmount: 0, payableAmount: 179.98, reservedAmount: 179.98 })
  const path = `/payments/${first.id}/status`
  const settled = await moved(path, { status: 'approved' }, { status: 'paid', method: 'ach', checkNumber: '7' })
  expect(settled).toMatchObject({ status: 'paid', method: 'ach', checkNumber: '7', paidDate: site.day(0) })
  expect(await orderNow(id)).toMatchObject({
    paidAmount: 179.98,
    payableAmount: 0,
    reservedAmount: 0,
    retainedAmount: 20,
  })

  await moved(`/purchase-orders/${id}/progress`, { completedPercent: 100 })
  const last = await paid({ poId: id, paymentType: 'final' })
  expect(last).toMatchObject({ grossAmount: 400.03, retainageWithheld: 40, amount: 360.03 })
  expect(await orderNow(id)).toMatchObject({
    status: 'completed',
    paidAmount: 540.01,
    payableAmount: 0,
    retainedAmount: 60,
  })
  const { scopes } = await get(`/homes/${homeId}/budget`)
  expect(scopes).toMatchObject([{ actual: 600.01, paid: 540.01, retained: 60 }])

  await paid({ poId: id, paymentType: 'retainage_release', grossAmount: 20 })
  expect(await orderNow(id)).toMatchObject({
    status: 'completed',
    paidAmount: 560.01,
    retainedAmount: 40,
    releasedAmount: 20,
  })
  const release = await paid({ poId: id, paymentType: 'retainage_release' })
  expect(release).toMatchObject({ grossAmount: 40, retainageWithheld: 0, amount: 40 })
  expect(await orderNow(id)).toMatchObject({
    ...{ status: 'closed', paidAmount: 600.01, retainedAmount: 0, payableAmount: 0, balance: 0 },
    closedAt: expect.any(String),
  })
  expect((await historyOf(id)).at(-1)).toEqual(['closed', `${release.number} was paid.`])
  expect((await get(`/homes/${homeId}/budget`)).scopes).toMatchObject([{ paid: 600.01, retained: 0 }])

  await moved(`/payments/${release.id}/void`, { reason: 'The check came back.' })
  expect(await orderNow(id)).toMatchObject({
    status: 'completed',
    closedAt: null,
    paidAmount: 560.01,
    retainedAmount: 40,
  })
  await paid({ poId: id, paymentType: 'retainage_release', replacesPaymentId: release.id })
  expect(await orderNow(id)).toMatchObject({ status: 'closed', paidAmount: 600.01 })
  expect((await typesOf(id)).slice(-3)).toEqual(Array(3).fill('po.status_changed'))
})

test('voiding a payment in any status makes its amounts payable again', async () => {
  const { id } = await order(100)
  for (const moves of [[], ['approved'], ['approved', 'paid']]) {
    const payment = await pay({ poId: id, grossAmount: 300, invoiceNumber: 'B-1' })
    await moved(`/payments/${payment.id}/status`, ...moves.map((status) => ({ status })))
    const voided = await moved(`/payments/${payment.id}/void`, { reason: 'A mistake.' })
    expect(voided).toMatchObject({
      status: 'voided',
      voidReason: 'A mistake.',
      voidedAt: expect.any(String),
      amount: 270,
    })
    expect(await orderNow(id)).toMatchObject({
      paidAmount: 0,
      reservedAmount: 0,
      payableAmount: 540.01,
      retainedAmount: 60,
    })
    expect(await typesOf(payment.id)).toEqual([
      ...['payment.created', ...moves.map(() => 'payment.status_changed'), 'payment.voided'],
    ])
    expect((await post(`/payments/${payment.id}/void`, { reason: 'Again.' })).body.code).toBe('invalid_transition')
    expect(await get(`/payments/${payment.id}`)).toEqual(voided)
  }
  const rejected = await pay({ poId: id })
  const path = `/payments/${rejected.id}/status`
  expect((await post(path, { status: 'rejected' })).body.errors).toMatchObject([
    { pointer: '/reason', code: 'required' },
  ])
  expect((await post(path, { status: 'paid' })).body).toMatchObject({ code: 'invalid_transition' })
  expect((await post(path, { status: 'voided', reason: 'No.' })).status).toBe(409)
  expect((await post(path, { status: 'approved', checkNumber: '1' })).body.errors).toMatchObject([
    { pointer: '/checkNumber' },
  ])
  await moved(path, { status: 'rejected', reason: 'Not owed.' })
  expect((await orderNow(id)).reservedAmount).toBe(0)
  expect((await post(`/payments/${rejected.id}/void`, { reason: 'Again.' })).body.code).toBe('invalid_transition')
})

test('a final payment before completion needs an override', async () => {
  const { id, number } = await order(50)
  await pay({ poId: id, grossAmount: 200 })
  const above = { poId: id, grossAmount: 100.02 }
  for (const reason of [{}, { overrideReason: 'Agreed with Priya.' }]) {
    const problem = await post('/payments', { ...above, ...reason })
    expect([problem.status, problem.body.reason, problem.body.detail]).toEqual([
      ...[409, 'not_enough_left'],
      `The payment of $100.02 exceeds the open amount of the bills for ${number} ($100.01).`,
    ])
  }
  const final = { poId: id, paymentType: 'final', grossAmount: 1 }
  const early = await post('/payments', final)
  expect([early.body.reason, early.body.detail]).toEqual([
    'needs_override',
    expect.stringContaining('is partially completed. A final payment needs a completed order.'),
  ])
  const clerk = await plumbline.newKey(['payments:read', 'payments:write'], site.organizationId)
  const overriding = { ...final, overrideReason: 'Agreed with Priya.' }
  const denied = await post('/payments', overriding, clerk)
  expect([denied.status, denied.body.permission]).toEqual([403, 'pos:write'])
  const { id: paymentId } = await pay(overriding)
  expect(await historyOf(paymentId)).toEqual([['pending', 'Before completion. Overridden: Agreed with Priya.']])
  await pay({ poId: id, grossAmount: 99.01 })
  expect(await refused('/payments', { poId: id })).toEqual([409, 'missing_data'])
  expect((await refused('/payments', { poId: id, grossAmount: 1 }))[0]).toBe(409)
  const release = { poId: id, paymentType: 'retainage_release', grossAmount: 30.01 }
  expect((await post('/payments', release)).body).toMatchObject({
    reason: 'not_enough_left',
    detail: expect.stringContaining('exceeds the retainage that can be released on'),
  })
})

test("a vendor's invoice number can be used again only after its payment is voided", async () => {
  const { id } = await order(100)
  const { number, id: first } = await pay({ poId: id, grossAmount: 10, invoiceNumber: 'Inv-7' })
  const again = { poId: id, grossAmount: 10, invoiceNumber: 'INV-7' }
  expect((await post('/payments', again)).body).toMatchObject({
    ...{ status: 409, reason: 'needs_override' },
    detail: expect.stringContaining(`is already recorded as ${number}.`),
  })
  await pay({ ...again, overrideReason: 'The second half of it.' })
  const other = await order(100, { vendorId: site.redrock })
  await pay({ ...again, poId: other.id })
  const { id: third } = await order(100)
  const answers = await Promise.all(
    [1, 2, 3].map(() => post('/payments', { poId: third, grossAmount: 1, invoiceNumber: 'Z' })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  expect((await get(`/payments?q=inv-7&vendorId=${site.loneStar}`)).data).toHaveLength(2)
  await moved(`/payments/${first}/void`, { reason: 'Twice.' })
})

test('paying a vendor with expired compliance documents requires an override reason', async () => {
  const { id: vendorId } = await made('/vendors', { companyName: 'Lapsed Framing' })
  const { id } = await order(100, { vendorId })
  const { id: paymentId } = await pay({ poId: id, grossAmount: 10 })
  await made(`/vendors/${vendorId}/compliance-documents`, {
    ...{ type: 'general_liability', status: 'valid', effectiveDate: '2020-01-01', expirationDate: '2021-01-01' },
  })
  expect((await post('/payments', { poId: id, grossAmount: 10 })).body).toMatchObject({
    ...{ status: 409, reason: 'needs_override' },
    detail: expect.stringMatching(/^The compliance documents of .* have expired\. Add a current document /),
  })
  const path = `/payments/${paymentId}/status`
  expect(await refused(path, { status: 'approved' })).toEqual([409, 'needs_override'])
  const overriding = { status: 'approved', reason: 'Seen.', overrideReason: 'The broker confirmed the renewal.' }
  const clerk = await plumbline.newKey(['payments:read', 'payments:write', 'pos:write'], site.organizationId)
  const denied = await post(path, overriding, clerk)
  expect([denied.status, denied.body.permission]).toEqual([403, 'vendors:write'])
  await moved(path, overriding)
  expect((await historyOf(paymentId)).at(-1)).toEqual([
    'approved',
    'Compliance expired. Overridden: The broker confirmed the renewal. Seen.',
  ])
})

test('a deposit that was paid before the work is applied to later payments', async () => {
  const { id } = await made('/purchase-orders', {
    ...{ homeId, vendorId: site.loneStar, scope: 'framing', retainagePercent: 10, lines: LINES },
  })
  const deposit = { poId: id, paymentType: 'deposit', grossAmount: 200 }
  expect((await post('/payments', { poId: id, grossAmount: 1 })).body).toMatchObject({
    reason: 'open_work',
    detail: expect.stringMatching(
      /is a draft\. A progress payment needs an order that is issued, accepted, partially completed, or completed\.$/,
    ),
  })
  const early = await pay(deposit)
  expect((await refused(`/payments/${early.id}/status`, { status: 'approved' }))[1]).toBe('open_work')
  await moved(`/payments/${early.id}/void`, { reason: 'Too early.' })
  await moved(`/purchase-orders/${id}/status`, { status: 'approved' })
  expect((await post('/payments', { ...deposit, grossAmount: 600.02 })).body).toMatchObject({
    reason: 'not_enough_left',
    detail: expect.stringContaining('exceeds the total of the order'),
  })
  await paid(deposit)
  expect(await orderNow(id)).toMatchObject({ paidAmount: 200, payableAmount: -200, balance: 400.01 })
  expect((await get(`/homes/${homeId}/budget`)).scopes).toMatchObject([{ actual: 0, paid: 200, retained: 0 }])
  expect((await refused(`/purchase-orders/${id}/status`, { status: 'void' }))[1]).toBe('in_use')
  await moved(`/purchase-orders/${id}/status`, { status: 'issued' }, { status: 'accepted' })
  await moved(`/purchase-orders/${id}/progress`, { completedPercent: 50 })
  await moved(`/purchase-orders/${id}/progress`, { completedPercent: 100 })
  const rest = await paid({ poId: id })
  expect(rest).toMatchObject({ grossAmount: 400.01, retainageWithheld: 60, amount: 340.01 })
  expect(await orderNow(id)).toMatchObject({ paidAmount: 540.01, payableAmount: 0, retainedAmount: 60 })
  // If an order was paid in full in advance, its completion closes the order.
  const ahead = await order(0)
  await paid({ ...deposit, poId: ahead.id, grossAmount: 600.01 })
  await moved(`/purchase-orders/${ahead.id}/progress`, { completedPercent: 100 })
  expect(await orderNow(ahead.id)).toMatchObject({ status: 'closed', paidAmount: 600.01, retainedAmount: 0 })
})

test('one payment can cover several orders of a vendor and deduct the amounts that the vendor owes', async () => {
  const [one, other] = [await order(100), await order(50)]
  const owed = await order(100, {
    ...{ poType: 'backcharge', retainagePercent: 0, lines: [{ description: 'Clean-up', quantity: 1, unitPrice: -50 }] },
  })
  const allocations = [
    { poId: one.id, lineId: 'trusses', amount: 500 },
    { poId: other.id, amount: 100 },
    { poId: owed.id, amount: -50 },
  ]
  const payment = await paid({ allocations, discountAmount: 9.9 })
  expect(payment).toMatchObject({
    ...{ poId: null, homeId, grossAmount: 550, retainageWithheld: 60, discountTaken: 9.9, amount: 480.1 },
    allocations: [{ retainageWithheld: 50 }, { retainageWithheld: 10 }, { retainageWithheld: 0 }],
  })
  expect(await orderNow(one.id)).toMatchObject({ paidAmount: 450, payableAmount: 90.01 })
  expect(await orderNow(owed.id)).toMatchObject({ status: 'closed', paidAmount: -50, payableAmount: 0 })
  const line = { allocations: [{ poId: one.id, lineId: 'trusses', amount: 0.01 }] }
  expect((await post('/payments', line)).body).toMatchObject({
    reason: 'needs_override',
    detail: expect.stringMatching(/^The payment of \$0\.01 exceeds the completed work of line trusses of /),
  })
  for (const filter of [`poId=${other.id}`, `homeId=${homeId}`, `ids=${payment.id}`])
    expect((await get(`/payments?${filter}`)).data).toMatchObject([{ id: payment.id }])
})

test("a payment for one line counts toward that line's cost code only", async () => {
  const [walls, trusses] = [
    await made('/cost-codes', { code: '06-110', name: 'Walls', category: 'material' }),
    await made('/cost-codes', { code: '06-170', name: 'Trusses', category: 'material' }),
  ]
  const lines = LINES.map((line, i) => ({ ...line, costCodeId: [walls.id, trusses.id][i] }))
  const { id } = await order(100, { lines, retainagePercent: 0 })
  await paid({ allocations: [{ poId: id, lineId: 'trusses', amount: 400 }] })
  const codes = async () => (await get(`/homes/${homeId}/budget`)).scopes[0].costCodes.map((code: Body) => code.paid)
  expect(await codes()).toEqual([0, 400])
  await paid({ poId: id, grossAmount: 100 })
  expect(await codes()).toEqual([50, 450])
})

test('an adjustment that reduces the paid amount below zero requires an override reason', async () => {
  const { id } = await order(100)
  await paid({ poId: id, grossAmount: 300 })
  const down = { poId: id, paymentType: 'adjustment', grossAmount: -270.01 }
  expect((await post('/payments', down)).body).toMatchObject({
    reason: 'not_enough_left',
    detail: expect.stringContaining('exceeds the amount paid on'),
  })
  await paid({ ...down, grossAmount: -70 })
  expect(await orderNow(id)).toMatchObject({ paidAmount: 200, payableAmount: 340.01 })
  await paid({ ...down, grossAmount: 340.01 })
  expect(await orderNow(id)).toMatchObject({
    paidAmount: 540.01,
    payableAmount: 0,
    retainedAmount: 60,
    status: 'completed',
  })
})

test('approving a payment requires an approval limit that covers the amount', async () => {
  const { key } = await plumbline.newBuilder({ poApprovalLimit: 100 })
  const id = async (path: string, body: object) => (await post(path, body, key)).body.id
  const communityId = await id('/communities', { name: 'Cedar Flats', status: 'active' })
  const lot = await id('/homes', { name: 'Lot 1', communityId })
  const vendorId = await id('/vendors', { companyName: 'Small Works', status: 'active' })
  const poIds: string[] = []
  for (const name of ['one', 'other']) {
    const lines = [{ description: name, quantity: 1, unitPrice: 90 }]
    const poId = await id('/purchase-orders', { homeId: lot, vendorId, scope: 'framing', retainagePercent: 0, lines })
    await post(`/purchase-orders/${poId}/status`, { status: 'approved' }, key)
    poIds.push(poId)
  }
  const allocations = poIds.map((poId) => ({ poId, amount: 50.01 }))
  const paymentId = await id('/payments', { paymentType: 'deposit', allocations })
  const above = await post(`/payments/${paymentId}/status`, { status: 'approved' }, key)
  expect([above.status, above.body.code, above.body.detail]).toEqual([
    ...[403, 'permission_denied'],
    'Your approval limit is $100.00. Approving $100.02 needs a higher limit.',
  ])
})

test('an order with a pending payment cannot be closed or reduced below the reserved amount', async () => {
  const { id } = await order(100)
  const payment = await pay({ poId: id, grossAmount: 600.01 })
  expect((await refused(`/purchase-orders/${id}/status`, { status: 'closed' }))[1]).toBe('wrong_status')
  const less = { completedPercent: 80, reason: 'Half of it is missing.' }
  expect((await post(`/purchase-orders/${id}/progress`, less)).body).toMatchObject({
    reason: 'not_enough_left',
    detail: expect.stringContaining('is billed and included in payments'),
  })
  const released = await order(100)
  await paid({ poId: released.id, paymentType: 'retainage_release' })
  expect((await post(`/purchase-orders/${released.id}/progress`, less)).body).toMatchObject({
    reason: 'not_enough_left',
    detail: expect.stringContaining('is released or in pending releases'),
  })
  await moved(`/payments/${payment.id}/void`, { reason: 'Paid by the lender.' })
  await moved(`/purchase-orders/${id}/status`, { status: 'closed' })
  expect(await orderNow(id)).toMatchObject({ status: 'closed', paidAmount: 600.01, retainedAmount: 0 })
  expect((await refused('/payments', { poId: id, grossAmount: 1 }))[1]).toBe('open_work')
})

test('invalid fields of a payment are reported at their field', async () => {
  const { id } = await order(100)
  const foreign = await order(100, { vendorId: site.redrock })
  const at = (...allocations: object[]) => pointers({ allocations })
  expect(await pointers({})).toEqual(['/poId required'])
  expect(await pointers({ poId: id, paymentType: 'deposit' })).toEqual(['/grossAmount required'])
  expect(await pointers({ poId: id, allocations: [{ poId: id, amount: 1 }] })).toEqual(['/poId exclusive'])
  expect(await pointers({ grossAmount: 1, allocations: [{ poId: id, amount: 1 }] })).toEqual(['/grossAmount exclusive'])
  expect(await pointers({ poId: 'po_gone' })).toEqual(['/poId unknown_reference'])
  expect(await pointers({ poId: id, replacesPaymentId: 'pay_gone' })).toEqual(['/replacesPaymentId unknown_reference'])
  expect(await pointers({ poId: id, grossAmount: 0 })).toEqual(['/grossAmount sign'])
  expect(await pointers({ poId: id, grossAmount: -5 })).toEqual(['/grossAmount sign'])
  expect(await pointers({ poId: id, grossAmount: 10, discountAmount: 9.01 })).toEqual(['/discountAmount maximum'])
  expect(await pointers({ poId: id, discountDueDate: '2030-01-01' })).toEqual(['/discountDueDate exclusive'])
  expect(await at({ poId: id, amount: 1 }, { poId: id, amount: 2 })).toEqual(['/allocations/1 unique'])
  expect(await at({ poId: id, lineId: 'roof', amount: 1 })).toEqual(['/allocations/0/lineId unknown_reference'])
  expect(await at({ poId: id, amount: 1 }, { poId: foreign.id, amount: 1 })).toMatchObject([
    expect.stringMatching(/^\/allocations\/[01]\/poId other_vendor$/),
  ])
  const line = { poId: id, lineId: 'walls', amount: 1 }
  expect(await pointers({ paymentType: 'deposit', allocations: [line] })).toEqual(['/allocations/0/lineId unexpected'])
  const owed = await order(100, {
    ...{ poType: 'backcharge', retainagePercent: 0, lines: [{ description: 'Clean-up', quantity: 1, unitPrice: -50 }] },
  })
  expect(await pointers({ poId: owed.id })).toEqual(['/grossAmount sum'])
  const standing = await pay({ poId: id, grossAmount: 1 })
  expect((await refused('/payments', { poId: id, grossAmount: 1, replacesPaymentId: standing.id }))[0]).toBe(409)
  const path = `/payments/${standing.id}/status`
  await moved(path, { status: 'approved' })
  expect((await post(path, { status: 'paid', paidDate: site.day(1) })).status).toBe(422)
  // Dates in the distant future are valid.
  expect(await pay({ poId: id, grossAmount: 1, invoiceDate: '9999-12-30' })).toMatchObject({ dueDate: '9999-12-31' })
  expect((await get(`/payments?dueBy=2000-01-01`)).data).toEqual([])
})

test('the payment terms of a vendor determine the due date and the discount of a payment', async () => {
  const paymentTerms = { netDays: 45, discountPercent: 2 }
  const vendor = { companyName: 'Prompt Framing', paymentTerms }
  expect(
    (await post('/vendors', { ...vendor, paymentTerms: { netDays: 5, discountDays: 10 } })).body.errors,
  ).toMatchObject([{ pointer: '/paymentTerms/discountDays', code: 'maximum' }])
  const { id: vendorId } = await made('/vendors', vendor)
  const changed = await plumbline.patch(
    `/api/ext/vendors/${vendorId}`,
    { paymentTerms: { discountDays: 10 } },
    { key: site.key },
  )
  expect(changed.body.paymentTerms).toEqual({ ...paymentTerms, discountDays: 10 })
  const { id: poId } = await order(100, { vendorId })
  const approved = async (body: object) => {
    const payment = await pay({ poId, ...body })
    await moved(`/payments/${payment.id}/status`, { status: 'approved' })
    return payment
  }
  const path = ({ id }: Body) => `/payments/${id}/status`

  const early = await approved({ grossAmount: 100.01, invoiceDate: site.day(-10) })
  expect(early).toMatchObject({
    ...{ dueDate: site.day(35), discountDueDate: site.day(0), retainageWithheld: 10 },
    ...{ discountAmount: 1.8, discountTaken: 0, amount: 90.01 },
  })
  expect(await moved(path(early), { status: 'paid' })).toMatchObject({ discountTaken: 1.8, amount: 88.21 })
  expect(await orderNow(poId)).toMatchObject({ paidAmount: 90.01, payableAmount: 450 })

  const late = await approved({ grossAmount: 100, invoiceDate: site.day(-11) })
  const clerk = await plumbline.newKey(['payments:read', 'payments:write'], site.organizationId)
  const taking = { status: 'paid', takeDiscount: true }
  expect((await post(path(late), taking)).body).toMatchObject({
    ...{ status: 409, reason: 'needs_override' },
    detail: expect.stringContaining(`expired on ${formatDate(site.day(-1))}.`),
  })
  expect((await refused(path(late), { ...taking, overrideReason: 'Agreed.' }, clerk))[0]).toBe(403)
  expect(await moved(path(late), { ...taking, overrideReason: 'Agreed.' })).toMatchObject({ discountTaken: 1.8 })
  expect((await historyOf(late.id)).at(-1)).toEqual(['paid', 'Discount taken late. Overridden: Agreed.'])

  // The date of the payment determines whether a discount applies, even if the payment is recorded later. The payer may
  // also decline a discount.
  const sent = await approved({ grossAmount: 100, invoiceDate: site.day(-11) })
  expect(await moved(path(sent), { status: 'paid', paidDate: site.day(-1) })).toMatchObject({ discountTaken: 1.8 })
  const missed = await approved({ grossAmount: 100, invoiceDate: site.day(-11) })
  expect(await moved(path(missed), { status: 'paid' })).toMatchObject({ discountTaken: 0, amount: 90 })
  const left = await approved({ grossAmount: 10, discountAmount: 1, discountDueDate: site.day(3) })
  expect(await moved(path(left), { status: 'paid', takeDiscount: false })).toMatchObject({
    discountTaken: 0,
    amount: 9,
  })
  expect(await pay({ poId, paymentType: 'retainage_release' })).toMatchObject({
    discountAmount: 0,
    discountDueDate: null,
  })
})

/**
 * Sends the request, and repeats it with the same idempotency key while the service responds that too many requests are
 * in progress, as it can on a slow machine. Returns the fiftieth response regardless of its status.
 */
async function persistently(path: string, body: object, key: string): Promise<ServiceResponse> {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  for (let requested = 1; ; requested++) {
    const answer = await plumbline.request('POST', `/api/ext${path}`, body, { key, headers })
    if (answer.status !== 429 || requested === 50) return answer
  }
}

test('200 concurrent payments never pay for the same work twice', {
  timeout: 120_000,
}, async () => {
  const { id } = await order(100, { lines: [{ description: 'All', quantity: 1, unitPrice: 100 }], retainagePercent: 5 })
  // The number of concurrent requests exceeds the limit of one key, so each request uses its own key.
  const newKey = () => plumbline.newKey(['payments:read', 'payments:write'], site.organizationId)
  const keys = [await newKey(), await newKey()]
  const by = (i: number) => keys[i % 2] ?? ''
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) => persistently('/payments', { poId: id, grossAmount: 0.83 }, by(i))),
  )
  const entered = answers.filter(({ status }) => status === 201).map(({ body }) => body)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]))
  for (const { status, body } of answers)
    if (status === 409)
      expect([body.reason, body.detail]).toEqual(['not_enough_left', expect.stringContaining('$0.83')])
  expect(entered).toHaveLength(120)
  expect(new Set(entered.map(({ number }) => number)).size).toBe(120)
  expect(await orderNow(id)).toMatchObject({ reservedAmount: 94.62, payableAmount: 95 })
  // Pay some payments while others are voided.
  const settled = entered.slice(0, 40)
  const all = (move: (payment: Body, i: number) => Promise<Body>) => Promise.all(settled.map(move))
  const done = async (answer: Promise<ServiceResponse>) => expect((await answer).status).toBe(200)
  await all((payment, i) => done(persistently(`/payments/${payment.id}/status`, { status: 'approved' }, by(i))))
  await all((payment, i) =>
    i % 4 < 2
      ? done(persistently(`/payments/${payment.id}/status`, { status: 'paid' }, by(i)))
      : done(persistently(`/payments/${payment.id}/void`, { reason: 'Taken back.' }, by(i))),
  )
  const cents = (those: Body[]) => those.reduce((total, { amount }) => total + Math.round(amount * 100), 0)
  const after = await orderNow(id)
  expect(Math.round(after.paidAmount * 100)).toBe(cents(settled.filter((_, i) => i % 4 < 2)))
  expect(Math.round(after.reservedAmount * 100)).toBe(cents(entered.slice(40)))
  expect(Math.round((after.paidAmount + after.retainedAmount + after.payableAmount) * 100)).toBe(10_000)
})
