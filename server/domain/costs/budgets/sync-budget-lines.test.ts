import { afterAll, beforeAll, expect, test } from 'vitest'
import { StatementCounter } from '../../../../test/support/count-statements.ts'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let site: Site
const counted = new StatementCounter('syncBudgetLines')
beforeAll(async () => {
  plumbline = await startTestPlumbline({}, { handlers: counted.handlers })
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

type Body = ServiceResponse['body']
const caller = () => ({ key: site.key })
const post = (path: string, body: object = {}) => plumbline.post(`/api/ext${path}`, body, caller())
const get = async (path: string): Promise<Body> => (await plumbline.get(`/api/ext${path}`, caller())).body
const sync = (rows: object[], { match = 'externalId', mode = 'best_effort' } = {}) =>
  post('/budget-lines/batch', { mode, match, rows })
const statuses = ({ body }: ServiceResponse) => body.rows.map(({ status }: Body) => status)
const newHome = async (name: string): Promise<string> =>
  (await post('/homes', { name, communityId: site.communityId })).body.id

test('a sync can create and update budget lines of several homes', async () => {
  const [homeId, other] = [await newHome('Lot 101'), await newHome('Lot 102')]
  const rows = [
    { externalId: 'e-1', homeId, scope: 'framing', quantity: 100, unit: 'SF', unitCost: 15 },
    { externalId: 'e-2', homeId: other, scope: 'Framing', amount: 2000 },
  ]
  const first = await sync(rows)
  expect(first.body).toMatchObject({ created: 2, failed: 0 })
  const [{ id }] = first.body.rows
  expect(await get(`/budget-lines/${id}`)).toMatchObject({
    ...{ budgeted: 1500, transferred: 0, source: 'manual', externalId: 'e-1', version: 1 },
  })
  expect(statuses(await sync(rows))).toEqual(['unchanged', 'unchanged'])
  expect(
    statuses(
      await sync([
        { externalId: 'e-1', unitCost: 16 },
        { ...rows[1], amount: 2100 },
      ]),
    ),
  ).toEqual([...['updated', 'updated']])
  expect(await get(`/budget-lines/${id}`)).toMatchObject({ budgeted: 1600, originalAmount: 1600, version: 2 })
  expect((await get(`/homes/${other}/budget`)).scopes).toMatchObject([{ scope: 'framing', budgeted: 2100 }])
  expect((await get(`/homes/${homeId}/budget/lines?externalId=e-1,e-2`)).data).toMatchObject([{ id }])
  expect(
    statuses(
      await sync(
        [
          { id, externalId: 'e-9' },
          { homeId, scope: 'roofing', amount: 1 },
        ],
        { match: 'id' },
      ),
    ),
  ).toEqual(['updated', 'created'])
})

test('a sync of a locked budget keeps the original amounts', async () => {
  const homeId = await newHome('Lot 106')
  const created = await sync([{ externalId: 'k-1', homeId, scope: 'framing', amount: 1000 }])
  await post(`/homes/${homeId}/budget/lock`)
  const answer = await sync([
    { externalId: 'k-1', amount: 1200 },
    { externalId: 'k-2', homeId, scope: 'roofing', amount: 300 },
  ])
  const ids = created.body.rows.map(({ id }: Body) => id)
  expect(await get(`/budget-lines/${ids[0]}`)).toMatchObject({ originalAmount: 1000, approvedChanges: 200 })
  expect(await get(`/budget-lines/${answer.body.rows[1].id}`)).toMatchObject({
    originalAmount: 0,
    approvedChanges: 300,
  })
})

test('each invalid row of a budget line sync fails separately', async () => {
  const homeId = await newHome('Lot 103')
  await sync([
    { externalId: 'f-1', homeId, scope: 'framing', amount: 1000 },
    { externalId: 'f-2', homeId, scope: 'plumbing', amount: 500 },
  ])
  await post(`/homes/${homeId}/budget/lock`)
  const cancelled = await newHome('Lot 104')
  await post(`/homes/${cancelled}/status`, { status: 'cancelled' })
  const code = (await post('/cost-codes', { code: '99-1', name: 'Old', category: 'material' })).body
  await plumbline.delete(`/api/ext/cost-codes/${code.id}`, caller())
  const answer = await sync([
    { externalId: 'f-1', amount: 1200 },
    { externalId: 'f-2', scope: 'roofing' },
    { externalId: 'f-3', homeId, scope: 'roofing', amount: 300 },
    { externalId: 'f-4', scope: 'roofing', amount: 300 },
    { externalId: 'f-5', homeId: cancelled, scope: 'roofing', amount: 300 },
    { externalId: 'f-6', homeId, scope: 'roofing' },
    { externalId: 'f-7', homeId, scope: 'roofing', amount: 1, costCodeId: code.id },
    { externalId: 'f-8', homeId: 'hom_nothing', scope: 'roofing', amount: 1 },
    { externalId: 'f-9', homeId, scope: 'roofing', amount: 5, quantity: 2, unitCost: 3 },
    { homeId, scope: 'roofing', amount: 5 },
  ])
  const said = answer.body.rows.map(({ problem }: Body) =>
    problem === null ? 'done' : [problem.code, ...problem.errors.map(({ pointer }: Body) => pointer)].join(' '),
  )
  expect(said).toEqual([
    ...['done', 'conflict', 'done', 'validation_failed /homeId', 'conflict', 'validation_failed /amount'],
    ...['validation_failed /costCodeId', 'unknown_reference /homeId', 'validation_failed /amount'],
    'validation_failed /externalId',
  ])
})

test('two budget lines cannot have the same external ID', async () => {
  const homeId = await newHome('Lot 107')
  const created = await sync([{ externalId: 'k-3', homeId, scope: 'framing', amount: 1000 }])
  const ids = created.body.rows.map(({ id }: Body) => id)
  const second = await post(`/homes/${homeId}/budget/lines`, { scope: 'roofing', amount: 1, externalId: 'k-3' })
  expect(second).toMatchObject({ status: 409, body: { conflictingId: ids[0] } })
})

test('syncing 500 budget lines needs no more statements than syncing one line, except for their events', async () => {
  const homeId = await newHome('Lot 105')
  const statementsOf = async (rows: object[]) => {
    counted.statements = 0
    expect((await sync(rows)).body).toMatchObject({ failed: 0, created: rows.length })
    return counted.statements
  }
  const rows = Array.from({ length: 500 }, (_, i) => ({ externalId: `g-${i}`, homeId, scope: 'framing', amount: i }))
  const one = await statementsOf(rows.slice(0, 1))
  // Each statement stores up to a hundred events. The last events are stored when the transaction ends, which the test
  // does not count.
  expect(await statementsOf(rows.slice(1))).toBe(one + 4)
})

test('a budget line sync treats homes of another builder as unknown', async () => {
  const homeId = await newHome('Lot 108')
  const { key } = await plumbline.newBuilder()
  const input = { match: 'externalId', rows: [{ externalId: 'k-4', homeId, scope: 'framing', amount: 1 }] }
  const foreign = await plumbline.post('/api/ext/budget-lines/batch', input, { key })
  expect(foreign).toMatchObject({
    status: 422,
    body: { code: 'unknown_reference', errors: [{ pointer: '/rows/0/homeId' }] },
  })
})
