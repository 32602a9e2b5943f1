import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Express } from 'express'
import type { Logger } from 'pino'
import { createCalendarRoutes } from './domain/building/calendars/calendar-routes.ts'
import { type App, type AppParts, createApp } from './interfaces/app.ts'
import { limitConnections } from './interfaces/connections.ts'
import { createDocsRoutes } from './interfaces/docs/docs-routes.ts'
import { createInboundMailRoutes } from './interfaces/inbound-mail/inbound-mail-routes.ts'
import { createMcpRoutes } from './interfaces/mcp/mcp-routes.ts'
import { createOauthRoutes } from './interfaces/oauth/oauth-routes.ts'
import { operations, repeats as ownRepeats } from './interfaces/operations.ts'
import { createOwnerRoutes } from './interfaces/owner/owner-routes.ts'
import { createPortalRoutes } from './interfaces/portal/portal-routes.ts'
import { assertCompositesImplemented } from './interfaces/skills/skill-catalog.ts'
import { createWebRoutes } from './interfaces/web/web-routes.ts'
import { type Jobs, startJobs } from './jobs.ts'
import { type Contract, loadContract } from './platform/calls/contract.ts'
import type { Handlers } from './platform/calls/operation.ts'
import type { RepeatRulesByOperation } from './platform/calls/repeated-response.ts'
import {
  applyListeningPort,
  type Config,
  type EnvironmentConfig,
  isLocalUrl,
  isOnDeveloperMachine,
} from './platform/config/config.ts'
import { describeClockSkew } from './platform/database/clock-skew.ts'
import { type Database, openDatabase } from './platform/database/database.ts'
import { createIsolationCheck, IsolationBrokenError, type IsolationCheck } from './platform/database/isolation-check.ts'
import { migrate } from './platform/database/migrate.ts'
import { resolveEncryptionKey } from './platform/encryption/encryption-key.ts'
import { flushExecutions } from './platform/executions/execution-buffer.ts'
import { type FileStore, StoreUnusableError } from './platform/files/file-store.ts'
import { openFiles } from './platform/files/files.ts'
import { listenForMetrics, startMetrics } from './platform/monitoring/metrics.ts'
import { FailureLog } from './platform/problems/failure-log.ts'
import { problem, toProblem } from './platform/problems/problem.ts'
import { Clock } from './platform/runtime/clock.ts'
import { isPortShared } from './workers.ts'

/** A running service: an HTTP server, its database, and the background jobs. */
export interface Plumbline {
  /** The URL at which the service listens. Users and links use `config.publicUrl` instead. */
  readonly url: string
  /** The URL of the metrics; null if they are turned off. */
  readonly metricsUrl: string | null
  readonly config: Config
  readonly database: Database
  readonly app: App
  readonly clock: Clock
  readonly log: Logger
  /** Stops accepting requests, waits for the requests and deliveries in progress, and then closes the database. */
  stop(): Promise<void>
}

export interface PlumblineParts extends Pick<AppParts, 'validator' | 'answerCheck'> {
  config: EnvironmentConfig
  log: Logger
  /** The database to use instead of the one that `config` describes, for tests and benchmarks. */
  database?: Database
  clock?: Clock
  contract?: Contract
  handlers?: Handlers
  repeats?: RepeatRulesByOperation
  /**
   * Called before the service accepts the first request. At that time, the configuration may not contain the actual
   * port.
   */
  beforeListening?: (config: Config) => Promise<void>
}

export async function startPlumbline(parts: PlumblineParts): Promise<Plumbline> {
  const { log, clock = new Clock(), contract = loadContract() } = parts
  const { handlers = operations, repeats = ownRepeats } = parts
  const { validator, answerCheck } = parts
  assertCompositesImplemented(contract)
  const database = parts.database ?? (await openDatabase(parts.config))
  const failures = new FailureLog(database, log)
  let listening: ListeningServer | null = null
  try {
    await migrate(database)
    if (database.narrowRole === null && !database.distributed) log.warn(NO_ROW_LEVEL_SECURITY_WARNING)
    const isolation = createIsolationCheck(database)
    await checkIsolationAtStartup(isolation, log)
    const skew = await describeClockSkew(database.statements, clock)
    if (skew !== null) log.warn(skew)
    const { config: settled, isKeptInDatabase } = await resolveEncryptionKey(parts.config, database)
    if (isKeptInDatabase) {
      log.warn(
        parts.config.encryptionKey === null
          ? 'ENCRYPTION_KEY is not set. The key is stored in the database, next to the data that it encrypts.'
          : 'ENCRYPTION_KEY is not in use yet. The key in the database is used until you run "encryption-key rotate".',
      )
    }
    if (settled.isProduction && isLocalUrl(settled.publicUrl)) log.warn(localLinksWarning(settled.publicUrl))
    if (settled.webhookAllowPrivate && !isOnDeveloperMachine(settled)) log.warn(PRIVATE_WEBHOOKS_WARNING)
    const { store } = openFiles(settled)
    await checkAtStartup(store, log)
    await parts.beforeListening?.(settled)
    listening = await startListening(settled)
    const { server } = listening
    const { port } = server.address() as AddressInfo
    const config = applyListeningPort(settled, port)
    const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`
    let jobs: Jobs | null = null
    const checkFiles = shareResult(STORE_CACHE_MS, () => store.check())
    const metrics = startMetrics({
      ...{ config, database, clock, failures },
      delivery: () => jobs?.delivery.metrics() ?? { eventsDispatched: 0, attemptsUnderWay: 0 },
      jobLags: () => jobs?.lags() ?? new Map(),
      checkFiles,
    })
    const app = createApp({
      ...{ config, contract, handlers, repeats, database, clock, log, failures, validator, answerCheck },
      eventsCommitted(count) {
        jobs?.wake()
        metrics?.eventsRecorded(count)
      },
      deliveriesDue: (webhook) => jobs?.delivery.due(webhook),
      ...(metrics && { requestEnded: metrics.requestEnded }),
      addRoutes(express, services, door) {
        addHealthRoutes(express, createReadinessCheck({ database, store, checkFiles, isolation, failures }))
        if (metrics !== null && config.metricsPort === null) {
          express.get('/metrics', (req, res, next) => void metrics.serve(req, res).catch(next))
        }
        express.use(createMcpRoutes({ services, door, log }))
        express.use(createOauthRoutes({ services, log, failures }))
        express.use(createPortalRoutes({ services, log, failures }))
        express.use(createOwnerRoutes({ services, log, failures }))
        express.use(createCalendarRoutes({ services, log, failures }))
        express.use(createInboundMailRoutes({ services, log, failures }))
        // Registers the web routes first. If there are no web pages, the documentation serves the root path.
        express.use(createWebRoutes({ services, log }))
        express.use(createDocsRoutes(services))
      },
    })
    const isTrusted: (address: string, hop: number) => boolean = app.express.get('trust proxy fn')
    limitConnections(server, { config, isTrusted: (address) => isTrusted(address, 0) })
    listening.answerBy(app)
    const onOwnPort = metrics === null ? null : await listenForMetrics(metrics, config, log)
    const running = startJobs({
      ...{ database, config, given: parts.config, clock, log, failures, services: app.services },
      ...(metrics && { attemptMade: metrics.attemptMade, mailAttempted: metrics.mailAttempted }),
    })
    jobs = running
    const stopWarming = config.compileAhead ? startWarming(app, log) : () => {}
    return {
      url,
      metricsUrl: metrics === null ? null : (onOwnPort?.url ?? `${url}/metrics`),
      config,
      database,
      app,
      clock,
      log,
      async stop() {
        stopWarming()
        app.drain()
        await closeServer(server)
        await app.services.linkRequests.stop()
        await app.services.linkListRequests.stop()
        await app.services.ownerLinkRequests.stop()
        await running.stop()
        await app.limits.stop()
        await app.usage.stop()
        await flushExecutions(app.services)
        // Closes the metrics server last, because an operator may want to observe the shutdown.
        if (onOwnPort !== null) await closeServer(onOwnPort.server)
        failures.stop()
        await database.close()
      },
    }
  } catch (error) {
    listening?.server.close()
    await database.close()
    throw error
  }
}

const PRIVATE_WEBHOOKS_WARNING =
  'WEBHOOK_ALLOW_PRIVATE is true. Anyone whose key can manage webhooks can make this service send requests to its own ' +
  'machine and to private networks, also over plain HTTP, and see the responses. Set it to false unless you trust all of ' +
  'these callers.'

function localLinksWarning(publicUrl: string): string {
  return `PUBLIC_URL is ${publicUrl}: links in emails and in the portal work only on this machine. Set it to the URL that people use.`
}

const NO_ROW_LEVEL_SECURITY_WARNING =
  'Row-level security is off: only the conditions of the queries keep organizations apart. Make the user of DATABASE_URL the owner of the tables and a member of the role "<owner>_one_organization"; see docs/operating/install.md.'

// If a database node is unavailable, the process starts but does not report that it is ready.
async function checkIsolationAtStartup(isolation: IsolationCheck, log: Logger): Promise<void> {
  try {
    await isolation.assertIsolated()
  } catch (error) {
    if (error instanceof IsolationBrokenError) throw error
    log.warn({ err: error }, 'Tenant isolation could not be checked. The service is not ready until it has been.')
  }
}

async function checkAtStartup(store: FileStore, log: Logger): Promise<void> {
  try {
    await store.check()
  } catch (error) {
    if (error instanceof StoreUnusableError) throw error
    // An unreachable bucket must not prevent the rest of the service from starting.
    log.warn({ err: error }, 'The bucket of FILES_S3_URL is not responding. Files are unavailable until it responds.')
  }
}

// Adds the routes for health checks for load balancers and supervisors.
function addHealthRoutes(express: Express, state: () => Promise<ReadyState>): void {
  express.get('/healthz', (_req, res) => {
    res.json({ status: 'alive' })
  })
  express.get('/readyz', async (_req, res) => {
    try {
      res.json({ status: 'ready', ...(await state()) })
    } catch (error) {
      res
        .status(503)
        .set('Retry-After', '2')
        .json({ status: 'unavailable', reason: toProblem(error).code })
    }
  })
}

const HEADERS_TIMEOUT_MS = 20_000
const CHECKING_INTERVAL_MS = 5000
// Load balancers close idle connections after 60 seconds. This timeout is longer, so that the service does not close a
// connection on which a request is about to arrive.
const KEEP_ALIVE_MS = 65_000

// Readiness checks need no key, so all requests within this time share one check.
const DATABASE_CACHE_MS = 1000
const STORE_CACHE_MS = 5000

interface ReadyState {
  /**
   * The state of the bucket does not affect readiness. All processes use the same bucket, so if it failed, the load
   * balancer would remove all processes, and the whole service would be down.
   */
  files: 'available' | 'unavailable'
}

interface ReadinessParts {
  database: Database
  store: FileStore
  checkFiles: () => Promise<void>
  isolation: IsolationCheck
  failures: FailureLog
}

function createReadinessCheck(parts: ReadinessParts): () => Promise<ReadyState> {
  const { database, store, checkFiles, isolation, failures } = parts
  const assertIsolated = async () => {
    try {
      await isolation.assertIsolated()
      failures.succeeded('checkIsolation')
    } catch (error) {
      failures.failed('checkIsolation', error)
      throw error instanceof IsolationBrokenError ? problem('unavailable', error.message) : error
    }
  }
  const ping = shareResult(DATABASE_CACHE_MS, () => database.ping())
  return async () => {
    await ping()
    await assertIsolated()
    try {
      await checkFiles()
      return { files: 'available' }
    } catch (cause) {
      if (!store.isLocal) return { files: 'unavailable' }
      throw Object.assign(
        problem('unavailable', 'The folder for files is not writable. Check the disk and the permissions of DATA_DIR.'),
        { cause },
      )
    }
  }
}

function shareResult(forMs: number, check: () => Promise<void>): () => Promise<void> {
  let requested: Promise<void> | null = null
  let askedAt = 0
  return () => {
    const now = performance.now()
    if (requested === null || now - askedAt >= forMs) {
      requested = check()
      askedAt = now
    }
    return requested
  }
}

interface ListeningServer {
  server: Server
  /**
   * Sets the app that handles requests. Call this function in the same turn of the event loop in which the server
   * starts to listen, so that no request arrives before the app is set.
   */
  answerBy(app: App): void
}

// Starts to listen before the app exists, because the app's links may contain the port.
async function startListening(config: Config): Promise<ListeningServer> {
  const server = createServer({
    // The app rejects requests without a Host header, so that the problem has a request ID.
    requireHostHeader: false,
    // This limit is for uploads in the portal and on the home owner's pages, which may continue as long as they make
    // progress (see form-body.ts). Below, all other requests get a shorter limit.
    requestTimeout: Math.max(config.requestTimeoutMs, MAX_UPLOAD_MS),
    headersTimeout: Math.min(config.requestTimeoutMs, HEADERS_TIMEOUT_MS),
    connectionsCheckingInterval: Math.min(config.requestTimeoutMs / 2, CHECKING_INTERVAL_MS),
    keepAliveTimeout: KEEP_ALIVE_MS,
  })
  await new Promise<void>((done, fail) => {
    server.once('error', fail)
    server.listen({ port: config.port, host: config.host, reusePort: isPortShared() }, done)
  })
  return {
    server,
    answerBy({ express, refuseUnread, refuseTunnel }) {
      server.on('request', (req) => limitArrival(req, config.requestTimeoutMs, refuseUnread))
      server.on('request', express)
      // The app also rejects requests with an unknown Expect header and requests that cannot be parsed.
      server.on('checkExpectation', express)
      server.on('clientError', refuseUnread)
      server.on('connect', (_request, socket) => refuseTunnel(socket))
    },
  }
}

/**
 * Rejects a request if its body has not arrived completely within the time limit. A client that sends a byte from time
 * to time cannot keep its connection longer. A minute is enough to send 1 MiB over a slow dial-up connection.
 */
function limitArrival(req: IncomingMessage, withinMs: number, refuse: App['refuseUnread']): void {
  const { 'content-length': length = '0', 'transfer-encoding': chunked, 'content-type': type = '' } = req.headers
  if (chunked === undefined && length === '0') return
  const isFormPage = req.url?.startsWith('/portal/') === true || req.url?.startsWith('/owner/') === true
  if (isFormPage && type.toLowerCase().startsWith('multipart/form-data')) return
  const refuseIncomplete = () => {
    if (req.complete) return
    const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    refuse(error, req.socket)
  }
  const timer = setTimeout(refuseIncomplete, withinMs)
  req.once('close', () => clearTimeout(timer))
}

// An upload of 25 MB at 7 kB/s takes this long.
const MAX_UPLOAD_MS = 60 * 60 * 1000

/** The maximum time to wait for requests in progress at shutdown, in milliseconds. */
const DRAIN_MS = 20_000

async function closeServer(server: Server): Promise<void> {
  // Some idle connections received their last response before the shutdown, without `Connection: close`. This timeout
  // closes them at once.
  server.keepAliveTimeout = 1
  const closed = new Promise((done) => server.close(done))
  server.closeIdleConnections()
  const hurry = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
  await closed
  clearTimeout(hurry)
}

// The validators are compiled in advance, so that the first request to a path does not wait for its validator. They are
// compiled one at a time, so that requests can be handled in between. Compilation starts after this delay, when the
// requests that waited for the start have been handled.
const WARMING_DELAY_MS = 500

function startWarming(app: App, log: Logger): () => void {
  let stopped = false
  const pause = async () => {
    await new Promise((next) => setImmediate(next))
    if (stopped) throw new StartupStoppedError()
  }
  const begin = setTimeout(() => {
    app.validator.compileAll({ pause }).catch((error: unknown) => {
      if (!(error instanceof StartupStoppedError)) log.fatal({ err: error }, 'could not prepare the contract')
    })
  }, WARMING_DELAY_MS)
  return () => {
    stopped = true
    clearTimeout(begin)
  }
}
class StartupStoppedError extends Error {}
