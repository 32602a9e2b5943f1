import { afterAll, beforeAll, expect, test } from 'vitest'
import { contract, SKILL_RUNNERS } from '../../../scripts/conformance/walked-contract.ts'
import { listEvents } from '../../../test/support/recorded-events.ts'
import { type Answer, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { findCatalog } from './skill-catalog.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

function execute(skill: string, input: unknown = {}, more: object = {}, options: object = {}): Promise<Answer> {
  return plumbline.post('/api/ext/execute', { skill, input, ...more }, options)
}

async function eventTypes(organizationId: string): Promise<string[]> {
  return (await listEvents(plumbline, organizationId)).map((event) => event.type)
}

test('an operation runs under its operationId and returns its HTTP response, with its events', async () => {
  const { key, organizationId } = await plumbline.newBuilder()
  const run = await execute('createVendor', { companyName: 'Redrock Concrete', scopes: ['concrete'] }, {}, { key })
  expect(run.status).toBe(200)
  expect(run.body).toMatchObject({
    skill: 'createVendor',
    dryRun: false,
    result: { companyName: 'Redrock Concrete', version: 1 },
  })
  expect(run.body.id).toMatch(/^exe_/)
  expect(run.body.durationMs).toBeGreaterThanOrEqual(0)
  const { possibleDuplicates: _, ...vendor } = run.body.result
  expect(run.body.events).toMatchObject([
    { type: 'vendor.created', organizationId, sequence: null, data: { object: vendor, previous: null } },
  ])
  const read = await plumbline.get(`/api/ext/vendors/${run.body.result.id}`, { key })
  expect(read.body).toEqual(vendor)
  expect(await eventTypes(organizationId)).toEqual(['vendor.created'])
})

test('path parameters, query parameters, body fields and ifMatch are merged into one input', async () => {
  const { key } = await plumbline.newBuilder()
  const { body: created } = await execute('createVendor', { companyName: 'A', scopes: ['framing'] }, {}, { key })
  const vendorId = created.result.id
  const listed = await execute('listVendors', { scope: 'framing', ids: [vendorId], limit: 1 }, {}, { key })
  expect(listed.body.result.data).toMatchObject([{ id: vendorId }])
  const changed = await execute('updateVendor', { vendorId, ifMatch: '"1"', phone: '+1 512 555 0142' }, {}, { key })
  expect(changed.body.result).toMatchObject({ phone: '+1 512 555 0142', version: 2 })
  const stale = await execute('updateVendor', { vendorId, ifMatch: '"1"', phone: null }, {}, { key })
  expect(stale.status).toBe(412)
  expect(stale.body).toMatchObject({ code: 'precondition_failed', currentVersion: 2 })
  const archived = await execute('archiveVendor', { vendorId }, {}, { key })
  expect(archived.status).toBe(200)
  expect(archived.body.result).toBeNull()
})

test('a dry run shows the result and the events, and stores nothing', async () => {
  const { key, organizationId } = await plumbline.newBuilder()
  const tried = await execute(
    'createVendor',
    { companyName: 'Redrock', scopes: ['concrete'] },
    { dryRun: true },
    { key },
  )
  expect(tried.status).toBe(200)
  expect(tried.body).toMatchObject({ dryRun: true, events: [{ type: 'vendor.created' }] })
  expect((await plumbline.get(`/api/ext/vendors/${tried.body.result.id}`, { key })).status).toBe(404)
  expect((await plumbline.get('/api/ext/vendors', { key })).body.data).toEqual([])
  expect((await plumbline.get('/api/ext/scopes', { key })).body.data).toEqual([])
  expect(await eventTypes(organizationId)).toEqual([])
})

test('the events of an execution are shown to callers who may read their records, in dry runs too', async () => {
  const { key } = await plumbline.newBuilder()
  const organizationId = (await plumbline.get('/api/ext/me', { key })).body.organization.id
  const writer = await plumbline.newKey(['skills:write', 'vendors:write'], organizationId)
  const reader = await plumbline.newKey(['skills:write', 'vendors:write', 'vendors:read'], organizationId)
  for (const dryRun of [true, false]) {
    const unseen = await execute('createVendor', { companyName: 'Redrock' }, { dryRun }, { key: writer })
    expect([unseen.status, unseen.body.events]).toEqual([200, []])
    const seen = await execute('createVendor', { companyName: 'Redrock' }, { dryRun }, { key: reader })
    expect(seen.body.events).toMatchObject([{ type: 'vendor.created' }])
  }
})

test('a dry run is rejected for the same reasons as the run itself', async () => {
  const { key } = await plumbline.newBuilder()
  await execute('createVendor', { companyName: 'A', externalId: 'erp-1' }, {}, { key })
  for (const dryRun of [true, false]) {
    const refused = await execute('createVendor', { companyName: 'B', externalId: 'erp-1' }, { dryRun }, { key })
    expect(refused.status).toBe(409)
    expect(refused.body).toMatchObject({ code: 'conflict', errors: [{ pointer: '/input/externalId' }] })
  }
})

test('an execution is replayed under its Idempotency-Key, and so is a dry run', async () => {
  const { key, organizationId } = await plumbline.newBuilder()
  for (const dryRun of [true, false]) {
    const options = { key, headers: { 'idempotency-key': `attempt-${dryRun}` } }
    const first = await execute('createVendor', { companyName: 'Once' }, { dryRun }, options)
    const again = await execute('createVendor', { companyName: 'Once' }, { dryRun }, options)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.body).toEqual(first.body)
  }
  expect((await plumbline.get('/api/ext/vendors', { key })).body.data).toHaveLength(1)
  expect(await eventTypes(organizationId)).toEqual(['vendor.created'])
})

test('an unknown skill is rejected with the most similar names', async () => {
  const refused = await execute('awardBids')
  expect(refused.status).toBe(404)
  expect(refused.body).toMatchObject({ code: 'skill_not_found', instance: '/api/ext/execute' })
  expect(refused.body.nearest[0]).toBe('awardBid')
  const described = await plumbline.get('/api/ext/skills/getVendr')
  expect(described.status).toBe(404)
  expect(described.body.nearest).toContain('getVendor')
  expect((await execute('executeSkill', { skill: 'getCaller' })).body.code).toBe('skill_not_found')
  expect((await execute('__proto__')).body.code).toBe('skill_not_found')
})

test('all errors of the input are returned together, below /input', async () => {
  const refused = await execute('createVendor', {
    email: 'nowhere',
    poLimit: 1.005,
    color: 'red',
    contacts: [{ notify: 1 }],
  })
  expect(refused.status).toBe(422)
  expect(refused.body.code).toBe('validation_failed')
  const pointers = refused.body.errors.map((fault: { pointer: string }) => fault.pointer).sort()
  expect(pointers).toEqual([
    ...['/input/color', '/input/companyName', '/input/contacts/0/name', '/input/contacts/0/notify'],
    ...['/input/email', '/input/poLimit'],
  ])
  const missing = await execute('getVendor')
  expect(missing.body.errors).toMatchObject([{ pointer: '/input/vendorId', code: 'required' }])
  const cursor = await execute('listVendors', { cursor: 'nonsense' })
  expect(cursor.body).toMatchObject({ code: 'invalid_cursor', errors: [{ pointer: '/input/cursor' }] })
  expect((await execute('listVendors', [])).body.errors).toMatchObject([{ pointer: '/input' }])
})

test('errors that the operation itself finds are below /input too', async () => {
  const nothing = await execute('updateVendor', { vendorId: 'ven_01m7y975jyfesvq69a4tb31vbx' })
  expect(nothing.status).toBe(422)
  expect(nothing.body.errors[0].pointer).toBe('/input')
  const absent = await execute('getVendor', { vendorId: 'ven_01m7y975jyfesvq69a4tb31vbx' })
  expect(absent.status).toBe(404)
  expect(absent.body.code).toBe('not_found')
})

test('null for an optional field that cannot be null counts as omitted, and a null that clears still clears', async () => {
  const created = await execute('createVendor', { companyName: 'A', scopes: null, communityIds: null, phone: '1' })
  expect(created.status).toBe(200)
  const cleared = await execute('updateVendor', { vendorId: created.body.result.id, phone: null, companyName: null })
  expect(cleared.body.result).toMatchObject({ phone: null, companyName: 'A' })
  expect((await execute('createVendor', { companyName: null })).status).toBe(422)
})

test('a key without a permission of the skill is rejected with its name, for every skill', async () => {
  const narrow = await plumbline.newKey(['skills:read', 'skills:write'])
  for (const { name, permissions } of findCatalog(contract).skills) {
    if (permissions.every((permission) => permission.startsWith('skills:'))) continue
    const refused = await execute(name, {}, {}, { key: narrow })
    expect([name, refused.status, refused.body.code]).toEqual([name, 403, 'permission_denied'])
    expect(permissions).toContain(refused.body.permission)
    expect((await plumbline.get(`/api/ext/skills/${name}`, { key: narrow })).status).toBe(403)
  }
  const withoutExecute = await plumbline.newKey(['vendors:read'])
  const refused = await execute('listVendors', {}, {}, { key: withoutExecute })
  expect(refused.body).toMatchObject({ code: 'permission_denied', permission: 'skills:write' })
})

test("a skill cannot access another builder's data", async () => {
  const { body } = await execute('createVendor', { companyName: 'Ours' })
  const other = await plumbline.newBuilder()
  for (const skill of ['getVendor', 'archiveVendor']) {
    const refused = await execute(skill, { vendorId: body.result.id }, {}, { key: other.key })
    expect([refused.status, refused.body.code]).toEqual([404, 'not_found'])
  }
})

test('skills that only read run again under the same Idempotency-Key', async () => {
  const plain = await execute('getUsage')
  expect(plain.body.result.minute.limit).toBe(1_000_000)
  const headers = { 'idempotency-key': 'usage' }
  const first = await execute('getUsage', {}, {}, { headers })
  const again = await execute('getUsage', {}, {}, { headers })
  expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 200, null])
  expect(again.body.id).not.toBe(first.body.id)
  expect(again.body.events).toEqual([])
})

test('the catalog contains every composite skill, and every operation except those that run skills or return a portal link', async () => {
  const names: string[] = []
  let next = '/api/ext/skills?limit=20'
  while (next !== '') {
    const page = await plumbline.get(next)
    expect(page.status).toBe(200)
    names.push(...page.body.data.map((skill: { name: string }) => skill.name))
    next = /<(.*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
  }
  const composite = Object.keys(contract.document['x-skills'] as object)
  const operations = [...contract.operations.values()]
    .filter(
      ({ id, schemes, declaration }) =>
        schemes.has('apiKey') && !SKILL_RUNNERS.has(id) && declaration['x-skill'] !== false,
    )
    .map(({ id }) => id)
  for (const id of ['copyVendorPortalLink', 'copyInvitationLink']) expect(operations).not.toContain(id)
  expect(names).toEqual([...operations, ...composite].sort())
})

test('the catalog omits schemas by default, and can be filtered by tag and by writing skills', async () => {
  const query = 'q=archive%20vendor&tag=vendors'
  const [listed] = (await plumbline.get(`/api/ext/skills?${query}`)).body.data
  expect(listed).toMatchObject({ name: 'archiveVendor', inputSchema: null, outputSchema: null })
  expect(listed).toMatchObject({ writes: true, destructive: true, idempotent: true, tags: ['vendors'] })
  const [whole] = (await plumbline.get(`/api/ext/skills?${query}&expand=schemas`)).body.data
  expect(whole.inputSchema.required).toEqual(['vendorId'])
  const all = await plumbline.get('/api/ext/skills?limit=200')
  expect(JSON.stringify(all.body).length).toBeLessThan(200_000)
  const tagged = (await plumbline.get('/api/ext/skills?limit=200&tag=bids,bid-requests&writes=false')).body.data
  expect(tagged.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['compareBids', 'levelBids']))
  for (const { tags, writes } of tagged)
    expect([tags.some((tag: string) => tag.startsWith('bid')), writes]).toEqual([true, false])
})

test('the catalog can be searched by words and filtered by kind, and shows what the key may use', async () => {
  const find = async (query: string, key?: string) =>
    (await plumbline.get(`/api/ext/skills?${query}`, key === undefined ? {} : { key })).body.data.map(
      (skill: { name: string }) => skill.name,
    )
  const composites = await find('kind=composite&limit=200')
  expect(composites).toEqual(Object.keys(contract.document['x-skills'] as object).sort())
  expect(await find('q=archive%20vendor')).toContain('archiveVendor')
  expect(await find('q=no-such-word-anywhere')).toEqual([])
  const reader = await plumbline.newKey(['skills:read', 'vendors:read', 'homes:read'])
  const seen = await find('limit=200', reader)
  expect(seen).toContain('getVendor')
  expect(seen).not.toContain('createVendor')
  expect(seen).not.toContain('detectOverCommittedBudgets')
  const runner = await plumbline.newKey(['skills:read', 'skills:write', 'homes:read'])
  // The required permissions depend on the kind of row, so everyone who may run skills sees the one that imports rows.
  expect(await find('kind=composite', runner)).toEqual(['detectOverCommittedBudgets', 'importRows'])
  expect((await plumbline.get('/api/ext/skills?cursor=nonsense')).body.code).toBe('invalid_cursor')
})

test('a single skill is returned with complete schemas, and its ETag saves the body', async () => {
  const { body, headers } = await plumbline.get('/api/ext/skills/updateVendor')
  expect(body).toMatchObject({ kind: 'operation', permissions: ['vendors:write'], writes: true })
  expect(body.inputSchema.required).toEqual(['vendorId'])
  expect(Object.keys(body.inputSchema.properties)).toEqual(
    expect.arrayContaining(['vendorId', 'ifMatch', 'companyName']),
  )
  expect(JSON.stringify(body)).not.toContain('$ref')
  expect(body.outputSchema.required).toContain('companyName')
  const unchanged = await plumbline.get('/api/ext/skills/updateVendor', {
    headers: { 'if-none-match': headers.get('etag') ?? '' },
  })
  expect(unchanged.status).toBe(304)
})
