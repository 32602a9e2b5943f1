import type { PurchaseOrder, PurchaseOrderStatus } from '../../../client/contract.gen.ts'

/** The orders that can be created from an order. */
export const FOLLOW_UP_KINDS = ['change', 'variance', 'backcharge', 'copy'] as const

export type FollowUpKind = (typeof FOLLOW_UP_KINDS)[number]

export const FOLLOW_UP_WORDS: Readonly<Record<FollowUpKind, { name: string; purpose: string }>> = {
  change: {
    name: 'Change order',
    purpose: 'Increase or decrease the agreed work of this order. Enter only the difference.',
  },
  variance: {
    name: 'Variance order',
    purpose: 'Order unplanned work. Record the reason and who is responsible.',
  },
  backcharge: {
    name: 'Backcharge',
    purpose: 'Charge the vendor for damage, or for work that others had to do instead. Enter positive amounts.',
  },
  copy: {
    name: 'Duplicate',
    purpose: 'Create a draft with the same lines, for this home or another one.',
  },
}

/** The statuses of orders that have been issued and are not declined. Only these can have change orders. */
const ISSUED_STATUSES: readonly PurchaseOrderStatus[] = [
  'issued',
  'accepted',
  'partially_completed',
  'completed',
  'closed',
]

/** Returns whether an order of this kind can be created from the order. */
export function isFollowUpPossible(kind: FollowUpKind, { status, poType, optionSelectionId }: PurchaseOrder): boolean {
  if (kind === 'change') return ISSUED_STATUSES.includes(status) && poType !== 'backcharge'
  // The orders of a selection follow the quantity of the selection.
  if (kind === 'copy') return optionSelectionId === null
  return true
}
