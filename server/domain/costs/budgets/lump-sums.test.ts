import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let communityId: string
let supplier: string
let plan: string
let plans = 0
const parts = new Map<string, string>()
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = await made('communities', { name: 'Juniper Ridge' })
  supplier = await newVendor('Brazos Lumber')
  for (const [sku, scope, unitPrice] of [
    ['STUD', 'framing', 3],
    ['LABOR', 'Framing', 5],
    ['TRUSS', 'framing', null],
    ['SHINGLE', 'roofing', 90],
    ['METAL', 'roofing', 300],
    ['PERMIT', null, 1200],
  ] as const) {
    const part = await made('parts', { sku, name: sku, unit: 'EA', ...(scope !== null && { scope }) })
    if (unitPrice !== null)
      await made(`parts/${part}/prices`, { vendorId: supplier, unitPrice, effectiveDate: '2020-01-01' })
    parts.set(sku, part)
  }
})
// Lump sums of a contract that is terminated still apply on the same day, so each test uses its own plan.
beforeEach(async () => {
  const lines = [line('STUD', 100), line('LABOR', 200), line('TRUSS', 1), line('SHINGLE', 20), line('PERMIT', 1)]
  plan = await made('plans', { code: `P${++plans}`, name: 'The Possumhaw', elevations: [{ code: 'A' }, { code: 'B' }] })
  expect((await plumbline.put(`/api/ext/plans/${plan}/takeoff`, { lines })).status).toBe(200)
  await post(`plans/${plan}/status`, { status: 'released' })
})
afterAll(() => plumbline.stop())

const line = (sku: string, quantity: number, lineId = sku.toLowerCase()) => ({
  ...{ lineId, partId: parts.get(sku), quantity },
})
const post = (path: string, body: object = {}) => plumbline.post(`/api/ext/${path}`, body)
async function made(path: string, body: object): Promise<string> {
  const answer = await post(path, body)
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 201 })
  return answer.body.id
}
const newVendor = (companyName: string, fields: object = {}) =>
  made('vendors', { companyName, status: 'active', ...fields })

/** Creates an active turnkey contract with a new vendor. */
async function agreed(lumpSums: object[], fields: object = {}) {
  const vendorId = await newVendor('Lone Star Framing')
  const terms = { vendorId, scope: 'framing', contractType: 'turnkey', effectiveDate: '2026-01-01', ...fields }
  const { body } = await post('contracts', { ...terms, lumpSums })
  expect((await post(`contracts/${body.id}/status`, { status: 'active' })).body).toMatchObject({ status: 'active' })
  return { id: body.id as string, number: body.number as string, vendorId }
}
const terminate = (id: string) => post(`contracts/${id}/status`, { status: 'terminated' })

let homes = 0
const newHome = (fields: object = {}) =>
  made('homes', { name: `Lot ${++homes}`, communityId, planId: plan, elevation: 'A', ...fields })
async function estimate(home: string, body: object = {}) {
  const { status, body: estimated } = await post(`homes/${home}/budget/estimate`, body)
  expect([status, estimated.detail]).toEqual([200, undefined])
  return estimated
}
const linesOf = async (home: string) =>
  (await plumbline.get(`/api/ext/homes/${home}/budget/lines?sort=createdAt`)).body.data

async function newOption(lines: object[], fields: object = {}): Promise<string> {
  const requested = { code: `O-${++homes}`, name: 'An upgrade', optionType: 'upgrade', ...fields }
  const id = await made('options', 'marginPercent' in requested ? requested : { price: 100, ...requested })
  if (lines.length > 0) expect((await plumbline.put(`/api/ext/options/${id}/takeoff`, { lines })).status).toBe(200)
  await post(`options/${id}/status`, { status: 'active' })
  return id
}
const select = async (home: string, fields: object) => (await post(`homes/${home}/selections`, fields)).body

test('a lump sum replaces all takeoff lines of its trade in the estimate', async () => {
  const home = await newHome()
  expect(await estimate(home)).toMatchObject({ total: 4300, covered: [], unpriced: [{ sku: 'TRUSS' }] })
  const contract = await agreed([{ planId: plan, amount: 1950.5 }])
  const estimated = await estimate(home)
  expect(estimated).toMatchObject({ total: 4950.5, priced: 3, added: 1, removed: 2, unpriced: [] })
  expect(estimated.covered).toEqual([
    { optionSelectionId: null, scope: 'framing', contractId: contract.id, amount: 1950.5 },
  ])
  const lump = (await linesOf(home)).find(({ contractId }: { contractId: string | null }) => contractId !== null)
  expect(lump).toMatchObject({
    ...{ source: 'base', scope: 'framing', contractId: contract.id, partId: null, priceId: null, takeoffLineId: null },
    ...{ quantity: 1, unit: 'LS', unitCost: 1950.5, budgeted: 1950.5, optionSelectionId: null },
    description: `framing, as agreed in ${contract.number}`,
  })
  expect(await estimate(home)).toMatchObject({ added: 0, changed: 0, removed: 0 })

  const cheaper = await agreed([{ planId: plan, amount: 1900, description: 'Frame and trusses' }])
  expect(await estimate(home)).toMatchObject({ total: 4900, added: 0, changed: 1, removed: 0 })
  const after = (await linesOf(home)).find(({ id }: { id: string }) => id === lump.id)
  expect(after).toMatchObject({ contractId: cheaper.id, description: 'Frame and trusses', version: 2 })
})

test('a lump sum is budgeted even if the takeoff has no line of its trade', async () => {
  const { id } = await agreed([{ planId: plan, amount: 800 }], { scope: 'cleaning' })
  const home = await newHome()
  expect((await estimate(home)).covered).toMatchObject([{ scope: 'cleaning', contractId: id, amount: 800 }])
  const budget = (await plumbline.get(`/api/ext/homes/${home}/budget`)).body
  expect(budget.scopes).toContainEqual(expect.objectContaining({ scope: 'cleaning', budgeted: 800 }))
})

test('the most specific lump sum applies to a home, even if another lump sum is lower', async () => {
  const elsewhere = await made('communities', { name: 'Cedar Hollow' })
  const contracts = [
    await agreed([{ planId: plan, amount: 1 }], { preferred: false }),
    await agreed([{ planId: plan, amount: 3 }]),
    await agreed([{ planId: plan, amount: 2 }]),
    await agreed([{ planId: plan, amount: 4 }], { communityIds: [communityId] }),
    await agreed([{ planId: plan, elevation: 'B', amount: 5 }]),
  ]
  const costs = async (fields: object) => (await estimate(await newHome(fields))).covered[0]?.amount
  expect(await costs({ elevation: 'B' })).toBe(5)
  expect(await costs({})).toBe(4)
  expect(await costs({ communityId: elsewhere })).toBe(2)
  // Contracts of inactive vendors and contracts for other periods do not apply.
  await post(`vendors/${contracts[2]?.vendorId}/status`, { status: 'inactive' })
  expect(await costs({ communityId: elsewhere })).toBe(3)
  const home = await newHome({ communityId: elsewhere })
  expect((await estimate(home, { on: '2025-12-31' })).covered).toEqual([])
  for (const { id } of contracts) await terminate(id)
  expect((await estimate(home, { on: '2026-01-01' })).covered).toMatchObject([{ amount: 3 }])
  expect((await estimate(home, { on: '2099-01-01' })).covered).toEqual([])
})

test("a lump sum for an option replaces the option's lines in that trade", async () => {
  const option = await newOption([line('LABOR', 10, 'more'), line('SHINGLE', 1, 'extra')], { marginPercent: 50 })
  const home = await newHome()
  const framed = await agreed([{ optionId: option, amount: 40 }])
  const selection = await select(home, { optionId: option, quantity: 3 })
  // The cost is 3 lump sums of 40, plus 3 squares of shingles at 90.
  expect(selection).toMatchObject({ cost: 390, issues: [] })
  await post(`selections/${selection.id}/status`, { status: 'approved' })
  expect((await estimate(home)).covered).toEqual([
    { optionSelectionId: selection.id, scope: 'framing', contractId: framed.id, amount: 120 },
  ])
  const lumps = (await linesOf(home)).filter(({ contractId }: { contractId: string | null }) => contractId !== null)
  expect(lumps).toMatchObject([
    { source: 'option', optionSelectionId: selection.id, quantity: 3, unit: 'LS', unitCost: 40, budgeted: 120 },
  ])
  await terminate(framed.id)
  expect((await estimate(home, { on: '2099-01-01' })).covered).toEqual([])
  // Instead of the lump sum, the cost now contains 3 × 10 hours of labor at 5.
  const after = (await plumbline.get(`/api/ext/selections/${selection.id}`)).body
  expect(after.cost).toBe(420)
})

test("a removed line reduces the cost of an option unless a lump sum covers the line's trade", async () => {
  const metal = await newOption([line('METAL', 20, 'shingle'), line('LABOR', 150, 'labor')])
  expect((await select(await newHome(), { optionId: metal })).cost).toBe(20 * 300 - 20 * 90 + (150 - 200) * 5)
  await agreed([{ planId: plan, amount: 1000 }])
  expect((await select(await newHome(), { optionId: metal })).cost).toBe(20 * 300 - 20 * 90 + 150 * 5)
  await agreed([{ planId: plan, amount: 1700 }], { scope: 'roofing' })
  const home = await newHome()
  const { id, cost } = await select(home, { optionId: metal })
  expect(cost).toBe(20 * 300 + 150 * 5)
  await agreed([{ optionId: metal, amount: 3900 }], { scope: 'Roofing' })
  await post(`selections/${id}/status`, { status: 'approved' })
  const { covered, total } = await estimate(home)
  expect(total).toBe(1000 + 1700 + 1200 + 3900 + 150 * 5)
  expect(covered).toHaveLength(3)
})

test('an option cannot reduce the cost of work that the lump sum of another option covers', async () => {
  const frame = await newOption([line('LABOR', 10, 'porch')])
  const larger = await newOption([line('LABOR', 30, 'porch')], { requiresOptionIds: [frame] })
  expect((await select(await newHome(), { optionId: larger })).cost).toBe((30 - 10) * 5)
  await agreed([{ optionId: frame, amount: 70 }])
  expect((await select(await newHome(), { optionId: larger })).cost).toBe(30 * 5)
})

test('a lump sum does not change the cost of an option with a fixed cost', async () => {
  const fixed = await newOption([], { costBasis: 'fixed', cost: 55 })
  await agreed([{ optionId: fixed, amount: 10 }], { scope: 'roofing' })
  const home = await newHome()
  expect((await select(home, { optionId: fixed })).cost).toBe(55)
})

test('an option with an unpriced line has no cost despite a lump sum', async () => {
  const short = await newOption([line('TRUSS', 2, 'two'), line('SHINGLE', 1, 'one')])
  await agreed([{ optionId: short, amount: 10 }], { scope: 'roofing' })
  const home = await newHome()
  const selection = await select(home, { optionId: short })
  expect(selection).toMatchObject({ cost: null, issues: [{ sku: 'TRUSS' }] })
  await post(`selections/${selection.id}/status`, { status: 'approved' })
  expect((await estimate(home)).covered).toEqual([])
})

test('a lump sum above the maximum of a budget line is rejected with a reason', async () => {
  const dear = await newOption([line('SHINGLE', 1, 'gold')], { name: 'Gold' })
  await agreed([{ optionId: dear, amount: 9_999_999_999.99 }], { scope: 'roofing' })
  const { status, body } = await post(`homes/${await newHome()}/selections`, { optionId: dear, quantity: 1000 })
  expect([status, body.reason, body.detail]).toEqual([
    ...[409, 'too_large'],
    expect.stringContaining('exceeds the maximum amount of a budget line'),
  ])
})
