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

type Caller = { key: string }

const sync = (rows: object[], caller: Caller, mode = 'best_effort'): Promise<ServiceResponse> =>
  plumbline.post('/api/ext/cost-codes/batch', { mode, rows }, caller)
const row = (code: string, more: object = {}) => ({ code, name: `Code ${code}`, category: 'material', ...more })
const statuses = ({ body }: ServiceResponse) => body.rows.map(({ status }: { status: string }) => status)

/** Returns the chart as sorted texts of the form `code < parent`. */
async function chart(caller: Caller): Promise<string[]> {
  const { data } = (await plumbline.get('/api/ext/cost-codes?sort=code&limit=200', caller)).body
  const codes = new Map(data.map(({ id, code }: Record<string, string>) => [id, code]))
  return data.map(({ code, parentId }: Record<string, string>) =>
    parentId === null ? code : `${code} < ${codes.get(parentId)}`,
  )
}

test('a cost code row can refer to a parent in the same request, regardless of the order of the rows', async () => {
  const caller = await plumbline.newBuilder()
  const rows = [
    row('06-111', { parentCode: '06-110', scope: 'framing' }),
    row('06-110', { parentCode: '06-000', accountingId: '5110', externalId: 'gl-5110' }),
    row('06-000'),
  ]
  expect((await sync(rows, caller)).body).toMatchObject({ created: 3, failed: 0 })
  expect(await chart(caller)).toEqual(['06-000', '06-110 < 06-000', '06-111 < 06-110'])
  expect(statuses(await sync(rows, caller))).toEqual(['unchanged', 'unchanged', 'unchanged'])
  // Omitted fields keep their values, including the parent. If the parent is null, the code moves to the top level.
  const changed = [row('06-115', { externalId: 'gl-5110' }), row('06-111', { parentId: null }), row('07-000')]
  expect(statuses(await sync(changed, caller))).toEqual(['updated', 'updated', 'created'])
  expect(await chart(caller)).toEqual(['06-000', '06-111', '06-115 < 06-000', '07-000'])
  const { body } = await plumbline.get('/api/ext/cost-codes?code=06-115', caller)
  expect(body.data).toMatchObject([{ accountingId: '5110', externalId: 'gl-5110' }])
})

test('a cost code row that is matched by accountingId, externalId, or id needs only the fields to change', async () => {
  const caller = await plumbline.newBuilder()
  const by = (match: string, ...rows: object[]) =>
    plumbline.post('/api/ext/cost-codes/batch', { mode: 'best_effort', match, rows }, caller)
  const first = await by(
    'accountingId',
    row('06-000', { accountingId: '5000' }),
    row('06-110', { accountingId: '5110', parentCode: '06-000' }),
  )
  expect(statuses(first)).toEqual(['created', 'created'])
  const [top, below] = first.body.rows.map(({ id }: { id: string }) => id)
  expect(statuses(await by('accountingId', { accountingId: '5110', name: 'Lumber', externalId: 'gl-1' }))).toEqual([
    'updated',
  ])
  const answer = await by(
    'id',
    { id: below, parentId: null },
    { id: top, code: '06-110' },
    { accountingId: '5110', ...row('07-000') },
  )
  expect(statuses(answer)).toEqual(['updated', 'failed', 'failed'])
  expect(answer.body.rows[1].problem).toMatchObject({ errors: [{ pointer: '/code' }], conflictingId: below })
  expect(answer.body.rows[2].problem).toMatchObject({ errors: [{ pointer: '/accountingId' }], conflictingId: below })
  expect(statuses(await by('externalId', { externalId: 'gl-1', parentCode: '06-000' }))).toEqual(['updated'])
  expect(await chart(caller)).toEqual(['06-000', '06-110 < 06-000'])
  const { body } = await plumbline.get(`/api/ext/cost-codes/${below}`, caller)
  expect(body).toMatchObject({ name: 'Lumber', accountingId: '5110', externalId: 'gl-1', category: 'material' })
})

test('a cost code row with an invalid parent fails without affecting other rows', async () => {
  const caller = await plumbline.newBuilder()
  const eight = Array.from({ length: 8 }, (_, i) => row(`L${i + 1}`, i === 0 ? {} : { parentCode: `L${i}` }))
  expect((await sync(eight.toReversed(), caller)).body).toMatchObject({ created: 8 })
  await sync([row('OLD'), row('A'), row('B', { parentCode: 'A' })], caller)
  const { body: old } = await plumbline.get('/api/ext/cost-codes?code=OLD', caller)
  await plumbline.delete(`/api/ext/cost-codes/${old.data[0].id}`, caller)
  const answer = await sync(
    [
      row('L9', { parentCode: 'L8' }),
      row('L10', { parentCode: 'L9' }),
      row('L1', { parentCode: 'L3' }),
      row('L2', { name: 'Stays' }),
      row('A', { parentCode: 'B' }),
      row('X', { parentCode: 'Y' }),
      row('Y', { parentCode: 'X' }),
      row('Z', { parentCode: 'Z' }),
      row('N', { parentId: old.data[0].id }),
      row('O', { parentCode: 'OLD' }),
      row('P', { parentCode: 'A', parentId: null }),
      row('Q', { parentCode: 'A', parentId: old.data[0].id }),
      row('R', { category: 'gold' }),
      row('S', { parentCode: 'R' }),
      row('FINE', { parentCode: 'L7' }),
    ],
    caller,
  )
  const said = answer.body.rows.map(({ status, problem }: ServiceResponse['body']) =>
    [status, ...(problem?.errors ?? []).map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)].join(
      ' ',
    ),
  )
  expect(said.toSpliced(5, 2)).toEqual([
    'failed /parentCode tree',
    'failed /parentCode unknown_reference',
    'failed /parentCode tree',
    'updated',
    'failed /parentCode tree',
    'failed /parentCode tree',
    'failed /parentId tree',
    'failed /parentCode unknown_reference',
    'created',
    'failed /parentCode parentId',
    'failed /category enum',
    'failed /parentCode unknown_reference',
    'created',
  ])
  // If two new codes are each the parent of the other, neither of them can be created.
  expect(said.slice(5, 7).toSorted()).toEqual(['failed /parentCode tree', 'failed /parentCode unknown_reference'])
  expect(await chart(caller)).toEqual([
    'A',
    'B < A',
    'FINE < L7',
    'L1',
    ...Array.from({ length: 7 }, (_, i) => `L${i + 2} < L${i + 1}`),
    'P < A',
  ])
})

test('a moved cost code keeps the cost codes below it, up to eight levels', async () => {
  const caller = await plumbline.newBuilder()
  const chain = (name: string, levels: number) =>
    Array.from({ length: levels }, (_, i) => row(`${name}${i + 1}`, i === 0 ? {} : { parentCode: `${name}${i}` }))
  await sync([...chain('A', 5), ...chain('B', 4)], caller)
  expect(statuses(await sync([row('B1', { parentCode: 'A5' })], caller))).toEqual(['failed'])
  expect(statuses(await sync([row('B1', { parentCode: 'A4' })], caller))).toEqual(['updated'])
  // The row for A1 is applied first and uses the last available level, so the move of B4 cannot affect it.
  const { body } = await sync([row('NEW'), row('A1', { parentCode: 'NEW' }), row('B4', { parentId: null })], caller)
  expect(body.rows).toMatchObject([
    { status: 'created' },
    { status: 'failed', problem: { code: 'validation_failed', errors: [{ pointer: '/parentCode', code: 'tree' }] } },
    { status: 'updated' },
  ])
  expect(statuses(await sync([row('A1', { parentCode: 'NEW' })], caller))).toEqual(['updated'])
})

test('a cost code sync follows the same rules as a part sync for modes, dry runs, other builders, and permissions', async () => {
  const caller = await plumbline.newBuilder()
  const refused = await sync([row('A'), row('B', { parentCode: 'NONE' })], caller, 'all_or_nothing')
  expect([refused.status, refused.body.code]).toEqual([422, 'unknown_reference'])
  expect(refused.body.errors).toMatchObject([{ pointer: '/rows/1/parentCode' }])
  const input = { rows: [row('A')] }
  const tried = await plumbline.post('/api/ext/execute', { skill: 'syncCostCodes', input, dryRun: true }, caller)
  expect(tried.body.result).toMatchObject({ created: 1 })
  expect(await chart(caller)).toEqual([])
  await sync([row('A')], caller)
  const other = await plumbline.newBuilder()
  expect(statuses(await sync([row('B', { parentCode: 'A' })], other))).toEqual(['failed'])
  const key = await plumbline.newKey(['budgets:read'])
  expect((await sync([row('A')], { key })).body).toMatchObject({ code: 'permission_denied' })
  const rows = Array.from({ length: 40 }, (_, i) => row(`C${i}`, { parentCode: 'A' }))
  const both = await Promise.all([sync(rows, caller), sync(rows.toReversed(), caller)])
  expect(both.map(({ body }) => [body.created, body.unchanged]).toSorted()).toEqual([
    [0, 40],
    [40, 0],
  ])
})
