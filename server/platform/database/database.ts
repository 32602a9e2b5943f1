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
/** Executes queries, either each in a separate transaction or all in one transaction. */
export type Db = Kysely<Tables>

/**
 * `statements` executes each statement in a separate transaction. `transaction` executes several statements in one
 * transaction.
 */
export interface Access {
  readonly statements: Db
  transaction<T>(work: (trx: Db) => Promise<T>): Promise<T>
}

/**
 * Access to the database for calls of one organization. If the organization already uses its share of the connections,
 * `statements` and `transactionInTurn` wait, so that one organization cannot use all connections.
 */
export interface OrganizationAccess extends Access {
  transactionInTurn: Access['transaction']
}

/**
 * The database of one process. This is PostgreSQL if the configuration has a URL, and otherwise the embedded database.
 * Both use the `pg` pool interface.
 *
 * Queries that use this object directly see the rows of all organizations. They are for code that works across
 * organizations, such as authentication, jobs, deliveries, and operator commands. Calls use `of`. Its queries see only
 * the rows of the call's organization, even if a query omits the condition on the organization.
 */
export interface Database extends Access {
  readonly embedded: boolean
  /** Whether the database has the Citus extension, which distributes the tables over several servers. */
  readonly distributed: boolean
  of(organizationId: string): OrganizationAccess
  /**
   * The database role of `of`, which sees only the rows of one organization. Set by row-level-security.ts. If it is
   * null, `of` sees all rows, and organizations are separated only by the conditions in the queries.
   */
  readonly narrowRole: string | null
  narrowTo(role: string | null): void
  /** Executes statements without a time limit, for migrations. */
  readonly sessions: Db
  /** The current state of the connections. */
  connections(): Connections
  /** Resolves when the database has executed a statement. Rejects if the database is unreachable. */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface Connections {
  /** The number of open connections, the number of those that are idle, and the maximum number. */
  open: number
  idle: number
  most: number
  /** The number of statements and transactions that wait for a connection or for the turn of their organization. */
  waiting: number
}

installWireTypes()

/** Resolves when the database is ready. `patience` limits how long to wait for PostgreSQL. */
export async function openDatabase(config: DatabaseConfig, patience?: WaitOptions): Promise<Database> {
  return config.databaseUrl === null
    ? openEmbedded(config)
    : openPostgres({ ...config, databaseUrl: config.databaseUrl }, patience)
}

export interface DatabaseConfig {
  databaseUrl: string | null
  /** The maximum number of connections of this process, at least `MIN_CONNECTIONS`. */
  databaseConnections: number
  /** The time in milliseconds after which PostgreSQL cancels a statement. Defaults to 10,000. 0 means no limit. */
  databaseStatementTimeoutMs?: number
  dataDir: string
  /** Whether a commit in the embedded database waits until the data is on the disk. Defaults to true. */
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
    // Pipelining allows a client to send statements without waiting for the response to the previous statement.
    pipeline: true,
    stream: () => new GatheringSocket(),
    verify(client, done) {
      assertPrimary(client).then(() => done(), done)
    },
  }
  const bounded = { ...connection, ...timeoutSettings(databaseStatementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS) }
  const { hasCitus } = await waitForPostgres(bounded, patience)
  // At least one connection stays open, so that this process has a connection even if other programs use all others.
  const pool = openPool({
    ...bounded,
    min: 1,
    max: computePoolSize(databaseConnections),
    maxLifetimeSeconds: CONNECTION_LIFETIME_SECONDS,
  })
  await pool.connect().then(
    (client) => client.release(),
    // Ignore an error here, because the first statement also reports it.
    () => {},
  )
  // Migrations have no time limit, and may wait for another process that is running migrations.
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
  // If an idle connection is lost, the pool replaces it. Without this listener, the error would end the process.
  pool.on('error', () => {})
  // If a connection is lost during a transaction, the next statement fails, and its error is handled. Ignore the event
  // here.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/**
 * The time without traffic after which a connection is probed every second. After ten probes without a response, it is
 * closed. The probes also prevent network devices from dropping the connection.
 */
const KEEP_ALIVE_MS = 10_000

/**
 * The server also probes its connections. Otherwise, it would count the connections of a lost machine for two hours.
 */
const KEEP_ALIVE_SETTINGS = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4'

/**
 * JIT is off, because compiling the plan of a report over many homes takes longer than executing it, and all other
 * statements are too short to benefit.
 *
 * The planner plans prepared statements for an organization of average size, which has few rows if most organizations
 * are small. With the default `random_page_cost`, which is for hard disks, the planner would sort all rows of such an
 * organization instead of using an index, and lists of large organizations would become slower as they grow.
 */
const SESSION_SETTINGS = `-c TimeZone=UTC -c DateStyle=ISO -c jit=off -c random_page_cost=1.1 ${KEEP_ALIVE_SETTINGS}`

const DEFAULT_STATEMENT_TIMEOUT_MS = 10_000

/**
 * The additional time in milliseconds after the server's own limit until a connection with a running statement counts
 * as lost.
 */
const GRACE_MS = 5000

/**
 * The lifetime of connections. They are replaced regularly, because prepared statements can keep plans from a time when
 * their tables were small.
 */
const CONNECTION_LIFETIME_SECONDS = 600

/**
 * Returns timeouts that are shorter than the time for which clients wait. Work for clients that no longer wait would
 * take resources from clients that still do. A statement may wait for a lock for half of its time limit, so that even a
 * transaction with several waits ends within a few times this limit. Between two statements, a transaction only
 * computes. If it is idle for longer than the limit of a statement, its process or connection has been lost.
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
 * The time in milliseconds to wait for a connection. The embedded database has only one connection, for which all
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
    // Delete the incomplete database. Otherwise, the next start would use it.
    if (isNew) rmSync(folder, { recursive: true, force: true })
    claim.release()
    throw isOutOfSpace(error) || isDiskFull(dataDir)
      ? new DataFolderUnusableError(DISK_FULL_MESSAGE)
      : (toDataFolderError(error) ?? error)
  })
  const database = await createEmbeddedDatabase(lite)
  const { close } = database
  // Extend the object itself, because a copy would keep the current value of `narrowRole`.
  return Object.assign(database, {
    async close() {
      await close()
      claim.release()
    },
  })
}

const DISK_FULL_MESSAGE =
  'Cannot use the data folder: its disk is full. Free up space, or set DATA_DIR to another folder.'

// The error number of the WebAssembly system interface with which PGlite reports a full disk.
const WASI_NO_SPACE = 51

function isOutOfSpace(error: unknown): boolean {
  const { name, errno } = error as { name?: unknown; errno?: unknown }
  return name === 'ErrnoError' && errno === WASI_NO_SPACE
}

// If less space is free, assume that the disk is full. PGlite gives no reason if PostgreSQL itself runs out of space,
// and a start writes a few hundred kilobytes.
const MIN_FREE_BYTES = 1024 * 1024

function isDiskFull(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize < MIN_FREE_BYTES
}

/**
 * Returns a Database that uses an open PGlite instance. PGlite has one connection, so statements are executed one at a
 * time. The timeouts of PostgreSQL have no effect: there is no second thread to check the time while a statement runs,
 * and no other session with locks to wait for.
 */
export async function createEmbeddedDatabase(lite: PGlite): Promise<Database> {
  await lite.exec(`set timezone = 'UTC'`)
  const pool = openPool({
    stream: () => new EmbeddedStream(lite),
    ssl: false,
    pipeline: true,
    max: 1,
    // The connection never expires, because a new connection would use the same session.
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
  /** The time in milliseconds for which the work of an organization waits for its turn. */
  waitMs: number
  close(): Promise<void>
}

/** Enough for the statements of one organization's concurrent requests. */
const MAX_WAITING = 1000

/** Far more than the number of organizations that a process serves concurrently. */
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

/** Repeats a transaction that PostgreSQL has rolled back because of a deadlock. */
async function retryDeadlocks<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!isDeadlock(error) || attempt === MAX_ATTEMPTS) throw error
    }
  }
}
