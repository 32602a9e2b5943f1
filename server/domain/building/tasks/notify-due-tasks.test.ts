import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { addCopies } from '../../../../test/support/add-copies.ts'
import { listEvents } from '../../../../test/support/recorded-events.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'
import { notifyDueTasks } from './notify-due-tasks.ts'

const TASKS = '/api/ext/tasks'
// In a time zone without daylight saving time, all local times have the same offset.
const ZONE = 'America/Phoenix'

let plumbline: TestPlumbline
let communityId: string
let homeId: string
let vendorId: string
/** The start date of the tasks, one month from now. */
let start: string
let lots = 0

beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())
beforeEach(async () => {
  lots++
  start = addDays(today(), 30)
  const community = { name: `Cactus Flats ${lots}`, status: 'active', timeZone: ZONE, workdays: [1, 2, 3, 4, 5, 6, 7] }
  communityId = (await plumbline.post('/api/ext/communities', community)).body.id
  homeId = await newHome()
  vendorId = await newVendor()
})

const today = () => toLocalDate(ZONE, plumbline.clock.now())
const newHome = async () => (await plumbline.post('/api/ext/homes', { name: `Lot ${lots}`, communityId })).body.id
const newVendor = async (more: object = {}) => {
  const body = { companyName: `Framers ${lots}`, email: 'bids@example.com', ...more }
  return (await plumbline.post('/api/ext/vendors', body)).body.id
}
const newTask = async (fields: object = {}) => {
  const body = { homeId, name: 'Walls framed', vendorId, plannedStart: start, ...fields }
  return (await plumbline.post(TASKS, body)).body
}
const read = async (id: string) => (await plumbline.get(`${TASKS}/${id}`)).body

/** Advances the clock to this local time and runs the job several times concurrently, like several processes. */
async function at(date: string, time: string): Promise<void> {
  plumbline.clock.advance(Date.parse(`${date}T${time}:00-07:00`) - plumbline.clock.nowMs())
  await Promise.all([1, 2, 3].map(() => notifyDueTasks(plumbline.app.services)))
  // A run skips a task whose home is locked by another run, so this last run notifies the remaining vendors.
  await notifyDueTasks(plumbline.app.services)
}

/** Returns the kinds and start dates of the vendor's notifications, oldest first. */
async function told(id = vendorId): Promise<string[]> {
  const { body } = await plumbline.get(`/api/ext/vendors/${id}/notifications?sort=createdAt&limit=200`)
  return body.data.map(({ kind, date }: { kind: string; date: string }) => `${kind} ${date}`)
}

test('a vendor gets one advance notice and one reminder for a task, both at 7:00 a.m.', async () => {
  const { id } = await newTask()
  await at(addDays(start, -8), '23:59')
  expect(await told()).toEqual([])
  await at(addDays(start, -7), '06:59')
  expect(await told()).toEqual([])
  await at(addDays(start, -7), '07:00')
  expect(await told()).toEqual([`advance ${start}`])
  const { notifiedStart, notifiedAt, version } = await read(id)
  expect([notifiedStart, notifiedAt.slice(0, 16), version]).toEqual([start, `${addDays(start, -7)}T14:00`, 2])
  const last = (await listEvents(plumbline, plumbline.organizationId)).at(-1)
  expect(last).toMatchObject({ type: 'vendor.notification.advance', actor: { type: 'system' } })
  expect(last?.data.object).toMatchObject({ taskId: id, homeId, vendorId, message: null, tasks: [] })
  await at(addDays(start, -3), '12:00')
  expect(await told()).toHaveLength(1)
  await at(addDays(start, -2), '07:00')
  expect(await told()).toEqual([`advance ${start}`, `reminder ${start}`])
  await at(start, '12:00')
  await at(addDays(start, 5), '12:00')
  expect(await told()).toHaveLength(2)
})

test('if several processes find the same due tasks, each vendor is notified once', async () => {
  const ids: string[] = []
  for (let home = 0; home < 4; home++) {
    homeId = await newHome()
    for (let task = 0; task < 3; task++) ids.push((await newTask()).id)
  }
  await at(addDays(start, -7), '07:00')
  const { body } = await plumbline.get(`/api/ext/vendors/${vendorId}/notifications`)
  expect(body.data.map(({ taskId }: { taskId: string }) => taskId).sort()).toEqual([...ids].sort())
  await at(addDays(start, -2), '07:00')
  expect(await told()).toHaveLength(2 * ids.length)
})

test('the notification preferences of a vendor determine the days of its notices', async () => {
  const preferences = (notificationPreferences: object, id = vendorId) =>
    plumbline.patch(`/api/ext/vendors/${id}`, { notificationPreferences })
  await newTask()
  const refused = await preferences({ reminderDays: 7 })
  expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, '/notificationPreferences/reminderDays'])
  const { body } = await preferences({ advanceNoticeDays: 14 })
  expect(body.notificationPreferences).toEqual({ advanceNoticeDays: 14, reminderDays: 2 })
  await at(addDays(start, -14), '07:00')
  expect(await told()).toEqual([`advance ${start}`])
  await preferences({ reminderDays: 4 })
  await at(addDays(start, -4), '07:00')
  expect(await told()).toEqual([`advance ${start}`, `reminder ${start}`])

  start = addDays(today(), 30)
  vendorId = await newVendor({ notificationPreferences: { advanceNoticeDays: null, reminderDays: null } })
  await newTask()
  await at(addDays(start, -1), '12:00')
  expect(await told()).toEqual([])
  await preferences({ reminderDays: 1 })
  await at(addDays(start, -1), '12:01')
  expect(await told()).toEqual([`reminder ${start}`])
})

test('during the day, a vendor is notified immediately of a task on short notice', async () => {
  const date = addDays(today(), 2)
  await at(addDays(date, -1), '03:00')
  await newTask({ plannedStart: date })
  await at(addDays(date, -1), '03:01')
  expect(await told()).toEqual([])
  await at(addDays(date, -1), '07:00')
  expect(await told()).toEqual([`advance ${date}`])
  await newTask({ plannedStart: date, name: 'Roof sheathed' })
  await at(addDays(date, -1), '21:00')
  expect(await told()).toHaveLength(2)
  await newTask({ plannedStart: addDays(date, -20), name: 'Too late' })
  await at(date, '12:00')
  expect(await told()).toHaveLength(2)
})

test('a task that is postponed after its reminder gets another reminder', async () => {
  const { id } = await newTask()
  await at(addDays(start, -7), '07:00')
  await at(addDays(start, -2), '07:00')
  await plumbline.post(`${TASKS}/${id}/delay`, { days: 10, reasonCode: 'weather' })
  const later = addDays(start, 10)
  const before = [`advance ${start}`, `reminder ${start}`, `postponed ${later}`]
  await at(addDays(later, -3), '12:00')
  expect(await told()).toEqual(before)
  await at(addDays(later, -2), '07:00')
  expect(await told()).toEqual([...before, `reminder ${later}`])
})

test('an unanswered confirmation request is repeated once, after two days', async () => {
  const { id } = await newTask()
  const requested = today()
  await plumbline.post(`${TASKS}/${id}/confirmation/request`)
  await at(addDays(requested, 1), '12:00')
  expect(await told()).toEqual([`advance ${start}`])
  await at(addDays(requested, 2), '07:00')
  expect(await told()).toEqual([`advance ${start}`, `reminder ${start}`])
  const { body } = await plumbline.get(`/api/ext/vendors/${vendorId}/notifications?kind=reminder`)
  expect(body.data[0].message).toBe('Please confirm this date.')
  await at(addDays(requested, 4), '12:00')
  expect(await told()).toHaveLength(2)
  const other = await newTask({ name: 'Roof sheathed' })
  await plumbline.post(`${TASKS}/${other.id}/confirmation/request`)
  await plumbline.post(`${TASKS}/${other.id}/confirmation`, { answer: 'confirmed' })
  await at(addDays(requested, 9), '12:00')
  expect(await told()).toHaveLength(3)
})

test('no vendor is notified of a task that is on hold, canceled, skipped, archived, or unassigned', async () => {
  const held = await newTask()
  await newTask({ vendorId: null })
  const skipped = await newTask()
  await plumbline.post(`${TASKS}/${skipped.id}/status`, { status: 'skipped' })
  const waiting = await newTask()
  await plumbline.post(`${TASKS}/${waiting.id}/status`, { status: 'on_hold' })
  const archived = await newTask()
  await plumbline.delete(`${TASKS}/${archived.id}`)
  const gone = await newVendor()
  await newTask({ vendorId: gone })
  await plumbline.delete(`/api/ext/vendors/${gone}`)
  const status = (to: string) => plumbline.post(`/api/ext/homes/${homeId}/status`, { status: to })
  expect((await status('on_hold')).status).toBe(200)
  await at(addDays(start, -6), '12:00')
  expect([await told(), await told(gone)]).toEqual([[], []])
  expect((await status('planning')).status).toBe(200)
  await at(addDays(start, -6), '12:01')
  expect(await told()).toEqual([`advance ${start}`])
  expect((await read(held.id)).notifiedStart).toBe(start)
  await plumbline.post(`${TASKS}/${waiting.id}/status`, { status: 'not_started' })
  await at(addDays(start, -6), '12:02')
  expect(await told()).toHaveLength(2)
  await status('cancelled')
  await at(addDays(start, -1), '12:00')
  expect(await told()).toHaveLength(2)
})

test("task notices are sent in the morning in the community's current time zone", async () => {
  await newTask()
  await plumbline.patch(`/api/ext/communities/${communityId}`, { timeZone: 'Pacific/Honolulu' })
  await at(addDays(start, -7), '09:59')
  expect(await told()).toEqual([])
  await at(addDays(start, -7), '10:00')
  expect(await told()).toEqual([`advance ${start}`])
})

test('a notice that a user sends replaces the automatic notice', async () => {
  const { id: taskId } = await newTask()
  const send = (kind: string) => plumbline.post(`/api/ext/vendors/${vendorId}/notifications`, { kind, taskId })
  await at(addDays(start, -10), '12:00')
  await send('advance')
  await at(addDays(start, -7), '12:00')
  expect(await told()).toEqual([`advance ${start}`])
  await at(addDays(start, -2), '07:00')
  expect(await told()).toHaveLength(2)
})

// Citus explains the statement on only one node, which may have no tasks.
test.skipIf(inject('citus'))(
  'due tasks are found through an index, regardless of the number of other tasks',
  async () => {
    const { statements } = plumbline.database
    const { id } = await newTask({ plannedStart: addDays(start, 3000) })
    await addCopies(statements, { table: 'tasks', id, count: 5000 })
    await sql`analyze "tasks"`.execute(statements)
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
    explain select "organizationId", "homeId", "id" from "tasks"
    where "tellAt" <= ${plumbline.clock.now()} order by "tellAt" limit 200`.execute(statements)
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('using "tasks_tellAt"')
  },
)
