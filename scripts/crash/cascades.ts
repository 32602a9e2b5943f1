import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Home, Task, VendorNotification } from '../../client/contract.gen.ts'
import { scheduleTasks } from '../../server/domain/building/schedule/schedule-tasks.ts'
import { createWorkCalendar } from '../../server/platform/values/workdays.ts'
import { Caller } from './caller.ts'

const WORKDAYS = [1, 2, 3, 4, 5]
/** The number of tasks. Each depends on the previous one, so a delay of the first moves all of them. */
const TASKS = 60
/** The number of tasks over which the delays are spread. A task accepts at most 100 delays. */
const DELAYED = 20

/**
 * Continuously delays tasks of one home and records which delays were acknowledged and which got no response.
 * Afterward, the effects of each delay must exist completely or not at all: the delay itself, every date, the home's
 * forecast, and one notice to each vendor with its event.
 */
export class Cascades {
  readonly #caller: Caller
  #homeId = ''
  #taskIds: string[] = []
  #vendorIds: string[] = []
  /** The delayed tasks by Idempotency-Key, for requests that got no response. */
  readonly #unanswered = new Map<string, string>()
  readonly #acknowledged = new Map<string, number>()
  readonly #odd: string[] = []
  #isDelaying = false

  constructor(key: string) {
    this.#caller = new Caller(key)
  }

  /** Creates a home with a schedule, and notifies the vendors of their dates. */
  async prepare(service: string): Promise<void> {
    const community = { name: 'Juniper Ridge', status: 'active', timeZone: 'America/Chicago', workdays: WORKDAYS }
    const { id: communityId } = await this.#caller.made(service, '/communities', community)
    this.#homeId = (await this.#caller.made(service, '/homes', { name: 'Lot 14', communityId })).id
    for (const companyName of ['Lone Star Framing LLC', 'Hill Country Framers']) {
      const vendor = { companyName, email: 'bids@example.com' }
      this.#vendorIds.push((await this.#caller.made(service, '/vendors', vendor)).id)
    }
    for (let i = 0; i < TASKS; i++) {
      const before = this.#taskIds.at(-1)
      const at = before === undefined ? { plannedStart: '2040-01-02' } : { predecessors: [{ taskId: before }] }
      const vendorId = this.#vendorIds[i % 2]
      const task = { homeId: this.#homeId, name: `Task ${i + 1}`, vendorId, ...at }
      const { id } = await this.#caller.made(service, '/tasks', task)
      this.#taskIds.push(id)
      await this.#caller.made(service, `/vendors/${vendorId}/notifications`, { kind: 'advance', taskId: id })
    }
  }

  get acknowledged(): number {
    return [...this.#acknowledged.values()].reduce((sum, count) => sum + count, 0)
  }

  get unanswered(): number {
    return this.#unanswered.size
  }

  /** Delays tasks with this number of concurrent writers until the service no longer responds. */
  async write(service: string, writers: number): Promise<void> {
    this.#isDelaying = true
    await Promise.all(
      Array.from({ length: writers }, async () => {
        while (this.#isDelaying) {
          const taskId = this.#taskIds[Math.floor(Math.random() * DELAYED)] ?? ''
          const isAnswered = await this.#delay(service, randomUUID(), taskId)
          if (!isAnswered) this.#isDelaying = false
        }
      }),
    )
  }

  async untilMore(count: number): Promise<void> {
    const goal = this.acknowledged + count
    const deadline = Date.now() + 60_000
    while (this.acknowledged < goal) {
      if (Date.now() > deadline)
        throw new Error(`${this.acknowledged} of ${goal} delays were acknowledged in a minute.`)
      await delay(2)
    }
  }

  async repeatUnanswered(service: string): Promise<void> {
    for (const [idempotencyKey, taskId] of [...this.#unanswered]) await this.#delay(service, idempotencyKey, taskId)
  }

  /** Returns the effects that exist only partially or were lost; empty if there are no errors. */
  async faults(service: string): Promise<string[]> {
    const errors = this.#odd.splice(0)
    const tasks = await this.#caller.all<Task>(service, `/tasks?homeId=${this.#homeId}&sort=createdAt&limit=200`)
    const outcome = scheduleTasks(tasks, createWorkCalendar({ workdays: WORKDAYS, holidays: [] }))
    if (!('placed' in outcome)) return [`The schedule holds no more: ${JSON.stringify(outcome)}`]
    for (const [i, task] of tasks.entries()) {
      const { dates } = outcome.placed[i] ?? {}
      if (dates?.plannedStart !== task.plannedStart || dates.plannedEnd !== task.plannedEnd)
        errors.push(`${task.name} starts on ${task.plannedStart}, and by its links on ${dates?.plannedStart}`)
      if (task.notifiedStart !== task.plannedStart)
        errors.push(`the vendor of ${task.name} knows ${task.notifiedStart}, not ${task.plannedStart}`)
      const open = [...this.#unanswered.values()].filter((taskId) => taskId === task.id).length
      const min = this.#acknowledged.get(task.id) ?? 0
      if (task.delays.length < min || task.delays.length > min + open)
        errors.push(`${task.name} has ${task.delays.length} delays; ${min} were acknowledged, ${open} not answered`)
    }
    const home = await this.#caller.read<Home>(service, `/homes/${this.#homeId}`)
    const last = tasks
      .map(({ earlyFinish }) => earlyFinish)
      .sort()
      .at(-1)
    if (home.forecastCompletionDate !== last)
      errors.push(`the home is forecast for ${home.forecastCompletionDate}, and its last task ends on ${last}`)
    return [...errors, ...(await this.#noticeFaults(service, tasks))]
  }

  /**
   * Checks that each notice of a new date contains the date of the previous notice as the old date, and that it has
   * exactly one event.
   */
  async #noticeFaults(service: string, tasks: readonly Task[]): Promise<string[]> {
    const errors: string[] = []
    const known = new Map<string, string>()
    const notices: VendorNotification[] = []
    for (const vendorId of this.#vendorIds)
      notices.push(
        ...(await this.#caller.all<VendorNotification>(
          service,
          `/vendors/${vendorId}/notifications?sort=createdAt&limit=200`,
        )),
      )
    for (const { taskId, date, tasks: moved } of notices) {
      if (taskId !== null) known.set(taskId, date)
      for (const { taskId: id, oldStartDate, newStartDate } of moved) {
        if (known.get(id) !== oldStartDate) errors.push(`${id} was told ${known.get(id)}, and then not ${oldStartDate}`)
        known.set(id, newStartDate)
      }
    }
    for (const { id, plannedStart } of tasks)
      if (known.get(id) !== plannedStart) errors.push(`${id} was told ${known.get(id)} last, not ${plannedStart}`)
    const events = await this.#caller.all<{ data: { object: { id: string } } }>(
      service,
      '/events?type=vendor.notification.postponed&limit=200',
    )
    const reported = new Set(notices.filter(({ kind }) => kind === 'postponed').map(({ id }) => id))
    const fired = events.map(({ data }) => data.object.id)
    if (fired.length !== reported.size || fired.some((id) => !reported.has(id)))
      errors.push(`there are ${reported.size} notices and ${fired.length} events of them`)
    return errors
  }

  /** Delays a task. Returns whether the request got a response. */
  async #delay(service: string, idempotencyKey: string, taskId: string): Promise<boolean> {
    this.#unanswered.set(idempotencyKey, taskId)
    const body = { days: 1, reasonCode: 'weather' }
    const answer = await this.#caller.send(service, 'POST', `/tasks/${taskId}/delay`, body, idempotencyKey)
    if (answer === null) return false
    this.#unanswered.delete(idempotencyKey)
    if (answer.status === 200) this.#acknowledged.set(taskId, (this.#acknowledged.get(taskId) ?? 0) + 1)
    else this.#odd.push(`a delay returned ${answer.status}: ${JSON.stringify(answer.body)}`)
    return true
  }
}
