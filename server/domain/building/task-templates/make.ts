import type { Task, TaskTemplate } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordFirstStatuses } from '../../../platform/events/status-history.ts'
import type { WorkCalendar } from '../../../platform/values/workdays.ts'
import * as homes from '../../land/homes/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { scheduledFrom } from '../schedule/from-start.ts'
import { FIRST_DAY, LAST_DAY, lastDayOf, percentDone } from '../schedule/schedule.ts'
import * as tasks from '../tasks/queries.ts'
import { newTask } from '../tasks/task.ts'
import { vendorsAmong } from './queries.ts'
import { scopesOf, startInvalid } from './template.ts'

/** A schedule to create, for a locked home without tasks. */
export interface Wanted {
  home: { id: string; name: string; communityId: string }
  template: Pick<TaskTemplate, 'rows'>
  startDate: string
}

/**
 * Creates schedules and returns their tasks by home, with seven statements regardless of their number. `pointer` is the
 * JSON pointer of the start date in the input.
 */
export async function makeSchedules(
  call: WriteCall,
  wanted: readonly Wanted[],
  calendar: WorkCalendar,
  pointer: string,
): Promise<Task[][]> {
  const rows = [...new Set(wanted.map(({ template }) => template))].flatMap((template) => template.rows)
  const known: Known = {
    // Since the template was saved, a trade may have been renamed and a vendor deactivated.
    spelling: (await scopes.trades(call, scopesOf(rows), true)).spelled,
    activeIds: await activeAmong(call, [...new Set(rows.flatMap(({ vendorId }) => vendorId ?? []))]),
  }
  const made: Task[][] = []
  for (const each of wanted) {
    const outcome = scheduledFrom(each.startDate, tasksOf(call, each, known), calendar)
    if (!('tasks' in outcome))
      throw startInvalid(pointer, `must keep the schedule of ${each.home.name} between ${FIRST_DAY} and ${LAST_DAY}`)
    made.push(outcome.tasks)
    // Hundreds of homes take a second, so other requests are handled in between.
    if (wanted.length > 1) await new Promise((next) => setImmediate(next))
  }
  const all = made.flat()
  await tasks.insertAll(call, all)
  await recordFirstStatuses(call, all)
  await homes.keepForecasts(
    call,
    wanted.map(({ home: { id } }, i) => ({
      ...{ id, forecastCompletionDate: lastDayOf(made[i] ?? []), percentComplete: percentDone(made[i] ?? []) },
    })),
  )
  return made
}

interface Known {
  spelling: ReadonlyMap<string, string>
  activeIds: ReadonlySet<string>
}

async function activeAmong(call: WriteCall, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await vendorsAmong(call, ids)
  return new Set(
    found.flatMap(({ id, status, archivedAt }) => (status === 'active' && archivedAt === null ? [id] : [])),
  )
}

/** Returns an unscheduled task for every row, in the order of the rows. */
function tasksOf(call: WriteCall, { home, template, startDate }: Wanted, { spelling, activeIds }: Known): Task[] {
  const made = template.rows.map(({ name, scope, phase, taskKind, durationDays, vendorId, checklist }, i) => {
    const task = newTask(
      {
        ...{ homeId: home.id, name, phase, taskKind, durationDays, predecessors: [] },
        ...{ workdayOverride: false, poIds: [], payOnComplete: false },
        scope: scope === null ? null : (spelling.get(scope) ?? scope),
        vendorId: vendorId !== null && activeIds.has(vendorId) ? vendorId : null,
        checklist: checklist.map((text) => ({ text, done: false })),
      },
      startDate,
    )
    // Steps of ten leave room to insert tasks later.
    return tasks.make(call, { ...task, communityId: home.communityId, sequence: 10 * (i + 1) })
  })
  const idOf = new Map(made.map(({ name, id }) => [name, id]))
  return made.map((task, i) => ({
    ...task,
    predecessors: (template.rows[i]?.predecessors ?? []).flatMap(({ name, type, lagDays }) => {
      const taskId = idOf.get(name)
      return taskId === undefined ? [] : [{ taskId, type, lagDays }]
    }),
  }))
}
