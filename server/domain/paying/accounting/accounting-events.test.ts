import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite, type Site, TIME_ZONE } from '../../../../test/support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'

/**
 * These tests check that an accounting system can keep its copy current from the events of payments, homes, contracts,
 * and budget lines.
 */
let plumbline: TestPlumbline
let site: Site
let vendorId: string

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
  vendorId = (await post('/vendors', { companyName: 'Brazos Lumber', status: 'active', scopes: ['framing'] })).id
})
afterAll(() => plumbline.stop())

async function call(method: string, path: string, body?: unknown) {
  const response = await plumbline.request(method, `/api/ext${path}`, body, { key: site.key })
  expect([response.status, response.body]).toEqual([expect.toBeOneOf([200, 201, 204]), response.body])
  return response.body
}
const post = (path: string, body: unknown) => call('POST', path, body)
const newHome = (name: string) => post('/homes', { name, communityId: site.communityId })
const today = () => toLocalDate(TIME_ZONE, plumbline.clock.now())

/**
 * Waits until the record has the expected number of events, and returns their types and previous values, oldest first.
 */
async function eventsOf(id: string, count: number): Promise<[string, unknown][]> {
  const read = async () => (await call('GET', `/events?resourceId=${id}&limit=100`)).data
  await expect.poll(async () => (await read()).length, { timeout: 10_000, interval: 20 }).toBe(count)
  const events: { type: string; sequence: number; data: { previous: unknown } }[] = await read()
  return events.toSorted((a, b) => a.sequence - b.sequence).map(({ type, data }) => [type, data.previous])
}

test('approving or paying a payment emits an event', async () => {
  const { id: homeId } = await newHome('Lot 1')
  const lines = [{ description: 'Walls', quantity: 1, unitPrice: 1000 }]
  const { id: poId } = await post('/purchase-orders', { vendorId, homeId, scope: 'framing', lines })
  for (const status of ['approved', 'issued']) await post(`/purchase-orders/${poId}/status`, { status })
  const { id } = await post('/payments', { poId, paymentType: 'deposit', grossAmount: 100, invoiceNumber: 'A-1' })
  await post(`/payments/${id}/status`, { status: 'approved', overrideReason: 'The certificate follows by mail.' })
  await post(`/payments/${id}/status`, { status: 'paid', overrideReason: 'The certificate follows by mail.' })
  expect(await eventsOf(id, 3)).toEqual([
    ['payment.created', null],
    ['payment.status_changed', expect.objectContaining({ status: 'pending' })],
    ['payment.status_changed', expect.objectContaining({ status: 'approved' })],
  ])
})

test('each change of a home emits an event, regardless of how the home is changed', async () => {
  const { id } = await newHome('Lot 2')
  await call('PATCH', `/homes/${id}`, { lotNumber: '2' })
  await call('PATCH', `/homes/${id}`, { lotNumber: '2' })
  await post('/homes/batch', { match: 'id', mode: 'all_or_nothing', rows: [{ id, block: 'C' }] })
  await post(`/homes/${id}/budget/lines`, { scope: 'framing', amount: 100 })
  await post(`/homes/${id}/budget/lock`, {})
  await call('DELETE', `/homes/${id}`)
  expect(await eventsOf(id, 5)).toEqual([
    ['home.created', null],
    ['home.updated', { lotNumber: null }],
    ['home.updated', { block: null }],
    ['home.updated', { budgetLockedAt: null }],
    ['home.updated', { salesStatus: 'available', archivedAt: null }],
  ])
})

test('each change of a contract or its status emits an event', async () => {
  const { id: planId } = await post('/plans', { code: 'P1', name: 'The Possumhaw' })
  const terms = { vendorId, scope: 'framing', effectiveDate: today(), lumpSums: [{ planId, amount: 100 }] }
  const { id } = await post('/contracts', terms)
  await call('PATCH', `/contracts/${id}`, { notes: 'Prices include delivery.' })
  await post(`/contracts/${id}/status`, { status: 'active' })
  const { id: revised } = await post(`/contracts/${id}/revise`, { effectiveDate: addDays(today(), 1) })
  await post(`/contracts/${revised}/status`, { status: 'active' })
  await post(`/contracts/${revised}/status`, { status: 'terminated' })
  await call('DELETE', `/contracts/${revised}`)
  expect(await eventsOf(id, 4)).toEqual([
    ['contract.created', null],
    ['contract.updated', { notes: null }],
    ['contract.status_changed', { status: 'draft', activatedAt: null }],
    ['contract.status_changed', { status: 'active', endedAt: null }],
  ])
  expect((await eventsOf(revised, 4)).map(([type]) => type)).toEqual([
    ...['contract.created', 'contract.status_changed', 'contract.status_changed', 'contract.updated'],
  ])
})

test('the expiration of a contract emits an event', async () => {
  const { id: planId } = await post('/plans', { code: 'P3', name: 'The Yaupon' })
  const terms = { effectiveDate: today(), expirationDate: today(), lumpSums: [{ planId, amount: 100 }] }
  const { id } = await post('/contracts', { vendorId, scope: 'framing', ...terms })
  await post(`/contracts/${id}/status`, { status: 'active' })
  plumbline.clock.advance(24 * 3_600_000)
  expect((await eventsOf(id, 3))[2]).toEqual(['contract.status_changed', { status: 'active', endedAt: null }])
})

test('each change of a budget line emits an event, including transfers and removal', async () => {
  const { id: homeId } = await newHome('Lot 3')
  const add = (scope: string) => post(`/homes/${homeId}/budget/lines`, { scope, amount: 1000 })
  const [from, to, removed] = [await add('framing'), await add('trim'), await add('paint')]
  await call('PATCH', `/budget-lines/${from.id}`, { amount: 1200 })
  await post('/budget-lines/batch', { match: 'id', mode: 'all_or_nothing', rows: [{ id: from.id, amount: 1300 }] })
  await call('DELETE', `/budget-lines/${removed.id}`)
  await post(`/homes/${homeId}/budget/lock`, {})
  const reason = 'Trim was forgotten.'
  await post(`/homes/${homeId}/budget/transfers`, { fromLineId: from.id, toLineId: to.id, amount: 300, reason })
  expect(await eventsOf(from.id, 4)).toEqual([
    ['budget_line.created', null],
    ['budget_line.updated', { originalAmount: 1000, budgeted: 1000 }],
    ['budget_line.updated', { originalAmount: 1200, budgeted: 1200 }],
    ['budget_line.updated', { approvedChanges: 0, transferred: 0, budgeted: 1300 }],
  ])
  expect(await eventsOf(to.id, 2)).toEqual([
    ['budget_line.created', null],
    ['budget_line.updated', { approvedChanges: 0, transferred: 0, budgeted: 1000 }],
  ])
  expect(await eventsOf(removed.id, 2)).toEqual([
    ['budget_line.created', null],
    ['budget_line.updated', { archivedAt: null }],
  ])
})

test('an estimate emits an event for each line that it adds or changes, but not for other lines', async () => {
  const part = async (sku: string, unitPrice: number) => {
    const { id } = await post('/parts', { sku, name: sku, unit: 'EA', scope: 'framing' })
    const { id: priceId } = await post(`/parts/${id}/prices`, { vendorId, unitPrice, effectiveDate: '2020-01-01' })
    return { id, priceId }
  }
  const [stud, plate] = [await part('STUD', 3), await part('PLATE', 5)]
  const { id: planId } = await post('/plans', { code: 'P2', name: 'The Wisteria' })
  const lines = [stud, plate].map(({ id }, i) => ({ lineId: `l${i}`, partId: id, quantity: 10 }))
  await call('PUT', `/plans/${planId}/takeoff`, { lines })
  await post(`/plans/${planId}/status`, { status: 'released' })
  const { id: homeId } = await post('/homes', { name: 'Lot 4', communityId: site.communityId, planId })
  await post(`/homes/${homeId}/budget/estimate`, {})
  await call('PATCH', `/prices/${stud.priceId}`, { unitPrice: 4 })
  await post(`/homes/${homeId}/budget/estimate`, {})
  const { data } = await call('GET', `/homes/${homeId}/budget/lines?sort=createdAt`)
  const idOf = (partId: string) => data.find((line: { partId: string }) => line.partId === partId).id
  expect(await eventsOf(idOf(stud.id), 2)).toEqual([
    ['budget_line.created', null],
    ['budget_line.updated', { unitCost: 3, originalAmount: 30, budgeted: 30 }],
  ])
  expect(await eventsOf(idOf(plate.id), 1)).toEqual([['budget_line.created', null]])
})
