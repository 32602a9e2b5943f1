import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Principal } from '../calls/call.ts'
import { getNetwork } from '../calls/client-address.ts'
import type { Config } from '../config/config.ts'
import type { Database, Db } from '../database/database.ts'
import { isDatabaseUnable, Problem } from '../problems/problem.ts'
import type { Clock } from '../runtime/clock.ts'
import { formatNumber, tryAgainIn } from '../values/format.ts'

/**
 * The rate limits. A key has a limit of requests per minute (a 60 s window that opens with its first request), and an
 * organization one of requests per day (UTC). In the portal there is a per-minute limit for each link, and one for each
 * client across all links it tries. A signed-in user has a per-minute limit, and so has each client that signs in. The
 * count is in the database, so it is exact across any number of processes.
 *
 * A process takes requests from the count ahead of need, in portions of a hundredth of the remaining count, and returns
 * unused ones within a second. Near the end of a limit, and always for limits of a few hundred, a portion is one
 * request, so no request is rejected while another process holds unused ones. Requests that arrive together share one
 * statement.
 *
 * While the database cannot be written, because its disk is full for example, it can still be read, so each process
 * counts by itself.
 */
export interface RateLimits {
  /** Counts one request. Throws `rate_limited` or `quota_exceeded`. */
  take(principal: Principal): Promise<void>
  /** Counts one portal request of this client before its token is checked. Throws `rate_limited`. */
  takeVisit(address: string): Promise<void>
  /** Counts one mail with a sign-in link. Returns false if the address has reached its limit. */
  takeSignInMail(email: string): Promise<boolean>
  /** Counts one app registration of this client. Throws `rate_limited`. */
  takeRegistration(address: string): Promise<void>
  /** Returns the headers that tell a caller what is left. */
  headers(principal: Principal): Record<string, string>
  /** Returns the current usage. `db` must be the transaction's if one is open. */
  usage(principal: Principal, db: Db): Promise<{ minute: WindowUsage; day: WindowUsage }>
  /** Returns what was taken and not used to the count. */
  stop(): Promise<void>
}

export interface WindowUsage {
  limit: number
  used: number
  remaining: number
  resetsAt: string
}

/** Limits the mails to one mailbox, however many addresses request them. */
const SIGN_IN_MAILS = { limit: 5, seconds: 900, aligned: false }

/** An app registers when it is installed. Several behind one address are an office. */
const REGISTRATIONS = { limit: 20, seconds: 3600, aligned: false }

const MAX_RESERVED = 1000
const IDLE_MS = 1000
const MAX_COUNTERS = 20_000

export function createRateLimits(
  database: Database,
  clock: Clock,
  config: Pick<Config, 'rateLimitPerMinute' | 'quotaPerDay' | 'portalLimitPerMinute' | 'portalClientLimitPerMinute'> &
    Pick<Config, 'userLimitPerMinute' | 'signInLimitPerMinute'>,
): RateLimits {
  const counters = new Map<string, Counter>()
  const outage = { untilMs: 0 }
  const minuteLimits = {
    key: minuteWindow(config.rateLimitPerMinute),
    portal: minuteWindow(config.portalLimitPerMinute),
    user: minuteWindow(config.userLimitPerMinute),
    visitor: minuteWindow(config.signInLimitPerMinute),
  }
  const clientLimit = minuteWindow(config.portalClientLimitPerMinute)
  const dayLimit = { limit: config.quotaPerDay, seconds: 86_400, aligned: true }
  const policies = {
    key: `"minute";q=${config.rateLimitPerMinute};w=60`,
    portal: `"minute";q=${config.portalLimitPerMinute};w=60`,
    user: `"minute";q=${config.userLimitPerMinute};w=60`,
    visitor: `"minute";q=${config.signInLimitPerMinute};w=60`,
  }
  const dayPolicy = `"day";q=${config.quotaPerDay};w=86400`

  const sweep = setInterval(() => {
    for (const [scope, counter] of counters) {
      counter.giveBackIfIdle().catch(() => {})
      if (counters.size > MAX_COUNTERS && counter.isOver) counters.delete(scope)
    }
  }, IDLE_MS).unref()

  function counter(scope: string, kind: LimitWindow): Counter {
    let found = counters.get(scope)
    if (found === undefined) {
      found = new Counter(scope, kind, { database, clock, outage })
      counters.set(scope, found)
    }
    return found
  }

  // A principal is loaded twice a second and used thousands of times in between, so its counters are cached with it.
  const ofPrincipal = new WeakMap<Principal, KeyCounters>()
  function countersOf(principal: Principal): KeyCounters {
    let found = ofPrincipal.get(principal)
    if (found === undefined) {
      const { minute, kind, day } = principal.counters
      found = { minute: counter(minute, minuteLimits[kind]), day: day === null ? null : counter(day, dayLimit) }
      ofPrincipal.set(principal, found)
    }
    return found
  }

  function refused(code: 'rate_limited' | 'quota_exceeded', limit: string, window: Counter): Problem {
    const seconds = Math.max(1, window.secondsLeft)
    return new Problem(code, `${limit} ${tryAgainIn(seconds)}`, {}, { 'Retry-After': String(seconds) })
  }

  return {
    async take(principal) {
      const { minute, day } = countersOf(principal)
      // The common case does not wait.
      if (!(minute.takeHeld() || (await minute.take()))) {
        const { limit } = minuteLimits[principal.counters.kind]
        throw refused('rate_limited', `The limit is ${formatNumber(limit)} requests per minute.`, minute)
      }
      if (day !== null && !(day.takeHeld() || (await day.take()))) {
        minute.putBack()
        throw refused(
          'quota_exceeded',
          `The limit of your organization is ${formatNumber(config.quotaPerDay)} requests per day.`,
          day,
        )
      }
    },

    async takeVisit(address) {
      const minute = counter(`client:${getNetwork(address)}`, clientLimit)
      if (minute.takeHeld() || (await minute.take())) return
      const detail = `The limit for one client is ${formatNumber(clientLimit.limit)} requests per minute.`
      throw refused('rate_limited', detail, minute)
    },

    async takeSignInMail(email) {
      const window = counter(`sign-in-mail:${hash('sha256', email)}`, SIGN_IN_MAILS)
      return window.takeHeld() || (await window.take())
    },

    async takeRegistration(address) {
      const hour = counter(`registration:${getNetwork(address)}`, REGISTRATIONS)
      if (hour.takeHeld() || (await hour.take())) return
      throw refused(
        'rate_limited',
        `The limit for one client is ${REGISTRATIONS.limit} app registrations per hour.`,
        hour,
      )
    },

    headers(principal) {
      const { minute, day } = countersOf(principal)
      const policy = policies[principal.counters.kind]
      const ofMinute = `"minute";r=${minute.remaining};t=${minute.secondsLeft}`
      if (day === null) return { 'RateLimit-Policy': policy, RateLimit: ofMinute }
      return {
        'RateLimit-Policy': `${policy}, ${dayPolicy}`,
        RateLimit: `${ofMinute}, "day";r=${day.remaining};t=${day.secondsLeft}`,
      }
    },

    async usage(principal, db) {
      const { minute } = countersOf(principal)
      const day = counter(`day:${principal.organization.id}`, dayLimit)
      await minute.refresh(db)
      await day.refresh(db)
      return { minute: minute.usage(), day: day.usage() }
    },

    async stop() {
      clearInterval(sweep)
      await Promise.all([...counters.values()].map((each) => each.giveBack().catch(() => {})))
    },
  }
}

interface LimitWindow {
  limit: number
  seconds: number
  aligned: boolean
}

function minuteWindow(limit: number): LimitWindow {
  return { limit, seconds: 60, aligned: false }
}

interface KeyCounters {
  minute: Counter
  /** Null if the principal's requests do not count toward the organization's quota. */
  day: Counter | null
}

/** Until when a database that could not be written is not asked to count. All counters share it. */
interface Outage {
  untilMs: number
}

class Counter {
  readonly #scope: string
  readonly #kind: LimitWindow
  readonly #database: Database
  readonly #clock: Clock
  readonly #outage: Outage
  /** Taken from the count but not used yet. */
  #held = 0
  /** The last known count, including what is held. */
  #used = 0
  /** When the window ends, by this process's clock. */
  #endsAt = 0
  /**
   * When the window ends by the database's clock. Callers get this time, because it does not vary with network latency.
   */
  #resetsAt = 0
  #seenAt = 0
  #usedAt = 0
  #waiting = 0
  #taking: Promise<void> | null = null

  constructor(scope: string, kind: LimitWindow, of: { database: Database; clock: Clock; outage: Outage }) {
    this.#scope = scope
    this.#kind = kind
    this.#database = of.database
    this.#clock = of.clock
    this.#outage = of.outage
  }

  takeHeld(): boolean {
    if (this.#held === 0) return false
    const now = this.#clock.nowMs()
    if (now >= this.#endsAt) {
      this.#held = 0
      return false
    }
    this.#held--
    this.#usedAt = now
    return true
  }

  async take(): Promise<boolean> {
    this.#waiting++
    try {
      // Others who waited longer may have used up a portion. Ask for another one until it is rejected.
      for (;;) {
        if (this.isSpent) return false
        await this.#takePortion()
        if (this.takeHeld()) return true
      }
    } finally {
      this.#waiting--
    }
  }

  /** Returns one request that did not count after all. */
  putBack(): void {
    this.#held++
  }

  // A window that was just used up still is. Only requests returned by other processes could change that, so it is
  // checked again after a second.
  get isSpent(): boolean {
    const now = this.#clock.nowMs()
    return this.#held === 0 && this.#used >= this.#kind.limit && now < this.#endsAt && now - this.#seenAt < IDLE_MS
  }

  get isOver(): boolean {
    return this.#taking === null && this.#clock.nowMs() >= this.#endsAt
  }

  get remaining(): number {
    const { limit } = this.#kind
    // Between two responses of the database, a request may be counted as held and no longer as used.
    return this.isOver ? limit : Math.min(limit, Math.max(0, limit - this.#used + this.#held))
  }

  get secondsLeft(): number {
    return Math.max(0, Math.ceil((this.#endsAt - this.#clock.nowMs()) / 1000))
  }

  usage(): WindowUsage {
    return {
      limit: this.#kind.limit,
      used: this.#kind.limit - this.remaining,
      remaining: this.remaining,
      resetsAt: new Date(this.#resetsAt).toISOString(),
    }
  }

  async refresh(db: Db): Promise<void> {
    try {
      await this.#ask(0, db)
    } catch (error) {
      // Then only the requests that this process has counted are known.
      if (!isDatabaseUnable(error)) throw error
    }
  }

  async giveBackIfIdle(): Promise<void> {
    if (this.#held > 0 && this.#taking === null && this.#clock.nowMs() - this.#usedAt >= IDLE_MS) await this.giveBack()
  }

  async giveBack(): Promise<void> {
    const rest = this.#held
    this.#held = 0
    if (rest > 0 && this.#clock.nowMs() < this.#endsAt) await this.#ask(-rest)
  }

  #takePortion(): Promise<void> {
    this.#taking ??= this.#portion().finally(() => {
      this.#taking = null
    })
    return this.#taking
  }

  async #portion(): Promise<void> {
    // Requests that arrive in this turn of the event loop are counted together.
    await new Promise((next) => setImmediate(next))
    const left = this.#clock.nowMs() >= this.#endsAt ? this.#kind.limit : this.#kind.limit - this.#used
    const ahead = Math.min(MAX_RESERVED, Math.floor(left / 100))
    const requested = Math.max(this.#waiting, ahead)
    if (this.#clock.nowMs() < this.#outage.untilMs) return this.#countAlone(requested)
    try {
      await this.#ask(requested)
    } catch (error) {
      if (!isDatabaseUnable(error)) throw error
      this.#outage.untilMs = this.#clock.nowMs() + IDLE_MS
      this.#countAlone(requested)
    }
  }

  #countAlone(requested: number): void {
    const { limit, seconds, aligned } = this.#kind
    const now = this.#clock.nowMs()
    if (now >= this.#endsAt) {
      this.#endsAt = now + seconds * 1000 - (aligned ? now % (seconds * 1000) : 0)
      this.#resetsAt = this.#endsAt
      this.#used = 0
      this.#held = 0
    }
    const granted = Math.max(0, Math.min(requested, limit - this.#used))
    this.#held += granted
    this.#used += granted
    this.#seenAt = now
    this.#usedAt = now
  }

  async #ask(requested: number, db: Db = this.#database.statements): Promise<void> {
    const { limit, seconds, aligned } = this.#kind
    // Returning requests must not create a new window, because its builder may have been erased.
    const from = requested < 0 ? sql`"limitWindows" as w cross join lateral` : sql``
    const where = requested < 0 ? sql`where w."scope" = ${this.#scope}` : sql``
    const { rows } = await sql<{ granted: number; used: number; endsInMs: number; endsAtMs: number }>`
      /* writes */ select t."granted", t."used", t."endsInMs", t."endsAtMs" from ${from} "takeFromWindow"(
        ${this.#scope}, ${limit}, ${seconds}, ${aligned}, ${requested}, clock_timestamp() + make_interval(secs => ${this.#clock.aheadMs / 1000})) as t ${where}`.execute(
      db,
    )
    const [row] = rows
    if (row === undefined) return
    const now = this.#clock.nowMs()
    // By this process's clock a window ends a little late, so held requests may belong to a window that is over.
    if (row.endsAtMs !== this.#resetsAt) this.#held = 0
    this.#held += Math.max(0, row.granted)
    this.#used = row.used
    this.#endsAt = now + row.endsInMs
    this.#resetsAt = row.endsAtMs
    this.#seenAt = now
    this.#usedAt = now
  }
}
