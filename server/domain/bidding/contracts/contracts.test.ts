import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite, type Site, TIME_ZONE } from '../../../../test/support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'
import { expireContracts } from './expire-contracts.ts'

const HOUR_MS = 3_600_000

let plumbline: TestPlumbline
let site: Site
let planId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
  planId = (await post('/plans', { code: 'P2100', name: 'The Possumhaw' })).body.id
})
afterAll(() => plumbline.stop())

const post = (path: string, body?: unknown, key = site.key) => plumbline.post(`/api/ext${path}`, body, { key })
const patch = (path: string, body: unknown) => plumbline.patch(`/api/ext${path}`, body, { key: site.key })
const get = (path: string, key = site.key) => plumbline.get(`/api/ext${path}`, { key })
const remove = (path: string) => plumbline.delete(`/api/ext${path}`, { key: site.key })
const today = () => toLocalDate(TIME_ZONE, plumbline.clock.now())

let skus = 0
const newPart = async (unit = 'EA') =>
  (await post('/parts', { sku: `LUM-${++skus}`, name: 'Stud', unit, scope: 'framing' })).body.id as string
async function newVendor(fields: object = {}): Promise<string> {
  const vendor = { companyName: 'Brazos Lumber', status: 'active', scopes: ['framing'], ...fields }
  return (await post('/vendors', vendor)).body.id
}

async function draft(fields: object) {
  const terms = { scope: 'framing', contractType: 'material', effectiveDate: '2026-01-01' }
  const { status, body } = await post('/contracts', { vendorId: await newVendor(), ...terms, ...fields })
  expect(status).toBe(201)
  return body
}
const move = (id: string, status: string, rest: object = {}) => post(`/contracts/${id}/status`, { status, ...rest })
async function active(fields: object) {
  const { status, body } = await move((await draft(fields)).id, 'active')
  expect(status).toBe(200)
  return body
}
const line = (partId: string, unitPrice = 3, rest: object = {}) => ({ partId, unitPrice, ...rest })
const find = async (partId: string, query: object = {}) =>
  (await get(`/prices/find?${new URLSearchParams({ partId, on: '2026-06-01', ...query })}`)).body
const pricesOf = async (partId: string) => (await get(`/parts/${partId}/prices?sort=createdAt`)).body.data

test('activating a contract creates a price for each line, community, and plan', async () => {
  const [stud, plate] = [await newPart(), await newPart('LF')]
  const contract = await draft({
    ...{ communityIds: [site.communityId], planIds: [planId], expirationDate: '2099-12-31' },
    lines: [line(stud, 3.3125, { minQuantity: 100 }), line(plate, 1.2, { lineId: 'plates', unit: 'LF' })],
  })
  expect(contract).toMatchObject({
    ...{ number: 'CT-0001', revision: 1, status: 'draft', preferred: true, retainagePercent: 0, bidId: null },
    lines: [
      { lineId: 'line-1', partId: stud, unit: 'EA', unitPrice: 3.3125, minQuantity: 100 },
      { lineId: 'plates', unit: 'LF' },
    ],
  })
  expect(await find(stud, { communityId: site.communityId, planId, quantity: '100' })).toMatchObject({
    issue: 'no_price',
  })
  const { body } = await move(contract.id, 'active')
  expect(body).toMatchObject({ status: 'active', version: 2, endedAt: null })
  const requested = { communityId: site.communityId, planId, quantity: '100' }
  expect(await find(stud, requested)).toMatchObject({
    source: 'plan',
    total: 331.25,
    price: { contractId: contract.id, contractLineId: 'line-1', vendorId: contract.vendorId, preferred: true },
  })
  expect((await find(stud, { ...requested, quantity: '99' })).issue).toBe('below_minimum')
  expect((await find(stud, { ...requested, on: '2100-01-01' })).issue).toBe('expired')
  const ofContract = await get(`/parts/${plate}/prices?contractId=${contract.id}`)
  expect(ofContract.body.data).toMatchObject([{ contractLineId: 'plates', unitPrice: 1.2 }])
  const explained = await get(`/prices/explain?partId=${stud}&on=2026-06-01`)
  expect(explained.body.passedOver).toMatchObject([{ reason: 'elsewhere', price: { contractId: contract.id } }])
})

test('a contract price can be changed only by changing its contract', async () => {
  const part = await newPart()
  const contract = await active({ lines: [line(part)] })
  const [price] = await pricesOf(part)
  const refusals = [
    await patch(`/prices/${price.id}`, { expirationDate: '2026-03-01' }),
    await remove(`/prices/${price.id}`),
  ]
  for (const { status, body } of refusals) {
    expect([status, body.code]).toEqual([409, 'conflict'])
    expect(body.detail).toContain(contract.number)
  }
  const requested = { vendorId: contract.vendorId, unitPrice: 2, effectiveDate: '2026-05-01', endPrevious: true }
  const over = await post(`/parts/${part}/prices`, requested)
  expect(over.body).toMatchObject({ code: 'conflict', detail: expect.stringContaining(price.id) })
})

test('after activation, only the notes and external IDs of a contract can be changed', async () => {
  const part = await newPart()
  const { id } = await draft({ lines: [line(part)] })
  const path = `/contracts/${id}`
  const changed = await patch(path, { lines: [line(part, 4)], scope: 'Framing', notes: 'Delivered.' })
  expect(changed.body).toMatchObject({ lines: [{ unitPrice: 4 }], scope: 'framing', version: 2 })
  await move(id, 'active')
  const refused = await patch(path, { lines: [line(part, 5)], expirationDate: '2026-12-31' })
  expect(refused.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/lines', '/expirationDate'])
  expect(refused.status).toBe(409)
  const known = { notes: null, accountingId: 'QB-AGR-1', externalId: 'agr-1' }
  expect((await patch(path, known)).body).toMatchObject({ ...known, version: 4 })
  expect((await patch(path, { effectiveDate: '2026-01-01' })).body.version).toBe(4)
})

test('each contradictory term and unknown reference of a contract is reported at its field', async () => {
  const [stud, plate] = [await newPart(), await newPart('LF')]
  const requested = {
    vendorId: await newVendor(),
    scope: 'framing',
    contractType: 'material',
    effectiveDate: '2026-01-01',
  }
  const faultsOf = async (fields: object) => {
    const { status, body } = await post('/contracts', { ...requested, ...fields })
    expect(status).toBe(422)
    return body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
  }
  const lines = [line(stud), line(stud, 4), line(plate, 1, { unit: 'EA', lineId: 'line-1' })]
  expect(await faultsOf({ lines, planIds: [planId], expirationDate: '2025-12-31' })).toEqual([
    ...['/expirationDate order', '/planIds community'],
    ...['/lines/1/partId unique', '/lines/2/unit unit'],
  ])
  expect(await faultsOf({ lines: [line(stud, 1, { lineId: 'a' }), line(plate, 1, { lineId: 'a' })] })).toEqual([
    '/lines/1/lineId unique',
  ])
  const unknown = { communityIds: ['com_x'], planIds: ['pln_x'], lines: [line('prt_x')] }
  expect(await faultsOf(unknown)).toEqual(
    ['/communityIds/0', '/planIds/0', '/lines/0/partId'].map((pointer) => `${pointer} unknown_reference`),
  )
  expect(await faultsOf({ vendorId: 'ven_x', lines: [] })).toEqual(['/vendorId unknown_reference'])
})

test('a contract with more than 2,000 prices is rejected', async () => {
  const communityIds: string[] = []
  for (let i = 0; i < 41; i++) communityIds.push((await post('/communities', { name: `Phase ${i}` })).body.id)
  const parts: string[] = []
  for (let i = 0; i < 50; i++) parts.push(await newPart())
  const terms = { vendorId: await newVendor(), scope: 'framing', contractType: 'material', effectiveDate: '2026-01-01' }
  const lines = parts.map((part) => line(part))
  const tooMany = await post('/contracts', { ...terms, communityIds, lines })
  expect(tooMany.body.errors).toMatchObject([
    { pointer: '/lines', code: 'maximum', message: expect.stringMatching(/would create 2050$/) },
  ])
  const contract = await active({ ...terms, communityIds: communityIds.slice(1), lines })
  const created = await plumbline.database.statements
    .selectFrom('prices')
    .select('id')
    .where('contractId', '=', contract.id)
    .execute()
  expect(created).toHaveLength(2000)
})

test('prices that conflict with a contract are reported by line', async () => {
  const [stud, plate] = [await newPart(), await newPart()]
  const vendorId = await newVendor()
  const add = async (partId: string, fields: object) =>
    (await post(`/parts/${partId}/prices`, { vendorId, unitPrice: 2, effectiveDate: '2025-01-01', ...fields })).body.id
  const old = await add(stud, {})
  const later = await add(plate, { effectiveDate: '2026-09-01' })
  await add(stud, { communityId: site.communityId })
  await add(stud, { minQuantity: 10 })
  const lines = [line(stud), line(plate, 4, { lineId: 'plates' })]
  const { id } = await draft({ vendorId, lines })
  const refused = await move(id, 'active')
  expect([refused.status, refused.body.code]).toEqual([409, 'conflict'])
  expect(refused.body.errors).toMatchObject([
    { pointer: '/lines/0', code: 'overlap', message: `overlaps price ${old}` },
    { pointer: '/lines/1', code: 'overlap', message: `overlaps price ${later}` },
  ])
})

test('endPrevious ends conflicting prices on the day before the contract starts', async () => {
  const [stud, plate] = [await newPart(), await newPart()]
  const vendorId = await newVendor()
  const add = async (partId: string, fields: object) =>
    (await post(`/parts/${partId}/prices`, { vendorId, unitPrice: 2, effectiveDate: '2025-01-01', ...fields })).body.id
  const old = await add(stud, {})
  const later = await add(plate, { effectiveDate: '2026-09-01' })
  await add(stud, { communityId: site.communityId })
  await add(stud, { minQuantity: 10 })
  const lines = [line(stud), line(plate, 4, { lineId: 'plates' })]
  const { id } = await draft({ vendorId, lines })
  const still = await move(id, 'active', { endPrevious: true })
  expect(still.body.errors).toMatchObject([{ pointer: '/lines/1', message: expect.stringContaining(later) }])
  expect((await get(`/prices/${old}`)).body).toMatchObject({ expirationDate: null, version: 1 })
  await remove(`/prices/${later}`)
  expect((await move(id, 'active', { endPrevious: true })).body.status).toBe('active')
  expect((await get(`/prices/${old}`)).body).toMatchObject({ expirationDate: '2025-12-31', version: 2 })
})

test('endPrevious does not end prices of another contract', async () => {
  const [stud, vendorId] = [await newPart(), await newVendor()]
  const { id } = await draft({ vendorId, lines: [line(stud)] })
  await move(id, 'active')
  const second = await draft({ vendorId, lines: [line(stud, 1)] })
  const against = await move(second.id, 'active', { endPrevious: true })
  const { number } = (await get(`/contracts/${id}`)).body
  expect(against.body.errors).toMatchObject([{ message: expect.stringContaining(` of ${number}`) }])
})

test('a contract cannot be activated if its vendor is on hold or its terms are not valid', async () => {
  const part = await newPart()
  const vendorId = await newVendor()
  const { id } = await draft({ vendorId, lines: [line(part)] })
  await post(`/vendors/${vendorId}/status`, { status: 'on_hold' })
  expect((await move(id, 'active')).body).toMatchObject({
    ...{ code: 'conflict', reason: 'vendor_on_hold' },
    detail: expect.stringMatching(/^Cannot activate .*\. .* is on hold\.$/),
  })
  await post(`/vendors/${vendorId}/status`, { status: 'active' })
  const empty = await draft({ lines: [] })
  expect((await move(empty.id, 'active')).body).toMatchObject({
    reason: 'missing_data',
    detail: expect.stringContaining('The contract has no lines'),
  })
  const past = await draft({ lines: [line(part)], expirationDate: addDays(today(), -1) })
  expect((await move(past.id, 'active')).body).toMatchObject({
    reason: 'deadline_passed',
    detail: expect.stringContaining('The contract expired on'),
  })
  await patch(`/parts/${part}`, { unit: 'LF' })
  expect((await move(id, 'active')).body).toMatchObject({
    status: 409,
    errors: [{ pointer: '/lines/0/unit', code: 'unit' }],
  })
  await patch(`/parts/${part}`, { unit: 'EA' })
  await remove(`/parts/${part}`)
  expect((await move(id, 'active')).body.errors).toMatchObject([{ pointer: '/lines/0/partId', code: 'archived' }])
  await remove(`/vendors/${vendorId}`)
  expect((await move(id, 'active')).body.reason).toBe('vendor_archived')
  const terms = { scope: 'framing', contractType: 'material', effectiveDate: '2026-01-01', lines: [] }
  expect((await post('/contracts', { vendorId, ...terms })).status).toBe(409)
})

test('only one of two concurrent activations of a contract succeeds', async () => {
  const [part, vendorId] = [await newPart(), await newVendor()]
  const rivals = [await draft({ vendorId, lines: [line(part)] }), await draft({ vendorId, lines: [line(part, 4)] })]
  const answers = await Promise.all(rivals.map(({ id }) => move(id, 'active', { endPrevious: true })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  const { id } = await draft({ lines: [line(await newPart())] })
  const twice = await Promise.all([move(id, 'active'), move(id, 'active')])
  expect(twice.map(({ status }) => status).sort()).toEqual([200, 409])
})

test('the previous prices of a revised contract end on the day before the revision takes effect', async () => {
  const [part, dropped] = [await newPart(), await newPart()]
  const first = await active({ lines: [line(part, 3), line(dropped, 9)], notes: 'Delivered.', externalId: 'agr-7' })
  await patch(`/contracts/${first.id}`, { accountingId: 'QB-AGR-7' })
  const revised = await post(`/contracts/${first.id}/revise`, { effectiveDate: '2026-05-01' })
  expect(revised.status).toBe(201)
  expect(revised.headers.get('location')).toBe(`/api/ext/contracts/${revised.body.id}`)
  expect(revised.body).toMatchObject({
    ...{ number: first.number, revision: 2, status: 'draft', notes: 'Delivered.', externalId: null, activatedAt: null },
    accountingId: null,
    lines: first.lines,
  })
  const again = await post(`/contracts/${first.id}/revise`, { effectiveDate: '2026-07-01' })
  expect(again.body).toMatchObject({
    ...{ code: 'conflict', reason: 'already_done' },
    detail: expect.stringContaining(revised.body.id),
  })
  await patch(`/contracts/${revised.body.id}`, { lines: [line(part, 3.5)] })
  expect((await find(part)).price.unitPrice).toBe(3)

  await move(revised.body.id, 'active')
  expect((await get(`/contracts/${first.id}`)).body).toMatchObject({ status: 'superseded', version: 4 })
  // The accounting ID is on the active revision.
  const known = await get('/contracts?accountingId=QB-AGR-7')
  expect(known.body.data).toMatchObject([{ id: revised.body.id, status: 'active' }])
  expect((await find(part, { on: '2026-04-30' })).price).toMatchObject({ unitPrice: 3, contractId: first.id })
  expect((await find(part, { on: '2026-05-01' })).price).toMatchObject({ unitPrice: 3.5, contractId: revised.body.id })
  expect((await find(dropped, { on: '2026-05-01' })).issue).toBe('expired')
  const revisions = await get(`/contracts?number=${first.number}&sort=createdAt`)
  expect(revisions.body.data.map(({ status }: { status: string }) => status)).toEqual(['superseded', 'active'])
  const history = await get(`/status-changes?resourceId=${first.id}`)
  expect(history.body.data.map(({ to }: { to: string }) => to).sort()).toEqual(['active', 'draft', 'superseded'])

  // The third revision starts before the second one, so its prices replace those of the second from that day.
  const third = await post(`/contracts/${revised.body.id}/revise`, { effectiveDate: '2026-03-01' })
  expect((await move(third.body.id, 'active')).body.status).toBe('active')
  expect((await find(part, { on: '2026-06-01' })).price.contractId).toBe(third.body.id)
  expect((await find(part, { on: '2026-02-28' })).price.contractId).toBe(first.id)
  expect((await pricesOf(part)).map(({ contractId }: { contractId: string }) => contractId)).toEqual([
    first.id,
    third.body.id,
  ])
})

test('only a contract that is or was active can be revised', async () => {
  const part = await newPart()
  const { id } = await draft({ lines: [line(part)] })
  const revise = (of: string, body: object = { effectiveDate: '2026-05-01' }) => post(`/contracts/${of}/revise`, body)
  expect((await revise(id)).body).toMatchObject({
    reason: 'wrong_status',
    detail: expect.stringMatching(/^Cannot revise .*: it is a draft\. Change it with updateContract\.$/),
  })
  await move(id, 'active')
  await move(id, 'terminated')
  expect((await revise(id)).status).toBe(409)
})

test('a revised contract cannot expire before it takes effect', async () => {
  const part = await newPart()
  const { id } = await draft({ lines: [line(part)] })
  const revise = (of: string, body: object = { effectiveDate: '2026-05-01' }) => post(`/contracts/${of}/revise`, body)
  await move(id, 'active')
  expect((await revise(id, { effectiveDate: '2026-05-01', expirationDate: '2026-04-01' })).body).toMatchObject({
    errors: [{ pointer: '/expirationDate', code: 'order' }],
  })
})

test('a contract can be revised again after its draft revision is archived', async () => {
  const part = await newPart()
  const { id } = await draft({ lines: [line(part)] })
  const revise = (of: string, body: object = { effectiveDate: '2026-05-01' }) => post(`/contracts/${of}/revise`, body)
  await move(id, 'active')
  const second = await revise(id)
  expect((await remove(`/contracts/${second.body.id}`)).status).toBe(204)
  expect((await revise(id)).body).toMatchObject({ revision: 3 })
  expect((await revise(second.body.id)).body.reason).toBe('archived')
  expect((await move(second.body.id, 'active')).body.reason).toBe('archived')
})

test('a terminated contract no longer applies after the day of its termination', async () => {
  const part = await newPart()
  const contract = await active({ lines: [line(part)] })
  expect((await remove(`/contracts/${contract.id}`)).body).toMatchObject({
    reason: 'wrong_status',
    detail: expect.stringContaining('Terminate it first.'),
  })
  const { body } = await move(contract.id, 'terminated', { reason: 'The yard was sold.' })
  expect(body).toMatchObject({ status: 'terminated', endedAt: expect.any(String) })
  expect((await find(part, { on: today() })).price.contractId).toBe(contract.id)
  expect((await find(part, { on: addDays(today(), 1) })).issue).toBe('expired')
  expect((await move(contract.id, 'active')).body.code).toBe('invalid_transition')
  expect((await remove(`/contracts/${contract.id}`)).status).toBe(204)
  expect((await get('/contracts?status=terminated')).body.data).not.toContainEqual(
    expect.objectContaining({ id: contract.id }),
  )

  const future = await newPart()
  const next = await active({ lines: [line(future)], effectiveDate: addDays(today(), 30) })
  await move(next.id, 'terminated')
  expect((await find(future, { on: addDays(today(), 40) })).issue).toBe('no_price')
})

test("a contract expires only once, after its last day in the organization's time zone", async () => {
  const part = await newPart()
  const lastDay = addDays(today(), 2)
  const contract = await active({ lines: [line(part)], expirationDate: lastDay })
  const stored = async () => (await get(`/contracts/${contract.id}`)).body
  // In UTC, the last day has passed, but not in the time zone of the organization.
  const dayIn = (hours: number) => toLocalDate(TIME_ZONE, new Date(plumbline.clock.now().getTime() + hours * HOUR_MS))
  while (dayIn(1) <= lastDay) plumbline.clock.advance(HOUR_MS)
  await expireContracts(plumbline.app.services)
  expect((await stored()).status).toBe('active')
  plumbline.clock.advance(HOUR_MS)
  await Promise.all(Array.from({ length: 4 }, () => expireContracts(plumbline.app.services)))
  await expect.poll(async () => (await stored()).status, { timeout: 10_000, interval: 20 }).toBe('expired')
  expect(await stored()).toMatchObject({ version: 3, endedAt: expect.any(String) })
  const history = (await get(`/status-changes?resourceId=${contract.id}`)).body.data
  expect(history.filter(({ to }: { to: string }) => to === 'expired')).toMatchObject([{ by: { type: 'system' } }])
  const renewed = await post(`/contracts/${contract.id}/revise`, {
    effectiveDate: addDays(lastDay, 1),
    expirationDate: null,
  })
  expect((await move(renewed.body.id, 'active')).body).toMatchObject({ status: 'active', expirationDate: null })
  expect((await stored()).status).toBe('expired')
})

test('contracts can be filtered by their fields and searched by text', async () => {
  const { body: community } = await post('/communities', { name: 'Cedar Hollow' })
  const vendorId = await newVendor()
  const fields = {
    vendorId,
    communityIds: [community.id],
    lines: [],
    expirationDate: '2026-03-31',
    notes: 'kiln dried',
  }
  const { id, number } = await draft({ ...fields, contractType: 'labor_only', accountingId: 'QB-AGR-9' })
  await draft({ vendorId, lines: [] })
  const ids = async (query: string) =>
    (await get(`/contracts?vendorId=${vendorId}&${query}`)).body.data.map((one: { id: string }) => one.id)
  for (const query of [
    ...['contractType=labor_only', `number=${number}`, 'expiringBy=2026-03-31', 'q=kiln', 'accountingId=QB-AGR-9'],
  ])
    expect([query, await ids(query)]).toEqual([query, [id]])
  expect(await ids(`communityId=${site.communityId}`)).toHaveLength(1)
  expect(await ids(`communityId=${community.id}&scope=framing&status=draft&planId=${planId}`)).toHaveLength(2)
  expect(await ids('expiringBy=2026-03-30')).toEqual([])
})

test("a builder cannot see or change another builder's contracts", async () => {
  const part = await newPart()
  const contract = await active({ lines: [line(part)] })
  const { key } = await plumbline.newBuilder()
  expect((await get(`/contracts/${contract.id}`, key)).status).toBe(404)
  expect((await get('/contracts', key)).body.data).toEqual([])
  expect((await post(`/contracts/${contract.id}/status`, { status: 'terminated' }, key)).status).toBe(404)
  expect((await post(`/contracts/${contract.id}/revise`, { effectiveDate: '2026-05-01' }, key)).status).toBe(404)
  const terms = { scope: 'framing', contractType: 'material', effectiveDate: '2026-01-01', lines: [line(part)] }
  const { body: vendor } = await post('/vendors', { companyName: 'Elsewhere' }, key)
  expect((await post('/contracts', { ...terms, vendorId: vendor.id }, key)).body.errors).toMatchObject([
    { pointer: '/lines/0/partId', code: 'unknown_reference' },
  ])
})
