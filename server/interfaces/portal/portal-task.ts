import type { PortalTask, Task, TaskConfirmationAnswer } from '../../../client/contract.gen.ts'
import { lockUpcomingTask, storeAnswer } from '../../domain/building/tasks/confirm-task.ts'
import {
  applyConfirmationAnswer,
  explainNotUpcoming,
  isSameAnswer,
  isUpcoming,
} from '../../domain/building/tasks/confirmation.ts'
import * as tasks from '../../domain/building/tasks/queries.ts'
import * as vendors from '../../domain/vendors/vendors/queries.ts'
import type { Call } from '../../platform/calls/call.ts'
import { notFound } from '../../platform/problems/problem.ts'
import { dateIn } from '../../platform/values/calendar.ts'
import { countAnswer } from './answer-limit.ts'
import * as portal from './queries.ts'

/** Lets a vendor view the tasks that it was notified of, and confirm or decline the dates. */
export async function readTask(call: Call, taskId: string): Promise<PortalTask> {
  const task = await requireVisibleTask(call, taskId)
  const { timeZone, ...community } = await portal.findSite(call, task.communityId)
  const [home] = await portal.findPortalHomes(call, [task.homeId])
  if (home === undefined) throw notFound()
  const vendor = await vendors.find(call, String(call.principal.id))
  const { id, name, scope, plannedStart, plannedEnd, durationDays, confirmation } = task
  return {
    ...{ id, name, scope, plannedStart, plannedEnd, durationDays, confirmation },
    canAnswer: explainNotUpcoming(task, dateIn(timeZone, call.now)) === null,
    builder: { name: call.principal.organization.name },
    vendor: { id: vendor.id, companyName: vendor.companyName },
    community,
    home,
  }
}

/**
 * Records "We will come", "We will not" or "We can come on another date". The vendor can change its answer until the
 * task starts.
 */
export async function answerTask(call: Call, taskId: string, answer: TaskConfirmationAnswer): Promise<PortalTask> {
  await call.write(async (call) => {
    await requireVisibleTask(call, taskId)
    const { task, today } = await lockUpcomingTask(call, taskId)
    if (isSameAnswer(applyConfirmationAnswer(task, answer, today, call.now.toISOString()), task.confirmation)) return
    await portal.storeTaskAnswerCount(
      call,
      taskId,
      countAnswer(await portal.findTaskAnswerCount(call, taskId), call.now, 'a task'),
    )
    await storeAnswer(call, task, answer, today)
  })
  return readTask(call, taskId)
}

/** Returns the task if the caller's token covers it and the vendor was notified of it; otherwise throws `not_found`. */
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
