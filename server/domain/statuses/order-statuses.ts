import type { PurchaseOrderStatus } from '../../../client/contract.gen.ts'

/**
 * Groups of purchase order statuses. Budgets, awards, scorecards, and limits all use these groups instead of defining
 * their own.
 */

/** The statuses of orders that are not approved yet. Budgets show these orders separately. */
export const PENDING_STATUSES: readonly PurchaseOrderStatus[] = ['draft', 'pending_approval']

/**
 * The statuses of open orders, which are issued and neither declined nor settled. A vendor's poLimit applies to the
 * total of these orders.
 */
export const OPEN_STATUSES: readonly PurchaseOrderStatus[] = ['issued', 'accepted', 'partially_completed', 'completed']

/** The statuses of orders that are approved or open. */
export const UNSETTLED_STATUSES: readonly PurchaseOrderStatus[] = ['approved', ...OPEN_STATUSES]

/** The statuses of orders that are paid in full, including retainage. */
export const SETTLED_STATUSES: readonly PurchaseOrderStatus[] = ['closed']

/** The statuses of ordered work. Its award can no longer be revoked. */
export const ORDERED_STATUSES: readonly PurchaseOrderStatus[] = [...OPEN_STATUSES, 'closed']

/** The statuses of orders that a budget counts as committed. */
export const COMMITTED_STATUSES: readonly PurchaseOrderStatus[] = [...UNSETTLED_STATUSES, 'closed']
