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
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
  homeId = (await made('/homes', { name: 'Lot 41', communityId: site.communityId })).id
})
afterAll(() => plumbline.stop())

type Body = ServiceResponse['body']
const made = async (path: string, body: object): Promise<Body> => {
  const answer = await plumbline.post(`/api/ext${path}`, body, { key: site.key })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const walls = { description: 'Walls', quantity: 2, unitPrice: 500 }
const roof = { description: 'Roof trusses', quantity: 1, unitPrice: 250 }
const order = (changes: object = {}): Promise<Body> =>
  made('/purchase-orders', { homeId, vendorId: site.loneStar, scope: 'framing', lines: [walls, roof], ...changes })
const move = async (id: string, body: object) => {
  const answer = await plumbline.post(`/api/ext/purchase-orders/${id}/status`, body, { key: site.key })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}
const find = (query = '', key = site.key) => plumbline.get(`/api/ext/purchase-orders/duplicates${query}`, { key })
const setsOf = ({ body }: ServiceResponse) =>
  body.sets.map(({ likeness, count, excess, orders }: Body) => [
    likeness,
    count,
    excess,
    orders.map(({ number }: Body) => number),
  ])

test('orders with the same lines, or the same total and trade, are found as possible duplicates', async () => {
  expect((await find()).body).toMatchObject({ currency: 'USD', sets: [], hasMore: false })
  const first = await order()
  const again = await order({ lines: [roof, { ...walls, description: ' walls' }], scope: 'carpentry' })
  expect(setsOf(await find())).toEqual([[['same_lines'], 2, 1250, [first.number, again.number]]])

  const inOther = { description: 'As agreed', quantity: 1, unitPrice: 1250 }
  const third = await order({ lines: [inOther] })
  expect(setsOf(await find())).toEqual([
    [['same_lines', 'same_scope'], 3, 2500, [first.number, again.number, third.number]],
  ])
  // An order is not a duplicate if its vendor, home, or total is different. A change order is not a duplicate if its
  // description is different.
  await order({ vendorId: site.hillCountry })
  await order({ homeId: site.lot14 })
  await order({ lines: [walls] })
  await order({ parentPoId: first.id, lines: [{ ...inOther, description: 'A wall was moved' }] })
  expect(setsOf(await find())).toHaveLength(1)

  await move(again.id, { status: 'void', reason: 'Twice.' })
  await move(third.id, { status: 'void', reason: 'Twice.' })
  expect(setsOf(await find())).toEqual([])
})

test('the sets of possible duplicates with the highest cost are listed first', async () => {
  const { id: elsewhere } = await made('/communities', { name: 'Cedar Flats', timeZone: 'America/Chicago' })
  const { id: other } = await made('/homes', { name: 'Lot 3', communityId: elsewhere })
  const costly = { description: 'Roofing', quantity: 1, unitPrice: 9000 }
  for (let i = 0; i < 2; i++) await order({ homeId: other, scope: 'roofing', lines: [costly] })
  for (let i = 0; i < 3; i++) await order({ homeId: other, scope: 'roofing', lines: [{ ...costly, unitPrice: 100 }] })
  expect(setsOf(await find(`?homeId=${other}`)).map(([, count, excess]: unknown[]) => [count, excess])).toEqual([
    [2, 9000],
    [3, 200],
  ])
  expect((await find(`?communityId=${elsewhere}&limit=1`)).body).toMatchObject({ sets: [{ count: 2 }], hasMore: true })
  expect((await find(`?communityId=${elsewhere}&homeId=${homeId}`)).body.sets).toEqual([])
  expect((await find('?limit=0')).status).toBe(422)
})

test('a set of possible duplicates shows its first 20 orders and the total number of orders', async () => {
  const { id } = await made('/homes', { name: 'Lot 50', communityId: site.communityId })
  for (let i = 0; i < 22; i++) await order({ homeId: id })
  const [set] = (await find(`?homeId=${id}`)).body.sets
  expect([set.count, set.excess, set.orders.length]).toEqual([22, 26_250, 20])
})

test('orders of another builder are not found as duplicates', async () => {
  const { key } = await plumbline.newBuilder()
  expect((await find('', key)).body.sets).toEqual([])
})

test('finding duplicate orders requires pos:read', async () => {
  const narrow = await plumbline.newKey(['homes:read'], site.organizationId)
  expect((await find('', narrow)).body).toMatchObject({ status: 403, permission: 'pos:read' })
})
