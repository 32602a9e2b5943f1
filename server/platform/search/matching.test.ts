import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { indexChanges } from './index-changes.ts'

let plumbline: TestPlumbline
let key: string
let organizationId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const builder = await plumbline.newBuilder()
  key = builder.key
  organizationId = builder.organizationId
})
afterAll(() => plumbline.stop())

async function create(path: string, body: object): Promise<string> {
  const answer = await plumbline.post(`/api/ext/${path}`, body, { key })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.id
}
async function found(list: string, q: string, more = ''): Promise<string[]> {
  const answer = await plumbline.get(`/api/ext/${list}?q=${encodeURIComponent(q)}${more}`, { key })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.data.map(({ id }: { id: string }) => id)
}

/** Resolves when the job or this function has indexed all changes. */
async function indexed(): Promise<void> {
  for (;;) {
    await indexChanges(plumbline.database)
    const left = await plumbline.database.statements.selectFrom('searchQueue').select('place').limit(1).execute()
    if (left.length === 0) return
  }
}

test('a list search returns the same records before and after they are indexed', async () => {
  const walls = await create('parts', { sku: 'FRM-2X6-08', name: 'Stud 2x6, Łódź pine', unit: 'each' })
  const beam = await create('parts', {
    sku: 'FRM-LVL-16',
    name: 'LVL beam',
    unit: 'each',
    description: 'For wide pine doors',
  })
  const requested: [q: string, ids: string[]][] = [
    ['pine', [beam, walls]],
    ['PIN', [beam, walls]],
    ['pine stud', [walls]],
    ['lodz', [walls]],
    ['frm-2x6-08', [walls]],
    ['frm2x6', [walls]],
    ['frm lvl', [beam]],
    ['tud', []],
    ['pine oak', []],
    ['—', []],
    ["100% _ ' \\", []],
  ]
  const answers = async () => {
    const all = []
    for (const [q] of requested) all.push([q, await found('parts', q)])
    return all
  }
  const before = await answers()
  await indexed()
  expect([before, await answers()]).toEqual([requested, requested])
})

test('a record is found once even if several of its words match a prefix', async () => {
  const ids = []
  for (const name of ['Zinc zipper', 'Zirconium', 'Zigzag zip'])
    ids.unshift(await create('parts', { sku: name.toUpperCase().replace(' ', '-'), name, unit: 'each' }))
  await indexed()
  expect(await found('parts', 'zi')).toEqual(ids)
  const paged: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await plumbline.get(`/api/ext/parts?q=zi&sort=name&limit=1${cursor}`, { key })
    paged.push(...body.data.map(({ name }: { name: string }) => name))
    if (body.nextCursor === null) break
    cursor = `&cursor=${body.nextCursor}`
  }
  expect(paged).toEqual(['Zigzag zip', 'Zinc zipper', 'Zirconium'])
})

test('a changed record is found only by its current words', async () => {
  const id = await create('communities', { name: 'Quail Hollow', status: 'active', timeZone: 'America/Chicago' })
  await indexed()
  expect(await found('communities', 'quail')).toEqual([id])
  await plumbline.patch(`/api/ext/communities/${id}`, { name: 'Heron Hollow' }, { key })
  const at = async () => [await found('communities', 'quail'), await found('communities', 'heron hollow')]
  expect(await at()).toEqual([[], [id]])
  await indexed()
  expect(await at()).toEqual([[], [id]])
})

test('an archived record is found only when archived records are requested', async () => {
  const id = await create('scopes', { name: 'gutters' })
  await indexed()
  await plumbline.delete(`/api/ext/scopes/${id}`, { key })
  const at = async () => [await found('scopes', 'gutt'), await found('scopes', 'gutt', '&includeArchived=true')]
  expect(await at()).toEqual([[], [id]])
  await indexed()
  expect(await at()).toEqual([[], [id]])
})

test('an order is found only by the current descriptions of its lines', async () => {
  const communityId = await create('communities', { name: 'Elm Row', status: 'active', timeZone: 'America/Chicago' })
  const homeId = await create('homes', { name: 'Lot 3', communityId, address: { line1: '3 Elm Row' } })
  const vendorId = await create('vendors', { companyName: 'Lone Star Framing', scopes: ['framing'] })
  const line = (description: string) => [{ description, quantity: 1, unitPrice: 10 }]
  const id = await create('purchase-orders', { vendorId, homeId, scope: 'framing', lines: line('Walls') })
  expect(await found('purchase-orders', 'walls')).toEqual([id])
  await indexed()
  const changed = await plumbline.patch(`/api/ext/purchase-orders/${id}`, { lines: line('Halls') }, { key })
  expect(changed.status, JSON.stringify(changed.body)).toBe(200)
  const at = async () => [await found('purchase-orders', 'walls'), await found('purchase-orders', 'halls framing')]
  expect(await at()).toEqual([[], [id]])
  await indexed()
  expect(await at()).toEqual([[], [id]])
})

/**
 * Adds cost codes with these numbers, which were created years before all other cost codes. `name` is an SQL expression
 * that can use `n`.
 */
async function addCostCodes(from: number, to: number, name: string): Promise<void> {
  await sql`
    insert into "costCodes" ("organizationId", "id", "code", "name", "category", "version", "createdBy", "createdAt", "updatedAt")
    select ${organizationId}, 'cc_01k0' || lpad(n::text, 22, '0'), 'C' || n, ${sql.raw(name)}, 'material', 1,
      '{"type":"system","id":null}', now(), now()
    from generate_series(${from}::int, ${to}::int) as n`.execute(plumbline.database.statements)
  await indexed()
}
const ids = (...of: number[]) => of.map((n) => `cc_01k0${String(n).padStart(22, '0')}`)

test('a search for words that occur in thousands of records returns them in the requested sort order', async () => {
  const many = 5200
  await addCostCodes(1, many, `'Common ' || case when n % 100 = 0 then 'rare' else 'usual' end || ' thing'`)
  expect(await found('cost-codes', 'common thing', '&sort=createdAt&limit=3')).toEqual(ids(1, 2, 3))
  expect(await found('cost-codes', 'common rar', '&sort=createdAt&limit=2')).toEqual(ids(100, 200))
  const fresh = await create('cost-codes', { code: 'Z1', name: 'Common thing', category: 'labor' })
  const newest = await found('cost-codes', 'common thing', '&sort=-createdAt&limit=2')
  expect(newest).toEqual([fresh, ...ids(many)])
  await indexed()
  expect(await found('cost-codes', 'common thing', '&sort=-createdAt&limit=2')).toEqual(newest)
})

test('a search that matches thousands of old records supports both sort directions and paging', async () => {
  const newest = '&sort=-createdAt'
  const [from, middle, to] = [10_000, 15_200, 20_400]
  await addCostCodes(from, middle, `'Bygone' || case when n = ${middle} then ' but recent' else '' end`)
  await addCostCodes(middle + 1, to, `'Recent'`)
  expect(await found('cost-codes', 'bygone', `${newest}&limit=2`)).toEqual(ids(middle, middle - 1))
  expect(await found('cost-codes', 'recent', '&limit=2&sort=createdAt')).toEqual(ids(middle, middle + 1))
  expect(await found('cost-codes', 'bygone recent', newest)).toEqual(ids(middle))
  expect(await found('cost-codes', 'recent bygone', '&sort=code')).toEqual(ids(middle))

  const { body: page } = await plumbline.get(`/api/ext/cost-codes?q=bygone${newest}&limit=2`, { key })
  const next = `${newest}&limit=2&cursor=${page.nextCursor}`
  expect(await found('cost-codes', 'bygone', next)).toEqual(ids(middle - 2, middle - 3))
  expect(await found('cost-codes', 'bygone', `${next}&category=material`)).toEqual(ids(middle - 2, middle - 3))
  expect(await found('cost-codes', 'bygone', `${next}&category=labor`)).toEqual([])

  // Records that are not indexed yet are found as well.
  const fresh = await create('cost-codes', { code: 'Z2', name: 'Bygone, recent', category: 'material' })
  expect(await found('cost-codes', 'bygone', `${newest}&limit=2`)).toEqual([fresh, ...ids(middle)])
  expect(await found('cost-codes', 'bygone', next)).toEqual(ids(middle - 2, middle - 3))
  expect(await found('cost-codes', 'bygone recent', '&sort=createdAt')).toEqual([...ids(middle), fresh])
})

test('a search for two frequent words finds nothing until a record contains both', async () => {
  await addCostCodes(30_000, 35_200, `'Oddly'`)
  await addCostCodes(40_000, 45_200, `'Evenly'`)
  const at = async () => [
    await found('cost-codes', 'oddly evenly', '&sort=-createdAt'),
    await found('cost-codes', 'evenly odd', '&sort=code'),
  ]
  expect(await at()).toEqual([[], []])
  const fresh = await create('cost-codes', { code: 'Z3', name: 'Evenly and oddly', category: 'labor' })
  expect(await at()).toEqual([[fresh], [fresh]])
  await indexed()
  expect(await at()).toEqual([[fresh], [fresh]])
})
