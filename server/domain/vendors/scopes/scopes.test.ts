import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

const names = async (query = '', key = plumbline.key) =>
  (await plumbline.get(`/api/ext/scopes?${query}`, { key })).body.data.map((scope: { name: string }) => scope.name)

test('a new trade can be read at the URL in its Location header and emits no event', async () => {
  const created = await plumbline.post('/api/ext/scopes', { name: 'framing', code: '06-100', sequence: 60 })
  expect(created.status).toBe(201)
  expect(created.body).toMatchObject({ name: 'framing', code: '06-100', sequence: 60, version: 1, archivedAt: null })
  const read = await plumbline.get(created.headers.get('location') ?? '')
  expect(read.body).toEqual(created.body)
  expect(read.headers.get('etag')).toBe('"1"')
  const events = await plumbline.database.statements
    .selectFrom('events')
    .select('id')
    .where('resourceId', '=', created.body.id)
    .execute()
  expect(events).toEqual([])
})

test('trade names are unique regardless of case', async () => {
  await plumbline.post('/api/ext/scopes', { name: 'Drywall' })
  const second = await plumbline.post('/api/ext/scopes', { name: 'DRYWALL' })
  expect(second).toMatchObject({ status: 409, body: { code: 'conflict', errors: [{ pointer: '/name' }] } })
})

test('only one of twenty concurrent creations of the same trade succeeds', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => plumbline.post('/api/ext/scopes', { name: 'stucco' })),
  )
  expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(19).fill(409)])
})

test('an unknown trade of several vendors is added to the list of trades only once', async () => {
  const { key } = await plumbline.newBuilder()
  await plumbline.post('/api/ext/vendors', { companyName: 'A', scopes: ['Tile'] }, { key })
  await plumbline.post('/api/ext/vendors', { companyName: 'B', scopes: ['tile', 'stone'] }, { key })
  expect((await names('', key)).sort()).toEqual(['Tile', 'stone'])
})

test('a new trade that looks like a misspelled existing trade is rejected unless createScopes is set', async () => {
  const { key, organizationId } = await plumbline.newBuilder()
  const vendor = (scopes: string[], query = '', by = key) =>
    plumbline.post(`/api/ext/vendors${query}`, { companyName: 'A', scopes }, { key: by })
  // These names do not resemble each other or any known trade, so each of them becomes a new trade.
  expect((await vendor(['framing', 'landscaping', 'Unit 2'])).body.scopes).toHaveLength(3)
  const refused = await vendor(['Framing', 'frammng', 'lanscapping'])
  expect(refused).toMatchObject({
    status: 422,
    body: {
      code: 'unknown_reference',
      detail: 'Unknown trade "frammng". Did you mean "framing"? To add a new trade, use createScope.',
      didYouMean: ['framing', 'landscaping'],
      errors: [
        { pointer: '/scopes/1', code: 'did_you_mean' },
        { pointer: '/scopes/2', code: 'did_you_mean' },
      ],
    },
  })
  const writer = await plumbline.newKey(['vendors:write'], organizationId)
  expect((await vendor(['fr aming'], '', writer)).body).toMatchObject({ errors: [{ code: 'unknown_reference' }] })
  expect((await vendor(['grading', 'hardscaping', 'Unit 3', 'frame'])).status).toBe(201)
  expect((await vendor(['farming'], '?createScopes=true')).body.scopes).toEqual(['farming'])
  expect((await vendor(['roofing'], '?createScopes=false')).body).toMatchObject({ status: 422, errors: [{}] })
  expect(await names('name=roofing', key)).toEqual([])
  await plumbline.post('/api/ext/scopes', { name: 'farmings' }, { key })
  expect((await vendor(['Farmings'])).body.scopes).toEqual(['farmings'])
})

test('a misspelled trade in a batch causes only its own row to fail', async () => {
  const { key } = await plumbline.newBuilder()
  await plumbline.post('/api/ext/scopes', { name: 'plumbing' }, { key })
  const rows = ['plumbing', 'plubming', 'gutters'].map((name, i) => ({
    ...{ accountingId: `QB-${i}`, companyName: `V${i}`, scopes: [name] },
  }))
  const body = { mode: 'best_effort', match: 'accountingId', rows }
  const { body: synced } = await plumbline.post('/api/ext/vendors/batch', body, { key })
  expect(synced.rows).toMatchObject([
    { status: 'created' },
    { status: 'failed', problem: { code: 'unknown_reference', errors: [{ pointer: '/scopes/0' }] } },
    { status: 'created' },
  ])
  expect((await names('', key)).sort()).toEqual(['gutters', 'plumbing'])
})

test('every operation with a trade rejects a misspelled trade unless createScopes is set', async () => {
  const { key, userId } = await plumbline.newBuilder()
  await plumbline.post('/api/ext/scopes', { name: 'framing' }, { key })
  const send = (method: 'post' | 'patch', path: string, body: unknown) =>
    plumbline[method](`/api/ext${path}`, body, { key })
  const created = async (path: string, body: object): Promise<string> => {
    const answer = await send('post', path, body)
    expect([path, answer.status, answer.body.errors]).toEqual([path, 201, undefined])
    return answer.body.id
  }
  const community = await created('/communities', { name: 'Juniper Ridge', status: 'active' })
  const homeId = await created('/homes', { name: 'Lot 15', communityId: community })
  const vendorId = await created('/vendors', { companyName: 'Lone Star' })
  const partId = await created('/parts', { sku: 'A', name: 'Stud', unit: 'EA' })
  const line = { description: 'Walls', quantity: 1, unit: 'LS', unitPrice: 1 }
  const code = { name: 'Lumber', category: 'material' }
  const terms = { vendorId, effectiveDate: '2026-01-01', lines: [{ partId, unitPrice: 1 }] }
  const option = { name: 'Porch', optionType: 'structural', costBasis: 'fixed', cost: 1, price: 2 }
  const custom = { customDescription: 'A bench', unitPrice: 1 }
  const sheet = await created('/timesheets', { userId, weekStarting: '2026-11-16' })
  const names = Array.from('bcdefghijklmnopqrstuvwxyz', (letter) => `fr${letter}ming`)
  const requested: [method: 'post' | 'patch', path: string, body: (scope: string) => object][] = [
    ['post', '/cost-codes', (scope) => ({ ...code, code: '1', scope })],
    ['patch', `/cost-codes/${await created('/cost-codes', { ...code, code: '2' })}`, (scope) => ({ scope })],
    ['post', '/cost-codes/batch', (scope) => ({ rows: [{ ...code, code: '3', scope }] })],
    ['post', '/parts', (scope) => ({ sku: 'B', name: 'Stud', unit: 'EA', scope })],
    ['patch', `/parts/${partId}`, (scope) => ({ scope })],
    ['post', '/parts/batch', (scope) => ({ rows: [{ sku: 'C', name: 'Stud', unit: 'EA', scope }] })],
    ['post', '/options', (scope) => ({ ...option, code: 'P', scope })],
    ['patch', `/options/${await created('/options', { ...option, code: 'Q' })}`, (scope) => ({ scope })],
    ['post', `/homes/${homeId}/selections`, (scope) => ({ ...custom, scope })],
    ['patch', `/selections/${await created(`/homes/${homeId}/selections`, custom)}`, (scope) => ({ scope })],
    ['post', `/homes/${homeId}/budget/lines`, (scope) => ({ scope, amount: 1 })],
    [
      'patch',
      `/budget-lines/${await created(`/homes/${homeId}/budget/lines`, { scope: 'framing', amount: 1 })}`,
      (scope) => ({ scope }),
    ],
    ['post', '/budget-lines/batch', (scope) => ({ match: 'id', rows: [{ homeId, scope, amount: 1 }] })],
    ['post', '/contracts', (scope) => ({ ...terms, scope })],
    ['patch', `/contracts/${await created('/contracts', { ...terms, scope: 'framing' })}`, (scope) => ({ scope })],
    ['post', '/purchase-orders', (scope) => ({ homeId, vendorId, scope, lines: [line] })],
    [
      'patch',
      `/purchase-orders/${await created('/purchase-orders', { homeId, vendorId, scope: 'framing', lines: [line] })}`,
      (scope) => ({ scope }),
    ],
    ['post', '/tasks', (scope) => ({ homeId, name: 'Walls', scope })],
    ['patch', `/tasks/${await created('/tasks', { homeId, name: 'Roof' })}`, (scope) => ({ scope })],
    ['post', '/task-templates', (scope) => ({ name: 'House', rows: [{ name: 'Walls', scope }] })],
    ['post', `/timesheets/${sheet}/entries`, (scope) => ({ date: '2026-11-17', hours: 1, scope })],
    ['post', '/time-entries/clock-in', (scope) => ({ userId, scope })],
  ]
  for (const [i, [method, path, body]] of requested.entries()) {
    const slip = names[i] ?? ''
    const refused = await send(method, path, body(slip))
    expect([path, refused.status, refused.body.didYouMean?.[0], refused.body.errors]).toEqual([
      path,
      422,
      'framing',
      [expect.objectContaining({ code: 'did_you_mean', pointer: expect.stringMatching(/scope$/) })],
    ])
    const meant = await send(method, `${path}?createScopes=true`, body(slip))
    expect([path, meant.status < 300, meant.body.errors]).toEqual([path, true, undefined])
  }
})

test('a trade that is used cannot be renamed', async () => {
  const { key } = await plumbline.newBuilder()
  const { body: unused } = await plumbline.post('/api/ext/scopes', { name: 'finish carpentery' }, { key })
  const renamed = await plumbline.patch(`/api/ext/scopes/${unused.id}`, { name: 'finish carpentry' }, { key })
  expect(renamed).toMatchObject({ status: 200, body: { name: 'finish carpentry', version: 2 } })
  await plumbline.post('/api/ext/vendors', { companyName: 'A', scopes: ['Finish Carpentry'] }, { key })
  const refused = await plumbline.patch(`/api/ext/scopes/${unused.id}`, { name: 'trim' }, { key })
  expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } })
  expect(refused.body).toMatchObject({ reason: 'in_use', detail: expect.stringContaining('vendors: 1') })
  const moved = await plumbline.patch(
    `/api/ext/scopes/${unused.id}`,
    { name: 'finish carpentry', sequence: 140 },
    { key },
  )
  expect(moved).toMatchObject({ status: 200, body: { sequence: 140 } })
})

test('a trade with a budget line cannot be renamed', async () => {
  const { key } = await plumbline.newBuilder()
  const { body: community } = await plumbline.post(
    '/api/ext/communities',
    { name: 'Juniper Ridge', status: 'active' },
    { key },
  )
  const { body: home } = await plumbline.post('/api/ext/homes', { name: 'Lot 15', communityId: community.id }, { key })
  const line = await plumbline.post(
    `/api/ext/homes/${home.id}/budget/lines`,
    { scope: 'roofing', amount: 16_800 },
    { key },
  )
  expect(line.status).toBe(201)
  const { body: scopes } = await plumbline.get('/api/ext/scopes?name=ROOFING', { key })
  const refused = await plumbline.patch(`/api/ext/scopes/${scopes.data[0].id}`, { name: 'roofs' }, { key })
  expect(refused.body).toMatchObject({ reason: 'in_use', detail: expect.stringContaining('budget lines: 1') })
})

test('a trade that only a cost code, a part, or a warranty term names cannot be renamed', async () => {
  const { key } = await plumbline.newBuilder()
  const uses: [use: string, path: string, body: object][] = [
    ['cost codes: 1', '/api/ext/cost-codes', { code: '09-100', name: 'Drywall', category: 'other', scope: 'drywall' }],
    ['parts: 1', '/api/ext/parts', { sku: 'DH-36', name: 'Door', unit: 'EA', scope: 'doors' }],
    ['warranty terms: 1', '/api/ext/warranty-terms', { name: 'Roof', months: 24, scopes: ['roofing'] }],
  ]
  for (const [use, path, body] of uses) {
    expect(await plumbline.post(path, body, { key })).toMatchObject({ status: 201 })
    const { body: scopes } = await plumbline.get('/api/ext/scopes', { key })
    const refused = await plumbline.patch(`/api/ext/scopes/${scopes.data[0].id}`, { name: 'other' }, { key })
    expect(refused).toMatchObject({ status: 409, body: { reason: 'in_use', detail: expect.stringContaining(use) } })
  }
})

test('a trade without vendors can be archived, and its name can then be used again', async () => {
  const { key } = await plumbline.newBuilder()
  const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: 'A', scopes: ['pools'] }, { key })
  const { body: list } = await plumbline.get('/api/ext/scopes', { key })
  const path = `/api/ext/scopes/${list.data[0].id}`
  expect(await plumbline.delete(path, { key })).toMatchObject({
    status: 409,
    body: {
      ...{ code: 'conflict', reason: 'in_use' },
      detail: 'Cannot archive "pools": 1 vendor covers it. Remove it from their trades first.',
    },
  })
  await plumbline.patch(`/api/ext/vendors/${vendor.id}`, { scopes: [] }, { key })
  expect((await plumbline.delete(path, { key })).status).toBe(204)
  expect((await plumbline.delete(path, { key })).status).toBe(204)
  expect(await names('', key)).toEqual([])
  expect(await names('includeArchived=true', key)).toEqual(['pools'])
  expect((await plumbline.get(path, { key })).body.archivedAt).not.toBeNull()
  await plumbline.post('/api/ext/vendors', { companyName: 'B', scopes: ['pools'] }, { key })
  expect(await names('', key)).toEqual(['pools'])
})

test('trades are listed in the order of construction', async () => {
  const { key } = await plumbline.newBuilder()
  for (const [name, code, sequence] of [
    ['roofing', '07-300', 80],
    ['concrete', '03-100', 20],
    ['framing', '06-100', 60],
  ] as const) {
    await plumbline.post('/api/ext/scopes', { name, code, sequence }, { key })
  }
  expect(await names('sort=sequence', key)).toEqual(['concrete', 'framing', 'roofing'])
  expect(await names('sort=-name', key)).toEqual(['roofing', 'framing', 'concrete'])
  expect(await names('name=Framing', key)).toEqual(['framing'])
  expect(await names('code=03-100', key)).toEqual(['concrete'])
  expect(await names('q=07-', key)).toEqual(['roofing'])
  const first = await plumbline.get('/api/ext/scopes?sort=sequence&limit=2', { key })
  expect(await names(`sort=sequence&limit=2&cursor=${first.body.nextCursor}`, key)).toEqual(['roofing'])
})

test("a builder cannot see another builder's trades but can use the same trade names", async () => {
  const { body: scope } = await plumbline.post('/api/ext/scopes', { name: 'solar' })
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.get(`/api/ext/scopes/${scope.id}`, { key })).status).toBe(404)
  expect((await plumbline.patch(`/api/ext/scopes/${scope.id}`, { sequence: 1 }, { key })).status).toBe(404)
  expect((await plumbline.delete(`/api/ext/scopes/${scope.id}`, { key })).status).toBe(404)
  expect((await plumbline.post('/api/ext/scopes', { name: 'solar' }, { key })).status).toBe(201)
})

test('changing or archiving a trade with a stale If-Match is rejected', async () => {
  const { body: scope } = await plumbline.post('/api/ext/scopes', { name: 'gutters' })
  const stale = { headers: { 'if-match': '"9"' } }
  expect((await plumbline.patch(`/api/ext/scopes/${scope.id}`, { sequence: 1 }, stale)).status).toBe(412)
  expect((await plumbline.delete(`/api/ext/scopes/${scope.id}`, stale)).status).toBe(412)
})
