import type { PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { sum } from '../../../platform/values/money.ts'
import { COMMITTED_STATUSES, ORDERED_STATUSES } from '../../statuses/order-statuses.ts'
import * as orders from './queries.ts'

/** An order with the change orders that share its limits, retainage, and closing, sorted by ID. */
export interface Whole {
  root: PurchaseOrder
  members: PurchaseOrder[]
}

/**
 * Locks the given orders, their root orders, and all other change orders of these root orders, sorted by ID. All code
 * that changes amounts uses this order. The lock of the root order protects the order and all of its change orders.
 */
export async function lockWholes(call: WriteCall, poIds: readonly string[]): Promise<PurchaseOrder[]> {
  const ids = await orders.findIdsOfWholes(call, poIds)
  await orders.lockByIds(call, ids)
  return orders.findAll(call, ids)
}

export async function lockWhole(call: WriteCall, poId: string): Promise<PurchaseOrder[]> {
  // The order may not exist or may belong to a different builder.
  await orders.find(call, poId)
  return lockWholes(call, [poId])
}

export function getRootId({ id, rootPoId }: Pick<PurchaseOrder, 'id' | 'rootPoId'>): string {
  return rootPoId ?? id
}

export function getWholes(all: readonly PurchaseOrder[]): Whole[] {
  return [...Map.groupBy(all, getRootId)].flatMap(([rootId, members]) => {
    const root = members.find(({ id }) => id === rootId)
    return root === undefined ? [] : { root, members }
  })
}

export function getWhole(all: readonly PurchaseOrder[], poId: string): Whole {
  const whole = getWholes(all).find(({ members }) => members.some(({ id }) => id === poId))
  if (whole === undefined) throw new Error(`Expected order ${poId} to be locked with its change orders.`)
  return whole
}

/**
 * Returns whether the order counts toward the total. Additions count after they are issued, and deductions after they
 * are approved.
 */
export function isCountedInTotal({ rootPoId, status, total }: PurchaseOrder): boolean {
  if (rootPoId === null) return status !== 'void' && status !== 'declined'
  return (total < 0 ? COMMITTED_STATUSES : ORDERED_STATUSES).includes(status)
}

export function getTotalOfWhole({ members }: Whole): number {
  return sum(members.flatMap((member) => (isCountedInTotal(member) ? member.total : [])))
}

/** For an order that the vendor owes, all amounts are negative, so the signs are inverted before the comparison. */
export function getSignOfWhole({ root }: Whole): 1 | -1 {
  return root.total < 0 ? -1 : 1
}

export function sumOverWhole({ members }: Whole, of: (order: PurchaseOrder) => number): number {
  return sum(members.map(of))
}

export function getLockedOrder(all: readonly PurchaseOrder[], id: string): PurchaseOrder {
  const order = all.find((one) => one.id === id)
  if (order === undefined) throw new Error(`Expected order ${id} to be locked.`)
  return order
}
