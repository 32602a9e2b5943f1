import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { excludeAlternates } from '../../../platform/database/migrations/0801_bid_totals_without_alternates.ts'

let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

const post = async (path: string, body: object) =>
  (await plumbline.post(`/api/ext${path}`, body, { key: site.key })).body
const read = async (id: string) => (await plumbline.get(`/api/ext/bids/${id}`, { key: site.key })).body

const FORM = ['walls', 'trusses', 'crane'].map((lineId) => ({ lineId, description: lineId, required: false }))

async function bid(lines: object[]) {
  const request = await post('/bids/request', { ...site.framing(), lines: FORM, bidType: 'unit_price' })
  return post('/bids', { bidRequestId: request.id, vendorId: site.loneStar, lines })
}

/** Gives a bid the total that the previous version stored, and runs the migration. */
async function migrate(...totals: [id: string, total: number][]): Promise<void> {
  await plumbline.database.transaction(async (db) => {
    for (const [id, total] of totals)
      await sql`update "bids" set "amount" = ${total} where "organizationId" = ${site.organizationId} and "id" = ${id}`.execute(
        db,
      )
    await excludeAlternates(db as unknown as Kysely<unknown>)
  })
}

const BASE = [
  { lineId: 'walls', unitPrice: 1000 },
  { lineId: 'trusses', unitPrice: 500 },
]
const WITH_ALTERNATE = [...BASE, { lineId: 'crane', unitPrice: 90, alternate: true }]

test('the total of an older bid no longer contains its alternate lines', async () => {
  const { id, version } = await bid(WITH_ALTERNATE)
  await migrate([id, 1590])
  expect(await read(id)).toMatchObject({ amount: 1500, awardedLineIds: null, version: version + 1 })
})

test('the award of an older bid keeps its alternate lines', async () => {
  const { id } = await bid(WITH_ALTERNATE)
  await post(`/bids/${id}/accept`, {})
  await migrate([id, 1590])
  expect(await read(id)).toMatchObject({ amount: 1500, awardedLineIds: ['walls', 'trusses', 'crane'] })
})

test('a bid without alternate lines, with a new total, or with only alternate lines does not change', async () => {
  const [plain, current, only] = [await bid(BASE), await bid(WITH_ALTERNATE), await bid(WITH_ALTERNATE)]
  const lines = JSON.stringify(only.lines.slice(2))
  await sql`update "bids" set "lines" = ${lines}::jsonb where "organizationId" = ${site.organizationId} and "id" = ${only.id}`.execute(
    plumbline.database.statements,
  )
  await migrate([only.id, 90])
  for (const [{ id, version }, amount] of [
    [plain, 1500],
    [current, 1500],
    [only, 90],
  ])
    expect(await read(id)).toMatchObject({ amount, version })
})
