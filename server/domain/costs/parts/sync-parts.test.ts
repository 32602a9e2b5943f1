import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

type Caller = { key: string; headers?: Record<string, string> }

const sync = (rows: unknown[], caller: Caller, mode?: string): Promise<ServiceResponse> =>
  plumbline.post('/api/ext/parts/batch', { rows, ...(mode !== undefined && { mode }) }, caller)
const partsOf = async (caller: Caller): Promise<ServiceResponse['body'][]> =>
  (await plumbline.get('/api/ext/parts?sort=sku&limit=200', caller)).body.data
const row = (sku: string, more: object = {}) => ({ sku, name: `Part ${sku}`, unit: 'EA', ...more })
const statuses = ({ body }: ServiceResponse) => body.rows.map(({ status }: { status: string }) => status)
const faults = ({ body }: ServiceResponse) =>
  body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)

test('the response to a part sync says for each row whether the part was created, updated, or unchanged', async () => {
  const caller = await plumbline.newBuilder()
  const { body: stored } = await plumbline.post('/api/ext/parts', row('A', { manufacturer: 'Weyerhaeuser' }), caller)
  const { body: same } = await plumbline.post('/api/ext/parts', row('B', { externalId: 'est-b' }), caller)
  const rows = [
    row('C', { scope: 'Framing', leadTimeDays: 3 }),
    row('A', { name: 'Stud', externalId: 'est-a' }),
    row('B'),
    row('D', { scope: 'framing' }),
  ]
  const answer = await sync(rows, caller)
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({ created: 2, updated: 1, unchanged: 1, failed: 0 })
  expect(answer.body.rows).toMatchObject([
    { row: 0, status: 'created', problem: null },
    { row: 1, status: 'updated', id: stored.id, problem: null },
    { row: 2, status: 'unchanged', id: same.id, problem: null },
    { row: 3, status: 'created', problem: null },
  ])
  // Omitted fields keep their values. Both rows receive the first spelling of the trade.
  expect(await partsOf(caller)).toMatchObject([
    {
      ...stored,
      name: 'Stud',
      externalId: 'est-a',
      manufacturer: 'Weyerhaeuser',
      version: 2,
      updatedAt: expect.any(String),
    },
    same,
    { id: answer.body.rows[0].id, sku: 'C', scope: 'Framing', leadTimeDays: 3, version: 1 },
    { id: answer.body.rows[3].id, sku: 'D', scope: 'Framing' },
  ])
  // An external ID identifies its part even if the SKU is different. The value null clears a field.
  const renamed = await sync([row('A2', { externalId: 'est-a', manufacturer: null })], caller)
  expect(renamed.body.rows).toMatchObject([{ status: 'updated', id: stored.id }])
  expect((await plumbline.get(`/api/ext/parts/${stored.id}`, caller)).body).toMatchObject({
    sku: 'A2',
    manufacturer: null,
  })
  expect(statuses(await sync([...rows.slice(0, 1), row('B'), row('D')], caller))).toEqual(Array(3).fill('unchanged'))

  const { data } = (await plumbline.get(`/api/ext/audit-entries?resourceId=${stored.id}`, caller)).body
  expect(data.toReversed()).toMatchObject([
    { action: 'part.created' },
    { action: 'part.updated', changed: ['name', 'externalId'] },
    { action: 'part.updated', changed: ['sku', 'name', 'manufacturer'] },
  ])
})

test('a new part without a cost code in its row gets the default cost code of its trade', async () => {
  const caller = await plumbline.newBuilder()
  const code = { code: '06-110', name: 'Lumber', category: 'material' }
  const { body: costCode } = await plumbline.post('/api/ext/cost-codes', code, caller)
  await plumbline.post('/api/ext/scopes', { name: 'framing', defaultCostCodeId: costCode.id }, caller)
  await sync([row('A', { scope: 'FRAMING' }), row('B', { scope: 'framing', costCodeId: null }), row('C')], caller)
  expect((await partsOf(caller)).map(({ costCodeId }) => costCodeId)).toEqual([costCode.id, null, null])
})

/** Returns rows in which every second row is invalid, each for a different reason. */
async function mixed(caller: Caller): Promise<unknown[]> {
  const { body: archived } = await plumbline.post('/api/ext/parts', row('OLD', { externalId: 'est-old' }), caller)
  await plumbline.delete(`/api/ext/parts/${archived.id}`, caller)
  await plumbline.post('/api/ext/parts', row('TAKEN', { externalId: 'est-taken' }), caller)
  const { body: priced } = await plumbline.post('/api/ext/parts', row('PRICED'), caller)
  const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: 'Brazos Lumber' }, caller)
  const price = { vendorId: vendor.id, unitPrice: 3, effectiveDate: '2026-01-01' }
  await plumbline.post(`/api/ext/parts/${priced.id}/prices`, price, caller)
  return [
    row('A'),
    row('B', { name: 'x'.repeat(201), color: 'red' }),
    row('C'),
    row('D', { costCodeId: 'cc_01m7y975jzfesvq6p2n0c4rjzw' }),
    row('E'),
    row('F', { externalId: 'est-old' }),
    row('G'),
    row('TAKEN', { externalId: 'est-other' }),
    row('H'),
    row('PRICED', { unit: 'LF' }),
    row('I'),
    { manufacturer: 'Weyerhaeuser' },
    row('J'),
    row('TWICE'),
    row('TWICE'),
  ]
}

const MIXED_FAULTS = [
  '/rows/1/color unknown',
  '/rows/1/name maxLength',
  '/rows/3/costCodeId unknown_reference',
  '/rows/5 conflict',
  '/rows/7/sku conflict',
  '/rows/9 conflict',
  '/rows/11/name required',
  '/rows/11/sku required',
  '/rows/11/unit required',
  '/rows/13/sku unique',
  '/rows/14/sku unique',
]

test('with best_effort, each invalid row fails separately, with the same error as for a single part', async () => {
  const caller = await plumbline.newBuilder()
  const answer = await sync(await mixed(caller), caller, 'best_effort')
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({ created: 7, updated: 0, unchanged: 0, failed: 8 })
  const failed = answer.body.rows.filter(({ status }: { status: string }) => status === 'failed')
  expect(failed.map(({ row, problem }: ServiceResponse['body']) => [row, problem.code])).toEqual([
    [1, 'validation_failed'],
    [3, 'unknown_reference'],
    [5, 'conflict'],
    [7, 'conflict'],
    [9, 'conflict'],
    [11, 'validation_failed'],
    [13, 'validation_failed'],
    [14, 'validation_failed'],
  ])
  const single = await plumbline.post('/api/ext/parts', row('B', { name: 'x'.repeat(201) }), caller)
  expect(failed[0].problem.errors).toContainEqual(single.body.errors[0])
  expect(failed[7].problem.errors).toEqual([
    { pointer: '/sku', code: 'unique', message: 'must be unique; rows 13 and 14 have the same value' },
  ])
  const skus = (await partsOf(caller)).map(({ sku }) => sku)
  expect(skus).toEqual(['A', 'C', 'E', 'G', 'H', 'I', 'J', 'PRICED', 'TAKEN'])
})

test('by default, one invalid row rejects the whole part sync with all errors', async () => {
  const caller = await plumbline.newBuilder()
  const rows = await mixed(caller)
  const before = await partsOf(caller)
  for (const mode of [undefined, 'all_or_nothing']) {
    const refused = await sync(rows, caller, mode)
    expect([refused.status, refused.body.code]).toEqual([422, 'validation_failed'])
    expect(faults(refused).toSorted()).toEqual(MIXED_FAULTS.toSorted())
  }
  const unknown = await sync([rows[0], rows[3], rows[5]], caller)
  expect([unknown.status, unknown.body.code]).toEqual([422, 'unknown_reference'])
  const conflict = await sync([rows[0], rows[5]], caller)
  expect([conflict.status, conflict.body.code]).toEqual([409, 'conflict'])
  expect(faults(conflict)).toEqual(['/rows/1 conflict'])
  expect(await partsOf(caller)).toEqual(before)
})

test('a part sync rejects two rows that match the same part', async () => {
  const caller = await plumbline.newBuilder()
  await sync([row('A', { externalId: '1' }), row('B', { externalId: '2' }), row('C')], caller)
  const swapped = [row('B', { externalId: '1' }), row('A', { externalId: '2' }), row('C', { name: 'Screw' })]
  expect(statuses(await sync(swapped, caller, 'best_effort'))).toEqual(['failed', 'failed', 'updated'])
  const both = await sync([row('Z', { externalId: '1' }), row('A')], caller, 'best_effort')
  expect(both.body.rows[1].problem.errors).toMatchObject([
    { code: 'unique', message: 'must not refer to the same record as row 0' },
  ])
})

test('repeating a part sync with the same Idempotency-Key returns the same response', async () => {
  const caller = await plumbline.newBuilder()
  const rows = Array.from({ length: 1000 }, (_, i) => row(`SKU-${i}`))
  const once = { ...caller, headers: { 'idempotency-key': 'nightly' } }
  const first = await sync(rows, once)
  expect(first.body).toMatchObject({ created: 1000 })
  const again = await sync(rows, once)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body).toEqual(first.body)
  expect((await sync(rows, caller)).body).toMatchObject({ unchanged: 1000 })
})

test('a dry run of a part sync writes nothing', async () => {
  const caller = await plumbline.newBuilder()
  const input = { mode: 'best_effort', rows: [row('SKU-0'), row('SKU-1'), {}] }
  const tried = await plumbline.post('/api/ext/execute', { skill: 'syncParts', input, dryRun: true }, caller)
  expect(tried.body.result).toMatchObject({ created: 2, failed: 1 })
  expect(await partsOf(caller)).toEqual([])
})

test('a part sync accepts at most 1,000 rows', async () => {
  const caller = await plumbline.newBuilder()
  const rows = Array.from({ length: 1001 }, (_, i) => row(`SKU-${i}`))
  expect((await sync(rows, caller)).body.errors).toMatchObject([{ pointer: '/rows' }])
})

test('a part sync row that is matched by id or externalId needs only the fields to change', async () => {
  const caller = await plumbline.newBuilder()
  const by = (match: string, ...rows: object[]) =>
    plumbline.post('/api/ext/parts/batch', { mode: 'best_effort', match, rows }, caller)
  const first = await by('externalId', row('A', { externalId: '1' }), row('B', { externalId: '2' }), row('C'))
  expect(statuses(first)).toEqual(['created', 'created', 'failed'])
  expect(first.body.rows[2].problem.errors).toMatchObject([{ pointer: '/externalId', code: 'required' }])
  const [a, b] = first.body.rows.map(({ id }: { id: string }) => id)
  const answer = await by(
    'id',
    { id: a, leadTimeDays: 9 },
    { id: b, sku: 'A' },
    { id: 'prt_01m7y975jzfesvq6s4h2k8v0bq', name: 'Nobody' },
    row('D'),
    { name: 'No sku', unit: 'EA' },
  )
  expect(statuses(answer)).toEqual(['updated', 'failed', 'failed', 'created', 'failed'])
  const faulty = answer.body.rows.flatMap(({ problem }: ServiceResponse['body']) =>
    problem === null ? [] : [[problem.errors[0].pointer, problem.errors[0].code, problem.conflictingId]],
  )
  expect(faulty).toEqual([
    ['/sku', 'conflict', a],
    ['/id', 'unknown_reference', null],
    ['/sku', 'required', null],
  ])
  expect(statuses(await by('externalId', { externalId: '1', name: 'Stud' }))).toEqual(['updated'])
  expect((await plumbline.get(`/api/ext/parts/${a}`, caller)).body).toMatchObject({
    name: 'Stud',
    leadTimeDays: 9,
    sku: 'A',
  })
  const unasked = await sync([{ id: a, name: 'Stud' }], caller, 'best_effort')
  expect(unasked.body.rows[0].problem.errors).toMatchObject([{ pointer: '/id', code: 'match' }])
})

test('a part sync finds only parts of its own builder', async () => {
  const [one, other] = [await plumbline.newBuilder(), await plumbline.newBuilder()]
  const first = await sync([row('A', { externalId: '1' })], one)
  const second = await sync([row('A', { externalId: '1' })], other)
  expect(statuses(second)).toEqual(['created'])
  expect(second.body.rows[0].id).not.toBe(first.body.rows[0].id)
})

test('a part sync requires parts:write', async () => {
  const key = await plumbline.newKey(['parts:read'])
  expect((await sync([row('A')], { key })).body).toMatchObject({ code: 'permission_denied', permission: 'parts:write' })
})

test('concurrent syncs of the same rows succeed, regardless of the order of the rows', async () => {
  const caller = await plumbline.newBuilder()
  const rows = Array.from({ length: 60 }, (_, i) => row(`SKU-${i}`, { externalId: `est-${i}` }))
  const changed = rows.map((each) => ({ ...each, name: 'Changed' }))
  const created = await Promise.all([sync(rows, caller), sync(rows.toReversed(), caller), sync(rows, caller)])
  expect(created.map(({ body }) => [body.created, body.unchanged]).toSorted()).toEqual([
    [0, 60],
    [0, 60],
    [60, 0],
  ])
  const [one, other] = await Promise.all([sync(changed, caller), sync(rows.toReversed(), caller)])
  expect([one.status, other.status]).toEqual([200, 200])
  // The last request changed all parts.
  expect([1, 60]).toContain(new Set((await partsOf(caller)).map(({ name }) => name)).size)
})

test('a part that another client creates during the sync is not created twice', async () => {
  const caller = await plumbline.newBuilder()
  const rows = Array.from({ length: 80 }, (_, i) => row(`SKU-${i}`))
  const raced = rows.filter((_, i) => i % 8 === 3)
  const [synced, ...singles] = await Promise.all([
    sync(rows, caller, 'best_effort'),
    ...raced.map(({ sku }) => plumbline.post('/api/ext/parts', row(sku, { name: 'Single' }), caller)),
  ])
  expect(synced.status).toBe(200)
  const skus = (await partsOf(caller)).map(({ sku }) => sku)
  expect(skus).toEqual(rows.map(({ sku }) => sku).toSorted())
  for (const [i, { sku }] of rows.entries()) {
    const { status, problem } = synced.body.rows[i]
    const single = singles[raced.findIndex((each) => each.sku === sku)]
    if (single === undefined || single.status === 409) expect([sku, status]).toEqual([sku, 'created'])
    else if (status === 'failed') expect(problem.errors).toMatchObject([{ pointer: '/sku', code: 'conflict' }])
    else expect([sku, status]).toEqual([sku, 'updated'])
  }
})
