import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite, type Site, TIME_ZONE } from '../../../../test/support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'

let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

const post = (path: string, body?: unknown, key = site.key) => plumbline.post(`/api/ext${path}`, body, { key })
const get = async (path: string) => (await plumbline.get(`/api/ext${path}`, { key: site.key })).body
const patch = (path: string, body: unknown) => plumbline.patch(`/api/ext${path}`, body, { key: site.key })
const today = () => toLocalDate(TIME_ZONE, plumbline.clock.now())

let skus = 0
const newPart = async (unit = 'EA') =>
  (await post('/parts', { sku: `LUM-${++skus}`, name: `Stud ${skus}`, unit })).body.id as string
const newVendor = async () =>
  (await post('/vendors', { companyName: 'Brazos Lumber', status: 'active' })).body.id as string
async function priced(partId: string, vendorId: string, unitPrice: number, fields: object = {}): Promise<string> {
  const price = { vendorId, unitPrice, effectiveDate: '2020-01-01', ...fields }
  const { status, body } = await post(`/parts/${partId}/prices`, price)
  expect(status).toBe(201)
  return body.id
}
/** Creates an active contract, waits until the price of its first line is effective, and returns the contract. */
async function contracted(vendorId: string, lines: object[], fields: object = {}) {
  const terms = { vendorId, scope: 'framing', contractType: 'material', effectiveDate: '2026-01-01', lines, ...fields }
  const { body } = await post('/contracts', terms)
  const { status, body: active } = await post(`/contracts/${body.id}/status`, { status: 'active' })
  expect(status).toBe(200)
  return active
}
const order = (fields: object, homeId = site.lot14) => post('/purchase-orders', { homeId, scope: 'framing', ...fields })
const move = (id: string, status: string) => post(`/purchase-orders/${id}/status`, { status })

test("an order line for a part gets the vendor's price for the home", async () => {
  const [part, vendorId] = [await newPart(), await newVendor()]
  const everywhere = await priced(part, vendorId, 3.4)
  const nearer = await priced(part, vendorId, 3.6, { communityId: site.communityId })
  await priced(part, await newVendor(), 1)
  const { status, body } = await order({ vendorId, lines: [{ partId: part, quantity: 10, taxPercent: 10 }] })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    ...{ contractId: null, subtotal: 36, total: 39.6 },
    lines: [{ partId: part, priceId: nearer, description: `Stud ${skus}`, unit: 'EA', unitPrice: 3.6 }],
  })
  const { body: other } = await post('/communities', { name: 'Elsewhere' })
  const { body: home } = await post('/homes', { name: 'Lot 1', communityId: other.id })
  const there = await order({ vendorId, lines: [{ partId: part, quantity: 10 }] }, home.id)
  expect(there.body.lines).toMatchObject([{ priceId: everywhere, unitPrice: 3.4 }])
  const entered = await order({ vendorId, lines: [{ partId: part, quantity: 10, unitPrice: 2 }] })
  expect(entered.body.lines).toMatchObject([{ priceId: null, unitPrice: 2 }])
})

test('an order line for a part without a price is rejected', async () => {
  const [part, expired, large] = [await newPart(), await newPart(), await newPart('LF')]
  const vendorId = await newVendor()
  await priced(part, await newVendor(), 3)
  await priced(expired, vendorId, 3, { expirationDate: '2020-12-31' })
  await priced(large, vendorId, 3, { minQuantity: 100 })
  const lines = [part, expired, large].map((partId) => ({ partId, quantity: 10 }))
  const refused = await order({
    vendorId,
    lines: [...lines, { quantity: 1 }, { partId: large, quantity: 1, unit: 'EA', unitPrice: 1 }],
  })
  expect(refused.status).toBe(422)
  expect(refused.body.errors).toMatchObject([
    { pointer: '/lines/0/unitPrice', code: 'no_price' },
    { pointer: '/lines/1/unitPrice', code: 'expired' },
    { pointer: '/lines/2/unitPrice', code: 'below_minimum' },
    { pointer: '/lines/3/description', code: 'required' },
    { pointer: '/lines/3/unitPrice', code: 'required' },
    { pointer: '/lines/4/unit', code: 'unit' },
  ])
  const unknown = await order({ vendorId, lines: [{ partId: 'prt_x', quantity: 1 }] })
  expect(unknown.body.errors).toMatchObject([{ pointer: '/lines/0/partId', code: 'unknown_reference' }])
})

test("an order from a contract uses the contract's prices before other prices of the vendor", async () => {
  const [stud, plate] = [await newPart(), await newPart()]
  const vendorId = await newVendor()
  await priced(stud, vendorId, 1, { communityId: site.communityId })
  await priced(plate, vendorId, 2)
  const contract = await contracted(vendorId, [{ partId: stud, unitPrice: 3 }], {
    retainagePercent: 5,
    scope: 'lumber',
  })
  const lines = [stud, plate].map((partId) => ({ partId, quantity: 100 }))
  const { body } = await post('/purchase-orders', { homeId: site.lot15, contractId: contract.id, lines })
  expect(body).toMatchObject({
    ...{ contractId: contract.id, vendorId, scope: 'lumber', total: 500, retainagePercent: 5 },
    lines: [{ unitPrice: 3 }, { unitPrice: 2 }],
  })
  expect((await get(`/prices/${body.lines[0].priceId}`)).contractId).toBe(contract.id)
  expect((await get(`/purchase-orders?contractId=${contract.id}`)).data).toHaveLength(1)
  // A line that is sent without changes keeps the source of its price.
  const { lineId, partId, quantity, unitPrice } = body.lines[0]
  const edited = await patch(`/purchase-orders/${body.id}`, {
    lines: [
      { lineId, partId, quantity: quantity + 1, unitPrice },
      { partId: plate, quantity: 1 },
    ],
  })
  expect(edited.body).toMatchObject({ total: 305, lines: [{ priceId: body.lines[0].priceId }, { unitPrice: 2 }] })
  const other = await patch(`/purchase-orders/${body.id}`, { vendorId: site.redrock })
  expect(other.body).toMatchObject({ reason: 'fixed', detail: expect.stringContaining('created from a contract') })
})

test('an order from a contract must be for a vendor and a home that the active contract covers', async () => {
  const [part, vendorId] = [await newPart(), await newVendor()]
  const { body: elsewhere } = await post('/communities', { name: 'Cedar Hollow' })
  const { id } = await contracted(vendorId, [{ partId: part, unitPrice: 3 }], { communityIds: [elsewhere.id] })
  const lines = [{ partId: part, quantity: 1 }]
  expect((await order({ contractId: id, vendorId: site.redrock, lines })).body.errors).toMatchObject([
    { pointer: '/vendorId', code: 'other_vendor' },
    { pointer: '/homeId', code: 'not_covered' },
  ])
  const { body: home } = await post('/homes', { name: 'Lot 2', communityId: elsewhere.id })
  expect((await order({ contractId: id }, home.id)).body.errors).toMatchObject([
    { pointer: '/lines', code: 'required' },
  ])
  expect((await order({ contractId: 'ctr_x', lines })).body.errors).toMatchObject([{ pointer: '/contractId' }])
  await post(`/contracts/${id}/status`, { status: 'terminated' })
  expect((await order({ contractId: id, lines }, home.id)).body).toMatchObject({ status: 409, code: 'conflict' })
})

test('repricing updates draft orders but only reports changed prices of issued orders', async () => {
  const [stud, plate, other] = [await newPart(), await newPart(), await newPart()]
  const vendorId = await newVendor()
  const first = await contracted(
    vendorId,
    [stud, plate].map((partId) => ({ partId, unitPrice: 3 })),
  )
  const ordered = async (fields: object, homeId = site.lot14) => (await order({ vendorId, ...fields }, homeId)).body
  const lines = [{ partId: stud, quantity: 100 }]
  const draft = await ordered({
    contractId: first.id,
    lines: [...lines, { description: 'Delivery', quantity: 1, unitPrice: 40 }],
  })
  const entered = await ordered({ lines: [{ partId: stud, quantity: 10, unitPrice: 1, taxPercent: 10 }] }, site.lot15)
  const issued = await ordered({ contractId: first.id, lines })
  await move(issued.id, 'approved')
  await move(issued.id, 'issued')
  const same = await ordered({ lines: [{ partId: stud, quantity: 1, unitPrice: 9 }] })
  await patch(`/purchase-orders/${same.id}`, { lines: [{ description: 'By hand', quantity: 1, unitPrice: 9 }] })
  const unpriced = await ordered({ lines: [{ partId: other, quantity: 7, unitPrice: 2 }] })
  const foreign = await contracted(vendorId, [{ partId: other, unitPrice: 8 }], { effectiveDate: '2098-01-01' })
  const left = await ordered({ contractId: foreign.id, lines: [{ partId: stud, quantity: 5, unitPrice: 1 }] })

  const { body: second } = await post(`/contracts/${first.id}/revise`, { effectiveDate: today() })
  await patch(`/contracts/${second.id}`, { lines: [{ partId: stud, unitPrice: 3.5 }] })
  await post(`/contracts/${second.id}/status`, { status: 'active' })
  expect((await post(`/contracts/${first.id}/reprice`, {})).body).toMatchObject({
    reason: 'contract_not_active',
    detail: expect.stringContaining('it is superseded'),
  })

  const requested = { skill: 'repriceOpenPurchaseOrders', input: { contractId: second.id }, dryRun: true }
  const tried = await post('/execute', requested)
  expect(tried.body.result.repriced).toHaveLength(2)
  expect(await get(`/purchase-orders/${draft.id}`)).toEqual(draft)

  const { status, body } = await post(`/contracts/${second.id}/reprice`, {})
  expect(status).toBe(200)
  expect(body).toEqual({
    ...{ contractId: second.id, effectiveDate: today() },
    repriced: [
      { orderId: draft.id, number: draft.number, status: 'draft', before: 340, after: 390 },
      { orderId: entered.id, number: entered.number, status: 'draft', before: 11, after: 38.5 },
    ],
    reported: [{ orderId: issued.id, number: issued.number, status: 'issued', before: 300, after: 350 }],
    unchanged: 1,
    unpriced: [
      {
        orderId: unpriced.id,
        number: unpriced.number,
        lineId: 'line-1',
        partId: other,
        quantity: 7,
        issue: 'not_yet_effective',
      },
    ],
  })
  expect(body).toEqual(tried.body.result)
  const after = await get(`/purchase-orders/${draft.id}`)
  expect(after).toMatchObject({
    ...{ contractId: second.id, subtotal: 390, total: 390, version: draft.version + 1, approval: draft.approval },
    lines: [
      { unitPrice: 3.5, total: 350 },
      { unitPrice: 40, priceId: null },
    ],
  })
  expect((await get(`/prices/${after.lines[0].priceId}`)).contractId).toBe(second.id)
  expect(await get(`/purchase-orders/${entered.id}`)).toMatchObject({ contractId: null, taxTotal: 3.5, version: 2 })
  for (const untouched of [unpriced, left]) expect(await get(`/purchase-orders/${untouched.id}`)).toEqual(untouched)
  expect((await get(`/purchase-orders/${issued.id}`)).total).toBe(300)
  expect((await post(`/contracts/${second.id}/reprice`, {})).body).toMatchObject({ repriced: [], unchanged: 3 })
  const entries = await get(`/audit-entries?resourceId=${draft.id}&action=po.updated`)
  expect(entries.data).toMatchObject([{ changed: ['lines', 'total'] }])
})

test('repricing uses the prices of the given date', async () => {
  const [part, vendorId] = [await newPart(), await newVendor()]
  const begins = addDays(today(), 30)
  await priced(part, vendorId, 2, { expirationDate: addDays(begins, -1) })
  const contract = await contracted(vendorId, [{ partId: part, unitPrice: 4 }], { effectiveDate: begins })
  await order({ vendorId, lines: [{ partId: part, quantity: 10 }] })
  const reprice = (body: object) => post(`/contracts/${contract.id}/reprice`, body)
  expect((await reprice({ effectiveDate: today() })).body).toMatchObject({ repriced: [], unchanged: 1 })
})

test('repricing changes only orders in the given community', async () => {
  const [part, vendorId] = [await newPart(), await newVendor()]
  const begins = addDays(today(), 30)
  await priced(part, vendorId, 2, { expirationDate: addDays(begins, -1) })
  const contract = await contracted(vendorId, [{ partId: part, unitPrice: 4 }], { effectiveDate: begins })
  await order({ vendorId, lines: [{ partId: part, quantity: 10 }] })
  const reprice = (body: object) => post(`/contracts/${contract.id}/reprice`, body)
  const { body: elsewhere } = await post('/communities', { name: 'Mill Creek' })
  expect((await reprice({ communityId: elsewhere.id })).body).toMatchObject({ repriced: [], unchanged: 0 })
})

test('an order is repriced only once by concurrent requests', async () => {
  const [part, vendorId] = [await newPart(), await newVendor()]
  const begins = addDays(today(), 30)
  await priced(part, vendorId, 2, { expirationDate: addDays(begins, -1) })
  const contract = await contracted(vendorId, [{ partId: part, unitPrice: 4 }], { effectiveDate: begins })
  await order({ vendorId, lines: [{ partId: part, quantity: 10 }] })
  const reprice = () => post(`/contracts/${contract.id}/reprice`)
  const answers = await Promise.all([reprice(), reprice()])
  expect(answers.map(({ body }) => body.repriced.length).sort()).toEqual([0, 1])
  expect(answers[0].body.effectiveDate).toBe(begins)
})

test('repricing orders requires pos:write', async () => {
  const [part, vendorId] = [await newPart(), await newVendor()]
  const begins = addDays(today(), 30)
  const contract = await contracted(vendorId, [{ partId: part, unitPrice: 4 }], { effectiveDate: begins })
  const reprice = (key: string) => post(`/contracts/${contract.id}/reprice`, {}, key)
  const key = await plumbline.newKey(['contracts:read', 'pos:read'], site.organizationId)
  expect((await reprice(key)).body).toMatchObject({ code: 'permission_denied', permission: 'pos:write' })
  const stranger = await plumbline.newBuilder()
  expect((await reprice(stranger.key)).status).toBe(404)
})

test("if repricing would give an order an invalid total, the error contains the order's number", async () => {
  const [part, vendorId] = [await newPart(), await newVendor()]
  const contract = await contracted(vendorId, [{ partId: part, unitPrice: -4 }])
  const { body } = await order({ vendorId, lines: [{ partId: part, quantity: 10, unitPrice: 1 }] })
  const refused = await post(`/contracts/${contract.id}/reprice`, {})
  expect(refused.body).toMatchObject({
    ...{ code: 'conflict', reason: 'too_large' },
    detail: expect.stringContaining(body.number),
  })
})
