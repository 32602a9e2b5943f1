import { copyCallForPrincipal, type Principal, type WriteCall } from '../../platform/calls/call.ts'
import type { OperationId } from '../../platform/calls/contract.ts'
import type { ResponseBody } from '../../platform/calls/operation.ts'
import { addDays, countDaysBetween, toLocalDate } from '../../platform/values/calendar.ts'
import { BUILDER } from './demo-world.ts'

const DAY_MS = 86_400_000

/**
 * The date that is today in the files. All dates are moved, so that they have the same distance to the day on which the
 * demo is created.
 */
const TODAY_IN_FILES = '2026-11-18'
const DATE = /\d{4}-\d{2}-\d{2}/g

/**
 * If a change needs several operations and is older than this number of days, it is written at once without the
 * operations. One by one, they would take a third of the time to create the demo.
 */
export const DETAILED_DAYS = 30

/** About a minute and a half, in days. Used for an action that precedes another on the same day. */
export const MOMENT_BEFORE = 0.001

interface TimelineAction {
  /** The number of days ago at which the action takes place. */
  readonly daysAgo: number
  readonly run: (daysAgo: number) => Promise<unknown>
}

/**
 * The actions that create the demo builder's data. They run in chronological order, because lists show the newest
 * records first.
 */
export class Timeline {
  readonly #now: Date
  readonly #today: string
  #deeds: TimelineAction[] = []
  #call: WriteCall | null = null

  /**
   * All times keep their distance to this time. None is in the future, in the time zone of the office or of the homes.
   */
  constructor({ now, timeZone }: Pick<WriteCall, 'now' | 'timeZone'>) {
    const [today = ''] = [toLocalDate(BUILDER.timeZone, now), toLocalDate(timeZone, now)].sort()
    this.#now = now
    this.#today = today
  }

  on(daysAgo: number, run: TimelineAction['run']): void {
    this.#deeds.push({ daysAgo, run })
  }

  /** The number of days ago of the next action; null if there is none. */
  get next(): number | null {
    return this.#deeds.length === 0 ? null : Math.max(...this.#deeds.map(({ daysAgo }) => daysAgo))
  }

  /**
   * Runs the next actions in this transaction, one after another, until `isEnough` returns true. If the transaction is
   * repeated, the function that `mark` returns restores the actions.
   */
  async run(call: WriteCall, isEnough: () => boolean = () => false): Promise<void> {
    this.#call = call
    // An action may add later ones, which are inserted in order.
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

  // Removes and returns the oldest action. Within a day, actions run in the order in which they were added.
  #take(): TimelineAction | undefined {
    const longest = this.next
    const at = this.#deeds.findIndex(({ daysAgo }) => daysAgo === longest)
    return at === -1 ? undefined : this.#deeds.splice(at, 1)[0]
  }

  /** Returns the call of the current transaction. */
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

  /** Returns the date this many days ago in the builder's time zone. */
  date(daysAgo: number): string {
    return addDays(this.#today, -daysAgo)
  }

  /** Returns the number of days since a date in the files; negative if the date is in the future. */
  daysSince(dateInFiles: string): number {
    return countDaysBetween(dateInFiles, TODAY_IN_FILES)
  }

  /** Returns a text from the files with its dates moved. */
  moved(text: string): string {
    return text.replace(DATE, (date) => this.date(this.daysSince(date)))
  }
}

/** The records that have been created so far, by their names in the files. */
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
