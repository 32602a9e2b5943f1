import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { addDays } from '../../../platform/values/calendar.ts'

let plumbline: TestPlumbline
let communityId: string
let vendorId: string
let plan: string
let stud: string
let bay: string
let porch: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = await made('communities', { name: 'Juniper Ridge' })
  vendorId = await made('vendors', { companyName: 'Lone Star Framing', status: 'active' })
  stud = await made('parts', { sku: 'STUD', name: 'Stud', unit: 'EA', scope: 'framing' })
  plan = await made('plans', { code: 'P2100', name: 'The Possumhaw', elevations: [{ code: 'A' }, { code: 'B' }] })
  await post(`plans/${plan}/status`, { status: 'released' })
  bay = await newOption('ST-BAY')
  porch = await newOption('ST-PORCH')
})
afterAll(() => plumbline.stop())

const post = (path: string, body: object = {}) => plumbline.post(`/api/ext/${path}`, body)
async function made(path: string, body: object): Promise<string> {
  const answer = await post(path, body)
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 201 })
  return answer.body.id
}
async function newOption(code: string): Promise<string> {
  const id = await made('options', { code, name: code, optionType: 'structural', price: 100, costBasis: 'computed' })
  await post(`options/${id}/status`, { status: 'active' })
  return id
}
let trades = 0
/** Creates an active turnkey contract for a new trade. */
async function agreed(lumpSums: object[], fields: object = {}) {
  const scope = `framing ${++trades}`
  const terms = { vendorId, scope, effectiveDate: '2026-01-01', retainagePercent: 10, lumpSums, ...fields }
  const { body } = await post('contracts', terms)
  expect(body).toMatchObject({ contractType: 'turnkey' })
  const { status, body: contract } = await post(`contracts/${body.id}/status`, { status: 'active' })
  expect(status).toBe(200)
  return contract
}
let homes = 0
const newHome = (fields: object = {}) =>
  made('homes', { name: `Lot ${++homes}`, communityId, planId: plan, elevation: 'A', ...fields })
async function approved(home: string, optionId: string, quantity = 1): Promise<string> {
  const id = await made(`homes/${home}/selections`, { optionId, quantity })
  expect((await post(`selections/${id}/status`, { status: 'approved' })).status).toBe(200)
  return id
}
const order = (homeId: string, contractId: string, fields: object = {}) =>
  post('purchase-orders', { homeId, contractId, ...fields })

test('an order from a turnkey contract has one line for the home and one line for each selection', async () => {
  const code = await made('cost-codes', { code: '06-100', name: 'Framing', category: 'subcontract' })
  const contract = await agreed([
    { planId: plan, amount: 38_400, costCodeId: code },
    { planId: plan, elevation: 'B', amount: 40_000 },
    { optionId: bay, amount: 650.25, description: 'Frame the bay' },
    { optionId: porch, amount: 900 },
  ])
  const home = await newHome()
  const selection = await approved(home, bay, 2)
  await made(`homes/${home}/selections`, { optionId: porch })
  const { status, body } = await order(home, contract.id)
  expect(status).toBe(201)
  expect(body).toMatchObject({
    ...{ contractId: contract.id, vendorId, scope: contract.scope, poType: 'base', retainagePercent: 10 },
    ...{ total: 39_700.5, retainedAmount: 0 },
    lines: [
      { lineId: plan, quantity: 1, unit: 'LS', unitPrice: 38_400, costCodeId: code, partId: null, priceId: null },
      { lineId: selection, quantity: 2, unitPrice: 650.25, description: 'Frame the bay', costCodeId: null },
    ],
  })
  expect(body.lines[0].description).toBe(`${contract.scope}, as agreed in ${contract.number}`)
  const { body: ofB } = await order(await newHome({ elevation: 'B' }), contract.id)
  expect(ofB.lines).toMatchObject([{ unitPrice: 40_000 }])
})

test('a home or selection cannot be ordered again until its order is void', async () => {
  const contract = await agreed([
    { planId: plan, amount: 100 },
    { optionId: bay, amount: 10 },
    { optionId: porch, amount: 20 },
  ])
  const home = await newHome()
  const { body: first } = await order(home, contract.id)
  expect(first.lines).toHaveLength(1)
  const again = await order(home, contract.id)
  expect(again.body).toMatchObject({
    ...{ status: 409, reason: 'already_ordered' },
    detail: expect.stringContaining(`already ordered (${first.number}).`),
  })

  const selections = [await approved(home, bay), await approved(home, porch)]
  const named = await order(home, contract.id, { optionSelectionId: selections[1], poType: 'option' })
  expect(named.body).toMatchObject({ lines: [{ lineId: selections[1], unitPrice: 20 }], total: 20 })
  const { body: rest } = await order(home, contract.id)
  expect(rest.lines).toMatchObject([{ lineId: selections[0], unitPrice: 10 }])
  // Lines in an order of an earlier contract revision count as ordered.
  const { body: next } = await post(`contracts/${contract.id}/revise`, { effectiveDate: '2026-02-01' })
  expect((await post(`contracts/${next.id}/status`, { status: 'active' })).status).toBe(200)
  expect((await order(home, next.id)).status).toBe(409)
  await post(`purchase-orders/${first.id}/status`, { status: 'void' })
  expect((await order(home, next.id)).body.lines).toMatchObject([{ lineId: plan }])
  const answers = await Promise.all([1, 2].map(() => newHome().then((id) => [order(id, next.id), order(id, next.id)])))
  for (const pair of answers) {
    const statuses = (await Promise.all(pair)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([201, 409])
  }
})

test('an order from a turnkey contract requires an active contract with a lump sum for the home', async () => {
  const contract = await agreed([{ planId: plan, elevation: 'B', amount: 100 }], { communityIds: [communityId] })
  const pointers = async (home: string, fields: object = {}) =>
    (await order(home, contract.id, fields)).body.errors.map(
      ({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`,
    )
  const home = await newHome()
  expect(await pointers(home)).toEqual(['/homeId not_covered'])
  const optionSelectionId = await approved(home, bay)
  expect(await pointers(home, { optionSelectionId })).toEqual(['/optionSelectionId not_covered'])
  const elsewhere = await made('communities', { name: 'Cedar Hollow' })
  expect(await pointers(await newHome({ communityId: elsewhere, elevation: 'B' }))).toEqual(['/homeId not_covered'])
  expect(await pointers(await made('homes', { name: 'Custom', communityId }))).toEqual(['/homeId not_covered'])

  const later = await agreed([{ planId: plan, amount: 100 }], {
    effectiveDate: addDays(plumbline.clock.now().toISOString().slice(0, 10), 30),
  })
  const early = await order(home, later.id)
  expect([early.status, early.body.reason, early.body.detail]).toEqual([
    ...[409, 'contract_not_active'],
    expect.stringContaining('it is not effective until'),
  ])
  const own = await order(home, later.id, { lines: [{ description: 'Extra', quantity: 1, unitPrice: 5 }] })
  expect(own.body).toMatchObject({ contractId: later.id, lines: [{ lineId: 'line-1' }] })
  await post(`contracts/${later.id}/status`, { status: 'terminated' })
  expect((await order(home, later.id)).body).toMatchObject({
    reason: 'contract_not_active',
    detail: expect.stringContaining('it is terminated'),
  })
})

test('order lines for lump sums refer to the budget lines that were estimated from the lump sums', async () => {
  const code = await made('cost-codes', { code: '06-200', name: 'Trim', category: 'subcontract' })
  const sums = [
    { planId: plan, amount: 100, costCodeId: code },
    { optionId: bay, amount: 10 },
  ]
  const contract = await agreed(sums)
  const home = await newHome()
  const selection = await approved(home, bay)
  expect((await post(`homes/${home}/budget/estimate`)).status).toBe(200)
  const { data } = (
    await plumbline.get(`/api/ext/homes/${home}/budget/lines?scope=${encodeURIComponent(contract.scope)}`)
  ).body
  const lineOf = (id: string | null) =>
    data.find(({ optionSelectionId }: { optionSelectionId: string | null }) => optionSelectionId === id).id
  // The order line has the cost code of its budget line, even if that cost code has been archived.
  await plumbline.delete(`/api/ext/cost-codes/${code}`)
  const { body } = await order(home, contract.id)
  expect(body.lines).toMatchObject([
    { budgetLineId: lineOf(null), costCodeId: code },
    { budgetLineId: lineOf(selection), costCodeId: null },
  ])
  const budget = (await plumbline.get(`/api/ext/homes/${home}/budget`)).body
  expect(budget.scopes.find(({ scope }: { scope: string }) => scope === contract.scope)).toMatchObject({
    ...{ budgeted: 110, pendingCommitted: 110 },
  })
})

test('repricing updates the parts of an order from a turnkey contract, but not its lump sums', async () => {
  const lines = [{ lineId: 'studs', partId: stud, unitPrice: 3 }]
  const contract = await agreed([{ planId: plan, amount: 100 }], { lines })
  const home = await newHome()
  const { body: lump } = await order(home, contract.id)
  const { body: mixed } = await order(home, contract.id, {
    lines: [
      { partId: stud, quantity: 10 },
      { lineId: 'crane', description: 'Crane', quantity: 1, unitPrice: 50 },
    ],
  })
  expect(mixed.total).toBe(80)
  const { body: next } = await post(`contracts/${contract.id}/revise`, { effectiveDate: '2026-02-01' })
  const terms = { lines: [{ partId: stud, unitPrice: 4 }], lumpSums: [{ planId: plan, amount: 120 }] }
  await plumbline.patch(`/api/ext/contracts/${next.id}`, terms)
  await post(`contracts/${next.id}/status`, { status: 'active' })
  const { body } = await post(`contracts/${next.id}/reprice`)
  expect(body.repriced).toMatchObject([{ orderId: mixed.id, before: 80, after: 90 }])
  expect((await plumbline.get(`/api/ext/purchase-orders/${lump.id}`)).body).toMatchObject({ total: 100, version: 1 })
})
