import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listEvents } from '../../../../test/support/recorded-events.ts'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let site: Site
let homeId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
beforeEach(async () => {
  homeId = (await made('/homes', { name: 'Lot 41', communityId: site.communityId })).id
})
afterAll(() => plumbline.stop())

type Body = ServiceResponse['body']
const post = (path: string, body: object, key = site.key) => plumbline.post(`/api/ext${path}`, body, { key })
const patch = (path: string, body: object, key = site.key) => plumbline.patch(`/api/ext${path}`, body, { key })
const get = async (path: string): Promise<Body> => (await plumbline.get(`/api/ext${path}`, { key: site.key })).body
const made = async (path: string, body: object): Promise<Body> => {
  const answer = await post(path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const PATH = ['approved', 'issued', 'accepted', 'completed', 'closed']
const order = async (status: string, unitPrice = 1000): Promise<Body> => {
  const lines = [{ description: 'Framing', quantity: 1, unitPrice }]
  const { id } = await made('/purchase-orders', {
    ...{ homeId, vendorId: site.loneStar, scope: 'framing', retainagePercent: 10, lines },
  })
  for (const next of PATH.slice(0, PATH.indexOf(status) + 1)) {
    const moved = await post(`/purchase-orders/${id}/status`, { status: next })
    expect(moved.body, JSON.stringify(moved.body)).toMatchObject({ status: next })
  }
  return get(`/purchase-orders/${id}`)
}
const task = (more: object = {}) => made('/tasks', { homeId, name: 'Walls framed', ...more })
const pointers = ({ body }: ServiceResponse) =>
  body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)

test('a task and the orders that pay for it list each other', async () => {
  const [first, second] = [await order('draft'), await order('issued')]
  const walls = await task({ poIds: [first.id] })
  expect(walls).toMatchObject({ poIds: [first.id], payOnComplete: false })
  const trusses = await task({ name: 'Trusses set', poIds: [first.id, second.id] })
  expect(await get(`/purchase-orders/${first.id}`)).toMatchObject({ taskIds: [walls.id, trusses.id].sort() })
  const { data } = await get(`/purchase-orders?homeId=${homeId}`)
  expect(data.map(({ taskIds }: Body) => taskIds.length).sort()).toEqual([1, 2])
  expect((await patch(`/tasks/${walls.id}`, { poIds: [] })).body.poIds).toEqual([])
  expect((await get(`/purchase-orders/${first.id}`)).taskIds).toEqual([trusses.id])
  await plumbline.delete(`/api/ext/tasks/${trusses.id}`, { key: site.key })
  expect((await get(`/purchase-orders/${first.id}`)).taskIds).toEqual([])
})

test('a task can refer only to orders of its own home', async () => {
  const own = await order('draft')
  const elsewhere = await made('/homes', { name: 'Lot 42', communityId: site.communityId })
  const unknown = await post('/tasks', { homeId, name: 'Walls', poIds: [own.id, 'po_x'] })
  expect(unknown.body.code).toBe('unknown_reference')
  expect(pointers(unknown)).toEqual(['/poIds/1 unknown_reference'])
  const other = await made('/tasks', { homeId: elsewhere.id, name: 'Walls' })
  expect(pointers(await patch(`/tasks/${other.id}`, { poIds: [own.id] }))).toEqual(['/poIds/0 other_home'])
  const { key } = await plumbline.newBuilder()
  const community = (await post('/communities', { name: 'Far away' }, key)).body
  const foreign = (await post('/homes', { name: 'Lot 1', communityId: community.id }, key)).body
  const refused = await post('/tasks', { homeId: foreign.id, name: 'Walls', poIds: [own.id] }, key)
  expect(pointers(refused)).toEqual(['/poIds/0 unknown_reference'])
})

test('completing a task with payOnComplete completes its issued and accepted orders', async () => {
  const orders: Body[] = []
  for (const status of ['draft', 'issued', 'accepted', 'completed', 'closed']) orders.push(await order(status))
  const { id } = await task({ poIds: orders.map((one) => one.id), payOnComplete: true })
  const before = (await listEvents(plumbline, site.organizationId)).length
  const completed = await post(`/tasks/${id}/complete`, {})
  expect(completed.status, JSON.stringify(completed.body)).toBe(200)
  expect(completed.body).toMatchObject({ status: 'completed', cascade: { moved: [] } })
  expect(completed.body.orders).toEqual(
    ['draft', 'completed', 'completed', 'completed', 'closed'].map((status, i) => ({
      ...{ poId: orders[i]?.id, number: orders[i]?.number, status, isCompleted: i === 1 || i === 2 },
    })),
  )
  const fired = (await listEvents(plumbline, site.organizationId)).slice(before)
  expect(fired.map(({ type, data }) => `${type} ${data.object.status}`)).toEqual([
    ...['task.status_changed completed', 'task.completed completed'],
    'po.status_changed accepted',
    // Completed work is billed immediately.
    ...['bill.approved approved', 'po.status_changed completed'],
    ...['bill.approved approved', 'po.status_changed completed'],
  ])
  expect(await get(`/purchase-orders/${orders[2]?.id}`)).toMatchObject({ completedAmount: 1000, payableAmount: 900 })
  expect(await get(`/homes/${homeId}/budget`)).toMatchObject({ totalActual: 4000, totalPaid: 1000 })

  const reopened = await post(`/tasks/${id}/status`, { status: 'in_progress', reason: 'A wall is out of plumb.' })
  expect(reopened.body).toMatchObject({ status: 'in_progress', payOnComplete: true })
  expect(await get(`/purchase-orders/${orders[1]?.id}`)).toMatchObject({ status: 'completed', completedAmount: 1000 })
  const again = await post(`/tasks/${id}/complete`, {})
  expect(again.body.orders.map((one: Body) => one.isCompleted)).toEqual(Array(5).fill(false))
})

test('completing a task whose order was paid in advance creates a paid bill', async () => {
  const ordered = await order('accepted')
  const deposit = { poId: ordered.id, paymentType: 'deposit', grossAmount: 900 }
  const { id: paymentId } = await made('/payments', deposit)
  for (const status of ['approved', 'paid'])
    expect(await post(`/payments/${paymentId}/status`, { status })).toMatchObject({ status: 200 })
  const { id } = await task({ poIds: [ordered.id], payOnComplete: true })
  await post(`/tasks/${id}/complete`, {})
  expect((await get(`/bills?poId=${ordered.id}`)).data).toMatchObject([{ status: 'paid', paidAmount: 900 }])
})

test('without payOnComplete, completing a task does not change its orders', async () => {
  const ordered = await order('accepted')
  const { id } = await task({ poIds: [ordered.id] })
  expect((await post(`/tasks/${id}/complete`, {})).body.orders).toEqual([])
  expect(await get(`/purchase-orders/${ordered.id}`)).toMatchObject({ status: 'accepted', completedAmount: 0 })
})

test('completing a task requires pos:write only if the request chooses the orders to complete', async () => {
  const ordered = await order('accepted')
  const key = await plumbline.newKey(['tasks:read', 'tasks:write'], site.organizationId)
  const requested = { homeId, name: 'Walls framed', poIds: [ordered.id], payOnComplete: true }
  for (const body of [requested, { ...requested, poIds: [] }, { ...requested, payOnComplete: false }]) {
    const refused = await post('/tasks', body, key)
    expect([refused.status, refused.body.permission]).toEqual([403, 'pos:write'])
  }
  const { id } = await task({ payOnComplete: true })
  expect((await patch(`/tasks/${id}`, { poIds: [ordered.id] }, key)).status).toBe(403)
  await patch(`/tasks/${id}`, { poIds: [ordered.id] })
  expect((await patch(`/tasks/${id}`, { poIds: [ordered.id], phase: 'framing' }, key)).status).toBe(200)
  expect((await post(`/tasks/${id}/complete`, {}, key)).body.orders).toMatchObject([{ isCompleted: true }])
})

test('if two tasks complete the same order concurrently, the order is completed once', async () => {
  const ordered = await order('accepted')
  const link = { poIds: [ordered.id], payOnComplete: true }
  const tasks = [await task(link), await task({ ...link, name: 'Trusses set' })]
  const answers = await Promise.all(tasks.map(({ id }) => post(`/tasks/${id}/complete`, {})))
  expect(answers.map(({ body }) => body.orders[0].isCompleted).sort()).toEqual([false, true])
  expect(await get(`/purchase-orders/${ordered.id}`)).toMatchObject({ status: 'completed', billedAmount: 1000 })
  const { data: changes } = await get(`/status-changes?resourceId=${ordered.id}`)
  expect(changes.filter(({ to }: Body) => to === 'completed')).toHaveLength(1)
  expect((await get(`/bills?poId=${ordered.id}`)).data).toHaveLength(1)
})

test('a dry run of completing a task stores nothing', async () => {
  const ordered = await order('accepted')
  const link = { poIds: [ordered.id], payOnComplete: true }
  const { id: taskId } = await task(link)
  const tried = await post('/execute', { skill: 'completeTask', input: { taskId }, dryRun: true })
  expect(tried.body.result.orders).toMatchObject([{ status: 'completed', isCompleted: true }])
  expect(await get(`/purchase-orders/${ordered.id}`)).toMatchObject({ status: 'accepted', version: ordered.version })
})

test('a task is ready if all orders that it lists are issued, regardless of their trade', async () => {
  const [issued, drafted] = [await order('issued'), await order('draft')]
  const { id } = await task({ poIds: [issued.id], plannedStart: '2030-01-07' })
  const orderCheck = async () =>
    (await get(`/tasks/${id}/readiness`)).checks.find(({ check }: Body) => check === 'order')
  expect(await orderCheck()).toMatchObject({ state: 'met', detail: `${issued.number} has been issued.` })
  await patch(`/tasks/${id}`, { poIds: [issued.id, drafted.id] })
  expect(await orderCheck()).toMatchObject({
    state: 'open',
    detail: `${drafted.number} is a draft and has not been issued.`,
  })
})
