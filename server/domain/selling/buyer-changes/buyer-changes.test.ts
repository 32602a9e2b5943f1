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

/** Creates a home and sells it for the given price. */
async function sell(basePrice = 400_000) {
  const home = await create('homes', { communityId, name: `Lot ${++lots}`, lotNumber: String(lots), basePrice })
  const sale = await create('sales', { homeId: home.id, buyers: [{ name: 'Elena Marsh' }], basePrice })
  expect((await plumbline.post(`/api/ext/sales/${sale.id}/approve`, {})).status).toBe(200)
  return { homeId: home.id as string, saleId: sale.id as string }
}

const PORCH = { description: 'Screened porch', scope: 'porch', price: 20_000, cost: 14_000 }
const CREDIT = { description: 'No patio', scope: 'patio', price: -1500, cost: -900 }

const propose = (saleId: string, body: object) =>
  plumbline.post(`/api/ext/sales/${saleId}/changes?createScopes=true`, { title: 'Screened porch', ...body })
const drafted = (saleId: string, lines: object[], title = 'Screened porch') =>
  create(`sales/${saleId}/changes?createScopes=true`, { title, lines })
const move = (id: string, status: string, more: object = {}) =>
  plumbline.post(`/api/ext/buyer-changes/${id}/status`, { status, ...more })
const moveSelection = (id: string, status: string) => plumbline.post(`/api/ext/selections/${id}/status`, { status })
const saleOf = async (saleId: string) => (await plumbline.get(`/api/ext/sales/${saleId}`)).body
const selectionOf = async (id: string) => (await plumbline.get(`/api/ext/selections/${id}`)).body
const budgetOf = async (homeId: string) => (await plumbline.get(`/api/ext/homes/${homeId}/budget`)).body.totalBudgeted
const changesOf = async (saleId: string) =>
  (await plumbline.get(`/api/ext/sales/${saleId}/changes?limit=200&sort=createdAt`)).body.data
const select = (homeId: string, fields: object) =>
  create(`homes/${homeId}/selections?createScopes=true`, {
    customDescription: 'Dog wash',
    scope: 'plumbing',
    ...fields,
  })

async function activeOption(code: string, fields: object): Promise<string> {
  const values = { code, name: code, optionType: 'upgrade', costBasis: 'fixed', cost: 500, price: 900, ...fields }
  const { id } = await create('options', values)
  await plumbline.post(`/api/ext/options/${id}/status`, { status: 'active' })
  return id
}

async function approved(saleId: string, lines: object[], title?: string) {
  const change = await drafted(saleId, lines, title)
  expect((await move(change.id, 'sent')).status).toBe(200)
  const { status, body } = await move(change.id, 'approved')
  expect([status, body.detail]).toEqual([200, undefined])
  return body
}

async function schedule(saleId: string, scheduledValue: number) {
  const lines = [{ description: 'House', scheduledValue }]
  expect((await plumbline.patch(`/api/ext/sales/${saleId}/schedule-of-values`, { lines })).status).toBe(200)
}
const scheduleOf = async (saleId: string) => (await plumbline.get(`/api/ext/sales/${saleId}/schedule-of-values`)).body

test('approving a buyer change applies its selections to the price and the budget', async () => {
  const { saleId, homeId } = await sell()
  const change = await drafted(saleId, [PORCH, CREDIT])
  expect(change).toMatchObject({
    ...{ number: 1, status: 'draft', source: 'agreed', price: 18_500, cost: 13_100, homeId, saleId, sentAt: null },
    lines: [
      { lineId: 'L1', isCustom: true, scope: 'porch', price: 20_000, cost: 14_000 },
      { lineId: 'L2', isCustom: true, scope: 'patio', price: -1500, cost: -900 },
    ],
  })
  expect(await selectionOf(change.lines[0].optionSelectionId)).toMatchObject({
    ...{ homeId, customDescription: 'Screened porch', unitPrice: 20_000, cost: 14_000, status: 'pending' },
  })
  expect(await move(change.id, 'approved')).toMatchObject({ status: 409, body: { code: 'invalid_transition' } })
  expect((await move(change.id, 'sent')).body).toMatchObject({ status: 'sent', sentAt: expect.any(String) })
  expect(await saleOf(saleId)).toMatchObject({ totalPrice: 400_000 })
  expect((await move(change.id, 'approved', { date: '2026-10-01' })).body).toMatchObject({
    ...{ status: 'approved', decidedDate: '2026-10-01', price: 18_500, scheduleLineId: null },
    ...{ approvedAt: expect.any(String), approvedBy: { type: expect.any(String) } },
  })
  expect(await saleOf(saleId)).toMatchObject({ originalPrice: 400_000, totalPrice: 418_500 })
  expect(await budgetOf(homeId)).toBe(13_100)
  expect(await selectionOf(change.lines[1].optionSelectionId)).toMatchObject({ status: 'approved' })
  expect(await changesOf(saleId)).toHaveLength(1)
})

test('only one of two concurrent approvals of a buyer change succeeds', async () => {
  const { saleId } = await sell()
  const change = await drafted(saleId, [PORCH])
  await move(change.id, 'sent')
  const both = await Promise.all([move(change.id, 'approved'), move(change.id, 'approved')])
  expect(both.map(({ status, body }) => body.code ?? status).sort()).toEqual([200, 'invalid_transition'])
  expect(await saleOf(saleId)).toMatchObject({ totalPrice: 420_000 })
})

test('declining a buyer change declines its selections', async () => {
  const { saleId, homeId } = await sell()
  const dogWash = await select(homeId, { unitPrice: 1850, cost: 1210 })
  const change = await drafted(saleId, [PORCH, { optionSelectionId: dogWash.id }])
  expect(change.lines[1]).toMatchObject({ isCustom: false, description: 'Dog wash', price: 1850, cost: 1210 })
  await move(change.id, 'sent')
  expect((await move(change.id, 'declined', { reason: 'Too expensive.' })).body).toMatchObject({
    ...{ status: 'declined', reason: 'Too expensive.', description: null },
  })
  for (const { optionSelectionId } of change.lines)
    expect(await selectionOf(optionSelectionId)).toMatchObject({ status: 'declined' })
  expect(await saleOf(saleId)).toMatchObject({ totalPrice: 400_000 })
  expect(await move(change.id, 'approved')).toMatchObject({ status: 409, body: { code: 'invalid_transition' } })
})

test('voiding a draft buyer change declines only the selections that the change added', async () => {
  const { saleId, homeId } = await sell()
  const dogWash = await select(homeId, { unitPrice: 1850, cost: 1210 })
  const change = await drafted(saleId, [PORCH, { optionSelectionId: dogWash.id }])
  expect((await move(change.id, 'void')).body).toMatchObject({ status: 'void', voidedAt: expect.any(String) })
  expect(await selectionOf(change.lines[0].optionSelectionId)).toMatchObject({ status: 'declined' })
  expect(await selectionOf(dogWash.id)).toMatchObject({ status: 'pending' })
  expect((await drafted(saleId, [{ optionSelectionId: dogWash.id }])).number).toBe(2)
})

test('voiding an approved buyer change cancels its selections', async () => {
  const { saleId, homeId } = await sell()
  const change = await approved(saleId, [PORCH, CREDIT])
  expect(await move(change.id, 'void')).toMatchObject({ status: 422, body: { errors: [{ pointer: '/reason' }] } })
  expect((await move(change.id, 'void', { reason: 'The lot is too small.' })).body).toMatchObject({ status: 'void' })
  expect(await selectionOf(change.lines[0].optionSelectionId)).toMatchObject({ status: 'cancelled' })
  expect(await saleOf(saleId)).toMatchObject({ totalPrice: 400_000 })
  expect(await budgetOf(homeId)).toBe(0)
})

test('a selection of an open buyer change cannot be approved or declined separately', async () => {
  const { saleId, homeId } = await sell()
  const dogWash = await select(homeId, { unitPrice: 1850, cost: 1210 })
  const change = await drafted(saleId, [{ optionSelectionId: dogWash.id }])
  for (const status of ['approved', 'declined'])
    expect(await moveSelection(dogWash.id, status)).toMatchObject({
      ...{ status: 409, body: { reason: 'in_use', conflictingId: change.id } },
      body: { detail: expect.stringContaining('buyer change 1 (Screened porch)') },
    })
  expect(await plumbline.patch(`/api/ext/selections/${dogWash.id}`, { unitPrice: 1 })).toMatchObject({ status: 409 })
  expect((await plumbline.patch(`/api/ext/selections/${dogWash.id}`, { color: 'Blue' })).status).toBe(200)
  expect(await propose(saleId, { lines: [{ optionSelectionId: dogWash.id }] })).toMatchObject({
    ...{ status: 409, body: { reason: 'in_use', conflictingId: change.id } },
  })
})

test('the error for a buyer change with a selection that cannot be approved names the line', async () => {
  const { saleId, homeId } = await sell()
  const option = await create('options', {
    code: 'LATE',
    name: 'Bay window',
    optionType: 'upgrade',
    price: 900,
    costBasis: 'fixed',
    cost: 500,
  })
  await plumbline.post(`/api/ext/options/${option.id}/status`, { status: 'active' })
  const late = await create(`homes/${homeId}/selections`, { optionId: option.id })
  const change = await drafted(saleId, [PORCH, { optionSelectionId: late.id }])
  await plumbline.patch(`/api/ext/selections/${late.id}`, { deadline: '2020-01-31', overrideReason: 'Test.' })
  await move(change.id, 'sent')
  expect(await move(change.id, 'approved')).toMatchObject({
    ...{ status: 409, body: { reason: 'deadline_passed', detail: expect.stringContaining('Line L2 (Bay window)') } },
  })
  expect(await saleOf(saleId)).toMatchObject({ totalPrice: 400_000 })
  expect(await selectionOf(change.lines[0].optionSelectionId)).toMatchObject({ status: 'pending' })
  expect((await move(change.id, 'approved', { overrideReason: 'The buyers were away.' })).body).toMatchObject({
    price: 20_900,
  })
})

test('a buyer change keeps the price of a selected option', async () => {
  const { saleId, homeId } = await sell()
  const deck = await activeOption('PERGOLA', {})
  const { id } = await create(`homes/${homeId}/selections`, { optionId: deck })
  const change = await drafted(saleId, [{ optionSelectionId: id }])
  await move(change.id, 'sent')
  expect((await plumbline.patch(`/api/ext/options/${deck}`, { price: 1200 })).status).toBe(200)
  expect((await move(change.id, 'approved')).body).toMatchObject({ status: 'approved', price: 900, cost: 500 })
})

test('a buyer change approves an option after the option that it requires', async () => {
  const { saleId, homeId } = await sell()
  const deck = await activeOption('DECK', {})
  const rail = await activeOption('RAIL', { requiresOptionIds: [deck] })
  const ids = []
  for (const optionId of [rail, deck]) ids.push((await create(`homes/${homeId}/selections`, { optionId })).id)
  const change = await drafted(
    saleId,
    ids.map((optionSelectionId) => ({ optionSelectionId })),
  )
  await move(change.id, 'sent')
  const { body } = await move(change.id, 'approved')
  expect(body).toMatchObject({ status: 'approved', price: 1800, cost: 1000 })
})

test('voiding a buyer change restores the price of the sale', async () => {
  const { saleId, homeId } = await sell()
  const deck = await activeOption('GAZEBO', {})
  const rail = await activeOption('FENCE', { requiresOptionIds: [deck] })
  const ids = []
  for (const optionId of [rail, deck]) ids.push((await create(`homes/${homeId}/selections`, { optionId })).id)
  const change = await drafted(
    saleId,
    ids.map((optionSelectionId) => ({ optionSelectionId })),
  )
  await move(change.id, 'sent')
  await move(change.id, 'approved')
  expect(await moveSelection(ids[1], 'cancelled')).toMatchObject({ status: 409 })
  expect((await move(change.id, 'void', { reason: 'No deck.' })).body).toMatchObject({ status: 'void' })
  expect(await saleOf(saleId)).toMatchObject({ totalPrice: 400_000 })
})

test('replacing the lines of a draft buyer change also updates the selections', async () => {
  const { saleId, homeId } = await sell()
  const dogWash = await select(homeId, { unitPrice: 1850, cost: 1210 })
  const change = await drafted(saleId, [PORCH, CREDIT, { optionSelectionId: dogWash.id }])
  const path = `/api/ext/buyer-changes/${change.id}?createScopes=true`
  const changed = await plumbline.patch(path, {
    title: 'Larger porch',
    lines: [
      { ...PORCH, lineId: 'L1', price: 22_000, scope: 'porches' },
      { description: 'Fan', price: 400, cost: 250 },
    ],
  })
  expect(changed.body).toMatchObject({
    ...{ title: 'Larger porch', price: 22_400, cost: 14_250, version: 2 },
    lines: [
      { lineId: 'L1', scope: 'porches', price: 22_000 },
      { lineId: 'L4', price: 400 },
    ],
  })
  const [porch, credit] = change.lines
  expect(await selectionOf(porch.optionSelectionId)).toMatchObject({ unitPrice: 22_000, scope: 'porches' })
  expect(await selectionOf(credit.optionSelectionId)).toMatchObject({ status: 'declined' })
  expect((await moveSelection(dogWash.id, 'approved')).status).toBe(200)
  await move(change.id, 'sent')
  expect(await plumbline.patch(path, { title: 'Other' })).toMatchObject({
    status: 409,
    body: { reason: 'wrong_status' },
  })
  expect((await plumbline.patch(path, { notes: 'Signed.' })).body).toMatchObject({ notes: 'Signed.', status: 'sent' })
})

test('invalid lines of a buyer change are reported at their fields', async () => {
  const { saleId } = await sell()
  const elsewhere = await sell()
  const other = await select(elsewhere.homeId, { unitPrice: 1, cost: 1 })
  const errors = async (lines: object[]) => {
    const { status, body } = await propose(saleId, { lines })
    return [
      status,
      ...(body.errors ?? []).map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`),
    ]
  }
  expect(await errors([{ description: 'Porch' }])).toEqual([422, '/lines/0/price required', '/lines/0/cost required'])
  expect(await errors([{ lineId: 'L1', ...PORCH }])).toEqual([422, '/lines/0/lineId unknown'])
  expect(await errors([PORCH, { optionSelectionId: other.id, price: 1 }])).toEqual([422, '/lines/1/price exclusive'])
  expect(await errors([PORCH, { optionSelectionId: other.id }])).toEqual([422, '/lines/1/optionSelectionId home'])
  const [status, fault] = await errors([{ optionSelectionId: 'sel_01m7y975jzfesvq6w1h3j5k7m9' }])
  expect([status, fault]).toEqual([422, expect.stringContaining('/lines/0/optionSelectionId')])
  expect(await changesOf(saleId)).toEqual([])
})

test('each price change of a selection without a buyer change is recorded as an approved buyer change', async () => {
  const { saleId, homeId } = await sell()
  await schedule(saleId, 400_000)
  const dogWash = await select(homeId, { unitPrice: 1850, cost: 1210 })
  await moveSelection(dogWash.id, 'approved')
  await plumbline.patch(`/api/ext/selections/${dogWash.id}`, { color: 'Blue' })
  await plumbline.patch(`/api/ext/selections/${dogWash.id}`, { unitPrice: 2000 })
  await moveSelection(dogWash.id, 'cancelled')
  const changes = await changesOf(saleId)
  expect(changes).toMatchObject([
    { number: 1, title: 'Dog wash', source: 'selection', status: 'approved', price: 1850, cost: 1210 },
    { number: 2, title: 'Dog wash (changed)', price: 150, cost: 0, scheduleLineId: 'L3' },
    { number: 3, title: 'Dog wash (cancelled)', price: -2000, cost: -1210 },
  ])
  expect(await scheduleOf(saleId)).toMatchObject({ scheduledTotal: 400_000, contractSum: 400_000 })
  expect(await move(changes[0].id, 'void', { reason: 'Wrong.' })).toMatchObject({
    status: 409,
    body: { reason: 'fixed' },
  })
})

test('an approved buyer change cannot be voided after its selection was changed', async () => {
  const { saleId } = await sell()
  const change = await approved(saleId, [PORCH])
  await plumbline.patch(`/api/ext/selections/${change.lines[0].optionSelectionId}`, { unitPrice: 21_000 })
  expect(await move(change.id, 'void', { reason: 'Wrong.' })).toMatchObject({
    ...{ status: 409, body: { reason: 'changed_meanwhile', detail: expect.stringContaining('Line L1') } },
  })
})

test('a line for an approved buyer change is in the schedule of values until the change is voided', async () => {
  const { saleId } = await sell()
  await schedule(saleId, 400_000)
  const change = await approved(saleId, [PORCH])
  expect(change.scheduleLineId).toBe('L2')
  expect(await scheduleOf(saleId)).toMatchObject({
    ...{ scheduledTotal: 420_000, contractSum: 420_000 },
    lines: [{ lineId: 'L1' }, { lineId: 'L2', description: 'Change 1: Screened porch', scheduledValue: 20_000 }],
  })
  const lines = [{ lineId: 'L1', periodAmount: 1000 }]
  const draft = await create(`sales/${saleId}/applications`, { periodTo: '2026-08-31', lines })
  await move(change.id, 'void', { reason: 'Wrong.' })
  expect(await scheduleOf(saleId)).toMatchObject({ scheduledTotal: 400_000, lines: [{ lineId: 'L1' }] })
  const submitted = await plumbline.post(`/api/ext/applications/${draft.id}/status`, { status: 'submitted' })
  expect(submitted.body).toMatchObject({ status: 'submitted', contractSum: 400_000, completedAndStored: 1000 })
})

test('a buyer change that was billed cannot be voided', async () => {
  const { saleId } = await sell()
  await schedule(saleId, 400_000)
  const change = await approved(saleId, [PORCH])
  await create(`sales/${saleId}/applications`, { periodTo: '2026-08-31', lines: [{ lineId: 'L2', periodAmount: 1 }] })
  expect(await move(change.id, 'void', { reason: 'Wrong.' })).toMatchObject({ status: 409, body: { reason: 'in_use' } })
  expect(await saleOf(saleId)).toMatchObject({ totalPrice: 420_000 })
})

test('voiding a buyer change adds a deduction to a schedule of values that already includes the change', async () => {
  const { saleId } = await sell()
  const change = await approved(saleId, [PORCH])
  await schedule(saleId, 420_000)
  expect((await move(change.id, 'void', { reason: 'Wrong.' })).body).toMatchObject({ scheduleLineId: null })
  expect(await scheduleOf(saleId)).toMatchObject({
    ...{ scheduledTotal: 400_000, contractSum: 400_000 },
    lines: [{}, { description: 'Void of change 1: Screened porch', scheduledValue: -20_000 }],
  })
})

test('a requested loan draw keeps its amount when a buyer change is approved', async () => {
  const { saleId, homeId } = await sell(400_000)
  const loan = await create('loans', { homeId, lender: 'First Hill Bank', limitAmount: 320_000 })
  const milestone = await create('milestones', { homeId, name: 'Dried in', drawPercent: 10 })
  await plumbline.post(`/api/ext/milestones/${milestone.id}/complete`, {})
  const draw = await create(`loans/${loan.id}/draws`, { milestoneId: milestone.id, date: '2026-09-01' })
  expect(draw.requestedAmount).toBe(40_000)
  await approved(saleId, [PORCH])
  expect((await plumbline.get(`/api/ext/loan-draws/${draw.id}`)).body.requestedAmount).toBe(40_000)
  expect((await plumbline.get(`/api/ext/milestones/${milestone.id}`)).body.drawDue).toBe(42_000)
})

test('canceling a sale closes its draft and sent buyer changes', async () => {
  const { saleId } = await sell()
  const draft = await drafted(saleId, [PORCH])
  const sent = await drafted(saleId, [CREDIT])
  await move(sent.id, 'sent')
  const standing = await approved(saleId, [PORCH])
  const cancelled = await plumbline.post(`/api/ext/sales/${saleId}/cancel`, { reason: 'The buyers moved away.' })
  expect(cancelled.status).toBe(200)
  expect((await changesOf(saleId)).map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
    [draft.id, 'void'],
    [sent.id, 'declined'],
    [standing.id, 'approved'],
  ])
  expect(await propose(saleId, { lines: [PORCH] })).toMatchObject({ status: 409, body: { reason: 'wrong_status' } })
  expect(await move(standing.id, 'void', { reason: 'Wrong.' })).toMatchObject({ status: 409 })
})

test('a buyer change requires an approved sale with a home', async () => {
  const home = await create('homes', { communityId, name: `Lot ${++lots}`, lotNumber: String(lots) })
  const reserved = await create('sales', { homeId: home.id, buyers: [{ name: 'Elena Marsh' }], basePrice: 1000 })
  expect(await propose(reserved.id, { lines: [PORCH] })).toMatchObject({
    status: 409,
    body: { reason: 'wrong_status' },
  })
  const lot = { communityId, lotNumber: String(++lots), basePrice: 1000 }
  const ofLot = await create('sales', { ...lot, buyers: [{ name: 'Elena Marsh' }] })
  await plumbline.post(`/api/ext/sales/${ofLot.id}/approve`, {})
  expect(await propose(ofLot.id, { lines: [PORCH] })).toMatchObject({ status: 409, body: { reason: 'missing_data' } })
})

test("a builder cannot read another builder's buyer changes", async () => {
  const { saleId } = await sell()
  const change = await drafted(saleId, [PORCH])
  const other = await plumbline.newBuilder()
  for (const path of [`sales/${saleId}/changes`, `buyer-changes/${change.id}`])
    expect([path, (await plumbline.get(`/api/ext/${path}`, { key: other.key })).status]).toEqual([path, 404])
})

test("adding a home to an approved sale records the price of the home's selections as a buyer change", async () => {
  const lot = { communityId, lotNumber: String(++lots), basePrice: 1000 }
  const { id: saleId } = await create('sales', { ...lot, buyers: [{ name: 'Elena Marsh' }] })
  await plumbline.post(`/api/ext/sales/${saleId}/approve`, {})
  const home = await create('homes', { communityId, name: `Lot ${lots}`, lotNumber: String(lots) })
  const dogWash = await select(home.id, { unitPrice: 1850, cost: 1210 })
  await moveSelection(dogWash.id, 'approved')
  const { status, body } = await plumbline.patch(`/api/ext/sales/${saleId}`, { homeId: home.id })
  expect([status, body.detail, body.totalPrice]).toEqual([200, undefined, 2850])
  expect(await changesOf(saleId)).toMatchObject([{ price: 1850, status: 'approved', source: 'selection' }])
})
