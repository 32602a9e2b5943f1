import type { Home, PurchaseOrder, PurchaseOrderStatus } from '../../../client/contract.gen.ts'
import { billProgress } from '../../domain/paying/purchase-orders/bill-progress.ts'
import { postCommitment, postProgress } from '../../domain/paying/purchase-orders/post-order.ts'
import { computeProgressAtPercent } from '../../domain/paying/purchase-orders/progress.ts'
import * as orders from '../../domain/paying/purchase-orders/queries.ts'
import { getLockedOrder, lockWhole } from '../../domain/paying/purchase-orders/whole.ts'
import { recordStatusChange } from '../../platform/events/status-history.ts'
import { emptyToNull, type RowOf, readRows } from './data-files.ts'
import { BUDGETS, hasManualBudget, listDemoHomes, type ScopeName } from './demo-world.ts'
import { DETAILED_DAYS, MOMENT_BEFORE, NamedIds, type Timeline } from './timeline.ts'
import { isBilledByVendor } from './vendor-bills.ts'

interface OrderInputs {
  readonly vendors: NamedIds<string>
  readonly homes: NamedIds<Home>
}

type OrderRow = RowOf<'story-orders'>

/**
 * The completed percentage of orders in progress, such as the rough-in or the first load. If more was paid, the
 * percentage is higher.
 */
const PARTIAL_PERCENT = 40

/** The number of days until a vendor declines an order. */
const DAYS_TO_DECLINE = 2
const DAYS_TO_VOID = 7

/**
 * Adds the orders of the homes, except those from an award. In the files, all budgets were entered manually. If the
 * demo has computed a budget, an order keeps the same share of that budget.
 */
export class Orders {
  /** The orders by home and trade, as in the files. */
  readonly made = new NamedIds<PurchaseOrder>()
  readonly #timeline: Timeline
  readonly #made: OrderInputs
  readonly #homes = listDemoHomes()
  readonly #payments = readRows('story-payments')

  constructor(timeline: Timeline, created: OrderInputs) {
    this.#timeline = timeline
    this.#made = created
  }

  plan(): void {
    for (const row of readRows('story-orders'))
      if (!isOrderFromAward(row)) this.#timeline.on(Number(row.daysAgo), (ago) => this.#order(ago, row))
  }

  async #order(ago: number, row: OrderRow): Promise<void> {
    const { order, scope, poType, parentOrder, varianceReasonCode, varianceResponsible } = row
    const home = this.#made.homes.get(row.home)
    const created = await this.#timeline.do(ago, 'createPurchaseOrder', {
      ...{ homeId: home.id, vendorId: this.#made.vendors.get(row.vendor), scope, poType },
      parentPoId: parentOrder === '' ? null : this.made.get(parentOrder).id,
      varianceReasonCode: emptyToNull(varianceReasonCode),
      varianceResponsible: emptyToNull(varianceResponsible),
      notes: poType === 'base' ? null : emptyToNull(row.note),
      ...(isBilledByVendor(order) && { billingMethod: 'by_bill' }),
      lines: [
        {
          ...{ description: `${capitalize(scope)}, ${home.name}`, quantity: 1 },
          unitPrice: await this.#amountOf(ago, row),
          // Work that a buyer pays for immediately has no retainage.
          ...(varianceResponsible === 'customer' && { retainagePercent: 0 }),
        },
      ],
    })
    this.made.set(order, created)
    // Work can be billed on the day on which it is completed.
    const completed = Number(row.completedDaysAgo)
    if (completed >= DETAILED_DAYS)
      this.#timeline.on(completed + MOMENT_BEFORE, (day) => this.#complete(day, created, row))
    else this.#follow(created, row)
  }

  #follow(created: PurchaseOrder, row: OrderRow): void {
    for (const [daysAgo, status] of listMoves(row))
      this.#timeline.on(Math.min(daysAgo + MOMENT_BEFORE, Number(row.daysAgo)), (day) =>
        status === 'partially_completed' ? this.#progress(day, created, row) : this.#move(day, created, status),
      )
  }

  async #move(ago: number, { id: poId }: PurchaseOrder, status: string): Promise<void> {
    const move = () => this.#timeline.do(ago, 'changePurchaseOrderStatus', { poId, status })
    const after = await move()
    // An order that exceeds the budget requires a second approval.
    if (status === 'approved' && after.status === 'pending_approval') await move()
  }

  /** Approves, issues, and completes an old order at once. */
  async #complete(ago: number, { id }: PurchaseOrder, row: OrderRow): Promise<void> {
    const call = this.#timeline.at(ago)
    const locked = await lockWhole(call, id)
    const order = getLockedOrder(locked, id)
    const progress = computeProgressAtPercent(order, 100)
    const { lines, ...done } = progress
    const instantOf = (daysAgo: string) => this.#timeline.at(Number(daysAgo)).now.toISOString()
    const approvedAt = instantOf(row.approvedDaysAgo)
    await orders.storeProgress(call, id, lines)
    await postProgress(call, order, progress)
    const after = await orders.update(call, order, {
      ...{ ...done, status: 'completed', completedAt: call.now.toISOString() },
      ...{ issuedAt: instantOf(row.issuedDaysAgo), acceptedAt: instantOf(row.acceptedDaysAgo) },
      approval: { ...order.approval, approvedBy: call.actor, approvedAt },
    })
    await postCommitment(this.#timeline.at(Number(row.approvedDaysAgo)), order, after)
    await billProgress(call, locked, id)
    let from = order.status
    for (const [daysAgo, to] of listMoves(row)) {
      await recordStatusChange(this.#timeline.at(daysAgo), { id, from, to })
      from = to
    }
  }

  async #progress(ago: number, { id: poId }: PurchaseOrder, { order, total }: OrderRow): Promise<void> {
    const billed = this.#payments.filter((payment) => payment.order === order).map((payment) => payment.grossAmount)
    const completedPercent = Math.max(
      PARTIAL_PERCENT,
      ...billed.map((gross) => Math.ceil((Number(gross) / Number(total)) * 100)),
    )
    await this.#timeline.do(ago, 'recordPurchaseOrderProgress', { poId, completedPercent })
  }

  async #amountOf(ago: number, { home: key, scope, poType, total }: OrderRow): Promise<number> {
    const demoHome = this.#homes.find((home) => home.key === key)
    if (poType !== 'base' || demoHome === undefined || hasManualBudget(demoHome)) return Number(total)
    const { scopes } = await this.#timeline.do(ago, 'getHomeBudget', { homeId: this.#made.homes.get(key).id })
    const budgeted = scopes.find((each) => each.scope === scope)?.budgeted ?? 0
    const byHand = Math.round(BUDGETS[scope as ScopeName] * Number(demoHome.row.size))
    // Rounds to whole amounts, so that the orders never exceed the budget.
    return Math.round((Math.floor(budgeted) * Number(total)) / byHand)
  }
}

function isOrderFromAward({ note }: OrderRow): boolean {
  return note.startsWith('From the awarded request')
}

/** Returns the status changes of an order, each with the number of days ago. The last payment closes the order. */
function listMoves(row: OrderRow): [number, PurchaseOrderStatus][] {
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

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
