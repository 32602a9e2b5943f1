import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addCopies } from '../../../../test/support/add-copies.ts'
import { Desk } from '../../../../test/support/desk.ts'

let desk: Desk
let superintendentId = ''
let communityId = ''

beforeAll(async () => {
  desk = await Desk.open()
  superintendentId = desk.builder.userId
  communityId = (await desk.post('/communities', { name: 'Juniper Ridge', status: 'active' })).id
})
afterAll(() => desk.plumbline.stop())

const addHome = async (name: string, fields: object = {}): Promise<string> =>
  (await desk.post('/homes', { name, communityId, superintendentId, ...fields })).id

const readDay = (query = '') => desk.get(`/field/day?superintendentId=${superintendentId}${query}`)

/** Returns the data of one home from the field day. */
async function readDayOf(homeId: string) {
  const day = await readDay()
  const ofHome = (part: string) => day[part].filter((record: { homeId: string }) => record.homeId === homeId)
  return { day, ofHome, home: day.homes.find(({ id }: { id: string }) => id === homeId) }
}

test("a superintendent's day lists the superintendent's open homes, including homes that get their superintendent from the community", async () => {
  const other = await desk.post('/communities', { name: 'Cedar Hollow', status: 'active', superintendentId })
  const named = await addHome('Lot 1')
  const inherited = await addHome('Lot 2', { communityId: other.id, superintendentId: null })
  const cancelled = await addHome('Lot 3')
  await desk.post(`/homes/${cancelled}/status`, { status: 'cancelled', reason: 'The buyer withdrew.' })
  const foreign = await addHome('Lot 4', { superintendentId: null })
  const ids = (await readDay()).homes.map(({ id }: { id: string }) => id)
  expect([named, inherited, cancelled, foreign].map((id) => ids.includes(id))).toEqual([true, true, false, false])
})

test("a superintendent's day lists recently completed tasks and open tasks up to 14 days ahead, with their open predecessors", async () => {
  const homeId = await addHome('Lot 10')
  const vendor = await desk.post('/vendors', { companyName: 'Lone Star Framing', phone: '+1 512 555 0142' })
  const task = (name: string, start: number, fields: object = {}) =>
    desk.post('/tasks', { homeId, name, plannedStart: desk.day(start), ...fields })
  const slab = await task('Slab', 0)
  const skipped = await task('Termite treatment', 1, { predecessors: [{ taskId: slab.id }] })
  await desk.post(`/tasks/${skipped.id}/status`, { status: 'skipped' })
  const link = { predecessors: [{ taskId: skipped.id }] }
  await task('Framing', 2, { ...link, vendorId: vendor.id, checklist: [{ text: 'Straps' }] })
  await task('Roof', 30)
  const survey = await task('Survey', 0)
  await desk.post(`/tasks/${survey.id}/complete`, {})
  const { day, ofHome } = await readDayOf(homeId)
  expect(ofHome('tasks').map(({ name, waitsFor }: { name: string; waitsFor: string[] }) => [name, waitsFor])).toEqual([
    ['Slab', []],
    ['Framing', ['Slab']],
    ['Survey', []],
  ])
  expect(ofHome('tasks')[1]).toMatchObject({ vendorId: vendor.id, checklist: [{ text: 'Straps', done: false }] })
  expect(day.vendors).toContainEqual({
    ...{ id: vendor.id, companyName: 'Lone Star Framing', contactName: null, phone: '+1 512 555 0142' },
  })
})

test("a superintendent's day contains open inspections, punch items, daily logs, visits, the running time entry, and the vendors by trade", async () => {
  const homeId = await addHome('Lot 20')
  const task = await desk.post('/tasks', {
    ...{ homeId, name: 'Final inspection', taskKind: 'inspection', checklist: [{ text: 'Smoke detectors' }] },
  })
  const scheduled = { homeId, taskId: task.id, authority: 'internal', scheduledDate: desk.day(1) }
  const inspection = await desk.post('/inspections', scheduled)
  const item = await desk.post('/punch-items', { homeId, description: 'The door sticks.', location: 'Garage' })
  const verified = await desk.post('/punch-items', { homeId, description: 'Paint.' })
  await desk.post(`/punch-items/${verified.id}/status`, { status: 'verified' })
  const log = await desk.post('/daily-logs', { homeId, workDone: 'Trim.', crews: [{ name: 'Own crew' }] })
  const request = await desk.post('/warranty-requests', { homeId, description: 'Drip.', severity: 'routine' })
  await desk.post(`/warranty-requests/${request.id}/decision`, { decision: 'goodwill' })
  await desk.post(`/warranty-requests/${request.id}/assignment`, { assigneeUserId: superintendentId })
  const visit = { requestIds: [request.id], date: desk.day(2), window: 'am' }
  await desk.post('/visits', visit)
  const vendor = await desk.post('/vendors', { companyName: 'Lone Star Paint' })
  await desk.order({ homeId, vendorId: vendor.id, scope: 'painting', amount: 900, statuses: ['approved', 'issued'] })
  await desk.post('/time-entries/clock-in', { userId: superintendentId, homeId })
  const { day, ofHome, home } = await readDayOf(homeId)
  expect(ofHome('inspections')).toMatchObject([
    { id: inspection.id, scheduledDate: desk.day(1), items: [{ itemId: 'I1', text: 'Smoke detectors', note: null }] },
  ])
  expect(ofHome('punchItems')).toMatchObject([{ id: item.id, number: 'P-1', location: 'Garage', status: 'open' }])
  expect(ofHome('logs')).toMatchObject([
    { id: log.id, status: 'draft', workDone: 'Trim.', crewCount: 1, editableUntil: log.editableUntil },
  ])
  expect(ofHome('visits')).toMatchObject([{ homeName: 'Lot 20', date: desk.day(2), status: 'proposed' }])
  expect(day.clock).toMatchObject({ homeId })
  expect(home.trades).toEqual([{ scope: 'painting', vendorId: vendor.id }])
  expect(day.vendors).toContainEqual(expect.objectContaining({ companyName: 'Lone Star Paint' }))
})

test('the day contains the open walkthroughs of the next 14 days with the lists that buyers sign', async () => {
  const homeId = await addHome('Lot 25')
  const walkthrough = await desk.post('/walkthroughs', { homeId, kind: 'final', date: desk.day(2) })
  await desk.post('/walkthroughs', { homeId, kind: 'eleven_month', date: desk.day(40) })
  const closed = await desk.post('/walkthroughs', { homeId, kind: 'quality', date: desk.day(0) })
  await desk.post(`/walkthroughs/${closed.id}/close`, {})
  const found = { homeId, walkthroughId: walkthrough.id }
  const first = await desk.post('/punch-items', { ...found, description: 'A scratch.', location: 'Hall' })
  await desk.post('/punch-items', { ...found, description: 'A dent.' })
  await desk.post(`/punch-items/${first.id}/status`, { status: 'verified' })
  const { version } = await desk.get(`/walkthroughs/${walkthrough.id}`)
  const { ofHome } = await readDayOf(homeId)
  expect(ofHome('walkthroughs')).toMatchObject([{ id: walkthrough.id, kind: 'final', date: desk.day(2), version }])
  expect(ofHome('walkthroughs')[0].list.split('\n\n')[1]).toBe('P-1 Hall: A scratch. (done)\nP-2 A dent.')
})

test("in a superintendent's day, the lists that the caller cannot read are empty", async () => {
  const homeId = await addHome('Lot 30')
  await desk.post('/punch-items', { homeId, description: 'The door sticks.' })
  const key = await desk.plumbline.newKey(['homes:read', 'tasks:read'], desk.builder.organizationId)
  const { status, body } = await desk.plumbline.get(`/api/ext/field/day?superintendentId=${superintendentId}`, { key })
  expect([status, body.punchItems, body.vendors, body.clock]).toEqual([200, [], [], null])
  expect(body.homes.length).toBeGreaterThan(0)
})

test("the ETag of a superintendent's day changes only if its content changes", async () => {
  const address = `/api/ext/field/day?superintendentId=${superintendentId}`
  const headers = { 'if-none-match': '"none yet"' }
  const read = async () => {
    const response = await desk.plumbline.get(address, { key: desk.builder.key, headers })
    headers['if-none-match'] = response.headers.get('etag') ?? ''
    return response.status
  }
  expect(await read()).toBe(200)
  desk.plumbline.clock.advance(60_000)
  // Background jobs can still change a task of the day, for example by notifying its vendor.
  await expect.poll(read, { timeout: 20_000 }).toBe(304)
  await addHome('Lot 40')
  expect((await desk.plumbline.get(address, { key: desk.builder.key, headers })).status).toBe(200)
})

test("the superintendent's day is empty for a superintendent of another builder", async () => {
  const other = await desk.plumbline.newBuilder()
  const { body } = await desk.plumbline.get(`/api/ext/field/day?superintendentId=${superintendentId}`, {
    key: other.key,
  })
  expect(body).toMatchObject({ homes: [], tasks: [], logs: [] })
})

test("the response for a superintendent's day that exceeds the size limits names the shortened lists", async () => {
  const { database } = desk.plumbline
  const homeId = await addHome('Lot 50')
  const text = 'Straps at every second truss, '.repeat(16)
  const task = await desk.post('/tasks', { homeId, name: 'T'.repeat(200), checklist: [{ text }] })
  const item = await desk.post('/punch-items', { homeId, description: 'D'.repeat(500) })
  await addCopies(database.statements, { table: 'tasks', id: task.id, count: 2000 })
  await addCopies(database.statements, { table: 'punchItems', id: item.id, count: 300, unlike: 'number' })
  await addCopies(database.statements, { table: 'homes', id: homeId, count: 100 })
  await sql`analyze "tasks"`.execute(database.statements)
  const { body } = await desk.plumbline.get(`/api/ext/field/day?superintendentId=${superintendentId}`, {
    key: desk.builder.key,
  })
  expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(512_000)
  expect(body.homes).toHaveLength(60)
  expect(body.tasks.length).toBeGreaterThan(100)
  expect(body.truncated).toEqual(expect.arrayContaining(['homes', 'tasks', 'punchItems']))
})
