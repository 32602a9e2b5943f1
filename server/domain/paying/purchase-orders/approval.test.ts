import { afterAll, beforeAll, expect, test } from 'vitest'
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
  homeId = (await made('/homes', { name: 'Lot 41', communityId: site.communityId })).id
  const users = [
    { id: 'usr_enough', name: 'Elena', role: 'estimator', poApprovalLimit: 5000 },
    { id: 'usr_exact', name: 'Sam', role: 'superintendent', poApprovalLimit: 1500 },
    { id: 'usr_little', name: 'Aiko', role: 'accountant', poApprovalLimit: 1499.99 },
    { id: 'usr_viewer', name: 'Otto', role: 'viewer', poApprovalLimit: null },
    { id: 'usr_gone', name: 'Marcus', role: 'superintendent', poApprovalLimit: 9000, status: 'disabled' },
  ]
  for (const user of users) {
    const at = plumbline.clock.now()
    const email = `${user.id}@harrowfinch.example.com`
    await plumbline.database.statements
      .insertInto('users')
      .values({ organizationId: site.organizationId, email, createdAt: at, updatedAt: at, ...user })
      .execute()
  }
})
afterAll(() => plumbline.stop())

type Body = ServiceResponse['body']
const post = (path: string, body: object) => plumbline.post(`/api/ext${path}`, body, { key: site.key })
const made = async (path: string, body: object): Promise<Body> => {
  const answer = await post(path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const order = (unitPrice: number) =>
  made('/purchase-orders', {
    ...{ homeId, vendorId: site.loneStar, scope: 'Framing' },
    lines: [{ description: 'Framing', quantity: 1, unitPrice }],
  })
const explained = (id: string, key = site.key) => plumbline.get(`/api/ext/purchase-orders/${id}/approval`, { key })
const namesOf = ({ body }: ServiceResponse) => body.approvers.map(({ name }: Body) => name)

test('an approval explanation contains the limit, the remaining budget, and the users who can approve', async () => {
  const { id } = await order(1500)
  const free = await explained(id)
  expect(free.body).toMatchObject({
    ...{ poId: id, status: 'draft', total: 1500, currency: 'USD', limit: null, mayApprove: true },
    ...{ reasons: [], scope: 'framing', budgetLeft: null, overBudgetBy: 0 },
  })
  expect(namesOf(free).slice(0, 2)).toEqual(['Sam', 'Elena'])
  for (const name of ['Aiko', 'Otto', 'Marcus']) expect(namesOf(free)).not.toContain(name)
  expect(free.body.approvers[0]).toEqual({ userId: 'usr_exact', name: 'Sam' })

  await made(`/homes/${homeId}/budget/lines`, { scope: 'framing', amount: 1200.5 })
  expect((await explained(id)).body).toMatchObject({
    reasons: ['over_budget'],
    budgetLeft: 1200.5,
    overBudgetBy: 299.5,
  })
  const small = await plumbline.newKey(['pos:read', 'pos:write'], site.organizationId)
  await plumbline.database.statements
    .updateTable('apiKeys')
    .set({ createdByUserId: 'usr_little' })
    .where('organizationId', '=', site.organizationId)
    .where('name', '=', 'Narrow')
    .execute()
  expect((await explained(id, small)).body).toMatchObject({
    ...{ limit: 1499.99, mayApprove: false, reasons: ['over_limit', 'over_budget'] },
  })
  const requested = await post(`/purchase-orders/${id}/status`, { status: 'approved' })
  expect(requested.body).toMatchObject({ status: 'pending_approval', approval: { reasons: ['over_budget'] } })
  const waiting = await plumbline.get('/api/ext/purchase-orders?status=pending_approval', { key: site.key })
  expect(waiting.body.data.map((one: Body) => one.id)).toEqual([id])
  expect((await explained(id)).body).toMatchObject({ status: 'pending_approval', overBudgetBy: 299.5 })
  await post(`/purchase-orders/${id}/status`, { status: 'approved' })
  const decided = await explained(id)
  expect([decided.status, decided.body.reason]).toEqual([409, 'wrong_status'])
})

test('a key that cannot approve an order can read its approval explanation', async () => {
  const { id } = await order(100)
  const reader = await plumbline.newKey(['pos:read'], site.organizationId)
  expect((await explained(id, reader)).body).toMatchObject({ mayApprove: false })
})

test("a builder cannot read another builder's approval explanations", async () => {
  const { id } = await order(100)
  const { key } = await plumbline.newBuilder()
  expect((await explained(id, key)).status).toBe(404)
})

test('an approval with the ETag of an earlier version returns 412', async () => {
  const { id, version } = await order(10)
  const { key } = site
  const lines = [{ description: 'Framing', quantity: 1, unitPrice: 4000 }]
  expect((await plumbline.patch(`/api/ext/purchase-orders/${id}`, { lines }, { key })).status).toBe(200)
  const approve = (seen: number) => post(`/purchase-orders/${id}/status`, { status: 'approved', version: seen })
  const refused = await approve(version)
  expect([refused.status, refused.body.reason]).toEqual([409, 'changed_meanwhile'])
  expect((await approve(version + 1)).status).toBe(200)
})
