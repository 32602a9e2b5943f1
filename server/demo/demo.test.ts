import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../test/support/plumbline.ts'
import { addDays, dateIn } from '../values/calendar.ts'
import { makeDemo } from './demo.ts'

let plumbline: TestPlumbline
let demo: { organizationId: string; key: string }
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  demo = await makeDemo(plumbline.database, plumbline.config)
})
afterAll(() => plumbline.stop())

async function all(path: string) {
  const found = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const after = cursor === '' ? '' : `&cursor=${cursor}`
    const { body } = await plumbline.get(`/api/ext/${path}?limit=200${after}`, { key: demo.key })
    found.push(...body.data)
    cursor = body.nextCursor
  }
  return found
}

async function statesOf(path: string, field = 'status'): Promise<string[]> {
  const found: Record<string, string>[] = await all(path)
  return [...new Set(found.map((one) => one[field] ?? ''))].sort()
}

test('the demo builder can be used immediately with the key that it comes with', async () => {
  const { body } = await plumbline.get('/api/ext/me', { key: demo.key })
  expect(body.organization).toMatchObject({ id: demo.organizationId, name: 'Harrow & Finch Homes', currency: 'USD' })
  expect(await all('vendors')).toHaveLength(55)
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

test('it builds three plans, of parts with prices, and its homes are built from them', async () => {
  expect(await all('cost-codes')).toHaveLength(98)
  expect(await all('scopes')).toHaveLength(30)
  expect(await all('parts')).toHaveLength(225)
  const plans = await all('plans')
  expect(plans.map(({ code, elevations }) => [code, elevations.length]).sort()).toEqual([
    ['P1650', 2],
    ['P2100', 3],
    ['P2850', 3],
  ])
  expect(new Set(plans.map(({ status }) => status))).toEqual(new Set(['released']))
  const homes = await all('homes')
  const built = homes.map(({ lotNumber, planId, elevation, swing }) => [
    ...[lotNumber, plans.find(({ id }) => id === planId)?.code ?? null, elevation, swing],
  ])
  expect(built).toEqual(
    expect.arrayContaining([
      ['14', 'P2100', 'B', 'right'],
      ['9', null, null, 'right'],
    ]),
  )
})

test('it offers forty options, and shows selections in every state', async () => {
  const options = await all('options')
  expect(options).toHaveLength(40)
  expect(new Set(options.map(({ status }) => status))).toEqual(new Set(['draft', 'active', 'retired']))
  expect(await statesOf('selections')).toEqual([
    ...['approved', 'cancelled', 'declined', 'installed', 'ordered', 'pending'],
  ])
  // What has no price yet is told of instead of costing nothing.
  const [cooking] = options.filter(({ code }) => code === 'KI-GRM')
  const [selected] = (await all('selections')).filter(({ optionId }) => optionId === cooking.id)
  expect(selected).toMatchObject({ status: 'approved', cost: null, issues: [{ sku: 'APP-GRM' }] })
})

test('it has contracts, one of them from the award of a whole community, which orders are made from', async () => {
  const contracts = await all('contracts')
  expect(contracts.map(({ status }) => status)).toEqual(['draft', 'active', 'terminated'])
  const [, active] = contracts
  const bid = await plumbline.get(`/api/ext/bids/${active.bidId}`, { key: demo.key })
  expect(bid.body).toMatchObject({ status: 'accepted', contractId: active.id })
  const [order] = (await all('purchase-orders')).filter(({ contractId }) => contractId === active.id)
  expect(order).toMatchObject({ total: 16_080, lines: [{ unitPrice: 2680, quantity: 6, unit: 'KW' }] })
  const selection = await plumbline.get(`/api/ext/selections/${order.optionSelectionId}`, { key: demo.key })
  expect(selection.body).toMatchObject({ status: 'ordered', cost: 16_080, price: 24_900 })
})

test('what was written in bulk keeps the rules of its operations', async () => {
  const { rows: overlapping } = await sql`
    select a."id" from "prices" a join "prices" b on b."organizationId" = a."organizationId" and b."partId" = a."partId"
      and b."vendorId" = a."vendorId" and b."communityId" is not distinct from a."communityId"
      and b."planId" is not distinct from a."planId" and b."minQuantity" = a."minQuantity" and b."id" > a."id"
      and daterange(a."effectiveDate", a."expirationDate", '[]') && daterange(b."effectiveDate", b."expirationDate", '[]')
    where a."organizationId" = ${demo.organizationId}`.execute(plumbline.database.statements)
  expect(overlapping).toEqual([])
  const scopes = new Set((await all('scopes')).map(({ name }) => name))
  const named = [...(await all('parts')), ...(await all('cost-codes'))].flatMap(({ scope }) => scope ?? [])
  expect(named.filter((name) => !scopes.has(name))).toEqual([])
})

test('prices lie as far from today as they are meant to', async () => {
  const pricesOf = async (sku: string) => {
    const [part] = await all(`parts`).then((parts) => parts.filter((part) => part.sku === sku))
    return (await all(`parts/${part.id}/prices`)).sort((a, b) => (a.effectiveDate < b.effectiveDate ? -1 : 1))
  }
  const today = dateIn('America/Chicago', plumbline.clock.now())
  // Of the 18th of November, the first of January is 44 days off.
  expect(await pricesOf('PLB-LAV')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ unitPrice: 78.54, expirationDate: addDays(today, 43) }),
      expect.objectContaining({ unitPrice: 80.11, effectiveDate: addDays(today, 44), expirationDate: null }),
    ]),
  )
  const [capstone] = await pricesOf('STN-CAP')
  expect(capstone.expirationDate < today).toBe(true)
})

test('homes planned since the prices are known are budgeted by their takeoffs, and earlier ones by hand', async () => {
  const sources: Record<string, string[]> = {}
  for (const { id, address } of await all('homes')) {
    const lines: { source: string }[] = await all(`homes/${id}/budget/lines`)
    sources[address.line1] = [...new Set(lines.map(({ source }) => source))]
  }
  const byHand = Object.keys(sources).filter((home) => sources[home]?.includes('manual'))
  expect(byHand.sort()).toEqual([
    '118 Hollow Oak Ln',
    '142 Hollow Oak Ln',
    '2201 Juniper Ridge Dr',
    '907 Bluff Springs Cv',
  ])
  expect(Object.values(sources).filter((of) => of.includes('base'))).toHaveLength(8)
  expect(Object.values(sources).filter((of) => of.includes('option'))).toHaveLength(5)
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
