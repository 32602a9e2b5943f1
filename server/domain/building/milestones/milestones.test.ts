import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listEventsAbout } from '../../../../test/support/recorded-events.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'
import { createWorkCalendar, type WorkCalendar } from '../../../platform/values/workdays.ts'

const MILESTONES = '/api/ext/milestones'
const ZONE = 'America/Chicago'

let plumbline: TestPlumbline
let communityId: string
let homeId: string
let calendar: WorkCalendar
let lots = 0

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  calendar = createWorkCalendar({ workdays: [1, 2, 3, 4, 5], holidays: [] })
  const community = { name: 'Juniper Ridge', status: 'active', timeZone: ZONE, workdays: [1, 2, 3, 4, 5] }
  communityId = (await plumbline.post('/api/ext/communities', community)).body.id
})
afterAll(() => plumbline.stop())
beforeEach(async () => {
  const home = { name: `Lot ${++lots}`, communityId, basePrice: 333_333.33 }
  homeId = (await plumbline.post('/api/ext/homes', home)).body.id
})

const today = () => toLocalDate(ZONE, plumbline.clock.now())
const read = async (id: string) => (await plumbline.get(`${MILESTONES}/${id}`)).body
const complete = (id: string, body: object = {}) => plumbline.post(`${MILESTONES}/${id}/complete`, body)
const reopen = (id: string, reason = 'It was reported too early.') =>
  plumbline.post(`${MILESTONES}/${id}/reopen`, { reason })
const namesOf = async (query: string) =>
  (await plumbline.get(`${MILESTONES}?homeId=${homeId}&${query}`)).body.data.map(({ name }: { name: string }) => name)

async function newTask(name: string, fields: object = {}): Promise<string> {
  const { status, body } = await plumbline.post('/api/ext/tasks', { homeId, name, ...fields })
  expect([status, body.errors]).toEqual([201, undefined])
  return body.id
}

async function newMilestone(name: string, fields: object = {}) {
  const { status, body } = await plumbline.post(MILESTONES, { homeId, name, ...fields })
  expect([status, body.errors]).toEqual([201, undefined])
  return body
}

const finish = (taskId: string, date?: string) =>
  plumbline.post(`/api/ext/tasks/${taskId}/complete`, { ...(date !== undefined && { date }) })
const move = (taskId: string, status: string) =>
  plumbline.post(`/api/ext/tasks/${taskId}/status`, { status, reason: 'It was not done.' })
const historyOf = async (id: string) => (await plumbline.get(`/api/ext/status-changes?resourceId=${id}`)).body.data

test('a milestone is completed when its last task is completed', async () => {
  const roof = await newTask('Roof dried in')
  const windows = await newTask('Windows set')
  const dried = await newMilestone('Dried in', {
    milestoneType: 'dry_in',
    taskIds: [roof, windows],
    autoComplete: true,
  })
  const other = await newMilestone('By hand', { taskIds: [roof, windows] })
  await finish(roof)
  expect(await read(dried.id)).toMatchObject({ status: 'pending', completedDate: null })
  // The windows ended before the roof, but are reported as completed after it.
  const yesterday = addDays(today(), -1)
  expect((await finish(windows, yesterday)).status).toBe(200)
  const reached = await read(dried.id)
  expect(reached).toMatchObject({ status: 'completed', completedDate: today(), completedByTasks: true, version: 2 })
  expect(await read(other.id)).toMatchObject({ status: 'pending' })
  expect(await listEventsAbout(plumbline, dried.id)).toMatchObject([
    {
      type: 'milestone.completed',
      data: { object: reached, previous: { status: 'pending', completedDate: null, completedByTasks: false } },
    },
  ])
  const history = await historyOf(dried.id)
  expect(history.map(({ to, reason }: { to: string; reason: string }) => [to, reason])).toEqual([
    ['pending', null],
    ['completed', 'Windows set is completed.'],
  ])
})

test('reopening a task reopens its milestones, except milestones that were completed by hand', async () => {
  const task = await newTask('Roof dried in')
  const byTasks = await newMilestone('Dried in', { taskIds: [task], autoComplete: true })
  const byHand = await newMilestone('Inspected', { taskIds: [task], autoComplete: true })
  await complete(byHand.id, { force: true, reason: 'The lender was there.' })
  await finish(task)
  await move(task, 'in_progress')
  expect(await read(byTasks.id)).toMatchObject({ status: 'pending', completedDate: null, completedByTasks: false })
  expect(await read(byHand.id)).toMatchObject({ status: 'completed', completedByTasks: false })
  await finish(task)
  expect(await read(byTasks.id)).toMatchObject({ status: 'completed' })
  expect((await listEventsAbout(plumbline, byTasks.id)).map(({ type }) => type)).toEqual(
    Array(2).fill('milestone.completed'),
  )
})

test('a milestone without open tasks is completed if at least one of its tasks was completed', async () => {
  const [roof, windows] = [await newTask('Roof dried in'), await newTask('Windows set')]
  const dried = await newMilestone('Dried in', { taskIds: [roof, windows], autoComplete: true })
  const skipped = await newMilestone('Windows in', { taskIds: [windows], autoComplete: true })
  await finish(roof, addDays(today(), -2))
  await move(windows, 'skipped')
  expect(await read(dried.id)).toMatchObject({ status: 'completed', completedDate: addDays(today(), -2) })
  // No task was completed, so there is no date on which the milestone could be reached.
  expect(await read(skipped.id)).toMatchObject({ status: 'pending' })
  await move(windows, 'not_started')
  expect(await read(dried.id)).toMatchObject({ status: 'pending' })
})

test('the forecast date of a milestone is the end date of its last task', async () => {
  const first = calendar.add(today(), 1)
  const slab = await newTask('Slab poured', { plannedStart: first })
  const walls = await newTask('Walls framed', { durationDays: 6, predecessors: [{ taskId: slab }] })
  const { id, forecastDate } = await newMilestone('Framed', { taskIds: [slab, walls] })
  expect(forecastDate).toBe(calendar.add(first, 6))
  await plumbline.post(`/api/ext/tasks/${slab}/delay`, { days: 3, reasonCode: 'weather' })
  expect(await read(id)).toMatchObject({ forecastDate: calendar.add(first, 9), version: 1 })
  const { body: listed } = await plumbline.get(`${MILESTONES}?homeId=${homeId}`)
  expect(listed.data).toEqual([await read(id)])
  expect(await newMilestone('Without tasks')).toMatchObject({ forecastDate: null })
})

test('a new forecast date changes the ETag of a milestone for reads but not for updates', async () => {
  const task = await newTask('Roof dried in')
  const { id } = await newMilestone('Dried in', { taskIds: [task] })
  const etag = (await plumbline.get(`${MILESTONES}/${id}`)).headers.get('etag') ?? ''
  const since = () => plumbline.get(`${MILESTONES}/${id}`, { headers: { 'if-none-match': etag } })
  expect((await since()).status).toBe(304)
  await plumbline.post(`/api/ext/tasks/${task}/delay`, { days: 3, reasonCode: 'weather' })
  expect(await since()).toMatchObject({ status: 200, body: { version: 1 } })
  const headers = { 'if-match': etag }
  expect(await plumbline.patch(`${MILESTONES}/${id}`, { name: 'Dry' }, { headers })).toMatchObject({ status: 200 })
  expect(await plumbline.patch(`${MILESTONES}/${id}`, { name: 'Wet' }, { headers })).toMatchObject({ status: 412 })
})

test('completing a milestone with open tasks requires force and a reason', async () => {
  const task = await newTask('Roof dried in')
  const { id } = await newMilestone('Dried in', { taskIds: [task] })
  expect(await complete(id)).toMatchObject({
    status: 409,
    body: {
      ...{ code: 'conflict', reason: 'open_work' },
      detail: 'Cannot complete Dried in: it waits for Roof dried in. To complete it anyway, set force and a reason.',
    },
  })
  expect(await complete(id, { force: true })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/reason' }] } })
  const done = await complete(id, { date: addDays(today(), -1), force: true, reason: 'The lender was there.' })
  expect(done.body).toMatchObject({ status: 'completed', completedDate: addDays(today(), -1), completedByTasks: false })
})

test('a milestone cannot be completed on a future date', async () => {
  const task = await newTask('Roof dried in')
  const { id } = await newMilestone('Dried in', { taskIds: [task] })
  const later = { date: addDays(today(), 1), force: true, reason: 'Soon.' }
  expect(await complete(id, later)).toMatchObject({ status: 422, body: { errors: [{ pointer: '/date' }] } })
})

test('a completed milestone can be reopened with a reason', async () => {
  const task = await newTask('Roof dried in')
  const { id } = await newMilestone('Dried in', { taskIds: [task] })
  await complete(id, { date: addDays(today(), -1), force: true, reason: 'The lender was there.' })
  expect((await complete(id)).body).toMatchObject({ code: 'invalid_transition', from: 'completed' })
  expect((await reopen(id)).body).toMatchObject({ status: 'pending', completedDate: null })
  expect((await reopen(id)).body).toMatchObject({ code: 'invalid_transition', from: 'pending' })
  const reasons = (await historyOf(id)).map(({ reason }: { reason: string }) => reason)
  expect(reasons).toEqual([null, 'The lender was there.', 'It was reported too early.'])
  expect((await listEventsAbout(plumbline, id)).map(({ type }) => type)).toEqual(['milestone.completed'])
})

test('a milestone whose tasks are completed is completed today by default', async () => {
  const task = await newTask('Roof dried in')
  const { id } = await newMilestone('Dried in', { taskIds: [task] })
  await finish(task)
  expect((await complete(id)).body).toMatchObject({ status: 'completed', completedDate: today() })
})

test('the draw percentages of a home cannot total more than 100', async () => {
  const share = await newMilestone('Dried in', { drawPercent: 33.33 })
  expect(share.drawDue).toBe(111_100)
  expect(await newMilestone('Foundation', { drawAmount: 40_000 })).toMatchObject({ drawDue: 40_000, drawPercent: null })
  const rest = await newMilestone('Roughs passed', { drawPercent: 66.67 })
  const over = await plumbline.post(MILESTONES, { homeId, name: 'Too much', drawPercent: 0.01 })
  expect(over).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/drawPercent', code: 'maximum' }] },
  })
  const more = await plumbline.patch(`${MILESTONES}/${share.id}`, { drawPercent: 33.34 })
  expect(more.body.errors[0]).toMatchObject({ pointer: '/drawPercent', code: 'maximum' })
  const both = await plumbline.patch(`${MILESTONES}/${share.id}`, { drawAmount: 1 })
  expect(both.body.errors[0]).toMatchObject({ pointer: '/drawAmount', code: 'exclusive' })
  const amount = await plumbline.patch(`${MILESTONES}/${share.id}`, { drawAmount: 1, drawPercent: null })
  expect(amount.body).toMatchObject({ drawDue: 1 })
  await plumbline.delete(`${MILESTONES}/${rest.id}`)
  expect((await plumbline.post(MILESTONES, { homeId, name: 'All of it', drawPercent: 100 })).status).toBe(201)
  // If the home has no price, draws with a percentage have no amount.
  await plumbline.patch(`/api/ext/homes/${homeId}`, { basePrice: null })
  expect((await plumbline.get(`${MILESTONES}?homeId=${homeId}&q=All`)).body.data[0].drawDue).toBeNull()
})

test('the draw percentages of a home never exceed 100 when they are added concurrently', async () => {
  const add = (name: string) => plumbline.post(MILESTONES, { homeId, name, drawPercent: 60 })
  const statuses = (await Promise.all(['One', 'Two', 'Three'].map(add))).map(({ status }) => status)
  expect(statuses.sort()).toEqual([201, 422, 422])
})

test('the tasks of a milestone must belong to its home', async () => {
  const task = await newTask('Roof dried in')
  const other = await plumbline.post('/api/ext/homes', { name: 'Elsewhere', communityId })
  const elsewhere = await plumbline.post(MILESTONES, { homeId: other.body.id, name: 'Dried in', taskIds: [task] })
  expect(elsewhere).toMatchObject({
    status: 422,
    body: { code: 'unknown_reference', errors: [{ pointer: '/taskIds/0' }] },
  })
})

test('a milestone that completes automatically requires tasks', async () => {
  const task = await newTask('Roof dried in')
  const nothing = await plumbline.post(MILESTONES, { homeId, name: 'Dried in', autoComplete: true })
  expect(nothing).toMatchObject({ status: 422, body: { errors: [{ pointer: '/taskIds', code: 'required' }] } })
  const { id } = await newMilestone('Dried in', { taskIds: [task], autoComplete: true })
  const emptied = await plumbline.patch(`${MILESTONES}/${id}`, { taskIds: [] })
  expect(emptied.body.errors[0]).toMatchObject({ pointer: '/taskIds', code: 'required' })
})

test('a task cannot be archived while a milestone waits for it', async () => {
  const task = await newTask('Roof dried in')
  const { id } = await newMilestone('Dried in', { taskIds: [task], autoComplete: true })
  expect(await plumbline.delete(`/api/ext/tasks/${task}`)).toMatchObject({
    status: 409,
    body: {
      code: 'conflict',
      detail: `Cannot archive Roof dried in: Dried in waits for it. Remove the task from this milestone first.`,
    },
  })
  await plumbline.patch(`${MILESTONES}/${id}`, { taskIds: [], autoComplete: false })
  expect((await plumbline.delete(`/api/ext/tasks/${task}`)).status).toBe(204)
})

test('the completion settings of a completed milestone cannot be changed', async () => {
  const { id } = await newMilestone('Dried in')
  await complete(id)
  expect((await plumbline.patch(`${MILESTONES}/${id}`, { autoComplete: false })).status).toBe(409)
  expect((await plumbline.patch(`${MILESTONES}/${id}`, { name: 'Dry' })).body).toMatchObject({ name: 'Dry' })
  expect((await plumbline.delete(`${MILESTONES}/${id}`)).status).toBe(409)
  await reopen(id)
  expect((await plumbline.delete(`${MILESTONES}/${id}`)).status).toBe(204)
  expect((await plumbline.delete(`${MILESTONES}/${id}`)).status).toBe(204)
  for (const refused of [
    await complete(id),
    await reopen(id),
    await plumbline.patch(`${MILESTONES}/${id}`, { name: '1' }),
  ])
    expect(refused).toMatchObject({
      status: 409,
      body: { reason: 'archived', detail: 'Cannot change Dry: it is archived.' },
    })
})

test('milestones can be filtered by type, status, due date, and lateness, and sorted by due date', async () => {
  const on = (days: number) => addDays(today(), days)
  await newMilestone('Permit', { milestoneType: 'permit', targetDate: on(-3) })
  const { id } = await newMilestone('Slab', { milestoneType: 'foundation', targetDate: on(-2) })
  await newMilestone('Undated')
  await newMilestone('Dry', { targetDate: on(5) })
  await complete(id)
  expect(await namesOf('sort=targetDate')).toEqual(['Permit', 'Slab', 'Dry', 'Undated'])
  expect(await namesOf(`lateOn=${today()}`)).toEqual(['Permit'])
  expect(await namesOf(`lateOn=${on(-3)}`)).toEqual([])
  expect(await namesOf(`targetDateFrom=${on(-2)}&targetDateTo=${on(5)}&sort=targetDate`)).toEqual(['Slab', 'Dry'])
  expect(await namesOf('status=completed')).toEqual(['Slab'])
  expect(await namesOf('milestoneType=permit')).toEqual(['Permit'])
  expect(await namesOf(`communityId=${communityId}&q=perm`)).toEqual(['Permit'])
  for (const sort of ['targetDate', '-targetDate']) {
    const paged: string[] = []
    let cursor = ''
    do {
      const { body } = await plumbline.get(`${MILESTONES}?homeId=${homeId}&sort=${sort}&limit=1${cursor}`)
      paged.push(...body.data.map(({ name }: { name: string }) => name))
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`
    } while (cursor !== '')
    const all = ['Permit', 'Slab', 'Dry', 'Undated']
    expect(paged).toEqual(sort === 'targetDate' ? all : all.reverse())
  }
})

test('canceling a home cancels its pending milestones', async () => {
  const pending = await newMilestone('Dried in')
  const reached = await newMilestone('Permit')
  await complete(reached.id)
  await plumbline.post(`/api/ext/homes/${homeId}/status`, { status: 'cancelled' })
  expect((await read(pending.id)).archivedAt).not.toBeNull()
  expect((await read(reached.id)).archivedAt).toBeNull()
  expect((await plumbline.post(MILESTONES, { homeId, name: 'More' })).body).toMatchObject({ code: 'conflict' })
})

test("a builder cannot see or change another builder's milestones", async () => {
  const { key } = await plumbline.newBuilder()
  const { id } = await newMilestone('Dried in')
  expect((await plumbline.get(`${MILESTONES}/${id}`, { key })).status).toBe(404)
  expect((await plumbline.post(`${MILESTONES}/${id}/complete`, {}, { key })).status).toBe(404)
  expect((await plumbline.post(MILESTONES, { homeId, name: 'Mine' }, { key })).body.code).toBe('unknown_reference')
})
