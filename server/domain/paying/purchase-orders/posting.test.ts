import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let site: Site
let homeId: string
const codes = { carpentry: '', lumber: '', retired: '' }
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
  for (const [i, name] of (['carpentry', 'lumber', 'retired'] as const).entries())
    codes[name] = (await made('/cost-codes', { code: `06-${i}00`, name, category: 'material' })).id
  await made('/scopes', { name: 'trim', defaultCostCodeId: codes.carpentry })
  homeId = (await made('/homes', { name: 'Lot 41', communityId: site.communityId, lotNumber: '41' })).id
})
afterAll(() => plumbline.stop())

const post = (path: string, body: object): Promise<ServiceResponse> =>
  plumbline.post(`/api/ext${path}`, body, { key: site.key })
const made = async (path: string, body: object) => {
  const answer = await post(path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const budgetLine = (line: object) => made(`/homes/${homeId}/budget/lines`, { scope: 'trim', amount: 500, ...line })
const line = (more: object = {}) => ({ description: 'Baseboard', quantity: 1, unitPrice: 100, ...more })
const order = (...lines: object[]) =>
  post('/purchase-orders', { homeId, vendorId: site.loneStar, scope: 'Trim', lines })
const codesOf = ({ body }: ServiceResponse) => body.lines.map((one: { costCodeId: string | null }) => one.costCodeId)
const faultsOf = ({ body }: ServiceResponse) =>
  body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
const change = (id: string, body: object) => plumbline.patch(`/api/ext/purchase-orders/${id}`, body, { key: site.key })

test('an order line without a cost code gets the code of its budget line or the default of its trade', async () => {
  const lumber = await budgetLine({ costCodeId: codes.lumber })
  const nowhere = await budgetLine({ costCodeId: null })
  const ordered = await order(
    line(),
    line({ budgetLineId: lumber.id }),
    line({ budgetLineId: nowhere.id }),
    line({ budgetLineId: lumber.id, costCodeId: codes.carpentry }),
    line({ costCodeId: null }),
  )
  expect(codesOf(ordered)).toEqual([codes.carpentry, codes.lumber, null, codes.carpentry, null])
  const { id } = ordered.body
  expect(codesOf(await plumbline.get(`/api/ext/purchase-orders/${id}`, { key: site.key }))).toEqual(codesOf(ordered))
  const listed = await plumbline.get(`/api/ext/purchase-orders?costCodeId=${codes.lumber}`, { key: site.key })
  expect(listed.body.data.map((one: { id: string }) => one.id)).toEqual([id])
  expect(codesOf(await change(id, { notes: 'As agreed.' }))).toEqual(codesOf(ordered))
  expect(codesOf(await change(id, { lines: [line({ budgetLineId: lumber.id }), line()] }))).toEqual([
    codes.lumber,
    codes.carpentry,
  ])
})

test('a new order line cannot use an unknown or archived cost code', async () => {
  const { retired, lumber } = codes
  const budgeted = await budgetLine({ costCodeId: retired })
  const early = await order(line({ costCodeId: retired }))
  await plumbline.delete(`/api/ext/cost-codes/${retired}`, { key: site.key })

  expect(await order(line(), line({ costCodeId: 'cc_nobody' }))).toMatchObject({
    body: { code: 'unknown_reference', errors: [{ pointer: '/lines/1/costCodeId' }] },
  })
  expect(faultsOf(await order(line(), line({ costCodeId: retired })))).toEqual(['/lines/1/costCodeId archived'])
  const { body: other } = await order(line({ costCodeId: lumber }))
  expect(faultsOf(await change(other.id, { lines: [line({ costCodeId: retired })] }))).toEqual([
    '/lines/0/costCodeId archived',
  ])
  const resent = await change(early.body.id, { lines: [line({ costCodeId: retired, unitPrice: 90 })] })
  expect(codesOf(resent)).toEqual([retired])
  expect(codesOf(await order(line({ budgetLineId: budgeted.id })))).toEqual([retired])

  expect(
    faultsOf(await post(`/homes/${homeId}/budget/lines`, { scope: 'trim', amount: 1, costCodeId: retired })),
  ).toEqual(['/costCodeId archived'])
  const at = `/api/ext/budget-lines/${budgeted.id}`
  const same = await plumbline.patch(at, { costCodeId: retired, description: 'Casing' }, { key: site.key })
  expect(same).toMatchObject({ status: 200, body: { costCodeId: retired } })
  const { id: coded } = await budgetLine({})
  const moved = await plumbline.patch(`/api/ext/budget-lines/${coded}`, { costCodeId: retired }, { key: site.key })
  expect(faultsOf(moved)).toEqual(['/costCodeId archived'])
})
