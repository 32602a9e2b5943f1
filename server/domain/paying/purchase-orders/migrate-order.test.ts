import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'

let plumbline: TestPlumbline
let order: Record<string, unknown>
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const create = async (path: string, body: object) => (await plumbline.post(`/api/ext/${path}`, body)).body.id
  const communityId = await create('communities', { name: 'Cedar Bend', status: 'active' })
  const homeId = await create('homes', { name: 'Lot 14', lotNumber: '14', communityId })
  const vendorId = await create('vendors', { companyName: 'Brazos Framing', status: 'active' })
  const lines = [
    { lineId: 'walls', description: 'Walls', quantity: 3, unitPrice: 1000 },
    { lineId: 'roof', description: 'Roof', quantity: 1, unitPrice: 500 },
  ]
  order = { homeId, vendorId, scope: 'Framing', retainagePercent: 10, lines }
})
afterAll(() => plumbline.stop())

const ORDERS = '/api/ext/purchase-orders'
const migrate = (migration: object) => plumbline.post(ORDERS, { ...order, migration })

test('a migrated order keeps its acceptance date, its number, and its completed work', async () => {
  const { status, body } = await migrate({
    ...{ number: ' 10452 ', orderedDate: '2026-08-03' },
    lines: [{ lineId: 'walls', completedAmount: 1000.01 }],
  })
  expect([status, body]).toMatchObject([
    201,
    {
      ...{ number: '10452', status: 'partially_completed', migrated: true, completedAmount: 1000.01 },
      ...{ issuedAt: '2026-08-03T12:00:00.000Z', acceptedAt: '2026-08-03T12:00:00.000Z' },
      lines: [
        { lineId: 'walls', completedPercent: 33.33, completedQuantity: 1, completedAmount: 1000.01 },
        { lineId: 'roof', completedPercent: 0, completedAmount: 0 },
      ],
    },
  ])
})

test('a migrated order whose work is done is completed', async () => {
  const { body } = await migrate({
    ...{ number: '10453', orderedDate: '2026-08-03' },
    lines: [
      { lineId: 'walls', completedAmount: 3000 },
      { lineId: 'roof', completedAmount: 500 },
    ],
  })
  expect(body).toMatchObject({ status: 'completed', completedAmount: 3500, retainedAmount: 350 })
})

const billOf = async (poId: string) => (await plumbline.get(`/api/ext/bills?poId=${poId}`)).body.data[0]
const today = () => toLocalDate('America/Chicago', plumbline.clock.now())

test('the bill for migrated work has the date of the completed work', async () => {
  const { body } = await migrate({
    ...{ number: '10470', orderedDate: '2026-02-03', completedDate: '2026-08-20' },
    lines: [{ lineId: 'walls', completedAmount: 1000 }],
  })
  expect(await billOf(body.id)).toMatchObject({ invoiceDate: '2026-08-20', postingDate: '2026-08-20' })
})

test('the bill for migrated work without a date has the date of the migration', async () => {
  const { body } = await migrate({
    ...{ number: '10471', orderedDate: '2026-02-03' },
    lines: [{ lineId: 'walls', completedAmount: 1000 }],
  })
  expect(await billOf(body.id)).toMatchObject({ invoiceDate: today() })
})

test('the invoice date of migrated work stays in a closed period', async () => {
  const { key } = await plumbline.newBuilder()
  const create = async (path: string, body: object) => (await plumbline.post(`/api/ext/${path}`, body, { key })).body.id
  const communityId = await create('communities', { name: 'Cedar Bend', status: 'active' })
  const homeId = await create('homes', { name: 'Lot 14', lotNumber: '14', communityId })
  const paymentTerms = { netDays: 30, discountPercent: 2, discountDays: 10 }
  const vendorId = await create('vendors', { companyName: 'Brazos Framing', status: 'active', paymentTerms })
  const closed = await plumbline.post('/api/ext/ledger/close', { throughDate: '2026-08-31' }, { key })
  expect(closed.status).toBe(200)
  const poId = await create('purchase-orders', {
    ...{ ...order, homeId, vendorId },
    migration: {
      ...{ number: '10473', orderedDate: '2026-02-03', completedDate: '2026-08-20' },
      lines: [{ lineId: 'walls', completedAmount: 1000 }],
    },
  })
  const { body } = await plumbline.get(`/api/ext/bills?poId=${poId}`, { key })
  expect(body.data).toMatchObject([
    {
      ...{ invoiceDate: '2026-08-20', postingDate: '2026-09-01' },
      ...{ dueDate: '2026-09-19', discountDueDate: '2026-08-30' },
    },
  ])
})

test.each(['2026-02-02', '2100-01-01'])('migrated work cannot be completed on %s', async (completedDate) => {
  const { status, body } = await migrate({ number: '10472', orderedDate: '2026-02-03', completedDate })
  expect([status, body.errors]).toMatchObject([422, [{ pointer: '/migration/completedDate' }]])
})

test('a new order skips the numbers of migrated orders', async () => {
  const create = async (path: string, body: object) => (await plumbline.post(`/api/ext/${path}`, body)).body
  const { body: communities } = await plumbline.get('/api/ext/communities')
  const home = await create('homes', { name: 'Corner lot', communityId: communities.data[0].id })
  const ofHome = { ...order, homeId: home.id }
  for (const number of ['PO-0031-01', 'po-0031-02'])
    expect(await plumbline.post(ORDERS, { ...ofHome, migration: { number, orderedDate: '2026-02-03' } })).toMatchObject(
      {
        status: 201,
      },
    )
  await plumbline.patch(`/api/ext/homes/${home.id}`, { lotNumber: '31' })
  const numbers = [await create('purchase-orders', ofHome), await create('purchase-orders', ofHome)]
  expect(numbers.map(({ number }) => number)).toEqual(['PO-0031-03', 'PO-0031-04'])
})

test('a migrated deduction cannot reduce an order below its billed amount', async () => {
  const root = await migrate({
    ...{ number: '10454', orderedDate: '2026-08-03' },
    lines: [
      { lineId: 'walls', completedAmount: 3000 },
      { lineId: 'roof', completedAmount: 500 },
    ],
  })
  const { homeId, vendorId, scope } = order
  const { status, body } = await plumbline.post(ORDERS, {
    ...{ homeId, vendorId, scope, poType: 'change', parentPoId: root.body.id },
    lines: [{ description: 'Roof deducted', quantity: 1, unitPrice: -500 }],
    migration: { number: '10454-1', orderedDate: '2026-08-10' },
  })
  expect([status, body]).toMatchObject([
    409,
    { reason: 'not_enough_left', detail: expect.stringContaining('$3,500.00 of 10454 is billed') },
  ])
})

test('two standing orders of a home cannot have the same number', async () => {
  expect((await migrate({ number: 'X-1', orderedDate: '2026-08-03' })).status).toBe(201)
  const again = await migrate({ number: 'X-1', orderedDate: '2026-08-03' })
  expect([again.status, again.body.errors]).toMatchObject([409, [{ pointer: '/number' }]])
})

test('a migrated order needs an approval limit that covers its total', async () => {
  const key = await plumbline.newKey(['pos:write'], plumbline.organizationId)
  await plumbline.database.statements.updateTable('users').set({ poApprovalLimit: 100 }).execute()
  try {
    const refused = await plumbline.post(
      ORDERS,
      { ...order, migration: { number: 'X-2', orderedDate: '2026-08-03' } },
      { ...plumbline, key },
    )
    expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('$3,500.00')])
  } finally {
    await plumbline.database.statements.updateTable('users').set({ poApprovalLimit: null }).execute()
  }
})

test.each([
  [{ number: 'PO-0014-07', orderedDate: '2026-08-03' }, '/migration/number'],
  [{ number: 'X-3', orderedDate: '2999-08-03' }, '/migration/orderedDate'],
  [
    { number: 'X-3', orderedDate: '2026-08-03', lines: [{ lineId: 'no', completedAmount: 1 }] },
    '/migration/lines/0/lineId',
  ],
  [
    { number: 'X-3', orderedDate: '2026-08-03', lines: [{ lineId: 'roof', completedAmount: 500.01 }] },
    '/migration/lines/0/completedAmount',
  ],
])('the migration %j is rejected', async (migration, pointer) => {
  const { status, body } = await migrate(migration)
  expect([status, body.errors]).toMatchObject([422, [{ pointer }]])
})
