import type { PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Input } from '../../../platform/calls/operation.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { dateIn } from '../../../platform/values/calendar.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import { assertPeriodOpen } from '../../ledger/period.ts'
import { OPEN_STATUSES } from '../../statuses/order-statuses.ts'
import { acceptOrder, storeProgressAndMove } from './change-status.ts'
import {
  applyProgress,
  assertPaidWorkKept,
  hasProgress,
  isComplete,
  isProgressLowered,
  type OrderProgress,
  progressAtPercent,
} from './progress.ts'
import * as orders from './queries.ts'

/** Records the progress of an order, and updates its status accordingly. */
export async function recordProgress(
  call: WriteCall,
  id: string,
  body: Input<'recordPurchaseOrderProgress'>['body'],
): Promise<PurchaseOrder> {
  const order = await orders.lock(call, id)
  if (!OPEN_STATUSES.includes(order.status)) {
    throw conflict(
      'wrong_status',
      `Cannot record progress: ${order.number} is ${describeStatus(order.status)}. Only issued orders that are still open have progress.`,
    )
  }
  const { reason = null, on = null } = body
  if (on !== null) await assertDayOfWork(call, on)
  const progress = applyProgress(order, body)
  const isTakenBack = isProgressLowered(order, progress)
  if (isTakenBack && reason === null)
    throw validationFailed([{ pointer: '/reason', code: 'required', message: 'is required when progress goes down' }])
  assertPaidWorkKept(order, progress)
  return storeAndMove(call, order, progress, { reason, isTakenBack, on })
}

async function assertDayOfWork(call: WriteCall, on: string): Promise<void> {
  const today = dateIn(call.timeZone, call.now)
  if (on > today)
    throw validationFailed([{ pointer: '/on', code: 'maximum', message: `must not be after today (${today})` }])
  await assertPeriodOpen(call, [on])
}

/** Completes all lines of a locked order. */
export async function completeOrder(call: WriteCall, order: PurchaseOrder, reason: string): Promise<PurchaseOrder> {
  return storeAndMove(call, order, progressAtPercent(order, 100), { reason, isTakenBack: false, on: null })
}

async function storeAndMove(
  call: WriteCall,
  order: PurchaseOrder,
  progress: OrderProgress,
  { reason, isTakenBack, on }: { reason: string | null; isTakenBack: boolean; on: string | null },
): Promise<PurchaseOrder> {
  // A vendor that works on an order has accepted it.
  const accepted = order.status === 'issued' && hasProgress(progress) ? await acceptOrder(call, order, reason) : order
  const isPartly = hasProgress(progress) || accepted.status === 'completed'
  const to = isComplete(progress) ? 'completed' : isPartly ? 'partially_completed' : accepted.status
  const after = await storeProgressAndMove(call, accepted, progress, to, reason, on)
  if (isTakenBack && after.status === accepted.status)
    await recordStatusChange(call, { id: order.id, from: after.status, to: after.status, reason })
  return after
}
