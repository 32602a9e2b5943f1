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

interface Book {
  key: string
  vendorId: string
  partIds: string[]
}

/** Creates a builder with a vendor and parts A, B, and C. */
async function newBook(): Promise<Book> {
  const { key } = await plumbline.newBuilder()
  const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: 'Brazos Lumber' }, { key })
  const rows = ['A', 'B', 'C'].map((sku) => ({ sku, name: 'Stud', unit: 'EA' }))
  const { body } = await plumbline.post('/api/ext/parts/batch', { rows }, { key })
  return { key, vendorId: vendor.id, partIds: body.rows.map(({ id }: { id: string }) => id) }
}

const sync = (rows: unknown[], { key, vendorId }: Book, mode = 'best_effort'): Promise<ServiceResponse> =>
  plumbline.post(
    '/api/ext/prices/batch',
    { mode, rows: rows.map((row) => ({ vendorId, ...(row as object) })) },
    { key },
  )
const pricesOf = async ({ key, partIds }: Book, part = 0): Promise<ServiceResponse['body'][]> =>
  (await plumbline.get(`/api/ext/parts/${partIds[part]}/prices?sort=effectiveDate`, { key })).body.data
const statuses = ({ body }: ServiceResponse) => body.rows.map(({ status }: { status: string }) => status)
const from2026 = { unitPrice: 3.25, effectiveDate: '2026-01-01' }

test('a price row is matched by external ID, or else by part, vendor, plan, community, quantity, and date', async () => {
  const book = await newBook()
  const rows = [
    { sku: 'A', ...from2026, externalId: 'p1', preferred: true },
    { partId: book.partIds[1], ...from2026, minQuantity: 100 },
  ]
  const first = await sync(rows, book)
  expect(first.body).toMatchObject({ created: 2, failed: 0 })
  expect(statuses(await sync(rows, book))).toEqual(['unchanged', 'unchanged'])
  // If `preferred` is omitted, it keeps its value. A row with a different effective date is a different price, unless
  // its external ID matches.
  const changed = [
    { sku: 'A', unitPrice: 3.5, effectiveDate: '2026-02-01', externalId: 'p1' },
    { sku: 'B', ...from2026, unitPrice: 2.9, minQuantity: 100, externalId: 'p2' },
  ]
  expect(statuses(await sync(changed, book))).toEqual(['updated', 'updated'])
  expect(await pricesOf(book)).toMatchObject([
    { id: first.body.rows[0].id, unitPrice: 3.5, effectiveDate: '2026-02-01', preferred: true, version: 2 },
  ])
  expect(await pricesOf(book, 1)).toMatchObject([{ id: first.body.rows[1].id, unitPrice: 2.9, externalId: 'p2' }])
})

test('a price row matched by id or externalId needs only the fields to change', async () => {
  const book = await newBook()
  const by = (match: string, ...rows: object[]) =>
    plumbline.post('/api/ext/prices/batch', { mode: 'best_effort', match, rows }, book)
  const { vendorId } = book
  const first = await by(
    'externalId',
    { vendorId, sku: 'A', ...from2026, externalId: 'p1' },
    { vendorId, sku: 'B', ...from2026 },
  )
  expect(statuses(first)).toEqual(['created', 'failed'])
  const [id] = first.body.rows.map((each: { id: string }) => each.id)
  expect(statuses(await by('externalId', { externalId: 'p1', unitPrice: 3.75 }))).toEqual(['updated'])
  // A row with an ID changes the price with that ID, and is never applied to a similar price.
  const answer = await by(
    'id',
    { id, note: 'Spring list' },
    { id, vendorId: 'ven_01m7y975jyfesvq69a4tb31vbx' },
    { vendorId, sku: 'A', ...from2026 },
    { vendorId, sku: 'C', unitPrice: 2 },
    { vendorId, sku: 'B', ...from2026 },
  )
  expect(statuses(answer)).toEqual(['failed', 'failed', 'failed', 'failed', 'created'])
  expect(statuses(await by('id', { id, note: 'Spring list' }))).toEqual(['updated'])
  const said = answer.body.rows.map(
    ({ problem }: ServiceResponse['body']) => problem?.reason ?? problem?.errors[0].pointer ?? 'done',
  )
  expect(said).toEqual(['/id', '/id', 'period_taken', '/effectiveDate', 'done'])
  const [other] = (await by('id', { id, sku: 'B' })).body.rows
  expect(other.problem).toMatchObject({ reason: 'fixed', errors: [{ pointer: '/partId' }] })
  expect(await pricesOf(book)).toMatchObject([{ id, unitPrice: 3.75, note: 'Spring list', externalId: 'p1' }])
  const unasked = await sync([{ id, unitPrice: 1 }], book)
  expect(unasked.body.rows[0].problem.errors).toMatchObject([{ pointer: '/id', code: 'match' }])
})

test("price rows are applied in order, so a row can end the price before the next row's price", async () => {
  const book = await newBook()
  await sync([{ sku: 'A', ...from2026, externalId: 'p1' }], book)
  const next = { sku: 'A', unitPrice: 3.4, effectiveDate: '2027-01-01', externalId: 'p2' }
  const inTheWay = await sync([next], book)
  expect(inTheWay.body.rows[0].problem).toMatchObject({ code: 'conflict' })
  const ended = { sku: 'A', ...from2026, externalId: 'p1', expirationDate: '2026-12-31' }
  expect(statuses(await sync([ended, next], book))).toEqual(['updated', 'created'])
  const later = { sku: 'A', unitPrice: 3.6, effectiveDate: '2028-01-01', externalId: 'p3', endPrevious: true }
  const latest = { sku: 'A', unitPrice: 3.7, effectiveDate: '2029-01-01', externalId: 'p4', endPrevious: true }
  expect(statuses(await sync([later, latest], book))).toEqual(['created', 'created'])
  expect((await pricesOf(book)).map(({ effectiveDate, expirationDate }) => [effectiveDate, expirationDate])).toEqual([
    ['2026-01-01', '2026-12-31'],
    ['2027-01-01', '2027-12-31'],
    ['2028-01-01', '2028-12-31'],
    ['2029-01-01', null],
  ])
})

test('each invalid price row fails separately, with the same error as addPrice or updatePrice', async () => {
  const book = await newBook()
  const { key, partIds, vendorId } = book
  const { body: community } = await plumbline.post('/api/ext/communities', { name: 'Juniper Ridge' }, { key })
  await sync([{ sku: 'A', ...from2026, externalId: 'p1' }], book)
  await sync([{ sku: 'A', ...from2026, minQuantity: 5, externalId: 'removed' }], book)
  const removed = (await pricesOf(book)).find(({ externalId }) => externalId === 'removed')
  await plumbline.delete(`/api/ext/prices/${removed.id}`, { key })
  await plumbline.delete(`/api/ext/parts/${partIds[2]}`, { key })
  const rows = [
    { sku: 'A', ...from2026, minQuantity: 10 },
    { sku: 'A', unitPrice: 3, effectiveDate: '2026-06-01' },
    { sku: 'B', ...from2026, vendorId: 'ven_01m7y975jyfesvq69a4tb31vbx' },
    { sku: 'B', ...from2026, communityId: 'com_01m7y975jzfesvq6ak0kvx92c2', planId: 'pln_x' },
    { sku: 'Z', ...from2026 },
    { ...from2026 },
    { sku: 'C', ...from2026 },
    { partId: partIds[2], ...from2026 },
    { sku: 'B', partId: partIds[0], ...from2026 },
    { sku: 'B', unitPrice: 3, effectiveDate: '2026-03-01', expirationDate: '2026-02-28' },
    { sku: 'B', ...from2026, communityId: community.id, minQuantity: 1.00001 },
    { sku: 'B', ...from2026, externalId: 'p1' },
    { sku: 'A', ...from2026, minQuantity: 5, externalId: 'removed' },
    { sku: 'B', ...from2026, minQuantity: 7, externalId: 'twice' },
    { sku: 'B', ...from2026, minQuantity: 8, externalId: 'twice' },
    { sku: 'B', ...from2026 },
  ]
  const { body } = await sync(rows, book)
  expect(body).toMatchObject({ created: 2, failed: 14 })
  const said = body.rows.map(({ problem }: ServiceResponse['body']) =>
    problem === null
      ? 'done'
      : [problem.code, ...problem.errors.map(({ pointer }: { pointer: string }) => pointer)].join(' '),
  )
  expect(said).toEqual([
    'done',
    'conflict',
    'unknown_reference /vendorId',
    'unknown_reference /communityId /planId',
    'unknown_reference /sku',
    'validation_failed /partId',
    'unknown_reference /sku',
    'conflict',
    'validation_failed /sku',
    'validation_failed /expirationDate',
    'validation_failed /minQuantity',
    'conflict /partId',
    'conflict',
    'validation_failed /externalId',
    'validation_failed /externalId',
    'done',
  ])
  const overlap = { vendorId, unitPrice: 3, effectiveDate: '2026-06-01' }
  const single = await plumbline.post(`/api/ext/parts/${partIds[0]}/prices`, overlap, { key })
  expect(body.rows[1].problem.detail).toBe(single.body.detail)
  const before = await pricesOf(book)
  const whole = await sync([{ sku: 'A', ...from2026, minQuantity: 20 }, rows[1]], book, 'all_or_nothing')
  expect([whole.status, whole.body.errors]).toMatchObject([409, [{ pointer: '/rows/1', code: 'conflict' }]])
  expect(await pricesOf(book)).toEqual(before)
})

test('a price sync finds only parts and vendors of its own builder', async () => {
  const [book, other] = [await newBook(), await newBook()]
  const rows = [
    { partId: other.partIds[0], ...from2026 },
    { sku: 'A', ...from2026, vendorId: other.vendorId },
  ]
  const { body } = await sync(rows, book)
  expect(body.rows).toMatchObject([
    { problem: { code: 'unknown_reference', errors: [{ pointer: '/partId' }] } },
    { problem: { code: 'unknown_reference', errors: [{ pointer: '/vendorId' }] } },
  ])
})

test('a price sync requires parts:write', async () => {
  const book = await newBook()
  const key = await plumbline.newKey(['parts:read'])
  expect((await sync([{ sku: 'A', ...from2026 }], { ...book, key })).status).toBe(403)
})

test('concurrent syncs of the same price rows are applied one at a time', async () => {
  const book = await newBook()
  const rows = ['A', 'B', 'C'].map((sku) => ({ sku, ...from2026 }))
  const answers = await Promise.all([
    sync(rows, book),
    sync(rows.toReversed(), book),
    sync(rows, book),
    ...book.partIds.map((id) =>
      plumbline.post(`/api/ext/parts/${id}/prices`, { vendorId: book.vendorId, ...from2026 }, book),
    ),
  ])
  for (const { status } of answers) expect([200, 201, 409]).toContain(status)
  for (const part of [0, 1, 2]) expect(await pricesOf(book, part)).toHaveLength(1)
})

test('a dry run of a price sync writes nothing', async () => {
  const book = await newBook()
  const rows = ['A', 'B', 'C'].map((sku) => ({ sku, ...from2026 }))
  const input = { rows: rows.map((row) => ({ ...row, vendorId: book.vendorId })) }
  const tried = await plumbline.post('/api/ext/execute', { skill: 'syncPrices', input, dryRun: true }, book)
  expect(tried.body.result).toMatchObject({ created: 3 })
  expect(await pricesOf(book)).toEqual([])
})
