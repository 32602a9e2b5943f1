import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { addDays } from '../../../platform/values/calendar.ts'

let plumbline: TestPlumbline
let homeId: string
let communityId: string
let vendorId: string

// A Monday. The community works from Monday to Friday.
const MONDAY = '2027-03-01'
const day = (days: number) => addDays(MONDAY, days)

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  // 18:00 UTC is noon in the community.
  plumbline.clock.advance(Date.parse(`${MONDAY}T18:00:00Z`) - plumbline.clock.now().getTime())
  communityId = (await created('communities', { name: 'Juniper Ridge', timeZone: 'America/Chicago' })).id
  vendorId = (
    await created('vendors', {
      companyName: 'Lone Star Framing',
      email: 'f@example.com',
      scopes: ['framing', 'drywall'],
    })
  ).id
})
afterAll(() => plumbline.stop())
beforeEach(async () => {
  homeId = (await created('homes', { name: 'Lot 14', communityId })).id
})

async function created(path: string, body: object) {
  const response = await plumbline.post(`/api/ext/${path}`, body)
  expect([path, response.status, response.body.errors ?? response.body.detail]).toEqual([path, 201, undefined])
  return response.body
}

const newTask = (name: string, rest: object = {}) => created('tasks', { homeId, name, ...rest })
const newPermit = (rest: object = {}) =>
  created('permits', { homeId, permitType: 'building', issuedDate: day(-10), ...rest })
const newInspection = (rest: object = {}) => created('inspections', { homeId, ...rest })
const record = (id: string, body: object, options = {}) =>
  plumbline.post(`/api/ext/inspections/${id}/result`, body, options)
const move = (id: string, body: object, options = {}) =>
  plumbline.post(`/api/ext/inspections/${id}/status`, body, options)
const readTask = async (id: string) => (await plumbline.get(`/api/ext/tasks/${id}`)).body

/** Creates an inspection task with a successor, three days from today, and its scheduled inspection. */
async function newChain(planned = day(3)) {
  const task = await newTask('Framing inspection', {
    ...{ taskKind: 'inspection', plannedStart: planned, checklist: [{ text: 'Nailing' }, { text: 'Fire blocking' }] },
  })
  const next = await newTask('Drywall', { scope: 'drywall', predecessors: [{ taskId: task.id }] })
  const permit = await newPermit()
  const inspection = await newInspection({ taskId: task.id, scheduledDate: planned })
  return { task, next, permit, inspection }
}

test('a new inspection gets the checklist of its task and the only valid permit of its home', async () => {
  const { inspection, permit, task } = await newChain()
  expect(inspection).toMatchObject({
    ...{ name: 'Framing inspection', status: 'scheduled', attempt: 1, permitId: permit.id, taskId: task.id },
    items: [
      { itemId: 'I1', text: 'Nailing', result: null },
      { itemId: 'I2', text: 'Fire blocking', result: null },
    ],
  })
  const second = await plumbline.post('/api/ext/inspections', { homeId, taskId: task.id })
  expect(second.body).toMatchObject({ reason: 'period_taken', conflictingId: inspection.id })
})

test('a municipal inspection requires a permit that is valid on the inspection date', async () => {
  const task = await newTask('Final', { taskKind: 'inspection' })
  const request = { homeId, taskId: task.id }
  const schedule = (body: object) => plumbline.post('/api/ext/inspections', { ...request, ...body })
  expect((await schedule({ scheduledDate: day(1) })).body.reason).toBe('permit_expired')
  const permit = await newPermit({ expiryDate: day(5) })
  expect((await schedule({ scheduledDate: day(6) })).body).toMatchObject({
    reason: 'permit_expired',
    detail: expect.stringContaining('no permit that is valid'),
  })
  expect((await schedule({ scheduledDate: day(6), permitId: permit.id })).body.detail).toContain('is valid until')
  await newPermit({ permitType: 'plumbing' })
  expect((await schedule({ scheduledDate: day(5) })).body.errors[0].pointer).toBe('/permitId')
  expect((await schedule({ scheduledDate: day(5), authority: 'internal' })).body.permitId).toBeNull()
})

test('an inspection requires a permit when it is scheduled, but not when it is requested', async () => {
  const { id } = await newInspection({ name: 'Final' })
  expect((await move(id, { status: 'scheduled' })).body.errors[0].pointer).toBe('/date')
  expect((await move(id, { status: 'scheduled', date: day(2) })).body.reason).toBe('permit_expired')
  const permit = await newPermit()
  expect((await move(id, { status: 'scheduled', date: day(2) })).body).toMatchObject({
    ...{ status: 'scheduled', scheduledDate: day(2), permitId: permit.id },
  })
  expect((await move(id, { status: 'scheduled', date: day(4), window: 'pm' })).body).toMatchObject({
    ...{ scheduledDate: day(4), window: 'pm' },
  })
  expect((await move(id, { status: 'cancelled', date: day(4) })).body.errors[0].pointer).toBe('/date')
  expect((await move(id, { status: 'cancelled' })).body.status).toBe('cancelled')
  expect((await record(id, { result: 'passed' })).body.code).toBe('invalid_transition')
})

test('a passed inspection completes its task', async () => {
  const { inspection, task } = await newChain(MONDAY)
  const { status, body } = await record(inspection.id, { result: 'passed', inspectorName: 'R. Alvarez' })
  expect([status, body.errors]).toEqual([200, undefined])
  expect(body).toMatchObject({
    inspection: { status: 'completed', result: 'passed', completedDate: MONDAY, inspectorName: 'R. Alvarez' },
    task: { id: task.id, status: 'completed', inspectionResult: 'passed', actualEnd: MONDAY },
    ...{ reinspection: null, feeOrder: null },
  })
  expect(body.task.checklist.every(({ done }: { done: boolean }) => done)).toBe(true)
})

test('a passed inspection extends its permit', async () => {
  const { inspection, permit } = await newChain(MONDAY)
  await record(inspection.id, { result: 'passed' })
  expect((await plumbline.get(`/api/ext/permits/${permit.id}`)).body.expiryDate).toBe(addDays(MONDAY, 180))
})

test('the result of a passed inspection cannot be recorded again', async () => {
  const { inspection } = await newChain(MONDAY)
  await record(inspection.id, { result: 'passed' })
  expect((await record(inspection.id, { result: 'passed' })).body.code).toBe('invalid_transition')
})

test('an inspection that fails before its planned day blocks the next task but does not move it', async () => {
  const { inspection, task, next } = await newChain()
  const before = await readTask(next.id)
  const { status, body } = await record(inspection.id, { result: 'failed' })
  expect([status, body.errors]).toEqual([200, undefined])
  expect(body.task).toMatchObject({ status: 'in_progress', inspectionResult: 'failed', actualStart: MONDAY })
  expect(body.task.cascade.moved).toEqual([])
  expect(body.inspection.delayDays).toBeNull()
  const after = await readTask(next.id)
  expect([after.plannedStart, after.plannedEnd]).toEqual([before.plannedStart, before.plannedEnd])
  const start = await plumbline.post(`/api/ext/tasks/${next.id}/status`, { status: 'in_progress' })
  expect(start.body.reason).toBe('open_work')
  const complete = await plumbline.post(`/api/ext/tasks/${next.id}/complete`, {})
  expect(complete.body.reason).toBe('open_work')
  expect((await plumbline.get(`/api/ext/tasks/${next.id}/readiness`)).body.readiness).toBe('blocked')
  expect((await readTask(task.id)).plannedStart).toBe(day(3))
})

test('an inspection that fails on its planned day delays the task to the next workday or the next attempt', async () => {
  const friday = day(-3)
  const { inspection, task, next } = await newChain(friday)
  const failed = await record(inspection.id, { result: 'failed', date: friday })
  // The delay from Friday to Monday is one workday.
  expect(failed.body.inspection.delayDays).toBe(1)
  expect(failed.body.task.delays).toMatchObject([{ reasonCode: 'failed_inspection', days: 1, responsible: 'vendor' }])
  expect(failed.body.task.earlyFinish).toBe(MONDAY)
  expect((await readTask(next.id)).plannedStart).toBe(day(1))

  const { reinspection } = failed.body
  expect(reinspection).toMatchObject({ attempt: 2, previousId: inspection.id, status: 'requested', taskId: task.id })
  const again = await record(reinspection.id, { result: 'failed', reinspection: { date: day(3), window: 'am' } })
  expect(again.body).toMatchObject({
    inspection: { attempt: 2, delayDays: 3 },
    reinspection: { attempt: 3, status: 'scheduled', scheduledDate: day(3), window: 'am' },
  })
  expect((await readTask(next.id)).plannedStart).toBe(day(4))
})

test('the checklist of a reinspection contains only the failed items', async () => {
  const { inspection } = await newChain(MONDAY)
  const items = [
    { itemId: 'I1', text: 'Nailing', result: 'pass' },
    { itemId: 'I2', text: 'Fire blocking', result: 'fail', note: 'Missing.', scope: 'Framing', vendorId },
  ]
  expect((await record(inspection.id, { result: 'passed', items })).body.errors[0].pointer).toBe('/items/1/result')
  const { body } = await record(inspection.id, { result: 'failed', items })
  expect(body.inspection.items[1]).toMatchObject({ scope: 'framing', vendorId, punchItemId: null })
  expect(body.reinspection.items).toMatchObject([
    { itemId: 'I1', text: 'Fire blocking', note: 'Missing.', result: null, vendorId },
  ])
})

test('a partly passed inspection releases only the tasks of the named trades', async () => {
  const { inspection, task, next } = await newChain(MONDAY)
  const painting = await newTask('Paint', { scope: 'framing', predecessors: [{ taskId: task.id }] })
  expect((await record(inspection.id, { result: 'partial' })).body.errors[0].pointer).toBe('/releasedScopes')
  const { body } = await record(inspection.id, { result: 'partial', releasedScopes: ['DRYWALL'] })
  expect(body.inspection).toMatchObject({ result: 'partial', releasedScopes: ['drywall'] })
  expect(body.task).toMatchObject({ status: 'in_progress', inspectionResult: 'failed', releasedScopes: ['drywall'] })
  const start = (id: string) => plumbline.post(`/api/ext/tasks/${id}/status`, { status: 'in_progress' })
  expect((await start(painting.id)).body.reason).toBe('open_work')
  expect((await start(next.id)).status).toBe(200)
})

test('completing an inspection task as failed also records the result on the inspection', async () => {
  const { inspection, task, next } = await newChain()
  const before = await readTask(next.id)
  const done = await plumbline.post(`/api/ext/tasks/${task.id}/complete`, { inspectionResult: 'failed' })
  expect(done.body).toMatchObject({ status: 'in_progress', inspectionResult: 'failed', orders: [] })
  expect((await readTask(next.id)).plannedStart).toBe(before.plannedStart)
  const { data } = (await plumbline.get(`/api/ext/inspections?taskId=${task.id}&sort=createdAt`)).body
  expect(data).toMatchObject([
    { id: inspection.id, status: 'completed', result: 'failed' },
    { previousId: inspection.id, attempt: 2, status: 'requested' },
  ])
  const checklist = [{ text: 'Nailing', done: true }]
  const passed = await plumbline.post(`/api/ext/tasks/${task.id}/complete`, { inspectionResult: 'passed', checklist })
  expect(passed.body).toMatchObject({ status: 'completed', inspectionResult: 'passed' })
  expect((await plumbline.get(`/api/ext/inspections/${data[1].id}`)).body.result).toBe('passed')
})

test('concurrent requests to record the same failed inspection draft only one backcharge', async () => {
  const { inspection } = await newChain(MONDAY)
  const items = [{ itemId: 'I2', text: 'Fire blocking', result: 'fail', scope: 'framing', vendorId }]
  const failure = { result: 'failed', items, feeAmount: 125, backcharge: true }
  const answers = await Promise.all([record(inspection.id, failure), record(inspection.id, failure)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  const { body } = answers.find(({ status }) => status === 200) ?? { body: null }
  expect(body.feeOrder).toMatchObject({
    poType: 'backcharge',
    status: 'draft',
    vendorId,
    scope: 'framing',
    total: -125,
  })
  expect(body.inspection).toMatchObject({ feeAmount: 125, feeVendorId: vendorId, feeOrderId: body.feeOrder.id })
  expect((await plumbline.get(`/api/ext/purchase-orders?homeId=${homeId}`)).body.data).toHaveLength(1)
})

test('a backcharge for a failed inspection requires pos:write, a fee, and exactly one vendor', async () => {
  const { inspection } = await newChain(MONDAY)
  const failure = { result: 'failed', feeAmount: 125, backcharge: true }
  const key = await plumbline.newKey(['inspections:write', 'tasks:write'])
  expect((await record(inspection.id, failure, { key })).body.permission).toBe('pos:write')
  expect((await record(inspection.id, failure)).body.errors[0].pointer).toBe('/feeVendorId')
  expect((await record(inspection.id, { ...failure, feeAmount: null })).body.errors[0].pointer).toBe('/backcharge')
  expect((await record(inspection.id, { result: 'failed', feeAmount: 125 }, { key })).status).toBe(200)
})

test('undoing a failed result removes its delay and cancels the reinspection', async () => {
  const { inspection, task, next } = await newChain(MONDAY)
  const before = await readTask(next.id)
  const failed = await record(inspection.id, { result: 'failed' })
  expect((await readTask(next.id)).plannedStart).not.toBe(before.plannedStart)
  const undo = { status: 'scheduled', reason: 'It was the other lot.' }
  expect((await move(inspection.id, { status: 'scheduled' })).body.errors[0].pointer).toBe('/reason')
  const key = await plumbline.newKey(['inspections:write'])
  expect((await move(inspection.id, undo, { key })).body.permission).toBe('tasks:write')
  const { body } = await move(inspection.id, undo)
  expect(body).toMatchObject({ status: 'scheduled', result: null, completedDate: null, delayDays: null })
  expect(await readTask(task.id)).toMatchObject({ status: 'in_progress', inspectionResult: null, delays: [] })
  expect((await readTask(next.id)).plannedStart).toBe(before.plannedStart)
  const { reinspection } = failed.body
  expect((await plumbline.get(`/api/ext/inspections/${reinspection.id}`)).body.status).toBe('cancelled')
})

test('a passed inspection completes the milestone and the prepaid order of its task', async () => {
  const lines = [{ description: 'Inspection', quantity: 1, unitPrice: 100 }]
  const order = await created('purchase-orders', { homeId, vendorId, scope: 'framing', lines })
  for (const status of ['approved', 'issued', 'accepted'])
    await plumbline.post(`/api/ext/purchase-orders/${order.id}/status`, { status })
  const deposit = { poId: order.id, paymentType: 'deposit', grossAmount: 100 }
  const { id: paymentId } = await created('payments', deposit)
  for (const status of ['approved', 'paid']) await plumbline.post(`/api/ext/payments/${paymentId}/status`, { status })
  const billed = { poIds: [order.id], payOnComplete: true }
  const task = await newTask('Final', { taskKind: 'inspection', ...billed })
  const milestone = await created('milestones', { homeId, name: 'Final', taskIds: [task.id], autoComplete: true })
  await newPermit()
  const { id } = await newInspection({ taskId: task.id, scheduledDate: MONDAY })
  expect((await record(id, { result: 'passed' })).status).toBe(200)
  expect((await plumbline.get(`/api/ext/milestones/${milestone.id}`)).body.status).toBe('completed')
  expect((await plumbline.get(`/api/ext/purchase-orders/${order.id}`)).body.status).toBe('closed')
  expect((await plumbline.get(`/api/ext/bills?poId=${order.id}`)).body.data).toMatchObject([{ status: 'paid' }])
})

test('recording or undoing a result notifies the vendors of later tasks', async () => {
  const task = await newTask('Final', { taskKind: 'inspection', plannedStart: day(2), durationDays: 3 })
  const next = await newTask('Drywall', { vendorId, predecessors: [{ taskId: task.id }] })
  await newPermit()
  const { id } = await newInspection({ taskId: task.id, scheduledDate: day(2) })
  await plumbline.post(`/api/ext/vendors/${vendorId}/notifications`, { kind: 'advance', taskId: next.id })
  const undo = { status: 'scheduled', reason: 'It was the other lot.' }
  expect((await record(id, { result: 'passed' })).status).toBe(200)
  expect((await move(id, undo)).status).toBe(200)
  expect(await readTask(task.id)).toMatchObject({ status: 'in_progress', inspectionResult: null })
  expect((await record(id, { result: 'failed', reinspection: { date: day(10) } })).status).toBe(200)
  expect((await move(id, undo)).status).toBe(200)
  const sent = await plumbline.get(`/api/ext/vendors/${vendorId}/notifications?homeId=${homeId}`)
  const kinds: string[] = sent.body.data.map(({ kind }: { kind: string }) => kind)
  // Ignores the advance notices and reminders that the service sends automatically.
  const moves = kinds.filter((kind) => kind === 'moved_earlier' || kind === 'postponed')
  expect(moves).toEqual(['moved_earlier', 'postponed', 'postponed', 'moved_earlier'])
})

test('a passed result cannot be undone after a successor has started', async () => {
  const { inspection, task, next } = await newChain(MONDAY)
  await record(inspection.id, { result: 'passed' })
  const undo = { status: 'scheduled', reason: 'The wrong button.' }
  await plumbline.post(`/api/ext/tasks/${next.id}/status`, { status: 'in_progress' })
  expect((await move(inspection.id, undo)).body.reason).toBe('in_use')

  const other = await newChain(MONDAY).catch(() => null)
  expect(other).toBeNull()
  expect((await readTask(task.id)).status).toBe('completed')
})

test('an inspection without a task can be recorded', async () => {
  await newPermit()
  const { id } = await newInspection({ name: 'Tree protection', scheduledDate: MONDAY })
  const { body } = await record(id, { result: 'failed', notes: 'The fence is down.' })
  expect(body).toMatchObject({ task: null, reinspection: { attempt: 2, taskId: null, items: [] } })
})

test('only notes of a completed inspection can be edited', async () => {
  const { inspection } = await newChain(MONDAY)
  await record(inspection.id, { result: 'passed' })
  const edit = (body: object) => plumbline.patch(`/api/ext/inspections/${inspection.id}`, body)
  expect((await edit({ name: 'Other' })).body.reason).toBe('wrong_status')
  expect((await edit({ notes: 'Green tag at the door.' })).body.notes).toBe('Green tag at the door.')
})

test("a builder cannot see or change another builder's inspections and permits", async () => {
  const { inspection, permit } = await newChain()
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.get(`/api/ext/inspections/${inspection.id}`, { key })).status).toBe(404)
  expect((await record(inspection.id, { result: 'passed' }, { key })).status).toBe(404)
  expect((await plumbline.get(`/api/ext/permits/${permit.id}`, { key })).status).toBe(404)
})

test('a file can be attached to an inspection', async () => {
  const { inspection } = await newChain()
  const query = new URLSearchParams({ recordId: inspection.id, fileName: 'Card.txt' })
  const file = await plumbline.post(`/api/ext/attachments?${query}`, { content: 'R3JlZW4gdGFnCg==' })
  expect(file.body).toMatchObject({ recordType: 'inspection', homeId })
})
