import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Principal } from '../calls/call.ts'
import { getNetwork } from '../calls/client-address.ts'
import type { Config } from '../config/config.ts'
import type { Database, Db } from '../database/database.ts'
import { isDatabaseFailure, Problem } from '../problems/problem.ts'
import type { Clock } from '../runtime/clock.ts'
import { formatNumber, formatRetryAdvice } from '../values/format.ts'

/**
 * Enforces the rate limits. A key has a limit of requests per minute. The window of 60 s begins with the first request.
 * An organization has a limit of requests per day (UTC). In the portal, there is a limit per minute for each link, and
 * for each client across all links that it tries. There is also a limit per minute for each user who is signed in, and
 * for each client that signs in. The counts are in the database, so they are exact for any number of processes.
 *
 * A process reserves requests in advance, in portions of one hundredth of the remaining count, and returns unused
 * requests within a second. Near the end of a limit, and for small limits of a few hundred, a portion is a single
 * request. Therefore, no request is rejected while another process has unused requests. Concurrent requests share one
 * database statement.
 *
 * If the database can be read but not written, for example because its disk is full, each process counts separately.
 */
export interface RateLimits {
  /** Counts a request. Throws `rate_limited` or `quota_exceeded` if a limit is exceeded. */
  take(principal: Principal): Promise<void>
  /**
   * Counts a portal request of this client before its token is checked. Throws `rate_limited` if the limit is exceeded.
   */
  takeVisit(address: string): Promise<void>
  /**
   * Counts a request for a picture on a page that opens from a link. Pictures have a separate, higher limit, so that
   * pages with many pictures do not use up the limit of the link. Throws `rate_limited` if the limit is exceeded.
   */
  takePicture(principal: Principal): Promise<void>
  /** Counts a request of this client for a picture before its token is checked. */
  takePictureVisit(address: string): Promise<void>
  /** Counts an email with a sign-in link. Returns false if the email address has reached its limit. */
  takeSignInMail(email: string): Promise<boolean>
  /**
   * Counts an email with a list of a vendor's portal links. Returns false if the email address has reached its limit.
   */
  takeLinkListMail(email: string): Promise<boolean>
  /** Counts the registration of an app by this client. Throws `rate_limited` if the limit is exceeded. */
  takeRegistration(address: string): Promise<void>
  /** Returns the response headers that show how many requests remain. */
  headers(principal: Principal): Record<string, string>
  /** Returns the current usage. Within a transaction, `db` must be that transaction. */
  usage(principal: Principal, db: Db): Promise<{ minute: WindowUsage; day: WindowUsage }>
  /** Returns the reserved requests that were not used. */
  stop(): Promise<void>
}

export interface WindowUsage {
  limit: number
  used: number
  remaining: number
  resetsAt: string
}

/** The limit of emails to one mailbox, which applies across all clients that request them. */
const REQUESTED_MAILS = { limit: 5, seconds: 900, aligned: false }

/**
 * The limit of registrations from one address. An app registers when it is installed, and several apps at one address
 * are probably from the same office.
 */
const REGISTRATIONS = { limit: 20, seconds: 3600, aligned: false }

/** The average number of pictures on a page. The maximum is 100. */
const PICTURES_PER_PAGE = 20

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
  const pictureLimit = minuteWindow(config.portalLimitPerMinute * PICTURES_PER_PAGE)
  const clientPictureLimit = minuteWindow(config.portalClientLimitPerMinute * PICTURES_PER_PAGE)
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

  // The counters are cached with the principal, which is loaded twice per second and used thousands of times in
  // between.
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
    return new Problem(code, `${limit} ${formatRetryAdvice(seconds)}`, {}, { 'Retry-After': String(seconds) })
  }

  return {
    async take(principal) {
      const { minute, day } = countersOf(principal)
      // Usually, there is a reserved request, so there is no need to wait.
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

    async takePicture({ counters }) {
      const minute = counter(`${counters.minute}:pictures`, pictureLimit)
      if (minute.takeHeld() || (await minute.take())) return
      throw refused('rate_limited', `The limit is ${formatNumber(pictureLimit.limit)} images per minute.`, minute)
    },

    async takePictureVisit(address) {
      const minute = counter(`client:${getNetwork(address)}:pictures`, clientPictureLimit)
      if (minute.takeHeld() || (await minute.take())) return
      const detail = `The limit for one client is ${formatNumber(clientPictureLimit.limit)} images per minute.`
      throw refused('rate_limited', detail, minute)
    },

    async takeSignInMail(email) {
      const window = counter(`sign-in-mail:${hash('sha256', email)}`, REQUESTED_MAILS)
      return window.takeHeld() || (await window.take())
    },

    async takeLinkListMail(email) {
      const window = counter(`link-list-mail:${hash('sha256', email)}`, REQUESTED_MAILS)
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
  /** The counter of the organization's daily quota; null if the principal's requests do not count toward it. */
  day: Counter | null
}

/**
 * The time until which the process counts without the database, because the database cannot be written. All counters
 * share this object.
 */
interface Outage {
  untilMs: number
}

class Counter {
  readonly #scope: string
  readonly #kind: LimitWindow
  readonly #database: Database
  readonly #clock: Clock
  readonly #outage: Outage
  /** The number of requests that were reserved but not used yet. */
  #held = 0
  /** The last known count, including reserved requests. */
  #used = 0
  /** The end of the window, by the clock of this process. */
  #endsAt = 0
  /**
   * The end of the window, by the clock of the database. Responses contain this time, because it does not depend on
   * network latency.
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
      // Requests that have waited longer may have used the entire portion. Reserve another one, until the database
      // rejects it.
      for (;;) {
        if (this.isSpent) return false
        await this.#takePortion()
        if (this.takeHeld()) return true
      }
    } finally {
      this.#waiting--
    }
  }

  /** Returns a request that does not count after all. */
  putBack(): void {
    this.#held++
  }

  // Returns whether the window was used up at the last check. Only another process that returns requests can change
  // this, so the database is asked again after a second.
  get isSpent(): boolean {
    const now = this.#clock.nowMs()
    return this.#held === 0 && this.#used >= this.#kind.limit && now < this.#endsAt && now - this.#seenAt < IDLE_MS
  }

  get isOver(): boolean {
    return this.#taking === null && this.#clock.nowMs() >= this.#endsAt
  }

  get remaining(): number {
    const { limit } = this.#kind
    // While a request to the database is in progress, a reserved request may temporarily count twice.
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
      // If the database fails, only the requests that this process has counted are known.
      if (!isDatabaseFailure(error)) throw error
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
    // Wait, so that requests that arrive in the same turn of the event loop are counted together.
    await new Promise((next) => setImmediate(next))
    const left = this.#clock.nowMs() >= this.#endsAt ? this.#kind.limit : this.#kind.limit - this.#used
    const ahead = Math.min(MAX_RESERVED, Math.floor(left / 100))
    const requested = Math.max(this.#waiting, ahead)
    if (this.#clock.nowMs() < this.#outage.untilMs) return this.#countAlone(requested)
    try {
      await this.#ask(requested)
    } catch (error) {
      if (!isDatabaseFailure(error)) throw error
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
    // Returning requests must not create a window, because the builder may have been erased.
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
    // By the clock of this process, a window ends a little late. Discard reserved requests that belong to an earlier
    // window.
    if (row.endsAtMs !== this.#resetsAt) this.#held = 0
    this.#held += Math.max(0, row.granted)
    this.#used = row.used
    this.#endsAt = now + row.endsInMs
    this.#resetsAt = row.endsAtMs
    this.#seenAt = now
    this.#usedAt = now
  }
}
