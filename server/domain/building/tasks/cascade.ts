import type { ScheduleCascade, ScheduleNotice, Task, TaskMove } from '../../../../client/contract.gen.ts'
import { type Call, recordChange, type WriteCall } from '../../../platform/calls/call.ts'
import { type NewEvent, recordEvents } from '../../../platform/events/record-event.ts'
import { conflict, notFound, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { createWorkCalendar, type WorkCalendar } from '../../../platform/values/workdays.ts'
import * as homes from '../../land/homes/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { sendNotifications } from '../../vendors/vendors/send-notifications.ts'
import { FIRST_DAY, LAST_DAY } from '../schedule/day-numbers.ts'
import { describeCycle } from '../schedule/describe-cycle.ts'
import { explainWhyScheduleIsFixed } from '../schedule/schedule-guards.ts'
import { computePercentDone, findLastDay, type ScheduleError, scheduleTasks } from '../schedule/schedule-tasks.ts'
import { isUpcoming, updateConfirmation } from './confirmation.ts'
import type { CascadedDates, HomeOrTask, ScheduledHome } from './queries.ts'
import * as tasks from './queries.ts'

/** The schedule of a home: its tasks, and the data that determines their dates. */
export interface Schedule {
  home: ScheduledHome
  tasks: Task[]
  calendar: WorkCalendar
  /** The current date in the community's time zone. */
  today: string
  /** The earliest day on which work in progress can end; null if the organization does not use a data date. */
  dataDate: string | null
  now: string
}

/**
 * Returns the schedule of the given home, or of the home of the given task. Throws `not_found` if the home or task does
 * not exist.
 */
export async function readSchedule(call: Call, homeOrTask: HomeOrTask): Promise<Schedule> {
  return loadSchedule(call, await tasks.findHome(call, homeOrTask))
}

/**
 * Returns the schedule and locks it until the transaction ends. Throws `conflict` if the schedule can no longer change.
 */
export async function lockSchedule(call: WriteCall, homeOrTask: HomeOrTask): Promise<Schedule> {
  const home = await tasks.lockHome(call, homeOrTask)
  const calendar = home === undefined ? {} : await tasks.readCalendar(call, home.communityId)
  const schedule = await loadSchedule(call, home === undefined ? undefined : { ...home, ...calendar })
  const reason = explainWhyScheduleIsFixed(schedule.home)
  if (reason !== null) throw conflict('home_not_open', reason)
  return schedule
}

/** Like lockSchedule, for a change that can add the first tasks of a home. Also locks the community's calendar. */
export async function lockScheduleToAdd(call: WriteCall, homeId: string): Promise<Schedule> {
  await tasks.lockCalendar(call, { homeId })
  return lockSchedule(call, { homeId })
}

async function loadSchedule(call: Call, home: ScheduledHome | undefined): Promise<Schedule> {
  if (home === undefined) throw notFound()
  const today = toLocalDate(home.timeZone, call.now)
  return {
    home,
    tasks: await tasks.listTasksOfHome(call, home.id),
    calendar: createWorkCalendar(home),
    today,
    dataDate: home.usesDataDate ? today : null,
    now: call.now.toISOString(),
  }
}

/** The effect of a change on a schedule. */
export interface Reschedule {
  /** All tasks with their new dates. */
  tasks: Task[]
  cascade: ScheduleCascade
  percentComplete: number
}

/**
 * Reschedules the tasks after a task was changed, added, or removed. Stores nothing.
 *
 * @param after the tasks with the change
 * @param changedId the changed task; null if it was added or removed
 */
export function planReschedule(
  { tasks: before, calendar, home, dataDate, now }: Schedule,
  after: readonly Task[],
  changedId: string | null,
): Reschedule {
  const outcome = scheduleTasks(after, calendar, dataDate)
  if (!('placed' in outcome)) throw toScheduleProblem(outcome, after)
  const old = new Map(before.map((task) => [task.id, task]))
  const placed = after.map((task, i): Task => {
    const at = { ...task, ...outcome.placed[i]?.dates }
    const was = old.get(task.id)
    return was === undefined ? at : { ...at, confirmation: updateConfirmation(was, at, now) }
  })
  const movedIds = new Set(placed.filter((task) => hasNewDates(old.get(task.id), task)).map(({ id }) => id))
  const pushingIds = new Set(placed.filter((task) => hasNewEnds(old.get(task.id), task)).map(({ id }) => id))
  const moved = placed.flatMap((task, i): TaskMove[] => {
    const was = old.get(task.id)
    if (was === undefined || !movedIds.has(task.id)) return []
    const { id: taskId, name, vendorId, plannedStart: newStart, plannedEnd: newEnd } = task
    const why = explainMove(task, outcome.placed[i]?.driverId ?? null, pushingIds, changedId)
    return [{ taskId, name, vendorId, oldStart: was.plannedStart, oldEnd: was.plannedEnd, newStart, newEnd, ...why }]
  })
  const notices = listNotices(placed)
  const reported = new Set(notices.flatMap((notice) => notice.tasks.map(({ taskId }) => taskId)))
  return {
    tasks: placed.map((task) =>
      reported.has(task.id) ? { ...task, notifiedStart: task.plannedStart, notifiedAt: now } : task,
    ),
    cascade: {
      moved: moved.sort((a, b) => (a.newStart < b.newStart ? -1 : a.newStart > b.newStart ? 1 : 0)),
      oldForecast: home.forecastCompletionDate,
      newForecast: findLastDay(placed),
      notices,
    },
    percentComplete: computePercentDone(placed),
  }
}

function hasNewDates(was: Task | undefined, { plannedStart, plannedEnd }: Task): boolean {
  return was !== undefined && (was.plannedStart !== plannedStart || was.plannedEnd !== plannedEnd)
}

/** Returns whether successors of the task may move, because its planned dates or its expected end have changed. */
function hasNewEnds(was: Task | undefined, task: Task): boolean {
  return hasNewDates(was, task) || (was !== undefined && was.earlyFinish !== task.earlyFinish)
}

function explainMove(
  { id, predecessors }: Task,
  driverId: string | null,
  pushingIds: ReadonlySet<string>,
  changedId: string | null,
): Pick<TaskMove, 'because' | 'predecessorId'> {
  if (id === changedId) return { because: 'changed', predecessorId: null }
  // `pushingIds` also contains predecessors that ended early or late, although their planned dates have not changed.
  const isPushed = predecessors.some(({ taskId }) => pushingIds.has(taskId) || taskId === changedId)
  if (!isPushed) return { because: 'calendar', predecessorId: null }
  return driverId === null
    ? { because: 'own_date', predecessorId: null }
    : { because: 'predecessor', predecessorId: driverId }
}

/**
 * Returns at most one notice for each vendor and direction. Each notice covers the tasks whose start has changed since
 * the vendor was last notified.
 */
function listNotices(tasks: readonly Task[]): ScheduleNotice[] {
  const notices = new Map<string, ScheduleNotice>()
  for (const task of tasks) {
    const { id: taskId, vendorId, notifiedStart, plannedStart } = task
    if (!isUpcoming(task) || vendorId === null || notifiedStart === null || notifiedStart === plannedStart) continue
    const kind = plannedStart < notifiedStart ? 'moved_earlier' : 'postponed'
    const notice = notices.get(`${vendorId} ${kind}`) ?? { vendorId, kind, tasks: [] }
    notice.tasks.push({ taskId, oldStartDate: notifiedStart, newStartDate: plannedStart })
    notices.set(`${vendorId} ${kind}`, notice)
  }
  return [...notices.values()]
}

function toScheduleProblem(outcome: ScheduleError, tasks: readonly Task[]) {
  const nameOf = (id: string) => tasks.find((task) => task.id === id)?.name.slice(0, 60) ?? id
  if ('beyondId' in outcome) {
    const message = `must not move ${nameOf(outcome.beyondId)} outside the supported dates (${FIRST_DAY} to ${LAST_DAY})`
    return validationFailed([{ pointer: '', code: 'out_of_range', message }])
  }
  if ('overloadedId' in outcome)
    return conflict(
      'limit_reached',
      `Cannot reschedule the home: ${nameOf(outcome.overloadedId)} would inherit too many links of skipped tasks. Remove predecessors of the skipped tasks first.`,
    )
  const message = describeCycle(outcome.ring.map(nameOf))
  return validationFailed([{ pointer: '/predecessors', code: 'ring', message }])
}

/**
 * Stores the effects of a change on the rest of the schedule: the other changed tasks, the home's forecast, and the
 * notices to vendors. Records the events of all changes first. The changed task itself must already be stored.
 */
export async function storeCascade(
  call: WriteCall,
  { tasks: before, home, dataDate }: Schedule,
  { tasks: after, cascade, percentComplete }: Reschedule,
  changedId: string | null,
  events: readonly NewEvent[] = [],
): Promise<void> {
  const old = new Map(before.map((task) => [task.id, task]))
  const others = after.flatMap((task) => {
    const was = old.get(task.id)
    if (was === undefined || task.id === changedId) return []
    const fields = CASCADED_FIELDS.filter((field) => was[field] !== task[field])
    if (fields.length > 0) recordChange(call, task.id, 'updated', fields)
    return fields.length > 0 ? [task] : []
  })
  if (others.length > 0) await tasks.updateTaskDates(call, others)
  const { newForecast: forecastCompletionDate } = cascade
  if (forecastCompletionDate !== home.forecastCompletionDate || percentComplete !== home.percentComplete) {
    await homes.storeForecast(call, home.id, { forecastCompletionDate, percentComplete })
  }
  if (dataDate !== home.dataDate) await homes.storeDataDate(call, home.id, dataDate)
  if (cascade.notices.length === 0) return recordEvents(call, events)
  const reported = await vendors.findAll(call, [...new Set(cascade.notices.map(({ vendorId }) => vendorId))].sort())
  const byId = new Map(reported.map((vendor) => [vendor.id, vendor]))
  await sendNotifications(
    call,
    cascade.notices.flatMap(({ vendorId, kind, tasks }) => {
      const vendor = byId.get(vendorId)
      if (vendor === undefined) return []
      const [date = ''] = tasks.map(({ newStartDate }) => newStartDate).sort()
      return [
        { vendor, notice: { kind, homeId: home.id, bidRequestId: null, taskId: null, date, message: null, tasks } },
      ]
    }),
    events,
  )
}

const CASCADED_FIELDS: readonly (keyof CascadedDates)[] = [
  ...(['plannedStart', 'plannedEnd', 'earlyStart', 'earlyFinish', 'lateStart', 'lateFinish'] as const),
  ...(['totalFloatDays', 'isCritical', 'notifiedStart', 'notifiedAt', 'confirmation'] as const),
]
