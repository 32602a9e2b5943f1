import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

const OPTIONS = '/api/ext/options'
let codes = 0

async function newOption(fields: object = {}) {
  const { status, body } = await plumbline.post(OPTIONS, {
    ...{ code: `KI-${++codes}`, name: 'Upper cabinets to 42 inches', optionType: 'upgrade' },
    ...('marginPercent' in fields ? {} : { price: 1370 }),
    ...fields,
  })
  expect([status, body.errors]).toEqual([201, undefined])
  return body
}

const move = (id: string, status: string) => plumbline.post(`${OPTIONS}/${id}/status`, { status })

test('a new option is a draft that applies to every plan and community', async () => {
  const created = await plumbline.post(OPTIONS, { code: 'ST-BAY', name: 'Bay', optionType: 'structural', price: 1010 })
  expect(created).toMatchObject({
    status: 201,
    body: {
      ...{ code: 'ST-BAY', status: 'draft', planIds: [], communityIds: [], unit: 'EA', costBasis: 'computed' },
      ...{ cost: null, marginPercent: null, requiresOptionIds: [], excludesOptionIds: [], category: null },
    },
  })
  expect((await plumbline.get(created.headers.get('location') ?? '')).body).toEqual(created.body)
})

test.each([
  ['a missing price and margin', { price: null }, '/price'],
  ['a price and a margin', { marginPercent: 30 }, '/marginPercent'],
  ['a credit with a positive price', { optionType: 'credit' }, '/price'],
  ['an upgrade with a negative price', { price: -1 }, '/price'],
  ['a missing fixed cost', { costBasis: 'fixed' }, '/cost'],
  ['a given cost that is computed', { cost: 800 }, '/cost'],
])('an option that is invalid because of %s is reported at its field', async (_what, fields, pointer) => {
  const requested = { code: 'X-1', name: 'X', optionType: 'upgrade', price: 10, ...fields }
  expect(await plumbline.post(OPTIONS, requested)).toMatchObject({ status: 422, body: { errors: [{ pointer }] } })
  const { id } = await newOption()
  expect(await plumbline.patch(`${OPTIONS}/${id}`, fields)).toMatchObject({
    ...{ status: 422, body: { errors: [{ pointer }] } },
  })
})

test('an option can have a margin instead of a price', async () => {
  const { id } = await newOption()
  const margin = await plumbline.patch(`${OPTIONS}/${id}`, { price: null, marginPercent: 32.5 })
  expect(margin.body).toMatchObject({ price: null, marginPercent: 32.5, version: 2 })
})

test('a new option must become active before it can become retired', async () => {
  const { id } = await newOption()
  expect(await move(id, 'retired')).toMatchObject({ status: 409, body: { code: 'invalid_transition' } })
  expect((await move(id, 'active')).body.status).toBe('active')
  expect((await move(id, 'retired')).body.status).toBe('retired')
  expect((await move(id, 'active')).body.status).toBe('active')
  expect(await move(id, 'draft')).toMatchObject({ status: 409, body: { allowed: ['retired'] } })
  const history = await plumbline.get(`/api/ext/status-changes?resourceId=${id}`)
  expect(history.body.data.map(({ to }: { to: string }) => to)).toEqual(['draft', 'active', 'retired', 'active'])
})

test('the options, plans, communities, and cost code that an option refers to must exist', async () => {
  const id = 'opt_01m7y975jzfesvq6v0k2m4p6r8'
  for (const [field, value] of Object.entries({
    ...{ requiresOptionIds: [id], excludesOptionIds: [id], planIds: [id], communityIds: [id], costCodeId: id },
  })) {
    const requested = { code: 'X-2', name: 'X', optionType: 'upgrade', price: 10, [field]: value }
    expect(await plumbline.post(OPTIONS, requested)).toMatchObject({
      ...{ status: 422, body: { code: 'unknown_reference', errors: [{ pointer: expect.stringContaining(field) }] } },
    })
  }
})

test('an option cannot require itself through other options', async () => {
  const base = await newOption({ code: 'R-BASE' })
  const middle = await newOption({ code: 'R-MID', requiresOptionIds: [base.id] })
  const top = await newOption({ code: 'R-TOP', requiresOptionIds: [middle.id] })
  const refused = await plumbline.patch(`${OPTIONS}/${base.id}`, { requiresOptionIds: [top.id] })
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/requiresOptionIds', code: 'ring' }] } })
  expect(refused.body.errors[0].message).toBe('must not make R-BASE require R-TOP, which requires R-BASE')
  const itself = await plumbline.patch(`${OPTIONS}/${base.id}`, { requiresOptionIds: [base.id] })
  expect(itself.body.errors[0].message).toBe('must not make R-BASE require itself')
  const against = await plumbline.patch(`${OPTIONS}/${base.id}`, { excludesOptionIds: [base.id] })
  expect(against.body.errors[0].message).toBe('must not make R-BASE exclude itself')
})

test('concurrent changes cannot make two options require each other', async () => {
  const [one, other] = [await newOption(), await newOption()]
  const answers = await Promise.all([
    plumbline.patch(`${OPTIONS}/${one.id}`, { requiresOptionIds: [other.id] }),
    plumbline.patch(`${OPTIONS}/${other.id}`, { requiresOptionIds: [one.id] }),
  ])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
})

test('an option cannot require an option that it excludes, or two options that exclude each other', async () => {
  const [wood, credit] = [await newOption({ code: 'FL-WOOD' }), await newOption({ code: 'FL-NONE' })]
  const both = await newOption({ code: 'FL-BOTH', requiresOptionIds: [wood.id, credit.id] })
  const apart = await plumbline.patch(`${OPTIONS}/${credit.id}`, { excludesOptionIds: [wood.id] })
  expect(apart).toMatchObject({ status: 422, body: { errors: [{ code: 'contradiction' }] } })
  expect(apart.body.errors[0].message).toBe(
    'must not make FL-BOTH require FL-NONE and FL-WOOD, which exclude each other',
  )
  const own = await plumbline.patch(`${OPTIONS}/${both.id}`, { excludesOptionIds: [wood.id] })
  expect(own.body.errors[0].message).toBe('must not make FL-BOTH both require and exclude FL-WOOD')
  await plumbline.patch(`${OPTIONS}/${both.id}`, { requiresOptionIds: [wood.id] })
  expect((await plumbline.patch(`${OPTIONS}/${credit.id}`, { excludesOptionIds: [wood.id] })).status).toBe(200)
})

test('an option that another option requires cannot be archived', async () => {
  const base = await newOption({ code: 'A-BASE' })
  const top = await newOption({ code: 'A-TOP', requiresOptionIds: [base.id] })
  const refused = await plumbline.delete(`${OPTIONS}/${base.id}`)
  expect(refused).toMatchObject({
    status: 409,
    body: {
      reason: 'in_use',
      detail: 'Cannot archive A-BASE: A-TOP requires it. Remove it from requiresOptionIds of A-TOP first.',
    },
  })
  expect((await plumbline.delete(`${OPTIONS}/${top.id}`)).status).toBe(204)
  expect((await plumbline.delete(`${OPTIONS}/${base.id}`)).status).toBe(204)
  expect((await plumbline.delete(`${OPTIONS}/${base.id}`)).status).toBe(204)
})

test('an archived option cannot change its status', async () => {
  const base = await newOption({ code: 'A-GONE' })
  await plumbline.delete(`${OPTIONS}/${base.id}`)
  expect(await move(base.id, 'active')).toMatchObject({ status: 409, body: { code: 'conflict' } })
})

test('the code of an archived option can be used again', async () => {
  const base = await newOption({ code: 'A-FREED' })
  await plumbline.delete(`${OPTIONS}/${base.id}`)
  expect((await newOption({ code: 'A-FREED' })).code).toBe('A-FREED')
  const twice = { code: 'A-FREED', name: 'X', optionType: 'upgrade', price: 1 }
  expect(await plumbline.post(OPTIONS, twice)).toMatchObject({ status: 409, body: { errors: [{ pointer: '/code' }] } })
})

test('options can be filtered by plan, community, and cutoff task', async () => {
  const communityId = (await plumbline.post('/api/ext/communities', { name: 'Juniper Ridge' })).body.id
  const planId = (await plumbline.post('/api/ext/plans', { code: 'P2100', name: 'The Possumhaw' })).body.id
  const other = (await plumbline.post('/api/ext/plans', { code: 'P1650', name: 'The Persimmon' })).body.id
  const kitchen = await newOption({ planIds: [planId], communityIds: [communityId], category: 'Zinc' })
  const everywhere = await newOption({ category: 'Zinc', cutoffTaskName: 'Drywall hung' })
  const found = async (query: string) =>
    (await plumbline.get(`${OPTIONS}?sort=createdAt&category=Zinc&${query}`)).body.data.map(
      ({ id }: { id: string }) => id,
    )
  expect(await found('')).toEqual([kitchen.id, everywhere.id])
  expect(await found(`planId=${planId}&communityId=${communityId}`)).toEqual([kitchen.id, everywhere.id])
  expect(await found(`planId=${other}`)).toEqual([everywhere.id])
  expect(await found('cutoffTaskName=Drywall%20hung&optionType=upgrade&status=draft')).toEqual([everywhere.id])
})

test('an option with a trade but no cost code gets the default cost code of the trade', async () => {
  const { body: code } = await plumbline.post('/api/ext/cost-codes', { code: '26-120', name: 'L', category: 'other' })
  await plumbline.post('/api/ext/scopes', { name: 'electrical', defaultCostCodeId: code.id })
  const light = await newOption({ optionType: 'allowance', costBasis: 'fixed', cost: 900, scope: 'Electrical' })
  expect(light).toMatchObject({ cost: 900, scope: 'electrical', costCodeId: code.id })
})

test("a builder cannot see, change, or refer to another builder's options", async () => {
  const { id } = await newOption()
  const { key } = await plumbline.newBuilder()
  for (const answer of [
    await plumbline.get(`${OPTIONS}/${id}`, { key }),
    await plumbline.patch(`${OPTIONS}/${id}`, { price: 1 }, { key }),
    await plumbline.delete(`${OPTIONS}/${id}`, { key }),
  ])
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
  const required = { code: 'Y', name: 'Y', optionType: 'upgrade', price: 1, requiresOptionIds: [id] }
  expect(await plumbline.post(OPTIONS, required, { key })).toMatchObject({ status: 422 })
})
