import { isDeepStrictEqual } from 'node:util'
import type { Task, TaskOrder } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { problem, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import * as orders from '../../paying/purchase-orders/queries.ts'
import { completeOrder } from '../../paying/purchase-orders/record-order-progress.ts'
import { OPEN_STATUSES } from '../../statuses/order-statuses.ts'

type OrderLink = Pick<Task, 'poIds' | 'payOnComplete'>

/**
 * Completing a task does not require pos:write. Therefore, assigning the orders that the completion will complete
 * requires pos:write.
 */
export function assertCanLinkOrders(
  call: Call,
  before: OrderLink,
  {
    poIds = before.poIds,
    payOnComplete = before.payOnComplete,
  }: { [Field in keyof OrderLink]?: OrderLink[Field] | undefined },
): void {
  const isChanged = payOnComplete !== before.payOnComplete || !isDeepStrictEqual(poIds, before.poIds)
  if (!isChanged || call.permissions.has('pos:write')) return
  throw problem('permission_denied', 'Setting poIds or payOnComplete requires pos:write.', {
    permission: 'pos:write',
  })
}

/** Throws unless all IDs belong to orders of the home. */
export async function assertOrdersBelongToHome(
  call: WriteCall,
  homeId: string,
  poIds: readonly string[],
): Promise<void> {
  if (poIds.length === 0) return
  const known = new Map((await orders.findAll(call, poIds)).map((order) => [order.id, order]))
  const unknown = poIds.flatMap((id, i) => (known.has(id) ? [] : [`/poIds/${i}`]))
  if (unknown.length > 0) throw unknownReference(unknown)
  const errors = poIds.flatMap((id, i) =>
    known.get(id)?.homeId === homeId
      ? []
      : [{ pointer: `/poIds/${i}`, code: 'other_home', message: 'must be an order for the same home' }],
  )
  if (errors.length > 0) throw validationFailed(errors)
}

/** Completes the open orders of a completed task, and returns the outcome of each order. */
export async function completeOrders(call: WriteCall, { name, poIds, payOnComplete }: Task): Promise<TaskOrder[]> {
  if (!payOnComplete) return []
  const outcomes: TaskOrder[] = []
  // Lock the orders in the order of their IDs, like all code that locks several orders.
  for (const id of poIds.toSorted()) {
    const order = await orders.lock(call, id)
    const isCompleted = OPEN_STATUSES.includes(order.status) && order.status !== 'completed'
    const after = isCompleted ? await completeOrder(call, order, `${name} was completed.`) : order
    outcomes.push({ poId: id, number: after.number, status: after.status, isCompleted })
  }
  return outcomes
}
