import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { sum } from '../../../platform/values/money.ts'

interface Sale {
  id: string
  homeId: string
  status: string
  totalPrice: number
  depositsReceived: number
  depositsOutstanding: number
  deposits: { depositId: string; amount: number; status: string }[]
}

let plumbline: TestPlumbline
let communityId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = await made('communities', { name: 'Juniper Ridge', status: 'active' })
})
afterAll(() => plumbline.stop())

async function made(kind: string, fields: object): Promise<string> {
  const { status, body } = await plumbline.post(`/api/ext/${kind}`, fields)
  expect([status, body.errors ?? body.detail]).toEqual([201, undefined])
  return body.id
}

const HOMES = 2
const which = fc.nat({ max: 5 })
const home = fc.nat({ max: HOMES - 1 })
const does = <What extends string>(what: What) => fc.constant(what)

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: does('sell'), home, incentives: fc.constantFrom(0, 1000.01) }) },
  { weight: 2, arbitrary: fc.record({ does: does('convert'), home }) },
  { weight: 3, arbitrary: fc.record({ does: does('approve'), which }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: does('cancel'), which, disposition: fc.constantFrom('refunded', 'forfeited', null) }),
  },
  { weight: 2, arbitrary: fc.record({ does: does('finish'), which }) },
  {
    weight: 6,
    arbitrary: fc.record({
      ...{ does: does('deposit'), which },
      depositId: fc.constantFrom(null, 'D1', 'D2', 'D3'),
      status: fc.constantFrom('due', 'received', 'received', 'refunded', 'forfeited', 'cancelled'),
      amount: fc.constantFrom(undefined, 0.01, 5000, 7500.25),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: does('select'), home, price: fc.constantFrom(100.1, 2050) }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

let leads = 0

/**
 * Executes one step and returns the status of the response. Depending on the previous steps, a step can be rejected.
 */
async function take(homes: readonly string[], sales: readonly Sale[], step: Step): Promise<number> {
  const post = async (path: string, body: object) => (await plumbline.post(`/api/ext/${path}`, body)).status
  const homeId = 'home' in step ? homes[step.home] : undefined
  const sale = 'which' in step ? sales[step.which % Math.max(sales.length, 1)] : undefined
  if ('which' in step && sale === undefined) return 0
  const deposits = [{ amount: 5000 }, { amount: 2500.5 }]
  if (step.does === 'sell')
    return post('sales', { buyers: [{ name: 'Buyer' }], homeId, incentives: step.incentives, deposits })
  if (step.does === 'convert') {
    const lead = await made('leads', { lastName: `Lead ${++leads}` })
    return post(`leads/${lead}/convert`, { homeId, deposits })
  }
  if (step.does === 'select') {
    const fields = { customDescription: 'Shelf', unitPrice: step.price, cost: 50, scope: 'trim' }
    const selection = await made(`homes/${homeId}/selections`, fields)
    return post(`selections/${selection}/status`, { status: 'approved' })
  }
  if (step.does === 'approve') return post(`sales/${sale?.id}/approve`, {})
  if (step.does === 'finish') {
    const { body } = await plumbline.get(`/api/ext/sales/${sale?.id}`)
    const reason = 'Not needed.'
    for (const { stage } of body.pipeline) await post(`sales/${sale?.id}/pipeline`, { stage, status: 'waived', reason })
    return 200
  }
  if (step.does === 'cancel')
    return post(`sales/${sale?.id}/cancel`, { reason: 'Fell through.', depositDisposition: step.disposition })
  const { depositId, status, amount } = step
  return post(`sales/${sale?.id}/deposits`, { depositId, status, amount })
}

async function getSales(homes: readonly string[]): Promise<Sale[]> {
  const pages = await Promise.all(homes.map((id) => plumbline.get(`/api/ext/sales?homeId=${id}&limit=200`)))
  return pages.flatMap(({ body }) => body.data)
}

const SALES_STATUS: Record<string, string> = {
  pending: 'reserved',
  approved: 'under_contract',
  pipeline_complete: 'under_contract',
}

test('after random concurrent changes, a home has at most one sale and all deposits are accounted for', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 4, maxLength: 8 }),
      async (rounds) => {
        const names = Array.from({ length: HOMES }, (_, i) => `Lot ${i}`)
        const homes = await Promise.all(names.map((name) => made('homes', { name, communityId, basePrice: 300000 })))
        for (const round of rounds) {
          const before = await getSales(homes)
          const answers = await Promise.all(round.map((each) => take(homes, before, each)))
          for (const status of answers) expect(status).toBeLessThan(500)
          const sales = await getSales(homes)
          for (const homeId of homes) await assertHeldOnce(homeId, sales)
          for (const sale of sales) await assertAddsUp(sale)
        }
      },
    ),
    { numRuns: 10 },
  )
}, 120_000)

async function assertHeldOnce(homeId: string, sales: readonly Sale[]): Promise<void> {
  const live = sales.filter((sale) => sale.homeId === homeId && sale.status !== 'cancelled')
  expect(live.length).toBeLessThanOrEqual(1)
  const { body } = await plumbline.get(`/api/ext/homes/${homeId}`)
  const [sale] = live
  const isApproved = sale !== undefined && sale.status !== 'pending'
  expect([body.saleId, body.salesStatus, body.contractPrice]).toEqual([
    ...[sale?.id ?? null, SALES_STATUS[sale?.status ?? ''] ?? 'available'],
    isApproved ? sale.totalPrice : null,
  ])
}

async function assertAddsUp({ id, status, deposits, ...sale }: Sale): Promise<void> {
  const of = (requested: string) => sum(deposits.filter((one) => one.status === requested).map(({ amount }) => amount))
  expect([sale.depositsReceived, sale.depositsOutstanding]).toEqual([of('received'), of('due')])
  if (status === 'cancelled') expect([sale.depositsReceived, sale.depositsOutstanding]).toEqual([0, 0])
  const { lines, totalPrice } = (await plumbline.get(`/api/ext/sales/${id}/price`)).body
  expect(totalPrice).toBe(sale.totalPrice)
  expect(sum(lines.map(({ amount }: { amount: number }) => amount))).toBe(sale.totalPrice)
}
