import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDays, toLocalDate } from '../../server/platform/values/calendar.ts'
import { expectBalancedLedger } from '../money/expect-balanced-ledger.ts'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { SEED, TIMEOUT_MS } from './bounds.ts'

/**
 * Runs random histories of orders with change orders. A history consists of progress, stored materials, bills, credit
 * memos, payments, payment runs, releases, voids, and closed periods on random dates. Each history has its own builder,
 * and two requests run at a time. After each pair of requests, SQL recomputes the following from the postings: the
 * ledger balance, the limits of each order with its change orders, and all amounts of orders, bills, and payments.
 *
 * BILL_HISTORIES sets the number of histories. To repeat a failed run, also set FUZZ_SEED to the printed seed.
 */
const HISTORIES = Number(process.env.BILL_HISTORIES ?? 50)
/**
 * The time limit for a history, long enough for a slow machine. A history takes less than a second on an idle machine.
 */
const TIMEOUT_PER_HISTORY_MS = 30_000
/**
 * The number of histories on one database. A large database is slow, because tests do not vacuum it and all events of a
 * service are checked when it stops.
 */
const HISTORIES_PER_DATABASE = 50

const STEP = fc.record({
  step: fc.constantFrom(
    ...(['progress', 'progress', 'progress', 'progress', 'bill', 'bill', 'bill', 'credit', 'change'] as const),
    ...(['approve', 'approve', 'approve', 'approve', 'payBill', 'payBill', 'payBill', 'payBill'] as const),
    ...(['pay', 'pay', 'pay', 'run', 'deposit', 'refund', 'release', 'release'] as const),
    ...(['settle', 'settle', 'settle', 'settle', 'settle', 'void', 'undo', 'close', 'closePeriod'] as const),
  ),
  order: fc.nat({ max: 4 }),
  percent: fc.integer({ min: 0, max: 100 }),
  cents: fc.integer({ min: 1, max: 60_000 }),
  daysAgo: fc.nat({ max: 20 }),
})
const PAIRS = fc.array(fc.tuple(STEP, STEP), { minLength: 5, maxLength: 16 })
type Step = (typeof STEP extends fc.Arbitrary<infer One> ? One : never) & object

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await start()
})
afterAll(() => plumbline.stop())

/** Starts the service without checking its responses against the contract. Other tests check them. */
function start(): Promise<TestPlumbline> {
  return startTestPlumbline({ CHECK_ANSWERS: 'false' })
}

/** The number of responses of each kind. The test uses it to check that the histories are not empty. */
const responses = new Map<string, number>()

test(`amounts stay within limits and the ledger balances after each step of ${HISTORIES} random histories, seed ${SEED}`, {
  timeout: TIMEOUT_MS + HISTORIES * TIMEOUT_PER_HISTORY_MS,
}, async () => {
  const startedAt = performance.now()
  let [histories, pairsTaken] = [0, 0]
  const report = () => {
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    const counts = JSON.stringify(Object.fromEntries([...responses].sort()))
    console.log(`seed ${SEED}: ${histories} histories, ${pairsTaken} checks, ${seconds} s: ${counts}`)
  }
  const property = fc.asyncProperty(PAIRS, async (pairs) => {
    const { key, organizationId } = await plumbline.newBuilder()
    const history = new History(key)
    await history.prepare()
    for (const [one, other] of pairs) {
      await Promise.all([history.take(one), history.take(other)])
      await expectBalancedLedger(plumbline, organizationId)
      pairsTaken++
    }
    histories++
    if (histories % HISTORIES_PER_DATABASE > 0 || histories === HISTORIES) return
    report()
    await plumbline.stop()
    plumbline = await start()
  })
  await fc.assert(property, { seed: SEED, numRuns: HISTORIES, endOnFailure: true })
  report()
  for (const step of ['progress 200', 'bill 201', 'approve 200', 'pay 201', 'payBill 201', 'run 201', 'settle 200'])
    expect(responses.get(step) ?? 0, step).toBeGreaterThan(0)
})

class History {
  readonly #key: string
  #homeId = ''
  #vendorId = ''
  readonly #orders: string[] = []
  readonly #bills: string[] = []
  readonly #approvedBills: string[] = []
  readonly #payments: string[] = []

  constructor(key: string) {
    this.#key = key
  }

  async prepare(): Promise<void> {
    const { body: community } = await this.#send('/communities', { name: 'Juniper Ridge', status: 'active' })
    this.#homeId = (await this.#send('/homes', { name: 'Lot 1', communityId: community.id })).body.id
    const paymentTerms = { netDays: 30, discountPercent: 1.5, discountDays: 10 }
    const vendor = { companyName: 'Lone Star', status: 'active', paymentTerms }
    this.#vendorId = (await this.#send('/vendors', vendor)).body.id
    const line = (unitPrice: number) => ({ description: 'As agreed.', quantity: 1, unitPrice })
    const taxed = { ...line(99.99), taxPercent: 8.25 }
    const steps = [{ atPercent: 50, percent: 2, applies: 'all' }]
    await this.#order({ retainagePercent: 10, retainageSteps: steps, lines: [line(333.33), line(-20), taxed] })
    await this.#order({ retainagePercent: 7.5, billingMethod: 'by_bill', lines: [line(500), line(0.01)] })
    await this.#order({ retainagePercent: 0, poType: 'backcharge', lines: [line(-80)] })
    await this.#order({ retainagePercent: 10, retainageMaxPercent: 5, lines: [line(250), line(250)] })
  }

  async #order(more: object): Promise<ServiceResponse> {
    const of = { homeId: this.#homeId, vendorId: this.#vendorId, scope: 'framing', ...more }
    const response = await this.#send('/purchase-orders', of)
    if (response.status !== 201) return response
    const { id } = response.body
    for (const status of ['approved', 'issued']) await this.#send(`/purchase-orders/${id}/status`, { status })
    if (this.#orders.length < 4) await this.#send(`/purchase-orders/${id}/progress`, { completedPercent: 40 })
    this.#orders.push(id)
    return response
  }

  async #send(path: string, body: object): Promise<ServiceResponse> {
    const response = await plumbline.post(`/api/ext${path}`, body, { key: this.#key })
    if (![200, 201, 409, 422].includes(response.status)) throw new Error(`${path}: ${JSON.stringify(response)}`)
    return response
  }

  async take(step: Step): Promise<void> {
    const response = await this.#respond(step)
    if (response === null) return
    const { status, body } = response
    const name = [step.step, status, ...(status < 300 ? [] : [body.reason ?? body.errors?.[0]?.code])].join(' ')
    responses.set(name, (responses.get(name) ?? 0) + 1)
  }

  async #respond({ step, order, percent, cents, daysAgo }: Step): Promise<ServiceResponse | null> {
    const poId = this.#orders[order % this.#orders.length] ?? ''
    const amount = cents / 100
    const share = (parts: number) => Math.ceil(cents / parts) / 100
    const payment = this.#payments.at(-1 - (percent % 3))
    const bill = this.#bills.at(-1 - (percent % 2))
    const approved = this.#approvedBills.at(-1)
    const reason = 'As seen.'
    const day = addDays(toLocalDate('UTC', plumbline.clock.now()), -daysAgo)
    switch (step) {
      case 'progress': {
        const lines = percent % 3 === 0 ? { lines: [{ lineId: 'line-1', storedAmount: share(10) }] } : null
        const progress = lines ?? { completedPercent: percent }
        return this.#send(`/purchase-orders/${poId}/progress`, { ...progress, on: day, reason })
      }
      case 'bill': {
        // Some bills are for two orders and for a cost without an order.
        const others = [
          { poId: this.#orders[1], amount: share(20) },
          { homeId: this.#homeId, description: 'Dumpster', amount: share(20) },
        ]
        const lines = [{ poId, amount: share(4) }, ...(percent % 4 === 0 ? others : [])]
        return this.#bill(lines, { invoiceDate: day })
      }
      case 'credit':
        return this.#bill([{ poId, amount: -share(8) }], { billType: 'credit_memo', invoiceDate: day })
      case 'approve':
        if (bill === undefined) return null
        return this.#approve(bill, percent > 20 ? { overrideReason: reason } : {})
      case 'change': {
        const unitPrice = percent > 50 ? amount : -share(4)
        const lines = [{ description: 'Change.', quantity: 1, unitPrice }]
        return this.#order({ poType: 'change', parentPoId: this.#orders[order % 2], lines })
      }
      case 'pay':
        return this.#pay({ poId, paymentType: 'progress', ...(percent > 70 && { grossAmount: amount }) })
      case 'payBill':
        if (approved === undefined) return null
        return this.#pay({ billId: approved, ...(percent > 50 && { amount: share(20) }) })
      case 'run': {
        const throughDate = addDays(day, percent)
        const response = await this.#send('/payment-runs', { vendorIds: [this.#vendorId], throughDate })
        if (response.status === 201) this.#payments.push(...response.body.paymentIds)
        return response
      }
      case 'deposit':
        return this.#pay({ poId, paymentType: 'deposit', grossAmount: share(4) })
      case 'refund':
        return this.#pay({ poId, paymentType: 'adjustment', grossAmount: -share(8) })
      case 'release':
        return this.#pay({ poId, paymentType: 'retainage_release', ...(percent > 50 && { grossAmount: share(50) }) })
      case 'settle':
        if (payment === undefined) return null
        await this.#send(`/payments/${payment}/status`, { status: 'approved' })
        return this.#send(`/payments/${payment}/status`, { status: 'paid', paidDate: day })
      case 'void':
        return payment === undefined ? null : this.#send(`/payments/${payment}/void`, { reason })
      case 'undo':
        return bill === undefined ? null : this.#send(`/bills/${bill}/void`, { reason })
      case 'close':
        return this.#send(`/purchase-orders/${poId}/status`, { status: percent > 20 ? 'closed' : 'void', reason })
      case 'closePeriod':
        return this.#send('/ledger/close', { throughDate: addDays(day, -10) })
    }
  }

  async #bill(lines: readonly object[], more: object): Promise<ServiceResponse> {
    const response = await this.#send('/bills', { vendorId: this.#vendorId, lines, ...more })
    if (response.status === 201) this.#bills.push(response.body.id)
    return response
  }

  async #approve(bill: string, more: object): Promise<ServiceResponse> {
    const response = await this.#send(`/bills/${bill}/status`, { status: 'approved', ...more })
    if (response.status === 200) this.#approvedBills.push(bill)
    return response
  }

  async #pay(body: object): Promise<ServiceResponse> {
    const response = await this.#send('/payments', body)
    if (response.status === 201) this.#payments.push(response.body.id)
    return response
  }
}
