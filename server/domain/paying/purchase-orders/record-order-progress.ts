import type { PurchaseOrder, PurchaseOrderStatus } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Input } from '../../../platform/calls/operation.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import { assertPeriodOpen } from '../../ledger/period.ts'
import { OPEN_STATUSES } from '../../statuses/order-statuses.ts'
import { storeProgressAndStatus } from './change-order-status.ts'
import { acceptOrder } from './move-order.ts'
import {
  applyProgress,
  computeProgressAtPercent,
  hasProgress,
  isOrderComplete,
  isProgressLowered,
  type OrderProgress,
  type ProgressShift,
  shiftProgress,
} from './progress.ts'
import { getLockedOrder, lockWhole } from './whole.ts'

/** Records the progress of an order, and changes its status if necessary. */
export async function recordOrderProgress(
  call: WriteCall,
  id: string,
  body: Input<'recordPurchaseOrderProgress'>['body'],
): Promise<PurchaseOrder> {
  const locked = await lockWhole(call, id)
  const order = getLockedOrder(locked, id)
  if (!OPEN_STATUSES.includes(order.status)) {
    throw conflict(
      'wrong_status',
      `Cannot record progress: ${order.number} is ${describeStatus(order.status)}. Progress can be recorded only for issued orders that are still open.`,
    )
  }
  const { reason = null, on } = body
  if (on !== undefined) await assertDayOfWork(call, on)
  const progress = applyProgress(order, body)
  const isTakenBack = isProgressLowered(order, progress)
  if (isTakenBack && reason === null)
    throw validationFailed([
      { pointer: '/reason', code: 'required', message: 'is required when the progress decreases' },
    ])
  return storeAndMove(call, locked, order, progress, { reason, on, isTakenBack })
}

async function assertDayOfWork(call: WriteCall, on: string): Promise<void> {
  const today = toLocalDate(call.timeZone, call.now)
  if (on > today)
    throw validationFailed([{ pointer: '/on', code: 'maximum', message: `must not be after today (${today})` }])
  await assertPeriodOpen(call, [on])
}

/** Completes all lines of an order. */
export async function completeOrder(
  call: WriteCall,
  { id }: PurchaseOrder,
  reason: string,
  on?: string,
): Promise<PurchaseOrder> {
  const locked = await lockWhole(call, id)
  const order = getLockedOrder(locked, id)
  return storeAndMove(call, locked, order, computeProgressAtPercent(order, 100), { reason, on, isTakenBack: false })
}

/**
 * Changes the completed work of an order because of a bill. A credit memo decreases the completed work. A bill that is
 * approved before the work is recorded increases it. The bill already covers the change, so this function creates no
 * bill. `on` is the day of the work.
 */
export async function moveProgressBy(
  call: WriteCall,
  order: PurchaseOrder,
  shifts: readonly ProgressShift[],
  { reason, on }: { reason: string; on: string | undefined },
): Promise<PurchaseOrder> {
  const progress = shiftProgress(order, shifts)
  const accepted = order.status === 'issued' && hasProgress(progress) ? await acceptOrder(call, order, reason) : order
  return storeProgressAndStatus(call, null, accepted, progress, {
    to: computeStatusAfter(accepted, progress),
    reason,
    on,
  })
}

interface Following {
  reason: string | null
  on: string | undefined
  isTakenBack: boolean
}

async function storeAndMove(
  call: WriteCall,
  locked: readonly PurchaseOrder[],
  order: PurchaseOrder,
  progress: OrderProgress,
  { reason, on, isTakenBack }: Following,
): Promise<PurchaseOrder> {
  // A vendor that has started the work has accepted the order.
  const accepted = order.status === 'issued' && hasProgress(progress) ? await acceptOrder(call, order, reason) : order
  const to = computeStatusAfter(accepted, progress)
  const after = await storeProgressAndStatus(call, locked, accepted, progress, { to, reason, on })
  if (isTakenBack && after.status === accepted.status)
    await recordStatusChange(call, { id: order.id, from: after.status, to: after.status, reason })
  return after
}

function computeStatusAfter({ status }: PurchaseOrder, progress: OrderProgress): PurchaseOrderStatus {
  if (isOrderComplete(progress)) return 'completed'
  return hasProgress(progress) || status === 'completed' ? 'partially_completed' : status
}
