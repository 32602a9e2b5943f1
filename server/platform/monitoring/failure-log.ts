import type { Logger } from 'pino'
import type { Database } from '../database/database.ts'
import { isDatabaseAway } from '../problems/problem.ts'

const PING_MS = 1000

/**
 * Logs one line when work begins to fail and one when it succeeds again. Dozens of jobs run each second, and while the
 * database is away each of them would log a stack trace every time.
 */
export class FailureLog {
  readonly #database: Pick<Database, 'ping'>
  readonly #log: Logger
  /** For each failing job, how many times in a row it has failed. */
  readonly #failing = new Map<string, number>()
  #outage: { sinceMs: number; timer: NodeJS.Timeout } | null = null

  constructor(database: Pick<Database, 'ping'>, log: Logger) {
    this.#database = database
    this.#log = log
  }

  failed(job: string, error: unknown): void {
    if (isDatabaseAway(error)) {
      this.#beginOutage(error)
      return
    }
    const failures = (this.#failing.get(job) ?? 0) + 1
    this.#failing.set(job, failures)
    if (failures === 1) this.#log.error({ err: error, job }, 'a job failed and will be tried again')
    else this.#log.debug({ err: error, job, failures }, 'a job failed again')
  }

  succeeded(job: string): void {
    const failures = this.#failing.get(job)
    if (failures === undefined) return
    this.#failing.delete(job)
    this.#log.info({ job, failures }, 'a job succeeds again')
  }

  stop(): void {
    clearTimeout(this.#outage?.timer)
  }

  #beginOutage(error: unknown): void {
    if (this.#outage !== null) return
    this.#log.error({ err: error }, 'the database does not respond: jobs pause until it does')
    this.#outage = { sinceMs: performance.now(), timer: this.#pingLater() }
  }

  #pingLater(): NodeJS.Timeout {
    return setTimeout(() => void this.#ping(), PING_MS).unref()
  }

  async #ping(): Promise<void> {
    if (this.#outage === null) return
    try {
      await this.#database.ping()
    } catch {
      this.#outage.timer = this.#pingLater()
      return
    }
    const seconds = Math.round((performance.now() - this.#outage.sinceMs) / 1000)
    this.#outage = null
    this.#log.info({ seconds }, 'the database responds again')
  }
}
