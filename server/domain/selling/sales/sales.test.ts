import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { updateOrganization } from '../../office/organizations/organizations.ts'

const SALES = '/api/ext/sales'
const ELENA = [{ name: 'Elena Marsh', email: 'elena.marsh@example.com', phone: '+1 512 555 0188' }]

let plumbline: TestPlumbline
let communityId: string
let planId: string
let patio: string
let counter = 0
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = await made('communities', { name: 'Juniper Ridge', status: 'active' })
  planId = await made('plans', {
    ...{
      name: 'The Possumhaw',
      code: 'P2100',
      basePrice: 364990,
      elevations: [{ code: 'A' }, { code: 'B', price: 5500 }],
    },
  })
  expect((await plumbline.post(`/api/ext/plans/${planId}/status`, { status: 'released' })).status).toBe(200)
  patio = await made('options', {
    ...{
      code: 'ST-COVPAT',
      name: 'Covered patio',
      optionType: 'structural',
      price: 3070,
      costBasis: 'fixed',
      cost: 2010,
    },
  })
  expect((await plumbline.post(`/api/ext/options/${patio}/status`, { status: 'active' })).status).toBe(200)
})
afterAll(() => plumbline.stop())

async function added(kind: string, fields: object) {
  const { status, body } = await plumbline.post(`/api/ext/${kind}`, fields)
  expect([status, body.errors ?? body.detail]).toEqual([201, undefined])
  return body
}
const made = async (kind: string, fields: object): Promise<string> => (await added(kind, fields)).id

function newHome(fields: object = {}) {
  const name = `Lot ${++counter}`
  return added('homes', { name, communityId, lotNumber: String(counter), planId, elevation: 'B', ...fields })
}

const newSale = (fields: object) => added('sales', { buyers: ELENA, ...fields })
const read = async (id: string) => (await plumbline.get(`${SALES}/${id}`)).body
const home = async (id: string) => (await plumbline.get(`/api/ext/homes/${id}`)).body
const change = (id: string, fields: object) => plumbline.patch(`${SALES}/${id}`, fields)
const act = (id: string, what: string, fields: object = {}) => plumbline.post(`${SALES}/${id}/${what}`, fields)

async function done(id: string, what: string, fields: object = {}) {
  const { status, body } = await act(id, what, fields)
  expect([status, body.errors ?? body.detail]).toEqual([200, undefined])
  return body
}

const waive = (id: string, stage: string) => done(id, 'pipeline', { stage, status: 'waived', reason: 'Not needed.' })

function refusal({ status, body }: { status: number; body: { code: string; detail: string } }) {
  expect([status, body.code]).toEqual([409, 'conflict'])
  return body.detail
}

async function select(homeId: string, fields: object, status?: string): Promise<string> {
  const id = await made(`homes/${homeId}/selections`, fields)
  if (status !== undefined)
    expect((await plumbline.post(`/api/ext/selections/${id}/status`, { status })).status).toBe(200)
  return id
}

const typesOf = async (id: string) =>
  (await plumbline.get(`/api/ext/events?resourceId=${id}`)).body.data.map(({ type }: { type: string }) => type)

test('the price of a sale is the base price plus the lot premium and selections, minus incentives and discounts', async () => {
  const { id: homeId, lotNumber } = await newHome()
  await select(homeId, { optionId: patio }, 'approved')
  const sale = await newSale({ homeId, lotPremium: 4500, incentives: 8000, discounts: 1000.5 })
  expect(sale).toMatchObject({
    ...{ status: 'pending', leadId: null, homeId, communityId, planId, elevation: 'B', lotNumber, currency: 'USD' },
    ...{ basePrice: 370490, optionsTotal: 3070, totalPrice: 369059.5, stage: 'contract_signed', deposits: [] },
  })
  expect(sale.number).toMatch(/^SA-\d{4}$/)
  expect(sale.pipeline).toHaveLength(8)
  const { version } = await home(homeId)
  await select(homeId, { customDescription: 'Dog wash', unitPrice: 1850, cost: 1210, scope: 'plumbing' }, 'approved')
  const after = await read(sale.id)
  expect(after).toMatchObject({ totalPrice: 370909.5, version: sale.version + 1 })
  expect((await home(homeId)).version).toBeGreaterThan(version)
  const { body: price } = await plumbline.get(`${SALES}/${sale.id}/price`)
  expect(
    price.lines.map(({ kind, description, amount }: Record<string, unknown>) => [kind, description, amount]),
  ).toEqual([
    ['base', `Lot ${lotNumber}`, 370490],
    ['lot_premium', `Premium of lot ${lotNumber}`, 4500],
    ['option', 'Covered patio', 3070],
    ['option', 'Dog wash', 1850],
    ['incentive', 'Incentives', -8000],
    ['discount', 'Discounts', -1000.5],
  ])
  expect(price).toMatchObject({ totalPrice: 370909.5, currency: 'USD' })
})

test('each status change of a sale changes the sales status of its home', async () => {
  const { id: homeId, ...before } = await newHome()
  expect(before).toMatchObject({ salesStatus: 'available', saleId: null, contractPrice: null })
  const { id } = await newSale({ homeId, lotPremium: 1000 })
  expect(await home(homeId)).toMatchObject({ salesStatus: 'reserved', saleId: id, contractPrice: null })
  const approved = await done(id, 'approve', { reason: 'Terms are right.' })
  expect(approved).toMatchObject({ status: 'approved', approvedBy: { type: 'key' } })
  expect(await home(homeId)).toMatchObject({ salesStatus: 'under_contract', contractPrice: 371490 })
  await select(homeId, { optionId: patio }, 'approved')
  const pending = await select(homeId, { customDescription: 'Ramp', unitPrice: 900, cost: 500, scope: 'framing' })
  expect(await home(homeId)).toMatchObject({ contractPrice: 374560 })
  expect(refusal(await change(id, { basePrice: 360000, incentives: 1 }))).toContain(
    'Cannot change basePrice and incentives: ',
  )
  expect(refusal(await plumbline.patch(`/api/ext/homes/${homeId}`, { elevation: 'A' }))).toContain(
    'its sale is approved for the current plan',
  )
  const listed = await plumbline.get(`/api/ext/homes?salesStatus=under_contract&q=${before.lotNumber}`)
  expect(listed.body.data.map((one: { id: string }) => one.id)).toContain(homeId)
  for (const [verb, target] of [
    ['post', 'status'],
    ['delete', ''],
  ] as const) {
    const path = `/api/ext/homes/${homeId}${target && `/${target}`}`
    const answer = verb === 'post' ? await plumbline.post(path, { status: 'cancelled' }) : await plumbline.delete(path)
    expect(refusal(answer)).toContain('it is under contract. Cancel its sale first.')
  }
  const cancelled = await done(id, 'cancel', { reason: 'The buyer found no financing.' })
  expect(cancelled).toMatchObject({
    status: 'cancelled',
    cancelReason: 'The buyer found no financing.',
    optionsTotal: 3070,
  })
  expect(await home(homeId)).toMatchObject({
    salesStatus: 'available',
    saleId: null,
    contractPrice: null,
    optionsTotal: 3070,
  })
  expect((await plumbline.get(`/api/ext/selections/${pending}`)).body.status).toBe('declined')
  expect((await act(id, 'cancel', { reason: 'Twice.' })).body).toMatchObject({
    code: 'invalid_transition',
    allowed: [],
  })
  expect((await act(id, 'approve')).body).toMatchObject({ code: 'invalid_transition' })
  expect(refusal(await change(id, { targetCloseDate: '2027-01-01' }))).toContain('is canceled')
  expect((await change(id, { externalId: 'crm-1' })).status).toBe(200)
  expect(await typesOf(id)).toEqual(['sale.created', 'sale.approved', 'sale.cancelled'])
  const again = await newSale({ homeId })
  await select(homeId, { customDescription: 'Shelf', unitPrice: 100, cost: 50, scope: 'trim' }, 'approved')
  expect([(await read(again.id)).optionsTotal, (await read(id)).optionsTotal]).toEqual([3170, 3070])
})

test('only one of several concurrent sales of a home succeeds', async () => {
  const { id: homeId, lotNumber } = await newHome()
  const key = await plumbline.newKey(['sales:write'])
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      plumbline.post(SALES, { buyers: [{ name: `Buyer ${i}` }], homeId }, i === 11 ? { key } : {}),
    ),
  )
  const [winner, ...more] = answers.filter(({ status }) => status === 201)
  expect(more).toEqual([])
  const others = answers.filter((answer) => answer !== winner)
  const { number, buyers } = winner?.body ?? {}
  for (const answer of others) {
    expect([
      `Cannot sell Lot ${lotNumber}: it is already reserved (${number}, ${buyers[0].name}).`,
      `Cannot sell Lot ${lotNumber}: it is already reserved.`,
    ]).toContain(refusal(answer))
    expect(answer.body.errors).toMatchObject([{ pointer: '/homeId', code: 'conflict' }])
  }
  expect(refusal(await plumbline.post(SALES, { buyers: ELENA, homeId }, { key }))).toBe(
    `Cannot sell Lot ${lotNumber}: it is already reserved.`,
  )
})

test('a lead can be converted to a sale only once, unless the sale is canceled', async () => {
  const lead = await added('leads', { firstName: 'Dina', lastName: 'Abrahamsen', email: 'dina@example.com' })
  const convert = (fields: object, options = {}) => plumbline.post(`/api/ext/leads/${lead.id}/convert`, fields, options)
  const homes = await Promise.all(Array.from({ length: 4 }, () => newHome()))
  const key = await plumbline.newKey(['leads:write'])
  expect((await convert({ homeId: homes[0].id }, { key })).body).toMatchObject({
    ...{ code: 'permission_denied', permission: 'sales:write' },
  })
  const answers = await Promise.all(homes.map(({ id }) => convert({ homeId: id })))
  const sale = answers.find(({ status }) => status === 201)?.body
  expect(sale).toMatchObject({
    ...{ leadId: lead.id, buyers: [{ name: 'Dina Abrahamsen', email: 'dina@example.com', phone: null }] },
  })
  const refused = answers.filter(({ status }) => status !== 201)
  expect(refused.map(({ body }) => body.code)).toEqual(Array(3).fill('invalid_transition'))
  const converted = (await plumbline.get(`/api/ext/leads/${lead.id}`)).body
  expect(converted).toMatchObject({ status: 'converted', convertedSaleId: sale.id })
  const { data } = (await plumbline.get('/api/ext/events?sort=-sequence&limit=2')).body
  expect(data.map(({ type }: { type: string }) => type)).toEqual(['sale.created', 'lead.converted'])
  expect((await plumbline.delete(`/api/ext/leads/${lead.id}`)).status).toBe(409)
  const contact = () => plumbline.post(`/api/ext/leads/${lead.id}/status`, { status: 'contacted' })
  expect(refusal(await contact())).toContain(`its sale ${sale.number} is pending. Cancel the sale first.`)
  await done(sale.id, 'cancel', { reason: 'Took a resale house.' })
  expect((await contact()).body).toMatchObject({ status: 'contacted', convertedSaleId: null })
  const again = await convert({ homeId: sale.homeId })
  expect(again.status).toBe(201)
  await done(again.body.id, 'cancel', { reason: 'Moved away.' })
  expect((await plumbline.delete(`/api/ext/leads/${lead.id}`)).status).toBe(204)
})

test('only one of many concurrent conversions of leads for the same home succeeds', async () => {
  const { id: homeId } = await newHome()
  const leads = await Promise.all(Array.from({ length: 10 }, (_, i) => made('leads', { lastName: `Wants ${i}` })))
  const answers = await Promise.all(leads.map((id) => plumbline.post(`/api/ext/leads/${id}/convert`, { homeId })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
  const statuses = await Promise.all(leads.map(async (id) => (await plumbline.get(`/api/ext/leads/${id}`)).body.status))
  expect(statuses.filter((status) => status === 'converted')).toHaveLength(1)
})

test('each change of a deposit updates the deposit totals of the sale', async () => {
  const sale = await newSale({
    ...{ homeId: (await newHome()).id, deposits: [{ amount: 5000, dueDate: '2026-11-27' }, { amount: 7500.25 }] },
  })
  expect(sale).toMatchObject({ depositsOutstanding: 12500.25, depositsReceived: 0 })
  await done(sale.id, 'deposits', { depositId: 'D1', status: 'due', amount: 5500, dueDate: '2026-12-01' })
  const received = await done(sale.id, 'deposits', { depositId: 'D1', status: 'received', date: '2026-01-02' })
  expect(received.deposits[0]).toMatchObject({ amount: 5500, status: 'received', receivedDate: '2026-01-02' })
  expect(received).toMatchObject({ depositsOutstanding: 7500.25, depositsReceived: 5500 })
  const third = await done(sale.id, 'deposits', { amount: 1000, status: 'received' })
  expect(third).toMatchObject({ depositsReceived: 6500 })
  expect(
    (await done(sale.id, 'deposits', { depositId: 'D3', status: 'refunded', reason: 'Paid twice.' })).deposits[2],
  ).toMatchObject({ status: 'refunded', reason: 'Paid twice.' })
  const errors = async (fields: object) => (await act(sale.id, 'deposits', fields)).body.errors
  expect(await errors({ status: 'due' })).toMatchObject([{ pointer: '/amount', code: 'required' }])
  expect(await errors({ status: 'forfeited', amount: 1 })).toMatchObject([{ pointer: '/status', code: 'enum' }])
  expect(await errors({ depositId: 'D9', status: 'received' })).toMatchObject([{ pointer: '/depositId' }])
  expect(await errors({ depositId: 'D2', status: 'received', date: '2999-01-01' })).toMatchObject([
    { pointer: '/date' },
  ])
  expect(await errors({ depositId: 'D1', status: 'refunded', amount: 1 })).toMatchObject([
    { pointer: '/amount', code: 'fixed' },
  ])
  expect((await act(sale.id, 'deposits', { depositId: 'D1', status: 'due' })).body.code).toBe('invalid_transition')
  expect((await act(sale.id, 'cancel', { reason: 'Gone.' })).body.errors).toMatchObject([
    { pointer: '/depositDisposition' },
  ])
  const cancelled = await done(sale.id, 'cancel', { reason: 'Gone.', depositDisposition: 'forfeited' })
  expect(cancelled.deposits.map(({ status }: { status: string }) => status)).toEqual([
    'forfeited',
    'cancelled',
    'refunded',
  ])
  expect(cancelled).toMatchObject({ depositsOutstanding: 0, depositsReceived: 0 })
  expect(refusal(await act(sale.id, 'deposits', { amount: 1, status: 'due' }))).toContain('is canceled')
})

test('a sale has at most twenty deposits', async () => {
  const deposits = Array.from({ length: 20 }, () => ({ amount: 1 }))
  const { id } = await newSale({ homeId: (await newHome()).id, deposits })
  expect(refusal(await act(id, 'deposits', { amount: 1, status: 'due' }))).toBe(
    'Cannot add a deposit: the sale already has 20 deposits, the maximum.',
  )
})

test('a sale has at most twenty contingencies', async () => {
  const contingencies = Array.from({ length: 20 }, () => ({ type: 'other' }))
  const { id } = await newSale({ homeId: (await newHome()).id, contingencies })
  const more = await act(id, 'contingencies', { type: 'other', status: 'open' })
  expect(refusal(more)).toBe('Cannot add a contingency: the sale already has 20 contingencies, the maximum.')
})

test('a failed contingency remains open until it is waived', async () => {
  const contingencies = [{ type: 'financing', dueDate: '2026-12-04' }, { type: 'appraisal' }]
  const { id, ...sale } = await newSale({ homeId: (await newHome()).id, contingencies })
  expect(sale).toMatchObject({ openContingencies: 2 })
  const record = (fields: object) => act(id, 'contingencies', fields)
  await done(id, 'contingencies', { contingencyId: 'C1', status: 'open', dueDate: '2026-12-11' })
  const failed = await done(id, 'contingencies', { contingencyId: 'C2', status: 'failed', notes: 'Came in low.' })
  expect(failed).toMatchObject({ openContingencies: 2 })
  expect(failed.contingencies[1]).toMatchObject({ status: 'failed', notes: 'Came in low.' })
  expect(failed.contingencies[1].decidedDate).toMatch(/^\d{4}-/)
  await done(id, 'contingencies', { contingencyId: 'C2', status: 'waived', date: '2026-01-05' })
  const three = await done(id, 'contingencies', { type: 'home_sale', status: 'open' })
  expect(three.contingencies[2]).toMatchObject({ contingencyId: 'C3', status: 'open', decidedDate: null })
  expect((await record({ contingencyId: 'C2', status: 'open' })).body.code).toBe('invalid_transition')
  expect((await record({ status: 'open' })).body.errors).toMatchObject([{ pointer: '/type', code: 'required' }])
  expect((await record({ contingencyId: 'C7', status: 'cleared' })).body.errors).toMatchObject([
    { pointer: '/contingencyId' },
  ])
  expect((await record({ contingencyId: 'C1', status: 'cleared', type: 'other' })).body.errors).toMatchObject([
    { pointer: '/type' },
  ])
  expect((await record({ contingencyId: 'C1', status: 'cleared', date: '2999-01-01' })).body.errors).toMatchObject([
    { pointer: '/date' },
  ])
})

test('a sale stage that is not waived can be completed only if its condition is met', async () => {
  const { id: homeId } = await newHome()
  const { id } = await newSale({ homeId, deposits: [{ amount: 5000 }], contingencies: [{ type: 'inspection' }] })
  const pending = await select(homeId, { customDescription: 'Ramp', unitPrice: 900, cost: 500, scope: 'framing' })
  const stage = (name: string, fields = {}) => act(id, 'pipeline', { stage: name, ...fields })
  expect(refusal(await stage('deposit_received'))).toBe(
    'Cannot complete deposit received. No deposit has been received. If the stage is not needed, waive it.',
  )
  expect(refusal(await stage('financing_approved'))).toContain('has not been approved')
  expect(refusal(await stage('contingencies_cleared'))).toContain('A contingency is open')
  expect(refusal(await stage('selections_final'))).toContain('has a pending selection')
  expect(refusal(await stage('permit_ready'))).toContain('is planning')
  expect(refusal(await stage('walkthrough_done'))).toContain('has not been completed')
  expect((await stage('ribbon_cut')).body.errors).toMatchObject([{ pointer: '/stage', code: 'unknown' }])
  expect((await stage('closed', { status: 'waived' })).body.errors).toMatchObject([{ pointer: '/reason' }])
  expect((await stage('closed', { completedAt: '2999-01-01T00:00:00Z' })).body.errors).toMatchObject([
    { pointer: '/completedAt' },
  ])
  await done(id, 'deposits', { depositId: 'D1', status: 'received' })
  await change(id, { financing: { type: 'fha', lender: 'First Hill Bank', status: 'approved' } })
  await done(id, 'contingencies', { contingencyId: 'C1', status: 'cleared' })
  await plumbline.post(`/api/ext/selections/${pending}/status`, { status: 'declined' })
  const signed = await done(id, 'pipeline', { stage: 'contract_signed', completedAt: '2026-01-07T15:00:00Z' })
  expect(signed.stage).toBe('deposit_received')
  expect(signed.pipeline[0]).toMatchObject({ status: 'done', completedAt: '2026-01-07T15:00:00.000Z' })
  for (const name of ['deposit_received', 'financing_approved', 'contingencies_cleared', 'selections_final'])
    await done(id, 'pipeline', { stage: name })
  await done(id, 'pipeline', { stage: 'financing_approved', status: 'open' })
  expect((await read(id)).stage).toBe('financing_approved')
  expect((await plumbline.get(`${SALES}?stage=financing_approved&homeId=${homeId}`)).body.data).toHaveLength(1)
  await done(id, 'pipeline', { stage: 'financing_approved' })
  for (const name of ['permit_ready', 'walkthrough_done']) await waive(id, name)
  expect(refusal(await stage('closed'))).toContain('Approve the sale first.')
  await done(id, 'approve')
  const complete = await done(id, 'pipeline', { stage: 'closed' })
  expect(complete).toMatchObject({ status: 'pipeline_complete', stage: null })
  expect(refusal(await stage('closed'))).toContain('is complete')
  expect((await act(id, 'cancel', { reason: 'Late.' })).body).toMatchObject({ code: 'invalid_transition', allowed: [] })
  expect(await typesOf(id)).toEqual(['sale.created', 'sale.approved', 'sale.pipeline_complete'])
})

test('closing a home before its sale is settled requires sales:write and an override reason', async () => {
  const { id: homeId, name } = await newHome()
  await made(`homes/${homeId}/budget/lines`, { scope: 'framing', description: 'Frame', quantity: 1, unitCost: 100 })
  expect((await plumbline.post(`/api/ext/homes/${homeId}/budget/lock`)).status).toBe(200)
  const sale = await newSale({ homeId, deposits: [{ amount: 5000 }], contingencies: [{ type: 'inspection' }] })
  const move = (status: string, rest: object = {}) =>
    plumbline.post(`/api/ext/homes/${homeId}/status`, { status, ...rest })
  for (const status of ['permitting', 'ready_to_start', 'under_construction', 'completed'])
    expect((await move(status)).status).toBe(200)
  const stages = sale.pipeline.map(({ stage }: { stage: string }) => stage)
  for (const stage of stages.slice(0, -1)) await waive(sale.id, stage)
  await done(sale.id, 'approve')
  expect(refusal(await move('closed'))).toContain(`${name} has no completed sale.`)
  await done(sale.id, 'pipeline', { stage: 'closed' })
  expect(refusal(await move('closed'))).toContain(`The sale of ${name} has 1 open contingency.`)
  await done(sale.id, 'contingencies', { contingencyId: 'C1', status: 'waived' })
  expect(refusal(await move('closed'))).toContain(`The sale of ${name} has $5,000.00 in outstanding deposits.`)
  const key = await plumbline.newKey(['homes:write'])
  const override = { status: 'closed', overrideReason: 'Paid at the table.' }
  const denied = await plumbline.post(`/api/ext/homes/${homeId}/status`, override, { key })
  expect(denied.body).toMatchObject({ code: 'permission_denied', permission: 'sales:write' })
  await done(sale.id, 'deposits', { depositId: 'D1', status: 'received' })
  const closed = await move('closed', { reason: 'Keys handed over.' })
  expect(closed.body).toMatchObject({ status: 'closed', salesStatus: 'sold', saleId: sale.id, contractPrice: 370490 })
  const moves = (await plumbline.get(`/api/ext/status-changes?resourceId=${homeId}&sort=-at`)).body.data
  expect(moves[0]).toMatchObject({ to: 'closed', reason: 'Keys handed over.' })
})

test('a lot can be sold at agreed prices before it has a home', async () => {
  const lot = { communityId, lotNumber: `L${++counter}`, planId, elevation: 'B' }
  const sale = await newSale({ ...lot, optionIds: [patio], lotPremium: 9000 })
  expect(sale).toMatchObject({
    ...{ homeId: null, basePrice: 370490, optionsTotal: 3070, totalPrice: 382560 },
    ...{ agreedOptions: [{ optionId: patio, code: 'ST-COVPAT', name: 'Covered patio', price: 3070 }] },
  })
  const { lines } = (await plumbline.get(`${SALES}/${sale.id}/price`)).body
  expect(lines[2]).toMatchObject({ kind: 'option', optionId: patio, selectionId: null, amount: 3070 })
  const twice = await plumbline.post(SALES, { buyers: ELENA, ...lot })
  expect(refusal(twice)).toBe(`Cannot sell Lot ${lot.lotNumber}: it is already reserved (${sale.number}, Elena Marsh).`)
  for (const name of ['selections_final', 'permit_ready', 'walkthrough_done'])
    expect(refusal(await act(sale.id, 'pipeline', { stage: name }))).toContain('The sale has no home')
  const { id: homeId, name } = await newHome({ lotNumber: lot.lotNumber })
  expect(refusal(await plumbline.post(SALES, { buyers: ELENA, homeId }))).toContain(
    `Cannot sell the lot of ${name}: it is already reserved`,
  )
  expect(refusal(await change(sale.id, { homeId }))).toContain('not selected for')
  const elsewhere = await newHome()
  expect(refusal(await change(sale.id, { homeId: elsewhere.id }))).toContain('it is not on the lot of')
  await select(homeId, { optionId: patio }, 'approved')
  expect((await change(sale.id, { homeId })).body).toMatchObject({ homeId, totalPrice: 382560 })
  expect(await home(homeId)).toMatchObject({ salesStatus: 'reserved', saleId: sale.id })
  expect(refusal(await change(sale.id, { homeId: null }))).toContain('Cancel the sale to release the home.')
  expect(refusal(await change(sale.id, { homeId: elsewhere.id }))).toContain('already has a home')
  const onLot = await plumbline.post(SALES, {
    buyers: ELENA,
    communityId,
    lotNumber: elsewhere.lotNumber,
    basePrice: 1,
  })
  expect(refusal(onLot)).toContain(`Cannot sell the lot: ${elsewhere.name} is on it`)
})

test('a home that is not for sale, has no price, or would have a negative price cannot be sold', async () => {
  const refused = async (fields: object) => (await plumbline.post(SALES, { buyers: ELENA, ...fields })).body
  const { id: homeId } = await newHome()
  expect((await refused({})).errors).toMatchObject([{ pointer: '/homeId', code: 'required' }])
  expect((await refused({ homeId: 'hom_none' })).errors).toMatchObject([
    { pointer: '/homeId', code: 'unknown_reference' },
  ])
  expect((await refused({ homeId, lotNumber: '1', optionIds: [patio] })).errors).toMatchObject([
    { pointer: '/lotNumber', code: 'exclusive' },
    { pointer: '/optionIds', code: 'exclusive' },
  ])
  expect((await refused({ homeId, discounts: 400000 })).errors).toMatchObject([
    { pointer: '/discounts', code: 'maximum' },
  ])
  expect((await refused({ homeId, salesRepId: 'usr_none' })).errors).toMatchObject([{ pointer: '/salesRepId' }])
  const lot = { communityId, lotNumber: 'X1' }
  expect((await refused(lot)).errors).toMatchObject([{ pointer: '/basePrice', code: 'required' }])
  expect((await refused({ ...lot, communityId: 'com_none' })).errors).toMatchObject([{ pointer: '/communityId' }])
  expect((await refused({ ...lot, optionIds: ['opt_none'] })).errors).toMatchObject([{ pointer: '/optionIds/0' }])
  const draft = await made('options', { code: 'DR', name: 'Draft', optionType: 'upgrade', price: 1 })
  expect(await refused({ ...lot, optionIds: [draft] })).toMatchObject({
    reason: 'wrong_status',
    detail: 'Cannot sell DR: the option is a draft. Activate it first.',
  })
  const model = await newHome({ homeType: 'model' })
  expect(model.salesStatus).toBe('unavailable')
  expect(await refused({ homeId: model.id })).toMatchObject({
    reason: 'not_available',
    detail: expect.stringContaining('it is a model'),
  })
  const gone = await newHome()
  await plumbline.post(`/api/ext/homes/${gone.id}/status`, { status: 'cancelled' })
  expect(await refused({ homeId: gone.id })).toMatchObject({
    reason: 'not_available',
    detail: expect.stringContaining('the home is canceled or archived'),
  })
  const early = await made('communities', { name: 'Mill Creek Crossing', status: 'planning' })
  expect(await refused({ communityId: early, lotNumber: '1', basePrice: 1 })).toMatchObject({
    reason: 'not_available',
    detail: expect.stringContaining('the community is still in planning'),
  })
  const { id } = await newSale({ homeId })
  expect((await change(id, { incentives: 999999 })).body.errors).toMatchObject([{ pointer: '/discounts' }])
  expect((await change(id, { basePrice: null })).body.errors).toMatchObject([{ pointer: '/basePrice' }])
})

test('sales can be filtered by number, buyer, salesperson, community, and status', async () => {
  const { recipients } = (await plumbline.post('/api/ext/messages', { body: 'Who?', recipientRoles: ['owner'] })).body
  const salesRepId = recipients[0].id
  const sale = (name: string, saleDate: string) =>
    newSale({
      buyers: [{ name, email: `${name.toLowerCase()}@example.com` }],
      communityId,
      lotNumber: `S${++counter}`,
      basePrice: 1,
      salesRepId,
      saleDate,
    })
  const [one, two] = [await sale('Pennick', '2026-03-02'), await sale('Haverty', '2026-03-01')]
  const listed = async (query: string) =>
    (await plumbline.get(`${SALES}?salesRepId=${salesRepId}&${query}`)).body.data.map(({ id }: { id: string }) => id)
  expect(await listed('sort=saleDate')).toEqual([two.id, one.id])
  expect(await listed('q=haverty@example')).toEqual([two.id])
  expect(await listed(`q=${one.number}`)).toEqual([one.id])
  expect(await listed('q=email')).toEqual([])
  expect(await listed(`communityId=${communityId}&status=pending&q=pennick`)).toEqual([one.id])
})

test('a sale keeps the stages that were configured when the sale began', async () => {
  const { organizationId, key } = await plumbline.newBuilder()
  const own = { key }
  const community = (await plumbline.post('/api/ext/communities', { name: 'Own', status: 'active' }, own)).body.id
  const sell = async (lotNumber: string) =>
    (await plumbline.post(SALES, { buyers: ELENA, communityId: community, lotNumber, basePrice: 100 }, own)).body
  const before = await sell('1')
  const stages = ['earnest_money', 'survey']
  await updateOrganization(plumbline.database, plumbline.clock, organizationId, { salePipelineStages: stages })
  const after = await sell('2')
  expect(after.pipeline.map(({ stage }: { stage: string }) => stage)).toEqual(stages)
  expect((await plumbline.get(`${SALES}/${before.id}`, own)).body.pipeline).toHaveLength(8)
  expect((await plumbline.post(`${SALES}/${after.id}/approve`, {}, own)).status).toBe(200)
  for (const stage of stages) await plumbline.post(`${SALES}/${after.id}/pipeline`, { stage }, own)
  expect((await plumbline.get(`${SALES}/${after.id}`, own)).body.status).toBe('pipeline_complete')
})
