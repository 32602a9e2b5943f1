import type { PurchaseOrderStatus } from '../../../client/contract.gen.ts'

/**
 * What the statuses of a purchase order mean to everything else: budgets, awards, scorecards and limits all use one of
 * these sets, and no list of their own.
 */

/** Not decided yet: a budget shows these separately. */
export const PENDING: readonly PurchaseOrderStatus[] = ['draft', 'pending_approval']

/** Open with the vendor: issued and neither declined nor settled. A vendor's poLimit bounds their sum. */
export const OPEN: readonly PurchaseOrderStatus[] = ['issued', 'accepted', 'partially_completed', 'completed']

/** The builder has decided to spend this and has not settled it. */
export const UNSETTLED: readonly PurchaseOrderStatus[] = ['approved', ...OPEN]

/** Paid in full, retainage included. */
export const SETTLED: readonly PurchaseOrderStatus[] = ['closed']

/** Ordered for good, so that the award behind it cannot be revoked. */
export const ORDERED: readonly PurchaseOrderStatus[] = [...OPEN, 'closed']

/** What a budget counts as committed. */
export const COMMITTED: readonly PurchaseOrderStatus[] = [...UNSETTLED, 'closed']
