import type { ReadinessCheck, Task, TaskReadiness } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'
import { describeStatus, formatCount, formatDate } from '../../../platform/values/format.ts'
import { ORDERED_STATUSES } from '../../statuses/order-statuses.ts'
import { formatTaskNames } from '../schedule/schedule-guards.ts'
import type { Schedule } from './cascade.ts'
import * as tasks from './queries.ts'
import { listOpenPredecessors } from './task.ts'

/** Returns the prerequisites for starting a task, and whether they are met. */
export async function checkReadiness(call: Call, schedule: Schedule, task: Task): Promise<TaskReadiness> {
  const isBought = task.scope !== null || task.poIds.length > 0
  const orders = isBought ? await tasks.listOrdersOfTask(call, task) : null
  const parts = schedule.home.planId === null ? [] : await tasks.listLongLeadParts(call, schedule.home, task.name)
  const issued = orders?.find(({ status }) => ORDERED_STATUSES.includes(status))
  const checks = [
    ...checkStatus(task),
    ...checkPredecessors(task, schedule.tasks),
    ...checkOrders(task, orders, schedule.today),
    ...checkLeadTimes(task, parts, issued?.issuedAt ?? null, schedule),
  ]
  const states = checks.map(({ state }) => state)
  const readiness = states.includes('blocked') ? 'blocked' : states.includes('open') ? 'almost' : 'ready'
  const { id: taskId, plannedStart } = task
  return { taskId, readiness, asOf: call.now.toISOString(), plannedStart, checks }
}

function checkStatus({ name, status }: Task): ReadinessCheck[] {
  if (status === 'not_started') return []
  const state = status === 'on_hold' ? 'blocked' : 'met'
  return [{ check: 'status', state, detail: `${name} is ${describeStatus(status)}.`, ids: [] }]
}

function checkPredecessors(task: Task, all: readonly Task[]): ReadinessCheck[] {
  if (task.predecessors.length === 0) return []
  const open = listOpenPredecessors(task, all)
  const ids = open.slice(0, 50).map(({ id }) => id)
  if (open.length === 0) return [{ check: 'predecessors', state: 'met', detail: 'All predecessors are done.', ids }]
  const failed = open.filter(({ inspectionResult }) => inspectionResult === 'failed')
  const held = open.filter(({ status }) => status === 'on_hold')
  if (failed.length > 0)
    return [{ check: 'predecessors', state: 'blocked', detail: `Failed inspections: ${formatTaskNames(failed)}.`, ids }]
  const onHold = held.length > 0 ? ` On hold: ${formatTaskNames(held)}.` : ''
  const state = held.length > 0 ? 'blocked' : 'open'
  return [{ check: 'predecessors', state, detail: `The task waits for ${formatTaskNames(open)}.${onHold}`, ids }]
}

function checkOrders(task: Task, orders: readonly tasks.TaskOrder[] | null, today: string): ReadinessCheck[] {
  // Inspections and memos need no order.
  if (orders === null || (task.taskKind !== 'work' && task.taskKind !== 'delivery')) return []
  const ids = orders.map(({ id }) => id)
  const [pending] = orders.filter(({ status }) => !ORDERED_STATUSES.includes(status))
  const issued = orders.find(({ status }) => ORDERED_STATUSES.includes(status))
  // If the task refers to orders, all of them must be issued. Otherwise, one issued order for its trade is enough.
  const isMet = issued !== undefined && (task.poIds.length === 0 || pending === undefined)
  if (isMet) return [{ check: 'order', state: 'met', detail: `${issued.number} has been issued.`, ids }]
  const detail =
    pending === undefined
      ? `No purchase order exists for ${task.scope ?? task.name}.`
      : `${pending.number} is ${describeStatus(pending.status)} and has not been issued.`
  return [{ check: 'order', state: today < task.plannedStart ? 'open' : 'blocked', detail, ids }]
}

function checkLeadTimes(
  task: Task,
  parts: readonly { id: string; name: string; leadTimeDays: number }[],
  issuedAt: string | null,
  { home, today }: Schedule,
): ReadinessCheck[] {
  const [slowest] = parts
  if (slowest === undefined) return []
  const ids = parts.map(({ id }) => id)
  const ordered = issuedAt === null ? today : toLocalDate(home.timeZone, new Date(issuedAt))
  const comes = addDays(ordered, slowest.leadTimeDays)
  const isInTime = comes <= task.plannedStart
  const arrival =
    issuedAt === null
      ? `If the part is ordered today, it arrives on ${formatDate(comes)}.`
      : `The part was ordered on ${formatDate(ordered)} and arrives on ${formatDate(comes)}.`
  const detail = `${slowest.name} has a lead time of ${formatCount(slowest.leadTimeDays, 'day')}. ${arrival}`
  const state = isInTime ? (issuedAt === null ? 'open' : 'met') : 'blocked'
  return [{ check: 'lead_time', state, detail, ids }]
}
