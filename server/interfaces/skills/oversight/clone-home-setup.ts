import { sql } from 'kysely'
import type { CloneHomeSetupResult, Task, TaskTemplate } from '../../../../client/contract.gen.ts'
import { findLastDay } from '../../../domain/building/schedule/schedule-tasks.ts'
import { makeSchedules } from '../../../domain/building/task-templates/make-schedules.ts'
import { findHomesWithTasks } from '../../../domain/building/task-templates/queries.ts'
import * as tasks from '../../../domain/building/tasks/queries.ts'
import { findActiveSelections } from '../../../domain/costs/budgets/selection-queries.ts'
import * as communities from '../../../domain/land/communities/queries.ts'
import * as homes from '../../../domain/land/homes/queries.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { conflict, problem, validationFailed } from '../../../platform/problems/problem.ts'
import { createWorkCalendar } from '../../../platform/values/workdays.ts'
import { runWithPointer } from '../frame/attempt-task.ts'
import { findHomeOverview } from '../frame/home-overview.ts'

/** The maximum number of tasks in a schedule, and of budget lines that users entered manually. */
const MAX_TASKS = 1000
const MAX_LINES = 200

type TemplateRows = TaskTemplate['rows']

export async function cloneHomeSetup(
  { fromHomeId, toHomeIds, startDate, copy }: Checked['CloneHomeSetupInput'],
  call: Call,
): Promise<CloneHomeSetupResult> {
  if (toHomeIds.includes(fromHomeId)) {
    const pointer = `/toHomeIds/${toHomeIds.indexOf(fromHomeId)}`
    throw validationFailed([{ pointer, code: 'itself', message: 'must not be the home that is copied' }])
  }
  const rows = copy.includes('tasks') ? await toTemplateRows(call, fromHomeId) : []
  const options = copy.includes('options') ? await findSelectedOptions(call, fromHomeId) : []
  const lines = copy.includes('budget') ? await findManualLines(call, fromHomeId) : []
  const created: CloneHomeSetupResult['homes'] = []
  for (const [i, homeId] of toHomeIds.entries()) {
    const scheduled = await runWithPointer(`/toHomeIds/${i}`, async () => {
      const scheduled = await scheduleHome(call, homeId, rows, startDate)
      for (const { optionId, quantity } of options) {
        const { id: selectionId } = await call.operation('addSelection', { homeId, optionId, quantity })
        await call.operation('changeSelectionStatus', { selectionId, status: 'approved' })
      }
      for (const line of lines) await call.operation('addBudgetLine', { homeId, ...line })
      return scheduled
    })
    const { home } = await findHomeOverview(call, homeId)
    created.push({ homeId, home, ...scheduled, options: options.length, budgetLines: lines.length })
  }
  return { homes: created }
}

/**
 * Returns the tasks of the model home as template rows, which refer to each other by name. If a name occurs more than
 * once, a number is added to it.
 */
async function toTemplateRows(call: Call, homeId: string): Promise<TemplateRows> {
  const { rows } = await sql<{ id: string }>`
    select "id" from "tasks"
    where "organizationId" = ${call.organizationId} and "homeId" = ${homeId} and "archivedAt" is null
    order by "sequence", "id" limit ${MAX_TASKS}`.execute(call.db)
  const found = new Map(
    (
      await tasks.findAll(
        call,
        rows.map(({ id }) => id),
      )
    ).map((task) => [task.id, task]),
  )
  const all = rows.flatMap(({ id }) => found.get(id) ?? [])
  const names = toUniqueNames(all)
  return all.map(({ id, spanishName, scope, phase, taskKind, durationDays, vendorId, checklist, predecessors }) => ({
    ...{ name: names.get(id) ?? id, spanishName, scope, phase, taskKind, durationDays, vendorId },
    checklist: checklist.map(({ text }) => text),
    predecessors: predecessors.flatMap(({ taskId, ...link }) => {
      const name = names.get(taskId)
      return name === undefined ? [] : [{ name, ...link }]
    }),
  }))
}

function toUniqueNames(all: readonly Pick<Task, 'id' | 'name'>[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>()
  return new Map(
    all.map(({ id, name }) => {
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      return [id, count === 1 ? name : `${name} (${count})`]
    }),
  )
}

async function scheduleHome(
  call: Call,
  homeId: string,
  rows: TemplateRows,
  startDate: string,
): Promise<{ tasks: number; endDate: string | null }> {
  if (rows.length === 0) return { tasks: 0, endDate: null }
  return call.write(async (call) => {
    // A change of the calendar locks the community before its homes.
    await tasks.lockCalendar(call, { homeId })
    const home = await homes.lock(call, homeId)
    const busy = await findHomesWithTasks(call, [homeId])
    if (busy.has(homeId)) throw conflict('already_done', `Cannot copy the schedule: ${home.name} already has tasks.`)
    const calendar = createWorkCalendar(await communities.find(call, home.communityId))
    const [created = []] = await makeSchedules(call, [{ home, template: { rows }, startDate }], calendar, '/startDate')
    return { tasks: created.length, endDate: findLastDay(created) }
  })
}

/**
 * Returns the active options of the model home in the order of their selection, so that an option comes after the
 * options that it requires.
 */
async function findSelectedOptions(call: Call, homeId: string): Promise<{ optionId: string; quantity: number }[]> {
  const selected = await findActiveSelections(call, homeId)
  return selected.flatMap(({ optionId, quantity }) => (optionId === null ? [] : [{ optionId, quantity }]))
}

/**
 * Returns the budget lines that users entered manually. All other lines are derived from the takeoff and the
 * selections.
 */
async function findManualLines(call: Call, homeId: string): Promise<object[]> {
  const { rows } = await sql<{ scope: string; costCodeId: string | null; description: string | null; amount: number }>`
    select "scope", "costCodeId", "description", "originalAmount" as "amount" from "budgetLines"
    where "organizationId" = ${call.organizationId} and "homeId" = ${homeId} and "archivedAt" is null
      and "source" = 'manual' and "originalAmount" <> 0
    order by "id" limit ${MAX_LINES + 1}`.execute(call.db)
  if (rows.length <= MAX_LINES) return rows
  throw problem('too_much_work', `Cannot copy the budget: the home has more than ${MAX_LINES} manually entered lines.`)
}
