import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listEventsAbout } from '../../../../test/support/recorded-events.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'
import { createWorkCalendar, type WorkCalendar } from '../../../platform/values/workdays.ts'
import { updateOrganization } from '../../office/organizations/organizations.ts'

const TASKS = '/api/ext/tasks'
const ZONE = 'America/Chicago'

let plumbline: TestPlumbline
let communityId: string
let homeId: string
let vendorId: string
let calendar: WorkCalendar
/** The first workday after today. The schedules in this file start on this day. */
let first: string
let lots = 0

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const holidays = [addDays(today(), 9)]
  calendar = createWorkCalendar({ workdays: [1, 2, 3, 4, 5], holidays })
  first = calendar.add(today(), 1)
  const community = { name: 'Juniper Ridge', status: 'active', timeZone: ZONE, workdays: [1, 2, 3, 4, 5], holidays }
  communityId = (await plumbline.post('/api/ext/communities', community)).body.id
  // Disables automatic notices, so that vendors receive only the notices from these tests.
  const notificationPreferences = { advanceNoticeDays: null, reminderDays: null }
  const email = 'bids@lonestarframing.example.com'
  const vendor = { companyName: 'Lone Star Framing LLC', email, notificationPreferences }
  vendorId = (await plumbline.post('/api/ext/vendors', vendor)).body.id
})
afterAll(() => plumbline.stop())
beforeEach(async () => {
  homeId = (await plumbline.post('/api/ext/homes', { name: `Lot ${++lots}`, communityId })).body.id
})

const today = () => toLocalDate(ZONE, plumbline.clock.now())
const day = (workdays: number) => calendar.add(first, workdays)
const read = async (id: string) => (await plumbline.get(`${TASKS}/${id}`)).body
const home = async () => (await plumbline.get(`/api/ext/homes/${homeId}`)).body

async function newTask(name: string, fields: object = {}) {
  const { status, body } = await plumbline.post(TASKS, { homeId, name, ...fields })
  expect([status, body.errors]).toEqual([201, undefined])
  return body
}

/** Creates three tasks: a slab (1 day), walls that start 4 days after the slab (6 days), and a roof (2 days). */
async function newHouse() {
  const slab = await newTask('Slab poured', { plannedStart: first })
  const framing = { durationDays: 6, vendorId, predecessors: [{ taskId: slab.id, lagDays: 4 }] }
  const walls = await newTask('Walls framed', framing)
  const roof = await newTask('Roof sheathed', { durationDays: 2, vendorId, predecessors: [{ taskId: walls.id }] })
  return { slab, walls, roof }
}

const notify = (taskId: string) =>
  plumbline.post(`/api/ext/vendors/${vendorId}/notifications`, { kind: 'advance', taskId })

test('a task starts on the first workday that its predecessors allow', async () => {
  const { slab, walls, roof } = await newHouse()
  expect(slab).toMatchObject({ plannedStart: first, constraint: { type: 'start_no_earlier_than', date: first } })
  expect(walls).toMatchObject({ plannedStart: day(5), plannedEnd: day(10), totalFloatDays: 0, isCritical: true })
  expect(roof).toMatchObject({ plannedStart: day(11), plannedEnd: day(12), communityId, status: 'not_started' })
  expect(roof.cascade).toEqual({ moved: [], oldForecast: day(10), newForecast: day(12), notices: [] })
  expect(await home()).toMatchObject({ forecastCompletionDate: day(12), percentComplete: 0 })
  const fence = await newTask('Fence built', { predecessors: [{ taskId: slab.id, type: 'SS', lagDays: 1 }] })
  expect(fence).toMatchObject({ plannedStart: day(1), lateStart: day(12), totalFloatDays: 11, isCritical: false })
})

test('a task without predecessors and dates starts today', async () => {
  const plot = await newTask('Plot plan drawn', { durationDays: 2 })
  const start = calendar.onOrAfter(today())
  expect(plot).toMatchObject({ plannedStart: start, plannedEnd: calendar.add(start, 1) })
})

test('a milestone task has no duration', async () => {
  const file = await newTask('Start file released', { taskKind: 'milestone' })
  const start = calendar.onOrAfter(today())
  expect(file).toMatchObject({ durationDays: 0, plannedStart: start, plannedEnd: start })
  const plot = await newTask('Plot plan drawn', { durationDays: 2, predecessors: [{ taskId: file.id }] })
  expect(plot).toMatchObject({ plannedStart: start, plannedEnd: calendar.add(start, 1) })
  const done = await newTask('Plans ready', { taskKind: 'milestone', predecessors: [{ taskId: plot.id }] })
  expect(done).toMatchObject({ plannedStart: plot.plannedEnd, plannedEnd: plot.plannedEnd })
})

test('contradictory fields of a task are reported at their fields', async () => {
  const { slab } = await newHouse()
  for (const [fields, pointer] of [
    [{ taskKind: 'milestone', durationDays: 2 }, '/durationDays'],
    [{ durationDays: 0 }, '/durationDays'],
    [{ plannedStart: first, constraint: { type: 'none' } }, '/plannedStart'],
    [{ constraint: { type: 'none', date: first } }, '/constraint/date'],
    [{ constraint: { type: 'must_start_on' } }, '/constraint/date'],
    [{ constraint: { type: 'hold' } }, '/constraint/date'],
    [{ predecessors: [{ taskId: slab.id }, { taskId: slab.id }] }, '/predecessors/1/taskId'],
    [{ predecessors: [{ taskId: 'tsk_nowhere' }] }, '/predecessors/0/taskId'],
    [{ plannedStart: '0012-01-01' }, ''],
    [{ homeId: 'hom_nowhere' }, '/homeId'],
    [{ vendorId: 'ven_nowhere' }, '/vendorId'],
    [{ assigneeUserId: 'usr_nowhere' }, '/assigneeUserId'],
  ] as const) {
    const refused = await plumbline.post(TASKS, { homeId, name: 'Refused', ...fields })
    expect([refused.status, refused.body.errors?.[0]?.pointer]).toEqual([422, pointer])
  }
  expect((await plumbline.get(`${TASKS}?homeId=${homeId}`)).body.data).toHaveLength(3)
})

test('circular links are rejected with the names of the tasks in the cycle', async () => {
  const { slab, walls, roof } = await newHouse()
  const refused = await plumbline.patch(`${TASKS}/${slab.id}`, { predecessors: [{ taskId: roof.id, type: 'SF' }] })
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/predecessors', code: 'ring' }] } })
  const message: string = refused.body.errors[0].message
  const names = message.replace('must not form a cycle: ', '').split(' waits for ')
  expect(names).toHaveLength(4)
  expect(names[0]).toBe(names[3])
  expect(new Set(names)).toEqual(new Set([slab.name, walls.name, roof.name]))
  const itself = await plumbline.patch(`${TASKS}/${slab.id}`, { predecessors: [{ taskId: slab.id }] })
  expect(itself.body.errors[0].message).toBe('must not form a cycle: Slab poured waits for Slab poured')
  expect((await read(slab.id)).predecessors).toEqual([])
})

test('changing a task moves later tasks and notifies each affected vendor once', async () => {
  const { slab, walls, roof } = await newHouse()
  expect((await notify(walls.id)).body).toMatchObject({ taskId: walls.id, homeId, date: day(5), tasks: [] })
  await notify(roof.id)
  expect((await read(roof.id)).notifiedStart).toBe(day(11))

  const moved = await plumbline.patch(`${TASKS}/${slab.id}`, { plannedStart: day(3) })
  const tasks = [
    { taskId: walls.id, oldStartDate: day(5), newStartDate: day(8) },
    { taskId: roof.id, oldStartDate: day(11), newStartDate: day(14) },
  ]
  expect(moved.body.cascade).toMatchObject({
    moved: [
      { taskId: slab.id, because: 'changed', oldStart: first, newStart: day(3), predecessorId: null },
      { taskId: walls.id, because: 'predecessor', predecessorId: slab.id, vendorId, newEnd: day(13) },
      { taskId: roof.id, because: 'predecessor', predecessorId: walls.id },
    ],
    ...{ oldForecast: day(12), newForecast: day(15), notices: [{ vendorId, kind: 'postponed', tasks }] },
  })
  expect(await read(roof.id)).toMatchObject({
    plannedStart: day(14),
    notifiedStart: day(14),
    version: roof.version + 2,
  })
  const { body: reported } = await plumbline.get(
    `/api/ext/vendors/${vendorId}/notifications?homeId=${homeId}&kind=postponed`,
  )
  expect(reported.data).toMatchObject([{ kind: 'postponed', date: day(8), tasks }])
  expect(await listEventsAbout(plumbline, reported.data[0].id)).toMatchObject([
    { type: 'vendor.notification.postponed', data: { object: reported.data[0] } },
  ])

  const earlier = await plumbline.patch(`${TASKS}/${slab.id}`, {
    constraint: { type: 'start_no_earlier_than', date: day(1) },
  })
  expect(earlier.body.cascade.notices).toMatchObject([{ kind: 'moved_earlier', tasks: [{ newStartDate: day(6) }, {}] }])
  // A vendor is not notified of a date that it already knows. A newly assigned vendor has not been notified of any
  // date.
  const same = await plumbline.patch(`${TASKS}/${slab.id}`, { name: 'Slab and garage poured' })
  expect(same.body.cascade).toMatchObject({ moved: [], notices: [] })
  const { body: other } = await plumbline.post('/api/ext/vendors', { companyName: 'Hill Country Framers' })
  expect((await plumbline.patch(`${TASKS}/${walls.id}`, { vendorId: other.id })).body.notifiedStart).toBeNull()
})

test('a preview of a delay changes no task', async () => {
  const { walls } = await newHouse()
  const before = await read(walls.id)
  const shown = await plumbline.get(`${TASKS}/${walls.id}/delay?days=3`)
  expect(shown.status).toBe(200)
  expect(await read(walls.id)).toEqual(before)
})

test('a dry run of a delay stores nothing', async () => {
  const { walls, roof } = await newHouse()
  await notify(roof.id)
  const before = await read(walls.id)
  const shown = await plumbline.get(`${TASKS}/${walls.id}/delay?days=3`)
  const delay = { days: 3, reasonCode: 'vendor_no_show', note: 'The crew did not come.' }
  const dry = await plumbline.post('/api/ext/execute', {
    skill: 'delayTask',
    input: { taskId: walls.id, ...delay },
    dryRun: true,
  })
  expect(dry.body.result.cascade).toEqual(shown.body.cascade)
  expect(dry.body.events).toMatchObject([{ type: 'vendor.notification.postponed' }])
  expect(await read(walls.id)).toEqual(before)
})

test('delaying a task moves later tasks', async () => {
  const { walls, roof } = await newHouse()
  await notify(roof.id)
  const shown = await plumbline.get(`${TASKS}/${walls.id}/delay?days=3`)
  const delay = { days: 3, reasonCode: 'vendor_no_show', note: 'The crew did not come.' }
  const delayed = await plumbline.post(`${TASKS}/${walls.id}/delay`, delay)
  expect(delayed.body.cascade).toEqual(shown.body.cascade)
  expect(delayed.body).toMatchObject({
    ...{ plannedStart: day(8), plannedEnd: day(13), constraint: { type: 'none', date: null }, startDelayDays: 3 },
    delays: [{ ...delay, responsible: 'vendor', vendorId }],
  })
  expect(await home()).toMatchObject({ forecastCompletionDate: day(15) })
})

test('delaying a started task extends its duration', async () => {
  const { slab, walls, roof } = await newHouse()
  await plumbline.post(`${TASKS}/${slab.id}/complete`, { date: today() })
  await plumbline.post(`${TASKS}/${walls.id}/status`, { status: 'in_progress' })
  const longer = await plumbline.post(`${TASKS}/${walls.id}/delay`, { days: 2, reasonCode: 'late_selection' })
  expect(longer.body).toMatchObject({ durationDays: 8, delays: [{ responsible: 'customer', vendorId: null }] })
  expect((await read(roof.id)).plannedStart).toBe(calendar.add(calendar.onOrAfter(today()), 8))
})

test('a delayed task also moves when its predecessor slips later', async () => {
  const { slab, walls } = await newHouse()
  await plumbline.post(`${TASKS}/${walls.id}/delay`, { days: 3, reasonCode: 'weather' })
  expect(await read(walls.id)).toMatchObject({ plannedStart: day(8) })
  await plumbline.post(`${TASKS}/${slab.id}/delay`, { days: 2, reasonCode: 'weather' })
  expect(await read(walls.id)).toMatchObject({ plannedStart: day(10), startDelayDays: 3 })
  // A new date replaces the delay.
  await plumbline.patch(`${TASKS}/${walls.id}`, { plannedStart: day(9) })
  expect(await read(walls.id)).toMatchObject({ plannedStart: day(9), startDelayDays: 0 })
  // If a constraint determines the start of the task, the delay changes the date of the constraint.
  await plumbline.post(`${TASKS}/${walls.id}/delay`, { newStart: day(11), reasonCode: 'weather' })
  expect(await read(walls.id)).toMatchObject({ constraint: { date: day(11) }, startDelayDays: 0 })
})

test('a task whose only predecessor is skipped can be delayed', async () => {
  const { slab, walls, roof } = await newHouse()
  await plumbline.post(`${TASKS}/${slab.id}/status`, { status: 'skipped' })
  const { body } = await plumbline.post(`${TASKS}/${walls.id}/delay`, { days: 3, reasonCode: 'weather' })
  expect(body).toMatchObject({ plannedStart: day(8), constraint: { date: day(8) }, startDelayDays: 0 })
  expect(await read(roof.id)).toMatchObject({ plannedStart: day(14) })
})

test('the successors of a skipped task wait for its predecessors', async () => {
  const { slab, walls, roof } = await newHouse()
  const gate = await newTask('Gate set', { predecessors: [{ taskId: walls.id, type: 'SS', lagDays: 1 }] })
  const paint = await newTask('Gate painted', { predecessors: [{ taskId: gate.id }] })
  expect(paint.plannedStart).toBe(day(7))
  await plumbline.patch(`${TASKS}/${gate.id}`, {
    predecessors: [
      { taskId: walls.id, type: 'SS', lagDays: 1 },
      { taskId: slab.id, type: 'FS', lagDays: 0 },
    ],
  })
  await plumbline.post(`${TASKS}/${gate.id}/status`, { status: 'skipped' })
  expect(await read(paint.id)).toMatchObject({ plannedStart: day(6) })
  const refused = await plumbline.post(`${TASKS}/${paint.id}/status`, { status: 'in_progress' })
  expect(refused.body).toMatchObject({ code: 'conflict', detail: expect.stringContaining('Slab poured') })
  expect(roof.plannedStart).toBe(day(11))
})

test('a lag in calendar days also counts weekends and holidays', async () => {
  const community = { name: `Curing ${lots}`, status: 'active', timeZone: ZONE, holidays: ['2030-01-14'] }
  const { body: created } = await plumbline.post('/api/ext/communities', community)
  homeId = (await plumbline.post('/api/ext/homes', { name: 'Lot 1', communityId: created.id })).body.id
  // January 4, 2030 is a Friday. The slab cures through Saturday, January 12, and Monday is a holiday.
  const slab = await newTask('Slab poured', { plannedStart: '2030-01-04' })
  const cured = { taskId: slab.id, lagDays: 8, lagUnit: 'calendar_days' }
  const walls = await newTask('Walls framed', { predecessors: [cured] })
  expect(walls).toMatchObject({
    ...{ plannedStart: '2030-01-15', predecessors: [{ ...cured, type: 'FS' }] },
  })
  await plumbline.patch(`${TASKS}/${walls.id}`, { predecessors: [{ ...cured, lagUnit: 'workdays' }] })
  expect(await read(walls.id)).toMatchObject({ plannedStart: '2030-01-18', predecessors: [{ lagUnit: 'workdays' }] })
})

test('the expected end of work in progress is never in the past', async () => {
  const start = calendar.add(today(), -6)
  const slab = await newTask('Slab poured', { plannedStart: start, durationDays: 2 })
  const walls = await newTask('Walls framed', { predecessors: [{ taskId: slab.id }] })
  const now = calendar.onOrAfter(today())
  const started = await plumbline.post(`${TASKS}/${slab.id}/status`, { status: 'in_progress', date: start })
  expect(started.body).toMatchObject({ plannedEnd: calendar.add(start, 1), earlyFinish: now })
  expect(started.body.cascade.moved).toMatchObject([
    { taskId: walls.id, newStart: calendar.add(now, 1), because: 'predecessor', predecessorId: slab.id },
  ])
  expect((await plumbline.get(`/api/ext/homes/${homeId}/schedule`)).body).toMatchObject({ dataDate: today() })
  expect((await plumbline.get(`${TASKS}?homeId=${homeId}&lateOn=${today()}`)).body.data).toMatchObject([
    { id: slab.id },
  ])
})

test('if usesDataDate is false, late work in progress does not move later tasks', async () => {
  const { database, clock, organizationId } = plumbline
  const set = (usesDataDate: boolean) => updateOrganization(database, clock, organizationId, { usesDataDate })
  await set(false)
  const start = calendar.add(today(), -6)
  const slab = await newTask('Slab poured', { plannedStart: start, durationDays: 2 })
  const late = await plumbline.post(`${TASKS}/${slab.id}/status`, { status: 'in_progress', date: start })
  expect(late.body).toMatchObject({ earlyFinish: calendar.add(start, 1) })
  expect((await plumbline.get(`/api/ext/homes/${homeId}/schedule`)).body).toMatchObject({ dataDate: null })
  await set(true)
  await plumbline.patch(`${TASKS}/${slab.id}`, { name: 'Slab' })
  expect(await read(slab.id)).toMatchObject({ earlyFinish: calendar.onOrAfter(today()) })
})

test('remainingDays determines the end of a started task until its duration changes', async () => {
  const slab = await newTask('Slab poured', { durationDays: 2 })
  const walls = await newTask('Walls framed', { predecessors: [{ taskId: slab.id }] })
  const report = (fields: object) => plumbline.patch(`${TASKS}/${slab.id}`, fields)
  expect((await report({ remainingDays: 5 })).body).toMatchObject({
    ...{ code: 'conflict', detail: 'Cannot set the remaining days: Slab poured has not started.' },
  })
  await plumbline.post(`${TASKS}/${slab.id}/status`, { status: 'in_progress' })
  const now = calendar.onOrAfter(today())
  const reported = await report({ remainingDays: 5 })
  expect(reported.body).toMatchObject({ remainingDays: 5, remainingAsOf: today(), plannedEnd: calendar.add(now, 4) })
  expect(await read(walls.id)).toMatchObject({ plannedStart: calendar.add(now, 5) })
  const delayed = await plumbline.post(`${TASKS}/${slab.id}/delay`, { days: 1, reasonCode: 'weather' })
  expect(delayed.body).toMatchObject({ remainingDays: 6, plannedEnd: calendar.add(now, 5) })
  expect((await report({ durationDays: 4 })).body).toMatchObject({ remainingDays: null, remainingAsOf: null })
  await report({ remainingDays: 1 })
  const done = await plumbline.post(`${TASKS}/${slab.id}/complete`, {})
  expect(done.body).toMatchObject({ status: 'completed', remainingDays: null })
})

test('delaying late work in progress counts the days from its expected end', async () => {
  const start = calendar.add(today(), -6)
  const slab = await newTask('Slab poured', { plannedStart: start, durationDays: 2 })
  await plumbline.post(`${TASKS}/${slab.id}/status`, { status: 'in_progress', date: start })
  const delayed = await plumbline.post(`${TASKS}/${slab.id}/delay`, { days: 2, reasonCode: 'weather' })
  const end = calendar.add(calendar.onOrAfter(today()), 2)
  expect(delayed.body).toMatchObject({ plannedEnd: end, earlyFinish: end, delays: [{ days: 2 }] })
})

test('a task with workdayOverride can be scheduled on a day off and delayed to the next workday', async () => {
  const dayOff = addDays(today(), 9)
  const next = calendar.onOrAfter(dayOff)
  const pour = await newTask('Slab poured', {
    constraint: { type: 'must_start_on', date: dayOff },
    workdayOverride: true,
  })
  const walls = await newTask('Walls framed', { predecessors: [{ taskId: pour.id }] })
  expect(pour).toMatchObject({ plannedStart: dayOff, plannedEnd: dayOff, workdayOverride: true })
  expect(walls).toMatchObject({ plannedStart: next, workdayOverride: false })
  await plumbline.patch(`${TASKS}/${pour.id}`, { workdayOverride: false })
  expect(await read(pour.id)).toMatchObject({ plannedStart: next })
  expect(await read(walls.id)).toMatchObject({ plannedStart: calendar.add(next, 1) })
  await plumbline.patch(`${TASKS}/${pour.id}`, { workdayOverride: true })
  const { body } = await plumbline.post(`${TASKS}/${pour.id}/delay`, { days: 1, reasonCode: 'weather' })
  expect(body).toMatchObject({ plannedStart: next, constraint: { type: 'must_start_on', date: next } })
})

test('the successor of a milestone task can start on the day of the milestone', async () => {
  const { slab } = await newHouse()
  const milestone = { taskKind: 'milestone', predecessors: [{ taskId: slab.id }] }
  const permit = await newTask('Permit', { ...milestone, constraint: { type: 'start_no_earlier_than', date: day(4) } })
  expect(permit).toMatchObject({ plannedStart: day(4), plannedEnd: day(4) })
  expect(await newTask('Trusses', { predecessors: [{ taskId: permit.id }] })).toMatchObject({ plannedStart: day(4) })
})

test('if a task starts early, its planned start becomes the actual start', async () => {
  const { walls } = await newHouse()
  const early = { status: 'in_progress', force: true, reason: 'The crew came early.' }
  await plumbline.post(`${TASKS}/${walls.id}/status`, early)
  await plumbline.patch(`${TASKS}/${walls.id}`, { durationDays: 1 })
  const { plannedStart, plannedEnd, actualStart } = await read(walls.id)
  expect([plannedStart, plannedEnd >= plannedStart]).toEqual([actualStart, true])
})

test('a delay is rejected if its fields are invalid or its task is completed', async () => {
  const { slab, walls } = await newHouse()
  const refused = async (body: object, query = '') => {
    const answer =
      body === NONE
        ? await plumbline.get(`${TASKS}/${walls.id}/delay${query}`)
        : await plumbline.post(`${TASKS}/${walls.id}/delay`, body)
    return [answer.status, answer.body.errors?.[0].pointer ?? answer.body.code]
  }
  const NONE = {}
  expect(await refused({ reasonCode: 'weather' })).toEqual([422, '/days'])
  expect(await refused({ reasonCode: 'weather', days: 1, newStart: day(9) })).toEqual([422, '/newStart'])
  expect(await refused({ reasonCode: 'weather', newStart: day(5) })).toEqual([422, '/newStart'])
  expect(await refused({ reasonCode: 'other', days: 1 })).toEqual([422, '/note'])
  expect(await refused({ reasonCode: 'weather', days: 1, vendorId: 'ven_nobody' })).toEqual([422, '/vendorId'])
  expect(await refused(NONE, `?days=1&newStart=${day(9)}`)).toEqual([422, 'newStart'])
  expect(await refused(NONE, `?newStart=${first}`)).toEqual([422, 'newStart'])
  await plumbline.post(`${TASKS}/${slab.id}/status`, { status: 'in_progress' })
  await plumbline.post(`${TASKS}/${walls.id}/status`, { status: 'in_progress', force: true, reason: 'It is dry.' })
  expect(await refused({ reasonCode: 'weather', newStart: day(9) })).toEqual([409, 'conflict'])
  expect(await refused({ reasonCode: 'weather', newStart: day(9) })).toEqual([409, 'conflict'])
  await plumbline.post(`${TASKS}/${walls.id}/complete`, {})
  expect(await refused({ reasonCode: 'weather', days: 1 })).toEqual([409, 'conflict'])
  expect(await refused(NONE, '?days=1')).toEqual([409, 'conflict'])
})

test('a task with a fixed or held start date does not move with its predecessors', async () => {
  const { slab, walls, roof } = await newHouse()
  const fixed = await plumbline.patch(`${TASKS}/${roof.id}`, { constraint: { type: 'must_start_on', date: day(9) } })
  expect(fixed.body).toMatchObject({ plannedStart: day(9), totalFloatDays: 0 })
  expect(await read(walls.id)).toMatchObject({ totalFloatDays: -2, isCritical: true })
  const held = await plumbline.patch(`${TASKS}/${roof.id}`, { constraint: { type: 'hold' } })
  expect(held.body.constraint).toEqual({ type: 'hold', date: day(9) })
  const { body } = await plumbline.post(`${TASKS}/${slab.id}/delay`, { days: 4, reasonCode: 'weather' })
  expect(body.cascade.moved.map(({ taskId }: { taskId: string }) => taskId)).toEqual([slab.id, walls.id])
  expect(await read(roof.id)).toMatchObject({ plannedStart: day(9) })
  const moved = await plumbline.patch(`${TASKS}/${roof.id}`, { plannedStart: day(30) })
  expect(moved.body).toMatchObject({ plannedStart: day(30), constraint: { type: 'hold', date: day(30) } })
  const free = await plumbline.patch(`${TASKS}/${roof.id}`, { constraint: { type: 'none' } })
  expect(free.body.cascade.moved).toMatchObject([{ newStart: day(15) }])
})

test('completing a task early moves later tasks earlier', async () => {
  const { slab, walls, roof } = await newHouse()
  await notify(walls.id)
  const events = async (id: string) => (await listEventsAbout(plumbline, id)).map(({ type }) => type)
  const done = await plumbline.post(`${TASKS}/${slab.id}/complete`, {})
  expect(done.body).toMatchObject({
    ...{ status: 'completed', actualStart: today(), actualEnd: today(), percentComplete: 100, totalFloatDays: null },
    ...{ plannedStart: first, plannedEnd: first, isCritical: false },
  })
  expect(await events(slab.id)).toEqual(['task.status_changed', 'task.completed'])
  const start = calendar.add(addDays(today(), 1), 4)
  expect(done.body.cascade.moved).toMatchObject([
    { taskId: walls.id, newStart: start, because: 'predecessor', predecessorId: slab.id },
    { taskId: roof.id, because: 'predecessor' },
  ])
  expect(done.body.cascade.notices).toMatchObject([
    { kind: 'moved_earlier', tasks: [{ oldStartDate: day(5), newStartDate: start }] },
  ])
  expect(await home()).toMatchObject({ percentComplete: 11.11 })
  const history = await plumbline.get(`/api/ext/status-changes?resourceId=${slab.id}`)
  expect(history.body.data).toMatchObject([{ to: 'not_started' }, { from: 'not_started', to: 'completed' }])
})

test('a task cannot start before its predecessors are done, unless force and a reason are given', async () => {
  const { slab, walls, roof } = await newHouse()
  const start = (id: string, more: object = {}) =>
    plumbline.post(`${TASKS}/${id}/status`, { status: 'in_progress', ...more })
  expect(await start(walls.id)).toMatchObject({
    status: 409,
    body: {
      reason: 'open_work',
      detail: 'Walls framed cannot start before Slab poured is done. To start it anyway, set force and a reason.',
    },
  })
  expect((await plumbline.post(`${TASKS}/${walls.id}/complete`, {})).status).toBe(409)
  expect(await start(walls.id, { force: true })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/reason' }] },
  })
  const forced = await start(walls.id, { force: true, reason: 'The inspector agreed.' })
  expect(forced.body).toMatchObject({ status: 'in_progress', actualStart: today() })
  // A task does not wait for a skipped predecessor. Instead, it waits for the predecessors of the skipped task.
  await plumbline.post(`${TASKS}/${walls.id}/complete`, {})
  const trim = await newTask('Trim', { predecessors: [{ taskId: roof.id }] })
  await plumbline.post(`${TASKS}/${roof.id}/status`, { status: 'skipped' })
  expect((await start(trim.id)).status).toBe(200)
  expect((await start(slab.id, { date: addDays(today(), 1) })).body.errors[0].pointer).toBe('/date')
})

test('only the documented status changes of a task are allowed', async () => {
  const { slab } = await newHouse()
  const move = async (status: string, more: object = {}) => {
    const answer = await plumbline.post(`${TASKS}/${slab.id}/status`, { status, ...more })
    return answer.status === 200 ? answer.body.status : (answer.body.allowed ?? answer.body.errors[0].pointer)
  }
  expect(await move('on_hold')).toBe('on_hold')
  expect(await move('in_progress')).toEqual(['not_started'])
  expect((await plumbline.post(`${TASKS}/${slab.id}/complete`, {})).body).toMatchObject({ code: 'invalid_transition' })
  expect(await move('not_started')).toBe('not_started')
  expect(await move('skipped', { date: today() })).toBe('/date')
  expect(await move('skipped')).toBe('skipped')
  expect(await read(slab.id)).toMatchObject({ totalFloatDays: null, isCritical: false })
  expect(await move('not_started')).toBe('not_started')
  expect(await move('in_progress', { date: addDays(today(), -3) })).toBe('in_progress')
  expect(await move('on_hold')).toBe('on_hold')
  expect(await move('in_progress')).toBe('in_progress')
  expect(await move('skipped')).toEqual(['completed', 'on_hold'])
  expect((await plumbline.patch(`${TASKS}/${slab.id}`, { percentComplete: 40 })).body.percentComplete).toBe(40)
})

test('reopening a completed task requires a reason', async () => {
  const { slab } = await newHouse()
  const move = async (status: string, more: object = {}) => {
    const answer = await plumbline.post(`${TASKS}/${slab.id}/status`, { status, ...more })
    return answer.status === 200 ? answer.body.status : (answer.body.allowed ?? answer.body.errors[0].pointer)
  }
  expect(await move('in_progress', { date: addDays(today(), -3) })).toBe('in_progress')
  await plumbline.post(`${TASKS}/${slab.id}/complete`, {})
  expect(await move('in_progress')).toBe('/reason')
  expect(await move('in_progress', { reason: 'It cracked.' })).toBe('in_progress')
  expect(await read(slab.id)).toMatchObject({ actualStart: addDays(today(), -3), actualEnd: null, percentComplete: 0 })
})

test('the progress and planned start of a task cannot be changed if its status determines them', async () => {
  const { slab, walls } = await newHouse()
  expect((await plumbline.patch(`${TASKS}/${walls.id}`, { percentComplete: 10 })).status).toBe(409)
  await plumbline.post(`${TASKS}/${slab.id}/complete`, {})
  expect((await plumbline.patch(`${TASKS}/${slab.id}`, { percentComplete: 10 })).status).toBe(409)
  expect((await plumbline.patch(`${TASKS}/${slab.id}`, { plannedStart: day(3) })).status).toBe(409)
})

test('completing an inspection task requires a result', async () => {
  const inspection = await newTask('Framing inspection', { taskKind: 'inspection', plannedStart: first })
  const trim = await newTask('Trim', { predecessors: [{ taskId: inspection.id }] })
  const complete = (id: string, body: object) => plumbline.post(`${TASKS}/${id}/complete`, body)
  expect((await complete(inspection.id, {})).body.errors[0].pointer).toBe('/inspectionResult')
  expect((await complete(trim.id, { inspectionResult: 'passed' })).body.errors[0].pointer).toBe('/inspectionResult')
})

test('the successors of an inspection task cannot start until it passes', async () => {
  const inspection = await newTask('Framing inspection', { taskKind: 'inspection', plannedStart: first })
  const trim = await newTask('Trim', { predecessors: [{ taskId: inspection.id }] })
  const complete = (id: string, body: object) => plumbline.post(`${TASKS}/${id}/complete`, body)
  const failed = await complete(inspection.id, { inspectionResult: 'failed' })
  expect(failed.body).toMatchObject({ status: 'in_progress', inspectionResult: 'failed', actualEnd: null })
  expect((await complete(trim.id, {})).body).toMatchObject({
    reason: 'open_work',
    detail: expect.stringContaining('cannot start before Framing inspection is done'),
  })
  const readiness = (await plumbline.get(`${TASKS}/${trim.id}/readiness`)).body
  expect(readiness).toMatchObject({ readiness: 'blocked', checks: [{ check: 'predecessors', state: 'blocked' }] })
  await complete(inspection.id, { inspectionResult: 'passed' })
  expect((await plumbline.get(`${TASKS}/${trim.id}/readiness`)).body.readiness).toBe('ready')
  expect((await complete(trim.id, {})).status).toBe(200)
})

test('a task with an open checklist, a future date, or an end before its start cannot be completed', async () => {
  const slab = await newTask('Slab', {
    plannedStart: first,
    checklist: [{ text: 'Photographed' }, { text: 'Measured', done: true }],
  })
  const complete = (body: object) => plumbline.post(`${TASKS}/${slab.id}/complete`, body)
  expect(await complete({})).toMatchObject({
    status: 409,
    body: {
      reason: 'open_work',
      detail: expect.stringMatching(/^Cannot complete .*: its checklist has 1 open item, first "Photographed"\. /),
    },
  })
  expect((await complete({ date: addDays(today(), 1), force: true, reason: 'x' })).body.errors[0].pointer).toBe('/date')
  expect((await complete({ date: addDays(today(), -2), startDate: today() })).body.errors[0].pointer).toBe('/startDate')
  const done = await complete({ date: addDays(today(), -2), checklist: [{ text: 'Photographed', done: true }] })
  expect(done.body).toMatchObject({
    actualStart: addDays(today(), -2),
    checklist: [{ text: 'Photographed', done: true }],
  })
})

test('a task can be archived only before it starts and only if no task follows it', async () => {
  const { slab, walls, roof } = await newHouse()
  expect((await plumbline.delete(`${TASKS}/${walls.id}`)).body).toMatchObject({
    code: 'conflict',
    detail:
      'Cannot archive Walls framed: Roof sheathed waits for it. Remove Walls framed from the predecessors of this task first.',
  })
  expect((await plumbline.delete(`${TASKS}/${roof.id}`)).status).toBe(204)
  expect((await plumbline.delete(`${TASKS}/${roof.id}`)).status).toBe(204)
  expect(await home()).toMatchObject({ forecastCompletionDate: day(10) })
  expect((await read(roof.id)).archivedAt).not.toBeNull()
  expect((await plumbline.patch(`${TASKS}/${roof.id}`, { name: 'Late' })).body).toMatchObject({
    reason: 'archived',
    detail: 'Cannot use Roof sheathed: the task is archived and no longer part of the schedule.',
  })
  expect((await plumbline.get(`${TASKS}/${roof.id}/readiness`)).status).toBe(409)
  await plumbline.post(`${TASKS}/${slab.id}/status`, { status: 'in_progress' })
  expect((await plumbline.delete(`${TASKS}/${slab.id}`)).status).toBe(409)
})

test('the schedule of a home lists its tasks in order, with the critical path and the baseline', async () => {
  const empty = await plumbline.get(`/api/ext/homes/${homeId}/schedule`)
  expect(empty.body).toMatchObject({ startDate: null, endDate: null, workdays: 0, tasks: [], criticalPath: [] })
  const { slab, walls, roof } = await newHouse()
  const fence = await newTask('Fence', { plannedStart: day(2) })
  const schedule = async () => (await plumbline.get(`/api/ext/homes/${homeId}/schedule`)).body
  expect(await schedule()).toMatchObject({
    ...{
      startDate: first,
      endDate: day(12),
      workdays: 13,
      percentComplete: 0,
      baselineEnd: null,
      daysBehindBaseline: null,
    },
    criticalPath: [slab.id, walls.id, roof.id],
    tasks: [{ taskId: slab.id }, { taskId: fence.id, totalFloatDays: 10 }, { taskId: walls.id }, { taskId: roof.id }],
  })
  const baseline = `/api/ext/homes/${homeId}/schedule/baseline`
  const set = await plumbline.post(baseline)
  expect(set.body).toMatchObject({ homeId, oldEnd: null, newEnd: day(12), changed: [{}, {}, {}, {}] })
  await plumbline.post(`${TASKS}/${walls.id}/delay`, { days: 2, reasonCode: 'permit' })
  expect(await schedule()).toMatchObject({ endDate: day(14), baselineEnd: day(12), daysBehindBaseline: 2 })
  const again = await plumbline.post(baseline)
  expect(again.body.changed).toMatchObject([
    { taskId: walls.id, oldStart: day(5), newStart: day(7) },
    { taskId: roof.id, oldEnd: day(12), newEnd: day(14) },
  ])
  expect((await schedule()).daysBehindBaseline).toBe(0)
  expect((await plumbline.post(baseline)).body.changed).toEqual([])
})

test('starting, completing, or skipping a task moves its later tasks', async () => {
  const start = calendar.add(today(), -6)
  const tear = await newTask('Tear-off', { plannedStart: start, durationDays: 2 })
  const roof = await newTask('Roof', { durationDays: 9, predecessors: [{ taskId: tear.id }] })
  const gutters = await newTask('Gutters', { vendorId, predecessors: [{ taskId: roof.id }] })
  await notify(gutters.id)
  const reported = async (id: string, action: string, body: object) => {
    const { cascade } = (await plumbline.post(`${TASKS}/${id}/${action}`, body)).body
    return cascade.notices.map(({ kind }: { kind: string }) => kind)
  }
  expect(await reported(tear.id, 'status', { status: 'in_progress' })).toEqual(['postponed'])
  expect(await reported(tear.id, 'complete', {})).toEqual(['moved_earlier'])
  expect(await reported(roof.id, 'status', { status: 'skipped' })).toEqual(['moved_earlier'])
  expect(await reported(roof.id, 'status', { status: 'not_started' })).toEqual(['postponed'])
  const late = await newTask('Siding', { plannedStart: start })
  const paint = await newTask('Paint', { vendorId, predecessors: [{ taskId: late.id, lagDays: 12 }] })
  await notify(paint.id)
  expect(await reported(late.id, 'complete', { startDate: today() })).toEqual(['postponed'])
})

test('creating, delaying, or archiving a task also moves the tasks after late work in progress', async () => {
  const { database, clock, organizationId } = plumbline
  const usesDataDate = (isUsed: boolean) =>
    updateOrganization(database, clock, organizationId, { usesDataDate: isUsed })
  const start = calendar.add(today(), -6)
  const slab = await newTask('Slab poured', { plannedStart: start, durationDays: 2 })
  await plumbline.post(`${TASKS}/${slab.id}/status`, { status: 'in_progress', date: start })
  const paint = await newTask('Paint', { vendorId, predecessors: [{ taskId: slab.id, lagDays: 12 }] })
  await notify(paint.id)
  const fence = await newTask('Fence built')
  const sheds = [await newTask('Shed'), await newTask('Second shed')]
  // Ignores the advance notices and reminders that the service sends automatically.
  const listMoves = async () =>
    (await plumbline.get(`/api/ext/vendors/${vendorId}/notifications?homeId=${homeId}`)).body.data
      .map(({ kind }: { kind: string }) => kind)
      .filter((kind: string) => kind === 'moved_earlier' || kind === 'postponed')
  const expected: string[] = []
  for (const change of [
    () => newTask('Deck'),
    () => plumbline.post(`${TASKS}/${fence.id}/delay`, { days: 1, reasonCode: 'permit' }),
    () => plumbline.delete(`${TASKS}/${sheds.pop()?.id}`),
  ])
    for (const isUsed of [false, true]) {
      await usesDataDate(isUsed)
      await change()
      expected.unshift(isUsed ? 'postponed' : 'moved_earlier')
      expect(await listMoves()).toEqual(expected)
    }
})

test('upcoming and late tasks can be filtered by community, vendor, and trade', async () => {
  const { body: other } = await plumbline.post('/api/ext/communities', {
    name: `Mill Creek ${lots}`,
    status: 'active',
    timeZone: ZONE,
  })
  const { body: there } = await plumbline.post('/api/ext/homes', { name: 'Lot 1', communityId: other.id })
  homeId = there.id
  const late = await newTask('Late', {
    plannedStart: addDays(today(), -20),
    scope: 'Painting',
    externalId: `paint-${lots}`,
  })
  const { walls } = await newHouse()
  const found = async (query: string) =>
    (await plumbline.get(`${TASKS}?communityId=${other.id}&sort=plannedStart&${query}`)).body.data.map(
      ({ name }: { name: string }) => name,
    )
  expect(await found('')).toEqual(['Late', 'Slab poured', 'Walls framed', 'Roof sheathed'])
  expect(await found(`plannedStartTo=${first}`)).toEqual(['Late', 'Slab poured'])
  expect(await found(`plannedStartFrom=${walls.plannedStart}`)).toEqual(['Walls framed', 'Roof sheathed'])
  expect(await found(`lateOn=${today()}`)).toEqual(['Late'])
  expect(await found(`vendorId=${vendorId}&isCritical=true`)).toEqual(['Walls framed', 'Roof sheathed'])
  expect(await found('scope=PAINTING')).toEqual(['Late'])
  expect(await found('isCritical=false')).toEqual(['Late'])
  expect(await found(`externalId=paint-${lots}`)).toEqual(['Late'])
  expect(await found('status=completed')).toEqual([])
  await plumbline.post(`${TASKS}/${late.id}/complete`, {})
  expect(await found(`lateOn=${today()}`)).toEqual([])
  expect(await found('status=completed')).toEqual(['Late'])
})

test('the readiness of a task depends on its status, its predecessors, and its order', async () => {
  const { walls, roof } = await newHouse()
  await plumbline.patch(`${TASKS}/${walls.id}`, { scope: 'framing' })
  const readiness = async (id: string) => (await plumbline.get(`${TASKS}/${id}/readiness`)).body
  expect(await readiness(walls.id)).toMatchObject({
    ...{ taskId: walls.id, readiness: 'almost', plannedStart: day(5) },
    checks: [
      { check: 'predecessors', state: 'open', detail: 'The task waits for Slab poured.' },
      { check: 'order', state: 'open', detail: 'No purchase order exists for framing.', ids: [] },
    ],
  })
  await plumbline.post(`${TASKS}/${roof.id}/status`, { status: 'on_hold' })
  expect(await readiness(roof.id)).toMatchObject({ readiness: 'blocked', checks: [{ check: 'status' }, {}] })
})

test('a task is ready if its order is issued and its parts can arrive on time', async () => {
  const part = { sku: `TRUSS-${lots}`, name: 'Roof trusses', unit: 'EA', leadTimeDays: 3 }
  const { body: trusses } = await plumbline.post('/api/ext/parts', part)
  const plan = await plumbline.post('/api/ext/plans', { code: `P${lots}`, name: 'The Possumhaw' })
  const lines = [{ partId: trusses.id, quantity: 40, taskName: 'Trusses set' }]
  await plumbline.put(`/api/ext/plans/${plan.body.id}/takeoff`, { lines })
  await plumbline.post(`/api/ext/plans/${plan.body.id}/status`, { status: 'released' })
  await plumbline.patch(`/api/ext/homes/${homeId}`, { planId: plan.body.id })
  const fields = { scope: 'framing', vendorId, plannedStart: day(20) }
  const set = await newTask('Trusses set', fields)
  const checks = async () => {
    const { readiness, checks } = (await plumbline.get(`${TASKS}/${set.id}/readiness`)).body
    return [readiness, ...checks.map(({ check, state }: { check: string; state: string }) => `${check} ${state}`)]
  }
  expect(await checks()).toEqual(['almost', 'order open', 'lead_time open'])
  const draft = { homeId, vendorId, scope: 'Framing', lines: [{ description: 'Framing', quantity: 1, unitPrice: 100 }] }
  const { body: order } = await plumbline.post('/api/ext/purchase-orders', draft)
  expect(await checks()).toEqual(['almost', 'order open', 'lead_time open'])
  for (const status of ['approved', 'issued']) {
    const moved = await plumbline.post(`/api/ext/purchase-orders/${order.id}/status`, { status })
    expect(moved.body.status).toBe(status)
  }
  expect(await checks()).toEqual(['ready', 'order met', 'lead_time met'])
  await plumbline.patch(`${TASKS}/${set.id}`, { plannedStart: first })
  await plumbline.patch(`/api/ext/parts/${trusses.id}`, { leadTimeDays: 30 })
  expect(await checks()).toEqual(['blocked', 'order met', 'lead_time blocked'])
})

test('a home cannot be completed while its schedule has open work, inspections, or deliveries', async () => {
  const work = await newTask('Punch list', { plannedStart: first })
  await newTask('Home closed', { taskKind: 'milestone', predecessors: [{ taskId: work.id }] })
  await newTask('Closing documents signed', { taskKind: 'memo', plannedStart: first })
  await plumbline.post(`/api/ext/homes/${homeId}/budget/lines`, { scope: 'framing', amount: 41000 })
  await plumbline.post(`/api/ext/homes/${homeId}/budget/lock`)
  const move = (status: string) => plumbline.post(`/api/ext/homes/${homeId}/status`, { status })
  for (const status of ['permitting', 'ready_to_start', 'under_construction'])
    expect((await move(status)).status).toBe(200)
  expect((await move('completed')).body).toMatchObject({
    reason: 'open_work',
    detail: expect.stringMatching(/^Cannot complete Lot .*: 1 task is still open in its schedule\. /),
  })
  await plumbline.post(`${TASKS}/${work.id}/complete`, {})
  expect((await move('completed')).status).toBe(200)
})

test('the schedule of a canceled home cannot be changed', async () => {
  const { slab } = await newHouse()
  await plumbline.post(`/api/ext/homes/${homeId}/status`, { status: 'cancelled' })
  const refusals = [
    await plumbline.post(TASKS, { homeId, name: 'More' }),
    await plumbline.patch(`${TASKS}/${slab.id}`, { durationDays: 3 }),
    await plumbline.get(`${TASKS}/${slab.id}/delay?days=1`),
    await plumbline.post(`/api/ext/homes/${homeId}/schedule/baseline`),
  ]
  for (const { status, body } of refusals)
    expect([status, body.code, body.detail]).toEqual([
      ...[409, 'conflict'],
      `Cannot change the schedule of Lot ${lots}: the home is canceled.`,
    ])
  expect((await read(slab.id)).archivedAt).not.toBeNull()
  expect((await plumbline.get(`${TASKS}?homeId=${homeId}`)).body.data).toEqual([])
})

test('the completed tasks of a canceled home stay in the task list until the home is archived', async () => {
  const { slab, walls } = await newHouse()
  await plumbline.post(`${TASKS}/${slab.id}/complete`, {})
  const listed = async () =>
    (await plumbline.get(`${TASKS}?homeId=${homeId}`)).body.data.map(({ id }: { id: string }) => id)
  await plumbline.post(`/api/ext/homes/${homeId}/status`, { status: 'cancelled' })
  expect(await listed()).toEqual([slab.id])
  expect((await plumbline.delete(`/api/ext/homes/${homeId}`)).status).toBe(204)
  expect(await listed()).toEqual([])
  expect((await read(walls.id)).status).toBe('not_started')
})

test('a request to complete, delay, or start a task is rejected if its ETag is outdated', async () => {
  const task = await newTask('Slab poured')
  await plumbline.patch(`${TASKS}/${task.id}`, { checklist: [{ text: 'Rebar photographed', done: true }] })
  const change = (action: string, body: object, version: number) =>
    plumbline.post(`${TASKS}/${task.id}/${action}`, body, { headers: { 'if-match': `"${version}"` } })
  const changes: [string, object][] = [
    ['delay', { days: 1, reasonCode: 'weather' }],
    ['status', { status: 'in_progress' }],
    ['complete', {}],
  ]
  for (const [action, body] of changes) {
    const { version } = await read(task.id)
    expect((await change(action, body, version - 1)).body).toMatchObject({ code: 'precondition_failed' })
    expect((await change(action, body, version)).status).toBe(200)
  }
})

test('concurrent changes of the same schedule are applied one after another', async () => {
  const { slab, walls, roof } = await newHouse()
  await notify(roof.id)
  const delays = [slab, walls, slab, walls, slab].map(({ id }) =>
    plumbline.post(`${TASKS}/${id}/delay`, { days: 1, reasonCode: 'weather' }),
  )
  for (const { status } of await Promise.all(delays)) expect(status).toBe(200)
  // The final dates depend on the order of the delays: a delay of the walls may add to the delays of the slab, or a
  // later delay of the slab may already cover it.
  const after = await read(slab.id)
  expect(after).toMatchObject({ plannedStart: day(3), delays: [{}, {}, {}] })
  const { plannedStart, delays: own } = await read(walls.id)
  expect(own).toHaveLength(2)
  const last = await read(roof.id)
  expect(last).toMatchObject({ plannedStart: calendar.add(plannedStart, 6), notifiedStart: last.plannedStart })
  const { body: reported } = await plumbline.get(
    `/api/ext/vendors/${vendorId}/notifications?homeId=${homeId}&kind=postponed&sort=createdAt`,
  )
  const starts = reported.data.flatMap(
    ({ tasks }: { tasks: { oldStartDate: string; newStartDate: string }[] }) => tasks,
  )
  for (const [i, { oldStartDate }] of starts.entries())
    expect(oldStartDate).toBe(starts[i - 1]?.newStartDate ?? day(11))
  expect(starts.at(-1).newStartDate).toBe(last.plannedStart)
})

test("a builder cannot see or change another builder's tasks", async () => {
  const { slab } = await newHouse()
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.get(`${TASKS}/${slab.id}`, { key })).status).toBe(404)
  expect((await plumbline.patch(`${TASKS}/${slab.id}`, { name: 'Mine' }, { key })).status).toBe(404)
  expect((await plumbline.post(`${TASKS}/${slab.id}/complete`, {}, { key })).status).toBe(404)
  expect((await plumbline.get(`/api/ext/homes/${homeId}/schedule`, { key })).status).toBe(404)
  expect((await plumbline.post(TASKS, { homeId, name: 'Mine' }, { key })).status).toBe(422)
  expect((await plumbline.get(TASKS, { key })).body.data).toEqual([])
})

test('a vendor can be notified only of a task that is assigned to the vendor and has not started', async () => {
  const { slab, walls } = await newHouse()
  const reported = async (body: object) => {
    const { status, body: answer } = await plumbline.post(`/api/ext/vendors/${vendorId}/notifications`, {
      kind: 'reminder',
      ...body,
    })
    return [status, answer.errors?.[0].pointer ?? `${answer.code}: ${answer.detail}`]
  }
  expect(await reported({ taskId: slab.id })).toEqual([
    409,
    'conflict: Cannot notify Lone Star Framing LLC: Slab poured is not assigned to this vendor.',
  ])
  expect(await reported({ taskId: walls.id, date: first })).toEqual([422, '/date'])
  expect(await reported({ taskId: 'tsk_nowhere' })).toEqual([422, '/taskId'])
  await plumbline.patch(`${TASKS}/${slab.id}`, { plannedStart: addDays(today(), -40) })
  expect((await reported({ taskId: walls.id }))[1]).toMatch(/^conflict: .* has passed\. Move the task first\.$/)
  await plumbline.post(`${TASKS}/${walls.id}/status`, { status: 'skipped' })
  expect(await reported({ taskId: walls.id })).toEqual([
    ...[409, 'conflict: The start date of Walls framed can no longer change: the task is skipped.'],
  ])
})
