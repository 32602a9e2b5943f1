import type { PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { sum } from '../../../platform/values/money.ts'
import { COMMITTED_STATUSES, ORDERED_STATUSES } from '../../statuses/order-statuses.ts'
import * as orders from './queries.ts'

/** An order with its change orders, sorted by ID. They share limits and retainage, and are closed together. */
export interface Whole {
  root: PurchaseOrder
  members: PurchaseOrder[]
}

/**
 * Locks the given orders, their root orders, and all change orders of these root orders, sorted by ID. All code that
 * changes amounts locks orders in this sequence. The lock of the root order also prevents concurrent changes to its
 * change orders.
 */
export async function lockWholes(call: WriteCall, poIds: readonly string[]): Promise<PurchaseOrder[]> {
  const ids = await orders.findIdsOfWholes(call, poIds)
  await orders.lockByIds(call, ids)
  return orders.findAll(call, ids)
}

export async function lockWhole(call: WriteCall, poId: string): Promise<PurchaseOrder[]> {
  // Throws if the order does not exist or belongs to another organization.
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
 * Returns whether the order's total counts toward the total of its group. An addition counts after it is issued, and a
 * deduction after it is approved.
 */
export function isCountedInTotal({ rootPoId, status, total }: PurchaseOrder): boolean {
  if (rootPoId === null) return status !== 'void' && status !== 'declined'
  return (total < 0 ? COMMITTED_STATUSES : ORDERED_STATUSES).includes(status)
}

export function getTotalOfWhole({ members }: Whole): number {
  return sum(members.flatMap((member) => (isCountedInTotal(member) ? member.total : [])))
}

/**
 * Returns -1 if the vendor owes the amounts of the order; otherwise, 1. In the first case, all amounts are negative, so
 * callers multiply amounts by this sign before comparing them.
 */
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
