import { createHash, timingSafeEqual } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { FailureLog } from '../problems/failure-log.ts'
import type { Clock } from '../runtime/clock.ts'
import { readOwnVersion } from '../runtime/version.ts'
import type { AttemptReport } from '../webhooks/deliverer.ts'
import type { DeliveryPipeline } from '../webhooks/delivery.ts'

/**
 * Provides the metrics of this process in the text format of Prometheus at /metrics. Counts and durations start at zero
 * in each process. The number of queued emails and the ages of the oldest delivery, event, and email come from the
 * database, so they are the same in all processes.
 *
 * The metrics are not public. The endpoint is on a separate port (METRICS_PORT), is protected by a token
 * (METRICS_TOKEN), or both. If neither is configured, nothing is measured, and requests have no additional cost.
 */
export interface Metrics {
  requestEnded(operationId: string | undefined, status: number, milliseconds: number): void
  eventsRecorded(count: number): void
  attemptMade(attempt: AttemptReport): void
  mailAttempted(outcome: MailOutcome): void
  /** Responds to a request for /metrics. */
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>
}

/**
 * `sent` means that the mail server has accepted the email, `deferred` that another attempt follows, and `failed` that
 * there are no more attempts.
 */
export type MailOutcome = 'sent' | 'deferred' | 'failed'

export interface MetricsParts {
  config: Config
  database: Database
  clock: Clock
  failures: FailureLog
  delivery(): ReturnType<DeliveryPipeline['metrics']>
  /** For each job, the number of seconds by which its next successful run is overdue. */
  jobLags(): ReadonlyMap<string, number>
  /** Resolves if the file store can currently store files. */
  checkFiles(): Promise<void>
}

/**
 * The values in a /metrics response that come from outside of this process. NaN means that a value could not be read.
 */
interface Readings {
  databaseUp: 0 | 1
  oldestDueSeconds: number
  oldestUndispatchedSeconds: number
  mailsWaiting: number
  oldestMailSeconds: number
  filesUp: 0 | 1
  freeBytes: number
  diskBytes: number
}

const UNKNOWN_DATABASE_READINGS = {
  oldestDueSeconds: Number.NaN,
  oldestUndispatchedSeconds: Number.NaN,
  mailsWaiting: Number.NaN,
  oldestMailSeconds: Number.NaN,
}

/**
 * The maximum time in milliseconds for reading the values. The maximum is well below the timeout of Prometheus (10 s),
 * so that an outage does not hide the other metrics.
 */
const MAX_READ_MS = 3000

/**
 * The buckets of the histogram in seconds. Most requests take a few milliseconds. Above ten seconds, the exact time no
 * longer matters.
 */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
/**
 * The buckets of the histogram in seconds. The targets are 15 ms for half of the events and 100 ms for nearly all
 * events. Events that are held for a disabled subscription take days.
 */
const DELAY_BUCKETS = [0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3600, 86_400]
/** The buckets of the histogram in seconds. An attempt takes at most ten seconds. */
const ATTEMPT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 11]

export function startMetrics(parts: MetricsParts): Metrics | null {
  const { config, database, clock, failures, delivery, jobLags } = parts
  if (config.metricsPort === null && config.metricsToken === null) return null
  const register = new Registry()
  const registers = [register]
  collectDefaultMetrics({ register })

  const requests = new Histogram({
    name: 'plumbline_request_duration_seconds',
    help: 'Time from a request to its response, by operation and status. The operation is "none" for requests that match no operation.',
    labelNames: ['operation', 'status'] as const,
    buckets: REQUEST_BUCKETS,
    registers,
  })
  const events = new Counter({
    name: 'plumbline_events_recorded_total',
    help: 'Events that were committed in this process.',
    registers,
  })
  const attempts = new Histogram({
    name: 'plumbline_webhook_attempt_duration_seconds',
    help: 'Duration of a webhook attempt, from the DNS lookup to the response headers, by outcome.',
    labelNames: ['outcome'] as const,
    buckets: ATTEMPT_BUCKETS,
    registers,
  })
  const delays = new Histogram({
    name: 'plumbline_webhook_delay_seconds',
    help: 'Time from an event to the first byte of its first webhook attempt. The time of an event is the start of its request, so the time of the commit is included.',
    buckets: DELAY_BUCKETS,
    registers,
  })
  const deliveries = new Counter({
    name: 'plumbline_webhook_deliveries_total',
    help: 'Webhook deliveries after each attempt, by status: "succeeded", "exhausted", or "pending" if another attempt follows.',
    labelNames: ['status'] as const,
    registers,
  })
  counts(
    'plumbline_events_dispatched_total',
    'Events that this process dispatched to subscriptions.',
    () => delivery().eventsDispatched,
  )
  gauge(
    'plumbline_webhook_attempts_in_flight',
    'Webhook attempts that are in progress or not yet recorded.',
    () => delivery().attemptsUnderWay,
  )
  gauge(
    'plumbline_webhook_oldest_due_delivery_age_seconds',
    'Time since the oldest due delivery became due; 0 if no delivery is due. The same in every process.',
    () => readings.oldestDueSeconds,
  )
  gauge(
    'plumbline_oldest_undispatched_event_age_seconds',
    'Age of the oldest event that has not been dispatched yet; 0 if there is none. The same in every process.',
    () => readings.oldestUndispatchedSeconds,
  )
  const mails = new Counter({
    name: 'plumbline_mail_attempts_total',
    help: 'Attempts to send an email: "sent", "deferred" if another attempt follows, or "failed".',
    labelNames: ['outcome'] as const,
    registers,
  })
  // Set initial values. Otherwise, Prometheus would not notice the first failure as an increase.
  for (const outcome of ['sent', 'deferred', 'failed']) mails.inc({ outcome }, 0)
  gauge(
    'plumbline_mails_waiting',
    'Emails waiting to be sent, including those that will be retried. The same in every process.',
    () => readings.mailsWaiting,
  )
  gauge(
    'plumbline_oldest_waiting_mail_age_seconds',
    'Age of the oldest email waiting to be sent; 0 if there is none. The same in every process.',
    () => readings.oldestMailSeconds,
  )
  const counted = new Map<string, number>()
  new Counter({
    name: 'plumbline_job_failures_total',
    help: 'Failed runs of a background job, by job.',
    labelNames: ['job_name'] as const,
    registers,
    collect() {
      for (const job of jobLags().keys()) this.inc({ job_name: job }, 0)
      for (const [job, count] of failures.failedRuns) {
        this.inc({ job_name: job }, count - (counted.get(job) ?? 0))
        counted.set(job, count)
      }
    },
  })
  new Gauge({
    name: 'plumbline_job_lag_seconds',
    help: 'Time by which the next successful run of a background job is overdue, by job; 0 while the job is on time.',
    labelNames: ['job_name'] as const,
    registers,
    collect() {
      for (const [job, lag] of jobLags()) this.set({ job_name: job }, lag)
    },
  })
  counts(
    'plumbline_errors_total',
    'Responses with a status of 500 or above and other failures that are not retried, except during a database outage.',
    () => failures.reported,
  )
  gauge('plumbline_database_up', 'Whether the database is responding: 1 or 0.', () => readings.databaseUp)
  const pool = database.connections
  gauge('plumbline_database_pool_connections', 'Open database connections.', () => pool().open)
  gauge('plumbline_database_pool_idle', 'Open database connections that are idle.', () => pool().idle)
  gauge(
    'plumbline_database_pool_waiting',
    'Statements and transactions waiting for a connection.',
    () => pool().waiting,
  )
  gauge('plumbline_database_pool_size', 'The maximum number of database connections.', () => pool().most)
  gauge(
    'plumbline_files_up',
    'Whether files can be stored in DATA_DIR or in the bucket: 1 or 0.',
    () => readings.filesUp,
  )
  gauge('plumbline_data_dir_free_bytes', 'Free space on the disk of DATA_DIR.', () => readings.freeBytes)
  gauge('plumbline_data_dir_size_bytes', 'Size of the disk of DATA_DIR.', () => readings.diskBytes)
  new Gauge({
    name: 'plumbline_build_info',
    help: 'Always 1; the label is the version of Plumbline.',
    labelNames: ['version'] as const,
    registers,
  }).set({ version: readOwnVersion() }, 1)

  let readings: Readings

  async function readElsewhere(): Promise<Readings> {
    const [fromDatabase, filesUp, disk] = await Promise.all([
      readDatabase(),
      rejectAfterTimeout(parts.checkFiles()).then(
        () => 1 as const,
        () => 0 as const,
      ),
      // There may be no DATA_DIR if the process uses PostgreSQL and a bucket.
      statfs(config.dataDir).catch(() => null),
    ])
    const { bavail = Number.NaN, blocks = Number.NaN, bsize = Number.NaN } = disk ?? {}
    return { ...fromDatabase, filesUp, freeBytes: bavail * bsize, diskBytes: blocks * bsize }
  }

  async function readDatabase() {
    try {
      await rejectAfterTimeout(database.ping())
    } catch (error) {
      failures.failed('readMetrics', error)
      return { ...UNKNOWN_DATABASE_READINGS, databaseUp: 0 as const }
    }
    try {
      const [oldestDue, oldestUndispatched, queue] = await rejectAfterTimeout(
        Promise.all([
          readOldestDueSeconds(database, clock),
          readOldestUndispatchedSeconds(database, clock),
          readMailQueue(database, clock),
        ]),
      )
      failures.succeeded('readMetrics')
      return {
        databaseUp: 1 as const,
        oldestDueSeconds: oldestDue,
        oldestUndispatchedSeconds: oldestUndispatched,
        mailsWaiting: queue.waiting,
        oldestMailSeconds: queue.oldestSeconds,
      }
    } catch (error) {
      failures.failed('readMetrics', error)
      return { ...UNKNOWN_DATABASE_READINGS, databaseUp: 1 as const }
    }
  }

  function gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  }

  // Adds a counter whose value is stored by other code. Each reading adds the increase since the previous reading.
  function counts(name: string, help: string, read: () => number): void {
    let last = 0
    new Counter({
      name,
      help,
      registers,
      collect() {
        const now = read()
        this.inc(now - last)
        last = now
      },
    })
  }

  return {
    requestEnded: (operationId, status, milliseconds) =>
      requests.observe({ operation: operationId ?? 'none', status }, milliseconds / 1000),
    eventsRecorded: (count) => events.inc(count),
    attemptMade({ outcome, durationMs, delayMs, status }) {
      attempts.observe({ outcome }, durationMs / 1000)
      if (delayMs !== null) delays.observe(delayMs / 1000)
      deliveries.inc({ status })
    },
    mailAttempted: (outcome) => mails.inc({ outcome }),
    async serve(request, response) {
      if (!hasMetricsToken(request, config.metricsToken)) {
        response
          .writeHead(401, { 'WWW-Authenticate': 'Bearer', 'Content-Type': 'text/plain' })
          .end('The metrics require the token of METRICS_TOKEN.\n')
        return
      }
      readings = await readElsewhere()
      const text = await register.metrics()
      response.writeHead(200, { 'Content-Type': register.contentType, 'Cache-Control': 'no-store' }).end(text)
    },
  }
}

/** Starts a server on a separate port that provides only the metrics. */
export async function listenForMetrics(
  metrics: Metrics,
  { metricsPort, metricsHost }: Config,
  log: Logger,
): Promise<{ url: string; server: Server } | null> {
  if (metricsPort === null) return null
  const server = createServer((request, response) => {
    if (request.url?.split('?', 1)[0] !== '/metrics' || !/^(GET|HEAD)$/.test(request.method ?? '')) {
      response.writeHead(404).end()
      return
    }
    metrics.serve(request, response).catch((error: unknown) => {
      log.error({ err: error }, 'could not serve the metrics')
      response.destroy()
    })
  })
  await new Promise<void>((done, fail) => {
    server.once('error', fail)
    server.listen({ port: metricsPort, host: metricsHost, exclusive: true }, done)
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://${metricsHost.includes(':') ? `[${metricsHost}]` : metricsHost}:${port}/metrics`, server }
}

function hasMetricsToken({ headers }: IncomingMessage, token: string | null): boolean {
  return token === null || timingSafeEqual(digestText(headers.authorization ?? ''), digestText(`Bearer ${token}`))
}

// The comparison requires texts of the same length, which digests have.
function digestText(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

// Performs one index lookup per subscription, as the search for due deliveries does. A delivery of a paused
// subscription is not due.
async function readOldestDueSeconds(database: Database, clock: Clock): Promise<number> {
  const now = clock.now().toISOString()
  const { rows } = await sql<{ since: string | null }>`
    select min(greatest(due."nextAttemptAt", w."pausedUntil")) as "since" from "webhooks" w
    cross join lateral (
      select d."nextAttemptAt" from "deliveries" d
      where d."organizationId" = w."organizationId" and d."webhookId" = w."id"
        and d."status" = 'pending' and not d."test" and d."claimedUntil" is null and d."nextAttemptAt" <= ${now}
      order by d."nextAttemptAt" limit 1
    ) due
    where w."status" = 'active' and w."archivedAt" is null and (w."pausedUntil" is null or w."pausedUntil" <= ${now})`.execute(
    database.statements,
  )
  return secondsSince(rows[0]?.since, clock)
}

async function readOldestUndispatchedSeconds(database: Database, clock: Clock): Promise<number> {
  const { rows } = await sql<{ since: string }>`
    select "occurredAt" as "since" from "events" where "sequence" is null order by "recordedOrder" limit 1`.execute(
    database.statements,
  )
  return secondsSince(rows[0]?.since, clock)
}

async function readMailQueue(database: Database, clock: Clock): Promise<{ waiting: number; oldestSeconds: number }> {
  const { rows } = await sql<{ waiting: number; since: string | null }>`
    select count(*)::int as "waiting", min("createdAt") as "since" from "mails" where "status" = 'queued'`.execute(
    database.statements,
  )
  return { waiting: rows[0]?.waiting ?? 0, oldestSeconds: secondsSince(rows[0]?.since, clock) }
}

/** Rejects if the work takes too long. The work itself continues until it reaches its own limits. */
async function rejectAfterTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_done, fail) => {
    timer = setTimeout(() => fail(new Error(`No response within ${MAX_READ_MS} ms.`)), MAX_READ_MS)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function secondsSince(since: string | null | undefined, clock: Clock): number {
  return since == null ? 0 : Math.max(0, (clock.nowMs() - Date.parse(since)) / 1000)
}
