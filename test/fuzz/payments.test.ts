import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Payment, PurchaseOrder } from '../../client/contract.gen.ts'
import { SeededRandom } from '../../scripts/conformance/random.ts'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { repeatUntilDeadline, SECONDS, SEED, TIMEOUT_MS } from './bounds.ts'

/**
 * Runs random histories of the payments to two vendors for a home. Several steps run at the same time: progress in both
 * directions, payments of every type for orders and lines, payment runs, approvals, and voids. One vendor has two
 * orders and a backcharge, which is deducted from its payments. The other vendor has one order, and no amount may move
 * from one vendor to the other. After each step, the amounts of the orders must equal the sums of their payments to the
 * cent, by order and by vendor. At the end, all work is completed and paid, and every order must be closed with exactly
 * its total.
 */
const HISTORIES = 6
const ROUNDS = 10
const STEPS = ['progress', 'progress', 'pay', 'pay', 'pay', 'pay', 'decide', 'decide', 'decide', 'void', 'run'] as const
const TYPES = ['progress', 'progress', 'progress', 'final', 'retainage_release', 'deposit', 'adjustment'] as const

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

test(`paid, retained, and payable amounts total the completed amount to the cent, for ${SECONDS} s, seed ${SEED}`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const taken = new Map<string, number>()
  const batches = await repeatUntilDeadline(performance.now() + SECONDS * 1000, async (seed) => {
    const { key } = await plumbline.newBuilder()
    for (let n = 0; n < HISTORIES; n++) await new History(key, new SeededRandom(seed * HISTORIES + n), taken).play()
  })
  console.log(`seed ${SEED}, ${batches * HISTORIES} histories: ${JSON.stringify(Object.fromEntries(taken))}`)
  for (const step of new Set([...STEPS, ...TYPES.map((type) => `pay ${type}`), 'pay backcharge', 'discount taken']))
    expect(taken.get(step) ?? 0, step).toBeGreaterThan(0)
})

const cents = (amount: number) => Math.round(amount * 100)
const total = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + cents(amount), 0)

class History {
  readonly #key: string
  readonly #random: SeededRandom
  readonly #taken: Map<string, number>
  readonly #steps: string[] = []
  #homeId = ''
  #vendorIds: string[] = []
  #orders: Pick<PurchaseOrder, 'id' | 'vendorId' | 'poType'>[] = []

  constructor(key: string, random: SeededRandom, taken: Map<string, number>) {
    this.#key = key
    this.#random = random
    this.#taken = taken
  }

  async play(): Promise<void> {
    try {
      await this.#prepare()
      for (let round = 0; round < ROUNDS; round++) {
        await Promise.all(Array.from({ length: this.#random.between(1, 3) }, () => this.#step()))
        await this.#check()
      }
      await this.#finish()
    } catch (error) {
      throw new Error(`A history went wrong:\n${this.#steps.join('\n')}`, { cause: error })
    }
  }

  async #send(path: string, body?: object): Promise<ServiceResponse> {
    const method = body === undefined ? 'GET' : 'POST'
    const response = await plumbline.request(method, `/api/ext${path}`, body, { key: this.#key })
    if (body !== undefined) this.#steps.push(`${path} ${JSON.stringify(body)} ${response.status}`)
    if (![200, 201, 409, 422].includes(response.status)) throw new Error(`${path}: ${JSON.stringify(response)}`)
    return response
  }

  #count(step: string): void {
    this.#taken.set(step, (this.#taken.get(step) ?? 0) + 1)
  }

  async #prepare(): Promise<void> {
    const random = this.#random
    const { body: community } = await this.#send('/communities', { name: 'Juniper Ridge', status: 'active' })
    this.#homeId = (await this.#send('/homes', { name: 'Lot 1', communityId: community.id })).body.id
    for (const companyName of ['Lone Star', 'Redrock']) {
      const { body: vendor } = await this.#send('/vendors', {
        ...{ companyName, status: 'active' },
        ...(random.chance(0.5) && {
          paymentTerms: { discountPercent: random.between(1, 9999) / 100, discountDays: 10 },
        }),
      })
      this.#vendorIds.push(vendor.id)
    }
    const [one, other] = this.#vendorIds
    await this.#order({ vendorId: one }, 1)
    await this.#order({ vendorId: one }, 1)
    await this.#order({ vendorId: one, poType: 'backcharge' }, -1)
    await this.#order({ vendorId: other }, 1)
  }

  async #order(of: object, sign: 1 | -1): Promise<void> {
    const random = this.#random
    const { body: order } = await this.#send('/purchase-orders', {
      ...{ homeId: this.#homeId, scope: 'framing', ...of },
      lines: Array.from({ length: random.between(1, 3) }, () => ({
        // The amount is at least one cent, so that there is something to pay.
        ...{ description: 'As agreed.', quantity: random.between(1000, 20_000) / 1000 },
        ...{ unitPrice: (sign * random.between(100, 999_999)) / 10_000, taxPercent: random.pick([0, 8.25]) },
      })),
      // A backcharge has no retainage by default.
      retainagePercent: sign < 0 ? 0 : random.pick([0, 5, 7.5, 10, 33.33, 100]),
    })
    for (const status of ['approved', 'issued']) await this.#send(`/purchase-orders/${order.id}/status`, { status })
    if (random.chance(0.7)) await this.#send(`/purchase-orders/${order.id}/progress`, { completedPercent: 60 })
    this.#orders.push(order)
  }

  async #step(): Promise<void> {
    const step = this.#random.pick(STEPS)
    const [progress, pay, decide] = [this.#progress, this.#pay, this.#decide]
    const steps = { progress, pay, decide, void: this.#void, run: this.#run }
    const response = await steps[step].call(this)
    if (response !== null && response.status < 300) this.#count(step)
  }

  #progress(): Promise<ServiceResponse> {
    const random = this.#random
    const percent = random.pick([25, 50, 99.99, 100, 100, random.between(0, 10_000) / 100])
    const body = random.pick([
      { completedPercent: percent },
      { lines: [{ lineId: 'line-1', completedPercent: percent }] },
    ])
    return this.#send(`/purchase-orders/${random.pick(this.#orders).id}/progress`, { ...body, reason: 'Agreed.' })
  }

  async #pay(): Promise<ServiceResponse> {
    const random = this.#random
    const paymentType = random.pick(TYPES)
    const { id: poId, vendorId, poType } = random.pick(this.#orders)
    const sign = poType === 'backcharge' ? -1 : 1
    const amount = (sign * random.between(1, random.pick([100, 2_000, 50_000]))) / 100
    const isExact = paymentType === 'deposit' || paymentType === 'adjustment' || random.chance(0.5)
    const one = { poId, ...(isExact && { grossAmount: amount }) }
    const several = this.#orders.filter((order) => order.vendorId === vendorId)
    // A backcharge reduces the payments.
    const allocations = several.map(({ id, ...of }) => ({
      ...{ poId: id, amount: of.poType === 'backcharge' ? -Math.ceil(Math.abs(amount) * 25) / 100 : Math.abs(amount) },
    }))
    const line = { poId, lineId: 'line-1', amount }
    const body = random.pick([
      one,
      ...(paymentType === 'adjustment' ? [{ poId, grossAmount: -amount }] : [one, { allocations }]),
      ...(paymentType === 'progress' ? [{ allocations: [line] }] : []),
    ])
    const discount = random.chance(0.2) && { discountAmount: 0.01 }
    const response = await this.#send('/payments', { ...body, paymentType, ...discount })
    if (response.status === 201) this.#count(`pay ${paymentType}`)
    return response
  }

  #run(): Promise<ServiceResponse> {
    return this.#send('/payment-runs', { vendorIds: this.#vendorIds, throughDate: '2100-01-01' })
  }

  async #anyPayment(statuses: readonly string[]): Promise<Payment | null> {
    const all = await Promise.all(this.#vendorIds.map((vendorId) => this.#paymentsTo(vendorId)))
    const payments = all.flat().filter(({ status }) => statuses.includes(status))
    return payments.length === 0 ? null : this.#random.pick(payments)
  }

  async #decide(): Promise<ServiceResponse | null> {
    const payment = await this.#anyPayment(['pending', 'approved'])
    if (payment === null) return null
    const status = payment.status === 'approved' ? 'paid' : this.#random.pick(['approved', 'approved', 'rejected'])
    return this.#send(`/payments/${payment.id}/status`, { status, reason: 'Agreed.' })
  }

  async #void(): Promise<ServiceResponse | null> {
    const payment = await this.#anyPayment(['pending', 'approved', 'paid'])
    return payment && this.#send(`/payments/${payment.id}/void`, { reason: 'Agreed.' })
  }

  async #paymentsTo(vendorId: string): Promise<Payment[]> {
    const { body } = await this.#send(`/payments?vendorId=${vendorId}&limit=200`)
    return body.data
  }

  async #ordersTo(vendorId: string): Promise<PurchaseOrder[]> {
    const { body } = await this.#send(`/purchase-orders?vendorId=${vendorId}&limit=200`)
    return body.data
  }

  async #check(): Promise<void> {
    let [provided, retained] = [0, 0]
    for (const vendorId of this.#vendorIds) {
      const of = await this.#checkVendor(vendorId)
      provided += of.given
      retained += of.retained
    }
    const { body: budget } = await this.#send(`/homes/${this.#homeId}/budget`)
    expect([cents(budget.totalPaid), cents(budget.totalRetained)]).toEqual([provided, retained])
    const codes = budget.scopes.flatMap((scope: { costCodes: { paid: number }[] }) => scope.costCodes)
    expect(total(codes.map(({ paid }: { paid: number }) => paid))).toBe(provided)
  }

  async #checkVendor(vendorId: string): Promise<{ given: number; retained: number }> {
    const [payments, orders] = [await this.#paymentsTo(vendorId), await this.#ordersTo(vendorId)]
    for (const order of orders) {
      const { completedAmount, retainedAmount, releasedAmount, paidAmount, payableAmount, reservedAmount, status } =
        order
      expect(total([paidAmount, retainedAmount, payableAmount])).toBe(cents(completedAmount))
      const net = (statuses: readonly string[], isRelease: boolean) =>
        payments
          .filter((payment) => statuses.includes(payment.status))
          .filter(({ paymentType }) => (paymentType === 'retainage_release') === isRelease)
          .flatMap(({ allocations }) => allocations)
          .filter(({ poId }) => poId === order.id)
          .reduce((sum, { amount, retainageWithheld }) => sum + cents(amount) - cents(retainageWithheld), 0)
      const released = net(['paid'], true)
      expect(cents(paidAmount)).toBe(net(['paid'], false) + released)
      expect(cents(releasedAmount)).toBe(released)
      expect(cents(reservedAmount)).toBe(net(['pending', 'approved'], false))
      const held = Math.round(Number((cents(completedAmount) * order.retainagePercent).toFixed(4)) / 100)
      expect(cents(retainedAmount)).toBe(status === 'closed' ? 0 : held - released)
      expect(status === 'closed').toBe(
        order.completedAt !== null && paidAmount !== 0 && paidAmount === completedAmount && reservedAmount === 0,
      )
    }
    const paid = payments.filter(({ status }) => status === 'paid')
    if (paid.some(({ discountTaken }) => discountTaken > 0)) this.#count('discount taken')
    if (paid.some(({ allocations }) => allocations.some(({ amount }) => amount < 0))) this.#count('pay backcharge')
    const given = total(paid.flatMap(({ amount, discountTaken }) => [amount, discountTaken]))
    expect(total(orders.map(({ paidAmount }) => paidAmount))).toBe(given)
    const [done, retained, payable] = (['completedAmount', 'retainedAmount', 'payableAmount'] as const).map((field) =>
      total(orders.map((order) => order[field])),
    )
    expect(given + (retained ?? 0) + (payable ?? 0)).toBe(done)
    return { given, retained: retained ?? 0 }
  }

  /** Voids pending payments. Then completes all work and pays all amounts. */
  async #finish(): Promise<void> {
    for (const vendorId of this.#vendorIds)
      for (const { id, status } of await this.#paymentsTo(vendorId))
        if (status === 'pending' || status === 'approved')
          await this.#send(`/payments/${id}/void`, { reason: 'It is over.' })
    for (const { id } of this.#orders) {
      await this.#send(`/purchase-orders/${id}/progress`, { completedPercent: 100 })
      for (const [i, paymentType] of ['adjustment', 'final', 'retainage_release', 'adjustment'].entries()) {
        const { body: order } = await this.#send(`/purchase-orders/${id}`)
        const left = (cents(order.completedAmount) - cents(order.paidAmount)) / 100
        if (left === 0) break
        const amount = paymentType === 'adjustment' && { grossAmount: i === 0 ? 0.01 : left }
        const { status, body } = await this.#send('/payments', { poId: id, paymentType, ...amount })
        if (status !== 201) continue
        this.#count(`pay ${paymentType}`)
        for (const status of ['approved', 'paid']) await this.#send(`/payments/${body.id}/status`, { status })
      }
    }
    await this.#check()
    for (const order of (await Promise.all(this.#vendorIds.map((vendorId) => this.#ordersTo(vendorId)))).flat())
      expect([order.status, order.paidAmount, order.balance]).toEqual(['closed', order.total, 0])
  }
}
