import { afterAll, beforeAll, expect, test } from 'vitest'
import { StatementCounter } from '../../../../test/support/count-statements.ts'
import { listProductionRows } from '../../../../test/support/production-home.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { createWorkCalendar } from '../../../platform/values/workdays.ts'

/** The critical tasks and their workdays, counted from 1, as the builder of the home calculated them. */
const CRITICAL_PATH =
  'Plot plan drawn (1-2) > Foundation plan engineered (3-5) > Permit submitted (6-6) > Permit issued (7-18) > Erosion control installed (19-19) > Lot cleared and staked (20-20) > Pad graded (21-23) > Forms set (24-25) > Underground plumbing (26-27) > Underground plumbing inspection (28-28) > Beams dug and vapor barrier laid (29-30) > Termite pretreatment (30-30) > Cables and rebar placed (31-31) > Pre-pour inspection (32-32) > Slab poured (33-33) > Lumber package delivered (38-38) > Walls framed (39-44) > Roof trusses delivered (44-44) > Trusses set (45-46) > Wall sheathing and wrap (46-47) > Windows and exterior doors delivered (47-47) > Roof sheathed (47-48) > Windows and exterior doors set (48-48) > Framing punch (49-50) > Plumbing top-out (51-53) > HVAC rough-in (54-57) > Electrical rough-in (58-61) > Electrical rough inspection (62-62) > Framing inspection (63-63) > Rough cleaning (64-64) > Air seal and wall insulation (65-66) > Insulation inspection (67-67) > Drywall stocked (68-68) > Drywall hung (69-71) > Drywall nailing inspection (72-72) > Drywall taped and floated (73-77) > Drywall textured (78-79) > Trim and doors delivered (79-79) > Interior doors and trim set (80-84) > Cabinets set (84-85) > Countertops measured (86-86) > Countertops set (95-95) > Kitchen backsplash set (96-96) > Electrical trim (97-99) > Appliances set (100-100) > Carpet laid (100-100) > Paint touch-up (101-102) > Building final inspection (103-103) > Final cleaning (104-104) > Quality walk by superintendent (105-105) > Punch list worked (106-110) > Buyer orientation walk (111-111) > Walk items corrected (112-115) > Closing documents signed (116-116)'

const HOLIDAYS = ['2027-01-18', '2027-05-31', '2027-07-05']
const calendar = createWorkCalendar({ workdays: [1, 2, 3, 4, 5], holidays: HOLIDAYS })

let plumbline: TestPlumbline
let communityId: string
let lots = 0

const counted = new StatementCounter('applyScheduleTemplate')

beforeAll(async () => {
  plumbline = await startTestPlumbline({}, { handlers: counted.handlers })
  const community = { name: 'Juniper Ridge', status: 'active', workdays: [1, 2, 3, 4, 5], holidays: HOLIDAYS }
  communityId = (await made('communities', community)).id
})
afterAll(() => plumbline.stop())

async function made(path: string, body: object) {
  const answer = await plumbline.post(`/api/ext/${path}`, body)
  expect([answer.status, answer.body.errors]).toEqual([201, undefined])
  return answer.body
}

const newHome = async (fields: object = {}) =>
  (await made('homes', { name: `Lot ${++lots}`, communityId, ...fields })).id as string
const newTemplate = (fields: object) => made('task-templates', { name: 'Slab house', ...fields })
const apply = (homeId: string, body: object) => plumbline.post(`/api/ext/homes/${homeId}/schedule/template`, body)
const home = async (id: string) => (await plumbline.get(`/api/ext/homes/${id}`)).body
const tasksOf = async (homeId: string) =>
  (await plumbline.get(`/api/ext/tasks?homeId=${homeId}&limit=200&sort=createdAt`)).body.data

const slabAndWalls = (more: object = {}) => [
  { name: 'Slab poured', scope: 'concrete', checklist: ['Cables photographed'] },
  { name: 'Walls framed', durationDays: 6, predecessors: [{ name: 'Slab poured', lagDays: 4 }], ...more },
]

test('the schedule of a production home has 101 tasks on the expected dates and takes 116 workdays', async () => {
  const { id: taskTemplateId } = await newTemplate({ rows: listProductionRows() })
  const homeId = await newHome()
  const answer = await apply(homeId, { startDate: '2027-01-04', taskTemplateId })
  expect(answer.status).toBe(200)
  const { tasksCreated, tasksArchived, schedule } = answer.body
  const last = calendar.add('2027-01-04', 115)
  expect({ tasksCreated, tasksArchived }).toEqual({ tasksCreated: 101, tasksArchived: 0 })
  expect(schedule).toMatchObject({ startDate: '2027-01-04', endDate: last, workdays: 116, percentComplete: 0 })
  expect(schedule.criticalPath).toHaveLength(56)
  const dayOf = new Map(
    schedule.tasks.map((task: { name: string; plannedStart: string; plannedEnd: string; isCritical: boolean }) => {
      const [first, end] = [task.plannedStart, task.plannedEnd].map((date) => calendar.between('2027-01-04', date) + 1)
      return [task.name, [`${task.name} (${first}-${end})`, task.isCritical]]
    }),
  )
  for (const step of CRITICAL_PATH.split(' > ')) {
    expect(dayOf.get(step.slice(0, step.lastIndexOf(' (')))).toEqual([step, true])
  }
  expect((await plumbline.get(`/api/ext/homes/${homeId}/schedule`)).body).toEqual(schedule)
  expect(await home(homeId)).toMatchObject({ forecastCompletionDate: last, percentComplete: 0, startDate: null })
})

test("a schedule that is created from a template keeps the template's lags in calendar days", async () => {
  const cured = [{ name: 'Slab poured', lagDays: 7, lagUnit: 'calendar_days' }]
  const template = await newTemplate({ rows: slabAndWalls({ predecessors: cured }) })
  expect(template).toMatchObject({ workdays: 12, rows: [{}, { predecessors: [{ lagUnit: 'calendar_days' }] }] })
  const homeId = await newHome()
  await apply(homeId, { startDate: '2027-01-08', taskTemplateId: template.id })
  // The slab is poured on a Friday and cures through the next Friday. The following Monday is a holiday.
  expect((await tasksOf(homeId))[1]).toMatchObject({
    ...{ plannedStart: '2027-01-19', predecessors: [{ lagDays: 7, lagUnit: 'calendar_days' }] },
  })
})

test("tasks are created in the order of the template's rows", async () => {
  const vendor = await made('vendors', { companyName: 'Lone Star Framing LLC', status: 'active' })
  const { id: taskTemplateId } = await newTemplate({ rows: slabAndWalls({ vendorId: vendor.id, phase: 'framing' }) })
  const homeId = await newHome()
  await apply(homeId, { startDate: '2027-01-16', taskTemplateId })
  const [slab, walls] = await tasksOf(homeId)
  expect(slab).toMatchObject({
    ...{ homeId, communityId, name: 'Slab poured', scope: 'concrete', phase: null, sequence: 10, taskKind: 'work' },
    ...{ status: 'not_started', durationDays: 1, plannedStart: '2027-01-19', predecessors: [], vendorId: null },
    constraint: { type: 'start_no_earlier_than', date: '2027-01-16' },
    checklist: [{ text: 'Cables photographed', done: false }],
    ...{ baselineStart: null, notifiedStart: null, version: 1 },
  })
  expect(walls).toMatchObject({
    ...{ name: 'Walls framed', phase: 'framing', sequence: 20, vendorId: vendor.id, plannedStart: '2027-01-26' },
    ...{ plannedEnd: '2027-02-02', predecessors: [{ taskId: slab.id, type: 'FS', lagDays: 4 }] },
    ...{ totalFloatDays: 0, isCritical: true, constraint: { type: 'none', date: null } },
  })
})

test('a delay of a task from a template moves the later tasks', async () => {
  const vendor = await made('vendors', { companyName: 'Lone Star Framing LLC', status: 'active' })
  const { id: taskTemplateId } = await newTemplate({ rows: slabAndWalls({ vendorId: vendor.id, phase: 'framing' }) })
  const homeId = await newHome()
  await apply(homeId, { startDate: '2027-01-16', taskTemplateId })
  const [slab] = await tasksOf(homeId)
  const { body: delayed } = await plumbline.post(`/api/ext/tasks/${slab.id}/delay`, { days: 1, reasonCode: 'weather' })
  expect(delayed.cascade.moved.map(({ name }: { name: string }) => name)).toEqual(['Slab poured', 'Walls framed'])
})

test('the history records when a task was created from a template', async () => {
  const vendor = await made('vendors', { companyName: 'Lone Star Framing LLC', status: 'active' })
  const { id: taskTemplateId } = await newTemplate({ rows: slabAndWalls({ vendorId: vendor.id, phase: 'framing' }) })
  const homeId = await newHome()
  await apply(homeId, { startDate: '2027-01-16', taskTemplateId })
  const [, walls] = await tasksOf(homeId)
  const { body: history } = await plumbline.get(`/api/ext/status-changes?resourceId=${walls.id}`)
  expect(history.data).toMatchObject([{ from: null, to: 'not_started' }])
  const { body: audit } = await plumbline.get(`/api/ext/audit-entries?resourceId=${walls.id}&action=task.created`)
  expect(audit.data).toHaveLength(1)
})

test('applying a template does not assign tasks to inactive vendors', async () => {
  const [active, held, archived] = [
    await made('vendors', { companyName: 'Active Framing', status: 'active' }),
    await made('vendors', { companyName: 'Held Framing', status: 'active' }),
    await made('vendors', { companyName: 'Gone Framing', status: 'active' }),
  ]
  const rows = [active, held, archived].map(({ id: vendorId }, i) => ({ name: `Walls ${i}`, vendorId }))
  const { id: taskTemplateId } = await newTemplate({ rows })
  await plumbline.post(`/api/ext/vendors/${held.id}/status`, { status: 'on_hold', reason: 'Under review.' })
  await plumbline.delete(`/api/ext/vendors/${archived.id}`)
  const homeId = await newHome()
  await apply(homeId, { startDate: '2027-01-04', taskTemplateId })
  const vendorIds = (await tasksOf(homeId)).map(({ vendorId }: { vendorId: string | null }) => vendorId)
  expect(vendorIds).toEqual([active.id, null, null])
})

test('the most specific active template is applied: plan and community, then plan, then community, then any home', async () => {
  const { key } = await plumbline.newBuilder()
  const create = async (path: string, body: object) => (await plumbline.post(`/api/ext/${path}`, body, { key })).body.id
  const template = (fields: object = {}) =>
    create('task-templates', { name: 'Slab house', rows: slabAndWalls(), ...fields })
  const [here, there] = [
    await create('communities', { name: 'Barton Bluff', status: 'active' }),
    await create('communities', { name: 'Cedar Hollow', status: 'active' }),
  ]
  const planId = await create('plans', { code: 'P2100', name: 'The Juniper' })
  await plumbline.post(`/api/ext/plans/${planId}/status`, { status: 'released' }, { key })
  const created = async (communityId: string, planId: string | null, body: object = {}) => {
    const homeId = await create('homes', { name: `Lot ${++lots}`, communityId, planId })
    const at = `/api/ext/homes/${homeId}/schedule/template`
    return plumbline.post(at, { startDate: '2027-01-04', ...body }, { key })
  }
  const taken = async (communityId: string, planId: string | null) =>
    (await created(communityId, planId)).body.taskTemplateId
  const none = await created(here, planId)
  expect(none).toMatchObject({ status: 409, body: { code: 'conflict' } })
  expect(none.body).toMatchObject({ reason: 'missing_data', detail: expect.stringContaining('Set taskTemplateId') })
  const general = await template()
  await template({ name: 'A later one' })
  const ofCommunity = await template({ communityId: here })
  const ofPlan = await template({ planId })
  const ofBoth = await template({ planId, communityId: here })
  expect(await taken(here, planId)).toBe(ofBoth)
  expect(await taken(there, planId)).toBe(ofPlan)
  expect(await taken(here, null)).toBe(ofCommunity)
  expect(await taken(there, null)).toBe(general)
  for (const [gone, next] of [
    [ofBoth, ofPlan],
    [ofPlan, ofCommunity],
    [ofCommunity, general],
  ]) {
    await plumbline.delete(`/api/ext/task-templates/${gone}`, { key })
    expect(await taken(here, planId)).toBe(next)
  }
  const refused = await created(here, planId, { taskTemplateId: ofBoth })
  expect(refused).toMatchObject({ status: 409, body: { reason: 'archived' } })
})

test('an existing schedule is replaced only on request and only before work has started', async () => {
  const { id: taskTemplateId } = await newTemplate({ rows: slabAndWalls() })
  const homeId = await newHome()
  await apply(homeId, { startDate: '2027-01-04', taskTemplateId })
  const before = await tasksOf(homeId)
  const refused = await apply(homeId, { startDate: '2027-02-01', taskTemplateId })
  expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } })
  expect(refused.body.detail).toMatch(/ already has 2 tasks\. To archive them and apply the template, set replace\.$/)
  const again = await apply(homeId, { startDate: '2027-02-01', taskTemplateId, replace: true })
  expect(again.body).toMatchObject({ tasksCreated: 2, tasksArchived: 2, schedule: { startDate: '2027-02-01' } })
  expect((await home(homeId)).forecastCompletionDate).toBe(again.body.schedule.endDate)
  expect((await plumbline.get(`/api/ext/tasks/${before[0].id}`)).body.archivedAt).not.toBeNull()
  const [slab] = await tasksOf(homeId)
  plumbline.clock.advance(Date.parse('2027-02-02T18:00:00Z') - plumbline.clock.now().getTime())
  await plumbline.post(`/api/ext/tasks/${slab.id}/status`, { status: 'in_progress' })
  const started = await apply(homeId, { startDate: '2027-03-01', taskTemplateId, replace: true })
  expect(started.status).toBe(409)
  expect(started.body).toMatchObject({
    code: 'conflict',
    detail: expect.stringContaining('Slab poured has already started (February 2, 2027).'),
  })
  expect(await tasksOf(homeId)).toHaveLength(2)
})

test('changing a template does not change schedules created from the template', async () => {
  const template = await newTemplate({ rows: slabAndWalls() })
  const homeId = await newHome()
  await apply(homeId, { startDate: '2027-01-04', taskTemplateId: template.id })
  const before = await tasksOf(homeId)
  await plumbline.patch(`/api/ext/task-templates/${template.id}`, { rows: [{ name: 'Other', durationDays: 90 }] })
  await plumbline.delete(`/api/ext/task-templates/${template.id}`)
  expect(await tasksOf(homeId)).toEqual(before)
})

test('a dry run of applying a template returns the schedule and stores nothing', async () => {
  const { id: taskTemplateId } = await newTemplate({ rows: slabAndWalls() })
  const homeId = await newHome()
  const input = { homeId, startDate: '2027-01-04', taskTemplateId }
  const { body } = await plumbline.post('/api/ext/execute', { skill: 'applyScheduleTemplate', input, dryRun: true })
  expect(body.result).toMatchObject({ tasksCreated: 2, schedule: { startDate: '2027-01-04', endDate: '2027-01-19' } })
  expect(await tasksOf(homeId)).toEqual([])
  expect((await home(homeId)).forecastCompletionDate).toBeNull()
})

test('applying a template is rejected if the start date is invalid or the home is canceled', async () => {
  const { id: taskTemplateId } = await newTemplate({ rows: slabAndWalls() })
  const homeId = await newHome()
  for (const startDate of ['9999-12-31', '0001-01-01', '2999-12-31']) {
    const refused = await apply(homeId, { startDate, taskTemplateId })
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/startDate', code: 'out_of_range' }] } })
  }
  const absent = await apply(homeId, { startDate: '2027-01-04', taskTemplateId: 'ttp_01m7y975jyfesvq6zzzzzzzzzz' })
  expect(absent).toMatchObject({ status: 422, body: { errors: [{ pointer: '/taskTemplateId' }] } })
  await plumbline.post(`/api/ext/homes/${homeId}/status`, { status: 'cancelled' })
  expect((await apply(homeId, { startDate: '2027-01-04', taskTemplateId })).status).toBe(409)
})

test('only one of several concurrent requests to apply a template creates the schedule', async () => {
  const { id: taskTemplateId } = await newTemplate({ rows: slabAndWalls() })
  const homeId = await newHome()
  const answers = await Promise.all([1, 2, 3].map(() => apply(homeId, { startDate: '2027-01-04', taskTemplateId })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  expect(await tasksOf(homeId)).toHaveLength(2)
})

test('applying a template with 1,000 tasks needs no more statements than applying one with two tasks', async () => {
  const many = Array.from({ length: 1000 }, (_, i) => ({
    ...{ name: `Task ${i}`, scope: `trade ${i % 30}` },
    predecessors: i < 7 ? [] : [{ name: `Task ${i - 1}` }, { name: `Task ${i - 7}`, type: 'SS', lagDays: 1 }],
  }))
  const counts: number[] = []
  for (const rows of [slabAndWalls(), many]) {
    const { id: taskTemplateId } = await newTemplate({ rows })
    const homeId = await newHome()
    await apply(homeId, { startDate: '2027-01-04', taskTemplateId })
    counted.statements = 0
    const answer = await apply(homeId, { startDate: '2027-02-01', taskTemplateId, replace: true })
    expect(answer.body).toMatchObject({ tasksCreated: rows.length, tasksArchived: rows.length })
    counts.push(counted.statements)
  }
  // The audit trail executes one more statement when the transaction is committed.
  expect(counts).toEqual([11, 11])
})
