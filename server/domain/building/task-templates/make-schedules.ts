import type { Task, TaskTemplate } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordInitialStatuses } from '../../../platform/events/status-history.ts'
import type { WorkCalendar } from '../../../platform/values/workdays.ts'
import * as homes from '../../land/homes/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { FIRST_DAY, LAST_DAY } from '../schedule/day-numbers.ts'
import { scheduleFromStart } from '../schedule/schedule-from-start.ts'
import { computePercentDone, findLastDay } from '../schedule/schedule-tasks.ts'
import * as tasks from '../tasks/queries.ts'
import { buildTask } from '../tasks/task.ts'
import { findVendors } from './queries.ts'
import { createStartDateProblem, listTrades } from './template.ts'

/** A schedule to create, for a locked home without tasks. */
export interface ScheduleRequest {
  home: { id: string; name: string; communityId: string }
  template: Pick<TaskTemplate, 'rows'>
  startDate: string
}

/**
 * Creates schedules and returns their tasks by home. Executes seven statements, regardless of the number of schedules.
 * `pointer` is the JSON pointer of the start date in the input.
 */
export async function makeSchedules(
  call: WriteCall,
  requested: readonly ScheduleRequest[],
  calendar: WorkCalendar,
  pointer: string,
): Promise<Task[][]> {
  const rows = [...new Set(requested.map(({ template }) => template))].flatMap((template) => template.rows)
  const known: KnownReferences = {
    // After the template was saved, a trade may have been renamed, and a vendor may have been deactivated.
    spelling: (await scopes.findOrCreateTrades(call, listTrades(rows), true)).spelled,
    activeIds: await findActiveVendors(call, [...new Set(rows.flatMap(({ vendorId }) => vendorId ?? []))]),
  }
  const created: Task[][] = []
  for (const each of requested) {
    const outcome = scheduleFromStart(each.startDate, toTasks(call, each, known), calendar)
    if (!('tasks' in outcome))
      throw createStartDateProblem(
        pointer,
        `must keep the schedule of ${each.home.name} between ${FIRST_DAY} and ${LAST_DAY}`,
      )
    created.push(outcome.tasks)
    // Scheduling hundreds of homes takes a second, so allow other requests to run in between.
    if (requested.length > 1) await new Promise((next) => setImmediate(next))
  }
  const all = created.flat()
  await tasks.insertAll(call, all)
  await recordInitialStatuses(call, all)
  await homes.storeForecasts(
    call,
    requested.map(({ home: { id } }, i) => ({
      ...{
        id,
        forecastCompletionDate: findLastDay(created[i] ?? []),
        percentComplete: computePercentDone(created[i] ?? []),
      },
    })),
  )
  return created
}

interface KnownReferences {
  spelling: ReadonlyMap<string, string>
  activeIds: ReadonlySet<string>
}

async function findActiveVendors(call: WriteCall, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await findVendors(call, ids)
  return new Set(
    found.flatMap(({ id, status, archivedAt }) => (status === 'active' && archivedAt === null ? [id] : [])),
  )
}

/** Returns an unscheduled task for each row, in the order of the rows. */
function toTasks(
  call: WriteCall,
  { home, template, startDate }: ScheduleRequest,
  { spelling, activeIds }: KnownReferences,
): Task[] {
  const created = template.rows.map((row, i) => {
    const { name, spanishName, scope, phase, taskKind, durationDays, vendorId, checklist } = row
    const task = buildTask(
      {
        ...{ homeId: home.id, name, spanishName, phase, taskKind, durationDays, predecessors: [] },
        ...{ workdayOverride: false, poIds: [], payOnComplete: false },
        scope: scope === null ? null : (spelling.get(scope) ?? scope),
        vendorId: vendorId !== null && activeIds.has(vendorId) ? vendorId : null,
        checklist: checklist.map((text) => ({ text, done: false })),
      },
      startDate,
    )
    // The sequence numbers are multiples of 10, so that tasks can be inserted later.
    return tasks.make(call, { ...task, communityId: home.communityId, sequence: 10 * (i + 1) })
  })
  const idOf = new Map(created.map(({ name, id }) => [name, id]))
  return created.map((task, i) => ({
    ...task,
    predecessors: (template.rows[i]?.predecessors ?? []).flatMap(({ name, ...link }) => {
      const taskId = idOf.get(name)
      return taskId === undefined ? [] : [{ taskId, ...link }]
    }),
  }))
}
