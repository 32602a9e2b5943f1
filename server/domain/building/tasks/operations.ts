import type { Task } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import { createFileResponse } from '../../../platform/calls/file-response.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, unknownReference } from '../../../platform/problems/problem.ts'
import { formatNumber } from '../../../platform/values/format.ts'
import * as homes from '../../land/homes/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { completeTaskInspection } from '../inspections/complete-inspection.ts'
import { listMilestonesOfTask } from '../milestones/queries.ts'
import { explainWhyScheduleIsFixed, formatTaskNames } from '../schedule/schedule-guards.ts'
import { lockSchedule, lockScheduleToAdd, planReschedule, readSchedule, storeCascade } from './cascade.ts'
import { applyTaskChanges, changeTask, requireTask } from './change-task.ts'
import { addDelay, planDelay } from './delay.ts'
import { planFailedInspection } from './failed-inspection.ts'
import { toProjectXml } from './project-xml.ts'
import * as tasks from './queries.ts'
import { checkReadiness } from './readiness.ts'
import { planBaseline, toScheduleSheet } from './schedule-sheet.ts'
import * as rules from './task.ts'
import { assertCanLinkOrders, assertOrdersBelongToHome, completeOrders } from './task-orders.ts'

export const taskOperations = {
  async listTasks({ query }, call) {
    return { status: 200, body: await tasks.list(call, query) }
  },

  async createTask({ query, body }, call) {
    const changed = await call.write(async (call) => {
      await homes.assertExist(call, [body.homeId], '/homeId')
      const schedule = await lockScheduleToAdd(call, body.homeId)
      const values = rules.buildTask(body, schedule.today)
      if (schedule.tasks.length >= rules.MAX_TASKS)
        throw conflict(
          'limit_reached',
          `${schedule.home.name} already has ${formatNumber(rules.MAX_TASKS)} tasks, the maximum.`,
        )
      rules.assertPredecessorsBelongToHome(values.predecessors, schedule.tasks)
      assertCanLinkOrders(call, { poIds: [], payOnComplete: false }, body)
      await assertOrdersBelongToHome(call, body.homeId, body.poIds)
      const references = await resolveReferences(call, body, query.createScopes)
      const sequence = body.sequence ?? 10 + schedule.tasks.reduce((last, task) => Math.max(last, task.sequence), 0)
      const fields = { ...values, ...references, sequence, communityId: schedule.home.communityId }
      const after = planReschedule(schedule, [...schedule.tasks, toNewTask(call, fields)], null)
      const placed = after.tasks.at(-1)
      const created = await tasks.insert(call, placed === undefined ? fields : rules.toTaskFields(placed))
      await recordStatusChange(call, { id: created.id, from: null, to: created.status })
      await storeCascade(call, schedule, after, null)
      return { ...created, cascade: after.cascade }
    })
    return { status: 201, body: changed }
  },

  async getTask({ path }, call) {
    return { status: 200, body: await tasks.find(call, path.taskId) }
  },

  async updateTask({ path, query, body, ifMatch }, call) {
    const changed = await call.write((call) =>
      changeTask(call, path.taskId, ifMatch, async (before, schedule) => {
        const changes = rules.toTaskChanges(body, before, schedule.today)
        if (changes.predecessors !== undefined)
          rules.assertPredecessorsBelongToHome(changes.predecessors, schedule.tasks)
        assertCanLinkOrders(call, before, body)
        if (changes.poIds !== undefined) await assertOrdersBelongToHome(call, before.homeId, changes.poIds)
        return { ...changes, ...(await resolveReferences(call, body, query.createScopes)) }
      }),
    )
    return { status: 200, body: changed }
  },

  async archiveTask({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const before = await tasks.find(call, path.taskId)
      assertIfMatch(ifMatch, before)
      if (before.archivedAt !== null) return
      const schedule = await lockSchedule(call, { taskId: before.id })
      const task = await requireTask(call, schedule, before.id, ifMatch)
      const reason =
        rules.explainWhyTaskCannotBeArchived(task, schedule.tasks) ?? (await explainMilestonesWaiting(call, task))
      if (reason !== null) throw conflict('in_use', reason)
      const left = schedule.tasks.filter(({ id }) => id !== task.id)
      const after = planReschedule(schedule, left, null)
      await tasks.archive(call, task)
      await storeCascade(call, schedule, after, null)
    })
    return { status: 204 }
  },

  async simulateDelay({ path, query }, call) {
    const schedule = await readSchedule(call, { taskId: path.taskId })
    const reason = explainWhyScheduleIsFixed(schedule.home)
    if (reason !== null) throw conflict('home_not_open', reason)
    const task = await requireTask(call, schedule, path.taskId)
    const requested = query.newStart === undefined ? { days: 1, ...query } : query
    const { changes } = planDelay(task, requested, schedule, (field) => field)
    const after = planReschedule(schedule, applyTaskChanges(schedule, task, changes), task.id)
    const placed = after.tasks.find(({ id }) => id === task.id)
    return { status: 200, body: { ...(placed ?? task), cascade: after.cascade } }
  },

  async delayTask({ path, body, ifMatch }, call) {
    const changed = await call.write((call) =>
      changeTask(call, path.taskId, ifMatch, async (before, schedule) => {
        const { days, changes } = planDelay(before, body, schedule, (field) => `/${field}`)
        if (body.vendorId != null) await vendors.assertExist(call, [body.vendorId], '/vendorId')
        return { ...changes, delays: addDelay(before, body, days, call.now) }
      }),
    )
    return { status: 200, body: changed }
  },

  async getTaskReadiness({ path }, call) {
    const schedule = await readSchedule(call, { taskId: path.taskId })
    return { status: 200, body: await checkReadiness(call, schedule, await requireTask(call, schedule, path.taskId)) }
  },

  async changeTaskStatus({ path, body, ifMatch }, call) {
    const changed = await call.write((call) =>
      changeTask(
        call,
        path.taskId,
        ifMatch,
        async (before, schedule) => {
          const changes = rules.planStatusMove(before, body, schedule.today)
          if (before.status === 'not_started' && body.status === 'in_progress')
            rules.assertTaskCanStart(before, schedule.tasks, body)
          return changes
        },
        body.reason,
      ),
    )
    return { status: 200, body: changed }
  },

  async completeTask({ path, body, ifMatch }, call) {
    const finished = await call.write(async (call) => {
      const completed = await changeTask(
        call,
        path.taskId,
        ifMatch,
        async (before, schedule) => {
          const changes = rules.planCompletion(before, body, schedule.today)
          if (before.actualStart === null) rules.assertTaskCanStart(before, schedule.tasks, body)
          const { inspectionResult = null, date = schedule.today, reason = null } = body
          if (inspectionResult === null) return changes
          const planned =
            inspectionResult === 'failed'
              ? planFailedInspection(schedule, before, changes, {
                  ...{ date, reinspectionDate: null, releasedScopes: [], vendorId: null },
                })
              : { changes, delayDays: null }
          const { delayDays } = planned
          await completeTaskInspection(
            call,
            before.id,
            { result: inspectionResult, completedDate: date, delayDays },
            reason,
          )
          return planned.changes
        },
        body.reason,
      )
      return { ...completed, orders: completed.status === 'completed' ? await completeOrders(call, completed) : [] }
    })
    return { status: 200, body: finished }
  },

  async getHomeSchedule({ path }, call) {
    return { status: 200, body: toScheduleSheet(await readSchedule(call, { homeId: path.homeId })) }
  },

  async getHomeScheduleXml({ path }, call) {
    const schedule = await readSchedule(call, { homeId: path.homeId })
    const { name } = schedule.home
    const xml = toProjectXml(name, toScheduleSheet(schedule).tasks)
    return { status: 200, body: createFileResponse(`${name}.xml`, 'application/octet-stream', Buffer.from(xml)) }
  },

  async setScheduleBaseline({ path }, call) {
    const baseline = await call.write(async (call) => {
      const schedule = await lockSchedule(call, { homeId: path.homeId })
      const baseline = planBaseline(schedule)
      await tasks.storeBaseline(
        call,
        baseline.changed.map(({ taskId }) => taskId),
      )
      return baseline
    })
    return { status: 200, body: baseline }
  },
} satisfies Partial<Handlers>

/** Returns a task that is not stored yet, so that it can be scheduled together with the stored tasks. */
function toNewTask({ actor, now }: Call, fields: rules.TaskFields): Task {
  const at = now.toISOString()
  return { ...fields, id: '', version: 1, createdBy: actor, createdAt: at, updatedAt: at, archivedAt: null }
}

/**
 * If the input contains a trade, returns it in the organization's spelling. If the input contains a vendor, checks that
 * work can be assigned to the vendor.
 */
async function resolveReferences(
  call: WriteCall,
  { scope, vendorId }: { scope?: string | null | undefined; vendorId?: string | null | undefined },
  createScopes: boolean | undefined,
): Promise<{ scope?: string }> {
  if (vendorId != null) {
    const vendor = await vendors.findOptional(call, vendorId)
    if (vendor === undefined) throw unknownReference(['/vendorId'])
    if (vendor.archivedAt !== null)
      throw conflict('vendor_archived', `Cannot assign the task to ${vendor.companyName}: the vendor is archived.`)
  }
  return scope == null ? {} : { scope: await scopes.requireTrade(call, scope, createScopes) }
}

/** Returns the reason why milestones prevent archiving the task; null if no milestone includes the task. */
async function explainMilestonesWaiting(call: WriteCall, task: Task): Promise<string | null> {
  const waiting = (await listMilestonesOfTask(call, task.homeId, task.id)).filter(({ status }) => status === 'pending')
  if (waiting.length === 0) return null
  return `Cannot archive ${task.name}: ${formatTaskNames(waiting)} ${waiting.length === 1 ? 'waits' : 'wait'} for it. Remove the task from ${waiting.length === 1 ? 'this milestone' : 'these milestones'} first.`
}
