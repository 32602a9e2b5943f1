import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addCopies } from '../../../../test/support/add-copies.ts'
import { StatementCounter } from '../../../../test/support/count-statements.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

const TASKS = 400

let plumbline: TestPlumbline

const counted = new StatementCounter('delayTask')

beforeAll(async () => {
  plumbline = await startTestPlumbline({}, { handlers: counted.handlers })
})
afterAll(() => plumbline.stop())

test(`moving ${TASKS} tasks with one delay needs at most ten statements and notifies each vendor once`, async () => {
  const { body: community } = await plumbline.post('/api/ext/communities', { name: 'Juniper Ridge', status: 'active' })
  const { body: home } = await plumbline.post('/api/ext/homes', { name: 'Lot 14', communityId: community.id })
  const vendorIds: string[] = []
  for (const companyName of ['Lone Star Framing LLC', 'Hill Country Framers'])
    vendorIds.push((await plumbline.post('/api/ext/vendors', { companyName, email: 'bids@example.com' })).body.id)
  const [one, other] = vendorIds
  const first = { homeId: home.id, name: 'Task 1', plannedStart: '2030-01-07', vendorId: one }
  const { body: task } = await plumbline.post('/api/ext/tasks', first)
  await plumbline.post(`/api/ext/vendors/${one}/notifications`, { kind: 'advance', taskId: task.id })
  // Each task follows two tasks: the previous task, and the task seven positions earlier. The vendors of every fourth
  // task have been notified.
  await addCopies(plumbline.database.statements, { table: 'tasks', id: task.id, count: TASKS - 1 })
  const copies = Array.from({ length: TASKS - 1 }, (_, i) => i + 1)
  const idOf = (n: number) => (n <= 0 ? task.id : `${task.id.slice(0, -4)}${String(n).padStart(4, '0')}`)
  const predecessorsOf = (n: number) => [
    { type: 'FS', lagDays: 0, taskId: idOf(n - 1) },
    { type: 'SS', lagDays: 1, taskId: idOf(n - 7) },
  ]
  await sql`
    update "tasks" as t set "id" = r."id", "constraint" = '{"type":"none","date":null}',
      "vendorId" = case when r."n" % 2 = 0 then ${one} else ${other} end,
      "notifiedStart" = case when r."n" % 4 = 0 then date '2030-01-07' end, "predecessors" = r."predecessors"::json
    from unnest(${copies}::integer[], ${copies.map((n) => `${task.id}_${n}`)}::text[], ${copies.map(idOf)}::text[],
      ${copies.map((n) => JSON.stringify(predecessorsOf(n)))}::text[]) as r ("n", "copy", "id", "predecessors")
    where t."organizationId" = ${plumbline.organizationId} and t."id" = r."copy"`.execute(plumbline.database.statements)
  // Changing the original task schedules the copies for the first time. Before that, the copies have the dates of the
  // original task.
  await plumbline.patch(`/api/ext/tasks/${task.id}`, { durationDays: 2 })
  counted.statements = 0
  const answer = await plumbline.post(`/api/ext/tasks/${task.id}/delay`, { days: 3, reasonCode: 'weather' })
  expect(answer.status).toBe(200)
  expect(answer.body.cascade.moved).toHaveLength(TASKS)
  // The audit trail executes one more statement when the transaction is committed.
  expect(counted.statements + 1).toBeLessThanOrEqual(10)
  const reported = answer.body.cascade.notices.map(({ vendorId }: { vendorId: string }) => vendorId)
  expect(reported).toEqual([one])
  expect(answer.body.cascade.notices[0].tasks).toHaveLength(TASKS / 4)
})

test('a schedule can have at most 1,000 tasks', async () => {
  const { body: community } = await plumbline.post('/api/ext/communities', { name: 'Cedar Hollow', status: 'active' })
  const { body: home } = await plumbline.post('/api/ext/homes', { name: 'Lot 15', communityId: community.id })
  const { body: task } = await plumbline.post('/api/ext/tasks', { homeId: home.id, name: 'Task' })
  await addCopies(plumbline.database.statements, { table: 'tasks', id: task.id, count: 999 })
  const refused = await plumbline.post('/api/ext/tasks', { homeId: home.id, name: 'One more' })
  expect(refused).toMatchObject({
    status: 409,
    body: { reason: 'limit_reached', detail: 'Lot 15 already has 1,000 tasks, the maximum.' },
  })
})
