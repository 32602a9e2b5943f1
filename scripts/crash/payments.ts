import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Payment, PurchaseOrder } from '../../client/contract.gen.ts'
import { Caller } from './caller.ts'

const ORDERS = 3

/** A request about payments. It is sent again if it gets no response. */
interface PaymentStep {
  path: string
  body: object
  /**
   * The external ID of the record that the request creates, by which the record is found afterward; null if it creates
   * none.
   */
  externalId: string | null
}

/**
 * Continuously pays a few orders with single payments and payment runs, and voids payments. Afterward, the effects of
 * each step must exist completely or not at all. No acknowledged payment may be lost or duplicated. The paid amount of
 * every order must equal the sum of its payments. Every payment and every void must have exactly one event.
 */
export class Payments {
  readonly #caller: Caller
  #vendorId = ''
  #orderIds: string[] = []
  #paymentIds: string[] = []
  readonly #unanswered = new Map<string, PaymentStep>()
  readonly #created = new Set<string>()
  readonly #odd: string[] = []
  #acknowledged = 0
  #isPaying = false

  constructor(key: string) {
    this.#caller = new Caller(key)
  }

  get acknowledged(): number {
    return this.#acknowledged
  }

  get unanswered(): number {
    return this.#unanswered.size
  }

  async prepare(service: string): Promise<void> {
    const created = (path: string, body: object) => this.#caller.made(service, path, body)
    const { id: communityId } = await created('/communities', { name: 'Juniper Ridge', status: 'active' })
    const { id: homeId } = await created('/homes', { name: 'Lot 14', communityId })
    const paymentTerms = { netDays: 0, discountPercent: 2 }
    this.#vendorId = (await created('/vendors', { companyName: 'Lone Star Framing LLC', paymentTerms })).id
    for (let n = 0; n < ORDERS; n++) {
      const lines = [{ description: 'As agreed', quantity: 1, unitPrice: 900_000.01 }]
      const order = { homeId, vendorId: this.#vendorId, scope: 'framing', retainagePercent: 7.5, lines }
      const { id } = await created('/purchase-orders', order)
      for (const status of ['approved', 'issued'])
        await this.#caller.send(service, 'POST', `/purchase-orders/${id}/status`, { status })
      await this.#caller.send(service, 'POST', `/purchase-orders/${id}/progress`, { completedPercent: 99.99 })
      this.#orderIds.push(id)
    }
  }

  /** Pays with this number of concurrent writers until the service no longer responds. */
  async write(service: string, writers: number): Promise<void> {
    this.#isPaying = true
    await Promise.all(
      Array.from({ length: writers }, async () => {
        while (this.#isPaying) if (!(await this.#take(service, randomUUID(), this.#anyStep()))) this.#isPaying = false
      }),
    )
  }

  async untilMore(count: number): Promise<void> {
    const goal = this.acknowledged + count
    const deadline = Date.now() + 60_000
    while (this.acknowledged < goal) {
      if (Date.now() > deadline) throw new Error(`${this.acknowledged} of ${goal} steps were acknowledged in a minute.`)
      await delay(2)
    }
  }

  async repeatUnanswered(service: string): Promise<void> {
    for (const [idempotencyKey, step] of [...this.#unanswered]) await this.#take(service, idempotencyKey, step)
  }

  #anyStep(): PaymentStep {
    const one = (those: readonly string[]) => those[Math.floor(Math.random() * those.length)] ?? ''
    const step = Math.random()
    const externalId = randomUUID()
    if (step < 0.4 || this.#paymentIds.length === 0) {
      const grossAmount = Math.ceil(Math.random() * 99_999) / 100
      return { path: '/payments', body: { poId: one(this.#orderIds), grossAmount, externalId }, externalId }
    }
    if (step < 0.45) return { path: '/payment-runs', body: { vendorIds: [this.#vendorId] }, externalId: null }
    const id = one(this.#paymentIds)
    if (step < 0.6) return { path: `/payments/${id}/void`, body: { reason: 'Made in a test.' }, externalId: null }
    const status = step < 0.8 ? 'approved' : 'paid'
    return { path: `/payments/${id}/status`, body: { status }, externalId: null }
  }

  /**
   * Sends a request. Returns whether it got a response. A rejection because of a payment's status is also a response.
   */
  async #take(service: string, idempotencyKey: string, step: PaymentStep): Promise<boolean> {
    this.#unanswered.set(idempotencyKey, step)
    const answer = await this.#caller.send(service, 'POST', step.path, step.body, idempotencyKey)
    if (answer === null) return false
    this.#unanswered.delete(idempotencyKey)
    if (answer.status === 409) return true
    if (answer.status !== 200 && answer.status !== 201)
      this.#odd.push(`${step.path} returned ${answer.status}: ${JSON.stringify(answer.body)}`)
    this.#acknowledged++
    const { id, paymentIds = [] } = answer.body as { id: string; paymentIds?: string[] }
    this.#paymentIds.push(...paymentIds)
    if (step.externalId === null) return true
    this.#paymentIds.push(id)
    this.#created.add(step.externalId)
    return true
  }

  /** Returns the payments that exist only partially, were lost, or exist twice; empty if there are no errors. */
  async faults(service: string): Promise<string[]> {
    const errors = this.#odd.splice(0)
    const payments = await this.#caller.all<Payment>(service, `/payments?vendorId=${this.#vendorId}&limit=200`)
    const known = payments.flatMap(({ externalId }) => externalId ?? [])
    if (new Set(known).size !== known.length) errors.push('a payment is there twice')
    const lost = [...this.#created].filter((externalId) => !known.includes(externalId))
    if (lost.length > 0) errors.push(`${lost.length} acknowledged payments are lost`)
    for (const id of this.#orderIds)
      errors.push(
        ...listOrderErrors(await this.#caller.read<PurchaseOrder>(service, `/purchase-orders/${id}`), payments),
      )
    const voided = payments.filter(({ status }) => status === 'voided')
    for (const [type, those] of [['payment.created', payments] as const, ['payment.voided', voided] as const]) {
      const path = `/events?type=${type}&limit=200`
      const events = await this.#caller.all<{ data: { object: { id: string } } }>(service, path)
      const fired = new Set(events.map(({ data }) => data.object.id))
      if (events.length !== those.length || those.some(({ id }) => !fired.has(id)))
        errors.push(`there are ${those.length} payments for ${events.length} events ${type}`)
    }
    return errors
  }
}

const toCents = (amount: number) => Math.round(amount * 100)

function listOrderErrors(order: PurchaseOrder, payments: readonly Payment[]): string[] {
  const { id, number, completedAmount, paidAmount, retainedAmount, payableAmount, reservedAmount } = order
  const net = (statuses: readonly string[]) =>
    payments
      .filter(({ status }) => statuses.includes(status))
      .flatMap(({ allocations }) => allocations.filter(({ poId }) => poId === id))
      .reduce((sum, { amount, retainageWithheld }) => sum + toCents(amount) - toCents(retainageWithheld), 0)
  const errors: string[] = []
  if (toCents(paidAmount) + toCents(retainedAmount) + toCents(payableAmount) !== toCents(completedAmount))
    errors.push(`what is paid, retained and payable of ${number} is not what is completed`)
  if (toCents(paidAmount) !== net(['paid']))
    errors.push(`${number} says ${paidAmount} is paid, its payments ${net(['paid'])}`)
  const reserved = net(['pending', 'approved'])
  if (toCents(reservedAmount) !== reserved)
    errors.push(`${number} reserves ${reservedAmount}, its payments ${reserved}`)
  return errors
}
