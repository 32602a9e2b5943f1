import { afterAll, beforeAll, expect, test } from 'vitest'
import { Desk } from '../../../../test/support/desk.ts'
import { createUser } from '../../../domain/office/users/users.ts'
import { getStartOfWeek } from '../../../platform/values/calendar.ts'

/**
 * This week, Ada worked ten hours on Lot 1 at 40 per hour. Ben worked five hours at 30 per hour and has not submitted
 * them.
 */
let desk: Desk
let communityId: string
let lot1: string
let week: string
let ada: string
let ben: string
beforeAll(async () => {
  desk = await Desk.open()
  communityId = (await desk.post('/communities', { name: 'Juniper Ridge', code: 'JR', status: 'active' })).id
  lot1 = (await desk.post('/homes', { name: 'Lot 1', communityId })).id
  week = getStartOfWeek(desk.day(0), 1)
  const person = async (name: string, rate: number, hours: number, submitted: boolean) => {
    const { database, clock } = desk.plumbline
    const user = {
      email: `${name}@example.com`.toLowerCase(),
      name,
      role: 'superintendent' as const,
      poApprovalLimit: 0,
    }
    const { id: userId } = await createUser(database, clock, { organizationId: desk.builder.organizationId, ...user })
    const sheet = await desk.post('/timesheets', { userId, weekStarting: week, rate })
    await desk.post(`/timesheets/${sheet.id}/entries`, { date: week, hours, homeId: lot1, scope: 'framing' })
    if (submitted) await desk.post(`/timesheets/${sheet.id}/status`, { status: 'submitted' })
    return userId
  }
  ada = await person('Ada', 40, 10, true)
  ben = await person('Ben', 30, 5, false)
}, 60_000)
afterAll(() => desk.plumbline.stop())

test('approveTimesheets reports each timesheet that it does not approve', async () => {
  const input = { weekStarting: week, userIds: ['Ada', 'ben@example.com'] }
  const tried = await desk.run('approveTimesheets', input, { dryRun: true })
  expect(tried).toMatchObject({ approved: [{ user: 'Ada', hours: 10 }], hours: 10, truncated: false })
  expect(tried.refused).toMatchObject([
    { label: 'Ben', pointer: '/input/userIds/1', problem: { code: 'invalid_transition' } },
  ])
  expect(await desk.run('approveTimesheets', { weekStarting: week })).toMatchObject({
    approved: [{ userId: ada }],
    refused: [],
  })
})

test('timesheetCostSummary totals the hours and cost of each home or user', async () => {
  const days = { from: week, to: desk.day(7) }
  expect(await desk.run('timesheetCostSummary', days)).toMatchObject({
    groups: [{ key: lot1, name: 'Lot 1, Juniper Ridge', hours: 15, cost: 550, postedCost: 400 }],
    ...{ hours: 15, cost: 550, postedCost: 400 },
  })
  const byUser = await desk.run('timesheetCostSummary', { ...days, groupBy: 'user' })
  expect(byUser.groups).toMatchObject([
    { key: ada, name: 'Ada', cost: 400 },
    { key: ben, name: 'Ben', cost: 150, postedCost: 0 },
  ])
  for (const groupBy of ['scope', 'costCode'])
    expect((await desk.run('timesheetCostSummary', { ...days, groupBy })).cost).toBe(550)
  expect((await desk.run('timesheetCostSummary', { from: '2020-01-01', to: '2020-02-01' })).groups).toEqual([])
})

test('importRows reports each error with its row and field', async () => {
  const rows = [
    { companyName: 'Brazos Framing', scopes: ['framing'], externalId: 'erp-1' },
    { companyName: '', externalId: 'erp-2' },
    { companyName: 'Pecan Plumbing', externalId: 'erp-3', email: 'nowhere' },
  ]
  const refused = await desk.execute('importRows', { entity: 'vendor', rows })
  expect(refused.body).toMatchObject({ status: 422, code: 'validation_failed' })
  expect(refused.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
    '/input/rows/1/companyName',
    '/input/rows/2/email',
  ])
  expect((await desk.get('/vendors?q=Brazos')).data).toEqual([])
  const workLimit = await desk.run('importRows', { entity: 'vendor', mode: 'best_effort', rows })
  expect(workLimit).toMatchObject({ created: 1, updated: 0, unchanged: 0, failed: 2 })
  expect(workLimit.rows[1]).toMatchObject({ row: 1, status: 'failed', problem: { code: 'validation_failed' } })
  const [first] = rows
  const again = [first, { ...first, phone: '+1 512 555 0100', status: 'active' }]
  expect(await desk.run('importRows', { entity: 'vendor', rows: again })).toMatchObject({ unchanged: 1, updated: 1 })
  const homes = [{ name: 'Lot 7', communityId: 'Juniper Ridge', externalId: 'lot-7' }]
  expect(await desk.run('importRows', { entity: 'home', rows: homes })).toMatchObject({ created: 1 })
  expect(await desk.run('importRows', { entity: 'home', rows: homes })).toMatchObject({ unchanged: 1 })
})

test('importRows requires the write permission for the imported records', async () => {
  const narrow = await desk.plumbline.newKey(['skills:write', 'homes:read'], desk.builder.organizationId)
  const body = { skill: 'importRows', input: { entity: 'lead', rows: [{ lastName: 'Marsh' }] } }
  const refused = await desk.plumbline.post('/api/ext/execute', body, { key: narrow })
  expect(refused.body).toMatchObject({ status: 403, permission: 'leads:write' })
})

test('cloneHomeSetup copies the setup of a home to all given homes or to none', async () => {
  const framer = await desk.post('/vendors', { companyName: 'Lone Star', scopes: ['framing'] })
  const model = (await desk.post('/homes', { name: 'Model', communityId })).id
  const slab = await desk.post('/tasks', { homeId: model, name: 'Slab', durationDays: 2, plannedStart: desk.day(7) })
  const walls = { homeId: model, name: 'Walls', scope: 'framing', vendorId: framer.id, durationDays: 3 }
  await desk.post('/tasks', {
    ...walls,
    predecessors: [{ taskId: slab.id, lagDays: 1 }],
    checklist: [{ text: 'Level' }],
  })
  await desk.post(`/homes/${model}/budget/lines`, { scope: 'framing', amount: 40_000 })
  const option = await desk.post('/options', {
    ...{
      code: 'FAN',
      name: 'Fan',
      optionType: 'upgrade',
      price: 300,
      costBasis: 'fixed',
      cost: 200,
      scope: 'electrical',
    },
  })
  await desk.post(`/options/${option.id}/status`, { status: 'active' })
  await desk.run('applySelection', { homeId: 'Model', optionId: 'FAN', quantity: 2 })
  const two = (await desk.post('/homes', { name: 'Lot 2', communityId })).id
  await desk.post('/homes', { name: 'Lot 3', communityId })
  const input = { fromHomeId: 'Model', toHomeIds: ['Lot 2', 'Lot 3'], startDate: '2099-01-05' }
  const { homes } = await desk.run('cloneHomeSetup', input)
  expect(homes).toMatchObject([
    { home: 'Lot 2, Juniper Ridge', tasks: 2, endDate: '2099-01-12', options: 1, budgetLines: 1 },
    { home: 'Lot 3, Juniper Ridge', tasks: 2, options: 1, budgetLines: 1 },
  ])
  const { tasks } = await desk.get(`/homes/${two}/schedule`)
  expect(tasks).toMatchObject([
    { name: 'Slab', plannedStart: '2099-01-05', durationDays: 2 },
    { name: 'Walls', plannedStart: '2099-01-08', vendorId: framer.id, predecessors: [{ lagDays: 1 }] },
  ])
  expect(await desk.get(`/homes/${two}/budget`)).toMatchObject({ totalBudgeted: 40_400 })
  const refused = await desk.execute('cloneHomeSetup', input)
  expect(refused.body).toMatchObject({ code: 'conflict', errors: [{ pointer: '/input/toHomeIds/0' }] })
})
