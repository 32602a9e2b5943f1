import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let communityId: string
let planId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = (await plumbline.post('/api/ext/communities', { name: 'Juniper Ridge' })).body.id
  planId = (await plumbline.post('/api/ext/plans', { code: 'P2100', name: 'The Possumhaw' })).body.id
})
afterAll(() => plumbline.stop())

let skus = 0
const newPart = async () =>
  (await plumbline.post('/api/ext/parts', { sku: `LUM-${++skus}`, name: 'Stud', unit: 'EA' })).body.id as string
const newVendor = async (status = 'active') =>
  (await plumbline.post('/api/ext/vendors', { companyName: 'Brazos Lumber', status })).body.id as string
const add = (partId: string, fields: object) =>
  plumbline.post(`/api/ext/parts/${partId}/prices`, { unitPrice: 3, effectiveDate: '2026-01-01', ...fields })

async function priced(partId: string, fields: object) {
  const { status, body } = await add(partId, { vendorId: await newVendor(), ...fields })
  expect(status).toBe(201)
  return body
}

const find = async (partId: string, query: object = {}) => {
  const parameters = new URLSearchParams({ partId, on: '2026-06-01', ...query })
  const { status, body } = await plumbline.get(`/api/ext/prices/find?${parameters}`)
  expect(status).toBe(200)
  return body
}
const explain = async (partId: string, query: object = {}) =>
  (await plumbline.get(`/api/ext/prices/explain?${new URLSearchParams({ partId, on: '2026-06-01', ...query })}`)).body

test('the most specific price of a part applies: plan in a community, then community, then default', async () => {
  const part = await newPart()
  await priced(part, { unitPrice: 1 })
  await priced(part, { unitPrice: 2, communityId })
  await priced(part, { unitPrice: 3, communityId, planId })
  expect(await find(part)).toMatchObject({ source: 'default', price: { unitPrice: 1 }, issue: null })
  expect(await find(part, { communityId })).toMatchObject({ source: 'community', price: { unitPrice: 2 } })
  const nearest = await find(part, { communityId, planId, quantity: 1.5 })
  expect(nearest).toMatchObject({ source: 'plan', price: { unitPrice: 3 }, quantity: 1.5, total: 4.5 })
  const explained = await explain(part, { communityId, planId })
  expect(explained.chosen.price.id).toBe(nearest.price.id)
  expect(explained.passedOver).toMatchObject([
    { price: { unitPrice: 2 }, reason: 'less_specific' },
    { price: { unitPrice: 1 }, reason: 'less_specific' },
  ])
})

test('if several prices are equally specific, a preferred price applies before the lowest price', async () => {
  const part = await newPart()
  await priced(part, { unitPrice: 3.1 })
  const low = await priced(part, { unitPrice: 2.9 })
  expect((await find(part)).price.id).toBe(low.id)
  const preferred = await priced(part, { unitPrice: 3.4, preferred: true })
  expect((await find(part)).price.id).toBe(preferred.id)
  const reasons = (await explain(part)).passedOver.map(({ reason }: { reason: string }) => reason)
  expect(reasons).toEqual(['not_preferred', 'not_preferred'])
})

test('a price applies only within its dates and from its minimum quantity', async () => {
  const part = await newPart()
  const vendorId = await newVendor()
  await priced(part, { vendorId, unitPrice: 4, expirationDate: '2026-05-31' })
  await priced(part, { vendorId, unitPrice: 5, effectiveDate: '2026-06-01' })
  await priced(part, { vendorId, unitPrice: 2, minQuantity: 100 })
  const at = async (query: object) => (await find(part, query)).price.unitPrice
  expect([await at({ on: '2026-05-31' }), await at({ on: '2026-06-01' })]).toEqual([4, 5])
  expect([await at({ quantity: 99.9999 }), await at({ quantity: 100 })]).toEqual([5, 2])
  const on = (await plumbline.get(`/api/ext/parts/${part}/prices?on=2026-06-01&sort=unitPrice`)).body.data
  expect(on.map(({ unitPrice }: { unitPrice: number }) => unitPrice)).toEqual([2, 5])
})

test('if no price applies, the response gives the reason why the closest price does not apply', async () => {
  const part = await newPart()
  const issue = async (query: object = {}) => {
    const { price, source, total, issue } = await find(part, query)
    expect([price, source, total]).toEqual([null, null, null])
    return issue
  }
  expect(await issue()).toBe('no_price')
  const vendorId = await newVendor('prospective')
  await priced(part, { vendorId, communityId, expirationDate: '2026-02-01' })
  expect(await issue({ communityId })).toBe('expired')
  await priced(part, { vendorId })
  expect(await issue({ communityId })).toBe('vendor_not_active')
  await plumbline.post(`/api/ext/vendors/${vendorId}/status`, { status: 'active' })
  expect(await find(part)).toMatchObject({ issue: null })

  const other = await newPart()
  await priced(other, { effectiveDate: '2026-07-01' })
  expect((await find(other)).issue).toBe('not_yet_effective')
  const local = await newPart()
  await priced(local, { communityId })
  expect((await find(local)).issue).toBe('elsewhere')
  const bulk = await newPart()
  await priced(bulk, { minQuantity: 500 })
  expect((await find(bulk, { quantity: 499 })).issue).toBe('below_minimum')
})

test('prices of a vendor for the same plan, community, and quantity cannot overlap in time', async () => {
  const part = await newPart()
  const vendorId = await newVendor()
  const first = await priced(part, { vendorId, effectiveDate: '2026-01-01', expirationDate: '2026-06-30' })
  const conflict = { status: 409, body: { code: 'conflict', reason: 'period_taken' } }
  const after = await add(part, { vendorId, effectiveDate: '2026-06-30' })
  expect(after).toMatchObject(conflict)
  expect(after.body.detail).toMatch(
    /from January 1, 2026 to June 30, 2026\)\. Set endPrevious to end that price the day before\.$/,
  )
  const before = await add(part, { vendorId, effectiveDate: '2025-01-01' })
  expect(before).toMatchObject(conflict)
  expect(before.body.detail).toMatch(/ Set expirationDate to a date before January 1, 2026\.$/)
  // Prices of different vendors, or for different places, plans, or quantities, do not overlap.
  await priced(part, {})
  await priced(part, { vendorId, communityId })
  await priced(part, { vendorId, communityId, planId })
  await priced(part, { vendorId, minQuantity: 10 })
  const second = await priced(part, { vendorId, effectiveDate: '2026-07-01' })
  const earlier = await plumbline.patch(`/api/ext/prices/${second.id}`, { effectiveDate: '2026-06-30' })
  expect(earlier).toMatchObject(conflict)
  expect((await plumbline.patch(`/api/ext/prices/${first.id}`, { expirationDate: null })).status).toBe(409)
  expect((await plumbline.patch(`/api/ext/prices/${first.id}`, { unitPrice: 3.0125 })).body.unitPrice).toBe(3.0125)
  const third = await add(part, { vendorId, effectiveDate: '2026-09-01', endPrevious: true })
  expect(third.status).toBe(201)
  expect((await plumbline.get(`/api/ext/prices/${second.id}`)).body.expirationDate).toBe('2026-08-31')
  expect(await add(part, { vendorId, effectiveDate: '2026-09-01', endPrevious: true })).toMatchObject(conflict)
  await plumbline.delete(`/api/ext/prices/${third.body.id}`)
  expect((await add(part, { vendorId, effectiveDate: '2026-09-01' })).status).toBe(201)
})

test('only one of twenty concurrent, overlapping prices is added', async () => {
  const [part, vendorId] = [await newPart(), await newVendor()]
  const answers = await Promise.all(Array.from({ length: 20 }, () => add(part, { vendorId })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)])
})

test('contradictory price fields and unknown references are reported at their fields', async () => {
  const [part, vendorId] = [await newPart(), await newVendor()]
  const pointers = async (fields: object) => {
    const { status, body } = await add(part, { vendorId, ...fields })
    expect(status).toBe(422)
    return body.errors.map(({ pointer }: { pointer: string }) => pointer)
  }
  expect(await pointers({ expirationDate: '2025-12-31', planId })).toEqual(['/expirationDate', '/planId'])
  expect(await pointers({ unitPrice: 1.00001 })).toEqual(['/unitPrice'])
  expect(await pointers({ vendorId: 'ven_nobody' })).toEqual(['/vendorId'])
  expect(await pointers({ communityId: 'com_nowhere' })).toEqual(['/communityId'])
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.get(`/api/ext/prices/find?partId=${part}`, { key })).body.code).toBe('unknown_reference')
  expect((await plumbline.get(`/api/ext/parts/${part}/prices`, { key })).status).toBe(404)
  await plumbline.delete(`/api/ext/parts/${part}`)
  expect(await add(part, { vendorId })).toMatchObject({ status: 409, body: { code: 'conflict' } })
})

test('a part gets the default cost code of its trade', async () => {
  const code = { code: '06-110', name: 'Framing lumber', category: 'material' }
  const { id: costCodeId } = (await plumbline.post('/api/ext/cost-codes', code)).body
  await plumbline.post('/api/ext/scopes', { name: 'framing', defaultCostCodeId: costCodeId })
  const stud = { sku: 'LUM-2X4', name: 'Stud 2x4', unit: 'EA', scope: 'Framing', leadTimeDays: 5 }
  const created = await plumbline.post('/api/ext/parts', stud)
  expect(created).toMatchObject({ status: 201, body: { ...stud, scope: 'framing', costCodeId } })
  const { id } = created.body
  const listed = await plumbline.get(`/api/ext/parts?scope=FRAMING&costCodeId=${costCodeId}&q=stud`)
  expect(listed.body.data).toMatchObject([{ id }])
})

test('the unit of a part with a price cannot be changed', async () => {
  const part = { sku: 'LUM-2X6', name: 'Stud 2x6', unit: 'EA', scope: 'framing' }
  const { id } = (await plumbline.post('/api/ext/parts', part)).body
  expect((await plumbline.patch(`/api/ext/parts/${id}`, { unit: 'LF' })).body.unit).toBe('LF')
  await priced(id, {})
  expect(await plumbline.patch(`/api/ext/parts/${id}`, { unit: 'EA' })).toMatchObject({ status: 409 })
})

test('two parts cannot have the same SKU', async () => {
  const stud = { sku: 'LUM-2X8', name: 'Stud 2x8', unit: 'EA', scope: 'framing' }
  expect((await plumbline.post('/api/ext/parts', stud)).status).toBe(201)
  expect((await plumbline.post('/api/ext/parts', stud)).body.errors).toMatchObject([{ pointer: '/sku' }])
})
