import type { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../test/support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import * as requests from '../../domain/bidding/bid-requests/queries.ts'
import * as vendors from '../../domain/vendors/vendors/queries.ts'
import { MAX_PAGE_BYTES } from '../calls/page.ts'
import type { Db } from '../database/database.ts'
import { createStatementCache } from './statement-texts.ts'

let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

/** Each character has three bytes, so that the test fails if the code counts characters instead of bytes. */
const long = (characters: number) => '界'.repeat(characters)
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const lines = (count: number, more: object = {}) => times(count, () => ({ description: long(500), ...more }))

async function create(path: string, body: object, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const { status, body: created } = await plumbline.post(`/api/ext${path}`, body, { key: site.key })
    expect(status).toBe(201)
    ids.push(created.id)
  }
  return ids
}

const draft = () => ({ ...site.framing(), lines: lines(200), sendNow: false })

async function bids(): Promise<void> {
  const [id] = await create('/bids/request', { ...site.framing(), homeIds: [site.lot14, site.lot15] }, 1)
  for (const vendorId of [site.loneStar, site.hillCountry]) {
    for (const homeId of [site.lot14, site.lot15]) {
      const priced = lines(200, { quantity: 1, unit: 'LS', unitPrice: 1, note: long(900) })
      await create('/bids', { bidRequestId: id, vendorId, homeId, lines: priced }, 1)
    }
  }
}

const contacts = () => times(50, () => ({ name: long(200), role: long(100), email: null, phone: null }))

describe('a page ends with the record that reaches 1 MiB', () => {
  test.each([
    ['bid requests', '/bids/requests?status=draft', () => create('/bids/request', draft(), 6)],
    ['bids', '/bids', bids],
    ['vendors', '/vendors?q=wordy', () => create('/vendors', { companyName: 'Wordy', contacts: contacts() }, 24)],
    [
      'purchase orders',
      '/purchase-orders',
      () =>
        create(
          '/purchase-orders',
          {
            ...{ homeId: site.lot14, vendorId: site.loneStar, scope: 'framing', notes: long(5000) },
            lines: lines(200, { quantity: 1, unitPrice: 1 }),
          },
          5,
        ),
    ],
    [
      'messages',
      '/messages',
      () => create('/messages', { body: long(10_000), recipientRoles: ['owner'], subject: 'Long' }, 37),
    ],
    ['events', '/events?type=bid_request.created&sort=-sequence', async () => {}],
  ])('a page of %s ends with the record that reaches 1 MiB', async (_what, path, make) => {
    await make()
    const target = `/api/ext${path}${path.includes('?') ? '&' : '?'}`
    const single = `/api/ext${path.split('?')[0]}`
    const seen: { id: string }[] = []
    const pages: number[] = []
    let cursor: string | null = null
    do {
      const answer = await plumbline.get(`${target}limit=200${cursor === null ? '' : `&cursor=${cursor}`}`, site)
      expect(answer.status).toBe(200)
      const items: { id: string }[] = answer.body.data
      const sizes = items.map((item) => Buffer.byteLength(JSON.stringify(item)))
      const before = sizes.slice(0, -1).reduce((sum, size) => sum + size, 0)
      // The database stores only the approximate size of a row.
      expect(before).toBeLessThan(MAX_PAGE_BYTES * 1.05)
      pages.push(items.length)
      seen.push(...items)
      cursor = answer.body.nextCursor
    } while (cursor !== null)
    expect(pages.length).toBeGreaterThan(1)
    const ids = seen.map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)].sort().reverse())
    for (const item of [seen[0], seen.at(-1)]) {
      const { body } = await plumbline.get(`${single}/${item?.id}`, site)
      // A list contains the number of a bid request's invitations instead of the invitations.
      const invitationCount = body.invitations?.length
      if (invitationCount !== undefined) expect({ ...body, invitationCount }).toMatchObject(item ?? {})
      else expect(item).toEqual(body)
    }
  })

  test('a list page contains at least one record, regardless of the size of the record', async () => {
    const { body } = await plumbline.get('/api/ext/bids/requests?limit=1&status=draft', site)
    expect([body.data.length, typeof body.nextCursor]).toEqual([1, 'string'])
  })

  test('a list page of 1 MiB does not make the database read the long texts of later records', async () => {
    const meter = metered(plumbline.database.of(site.organizationId).statements)
    const call = { db: meter.db, organizationId: site.organizationId, opened: new Set<string>(), keepsHidden: false }
    await requests.list(call, { limit: 200, sort: '-createdAt' })
    expect(meter.statements.length).toBe(2)
    const all = await requests.list(call, { limit: 1, sort: '-createdAt' })
    expect(meter.characters).toBeLessThan(MAX_PAGE_BYTES * 2)
    expect(all.text.length).toBeGreaterThan(0)
  })
})

describe('the same query in another order', () => {
  test('the same filters in another order use the same SQL statement', async () => {
    const meter = metered(plumbline.database.of(site.organizationId).statements)
    const tenant = { db: meter.db, organizationId: site.organizationId }
    const ask = { limit: 20, sort: '-createdAt' }
    await vendors.list(tenant, { status: 'active', portalStatus: 'invited', scope: 'framing', ...ask } as typeof ask)
    await vendors.list(tenant, { ...ask, scope: 'framing', portalStatus: 'active', status: 'active' } as typeof ask)
    expect(meter.statements.length).toBe(2)
    expect(new Set(meter.statements).size).toBe(1)
  })

  test('an update of the same fields in another order stores each value in its own field', async () => {
    const first = { companyName: 'A', phone: '1', email: 'a@example.com' }
    const second = { email: 'b@example.com', phone: '2', companyName: 'B' }
    const [id] = await create('/vendors', { companyName: 'Brazos' }, 1)
    for (const body of [first, second]) {
      const changed = await plumbline.patch(`/api/ext/vendors/${id}`, body, { key: site.key })
      expect(changed.body).toMatchObject(body)
    }
  })
})

test('a full statement cache keeps the most recently used statements', () => {
  const texts = createStatementCache()
  let built = 0
  const ask = (shape: string) => texts(shape, () => `select ${++built}`)
  for (let i = 0; i < 501; i++) ask(`shape ${i}`)
  ask('shape 1')
  ask('shape 500')
  expect(built).toBe(501)
  ask('shape 0')
  expect(built).toBe(502)
  ask('shape 0')
  ask('shape 1')
  expect(built).toBe(503)
})

/** Returns a database that counts its statements and the size of their results. */
function metered(db: Db) {
  const meter = {
    statements: [] as string[],
    characters: 0,
    db: new Proxy(db, {
      get(target, name) {
        if (name !== 'executeQuery') return Reflect.get(target, name)
        return async (query: CompiledQuery) => {
          meter.statements.push(query.sql)
          const result = await target.executeQuery(query)
          meter.characters += JSON.stringify(result.rows).length
          return result
        }
      },
    }),
  }
  return meter
}
