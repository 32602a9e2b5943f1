import { afterAll, beforeAll, expect, test } from 'vitest'
import { listEventsAbout } from '../../../../test/support/recorded-events.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

const DAY_MS = 86_400_000
const today = () => toLocalDate('America/Chicago', plumbline.clock.now())
const inDays = (days: number) => addDays(today(), days)

async function newVendor(): Promise<string> {
  const { body } = await plumbline.post('/api/ext/vendors', {
    companyName: 'Cardinal Roofing',
    email: 'office@cardinalroofing.example.com',
  })
  return body.id
}

const add = (vendorId: string, document: object) =>
  plumbline.post(`/api/ext/vendors/${vendorId}/compliance-documents`, document)
const statusOf = async (vendorId: string) => (await plumbline.get(`/api/ext/vendors/${vendorId}`)).body.complianceStatus
const liability = { type: 'general_liability', status: 'valid' }

test('a new compliance document awaits review unless it is created as valid', async () => {
  const vendorId = await newVendor()
  const w9 = await add(vendorId, { type: 'w9' })
  expect(w9.status).toBe(201)
  expect(w9.body).toMatchObject({
    vendorId,
    type: 'w9',
    status: 'pending_review',
    limitAmount: null,
    additionalInsured: false,
    version: 1,
  })
  const read = await plumbline.get(w9.headers.get('location') ?? '')
  expect(read.body).toEqual(w9.body)
  expect(read.headers.get('etag')).toBe('"1"')
  expect(await statusOf(vendorId)).toBe('missing')
})

test("each change of a compliance document updates the vendor's compliance status", async () => {
  const vendorId = await newVendor()
  const { body: document } = await add(vendorId, { ...liability, expirationDate: inDays(200) })
  const { body: vendor } = await plumbline.get(`/api/ext/vendors/${vendorId}`)
  expect(vendor).toMatchObject({ complianceStatus: 'compliant', version: 2 })
  await plumbline.patch(`/api/ext/compliance-documents/${document.id}`, { expirationDate: inDays(30) })
  expect(await statusOf(vendorId)).toBe('expiring')
  await plumbline.post(`/api/ext/compliance-documents/${document.id}/status`, {
    status: 'rejected',
    reason: 'The limit is too low.',
  })
  expect(await statusOf(vendorId)).toBe('missing')
  const events = await listEventsAbout(plumbline, vendorId)
  expect(events.map((event) => event.type)).toEqual([
    'vendor.created',
    'vendor.updated',
    'vendor.updated',
    'vendor.updated',
  ])
  expect(events[1]).toMatchObject({ data: { object: vendor, previous: { complianceStatus: 'missing' } } })
})

test('a document change that keeps the compliance status also emits vendor.updated', async () => {
  const vendorId = await newVendor()
  const { body: document } = await add(vendorId, { ...liability, carrier: 'Pecan Valley Mutual' })
  await plumbline.patch(`/api/ext/compliance-documents/${document.id}`, { carrier: 'Gulf States Casualty' })
  await plumbline.patch(`/api/ext/compliance-documents/${document.id}`, { carrier: 'Gulf States Casualty' })
  const events = await listEventsAbout(plumbline, vendorId)
  expect(events.map((event) => event.type)).toEqual(['vendor.created', 'vendor.updated', 'vendor.updated'])
  expect(events[2]).toMatchObject({
    data: { object: { version: 3, complianceStatus: 'compliant' }, previous: null },
  })
})

test.each<[string, object[], string]>([
  ['no document', [], 'missing'],
  ['a document that awaits review', [{ type: 'w9' }], 'missing'],
  ['a document without an expiration date', [liability], 'compliant'],
  ['a document that expires in 31 days', [{ ...liability, expirationDate: 31 }], 'compliant'],
  ['a document that expires in 30 days', [{ ...liability, expirationDate: 30 }], 'expiring'],
  ['a document whose last day is today', [{ ...liability, expirationDate: 0 }], 'expiring'],
  ['a document whose last day was yesterday', [{ ...liability, expirationDate: -1 }], 'expired'],
  ['an expired and a valid document of the same type', [{ ...liability, expirationDate: -1 }, liability], 'compliant'],
  [
    'an expired and a valid document of different types',
    [
      { ...liability, expirationDate: -1 },
      { type: 'auto', status: 'valid' },
    ],
    'expired',
  ],
  [
    'only waived documents',
    [
      { type: 'umbrella', status: 'waived' },
      { type: 'auto', status: 'waived' },
    ],
    'exempt',
  ],
  ['a waived and a valid document', [{ type: 'umbrella', status: 'waived' }, liability], 'compliant'],
  ['a document that takes effect tomorrow', [{ ...liability, effectiveDate: 1 }], 'missing'],
  [
    'an expiring document with a renewal that follows without a gap',
    [
      { ...liability, expirationDate: 10 },
      { ...liability, effectiveDate: 11, expirationDate: 375 },
    ],
    'compliant',
  ],
  [
    'an expiring document with a renewal after a gap',
    [
      { ...liability, expirationDate: 10 },
      { ...liability, effectiveDate: 12, expirationDate: 375 },
    ],
    'expiring',
  ],
])('the documents of a vendor with %s determine its compliance status', async (_what, documents, expected) => {
  const vendorId = await newVendor()
  for (const document of documents) {
    const dated = Object.entries(document).map(([field, value]) => [
      field,
      typeof value === 'number' ? inDays(value) : value,
    ])
    expect((await add(vendorId, Object.fromEntries(dated))).status).toBe(201)
  }
  expect(await statusOf(vendorId)).toBe(expected)
})

test('a removed compliance document can only be read by its ID', async () => {
  const vendorId = await newVendor()
  const { body: document } = await add(vendorId, { ...liability, expirationDate: inDays(-5) })
  expect(document.status).toBe('expired')
  expect((await plumbline.delete(`/api/ext/compliance-documents/${document.id}`)).status).toBe(204)
  expect(await statusOf(vendorId)).toBe('missing')
  expect((await plumbline.delete(`/api/ext/compliance-documents/${document.id}`)).status).toBe(204)
  expect(await listEventsAbout(plumbline, vendorId)).toHaveLength(3)
  const list = `/api/ext/vendors/${vendorId}/compliance-documents`
  expect((await plumbline.get(list)).body.data).toEqual([])
  expect((await plumbline.get(`${list}?includeArchived=true`)).body.data).toHaveLength(1)
  expect((await plumbline.get(`/api/ext/compliance-documents/${document.id}`)).body.archivedAt).not.toBeNull()
  const decided = await plumbline.post(`/api/ext/compliance-documents/${document.id}/status`, { status: 'waived' })
  expect(decided).toMatchObject({ status: 409, body: { code: 'conflict' } })
})

test('a later expiration date makes an expired compliance document valid again', async () => {
  const vendorId = await newVendor()
  const { body: document } = await add(vendorId, { ...liability, expirationDate: inDays(-1) })
  expect(await statusOf(vendorId)).toBe('expired')
  const renewed = await plumbline.patch(`/api/ext/compliance-documents/${document.id}`, { expirationDate: inDays(364) })
  expect(renewed.body).toMatchObject({ status: 'valid', version: 2 })
  expect(await statusOf(vendorId)).toBe('compliant')
})

test('a compliance document that is approved after its expiration date expires immediately', async () => {
  const vendorId = await newVendor()
  const { body: document } = await add(vendorId, { type: 'auto', expirationDate: inDays(-1) })
  expect(document.status).toBe('pending_review')
  const decided = await plumbline.post(`/api/ext/compliance-documents/${document.id}/status`, { status: 'valid' })
  expect(decided.body.status).toBe('expired')
})

test('the error for an invalid status change of a compliance document lists the allowed statuses', async () => {
  const vendorId = await newVendor()
  const { body: document } = await add(vendorId, liability)
  const refused = await plumbline.post(`/api/ext/compliance-documents/${document.id}/status`, { status: 'valid' })
  expect(refused.status).toBe(409)
  expect(refused.body).toMatchObject({
    code: 'invalid_transition',
    from: 'valid',
    to: 'valid',
    allowed: ['pending_review', 'rejected', 'waived'],
  })
  expect(
    (await plumbline.post(`/api/ext/compliance-documents/${document.id}/status`, { status: 'expired' })).status,
  ).toBe(422)
})

test('the expiration date of a compliance document cannot be before its effective date', async () => {
  const vendorId = await newVendor()
  const refused = await add(vendorId, { type: 'license', effectiveDate: '2026-07-01', expirationDate: '2026-06-30' })
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/expirationDate' }] } })
  const { body: document } = await add(vendorId, { type: 'license', effectiveDate: '2026-07-01' })
  const later = await plumbline.patch(`/api/ext/compliance-documents/${document.id}`, { expirationDate: '2026-06-30' })
  expect(later.status).toBe(422)
})

test('compliance documents can be filtered by type, status, expiration date, coverage limit, additional insured, and text', async () => {
  const vendorId = await newVendor()
  await add(vendorId, {
    ...liability,
    carrier: 'Pecan Valley Mutual',
    expirationDate: inDays(90),
    limitAmount: 500_000,
    additionalInsured: true,
  })
  await add(vendorId, { type: 'license', policyNumber: 'TX-RF-77', expirationDate: inDays(400) })
  const types = async (query: string) =>
    (await plumbline.get(`/api/ext/vendors/${vendorId}/compliance-documents?${query}`)).body.data.map(
      (document: { type: string }) => document.type,
    )
  expect(await types('')).toEqual(['license', 'general_liability'])
  expect(await types('type=license')).toEqual(['license'])
  expect(await types('status=valid')).toEqual(['general_liability'])
  expect(await types(`expiresBefore=${inDays(90)}`)).toEqual([])
  expect(await types(`expiresBefore=${inDays(91)}`)).toEqual(['general_liability'])
  expect(await types('limitBelow=1000000')).toEqual(['general_liability'])
  expect(await types('limitBelow=500000')).toEqual([])
  expect(await types('additionalInsured=true')).toEqual(['general_liability'])
  expect(await types('additionalInsured=false')).toEqual(['license'])
  expect(await types('q=pecan')).toEqual(['general_liability'])
  expect(await types('q=tx-rf')).toEqual(['license'])
  expect(await types('sort=type')).toEqual(['general_liability', 'license'])
})

test('an update of a compliance document with a stale If-Match does not change the vendor', async () => {
  const vendorId = await newVendor()
  const { body: document } = await add(vendorId, liability)
  const stale = { headers: { 'if-match': '"7"' } }
  expect((await plumbline.patch(`/api/ext/compliance-documents/${document.id}`, { type: 'auto' }, stale)).status).toBe(
    412,
  )
  expect((await plumbline.delete(`/api/ext/compliance-documents/${document.id}`, stale)).status).toBe(412)
  expect(await listEventsAbout(plumbline, vendorId)).toHaveLength(2)
  const current = await plumbline.patch(
    `/api/ext/compliance-documents/${document.id}`,
    { type: 'auto' },
    { headers: { 'if-match': '"1"' } },
  )
  expect(current.body).toMatchObject({ type: 'auto', version: 2 })
})

test("a builder cannot see another builder's compliance documents", async () => {
  const vendorId = await newVendor()
  const { body: document } = await add(vendorId, liability)
  const { key } = await plumbline.newBuilder()
  const path = `/api/ext/compliance-documents/${document.id}`
  expect((await plumbline.get(path, { key })).status).toBe(404)
  expect((await plumbline.patch(path, { type: 'auto' }, { key })).status).toBe(404)
  expect((await plumbline.delete(path, { key })).status).toBe(404)
  expect((await plumbline.post(`${path}/status`, { status: 'waived' }, { key })).status).toBe(404)
  expect((await plumbline.get(`/api/ext/vendors/${vendorId}/compliance-documents`, { key })).status).toBe(404)
  expect((await plumbline.post(`/api/ext/vendors/${vendorId}/compliance-documents`, liability, { key })).status).toBe(
    404,
  )
})

test('no compliance document can be added to an archived vendor', async () => {
  const vendorId = await newVendor()
  await plumbline.delete(`/api/ext/vendors/${vendorId}`)
  expect(await add(vendorId, liability)).toMatchObject({ status: 409, body: { code: 'conflict' } })
})

// These tests must be last, because they advance the clock.
test("a vendor's compliance status becomes expiring 30 days before a document expires", async () => {
  const vendorId = await newVendor()
  const { body: document } = await add(vendorId, { ...liability, expirationDate: inDays(40) })
  expect(await statusOf(vendorId)).toBe('compliant')
  const vendor = `/api/ext/vendors/${vendorId}`
  plumbline.clock.advance(10 * DAY_MS)
  await plumbline.until(vendor, ({ body }) => body.complianceStatus === 'expiring')
  expect((await plumbline.get(`/api/ext/compliance-documents/${document.id}`)).body).toMatchObject({
    status: 'valid',
    version: 1,
  })
  plumbline.clock.advance(31 * DAY_MS)
  await plumbline.until(vendor, ({ body }) => body.complianceStatus === 'expired')
  expect((await plumbline.get(`/api/ext/compliance-documents/${document.id}`)).body).toMatchObject({
    status: 'expired',
    version: 2,
  })
  const events = await listEventsAbout(plumbline, vendorId)
  expect(events.map((event) => event.type)).toEqual([
    'vendor.created',
    'vendor.updated',
    'vendor.updated',
    'vendor.updated',
  ])
  expect(events[3]).toMatchObject({
    actor: { type: 'system', id: null },
    data: { previous: { complianceStatus: 'expiring' } },
  })
  const moves = await plumbline.database.statements
    .selectFrom('statusChanges')
    .select(['from', 'to', 'by'])
    .where('resourceId', '=', document.id)
    .orderBy('id')
    .execute()
  expect(moves).toMatchObject([
    { from: null, to: 'valid' },
    { from: 'valid', to: 'expired', by: { type: 'system' } },
  ])
})

test('a vendor becomes compliant on the effective date of its renewed document', async () => {
  const vendorId = await newVendor()
  await add(vendorId, { ...liability, effectiveDate: inDays(3), expirationDate: inDays(368) })
  expect(await statusOf(vendorId)).toBe('missing')
  plumbline.clock.advance(3 * DAY_MS)
  await plumbline.until(`/api/ext/vendors/${vendorId}`, ({ body }) => body.complianceStatus === 'compliant')
})

test('changing one compliance document does not hide the expiration of another document', async () => {
  const vendorId = await newVendor()
  const { body: auto } = await add(vendorId, { type: 'auto', status: 'valid', expirationDate: inDays(1) })
  plumbline.clock.advance(2 * DAY_MS)
  await add(vendorId, liability)
  expect(await statusOf(vendorId)).toBe('expired')
  expect((await plumbline.get(`/api/ext/compliance-documents/${auto.id}`)).body.status).toBe('expired')
})
