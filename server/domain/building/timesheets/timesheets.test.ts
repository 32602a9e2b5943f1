import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { createCall } from '../../../platform/calls/call.ts'
import { findUserPrincipal } from '../../../platform/keys/principals.ts'
import { updateOrganization } from '../../office/organizations/organizations.ts'
import { createUser } from '../../office/users/users.ts'

const SHEETS = '/api/ext/timesheets'
const ENTRIES = '/api/ext/time-entries'
/** A Monday. */
const WEEK = '2026-11-16'

let plumbline: TestPlumbline
let communityId: string
let homeId: string
let framing: string
let trim: string
/** A key that can read and write timesheets but cannot see rates. */
let foreman: string
let userId: string
let people = 0

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  foreman = await plumbline.newKey(['timesheets:read', 'timesheets:write'])
  const community = { name: 'Juniper Ridge', status: 'active', timeZone: 'America/Chicago' }
  communityId = (await plumbline.post('/api/ext/communities', community)).body.id
  framing = await costCode('06-110', 'Rough carpentry labor')
  trim = await costCode('06-200', 'Finish carpentry labor')
  await plumbline.post('/api/ext/scopes', { name: 'framing', defaultCostCodeId: framing })
})
afterAll(() => plumbline.stop())
beforeEach(async () => {
  userId = await newUser('superintendent')
  homeId = (await plumbline.post('/api/ext/homes', { name: `Lot ${people}`, communityId })).body.id
})

async function costCode(code: string, name: string): Promise<string> {
  return (await plumbline.post('/api/ext/cost-codes', { code, name, category: 'labor' })).body.id
}

async function newUser(role: 'superintendent' | 'accountant'): Promise<string> {
  const { organizationId, database, clock } = plumbline
  const user = { email: `person${++people}@harrowfinch.example.com`, name: `Person ${people}`, role }
  return (await createUser(database, clock, { organizationId, ...user, poApprovalLimit: 0 })).id
}

async function newSheet(fields: object = {}) {
  const { status, body } = await plumbline.post(SHEETS, { userId, weekStarting: WEEK, ...fields })
  expect([status, body.errors]).toEqual([201, undefined])
  return body
}

async function add(sheet: { id: string }, entry: object) {
  const { status, body } = await plumbline.post(`${SHEETS}/${sheet.id}/entries`, entry)
  expect([status, body.errors ?? body.detail]).toEqual([201, undefined])
  return body
}

const move = (sheet: { id: string }, status: string, rest: object = {}) =>
  plumbline.post(`${SHEETS}/${sheet.id}/status`, { status, ...rest })
const read = async (sheet: { id: string }) => (await plumbline.get(`${SHEETS}/${sheet.id}`)).body
const entry = async ({ id }: { id: string }) => (await plumbline.get(`${ENTRIES}/${id}`)).body
const listed = async (sheet: { id: string }, query = '') =>
  (await plumbline.get(`${SHEETS}/${sheet.id}/entries?sort=createdAt${query}`)).body.data

async function approve(sheet: { id: string }) {
  expect((await move(sheet, 'submitted')).status).toBe(200)
  const approved = await move(sheet, 'approved')
  expect(approved.status).toBe(200)
  return approved.body
}

async function getActual(home: string) {
  const { body } = await plumbline.get(`/api/ext/homes/${home}/budget`)
  type Code = { costCodeId: string | null; actual: number }
  const rows = body.scopes.flatMap(({ scope, costCodes }: { scope: string; costCodes: Code[] }) =>
    costCodes.map(({ costCodeId, actual }) => [scope, costCodeId, actual]),
  )
  return { rows, totalActual: body.totalActual, totalForecast: body.totalForecastAtCompletion }
}

test('adding an earlier time entry can turn later hours of the week into overtime', async () => {
  const sheet = await newSheet({ rate: 30 })
  expect(sheet).toMatchObject({ status: 'open', totalHours: 0, cost: 0, rate: 30 })
  for (const date of ['2026-11-17', '2026-11-18', '2026-11-19']) await add(sheet, { date, hours: 10 })
  const friday = await add(sheet, { date: '2026-11-20', hours: 10 })
  expect(friday).toMatchObject({ userId, overtimeHours: 0, cost: 300 })
  await add(sheet, { date: '2026-11-16', hours: 4.5 })
  expect(await entry(friday)).toMatchObject({ overtimeHours: 4.5, cost: 5.5 * 30 + 4.5 * 45, version: 2 })
  const rule = { weeklyAfterHours: 40, dailyAfterHours: null, multiplier: 1.5 }
  expect(await read(sheet)).toMatchObject({
    totalHours: 44.5,
    regularHours: 40,
    overtimeHours: 4.5,
    overtimeRule: rule,
  })
  const monday = (await listed(sheet, '&date=2026-11-16'))[0]
  const shorter = await plumbline.patch(`${ENTRIES}/${monday.id}`, { hours: 2 })
  expect(shorter.body).toMatchObject({ hours: 2, cost: 60 })
  expect((await entry(friday)).overtimeHours).toBe(2)
  expect((await plumbline.delete(`${ENTRIES}/${monday.id}`)).status).toBe(204)
  expect((await plumbline.delete(`${ENTRIES}/${monday.id}`)).status).toBe(204)
  expect(await read(sheet)).toMatchObject({ totalHours: 40, overtimeHours: 0, cost: 1200 })
  expect((await listed(sheet)).map(({ hours }: { hours: number }) => hours)).toEqual([10, 10, 10, 10])
  expect(await listed(sheet, '&includeArchived=true')).toHaveLength(5)
})

test("a timesheet starts on the first day of the organization's week", async () => {
  const { organizationId, key } = await plumbline.newBuilder()
  const own = { key }
  const [me] = (await plumbline.post('/api/ext/messages', { body: 'Who?', recipientRoles: ['owner'] }, own)).body
    .recipients
  const rule = { dailyAfterHours: 8, multiplier: 2 }
  await updateOrganization(plumbline.database, plumbline.clock, organizationId, { weekStartsOn: 7, overtimeRule: rule })
  const body = { userId: me.id, weekStarting: '2026-11-15', rate: 10 }
  const refused = await plumbline.post(SHEETS, { ...body, weekStarting: WEEK }, own)
  expect(refused.body.errors).toMatchObject([{ pointer: '/weekStarting', code: 'week_start' }])
  expect(refused.body.errors[0].message).toContain(
    'must be a Sunday, the first day of a week, for example 2026-11-15 or 2026-11-22',
  )
})

test("the organization's overtime rule can have a daily threshold", async () => {
  const { organizationId, key } = await plumbline.newBuilder()
  const own = { key }
  const [me] = (await plumbline.post('/api/ext/messages', { body: 'Who?', recipientRoles: ['owner'] }, own)).body
    .recipients
  const rule = { dailyAfterHours: 8, multiplier: 2 }
  await updateOrganization(plumbline.database, plumbline.clock, organizationId, { weekStartsOn: 7, overtimeRule: rule })
  const body = { userId: me.id, weekStarting: '2026-11-15', rate: 10 }
  const { body: sheet } = await plumbline.post(SHEETS, body, own)
  expect(sheet.overtimeRule).toEqual({ weeklyAfterHours: 40, dailyAfterHours: 8, multiplier: 2 })
  const day = { date: '2026-11-15', hours: 10 }
  const { body: added } = await plumbline.post(`${SHEETS}/${sheet.id}/entries`, day, own)
  expect(added).toMatchObject({ overtimeHours: 2, cost: 120 })
})

test('a new overtime rule applies from the next change of a timesheet', async () => {
  const { organizationId, key } = await plumbline.newBuilder()
  const own = { key }
  const [me] = (await plumbline.post('/api/ext/messages', { body: 'Who?', recipientRoles: ['owner'] }, own)).body
    .recipients
  const rule = { dailyAfterHours: 8, multiplier: 2 }
  await updateOrganization(plumbline.database, plumbline.clock, organizationId, { weekStartsOn: 7, overtimeRule: rule })
  const body = { userId: me.id, weekStarting: '2026-11-15', rate: 10 }
  const { body: sheet } = await plumbline.post(SHEETS, body, own)
  const day = { date: '2026-11-15', hours: 10 }
  await plumbline.post(`${SHEETS}/${sheet.id}/entries`, day, own)
  await updateOrganization(plumbline.database, plumbline.clock, organizationId, {
    overtimeRule: { dailyAfterHours: 9 },
  })
  const submitted = await plumbline.post(`${SHEETS}/${sheet.id}/status`, { status: 'submitted' }, own)
  expect(submitted.body).toMatchObject({
    overtimeHours: 1,
    cost: 110,
    overtimeRule: { dailyAfterHours: 9, multiplier: 2 },
  })
})

test('a user has at most one timesheet per week', async () => {
  const sheet = await newSheet({ rate: 41.25 })
  const again = await plumbline.post(SHEETS, { userId, weekStarting: WEEK })
  expect([again.status, again.body.code, again.body.detail.includes(sheet.id)]).toEqual([409, 'conflict', true])
  const tuesday = await plumbline.post(SHEETS, { userId, weekStarting: '2026-11-17' })
  expect(tuesday.body.errors).toMatchObject([{ pointer: '/weekStarting', code: 'week_start' }])
  const nobody = await plumbline.post(SHEETS, { userId: 'usr_nobody', weekStarting: WEEK })
  expect(nobody.body).toMatchObject({ code: 'unknown_reference', errors: [{ pointer: '/userId' }] })
  expect(await newSheet({ weekStarting: '2026-11-23' })).toMatchObject({ rate: 41.25 })
  const ofUser = await plumbline.get(`${SHEETS}?userId=${userId}&weekStarting=${WEEK}`)
  expect(ofUser.body.data).toEqual([sheet])
})

test('contradictory fields of a time entry are reported at their fields', async () => {
  const sheet = await newSheet()
  const times = { startedAt: '2026-11-16T13:00:00Z', endedAt: '2026-11-16T21:00:00Z' }
  for (const [fields, pointer] of [
    [{ date: WEEK }, '/hours'],
    [{ hours: 8 }, '/date'],
    [{ date: WEEK, hours: 8, endedAt: times.endedAt }, '/endedAt'],
    [{ date: WEEK, hours: 8, breakMinutes: 30 }, '/breakMinutes'],
    [{ ...times, hours: 8 }, '/hours'],
    [{ ...times, date: WEEK }, '/date'],
    [{ startedAt: times.startedAt }, '/endedAt'],
    [{ startedAt: times.endedAt, endedAt: times.startedAt }, '/endedAt'],
    [{ ...times, endedAt: '2026-11-17T13:00:00.001Z' }, '/endedAt'],
    [{ ...times, breakMinutes: 481 }, '/breakMinutes'],
    [{ date: '2026-11-15', hours: 8 }, '/date'],
    [{ date: '2026-11-23', hours: 8 }, '/date'],
    [{ startedAt: '2026-11-23T06:00:00Z', endedAt: '2026-11-23T07:00:00Z' }, '/startedAt'],
    [{ startedAt: '0001-01-01T06:00:00Z', endedAt: '0001-01-01T07:00:00Z' }, '/startedAt'],
    [{ date: WEEK, hours: 25 }, '/hours'],
    [{ date: WEEK, hours: 0 }, '/hours'],
    [{ date: WEEK, hours: 8, homeId: 'hom_nowhere' }, '/homeId'],
    [{ date: WEEK, hours: 8, taskId: 'tsk_nowhere' }, '/taskId'],
    [{ date: WEEK, hours: 8, costCodeId: 'cc_nowhere' }, '/costCodeId'],
    [{ date: WEEK, hours: 8, rate: 38.12345 }, '/rate'],
  ] as const) {
    const refused = await plumbline.post(`${SHEETS}/${sheet.id}/entries`, fields)
    expect([fields, refused.status, refused.body.errors?.[0]?.pointer]).toEqual([fields, 422, pointer])
  }
  expect(await listed(sheet)).toEqual([])
  // In Chicago, one hour earlier is still in the same week.
  const late = await add(sheet, { startedAt: '2026-11-23T05:00:00+00', endedAt: '2026-11-23T06:00:00Z' })
  expect(late).toMatchObject({ date: '2026-11-22', hours: 1, startedAt: '2026-11-23T05:00:00.000Z' })
  const stated = await plumbline.patch(`${ENTRIES}/${late.id}`, { startedAt: null, hours: 2 })
  expect(stated.body).toMatchObject({ date: '2026-11-22', hours: 2, startedAt: null, endedAt: null })
  const timed = await plumbline.patch(`${ENTRIES}/${late.id}`, times)
  expect(timed.body).toMatchObject({ date: WEEK, hours: 8, breakMinutes: 0 })
  const longer = await plumbline.patch(`${ENTRIES}/${late.id}`, { breakMinutes: 45 })
  expect(longer.body).toMatchObject({ hours: 7.25, notes: null })
})

test("a user's time entries cannot overlap or exceed the hours of a day", async () => {
  const sheet = await newSheet()
  const span = (from: string, to: string) => ({ startedAt: `2026-11-${from}:00Z`, endedAt: `2026-11-${to}:00Z` })
  const post = (fields: object) => plumbline.post(`${SHEETS}/${sheet.id}/entries`, fields)
  const shift = await add(sheet, span('19T13:00', '19T21:00'))
  for (const [from, to] of [
    ['19T12:00', '19T13:01'],
    ['19T20:59', '19T22:00'],
    ['19T14:00', '19T15:00'],
    ['19T12:00', '19T22:00'],
  ] as const) {
    expect((await post(span(from, to))).body).toMatchObject({ status: 409, code: 'conflict' })
  }
  const before = await add(sheet, span('19T12:00', '19T13:00'))
  await add(sheet, span('19T21:00', '19T22:00'))
  expect((await plumbline.patch(`${ENTRIES}/${before.id}`, span('19T12:00', '19T13:30'))).status).toBe(409)
  expect((await plumbline.patch(`${ENTRIES}/${shift.id}`, { breakMinutes: 60 })).body.hours).toBe(7)
  expect((await post({ date: '2026-11-19', hours: 15.5 })).body.errors).toMatchObject([{ pointer: '/hours' }])
  await add(sheet, { date: '2026-11-19', hours: 15 })

  // This entry starts on Sunday night and ends in the next week, so entries of the next week must not overlap it
  // either.
  await add(sheet, span('23T03:00', '23T09:00'))
  const next = await newSheet({ weekStarting: '2026-11-23' })
  const early = { startedAt: '2026-11-23T08:00:00Z', endedAt: '2026-11-23T10:00:00Z' }
  expect((await plumbline.post(`${SHEETS}/${next.id}/entries`, early)).status).toBe(409)
  const other = await newSheet({ userId: await newUser('superintendent'), weekStarting: '2026-11-23' })
  expect(await add(other, early)).toMatchObject({ date: '2026-11-23', hours: 2 })
})

test('only one of several concurrent entries for the same hour succeeds', async () => {
  const sheet = await newSheet()
  const hour = { startedAt: '2026-11-19T13:00:00Z', endedAt: '2026-11-19T14:00:00Z' }
  const answers = await Promise.all([1, 2, 3, 4].map(() => plumbline.post(`${SHEETS}/${sheet.id}/entries`, hour)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  expect(await read(sheet)).toMatchObject({ totalHours: 1, version: 2 })
})

test('a timesheet has a maximum number of entries', async () => {
  const sheet = await newSheet()
  const first = Date.parse('2026-11-17T06:00:00Z')
  for (let n = 0; n < 200; n++) {
    const [startedAt, endedAt] = [n, n + 1].map((minute) => new Date(first + minute * 60_000).toISOString())
    await add(sheet, { startedAt, endedAt })
  }
  const more = await plumbline.post(`${SHEETS}/${sheet.id}/entries`, { date: WEEK, hours: 1 })
  expect(more.body).toMatchObject({ status: 409, reason: 'limit_reached' })
})

test('omitted fields of a time entry are taken from its task, trade, or cost code', async () => {
  const sheet = await newSheet()
  const task = (await plumbline.post('/api/ext/tasks', { homeId, name: 'Walls framed', scope: 'Framing' })).body
  const ofTask = await add(sheet, { date: WEEK, hours: 1, taskId: task.id })
  expect(ofTask).toMatchObject({ homeId, scope: 'framing', costCodeId: framing, taskId: task.id })
  const without = await add(sheet, { date: WEEK, hours: 1, homeId, scope: 'FRAMING', costCodeId: null })
  expect(without).toMatchObject({ homeId, scope: 'framing', costCodeId: null })
  const line = { scope: 'trim', costCodeId: trim, amount: 900 }
  expect((await plumbline.post(`/api/ext/homes/${homeId}/budget/lines`, line)).status).toBe(201)
  expect(await add(sheet, { date: WEEK, hours: 1, homeId, costCodeId: trim })).toMatchObject({ scope: 'trim' })
  expect(await add(sheet, { date: WEEK, hours: 1, costCodeId: framing })).toMatchObject({
    scope: 'framing',
    homeId: null,
  })
  const office = await add(sheet, { date: WEEK, hours: 1 })
  expect(office).toMatchObject({ homeId: null, scope: null, costCodeId: null })
  const moved = await plumbline.patch(`${ENTRIES}/${office.id}`, { taskId: task.id })
  expect(moved.body).toMatchObject({ homeId, scope: 'framing', costCodeId: framing })

  const elsewhere = (await plumbline.post('/api/ext/homes', { name: 'Elsewhere', communityId })).body.id
  const wrong = await plumbline.patch(`${ENTRIES}/${ofTask.id}`, { homeId: elsewhere })
  expect(wrong.body.errors).toMatchObject([{ pointer: '/homeId', code: 'other_home' }])
  const both = await plumbline.post(`${SHEETS}/${sheet.id}/entries`, {
    date: WEEK,
    hours: 1,
    homeId: elsewhere,
    taskId: task.id,
  })
  expect(both.body.errors).toMatchObject([{ pointer: '/taskId', code: 'other_home' }])
  await plumbline.delete(`/api/ext/homes/${elsewhere}`)
  const gone = await plumbline.post(`${SHEETS}/${sheet.id}/entries`, { date: WEEK, hours: 1, homeId: elsewhere })
  expect(gone.body).toMatchObject({ status: 409, reason: 'archived' })
  // The trade is in use and cannot be renamed.
  const { body: scopes } = await plumbline.get('/api/ext/scopes?name=framing')
  const renamed = await plumbline.patch(`/api/ext/scopes/${scopes.data[0].id}`, { name: 'carpentry' })
  expect(renamed.body).toMatchObject({ reason: 'in_use', detail: expect.stringContaining('time entries') })
})

test('approved time is included in the budget of its home by trade and cost code', async () => {
  const line = { scope: 'framing', costCodeId: framing, amount: 1000 }
  await plumbline.post(`/api/ext/homes/${homeId}/budget/lines`, line)
  const sheet = await newSheet({ rate: 40 })
  await add(sheet, { date: '2026-11-16', hours: 10, homeId, scope: 'framing' })
  const late = await add(sheet, { date: '2026-11-20', hours: 12, homeId, costCodeId: trim })
  await add(sheet, { date: '2026-11-19', hours: 20, homeId })
  const office = await add(sheet, { date: '2026-11-17', hours: 8 })
  await add(sheet, { date: '2026-11-18', hours: 1, homeId, scope: 'framing', rate: 0 })
  expect(await getActual(homeId)).toMatchObject({ totalActual: 0 })
  expect((await move(sheet, 'submitted')).body).toMatchObject({ status: 'submitted', overtimeHours: 11 })
  expect((await getActual(homeId)).totalActual).toBe(0)
  const rejected = await move(sheet, 'rejected', { reason: 'Wednesday has no rate.' })
  expect(rejected.body).toMatchObject({ status: 'rejected', approvedAt: null })
  expect((await getActual(homeId)).totalActual).toBe(0)
  expect((await move(sheet, 'open')).body.status).toBe('open')

  const approved = await approve(sheet)
  expect(approved).toMatchObject({ status: 'approved', approvedBy: { type: 'key' }, cost: 40 * 39 + 60 * 11 })
  const overtime = 40 + 11 * 60
  expect(await getActual(homeId)).toEqual({
    rows: [
      ['framing', framing, 400],
      // The cost code belongs to no budget line and no trade, so the hours are listed separately.
      ['unassigned', trim, overtime],
      ['unassigned', null, 800],
    ],
    totalActual: 400 + 800 + overtime,
    totalForecast: 1000 + 800 + overtime,
  })
  expect(await entry(late)).toMatchObject({ postedAt: approved.approvedAt, overtimeHours: 11 })
  expect((await entry(office)).postedAt).toBeNull()
})

test('if approved time exceeds the budget of a trade, the forecast of the trade increases', async () => {
  await plumbline.post(`/api/ext/homes/${homeId}/budget/lines`, { scope: 'framing', costCodeId: framing, amount: 500 })
  const sheet = await newSheet({ rate: 50 })
  await add(sheet, { date: WEEK, hours: 8, homeId, scope: 'framing' })
  await approve(sheet)
  expect(await getActual(homeId)).toMatchObject({ totalActual: 400, totalForecast: 500 })
  const next = await newSheet({ weekStarting: '2026-11-23' })
  await add(next, { date: '2026-11-23', hours: 4, homeId, scope: 'framing' })
  await approve(next)
  expect(await getActual(homeId)).toMatchObject({ totalActual: 600, totalForecast: 600 })
})

test('the entries of a timesheet can be changed only while the timesheet is open', async () => {
  const sheet = await newSheet({ rate: 20 })
  expect((await move(sheet, 'submitted')).body).toMatchObject({
    ...{ status: 409, reason: 'missing_data' },
    detail: 'Cannot submit the timesheet: it has no entries.',
  })
  const added = await add(sheet, { date: WEEK, hours: 8 })
  const refusedAll = async () => {
    const tries = [
      plumbline.post(`${SHEETS}/${sheet.id}/entries`, { date: WEEK, hours: 1 }),
      plumbline.patch(`${ENTRIES}/${added.id}`, { notes: 'Another.' }),
      plumbline.delete(`${ENTRIES}/${added.id}`),
    ]
    for (const { status, body } of await Promise.all(tries)) expect([status, body.code]).toEqual([409, 'conflict'])
  }
  const early = await move(sheet, 'approved')
  expect(early.body).toMatchObject({ code: 'invalid_transition', from: 'open', allowed: ['submitted'] })
  await move(sheet, 'submitted')
  await refusedAll()
  const repriced = await plumbline.patch(`${SHEETS}/${sheet.id}`, { rate: 25 })
  expect(repriced.body).toMatchObject({ status: 'submitted', cost: 200 })
  expect((await entry(added)).cost).toBe(200)
  expect((await move(sheet, 'rejected')).body.errors).toMatchObject([{ pointer: '/reason', code: 'required' }])
  await move(sheet, 'rejected', { reason: 'Too long.' })
  await refusedAll()
  await move(sheet, 'open')
  await approve(sheet)
  await refusedAll()
  expect((await plumbline.patch(`${SHEETS}/${sheet.id}`, { rate: 30 })).status).toBe(409)
  expect((await move(sheet, 'rejected', { reason: 'No.' })).body.allowed).toEqual(['exported'])
  const waiting = await plumbline.get(`${SHEETS}?userId=${userId}&status=approved&exported=false`)
  expect(waiting.body.data).toHaveLength(1)
  const exported = await move(sheet, 'exported')
  expect(exported.body).toMatchObject({ status: 'exported', exportedAt: expect.any(String) })
  await refusedAll()
  expect((await plumbline.patch(`${SHEETS}/${sheet.id}`, { notes: 'No.' })).status).toBe(409)
  expect((await move(sheet, 'open')).body.allowed).toEqual([])
  expect((await plumbline.get(`${SHEETS}?userId=${userId}&exported=false`)).body.data).toEqual([])
  expect((await plumbline.get(`${SHEETS}?userId=${userId}&exported=true`)).body.data).toHaveLength(1)
  const { body: history } = await plumbline.get(`/api/ext/status-changes?resourceId=${sheet.id}`)
  const moves = history.data.map(({ from, to, reason }: Record<string, string>) => [from, to, reason])
  expect(moves.toSorted()).toEqual(
    [
      [null, 'open', null],
      ['open', 'submitted', null],
      ['submitted', 'rejected', 'Too long.'],
      ['rejected', 'open', null],
      ['open', 'submitted', null],
      ['submitted', 'approved', null],
      ['approved', 'exported', null],
    ].toSorted(),
  )
})

test('only callers with payments permissions can read and set pay rates', async () => {
  const sheet = await newSheet({ rate: 38.5 })
  const added = await add(sheet, { date: WEEK, hours: 8, homeId, rate: 40 })
  expect(added).toMatchObject({ rate: 40, cost: 320 })
  const own = { key: foreman }
  const seen = [
    (await plumbline.get(`${SHEETS}/${sheet.id}`, own)).body,
    (await plumbline.get(`${SHEETS}?userId=${userId}`, own)).body.data[0],
    (await plumbline.get(`${ENTRIES}/${added.id}`, own)).body,
    (await plumbline.get(`${SHEETS}/${sheet.id}/entries`, own)).body.data[0],
    (await plumbline.patch(`${SHEETS}/${sheet.id}`, { notes: 'Rain.' }, own)).body,
    (await plumbline.patch(`${ENTRIES}/${added.id}`, { hours: 7 }, own)).body,
    (await plumbline.post(`${SHEETS}/${sheet.id}/entries`, { date: WEEK, hours: 1 }, own)).body,
    (await plumbline.post(`${SHEETS}/${sheet.id}/status`, { status: 'submitted' }, own)).body,
  ]
  for (const record of seen) expect(record).toMatchObject({ id: expect.any(String), rate: null, cost: null })
  // The rates do not change.
  expect(await read(sheet)).toMatchObject({ rate: 38.5, cost: 280 + 38.5, notes: 'Rain.' })
  const next = { userId, weekStarting: '2026-11-23' }
  for (const refused of [
    await plumbline.patch(`${SHEETS}/${sheet.id}`, { rate: 50 }, own),
    await plumbline.patch(`${ENTRIES}/${added.id}`, { rate: null }, own),
    await plumbline.post(`${SHEETS}/${sheet.id}/entries`, { date: WEEK, hours: 1, rate: 50 }, own),
    await plumbline.post(SHEETS, { ...next, rate: 50 }, own),
  ])
    expect(refused.body).toMatchObject({ code: 'permission_denied', permission: 'payments:write' })
  const { body: hidden } = await plumbline.post(SHEETS, next, own)
  expect(hidden.rate).toBeNull()
  expect((await read(hidden)).rate).toBe(38.5)
})

test('users without a payments permission cannot approve their own timesheets', async () => {
  const accountant = await newUser('accountant')
  const { services } = plumbline.app
  for (const [whose, by, code] of [
    [userId, userId, 'permission_denied'],
    [accountant, userId, null],
    [accountant, accountant, null],
  ] as const) {
    const weekStarting = whose === by ? WEEK : '2026-11-23'
    const sheet = await newSheet({ userId: whose, weekStarting })
    await add(sheet, { date: weekStarting, hours: 8 })
    await move(sheet, 'submitted')
    const principal = await findUserPrincipal(plumbline.database.statements, plumbline.organizationId, by)
    const call = createCall(services, { principal, requestId: 'req_test', address: null })
    const answer = call.operation('changeTimesheetStatus', { timesheetId: sheet.id, status: 'approved' })
    const refused = await answer.then(() => null).catch((error: { code: string }) => error.code)
    expect(refused).toBe(code)
    if (code === null) expect((await read(sheet)).approvedBy).toEqual({ type: 'user', id: by })
  }
})

test('a dry run of a timesheet change returns the result and stores nothing', async () => {
  const sheet = await newSheet({ rate: 10 })
  const run = (skill: string, input: object) => plumbline.post('/api/ext/execute', { skill, input, dryRun: true })
  const added = await run('addTimeEntry', { timesheetId: sheet.id, date: WEEK, hours: 8 })
  expect(added.body.result).toMatchObject({ hours: 8, cost: 80 })
  expect((await run('clockIn', { userId })).body.result).toMatchObject({ userId, hours: null })
  expect(await read(sheet)).toEqual(sheet)
  expect(await listed(sheet)).toEqual([])
  await add(sheet, { date: WEEK, hours: 8, homeId })
  await move(sheet, 'submitted')
  const approved = await run('changeTimesheetStatus', { timesheetId: sheet.id, status: 'approved' })
  expect(approved.body.result.status).toBe('approved')
  expect((await getActual(homeId)).totalActual).toBe(0)
})

test("a builder cannot see another builder's timesheets or refer to its users", async () => {
  const { key } = await plumbline.newBuilder()
  const sheet = await newSheet()
  const added = await add(sheet, { date: WEEK, hours: 8 })
  const theirs = { key }
  for (const path of [`${SHEETS}/${sheet.id}`, `${SHEETS}/${sheet.id}/entries`, `${ENTRIES}/${added.id}`])
    expect((await plumbline.get(path, theirs)).status).toBe(404)
  expect((await plumbline.get(SHEETS, theirs)).body.data).toEqual([])
  expect((await plumbline.delete(`${ENTRIES}/${added.id}`, theirs)).status).toBe(404)
  expect((await plumbline.post(`${SHEETS}/${sheet.id}/status`, { status: 'submitted' }, theirs)).status).toBe(404)
  for (const path of [`${ENTRIES}/clock-in`, `${ENTRIES}/clock-out`])
    expect((await plumbline.post(path, { userId }, theirs)).body.code).toBe('unknown_reference')
})

test('changing a timesheet with a stale ETag is rejected', async () => {
  const sheet = await newSheet()
  const added = await add(sheet, { date: WEEK, hours: 8 })
  const stale = { headers: { 'if-match': '"9"' } }
  expect((await plumbline.patch(`${ENTRIES}/${added.id}`, { hours: 7 }, stale)).status).toBe(412)
  expect((await plumbline.delete(`${ENTRIES}/${added.id}`, stale)).status).toBe(412)
  expect((await plumbline.patch(`${SHEETS}/${sheet.id}`, { notes: 'x' }, stale)).status).toBe(412)
  const current = { headers: { 'if-match': '"1"' } }
  expect((await plumbline.patch(`${ENTRIES}/${added.id}`, { hours: 7 }, current)).status).toBe(200)
  const { body: trail } = await plumbline.get(`/api/ext/audit-entries?resourceId=${added.id}`)
  expect(trail.data.map(({ action }: { action: string }) => action)).toEqual([
    'time_entry.updated',
    'time_entry.created',
  ])
})

test('thirty entries of 80 minutes total 40 hours and cost 40 times the rate', async () => {
  const sheet = await newSheet({ rate: 31.25 })
  for (const [place, day] of ['16', '17', '18', '19', '20'].entries())
    for (let turn = 0; turn < 6; turn++) {
      const start = Date.parse(`2026-11-${day}T12:00:00Z`) + turn * 80 * 60_000
      const [startedAt, endedAt] = [new Date(start).toISOString(), new Date(start + 80 * 60_000).toISOString()]
      const entry = await add(sheet, { startedAt, endedAt })
      expect(entry.overtimeHours, `entry ${place * 6 + turn}`).toBe(0)
    }
  const { body } = await plumbline.get(`${SHEETS}/${sheet.id}`)
  expect(body).toMatchObject({ totalHours: 40, regularHours: 40, overtimeHours: 0, cost: 1250 })
  const data = await listed(sheet)
  const cents = data.map(({ cost }: { cost: number }) => Math.round(cost * 100))
  expect(cents.reduce((total: number, each: number) => total + each, 0)).toBe(125_000)
  const summary = await plumbline.post('/api/ext/execute', {
    ...{ skill: 'timesheetCostSummary', input: { from: WEEK, to: '2026-11-22', groupBy: 'user' } },
  })
  const own = summary.body.result.groups.find(({ key }: { key: string }) => key === userId)
  expect(own).toMatchObject({ hours: 40, cost: 1250 })
})

test('a time entry can cover all 25 hours of a day on which clocks are set back', async () => {
  const sheet = await newSheet({ weekStarting: '2026-10-26' })
  const post = (body: object) => plumbline.post(`${SHEETS}/${sheet.id}/entries`, body)
  expect((await post({ date: '2026-10-30', hours: 25 })).status).toBe(422)
  const whole = { startedAt: '2026-11-01T00:00:00-05:00', endedAt: '2026-11-02T00:00:00-06:00' }
  expect((await post(whole)).body).toMatchObject({ date: '2026-11-01', hours: 25 })
  expect((await post({ date: '2026-11-01', hours: 0.5 })).status).toBe(422)
})

test('if a new first day of the week makes two weeks overlap, each day belongs to only one timesheet', async () => {
  const before = await newSheet()
  await add(before, { date: '2026-11-21', hours: 8 })
  const { database, organizationId } = plumbline
  const setFirstDay = (weekStartsOn: number) =>
    database.sessions.updateTable('organizations').set({ weekStartsOn }).where('id', '=', organizationId).execute()
  await setFirstDay(7)
  try {
    const after = await newSheet({ weekStarting: '2026-11-22' })
    const refused = await plumbline.post(`${SHEETS}/${after.id}/entries`, { date: '2026-11-22', hours: 8 })
    expect(refused.body).toMatchObject({ status: 422, errors: [{ pointer: '/date', code: 'out_of_week' }] })
    expect(refused.body.errors[0].message).toContain(before.id)
    await add(before, { date: '2026-11-22', hours: 8 })
    await add(after, { date: '2026-11-23', hours: 8 })
  } finally {
    await setFirstDay(1)
  }
})
