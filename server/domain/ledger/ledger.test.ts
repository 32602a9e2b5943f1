import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listEvents } from '../../../test/support/recorded-events.ts'
import { buildSite, type Site } from '../../../test/support/site.ts'
import {
  type RequestOptions,
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../test/support/test-plumbline.ts'

type Body = ServiceResponse['body']

let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
beforeEach(async () => {
  at('2026-10-01T15:00:00Z')
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

/** Advances the clock of the service to the given time. */
const at = (time: string) => plumbline.clock.advance(Date.parse(time) - plumbline.clock.nowMs())
const send = (path: string, body: object, options: RequestOptions = { key: site.key }) =>
  plumbline.post(`/api/ext${path}`, body, options)
const done = async (path: string, body: object): Promise<Body> => {
  const answer = await send(path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}
const get = async (path: string): Promise<Body> => {
  const answer = await plumbline.get(`/api/ext${path}`, { key: site.key })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}
const refused = async (path: string, body: object) => {
  const { status, body: problem } = await send(path, body)
  return { status, code: problem.reason ?? problem.errors?.[0]?.code, earliestDate: problem.earliestDate }
}
const balanceOn = async (asOf: string, filter = ''): Promise<Body> =>
  (await get(`/ledger/balances?asOf=${asOf}${filter}`)).balances[0].amounts
const costOf = async (homeId: string, asOf: string, knownAt?: string): Promise<number> =>
  (await balanceOn(asOf, `&homeId=${homeId}${knownAt === undefined ? '' : `&knownAt=${knownAt}`}`)).cost
const order = async (more: object = {}): Promise<Body> => {
  const lines = [{ description: 'Walls', quantity: 1, unitPrice: 1000 }]
  const of = { homeId: site.lot14, vendorId: site.loneStar, scope: 'framing', retainagePercent: 10, lines, ...more }
  const { id } = await done('/purchase-orders', of)
  for (const status of ['approved', 'issued', 'accepted']) await done(`/purchase-orders/${id}/status`, { status })
  return get(`/purchase-orders/${id}`)
}
const paid = async (body: object, paidDate: string): Promise<Body> => {
  const { id } = await done('/payments', body)
  await done(`/payments/${id}/status`, { status: 'approved' })
  return done(`/payments/${id}/status`, { status: 'paid', paidDate })
}
const journal = (homeId: string, amount: number, effectiveDate?: string) =>
  done('/ledger/journals', {
    note: 'Permit fee.',
    lines: [{ homeId, amount }],
    ...(effectiveDate && { effectiveDate }),
  })

test('the balances of a past day do not depend on the order in which days are read', async () => {
  at('2026-10-05T15:00:00Z')
  const { id } = await order()
  at('2026-10-20T15:00:00Z')
  await done(`/purchase-orders/${id}/progress`, { completedPercent: 100, on: '2026-10-20' })
  at('2026-11-03T15:00:00Z')
  const { id: paymentId } = await paid({ poId: id }, '2026-11-03')
  at('2026-12-02T15:00:00Z')
  await done(`/payments/${paymentId}/void`, { reason: 'The check was lost.' })
  at('2027-01-05T15:00:00Z')
  const nothing = { discount: 0, withheldTax: 0, payroll: 0, other: 0 }
  const expected = {
    '2026-10-04': { commitment: 0, cost: 0, paid: 0 },
    '2026-10-31': { commitment: 1000, cost: 1000, paid: 0, ...nothing },
    '2026-11-30': { commitment: 1000, cost: 1000, paid: 900, ...nothing },
    '2026-12-31': { commitment: 1000, cost: 1000, paid: 0, ...nothing },
  }
  for (const day of ['2026-11-30', '2026-10-04', '2026-12-31', '2026-10-31'] as const) {
    const amounts = await balanceOn(day)
    expect([day, amounts]).toMatchObject([day, expected[day]])
    expect(amounts.unbilled + amounts.payable + amounts.retainage).toBe(amounts.cost - amounts.paid)
  }
})

test('a transfer counts from its effective date but is visible only after it is recorded', async () => {
  at('2026-10-15T15:00:00Z')
  await journal(site.lot14, 1000, '2026-10-15')
  at('2026-11-04T15:00:00Z')
  const transfer = await done('/ledger/transfers', {
    ...{ fromHomeId: site.lot14, toHomeId: site.lot15, amount: 300, effectiveDate: '2026-10-31' },
    note: 'Lumber was delivered to Lot 15.',
  })
  expect(transfer).toMatchObject({ journalType: 'transfer', amount: 300, effectiveDate: '2026-10-31' })
  const both = async (asOf: string, knownAt?: string) => [
    await costOf(site.lot14, asOf, knownAt),
    await costOf(site.lot15, asOf, knownAt),
  ]
  expect(await both('2026-10-31')).toEqual([700, 300])
  expect(await both('2026-10-31', '2026-11-01T00:00:00Z')).toEqual([1000, 0])
  expect(await both('2026-10-30')).toEqual([1000, 0])
})

test('the balances of a closed month do not change', async () => {
  at('2026-10-20T15:00:00Z')
  const { id } = await order()
  await done(`/purchase-orders/${id}/progress`, { completedPercent: 100, on: '2026-10-15' })
  const payment = await paid({ poId: id }, '2026-10-20')
  at('2026-11-05T15:00:00Z')
  const close = await done('/ledger/close', { throughDate: '2026-10-31' })
  expect(close).toMatchObject({
    fromDate: null,
    throughDate: '2026-10-31',
    status: 'closed',
    unapprovedTimesheetCount: 0,
  })
  expect(close.balances).toMatchObject({ commitment: 1000, cost: 1000, paid: 900 })
  expect(await get('/ledger/close')).toMatchObject({ closedThrough: '2026-10-31', earliestDate: '2026-11-01' })

  const closed = { status: 409, code: 'period_closed', earliestDate: '2026-11-01' }
  const transfer = {
    fromHomeId: site.lot14,
    toHomeId: site.lot15,
    amount: 1,
    note: 'Late.',
    effectiveDate: '2026-10-31',
  }
  expect(await refused('/ledger/transfers', transfer)).toEqual(closed)
  const { id: other } = await order({ homeId: site.lot15 })
  expect(await refused(`/purchase-orders/${other}/progress`, { completedPercent: 50, on: '2026-10-31' })).toEqual(
    closed,
  )
  await done(`/payments/${payment.id}/void`, { reason: 'The check was lost.' })
  const reversal = (await get(`/ledger/postings?paymentId=${payment.id}&sort=sequence`)).data.filter(
    ({ reversesEntryId }: Body) => reversesEntryId !== null,
  )
  expect(reversal.map(({ measure, amount, effectiveDate }: Body) => [measure, amount, effectiveDate])).toEqual([
    ['payable', 900, '2026-11-05'],
    ['paid', -900, '2026-11-05'],
  ])
  // A payment that was made in the closed month is posted on the first open day, but keeps its payment date.
  const late = await paid({ poId: id }, '2026-10-28')
  expect(late.paidDate).toBe('2026-10-28')
  const dates = (await get(`/ledger/postings?paymentId=${late.id}`)).data.map(
    ({ effectiveDate }: Body) => effectiveDate,
  )
  expect(new Set(dates)).toEqual(new Set(['2026-11-01']))

  expect([(await balanceOn('2026-10-31')).paid, (await balanceOn('2026-11-30')).paid]).toEqual([900, 900])
  expect([await costOf(site.lot14, '2026-10-31'), await costOf(site.lot14, '2026-11-30')]).toEqual([1000, 1000])
  // Closing the same month again produces the same digest and balances.
  await reopen(null)
  expect(await done('/ledger/close', { throughDate: '2026-10-31' })).toMatchObject({
    ...{ digest: close.digest, postingCount: close.postingCount, balances: close.balances },
  })
})

/** Reopens periods as an owner with a fresh sign-in. */
const reopen = async (throughDate: string | null) => {
  const answer = await plumbline.post(
    '/api/ext/ledger/close/reopen',
    { throughDate, reason: 'The auditor found a missing bill.' },
    await signedInHere(),
  )
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}
const signedInHere = async () => {
  const session = await plumbline.signIn()
  const { organizationId } = site
  const { status } = await plumbline.post('/api/admin/session/organization', { organizationId }, session)
  expect(status).toBeLessThan(300)
  return session
}

test('ledger periods can be closed only in order', async () => {
  at('2026-11-05T15:00:00Z')
  expect(await get('/ledger/close')).toEqual({ closedThrough: null, earliestDate: null, ledgerStartDate: null })
  expect(await refused('/ledger/close', { throughDate: '2026-11-05' })).toMatchObject({ status: 422, code: 'maximum' })
  await done('/ledger/close', { throughDate: '2026-09-30' })
  const october = await done('/ledger/close', { throughDate: '2026-10-31' })
  expect(october).toMatchObject({ fromDate: '2026-10-01', postingCount: 0 })
  expect(await refused('/ledger/close', { throughDate: '2026-10-15' })).toMatchObject({ code: 'already_done' })
})

test('only an owner can reopen a ledger period', async () => {
  at('2026-11-05T15:00:00Z')
  await done('/ledger/close', { throughDate: '2026-09-30' })
  const october = await done('/ledger/close', { throughDate: '2026-10-31' })
  const body = { throughDate: '2026-09-30', reason: 'The auditor found a missing bill.' }
  expect((await send('/ledger/close/reopen', body)).status).toBe(403)
  const owner = await signedInHere()
  const unknown = await send('/ledger/close/reopen', { ...body, throughDate: '2026-10-15' }, owner)
  expect([unknown.status, unknown.body.errors[0].pointer]).toEqual([422, '/throughDate'])
  expect((await send('/ledger/close/reopen', body, owner)).body).toMatchObject({ closedThrough: '2026-09-30' })
  expect((await send('/ledger/close/reopen', body, owner)).body.reason).toBe('already_done')
  const { data } = await get('/ledger/closes')
  expect(data.map(({ throughDate, status }: Body) => [throughDate, status])).toEqual([
    ['2026-10-31', 'reopened'],
    ['2026-09-30', 'closed'],
  ])
  expect(data[0]).toMatchObject({ digest: october.digest, reopenReason: body.reason, reopenedBy: { type: 'user' } })
  const types = (await listEvents(plumbline, site.organizationId)).map(({ type }) => type)
  expect(types.filter((type) => type.startsWith('period.'))).toEqual([
    'period.closed',
    'period.closed',
    'period.reopened',
  ])
})

test('closing a ledger period waits for pending postings and rejects later postings to the period', async () => {
  at('2026-11-05T15:00:00Z')
  await journal(site.lot14, 1, '2026-10-01')
  const answers = await Promise.all([
    ...Array.from({ length: 8 }, (_, i) =>
      send('/ledger/journals', {
        effectiveDate: '2026-10-31',
        note: 'Fee.',
        lines: [{ homeId: site.lot14, amount: i + 1 }],
      }),
    ),
    send('/ledger/close', { throughDate: '2026-10-31' }),
  ])
  const close = answers.at(-1)?.body
  const accepted = answers.slice(0, -1).filter(({ status }) => status === 201)
  const rejected = answers.slice(0, -1).filter(({ body }) => body.reason === 'period_closed')
  expect(accepted.length + rejected.length).toBe(8)
  expect(close.postingCount).toBe(2 + 2 * accepted.length)
  expect(close.balances.cost).toBe(1 + accepted.reduce((sum, { body }) => sum + body.amount, 0))
})

test('the commitment and cost balances follow the status and the progress of an order', async () => {
  const { id } = await order({ lines: [{ description: 'Walls', quantity: 1, unitPrice: 100, taxPercent: 8.25 }] })
  const own = `&poId=${id}`
  expect(await balanceOn('2026-10-01', own)).toMatchObject({ commitment: 108.25, cost: 0 })
  await done(`/purchase-orders/${id}/progress`, { completedPercent: 50 })
  expect(await balanceOn('2026-10-01', own)).toMatchObject({ commitment: 108.25, cost: 54.13 })
  await done(`/purchase-orders/${id}/progress`, { completedPercent: 20, reason: 'Rain damage.' })
  expect(await balanceOn('2026-10-01', own)).toMatchObject({ commitment: 108.25, cost: 21.65 })
  at('2026-10-09T15:00:00Z')
  await done(`/purchase-orders/${id}/status`, { status: 'void' })
  expect(await balanceOn('2026-10-08', own)).toMatchObject({ commitment: 108.25, cost: 21.65 })
  expect(await balanceOn('2026-10-09', own)).toMatchObject({ commitment: 0, cost: 0 })
})

test('an order that was declined and changed is committed at its new total when it is approved again', async () => {
  const lines = (unitPrice: number) => [{ description: 'Walls', quantity: 1, unitPrice }]
  const of = { homeId: site.lot14, vendorId: site.loneStar, scope: 'framing', lines: lines(100) }
  const { id } = await done('/purchase-orders', of)
  const move = (status: string) => done(`/purchase-orders/${id}/status`, { status })
  for (const status of ['approved', 'issued', 'declined', 'draft']) await move(status)
  expect(await balanceOn('2026-10-01')).toMatchObject({ commitment: 0 })
  await plumbline.patch(`/api/ext/purchase-orders/${id}`, { lines: lines(90) }, { key: site.key })
  await move('approved')
  expect(await balanceOn('2026-10-01')).toMatchObject({ commitment: 90 })
})

test('paying several lines and releasing their retainage keeps the ledger balanced by cost code', async () => {
  const { id } = await order({
    lines: [
      { lineId: 'a', description: 'Walls', quantity: 1, unitPrice: 33.33 },
      { lineId: 'b', description: 'Trusses', quantity: 1, unitPrice: 66.68 },
    ],
  })
  await done(`/purchase-orders/${id}/progress`, { completedPercent: 100 })
  await paid({ poId: id, discountAmount: 0.07, discountDueDate: '2026-10-30' }, '2026-10-01')
  await paid({ poId: id, paymentType: 'retainage_release' }, '2026-10-01')
  const amounts = await balanceOn('2026-10-01', `&poId=${id}`)
  expect(amounts).toMatchObject({ cost: 100.01, paid: 99.94, discount: 0.07, retainage: 0, payable: 0 })
  const perLine = Map.groupBy((await get(`/ledger/postings?poId=${id}`)).data, ({ poLineId }: Body) => poLineId)
  expect([...perLine.keys()].sort()).toEqual(['a', 'b'])
})

test('approving time, budgets, and contract prices posts them to the ledger', async () => {
  const { data: users } = await get('/users')
  const sheet = await done('/timesheets', { userId: users[0].id, weekStarting: '2026-09-28', rate: 40 })
  await done(`/timesheets/${sheet.id}/entries`, { homeId: site.lot14, date: '2026-09-30', hours: 5, scope: 'framing' })
  for (const status of ['submitted', 'approved']) await done(`/timesheets/${sheet.id}/status`, { status })
  expect(await balanceOn('2026-09-29')).toMatchObject({ cost: 0, payroll: 0 })
  expect(await balanceOn('2026-09-30')).toMatchObject({ cost: 200, payroll: 200 })

  const line = async (amount: number) =>
    done(`/homes/${site.lot14}/budget/lines`, { scope: 'framing', description: 'x', amount })
  const [first, second] = [await line(500), await line(300)]
  expect((await balanceOn('2026-10-01')).budget).toBe(0)
  await done(`/homes/${site.lot14}/budget/lock`, {})
  expect((await balanceOn('2026-10-01')).budget).toBe(800)
  at('2026-10-02T15:00:00Z')
  await plumbline.patch(`/api/ext/budget-lines/${first.id}`, { amount: 550 }, { key: site.key })
  await done(`/homes/${site.lot14}/budget/transfers`, {
    fromLineId: first.id,
    toLineId: second.id,
    amount: 20,
    reason: 'x',
  })
  await done('/budget-lines/batch', { match: 'id', rows: [{ id: second.id, amount: 330 }] })
  expect([(await balanceOn('2026-10-01')).budget, (await balanceOn('2026-10-02')).budget]).toEqual([800, 860])

  const buyers = [{ name: 'Ana Soto' }]
  await plumbline.patch(`/api/ext/homes/${site.lot14}`, { basePrice: 300_000 }, { key: site.key })
  await plumbline.post(`/api/ext/communities/${site.communityId}/status`, { status: 'active' }, { key: site.key })
  const sale = await done('/sales', { homeId: site.lot14, buyers, basePrice: 300_000, incentives: 5000 })
  expect((await balanceOn('2026-10-02')).contract).toBe(0)
  await done(`/sales/${sale.id}/approve`, {})
  expect((await balanceOn('2026-10-02')).contract).toBe(295_000)
  const selection = await done(`/homes/${site.lot14}/selections`, {
    customDescription: 'Deck',
    unitPrice: 2000,
    cost: 1500,
    scope: 'framing',
  })
  at('2026-10-03T15:00:00Z')
  await done(`/selections/${selection.id}/status`, { status: 'approved' })
  expect(await balanceOn('2026-10-03')).toMatchObject({ contract: 297_000, budget: 2360 })
  await done(`/sales/${sale.id}/cancel`, { reason: 'The loan was refused.' })
  expect([(await balanceOn('2026-10-02')).contract, (await balanceOn('2026-10-03')).contract]).toEqual([295_000, 0])
})

test('the job cost ledger lists costs between an opening and a closing balance, page by page', async () => {
  at('2026-10-20T15:00:00Z')
  await journal(site.lot14, 100, '2026-09-30')
  await journal(site.lot14, 7, '2026-10-12')
  await journal(site.lot14, 5, '2026-10-10')
  await journal(site.lot14, 9, '2026-10-19')
  await journal(site.lot15, 1000, '2026-10-11')
  const path = `/homes/${site.lot14}/ledger?from=2026-10-01&to=2026-10-18`
  const all = await get(path)
  expect(all).toMatchObject({ opening: 100, closing: 112, from: '2026-10-01', to: '2026-10-18', lastPostingId: null })
  const rows = (body: Body) =>
    body.rows.map(({ posting, runningCost }: Body) => [posting.effectiveDate, posting.amount, runningCost])
  const expected = [
    ['2026-10-10', 5, 105],
    ['2026-10-12', 7, 112],
  ]
  expect(rows(all)).toEqual(expected)
  const first = await get(`${path}&limit=1`)
  const second = await get(`${path}&limit=1&afterPostingId=${first.lastPostingId}`)
  expect([...rows(first), ...rows(second)]).toEqual(expected)
  expect(second.lastPostingId).toBeNull()
  const unknown = await plumbline.get(`/api/ext${path}&afterPostingId=pst_none`, { key: site.key })
  expect([unknown.status, unknown.body.code]).toEqual([422, 'unknown_reference'])
})

test('the job cost ledger of a trade ignores letter case and can be limited to costs without a trade', async () => {
  const homeId = site.lot14
  const lines = [
    { homeId, scope: 'framing', amount: 120.5 },
    { homeId, amount: 15 },
  ]
  await done('/ledger/journals', { note: 'Rented tools.', lines })
  const ledgerOf = async (scope: string) => {
    const { opening, closing, rows } = await get(`/homes/${homeId}/ledger?scope=${scope}`)
    return [opening, closing, rows.map(({ posting }: Body) => posting.amount)]
  }
  expect(await ledgerOf('FRAMING')).toEqual([0, 120.5, [120.5]])
  expect(await ledgerOf('unassigned')).toEqual([0, 15, [15]])
  expect(await ledgerOf('roofing')).toEqual([0, 0, []])
})

test('postings and balances of a trade ignore letter case and can be limited to amounts without a trade', async () => {
  const { lot14, lot15 } = site
  const lines = [
    { homeId: lot14, scope: 'framing', amount: 120.5 },
    { homeId: lot15, scope: 'framing', amount: 30 },
    { homeId: lot15, amount: 15 },
  ]
  await done('/ledger/journals', { note: 'Rented tools.', lines })
  const amountsOf = async (query: string) =>
    (await get(`/ledger/postings?measure=cost&sort=sequence&${query}`)).data.map(({ amount }: Body) => amount)
  expect(await amountsOf('scope=FRAMING')).toEqual([120.5, 30])
  expect(await amountsOf(`scope=framing&homeId=${lot15}`)).toEqual([30])
  expect(await amountsOf('scope=unassigned')).toEqual([15])
  expect(await amountsOf('scope=roofing')).toEqual([])
  const first = await get('/ledger/postings?measure=cost&sort=sequence&scope=framing&limit=1')
  const second = await get(
    `/ledger/postings?measure=cost&sort=sequence&scope=framing&limit=1&cursor=${first.nextCursor}`,
  )
  expect([...first.data, ...second.data].map(({ amount }: Body) => amount)).toEqual([120.5, 30])
  const costOfTrade = async (query: string) => (await get(`/ledger/balances?${query}`)).balances[0].amounts.cost
  expect(await costOfTrade('scope=Framing')).toBe(150.5)
  expect(await costOfTrade(`scope=framing&homeId=${lot14}`)).toBe(120.5)
  expect(await costOfTrade('scope=unassigned')).toBe(15)
})

test('ledger balances by group are paginated', async () => {
  await journal(site.lot14, 1)
  await journal(site.lot15, 2)
  const by = async (query: string) => get(`/ledger/balances?groupBy=home${query}`)
  const costs = ({ balances }: Body) => balances.map(({ id, amounts }: Body) => [id, amounts.cost])
  const expected = [
    [site.lot14, 1],
    [site.lot15, 2],
  ].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
  expect(costs(await by(''))).toEqual(expected)
  const first = await by('&limit=1')
  expect([...costs(first), ...costs(await by(`&limit=1&afterId=${first.lastId}`))]).toEqual(expected)
  expect(costs(await get('/ledger/balances?groupBy=vendor'))).toEqual([[null, 3]])
})

test('a journal entry can be reversed only once', async () => {
  const created = await journal(site.lot14, 120, '2026-09-30')
  expect(created).toMatchObject({ number: 'JE-0001', journalType: 'journal', amount: 120, reversedByEntryId: null })
  const path = `/ledger/journals/${created.id}/reverse`
  expect(await refused(path, { reason: 'Refund.', effectiveDate: '2026-09-29' })).toMatchObject({ status: 422 })
  const reversal = await done(path, { reason: 'Refund.' })
  expect(reversal).toMatchObject({
    journalType: 'reversal',
    amount: -120,
    reversesEntryId: created.id,
    note: 'Refund.',
  })
  expect(await refused(path, { reason: 'Again.' })).toMatchObject({ code: 'already_done' })
  expect(await refused(`/ledger/journals/${reversal.id}/reverse`, { reason: 'Again.' })).toMatchObject({
    code: 'not_suitable',
  })
  expect([await costOf(site.lot14, '2026-09-30'), await costOf(site.lot14, '2026-10-01')]).toEqual([120, 0])
  expect((await get('/ledger/postings?sort=sequence')).data[0]).toMatchObject({
    note: 'Permit fee.',
    entryId: created.id,
  })
})

test('the accounting queue contains a journal entry and its reversal', async () => {
  const created = await journal(site.lot14, 120, '2026-09-30')
  const path = `/ledger/journals/${created.id}/reverse`
  const reversal = await done(path, { reason: 'Refund.' })
  const { items } = await get('/accounting/queue?type=journal')
  expect(items.map(({ id, amount, reason }: Body) => [id, amount, reason])).toEqual(
    expect.arrayContaining([
      [created.id, 120, 'new'],
      [reversal.id, -120, 'new'],
    ]),
  )
  await done('/accounting/acknowledgements', { rows: [{ id: created.id, version: 2, accountingId: 'GL-1' }] })
  expect(await get(`/ledger/journals/${created.id}`)).toMatchObject({
    accountingId: 'GL-1',
    reversedByEntryId: reversal.id,
  })
})

test('a filtered list of postings reads several pages of a long ledger to find a rare posting', async () => {
  const { id: entryId } = await journal(site.lot14, 120, '2026-09-15')
  const [rare] = (await get(`/ledger/postings?entryId=${entryId}&measure=cost`)).data
  await sql`
    insert into "postings" ("organizationId", "id", "entryId", "measure", "amount", "effectiveDate", "recordedAt", "basis", "actor")
    select "organizationId", 'pst_' || lpad(n::text, 26, '0'), 'ent_' || lpad(n::text, 26, '0'), 'budget', 1, '2026-10-01',
      "recordedAt", "basis", "actor"
    from "postings", generate_series(1, 4500) as n where "id" = ${rare.id}`.execute(plumbline.database.statements)
  const pages: number[] = []
  const found: Body[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Body = await get(`/ledger/postings?to=2026-09-30&measure=cost${cursor && `&cursor=${cursor}`}`)
    pages.push(page.data.length)
    found.push(...page.data)
    cursor = page.nextCursor
  }
  expect([pages, found]).toEqual([[0, 0, 1], [rare]])
  // A trade that no posting has is searched in the same way.
  const ofTrade = await get('/ledger/postings?scope=roofing&limit=1')
  expect([ofTrade.data, typeof ofTrade.nextCursor]).toEqual([[], 'string'])
  expect(await get(`/ledger/postings?ids=${rare.id}`)).toEqual({ data: [rare], nextCursor: null })
  const oldest = await get('/ledger/postings?sort=sequence&limit=2')
  expect(oldest.data[0]).toMatchObject({ entryId })
  expect(oldest.nextCursor).not.toBeNull()
})

test('a journal entry with unknown references, a future date, or an amount of zero is rejected', async () => {
  const { lot14: homeId } = site
  const one = async (line: object, more: object = {}) => {
    const { body } = await send('/ledger/journals', { note: 'x', lines: [{ homeId, amount: 1, ...line }], ...more })
    return body.errors?.map(({ pointer, code }: Body) => [pointer, code])
  }
  expect(await one({ homeId: 'hom_none', costCodeId: 'cco_none', scope: 'none' })).toEqual([
    ['/lines/0/homeId', 'unknown_reference'],
    ['/lines/0/scope', 'unknown_reference'],
    ['/lines/0/costCodeId', 'unknown_reference'],
  ])
  expect(await one({ amount: 0 })).toEqual([['/lines/0/amount', 'minimum']])
  expect(await one({}, { effectiveDate: '2026-10-02' })).toEqual([['/effectiveDate', 'maximum']])
  const transfer = (more: object) =>
    refused('/ledger/transfers', { fromHomeId: homeId, toHomeId: homeId, note: 'x', ...more })
  expect(await transfer({ amount: 1 })).toMatchObject({ status: 422, code: 'itself' })
  expect(await transfer({ amount: 0, toHomeId: site.lot15 })).toMatchObject({ status: 422, code: 'minimum' })
})

test('a ledger export starts after the given sequence number', async () => {
  await done('/ledger/journals', { note: '=1+1', lines: [{ homeId: site.lot14, amount: 5 }] })
  const lines = async (query: string) =>
    String((await plumbline.get(`/api/ext/ledger/postings.ndjson${query}`, { key: site.key })).body)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  const [first, second] = await lines('')
  expect(first).toMatchObject({ measure: 'cost', amount: 5, note: '=1+1' })
  expect(await lines(`?afterSequence=${first.sequence}`)).toEqual([second])
})

test('formulas in a CSV export of the ledger are escaped', async () => {
  await done('/ledger/journals', { note: '=1+1', lines: [{ homeId: site.lot14, amount: 5 }] })
  const csv = await plumbline.get('/api/ext/ledger/postings.csv', { key: site.key })
  const [header, ...rows] = String(csv.body).trim().split('\r\n')
  expect(header).toMatch(/^sequence,id,entryId,measure,amount,effectiveDate/)
  expect(rows).toHaveLength(2)
  expect(rows[0]).toContain(`'=1+1`)
})

test('progress cannot be recorded for a future date', async () => {
  const { id } = await order()
  expect(await refused(`/purchase-orders/${id}/progress`, { completedPercent: 5, on: '2026-10-02' })).toMatchObject({
    ...{ status: 422, code: 'maximum' },
  })
})

test("a builder cannot read another builder's ledger", async () => {
  await journal(site.lot14, 5)
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.get('/api/ext/ledger/postings', { key })).body.data).toEqual([])
  expect((await plumbline.get(`/api/ext/homes/${site.lot14}/ledger`, { key })).status).toBe(404)
})

test('a vendor merge moves the ledger balances to the remaining vendor', async () => {
  const { id } = await order()
  await done(`/purchase-orders/${id}/progress`, { completedPercent: 100 })
  const payment = await paid({ poId: id }, '2026-10-01')
  at('2026-10-02T15:00:00Z')
  await done('/execute', { skill: 'mergeVendors', input: { keepId: site.redrock, mergeId: site.loneStar } })
  const of = (vendorId: string, asOf: string) => balanceOn(asOf, `&vendorId=${vendorId}`)
  expect(await of(site.loneStar, '2026-10-01')).toMatchObject({ commitment: 1000, cost: 1000, paid: 900 })
  expect(await of(site.loneStar, '2026-10-02')).toMatchObject({ commitment: 0, cost: 0, paid: 0 })
  expect(await of(site.redrock, '2026-10-02')).toMatchObject({ commitment: 1000, cost: 1000, paid: 900 })
  await done(`/payments/${payment.id}/void`, { reason: 'The check was lost.' })
  expect(await of(site.loneStar, '2026-10-02')).toMatchObject({ cost: 0, paid: 0, payable: 0 })
  expect(await of(site.redrock, '2026-10-02')).toMatchObject({ cost: 1000, paid: 0, payable: 900, retainage: 100 })
})
