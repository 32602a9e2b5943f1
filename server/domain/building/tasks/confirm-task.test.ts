import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listEventsAbout } from '../../../../test/support/recorded-events.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'
import { formatDate } from '../../../platform/values/format.ts'
import { createWorkCalendar } from '../../../platform/values/workdays.ts'

const TASKS = '/api/ext/tasks'
const ZONE = 'America/Chicago'
const calendar = createWorkCalendar({ workdays: [1, 2, 3, 4, 5], holidays: [] })
const NOT_ASKED = { status: 'none', proposedStart: null, note: null, requestedAt: null, respondedAt: null }

let plumbline: TestPlumbline
let communityId: string
let homeId: string
let vendorId: string
let start: string
let lots = 0

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  start = calendar.add(toLocalDate(ZONE, plumbline.clock.now()), 30)
  const community = { name: 'Juniper Ridge', status: 'active', timeZone: ZONE, workdays: [1, 2, 3, 4, 5] }
  communityId = (await plumbline.post('/api/ext/communities', community)).body.id
})
afterAll(() => plumbline.stop())
beforeEach(async () => {
  homeId = (await plumbline.post('/api/ext/homes', { name: `Lot ${++lots}`, communityId })).body.id
  vendorId = await newVendor(`Framers ${lots}`)
})

const newVendor = async (companyName: string) =>
  (await plumbline.post('/api/ext/vendors', { companyName, email: 'bids@example.com' })).body.id
const read = async (id: string) => (await plumbline.get(`${TASKS}/${id}`)).body
const ask = (id: string, options = {}) => plumbline.post(`${TASKS}/${id}/confirmation/request`, undefined, options)
const answer = (id: string, body: object) => plumbline.post(`${TASKS}/${id}/confirmation`, body)
const decide = (id: string, body: object) => plumbline.post(`${TASKS}/${id}/confirmation/decision`, body)
const kinds = async () =>
  (await plumbline.get(`/api/ext/vendors/${vendorId}/notifications?sort=createdAt`)).body.data.map(
    ({ kind }: { kind: string }) => kind,
  )

async function newTask(fields: object = {}) {
  const body = { homeId, name: 'Walls framed', durationDays: 6, vendorId, plannedStart: start, ...fields }
  return (await plumbline.post(TASKS, body)).body
}

test('a confirmation request notifies the vendor and invites the vendor to the portal', async () => {
  const { id } = await newTask()
  const { status, body } = await ask(id)
  expect([status, body.confirmation.status, body.notifiedStart]).toEqual([200, 'requested', start])
  expect(body.confirmation.requestedAt).toBe(body.notifiedAt)
  expect(await plumbline.mailedLink(vendorId)).toMatch(/\/portal\/ven_/)
  const { body: reported } = await plumbline.get(`/api/ext/vendors/${vendorId}/notifications`)
  expect(reported.data).toMatchObject([{ kind: 'advance', taskId: id, homeId, date: start, tasks: [] }])
  const events = (await listEventsAbout(plumbline, vendorId)).map(({ type }) => type)
  expect(events).toEqual(['vendor.created', 'vendor.invited'])
  const again = await ask(id)
  expect(again.status).toBe(200)
  expect((await listEventsAbout(plumbline, vendorId)).map(({ type }) => type)).toEqual(events)
  expect(await kinds()).toEqual(['advance', 'reminder'])
})

test('if the caller cannot invite vendors, a confirmation request sends no portal invitation', async () => {
  const { id } = await newTask()
  const planner = await plumbline.newKey(['tasks:write'])
  expect((await ask(id, { key: planner })).status).toBe(200)
  expect((await plumbline.get(`/api/ext/vendors/${vendorId}`)).body.portalStatus).toBe('not_invited')
  const reader = await plumbline.newKey(['tasks:read'])
  expect((await ask(id, { key: reader })).status).toBe(403)
})

test('a user can record that a vendor confirmed a task', async () => {
  const one = await newTask()
  const confirmed = await answer(one.id, { answer: 'confirmed' })
  expect(confirmed.body).toMatchObject({
    confirmation: { status: 'confirmed', requestedAt: null },
    notifiedStart: start,
  })
  expect(confirmed.body.confirmation.respondedAt).not.toBeNull()
  expect((await answer(one.id, { answer: 'confirmed' })).body.version).toBe(confirmed.body.version)
})

test('tasks can be filtered by confirmation status', async () => {
  const [one, other] = [await newTask(), await newTask({ name: 'Roof sheathed' })]
  await answer(one.id, { answer: 'confirmed' })
  await answer(other.id, { answer: 'declined', note: 'No crew before the spring.' })
  const found = async (status: string) =>
    (await plumbline.get(`${TASKS}?homeId=${homeId}&confirmationStatus=${status}`)).body.data.map(
      ({ id }: { id: string }) => id,
    )
  expect(await found('confirmed')).toEqual([one.id])
  expect(await found('declined')).toEqual([other.id])
  expect(await found('none')).toEqual([])
})

test('a confirmation can be requested after the vendor declined', async () => {
  const other = await newTask()
  await answer(other.id, { answer: 'declined', note: 'No crew before the spring.' })
  const requested = await ask(other.id)
  expect(requested.body.confirmation).toEqual({
    ...NOT_ASKED,
    status: 'requested',
    requestedAt: requested.body.updatedAt,
  })
})

test("accepting a vendor's proposed date moves the schedule and confirms the task", async () => {
  const walls = await newTask()
  const roofers = await newVendor(`Roofers ${lots}`)
  const after = { name: 'Roof sheathed', durationDays: 2, vendorId: roofers, predecessors: [{ taskId: walls.id }] }
  const roof = await newTask({ ...after, plannedStart: undefined })
  await ask(walls.id)
  await ask(roof.id)
  const proposedStart = calendar.add(start, 5)
  const note = 'The crew is in Dallas.'
  const proposed = await answer(walls.id, { answer: 'reschedule_requested', proposedStart, note })
  expect(proposed.body).toMatchObject({
    plannedStart: start,
    confirmation: { status: 'reschedule_requested', proposedStart, note },
  })
  const { status, body } = await decide(walls.id, { accept: true })
  expect([status, body.plannedStart]).toEqual([200, proposedStart])
  expect(body.confirmation).toMatchObject({ status: 'confirmed', proposedStart: null, note })
  expect(body.cascade.moved.map(({ taskId }: { taskId: string }) => taskId)).toEqual([walls.id, roof.id])
  expect(body.cascade.notices).toMatchObject([
    { vendorId, kind: 'postponed' },
    { vendorId: roofers, kind: 'postponed' },
  ])
  expect((await read(roof.id)).confirmation).toMatchObject({ status: 'requested', requestedAt: body.updatedAt })
  expect(await kinds()).toEqual(['advance', 'postponed'])
})

test('accepting an earlier date notifies the vendors of later tasks that move earlier', async () => {
  const walls = await newTask({ plannedStart: calendar.add(start, 5) })
  const roofers = await newVendor(`Early roofers ${lots}`)
  const after = { name: 'Roof sheathed', durationDays: 2, vendorId: roofers, predecessors: [{ taskId: walls.id }] }
  const roof = await newTask({ ...after, plannedStart: undefined })
  await ask(walls.id)
  await ask(roof.id)
  await answer(walls.id, { answer: 'reschedule_requested', proposedStart: start })
  const { status, body } = await decide(walls.id, { accept: true })
  expect([status, body.plannedStart]).toEqual([200, start])
  expect(body.cascade.notices).toContainEqual(expect.objectContaining({ vendorId: roofers, kind: 'moved_earlier' }))
})

test('rejecting a proposed date requests confirmation again', async () => {
  const slab = await newTask({ name: 'Slab poured', durationDays: 1, vendorId: null })
  const walls = await newTask({ predecessors: [{ taskId: slab.id }], plannedStart: undefined })
  const early = { answer: 'reschedule_requested', proposedStart: addDays(start, -1) }
  await answer(walls.id, early)
  const requested = await decide(walls.id, { accept: false, reason: 'The slab is not dry.' })
  expect(requested.body).toMatchObject({
    confirmation: { status: 'requested', proposedStart: null },
    cascade: { moved: [] },
  })
  const { body: reported } = await plumbline.get(`/api/ext/vendors/${vendorId}/notifications`)
  expect(reported.data).toMatchObject([{ kind: 'reminder', message: 'The slab is not dry.' }])
  expect((await decide(walls.id, { accept: false })).body.reason).toBe('missing_data')
})

test('a proposed date that the schedule does not allow cannot be accepted', async () => {
  const slab = await newTask({ name: 'Slab poured', durationDays: 1, vendorId: null })
  const walls = await newTask({ predecessors: [{ taskId: slab.id }], plannedStart: undefined })
  const early = { answer: 'reschedule_requested', proposedStart: addDays(start, -1) }
  await answer(walls.id, early)
  const before = await read(walls.id)
  const refused = await decide(walls.id, { accept: true })
  expect([refused.status, refused.body.reason, refused.body.detail]).toEqual([
    ...[409, 'not_available'],
    `Walls framed cannot start on ${formatDate(early.proposedStart)}. The earliest possible start is ${formatDate(walls.plannedStart)}.`,
  ])
  expect(await read(walls.id)).toEqual(before)
})

test('accepting a proposed date that has passed does not move the schedule', async () => {
  const walls = await newTask()
  const proposedStart = addDays(toLocalDate(ZONE, plumbline.clock.now()), 1)
  await answer(walls.id, { answer: 'reschedule_requested', proposedStart })
  plumbline.clock.advance(3 * 86_400_000)
  expect((await decide(walls.id, { accept: true })).body.reason).toBe('deadline_passed')
})

test('a moved task requests confirmation again, but not from a newly assigned vendor', async () => {
  const tasks = []
  for (const said of ['requested', 'confirmed', 'reschedule_requested', 'declined', 'none']) {
    const task = await newTask({ name: said })
    if (said !== 'none') await ask(task.id)
    const more = said === 'reschedule_requested' ? { proposedStart: addDays(start, 40) } : {}
    if (said !== 'none' && said !== 'requested') await answer(task.id, { answer: said, ...more })
    tasks.push(task)
  }
  const later = calendar.add(start, 3)
  const statuses = []
  for (const { id } of tasks) {
    const { body } = await plumbline.post(`${TASKS}/${id}/delay`, { days: 3, reasonCode: 'weather' })
    statuses.push(body.confirmation.status)
    if (body.confirmation.status === 'requested')
      expect(body.confirmation).toEqual({ ...NOT_ASKED, status: 'requested', requestedAt: body.updatedAt })
    expect(body).toMatchObject({ plannedStart: later, notifiedStart: statuses.length < 5 ? later : null })
  }
  expect(statuses).toEqual(['requested', 'requested', 'requested', 'declined', 'none'])
  const other = await newVendor(`Other framers ${lots}`)
  const { body } = await plumbline.patch(`${TASKS}/${tasks[1]?.id}`, { vendorId: other, durationDays: 3 })
  expect(body).toMatchObject({ confirmation: NOT_ASKED, notifiedStart: null, notifiedAt: null })
  const simulated = await plumbline.get(`${TASKS}/${tasks[0]?.id}/delay?days=1`)
  expect(simulated.body.confirmation.status).toBe('requested')
})

test('confirmation cannot be requested for a task that has no vendor, already has a response, is skipped, or is archived', async () => {
  const refusalOf = async (id: string) => {
    const { status, body } = await ask(id)
    return [status, body.detail]
  }
  const { id } = await newTask({ vendorId: null })
  expect(await refusalOf(id)).toEqual([409, 'Walls framed has no vendor. Assign a vendor to the task first.'])
  await plumbline.patch(`${TASKS}/${id}`, { vendorId })
  await answer(id, { answer: 'confirmed' })
  expect(await refusalOf(id)).toEqual([409, `The vendor has already confirmed ${formatDate(start)} for Walls framed.`])
  const proposedStart = addDays(start, 1)
  await answer(id, { answer: 'reschedule_requested', proposedStart })
  expect((await refusalOf(id))[1]).toBe(
    `The vendor has proposed ${formatDate(proposedStart)} for Walls framed. Accept or decline the proposal first.`,
  )
  await plumbline.post(`${TASKS}/${id}/status`, { status: 'skipped' })
  expect(await refusalOf(id)).toEqual([
    409,
    'The start date of Walls framed can no longer change: the task is skipped.',
  ])
  const gone = await newTask()
  await plumbline.delete(`${TASKS}/${gone.id}`)
  expect(await refusalOf(gone.id)).toEqual([
    409,
    'The start date of Walls framed can no longer change: the task is archived.',
  ])
  const past = await newTask({ plannedStart: addDays(start, -100) })
  expect((await refusalOf(past.id))[1]).toMatch(/^The planned start of .* has passed\. Move the task first\.$/)
  const ofGone = await newTask()
  await plumbline.delete(`/api/ext/vendors/${vendorId}`)
  expect(await refusalOf(ofGone.id)).toEqual([409, `Cannot confirm Walls framed: Framers ${lots} is archived.`])
  expect((await answer(ofGone.id, { answer: 'confirmed' })).status).toBe(409)
  expect((await ask('tsk_nowhere')).status).toBe(404)
  const { key } = await plumbline.newBuilder()
  expect((await ask(ofGone.id, { key })).status).toBe(404)
})

test('a proposed date must not be before today and must differ from the planned date', async () => {
  const { id } = await newTask()
  const faultOf = async (body: object) => {
    const { status, body: problem } = await answer(id, body)
    return [status, problem.errors?.[0].pointer, problem.errors?.[0].code]
  }
  const answered = { answer: 'reschedule_requested' }
  expect(await faultOf(answered)).toEqual([422, '/proposedStart', 'required'])
  expect(await faultOf({ ...answered, proposedStart: start })).toEqual([422, '/proposedStart', 'same'])
  const yesterday = addDays(toLocalDate(ZONE, plumbline.clock.now()), -1)
  expect(await faultOf({ ...answered, proposedStart: yesterday })).toEqual([422, '/proposedStart', 'minimum'])
  expect(await faultOf({ answer: 'confirmed', proposedStart: start })).toEqual([422, '/proposedStart', 'exclusive'])
  expect(await faultOf({ answer: 'none' })).toEqual([422, '/answer', 'enum'])
})
