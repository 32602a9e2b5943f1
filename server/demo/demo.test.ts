import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../test/support/plumbline.ts'
import { makeDemo } from './demo.ts'

let plumbline: TestPlumbline
let demo: { organizationId: string; key: string }
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  demo = await makeDemo(plumbline.database, plumbline.config)
})
afterAll(() => plumbline.stop())

const all = async (path: string) => (await plumbline.get(`/api/ext/${path}?limit=200`, { key: demo.key })).body.data

async function statesOf(path: string, field = 'status'): Promise<string[]> {
  const found: Record<string, string>[] = await all(path)
  return [...new Set(found.map((one) => one[field] ?? ''))].sort()
}

test('the demo builder can be used immediately with the key that it comes with', async () => {
  const { body } = await plumbline.get('/api/ext/me', { key: demo.key })
  expect(body.organization).toMatchObject({ id: demo.organizationId, name: 'Harrow & Finch Homes', currency: 'USD' })
  expect(await all('vendors')).toHaveLength(30)
  expect(await all('homes')).toHaveLength(12)
})

test('it shows vendors, requests, bids and orders in the states that they can be in', async () => {
  expect(await statesOf('vendors')).toEqual(['active', 'inactive', 'on_hold', 'prospective'])
  expect(await statesOf('vendors', 'complianceStatus')).toEqual([
    'compliant',
    'exempt',
    'expired',
    'expiring',
    'missing',
  ])
  expect(await statesOf('bids/requests')).toEqual(['awarded', 'cancelled', 'closed', 'draft', 'sent'])
  expect(await statesOf('bids')).toEqual(expect.arrayContaining(['accepted', 'rejected', 'submitted']))
  expect((await statesOf('homes')).length).toBeGreaterThanOrEqual(7)
  expect(await statesOf('purchase-orders')).toEqual([
    'accepted',
    'approved',
    'closed',
    'completed',
    'declined',
    'draft',
    'issued',
    'partially_completed',
    'pending_approval',
    'void',
  ])
})

test('lists show the latest first, in the order of the story', async () => {
  const instants = (await all('purchase-orders')).map((order: { createdAt: string }) => order.createdAt)
  expect(instants).toEqual([...instants].sort().reverse())
})

test('every change of its story left an event', async () => {
  const types = await plumbline.database.statements
    .selectFrom('events')
    .select('type')
    .distinct()
    .where('organizationId', '=', demo.organizationId)
    .orderBy('type')
    .execute()
  expect(types.map(({ type }) => type)).toEqual([
    'bid.accepted',
    'bid.rejected',
    'bid.submitted',
    'bid_request.created',
    'bid_request.sent',
    'bid_request.updated',
    'home.created',
    'home.status_changed',
    'po.created',
    'po.status_changed',
    'vendor.created',
    'vendor.invited',
    'vendor.notification.advance',
    'vendor.notification.reminder',
    'vendor.updated',
  ])
})
