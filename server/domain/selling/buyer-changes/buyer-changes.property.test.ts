import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { sum } from '../../../platform/values/money.ts'

let plumbline: TestPlumbline
let communityId: string
let lots = 0
let option: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = (await create('communities', { name: 'Juniper Ridge', status: 'active' })).id
  const fields = { code: 'DECK', name: 'Deck', optionType: 'upgrade', costBasis: 'fixed', cost: 612.34, price: 900.01 }
  option = (await create('options', fields)).id
  expect((await plumbline.post(`/api/ext/options/${option}/status`, { status: 'active' })).status).toBe(200)
})
afterAll(() => plumbline.stop())

async function create(path: string, fields: object) {
  const { status, body } = await plumbline.post(`/api/ext/${path}`, fields)
  expect([path, status, body.errors ?? body.detail]).toEqual([path, 201, undefined])
  return body
}

type Step =
  | { does: 'select'; fields: object }
  | { does: 'moveSelection'; which: number; to: string }
  | { does: 'changeSelection'; which: number; fields: object }
  | { does: 'propose'; which: number; price: number }
  | { does: 'moveChange'; which: number; to: string }
  | { does: 'bill'; line: number }

const which = fc.nat({ max: 5 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('select' as const),
      fields: fc.constantFrom<object>(
        { customDescription: 'Dog wash', unitPrice: 1850.25, cost: 1210, allowanceAmount: 100.05 },
        { customDescription: 'No patio', unitPrice: -1500.5, cost: -900 },
        { optionId: '' },
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('moveSelection' as const),
      which,
      to: fc.constantFrom('approved', 'approved', 'cancelled', 'declined', 'pending'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('changeSelection' as const),
      which,
      fields: fc.constantFrom({ unitPrice: 77.7777 }, { quantity: 3 }, { allowanceAmount: 50 }, { cost: 5 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('propose' as const),
      which,
      price: fc.constantFrom(20_000, -99.99, 0),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('moveChange' as const),
      which,
      to: fc.constantFrom('sent', 'sent', 'approved', 'approved', 'approved', 'declined', 'void'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('bill' as const), line: which }) },
)

interface Sold {
  homeId: string
  saleId: string
}

async function sell(): Promise<Sold> {
  const home = await create('homes', { communityId, name: `Lot ${++lots}`, lotNumber: String(lots) })
  const sale = await create('sales', { homeId: home.id, buyers: [{ name: 'Elena Marsh' }], basePrice: 400_000 })
  expect((await plumbline.post(`/api/ext/sales/${sale.id}/approve`, {})).status).toBe(200)
  const lines = [{ description: 'House', scheduledValue: 400_000 }]
  expect((await plumbline.patch(`/api/ext/sales/${sale.id}/schedule-of-values`, { lines })).status).toBe(200)
  return { homeId: home.id, saleId: sale.id }
}

const listed = async (path: string) => (await plumbline.get(`/api/ext/${path}&limit=200&sort=createdAt`)).body.data
const selectionsOf = ({ homeId }: Sold) => listed(`selections?homeId=${homeId}`)
const changesOf = ({ saleId }: Sold, query = '') => listed(`sales/${saleId}/changes?${query}`)

/** Executes one step and returns the status of the response; 0 if there is no record for the step. */
async function run(sold: Sold, step: Step): Promise<number> {
  const { homeId, saleId } = sold
  if (step.does === 'select') {
    const body = 'optionId' in step.fields ? { optionId: option } : step.fields
    return (await plumbline.post(`/api/ext/homes/${homeId}/selections`, body)).status
  }
  if (step.does === 'bill') {
    const { lines } = (await plumbline.get(`/api/ext/sales/${saleId}/schedule-of-values`)).body
    const { lineId, scheduledValue } = lines[step.line % lines.length]
    const body = { periodTo: '2026-08-31', lines: [{ lineId, periodAmount: scheduledValue }] }
    return (await plumbline.post(`/api/ext/sales/${saleId}/applications`, body)).status
  }
  if (step.does === 'moveChange') {
    const changes = await changesOf(sold)
    const id = changes[step.which % Math.max(changes.length, 1)]?.id
    const body = { status: step.to, ...(step.to === 'void' && { reason: 'Wrong.' }) }
    return id === undefined ? 0 : (await plumbline.post(`/api/ext/buyer-changes/${id}/status`, body)).status
  }
  const selections = await selectionsOf(sold)
  const id = selections[step.which % Math.max(selections.length, 1)]?.id
  if (step.does === 'propose') {
    const custom = { description: 'Screened porch', price: step.price, cost: 14_000 }
    const named = id === undefined || step.price === 0 ? [] : [{ optionSelectionId: id }]
    const body = { title: 'Screened porch', lines: [custom, ...named] }
    return (await plumbline.post(`/api/ext/sales/${saleId}/changes`, body)).status
  }
  if (id === undefined) return 0
  if (step.does === 'changeSelection') return (await plumbline.patch(`/api/ext/selections/${id}`, step.fields)).status
  return (await plumbline.post(`/api/ext/selections/${id}/status`, { status: step.to })).status
}

test('the original price plus approved changes always equals the total price of the sale', async () => {
  let moved = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20 }), async (steps) => {
      const sold = await sell()
      for (const each of steps) {
        expect(await run(sold, each)).toBeLessThan(500)
        const { originalPrice, totalPrice } = (await plumbline.get(`/api/ext/sales/${sold.saleId}`)).body
        const approved = await changesOf(sold, 'status=approved&')
        const changes = approved.map(({ price }: { price: number }) => price)
        expect(sum([originalPrice, ...changes])).toBe(totalPrice)
        const schedule = (await plumbline.get(`/api/ext/sales/${sold.saleId}/schedule-of-values`)).body
        expect(schedule).toMatchObject({ scheduledTotal: totalPrice, contractSum: totalPrice })
        moved += approved.length
      }
    }),
    { numRuns: 15 },
  )
  expect(moved).toBeGreaterThan(0)
}, 240_000)
