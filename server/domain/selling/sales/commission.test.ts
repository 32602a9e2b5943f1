import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { updateOrganization } from '../../office/organizations/organizations.ts'
import { createUser } from '../../office/users/users.ts'

const SALES = '/api/ext/sales'

let plumbline: TestPlumbline
let communityId: string
let tobias: string
let lots = 0
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const { database, clock, organizationId } = plumbline
  await updateOrganization(database, clock, organizationId, { salePipelineStages: ['contract_signed'] })
  const user = { email: 'tobias@harrowfinch.example.com', name: 'Tobias Wrenfield', role: 'salesperson' as const }
  tobias = (await createUser(database, clock, { organizationId, ...user, poApprovalLimit: 0 })).id
  communityId = (await plumbline.post('/api/ext/communities', { name: 'Juniper Ridge', status: 'active' })).body.id
})
afterAll(() => plumbline.stop())

const wanted = (fields: object) => ({
  ...{ buyers: [{ name: 'Elena Marsh' }], communityId, lotNumber: `${++lots}`, basePrice: 333_333.35 },
  ...fields,
})
const change = (id: string, fields: object) => plumbline.patch(`${SALES}/${id}`, fields)

async function newSale(fields: object) {
  const { status, body } = await plumbline.post(SALES, wanted(fields))
  expect([status, body.errors ?? body.detail]).toEqual([201, undefined])
  return body
}

async function act(id: string, what: string, fields: object = {}) {
  const { status, body } = await plumbline.post(`${SALES}/${id}/${what}`, fields)
  expect([status, body.errors ?? body.detail]).toEqual([200, undefined])
  return body
}

test('a commission is a percentage of the price, rounded to the cent, or a fixed amount', async () => {
  const none = await newSale({})
  expect(none).toMatchObject({ commissionPercent: null, commissionAmount: null, commission: null })
  const { id, commission } = await newSale({ commissionPercent: 2.75, lotPremium: 1000, discounts: 0.01 })
  // 2.75% of 334,333.34 is 9,194.16685.
  expect(commission).toBe(9194.17)
  expect((await change(id, { discounts: 10_000 })).body.commission).toBe(8919.17)
  expect((await change(id, { commissionAmount: 7500 })).body).toMatchObject({
    ...{ commissionPercent: null, commissionAmount: 7500, commission: 7500 },
  })
  expect((await change(id, { discounts: 0 })).body.commission).toBe(7500)
  expect((await change(id, { commissionPercent: 1 })).body).toMatchObject({
    ...{ commissionPercent: 1, commissionAmount: null, commission: 3343.33 },
  })
  expect((await change(id, { commissionPercent: null })).body.commission).toBe(null)
  const both = await plumbline.post(SALES, wanted({ commissionPercent: 3, commissionAmount: 7500 }))
  expect([both.status, both.body.errors]).toMatchObject([422, [{ pointer: '/commissionAmount', code: 'exclusive' }]])
  for (const commissionPercent of [-1, 100.01, 2.755])
    expect((await change(id, { commissionPercent })).body.errors).toMatchObject([{ pointer: '/commissionPercent' }])
})

test('the commission of a complete sale cannot be changed', async () => {
  const kept = await newSale({ commissionPercent: 3 })
  await act(kept.id, 'approve')
  expect((await change(kept.id, { commissionPercent: 2 })).body.commission).toBe(6666.67)
  const complete = await act(kept.id, 'pipeline', { stage: 'contract_signed' })
  expect(complete).toMatchObject({ status: 'pipeline_complete', commission: 6666.67 })
  expect((await change(kept.id, { commissionPercent: 5 })).body).toMatchObject({
    reason: 'wrong_status',
    detail: `Cannot change ${kept.number}: the sale is complete.`,
  })
  const report = await plumbline.post('/api/ext/execute', { skill: 'salesPipelineReport', input: {} })
  expect(report.body.result).toMatchObject({ commissionEarned: 6666.67 })
})

test('a canceled sale has no commission', async () => {
  const cancelled = await newSale({ commissionAmount: 7500 })
  expect(await act(cancelled.id, 'cancel', { reason: 'The buyer found no financing.' })).toMatchObject({
    ...{ status: 'cancelled', commissionAmount: 7500, commission: 0 },
  })
  const events = `/api/ext/events?type=sale.cancelled&resourceId=${cancelled.id}`
  const { body } = await plumbline.until(events, ({ body }) => body.data.length === 1)
  expect(body.data[0].data).toMatchObject({ object: { commission: 0 }, previous: { commission: 7500 } })
})

test('a salesperson can manage leads, sales, and selections, but not purchasing, payments, or construction', async () => {
  const session = await plumbline.signIn('tobias@harrowfinch.example.com')
  const as = (path: string, body: object) => plumbline.post(`/api/ext/${path}`, body, session)
  const lead = await as('leads', { lastName: 'Quillfeather', phone: '+1 737 555 0122', ownerUserId: tobias })
  expect(lead.status).toBe(201)
  const { buyers: _, ...sale } = wanted({ commissionPercent: 3 })
  const sold = await as(`leads/${lead.body.id}/convert`, sale)
  expect([sold.status, sold.body.salesRepId, sold.body.commission]).toEqual([201, tobias, 10_000])
  const { id } = (await plumbline.post('/api/ext/homes', { name: 'Lot 22', communityId })).body
  const selection = { customDescription: 'Dog wash', unitPrice: 1850, cost: 1210, scope: 'plumbing' }
  expect((await as(`homes/${id}/selections`, selection)).status).toBe(201)
  for (const [path, permission] of [
    ...([
      ['vendors', 'vendors:write'],
      ['homes', 'homes:write'],
      ['purchase-orders', 'pos:write'],
    ] as const),
    ...([
      ['payments', 'payments:write'],
      ['bids/request', 'bids:write'],
    ] as const),
  ])
    expect((await as(path, {})).body).toMatchObject({ status: 403, permission })
  expect((await plumbline.get('/api/ext/payments', session)).status).toBe(200)
  expect((await plumbline.get('/api/ext/users', session)).body.permission).toBe('users:read')
})
