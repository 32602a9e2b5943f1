import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Express } from 'express'
import type { Logger } from 'pino'
import { createCalendarRoutes } from './domain/building/calendars/calendar-routes.ts'
import { type App, type AppParts, createApp } from './interfaces/app.ts'
import { limitConnections } from './interfaces/connections.ts'
import { createDocsRoutes } from './interfaces/docs/docs-routes.ts'
import { createMcpRoutes } from './interfaces/mcp/mcp-routes.ts'
import { createOauthRoutes } from './interfaces/oauth/oauth-routes.ts'
import { operations, repeats as ownRepeats } from './interfaces/operations.ts'
import { createPortalRoutes } from './interfaces/portal/portal-routes.ts'
import { assertCompositesImplemented } from './interfaces/skills/skill-catalog.ts'
import { createWebRoutes } from './interfaces/web/web-routes.ts'
import { type Jobs, startJobs } from './jobs.ts'
import { type Contract, loadContract } from './platform/calls/contract.ts'
import type { Handlers } from './platform/calls/operation.ts'
import type { RepeatRulesByOperation } from './platform/calls/repeated-response.ts'
import {
  type Config,
  type EnvironmentConfig,
  isForDevelopment,
  isLocalUrl,
  withListeningPort,
} from './platform/config/config.ts'
import { describeClockSkew } from './platform/database/clock-skew.ts'
import { type Database, openDatabase } from './platform/database/database.ts'
import { migrate } from './platform/database/migrate.ts'
import { withEncryptionKey } from './platform/encryption/encryption-key.ts'
import { flushExecutions } from './platform/executions/execution-buffer.ts'
import { type FileStore, StoreUnusable } from './platform/files/file-store.ts'
import { openFiles } from './platform/files/files.ts'
import { listenForMetrics, startMetrics } from './platform/monitoring/metrics.ts'
import { FailureLog } from './platform/problems/failure-log.ts'
import { problem, toProblem } from './platform/problems/problem.ts'
import { Clock } from './platform/runtime/clock.ts'
import { isPortShared } from './workers.ts'

/** One running service: an HTTP server, its database, and the background jobs. */
export interface Plumbline {
  /** The URL it listens on. Users and links use `config.publicUrl`. */
  readonly url: string
  /** The URL of the metrics; null if they are turned off. */
  readonly metricsUrl: string | null
  readonly config: Config
  readonly database: Database
  readonly app: App
  readonly clock: Clock
  readonly log: Logger
  /** Stops accepting requests, waits for requests and deliveries in progress, and closes the database. */
  stop(): Promise<void>
}

export interface PlumblineParts extends Pick<AppParts, 'validator' | 'answerCheck'> {
  config: EnvironmentConfig
  log: Logger
  /** Replaces what `config` would open. For tests and benchmarks. */
  database?: Database
  clock?: Clock
  contract?: Contract
  handlers?: Handlers
  repeats?: RepeatRulesByOperation
  /** Called before the first request is answered. The configuration does not know the port yet. */
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
    if (database.narrowRole === null) log.warn(NO_ROW_LEVEL_SECURITY_WARNING)
    const skew = await describeClockSkew(database.statements, clock)
    if (skew !== null) log.warn(skew)
    const { config: settled, isKeptInDatabase } = await withEncryptionKey(parts.config, database)
    if (isKeptInDatabase) {
      log.warn(
        parts.config.encryptionKey === null
          ? 'ENCRYPTION_KEY is not set. The key is stored in the database, next to the data that it encrypts.'
          : 'ENCRYPTION_KEY is not in use yet. The key in the database is used until you run "encryption-key rotate".',
      )
    }
    if (settled.isProduction && isLocalUrl(settled.publicUrl)) log.warn(localLinksWarning(settled.publicUrl))
    if (settled.webhookAllowPrivate && !isForDevelopment(settled)) log.warn(PRIVATE_WEBHOOKS_WARNING)
    const { store } = openFiles(settled)
    await checkAtStartup(store, log)
    await parts.beforeListening?.(settled)
    listening = await startListening(settled)
    const { server } = listening
    const { port } = server.address() as AddressInfo
    const config = withListeningPort(settled, port)
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
        addHealthRoutes(express, createReadinessCheck(database, store, checkFiles))
        if (metrics !== null && config.metricsPort === null) {
          express.get('/metrics', (req, res, next) => void metrics.serve(req, res).catch(next))
        }
        express.use(createMcpRoutes({ services, door, log }))
        express.use(createOauthRoutes({ services, log, failures }))
        express.use(createPortalRoutes({ services, log, failures }))
        express.use(createCalendarRoutes({ services, log, failures }))
        // Registered before the documentation, which serves the root if there are no pages.
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
        await running.stop()
        await app.limits.stop()
        await app.usage.stop()
        await flushExecutions(app.services)
        // Closed last, because an operator may want to watch the drain.
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

async function checkAtStartup(store: FileStore, log: Logger): Promise<void> {
  try {
    await store.check()
  } catch (error) {
    if (error instanceof StoreUnusable) throw error
    // An unreachable bucket must not stop the rest of the service from starting.
    log.warn({ err: error }, 'The bucket of FILES_S3_URL is not responding. Files are unavailable until it responds.')
  }
}

// Adds the health checks for load balancers and supervisors.
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
// Longer than the 60 s for which load balancers keep idle connections, so that the load balancer closes them. If we
// closed a connection, a request could arrive on it at that very moment.
const KEEP_ALIVE_MS = 65_000

// Anyone may ask whether the service is ready, so requests within this time share one check.
const DATABASE_CACHE_MS = 1000
const STORE_CACHE_MS = 5000

interface ReadyState {
  /**
   * All processes use the same bucket. If it is unavailable, taking them out of the load balancer would stop
   * everything.
   */
  files: 'available' | 'unavailable'
}

function createReadinessCheck(
  database: Database,
  store: FileStore,
  checkFiles: () => Promise<void>,
): () => Promise<ReadyState> {
  const ping = shareResult(DATABASE_CACHE_MS, () => database.ping())
  return async () => {
    await ping()
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
  /** Call this in the same turn of the event loop, so that no request arrives before the app can handle it. */
  answerBy(app: App): void
}

// The app is created after the port is known, because its links may contain the port.
async function startListening(config: Config): Promise<ListeningServer> {
  const server = createServer({
    // The app rejects a request without a Host header itself, so that the problem has a request ID.
    requireHostHeader: false,
    // A slow phone line transfers 1 MiB in a minute. The headers, at most 16 KiB, arrive in one piece from any honest
    // client. A client that sends a byte now and then holds its connection no longer than this.
    requestTimeout: config.requestTimeoutMs,
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
      server.on('request', express)
      // The app also rejects unknown expectations and unparsable requests.
      server.on('checkExpectation', express)
      server.on('clientError', refuseUnread)
      server.on('connect', (_request, socket) => refuseTunnel(socket))
    },
  }
}

/** How long to wait for requests in progress. */
const DRAIN_MS = 20_000

async function closeServer(server: Server): Promise<void> {
  // Idle connections whose last response did not announce the close must not delay it.
  server.keepAliveTimeout = 1
  const closed = new Promise((done) => server.close(done))
  server.closeIdleConnections()
  const hurry = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
  await closed
  clearTimeout(hurry)
}

// The first request to each path would wait for its validator to be compiled. So validators are compiled in advance,
// one by one, with requests handled in between. Compilation starts after the requests that waited for startup.
const WARMING_DELAY_MS = 500

function startWarming(app: App, log: Logger): () => void {
  let stopped = false
  const pause = async () => {
    await new Promise((next) => setImmediate(next))
    if (stopped) throw new StartupStopped()
  }
  const begin = setTimeout(() => {
    app.validator.compileAll({ pause }).catch((error: unknown) => {
      if (!(error instanceof StartupStopped)) log.fatal({ err: error }, 'could not prepare the contract')
    })
  }, WARMING_DELAY_MS)
  return () => {
    stopped = true
    clearTimeout(begin)
  }
}
class StartupStopped extends Error {}
