import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { addDays, getStartOfWeek, toLocalDate } from '../../../platform/values/calendar.ts'
import { createUser } from '../../office/users/users.ts'

const SHEETS = '/api/ext/timesheets'
const ENTRIES = '/api/ext/time-entries'

let plumbline: TestPlumbline
let homeId: string
let userId: string
let people = 0

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  // Start at noon on a Wednesday in Chicago, so that the preceding hours are in the same week.
  const now = plumbline.clock.nowMs()
  const wednesday = addDays(getStartOfWeek(new Date(now).toISOString().slice(0, 10), 1), 9)
  plumbline.clock.advance(Date.parse(`${wednesday}T18:00:00Z`) - now)
  // The organization is in Chicago. The community of this test is in Berlin, which is seven hours ahead.
  const community = { name: 'Am Wacholder', status: 'active', timeZone: 'Europe/Berlin' }
  const communityId = (await plumbline.post('/api/ext/communities', community)).body.id
  homeId = (await plumbline.post('/api/ext/homes', { name: 'Lot 1', communityId })).body.id
})
afterAll(() => plumbline.stop())
beforeEach(async () => {
  const { organizationId, database, clock } = plumbline
  const user = { email: `person${++people}@harrowfinch.example.com`, name: `Person ${people}` }
  const requested = { organizationId, ...user, role: 'superintendent' as const, poApprovalLimit: 0 }
  userId = (await createUser(database, clock, requested)).id
})

const clockIn = (fields: object = {}) => plumbline.post(`${ENTRIES}/clock-in`, { userId, ...fields })
const clockOut = (fields: object = {}) => plumbline.post(`${ENTRIES}/clock-out`, { userId, ...fields })
const ago = (minutes: number) => new Date(plumbline.clock.nowMs() - minutes * 60_000).toISOString()

/** Creates a timesheet with one entry that has a start and an end time. */
async function worked(weekStarting: string, entry: object) {
  const { body: sheet } = await plumbline.post(SHEETS, { userId, weekStarting })
  const { status, body } = await plumbline.post(`${SHEETS}/${sheet.id}/entries`, entry)
  expect([status, body.errors]).toEqual([201, undefined])
  return body
}

test('clocking out adds the hours without the break to the timesheet of the week', async () => {
  const startLocation = { latitude: 30.2711, longitude: -97.7437 }
  const began = await clockIn({ at: ago(8 * 60), notes: 'Windows.', startLocation })
  expect([began.status, began.headers.get('location')]).toEqual([201, `${ENTRIES}/${began.body.id}`])
  const running = {
    userId,
    endedAt: null,
    hours: null,
    cost: null,
    overtimeHours: 0,
    payType: 'regular',
    startLocation,
  }
  expect(began.body).toMatchObject(running)
  const date = toLocalDate('America/Chicago', new Date(plumbline.clock.nowMs() - 8 * 3_600_000))
  const sheet = (await plumbline.get(`${SHEETS}/${began.body.timesheetId}`)).body
  expect(sheet).toMatchObject({ userId, weekStarting: getStartOfWeek(date, 1), status: 'open', totalHours: 0 })
  expect(began.body.date).toBe(date)
  const early = await plumbline.post(`${SHEETS}/${sheet.id}/status`, { status: 'submitted' })
  expect([early.status, early.body.reason]).toEqual([409, 'under_way'])

  const ended = await clockOut({ at: ago(0), breakMinutes: 30, endLocation: null })
  expect(ended.body).toMatchObject({ id: began.body.id, breakMinutes: 30, notes: 'Windows.', endLocation: null })
  expect(ended.body.hours).toBeCloseTo(7.5, 2)
  expect((await plumbline.get(`${SHEETS}/${sheet.id}`)).body.totalHours).toBe(ended.body.hours)
  expect((await clockOut()).body).toMatchObject({
    ...{ code: 'conflict', reason: 'missing_data' },
    detail: `Cannot clock out: Person ${people} is not clocked in. Clock in with clockIn first.`,
  })
  // The user clocks in by mistake and clocks out at the same time.
  expect((await clockIn()).body.timesheetId).toBe(sheet.id)
  expect((await clockOut({ notes: 'By mistake.' })).body).toMatchObject({ notes: 'By mistake.' })
})

test('a clock time from a phone that is up to 2 minutes ahead counts as now', async () => {
  const began = await clockIn({ at: ago(-1.5) })
  expect(began.status).toBe(201)
  expect(Date.parse(began.body.startedAt)).toBeLessThanOrEqual(plumbline.clock.nowMs())
  expect((await clockOut({ at: ago(-2.5) })).body.errors).toMatchObject([{ pointer: '/at' }])
  await clockOut()
})

test('of several concurrent requests to clock in or to clock out, only one succeeds', async () => {
  const ins = await Promise.all([1, 2, 3, 4].map(() => clockIn()))
  expect(ins.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  expect((await plumbline.get(`${SHEETS}?userId=${userId}`)).body.data).toHaveLength(1)
  const outs = await Promise.all([1, 2, 3, 4].map(() => clockOut()))
  expect(outs.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
})

test('a clock time that is in the future, too long ago, or before the start is rejected', async () => {
  const inFuture = new Date(plumbline.clock.nowMs() + 3_600_000).toISOString()
  for (const at of [inFuture, ago(33 * 24 * 60), '0001-01-01T00:00:00Z']) {
    const refused = await clockIn({ at })
    expect([at, refused.status, refused.body.errors?.[0]?.pointer]).toEqual([at, 422, '/at'])
  }
  expect((await clockIn({ at: ago(26 * 60) })).status).toBe(201)
  const forgotten = await clockOut()
  expect(forgotten.body.errors).toMatchObject([{ pointer: '/at', code: 'maximum' }])
  const before = await clockOut({ at: ago(27 * 60) })
  expect(before.body.errors).toMatchObject([{ pointer: '/at', code: 'order' }])
  expect((await clockOut({ at: ago(24 * 60), breakMinutes: 121 })).body.errors).toMatchObject([
    { pointer: '/breakMinutes' },
  ])
  expect((await clockOut({ at: ago(18 * 60), breakMinutes: 60 })).body.hours).toBeCloseTo(7, 2)
})

test('time entries of a user cannot overlap clocked time', async () => {
  const { body: began } = await clockIn({ at: ago(120) })
  const path = `${SHEETS}/${began.timesheetId}/entries`
  const within = { startedAt: ago(90), endedAt: ago(60) }
  const refused = await plumbline.post(path, within)
  expect([refused.status, refused.body.reason, refused.body.detail]).toEqual([
    ...[409, 'period_taken'],
    expect.stringMatching(/^The user has been clocked in since .*\.$/),
  ])
  await clockOut({ at: ago(100) })
  expect((await plumbline.post(path, within)).status).toBe(201)
  expect((await clockIn({ at: ago(70) })).body.code).toBe('conflict')
  expect((await clockIn({ at: ago(60) })).status).toBe(201)
  const { body: ended } = await plumbline.get(`${path}?sort=-createdAt&limit=1`)
  const corrected = await plumbline.patch(`${ENTRIES}/${ended.data[0].id}`, { endedAt: ago(30), homeId })
  expect([corrected.body.homeId, corrected.body.endedAt]).toEqual([homeId, expect.any(String)])
  expect(corrected.body.hours).toBeCloseTo(0.5, 2)
  expect((await clockOut()).status).toBe(409)
})

test('a user can clock in only if the timesheet of the week is open', async () => {
  const { body: began } = await clockIn({ at: ago(10) })
  await clockOut()
  await plumbline.post(`${SHEETS}/${began.timesheetId}/status`, { status: 'submitted' })
  const refused = await clockIn()
  expect([refused.status, refused.body.reason]).toEqual([409, 'wrong_status'])
})

test('a night shift during a clock change counts the hours that actually passed', async () => {
  // In Chicago, the period from 10:00 p.m. to 6:00 a.m. has seven hours in the spring and nine hours in the fall.
  const spring = await worked('2026-03-02', { startedAt: '2026-03-08T04:00:00Z', endedAt: '2026-03-08T11:00:00Z' })
  expect(spring).toMatchObject({ date: '2026-03-07', hours: 7 })
  const autumn = await worked('2026-10-26', { startedAt: '2026-11-01T03:00:00Z', endedAt: '2026-11-01T12:00:00Z' })
  expect(autumn).toMatchObject({ date: '2026-10-31', hours: 9 })
  // A week after the clock change, one hour counts as one hour.
  const first = { startedAt: '2026-11-08T06:00:00Z', endedAt: '2026-11-08T07:00:00Z' }
  expect(await worked('2026-11-02', first)).toMatchObject({ date: '2026-11-08', hours: 1 })
})

test('if a clock change repeats an hour, both hours can be worked', async () => {
  const sheet = (await plumbline.post(SHEETS, { userId, weekStarting: '2026-10-26' })).body
  for (const startedAt of ['2026-11-01T01:00:00-05:00', '2026-11-01T01:00:00-06:00']) {
    const endedAt = new Date(Date.parse(startedAt) + 3_600_000).toISOString()
    const { body } = await plumbline.post(`${SHEETS}/${sheet.id}/entries`, { startedAt, endedAt })
    expect(body).toMatchObject({ date: '2026-11-01', hours: 1 })
  }
})

test("the date of a time entry is its start date in the home's or the organization's time zone", async () => {
  const evening = { startedAt: '2026-11-17T23:30:00Z', endedAt: '2026-11-18T05:30:00Z' }
  expect(await worked('2026-11-16', { ...evening, homeId })).toMatchObject({ date: '2026-11-18', hours: 6 })
  const next = { startedAt: '2026-11-24T23:30:00Z', endedAt: '2026-11-25T05:30:00Z', breakMinutes: 30 }
  const elsewhere = await worked('2026-11-23', next)
  expect(elsewhere).toMatchObject({ date: '2026-11-24', hours: 5.5 })
  const moved = await plumbline.patch(`${ENTRIES}/${elsewhere.id}`, { homeId })
  expect(moved.body.date).toBe('2026-11-25')
})

test('a night shift across the end of a week counts in the week in which it started', async () => {
  // It is Sunday evening in Chicago.
  const now = plumbline.clock.nowMs()
  const sunday = addDays(getStartOfWeek(toLocalDate('America/Chicago', new Date(now)), 1), 13)
  plumbline.clock.advance(Date.parse(`${sunday}T23:00:00-06:00`) - now)
  const { body: began } = await clockIn()
  plumbline.clock.advance(8 * 3_600_000)
  const { body: ended } = await clockOut({ breakMinutes: 60 })
  expect(ended).toMatchObject({ id: began.id, date: sunday })
  expect(ended.hours).toBeCloseTo(7, 2)
  const sheet = (await plumbline.get(`${SHEETS}/${ended.timesheetId}`)).body
  expect(sheet).toMatchObject({ weekStarting: addDays(sunday, -6), totalHours: ended.hours })
  expect((await clockIn()).body.timesheetId).not.toBe(sheet.id)
})
