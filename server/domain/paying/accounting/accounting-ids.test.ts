import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'
import { up } from '../../../platform/database/migrations/0190_unique_accounting_ids.ts'

let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

type Body = ServiceResponse['body']
const caller = () => ({ key: site.key })
const post = (path: string, body: object) => plumbline.post(`/api/ext${path}`, body, caller())
const patch = (path: string, body: object) => plumbline.patch(`/api/ext${path}`, body, caller())
const get = async (path: string): Promise<Body> => (await plumbline.get(`/api/ext${path}`, caller())).body
const vendor = async (more: object) => (await post('/vendors', { companyName: 'Brazos Framing', ...more })).body.id

test('the error for an external ID of another record names that record', async () => {
  const codes = { category: 'material', name: 'Lumber' }
  for (const [path, first, second] of [
    ['/vendors', { companyName: 'Brazos Framing' }, { companyName: 'Brazos Framers' }],
    ['/communities', { name: 'Mill Creek' }, { name: 'Mill Creek Crossing' }],
    ['/homes', { name: 'Lot 1', communityId: site.communityId }, { name: 'Lot 2', communityId: site.communityId }],
    ['/cost-codes', { code: '06-110', ...codes }, { code: '06-120', ...codes }],
  ] as const) {
    const { body: held } = await post(path, { ...first, accountingId: 'QB-1', externalId: 'erp-1' })
    for (const field of ['accountingId', 'externalId']) {
      const value = held[field]
      const conflict = {
        status: 409,
        body: { code: 'conflict', errors: [{ pointer: `/${field}` }], conflictingId: held.id },
      }
      expect(await post(path, { ...second, [field]: value })).toMatchObject(conflict)
      const other = await post(path, {
        ...second,
        [field]: `${value}-b`,
        ...(path === '/cost-codes' && { code: field }),
      })
      expect(await patch(`${path}/${other.body.id}`, { [field]: value })).toMatchObject(conflict)
    }
    // An archived record keeps its IDs.
    await plumbline.delete(`/api/ext${path}/${held.id}`, caller())
    expect((await post(path, { ...second, accountingId: 'QB-1' })).body.conflictingId).toBe(held.id)
  }
})

test('all external IDs that are already used are reported in one response, each with its current record', async () => {
  const home = (more: object) => ({ name: 'Lot 30', communityId: site.communityId, block: 'B', ...more })
  const { body: lot } = await post('/homes', home({ lotNumber: '30' }))
  const { body: job } = await post('/homes', home({ lotNumber: '31', accountingId: 'JOB-31' }))
  const both = home({ lotNumber: '30', accountingId: 'JOB-31' })
  const refused = await post('/homes', both)
  expect([refused.status, refused.body.reason]).toEqual([409, 'value_taken'])
  const named = Object.fromEntries(refused.body.errors.map(({ pointer, message }: Body) => [pointer, message]))
  expect(Object.keys(named).toSorted()).toEqual(['/accountingId', '/lotNumber'])
  const [first] = refused.body.errors
  expect(refused.body.conflictingId).toBe(first.pointer === '/lotNumber' ? lot.id : job.id)
  expect(Object.values(named)).toContain(
    `must be unique; ${first.pointer === '/lotNumber' ? job.id : lot.id} already uses it`,
  )

  // An update, a skill, and a batch reject a lot number that is in use in the same block. Another block can use the
  // same lot number.
  const { body: other } = await post('/homes', home({ block: 'C', lotNumber: '30' }))
  expect(await patch(`/homes/${other.id}`, { lotNumber: '31', block: 'B' })).toMatchObject({
    ...{ status: 409, body: { errors: [{ pointer: '/lotNumber' }], conflictingId: job.id } },
  })
  const skill = await post('/execute', { skill: 'createHome', input: both })
  expect(skill.body.errors.map(({ pointer }: Body) => pointer).toSorted()).toEqual([
    ...['/input/accountingId', '/input/lotNumber'],
  ])
  const batch = await post('/homes/batch', { match: 'id', mode: 'best_effort', rows: [home({ lotNumber: '30' })] })
  expect(batch.body.rows).toMatchObject([{ problem: { errors: [{ pointer: '/lotNumber' }], conflictingId: lot.id } }])
  const code = { code: '99-1', name: 'Studs', category: 'material' }
  const { body: held } = await post('/cost-codes', code)
  expect((await post('/cost-codes', code)).body.conflictingId).toBe(held.id)
})

test('the error for an external ID in use names the conflicting record for skills, batches, and imports', async () => {
  const held = await vendor({ accountingId: 'QB-2' })
  const input = { companyName: 'Brazos Framing', accountingId: 'QB-2' }
  const skill = await post('/execute', { skill: 'createVendor', input, dryRun: true })
  expect(skill.body).toMatchObject({ errors: [{ pointer: '/input/accountingId' }], conflictingId: held })
  const steps = [{ name: 'one', skill: 'createVendor', input }]
  const batch = await post('/execute/batch', { steps })
  expect(batch.body).toMatchObject({ errors: [{ pointer: '/steps/0/input/accountingId' }], conflictingId: held })
  const rows = [input, { companyName: 'Hill Country Framers' }]
  const imported = await post('/execute', {
    skill: 'importRows',
    input: { entity: 'vendor', mode: 'best_effort', rows },
  })
  expect(imported.body.result.rows).toMatchObject([{ problem: { conflictingId: held } }, { status: 'created' }])
  const again = { ...caller(), headers: { 'idempotency-key': 'taken' } }
  expect((await plumbline.post('/api/ext/vendors', input, again)).body.conflictingId).toBe(held)
})

test('two builders can use the same external ID', async () => {
  await vendor({ accountingId: 'QB-3', externalId: 'erp-3' })
  const input = { companyName: 'Brazos Framing', accountingId: 'QB-3', externalId: 'erp-3' }
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.post('/api/ext/vendors', input, { key })).status).toBe(201)
})

test('lists can be filtered by up to 100 external IDs, including IDs that contain commas', async () => {
  const ids = [
    await vendor({ accountingId: 'QBO-3', externalId: 'erp-7' }),
    await vendor({ accountingId: 'QBO-4', externalId: 'erp-8' }),
    await vendor({ accountingId: 'Brazos, Inc.', externalId: 'Brazos,8' }),
  ]
  const found = async (query: string) => (await get(`/vendors?${query}`)).data.map(({ id }: Body) => id)
  expect(await found('accountingId=QBO-4,QBO-3,QBO-none&sort=createdAt')).toEqual([ids[0], ids[1]])
  expect(await found('externalId=erp-8')).toEqual([ids[1]])
  expect(await found('externalId=Brazos,8,erp-7')).toEqual([ids[0]])
  expect(await found(`accountingId=${encodeURIComponent('Brazos, Inc.')}`)).toEqual([ids[2]])
  expect(await found('accountingId=null&externalId=erp-7')).toEqual([])
  const many = Array.from({ length: 101 }, (_, i) => `QBO-${i + 3}`)
  expect(await found(`accountingId=${many.slice(1).join()}`)).toEqual([ids[1]])
  const tooMany = await plumbline.get(`/api/ext/vendors?accountingId=${many.join()}`, caller())
  expect(tooMany).toMatchObject({ status: 422, body: { errors: [{ pointer: 'accountingId', code: 'maxItems' }] } })
})

test('records with a number can be filtered by number', async () => {
  const lines = [{ description: 'Walls', quantity: 1, unitPrice: 100 }]
  const order = { homeId: site.lot14, vendorId: site.loneStar, scope: 'framing', lines }
  const orders = [(await post('/purchase-orders', order)).body, (await post('/purchase-orders', order)).body]
  const requested = {
    scope: 'framing',
    deadline: '2030-12-04',
    communityId: site.communityId,
    vendorIds: [site.loneStar],
  }
  const request = (await post('/bids/request', requested)).body
  for (const [path, { id, number }] of [
    ['/purchase-orders', orders[1]],
    ['/bids/requests', request],
  ] as const)
    expect((await get(`${path}?number=${number}`)).data.map((each: Body) => each.id)).toEqual([id])
  for (const path of ['/payments', '/payment-runs', '/sales'])
    expect((await get(`${path}?number=NONE-1`)).data).toEqual([])
})

test('if two concurrent requests set the same ID on different vendors, one fails and names the other vendor', async () => {
  const pair = [await vendor({}), await vendor({})]
  const answers = await Promise.all(
    pair.map((id) => post('/accounting/acknowledgements', { rows: [{ id, version: 1, accountingId: 'QB-5' }] })),
  )
  const rows = answers.map(({ body }) => body.rows[0]).toSorted((a, b) => (a.status < b.status ? -1 : 1))
  expect(rows).toMatchObject([{ status: 'acknowledged' }, { status: 'refused', conflictingId: rows[0].id }])
})

test('the migration keeps a duplicate accounting ID only on the oldest record', async () => {
  const [oldest, second, apart] = [await vendor({ accountingId: 'QB-6' }), await vendor({}), await vendor({})]
  const { sessions } = plumbline.database
  for (const table of ['vendors', 'communities', 'homes', 'costCodes', 'contracts', 'purchaseOrders', 'payments']) {
    await sql`drop index ${sql.id(`${table}_accountingId_key`)}`.execute(sessions)
    await sql`create index ${sql.id(`${table}_accountingId`)} on ${sql.table(table)} ("organizationId", "accountingId")`.execute(
      sessions,
    )
  }
  await sql`update "vendors" set "accountingId" = 'QB-6' where "id" = ${second}`.execute(sessions)
  await sql`update "vendors" set "accountingId" = 'QB-7' where "id" = ${apart}`.execute(sessions)
  await up(sessions as unknown as Kysely<unknown>)
  const accountingIds = [oldest, second, apart].map(async (id) => (await get(`/vendors/${id}`)).accountingId)
  expect(await Promise.all(accountingIds)).toEqual(['QB-6', null, 'QB-7'])
  const { items } = await get('/accounting/queue?type=vendor&limit=200')
  const message = `It had the accountingId QB-6, which ${oldest} has, too. That one keeps it.`
  expect(items.find(({ id }: Body) => id === second)).toMatchObject({ reason: 'error', version: 2, error: { message } })
  expect((await patch(`/vendors/${second}`, { accountingId: 'QB-6' })).body.conflictingId).toBe(oldest)
})
