import type { PurchaseOrderStatus } from '../../../client/contract.gen.ts'

/**
 * Groups of purchase order statuses that other modules use. Budgets, awards, scorecards, and limits all use these sets
 * instead of their own lists.
 */

/** Statuses of orders that are not approved yet. A budget shows these orders separately. */
export const PENDING_STATUSES: readonly PurchaseOrderStatus[] = ['draft', 'pending_approval']

/**
 * Statuses of open orders: issued, and neither declined nor settled. A vendor's poLimit limits the total of these
 * orders.
 */
export const OPEN_STATUSES: readonly PurchaseOrderStatus[] = ['issued', 'accepted', 'partially_completed', 'completed']

/** Statuses of orders that are approved or open, and not settled. */
export const UNSETTLED_STATUSES: readonly PurchaseOrderStatus[] = ['approved', ...OPEN_STATUSES]

/** Statuses of orders that are paid in full, including retainage. */
export const SETTLED_STATUSES: readonly PurchaseOrderStatus[] = ['closed']

/** Statuses of ordered work, for which the award can no longer be revoked. */
export const ORDERED_STATUSES: readonly PurchaseOrderStatus[] = [...OPEN_STATUSES, 'closed']

/** Statuses of orders that a budget counts as committed. */
export const COMMITTED_STATUSES: readonly PurchaseOrderStatus[] = [...UNSETTLED_STATUSES, 'closed']
