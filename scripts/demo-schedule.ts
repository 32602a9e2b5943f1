import { createClient, type Home, orThrow, type Task, type TaskMove } from '../client/index.ts'
import { getDateInDays, printLine, printTable, type Stage, startChapter } from './demo-stage.ts'

/**
 * Performs the third act of the demo. The home gets its schedule from a template, and a day of rain moves all later
 * tasks. A vendor that cannot come on the planned date proposes another date in its portal.
 */
export async function demonstrateScheduling(stage: Stage, { home, framerId, baseUrl, send }: DemoSite): Promise<void> {
  startChapter('The home gets its schedule from a template')
  const tasks = await scheduleHome(stage, home, framerId)
  const [slab, walls] = [findTask(tasks, 'Slab poured'), findTask(tasks, 'Walls framed')]

  startChapter('The builder asks the framer to confirm the start date')
  const requested = await orThrow(
    stage.plumbline.POST('/api/ext/tasks/{taskId}/confirmation/request', { params: { path: { taskId: walls.id } } }),
  )
  printLine(`${requested.name} on ${requested.plannedStart}: ${requested.confirmation.status}.`)

  startChapter('Rain delays the slab by three days: a dry run first, then the change')
  const delay = { taskId: slab.id, days: 3, reasonCode: 'weather' } as const
  const { result } = await stage.plumbline.execute('delayTask', delay, { dryRun: true })
  printLine(`A dry run: ${result.cascade.moved.length} tasks, and the home ends on ${result.cascade.newForecast}.`)
  const { taskId, ...body } = delay
  const { cascade } = await orThrow(
    stage.plumbline.POST('/api/ext/tasks/{taskId}/delay', { params: { path: { taskId } }, body }),
  )
  showMoves(cascade.moved)
  printLine(`The home ends on ${cascade.newForecast} instead of ${cascade.oldForecast}.`)
  printLine(
    `${cascade.notices.length} vendor was told another date: ${cascade.notices.map(({ kind }) => kind).join()}.`,
  )

  startChapter('The framer is not available on that date, and proposes another one in its portal')
  const framer = { params: { path: { vendorId: framerId } } }
  await orThrow(stage.plumbline.POST('/api/ext/vendors/{vendorId}/invite', framer))
  const { portalUrl } = await orThrow(stage.plumbline.POST('/api/ext/vendors/{vendorId}/portal-link', framer))
  const key = portalUrl?.split('/').at(-1) ?? ''
  const portal = createClient({ baseUrl, key, fetch: send })
  const path = { taskId: walls.id }
  const { plannedStart } = await orThrow(portal.GET('/api/portal/tasks/{taskId}', { params: { path } }))
  const answer = {
    answer: 'reschedule_requested',
    proposedStart: addWeek(plannedStart),
    note: 'The crew is in Waco.',
  } as const
  await orThrow(portal.POST('/api/portal/tasks/{taskId}/answer', { params: { path }, body: answer }))
  printLine(`${plannedStart} does not suit; ${answer.proposedStart} would.`)

  startChapter('The builder accepts, and the forecast of the home moves')
  const accepted = await orThrow(
    stage.plumbline.POST('/api/ext/tasks/{taskId}/confirmation/decision', { params: { path }, body: { accept: true } }),
  )
  showMoves(accepted.cascade.moved)
  const { forecastCompletionDate } = await orThrow(
    stage.plumbline.GET('/api/ext/homes/{homeId}', { params: { path: { homeId: home.id } } }),
  )
  if (forecastCompletionDate !== accepted.cascade.newForecast) throw new Error('The home does not say its forecast.')
  printLine(
    `${accepted.name} is ${accepted.confirmation.status} for ${accepted.plannedStart}; the home ends on ${forecastCompletionDate}.`,
  )
}

export interface DemoSite {
  home: Home
  framerId: string
  /** The URL of the service, for the client that plays the role of the framer's browser. */
  baseUrl: string
  send: typeof fetch
}

async function scheduleHome({ plumbline, traces }: Stage, home: Home, framerId: string): Promise<Task[]> {
  const after = (name: string, lagDays = 0) => [{ name, lagDays }]
  const rows = [
    { name: 'Pad graded', scope: 'site work', durationDays: 3 },
    { name: 'Slab poured', scope: 'foundation', durationDays: 4, predecessors: after('Pad graded') },
    {
      name: 'Walls framed',
      scope: 'framing',
      durationDays: 6,
      vendorId: framerId,
      predecessors: after('Slab poured', 2),
    },
    { name: 'Roof dried in', scope: 'roofing', durationDays: 3, predecessors: after('Walls framed') },
    {
      name: 'Framing inspection',
      taskKind: 'inspection' as const,
      durationDays: 1,
      predecessors: after('Roof dried in'),
    },
  ]
  const template = await orThrow(
    plumbline.POST('/api/ext/task-templates', { body: { name: 'Shell of a house', planId: home.planId, rows } }),
  )
  const path = { taskTemplateId: template.id }
  traces.push(() => orThrow(plumbline.DELETE('/api/ext/task-templates/{taskTemplateId}', { params: { path } })))
  const applied = await orThrow(
    plumbline.POST('/api/ext/homes/{homeId}/schedule/template', {
      params: { path: { homeId: home.id } },
      body: { startDate: getDateInDays(14), taskTemplateId: template.id },
    }),
  )
  const { tasks, workdays, endDate } = applied.schedule
  printTable(tasks.map(({ name, plannedStart, plannedEnd }) => [name, plannedStart, plannedEnd]))
  printLine(`${workdays} workdays, to ${endDate}.`)
  const { data } = await orThrow(
    plumbline.GET('/api/ext/tasks', { params: { query: { homeId: home.id, sort: 'createdAt' } } }),
  )
  return data
}

function findTask(tasks: readonly Task[], name: string): Task {
  const task = tasks.find((each) => each.name === name)
  if (task === undefined) throw new Error(`The schedule has no ${name}.`)
  return task
}

function showMoves(moved: readonly TaskMove[]): void {
  printTable(moved.map(({ name, oldStart, newStart, because }) => [name, `${oldStart} → ${newStart}`, because]))
}

function addWeek(date: string): string {
  return new Date(Date.parse(date) + 7 * 86_400_000).toISOString().slice(0, 10)
}
