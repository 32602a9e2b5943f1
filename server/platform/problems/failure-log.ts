import type { Logger } from 'pino'
import { isDatabaseUnreachable } from './problem.ts'

const PING_MS = 1000

/** The part of the database interface that the failure log uses. */
interface PingableDatabase {
  /** Rejects if the database does not respond. */
  ping(): Promise<void>
}

/**
 * Logs one line when work starts to fail, and another when it succeeds again. Otherwise, each request, and each of the
 * dozens of jobs that run every second, would log a stack trace while the database is unavailable.
 */
export class FailureLog {
  readonly #database: PingableDatabase
  readonly #log: Logger
  /** The number of consecutive failures of each job that is currently failing. */
  readonly #failing = new Map<string, number>()
  readonly #failedRuns = new Map<string, number>()
  #reported = 0
  #outage: { sinceMs: number; timer: NodeJS.Timeout } | null = null

  constructor(database: PingableDatabase, log: Logger) {
    this.#database = database
    this.#log = log
  }

  /** The number of failed runs of each job that has ever failed, including those during an outage of the database. */
  get failedRuns(): ReadonlyMap<string, number> {
    return this.#failedRuns
  }

  /** The number of reported failures of work that is not repeated, excluding those during an outage of the database. */
  get reported(): number {
    return this.#reported
  }

  failed(job: string, error: unknown): void {
    this.#failedRuns.set(job, (this.#failedRuns.get(job) ?? 0) + 1)
    if (isDatabaseUnreachable(error)) {
      this.#beginOutage(error)
      return
    }
    const failures = (this.#failing.get(job) ?? 0) + 1
    this.#failing.set(job, failures)
    if (failures === 1) this.#log.error({ err: error, job }, 'a job failed and will be retried')
    else this.#log.debug({ err: error, job, failures }, 'a job failed again')
  }

  succeeded(job: string): void {
    const failures = this.#failing.get(job)
    if (failures === undefined) return
    this.#failing.delete(job)
    this.#log.info({ job, failures }, 'a job is working again')
  }

  /** Logs a failure of work that is not repeated. `about` contains the IDs of the request or record. */
  report(error: unknown, about: object, message: string): void {
    if (isDatabaseUnreachable(error)) {
      this.#beginOutage(error)
      return
    }
    this.#reported++
    this.#log.error({ err: error, ...about }, message)
  }

  /** Must be called before the database is closed. */
  stop(): void {
    clearTimeout(this.#outage?.timer)
    this.#outage = null
  }

  #beginOutage(error: unknown): void {
    if (this.#outage !== null) return
    this.#log.error({ err: error }, 'the database is not responding')
    this.#outage = { sinceMs: performance.now(), timer: this.#pingLater() }
  }

  #pingLater(): NodeJS.Timeout {
    return setTimeout(() => void this.#ping(), PING_MS).unref()
  }

  async #ping(): Promise<void> {
    const responds = await this.#database.ping().then(
      () => true,
      () => false,
    )
    // The log has been stopped in the meantime.
    if (this.#outage === null) return
    if (!responds) {
      this.#outage.timer = this.#pingLater()
      return
    }
    const seconds = Math.round((performance.now() - this.#outage.sinceMs) / 1000)
    this.#outage = null
    this.#log.info({ seconds }, 'the database is responding again')
  }
}
