import type { BuyerChangeLine, Sale } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { computeChangeTotals, isContracted, MAX_TITLE_LENGTH } from './buyer-change.ts'
import * as changes from './queries.ts'
import { addChangeToSchedule } from './schedules.ts'

interface PriceChange {
  readonly homeId: string
  /** The current date in the community's time zone. */
  readonly on: string
  readonly title: string
  readonly line: Pick<BuyerChangeLine, 'optionSelectionId' | 'description' | 'scope' | 'cost'> & { price: number }
}

/**
 * Records a price change that has no change order as an approved change. As a result, the original price of a sale plus
 * its approved changes always equals its price. The caller must have locked the sale. Does nothing if the sale has not
 * been approved.
 */
export async function recordPriceChange(call: WriteCall, sale: Sale, change: PriceChange): Promise<void> {
  const { homeId, on, line } = change
  if (!isContracted(sale) || line.price === 0) return
  const lines = [{ lineId: 'L1', isCustom: false, ...line }]
  const values = {
    ...{ saleId: sale.id, number: await changes.findNextChangeNumber(call, sale.id), ...computeChangeTotals(lines) },
    ...{ title: change.title.slice(0, MAX_TITLE_LENGTH), scheduleLineId: null },
  }
  const created = await changes.insert(call, {
    ...{ ...values, homeId, lines, source: 'selection' as const, status: 'approved' as const },
    ...{ currency: sale.currency, decidedDate: on, approvedBy: call.actor, approvedAt: call.now.toISOString() },
    scheduleLineId: await addChangeToSchedule(call, values),
  })
  await recordStatusChange(call, { id: created.id, from: null, to: created.status })
}

/** Closes the open changes of a sale that is being canceled. Voids drafts and declines sent changes. */
export async function closeOpenChanges(call: WriteCall, homeId: string, reason: string): Promise<void> {
  for (const change of await changes.findOpenChanges(call, homeId)) {
    const to = change.status === 'draft' ? 'void' : 'declined'
    const voidedAt = to === 'void' ? call.now.toISOString() : undefined
    await changes.update(call, change, { status: to, voidedAt, reason: reason.slice(0, 500) })
    await recordStatusChange(call, { id: change.id, from: change.status, to, reason })
  }
}
