import type { TimeEntry, Timesheet, TimesheetStatusMove } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict, validationFailed } from '../../../platform/problems/problem.ts'
import * as entries from './entry-queries.ts'
import { postApprovedTime } from './post-approved-time.ts'
import * as timesheets from './queries.ts'
import { assertCanApproveTimesheet, TIMESHEET_MOVES } from './timesheet.ts'
import { recalculateWeek } from './week.ts'

export async function changeTimesheetStatus(
  call: WriteCall,
  id: string,
  { status: to, reason = null }: TimesheetStatusMove,
): Promise<Timesheet> {
  const before = await timesheets.lock(call, id)
  assertTransition(TIMESHEET_MOVES, before.status, to)
  if (to === 'rejected' && reason === null)
    throw validationFailed([{ pointer: '/reason', code: 'required', message: 'is required when status is rejected' }])
  const after = await moveTimesheet(call, before, to)
  await recordStatusChange(call, { id, from: before.status, to, reason })
  return after
}

async function moveTimesheet(call: WriteCall, before: Timesheet, status: Timesheet['status']): Promise<Timesheet> {
  const now = call.now.toISOString()
  if (status === 'submitted') {
    assertEntriesComplete(await entries.listEntriesOfTimesheet(call, before.id))
    return recalculateWeek(call, before, { status, submittedAt: now })
  }
  if (status === 'approved') {
    assertCanApproveTimesheet(call, before)
    await postEntries(call, before)
    return timesheets.update(call, before, { status, approvedBy: call.actor, approvedAt: now })
  }
  return timesheets.update(call, before, { status, ...(status === 'exported' && { exportedAt: now }) })
}

function assertEntriesComplete(all: readonly TimeEntry[]): void {
  const running = all.find(({ hours }) => hours === null)
  if (running !== undefined)
    throw conflict('under_way', 'Cannot submit the timesheet: the user is clocked in. Clock out with clockOut first.')
  if (all.length === 0) throw conflict('missing_data', 'Cannot submit the timesheet: it has no entries.')
}

/**
 * Posts the entries, so that the budgets of their homes include them. Posted entries are never removed from the
 * budgets.
 */
async function postEntries(call: WriteCall, { id }: Timesheet): Promise<void> {
  const all = await entries.listEntriesOfTimesheet(call, id)
  const postedAt = call.now.toISOString()
  const posted = all.filter(({ homeId, cost }) => homeId !== null && cost !== null)
  await entries.updateAll(
    call,
    posted.map((entry) => ({ before: entry, after: { ...entry, postedAt } })),
  )
  await postApprovedTime(call, posted)
}
