import type {
  FieldError,
  Task,
  TaskTemplate,
  TaskTemplateLink,
  TaskTemplateRow,
} from '../../../../client/contract.gen.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { formatDate } from '../../../platform/values/format.ts'
import { FIRST_DAY, LAST_DAY } from '../schedule/day-numbers.ts'
import { describeCycle } from '../schedule/describe-cycle.ts'
import { scheduleTemplate } from '../schedule/schedule-template.ts'
import { findDurationErrors, getDefaultDuration } from '../tasks/task.ts'

/** The rows of a template, and the fields that are computed from them. */
export type TemplateContent = Pick<TaskTemplate, 'rows' | 'taskCount' | 'workdays'>

/**
 * The maximum number of errors in a response, which is more than a user corrects at a time. A body of 2 MiB could
 * contain tens of thousands of errors.
 */
export const MAX_ERRORS = 100

/**
 * Returns the rows in the form in which they are stored. `spelling` contains the organization's spelling of each trade.
 */
export function toStoredTemplateRows(
  rows: readonly Checked['TaskTemplateRowInput'][],
  spelling: ReadonlyMap<string, string>,
): TaskTemplateRow[] {
  return rows.map(({ name, scope = null, phase = null, taskKind, durationDays, vendorId = null, ...lists }) => ({
    name,
    spanishName: lists.spanishName ?? null,
    scope: scope === null ? null : (spelling.get(scope) ?? scope),
    ...{ phase, taskKind, durationDays: durationDays ?? getDefaultDuration(taskKind), vendorId },
    predecessors: lists.predecessors.map(toStoredLink),
    checklist: lists.checklist,
  }))
}

function toStoredLink({ name, type, lagDays, lagUnit }: Checked['TaskTemplateLinkInput']): TaskTemplateLink {
  return { name, type, lagDays, lagUnit }
}

/** Returns the trades in the rows. */
export function listTrades(rows: readonly { scope?: string | null | undefined }[]): string[] {
  return rows.flatMap(({ scope }) => scope ?? [])
}

/** Throws `validation_failed` with all errors in the rows, up to the maximum number. */
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
  if (errors.length > 0) throw validationFailed(errors.slice(0, MAX_ERRORS))
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
    return isNew
      ? []
      : [
          {
            pointer,
            code: 'unique',
            message: `must be unique; another predecessor has the same name and the type ${type}`,
          },
        ]
  })
}

const shortenName = (name: string) => name.slice(0, 60)

/** Computes the fields that depend on the rows. Throws if the links form a cycle. */
export function toTemplateContent(rows: TaskTemplateRow[]): TemplateContent {
  const outcome = scheduleTemplate(rows)
  if ('workdays' in outcome) return { rows, taskCount: rows.length, workdays: outcome.workdays }
  if ('ring' in outcome) {
    const place = rows.findIndex(({ name }) => name === outcome.ring[0])
    const message = describeCycle(outcome.ring.map(shortenName))
    throw validationFailed([{ pointer: `/rows/${place}/predecessors`, code: 'ring', message }])
  }
  if ('overloadedId' in outcome) throw new Error('Expected a template to have no skipped tasks.')
  const place = rows.findIndex(({ name }) => name === outcome.beyondId)
  const message = 'must not be scheduled centuries away from the start date'
  throw validationFailed([{ pointer: `/rows/${place}`, code: 'out_of_range', message }])
}

/** Throws if a start date is out of range, such as a date in the year 9999. */
export function assertValidStartDate(date: string, pointer: string): void {
  if (date >= FIRST_DAY && date <= LAST_DAY) return
  throw createStartDateProblem(pointer, `must be between ${FIRST_DAY} and ${LAST_DAY}`)
}

export function createStartDateProblem(pointer: string, message: string) {
  return validationFailed([{ pointer, code: 'out_of_range', message }])
}

/** Returns the reason why the tasks of a home cannot be replaced; null if they can be replaced. */
export function explainWhyTasksAreFixed(
  home: { name: string },
  tasks: readonly Task[],
  replace: boolean,
): string | null {
  const started = tasks.find(({ actualStart }) => actualStart !== null)
  if (started !== undefined)
    return `Cannot replace the schedule of ${home.name}: ${started.name} has already started${started.actualStart === null ? '' : ` (${formatDate(started.actualStart)})`}.`
  if (tasks.length === 0 || replace) return null
  const has = tasks.length === 1 ? 'a task' : `${tasks.length} tasks`
  return `Cannot apply the template: ${home.name} already has ${has}. To archive ${tasks.length === 1 ? 'it' : 'them'} and apply the template, set replace.`
}
