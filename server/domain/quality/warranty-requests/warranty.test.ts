import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listEvents } from '../../../../test/support/recorded-events.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'
import { advanceWarrantyRequests } from './advance-warranty-requests.ts'

let plumbline: TestPlumbline
let communityId: string
let homeId: string
let vendorId: string
let count = 0

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = (await create('communities', { name: 'Juniper Ridge', status: 'active' })).id
})
afterAll(() => plumbline.stop())
beforeEach(async () => {
  homeId = await closeHome()
  vendorId = (await create('vendors', { companyName: `Plumbers ${++count}`, email: 'fix@example.com' })).id
  await plumbline.post(`/api/ext/vendors/${vendorId}/status`, { status: 'active' })
})

async function create(path: string, fields: object) {
  const { status, body } = await plumbline.post(`/api/ext/${path}`, fields)
  expect([path, status, body.errors ?? body.detail]).toEqual([path, 201, undefined])
  return body
}

async function closeHome(): Promise<string> {
  const { id } = await create('homes', { communityId, name: `Lot ${++count}` })
  await plumbline.post(`/api/ext/homes/${id}/budget/lines`, { scope: 'framing', amount: 42000 })
  await plumbline.post(`/api/ext/homes/${id}/budget/lock`)
  for (const status of ['permitting', 'ready_to_start', 'under_construction', 'completed'])
    await plumbline.post(`/api/ext/homes/${id}/status`, { status })
  const closed = { status: 'closed', overrideReason: 'Sold before sales were kept here.' }
  expect((await plumbline.post(`/api/ext/homes/${id}/status`, closed)).status).toBe(200)
  return id
}

const report = (fields: object = {}) =>
  create('warranty-requests', { homeId, description: 'The faucet drips.', scope: 'plumbing', ...fields })
const act = (id: string, action: string, body: object) =>
  plumbline.post(`/api/ext/warranty-requests/${id}/${action}`, body)
const read = async (id: string) => (await plumbline.get(`/api/ext/warranty-requests/${id}`)).body
const today = () => toLocalDate('America/Chicago', plumbline.clock.now())
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEklEQVR4nGPomLmKAYSgFAAAK1IGP0FG2OAAAAAASUVORK5CYII='
const addPhoto = (recordId: string) =>
  plumbline.post(`/api/ext/attachments?recordId=${recordId}&fileName=Done.png&stage=after`, { content: PNG })
/** Changes the status of a request to `assigned`. */
async function assign(fields: object = {}) {
  const request = await report(fields)
  await act(request.id, 'decision', { decision: 'covered' })
  expect((await act(request.id, 'assignment', { vendorId })).status).toBe(200)
  return request
}

test('closing a home creates its warranty coverages and an eleven-month walkthrough', async () => {
  const { body: terms } = await plumbline.get('/api/ext/warranty-terms?sort=createdAt')
  expect(terms.data.map(({ name, months }: { name: string; months: number }) => [name, months]).sort()).toEqual([
    ['Structure', 120],
    ['Systems', 24],
    ['Workmanship', 12],
  ])
  const { body: coverages } = await plumbline.get(`/api/ext/homes/${homeId}/coverages`)
  expect(coverages.data.length).toBe(3)
  const year = coverages.data.find(({ name }: { name: string }) => name === 'Workmanship')
  const start = new Date(`${today()}T00:00:00Z`)
  start.setUTCFullYear(start.getUTCFullYear() + 1)
  expect([year.startDate, year.endDate]).toEqual([today(), addDays(start.toISOString().slice(0, 10), -1)])
  const { body: walks } = await plumbline.get(`/api/ext/walkthroughs?homeId=${homeId}`)
  expect(walks.data).toMatchObject([{ kind: 'eleven_month', status: 'open' }])
  // Later changes of the terms do not affect existing coverages of a home.
  const term = terms.data.find(({ name }: { name: string }) => name === 'Workmanship')
  await plumbline.patch(`/api/ext/warranty-terms/${term.id}`, { months: 6 })
  expect((await plumbline.get(`/api/ext/homes/${homeId}/coverages`)).body).toEqual(coverages)
  await plumbline.patch(`/api/ext/warranty-terms/${term.id}`, { months: 12 })
})

test('the most specific coverage applies to a warranty request', async () => {
  const plumbing = await report()
  const { body: accepted } = await act(plumbing.id, 'decision', { decision: 'covered' })
  const { body: coverages } = await plumbline.get(`/api/ext/homes/${homeId}/coverages`)
  const nameOf = (id: string) => coverages.data.find((each: { id: string }) => each.id === id)?.name
  expect([accepted.status, nameOf(accepted.coverageId)]).toEqual(['accepted', 'Systems'])
  const painting = await report({ scope: 'painting' })
  expect(nameOf((await act(painting.id, 'decision', { decision: 'covered' })).body.coverageId)).toBe('Workmanship')
})

test('a warranty request without coverage can be accepted only as goodwill', async () => {
  const open = (await create('homes', { communityId, name: `Lot ${++count}` })).id
  const request = await report({ homeId: open })
  expect(await act(request.id, 'decision', { decision: 'covered' })).toMatchObject({
    ...{ status: 409, body: { reason: 'coverage_ended' } },
  })
  expect((await act(request.id, 'decision', { decision: 'not_covered' })).status).toBe(422)
  const { body: refused } = await act(request.id, 'decision', { decision: 'not_covered', reason: 'Not closed yet.' })
  expect([refused.status, refused.decisionReason]).toEqual(['not_covered', 'Not closed yet.'])
  expect(await act(request.id, 'decision', { decision: 'goodwill' })).toMatchObject({ body: { status: 'accepted' } })
})

test('a warranty request without a timely decision emits one overdue event', async () => {
  const late = await report({ severity: 'emergency' })
  const early = await report({ severity: 'emergency' })
  await act(early.id, 'decision', { decision: 'covered' })
  plumbline.clock.advance(5 * 3_600_000)
  await advanceWarrantyRequests(plumbline.app.services)
  await advanceWarrantyRequests(plumbline.app.services)
  const overdue = async () =>
    (await listEvents(plumbline, plumbline.organizationId, /^warranty_request.overdue/)).filter(({ data }) =>
      [late.id, early.id].includes(data.object.id),
    )
  expect((await overdue()).map(({ data }) => data.object.id)).toEqual([late.id])
  expect((await read(late.id)).isOverdue).toBe(true)
  await act(late.id, 'decision', { decision: 'covered' })
  expect((await read(late.id)).isOverdue).toBe(false)
  plumbline.clock.advance(3 * 86_400_000)
  await advanceWarrantyRequests(plumbline.app.services)
  expect((await overdue()).length).toBe(3)
})

test('canceling a visit returns its warranty requests to the status assigned', async () => {
  const [first, second] = [await assign(), await assign({ location: 'Guest bath' })]
  const visit = await create('visits', { requestIds: [first.id, second.id], date: addDays(today(), 3), window: 'am' })
  expect(visit).toMatchObject({ status: 'proposed', vendorId, homeId })
  expect(await read(first.id)).toMatchObject({ status: 'scheduled', visitId: visit.id })
  const again = { requestIds: [first.id], date: addDays(today(), 4) }
  expect(await plumbline.post('/api/ext/visits', again)).toMatchObject({
    status: 409,
    body: { reason: 'wrong_status' },
  })
  await plumbline.post(`/api/ext/visits/${visit.id}/status`, { status: 'confirmed' })
  const { body: moved } = await plumbline.patch(`/api/ext/visits/${visit.id}`, { date: addDays(today(), 5) })
  expect(moved.status).toBe('proposed')
  await plumbline.post(`/api/ext/visits/${visit.id}/status`, { status: 'cancelled' })
  expect(await read(second.id)).toMatchObject({ status: 'assigned', visitId: null })
})

test('completing a warranty request requires a photo', async () => {
  const signed = await assign()
  expect(await act(signed.id, 'status', { status: 'completed' })).toMatchObject({
    ...{ status: 409, body: { reason: 'photo_required' } },
  })
  expect((await addPhoto(signed.id)).status).toBe(201)
  expect((await act(signed.id, 'status', { status: 'completed' })).body.status).toBe('completed')
})

test('reopening a completed warranty request requires a reason', async () => {
  const signed = await assign()
  await addPhoto(signed.id)
  await act(signed.id, 'status', { status: 'completed' })
  expect((await act(signed.id, 'status', { status: 'assigned' })).status).toBe(422)
  const { body: reopened } = await act(signed.id, 'status', { status: 'assigned', reason: 'It still drips.' })
  expect(reopened.status).toBe('assigned')
})

test('a completed warranty request can be closed with a signature', async () => {
  const signed = await assign()
  await addPhoto(signed.id)
  await act(signed.id, 'status', { status: 'completed' })
  const { body: closed } = await act(signed.id, 'status', { status: 'closed', signedBy: 'Dana Whitfield' })
  expect(closed).toMatchObject({ status: 'closed', signature: { signedBy: 'Dana Whitfield' } })
})

test('a completed warranty request closes automatically after ten days', async () => {
  const silent = await assign()
  await addPhoto(silent.id)
  await act(silent.id, 'status', { status: 'completed' })
  plumbline.clock.advance(11 * 86_400_000)
  await advanceWarrantyRequests(plumbline.app.services)
  expect(await read(silent.id)).toMatchObject({ status: 'closed', signature: null })
})

test('the cost of a warranty request is the total of its service orders minus its backcharges', async () => {
  const request = await assign()
  const order = (fields: object) =>
    plumbline.post('/api/ext/purchase-orders', {
      ...{ homeId, vendorId, scope: 'plumbing', warrantyRequestId: request.id },
      ...fields,
    })
  const line = (unitPrice: number) => [{ description: 'Faucet', quantity: 1, unitPrice }]
  const service = await order({ poType: 'service', lines: line(240) })
  expect([service.status, service.body.warrantyRequestId]).toEqual([201, request.id])
  await order({ poType: 'backcharge', lines: line(-90) })
  expect((await read(request.id)).cost).toBe(150)
  expect((await order({ poType: 'base', lines: line(10) })).status).toBe(422)
  expect((await order({ homeId: await closeHome(), poType: 'service', lines: line(10) })).status).toBe(422)
  await plumbline.post(`/api/ext/purchase-orders/${service.body.id}/status`, { status: 'void' })
  expect((await read(request.id)).cost).toBe(-90)
})

test('a warranty request cannot be assigned to a vendor on hold', async () => {
  const request = await report()
  await act(request.id, 'decision', { decision: 'covered' })
  await plumbline.post(`/api/ext/vendors/${vendorId}/status`, { status: 'on_hold' })
  expect(await act(request.id, 'assignment', { vendorId })).toMatchObject({
    ...{ status: 409, body: { reason: 'vendor_on_hold' } },
  })
})

test("a builder cannot see another builder's warranty requests", async () => {
  const request = await report()
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.get(`/api/ext/warranty-requests/${request.id}`, { key })).status).toBe(404)
})

// This test moves the clock by a year, so it is the last.
test('a coverage applies to issues that are reported on its last day, but not on the day after', async () => {
  const { body: coverages } = await plumbline.get(`/api/ext/homes/${homeId}/coverages`)
  const { endDate } = coverages.data.find(({ name }: { name: string }) => name === 'Workmanship')
  // Half an hour before the end of the day in Chicago, it is already the next day in UTC.
  const lastMoment = Date.parse(`${addDays(endDate, 1)}T05:30:00Z`)
  plumbline.clock.advance(lastMoment - plumbline.clock.nowMs())
  expect(today()).toBe(endDate)
  const inTime = await report({ scope: 'painting' })
  plumbline.clock.advance(3_600_000)
  expect(today()).toBe(addDays(endDate, 1))
  const late = await report({ scope: 'painting' })
  expect(await act(late.id, 'decision', { decision: 'covered' })).toMatchObject({
    ...{ status: 409, body: { reason: 'coverage_ended' } },
  })
  expect(await act(inTime.id, 'decision', { decision: 'covered' })).toMatchObject({ body: { status: 'accepted' } })
  // The coverage of systems continues for another year.
  const plumbing = await report()
  expect((await act(plumbing.id, 'decision', { decision: 'covered' })).status).toBe(200)
})
