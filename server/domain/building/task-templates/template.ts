import type {
  FieldError,
  Task,
  TaskTemplate,
  TaskTemplateLink,
  TaskTemplateRow,
} from '../../../../client/contract.gen.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { formatDate } from '../../../platform/values/format.ts'
import { createWorkCalendar } from '../../../platform/values/workdays.ts'
import { scheduleFromStart } from '../schedule/schedule-from-start.ts'
import { FIRST_DAY, findLastDay, LAST_DAY } from '../schedule/schedule-tasks.ts'
import { describeRing } from '../tasks/cascade.ts'
import { defaultDuration, findDurationErrors } from '../tasks/task.ts'

/** The fields that are computed from the rows of a template. */
export type TemplateContent = Pick<TaskTemplate, 'rows' | 'taskCount' | 'workdays'>

/** More errors than anybody fixes at once. A body of 2 MiB could contain tens of thousands. */
export const MAX_FAULTS = 100

/** Returns the rows as stored. `spelling` maps trades to the organization's spelling. */
export function toStoredRows(
  rows: readonly Checked['TaskTemplateRowInput'][],
  spelling: ReadonlyMap<string, string>,
): TaskTemplateRow[] {
  return rows.map(({ name, scope = null, phase = null, taskKind, durationDays, vendorId = null, ...lists }) => ({
    name,
    scope: scope === null ? null : (spelling.get(scope) ?? scope),
    ...{ phase, taskKind, durationDays: durationDays ?? defaultDuration(taskKind), vendorId },
    predecessors: lists.predecessors.map(toStoredLink),
    checklist: lists.checklist,
  }))
}

function toStoredLink({ name, type, lagDays }: Checked['TaskTemplateLinkInput']): TaskTemplateLink {
  return { name, type, lagDays }
}

/** The trades that the rows name. */
export function listScopes(rows: readonly { scope?: string | null | undefined }[]): string[] {
  return rows.flatMap(({ scope }) => scope ?? [])
}

/** Throws `validation_failed` with every error of the rows, up to the maximum. */
export function assertValidRows(rows: readonly Checked['TaskTemplateRowInput'][]): void {
  const names = new Set(rows.map(({ name }) => name))
  const seen = new Set<string>()
  const errors = rows.flatMap(({ name, taskKind, durationDays, predecessors }, i): FieldError[] => {
    const isNew = !seen.has(name)
    seen.add(name)
    return [
      ...(isNew
        ? []
        : [{ pointer: '/name', code: 'unique', message: 'must be unique; another row has the same name' }]),
      ...findDurationErrors(taskKind, durationDays),
      ...findLinkErrors(predecessors, names),
    ].map((fault) => ({ ...fault, pointer: `/rows/${i}${fault.pointer}` }))
  })
  if (errors.length > 0) throw validationFailed(errors.slice(0, MAX_FAULTS))
}

function findLinkErrors(
  predecessors: readonly Checked['TaskTemplateLinkInput'][],
  names: ReadonlySet<string>,
): FieldError[] {
  const seen = new Set<string>()
  return predecessors.flatMap(({ name, type }, i) => {
    const pointer = `/predecessors/${i}/name`
    if (!names.has(name))
      return [{ pointer, code: 'unknown_row', message: `does not match the name of any row: ${shortenName(name)}` }]
    const isNew = !seen.has(`${type} ${name}`)
    seen.add(`${type} ${name}`)
    return isNew ? [] : [{ pointer, code: 'unique', message: `must be unique; it is listed twice with type ${type}` }]
  })
}

const shortenName = (name: string) => name.slice(0, 60)

// A template's duration in workdays is the same with any calendar, so a calendar without free days is used.
const EVERY_DAY = createWorkCalendar({ workdays: [1, 2, 3, 4, 5, 6, 7], holidays: [] })
const ANY_DAY = '2025-01-06'

/** Computes the fields that depend on the rows. Throws for links that form a ring. */
export function toTemplateContent(rows: TaskTemplateRow[]): TemplateContent {
  const outcome = scheduleFromStart(ANY_DAY, rows.map(toDraftTask), EVERY_DAY)
  if ('tasks' in outcome) {
    const last = findLastDay(outcome.tasks) ?? ANY_DAY
    return { rows, taskCount: rows.length, workdays: EVERY_DAY.between(ANY_DAY, addDays(last, 1)) }
  }
  if ('ring' in outcome) {
    const place = rows.findIndex(({ name }) => name === outcome.ring[0])
    const message = describeRing(outcome.ring.map(shortenName))
    throw validationFailed([{ pointer: `/rows/${place}/predecessors`, code: 'ring', message }])
  }
  const place = rows.findIndex(({ name }) => name === outcome.beyondId)
  const message = 'must not be centuries away from the start'
  throw validationFailed([{ pointer: `/rows/${place}`, code: 'out_of_range', message }])
}

/** Returns a row as a task for scheduling, with its name as its ID. */
function toDraftTask({ name, durationDays, predecessors }: TaskTemplateRow) {
  return {
    ...{
      id: name,
      status: 'not_started' as const,
      durationDays,
      constraint: { type: 'none' as const, date: null },
      workdayOverride: false,
      startDelayDays: 0,
    },
    ...{ plannedStart: ANY_DAY, plannedEnd: ANY_DAY, actualStart: null, actualEnd: null },
    predecessors: predecessors.map(({ name, ...link }) => ({ taskId: name, ...link })),
  }
}

/** Throws for a start date out of range, such as one in the year 9999. */
export function assertValidStart(date: string, pointer: string): void {
  if (date >= FIRST_DAY && date <= LAST_DAY) return
  throw invalidStart(pointer, `must be between ${FIRST_DAY} and ${LAST_DAY}`)
}

export function invalidStart(pointer: string, message: string) {
  return validationFailed([{ pointer, code: 'out_of_range', message }])
}

/** Returns why the tasks of a home cannot be replaced; null if they can. */
export function explainTasksFixed(home: { name: string }, tasks: readonly Task[], replace: boolean): string | null {
  const started = tasks.find(({ actualStart }) => actualStart !== null)
  if (started !== undefined)
    return `Cannot replace the schedule of ${home.name}: ${started.name} has already started${started.actualStart === null ? '' : ` (${formatDate(started.actualStart)})`}.`
  if (tasks.length === 0 || replace) return null
  const has = tasks.length === 1 ? 'a task' : `${tasks.length} tasks`
  return `${home.name} already has ${has}. To archive ${tasks.length === 1 ? 'it' : 'them'} and apply the template, set replace.`
}
