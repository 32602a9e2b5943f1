import type { PurchaseOrderStatus } from '../../../client/contract.gen.ts'

/**
 * Groups of purchase order statuses that other modules use. Budgets, awards, scorecards, and limits all use these sets
 * instead of their own lists.
 */

/** Not approved yet. A budget shows these separately. */
export const PENDING: readonly PurchaseOrderStatus[] = ['draft', 'pending_approval']

/** Open with the vendor: issued and neither declined nor settled. A vendor's poLimit limits their sum. */
export const OPEN: readonly PurchaseOrderStatus[] = ['issued', 'accepted', 'partially_completed', 'completed']

/** Approved or open, and not settled. */
export const UNSETTLED: readonly PurchaseOrderStatus[] = ['approved', ...OPEN]

/** Paid in full, including retainage. */
export const SETTLED: readonly PurchaseOrderStatus[] = ['closed']

/** Ordered, so that the award behind it cannot be revoked. */
export const ORDERED: readonly PurchaseOrderStatus[] = [...OPEN, 'closed']

/** Counted as committed by a budget. */
export const COMMITTED: readonly PurchaseOrderStatus[] = [...UNSETTLED, 'closed']
