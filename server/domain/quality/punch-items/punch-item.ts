import type { PunchItem, PunchItemStatus, PunchItemStatusChange } from '../../../../client/contract.gen.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { describeStatus } from '../../../platform/values/format.ts'

export const PUNCH_ITEM_MOVES: Readonly<Record<PunchItemStatus, readonly PunchItemStatus[]>> = {
  open: ['assigned', 'verified', 'cancelled'],
  assigned: ['fixed', 'open', 'cancelled'],
  fixed: ['verified', 'assigned'],
  verified: [],
  cancelled: [],
}

/**
 * The delay between the first assignment and the notification. Vendors receive one notification about all items that
 * were assigned during this time.
 */
export const NOTICE_DELAY_MS = 15 * 60_000

type Assignment = Pick<PunchItem, 'vendorId' | 'assigneeUserId' | 'dueDate'>

/** Returns whether the item has a due date and a vendor or user to fix it. */
export function isAssignable({ vendorId, assigneeUserId, dueDate }: Assignment): boolean {
  return dueDate !== null && (vendorId !== null || assigneeUserId !== null)
}

/** Throws `missing_data` unless the item has a due date and a vendor or user to fix it. */
export function assertItemAssignable(number: string, assignment: Assignment): void {
  if (isAssignable(assignment)) return
  const lacks = assignment.dueDate === null ? 'dueDate' : 'vendorId or assigneeUserId'
  throw conflict('missing_data', `Cannot assign ${number}: it has no ${lacks}. Set ${lacks}.`)
}

/** Throws if the fields of a status change do not match the new status. */
export function assertFieldsFitStatus(before: PunchItem, change: PunchItemStatusChange): void {
  const { status, reason = null } = change
  const assigning = (['vendorId', 'assigneeUserId', 'dueDate'] as const).filter((field) => change[field] !== undefined)
  if (status !== 'assigned' && assigning.length > 0)
    throw validationFailed(
      assigning.map((field) => ({
        pointer: `/${field}`,
        code: 'exclusive',
        message: 'can only be set when status is assigned',
      })),
    )
  const isRequired =
    before.status === 'fixed' ? status === 'assigned' : before.status === 'assigned' && status === 'open'
  if (isRequired && reason === null)
    throw validationFailed([
      {
        pointer: '/reason',
        code: 'required',
        message: `is required to change the status from ${before.status} to ${status}`,
      },
    ])
}

/** Returns the line of an item in the list of its walkthrough. Null if the list omits the item. */
export function formatListLine({
  number,
  location,
  description,
  status,
}: Pick<PunchItem, 'number' | 'location' | 'description' | 'status'>): string | null {
  if (status === 'cancelled') return null
  const place = location === null ? '' : ` ${location}:`
  const done = status === 'verified' ? ' (done)' : ''
  return `${number}${place} ${description}${done}`
}

/** Returns the fields that change together with the status. */
export function computeItemStatusFields(
  before: PunchItem,
  to: PunchItemStatus,
  now: string,
): Partial<Pick<PunchItem, 'assignedAt' | 'fixedAt' | 'verifiedAt' | 'reopenedCount' | 'plannedDate' | 'disputeNote'>> {
  if (to === 'fixed') return { fixedAt: now }
  if (to === 'verified') return { verifiedAt: now }
  if (to !== 'assigned') return { plannedDate: null }
  const isReopened = before.status === 'fixed'
  return {
    ...{ assignedAt: now, plannedDate: null, fixedAt: null, disputeNote: null },
    ...(isReopened && { reopenedCount: before.reopenedCount + 1 }),
  }
}

/** Throws if the vendor, the user, and the due date of the item can no longer change. */
export function assertAssigneeCanChange({ number, status }: PunchItem): void {
  if (status === 'open' || status === 'assigned') return
  throw conflict(
    'wrong_status',
    `Cannot change the assignee or the due date of ${number}: it is ${describeStatus(status)}.`,
  )
}
