import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

const CODES = '/api/ext/cost-codes'
let codes = 0

async function newCode(fields: object = {}, key = plumbline.key) {
  const provided = { code: `06-${++codes}`, name: 'Carpentry', category: 'subcontract', ...fields }
  const { status, body } = await plumbline.post(CODES, provided, { key })
  expect(status).toBe(201)
  return body
}

/** Creates a chain of codes, each below the previous code, and returns their IDs from the top. */
async function getChain(levels: number): Promise<string[]> {
  const ids: string[] = []
  for (let level = 0; level < levels; level++) ids.push((await newCode({ parentId: ids.at(-1) ?? null })).id)
  return ids
}

test('the trade of a new cost code is added to the list of trades', async () => {
  const parent = await newCode({ code: '06-000' })
  const lumber = { code: '06-110', name: 'Framing lumber', category: 'material', scope: 'framing', parentId: parent.id }
  const created = await plumbline.post(CODES, { ...lumber, accountingId: '5110' })
  expect(created).toMatchObject({ status: 201, body: { ...lumber, accountingId: '5110', externalId: null } })
  expect((await plumbline.get(created.headers.get('location') ?? '')).body).toEqual(created.body)
  expect((await plumbline.get('/api/ext/scopes?name=FRAMING')).body.data).toMatchObject([{ name: 'framing' }])
})

test('the code of an archived cost code can be used again', async () => {
  const first = await newCode({ code: '09-900' })
  const second = { code: '09-900', name: 'Painting', category: 'subcontract' }
  expect(await plumbline.post(CODES, second)).toMatchObject({
    status: 409,
    body: { code: 'conflict', errors: [{ pointer: '/code' }] },
  })
  expect((await plumbline.delete(`${CODES}/${first.id}`)).status).toBe(204)
  expect((await plumbline.post(CODES, second)).status).toBe(201)
})

test('cost codes can be filtered by parent, category, trade, and text', async () => {
  const { key } = await plumbline.newBuilder()
  const top = await newCode({ code: '22-000', name: 'Plumbing' }, key)
  await newCode({ code: '22-100', name: 'Rough plumbing', parentId: top.id, scope: 'Plumbing' }, key)
  await newCode({ code: '22-200', name: 'Fixtures', category: 'material', parentId: top.id }, key)
  const found = async (query: string) =>
    (await plumbline.get(`${CODES}?sort=code&${query}`, { key })).body.data.map(({ code }: { code: string }) => code)
  expect(await found('parentId=null')).toEqual(['22-000'])
  expect(await found(`parentId=${top.id}`)).toEqual(['22-100', '22-200'])
  expect(await found('category=material')).toEqual(['22-200'])
  expect(await found('scope=plumbing')).toEqual(['22-100'])
  expect(await found('q=rough')).toEqual(['22-100'])
  expect(await found('accountingId=null')).toEqual(['22-000', '22-100', '22-200'])
})

test('cost codes have at most eight levels and cannot be below themselves', async () => {
  const [first = '', , third = ''] = await getChain(3)
  const move = (id: string, parentId: string) => plumbline.patch(`${CODES}/${id}`, { parentId })
  const problem = { status: 422, body: { errors: [{ pointer: '/parentId', code: 'tree' }] } }
  expect(await move(first, third)).toMatchObject(problem)
  expect(await move(first, first)).toMatchObject(problem)
  const deep = await getChain(8)
  const ninth = { code: 'X', name: 'Too deep', category: 'other', parentId: deep[7] }
  expect(await plumbline.post(CODES, ninth)).toMatchObject(problem)
  // Three levels fit below the fifth of the eight levels, but not below the sixth.
  expect(await move(first, deep[5] ?? '')).toMatchObject(problem)
  expect(await move(first, deep[4] ?? '')).toMatchObject({ status: 200, body: { parentId: deep[4] } })
  expect(await move(first, 'cc_nobody')).toMatchObject({ status: 422, body: { code: 'unknown_reference' } })
})

test('concurrent changes cannot make two cost codes parents of each other', async () => {
  const [one, other] = [await newCode(), await newCode()]
  const answers = await Promise.all([
    plumbline.patch(`${CODES}/${one.id}`, { parentId: other.id }),
    plumbline.patch(`${CODES}/${other.id}`, { parentId: one.id }),
  ])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
})

test('a cost code that is used cannot be archived', async () => {
  const [top = '', below = ''] = await getChain(2)
  expect(await plumbline.delete(`${CODES}/${top}`)).toMatchObject({ status: 409, body: { code: 'conflict' } })
  const { body: scope } = await plumbline.post('/api/ext/scopes', { name: 'tile', defaultCostCodeId: below })
  expect(scope.defaultCostCodeId).toBe(below)
  const refused = await plumbline.delete(`${CODES}/${below}`)
  expect(refused.body).toMatchObject({ reason: 'in_use', detail: expect.stringContaining('the default of 1 trade.') })
  await plumbline.patch(`/api/ext/scopes/${scope.id}`, { defaultCostCodeId: null })
  expect((await plumbline.delete(`${CODES}/${below}`)).status).toBe(204)
  expect((await plumbline.delete(`${CODES}/${top}`)).status).toBe(204)
  const late = { code: 'Y', name: 'Late', category: 'other', parentId: top }
  expect(await plumbline.post(CODES, late)).toMatchObject({ status: 422, body: { errors: [{ code: 'tree' }] } })
})

test("a builder cannot see, change, or refer to another builder's cost codes", async () => {
  const { id } = await newCode()
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.get(`${CODES}/${id}`, { key })).status).toBe(404)
  expect((await plumbline.patch(`${CODES}/${id}`, { name: 'Mine' }, { key })).status).toBe(404)
  expect((await plumbline.delete(`${CODES}/${id}`, { key })).status).toBe(404)
  const below = await plumbline.post(CODES, { code: 'Z', name: 'Z', category: 'other', parentId: id }, { key })
  expect(below).toMatchObject({ status: 422, body: { code: 'unknown_reference' } })
  const scope = await plumbline.post('/api/ext/scopes', { name: 'paint', defaultCostCodeId: id }, { key })
  expect(scope).toMatchObject({ status: 422, body: { errors: [{ pointer: '/defaultCostCodeId' }] } })
})
