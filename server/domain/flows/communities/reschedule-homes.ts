import type { Community, CommunityReschedule, HomeReschedule } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { formatNumber } from '../../../platform/values/format.ts'
import {
  lockSchedule,
  planReschedule,
  type Reschedule,
  readSchedule,
  type Schedule,
  storeCascade,
} from '../../building/tasks/cascade.ts'
import { listHomesWithOpenTasks } from '../../building/tasks/queries.ts'
import { markForReschedule } from './due-reschedules.ts'

/**
 * The maximum number of homes that can be rescheduled. No community has so many homes under construction, and one
 * transaction can process this number.
 */
const MAX_HOMES = 500

/**
 * The maximum number of homes that a request reschedules itself. These homes stay locked until its transaction ends. A
 * job reschedules the other homes.
 */
const MAX_AT_ONCE = 25

/**
 * The maximum number of tasks that are shown for each home, so that the result for a large community stays readable.
 */
const MAX_SHOWN = 10

type Calendar = Pick<Community, 'workdays' | 'holidays'>

/** Returns whether two calendars differ in workdays or holidays. */
export function hasNewCalendar(before: Calendar, after: Calendar): boolean {
  return !hasSameItems(before.workdays, after.workdays) || !hasSameItems(before.holidays, after.holidays)
}

function hasSameItems<Item>(one: readonly Item[], other: readonly Item[]): boolean {
  const items = new Set(one)
  return items.size === new Set(other).size && other.every((item) => items.has(item))
}

/**
 * Reschedules all homes with unfinished tasks in a locked community according to its new workdays and holidays, and
 * notifies the vendors whose dates change.
 */
export async function rescheduleHomes(call: WriteCall, community: Community): Promise<CommunityReschedule> {
  const ids = await listHomesToReschedule(call, community)
  const homes: HomeReschedule[] = []
  const notifiedIds = new Set<string>()
  for (const [i, homeId] of ids.entries()) {
    const isPending = i >= MAX_AT_ONCE
    const { schedule, after } = await (isPending ? planHome : rescheduleHome)(call, homeId)
    const { moved, oldForecast, newForecast, notices } = after.cascade
    for (const { vendorId } of notices) notifiedIds.add(vendorId)
    if (moved.length > 0) {
      const direct = moved.filter(({ because }) => because === 'calendar')
      homes.push({
        ...{ homeId, name: schedule.home.name, tasksMoved: moved.length, moved: direct.slice(0, MAX_SHOWN) },
        ...{ oldForecast, newForecast, isPending },
      })
    }
    // Plans for hundreds of homes take seconds, so let other requests run in between.
    if (isPending) await new Promise((next) => setImmediate(next))
  }
  await markForReschedule(call, ids.slice(MAX_AT_ONCE))
  return {
    ...{ homesMoved: homes.length, homesPending: homes.filter(({ isPending }) => isPending).length },
    ...{ tasksMoved: homes.reduce((sum, { tasksMoved }) => sum + tasksMoved, 0) },
    ...{ vendorsNotified: notifiedIds.size, homes: call.permissions.has('tasks:read') ? homes : null },
  }
}

/** Like rescheduleHomes, but for several communities together, and without a summary. */
export async function rescheduleHomesOfCommunities(call: WriteCall, changed: readonly Community[]): Promise<void> {
  let left = MAX_AT_ONCE
  for (const community of changed) {
    const ids = await listHomesToReschedule(call, community)
    const now = ids.slice(0, left)
    left -= now.length
    for (const homeId of now) await rescheduleHome(call, homeId)
    await markForReschedule(call, ids.slice(now.length))
  }
}

async function listHomesToReschedule(call: WriteCall, { id, name }: Community): Promise<string[]> {
  const ids = await listHomesWithOpenTasks(call, id, MAX_HOMES + 1)
  if (ids.length <= MAX_HOMES) return ids
  throw conflict(
    'limit_reached',
    `Cannot change the workdays or holidays of ${name}: more than ${formatNumber(MAX_HOMES)} homes have unfinished tasks. Complete or skip the tasks of finished homes first.`,
  )
}

interface RescheduledHome {
  schedule: Schedule
  after: Reschedule
}

/** Reschedules a home by the current calendar of its community. */
export async function rescheduleHome(call: WriteCall, homeId: string): Promise<RescheduledHome> {
  const schedule = await lockSchedule(call, { homeId })
  const after = planReschedule(schedule, schedule.tasks, null)
  await storeCascade(call, schedule, after, null)
  return { schedule, after }
}

async function planHome(call: WriteCall, homeId: string): Promise<RescheduledHome> {
  const schedule = await readSchedule(call, { homeId })
  return { schedule, after: planReschedule(schedule, schedule.tasks, null) }
}
