import type { PortalTask, Task, TaskConfirmationAnswer } from '../../../client/contract.gen.ts'
import { lockUpcomingTask, storeConfirmationResponse } from '../../domain/building/tasks/confirm-task.ts'
import {
  applyConfirmationResponse,
  explainWhyStartIsFixed,
  isSameResponse,
  isUpcoming,
} from '../../domain/building/tasks/confirmation.ts'
import * as tasks from '../../domain/building/tasks/queries.ts'
import { findSpanishScope } from '../../domain/vendors/scopes/queries.ts'
import * as vendors from '../../domain/vendors/vendors/queries.ts'
import type { Call } from '../../platform/calls/call.ts'
import { notFound } from '../../platform/problems/problem.ts'
import { toLocalDate } from '../../platform/values/calendar.ts'
import * as portal from './queries.ts'
import { incrementResponseCount } from './response-limit.ts'

/** Returns a task about which the vendor was notified. */
export async function readTask(call: Call, taskId: string): Promise<PortalTask> {
  const task = await requireVisibleTask(call, taskId)
  const { timeZone, ...community } = await portal.findBuildingSite(call, task.communityId)
  const [home] = await portal.findPortalHomes(call, [task.homeId])
  if (home === undefined) throw notFound()
  const vendor = await vendors.find(call, String(call.principal.id))
  const { id, name, spanishName, scope, plannedStart, plannedEnd, durationDays, confirmation } = task
  return {
    ...{ id, name, spanishName, scope, spanishScope: await findSpanishScope(call, scope) },
    ...{ plannedStart, plannedEnd, durationDays, confirmation },
    canAnswer: explainWhyStartIsFixed(task, toLocalDate(timeZone, call.now)) === null,
    builder: { name: call.principal.organization.name },
    vendor: { id: vendor.id, companyName: vendor.companyName },
    community,
    home,
  }
}

/**
 * Records whether the vendor will come on the planned date, will not come, or proposes another date. The vendor can
 * change the response until the task starts.
 */
export async function respondToTask(call: Call, taskId: string, answer: TaskConfirmationAnswer): Promise<PortalTask> {
  await call.write(async (call) => {
    await requireVisibleTask(call, taskId)
    const { task, today } = await lockUpcomingTask(call, taskId)
    if (isSameResponse(applyConfirmationResponse(task, answer, today, call.now.toISOString()), task.confirmation))
      return
    await portal.storeTaskResponseCount(
      call,
      taskId,
      incrementResponseCount(await portal.findTaskResponseCount(call, taskId), call.now, 'a task'),
    )
    await storeConfirmationResponse(call, task, answer, today)
  })
  return readTask(call, taskId)
}

/**
 * Returns the task if the caller's token covers it and the vendor was notified about it. Otherwise, throws `not_found`.
 */
async function requireVisibleTask(call: Call, taskId: string): Promise<Task> {
  const { principal } = call
  const task = await tasks.findOptional(call, taskId)
  const isShown =
    principal.subjectId === principal.id &&
    task?.vendorId === principal.id &&
    task.archivedAt === null &&
    task.notifiedStart !== null &&
    isUpcoming(task)
  if (task === undefined || !isShown) throw notFound()
  return task
}
