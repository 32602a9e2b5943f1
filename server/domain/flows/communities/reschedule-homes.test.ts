import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { rescheduleDueHomes } from './reschedule-due-homes.ts'

let plumbline: TestPlumbline
let communityId: string
let homeId: string
let vendorId: string
let places = 0

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const notificationPreferences = { advanceNoticeDays: null, reminderDays: null }
  const vendor = { companyName: 'Lone Star Framing LLC', email: 'bids@example.com', notificationPreferences }
  vendorId = (await made('vendors', vendor)).id
})
afterAll(() => plumbline.stop())
beforeEach(async () => {
  const community = { name: `Juniper Ridge ${++places}`, status: 'active', externalId: `jr-${places}` }
  communityId = (await made('communities', community)).id
  homeId = (await made('homes', { name: 'Lot 1', communityId })).id
})

async function made(path: string, body: object) {
  const response = await plumbline.post(`/api/ext/${path}`, body)
  expect([response.status, response.body.errors]).toEqual([201, undefined])
  return response.body
}

const read = async (id: string) => (await plumbline.get(`/api/ext/tasks/${id}`)).body
const close = (holidays: string[]) => plumbline.patch(`/api/ext/communities/${communityId}`, { holidays })

/**
 * Creates a task `gate` on Thursday, January 3, 2030, and a task `walls` on the next workday. The vendor of the walls
 * has been notified.
 */
async function scheduleWalls() {
  const gate = await made('tasks', { homeId, name: 'Gate', plannedStart: '2030-01-03' })
  const after = { predecessors: [{ taskId: gate.id }], vendorId }
  const walls = await made('tasks', { homeId, name: 'Walls framed', ...after })
  await made(`vendors/${vendorId}/notifications`, { kind: 'advance', taskId: walls.id })
  return { gate, walls }
}

async function listNoticeKinds(): Promise<string[]> {
  const query = `homeId=${homeId}&sort=createdAt`
  const { body } = await plumbline.get(`/api/ext/vendors/${vendorId}/notifications?${query}`)
  return body.data.map(({ kind }: { kind: string }) => kind)
}

test('adding a holiday moves the tasks on that day and their successors', async () => {
  const { gate, walls } = await scheduleWalls()
  const { body } = await close(['2030-01-03'])
  expect(body.reschedule).toMatchObject({
    ...{ homesMoved: 1, homesPending: 0, tasksMoved: 2, vendorsNotified: 1 },
    homes: [
      {
        ...{ homeId, name: 'Lot 1', tasksMoved: 2, oldForecast: '2030-01-04', newForecast: '2030-01-07' },
        moved: [{ taskId: gate.id, oldStart: '2030-01-03', newStart: '2030-01-04', because: 'calendar' }],
      },
    ],
  })
  expect(await read(walls.id)).toMatchObject({ plannedStart: '2030-01-07', notifiedStart: '2030-01-07' })
  expect((await plumbline.get(`/api/ext/homes/${homeId}`)).body).toMatchObject({ forecastCompletionDate: '2030-01-07' })
})

test('removing a holiday moves the tasks earlier', async () => {
  const { walls } = await scheduleWalls()
  await close(['2030-01-03'])
  await close([])
  expect(await read(walls.id)).toMatchObject({ plannedStart: '2030-01-04' })
  expect(await listNoticeKinds()).toEqual(['advance', 'postponed', 'moved_earlier'])
})

test('a dry run of adding a holiday returns the moved tasks without moving them', async () => {
  const { gate, walls } = await scheduleWalls()
  const run = await plumbline.post('/api/ext/execute', {
    ...{ skill: 'updateCommunity', input: { communityId, holidays: ['2030-01-03'] }, dryRun: true },
  })
  expect(run.body).toMatchObject({
    dryRun: true,
    result: {
      reschedule: { homesMoved: 1, tasksMoved: 2, vendorsNotified: 1, homes: [{ moved: [{ taskId: gate.id }] }] },
    },
    events: [{ type: 'vendor.notification.postponed' }],
  })
  expect(await read(walls.id)).toMatchObject({ plannedStart: '2030-01-04' })
  expect(await listNoticeKinds()).toEqual(['advance'])
})

test('making Saturday a workday moves the tasks earlier', async () => {
  const { gate } = await scheduleWalls()
  const sealed = await made('tasks', {
    ...{ homeId, name: 'Sealed', predecessors: [{ taskId: gate.id, lagDays: 1 }] },
  })
  expect(sealed.plannedStart).toBe('2030-01-07')
  await plumbline.patch(`/api/ext/communities/${communityId}`, { workdays: [1, 2, 3, 4, 5, 6] })
  expect(await read(sealed.id)).toMatchObject({ plannedStart: '2030-01-05' })
})

test('a community update without new workdays and holidays reschedules nothing', async () => {
  await scheduleWalls()
  expect((await plumbline.patch(`/api/ext/communities/${communityId}`, { city: 'Austin' })).body.reschedule).toBeNull()
  expect((await close([])).body.reschedule).toBeNull()
})

const sync = (holidays: string[]) => {
  const rows = [{ externalId: `jr-${places}`, holidays }]
  return plumbline.post('/api/ext/communities/batch', { match: 'externalId', rows })
}

test('a sync that adds a holiday moves the tasks on that day', async () => {
  const { gate } = await scheduleWalls()
  expect((await sync(['2030-01-03'])).status).toBe(200)
  expect(await read(gate.id)).toMatchObject({ plannedStart: '2030-01-04' })
})

test('vendors are notified of the tasks that a synced holiday moves', async () => {
  await scheduleWalls()
  await sync(['2030-01-03'])
  await sync([])
  expect(await listNoticeKinds()).toEqual(['advance', 'postponed', 'moved_earlier'])
})

test('a caller without tasks:read sees how many tasks a holiday moves, but not which tasks', async () => {
  await scheduleWalls()
  const key = await plumbline.newKey(['communities:write'])
  const path = `/api/ext/communities/${communityId}`
  const { body } = await plumbline.patch(path, { holidays: ['2030-01-03'] }, { key })
  expect(body.reschedule).toEqual({
    ...{ homesMoved: 1, homesPending: 0, tasksMoved: 2, vendorsNotified: 1, homes: null },
  })
})

test('a new holiday and a concurrent change of a task are both applied', async () => {
  const { gate } = await scheduleWalls()
  const [closed, longer] = await Promise.all([
    close(['2030-01-03']),
    plumbline.patch(`/api/ext/tasks/${gate.id}`, { durationDays: 2 }),
  ])
  expect([closed.status, longer.status]).toEqual([200, 200])
  expect(await read(gate.id)).toMatchObject({ plannedStart: '2030-01-04', plannedEnd: '2030-01-07' })
})

/** The maximum number of homes that move before the response. */
const MAX_AT_ONCE = 25

/** Creates a gate on Thursday, January 3, 2030 in each of many homes. Returns the IDs of the tasks. */
async function scheduleGates(count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const { id } = await made('homes', { name: `Lot ${i + 2}`, communityId })
    ids.push((await made('tasks', { homeId: id, name: 'Gate', plannedStart: '2030-01-03' })).id)
  }
  return ids
}

/** Returns the different starts of the tasks. */
async function readStarts(ids: readonly string[]): Promise<string[]> {
  const starts = new Set<string>()
  for (const id of ids) starts.add((await read(id)).plannedStart)
  return [...starts]
}

/** Waits until the job has rescheduled all homes. The job of the service may be faster than this call. */
async function expectStarts(ids: readonly string[], start: string): Promise<void> {
  await rescheduleDueHomes(plumbline.app.services)
  await expect.poll(() => readStarts(ids), { timeout: 10_000 }).toEqual([start])
}

test('a holiday moves the homes of a large community partly after the response', async () => {
  const { walls } = await scheduleWalls()
  const gates = await scheduleGates(MAX_AT_ONCE + 4)
  const { body } = await close(['2030-01-03'])
  const { homes, ...totals } = body.reschedule
  expect(totals).toEqual({ homesMoved: 30, homesPending: 5, tasksMoved: 31, vendorsNotified: 1 })
  expect(homes.map(({ isPending }: { isPending: boolean }) => isPending)).toEqual([
    ...Array.from({ length: MAX_AT_ONCE }, () => false),
    ...Array.from({ length: 5 }, () => true),
  ])
  for (const { newForecast } of homes.slice(1)) expect(newForecast).toBe('2030-01-04')
  await expectStarts(gates, '2030-01-04')
  expect(await read(walls.id)).toMatchObject({ plannedStart: '2030-01-07' })
  const again = await close(['2030-01-03', '2030-12-25'])
  expect(again.body.reschedule).toMatchObject({ homesMoved: 0, homesPending: 0 })
})

test('a dry run in a large community shows all homes and moves none of them', async () => {
  const gates = await scheduleGates(MAX_AT_ONCE + 2)
  const run = await plumbline.post('/api/ext/execute', {
    ...{ skill: 'updateCommunity', input: { communityId, holidays: ['2030-01-03'] }, dryRun: true },
  })
  expect(run.body.result.reschedule).toMatchObject({ homesMoved: 27, homesPending: 2, tasksMoved: 27 })
  await expectStarts(gates, '2030-01-03')
})

test('a synced holiday moves all homes of a large community', async () => {
  const gates = await scheduleGates(MAX_AT_ONCE + 2)
  expect((await sync(['2030-01-03'])).status).toBe(200)
  await expectStarts(gates, '2030-01-04')
})

test('a home that is canceled before its turn keeps its dates', async () => {
  const { gate } = await scheduleWalls()
  await plumbline.post(`/api/ext/homes/${homeId}/status`, { status: 'cancelled', reason: 'The lot was sold.' })
  await close(['2030-01-03'])
  const { statements } = plumbline.database
  await statements
    .updateTable('homes')
    .set({ rescheduleDueAt: new Date(0) })
    .where('id', '=', homeId)
    .execute()
  await rescheduleDueHomes(plumbline.app.services)
  const isDue = async () =>
    (await statements.selectFrom('homes').select('rescheduleDueAt').where('id', '=', homeId).executeTakeFirst())
      ?.rescheduleDueAt
  await expect.poll(isDue, { timeout: 10_000 }).toBeNull()
  expect(await read(gate.id)).toMatchObject({ plannedStart: '2030-01-03' })
})

test('schedules that are created while a holiday is added follow the holiday', async () => {
  const lots: string[] = []
  for (const name of ['Lot 2', 'Lot 3', 'Lot 4', 'Lot 5']) lots.push((await made('homes', { name, communityId })).id)
  const rows = [{ name: 'Gate', durationDays: 1 }]
  const { id: taskTemplateId } = await made('task-templates', { name: `Gates ${places}`, rows })
  const [started, , applied, created] = await Promise.all([
    plumbline.post(`/api/ext/communities/${communityId}/starts`, {
      ...{ homeIds: lots.slice(0, 2), firstStartDate: '2030-01-03', startsPerWeek: 5, taskTemplateId },
    }),
    close(['2030-01-03', '2030-01-04']),
    plumbline.post(`/api/ext/homes/${lots[2]}/schedule/template`, { startDate: '2030-01-03', taskTemplateId }),
    plumbline.post('/api/ext/tasks', { homeId: lots[3], name: 'Gate', plannedStart: '2030-01-03' }),
  ])
  expect([started.status, applied.status, created.status]).toEqual([200, 200, 201])
  await rescheduleDueHomes(plumbline.app.services)
  for (const lot of lots) {
    const { body } = await plumbline.get(`/api/ext/tasks?homeId=${lot}`)
    expect(body.data).toHaveLength(1)
    expect(body.data[0].plannedStart >= '2030-01-07').toBe(true)
  }
})
