import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contract, describeSchemaErrors } from '../../../scripts/conformance/walked-contract.ts'
import { SkillStatementCounter } from '../../../test/support/count-statements.ts'
import { testEstimates } from '../../../test/support/demo-estimates.ts'
import { isTestedHere } from '../../../test/support/is-tested-here.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { addDays, toLocalDate } from '../../platform/values/calendar.ts'
import { sum } from '../../platform/values/money.ts'
import { createDemo } from './create-demo.ts'

const skills = new SkillStatementCounter()
let plumbline: TestPlumbline
let demo: { organizationId: string; key: string }
beforeAll(async () => {
  plumbline = await startTestPlumbline({}, { handlers: skills.handlers })
  demo = await createDemo(plumbline.database, plumbline.config)
})
afterAll(() => plumbline.stop())

async function all(path: string) {
  const found = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const after = cursor === '' ? '' : `&cursor=${cursor}`
    const page = `${path}${path.includes('?') ? '&' : '?'}limit=200${after}`
    const { body } = await plumbline.get(`/api/ext/${page}`, { key: demo.key })
    found.push(...body.data)
    cursor = body.nextCursor
  }
  return found
}

/** The homes that were planned before there were prices. */
const BY_HAND = ['CH 3', 'CH 9', 'JR 1', 'BB 2']

async function ordersByHome() {
  const codes = new Map((await all('communities')).map(({ id, code }) => [id, code]))
  const homes = new Map(
    (await all('homes')).map(({ id, communityId, lotNumber }) => [id, `${codes.get(communityId)} ${lotNumber}`]),
  )
  return (await all('purchase-orders')).map((order) => ({ home: homes.get(order.homeId), order }))
}

function isChosen({ optionSelectionId }: { optionSelectionId: string | null }): boolean {
  return optionSelectionId !== null
}

function getOrder({ order }: Record<string, string>): Record<string, string> {
  return getStory('story-orders').find((row) => row.order === order) ?? {}
}

/** Returns the rows of a file in `data`, without using the demo's own code. */
function getStory(name: string): Record<string, string>[] {
  return parse(readFileSync(path.join(import.meta.dirname, 'data', `${name}.csv`)), { columns: true })
}

function countBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const row of rows) counts[keyOf(row)] = (counts[keyOf(row)] ?? 0) + 1
  return counts
}

async function getStates(path: string, field = 'status'): Promise<string[]> {
  const found: Record<string, string>[] = await all(path)
  return [...new Set(found.map((one) => one[field] ?? ''))].sort()
}

test('the demo builder can be used immediately with its key', async () => {
  const { body } = await plumbline.get('/api/ext/me', { key: demo.key })
  expect(body.organization).toMatchObject({ id: demo.organizationId, name: 'Harrow & Finch Homes', currency: 'USD' })
  expect(await all('vendors')).toHaveLength(55)
  expect(await all('homes')).toHaveLength(12)
})

test('the demo has vendors, bid requests, bids, and orders in all statuses', async () => {
  expect(await getStates('vendors')).toEqual(['active', 'inactive', 'on_hold', 'prospective'])
  expect(await getStates('vendors', 'complianceStatus')).toEqual([
    'compliant',
    'exempt',
    'expired',
    'expiring',
    'missing',
  ])
  expect(await getStates('bids/requests')).toEqual(['awarded', 'cancelled', 'closed', 'draft', 'sent'])
  expect(await getStates('bids')).toEqual(expect.arrayContaining(['accepted', 'rejected', 'submitted']))
  expect((await getStates('homes')).length).toBeGreaterThanOrEqual(7)
  expect(await getStates('purchase-orders')).toEqual([
    'accepted',
    'approved',
    'closed',
    'completed',
    'declined',
    'draft',
    'issued',
    'partially_completed',
    'pending_approval',
    'void',
  ])
  const underWay = (await all('purchase-orders')).filter(({ status }) => status === 'partially_completed')
  for (const order of underWay) expect(order.completedAmount).toBeGreaterThan(0)
})

test('the newest records come first in the lists of the demo', async () => {
  const instants = (await all('purchase-orders')).map((order: { createdAt: string }) => order.createdAt)
  expect(instants).toEqual([...instants].sort().reverse())
})

test('the homes of the demo use its three plans', async () => {
  expect(await all('cost-codes')).toHaveLength(98)
  expect(await all('scopes')).toHaveLength(30)
  expect(await all('parts')).toHaveLength(225)
  const plans = await all('plans')
  expect(plans.map(({ code, elevations }) => [code, elevations.length]).sort()).toEqual([
    ['P1650', 2],
    ['P2100', 3],
    ['P2850', 3],
  ])
  expect(new Set(plans.map(({ status }) => status))).toEqual(new Set(['released']))
  const homes = await all('homes')
  const built = homes.map(({ lotNumber, planId, elevation, swing }) => [
    ...[lotNumber, plans.find(({ id }) => id === planId)?.code ?? null, elevation, swing],
  ])
  expect(built).toEqual(
    expect.arrayContaining([
      ['14', 'P2100', 'B', 'right'],
      ['9', null, null, 'right'],
    ]),
  )
})

test('the demo has forty options, and selections in every status', async () => {
  const options = await all('options')
  expect(options).toHaveLength(40)
  expect(new Set(options.map(({ status }) => status))).toEqual(new Set(['draft', 'active', 'retired']))
  expect(await getStates('selections')).toEqual([
    ...['approved', 'cancelled', 'declined', 'installed', 'ordered', 'pending'],
  ])
  // A part without a price must be reported instead of being treated as free.
  const [cooking] = options.filter(({ code }) => code === 'KI-GRM')
  const [selected] = (await all('selections')).filter(({ optionId }) => optionId === cooking.id)
  expect(selected).toMatchObject({ status: 'approved', cost: null, issues: [{ sku: 'APP-GRM' }] })
})

test('the demo has contracts with orders, including a contract with lump sums and a contract from an award', async () => {
  const contracts = await all('contracts')
  expect(contracts.map(({ status }) => status)).toEqual(['active', 'draft', 'active', 'terminated'])
  const [turnkey, , active] = contracts
  expect(turnkey).toMatchObject({ contractType: 'turnkey', lumpSums: [{}, { amount: 18_750 }, {}] })
  const bid = await plumbline.get(`/api/ext/bids/${active.bidId}`, { key: demo.key })
  expect(bid.body).toMatchObject({ status: 'accepted', contractId: active.id })
  const [order] = (await all('purchase-orders')).filter(({ contractId }) => contractId === active.id)
  expect(order).toMatchObject({ total: 16_080, lines: [{ unitPrice: 2680, quantity: 6, unit: 'KW' }] })
  const selection = await plumbline.get(`/api/ext/selections/${order.optionSelectionId}`, { key: demo.key })
  expect(selection.body).toMatchObject({ status: 'ordered', cost: 16_080, price: 24_900 })
})

test('demo records that are written in bulk follow the same rules as records created by operations', async () => {
  const { rows: overlapping } = await sql`
    select a."id" from "prices" a join "prices" b on b."organizationId" = a."organizationId" and b."partId" = a."partId"
      and b."vendorId" = a."vendorId" and b."communityId" is not distinct from a."communityId"
      and b."planId" is not distinct from a."planId" and b."minQuantity" = a."minQuantity" and b."id" > a."id"
      and daterange(a."effectiveDate", a."expirationDate", '[]') && daterange(b."effectiveDate", b."expirationDate", '[]')
    where a."organizationId" = ${demo.organizationId}`.execute(plumbline.database.statements)
  expect(overlapping).toEqual([])
  const scopes = new Set((await all('scopes')).map(({ name }) => name))
  const named = [...(await all('parts')), ...(await all('cost-codes'))].flatMap(({ scope }) => scope ?? [])
  expect(named.filter((name) => !scopes.has(name))).toEqual([])
})

test('demo prices start and end on the intended days relative to today', async () => {
  const pricesOf = async (sku: string) => {
    const [part] = await all(`parts`).then((parts) => parts.filter((part) => part.sku === sku))
    return (await all(`parts/${part.id}/prices`)).sort((a, b) => (a.effectiveDate < b.effectiveDate ? -1 : 1))
  }
  const today = toLocalDate('America/Chicago', plumbline.clock.now())
  // January 1 is 44 days after November 18.
  expect(await pricesOf('PLB-LAV')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ unitPrice: 78.54, expirationDate: addDays(today, 43) }),
      expect.objectContaining({ unitPrice: 80.11, effectiveDate: addDays(today, 44), expirationDate: null }),
    ]),
  )
  const [capstone] = await pricesOf('STN-CAP')
  expect(capstone.expirationDate < today).toBe(true)
})

test('demo homes that were planned after the prices took effect are budgeted by takeoff', async () => {
  const sources: Record<string, string[]> = {}
  for (const { id, address } of await all('homes')) {
    const lines: { source: string }[] = await all(`homes/${id}/budget/lines`)
    sources[address.line1] = [...new Set(lines.map(({ source }) => source))]
  }
  const byHand = Object.keys(sources).filter((home) => sources[home]?.includes('manual'))
  expect(byHand.sort()).toEqual([
    '118 Hollow Oak Ln',
    '142 Hollow Oak Ln',
    '2201 Juniper Ridge Dr',
    '907 Bluff Springs Cv',
  ])
  expect(Object.values(sources).filter((of) => of.includes('base'))).toHaveLength(8)
  expect(Object.values(sources).filter((of) => of.includes('option'))).toHaveLength(5)
})

test('the schedules of the demo homes cover every phase, delays, and vendor responses', async () => {
  const homes: { id: string; status: string; percentComplete: number | null }[] = await all('homes')
  for (const { id, status, percentComplete } of homes) {
    const { tasks } = (await plumbline.get(`/api/ext/homes/${id}/schedule`, { key: demo.key })).body
    expect([status, tasks.length]).toEqual([status, ['planning', 'cancelled'].includes(status) ? 0 : 101])
    // The demo builder's year must be the same, whatever the day of the week on which it is created.
    if (status === 'under_construction') {
      expect(percentComplete).toBeGreaterThan(24)
      expect(percentComplete).toBeLessThan(40)
    }
    if (status === 'closed') expect(percentComplete).toBe(100)
  }
  const tasks: { confirmation: { status: string }; delays: object[] }[] = await all('tasks')
  expect([...new Set(tasks.map(({ confirmation }) => confirmation.status))].sort()).toEqual([
    ...['confirmed', 'declined', 'none', 'requested', 'reschedule_requested'],
  ])
  expect(tasks.flatMap(({ delays }) => delays)).toHaveLength(15)
  const today = toLocalDate('America/Chicago', new Date())
  expect((await plumbline.get(`/api/ext/tasks?lateOn=${today}`, { key: demo.key })).body.data).not.toEqual([])
  expect(await getStates('milestones')).toEqual(['completed', 'pending'])
})

test('the demo leads match the demo data in status, owner, and activities', async () => {
  const leads: { id: string; email: string; status: string; ownerUserId: string; score: number }[] = await all('leads')
  const reported = getStory('leads')
  expect(Object.fromEntries(leads.map(({ email, status }) => [email, status]))).toEqual(
    Object.fromEntries(reported.map(({ email = '', status = '' }) => [email, status])),
  )
  const people = new Map((await all('users')).map(({ id, email }) => [id, email]))
  expect(countBy(leads, ({ ownerUserId }) => people.get(ownerUserId))).toEqual(
    countBy(reported, ({ owner = '' }) => owner),
  )
  const { rows } = await sql<{ email: string; count: number }>`
    select l."email", count(a."id")::int as "count" from "leads" as l
    left join "leadActivities" as a on a."organizationId" = l."organizationId" and a."leadId" = l."id"
      and a."occurredAt" <= l."lastActivityAt"
    where l."organizationId" = ${demo.organizationId} group by l."email"`.execute(plumbline.database.statements)
  expect(Object.fromEntries(rows.map(({ email, count }) => [email, String(count)]))).toEqual(
    Object.fromEntries(reported.map(({ email = '', activitiesCount = '' }) => [email, activitiesCount])),
  )
  const scoreOf = (status: string) =>
    Math.max(...leads.filter((lead) => lead.status === status).map(({ score }) => score))
  expect(scoreOf('proposal')).toBeGreaterThan(scoreOf('new'))
})

test('the demo sales have the prices, deposits, and outcomes in the demo data', async () => {
  const sales = await all('sales')
  const reported = getStory('sales')
  const numberOf = (field: string) => (row: Record<string, string>) => Number(row[field])
  expect(countBy(sales, ({ status }) => status)).toEqual({
    approved: 8,
    cancelled: 5,
    pending: 3,
    pipeline_complete: 9,
  })
  for (const row of reported) {
    const sale = sales.find(({ number }) => number === row.number)
    const { basePrice, lotPremium, incentives, discounts, totalPrice, optionsTotal } = sale
    const fixed = sum([basePrice, lotPremium, -incentives, -discounts])
    expect([row.number, row.status, fixed]).toEqual([
      ...[sale.number, sale.status, sum([numberOf('totalPrice')(row), -numberOf('optionsTotal')(row)])],
    ])
    // The file contains a total for the options of a home, which follows from its selections.
    if (row.home === '')
      expect([row.number, totalPrice, sale.commission]).toEqual([
        ...[row.number, numberOf('totalPrice')(row), numberOf('commission')(row)],
      ])
    else expect(totalPrice).toBe(sum([fixed, optionsTotal]))
  }
  const deposits = getStory('sale-deposits')
  const sumOf = (rows: Record<string, string>[]) => sum(rows.map(numberOf('amount')))
  const states: { amount: number; status: string }[] = sales.flatMap((sale) => sale.deposits)
  const sumIn = (status: string) => sum(states.filter((one) => one.status === status).map(({ amount }) => amount))
  const received = deposits.filter(({ receivedDate }) => receivedDate !== '')
  expect(sumIn('received')).toBe(sumOf(received.filter(({ disposition }) => disposition === '')))
  expect(sumIn('refunded')).toBe(sumOf(received.filter(({ disposition }) => disposition === 'returned')))
  expect(sumIn('forfeited')).toBe(sumOf(received.filter(({ disposition }) => disposition === 'forfeited')))
  expect(sum([sumIn('due'), sumIn('cancelled')])).toBe(
    sumOf(deposits.filter(({ receivedDate }) => receivedDate === '')),
  )
})

test('the sales status of each demo home matches its sales', async () => {
  const homes: { id: string; lotNumber: string; salesStatus: string; status: string; communityId: string }[] =
    await all('homes')
  const codes = new Map((await all('communities')).map(({ id, code }) => [id, code]))
  const states = homes.map(({ communityId, lotNumber, salesStatus }) => [
    `${codes.get(communityId)} ${lotNumber}`,
    salesStatus,
  ])
  expect(Object.fromEntries(states)).toEqual({
    ...{ 'CH 3': 'sold', 'CH 9': 'under_contract', 'BB 2': 'under_contract', 'BB 5': 'under_contract' },
    ...{ 'JR 14': 'under_contract', 'JR 16': 'under_contract', 'JR 22': 'under_contract', 'JR 23': 'reserved' },
    ...{ 'JR 15': 'available', 'JR 1': 'unavailable', 'MCC 1': 'unavailable', 'BB 8': 'unavailable' },
  })
})

test('closing the sale of a demo home closes the home', async () => {
  const homes: { id: string; status: string }[] = await all('homes')
  const closed = homes.find(({ status }) => status === 'closed')
  const { body } = await plumbline.get(`/api/ext/status-changes?resourceId=${closed?.id}`, { key: demo.key })
  expect(body.data.find(({ to }: { to: string }) => to === 'closed')).toMatchObject({ reason: null })
})

test('the demo orders match the demo data in status and, for manually budgeted orders, in total', async () => {
  const reported = getStory('story-orders')
  const orders = await ordersByHome()
  const stateOf = (home: unknown, { scope, poType, status }: Record<string, unknown>) =>
    [home, scope, poType, status].join(' ')
  const states = countBy(orders, ({ home, order }) => stateOf(home, order))
  expect(states).toMatchObject(countBy(reported, (row) => stateOf(row.home, row)))
  // There are three more orders, which are for selections.
  expect(orders).toHaveLength(reported.length + 3)
  const isByHand = (home = '') => BY_HAND.includes(home)
  const sumOf = (totals: number[]) => sum(totals)
  expect(
    sumOf(orders.filter(({ home, order }) => isByHand(home) && !isChosen(order)).map(({ order }) => order.total)),
  ).toBe(sumOf(reported.filter(({ home }) => isByHand(home)).map(({ total }) => Number(total))))
})

test('the demo vendors are paid the amounts in the demo data to the cent', async () => {
  // An invoice that was sent twice is a rejected bill, so there is no payment for it.
  const reported = getStory('story-payments').filter(({ status }) => status !== 'rejected')
  const payments = await all('payments')
  const vendors = new Map((await all('vendors')).map(({ id, companyName }) => [id, companyName]))
  const orders = await ordersByHome()
  expect(payments).toHaveLength(reported.length)
  const paid = new Map<string, number>()
  for (const row of reported) {
    const sent = payments.filter(
      ({ vendorId, invoiceNumber }) => vendors.get(vendorId) === row.vendor && invoiceNumber === row.invoiceNumber,
    )
    const payment = sent.find(({ status }) => status === row.status)
    const { order } = orders.find((each) => each.order.id === payment.poId) ?? {}
    // If the budget was computed, all amounts are the same share of the order as in the file.
    const share = BY_HAND.includes(row.home ?? '') ? 1 : order.total / Number(getOrder(row).total)
    const cents = (field: string) => Math.round(Number(row[field]) * share * 100) / 100
    expect([row.payment, payment.paymentType, payment.grossAmount]).toEqual([
      ...[row.payment, row.paymentType, row.paymentType === 'final' ? order.total : cents('grossAmount')],
    ])
    expect(Math.abs(payment.amount - cents('amount'))).toBeLessThanOrEqual(share === 1 ? 0 : 0.6)
    expect(payment.amount).toBe(sum([payment.grossAmount, -payment.retainageWithheld]))
    if (row.status === 'paid') paid.set(order.id, sum([paid.get(order.id) ?? 0, payment.amount]))
  }
  for (const { order } of orders)
    expect([order.number, order.paidAmount]).toEqual([order.number, paid.get(order.id) ?? 0])
})

test('the demo has a replaced check, a rejected duplicate invoice, and payable work', async () => {
  const payments = await all('payments')
  const [lost] = payments.filter(({ status }) => status === 'voided')
  const [replacement] = payments.filter(({ replacesPaymentId }) => replacesPaymentId === lost.id)
  expect(lost).toMatchObject({ method: 'check', voidReason: 'The check was lost in the mail.' })
  expect(replacement).toMatchObject({ status: 'paid', invoiceNumber: lost.invoiceNumber, amount: lost.amount })
  const [refused, ...others] = (await all('bills')).filter(({ status }) => status === 'rejected')
  expect(others).toEqual([])
  const sentBefore = payments.find(
    ({ vendorId, invoiceNumber }) => vendorId === refused.vendorId && invoiceNumber === refused.invoiceNumber,
  )
  expect(sentBefore).toMatchObject({ status: 'paid', grossAmount: refused.grossAmount })
  expect(countBy(payments, ({ status }) => status)).toMatchObject({ approved: 3, pending: 5 })
})

test('demo vendors have signed the required lien waivers for their payments', async () => {
  const waivers: { paymentId: string; waiverType: string; status: string }[] = await all('lien-waivers')
  const vendors = new Map((await all('vendors')).map(({ id, companyName }) => [id, companyName]))
  const keyOf = (vendor: unknown, invoice: unknown, status: unknown) => [vendor, invoice, status].join(' ')
  const payments = new Map(
    (await all('payments')).map((payment) => [
      ...([payment.id, keyOf(vendors.get(payment.vendorId), payment.invoiceNumber, payment.status)] as const),
    ]),
  )
  const reported = getStory('story-payments').filter(({ waiverStatus }) => waiverStatus !== 'not_required')
  const stateOf = (status: unknown) => (status === 'received' ? 'signed' : status)
  const expected = reported.map((row) => [
    ...[keyOf(row.vendor, row.invoiceNumber, row.status), row.waiverType, stateOf(row.waiverStatus)],
  ])
  const found = waivers.map(({ paymentId, waiverType, status }) => [payments.get(paymentId), waiverType, status])
  expect(found.map(String).sort()).toEqual(expected.map(String).sort())
})

test('findDuplicatePurchaseOrders finds only the landscaping order that was entered twice in the demo', async () => {
  const { body } = await plumbline.get('/api/ext/purchase-orders/duplicates', { key: demo.key })
  expect(body.sets).toMatchObject([
    {
      ...{ total: 11_840, count: 2, excess: 11_840 },
      orders: [
        { status: 'completed', scope: 'landscaping' },
        { status: 'draft', scope: 'landscaping' },
      ],
    },
  ])
})

test('getAccountingSyncQueue lists every approved or paid payment of the demo', async () => {
  const payments = await all('payments')
  const due = payments.filter(({ status }) => ['approved', 'paid'].includes(status))
  const { body } = await plumbline.get('/api/ext/accounting/queue?type=payment&limit=200', { key: demo.key })
  expect(body.items.map(({ id }: { id: string }) => id).sort()).toEqual(due.map(({ id }) => id).sort())
})

test('getForm1099Totals returns the amount paid to each demo vendor by year', async () => {
  const payments = (await all('payments')).filter(({ status }) => status === 'paid')
  const years = [...new Set(payments.map(({ paidDate }) => paidDate.slice(0, 4)))]
  for (const year of years) {
    const { body } = await plumbline.get(`/api/ext/accounting/tax-totals?year=${year}&limit=200`, { key: demo.key })
    const vendors = new Set<string>(body.vendors.map(({ vendorId }: { vendorId: string }) => vendorId))
    const inYear = payments.filter(({ paidDate, vendorId }) => paidDate.startsWith(year) && vendors.has(vendorId))
    expect([year, body.total]).toEqual([year, sum(inYear.map(({ amount }) => amount))])
  }
})

test('the demo has messages between users and vendors, including a portal reply', async () => {
  const messages: { subject: string; sender: { type: string }; threadId: string | null }[] = await all('messages')
  // The running service may already have notified vendors about their punch items.
  const written = messages.filter(({ sender }) => sender.type !== 'system')
  const senders = ['user', 'user', 'user', 'user', 'user', 'vendor', 'user', 'user']
  expect(written.map(({ sender }) => sender.type)).toEqual(senders)
  expect(messages.filter(({ threadId }) => threadId !== null)).toHaveLength(1)
})

test('the superintendents of the demo have timesheets that await approval', async () => {
  const timesheets: { status: string; totalHours: number; cost: number }[] = await all('timesheets')
  const submitted = timesheets.filter(({ status }) => status === 'submitted')
  expect(submitted.map(({ totalHours }) => totalHours)).toEqual(expect.arrayContaining([38.5, 38.5, 38.5, 38.5]))
  expect(submitted.every(({ cost }) => cost > 0)).toBe(true)
})

async function homeIdOf(address: string): Promise<string> {
  const home = (await all('homes')).find(({ address: { line1 } }) => line1 === address)
  return home.id
}

test('Lot 14 of the demo has 20 daily logs with photos, and an inspection that failed and then passed', async () => {
  const homeId = await homeIdOf('2227 Juniper Ridge Dr')
  const logs = await all(`daily-logs?homeId=${homeId}`)
  expect(logs).toHaveLength(20)
  expect(logs.every(({ status }) => status !== 'draft')).toBe(true)
  const inspections = await all(`inspections?homeId=${homeId}`)
  expect(inspections.filter(({ result }) => result !== null).map(({ attempt, result }) => [attempt, result])).toEqual([
    [2, 'passed'],
    [1, 'failed'],
  ])
  expect(await getStates('permits')).toEqual(['applied', 'finaled', 'issued'])
  const [expiring] = await all(`permits?homeId=${await homeIdOf('2235 Juniper Ridge Dr')}`)
  const today = toLocalDate('America/Chicago', plumbline.clock.now())
  expect(expiring).toMatchObject({ status: 'issued', expiryDate: addDays(today, 12) })
  const photos = (await all('attachments')).filter(({ kind }) => kind === 'photo')
  expect(photos.length).toBeGreaterThanOrEqual(8)
  expect(photos.every(({ width, height }) => width === 640 && height === 480)).toBe(true)
})

test('the final walkthrough of the demo has 32 punch items in every status, and warranty requests have all kinds', async () => {
  const [final] = (await all('walkthroughs')).filter(({ kind }) => kind === 'final')
  const items = await all(`punch-items?walkthroughId=${final.id}`)
  expect(items).toHaveLength(32)
  expect([...new Set(items.map(({ status }) => status))].sort()).toEqual([
    ...['assigned', 'cancelled', 'fixed', 'open', 'verified'],
  ])
  expect(items.filter(({ reopenedCount }) => reopenedCount > 0)).toHaveLength(1)
  const requests = ['assigned', 'closed', 'completed', 'new', 'not_covered', 'scheduled']
  expect(await getStates('warranty-requests')).toEqual(requests)
})

test("the demo's superintendents have homes, tasks, and a walkthrough to sign in their day", async () => {
  const people = new Map((await all('users')).map(({ id, email }) => [email, id]))
  const readDay = async (email: string) =>
    (await plumbline.get(`/api/ext/field/day?superintendentId=${people.get(email)}`, { key: demo.key })).body
  const marcus = await readDay('marcus@harrowfinch.example.com')
  expect(marcus.homes.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['Lot 14', 'Lot 16']))
  expect(marcus.tasks.length).toBeGreaterThan(5)
  const lena = await readDay('lena@harrowfinch.example.com')
  expect(lena.walkthroughs).toMatchObject([{ kind: 'quality' }, { kind: 'final' }])
})

test('plan P2100 of the demo has eight sheets, one of them at revision C', async () => {
  const labels = (await all('drawings')).map(({ sheetNumber, revisions }) => `${sheetNumber} ${revisions[0].label}`)
  expect(labels.toSorted()).toEqual([
    ...['A-101 A', 'A-201 A', 'E-101 C', 'M-101 A', 'P-101 A', 'S-101 A', 'S-201 A', 'T-101 A'],
  ])
})

test('the owner of Lot 22 in the demo has five choices, one of them late, and a change order to sign', async () => {
  const homeId = await homeIdOf('2259 Juniper Ridge Dr')
  const choices = await all(`selections?homeId=${homeId}`)
  const today = toLocalDate('America/Chicago', plumbline.clock.now())
  const own = choices.filter(({ customDescription }) => customDescription !== 'Gas line with a shutoff valve')
  expect(own).toHaveLength(5)
  const late = own.filter(({ status, deadline }) => status === 'pending' && deadline !== null && deadline < today)
  const garage = (await all('options')).find(({ code }) => code === 'ST-3CAR')
  expect(late).toMatchObject([{ optionId: garage.id, deadline: addDays(today, -2) }])
  const owners = await all(`home-owners?homeId=${homeId}`)
  expect(owners).toMatchObject([{ name: expect.stringContaining('Haverty') }])
  const { body: home } = await plumbline.get(`/api/ext/homes/${homeId}`, { key: demo.key })
  const changes = await all(`sales/${home.saleId}/changes`)
  expect(changes).toMatchObject([{ status: 'sent', title: 'Gas connection at the patio', price: 640 }])
})

test('every status history of the demo is complete and in order', async () => {
  const { rows } = await sql<{ resourceId: string; from: string | null; to: string; at: Date }>`
    select "resourceId", "from", "to", "at" from "statusChanges"
    where "organizationId" = ${demo.organizationId} order by "resourceId", "id"`.execute(plumbline.database.statements)
  const wrong = rows.filter(({ resourceId, from, at }, i) => {
    const before = rows[i - 1]
    return before?.resourceId === resourceId && (from !== before.to || new Date(at) < new Date(before.at))
  })
  expect(wrong).toEqual([])
})

test('the demo has events of the expected types', async () => {
  const types = await plumbline.database.statements
    .selectFrom('events')
    .select('type')
    .distinct()
    .where('organizationId', '=', demo.organizationId)
    .orderBy('type')
    .execute()
  const webhooks = contract.document.webhooks as Record<string, { post: { 'x-timed'?: true } }>
  // The running service may already have recorded events that only depend on the time.
  const told = types.map(({ type }) => type).filter((type) => webhooks[type]?.post['x-timed'] !== true)
  expect(told).toEqual([
    'bid.accepted',
    'bid.rejected',
    'bid.submitted',
    'bid_request.created',
    'bid_request.sent',
    'bid_request.updated',
    'bill.approved',
    'bill.paid',
    'bill.received',
    'bill.rejected',
    'budget_line.created',
    'budget_line.updated',
    'contract.created',
    'contract.status_changed',
    'daily_log.submitted',
    'drawing.revised',
    'home.created',
    'home.status_changed',
    'home.updated',
    'inspection.completed',
    'inspection.scheduled',
    'lead.converted',
    'lead.created',
    'message.sent',
    'milestone.completed',
    'payment.created',
    'payment.status_changed',
    'payment.voided',
    'po.created',
    'po.status_changed',
    'punch_item.created',
    'punch_item.status_changed',
    'sale.approved',
    'sale.cancelled',
    'sale.created',
    'sale.pipeline_complete',
    'task.completed',
    'task.status_changed',
    'vendor.created',
    'vendor.invited',
    'vendor.notification.advance',
    'vendor.notification.reminder',
    'vendor.updated',
    'warranty_request.created',
    'warranty_request.status_changed',
  ])
})

test('the demo contains an order with a bill from the portal that awaits approval', async () => {
  const orders = (await all('purchase-orders')).filter(({ billingMethod }) => billingMethod === 'by_bill')
  expect(orders).toMatchObject([{ status: 'accepted', scope: 'roofing' }])
  const [order] = orders
  const received = (await all('bills')).filter(({ status }) => status === 'received')
  expect(received).toMatchObject([{ source: 'portal', vendorId: order.vendorId, lines: [{ poId: order.id }] }])
  const [bill] = received
  expect(bill.grossAmount).toBeLessThan(order.total)
  expect(await all(`attachments?recordId=${bill.id}`)).toMatchObject([{ fileName: 'BN-5518.pdf' }])
  await plumbline.post(`/api/ext/vendors/${order.vendorId}/invite`, {}, { key: demo.key })
  const { body } = await plumbline.post(`/api/ext/vendors/${order.vendorId}/portal-link`, {}, { key: demo.key })
  const response = await fetch(plumbline.url + new URL(`${body.portalUrl}/${order.id}/bill`).pathname)
  expect(await response.text()).toContain('Send a bill')
})

test('every example of a read-only skill needs at most ten statements, regardless of the number of records', async () => {
  interface Declared {
    writes: boolean
    examples: Record<string, { value: object }>
  }
  const declared = Object.entries(contract.document['x-skills'] as Record<string, Declared>)
  for (const [skill, { writes, examples }] of declared) {
    for (const { value: input } of writes ? [] : Object.values(examples)) {
      skills.statements = 0
      const { status, body } = await plumbline.post('/api/ext/execute', { skill, input }, { key: demo.key })
      expect([skill, status, body.detail]).toEqual([skill, 200, undefined])
      expect([skill, describeSchemaErrors(body.result, 'x-skills', skill, 'output')]).toEqual([skill, ''])
      expect([skill, skills.statements > 10]).toEqual([skill, false])
    }
  }
})

// The tests of the operations run on both databases. These tests check only the figures of the price book.
if (isTestedHere()) testEstimates(() => ({ plumbline, key: demo.key }))
