import type { BuyerChange, BuyerChangeLine, BuyerChangeStatus, Sale } from '../../../../client/contract.gen.ts'
import { sum } from '../../../platform/values/money.ts'

export const BUYER_CHANGE_MOVES: Readonly<Record<BuyerChangeStatus, readonly BuyerChangeStatus[]>> = {
  draft: ['sent', 'void'],
  sent: ['approved', 'declined'],
  approved: ['void'],
  declined: [],
  void: [],
}

export const MAX_TITLE_LENGTH = 150

/** Returns whether the sale has been approved. From then on, every change of its price is recorded. */
export function isContracted({ status }: Pick<Sale, 'status'>): boolean {
  return status === 'approved' || status === 'pipeline_complete'
}

/** Returns the totals of the lines. Unknown amounts count as zero. */
export function computeChangeTotals(lines: readonly BuyerChangeLine[]): Pick<BuyerChange, 'price' | 'cost'> {
  return { price: sum(lines.map(({ price }) => price ?? 0)), cost: sum(lines.map(({ cost }) => cost ?? 0)) }
}
