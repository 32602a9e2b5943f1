import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listEvents, listEventsAbout } from '../../../../test/support/recorded-events.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

const framing = {
  companyName: 'Lone Star Framing LLC',
  email: 'bids@lonestarframing.example.com',
  phone: '+1 512 555 0142',
  scopes: ['framing', 'trusses'],
  contactName: 'Dana Whitfield',
}
/** A vendor that is already in the accounting system, in which each ID belongs to one vendor. */
const linked = { ...framing, accountingId: 'QB-1042' }

test('a new vendor is returned with all fields that were sent', async () => {
  const created = await plumbline.post('/api/ext/vendors', framing)
  expect(created.status).toBe(201)
  expect(created.body).toMatchObject({ ...framing, status: 'active', complianceStatus: 'missing', version: 1 })
  expect(created.headers.get('location')).toBe(`/api/ext/vendors/${created.body.id}`)
  const read = await plumbline.get(`/api/ext/vendors/${created.body.id}`)
  expect(read.status).toBe(200)
  const { possibleDuplicates: _, ...vendor } = created.body
  expect(read.body).toEqual(vendor)
  expect(read.headers.get('etag')).toBe('"1"')
})

test('all errors of an invalid vendor are reported in one response, each with its pointer', async () => {
  const refused = await plumbline.post('/api/ext/vendors', { email: 'nowhere', poLimit: 1.005, color: 'red' })
  expect(refused.status).toBe(422)
  expect(refused.body.code).toBe('validation_failed')
  const pointers = refused.body.errors.map((fault: { pointer: string }) => fault.pointer).sort()
  expect(pointers).toEqual(['/color', '/companyName', '/email', '/poLimit'])
})

test('the event for an updated vendor lists the changes', async () => {
  const { body: vendor } = await plumbline.post('/api/ext/vendors', linked)
  const changed = await plumbline.patch(`/api/ext/vendors/${vendor.id}`, {
    contactName: 'Marisol Vega',
    accountingId: null,
  })
  expect(changed.status).toBe(200)
  expect(changed.body).toMatchObject({ contactName: 'Marisol Vega', accountingId: null, version: 2 })
  const events = await listEventsAbout(plumbline, vendor.id)
  expect(events.map((event) => event.type)).toEqual(['vendor.created', 'vendor.updated'])
  expect(events[1]).toMatchObject({
    data: { object: changed.body, previous: { contactName: 'Dana Whitfield', accountingId: 'QB-1042' } },
  })
})

test('an update without changes does not increment the version or emit an event', async () => {
  const { body: vendor } = await plumbline.post('/api/ext/vendors', framing)
  const same = await plumbline.patch(`/api/ext/vendors/${vendor.id}`, { contactName: framing.contactName })
  expect({ ...same.body, possibleDuplicates: vendor.possibleDuplicates }).toEqual(vendor)
})

test('an update of a vendor with a stale If-Match returns 412 with the current version', async () => {
  const { body: vendor } = await plumbline.post('/api/ext/vendors', framing)
  await plumbline.patch(`/api/ext/vendors/${vendor.id}`, { phone: null })
  const stale = await plumbline.patch(
    `/api/ext/vendors/${vendor.id}`,
    { phone: '1' },
    { headers: { 'if-match': '"1"' } },
  )
  expect(stale.status).toBe(412)
  expect(stale.body).toMatchObject({ code: 'precondition_failed', currentVersion: 2 })
})

test('a request for an unchanged vendor returns 304', async () => {
  const { body: vendor } = await plumbline.post('/api/ext/vendors', framing)
  await plumbline.patch(`/api/ext/vendors/${vendor.id}`, { phone: null })
  const unchanged = await plumbline.get(`/api/ext/vendors/${vendor.id}`, { headers: { 'if-none-match': '"2"' } })
  expect(unchanged.status).toBe(304)
  expect(unchanged.body).toBe('')
})

test('an archived vendor is listed only on request but stays readable by ID', async () => {
  const { body: vendor } = await plumbline.post('/api/ext/vendors', framing)
  expect((await plumbline.delete(`/api/ext/vendors/${vendor.id}`)).status).toBe(204)
  expect((await plumbline.delete(`/api/ext/vendors/${vendor.id}`)).status).toBe(204)
  expect((await plumbline.get(`/api/ext/vendors?ids=${vendor.id}`)).body.data).toEqual([])
  expect((await plumbline.get(`/api/ext/vendors?ids=${vendor.id}&includeArchived=true`)).body.data).toHaveLength(1)
  expect((await plumbline.get(`/api/ext/vendors/${vendor.id}`)).body.archivedAt).not.toBeNull()
})

test("a builder gets the same response for another builder's vendor as for an unknown vendor", async () => {
  const { body: vendor } = await plumbline.post('/api/ext/vendors', framing)
  const other = await plumbline.newBuilder()
  for (const id of [vendor.id, 'ven_01m7y975jyfesvq69a4tb31vbx', 'nonsense', '%00', '%E0%A4%A']) {
    const answer = await plumbline.get(`/api/ext/vendors/${id}`, { key: other.key })
    expect(answer.status).toBe(404)
    expect(answer.body.code).toBe('not_found')
    expect(answer.body.detail).toBe('No resource with this ID exists in your organization.')
  }
  expect((await plumbline.patch(`/api/ext/vendors/${vendor.id}`, { phone: null }, { key: other.key })).status).toBe(404)
  expect((await plumbline.delete(`/api/ext/vendors/${vendor.id}`, { key: other.key })).status).toBe(404)
  expect((await plumbline.get('/api/ext/vendors', { key: other.key })).body.data).toEqual([])
})

test('a list can be read page by page in every sort order without gaps or repeats', async () => {
  const { key } = await plumbline.newBuilder()
  const ids = new Set<string>()
  for (let i = 0; i < 25; i++) {
    const { body } = await plumbline.post('/api/ext/vendors', { companyName: `Vendor ${i % 5}` }, { key })
    ids.add(body.id)
  }
  for (const sort of ['createdAt', '-createdAt', 'updatedAt', '-updatedAt', 'companyName', '-companyName']) {
    const seen: string[] = []
    let next = `/api/ext/vendors?limit=4&sort=${sort}`
    while (next !== '') {
      const { status, body, headers } = await plumbline.get(next, { key })
      expect(status).toBe(200)
      seen.push(...body.data.map((vendor: { id: string }) => vendor.id))
      next = /<(.*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? ''
      expect(next === '').toBe(body.nextCursor === null)
    }
    expect(seen).toHaveLength(25)
    expect(new Set(seen)).toEqual(ids)
  }
})

test('a malformed cursor or a cursor from another sort order is rejected', async () => {
  const { key } = await plumbline.newBuilder()
  for (const companyName of ['A', 'B']) await plumbline.post('/api/ext/vendors', { companyName }, { key })
  const { body } = await plumbline.get('/api/ext/vendors?limit=1', { key })
  for (const query of ['cursor=nonsense', `cursor=${body.nextCursor}&sort=companyName`]) {
    const refused = await plumbline.get(`/api/ext/vendors?${query}`, { key })
    expect(refused.status).toBe(422)
    expect(refused.body.code).toBe('invalid_cursor')
  }
})

test('vendors can be filtered by trade, text, accounting ID, and missing accounting ID', async () => {
  const { key } = await plumbline.newBuilder()
  await plumbline.post('/api/ext/vendors', linked, { key })
  await plumbline.post('/api/ext/vendors', { companyName: '100% Plumbing_Co', scopes: ['plumbing'] }, { key })
  const names = async (query: string) =>
    (await plumbline.get(`/api/ext/vendors?${query}`, { key })).body.data.map(
      (vendor: { companyName: string }) => vendor.companyName,
    )
  expect(await names('scope=trusses')).toEqual(['Lone Star Framing LLC'])
  expect(await names('q=dana%20star')).toEqual(['Lone Star Framing LLC'])
  expect(await names('q=100%25')).toEqual(['100% Plumbing_Co'])
  expect(await names('accountingId=QB-1042')).toEqual(['Lone Star Framing LLC'])
  expect(await names('accountingId=null')).toEqual(['100% Plumbing_Co'])
  expect((await plumbline.get('/api/ext/vendors?color=red', { key })).status).toBe(422)
})

test('a second vendor with the same externalId returns a conflict that names the field', async () => {
  const { key } = await plumbline.newBuilder()
  await plumbline.post('/api/ext/vendors', { companyName: 'A', externalId: 'erp-1' }, { key })
  const second = await plumbline.post('/api/ext/vendors', { companyName: 'B', externalId: 'erp-1' }, { key })
  expect(second.status).toBe(409)
  expect(second.body).toMatchObject({ code: 'conflict', errors: [{ pointer: '/externalId' }] })
})

test('fifty concurrent requests with one Idempotency-Key create only one vendor', async () => {
  const { key, organizationId } = await plumbline.newBuilder()
  const options = { key, headers: { 'idempotency-key': 'attempt-1' } }
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => plumbline.post('/api/ext/vendors', framing, options)),
  )
  const created = answers.filter((answer) => answer.status === 201)
  for (const answer of answers) expect([201, 409]).toContain(answer.status)
  expect(created.filter((answer) => answer.headers.get('idempotent-replayed') === null)).toHaveLength(1)
  expect(new Set(created.map((answer) => answer.body.id)).size).toBe(1)
  const again = await plumbline.post('/api/ext/vendors', framing, options)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body).toEqual(created[0]?.body)
  const other = await plumbline.post('/api/ext/vendors', { ...framing, phone: null }, options)
  expect(other.body.code).toBe('idempotency_key_reused')
  expect(await listEvents(plumbline, organizationId)).toHaveLength(1)
})

test("a vendor's trade matches an existing trade regardless of case", async () => {
  const { key } = await plumbline.newBuilder()
  await plumbline.post('/api/ext/vendors', { companyName: 'A', scopes: ['framing'] }, { key })
  const second = await plumbline.post('/api/ext/vendors', { companyName: 'B', scopes: ['Framing', 'FRAMING'] }, { key })
  expect(second.body.scopes).toEqual(['framing'])
})

test('a vendor with an unknown community is rejected', async () => {
  const { key } = await plumbline.newBuilder()
  const third = await plumbline.post('/api/ext/vendors', { companyName: 'C', communityIds: ['com_nothing'] }, { key })
  expect(third.body).toMatchObject({ code: 'unknown_reference', errors: [{ pointer: '/communityIds/0' }] })
})

describe('a possible duplicate vendor', () => {
  test('the response for a new vendor lists vendors with the same name, email address, or phone number', async () => {
    const { key } = await plumbline.newBuilder()
    const create = async (body: object) => (await plumbline.post('/api/ext/vendors', body, { key })).body
    const first = await create({ companyName: 'Brazos Framing, LLC', email: 'Bids@brazos.example.com' })
    expect(first.possibleDuplicates).toEqual([])
    const second = await create({ companyName: 'BRAZOS  FRAMING', phone: '+1 (512) 555-0142' })
    const reported = { id: first.id, companyName: 'Brazos Framing, LLC', status: 'active' }
    expect(second.possibleDuplicates).toEqual([{ ...reported, agreesIn: ['companyName'] }])
    const third = await create({ companyName: 'Other', email: 'bids@BRAZOS.example.com', phone: '512.555.0142' })
    expect(third.possibleDuplicates).toEqual([
      { ...reported, agreesIn: ['email'] },
      { ...reported, id: second.id, companyName: 'BRAZOS  FRAMING', agreesIn: ['phone'] },
    ])
    const read = await plumbline.get(`/api/ext/vendors/${third.id}`, { key })
    expect(read.body).toEqual({ ...third, possibleDuplicates: undefined })
  })

  test("archived vendors, other builders' vendors, and meaningless values are ignored in the search for duplicates", async () => {
    const { key } = await plumbline.newBuilder()
    const create = async (body: object) => (await plumbline.post('/api/ext/vendors', body, { key })).body
    await plumbline.post('/api/ext/vendors', { companyName: 'Cedar Roofing' })
    const archived = await create({ companyName: 'Cedar Roofing', phone: '1' })
    await plumbline.delete(`/api/ext/vendors/${archived.id}`, { key })
    expect((await create({ companyName: 'Cedar Roofing Inc.', phone: '1' })).possibleDuplicates).toEqual([])
    await create({ companyName: '?!' })
    expect((await create({ companyName: '—', phone: '1' })).possibleDuplicates).toEqual([])
    for (let i = 0; i < 6; i++) await create({ companyName: 'Cedar Tile' })
    expect((await create({ companyName: 'Cedar Tile' })).possibleDuplicates).toHaveLength(5)
  })

  test('possible duplicates are found among many vendors that are created concurrently', async () => {
    const { key } = await plumbline.newBuilder()
    const create = async (body: object) => (await plumbline.post('/api/ext/vendors', body, { key })).body
    const names = Array.from({ length: 12 }, (_, i) => `Builder ${String.fromCharCode(65 + i)}`)
    const first = await Promise.all(names.map((companyName) => create({ companyName })))
    expect(first.flatMap(({ possibleDuplicates }) => possibleDuplicates)).toEqual([])
    const taxId = (i: number) => (i % 4 === 3 ? { taxId: '12-3456789' } : {})
    const second = await Promise.all(names.map((companyName, i) => create({ companyName, ...taxId(i) })))
    const twins = second.map(({ possibleDuplicates }) => possibleDuplicates.map(({ id }: { id: string }) => id))
    expect(twins).toEqual(first.map(({ id }) => [id]))
  })

  test('possible duplicates are shown only to callers with vendors:read', async () => {
    const { key, organizationId } = await plumbline.newBuilder()
    await plumbline.post('/api/ext/vendors', { companyName: 'Pecan Plumbing' }, { key })
    const writer = await plumbline.newKey(['vendors:write'], organizationId)
    const unseen = await plumbline.post('/api/ext/vendors', { companyName: 'Pecan Plumbing' }, { key: writer })
    expect(unseen).toMatchObject({ status: 201, body: { possibleDuplicates: [] } })
    const tried = { skill: 'createVendor', input: { companyName: 'Pecan Plumbing' }, dryRun: true }
    const { body } = await plumbline.post('/api/ext/execute', tried, { key })
    expect(body.result.possibleDuplicates).toHaveLength(2)
  })
})
