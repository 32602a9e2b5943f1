import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let communityId: string
let homeId: string
let plumbing: Line
let framing: Line
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = (await made('/communities', { name: 'Juniper Ridge', status: 'active' })).id
})
beforeEach(async () => {
  ;({ homeId, plumbing, framing } = await lockedHome())
})
afterAll(() => plumbline.stop())

interface Line {
  id: string
  [field: string]: unknown
}

async function made(path: string, body: object) {
  const answer = await plumbline.post(`/api/ext${path}`, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

async function lockedHome(): Promise<{ homeId: string; plumbing: Line; framing: Line }> {
  const { id } = await made('/homes', { name: 'Lot 15', communityId })
  const plumbing = await made(`/homes/${id}/budget/lines`, { scope: 'plumbing', amount: 18_500 })
  const framing = await made(`/homes/${id}/budget/lines`, { scope: 'framing', quantity: 2800, unitCost: 15 })
  expect((await plumbline.post(`/api/ext/homes/${id}/budget/lock`)).status).toBe(200)
  return { homeId: id, plumbing, framing }
}

const transfer = (body: object = {}, home = homeId): Promise<ServiceResponse> =>
  plumbline.post(`/api/ext/homes/${home}/budget/transfers`, {
    ...{ fromLineId: plumbing.id, toLineId: framing.id, amount: 250, reason: 'The plumbing was bought for less.' },
    ...body,
  })
const line = async ({ id }: Line) => (await plumbline.get(`/api/ext/budget-lines/${id}`)).body
const budget = async () => (await plumbline.get(`/api/ext/homes/${homeId}/budget`)).body
const faults = ({ body }: ServiceResponse) =>
  body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)

test('a budget transfer changes only the current amounts of two lines', async () => {
  const before = await budget()
  const answer = await transfer({ externalId: 'BT-1' })
  expect(answer).toMatchObject({
    status: 200,
    body: {
      ...{ homeId, fromLineId: plumbing.id, toLineId: framing.id, amount: 250, externalId: 'BT-1', version: 1 },
      ...{ fromBudgetedBefore: 18_500, fromBudgetedAfter: 18_250 },
      ...{ toBudgetedBefore: 42_000, toBudgetedAfter: 42_250 },
    },
  })
  const listed = await plumbline.get(`/api/ext/homes/${homeId}/budget/transfers?externalId=BT-1`)
  expect(listed.body.data).toEqual([answer.body])
  const changed = { version: 2, originalAmount: 18_500, approvedChanges: -250, transferred: -250, budgeted: 18_250 }
  expect(await line(plumbing)).toMatchObject(changed)
  expect(await line(framing)).toMatchObject({ version: 2, approvedChanges: 250, transferred: 250, budgeted: 42_250 })
  const after = await budget()
  expect(after).toMatchObject({ totalBudgeted: before.totalBudgeted, totalApprovedChanges: 0 })
  expect(after.scopes).toMatchObject([
    { scope: 'framing', budgeted: 42_250, originalBudgeted: 42_000, approvedChanges: 250 },
    { scope: 'plumbing', budgeted: 18_250, originalBudgeted: 18_500, approvedChanges: -250 },
  ])
  expect(await transfer({ externalId: 'BT-1' })).toMatchObject({ status: 409 })
})

test('a transfer that reverses an earlier budget transfer restores the lines and keeps both transfers in the history', async () => {
  await transfer()
  await transfer({ fromLineId: framing.id, toLineId: plumbing.id, reason: 'It was not after all.' })
  expect(await line(plumbing)).toMatchObject({ approvedChanges: 0, transferred: 0, budgeted: 18_500, version: 3 })
  const { body } = await plumbline.get(`/api/ext/homes/${homeId}/budget/transfers?lineId=${plumbing.id}`)
  expect(body.data).toMatchObject([
    { reason: 'It was not after all.', fromBudgetedBefore: 42_250, fromBudgetedAfter: 42_000, toBudgetedAfter: 18_500 },
    { reason: 'The plumbing was bought for less.', fromBudgetedAfter: 18_250 },
  ])
  const audited = await plumbline.get(`/api/ext/audit-entries?resourceId=${body.data[0].id}`)
  expect(audited.body.data).toMatchObject([{ resourceType: 'budget_transfer', action: 'budget_transfer.created' }])
})

test('an amount transferred to a line with a quantity is kept when the unit cost of the line changes', async () => {
  await transfer()
  const at = `/api/ext/budget-lines/${framing.id}`
  expect((await plumbline.patch(at, { description: 'Labor' })).body).toMatchObject({ budgeted: 42_250 })
  const repriced = await plumbline.patch(at, { unitCost: 14 })
  expect(repriced.body).toMatchObject({ approvedChanges: -2550, transferred: 250, budgeted: 39_450 })
  expect(faults(await plumbline.patch(at, { unitCost: 15, amount: 42_000 }))).toEqual(['/amount conflict'])
  expect((await plumbline.patch(at, { unitCost: 15, amount: 42_250 })).body).toMatchObject({ budgeted: 42_250 })
})

test('a budget line can transfer up to its whole amount, even if the amount is ordered', async () => {
  const { id: vendorId } = await made('/vendors', { companyName: 'Hill Country Plumbing', scopes: ['plumbing'] })
  await made('/purchase-orders', {
    ...{ homeId, vendorId, scope: 'plumbing' },
    lines: [{ description: 'Rough', quantity: 1, unitPrice: 9000, budgetLineId: plumbing.id }],
  })
  const refused = await transfer({ amount: 18_500.01 })
  expect(refused).toMatchObject({
    status: 409,
    body: {
      ...{ reason: 'not_enough_left', errors: [{ pointer: '/amount' }] },
      detail: 'Cannot transfer $18,500.01: the line has only $18,500.00.',
    },
  })
  expect((await transfer({ amount: 18_500 })).body).toMatchObject({ fromBudgetedAfter: 0 })
  expect((await transfer({ amount: 0.01 })).status).toBe(409)
})

test('a budget transfer requires a locked budget and an active home', async () => {
  const { id } = await made('/homes', { name: 'Lot 16', communityId })
  const [a, b] = [
    await made(`/homes/${id}/budget/lines`, { scope: 'plumbing', amount: 100 }),
    await made(`/homes/${id}/budget/lines`, { scope: 'framing', amount: 100 }),
  ]
  const early = await transfer({ fromLineId: a.id, toLineId: b.id, amount: 1 }, id)
  expect(early).toMatchObject({
    status: 409,
    body: {
      reason: 'budget_not_locked',
      detail:
        'Cannot transfer budget: the budget of Lot 16 is not locked. Change its lines with updateBudgetLine instead.',
    },
  })
  expect((await plumbline.post(`/api/ext/homes/${homeId}/status`, { status: 'cancelled' })).status).toBe(200)
  expect(await transfer()).toMatchObject({ status: 409, body: { reason: 'home_not_open' } })
  expect((await transfer({}, 'hom_nobody')).status).toBe(404)
})

test('a budget transfer requires two different existing lines of the same home', async () => {
  const other = await lockedHome()
  expect(faults(await transfer({ toLineId: other.framing.id }))).toEqual(['/toLineId other_home'])
  expect(faults(await transfer({ fromLineId: other.plumbing.id, toLineId: other.framing.id }))).toEqual([
    '/fromLineId other_home',
    '/toLineId other_home',
  ])
  const unknown = await transfer({ fromLineId: 'bud_nobody', toLineId: 'bud_nowhere' })
  expect(unknown.body.code).toBe('unknown_reference')
  expect(faults(unknown)).toEqual(['/fromLineId unknown_reference', '/toLineId unknown_reference'])
  expect(faults(await transfer({ toLineId: plumbing.id }))).toEqual(['/toLineId itself'])

  const { id } = await made('/homes', { name: 'Lot 17', communityId })
  const at = `/homes/${id}/budget/lines`
  const removed = await made(at, { scope: 'plumbing', amount: 100 })
  const stored = await made(at, { scope: 'framing', amount: 100 })
  await plumbline.delete(`/api/ext/budget-lines/${removed.id}`)
  await plumbline.post(`/api/ext/homes/${id}/budget/lock`)
  expect(faults(await transfer({ fromLineId: stored.id, toLineId: removed.id }, id))).toEqual(['/toLineId archived'])
})

test('the cost of a selection cannot be transferred, because its budget line follows the selection', async () => {
  const option = await made('/options', {
    ...{ code: 'EL-LIGHT', name: 'Decorative lights', optionType: 'upgrade', price: 900 },
    ...{ costBasis: 'fixed', cost: 600, scope: 'electrical' },
  })
  await plumbline.post(`/api/ext/options/${option.id}/status`, { status: 'active' })
  const selection = await made(`/homes/${homeId}/selections`, { optionId: option.id })
  const approved = await plumbline.post(`/api/ext/selections/${selection.id}/status`, { status: 'approved' })
  expect(approved.status, JSON.stringify(approved.body)).toBe(200)
  const { body } = await plumbline.get(`/api/ext/homes/${homeId}/budget/lines?source=option`)
  expect(body.data).toMatchObject([{ budgeted: 600, optionSelectionId: selection.id }])
  expect(faults(await transfer({ toLineId: body.data[0].id }))).toEqual(['/toLineId of_selection'])
})

test('a budget transfer requires a reason and an amount within the allowed range', async () => {
  for (const amount of [0, -1, 0.001]) expect((await transfer({ amount })).status).toBe(422)
  expect((await transfer({ reason: ' ' })).status).toBe(422)
  const { id } = await made(`/homes/${homeId}/budget/lines`, { scope: 'roofing', amount: 999_999_999_999.99 })
  expect(faults(await transfer({ toLineId: id }))).toEqual(['/amount maximum'])
  const { body } = await plumbline.get(`/api/ext/homes/${homeId}/budget/transfers`)
  expect(body.data).toEqual([])
})

test('concurrent budget transfers never make a line negative and never deadlock', async () => {
  const forth = Array.from({ length: 10 }, () => transfer({ amount: 5000 }))
  const andBack = Array.from({ length: 10 }, () =>
    transfer({ fromLineId: framing.id, toLineId: plumbing.id, amount: 9000 }),
  )
  const answers = await Promise.all([...forth, ...andBack])
  for (const answer of answers) expect([200, 409]).toContain(answer.status)
  const { body } = await plumbline.get(`/api/ext/homes/${homeId}/budget/transfers?limit=200`)
  expect(body.data).toHaveLength(answers.filter(({ status }) => status === 200).length)
  for (const { fromBudgetedAfter } of body.data) expect(fromBudgetedAfter).toBeGreaterThanOrEqual(0)
  const lines = [await line(plumbing), await line(framing)]
  expect(lines[0].budgeted + lines[1].budgeted).toBe(60_500)
  expect(await budget()).toMatchObject({ totalBudgeted: 60_500 })
})

test("budget transfers can be filtered by date in the organization's time zone", async () => {
  // At 3:00 UTC, it is still the previous day in the default time zone of a builder.
  const { body: caller } = await plumbline.get('/api/ext/me')
  expect(caller.organization.timeZone).toBe('America/Chicago')
  const now = plumbline.clock.now()
  const untilThree = (27 - now.getUTCHours()) * 3_600_000 - now.getUTCMinutes() * 60_000
  plumbline.clock.advance(untilThree)
  const { body: first } = await transfer()
  const nextDay: string = first.createdAt.slice(0, 10)
  const day = new Date(Date.parse(nextDay) - 86_400_000).toISOString().slice(0, 10)
  plumbline.clock.advance(4 * 3_600_000)
  const { body: second } = await transfer({ amount: 1 })
  expect(second.createdAt.slice(0, 10)).toBe(nextDay)
  const at = `/api/ext/homes/${homeId}/budget/transfers`
  const found = async (query: string) => {
    const { status, body } = await plumbline.get(`${at}?${query}`)
    expect(status).toBe(200)
    return body.data.map((one: { id: string }) => one.id)
  }
  expect(await found('')).toEqual([second.id, first.id])
  expect(await found(`from=${nextDay}`)).toEqual([second.id])
  expect(await found(`to=${day}`)).toEqual([first.id])
  expect(await found(`from=${day}&to=${day}&lineId=${framing.id}`)).toEqual([first.id])
  expect(await found('from=0001-01-01&to=9999-12-31')).toEqual([second.id, first.id])
  expect(await found(`from=${day}&lineId=bud_nobody`)).toEqual([])
  expect((await plumbline.get(`${at}?from=${nextDay}&to=${day}`)).status).toBe(422)
})
