import type { PurchaseOrder, PurchaseOrderStatus } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import * as selections from '../../selling/selections/queries.ts'
import { postClosing, postCommitment, reverseClosing } from './post-order.ts'
import * as orders from './queries.ts'

type Amounts = Pick<
  PurchaseOrder,
  'completedAmount' | 'retainedAmount' | 'releasedAmount' | 'paidAmount' | 'reservedAmount'
>

export async function moveOrder(
  call: WriteCall,
  before: PurchaseOrder,
  to: PurchaseOrderStatus,
  reason: string | null,
  changes: Partial<
    Pick<PurchaseOrder, 'approval' | 'drawings' | 'issuedAt' | 'acceptedAt' | 'completedAt' | 'closedAt'> & Amounts
  >,
): Promise<PurchaseOrder> {
  const after = await orders.update(call, before, { status: to, ...changes })
  await recordStatusChange(call, { id: after.id, from: before.status, to, reason })
  await recordEvent(call, 'po.status_changed', after, before)
  await postCommitment(call, before, after)
  if (to === 'void') await revertSelection(call, after)
  return after
}

/** Accepts a locked, issued order for its vendor. */
export function acceptOrder(call: WriteCall, order: PurchaseOrder, reason: string | null): Promise<PurchaseOrder> {
  return moveOrder(call, order, 'accepted', reason, { acceptedAt: call.now.toISOString() })
}

/** Closes a locked order that is paid in full. */
export async function closeOrder(call: WriteCall, order: PurchaseOrder, reason: string): Promise<PurchaseOrder> {
  await postClosing(call, order)
  return moveOrder(call, order, 'closed', reason, { closedAt: call.now.toISOString(), retainedAmount: 0 })
}

/** Reopens a locked order that is no longer paid in full. */
export async function reopenOrder(
  call: WriteCall,
  order: PurchaseOrder,
  reason: string,
  retainedAmount: number,
): Promise<PurchaseOrder> {
  await reverseClosing(call, order)
  return moveOrder(call, order, 'completed', reason, { retainedAmount, closedAt: null })
}

/**
 * Changes a selection from `ordered` back to `approved` if no other order includes it. Locks the selection before this
 * check, so that an order that is voided concurrently does not count.
 */
async function revertSelection(call: WriteCall, { number, optionSelectionId: id }: PurchaseOrder): Promise<void> {
  if (id === null) return
  const selection = await selections.lock(call, id)
  if (selection.status !== 'ordered' || (await selections.isSelectionOrdered(call, id))) return
  const { status } = await selections.update(call, selection, { status: 'approved' })
  await recordStatusChange(call, { id, from: selection.status, to: status, reason: `${number} was voided.` })
}
