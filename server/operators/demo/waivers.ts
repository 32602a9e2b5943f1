import type { LienWaiver, LienWaiverStatus, Payment } from '../../../client/contract.gen.ts'
import { applySignature } from '../../domain/paying/lien-waivers/lien-waiver.ts'
import * as waivers from '../../domain/paying/lien-waivers/queries.ts'
import * as payments from '../../domain/paying/payments/queries.ts'
import { recordStatusChange } from '../../platform/events/status-history.ts'
import type { RowOf } from './data-files.ts'
import { listInitialVendors, VENDORS } from './demo-world.ts'
import { DETAILED_DAYS, type Timeline } from './timeline.ts'

type PaymentRow = RowOf<'story-payments'>

/** The number of days until a vendor signs. */
const DAYS_TO_SIGN = 3
const DAYS_TO_READ = 1

/** The status changes of a lien waiver after it is requested, by its status in the files. */
const MOVES_BY_OUTCOME: Readonly<Record<string, readonly LienWaiverStatus[]>> = {
  received: ['signed'],
  accepted: ['signed', 'accepted'],
  rejected: ['signed', 'rejected'],
}

/** Adds the lien waivers. A void waiver was voided together with its payment. */
export class Waivers {
  readonly #timeline: Timeline
  readonly #contacts = new Map([...VENDORS, ...listInitialVendors()].map(({ name, contact }) => [name, contact]))

  constructor(timeline: Timeline) {
    this.#timeline = timeline
  }

  /**
   * Schedules the lien waiver of a payment that was entered this number of days ago. A conditional waiver is signed
   * before the payment.
   */
  planFor({ id: paymentId }: Payment, row: PaymentRow, entered: number): void {
    if (row.waiverStatus === 'not_required') return
    const requested = row.waiverType.startsWith('conditional') ? entered : Number(row.paidDaysAgo)
    this.#timeline.on(requested, async (ago) => {
      const waiver = await this.#timeline.do(ago, 'requestLienWaiver', { paymentId })
      const moves = MOVES_BY_OUTCOME[row.waiverStatus] ?? []
      if (ago >= DETAILED_DAYS && moves.includes('accepted'))
        this.#timeline.on(ago - DAYS_TO_SIGN - DAYS_TO_READ, (day) => this.#accept(day, waiver, row))
      else
        for (const [i, status] of moves.entries())
          this.#move(Math.max(ago - DAYS_TO_SIGN - i * DAYS_TO_READ, 0), waiver, row, status)
    })
  }

  #move(ago: number, { id: lienWaiverId }: LienWaiver, row: PaymentRow, status: LienWaiverStatus): void {
    const details = {
      ...(status === 'signed' && { signedBy: this.#signerOf(row) }),
      ...(status === 'rejected' && { reason: row.note }),
    }
    this.#timeline.on(ago, (day) =>
      this.#timeline.do(day, 'changeLienWaiverStatus', { lienWaiverId, status, ...details }),
    )
  }

  /** Signs and accepts an old lien waiver at once. */
  async #accept(ago: number, { id, paymentId }: LienWaiver, row: PaymentRow): Promise<void> {
    const call = this.#timeline.at(ago)
    const payment = await payments.lock(call, paymentId)
    const waiver = await waivers.lock(call, id)
    const signedOn = this.#timeline.date(ago + DAYS_TO_READ)
    const signature = applySignature(waiver, { signedBy: this.#signerOf(row), signedOn, signedVia: 'paper' }, null)
    await waivers.update(call, waiver, { ...signature, status: 'accepted' })
    await recordStatusChange(this.#timeline.at(ago + DAYS_TO_READ), { id, from: 'requested', to: 'signed' })
    await recordStatusChange(call, { id, from: 'signed', to: 'accepted' })
    await payments.update(call, payment, { lienWaiverId: id })
  }

  #signerOf({ vendor }: PaymentRow): string {
    return this.#contacts.get(vendor) ?? vendor
  }
}
