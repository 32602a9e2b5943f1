import { copyCallForPrincipal, type Principal, type WriteCall } from '../../platform/calls/call.ts'
import type { OperationId } from '../../platform/calls/contract.ts'
import type { ResponseBody } from '../../platform/calls/operation.ts'
import { addDays, countDaysBetween, toLocalDate } from '../../platform/values/calendar.ts'
import { BUILDER } from './demo-world.ts'

const DAY_MS = 86_400_000

/** The date that is today in the files. Their dates keep their distance to the day on which the demo is created. */
const TODAY_IN_FILES = '2026-11-18'
const DATE = /\d{4}-\d{2}-\d{2}/g

/**
 * What was done at least this many days ago, and took several operations, is told at once and bypasses them: one by one
 * they would take a third of the time of creating the demo.
 */
export const DETAILED_DAYS = 30

/** About a minute and a half, in days, for what comes before another event of the same day. */
export const MOMENT_BEFORE = 0.001

interface TimelineAction {
  /** How many days ago it happened. */
  readonly daysAgo: number
  readonly run: (daysAgo: number) => Promise<unknown>
}

/** The events of the story in chronological order, because lists show the newest first. */
export class Timeline {
  readonly #now: Date
  readonly #today: string
  #deeds: TimelineAction[] = []
  #call: WriteCall | null = null

  /**
   * All times keep their distance to this time, and none is in the future in the time zone of the office or the homes.
   */
  constructor({ now, timeZone }: Pick<WriteCall, 'now' | 'timeZone'>) {
    const [today = ''] = [toLocalDate(BUILDER.timeZone, now), toLocalDate(timeZone, now)].sort()
    this.#now = now
    this.#today = today
  }

  on(daysAgo: number, run: TimelineAction['run']): void {
    this.#deeds.push({ daysAgo, run })
  }

  /** How many days ago the next event happened; null if there is none. */
  get next(): number | null {
    return this.#deeds.length === 0 ? null : Math.max(...this.#deeds.map(({ daysAgo }) => daysAgo))
  }

  /**
   * Runs the next events in this transaction, one after the other, until it is enough. If the transaction is repeated,
   * `mark` restores the events.
   */
  async run(call: WriteCall, isEnough: () => boolean = () => false): Promise<void> {
    this.#call = call
    // An event may add later ones, which take their place in the order.
    for (let deed = this.#take(); deed !== undefined; deed = isEnough() ? undefined : this.#take())
      await deed.run(deed.daysAgo)
    this.#call = null
  }

  mark(): () => void {
    const deeds = [...this.#deeds]
    return () => {
      this.#deeds = [...deeds]
    }
  }

  // The oldest first; within a day, in the order of adding.
  #take(): TimelineAction | undefined {
    const longest = this.next
    const at = this.#deeds.findIndex(({ daysAgo }) => daysAgo === longest)
    return at === -1 ? undefined : this.#deeds.splice(at, 1)[0]
  }

  /** The call of the current transaction. */
  get call(): WriteCall {
    if (this.#call === null) throw new Error('Expected the steps of a day to run within a transaction.')
    return this.#call
  }

  do<Id extends OperationId>(daysAgo: number, id: Id, input: Record<string, unknown>): Promise<ResponseBody<Id>> {
    return this.at(daysAgo).operation(id, input)
  }

  at(daysAgo: number, principal: Principal = this.call.principal): WriteCall {
    return copyCallForPrincipal(this.call, principal, new Date(this.#now.getTime() - daysAgo * DAY_MS))
  }

  /** Returns the date this many days ago, in the builder's time zone. */
  date(daysAgo: number): string {
    return addDays(this.#today, -daysAgo)
  }

  /** Returns how many days ago a date of the files is; negative for one in the future. */
  daysSince(dateInFiles: string): number {
    return countDaysBetween(dateInFiles, TODAY_IN_FILES)
  }

  /** Returns a text of the files with its dates moved. */
  moved(text: string): string {
    return text.replace(DATE, (date) => this.date(this.daysSince(date)))
  }
}

/** Records created so far, by their name in the story. */
export class NamedIds<T> {
  readonly #byName = new Map<string, T>()

  set(name: string, created: T): void {
    this.#byName.set(name, created)
  }

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  get(name: string): T {
    const created = this.#byName.get(name)
    if (created === undefined) throw new Error(`Unknown demo record "${name}".`)
    return created
  }
}
