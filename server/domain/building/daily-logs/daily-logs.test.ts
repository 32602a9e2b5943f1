import { extractText } from 'unpdf'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { lockDueLogs } from './lock-due-logs.ts'

const LOGS = '/api/ext/daily-logs'
const HOUR_MS = 3_600_000

let plumbline: TestPlumbline
let communityId: string
let homeId: string

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  goTo('2027-03-03T22:00:00Z')
  communityId = (await created('communities', { name: 'Juniper Ridge', timeZone: 'America/Chicago' })).id
})
afterAll(() => plumbline.stop())
beforeEach(async () => {
  homeId = (await created('homes', { name: 'Lot 14', communityId })).id
})

function goTo(time: string): void {
  plumbline.clock.advance(Date.parse(time) - plumbline.clock.now().getTime())
}

async function created(path: string, body: object) {
  const response = await plumbline.post(`/api/ext/${path}`, body)
  expect([path, response.status, response.body.errors ?? response.body.detail]).toEqual([path, 201, undefined])
  return response.body
}

const newLog = (rest: object = {}) => created('daily-logs', { homeId, workDone: 'Walls.', ...rest })
const read = async (id: string) => (await plumbline.get(`${LOGS}/${id}`)).body
const edit = (id: string, body: object) => plumbline.patch(`${LOGS}/${id}`, body)
const submit = (id: string) => plumbline.post(`${LOGS}/${id}/submit`)
const add = (id: string, text: string) => plumbline.post(`${LOGS}/${id}/addenda`, { text })

test('a submitted daily log can be edited until 48 hours after the end of its day', async () => {
  const log = await newLog({ weather: { condition: 'clear', high: 71 }, crews: [{ name: 'Trim', headcount: 4 }] })
  expect(log).toMatchObject({
    ...{ status: 'draft', logDate: '2027-03-03', editableUntil: '2027-03-06T06:00:00.000Z' },
    weather: { condition: 'clear', high: 71, low: null, unit: 'fahrenheit', workable: true },
    crews: [{ vendorId: null, name: 'Trim', scope: null, headcount: 4, hours: null, noShow: false }],
  })
  expect((await add(log.id, 'More.')).body.reason).toBe('wrong_status')
  const { body } = await submit(log.id)
  expect(body).toMatchObject({ status: 'submitted', submittedAt: expect.any(String), submittedBy: { type: 'key' } })
  expect((await submit(log.id)).body.code).toBe('invalid_transition')
  expect((await edit(log.id, { workDone: 'Walls and stairs.' })).body.workDone).toBe('Walls and stairs.')
})

test('a daily log is rejected if its day is in the future, locked, or already has a log', async () => {
  const log = await newLog()
  const create = (body: object) => plumbline.post(LOGS, { homeId, ...body })
  expect((await create({})).body).toMatchObject({ reason: 'value_taken', conflictingId: log.id })
  expect((await create({ logDate: '2027-03-04' })).body.errors[0].pointer).toBe('/logDate')
  expect((await create({ logDate: '2027-03-01' })).status).toBe(201)
  expect((await create({ logDate: '2027-02-28' })).body.reason).toBe('edit_window_closed')
})

test('a daily log with neither work nor crews cannot be submitted', async () => {
  const { id } = await newLog({ workDone: null })
  expect((await submit(id)).body.reason).toBe('missing_data')
})

test('a daily log with a nameless crew or a task of another home is rejected', async () => {
  const other = (await created('homes', { name: 'Lot 15', communityId })).id
  const task = (await created('tasks', { homeId: other, name: 'Trusses', taskKind: 'delivery' })).id
  const fault = async (body: object) => (await plumbline.post(LOGS, { homeId, ...body })).body.errors[0].pointer
  expect(await fault({ crews: [{ headcount: 2 }] })).toBe('/crews/0/name')
  expect(await fault({ deliveries: [{ description: 'Trusses', taskId: task }] })).toBe('/deliveries/0/taskId')
})

// 2027-03-14 has 23 hours in Chicago, and 2027-11-07 has 25.
test.each([
  ['2027-03-14', '2027-03-14T18:00:00Z', '2027-03-17T05:00:00.000Z'],
  ['2027-03-13', '2027-03-13T18:00:00Z', '2027-03-16T06:00:00.000Z'],
  ['2027-11-07', '2027-11-07T18:00:00Z', '2027-11-10T06:00:00.000Z'],
  ['2027-11-06', '2027-11-06T18:00:00Z', '2027-11-09T05:00:00.000Z'],
])('the daily log of %s is locked 48 hours after its day, regardless of clock changes', async (date, now, until) => {
  goTo(now)
  const log = await newLog({ homeId: (await created('homes', { name: `Lot ${date}`, communityId })).id })
  expect([log.logDate, log.editableUntil]).toEqual([date, until])
  const lock = () => lockDueLogs(plumbline.app.services)
  goTo(new Date(Date.parse(until) - 1000).toISOString())
  await lock()
  expect((await read(log.id)).status).toBe('draft')
  goTo(until)
  // The edit is too late, although the job has not locked the log yet.
  expect((await edit(log.id, { workDone: 'Late.' })).body.reason).toBe('edit_window_closed')
  // The service's own job may be locking the log concurrently.
  await lock()
  await plumbline.until(`${LOGS}/${log.id}`, ({ body }) => body.status === 'locked')
  expect((await edit(log.id, { workDone: 'Late.' })).body.reason).toBe('edit_window_closed')
  expect((await submit(log.id)).body.reason).toBe('edit_window_closed')
  expect((await add(log.id, 'The crew left at noon.')).body.addenda).toMatchObject([
    { text: 'The crew left at noon.', by: { type: 'key' } },
  ])
})

test('the activity in a daily log is updated until the log is locked', async () => {
  goTo('2027-12-01T18:00:00Z')
  const log = await newLog()
  const inspection = await created('tasks', { homeId, name: 'Framing inspection', taskKind: 'inspection' })
  const walls = await created('tasks', { homeId, name: 'Walls' })
  await created('tasks', { homeId, name: 'Trusses', taskKind: 'delivery' })
  await created('permits', { homeId, permitType: 'building', issuedDate: '2027-11-01' })
  const { id } = await created('inspections', { homeId, taskId: inspection.id })
  await plumbline.post(`/api/ext/inspections/${id}/result`, { result: 'failed' })
  await plumbline.post(`/api/ext/tasks/${walls.id}/complete`, {})
  const expected = {
    tasksStarted: [{ name: 'Framing inspection' }, { name: 'Walls' }],
    tasksCompleted: [{ taskId: walls.id }],
    delays: [{ name: 'Framing inspection', reasonCode: 'failed_inspection', days: 1 }],
    inspections: [{ inspectionId: id, status: 'completed', result: 'failed' }],
    deliveriesPlanned: [{ name: 'Trusses' }],
    ...{ ownHours: 0, photoCount: 0 },
  }
  const before = await read(log.id)
  expect(before.activity).toMatchObject(expected)
  expect(before.version).toBe(1)
  const { data } = (await plumbline.get(`${LOGS}?homeId=${homeId}`)).body
  expect(data[0].activity).toEqual(before.activity)

  plumbline.clock.advance(4 * 24 * HOUR_MS)
  await lockDueLogs(plumbline.app.services)
  await plumbline.until(`${LOGS}/${log.id}`, ({ body }) => body.status === 'locked')
  await plumbline.post(`/api/ext/tasks/${walls.id}/status`, { status: 'in_progress', reason: 'A stud is loose.' })
  expect((await read(log.id)).activity).toMatchObject(expected)
})

test('each incident in a daily log sends exactly one message to the admins', async () => {
  goTo('2027-12-20T18:00:00Z')
  const count = async () =>
    (await plumbline.get('/api/ext/messages?limit=200')).body.data.filter(
      ({ relatedTo }: { relatedTo: { id: string } | null }) => relatedTo?.id === homeId,
    ).length
  const safety = [{ kind: 'observation', description: 'Loose rail.' }]
  const log = await newLog({ safety })
  expect(await count()).toBe(0)
  const incident = { kind: 'incident', description: 'A fall from the stairs.', action: 'First aid.' }
  await edit(log.id, { safety: [...safety, incident] })
  expect(await count()).toBe(1)
  await edit(log.id, { safety: [...safety, incident, { kind: 'near_miss', description: 'A falling board.' }] })
  expect(await count()).toBe(1)
  goTo('2027-12-21T18:00:00Z')
  await newLog({ safety: [incident] })
  expect(await count()).toBe(2)
})

test('a daily log can be downloaded as a PDF', async () => {
  goTo('2028-01-10T18:00:00Z')
  const log = await newLog({
    crews: [{ name: 'Trim', hours: 8 }],
    visitors: [{ name: 'R. Alvarez', purpose: 'inspector' }],
  })
  goTo('2028-01-14T01:30:00Z')
  await plumbline.until(`${LOGS}/${log.id}`, ({ body }) => body.status === 'locked')
  expect((await add(log.id, 'The inspector called.')).status).toBe(200)
  const response = await fetch(`${plumbline.url}${LOGS}/${log.id}/pdf`, {
    headers: { authorization: `Bearer ${plumbline.key}` },
  })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  const { text } = await extractText(new Uint8Array(await response.arrayBuffer()), { mergePages: true })
  expect(text).toContain('R. Alvarez')
  // In the time zone of the community, it is still the evening of the 13th.
  expect(text).toContain('January 13, 2028 at 7:30 PM CST')
})

test('changing a daily log requires logs:write', async () => {
  goTo('2028-02-10T18:00:00Z')
  const log = await newLog()
  const key = await plumbline.newKey(['logs:read'])
  expect((await plumbline.get(`${LOGS}/${log.id}`, { key })).status).toBe(200)
  expect((await plumbline.post(LOGS, { homeId }, { key })).body.permission).toBe('logs:write')
})

test("a builder cannot see another builder's daily logs", async () => {
  goTo('2028-02-11T18:00:00Z')
  const log = await newLog()
  const other = await plumbline.newBuilder()
  expect((await plumbline.get(`${LOGS}/${log.id}`, { key: other.key })).status).toBe(404)
})
