import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { formatDate } from '../../../platform/values/format.ts'

let plumbline: TestPlumbline
let communityId: string
let vendorId: string
let granite: string
let quartz: string
let labor: string
let unpriced: string
let plan: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = await made('communities', { name: 'Juniper Ridge' })
  vendorId = await made('vendors', { companyName: 'Hill Country Stone', status: 'active' })
  granite = await newPart('TOP-GRN', 40)
  quartz = await newPart('TOP-QTZ', 61.25)
  labor = await newPart('LAB-TOP', 5.5)
  unpriced = await newPart('APP-REF', null)
  plan = await releasedPlan({ code: 'P2100', elevations: [{ code: 'A' }, { code: 'B', price: 5500 }] })
})
afterAll(() => plumbline.stop())

async function made(kind: string, fields: object): Promise<string> {
  const { status, body } = await plumbline.post(`/api/ext/${kind}`, fields)
  expect([status, body.errors ?? body.detail]).toEqual([201, undefined])
  return body.id
}

async function newPart(sku: string, unitPrice: number | null): Promise<string> {
  const part = await made('parts', { sku, name: sku, unit: 'SF', scope: 'tops' })
  if (unitPrice !== null) await made(`parts/${part}/prices`, { vendorId, unitPrice, effectiveDate: '2020-01-01' })
  return part
}

async function releasedPlan(fields: object): Promise<string> {
  const id = await made('plans', { ...{ name: 'The Possumhaw', squareFeet: 2100, basePrice: 364990 }, ...fields })
  const lines = [
    { lineId: 'tops', partId: granite, quantity: 72 },
    { lineId: 'labor', partId: labor, formula: 'squareFeet / 10' },
  ]
  expect((await plumbline.put(`/api/ext/plans/${id}/takeoff`, { lines })).status).toBe(200)
  expect((await plumbline.post(`/api/ext/plans/${id}/status`, { status: 'released' })).status).toBe(200)
  return id
}

let counter = 0
const newHome = (fields: object = {}) =>
  made('homes', { name: `Lot ${++counter}`, communityId, planId: plan, elevation: 'A', ...fields })

/** Creates an active option with this takeoff. */
async function newOption(fields: object = {}, lines: object[] = []): Promise<string> {
  const requested = { code: `O-${++counter}`, name: 'An upgrade', optionType: 'upgrade', ...fields }
  const id = await made('options', 'marginPercent' in requested ? requested : { price: 100, ...requested })
  if (lines.length > 0) expect((await plumbline.put(`/api/ext/options/${id}/takeoff`, { lines })).status).toBe(200)
  expect((await plumbline.post(`/api/ext/options/${id}/status`, { status: 'active' })).status).toBe(200)
  return id
}

const select = (home: string, fields: object) => plumbline.post(`/api/ext/homes/${home}/selections`, fields)
const move = (id: string, status: string, fields: object = {}) =>
  plumbline.post(`/api/ext/selections/${id}/status`, { status, ...fields })
const change = (id: string, fields: object) => plumbline.patch(`/api/ext/selections/${id}`, fields)

async function selected(home: string, fields: object): Promise<string> {
  const { status, body } = await select(home, fields)
  expect([status, body.errors ?? body.detail]).toEqual([201, undefined])
  return body.id
}

async function approved(home: string, fields: object): Promise<string> {
  const id = await selected(home, fields)
  const { status, body } = await move(id, 'approved')
  expect([status, body.detail]).toEqual([200, undefined])
  return id
}

const refusal = ({ status, body }: { status: number; body: { code: string; detail: string } }) => {
  expect([status, body.code]).toEqual([409, 'conflict'])
  return body.detail
}
const homeOf = async (home: string) => (await plumbline.get(`/api/ext/homes/${home}`)).body
const linesOf = async (home: string, query = '') =>
  (await plumbline.get(`/api/ext/homes/${home}/budget/lines?sort=createdAt${query}`)).body.data
const budgeted = async (home: string) => (await plumbline.get(`/api/ext/homes/${home}/budget`)).body.totalBudgeted
const estimate = (home: string, body: object = {}) => plumbline.post(`/api/ext/homes/${home}/budget/estimate`, body)
const lock = (home: string) => plumbline.post(`/api/ext/homes/${home}/budget/lock`)

async function order(home: string, fields: object): Promise<string> {
  const lines = [{ description: 'As selected', quantity: 1, unitPrice: 10 }]
  const id = await made('purchase-orders', { homeId: home, vendorId, scope: 'tops', lines, ...fields })
  let status = 'draft'
  for (let requested = 0; status !== 'approved' && requested < 2; requested++)
    status = (await plumbline.post(`/api/ext/purchase-orders/${id}/status`, { status: 'approved' })).body.status
  expect(status).toBe('approved')
  return id
}

const QUARTZ = () => [
  { lineId: 'tops', partId: quartz, quantity: 72, wastePercent: 10 },
  { lineId: 'edge', partId: labor, quantity: 10 },
]

test('the default price of a home is the price of its plan and elevation', async () => {
  const home = await newHome({ elevation: 'B' })
  expect(await homeOf(home)).toMatchObject({ basePrice: 370490, optionsTotal: 0, price: 370490 })
  const moved = await plumbline.patch(`/api/ext/homes/${home}`, { elevation: 'A' })
  expect(moved.body).toMatchObject({ basePrice: 364990, price: 364990 })
  const provided = await plumbline.patch(`/api/ext/homes/${home}`, { elevation: 'B', basePrice: 400000.5 })
  expect(provided.body).toMatchObject({ basePrice: 400000.5, price: 400000.5 })
  expect((await plumbline.patch(`/api/ext/homes/${home}`, { basePrice: null })).body.price).toBeNull()
  expect(await homeOf(await newHome({ planId: null, elevation: null, basePrice: 5 }))).toMatchObject({ price: 5 })
  expect(await homeOf(await newHome({ planId: null, elevation: null }))).toMatchObject({ basePrice: null, price: null })
})

test('an approved selection adds budget lines and changes the price of the home', async () => {
  const home = await newHome()
  const optionId = await newOption({ price: 2580 }, QUARTZ())
  const added = await select(home, { optionId, color: 'Snow' })
  expect(added).toMatchObject({
    status: 201,
    body: {
      ...{ homeId: home, optionId, status: 'pending', quantity: 1, unitPrice: 2580, price: 2580, difference: 2580 },
      // The cost is 79.2 SF of quartz and 10 units of labor, minus the 72 SF of granite that they replace.
      ...{ priceBasis: 'option', cost: 4851 + 55 - 2880, costBasis: 'option', issues: [], color: 'Snow' },
    },
  })
  expect((await plumbline.get(added.headers.get('location') ?? '')).body).toEqual(added.body)
  expect(await linesOf(home)).toEqual([])
  expect((await homeOf(home)).price).toBe(364990)

  const { version } = await homeOf(home)
  const { body } = await move(added.body.id, 'approved')
  expect(body).toMatchObject({ status: 'approved', cost: 2026, approvedAt: expect.any(String), version: 2 })
  expect(await linesOf(home)).toMatchObject([
    { source: 'option', optionSelectionId: body.id, takeoffLineId: 'tops', partId: quartz, budgeted: 4851 },
    { source: 'option', optionSelectionId: body.id, takeoffLineId: 'edge', budgeted: 55 },
    { source: 'option', takeoffLineId: 'tops', partId: granite, quantity: -72, budgeted: -2880 },
  ])
  expect(await homeOf(home)).toMatchObject({ optionsTotal: 2580, price: 367570, version: version + 1 })

  const { body: estimated } = await estimate(home)
  expect(estimated).toMatchObject({ total: 2880 + 1155 + 2026, added: 2, changed: 0, removed: 0, unpriced: [] })
  expect(await budgeted(home)).toBe(6061)
  expect((await move(body.id, 'cancelled')).body.status).toBe('cancelled')
  expect(await budgeted(home)).toBe(4035)
  expect(await homeOf(home)).toMatchObject({ optionsTotal: 0, price: 364990 })
})

test('a selection that is approved after the budget lock counts as an approved change until it is canceled', async () => {
  const home = await newHome()
  await estimate(home)
  const before = await approved(home, { optionId: await newOption({}, QUARTZ()) })
  await lock(home)
  const after = await approved(home, { optionId: await newOption({}, [{ partId: labor, quantity: 4 }]) })
  expect(await linesOf(home, `&optionSelectionId=${after}`)).toMatchObject([
    { originalAmount: 0, approvedChanges: 22, budgeted: 22 },
  ])
  expect(await budgeted(home)).toBe(4035 + 2026 + 22)
  expect((await change(after, { quantity: 3 })).body).toMatchObject({ cost: 66, price: 300 })
  expect(await budgeted(home)).toBe(4035 + 2026 + 66)
  await move(before, 'cancelled')
  await move(after, 'cancelled')
  expect(await budgeted(home)).toBe(4035)
  expect(await linesOf(home, `&optionSelectionId=${before}`)).toMatchObject([
    { originalAmount: 4851, approvedChanges: -4851, budgeted: 0 },
    { originalAmount: 55, approvedChanges: -55 },
    { originalAmount: -2880, approvedChanges: 2880 },
  ])
  expect(refusal(await estimate(home))).toContain('it was locked on')
})

test('a selection with an unpriced part has no cost and no budget line', async () => {
  const home = await newHome()
  const optionId = await newOption({}, [
    { lineId: 'ref', partId: unpriced, quantity: 1 },
    { lineId: 'top', partId: labor, quantity: -4 },
  ])
  const id = await approved(home, { optionId })
  const issue = { lineId: 'ref', partId: unpriced, sku: 'APP-REF', name: 'APP-REF', issue: 'no_price' }
  expect((await plumbline.get(`/api/ext/selections/${id}`)).body).toMatchObject({ cost: null, issues: [issue] })
  expect(await linesOf(home)).toEqual([])
  const { body } = await estimate(home)
  expect(body).toMatchObject({ total: 4035, unpriced: [{ ...issue, optionSelectionId: id, quantity: 1 }] })
  expect(await budgeted(home)).toBe(4035)
  // A manually entered cost adds the selection to the budget.
  expect((await change(id, { cost: 1500, scope: 'appliances' })).body).toMatchObject({ cost: 1500, costBasis: 'given' })
  expect(await linesOf(home, '&source=option')).toMatchObject([
    { scope: 'appliances', takeoffLineId: null, budgeted: 1500 },
  ])
  expect((await change(id, { cost: null })).body).toMatchObject({ cost: null, costBasis: 'option', issues: [issue] })
  expect(await budgeted(home)).toBe(4035)
})

test('selecting an option with a computed cost creates no trade', async () => {
  const { key } = await plumbline.newBuilder()
  const add = async (kind: string, fields: object) =>
    (await plumbline.post(`/api/ext/${kind}`, fields, { key })).body.id
  const planId = await add('plans', { code: 'P1', name: 'The Sumac', squareFeet: 1500 })
  await plumbline.post(`/api/ext/plans/${planId}/status`, { status: 'released' }, { key })
  const homeId = await add('homes', { name: 'Lot 1', communityId: await add('communities', { name: 'A' }), planId })
  const optionId = await add('options', { code: 'O-1', name: 'An upgrade', optionType: 'upgrade', price: 10 })
  await plumbline.post(`/api/ext/options/${optionId}/status`, { status: 'active' }, { key })
  expect(await add(`homes/${homeId}/selections`, { optionId })).toMatch(/^sel_/)
  expect((await plumbline.get('/api/ext/scopes', { key })).body.data).toEqual([])
})

test('an option price that depends on the cost is computed when the option is selected and again when it is approved', async () => {
  const home = await newHome()
  const part = await newPart('DOR-FRT', 660)
  const optionId = await newOption({ marginPercent: 34 }, [{ partId: part, quantity: 1 }])
  const { body } = await select(home, { optionId, quantity: 2 })
  expect(body).toMatchObject({ cost: 1320, unitPrice: 1000, price: 2000 })
  const dearer = { vendorId, unitPrice: 693, effectiveDate: '2026-01-01', endPrevious: true }
  await plumbline.post(`/api/ext/parts/${part}/prices`, dearer)
  expect((await plumbline.get(`/api/ext/selections/${body.id}`)).body.price).toBe(2000)
  expect((await move(body.id, 'approved')).body).toMatchObject({ cost: 1386, unitPrice: 1050, price: 2100 })
  // The agreed unit price applies even if the quantity changes.
  await plumbline.patch(`/api/ext/options/${optionId}`, { marginPercent: null, price: 5000 })
  expect((await change(body.id, { quantity: 3 })).body).toMatchObject({ cost: 2079, unitPrice: 1050, price: 3150 })
  expect((await change(body.id, { unitPrice: null })).body).toMatchObject({ unitPrice: 5000, priceBasis: 'option' })

  const unknown = await newOption({ marginPercent: 20 }, [{ partId: unpriced, quantity: 1 }])
  const pending = await select(home, { optionId: unknown })
  expect(pending.body).toMatchObject({ cost: null, unitPrice: null, price: null, difference: null })
  expect(refusal(await move(pending.body.id, 'approved'))).toContain('some of its parts have no price')
})

test('an allowance changes the price of the home only by the difference from the allowance amount', async () => {
  const home = await newHome()
  const optionId = await newOption({
    ...{ optionType: 'allowance', price: 900, costBasis: 'fixed', cost: 900, scope: 'electrical', name: 'Lights' },
  })
  const id = await approved(home, { optionId, unitPrice: 1125.5, allowanceAmount: 900 })
  expect(await homeOf(home)).toMatchObject({ optionsTotal: 225.5 })
  expect(await linesOf(home)).toMatchObject([
    { source: 'allowance', optionSelectionId: id, scope: 'electrical', description: 'Lights', budgeted: 900 },
  ])
})

test('a selection without an option requires a description, a price, and a cost before it can be approved', async () => {
  const home = await newHome()
  expect((await select(home, {})).body.errors).toMatchObject([{ pointer: '/optionId' }])
  expect((await select(home, { customDescription: 'Dog wash' })).body.errors).toMatchObject([{ pointer: '/unitPrice' }])
  const id = await selected(home, { customDescription: 'Dog wash', unitPrice: 1850 })
  expect(refusal(await move(id, 'approved'))).toBe('Cannot approve Dog wash: it has no cost. Set cost first.')
  for (const [fields, pointer] of [
    [{ customDescription: null }, '/customDescription'],
    [{ unitPrice: null }, '/unitPrice'],
  ] as const)
    expect((await change(id, fields)).body.errors).toMatchObject([{ pointer }])
  expect((await change(id, { customDescription: 'Dog shower', cost: 1210 })).status).toBe(200)
  expect((await move(id, 'approved')).body).toMatchObject({ price: 1850, cost: 1210 })
  expect(await linesOf(home)).toMatchObject([{ scope: 'unassigned', description: 'Dog shower', budgeted: 1210 }])
  const option = await selected(home, { optionId: await newOption() })
  expect((await change(option, { customDescription: 'X' })).body.errors).toMatchObject([
    { pointer: '/customDescription' },
  ])
})

test('only an active option that is available for the home can be selected', async () => {
  const home = await newHome()
  const draft = await made('options', { code: 'DRAFT', name: 'X', optionType: 'design', price: 1 })
  expect(refusal(await select(home, { optionId: draft }))).toBe(
    'Cannot select DRAFT: the option is a draft. Activate it first.',
  )
  const other = await releasedPlan({ code: 'P1650' })
  const elsewhere = await made('communities', { name: 'Mill Creek' })
  const ofPlan = await newOption({ code: 'OF-PLAN', planIds: [other] })
  const ofPlace = await newOption({ code: 'OF-PLACE', communityIds: [elsewhere] })
  expect(refusal(await select(home, { optionId: ofPlan }))).toContain(
    'OF-PLAN: the option is not available for the plan',
  )
  expect(refusal(await select(home, { optionId: ofPlace }))).toContain(
    'OF-PLACE: the option is not available in the community',
  )
  const optionId = await newOption({ code: 'ONCE' })
  const first = await selected(home, { optionId })
  expect(refusal(await select(home, { optionId }))).toContain('already has a selection of ONCE, and it is pending')
  await move(first, 'declined')
  await selected(home, { optionId })
  expect(refusal(await move(first, 'pending'))).toContain('already has a selection of ONCE')
  expect((await select(home, { optionId: 'opt_none' })).body.code).toBe('unknown_reference')
  const withoutPlan = await newHome({ planId: null, elevation: null })
  const computed = await newOption({}, [{ partId: labor, quantity: 1 }])
  expect(refusal(await select(withoutPlan, { optionId: computed }))).toContain('has no plan')
  expect((await select(withoutPlan, { optionId: computed, cost: 5 })).status).toBe(201)
})

test('approving or canceling a selection is rejected if it conflicts with required or excluded options', async () => {
  const home = await newHome({ name: 'Lot R' })
  const base = await newOption({ code: 'KI-UP42' })
  const top = await newOption({ code: 'KI-GRM', requiresOptionIds: [base] })
  const against = await newOption({ code: 'KI-LOW', excludesOptionIds: [base] })
  const [baseId, topId, againstId] = [
    await selected(home, { optionId: base }),
    await selected(home, { optionId: top }),
    await selected(home, { optionId: against }),
  ]
  expect(refusal(await move(topId, 'approved'))).toBe(
    'Cannot approve KI-GRM: it requires KI-UP42, which is not approved for Lot R. Approve it first.',
  )
  await move(baseId, 'approved')
  expect(refusal(await move(againstId, 'approved'))).toBe(
    'Cannot select KI-LOW: it excludes KI-UP42, which is approved for Lot R.',
  )
  await move(againstId, 'declined')
  expect(refusal(await move(againstId, 'pending'))).toBe(
    'Cannot select KI-LOW: it excludes KI-UP42, which is approved for Lot R.',
  )
  expect((await move(topId, 'approved')).status).toBe(200)
  expect(refusal(await move(baseId, 'cancelled'))).toBe(
    'Cannot cancel KI-UP42: KI-GRM, which is approved, requires it.',
  )
  await move(topId, 'cancelled')
  expect((await move(baseId, 'cancelled')).status).toBe(200)
})

test('the cost of an option excludes the cost of the options that it requires', async () => {
  const home = await newHome()
  const base = await newOption({ code: 'B-1' }, [{ lineId: 'tops', partId: quartz, quantity: 10 }])
  const top = await newOption({ code: 'B-2', requiresOptionIds: [base] }, [
    { lineId: 'tops', partId: quartz, quantity: 30 },
  ])
  // The option always replaces the 10 units of quartz of the option that it requires, whether that option is approved
  // or not.
  const { body } = await select(home, { optionId: top })
  expect(body.cost).toBe(20 * 61.25)
  const baseId = await approved(home, { optionId: base })
  expect((await move(body.id, 'approved')).body.cost).toBe(20 * 61.25)
  await change(baseId, { quantity: 2 })
  expect((await plumbline.get(`/api/ext/selections/${body.id}`)).body.cost).toBe(10 * 61.25)
  expect(await budgeted(home)).toBe(30 * 61.25 - 2880)
})

test('two options that replace the same line cannot both be approved', async () => {
  const home = await newHome()
  const [one, other] = [await newOption({ code: 'T-1' }, QUARTZ()), await newOption({ code: 'T-2' }, QUARTZ())]
  const pending = await selected(home, { optionId: other })
  await approved(home, { optionId: one })
  expect(refusal(await move(pending, 'approved'))).toContain('T-1 and T-2 both replace line tops of the takeoff.')
})

test('only one of two concurrent approvals of options that exclude each other succeeds', async () => {
  const home = await newHome()
  const one = await newOption()
  const other = await newOption({ excludesOptionIds: [one] })
  const ids = [await selected(home, { optionId: one }), await selected(home, { optionId: other })]
  const answers = await Promise.all(ids.map((id) => move(id, 'approved')))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  expect((await homeOf(home)).optionsTotal).toBe(100)
})

test('an ordered selection can be changed or canceled only with a change order', async () => {
  const home = await newHome()
  const id = await approved(home, { optionId: await newOption({ code: 'ORD' }, [{ partId: labor, quantity: 2 }]) })
  expect(refusal(await move(id, 'ordered'))).toContain('ORD has no approved purchase order.')
  await order(home, { poType: 'option', optionSelectionId: id })
  expect((await move(id, 'ordered')).body.status).toBe('ordered')
  expect(refusal(await change(id, { quantity: 2 }))).toContain('create and approve a purchase order of type change')
  expect((await change(id, { color: 'Slate' })).status).toBe(200)
  expect(await budgeted(home)).toBe(11)
  const changeOrder = await order(home, { poType: 'change', optionSelectionId: id })
  expect((await change(id, { quantity: 2 })).body).toMatchObject({ cost: 22, price: 200, changePoId: changeOrder })
  expect(await budgeted(home)).toBe(22)
  // A change order permits only one change.
  expect(refusal(await move(id, 'cancelled'))).toContain('create and approve a purchase order of type change')
  await order(home, { poType: 'change', optionSelectionId: id })
  expect((await move(id, 'cancelled')).body.status).toBe('cancelled')
  expect(await budgeted(home)).toBe(0)
  const orders = await plumbline.get(`/api/ext/purchase-orders?optionSelectionId=${id}`)
  expect(orders.body.data).toHaveLength(3)
})

test('an order can refer only to approved selections of its home', async () => {
  const [home, other] = [await newHome(), await newHome()]
  const id = await selected(home, { optionId: await newOption() })
  const lines = [{ description: 'X', quantity: 1, unitPrice: 1 }]
  const body = { homeId: home, vendorId, scope: 'tops', lines, optionSelectionId: id }
  expect(refusal(await plumbline.post('/api/ext/purchase-orders', body))).toContain('it is pending')
  const elsewhere = await plumbline.post('/api/ext/purchase-orders', { ...body, homeId: other })
  expect(elsewhere).toMatchObject({ status: 422, body: { errors: [{ pointer: '/optionSelectionId' }] } })
  const unknown = await plumbline.post('/api/ext/purchase-orders', { ...body, optionSelectionId: 'sel_none' })
  expect(unknown.body.code).toBe('unknown_reference')
})

test('only the allowed status changes of a selection are accepted', async () => {
  const home = await newHome()
  const id = await selected(home, { optionId: await newOption() })
  expect((await move(id, 'ordered')).body).toMatchObject({
    code: 'invalid_transition',
    allowed: ['approved', 'declined'],
  })
  await move(id, 'declined', { reason: 'Too expensive.' })
  expect(refusal(await change(id, { color: 'Red' }))).toContain('the selection is declined')
  await move(id, 'pending')
  await move(id, 'approved')
  await order(home, { optionSelectionId: id })
  await move(id, 'ordered')
  expect((await move(id, 'installed')).body.status).toBe('installed')
  expect((await move(id, 'cancelled')).body).toMatchObject({ code: 'invalid_transition', allowed: [] })
  const history = (await plumbline.get(`/api/ext/status-changes?resourceId=${id}`)).body.data
  expect(history.map(({ to, reason }: Record<string, string>) => [to, reason])).toContainEqual([
    'declined',
    'Too expensive.',
  ])
})

test('changing a selection after its deadline requires an override reason', async () => {
  const home = await newHome()
  const optionId = await newOption({ cutoffDaysBeforeStart: 10 })
  const id = await selected(home, {
    customDescription: 'Bench',
    unitPrice: 10,
    cost: 5,
    deadline: '2020-01-31',
    overrideReason: 'Late.',
  })
  expect(refusal(await change(id, { color: 'Red' }))).toBe(
    'The selection deadline was January 31, 2020. To change the selection anyway, set overrideReason.',
  )
  expect((await change(id, { externalId: 'D-1' })).status).toBe(200)
  expect((await change(id, { color: 'Red', overrideReason: 'The buyer was ill.' })).status).toBe(200)
  expect(refusal(await move(id, 'approved'))).toContain('set overrideReason')
  expect((await move(id, 'approved', { reason: 'Signed.', overrideReason: 'Agreed by Priya.' })).status).toBe(200)
  const history = (await plumbline.get(`/api/ext/status-changes?resourceId=${id}`)).body.data
  expect(history.map(({ from, to, reason }: Record<string, string>) => [from, to, reason])).toEqual(
    expect.arrayContaining([
      [null, 'pending', 'After the deadline: Late.'],
      ['pending', 'pending', 'After the deadline: The buyer was ill.'],
      ['pending', 'approved', 'Signed. After the deadline: Agreed by Priya.'],
    ]),
  )
  // The option's deadline has a date only after the home has started.
  const early = await selected(home, { optionId })
  await lock(home)
  for (const status of ['permitting', 'ready_to_start', 'under_construction'])
    expect((await plumbline.post(`/api/ext/homes/${home}/status`, { status })).status).toBe(200)
  const { deadline } = (await plumbline.get(`/api/ext/selections/${early}`)).body
  expect(deadline < (await homeOf(home)).startDate).toBe(true)
  expect(refusal(await move(early, 'approved'))).toContain(`The selection deadline was ${formatDate(deadline)}`)
  const due = await plumbline.get(`/api/ext/selections?homeId=${home}&dueBefore=2020-02-01`)
  expect(due.body.data.map((one: { id: string }) => one.id)).toEqual([id])
})

test('the plan of a home cannot change to a plan for which one of its selections is not available', async () => {
  const home = await newHome()
  const other = await releasedPlan({ code: 'P2850' })
  const id = await approved(home, { optionId: await newOption({ code: 'HERE', planIds: [plan] }, QUARTZ()) })
  const refused = await plumbline.patch(`/api/ext/homes/${home}`, { planId: other })
  expect(refusal(refused)).toContain('its selections HERE are not available for the new plan')
  const [line] = await linesOf(home)
  expect(refusal(await plumbline.patch(`/api/ext/budget-lines/${line.id}`, { amount: 1 }))).toContain('a selection')
  expect(refusal(await plumbline.delete(`/api/ext/budget-lines/${line.id}`))).toContain('a selection')
  await move(id, 'cancelled')
  expect((await plumbline.patch(`/api/ext/homes/${home}`, { planId: other })).status).toBe(200)
})

test('a dry run of an approval does not approve the selection', async () => {
  const home = await newHome()
  const id = await selected(home, { optionId: await newOption({}, QUARTZ()) })
  const skill = { skill: 'changeSelectionStatus', input: { selectionId: id, status: 'approved' }, dryRun: true }
  const { body } = await plumbline.post('/api/ext/execute', skill)
  expect(body.result).toMatchObject({ status: 'approved', cost: 2026 })
  expect((await plumbline.get(`/api/ext/selections/${id}`)).body).toMatchObject({ status: 'pending', version: 1 })
  expect(await linesOf(home)).toEqual([])
})

test('selections of a canceled home cannot be approved', async () => {
  const home = await newHome({ name: 'Lot X' })
  const optionId = await newOption()
  const id = await selected(home, { optionId })
  await plumbline.post(`/api/ext/homes/${home}/status`, { status: 'cancelled' })
  expect(refusal(await move(id, 'approved'))).toBe('Cannot change the budget of Lot X: the home is canceled.')
})

test("a builder cannot see or change another builder's selections", async () => {
  const home = await newHome()
  const optionId = await newOption()
  const id = await selected(home, { optionId })
  const { key } = await plumbline.newBuilder()
  for (const { status } of [
    await plumbline.get(`/api/ext/selections/${id}`, { key }),
    await plumbline.patch(`/api/ext/selections/${id}`, { color: 'Red' }, { key }),
    await plumbline.post(`/api/ext/selections/${id}/status`, { status: 'approved' }, { key }),
    await plumbline.post(`/api/ext/homes/${home}/selections`, { optionId }, { key }),
  ])
    expect(status).toBe(404)
  expect((await plumbline.get('/api/ext/selections', { key })).body.data).toEqual([])
})
