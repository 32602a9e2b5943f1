import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

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
    ...{ homesMoved: 1, tasksMoved: 2, vendorsNotified: 1 },
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
  expect(body.reschedule).toEqual({ homesMoved: 1, tasksMoved: 2, vendorsNotified: 1, homes: null })
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
