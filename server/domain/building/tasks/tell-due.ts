import type { Vendor } from '../../../../client/contract.gen.ts'
import type { Surroundings, WriteCall } from '../../../platform/calls/call.ts'
import { settleDue } from '../../../platform/due/settle-due.ts'
import { type Notice, sendNotifications } from '../../vendors/vendors/notify.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import * as due from './due-queries.ts'

/**
 * Notifies vendors of upcoming tasks: first an advance notice, then a reminder, and a reminder of a date that is still
 * to be confirmed. All tasks that are due at one home are notified together.
 */
export async function tellDueTasks(surroundings: Surroundings): Promise<void> {
  await settleDue(surroundings, {
    what: 'tasks to announce',
    find: due.find,
    claim: due.lockHomes,
    settle: (call, _homeId, ids) => tellOf(call, ids),
  })
}

async function tellOf(call: WriteCall, ids: readonly string[]): Promise<void> {
  const tasks = await due.read(call, ids)
  // A task is too early if it waits for the morning, or if a change of the vendor's preferences made it due later.
  await due.putOff(
    call,
    tasks.filter(({ laterAt, isOver }) => laterAt !== null || isOver),
  )
  const ready = tasks.filter(({ laterAt, isOver }) => laterAt === null && !isOver)
  if (ready.length === 0) return
  const told = await vendors.findAll(call, [...new Set(ready.map(({ vendorId }) => vendorId))].sort())
  const byId = new Map(told.map((vendor) => [vendor.id, vendor]))
  await due.noteTold(
    call,
    ready.map(({ id }) => id),
  )
  await sendNotifications(
    call,
    ready.flatMap((task) => {
      const vendor = byId.get(task.vendorId)
      return vendor === undefined ? [] : [{ vendor, notice: noticeOf(task, vendor) }]
    }),
  )
}

function noticeOf({ id: taskId, homeId, plannedStart: date, isTold, isAsked }: due.DueTask, vendor: Vendor): Notice {
  const isFirst = !isTold && vendor.notificationPreferences.advanceNoticeDays !== null
  const message = isAsked ? 'Please confirm this date.' : null
  return { kind: isFirst ? 'advance' : 'reminder', homeId, bidRequestId: null, taskId, date, message }
}
