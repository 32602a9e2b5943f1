import type { Payment, PurchaseOrder } from '../../../client/contract.gen.ts'
import { postPayment } from '../../domain/paying/payments/post-payment.ts'
import * as payments from '../../domain/paying/payments/queries.ts'
import { updateOrdersAfterPayment } from '../../domain/paying/purchase-orders/update-orders-after-payment.ts'
import { lockWhole } from '../../domain/paying/purchase-orders/whole.ts'
import { recordStatusChange } from '../../platform/events/status-history.ts'
import { type RowOf, readRows } from './data-files.ts'
import { DETAILED_DAYS, MOMENT_BEFORE, NamedIds, type Timeline } from './timeline.ts'
import { Waivers } from './waivers.ts'

type PaymentRow = RowOf<'story-payments'>

/** The number of days until a lost check is voided. */
const DAYS_TO_VOID = 6
const DAYS_TO_PAY = 2

/** Adds the payments to vendors, including pending ones. */
export class Payments {
  readonly #timeline: Timeline
  readonly #orders: NamedIds<PurchaseOrder>
  readonly #waivers: Waivers
  readonly #rows = readRows('story-payments')
  readonly #ordersTold = readRows('story-orders')
  /** The payments by their names in the files. */
  readonly #made = new NamedIds<Payment>()

  constructor(timeline: Timeline, orders: NamedIds<PurchaseOrder>) {
    this.#timeline = timeline
    this.#orders = orders
    this.#waivers = new Waivers(timeline)
  }

  plan(): void {
    for (const row of this.#rows) {
      const replaced = this.#replacedBy(row)
      const daysAgo = replaced === undefined ? Number(row.invoiceDaysAgo) : computeVoidedDaysAgo(replaced)
      this.#timeline.on(daysAgo, (ago) => this.#enter(ago, row, replaced))
    }
  }

  /** Returns the payment with the lost check that this payment replaces. */
  #replacedBy({ payment, vendor, invoiceNumber }: PaymentRow): PaymentRow | undefined {
    return this.#rows.find(
      (other) =>
        other.payment !== payment &&
        other.vendor === vendor &&
        other.invoiceNumber === invoiceNumber &&
        other.status === 'voided',
    )
  }

  async #enter(ago: number, row: PaymentRow, replaced: PaymentRow | undefined): Promise<void> {
    if (replaced !== undefined)
      await this.#timeline.do(ago, 'voidPayment', {
        ...{ paymentId: this.#made.get(replaced.payment).id, reason: 'The check was lost in the mail.' },
      })
    const order = this.#orders.get(row.order)
    if (row.status === 'rejected') return this.#rejectBill(ago, row, order)
    const payment = await this.#timeline.do(ago, 'createPayment', {
      ...{ poId: order.id, paymentType: row.paymentType, invoiceNumber: row.invoiceNumber },
      // A final payment or a release pays everything that is left, so it has no amount of its own.
      ...(row.paymentType === 'progress' && { grossAmount: this.#amountOf(row, order) }),
      invoiceDate: this.#timeline.date(Number(row.invoiceDaysAgo)),
      method: row.method === '' ? 'ach' : row.method,
      ...(replaced !== undefined && { replacesPaymentId: this.#made.get(replaced.payment).id }),
    })
    this.#made.set(row.payment, payment)
    this.#follow(payment.id, row, ago)
    this.#waivers.planFor(payment, row, ago)
  }

  /** Enters the bill for an invoice that was sent twice, and rejects it on the next day. */
  async #rejectBill(ago: number, row: PaymentRow, order: PurchaseOrder): Promise<void> {
    const { id: billId } = await this.#timeline.do(ago, 'createBill', {
      ...{ vendorId: order.vendorId, invoiceNumber: row.invoiceNumber },
      invoiceDate: this.#timeline.date(Number(row.invoiceDaysAgo)),
      lines: [{ poId: order.id, amount: this.#amountOf(row, order) }],
      overrideReason: 'Entered as received; will be rejected.',
    })
    this.#timeline.on(ago - 1, (day) =>
      this.#timeline.do(day, 'changeBillStatus', { billId, status: 'rejected', reason: row.note }),
    )
  }

  /**
   * Returns the amount of the payment. If the total of the order differs from that in the files, the payment is the
   * same share of it.
   */
  #amountOf({ order: name, grossAmount }: PaymentRow, { total }: PurchaseOrder): number {
    const reported = this.#ordersTold.find(({ order }) => order === name)
    return Math.round((Number(grossAmount) * total * 100) / Number(reported?.total)) / 100
  }

  #follow(paymentId: string, row: PaymentRow, entered: number): void {
    const { payment, status, paidDaysAgo, method } = row
    const move = (ago: number, to: string, more = {}) =>
      this.#timeline.on(ago, (day) => this.#timeline.do(day, 'changePaymentStatus', { paymentId, status: to, ...more }))
    const paid = Number(paidDaysAgo)
    if (status === 'approved') move(entered - DAYS_TO_PAY, 'approved')
    // A check that was lost later was also sent.
    if (status !== 'paid' && status !== 'voided') return
    if (paid >= DETAILED_DAYS)
      this.#timeline.on(paid, (ago) => this.#payOut(ago, paymentId, this.#orders.get(row.order).id))
    else {
      move(Math.min(entered, paid + DAYS_TO_PAY), 'approved')
      move(paid, 'paid', method === 'check' ? { checkNumber: `2${payment.slice(-3)}` } : {})
    }
  }

  /** Approves and pays an old payment at once. The last payment closes the order. */
  async #payOut(ago: number, id: string, poId: string): Promise<void> {
    const call = this.#timeline.at(ago)
    const locked = await lockWhole(call, poId)
    const payment = await payments.lock(call, id)
    const after = await payments.update(call, payment, { status: 'paid', paidDate: this.#timeline.date(ago) })
    await recordStatusChange(this.#timeline.at(ago + MOMENT_BEFORE), { id, from: 'pending', to: 'approved' })
    await recordStatusChange(call, { id, from: 'approved', to: 'paid' })
    await postPayment(call, after, [], locked)
    await updateOrdersAfterPayment(call, locked, `${payment.number} was paid.`)
  }
}

function computeVoidedDaysAgo({ paidDaysAgo }: PaymentRow): number {
  return Number(paidDaysAgo) - DAYS_TO_VOID
}
