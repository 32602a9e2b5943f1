import { keepLatest } from '../values/keep-latest.ts'
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
  readonly #nowMs: () => number

  /** @param nowMs a clock that never goes back */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  has(organizationId: string, text: string): boolean {
    return this.#byOrganization.get(organizationId)?.get(text)?.isHeavy === true
  }

  /**
   * The statement as it is to be run: planned for the values of each call, if its plan for any values is slow. Now and then
   * one call tries that plan again, because it looks slow too while something else keeps the machine busy, and to plan
   * what is small takes longer than all the rest of it.
   */
  planned(organizationId: string, text: string): string {
    const plan = this.#byOrganization.get(organizationId)?.get(text)?.plan
    if (plan?.isAvoided !== true) return text
    const nowMs = this.#nowMs()
    if (nowMs < plan.trialAtMs) return `${text}${PLANNED_EACH_TIME}`
    plan.isOnTrial = true
    waitLonger(plan, nowMs)
    return text
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
    const plan = before?.plan ?? null
    if (plan?.isAvoided === true) {
      // One that was sent before its plan turned out to be slow says nothing about how it is run now.
      if (!plan.isOnTrial) return
      plan.isOnTrial = false
      if (isSlow) return
      plan.isAvoided = false
    }
    if (!isSlow && !large) {
      if (before !== undefined && plan !== null) beUsual(before)
      else if (ofOrganization?.delete(text) === true && ofOrganization.size === 0)
        this.#byOrganization.delete(organizationId)
      return
    }
    const slowInARow = isSlow ? (before?.slowInARow ?? 0) + 1 : 0
    const firstInARow = isSlow ? (before?.firstInARow ?? 0) + (isFirst ? 1 : 0) : 0
    const nowMs = this.#nowMs()
    const slowSinceMs = slowInARow > 1 ? (before?.slowSinceMs ?? 0) : nowMs - tookMs
    const isMisplanned =
      slowInARow - firstInARow >= SLOW_IN_A_ROW && nowMs - slowSinceMs >= SLOW_FOR_MS && !isPlannedEachTime(text)
    const isHeavy = large || slowInARow >= SLOW_IN_A_ROW
    const observed = { isHeavy, slowInARow, firstInARow, slowSinceMs, plan }
    this.#add(organizationId, text, isMisplanned ? { ...observed, plan: avoided(plan, nowMs) } : observed)
    // It may be slow by any plan, so it stays heavy until it is seen not to be.
    if (isMisplanned) this.#add(organizationId, `${text}${PLANNED_EACH_TIME}`, { ...observed, plan: null })
  }

  #add(organizationId: string, text: string, observed: Observed): void {
    const ofOrganization = this.#byOrganization.get(organizationId)
    if (ofOrganization !== undefined) keepLatest(ofOrganization, text, observed, MOST_TEXTS)
    else keepLatest(this.#byOrganization, organizationId, new Map([[text, observed]]), MOST_ORGANIZATIONS)
  }
}

interface Observed {
  isHeavy: boolean
  slowInARow: number
  /** How many of those were the first on their connection. */
  firstInARow: number
  /** When the first of them began. */
  slowSinceMs: number
  /** Of its plan for any values, once that has been slow; null for most. */
  plan: Plan | null
}

function beUsual(observed: Observed): void {
  observed.isHeavy = false
  observed.slowInARow = 0
  observed.firstInARow = 0
}

interface Plan {
  /** Whether the statement is planned for each call instead. */
  isAvoided: boolean
  isOnTrial: boolean
  /** When the next call tries it. */
  trialAtMs: number
  /** How long that is after the trial before. */
  waitMs: number
}

/** A trial of a plan that is slow after all delays one call, so there are fewer and fewer. */
const FIRST_WAIT_MS = 10_000
const LONGEST_WAIT_MS = 600_000

function avoided(before: Plan | null, nowMs: number): Plan {
  // One that was fast for as long as it would have been avoided is trusted as any other.
  const waitedMs = before !== null && nowMs < before.trialAtMs ? before.waitMs : FIRST_WAIT_MS / 2
  const plan = { isAvoided: true, isOnTrial: false, trialAtMs: 0, waitMs: waitedMs }
  waitLonger(plan, nowMs)
  return plan
}

function waitLonger(plan: Plan, nowMs: number): void {
  plan.waitMs = Math.min(plan.waitMs * 2, LONGEST_WAIT_MS)
  plan.trialAtMs = nowMs + plan.waitMs
}

/** Usual statements take a tenth of a millisecond, and a batch of them a few milliseconds. */
const SLOW_MS = 20

// A pause of this process makes a few answers look slow, but not the same one three times.
const SLOW_IN_A_ROW = 3

/**
 * A machine with more to do than it can makes all answers slow for moments. To plan each of them then would give it more
 * still, half as much again for a list, and make the moment last.
 */
const SLOW_FOR_MS = 500

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
