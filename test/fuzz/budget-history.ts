import type { PurchaseOrder } from '../../client/contract.gen.ts'
import type { Random } from '../../scripts/conformance/random.ts'
import { addDays } from '../../server/platform/values/calendar.ts'
import type { ServiceResponse } from '../support/test-plumbline.ts'

/** The data that the histories of a builder share. */
export interface HistorySetting {
  send(method: string, path: string, body?: unknown): Promise<ServiceResponse>
  organizationId: string
  communityId: string
  vendorId: string
  planId: string
  costCodes: readonly string[]
  /** The ID of a turnkey contract. */
  contractId: string
  userId: string
  /** Returns the Monday of a week that has no time entries yet. */
  nextWeek(): string
}

const SPELLINGS = ['framing', 'Framing', 'FRAMING', 'trim', 'Trim', 'roofing']
const MOVES: Readonly<Record<string, readonly string[]>> = {
  draft: ['pending_approval', 'approved', 'approved', 'approved', 'void'],
  pending_approval: ['approved', 'approved', 'draft', 'void'],
  approved: ['issued', 'issued', 'issued', 'void'],
  issued: ['accepted', 'accepted', 'declined', 'void'],
  accepted: ['partially_completed', 'completed', 'completed', 'void'],
  declined: ['draft', 'void'],
  partially_completed: ['completed', 'completed', 'void'],
  completed: ['closed', 'closed', 'partially_completed', 'void'],
}
const TIME_MOVES: Readonly<Record<string, readonly string[]>> = {
  open: ['submitted'],
  submitted: ['approved', 'approved', 'approved', 'rejected'],
  rejected: ['open'],
  approved: ['exported'],
}

const OPEN_STATUSES = ['issued', 'accepted', 'partially_completed', 'completed']

/**
 * A random history of one home's budget, performed over HTTP. The service may reject a step because of the home's
 * state. The successful steps are counted, so that the suite can check that its histories are not empty.
 */
export class BudgetHistory {
  readonly homeId: string
  /** The steps so far, which a failed test reports. */
  readonly steps: string[] = []
  readonly #ground: HistorySetting
  readonly #random: Random
  readonly #lines: string[] = []
  readonly #orders: { id: string; status: string }[] = []
  /** The timesheet to which time is added until it is approved. */
  #sheet: { id: string; weekStarting: string; status: string } | null = null
  /** The total at the time when the budget was locked, which must never change. */
  original: number | null = null

  constructor(ground: HistorySetting, random: Random, homeId: string) {
    this.#ground = ground
    this.#random = random
    this.homeId = homeId
  }

  /** Performs one random step and returns its name, or null if the service rejected the step. */
  async step(): Promise<string | null> {
    const { name, take } = this.#random.pick(this.#possible())
    const response = await take()
    if (response.status >= 500 || ![200, 201, 204, 409, 422].includes(response.status))
      throw new Error(`${name}: ${response.status} ${JSON.stringify(response.body)}`)
    const isRefused = response.status >= 400
    this.steps.push(`${name} ${isRefused ? 'refused' : JSON.stringify(response.body ?? null)}`)
    return isRefused ? null : name
  }

  #possible() {
    const steps = [
      { name: 'add a line', weight: 4, take: () => this.#addLine() },
      { name: 'estimate', weight: 2, take: () => this.#estimate() },
      { name: 'draft an order', weight: 4, take: () => this.#draft() },
      { name: 'order a lump sum', weight: 1, take: () => this.#orderLumpSum() },
      { name: 'lock', weight: 2, take: () => this.#lock() },
      { name: 'enter time', weight: 3, take: () => this.#enterTime() },
      { name: 'respell a trade', weight: 1, take: () => this.#respell() },
    ]
    if (this.#lines.length > 0) {
      steps.push(
        { name: 'change a line', weight: 3, take: () => this.#changeLine() },
        { name: 'remove a line', weight: 1, take: () => this.#removeLine() },
      )
    }
    if (this.original !== null && this.#lines.length > 1)
      steps.push({ name: 'transfer', weight: 9, take: () => this.#transfer() })
    const sheet = this.#sheet
    if (sheet !== null) steps.push({ name: 'move time', weight: 6, take: () => this.#moveTime(sheet) })
    if (this.#orders.length > 0) {
      steps.push(
        { name: 'change an order', weight: 2, take: () => this.#changeOrder() },
        { name: 'move an order', weight: 10, take: () => this.#moveOrder() },
      )
    }
    // Few orders reach the vendor, so later steps are more likely for those that do.
    if (this.#orders.some(({ status }) => OPEN_STATUSES.includes(status)))
      steps.push({ name: 'record progress', weight: 40, take: () => this.#recordProgress() })
    return steps.flatMap((step) => Array<typeof step>(step.weight).fill(step))
  }

  #amount(min = 0): number {
    return this.#random.between(min * 100, 200_000) / 100
  }

  /** Returns a cost code, null, or no field, at random. */
  #code(): { costCodeId?: string | null } {
    return this.#random.pick([{}, {}, { costCodeId: null }, { costCodeId: this.#random.pick(this.#ground.costCodes) }])
  }

  #pricing() {
    const random = this.#random
    if (random.chance(0.4))
      return { quantity: random.between(1, 99_999) / 1000, unitCost: random.between(1, 99_999) / 1000 }
    return { amount: this.#amount(random.chance(0.1) ? -100 : 0) }
  }

  async #addLine(): Promise<ServiceResponse> {
    const scope = this.#random.pick(SPELLINGS)
    const line = { scope, ...this.#code(), ...this.#pricing() }
    const response = await this.#ground.send('POST', `/homes/${this.homeId}/budget/lines`, line)
    if (response.status === 201) this.#lines.push(response.body.id)
    return response
  }

  #changeLine(): Promise<ServiceResponse> {
    const changes = this.#random.pick([
      { ...this.#pricing() },
      { amount: this.#amount(), unitCost: null },
      { quantity: this.#random.between(1, 9999) / 100 },
      { scope: this.#random.pick(SPELLINGS) },
      { ...this.#code(), description: 'Another one.' },
    ])
    return this.#ground.send('PATCH', `/budget-lines/${this.#random.pick(this.#lines)}`, changes)
  }

  #removeLine(): Promise<ServiceResponse> {
    return this.#ground.send('DELETE', `/budget-lines/${this.#random.pick(this.#lines)}`)
  }

  async #estimate(): Promise<ServiceResponse> {
    const on = this.#random.pick(['2026-03-01', '2026-09-01', '2030-01-01'])
    const response = await this.#ground.send('POST', `/homes/${this.homeId}/budget/estimate`, { on })
    const { body } = await this.#ground.send('GET', `/homes/${this.homeId}/budget/lines?source=base&limit=10`)
    for (const { id } of body.data) if (!this.#lines.includes(id)) this.#lines.push(id)
    return response
  }

  async #lock(): Promise<ServiceResponse> {
    const response = await this.#ground.send('POST', `/homes/${this.homeId}/budget/lock`)
    if (response.status === 200) this.original = response.body.totalOriginalBudgeted
    return response
  }

  /** Archives a trade, so that the next use of its name determines how the name is spelled. */
  async #respell(): Promise<ServiceResponse> {
    const name = this.#random.pick(SPELLINGS)
    const { body } = await this.#ground.send('GET', `/scopes?name=${name}`)
    const response = await this.#ground.send('DELETE', `/scopes/${body.data[0]?.id ?? 'scp_gone'}`)
    // Another history has archived the trade, and no step has used its name since.
    return response.status === 404 ? { ...response, status: 409 } : response
  }

  async #transfer(): Promise<ServiceResponse> {
    const total = async () => (await this.#ground.send('GET', `/homes/${this.homeId}/budget`)).body.totalBudgeted
    const before = await total()
    const response = await this.#ground.send('POST', `/homes/${this.homeId}/budget/transfers`, {
      fromLineId: this.#random.pick(this.#lines),
      toLineId: this.#random.pick(this.#lines),
      amount: this.#random.between(1, this.#random.pick([100, 200_000])) / 100,
      reason: 'It is needed there.',
    })
    if (response.status === 200 && response.body.fromBudgetedAfter < 0) throw new Error('A line fell below zero.')
    const after = await total()
    if (after !== before) throw new Error(`A transfer took the total from ${before} to ${after}.`)
    return response
  }

  #orderLines(isNegative: boolean) {
    const random = this.#random
    return Array.from({ length: random.between(1, 4) }, () => ({
      ...this.#code(),
      ...(this.#lines.length > 0 && random.chance(0.3) && { budgetLineId: random.pick(this.#lines) }),
      description: 'As agreed.',
      quantity: random.between(1, 20_000) / 1000,
      unitPrice: (random.between(1, 999_999) / 10_000) * (isNegative || random.chance(0.1) ? -1 : 1),
      taxPercent: random.pick([0, 0, 8.25, 6.37]),
    }))
  }

  async #draft(): Promise<ServiceResponse> {
    const random = this.#random
    const poType = random.pick(['base', 'base', 'variance', 'variance', 'backcharge'])
    const response = await this.#ground.send('POST', '/purchase-orders', {
      ...{ homeId: this.homeId, vendorId: this.#ground.vendorId, scope: random.pick(SPELLINGS), poType },
      ...(poType === 'variance' && { varianceReasonCode: 'weather', varianceResponsible: 'builder' }),
      lines: this.#orderLines(poType === 'backcharge'),
      retainagePercent: random.pick([0, 5, 7.5, 10, 33.33]),
    })
    if (response.status === 201) this.#orders.push({ id: response.body.id, status: response.body.status })
    return response
  }

  async #orderLumpSum(): Promise<ServiceResponse> {
    const { contractId } = this.#ground
    const response = await this.#ground.send('POST', '/purchase-orders', { homeId: this.homeId, contractId })
    if (response.status === 201) this.#orders.push({ id: response.body.id, status: response.body.status })
    return response
  }

  #changeOrder(): Promise<ServiceResponse> {
    const changes = this.#random.pick([
      { lines: this.#orderLines(false) },
      { retainagePercent: this.#random.pick([0, 2.5, 12.34]) },
      { scope: this.#random.pick(SPELLINGS) },
    ])
    return this.#ground.send('PATCH', `/purchase-orders/${this.#random.pick(this.#orders).id}`, changes)
  }

  /**
   * Records progress for the whole order or for its first line, as a percentage or an amount. The lines may have been
   * replaced in the meantime.
   */
  async #recordProgress(): Promise<ServiceResponse> {
    const random = this.#random
    const order = random.pick(this.#orders.filter(({ status }) => OPEN_STATUSES.includes(status)))
    const percent = random.pick([0, 33.33, 50, 99.99, 100, random.between(0, 10_000) / 100])
    const progress = random.pick([
      { completedPercent: percent },
      { lines: [{ lineId: 'line-1', completedPercent: percent }] },
      { lines: [{ lineId: 'line-1', completedQuantity: random.between(0, 20_000) / 1000 }] },
    ])
    const response = await this.#ground.send('POST', `/purchase-orders/${order.id}/progress`, {
      ...progress,
      reason: 'Agreed.',
    })
    if (response.status !== 200) return response
    order.status = response.body.status
    assertOrderConsistent(response.body)
    return response
  }

  async #moveOrder(): Promise<ServiceResponse> {
    const order = this.#random.pick(this.#orders)
    const status = this.#random.pick(MOVES[order.status] ?? ['void'])
    const response = await this.#ground.send('POST', `/purchase-orders/${order.id}/status`, {
      status,
      reason: 'Agreed.',
    })
    if (response.status !== 200) return response
    order.status = response.body.status
    assertOrderConsistent(response.body)
    return response
  }

  /** Adds hours to a day, which can turn other hours into overtime. After a week is approved, a new week starts. */
  async #enterTime(): Promise<ServiceResponse> {
    const random = this.#random
    const { send, userId, nextWeek } = this.#ground
    if (this.#sheet === null) {
      const weekStarting = nextWeek()
      const rate = random.pick([null, 38.125, random.between(1, 999_999) / 10_000])
      const response = await send('POST', '/timesheets', { userId, weekStarting, rate })
      if (response.status !== 201) return response
      this.#sheet = { id: response.body.id, weekStarting, status: 'open' }
    }
    const { id, weekStarting } = this.#sheet
    return send('POST', `/timesheets/${id}/entries`, {
      ...{ date: addDays(weekStarting, random.between(0, 6)), hours: random.between(1, 200_000) / 10_000 },
      ...(random.chance(0.8) && { homeId: this.homeId }),
      ...(random.chance(0.7) && { scope: random.pick(SPELLINGS) }),
      ...this.#code(),
      payType: random.pick(['regular', 'regular', 'regular', 'overtime', 'double', 'pto']),
      ...(random.chance(0.3) && { rate: random.between(0, 999_999) / 10_000 }),
    })
  }

  async #moveTime(sheet: { id: string; weekStarting: string; status: string }): Promise<ServiceResponse> {
    const status = this.#random.pick(TIME_MOVES[sheet.status] ?? ['open'])
    const response = await this.#ground.send('POST', `/timesheets/${sheet.id}/status`, { status, reason: 'Agreed.' })
    if (response.status === 200) this.#sheet = status === 'exported' ? null : { ...sheet, status }
    // After a week is approved, the next step is about a new week. Sometimes, the approved week is exported first.
    if (status === 'approved' && this.#random.chance(0.5)) this.#sheet = null
    return response
  }
}

/**
 * Asserts that the completed, billed, retained, paid, and payable amounts of an order agree to the cent. Completed work
 * is never below zero and never exceeds the total, even if the sum of lines and credits does.
 */
function assertOrderConsistent(order: PurchaseOrder): void {
  const cents = (amount: number) => Math.round(amount * 100)
  const { lines, completedAmount, billedAmount, retainedAmount, paidAmount, payableAmount, total, status } = order
  const [least, most] = [Math.min(0, cents(total)), Math.max(0, cents(total))]
  const sumOfLines = lines.reduce((sum, line) => sum + cents(line.completedAmount), 0)
  const done = Math.min(Math.max(sumOfLines, least), most)
  const isWhole = lines.every((line) => line.completedPercent === 100)
  const isRight =
    done === cents(completedAmount) &&
    billedAmount === completedAmount &&
    cents(paidAmount) + cents(retainedAmount) + cents(payableAmount) === cents(billedAmount) &&
    isWhole === (status === 'completed' || status === 'closed') &&
    (!isWhole || completedAmount === total) &&
    (status !== 'void' || completedAmount === 0)
  if (!isRight) throw new Error(`The amounts of ${JSON.stringify(order)} do not agree.`)
}
