import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let communityId: string
let lots = 0
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = (await plumbline.post('/api/ext/communities', { name: 'Juniper Ridge', status: 'active' })).body.id
})
afterAll(() => plumbline.stop())

async function create(path: string, fields: object) {
  const { status, body } = await plumbline.post(`/api/ext/${path}`, fields)
  expect([path, status, body.errors ?? body.detail]).toEqual([path, 201, undefined])
  return body
}

/** Creates a home with a price, a loan, and a milestone with a draw of 10% of the price. */
async function begin({ limitAmount = 320_000, basePrice = 400_000 } = {}) {
  const home = await create('homes', { communityId, name: `Lot ${++lots}`, basePrice })
  const loan = await create('loans', { homeId: home.id, lender: 'First Hill Bank', limitAmount })
  const milestone = await create('milestones', { homeId: home.id, name: 'Dried in', drawPercent: 10 })
  return { home, loan, milestone }
}

const request = (loanId: string, body: object) => plumbline.post(`/api/ext/loans/${loanId}/draws`, body)
const move = (id: string, body: object) => plumbline.post(`/api/ext/loan-draws/${id}/status`, body)
const complete = (id: string) => plumbline.post(`/api/ext/milestones/${id}/complete`, {})

test('a draw keeps its requested amount when the price of the home rises', async () => {
  const { home, loan, milestone } = await begin()
  expect(await request(loan.id, { milestoneId: milestone.id })).toMatchObject({
    status: 409,
    body: { reason: 'open_work' },
  })
  await complete(milestone.id)
  const drawn = await request(loan.id, { milestoneId: milestone.id, date: '2026-09-01' })
  expect(drawn).toMatchObject({
    ...{ status: 201 },
    body: { number: 1, status: 'requested', requestedAmount: 40_000, requestedDate: '2026-09-01', homeId: home.id },
  })
  await plumbline.patch(`/api/ext/homes/${home.id}`, { basePrice: 420_000 })
  expect((await plumbline.get(`/api/ext/milestones/${milestone.id}`)).body).toMatchObject({ drawDue: 42_000 })
  expect((await plumbline.get(`/api/ext/loan-draws/${drawn.body.id}`)).body).toEqual(drawn.body)
})

test('each status change of a draw updates the totals of its loan', async () => {
  const { loan } = await begin({ limitAmount: 100_000 })
  const totals = async () => {
    const { requestedAmount, fundedAmount, repaidAmount, availableAmount } = (
      await plumbline.get(`/api/ext/loans/${loan.id}`)
    ).body
    return [requestedAmount, fundedAmount, repaidAmount, availableAmount]
  }
  const { body: draw } = await request(loan.id, { amount: 60_000 })
  expect(await totals()).toEqual([60_000, 0, 0, 40_000])
  expect((await move(draw.id, { status: 'approved' })).body).toMatchObject({ status: 'approved', fundedAmount: null })
  expect(await move(draw.id, { status: 'funded', amount: 60_000.01 })).toMatchObject({
    ...{ status: 422, body: { errors: [{ pointer: '/amount', code: 'maximum' }] } },
  })
  expect((await move(draw.id, { status: 'funded', amount: 59_500, date: '2026-09-03' })).body).toMatchObject({
    ...{ status: 'funded', fundedAmount: 59_500, fundedDate: '2026-09-03' },
  })
  expect(await totals()).toEqual([0, 59_500, 0, 40_500])
  expect(await plumbline.delete(`/api/ext/loans/${loan.id}`)).toMatchObject({ status: 409, body: { reason: 'in_use' } })
  expect((await move(draw.id, { status: 'repaid' })).body).toMatchObject({ status: 'repaid' })
  expect(await totals()).toEqual([0, 0, 59_500, 40_500])
  expect((await plumbline.delete(`/api/ext/loans/${loan.id}`)).status).toBe(204)
  expect(await request(loan.id, { amount: 1 })).toMatchObject({ status: 409, body: { reason: 'archived' } })
})

test('the draws of a loan never exceed its limit, even if two draws are requested concurrently', async () => {
  const { loan } = await begin({ limitAmount: 100_000 })
  const both = await Promise.all([request(loan.id, { amount: 60_000 }), request(loan.id, { amount: 60_000 })])
  expect(both.map(({ status, body }) => body.reason ?? status).sort()).toEqual([201, 'not_enough_left'])
  expect(await plumbline.patch(`/api/ext/loans/${loan.id}`, { limitAmount: 59_999 })).toMatchObject({
    ...{ status: 422, body: { errors: [{ pointer: '/limitAmount', code: 'minimum' }] } },
  })
  expect((await plumbline.patch(`/api/ext/loans/${loan.id}`, { limitAmount: 60_000 })).body).toMatchObject({
    availableAmount: 0,
  })
})

/** Funds a draw without posting it, as the previous version of Plumbline does during an upgrade. */
async function fundWithoutPosting(id: string) {
  const { rows } = await sql`
    update "loanDraws" set "status" = 'funded', "fundedAmount" = "requestedAmount", "fundedDate" = '2026-09-03'
    where "id" = ${id} returning "id"`.execute(plumbline.database.statements)
  expect(rows).toHaveLength(1)
}

const sumDraws = async (homeId: string) =>
  (await plumbline.get(`/api/ext/ledger/balances?homeId=${homeId}`)).body.balances[0].amounts.loan

test('repaying a draw that was funded without a posting does not make the draw balance of its home negative', async () => {
  const { home, loan } = await begin()
  const { body: draw } = await request(loan.id, { amount: 60_000 })
  await fundWithoutPosting(draw.id)
  expect((await move(draw.id, { status: 'repaid' })).status).toBe(200)
  expect(await sumDraws(home.id)).toBe(0)
})

test('funding a draw posts the other draws of its home that were funded without a posting', async () => {
  const { home, loan } = await begin()
  const [{ body: first }, { body: second }] = [
    await request(loan.id, { amount: 60_000 }),
    await request(loan.id, { amount: 20_000 }),
  ]
  await fundWithoutPosting(first.id)
  await move(second.id, { status: 'funded' })
  expect(await sumDraws(home.id)).toBe(80_000)
  await move(second.id, { status: 'repaid' })
  expect(await sumDraws(home.id)).toBe(60_000)
})

test('two draws of a home that are funded concurrently are each posted once', async () => {
  const { home, loan } = await begin()
  const other = await create('loans', { homeId: home.id, lender: 'Second Hill Bank', limitAmount: 50_000 })
  const draws = [await request(loan.id, { amount: 60_000 }), await request(other.id, { amount: 20_000 })]
  await Promise.all(draws.map(({ body }) => move(body.id, { status: 'funded' })))
  expect(await sumDraws(home.id)).toBe(80_000)
})

test('a draw for a milestone can be requested only once, unless the lender rejects the draw', async () => {
  const { loan, milestone } = await begin()
  await complete(milestone.id)
  const { body: first } = await request(loan.id, { milestoneId: milestone.id })
  expect(await request(loan.id, { milestoneId: milestone.id })).toMatchObject({
    status: 409,
    body: { reason: 'already_done' },
  })
  expect(await move(first.id, { status: 'rejected' })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/reason' }] },
  })
  expect((await move(first.id, { status: 'rejected', reason: 'Open work.' })).body).toMatchObject({
    reason: 'Open work.',
  })
  expect((await request(loan.id, { milestoneId: milestone.id, amount: 39_000 })).body).toMatchObject({
    number: 2,
    requestedAmount: 39_000,
  })
  expect(await move(first.id, { status: 'funded' })).toMatchObject({ status: 409 })
})

test('a draw request is rejected if it has no amount, a milestone of another home, or a future date', async () => {
  const { loan, home } = await begin()
  const other = await begin()
  const plain = await create('milestones', { homeId: home.id, name: 'Walls framed' })
  await complete(plain.id)
  for (const [body, pointer] of [
    [{}, '/amount'],
    [{ milestoneId: plain.id }, '/amount'],
    [{ milestoneId: other.milestone.id }, '/milestoneId'],
    [{ milestoneId: other.milestone.id, amount: 5 }, '/milestoneId'],
    [{ amount: 5, date: '2999-01-01' }, '/date'],
  ] as const)
    expect([pointer, await request(loan.id, body)]).toMatchObject([
      pointer,
      { status: 422, body: { errors: [{ pointer }] } },
    ])
  expect((await plumbline.get(`/api/ext/loans/${loan.id}/draws`)).body.data).toEqual([])
  const builder = await plumbline.newBuilder()
  expect((await plumbline.get(`/api/ext/loans/${loan.id}/draws`, { key: builder.key })).status).toBe(404)
})
