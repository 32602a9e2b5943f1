import { isDeepStrictEqual } from 'node:util'
import type { OrderOfTask, Task } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { invalid, problem, unknownReference } from '../../../platform/problems/problem.ts'
import * as orders from '../../paying/purchase-orders/queries.ts'
import { completeWhole } from '../../paying/purchase-orders/record-progress.ts'
import { OPEN } from '../../statuses/order-statuses.ts'

type Link = Pick<Task, 'poIds' | 'payOnComplete'>

/**
 * Completing a task is not asked for pos:write, so what it does to orders has to be said beforehand by somebody who may
 * change these.
 */
export function assertMayLink(
  call: Call,
  before: Link,
  { poIds = before.poIds, payOnComplete = before.payOnComplete }: { [Field in keyof Link]?: Link[Field] | undefined },
): void {
  const isChanged = payOnComplete !== before.payOnComplete || !isDeepStrictEqual(poIds, before.poIds)
  if (!isChanged || call.permissions.has('pos:write')) return
  throw problem('permission_denied', 'Setting poIds or payOnComplete requires pos:write.', {
    permission: 'pos:write',
  })
}

/** Refuses what is no order of the home. */
export async function assertOrdersOf(call: WriteCall, homeId: string, poIds: readonly string[]): Promise<void> {
  if (poIds.length === 0) return
  const known = new Map((await orders.findAll(call, poIds)).map((order) => [order.id, order]))
  const unknown = poIds.flatMap((id, i) => (known.has(id) ? [] : [`/poIds/${i}`]))
  if (unknown.length > 0) throw unknownReference(unknown)
  const faults = poIds.flatMap((id, i) =>
    known.get(id)?.homeId === homeId
      ? []
      : [{ pointer: `/poIds/${i}`, code: 'other_home', message: 'must be an order for the same home' }],
  )
  if (faults.length > 0) throw invalid(faults)
}

/** Completes the orders of a completed task that are with their vendors, and tells what became of all of them. */
export async function completeOrders(call: WriteCall, { name, poIds, payOnComplete }: Task): Promise<OrderOfTask[]> {
  if (!payOnComplete) return []
  const outcomes: OrderOfTask[] = []
  // In the order of their ids, as everything that locks several orders does.
  for (const id of poIds.toSorted()) {
    const order = await orders.lock(call, id)
    const isCompleted = OPEN.includes(order.status) && order.status !== 'completed'
    const after = isCompleted ? await completeWhole(call, order, `${name} was completed.`) : order
    outcomes.push({ purchaseOrderId: id, number: after.number, status: after.status, isCompleted })
  }
  return outcomes
}
