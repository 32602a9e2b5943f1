import type { Home, PurchaseOrder, PurchaseOrderStatus } from '../../../client/contract.gen.ts'
import { postCommitment, postProgress } from '../../domain/paying/purchase-orders/post-order.ts'
import { atPercent } from '../../domain/paying/purchase-orders/progress.ts'
import * as orders from '../../domain/paying/purchase-orders/queries.ts'
import { recordStatusChange } from '../../platform/events/status-history.ts'
import { orNull, type RowOf, rowsOf } from './rows.ts'
import { JUST_BEFORE, LONG_AGO, Named, type Timeline } from './timeline.ts'
import { BUDGETS, demoHomes, isBudgetedByHand, type ScopeName } from './world.ts'

interface Made {
  readonly vendors: Named<string>
  readonly homes: Named<Home>
}

type Row = RowOf<'story-orders'>

/** The completed percentage of orders in progress, unless more was paid: the rough-in, or the first load. */
const PARTLY_DONE = 40

/** Days until a vendor declines, and until an order is voided. */
const DAYS_TO_DECLINE = 2
const DAYS_TO_VOID = 7

/**
 * Tells the orders of the homes, except those from an award. In the story all budgets were made by hand. If the demo
 * has computed a budget, an order keeps its share of it instead.
 */
export class Orders {
  /** By home and trade, as the story names them. */
  readonly made = new Named<PurchaseOrder>()
  readonly #timeline: Timeline
  readonly #made: Made
  readonly #homes = demoHomes()
  readonly #payments = rowsOf('story-payments')

  constructor(timeline: Timeline, made: Made) {
    this.#timeline = timeline
    this.#made = made
  }

  plan(): void {
    for (const row of rowsOf('story-orders'))
      if (!isFromAward(row)) this.#timeline.on(Number(row.daysAgo), (ago) => this.#order(ago, row))
  }

  async #order(ago: number, row: Row): Promise<void> {
    const { order, scope, poType, parentOrder, varianceReasonCode, varianceResponsible } = row
    const home = this.#made.homes.get(row.home)
    const made = await this.#timeline.do(ago, 'createPurchaseOrder', {
      ...{ homeId: home.id, vendorId: this.#made.vendors.get(row.vendor), scope, poType },
      parentPoId: parentOrder === '' ? null : this.made.get(parentOrder).id,
      varianceReasonCode: orNull(varianceReasonCode),
      varianceResponsible: orNull(varianceResponsible),
      notes: poType === 'base' ? null : orNull(row.note),
      // No retainage on what a buyer pays for at once.
      ...(varianceResponsible === 'customer' && { retainagePercent: 0 }),
      lines: [
        { description: `${capital(scope)}, ${home.name}`, quantity: 1, unitPrice: await this.#amountOf(ago, row) },
      ],
    })
    this.made.set(order, made)
    // Work can be billed on the day on which it is done.
    const completed = Number(row.completedDaysAgo)
    if (completed >= LONG_AGO) this.#timeline.on(completed + JUST_BEFORE, (day) => this.#complete(day, made, row))
    else this.#follow(made, row)
  }

  #follow(made: PurchaseOrder, row: Row): void {
    for (const [daysAgo, status] of movesOf(row))
      this.#timeline.on(Math.min(daysAgo + JUST_BEFORE, Number(row.daysAgo)), (day) =>
        status === 'partially_completed' ? this.#progress(day, made, row) : this.#move(day, made, status),
      )
  }

  async #move(ago: number, { id: purchaseOrderId }: PurchaseOrder, status: string): Promise<void> {
    const move = () => this.#timeline.do(ago, 'changePurchaseOrderStatus', { purchaseOrderId, status })
    const after = await move()
    // An order above the budget requires a second approval.
    if (status === 'approved' && after.status === 'pending_approval') await move()
  }

  /** Moves an old order from approval to completion at once. */
  async #complete(ago: number, { id }: PurchaseOrder, row: Row): Promise<void> {
    const call = this.#timeline.at(ago)
    const order = await orders.lock(call, id)
    const { lines, ...done } = atPercent(order, 100)
    const instantOf = (daysAgo: string) => this.#timeline.at(Number(daysAgo)).now.toISOString()
    const approvedAt = instantOf(row.approvedDaysAgo)
    await orders.writeProgress(call, id, lines)
    await postProgress(call, order, lines, null)
    const after = await orders.update(call, order, {
      ...{ ...done, status: 'completed', completedAt: call.now.toISOString() },
      ...{ issuedAt: instantOf(row.issuedDaysAgo), acceptedAt: instantOf(row.acceptedDaysAgo) },
      approval: { ...order.approval, approvedBy: call.actor, approvedAt },
    })
    await postCommitment(this.#timeline.at(Number(row.approvedDaysAgo)), order, after)
    let from = order.status
    for (const [daysAgo, to] of movesOf(row)) {
      await recordStatusChange(this.#timeline.at(daysAgo), { id, from, to })
      from = to
    }
  }

  async #progress(ago: number, { id: purchaseOrderId }: PurchaseOrder, { order, total }: Row): Promise<void> {
    const billed = this.#payments.filter((payment) => payment.order === order).map((payment) => payment.grossAmount)
    const completedPercent = Math.max(
      PARTLY_DONE,
      ...billed.map((gross) => Math.ceil((Number(gross) / Number(total)) * 100)),
    )
    await this.#timeline.do(ago, 'recordPurchaseOrderProgress', { purchaseOrderId, completedPercent })
  }

  async #amountOf(ago: number, { home: key, scope, poType, total }: Row): Promise<number> {
    const demoHome = this.#homes.find((home) => home.key === key)
    if (poType !== 'base' || demoHome === undefined || isBudgetedByHand(demoHome)) return Number(total)
    const { scopes } = await this.#timeline.do(ago, 'getHomeBudget', { homeId: this.#made.homes.get(key).id })
    const budgeted = scopes.find((each) => each.scope === scope)?.budgeted ?? 0
    const byHand = Math.round(BUDGETS[scope as ScopeName] * Number(demoHome.row.size))
    // Without cents, so that a share of the budget never exceeds it.
    return Math.round((Math.floor(budgeted) * Number(total)) / byHand)
  }
}

function isFromAward({ note }: Row): boolean {
  return note.startsWith('From the awarded request')
}

/** Returns the status changes of an order, each with how many days ago it was. The last payment closes it. */
function movesOf(row: Row): [number, PurchaseOrderStatus][] {
  const [ordered, issued] = [Number(row.daysAgo), Number(row.issuedDaysAgo)]
  const dated = [
    [row.approvedDaysAgo, 'approved'],
    [row.issuedDaysAgo, 'issued'],
    [row.acceptedDaysAgo, 'accepted'],
    [row.partiallyCompletedDaysAgo, 'partially_completed'],
    [row.completedDaysAgo, 'completed'],
  ] as const
  const moves = dated.flatMap(([daysAgo, status]): [number, PurchaseOrderStatus][] =>
    daysAgo === '' ? [] : [[Number(daysAgo), status]],
  )
  if (row.status === 'pending_approval') return [[ordered, 'pending_approval']]
  if (row.status === 'declined') return [...moves, [issued - DAYS_TO_DECLINE, 'declined']]
  if (row.status === 'void')
    return [
      [ordered, 'approved'],
      [ordered - DAYS_TO_VOID, 'void'],
    ]
  return moves
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
