import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../test/support/site.ts'
import {
  type RequestOptions,
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../test/support/test-plumbline.ts'
import { MAX_PAGE_BYTES } from '../../platform/calls/page.ts'
import { operations } from '../operations.ts'

type Body = ServiceResponse['body']

/** The lists that were requested, in order. */
const asked: string[] = []

let plumbline: TestPlumbline
let site: Site
let request: Body
let bid: Body

beforeAll(async () => {
  const handlers = {
    ...operations,
    listVendors: noting('listVendors'),
    listBidRequests: noting('listBidRequests'),
    listCommunities: noting('listCommunities'),
    listBids: noting('listBids'),
  }
  plumbline = await startTestPlumbline({}, { handlers })
  site = await buildSite(plumbline)
  request = await made('/bids/request', { ...site.framing(), homeIds: [site.lot15] })
  bid = await made('/bids', { bidRequestId: request.id, vendorId: site.loneStar, amount: 40_000 })
})
afterAll(() => plumbline.stop())

function noting<Id extends 'listVendors' | 'listBidRequests' | 'listCommunities' | 'listBids'>(
  id: Id,
): (typeof operations)[Id] {
  const list = operations[id] as (input: unknown, call: unknown) => Promise<never>
  return ((input: unknown, call: unknown) => {
    asked.push(id)
    return list(input, call)
  }) as (typeof operations)[Id]
}

const get = (path: string, options: RequestOptions = {}) =>
  plumbline.get(`/api/ext${path}`, { key: site.key, ...options })
const read = async (path: string): Promise<Body> => {
  const response = await get(path)
  expect(response.status, JSON.stringify(response.body)).toBe(200)
  return response.body
}
const made = async (path: string, body: unknown): Promise<Body> => {
  const response = await plumbline.post(`/api/ext${path}`, body, { key: site.key })
  expect(response.status, JSON.stringify(response.body)).toBe(201)
  return response.body
}

test('expand adds linked records, up to two levels deep, in the same form as in lists', async () => {
  const plain = await read(`/bids/${bid.id}`)
  const [vendor] = (await read(`/vendors?ids=${site.loneStar}`)).data
  const [summary] = (await read(`/bids/requests?ids=${request.id}`)).data
  const community = await read(`/communities/${site.communityId}`)
  const requested = { ...plain, vendor, bidRequest: { ...summary, community }, home: null }
  expect(await read(`/bids/${bid.id}?expand=vendor,bidRequest.community,home`)).toEqual(requested)
  expect((await read('/bids?expand=vendor,bidRequest.community,home')).data).toEqual([requested])
})

test('a list page with expand reads each type of linked record only once', async () => {
  await made('/bids', { bidRequestId: request.id, vendorId: site.hillCountry, amount: 41_000 })
  asked.length = 0
  const { data } = await read('/bids?expand=vendor,bidRequest,bidRequest.community')
  expect(data.map(({ vendor }: Body) => vendor.id)).toEqual([site.hillCountry, site.loneStar])
  expect(asked).toEqual(['listBids', 'listVendors', 'listBidRequests', 'listCommunities'])
  asked.length = 0
  expect(Object.keys((await read('/bids')).data[0])).not.toContain('vendor')
  expect(asked).toEqual(['listBids'])
})

test('expanding a link requires the permission to read the linked records, even if there are none', async () => {
  const narrow = (...permissions: string[]) => plumbline.newKey(permissions, site.organizationId)
  const expand = '/bids?expand=vendor,bidRequest.community'
  const refused = await get(expand, { key: await narrow('bids:read', 'communities:read') })
  expect(refused.body).toMatchObject({ status: 403, code: 'permission_denied', permission: 'vendors:read' })
  expect(refused.body).toMatchObject({ detail: 'With expand=vendor this operation requires vendors:read.' })
  const further = await get(`${expand}&status=withdrawn`, { key: await narrow('bids:read', 'vendors:read') })
  expect(further.body).toMatchObject({ status: 403, permission: 'communities:read' })
  expect(further.body.detail).toContain('With expand=bidRequest.community ')
  const single = await get(`/bids/${bid.id}?expand=vendor`, { key: await narrow('bids:read') })
  expect(single.body).toMatchObject({ status: 403, permission: 'vendors:read' })
})

test('expand rejects unknown links, links at a third level, and more than five links', async () => {
  for (const expand of ['homes', 'bidRequest.community.superintendent', 'vendor,', '__proto__', 'vendor.toString']) {
    const { body } = await get(`/bids?expand=${expand}`)
    expect([expand, body.status]).toEqual([expand, 422])
    for (const { pointer } of body.errors) expect(pointer).toMatch(/^expand(\/\d)?$/)
  }
  const six = Array.from({ length: 6 }, () => 'vendor').join()
  expect((await get(`/bids?expand=${six}`)).status).toBe(422)
  expect((await read(`/bids/${bid.id}?expand=vendor,vendor`)).vendor.id).toBe(site.loneStar)
})

test('a changed linked record changes the ETag for reads but not for updates of the main record', async () => {
  const target = `/bids/${bid.id}?expand=vendor`
  const { headers } = await get(target)
  const known = { headers: { 'If-None-Match': headers.get('etag') ?? '' } }
  expect((await get(target, known)).status).toBe(304)
  const renamed = await plumbline.patch(
    `/api/ext/vendors/${site.loneStar}`,
    { phone: '512-555-0100' },
    { key: site.key },
  )
  expect(renamed.status).toBe(200)
  const after = await get(target, known)
  expect([after.status, after.body.vendor.phone]).toEqual([200, '512-555-0100'])
  const change = { key: site.key, headers: { 'If-Match': after.headers.get('etag') ?? '' } }
  expect((await plumbline.patch(`/api/ext/bids/${bid.id}`, { externalId: 'B-1' }, change)).status).toBe(200)
  expect((await plumbline.patch(`/api/ext/bids/${bid.id}`, { externalId: 'B-2' }, change)).status).toBe(412)
})

test('expand does not reveal hidden amounts', async () => {
  const blind = await made('/bids/request', { ...site.framing(), blind: true })
  await made('/bids', { bidRequestId: blind.id, vendorId: site.loneStar, amount: 39_000 })
  const [hidden] = (await read(`/bids?bidRequestId=${blind.id}&expand=bidRequest`)).data
  expect(hidden).toMatchObject({ amount: null, bidRequest: { amountsHidden: true, lowAmount: null } })
})

test('expand includes archived records', async () => {
  const order = await made('/purchase-orders', {
    ...{ homeId: site.lot14, vendorId: site.redrock, scope: 'framing' },
    lines: [{ description: 'Walls', quantity: 1, unit: 'LS', unitPrice: 100 }],
  })
  expect((await plumbline.delete(`/api/ext/vendors/${site.redrock}`, { key: site.key })).status).toBe(204)
  const { vendor } = await read(`/purchase-orders/${order.id}?expand=vendor`)
  expect(vendor).toMatchObject({ id: site.redrock, archivedAt: expect.any(String) })
})

test('a skill can return expanded records', async () => {
  const { body } = await plumbline.post(
    '/api/ext/execute',
    { skill: 'listBids', input: { ids: [bid.id], expand: ['vendor'] } },
    { key: site.key },
  )
  expect(body.result.data[0].vendor.companyName).toBe('Lone Star Framing LLC')
})

test('a list page ends when its expanded records reach 1 MiB', async () => {
  const contacts = Array.from({ length: 50 }, () => ({
    name: '界'.repeat(200),
    role: '界'.repeat(100),
    email: null,
    phone: null,
  }))
  const wordy = async (i: number): Promise<string> =>
    (await made('/vendors', { companyName: `Wordy ${i}`, contacts })).id
  const many = await Promise.all(Array.from({ length: 30 }, (_, i) => wordy(i)))
  const plan = (vendorId: string) => ({
    ...{ homeId: site.lot15, vendorId, scope: 'framing' },
    lines: [{ description: 'Walls', quantity: 1, unit: 'LS', unitPrice: 100 }],
  })
  const orders: string[] = []
  for (const vendorId of [...many, ...many.map(() => many[0] ?? '')])
    orders.push((await made('/purchase-orders', plan(vendorId))).id)
  const seen: string[] = []
  const sizes: number[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/purchase-orders?homeId=${site.lot15}&limit=200&expand=vendor${cursor === '' ? '' : `&cursor=${cursor}`}`
    const { body, headers } = await get(path)
    for (const { id, vendorId, vendor } of body.data) {
      expect(vendor.id).toBe(vendorId)
      seen.push(id)
    }
    sizes.push(JSON.stringify(body).length)
    // The page ends with the record that exceeds the size limit. Each record in this test is at most 50 kB long.
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(MAX_PAGE_BYTES + 100_000)
    if (body.nextCursor !== null) expect(headers.get('link')).toContain('expand=vendor')
    cursor = body.nextCursor
  }
  expect(seen).toEqual(orders.reverse())
  expect(sizes.length).toBeLessThan(8)
})
