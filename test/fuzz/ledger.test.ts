import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkLedgers } from '../../server/domain/ledger/check-ledgers.ts'
import { addDays, toLocalDate } from '../../server/platform/values/calendar.ts'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { repeatUntilDeadline, SECONDS, SEED, TIMEOUT_MS } from './bounds.ts'

/**
 * Runs random histories of a home's orders, payments, journals, and closed periods. After each step, SQL adds up all
 * postings. For every home, order, vendor, cost code, and date, the cost must equal the total of its sources, and the
 * balances must equal the amounts in the records. At the end, the digest of every closed period must be unchanged, and
 * the balances of past days must equal those that were read on these days.
 */
const STEPS = fc.array(
  fc.record({
    step: fc.constantFrom(
      ...(['progress', 'progress', 'progress', 'pay', 'pay', 'pay', 'approve', 'approve', 'approve'] as const),
      ...(['release', 'void', 'transfer', 'journal', 'reverse', 'close', 'undo'] as const),
    ),
    order: fc.nat({ max: 2 }),
    percent: fc.integer({ min: 0, max: 100 }),
    cents: fc.integer({ min: 1, max: 99_999 }),
    daysAgo: fc.nat({ max: 60 }),
  }),
  { minLength: 10, maxLength: 25 },
)
type Step = (typeof STEPS extends fc.Arbitrary<infer Steps> ? Steps : never) extends (infer One)[] ? One : never

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

/** The number of responses of each kind. The test uses it to check that the histories are not empty. */
const answers = new Map<string, number>()

test(`ledger postings balance after every random step, for ${SECONDS} s, seed ${SEED}`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const property = fc.asyncProperty(STEPS, async (steps) => {
    const { key, organizationId } = await plumbline.newBuilder()
    await new History(key, organizationId).play(steps)
  })
  const batches = await repeatUntilDeadline(performance.now() + SECONDS * 1000, (seed) =>
    fc.assert(property, { seed, numRuns: 2 }),
  )
  console.log(`seed ${SEED}, ${batches * 2} histories: ${JSON.stringify(Object.fromEntries([...answers].sort()))}`)
  for (const step of ['progress 200', 'pay 201']) expect(answers.get(step) ?? 0, step).toBeGreaterThan(0)
})

class History {
  readonly #key: string
  readonly #organizationId: string
  readonly #known = new Map<string, string>()
  #homes: string[] = []
  #orders: string[] = []
  #payments: string[] = []
  #journals: string[] = []

  constructor(key: string, organizationId: string) {
    this.#key = key
    this.#organizationId = organizationId
  }

  async play(steps: readonly Step[]): Promise<void> {
    await this.#prepare()
    for (const step of steps) {
      const response = await this.#take(step)
      if (response !== null)
        answers.set(`${step.step} ${response.status}`, (answers.get(`${step.step} ${response.status}`) ?? 0) + 1)
      await this.#check()
    }
    await this.#checkCloses()
  }

  async #send(path: string, body?: object): Promise<ServiceResponse> {
    const method = body === undefined ? 'GET' : 'POST'
    const response = await plumbline.request(method, `/api/ext${path}`, body, { key: this.#key })
    if (![200, 201, 409, 422].includes(response.status)) throw new Error(`${path}: ${JSON.stringify(response)}`)
    return response
  }

  async #prepare(): Promise<void> {
    const { body: community } = await this.#send('/communities', { name: 'Juniper Ridge', status: 'active' })
    for (const name of ['Lot 1', 'Lot 2'])
      this.#homes.push((await this.#send('/homes', { name, communityId: community.id })).body.id)
    const { body: vendor } = await this.#send('/vendors', { companyName: 'Lone Star', status: 'active' })
    const line = (unitPrice: number) => ({ description: 'As agreed.', quantity: 1, unitPrice, taxPercent: 8.25 })
    const orders = [
      { retainagePercent: 10, lines: [line(1000)] },
      { retainagePercent: 7.5, lines: [line(333.33), line(66.67), line(0.01)] },
      { retainagePercent: 0, lines: [line(500), line(-120)] },
    ]
    for (const order of orders) {
      const of = { homeId: this.#homes[0], vendorId: vendor.id, scope: 'framing', ...order }
      const { body } = await this.#send('/purchase-orders', of)
      for (const status of ['approved', 'issued']) await this.#send(`/purchase-orders/${body.id}/status`, { status })
      await this.#send(`/purchase-orders/${body.id}/progress`, { completedPercent: 40, on: '2026-01-01' })
      this.#orders.push(body.id)
    }
  }

  async #take({ step, order, percent, cents, daysAgo }: Step): Promise<ServiceResponse | null> {
    const amount = cents / 100
    const day = addDays(toLocalDate('UTC', plumbline.clock.now()), -daysAgo)
    const [homeId, toHomeId] = this.#homes
    const poId = this.#orders[order]
    switch (step) {
      case 'progress':
        return this.#send(`/purchase-orders/${poId}/progress`, {
          completedPercent: percent,
          on: day,
          reason: 'As seen.',
        })
      case 'undo':
        return this.#send(`/purchase-orders/${poId}/status`, { status: 'void' })
      case 'pay':
      case 'release': {
        const paymentType = step === 'pay' ? 'progress' : 'retainage_release'
        const discount = step === 'pay' && percent > 50 ? { discountAmount: 0.01, discountDueDate: day } : {}
        const response = await this.#send('/payments', { poId, paymentType, ...discount })
        if (response.status === 201) this.#payments.push(response.body.id)
        return response
      }
      case 'approve': {
        const id = this.#payments.at(-1)
        if (id === undefined) return null
        await this.#send(`/payments/${id}/status`, { status: 'approved' })
        return this.#send(`/payments/${id}/status`, { status: 'paid', paidDate: day })
      }
      case 'void': {
        const id = this.#payments.at(order - 3)
        return id === undefined ? null : this.#send(`/payments/${id}/void`, { reason: 'Lost.' })
      }
      case 'transfer':
        return this.#send('/ledger/transfers', { fromHomeId: homeId, toHomeId, amount, note: 'x', effectiveDate: day })
      case 'journal': {
        const lines = [{ homeId, amount: percent > 50 ? amount : -amount }]
        const response = await this.#send('/ledger/journals', { note: 'x', effectiveDate: day, lines })
        if (response.status === 201) this.#journals.push(response.body.id)
        return response
      }
      case 'reverse': {
        const id = this.#journals.at(-1)
        return id === undefined ? null : this.#send(`/ledger/journals/${id}/reverse`, { reason: 'x' })
      }
      case 'close': {
        const response = await this.#send('/ledger/close', { throughDate: day })
        if (response.status === 200) this.#known.set(day, JSON.stringify(response.body.balances))
        return response
      }
    }
  }

  async #check(): Promise<void> {
    const { rows } = await sql`
      select "homeId", "poId", "vendorId", "costCodeId", "effectiveDate" from "postings"
      where "organizationId" = ${this.#organizationId}
      group by 1, 2, 3, 4, 5
      having sum(case when "measure" = 'cost' then "amount" when "measure" in ('unbilled', 'payable', 'retainage', 'paid',
        'discount', 'withheldTax', 'payroll', 'other') then - "amount" else 0 end) <> 0`.execute(
      plumbline.database.statements,
    )
    expect(rows).toEqual([])
    await sql`delete from "ledgerChecks" where "organizationId" = ${this.#organizationId}`.execute(
      plumbline.database.statements,
    )
    await checkLedgers(plumbline.app.services)
    const { rows: differences } = await sql`
      select "label", "measure", "posted", "expected" from "ledgerDifferences"
      where "organizationId" = ${this.#organizationId}`.execute(plumbline.database.statements)
    expect(differences).toEqual([])
  }

  /**
   * Asserts that the balances of closed days are unchanged, and that each closed period contains the number of postings
   * that it reports.
   */
  async #checkCloses(): Promise<void> {
    for (const [day, balances] of this.#known) {
      const { body } = await this.#send(`/ledger/balances?asOf=${day}`)
      expect(JSON.stringify(body.balances[0].amounts)).toBe(balances)
    }
    const { body: closes } = await this.#send('/ledger/closes')
    for (const { fromDate, throughDate, postingCount } of closes.data) {
      const from = fromDate === null ? '' : `&from=${fromDate}`
      const { body } = await this.#send(`/ledger/postings?limit=200&to=${throughDate}${from}`)
      expect(body.data.length).toBe(postingCount)
    }
  }
}
