import type { Vendor } from '../../../../client/contract.gen.ts'
import type { Services, WriteCall } from '../../../platform/calls/call.ts'
import { processDueItems } from '../../../platform/due/process-due-items.ts'
import { MAIL_LOCALES } from '../../office/message-templates/mail-locale.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { type Notice, sendNotifications } from '../../vendors/vendors/send-notifications.ts'
import * as due from './due-queries.ts'

/**
 * Notifies vendors of upcoming tasks: first an advance notice, then a reminder, and another reminder if the vendor has
 * not confirmed the date. Processes all due tasks of a home together.
 */
export async function notifyDueTasks(services: Services): Promise<void> {
  await processDueItems(services, {
    what: 'tasks to announce',
    find: due.findDueTasks,
    claim: due.lockAvailableHomes,
    settle: (call, _homeId, ids) => notifyTasks(call, ids),
  })
}

async function notifyTasks(call: WriteCall, ids: readonly string[]): Promise<void> {
  const tasks = await due.readDueTasks(call, ids)
  // Postpone a notice that must wait until the morning, or that is due later because the vendor has changed its
  // preferences.
  await due.postponeNotices(
    call,
    tasks.filter(({ laterAt, isOver }) => laterAt !== null || isOver),
  )
  const ready = tasks.filter(({ laterAt, isOver }) => laterAt === null && !isOver)
  if (ready.length === 0) return
  const reported = await vendors.findAll(call, [...new Set(ready.map(({ vendorId }) => vendorId))].sort())
  const byId = new Map(reported.map((vendor) => [vendor.id, vendor]))
  await due.markTasksNotified(
    call,
    ready.map(({ id }) => id),
  )
  await sendNotifications(
    call,
    ready.flatMap((task) => {
      const vendor = byId.get(task.vendorId)
      return vendor === undefined ? [] : [{ vendor, notice: toNotice(task, vendor) }]
    }),
  )
}

function toNotice({ id: taskId, homeId, plannedStart: date, isTold, isAsked }: due.DueTask, vendor: Vendor): Notice {
  const isFirst = !isTold && vendor.notificationPreferences.advanceNoticeDays !== null
  const message = isAsked ? MAIL_LOCALES[vendor.language ?? 'en'].words.confirmDate : null
  return { kind: isFirst ? 'advance' : 'reminder', homeId, bidRequestId: null, taskId, date, message }
}
