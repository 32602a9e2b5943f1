import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { sum } from '../../../platform/values/money.ts'

let plumbline: TestPlumbline
let communityId: string
let plan: string
let options: string[]
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = await made('communities', { name: 'Juniper Ridge' })
  const vendorId = await made('vendors', { companyName: 'Hill Country Stone', status: 'active' })
  const newPart = async (sku: string, unit: string, prices: readonly [unitPrice: number, from: string][]) => {
    const part = await made('parts', { sku, name: sku, unit, scope: sku.slice(0, 3) })
    for (const [unitPrice, effectiveDate] of prices)
      await made(`parts/${part}/prices`, { vendorId, unitPrice, effectiveDate, endPrevious: true })
    return part
  }
  const tops = await newPart('TOP-A', 'SF', [[40.1255, '2020-01-01']])
  const dearer = await newPart('TOP-B', 'SF', [
    [61.3333, '2020-01-01'],
    [66.7777, '2026-06-01'],
  ])
  const doors = await newPart('DOR-A', 'EA', [[0.335, '2020-01-01']])
  // Some estimates are for dates before the price of this part starts.
  const late = await newPart('APP-A', 'EA', [[1209.99, '2026-06-01']])
  plan = await made('plans', { code: 'P2100', name: 'The Possumhaw', squareFeet: 2100, basePrice: 364990 })
  await put(`plans/${plan}/takeoff`, [
    { lineId: 'tops', partId: tops, formula: 'squareFeet / 29' },
    { lineId: 'doors', partId: doors, quantity: 17, wastePercent: 3 },
  ])
  await plumbline.post(`/api/ext/plans/${plan}/status`, { status: 'released' })
  const base = await newOption({ price: 2580 }, [{ lineId: 'tops', partId: dearer, formula: 'squareFeet / 29' }])
  options = [
    base,
    await newOption({ marginPercent: 33.33, requiresOptionIds: [base] }, [
      { lineId: 'tops', partId: dearer, quantity: 99 },
    ]),
    await newOption({ price: 510, excludesOptionIds: [base] }, [{ partId: doors, quantity: -3 }]),
    await newOption({ price: 1990 }, [
      { partId: late, quantity: 1 },
      { partId: doors, quantity: 2 },
    ]),
    await newOption({ price: 900, optionType: 'allowance', costBasis: 'fixed', cost: 612.34 }, []),
    await newOption({ price: -2080.5, optionType: 'credit' }, [{ lineId: 'doors', partId: doors, quantity: 1 }]),
  ]
})
afterAll(() => plumbline.stop())

async function made(kind: string, fields: object): Promise<string> {
  const { status, body } = await plumbline.post(`/api/ext/${kind}`, fields)
  expect([status, body.errors ?? body.detail]).toEqual([201, undefined])
  return body.id
}

const put = async (path: string, lines: object[]) =>
  expect((await plumbline.put(`/api/ext/${path}`, { lines })).status).toBe(200)

let codes = 0
async function newOption(fields: object, lines: object[]): Promise<string> {
  const id = await made('options', { code: `O-${++codes}`, name: 'An option', optionType: 'upgrade', ...fields })
  await put(`options/${id}/takeoff`, lines)
  await plumbline.post(`/api/ext/options/${id}/status`, { status: 'active' })
  return id
}

type Step =
  | { does: 'select'; option: number; quantity: number; allowance: number | null }
  | { does: 'move'; which: number; to: string }
  | { does: 'change'; which: number; fields: object }
  | { does: 'estimate'; on: string }
  | { does: 'lock' }

const which = fc.nat({ max: 5 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('select' as const),
      option: fc.nat({ max: 5 }),
      quantity: fc.constantFrom(1, 2, 0.3333),
      allowance: fc.constantFrom(null, 100.05),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('move' as const),
      which,
      to: fc.constantFrom('approved', 'approved', 'approved', 'declined', 'cancelled', 'pending'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('change' as const),
      which,
      fields: fc.constantFrom(
        { quantity: 3 },
        { quantity: 0.5 },
        { cost: 77.77 },
        { cost: null },
        { unitPrice: 12.3456 },
        { unitPrice: null },
        { allowanceAmount: 50 },
        { color: 'Red' },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('estimate' as const),
      on: fc.constantFrom('2026-01-15', '2026-06-15'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('lock' as const) }) },
)

async function run(home: string, step: Step): Promise<number> {
  const { data } = (await plumbline.get(`/api/ext/selections?homeId=${home}&sort=createdAt`)).body
  const chosen = 'which' in step ? data[step.which % Math.max(data.length, 1)]?.id : undefined
  if ('which' in step && chosen === undefined) return 0
  if (step.does === 'select') {
    const body = { optionId: options[step.option], quantity: step.quantity, allowanceAmount: step.allowance }
    return (await plumbline.post(`/api/ext/homes/${home}/selections`, body)).status
  }
  if (step.does === 'move')
    return (await plumbline.post(`/api/ext/selections/${chosen}/status`, { status: step.to })).status
  if (step.does === 'change') return (await plumbline.patch(`/api/ext/selections/${chosen}`, step.fields)).status
  if (step.does === 'lock') return (await plumbline.post(`/api/ext/homes/${home}/budget/lock`)).status
  return (await plumbline.post(`/api/ext/homes/${home}/budget/estimate`, { on: step.on })).status
}

test('after random changes of selections, the budget and the price of a home match to the cent', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 14 }), async (steps) => {
      const home = await made('homes', { name: 'Lot', communityId, planId: plan })
      for (const each of steps) {
        expect(await run(home, each)).toBeLessThan(500)
        const { data } = (await plumbline.get(`/api/ext/selections?homeId=${home}&limit=200`)).body
        const standing = data.filter(({ status }: { status: string }) => status === 'approved')
        const lines = (await plumbline.get(`/api/ext/homes/${home}/budget/lines?limit=200`)).body.data
        const ofSelections = lines.filter(({ source }: { source: string }) => source !== 'base')
        const { optionsTotal, price } = (await plumbline.get(`/api/ext/homes/${home}`)).body
        const add = (from: Record<string, number>[], field: string) => sum(from.map((one) => one[field] ?? 0))
        expect(add(ofSelections, 'budgeted')).toBe(add(standing, 'cost'))
        expect(optionsTotal).toBe(add(standing, 'difference'))
        expect(price).toBe(sum([364990, optionsTotal]))
      }
    }),
    { numRuns: 25 },
  )
}, 120_000)
