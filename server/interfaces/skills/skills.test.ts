import { afterAll, beforeAll, expect, test } from 'vitest'
import { contract, SKILL_RUNNERS } from '../../../scripts/conformance/walked-contract.ts'
import { listEvents } from '../../../test/support/recorded-events.ts'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { getSkillCatalog } from './skill-catalog.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

function execute(
  skill: string,
  input: unknown = {},
  more: object = {},
  options: object = {},
): Promise<ServiceResponse> {
  return plumbline.post('/api/ext/execute', { skill, input, ...more }, options)
}

async function eventTypes(organizationId: string): Promise<string[]> {
  return (await listEvents(plumbline, organizationId)).map((event) => event.type)
}

test('an operation that is run as a skill returns its HTTP response and its events', async () => {
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

test('path parameters, query parameters, body fields, and ifMatch are merged into one skill input', async () => {
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

test('a dry run of a skill returns the result and the events without storing them', async () => {
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

test('events in a skill response are shown only to callers who can read the records of the events', async () => {
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

test('a dry run is rejected for the same reasons as an execution', async () => {
  const { key } = await plumbline.newBuilder()
  await execute('createVendor', { companyName: 'A', externalId: 'erp-1' }, {}, { key })
  for (const dryRun of [true, false]) {
    const refused = await execute('createVendor', { companyName: 'B', externalId: 'erp-1' }, { dryRun }, { key })
    expect(refused.status).toBe(409)
    expect(refused.body).toMatchObject({ code: 'conflict', errors: [{ pointer: '/input/externalId' }] })
  }
})

test('an execution or a dry run that is repeated with the same Idempotency-Key returns its stored response', async () => {
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

test('the error for an unknown skill lists the most similar names', async () => {
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

test('all errors in a skill input are returned in one response', async () => {
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

test('errors from the operation of a skill also have pointers that start with /input', async () => {
  const nothing = await execute('updateVendor', { vendorId: 'ven_01m7y975jyfesvq69a4tb31vbx' })
  expect(nothing.status).toBe(422)
  expect(nothing.body.errors[0].pointer).toBe('/input')
  const absent = await execute('getVendor', { vendorId: 'ven_01m7y975jyfesvq69a4tb31vbx' })
  expect(absent.status).toBe(404)
  expect(absent.body.code).toBe('not_found')
})

test('null in a skill input is ignored if the field cannot be null', async () => {
  const created = await execute('createVendor', { companyName: 'A', scopes: null, communityIds: null, phone: '1' })
  expect(created.status).toBe(200)
  const cleared = await execute('updateVendor', { vendorId: created.body.result.id, phone: null, companyName: null })
  expect(cleared.body.result).toMatchObject({ phone: null, companyName: 'A' })
  expect((await execute('createVendor', { companyName: null })).status).toBe(422)
})

test('running a skill without one of its permissions returns the name of the missing permission', async () => {
  const narrow = await plumbline.newKey(['skills:read', 'skills:write'])
  for (const { name, permissions } of getSkillCatalog(contract).skills) {
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

test('repeating a read-only skill with the same Idempotency-Key runs the skill again', async () => {
  const plain = await execute('getUsage')
  expect(plain.body.result.minute.limit).toBe(1_000_000)
  const headers = { 'idempotency-key': 'usage' }
  const first = await execute('getUsage', {}, {}, { headers })
  const again = await execute('getUsage', {}, {}, { headers })
  expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 200, null])
  expect(again.body.id).not.toBe(first.body.id)
  expect(again.body.events).toEqual([])
})

test('the skill catalog contains every composite skill and every operation that can be a skill', async () => {
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

test('the skill catalog omits schemas by default', async () => {
  const query = 'q=archive%20vendor&tag=vendors'
  const [listed] = (await plumbline.get(`/api/ext/skills?${query}`)).body.data
  expect(listed).toMatchObject({ name: 'archiveVendor', inputSchema: null, outputSchema: null })
  expect(listed).toMatchObject({ writes: true, destructive: true, idempotent: true, tags: ['vendors'] })
  const [whole] = (await plumbline.get(`/api/ext/skills?${query}&expand=schemas`)).body.data
  expect(whole.inputSchema.required).toEqual(['vendorId'])
  const all = await plumbline.get('/api/ext/skills?limit=200')
  expect(JSON.stringify(all.body).length).toBeLessThan(200_000)
})

test('the skill catalog can be filtered by tag and by whether a skill writes', async () => {
  const tagged = (await plumbline.get('/api/ext/skills?limit=200&tag=bids,bid-requests&writes=false')).body.data
  expect(tagged.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['compareBids', 'levelBids']))
  for (const { tags, writes } of tagged)
    expect([tags.some((tag: string) => tag.startsWith('bid')), writes]).toEqual([true, false])
})

test('the skill catalog can be searched by words', async () => {
  const find = async (query: string, key?: string) =>
    (await plumbline.get(`/api/ext/skills?${query}`, key === undefined ? {} : { key })).body.data.map(
      (skill: { name: string }) => skill.name,
    )
  const composites = await find('kind=composite&limit=200')
  expect(composites).toEqual(Object.keys(contract.document['x-skills'] as object).sort())
  expect(await find('q=archive%20vendor')).toContain('archiveVendor')
  expect(await find('q=no-such-word-anywhere')).toEqual([])
})

test('the skill catalog contains only skills that the key can use', async () => {
  const find = async (query: string, key?: string) =>
    (await plumbline.get(`/api/ext/skills?${query}`, key === undefined ? {} : { key })).body.data.map(
      (skill: { name: string }) => skill.name,
    )
  const reader = await plumbline.newKey(['skills:read', 'vendors:read', 'homes:read'])
  const seen = await find('limit=200', reader)
  expect(seen).toContain('getVendor')
  expect(seen).not.toContain('createVendor')
  expect(seen).not.toContain('detectOverCommittedBudgets')
  const runner = await plumbline.newKey(['skills:read', 'skills:write', 'homes:read'])
  // The permissions that importRows requires depend on the kind of row, so it is in the catalog of every caller that
  // may run skills.
  expect(await find('kind=composite', runner)).toEqual(['detectOverCommittedBudgets', 'importRows'])
})

test('an invalid cursor of the skill catalog is rejected', async () => {
  expect((await plumbline.get('/api/ext/skills?cursor=nonsense')).body.code).toBe('invalid_cursor')
})

test('a request for a single skill returns its complete schemas', async () => {
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
