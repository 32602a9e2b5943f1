import type { Home, Task } from '../../../client/contract.gen.ts'
import { lockSchedule, planReschedule } from '../../domain/building/tasks/cascade.ts'
import * as tasks from '../../domain/building/tasks/queries.ts'
import * as homes from '../../domain/land/homes/queries.ts'
import { addDays } from '../../platform/values/calendar.ts'
import { emptyToNull, readRows, splitList } from './data-files.ts'
import { CONFIRMATIONS, type DemoHome, listDemoHomes } from './demo-world.ts'
import type { NamedIds, Timeline } from './timeline.ts'

interface ScheduleInputs {
  readonly vendors: NamedIds<string>
  readonly homes: NamedIds<Home>
  /** The vendor that is usually assigned to each trade. */
  readonly usual: ReadonlyMap<string, string>
}

/** The tasks with which work on a lot begins after the permit is issued. */
const FIRST_SITE_TASKS: ReadonlySet<string> = new Set(['Temporary power and toilet set', 'Erosion control installed'])

/** The task for which a home in permitting waits. */
const PERMIT_TASK = 'Permit issued'

/** The tasks with the buyer after the home has been completed. */
const CLOSING_TASKS: ReadonlySet<string> = new Set(['Closing documents signed', 'Home closed'])

/** The number of days for which work is recorded day by day. Earlier work is recorded at once. */
const DAILY_DETAIL_DAYS = 7

/**
 * Adds the homes' schedules, which are created from one template, with delays and confirmation requests. Adds old work
 * without its operations, because four hundred completions would take most of the demo's time.
 */
export class Schedules {
  readonly #timeline: Timeline
  readonly #made: ScheduleInputs
  /** The tasks of each home with a schedule. */
  readonly #tasks = new Map<string, readonly Task[]>()
  readonly #delays = readRows('story-delays')
  readonly #orders = readRows('story-orders')

  constructor(timeline: Timeline, created: ScheduleInputs) {
    this.#timeline = timeline
    this.#made = created
  }

  plan(): void {
    this.#timeline.on(275, (ago) => this.#addTemplate(ago))
    for (const home of listDemoHomes()) {
      const { permitting, completed, cancelled } = home.days
      if (permitting === null || cancelled !== null) continue
      this.#timeline.on(permitting, (ago) => this.#begin(ago, home))
      this.#timeline.on(completed === null ? DAILY_DETAIL_DAYS : completed + 1, (ago) => this.#catchUp(ago, home))
      if (home.days.start === null || completed !== null) continue
      this.#timeline.on(DAILY_DETAIL_DAYS, (ago) => this.#addMilestones(ago, home))
      for (let day = DAILY_DETAIL_DAYS - 1; day >= 0; day--) this.#timeline.on(day, (ago) => this.#work(ago, home))
    }
    for (const requested of CONFIRMATIONS) this.#timeline.on(requested.daysAgo, (ago) => this.#ask(ago, requested))
  }

  async #addTemplate(ago: number): Promise<void> {
    const { vendors, usual } = this.#made
    await this.#timeline.do(ago, 'createTaskTemplate', {
      name: 'Production house',
      rows: readRows('task-template').map((row) => {
        const { name, spanishName, scope, phase, durationDays, taskKind, predecessors } = row
        const vendor = usual.get(scope)
        return {
          ...{
            name,
            spanishName: emptyToNull(spanishName),
            scope: emptyToNull(scope),
            phase,
            taskKind,
            durationDays: Number(durationDays),
          },
          vendorId: vendor === undefined ? null : vendors.get(vendor),
          predecessors: splitList(predecessors).map(parseLink),
        }
      }),
    })
  }

  /** Creates a home's schedule when its permit is applied for. */
  async #begin(ago: number, home: DemoHome): Promise<void> {
    const homeId = this.#made.homes.get(home.key).id
    await this.#timeline.do(ago, 'applyScheduleTemplate', { homeId, startDate: this.#timeline.date(ago) })
  }

  /** Completes the work in the home until this day, with the vendors of its orders and with its delays. */
  async #catchUp(ago: number, home: DemoHome): Promise<void> {
    const call = this.#timeline.at(ago)
    const today = this.#timeline.date(ago)
    const schedule = await lockSchedule(call, { homeId: this.#made.homes.get(home.key).id })
    const dated = (changed: readonly Task[]) => planReschedule(schedule, changed, null)
    const planned = dated(schedule.tasks.map((task) => this.#withOrders(task, home))).tasks
    const measured = planned.map((task) => ({
      ...task,
      baselineStart: task.plannedStart,
      baselineEnd: task.plannedEnd,
    }))
    const delayed = dated(measured.map((task) => this.#withDelays(task, home))).tasks
    const isOver = home.days.completed === null ? (task: Task) => task.plannedEnd <= today : () => true
    const done = delayed.map((task) => (isOver(task) && hasWorkOn(task, home) ? completeUntil(today, task) : task))
    const { tasks: after, cascade, percentComplete } = dated(done)
    await tasks.updateAll(
      call,
      after.flatMap((task) => {
        const before = schedule.tasks.find(({ id }) => id === task.id)
        return before === undefined ? [] : [{ before, after: task }]
      }),
    )
    await homes.storeForecast(call, schedule.home.id, {
      ...{ forecastCompletionDate: cascade.newForecast, percentComplete },
    })
    this.#tasks.set(home.key, after)
  }

  #withOrders(task: Task, { key, days }: DemoHome): Task {
    const order = this.#orders.find(({ home, scope }) => home === key && scope === task.scope)
    const vendorId = order === undefined ? task.vendorId : this.#made.vendors.get(order.vendor)
    if (!FIRST_SITE_TASKS.has(task.name)) return { ...task, vendorId }
    const date = days.start === null ? this.#nextMonday() : this.#timeline.date(days.start)
    return { ...task, vendorId, constraint: { type: 'start_no_earlier_than', date } }
  }

  #withDelays(task: Task, { key }: DemoHome): Task {
    const rows = this.#delays.filter((row) => row.home === key && row.task === task.name)
    const delays = rows.map(({ days, daysAgo, reasonCode, responsible, vendor, note }) => {
      const vendorId = vendor === '' ? null : this.#made.vendors.get(vendor)
      const at = this.#timeline.at(Number(daysAgo)).now.toISOString()
      return { reasonCode, responsible, days: Number(days), vendorId, note, at } as Task['delays'][number]
    })
    const durationDays = delays.reduce((sum, { days }) => sum + days, task.durationDays)
    return { ...task, durationDays, delays }
  }

  async #addMilestones(ago: number, home: DemoHome): Promise<void> {
    for (const { name, milestoneType, tasks, autoComplete, drawPercent } of readRows('milestones')) {
      const awaited = splitList(tasks).map((task) => this.#taskOf(home.key, task))
      const { id } = await this.#timeline.do(ago, 'createMilestone', {
        ...{ homeId: this.#made.homes.get(home.key).id, name, milestoneType },
        ...{ taskIds: awaited.map(({ id }) => id), autoComplete: autoComplete === 'true' },
        drawPercent: drawPercent === '0' ? null : Number(drawPercent),
      })
      const ends = awaited.map(({ actualEnd }) => actualEnd)
      const date = ends.toSorted().at(-1)
      if (!ends.includes(null)) await this.#timeline.do(ago, 'completeMilestone', { milestoneId: id, date })
    }
  }

  /** Completes the tasks that end on this day, and starts those in progress. */
  async #work(ago: number, home: DemoHome): Promise<void> {
    const today = this.#timeline.date(ago)
    const left = (this.#tasks.get(home.key) ?? []).filter(({ status }) => status !== 'completed')
    for (const task of left.toSorted((a, b) => (a.plannedEnd < b.plannedEnd ? -1 : 1))) {
      const { id: taskId, plannedStart, plannedEnd, taskKind } = task
      if (!hasWorkOn(task, home) || plannedStart > today) continue
      if (plannedEnd <= today && ago > 0) {
        const inspected = taskKind === 'inspection' ? { inspectionResult: 'passed' } : {}
        const done = { taskId, startDate: plannedStart, date: plannedEnd, ...inspected }
        this.#replace(home.key, await this.#timeline.do(ago, 'completeTask', done))
      } else if (ago === 0) {
        await this.#timeline.do(ago, 'changeTaskStatus', { taskId, status: 'in_progress', date: plannedStart })
      }
    }
  }

  #replace(home: string, task: Task): void {
    const all = this.#tasks.get(home) ?? []
    this.#tasks.set(
      home,
      all.map((each) => (each.id === task.id ? task : each)),
    )
  }

  /** Asks the vendor of a task to confirm, and records the vendor's answer by phone. */
  async #ask(ago: number, { home, task, answer, daysLater }: (typeof CONFIRMATIONS)[number]): Promise<void> {
    const { id: taskId, plannedStart } = this.#taskOf(home, task)
    await this.#timeline.do(ago, 'requestTaskConfirmation', { taskId })
    if (answer === undefined) return
    const proposed = daysLater === undefined ? {} : { proposedStart: addDays(plannedStart, daysLater) }
    this.#timeline.on(ago - 1, (day) =>
      this.#timeline.do(day, 'answerTaskConfirmation', { taskId, ...answer, ...proposed }),
    )
  }

  #taskOf(home: string, name: string): Task {
    const task = this.#tasks.get(home)?.find((each) => each.name === name)
    if (task === undefined) throw new Error(`There is no ${name} in ${home}.`)
    return task
  }

  #nextMonday(): string {
    const weekday = new Date(this.#timeline.date(0)).getUTCDay()
    return this.#timeline.date(-((8 - weekday) % 7 || 7))
  }
}

/**
 * Returns whether work on the task is possible: office tasks until the permit is issued, and vendors' tasks after the
 * home has started.
 */
function hasWorkOn({ phase, name }: Task, { days }: DemoHome): boolean {
  if (phase === 'permitting') return days.ready !== null || name !== PERMIT_TASK
  return days.start !== null && (days.closed !== null || !CLOSING_TASKS.has(name))
}

function completeUntil(today: string, task: Task): Task {
  const [actualStart = today] = [task.plannedStart, today].sort()
  const [actualEnd = today] = [task.plannedEnd, today].sort()
  const inspectionResult = task.taskKind === 'inspection' ? 'passed' : null
  return { ...task, status: 'completed', actualStart, actualEnd, percentComplete: 100, inspectionResult }
}

const LINK_PATTERN = /^(?<name>[^:]+)(?::(?<type>[FS]{2})(?<lag>[+-]\d+)?)?$/

/** Parses a predecessor as written in the files: a name, a colon, the type, and the lag. */
function parseLink(text: string): { name: string; type: string; lagDays: number } {
  const { name = text, type = 'FS', lag = '0' } = LINK_PATTERN.exec(text)?.groups ?? {}
  return { name, type, lagDays: Number(lag) }
}
