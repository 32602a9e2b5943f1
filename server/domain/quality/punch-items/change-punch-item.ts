import type { PunchItem, PunchItemStatus, PunchItemStatusChange } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition } from '../../../platform/problems/problem.ts'
import * as homes from '../../land/homes/queries.ts'
import { assertAssigneesExist } from './assignees.ts'
import {
  assertFieldsFitStatus,
  assertItemAssignable,
  computeItemStatusFields,
  formatListLine,
  NOTICE_DELAY_MS,
  PUNCH_ITEM_MOVES,
} from './punch-item.ts'
import * as punchItems from './queries.ts'

/** Locks an item after locking its home, in the same order as every change of an item. */
export async function lockPunchItem(call: WriteCall, id: string): Promise<PunchItem> {
  const { homeId } = await punchItems.find(call, id)
  await homes.lock(call, homeId)
  return punchItems.lock(call, id)
}

/** Changes the status of an item. */
export async function changePunchItemStatus(
  call: WriteCall,
  id: string,
  change: PunchItemStatusChange,
): Promise<PunchItem> {
  const before = await lockPunchItem(call, id)
  const { status, vendorId, assigneeUserId, dueDate, reason = null } = change
  assertTransition(PUNCH_ITEM_MOVES, before.status, status)
  assertFieldsFitStatus(before, change)
  await assertAssigneesExist(call, change)
  const assignment = {
    // A new vendor or user replaces both the previous vendor and the previous user.
    ...(vendorId !== undefined && { vendorId, assigneeUserId: assigneeUserId ?? null }),
    ...(vendorId === undefined && assigneeUserId !== undefined && { vendorId: null, assigneeUserId }),
    ...(dueDate !== undefined && { dueDate }),
  }
  if (status === 'assigned') assertItemAssignable(before.number, { ...before, ...assignment })
  return storeStatusChange(call, before, status, assignment, reason)
}

type ItemChanges = Partial<
  Pick<PunchItem, 'vendorId' | 'assigneeUserId' | 'dueDate' | 'plannedDate' | 'disputeNote' | 'responsibleVendorId'>
>

/** Stores a status change of a locked item that has been checked, and records its history and event. */
export async function storeStatusChange(
  call: WriteCall,
  before: PunchItem,
  status: PunchItemStatus,
  changes: ItemChanges,
  reason: string | null,
): Promise<PunchItem> {
  const fields = computeItemStatusFields(before, status, call.now.toISOString())
  const after = await punchItems.update(call, before, { ...fields, ...changes, status })
  await noteListChange(call, before, after)
  await scheduleAssignmentNotice(call, after)
  await recordStatusChange(call, { id: after.id, from: before.status, to: after.status, reason })
  await recordEvent(call, 'punch_item.status_changed', after, before)
  return after
}

/** Increases the version of the item's walkthrough if the list that the buyer signs has changed. */
export async function noteListChange(call: WriteCall, before: PunchItem, after: PunchItem): Promise<void> {
  if (after.walkthroughId === null || formatListLine(before) === formatListLine(after)) return
  await punchItems.bumpWalkthroughVersion(call, after.walkthroughId)
}

/** Schedules or cancels the notification of the vendor. */
export async function scheduleAssignmentNotice(call: WriteCall, { id, status, vendorId }: PunchItem): Promise<void> {
  const isDue = status === 'assigned' && vendorId !== null
  await punchItems.storeNoticeTime(call, id, isDue ? new Date(call.now.getTime() + NOTICE_DELAY_MS) : null)
}
