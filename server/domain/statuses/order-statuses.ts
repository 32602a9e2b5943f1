import type { PurchaseOrderStatus } from '../../../client/contract.gen.ts'

/**
 * Groups of purchase order statuses that other modules use. Budgets, awards, scorecards, and limits all use these sets
 * instead of their own lists.
 */

/** Not approved yet. A budget shows these separately. */
export const PENDING_STATUSES: readonly PurchaseOrderStatus[] = ['draft', 'pending_approval']

/** Open with the vendor: issued and neither declined nor settled. A vendor's poLimit limits their sum. */
export const OPEN_STATUSES: readonly PurchaseOrderStatus[] = ['issued', 'accepted', 'partially_completed', 'completed']

/** Approved or open, and not settled. */
export const UNSETTLED_STATUSES: readonly PurchaseOrderStatus[] = ['approved', ...OPEN_STATUSES]

/** Paid in full, including retainage. */
export const SETTLED_STATUSES: readonly PurchaseOrderStatus[] = ['closed']

/** Ordered, so that the award behind it cannot be revoked. */
export const ORDERED_STATUSES: readonly PurchaseOrderStatus[] = [...OPEN_STATUSES, 'closed']

/** Counted as committed by a budget. */
export const COMMITTED_STATUSES: readonly PurchaseOrderStatus[] = [...UNSETTLED_STATUSES, 'closed']
