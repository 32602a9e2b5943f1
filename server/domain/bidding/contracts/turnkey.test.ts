import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { TIME_ZONE } from '../../../../test/support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'

let plumbline: TestPlumbline
let communityId: string
let planId: string
let plans = 0
let optionId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = await made('/communities', { name: 'Juniper Ridge' })
  optionId = await made('/options', { code: 'ST-BAY', name: 'Bay window', optionType: 'structural', price: 100 })
})
beforeEach(async () => {
  const elevations = [{ code: 'A' }, { code: 'B' }]
  planId = await made('/plans', { code: `P${++plans}`, name: 'The Possumhaw', elevations })
})
afterAll(() => plumbline.stop())

const post = (path: string, body: object) => plumbline.post(`/api/ext${path}`, body)
const patch = (path: string, body: object) => plumbline.patch(`/api/ext${path}`, body)
const get = async (path: string) => (await plumbline.get(`/api/ext${path}`)).body
async function made(path: string, body: object): Promise<string> {
  const answer = await post(path, body)
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 201 })
  return answer.body.id
}
const newVendor = () => made('/vendors', { companyName: 'Brazos Framing', status: 'active' })
const terms = { scope: 'framing', contractType: 'turnkey', effectiveDate: '2026-01-01' }
const draft = async (fields: object) => made('/contracts', { vendorId: await newVendor(), ...terms, ...fields })
const move = (id: string, status: string, rest: object = {}) => post(`/contracts/${id}/status`, { status, ...rest })
async function active(fields: object): Promise<string> {
  const id = await draft(fields)
  expect((await move(id, 'active')).body).toMatchObject({ status: 'active' })
  return id
}
/** Returns the estimated cost of a home with the plan on a date. The estimate contains only lump sums. */
async function estimated(on: string, elevation = 'A'): Promise<number> {
  await post(`/plans/${planId}/status`, { status: 'released' })
  const home = await made('/homes', { name: 'Lot', communityId, planId, elevation })
  return (await post(`/homes/${home}/budget/estimate`, { on })).body.total
}

test('a turnkey contract can have lump sums for a plan, an elevation, and an option', async () => {
  const { body: code } = await post('/cost-codes', { code: '06-100', name: 'Framing', category: 'subcontract' })
  const { body: scope } = await post('/scopes', { name: 'siding', defaultCostCodeId: code.id })
  const { body } = await post('/contracts', {
    ...{ vendorId: await newVendor(), scope: 'Siding', effectiveDate: '2026-01-01', communityIds: [communityId] },
    lumpSums: [
      { planId, amount: 38_400 },
      { lineId: 'b', planId, elevation: 'B', costCodeId: null, description: 'With the gable', amount: 40_150.5 },
      { optionId, amount: -250 },
    ],
  })
  expect(body).toMatchObject({
    ...{ contractType: 'turnkey', scope: scope.name, lines: [], planIds: [] },
    lumpSums: [
      { lineId: 'line-1', planId, elevation: null, optionId: null, costCodeId: code.id, amount: 38_400 },
      { lineId: 'b', elevation: 'B', costCodeId: null, description: 'With the gable', amount: 40_150.5 },
      { lineId: 'line-3', planId: null, optionId, description: null, amount: -250 },
    ],
  })
  const ofPlan = await get(`/contracts?contractType=turnkey&planId=${planId}`)
  expect(ofPlan.data.map(({ id }: { id: string }) => id)).toEqual([body.id])
  const { body: other } = await post('/plans', { code: 'P2850', name: 'The Mustang' })
  expect((await get(`/contracts?contractType=turnkey&planId=${other.id}`)).data).toEqual([])

  // A contract can keep a cost code that has been archived since, but an archived cost code cannot be added.
  await post('/scopes', { name: 'siding', defaultCostCodeId: null })
  await plumbline.delete(`/api/ext/cost-codes/${code.id}`)
  const { lumpSums } = body
  expect((await patch(`/contracts/${body.id}`, { lumpSums })).body).toMatchObject({ lumpSums, version: 1 })
  const anew = [{ ...lumpSums[0], costCodeId: 'cc_x' }]
  expect((await patch(`/contracts/${body.id}`, { lumpSums: anew })).body.errors).toMatchObject([
    { pointer: '/lumpSums/0/costCodeId', code: 'unknown_reference' },
  ])
})

test('each contradictory lump sum, and each lump sum without a plan or option, is reported', async () => {
  const vendorId = await newVendor()
  const faultsOf = async (fields: object) => {
    const { status, body } = await post('/contracts', { vendorId, ...terms, ...fields })
    expect(status).toBe(422)
    return body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
  }
  const lumpSums = [
    { lineId: 'a', planId, amount: 1 },
    { lineId: 'a', planId, amount: -2 },
    { planId, optionId, amount: 1 },
    { amount: 1 },
    { planId, elevation: 'Z', amount: 1 },
    { optionId, elevation: 'A', amount: 1 },
    { optionId, amount: 1 },
    { optionId, amount: 1 },
  ]
  const communityIds = [communityId]
  expect(await faultsOf({ communityIds, planIds: [planId], lumpSums })).toEqual([
    ...['/planIds turnkey', '/lumpSums/1/lineId unique', '/lumpSums/1/planId unique', '/lumpSums/1/amount minimum'],
    ...['/lumpSums/2 place', '/lumpSums/3 place', '/lumpSums/4/elevation elevation'],
    ...['/lumpSums/5/elevation elevation', '/lumpSums/7/optionId unique'],
  ])
  const unknown = [
    { planId: 'pln_x', amount: 1 },
    { optionId: 'opt_x', amount: 1 },
  ]
  expect(await faultsOf({ lumpSums: unknown })).toEqual([
    '/lumpSums/0/planId unknown_reference',
    '/lumpSums/1/optionId unknown_reference',
  ])
  expect(await faultsOf({ contractType: 'material', lines: [], lumpSums: [{ planId, amount: 1 }] })).toEqual([
    '/lumpSums turnkey',
  ])
  expect(await faultsOf({})).toEqual(['/lumpSums required'])
  const many = Array.from({ length: 500 }, (_, i) => ({ lineId: `l${i}`, optionId: `opt_${i}`, amount: 1 }))
  expect(await faultsOf({ lumpSums: [...many, { optionId, amount: 1 }] })).toEqual(['/lumpSums maxItems'])
})

test('a turnkey contract without lump sums cannot be activated', async () => {
  const id = await draft({ lumpSums: [] })
  const { status, body } = await move(id, 'active')
  expect([status, body.reason, body.detail]).toEqual([
    ...[409, 'missing_data'],
    expect.stringContaining('The contract has no lump sums.'),
  ])
})

test('only a turnkey contract can have lump sums', async () => {
  const id = await draft({ lumpSums: [] })
  const path = `/contracts/${id}`
  expect((await patch(path, { lumpSums: [{ planId, amount: 9 }] })).body.lumpSums).toMatchObject([{ amount: 9 }])
  expect((await patch(path, { contractType: 'labor_only' })).body.errors).toMatchObject([{ pointer: '/lumpSums' }])
  const labor = await patch(path, { contractType: 'labor_only', lumpSums: [] })
  expect(labor.body).toMatchObject({ contractType: 'labor_only', lumpSums: [] })
})

test('a labor contract without lines cannot be activated', async () => {
  const id = await draft({ lumpSums: [] })
  const path = `/contracts/${id}`
  await patch(path, { contractType: 'labor_only' })
  expect((await move(id, 'active')).body).toMatchObject({
    reason: 'missing_data',
    detail: expect.stringContaining('The contract has no lines'),
  })
})

test("an activation that would overlap a vendor's lump sums is rejected with the names of the lump sums", async () => {
  const vendorId = await newVendor()
  const sums = [
    { lineId: 'any', planId, amount: 3 },
    { lineId: 'a', planId, elevation: 'A', amount: 1 },
    { lineId: 'bay', optionId, amount: 2 },
  ]
  const first = await active({ vendorId, expirationDate: '2099-06-30', lumpSums: sums.slice(1) })
  const { number } = await get(`/contracts/${first}`)
  const second = await draft({ vendorId, scope: 'Framing', effectiveDate: '2099-06-30', lumpSums: sums })
  const refused = await move(second, 'active', { endPrevious: true })
  expect(refused.status).toBe(409)
  expect(refused.body.errors).toEqual([
    { pointer: '/lumpSums/1', code: 'overlap', message: `overlaps lump sum "a" of ${number}` },
    { pointer: '/lumpSums/2', code: 'overlap', message: `overlaps lump sum "bay" of ${number}` },
  ])
  // Lump sums for different periods, places, trades, or vendors do not overlap.
  for (const fields of [
    { vendorId, effectiveDate: '2099-07-01' },
    { vendorId, communityIds: [communityId] },
    { vendorId, scope: 'trim' },
    {},
  ])
    await move(await active({ ...fields, lumpSums: sums }), 'terminated')
  const answers = await Promise.all(
    [await draft({ vendorId, lumpSums: sums.slice(0, 1) }), await draft({ vendorId, lumpSums: sums.slice(0, 1) })].map(
      (id) => move(id, 'active'),
    ),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  const both = answers.find(({ status }) => status === 200)?.body.id
  for (const id of [both, first]) await move(id, 'terminated')
})

test('the lump sums of a revised contract still apply to dates before the revision', async () => {
  const part = await made('/parts', { sku: 'LUM', name: 'Stud', unit: 'EA', scope: 'framing' })
  const lines = [{ partId: part, unitPrice: 3 }]
  const id = await active({ scope: 'roofing', effectiveDate: '2020-01-01', lines, lumpSums: [{ planId, amount: 100 }] })
  const day = (days: number) => addDays(toLocalDate(TIME_ZONE, plumbline.clock.now()), days)
  const { body: next } = await post(`/contracts/${id}/revise`, { effectiveDate: day(-10) })
  expect(next).toMatchObject({
    contractType: 'turnkey',
    lumpSums: [{ planId, amount: 100 }],
    lines: [{ unitPrice: 3 }],
  })
  await patch(`/contracts/${next.id}`, { lumpSums: [{ planId, amount: 120 }] })
  expect((await move(next.id, 'active')).body.status).toBe('active')
  expect([await estimated(day(-11)), await estimated(day(-10))]).toEqual([100, 120])
  await move(next.id, 'terminated')
  expect([await estimated(day(-11)), await estimated(day(0)), await estimated(day(1))]).toEqual([100, 120, 0])
})

test('a lump sum never applies if its contract is terminated before its effective date', async () => {
  const effectiveDate = '2099-01-01'
  const id = await active({ scope: 'drywall', effectiveDate, lumpSums: [{ planId, amount: 77 }] })
  expect(await estimated('2099-01-01')).toBe(77)
  await move(id, 'terminated')
  expect(await estimated('2099-01-01')).toBe(0)
})
