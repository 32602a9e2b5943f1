import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { addCopies } from '../../../../test/support/add-copies.ts'
import { StatementCounter } from '../../../../test/support/count-statements.ts'
import { listProductionRows } from '../../../../test/support/production-home.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let key: string
let communityId: string

const counted = new StatementCounter('startHomes')

beforeAll(async () => {
  plumbline = await startTestPlumbline({}, { handlers: counted.handlers })
})
afterAll(() => plumbline.stop())
beforeEach(async () => {
  key = (await plumbline.newBuilder()).key
  const community = { name: 'Juniper Ridge', status: 'active', holidays: ['2027-01-18'], startsPerWeekTarget: 2 }
  communityId = (await made('communities', community)).id
})

async function made(path: string, body: object) {
  const answer = await plumbline.post(`/api/ext/${path}`, body, { key })
  expect([answer.status, answer.body.errors]).toEqual([201, undefined])
  return answer.body
}

const newTemplate = async (fields: object = {}) => {
  const rows = [
    { name: 'Slab poured' },
    { name: 'Walls framed', durationDays: 6, predecessors: [{ name: 'Slab poured' }] },
  ]
  return (await made('task-templates', { name: 'Slab house', rows, ...fields })).id as string
}

async function newHome(lotNumber: string, fields: object = {}): Promise<string> {
  return (await made('homes', { name: `Lot ${lotNumber}`, lotNumber, communityId, ...fields })).id
}

async function readyHome(lotNumber: string, fields: object = {}): Promise<string> {
  const id = await newHome(lotNumber, fields)
  for (const status of ['permitting', 'ready_to_start'])
    await plumbline.post(`/api/ext/homes/${id}/status`, { status }, { key })
  return id
}

const start = (body: object, id = communityId) => plumbline.post(`/api/ext/communities/${id}/starts`, body, { key })
const read = async (path: string) => (await plumbline.get(`/api/ext/${path}`, { key })).body
const absent = (prefix: string) => `${prefix}_01m7y975jyfesvq6zzzzzzzzzz`

test("all ready homes start at the community's weekly rate, in the order of their lot numbers", async () => {
  const taskTemplateId = await newTemplate()
  const homes = { '10': '', '9': '', '2': '', '11': '' }
  for (const lot of ['10', '9', '2', '11'] as const) homes[lot] = await readyHome(lot)
  await newHome('1')
  const scheduled = await readyHome('3')
  await plumbline.post('/api/ext/tasks', { homeId: scheduled, name: 'Slab poured' }, { key })
  const { status, body } = await start({ firstStartDate: '2027-01-09' })
  expect([status, body.communityId, body.startsPerWeek, body.scheduled, body.skipped]).toEqual([
    200,
    communityId,
    2,
    4,
    0,
  ])
  const done = { outcome: 'scheduled', taskTemplateId, tasksCreated: 2 }
  expect(body.homes).toEqual([
    { homeId: homes['2'], name: 'Lot 2', startDate: '2027-01-11', endDate: '2027-01-20', ...done },
    { homeId: homes['9'], name: 'Lot 9', startDate: '2027-01-13', endDate: '2027-01-22', ...done },
    { homeId: homes['10'], name: 'Lot 10', startDate: '2027-01-19', endDate: '2027-01-27', ...done },
    { homeId: homes['11'], name: 'Lot 11', startDate: '2027-01-21', endDate: '2027-01-29', ...done },
  ])
  for (const { homeId, startDate, endDate } of body.homes) {
    expect(await read(`homes/${homeId}/schedule`)).toMatchObject({ startDate, endDate })
    expect(await read(`homes/${homeId}`)).toMatchObject({
      ...{ forecastCompletionDate: endDate, percentComplete: 0, startDate: null, status: 'ready_to_start' },
    })
  }
  expect((await start({ firstStartDate: '2027-01-11' })).body).toMatchObject({ scheduled: 0, skipped: 0, homes: [] })
})

test('homes that cannot start are skipped with a reason, and the next home gets the start date', async () => {
  const plan = await made('plans', { code: 'P2100', name: 'The Juniper' })
  await plumbline.post(`/api/ext/plans/${plan.id}/status`, { status: 'released' }, { key })
  await newTemplate({ planId: plan.id })
  const [planned, busy, cancelled, without, last] = [
    await newHome('1', { planId: plan.id }),
    await newHome('2', { planId: plan.id }),
    await newHome('3', { planId: plan.id }),
    await newHome('4'),
    await readyHome('5', { planId: plan.id }),
  ]
  await plumbline.post('/api/ext/tasks', { homeId: busy, name: 'Slab poured' }, { key })
  await plumbline.post(`/api/ext/homes/${cancelled}/status`, { status: 'cancelled' }, { key })
  const homeIds = [last, cancelled, busy, without, planned]
  const { body } = await start({ homeIds, firstStartDate: '2027-01-11', startsPerWeek: 5 })
  expect([body.scheduled, body.skipped]).toEqual([2, 3])
  expect(body.homes.map((home: Record<string, string>) => [home.homeId, home.outcome, home.startDate])).toEqual([
    [last, 'scheduled', '2027-01-11'],
    [cancelled, 'not_startable', null],
    [busy, 'has_schedule', null],
    [without, 'no_template', null],
    [planned, 'scheduled', '2027-01-12'],
  ])
  expect((await read(`tasks?homeId=${busy}`)).data).toHaveLength(1)
})

test('unknown homes and templates, and homes of another community, are reported at their fields', async () => {
  const elsewhere = await made('communities', { name: 'Barton Bluff' })
  const [home, other] = [await newHome('1'), await newHome('1', { communityId: elsewhere.id })]
  const taskTemplateId = await newTemplate()
  const fields = { firstStartDate: '2027-01-11', taskTemplateId }
  for (const [body, code, pointer] of [
    [{ ...fields, homeIds: [home, absent('hom')] }, 'unknown_reference', '/homeIds/1'],
    [{ ...fields, homeIds: [home, other] }, 'validation_failed', '/homeIds/1'],
    [{ ...fields, taskTemplateId: absent('ttp') }, 'unknown_reference', '/taskTemplateId'],
    [{ ...fields, firstStartDate: '9999-12-31' }, 'validation_failed', '/firstStartDate'],
    [{ ...fields, homeIds: [home], firstStartDate: '2999-12-31' }, 'validation_failed', '/firstStartDate'],
  ] as const) {
    expect(await start(body)).toMatchObject({ status: 422, body: { code, errors: [{ pointer }] } })
  }
  expect((await start(fields, absent('com'))).status).toBe(404)
  expect((await read('tasks')).data).toEqual([])
})

test('starting homes requires a weekly rate', async () => {
  await plumbline.patch(`/api/ext/communities/${communityId}`, { startsPerWeekTarget: null }, { key })
  const refused = await start({ firstStartDate: '2027-01-11' })
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/startsPerWeek', code: 'required' }] } })
})

test('homes of an archived community cannot be started', async () => {
  await plumbline.delete(`/api/ext/communities/${communityId}`, { key })
  expect((await start({ firstStartDate: '2027-01-11', startsPerWeek: 1 })).status).toBe(409)
})

test('a dry run of starting homes returns the start dates and stores nothing', async () => {
  await newTemplate()
  const home = await readyHome('1')
  const input = { communityId, firstStartDate: '2027-01-11' }
  const { body } = await plumbline.post('/api/ext/execute', { skill: 'startHomes', input, dryRun: true }, { key })
  expect(body.result).toMatchObject({ scheduled: 1, homes: [{ homeId: home, startDate: '2027-01-11' }] })
  expect((await read(`tasks?homeId=${home}`)).data).toEqual([])
})

test('two concurrent requests to start the same homes create one schedule per home', async () => {
  await newTemplate()
  for (const lot of ['1', '2', '3']) await readyHome(lot)
  const answers = await Promise.all([1, 2].map(() => start({ firstStartDate: '2027-01-11' })))
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(answers.reduce((sum, { body }) => sum + body.scheduled, 0)).toBe(3)
  expect((await read('tasks')).data).toHaveLength(6)
})

/** Adds copies of a home, each on its own lot. */
async function moreHomes(id: string, count: number): Promise<void> {
  const db = plumbline.database.statements
  await addCopies(db, { table: 'homes', id, count, unlike: 'lotNumber' })
  await sql`update "homes" set "id" = left(${id}, -4) || lpad(split_part("id", '_', 3), 4, '0'), "block" = ${id}
    where "id" like ${`${id}@_%`} escape '@'`.execute(db)
}

test('starting 200 homes needs no more statements than starting one home', async () => {
  const { id: vendorId } = await made('vendors', { companyName: 'Lone Star Framing LLC', status: 'active' })
  const rows = listProductionRows().map((row) => ({ ...row, scope: 'framing', vendorId }))
  const template = await newTemplate({ rows: rows.slice(0, 25) })
  const counts: number[] = []
  const count = async (body: object) => {
    counted.statements = 0
    const answer = await start({ firstStartDate: '2027-01-11', ...body })
    counts.push(counted.statements)
    return answer.body
  }
  expect(await count({ homeIds: [await readyHome('1')] })).toMatchObject({ scheduled: 1 })
  await moreHomes(await readyHome('2'), 199)
  const many = await count({})
  expect(many).toMatchObject({ scheduled: 200, skipped: 0 })
  const last = many.homes.at(-1)
  expect(last).toMatchObject({ tasksCreated: 25, startDate: '2028-12-07' })
  // The audit trail executes one more statement when the transaction is committed.
  expect(counts).toEqual([11, 11])
  const { endDate, workdays } = await read(`homes/${last.homeId}/schedule`)
  expect([endDate, workdays]).toEqual([last.endDate, (await read(`task-templates/${template}`)).workdays])
})

test('a request to start homes is rejected if it would create too many tasks', async () => {
  const { id: vendorId } = await made('vendors', { companyName: 'Lone Star Framing LLC', status: 'active' })
  const rows = listProductionRows().map((row) => ({ ...row, scope: 'framing', vendorId }))
  await newTemplate({ rows: rows.slice(0, 26) })
  const begin = async () => (await start({ firstStartDate: '2027-01-11' })).body
  const third = await readyHome('3')
  await moreHomes(third, 199)
  expect(await begin()).toMatchObject({
    status: 422,
    code: 'too_much_work',
    detail: expect.stringContaining('5,200'),
  })
  await readyHome('4')
  expect(await begin()).toMatchObject({ status: 422, code: 'too_much_work', detail: expect.stringContaining('More') })
  expect((await read(`tasks?homeId=${third}`)).data).toEqual([])
})
