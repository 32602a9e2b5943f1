import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'

let plumbline: TestPlumbline
let homeId: string
let vendorId: string

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const communityId = (await create('communities', { name: 'Juniper Ridge', status: 'active' })).id
  homeId = (await create('homes', { communityId, name: 'Lot 15' })).id
  vendorId = (await create('vendors', { companyName: 'Blue Painters' })).id
  await plumbline.post(`/api/ext/vendors/${vendorId}/status`, { status: 'active' })
  const lines = [{ description: 'Paint', quantity: 1, unitPrice: 100 }]
  const { id } = await create('purchase-orders', { homeId, vendorId, scope: 'painting', lines })
  for (const status of ['approved', 'issued']) await plumbline.post(`/api/ext/purchase-orders/${id}/status`, { status })
})
afterAll(() => plumbline.stop())

async function create(path: string, fields: object) {
  const { status, body } = await plumbline.post(`/api/ext/${path}`, fields)
  expect([path, status, body.errors ?? body.detail]).toEqual([path, 201, undefined])
  return body
}

async function run(skill: string, input: object) {
  const { status, body } = await plumbline.post('/api/ext/execute', { skill, input })
  expect([skill, status, body.errors ?? body.detail]).toEqual([skill, 200, undefined])
  return body.result
}

test('assignPunchItems assigns each punch item to the vendor that had the order for its trade', async () => {
  await create('punch-items', { homeId, description: 'Touch up the hall.', scope: 'painting' })
  await create('punch-items', { homeId, description: 'Something rattles.' })
  await create('punch-items', { homeId, description: 'The sink drips.', scope: 'plumbing' })
  const { assigned, remaining } = await run('assignPunchItems', { homeId, dueDays: 0 })
  expect(assigned).toMatchObject([{ status: 'assigned', vendorId, description: 'Touch up the hall.' }])
  expect(remaining.map(({ reason }: { reason: string }) => reason)).toEqual([
    'The item has no trade.',
    'The home has no issued order for plumbing.',
  ])
  plumbline.clock.advance(3 * 86_400_000)
  const aging = await run('punchAging', {})
  expect([aging.open, aging.overdue]).toEqual([3, 1])
  expect(aging.rows[0]).toMatchObject({ vendorId, vendor: 'Blue Painters', home: 'Lot 15', overdue: 1, oldestDays: 3 })
})

test('triageWarrantyRequest returns the coverage, the vendor that built the work, and similar warranty requests', async () => {
  const report = { homeId, description: 'The paint peels.', scope: 'painting' }
  const earlier = await create('warranty-requests', report)
  const { id } = await create('warranty-requests', report)
  const triage = await run('triageWarrantyRequest', { warrantyRequestId: id })
  expect(triage).toMatchObject({ coverage: null, suggestedDecision: 'not_covered', builtBy: [{ vendorId }] })
  expect(triage.similar).toMatchObject([{ warrantyRequestId: earlier.id }])
})

test('prepareDailyLog drafts a daily log from the schedule and lists the facts that a user must add', async () => {
  const task = { homeId, name: 'Paint walls', durationDays: 2, vendorId, scope: 'painting', plannedStart: today() }
  const { id: taskId } = await create('tasks', task)
  const before = await run('prepareDailyLog', { homeId })
  expect(before.draft.crews).toMatchObject([{ vendorId, scope: 'painting', noShow: false }])
  expect(before.missing).toContain('Attendance of Blue Painters: Paint walls was planned but has not started.')
  const started = await plumbline.post(`/api/ext/tasks/${taskId}/status`, { status: 'in_progress' })
  expect([started.status, started.body.detail]).toEqual([200, undefined])
  const { draft, dailyLogId } = await run('prepareDailyLog', { homeId })
  expect([dailyLogId, draft.workDone]).toEqual([null, 'Started: Paint walls.'])
  const log = await create('daily-logs', draft)
  expect((await run('prepareDailyLog', { homeId })).dailyLogId).toBe(log.id)
})

test('handleFailedInspection creates the next attempt, the punch items, and a backcharge', async () => {
  const { id: inspectionId } = await create('inspections', { homeId, name: 'Paint inspection', authority: 'internal' })
  const corrections = [
    { text: 'Second coat', note: 'Missing in the hall.', scope: 'painting', vendorId },
    { text: 'Outlet covers', scope: 'electrical' },
  ]
  const reinspection = { date: today(5) }
  const handled = await run('handleFailedInspection', { inspectionId, corrections, reinspection, feeAmount: 75 })
  expect(handled).toMatchObject({
    inspection: { result: 'failed' },
    reinspection: { status: 'scheduled', scheduledDate: today(5), attempt: 2 },
    feeOrder: { poType: 'backcharge', vendorId, total: -75 },
    corrections: [
      {
        status: 'assigned',
        vendorId,
        dueDate: today(4),
        description: 'Paint inspection: Second coat. Missing in the hall.',
      },
      { status: 'open', scope: 'electrical' },
    ],
    unassigned: 1,
  })
  const again = await run('handleFailedInspection', { inspectionId, reinspection: { date: today(6) } })
  expect(again).toMatchObject({ reinspection: { scheduledDate: today(6) }, feeOrder: null })
  const ids = (items: { id: string }[]) => items.map(({ id }) => id)
  expect(ids(again.corrections)).toEqual(ids(handled.corrections))
  const input = { inspectionId, feeAmount: 75 }
  const refused = await plumbline.post('/api/ext/execute', { skill: 'handleFailedInspection', input })
  expect(refused.body.errors).toMatchObject([{ pointer: '/input/feeAmount' }])
})

test('dispatchWarrantyRequest proposes a visit by the vendor that had the order for the trade', async () => {
  const { id } = await create('warranty-requests', { homeId, description: 'Paint is flaking.', scope: 'painting' })
  const input = { warrantyRequestId: id, decision: 'goodwill', date: today(3), window: 'am' }
  const { request, visit, missing } = await run('dispatchWarrantyRequest', input)
  expect(request).toMatchObject({ status: 'scheduled', decision: 'goodwill', vendorId, visitId: visit.id })
  expect([visit.status, visit.date, missing]).toEqual(['proposed', today(3), null])
  const other = await create('warranty-requests', { homeId, description: 'A squeak.' })
  const unsent = await run('dispatchWarrantyRequest', { warrantyRequestId: other.id, decision: 'goodwill' })
  expect([unsent.request.status, unsent.missing]).toEqual([
    'accepted',
    'No vendor has had an order for this trade. Set vendorId.',
  ])
})

test('recurringDefects computes a ratio only for groups of at least 3 requests', async () => {
  const { rows, requests } = await run('recurringDefects', { groupBy: 'scope' })
  expect(requests).toBe(4)
  expect(rows).toMatchObject([
    { key: 'painting', name: 'painting', requests: 3, homes: 1, closedHomes: 0, per10Homes: null, ratio: null },
    { key: null, name: 'Not recorded', requests: 1 },
  ])
  const byVendor = await run('recurringDefects', { groupBy: 'vendor' })
  expect(byVendor.rows.find(({ key }: { key: string }) => key === vendorId)).toMatchObject({ requests: 1 })
})

test('ownerAgenda lists due choices, signatures, and visits with the task that each one blocks', async () => {
  await create('tasks', { homeId, name: 'Second coat', durationDays: 1, scope: 'painting', plannedStart: today(8) })
  const choice = { customDescription: 'Color of the hall', unitPrice: 0, scope: 'painting', deadline: today(-1) }
  const selected = await plumbline.post(`/api/ext/homes/${homeId}/selections`, { ...choice, overrideReason: 'Late.' })
  expect([selected.status, selected.body.errors ?? selected.body.detail]).toEqual([201, undefined])
  await create('walkthroughs', { homeId, kind: 'final', date: today() })
  const { items, overdue } = await run('ownerAgenda', { homeId })
  expect(items).toMatchObject([
    { kind: 'choice', label: 'Color of the hall', isOverdue: true, blocks: { name: 'Second coat' } },
    { kind: 'walkthrough', label: 'Final walkthrough', isOverdue: false },
    { kind: 'visit', dueDate: today(3) },
  ])
  expect(overdue).toBe(1)
})

test('the vendor scorecard has a separate score for work on the site', async () => {
  const { body } = await plumbline.get(`/api/ext/vendors/${vendorId}/scorecard`)
  expect(body.field).toMatchObject({ punchItems: 2, inspections: 1, firstPassPercent: 0, warrantyRequests: 1 })
  expect(body.fieldScore).toBe(50)
})

test('a home with open punch items, walkthroughs, or inspections is not ready to close', async () => {
  const { checks } = await run('closingReadiness', { homeId })
  const open = Object.fromEntries(checks.map((each: { check: string; isMet: boolean }) => [each.check, each.isMet]))
  expect(open).toMatchObject({ punch_items: false, walkthroughs: false, inspections: false, permits: true })
})

test('exceptionsToday lists overdue punch items', async () => {
  const { exceptions } = await run('exceptionsToday', {})
  const kinds = exceptions.map(({ kind }: { kind: string }) => kind)
  expect(kinds).toContain('overdue_punch_item')
})

/** Returns the date in the organization's time zone, the given number of days from now. */
function today(days = 0): string {
  return addDays(toLocalDate('America/Chicago', plumbline.clock.now()), days)
}
