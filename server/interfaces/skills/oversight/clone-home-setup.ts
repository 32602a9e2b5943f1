import { sql } from 'kysely'
import type { CloneHomeSetupResult, Task, TaskTemplate } from '../../../../client/contract.gen.ts'
import { lastDayOf } from '../../../domain/building/schedule/schedule.ts'
import { makeSchedules } from '../../../domain/building/task-templates/make.ts'
import { withTasks } from '../../../domain/building/task-templates/queries.ts'
import * as tasks from '../../../domain/building/tasks/queries.ts'
import { standingOf } from '../../../domain/costs/budgets/selection-queries.ts'
import * as communities from '../../../domain/land/communities/queries.ts'
import * as homes from '../../../domain/land/homes/queries.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { conflict, invalid, problem } from '../../../platform/problems/problem.ts'
import { workCalendar } from '../../../platform/values/workdays.ts'
import { placed } from '../frame/attempt.ts'
import { homeNamed } from '../frame/home.ts'

/** The most tasks a schedule has, and the most lines that are entered manually. */
const MOST_TASKS = 1000
const MOST_LINES = 200

type Rows = TaskTemplate['rows']

export async function cloneHomeSetup(
  { fromHomeId, toHomeIds, startDate, copy }: Checked['CloneHomeSetupInput'],
  call: Call,
): Promise<CloneHomeSetupResult> {
  if (toHomeIds.includes(fromHomeId)) {
    const pointer = `/toHomeIds/${toHomeIds.indexOf(fromHomeId)}`
    throw invalid([{ pointer, code: 'itself', message: 'must not be the home that is copied' }])
  }
  const rows = copy.includes('tasks') ? await rowsOf(call, fromHomeId) : []
  const options = copy.includes('options') ? await optionsOf(call, fromHomeId) : []
  const lines = copy.includes('budget') ? await manualLines(call, fromHomeId) : []
  const made: CloneHomeSetupResult['homes'] = []
  for (const [i, homeId] of toHomeIds.entries()) {
    const scheduled = await placed(`/toHomeIds/${i}`, async () => {
      const scheduled = await schedule(call, homeId, rows, startDate)
      for (const { optionId, quantity } of options) {
        const { id: selectionId } = await call.operation('addSelection', { homeId, optionId, quantity })
        await call.operation('changeSelectionStatus', { selectionId, status: 'approved' })
      }
      for (const line of lines) await call.operation('addBudgetLine', { homeId, ...line })
      return scheduled
    })
    const { home } = await homeNamed(call, homeId)
    made.push({ homeId, home, ...scheduled, options: options.length, budgetLines: lines.length })
  }
  return { homes: made }
}

/** Returns the tasks of the model home as rows of a template, which link by name. Repeated names get a number. */
async function rowsOf(call: Call, homeId: string): Promise<Rows> {
  const { rows } = await sql<{ id: string }>`
    select "id" from "tasks"
    where "organizationId" = ${call.organizationId} and "homeId" = ${homeId} and "archivedAt" is null
    order by "sequence", "id" limit ${MOST_TASKS}`.execute(call.db)
  const found = new Map(
    (
      await tasks.findAll(
        call,
        rows.map(({ id }) => id),
      )
    ).map((task) => [task.id, task]),
  )
  const all = rows.flatMap(({ id }) => found.get(id) ?? [])
  const names = namesOf(all)
  return all.map(({ id, scope, phase, taskKind, durationDays, vendorId, checklist, predecessors }) => ({
    ...{ name: names.get(id) ?? id, scope, phase, taskKind, durationDays, vendorId },
    checklist: checklist.map(({ text }) => text),
    predecessors: predecessors.flatMap(({ taskId, type, lagDays }) => {
      const name = names.get(taskId)
      return name === undefined ? [] : [{ name, type, lagDays }]
    }),
  }))
}

function namesOf(all: readonly Pick<Task, 'id' | 'name'>[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>()
  return new Map(
    all.map(({ id, name }) => {
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      return [id, count === 1 ? name : `${name} (${count})`]
    }),
  )
}

async function schedule(
  call: Call,
  homeId: string,
  rows: Rows,
  startDate: string,
): Promise<{ tasks: number; endDate: string | null }> {
  if (rows.length === 0) return { tasks: 0, endDate: null }
  return call.write(async (call) => {
    const home = await homes.lock(call, homeId)
    const busy = await withTasks(call, [homeId])
    if (busy.has(homeId)) throw conflict('already_done', `Cannot copy the schedule: ${home.name} already has tasks.`)
    const calendar = workCalendar(await communities.find(call, home.communityId))
    const [made = []] = await makeSchedules(call, [{ home, template: { rows }, startDate }], calendar, '/startDate')
    return { tasks: made.length, endDate: lastDayOf(made) }
  })
}

/**
 * Returns the active options of the model home in the order of their selection, so that required options come first.
 */
async function optionsOf(call: Call, homeId: string): Promise<{ optionId: string; quantity: number }[]> {
  const selected = await standingOf(call, homeId)
  return selected.flatMap(({ optionId, quantity }) => (optionId === null ? [] : [{ optionId, quantity }]))
}

/** Returns the manually entered lines. All other lines follow from the takeoff and the selections. */
async function manualLines(call: Call, homeId: string): Promise<object[]> {
  const { rows } = await sql<{ scope: string; costCodeId: string | null; description: string | null; amount: number }>`
    select "scope", "costCodeId", "description", "originalAmount" as "amount" from "budgetLines"
    where "organizationId" = ${call.organizationId} and "homeId" = ${homeId} and "archivedAt" is null
      and "source" = 'manual' and "originalAmount" <> 0
    order by "id" limit ${MOST_LINES + 1}`.execute(call.db)
  if (rows.length <= MOST_LINES) return rows
  throw problem(
    'too_much_work',
    `The home has more than ${MOST_LINES} manually entered budget lines, which is too many to copy.`,
  )
}
