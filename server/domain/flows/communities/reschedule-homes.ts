import type { Community, CommunityReschedule, HomeReschedule } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { formatNumber } from '../../../platform/values/format.ts'
import { lockSchedule, planReschedule, storeCascade } from '../../building/tasks/cascade.ts'
import { listHomesWithOpenTasks } from '../../building/tasks/queries.ts'

/**
 * The maximum number of homes that can be rescheduled. No community has so many homes under construction, and one
 * transaction can process this number.
 */
const MAX_HOMES = 500

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
  const ids = await listHomesWithOpenTasks(call, community.id, MAX_HOMES + 1)
  if (ids.length > MAX_HOMES) {
    throw conflict(
      'limit_reached',
      `Cannot change the workdays or holidays of ${community.name}: more than ${formatNumber(MAX_HOMES)} homes have unfinished tasks. Complete or skip the tasks of finished homes first.`,
    )
  }
  const homes: HomeReschedule[] = []
  const notifiedIds = new Set<string>()
  for (const homeId of ids) {
    const schedule = await lockSchedule(call, { homeId })
    const after = planReschedule(schedule, schedule.tasks, null)
    await storeCascade(call, schedule, after, null)
    const { moved, oldForecast, newForecast, notices } = after.cascade
    for (const { vendorId } of notices) notifiedIds.add(vendorId)
    if (moved.length === 0) continue
    const direct = moved.filter(({ because }) => because === 'calendar')
    homes.push({
      ...{ homeId, name: schedule.home.name, tasksMoved: moved.length, moved: direct.slice(0, MAX_SHOWN) },
      ...{ oldForecast, newForecast },
    })
  }
  return {
    ...{ homesMoved: homes.length, tasksMoved: homes.reduce((sum, { tasksMoved }) => sum + tasksMoved, 0) },
    ...{ vendorsNotified: notifiedIds.size, homes: call.permissions.has('tasks:read') ? homes : null },
  }
}
