import { afterAll, beforeAll, expect, test } from 'vitest'
import { Desk } from '../../../../test/support/desk.ts'
import { addDays, countDaysBetween, getStartOfWeek } from '../../../platform/values/calendar.ts'

/**
 * The vendor Slow Framing needed ten workdays for each of three tasks that were planned for five. On Lot 2, it has a
 * task of ten workdays that starts next Monday and is followed by a roof task of five workdays. Lot 3 is late. The
 * expected days below were counted by hand from these facts.
 */
let desk: Desk
let monday: string
let walls: string
let vendorId: string
beforeAll(async () => {
  desk = await Desk.open()
  const { id: communityId } = await desk.post('/communities', { name: 'Juniper Ridge', status: 'active' })
  const newHome = async (name: string, more: object = {}) =>
    (await desk.post('/homes', { name, communityId, ...more })).id
  const task = async (homeId: string, name: string, more: object) =>
    (await desk.post('/tasks', { homeId, name, ...more })).id
  const lot1 = await newHome('Lot 1')
  await desk.post(`/homes/${lot1}/budget/lines`, { scope: 'framing', amount: 1 })
  await desk.post(`/homes/${lot1}/budget/lock`)
  await desk.move(`/homes/${lot1}`, 'permitting', 'ready_to_start', 'under_construction')
  desk.plumbline.clock.advance(100 * 86_400_000)
  monday = addDays(getStartOfWeek(desk.day(0), 1), 7)
  vendorId = (
    await desk.post('/vendors', { companyName: 'Slow Framing', scopes: ['framing'], email: 'slow@example.com' })
  ).id
  for (const weeks of [12, 9, 6]) {
    const plannedStart = addDays(monday, -7 * weeks)
    const done = await task(lot1, `Framing ${weeks}`, { vendorId, phase: 'frame', durationDays: 5, plannedStart })
    await desk.post(`/tasks/${done}/complete`, { startDate: plannedStart, date: addDays(plannedStart, 11) })
  }
  await desk.move(`/homes/${lot1}`, 'completed')
  const lot2 = await newHome('Lot 2')
  walls = await task(lot2, 'Walls framed', { scope: 'framing', vendorId, durationDays: 10, plannedStart: monday })
  await task(lot2, 'Roof laid', { scope: 'roofing', durationDays: 5, predecessors: [{ taskId: walls }] })
  const lot3 = await newHome('Lot 3')
  const slab = await task(lot3, 'Slab poured', { plannedStart: addDays(monday, -14) })
  await task(lot3, 'Forms stripped', { predecessors: [{ taskId: slab }] })
  const gutters = await task(lot3, 'Gutters hung', { plannedStart: addDays(monday, 42) })
  const paint = await task(lot3, 'Painted', { plannedStart: addDays(monday, 42), vendorId })
  await desk.post(`/tasks/${gutters}/delay`, { days: 3, reasonCode: 'weather' })
  await desk.post(`/tasks/${paint}/delay`, { days: 5, reasonCode: 'vendor_no_show' })
}, 60_000)
afterAll(() => desk.plumbline.stop())

test("forecastHomeCompletion uses the actual durations of a vendor's earlier tasks", async () => {
  expect(await desk.run('forecastHomeCompletion', { homeId: 'Lot 2' })).toMatchObject({
    ...{ plannedEnd: addDays(monday, 18), expectedEnd: addDays(monday, 32), latestEnd: addDays(monday, 32) },
    ...{ baselineEnd: null, workdaysLate: 10, openTasks: 2 },
    vendors: [{ vendor: 'Slow Framing', tasksMeasured: 3, usualFactor: 2, slowFactor: 2 }],
  })
})

test('compressSchedule shortens the longest critical tasks down to their limits', async () => {
  const three = await desk.run('compressSchedule', { homeId: 'Lot 2', targetDate: addDays(monday, 15) })
  expect(three).toMatchObject({ isEnough: true, plannedEnd: addDays(monday, 18), compressedEnd: addDays(monday, 15) })
  expect(three.tasks).toMatchObject([{ name: 'Walls framed', durationDays: 10, shortenedTo: 7 }])
  const max = await desk.run('compressSchedule', { homeId: 'Lot 2', targetDate: monday })
  expect(max).toMatchObject({ isEnough: false, compressedEnd: addDays(monday, 14) })
  expect(max.tasks.map(({ shortenedTo }: { shortenedTo: number }) => shortenedTo)).toEqual([7, 4])
})

test('lookahead names the open prerequisites of each task', async () => {
  const ofLot2 = async () =>
    (await desk.run('lookahead', { weeks: 5 })).tasks.filter(({ home }: { home: string }) => home.startsWith('Lot 2'))
  expect(await ofLot2()).toMatchObject([
    {
      name: 'Walls framed',
      vendor: 'Slow Framing',
      isReady: false,
      openPredecessors: 0,
      order: 'none',
      confirmation: 'none',
    },
    { name: 'Roof laid', isReady: false, openPredecessors: 1, order: 'none' },
  ])
  const [{ homeId }] = await ofLot2()
  await desk.order({ homeId, vendorId, scope: 'framing', amount: 100, statuses: ['approved', 'issued'] })
  expect((await ofLot2())[0]).toMatchObject({ isReady: true, order: 'issued' })
  expect((await desk.run('lookahead', { weeks: 5, vendorId: 'Slow Framing' })).tasks).toHaveLength(1)
})

test('findLateTasks returns the delay and the cause of each late task', async () => {
  const { tasks, homes } = await desk.run('findLateTasks')
  expect(homes).toBe(1)
  expect(tasks).toMatchObject([
    {
      name: 'Slab poured',
      late: 'start',
      dueOn: addDays(monday, -14),
      daysLate: countDaysBetween(addDays(monday, -14), desk.day(0)),
      cause: 'unknown',
    },
    { name: 'Forms stripped', late: 'start', cause: 'predecessor', detail: 'The task is waiting for Slab poured.' },
  ])
})

test('cycleTimeReport counts the calendar days of each phase and superintendent', async () => {
  const report = await desk.run('cycleTimeReport', { from: desk.day(-10), targetDays: 120 })
  expect(report).toMatchObject({
    homes: [{ home: 'Lot 1, Juniper Ridge', days: 100 }],
    ...{ meanDays: 100, medianDays: 100, withinTarget: 1 },
    phases: [{ phase: 'frame', homes: 1, meanDays: 54 }],
    superintendents: [{ userId: null, homes: 1, meanDays: 100 }],
  })
})

test('delayAnalysis totals lost workdays by reason, responsible party, and vendor', async () => {
  const analysis = await desk.run('delayAnalysis', { from: desk.day(0) })
  expect(analysis).toMatchObject({
    ...{ delays: 2, days: 8, homes: 1 },
    byReason: [
      { key: 'vendor_no_show', days: 5, percent: 62.5 },
      { key: 'weather', days: 3, percent: 37.5 },
    ],
    byResponsible: [
      { key: 'vendor', days: 5 },
      { key: 'builder', days: 3 },
    ],
    byVendor: [{ key: vendorId, name: 'Slow Framing', delays: 1, days: 5 }],
  })
  expect((await desk.run('delayAnalysis', { from: '2020-01-01', to: '2020-12-31' })).days).toBe(0)
})

test('evenFlowPlan starts sold homes first within the weekly rate', async () => {
  const { id: communityId } = await desk.post('/communities', { name: 'Barton Bluff', code: 'BB', status: 'active' })
  const lots = []
  for (const name of ['S1', 'S2', 'S3'])
    lots.push((await desk.post('/homes', { name, communityId, basePrice: 100 })).id)
  await desk.post('/sales', { buyers: [{ name: 'Elena Marsh' }], homeId: lots[2] })
  const { weeks } = await desk.run('evenFlowPlan', { communityId: 'BB', startsPerWeek: 2, from: monday })
  expect(weeks).toMatchObject([
    {
      from: monday,
      alreadyStarting: 0,
      starts: [
        { home: 'S3, Barton Bluff', startDate: monday, isSold: true },
        { startDate: addDays(monday, 2), isSold: false },
      ],
    },
    { from: addDays(monday, 7), starts: [{ startDate: addDays(monday, 7) }] },
  ])
  const refused = await desk.execute('evenFlowPlan', { communityId: 'BB' })
  expect(refused.body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/input/startsPerWeek' }] })
})

test('a dry run of requestStartConfirmations requests nothing', async () => {
  const asked = [{ name: 'Walls framed', home: 'Lot 2, Juniper Ridge', vendor: 'Slow Framing', plannedStart: monday }]
  expect(await desk.run('requestStartConfirmations', { withinDays: 10 }, { dryRun: true })).toMatchObject({ asked })
  expect((await desk.get(`/tasks/${walls}`)).confirmation.status).toBe('none')
})

test('requestStartConfirmations requests each confirmation only once', async () => {
  const asked = [{ name: 'Walls framed', home: 'Lot 2, Juniper Ridge', vendor: 'Slow Framing', plannedStart: monday }]
  expect(await desk.run('requestStartConfirmations', { withinDays: 10 })).toMatchObject({ asked })
  expect((await desk.get(`/tasks/${walls}`)).confirmation.status).toBe('requested')
  expect((await desk.run('requestStartConfirmations', { withinDays: 10 })).asked).toEqual([])
})

test('notifyVendorsOfSchedule lists the tasks for which it cannot notify the vendor', async () => {
  const painter = await desk.post('/vendors', { companyName: 'Without Address', scopes: ['painting'] })
  const { homeId } = await desk.get(`/tasks/${walls}`)
  const ahead = { homeId, vendorId: painter.id, plannedStart: monday }
  await desk.post('/tasks', { ...ahead, name: 'Primed', scope: 'painting' })
  const input = { homeId: 'Lot 2', withinDays: 21 }
  const reported = await desk.run('notifyVendorsOfSchedule', input)
  expect(reported.notices.map(({ task }: { task: string }) => task)).not.toContain('Primed, Lot 2')
  expect(reported.refused).toMatchObject([{ label: 'Primed, Lot 2', pointer: null }])
  expect((await desk.run('notifyVendorsOfSchedule', input)).notices).toEqual([])
  const reminded = await desk.execute('notifyVendorsOfSchedule', { ...input, kind: 'reminder', message: 'See you.' })
  const reminders = reminded.body.events.filter(({ type }: { type: string }) => type === 'vendor.notification.reminder')
  expect(reminders).toHaveLength(reminded.body.result.notices.length)
  expect((await desk.execute('notifyVendorsOfSchedule', {})).body.code).toBe('validation_failed')
})
