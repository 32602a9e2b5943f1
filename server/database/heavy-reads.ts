import { JsonRow } from './json-rows.ts'
import type { StatementResult } from './lean-query.ts'
import { isPlannedEachTime, PLANNED_EACH_TIME } from './planned-each-time.ts'

/**
 * Which statements are heavy for which organization. The connections that single statements share answer in order, so
 * a slow or large answer delays everybody's statements behind it; those known to be heavy run elsewhere, one at a time
 * for each organization. Nobody declares them: what is heavy depends on an organization's data as much as on the
 * statement, and shows in its last answers.
 */
export class HeavyReads {
  readonly #byOrganization = new Map<string, Map<string, Observed>>()

  has(organizationId: string, text: string): boolean {
    return this.#byOrganization.get(organizationId)?.get(text)?.isHeavy === true
  }

  /** The statement as it is to be run: planned for the values of each call, if its plan for any values is slow. */
  planned(organizationId: string, text: string): string {
    const isMisplanned = this.#byOrganization.get(organizationId)?.get(text)?.isMisplanned === true
    return isMisplanned ? `${text}${PLANNED_EACH_TIME}` : text
  }

  /**
   * Takes note of an answer and of how long the database and the network took for it alone.
   *
   * @param isFirst whether the statement was only prepared on its connection for this answer, where the database may
   *   have had to find out about its tables first
   */
  answered(organizationId: string, text: string, tookMs: number, isFirst: boolean, result: StatementResult): void {
    const isSlow = tookMs > SLOW_MS
    const large = isLarge(result)
    const ofOrganization = this.#byOrganization.get(organizationId)
    const before = ofOrganization?.get(text)
    // One that was sent before its plan turned out to be slow says nothing about how it is run now.
    if (before?.isMisplanned === true) return
    if (!isSlow && !large) {
      if (ofOrganization?.delete(text) === true && ofOrganization.size === 0)
        this.#byOrganization.delete(organizationId)
      return
    }
    const slowInARow = isSlow ? (before?.slowInARow ?? 0) + 1 : 0
    const firstInARow = isSlow ? (before?.firstInARow ?? 0) + (isFirst ? 1 : 0) : 0
    const isMisplanned = slowInARow - firstInARow >= SLOW_IN_A_ROW && !isPlannedEachTime(text)
    const observed = { isHeavy: large || slowInARow >= SLOW_IN_A_ROW, slowInARow, firstInARow, isMisplanned }
    this.#add(organizationId, text, observed)
    // It may be slow by any plan, so it stays heavy until it is seen not to be.
    if (isMisplanned) this.#add(organizationId, `${text}${PLANNED_EACH_TIME}`, { ...observed, isMisplanned: false })
  }

  #add(organizationId: string, text: string, observed: Observed): void {
    const ofOrganization = this.#byOrganization.get(organizationId)
    if (ofOrganization !== undefined) add(ofOrganization, text, observed, MOST_TEXTS)
    else add(this.#byOrganization, organizationId, new Map([[text, observed]]), MOST_ORGANIZATIONS)
  }
}

interface Observed {
  isHeavy: boolean
  slowInARow: number
  /** How many of those were the first on their connection. */
  firstInARow: number
  isMisplanned: boolean
}

/** Usual statements take a tenth of a millisecond, and a batch of them a few milliseconds. */
const SLOW_MS = 20

// A pause of this process makes a few answers look slow, but not the same one three times.
const SLOW_IN_A_ROW = 3

/** In characters of JSON; a page of usual records has a tenth of that. */
const LARGE = 128 * 1024

// Rows that are read as objects, such as the lines of a takeoff, have no JSON to measure.
const MANY_ROWS = 1000

const MOST_ORGANIZATIONS = 1000
const MOST_TEXTS = 100

function isLarge({ rows }: StatementResult): boolean {
  if (rows.length >= MANY_ROWS) return true
  let length = 0
  for (const row of rows) {
    if (!(row instanceof JsonRow)) return false
    length += row.json.length
  }
  return length > LARGE
}

/** Sets the entry, and forgets the oldest one if there are too many. */
function add<Value>(entries: Map<string, Value>, key: string, value: Value, most: number): void {
  entries.set(key, value)
  if (entries.size <= most) return
  for (const oldest of entries.keys()) {
    entries.delete(oldest)
    return
  }
}
