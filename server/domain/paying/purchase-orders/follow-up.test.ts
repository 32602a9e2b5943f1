import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'

/** These tests check orders that depend on other orders: change orders, variance orders, and backcharges. */
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
const post = (path: string, body: object) => plumbline.post(`/api/ext${path}`, body, { key: site.key })
const patch = (id: string, body: object) => plumbline.patch(`/api/ext/purchase-orders/${id}`, body, { key: site.key })
const get = async (path: string): Promise<Body> => (await plumbline.get(`/api/ext${path}`, { key: site.key })).body
const made = async (path: string, body: object): Promise<Body> => {
  const answer = await post(path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const order = (unitPrice: number, more: object = {}) => ({
  ...{ homeId, vendorId: site.loneStar, scope: 'framing', lines: [{ description: 'Framing', quantity: 1, unitPrice }] },
  ...more,
})
const move = async (id: string, ...statuses: string[]) => {
  for (const status of statuses) {
    const answer = await post(`/purchase-orders/${id}/status`, { status, reason: 'As agreed.' })
    expect(answer.body, JSON.stringify(answer.body)).toMatchObject({ status })
  }
}
const pointers = ({ body }: ServiceResponse) =>
  body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)

test('a change order requires an issued order of the same vendor', async () => {
  const parent = await made('/purchase-orders', order(1000))
  const change = { poType: 'change', parentPoId: parent.id }
  expect(pointers(await post('/purchase-orders', order(5, { poType: 'change' })))).toEqual(['/parentPoId required'])
  const early = await post('/purchase-orders', order(5, change))
  expect([early.status, early.body.reason, early.body.detail]).toEqual([
    ...[409, 'wrong_status'],
    `${parent.number} is a draft. A change order needs an order that has been issued.`,
  ])
  await move(parent.id, 'approved', 'issued')
  const other = await post('/purchase-orders', order(5, { ...change, vendorId: site.hillCountry }))
  expect(pointers(other)).toEqual(['/parentPoId other_vendor'])
  const up = await made('/purchase-orders', order(150, change))
  const down = await made('/purchase-orders', order(-50, change))
  expect(down).toMatchObject({ total: -50, parentPoId: parent.id })
  expect(await get(`/homes/${homeId}/budget`)).toMatchObject({ totalCommitted: 1000, totalPendingCommitted: 100 })
  const { data } = await get(`/purchase-orders?parentPoId=${parent.id}`)
  expect(data.map(({ id }: Body) => id).sort()).toEqual([up.id, down.id].sort())
})

test('a draft order can become a change order only if its parent order was issued to the same vendor', async () => {
  const [parent, draft] = [await made('/purchase-orders', order(1000)), await made('/purchase-orders', order(50))]
  expect(pointers(await patch(draft.id, { poType: 'change' }))).toEqual(['/parentPoId required'])
  expect((await patch(draft.id, { poType: 'change', parentPoId: parent.id })).status).toBe(409)
  await move(parent.id, 'approved', 'issued')
  expect((await patch(draft.id, { poType: 'change', parentPoId: parent.id })).status).toBe(200)
  expect(pointers(await patch(draft.id, { vendorId: site.hillCountry }))).toEqual(['/parentPoId other_vendor'])
  expect(pointers(await patch(draft.id, { parentPoId: null }))).toEqual(['/parentPoId required'])
  expect((await patch(draft.id, { notes: 'Call ahead.' })).status).toBe(200)
})

test('a variance order requires a reason, a responsible party, and notes if the reason is not specific', async () => {
  const reported = { poType: 'variance', varianceResponsible: 'builder' }
  for (const varianceReasonCode of ['other', 'backcharge']) {
    const variance = order(100, { ...reported, varianceReasonCode })
    expect(pointers(await post('/purchase-orders', variance))).toEqual(['/notes required'])
    const { id } = await made('/purchase-orders', { ...variance, notes: 'The crane came twice.' })
    expect(pointers(await patch(id, { notes: null }))).toEqual(['/notes required'])
  }
  const responsible = await get(`/purchase-orders?homeId=${homeId}&varianceResponsible=builder`)
  expect(responsible.data).toHaveLength(2)
})

test('a backcharge to a vendor on hold reduces the amount payable to the vendor', async () => {
  const vendor = await made('/vendors', {
    companyName: 'Careless Framing',
    defaultRetainagePercent: 10,
    status: 'active',
  })
  const vendorId = vendor.id
  const parent = await made('/purchase-orders', order(1000, { vendorId }))
  await move(parent.id, 'approved', 'issued', 'accepted', 'completed')
  const payable = async () => (await get(`/vendors/${vendorId}/scorecard`)).payable
  expect(await payable()).toBe(900)

  const charge = { vendorId, poType: 'backcharge', parentPoId: parent.id }
  expect(pointers(await post('/purchase-orders', order(250, charge)))).toEqual(['/lines sum'])
  const elsewhere = { ...charge, vendorId: site.hillCountry }
  expect(pointers(await post('/purchase-orders', order(-250, elsewhere)))).toEqual(['/parentPoId other_vendor'])
  const { id, ...backcharge } = await made('/purchase-orders', order(-250, charge))
  expect(backcharge).toMatchObject({ total: -250, retainagePercent: 0, balance: -250 })
  await post(`/vendors/${vendorId}/status`, { status: 'on_hold', reason: 'The damage.' })
  await move(id, 'approved', 'issued', 'accepted')
  expect(await payable()).toBe(900)
  const done = await post(`/purchase-orders/${id}/progress`, { completedPercent: 100 })
  expect(done.body).toMatchObject({ status: 'completed', completedAmount: -250, payableAmount: -250 })
  expect(await payable()).toBe(650)
  expect(await get(`/homes/${homeId}/budget`)).toMatchObject({ totalActual: 750, totalRetained: 100 })
})

test('a selection returns to the status approved when its only order is voided', async () => {
  const selection = await made(`/homes/${homeId}/selections`, {
    ...{ customDescription: 'A larger window', unitPrice: 900, cost: 600, scope: 'framing', quantity: 1 },
  })
  const path = `/selections/${selection.id}`
  await post(`${path}/status`, { status: 'approved' })
  const requested = order(600, { poType: 'option', optionSelectionId: selection.id })
  const [first, second] = [await made('/purchase-orders', requested), await made('/purchase-orders', requested)]
  for (const { id } of [first, second]) {
    const asked = await post(`/purchase-orders/${id}/status`, { status: 'approved' })
    if (asked.body.status === 'pending_approval') await move(id, 'approved')
  }
  expect((await post(`${path}/status`, { status: 'ordered' })).body.status).toBe('ordered')
  await move(first.id, 'void')
  expect(await get(path)).toMatchObject({ status: 'ordered' })
  const input = { poId: second.id, status: 'void' }
  const tried = await post('/execute', { skill: 'changePurchaseOrderStatus', input, dryRun: true })
  expect(tried.body.result).toMatchObject({ status: 'void' })
  expect(await get(path)).toMatchObject({ status: 'ordered' })
  await move(second.id, 'void')
  expect(await get(path)).toMatchObject({ status: 'approved' })
  const history = await plumbline.database.statements
    .selectFrom('statusChanges')
    .select(['from', 'to', 'reason'])
    .where('resourceId', '=', selection.id)
    .orderBy('id')
    .execute()
  expect(history.at(-1)).toEqual({ from: 'ordered', to: 'approved', reason: `${second.number} was voided.` })
  expect((await post(`${path}/status`, { status: 'ordered' })).status).toBe(409)
})

test('a selection is not marked as ordered if its order is voided concurrently', async () => {
  const selection = await made(`/homes/${homeId}/selections`, {
    ...{ customDescription: 'A larger window', unitPrice: 900, cost: 600, scope: 'framing', quantity: 1 },
  })
  await post(`/selections/${selection.id}/status`, { status: 'approved' })
  const requested = order(600, { poType: 'option', optionSelectionId: selection.id })
  const { id } = await made('/purchase-orders', requested)
  await move(id, 'approved')
  const [voided] = await Promise.all([
    post(`/purchase-orders/${id}/status`, { status: 'void' }),
    post(`/selections/${selection.id}/status`, { status: 'ordered' }),
  ])
  expect(voided.status).toBe(200)
  expect(await get(`/selections/${selection.id}`)).toMatchObject({ status: 'approved' })
})
