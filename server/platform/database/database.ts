import { existsSync, rmSync, statfsSync } from 'node:fs'
import path from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { CompiledQuery, Kysely } from 'kysely'
import pg from 'pg'
import { TenantSemaphore } from '../calls/tenant-semaphore.ts'
import { setLatestEntry } from '../values/set-latest-entry.ts'
import { assertPrimary, type WaitOptions, waitForPostgres } from './connection-errors.ts'
import {
  assertNoUnfinishedRestore,
  claimDataFolder,
  DataFolderUnusableError,
  toDataFolderError,
} from './data-folder.ts'
import { EmbeddedStream } from './embedded-stream.ts'
import { GatheringSocket } from './gathering-socket.ts'
import { createPoolDialect, isDeadlock, MAX_ATTEMPTS, type PoolDriverOptions, type RowView } from './pool-driver.ts'
import { computeConnectionShare, computePoolSize } from './pool-size.ts'
import type { DB as Tables } from './tables.gen.ts'
import { installWireTypes } from './wire-types.ts'

export type { Tables }
/** Runs queries, each in its own transaction or all in one transaction. */
export type Db = Kysely<Tables>

/**
 * `statements` runs each statement in its own transaction; `transaction` runs several statements in one transaction.
 */
export interface Access {
  readonly statements: Db
  transaction<T>(work: (trx: Db) => Promise<T>): Promise<T>
}

/**
 * Access to the database for the calls of one organization. Statements and `transactionInTurn` wait until the
 * organization uses less than its share of the connections, so that one organization cannot use them all.
 */
export interface OrganizationAccess extends Access {
  transactionInTurn: Access['transaction']
}

/**
 * The database of one process: PostgreSQL if there is a URL, otherwise the embedded database, through the same `pg`
 * pool interface.
 *
 * Queries that run directly on this object see the rows of every organization. Direct queries are for code that works
 * across organizations: authentication, jobs, deliveries, and operator commands. A call uses `of`, whose queries see
 * only the rows of the call's organization, even if a query omits that condition.
 */
export interface Database extends Access {
  readonly embedded: boolean
  /** Whether the database has the Citus extension, which distributes the tables over several servers. */
  readonly distributed: boolean
  of(organizationId: string): OrganizationAccess
  /**
   * The database role that `of` uses, which can see only the organization's rows; set by row-level-security.ts. If
   * null, `of` sees all rows, and only the conditions of the queries keep organizations separate.
   */
  readonly narrowRole: string | null
  narrowTo(role: string | null): void
  /** Runs statements without a time limit, for migrations. */
  readonly sessions: Db
  /** The current state of the connections. */
  connections(): Connections
  /** Resolves once the database has executed a statement. Rejects if the database is unreachable. */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface Connections {
  /** Number of open connections, number of idle connections among them, and the maximum. */
  open: number
  idle: number
  most: number
  /** Number of statements and transactions that wait for a connection or for their organization's turn. */
  waiting: number
}

installWireTypes()

/** Resolves once the database can be used. `patience` limits the time to wait for PostgreSQL. */
export async function openDatabase(config: DatabaseConfig, patience?: WaitOptions): Promise<Database> {
  return config.databaseUrl === null
    ? openEmbedded(config)
    : openPostgres({ ...config, databaseUrl: config.databaseUrl }, patience)
}

export interface DatabaseConfig {
  databaseUrl: string | null
  /** Maximum number of connections from this process, at least `MIN_CONNECTIONS`. */
  databaseConnections: number
  /** Time in milliseconds after which PostgreSQL cancels a statement. Defaults to 10,000; 0 means no limit. */
  databaseStatementTimeoutMs?: number
  dataDir: string
  /** Whether a commit in the embedded database waits for the disk. Defaults to true. */
  embeddedFsync?: boolean
}

async function openPostgres(
  { databaseUrl, databaseConnections, databaseStatementTimeoutMs }: DatabaseConfig & { databaseUrl: string },
  patience?: WaitOptions,
): Promise<Database> {
  const connection: pg.PoolConfig = {
    connectionString: databaseUrl,
    application_name: 'plumbline',
    options: SESSION_SETTINGS,
    connectionTimeoutMillis: CONNECTION_WAIT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    // With pipelining, a client can send statements without waiting for the response to the previous statement.
    pipeline: true,
    stream: () => new GatheringSocket(),
    verify(client, done) {
      assertPrimary(client).then(() => done(), done)
    },
  }
  const bounded = { ...connection, ...timeoutSettings(databaseStatementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS) }
  const { hasCitus } = await waitForPostgres(bounded, patience)
  // Keeps one connection open, so that this process still has one when the server's other connections are all in use.
  const pool = openPool({
    ...bounded,
    min: 1,
    max: computePoolSize(databaseConnections),
    maxLifetimeSeconds: CONNECTION_LIFETIME_SECONDS,
  })
  await pool.connect().then(
    (client) => client.release(),
    // If the connection fails, the first statement reports the error.
    () => {},
  )
  // A migration may take any amount of time, and may wait for another process that is running migrations.
  const unbounded = openPool({ ...connection, max: 1, idleTimeoutMillis: 1000 })
  return createPooledDatabase(pool, {
    embedded: false,
    distributed: hasCitus,
    sessions: unbounded,
    waitMs: CONNECTION_WAIT_MS,
    async close() {
      await Promise.all([pool.end(), unbounded.end()])
    },
  })
}

function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config)
  // The pool replaces a connection that is lost while idle. Without this listener, the error would end the process.
  pool.on('error', () => {})
  // If a connection is lost between two statements of a transaction, the next statement fails and its error is handled.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/**
 * A connection without traffic for this time is probed every second, and closed after ten probes without a response.
 * The probes also keep network devices from dropping the connection.
 */
const KEEP_ALIVE_MS = 10_000

/**
 * The server also probes its connections. Without these probes, the server would count the connections of a lost
 * machine for two hours.
 */
const KEEP_ALIVE_SETTINGS = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4'

/**
 * JIT is off, because compiling the plan of a report over many homes takes longer than running it. All other statements
 * are too short to benefit from JIT.
 *
 * The planner plans prepared statements for an organization of average size, which has few rows if most organizations
 * are small. With the default `random_page_cost`, which suits hard disks, the planner would sort all rows of an
 * organization instead of using an index. Lists of a large organization would become slower as they grow.
 */
const SESSION_SETTINGS = `-c TimeZone=UTC -c DateStyle=ISO -c jit=off -c random_page_cost=1.1 ${KEEP_ALIVE_SETTINGS}`

const DEFAULT_STATEMENT_TIMEOUT_MS = 10_000

/**
 * Time beyond the server's own limit after which a connection with a running statement counts as dead, in milliseconds.
 */
const GRACE_MS = 5000

/**
 * Connections are replaced regularly, because a prepared statement can keep a plan that was made when its tables were
 * small.
 */
const CONNECTION_LIFETIME_SECONDS = 600

/**
 * Returns timeouts that are shorter than the time clients wait. Work that continues after its client has left takes
 * resources from clients that are still waiting. A lock wait may take half as long as a statement. A transaction with
 * several waits then ends within the time of a few statements. A transaction only computes between two statements. If
 * it pauses longer than a statement may take, its process or its connection has been lost.
 */
function timeoutSettings(statementMs: number): pg.ClientConfig {
  if (statementMs === 0) return {}
  return {
    statement_timeout: statementMs,
    lock_timeout: Math.ceil(statementMs / 2),
    idle_in_transaction_session_timeout: statementMs,
    query_timeout: statementMs + GRACE_MS,
  }
}

/**
 * Time to wait for a connection, in milliseconds. The embedded database has only one connection, for which all
 * statements wait.
 */
const CONNECTION_WAIT_MS = 5000
const EMBEDDED_WAIT_MS = 10_000

async function openEmbedded({ dataDir, embeddedFsync = true }: DatabaseConfig): Promise<Database> {
  const { openPGlite } = await import('./open-pglite.ts')
  assertNoUnfinishedRestore(dataDir)
  const claim = claimDataFolder(dataDir)
  const folder = path.join(dataDir, 'database')
  const isNew = !existsSync(folder)
  const lite = await openPGlite(folder, { fsync: embeddedFsync }).catch((error: unknown) => {
    // If the incomplete database were kept, the next start would use it.
    if (isNew) rmSync(folder, { recursive: true, force: true })
    claim.release()
    throw isOutOfSpace(error) || isDiskFull(dataDir)
      ? new DataFolderUnusableError(DISK_FULL_MESSAGE)
      : (toDataFolderError(error) ?? error)
  })
  const database = await createEmbeddedDatabase(lite)
  const { close } = database
  // The object itself is extended, because a copy would keep the current value of `narrowRole`.
  return Object.assign(database, {
    async close() {
      await close()
      claim.release()
    },
  })
}

const DISK_FULL_MESSAGE =
  'Cannot use the data folder: its disk is full. Free up space, or set DATA_DIR to another folder.'

// PGlite returns its file system's error, as an error number of the WebAssembly system interface.
const WASI_NO_SPACE = 51

function isOutOfSpace(error: unknown): boolean {
  const { name, errno } = error as { name?: unknown; errno?: unknown }
  return name === 'ErrnoError' && errno === WASI_NO_SPACE
}

// PGlite gives no reason if PostgreSQL itself ran out of space. Startup writes a few hundred kilobytes.
const MIN_FREE_BYTES = 1024 * 1024

function isDiskFull(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize < MIN_FREE_BYTES
}

/**
 * Returns a Database that uses an open PGlite instance. PGlite has one connection, so each statement waits its turn.
 * PostgreSQL's timeouts do not work here. No second thread can check a clock while a statement runs, and without
 * another session there are no locks to wait for.
 */
export async function createEmbeddedDatabase(lite: PGlite): Promise<Database> {
  await lite.exec(`set timezone = 'UTC'`)
  const pool = openPool({
    stream: () => new EmbeddedStream(lite),
    ssl: false,
    pipeline: true,
    max: 1,
    // A new connection would use the same session.
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: EMBEDDED_WAIT_MS,
  })
  return createPooledDatabase(pool, {
    embedded: true,
    distributed: false,
    sessions: pool,
    waitMs: EMBEDDED_WAIT_MS,
    async close() {
      await pool.end()
      await lite.close()
    },
  })
}

interface PoolParts {
  embedded: boolean
  distributed: boolean
  /** The pool that runs migrations. */
  sessions: pg.Pool
  /** Time that an organization's work waits for its turn, in milliseconds. */
  waitMs: number
  close(): Promise<void>
}

/** This number is enough for the statements of one organization's concurrent requests. */
const MAX_WAITING = 1000

/** This number is far larger than the number of organizations that a process serves concurrently. */
const MAX_REMEMBERED_ORGANIZATIONS = 5000

function createPooledDatabase(pool: pg.Pool, { embedded, distributed, sessions, waitMs, close }: PoolParts): Database {
  const { max } = pool.options
  const most = computeConnectionShare(max)
  const shares = new TenantSemaphore({ of: 'database requests', most, mostWaiting: MAX_WAITING, waitMs })
  const open = (view: RowView | null, takeTurn?: () => Promise<() => void>): Access => {
    const options = { pool, view, isForMigrations: false, isDistributed: distributed }
    const statements = createKysely({ ...options, ...(takeTurn && { takeTurn }) })
    return {
      statements,
      transaction: (work) => retryDeadlocks(() => statements.transaction().execute(work)),
    }
  }
  const { statements, transaction } = open(null)
  let narrowRole: string | null = null
  const accesses = new Map<string, OrganizationAccess>()
  const openFor = (organizationId: string): OrganizationAccess => {
    const view = narrowRole === null ? null : { role: narrowRole, organizationId }
    const inTurn = open(view, () => shares.begin(organizationId))
    return {
      statements: inTurn.statements,
      transactionInTurn: inTurn.transaction,
      transaction: open(view).transaction,
    }
  }
  return {
    embedded,
    distributed,
    statements,
    transaction,
    sessions: createKysely({ pool: sessions, view: null, isForMigrations: true, isDistributed: distributed }),
    of(organizationId) {
      let access = accesses.get(organizationId)
      if (access === undefined) {
        access = openFor(organizationId)
        setLatestEntry(accesses, organizationId, access, MAX_REMEMBERED_ORGANIZATIONS)
      }
      return access
    },
    get narrowRole() {
      return narrowRole
    },
    narrowTo(role) {
      narrowRole = role
      accesses.clear()
    },
    connections: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      most: max,
      waiting: pool.waitingCount + shares.waiting,
    }),
    async ping() {
      await statements.executeQuery(CompiledQuery.raw('select 1'))
    },
    close,
  }
}

function createKysely(options: PoolDriverOptions): Db {
  return new Kysely<Tables>({ dialect: createPoolDialect(options) })
}

/** Repeats a transaction that PostgreSQL canceled because of a deadlock. */
async function retryDeadlocks<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!isDeadlock(error) || attempt === MAX_ATTEMPTS) throw error
    }
  }
}
