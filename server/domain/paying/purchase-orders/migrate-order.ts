import type { FieldError, MigratedOrder, PurchaseOrder } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { toPostingDate } from '../../ledger/period.ts'
import { assertCanApprove, assertDeductible, storeProgressAndStatus } from './change-order-status.ts'
import { postCommitment } from './post-order.ts'
import { hasProgress, isOrderComplete, setProgressByAmounts } from './progress.ts'
import { NO_APPROVAL } from './purchase-order.ts'
import * as orders from './queries.ts'
import { lockWhole } from './whole.ts'

/** The reason that the status history of migrated records shows. */
const REASON = 'Migrated from another system.'

/** Accepts the draft of an order that was issued in another system, and records the work that was completed there. */
export async function acceptMigratedOrder(
  call: WriteCall,
  draft: PurchaseOrder,
  migration: MigratedOrder,
): Promise<PurchaseOrder> {
  const today = toLocalDate(call.timeZone, call.now)
  const { orderedDate, completedDate = today, lines = [] } = migration
  const errors = findDateErrors(migration, today)
  if (errors.length > 0) throw validationFailed(errors)
  assertCanApprove(call, draft)
  const locked = await lockWhole(call, draft.id)
  assertDeductible(locked, draft)
  // Noon in UTC is on the same day in nearly all time zones.
  const orderedAt = `${orderedDate}T12:00:00.000Z`
  const accepted = await orders.update(call, draft, {
    status: 'accepted',
    approval: { ...NO_APPROVAL, approvedBy: call.actor, approvedAt: call.now.toISOString() },
    issuedAt: orderedAt,
    acceptedAt: orderedAt,
  })
  await recordStatusChange(call, { id: draft.id, from: draft.status, to: accepted.status, reason: REASON })
  await recordEvent(call, 'po.status_changed', accepted, draft)
  await postCommitment(call, draft, accepted, await toPostingDate(call, orderedDate))
  const progress = setProgressByAmounts(accepted, lines)
  if (!hasProgress(progress)) return accepted
  const to = isOrderComplete(progress) ? 'completed' : 'partially_completed'
  return storeProgressAndStatus(call, locked, accepted, progress, {
    ...{ to, reason: REASON, isMigrated: true },
    ...{ on: await toPostingDate(call, completedDate), invoiceDate: completedDate },
  })
}

function findDateErrors({ orderedDate, completedDate }: MigratedOrder, today: string): FieldError[] {
  const tooLate = Object.entries({ orderedDate, completedDate }).flatMap(([field, date]) =>
    date !== undefined && date > today
      ? [{ pointer: `/migration/${field}`, code: 'maximum', message: `must not be after today (${today})` }]
      : [],
  )
  if (completedDate === undefined || completedDate >= orderedDate) return tooLate
  const message = `must not be before orderedDate (${orderedDate})`
  return [...tooLate, { pointer: '/migration/completedDate', code: 'minimum', message }]
}
