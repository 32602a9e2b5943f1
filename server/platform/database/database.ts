import { existsSync, rmSync, statfsSync } from 'node:fs'
import path from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { CompiledQuery, Kysely } from 'kysely'
import pg from 'pg'
import { TenantSemaphore } from '../calls/tenant-semaphore.ts'
import { keepLatest } from '../values/keep-latest.ts'
import { assertPrimary, type WaitOptions, waitForPostgres } from './connection-errors.ts'
import { assertNotRestoring, claimDataFolder, DataFolderUnusable, toDataFolderUnusable } from './data-folder.ts'
import { EmbeddedStream } from './embedded-stream.ts'
import { GatheringSocket } from './gathering-socket.ts'
import { createPoolDialect, isDeadlock, MAX_ATTEMPTS, type PoolDriverOptions, type RowView } from './pool-driver.ts'
import { connectionsPerOrganization, poolSizeFor } from './pool-size.ts'
import type { DB as Tables } from './tables.gen.ts'
import { installWireTypes } from './wire-types.ts'

export type { Tables }
/** Runs queries, each as its own transaction or all within one. */
export type Db = Kysely<Tables>

/** `statements` runs single statements, each as its own transaction; `transaction` runs several as one. */
export interface Access {
  readonly statements: Db
  transaction<T>(work: (trx: Db) => Promise<T>): Promise<T>
}

/**
 * Database access for the calls of one organization. Statements and `transactionInTurn` wait until the organization
 * uses less than its share of the connections, so that it cannot take them all.
 */
export interface OrganizationAccess extends Access {
  transactionInTurn: Access['transaction']
}

/**
 * The database of one process: PostgreSQL if there is a URL, otherwise the embedded database, through the same `pg`
 * pool interface.
 *
 * Queries that run directly on it see the rows of every organization. That is for code that does not work for a single
 * one: authentication, jobs, deliveries, operators. A call uses `of`, whose queries see only its organization's rows,
 * even if they omit the condition.
 */
export interface Database extends Access {
  readonly embedded: boolean
  of(organizationId: string): OrganizationAccess
  /**
   * The role that `of` uses, to which the database shows only the organization's rows; set by row-level-security.ts. If null, `of`
   * sees all rows, and only the conditions of the queries keep organizations apart.
   */
  readonly narrowRole: string | null
  narrowTo(role: string | null): void
  /** Runs statements without a time limit, for migrations. */
  readonly sessions: Db
  /** The current state of the connections. */
  connections(): Connections
  /** Resolves once a statement has returned. Rejects if the database is unreachable. */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface Connections {
  /** Open connections, how many of them are idle, and the maximum. */
  open: number
  idle: number
  most: number
  /** Statements and transactions that wait for a connection, or for their organization's turn. */
  waiting: number
}

installWireTypes()

/** Resolves once the database can be used. `patience` is how long to wait for PostgreSQL. */
export async function openDatabase(config: DatabaseConfig, patience?: WaitOptions): Promise<Database> {
  return config.databaseUrl === null
    ? openEmbedded(config)
    : openPostgres({ ...config, databaseUrl: config.databaseUrl }, patience)
}

export interface DatabaseConfig {
  databaseUrl: string | null
  /** Maximum connections of this process, at least `MIN_CONNECTIONS`. */
  databaseConnections: number
  /** Time in milliseconds after which PostgreSQL cancels a statement. Default 10,000; 0 for never. */
  databaseStatementTimeoutMs?: number
  dataDir: string
  /** Whether a commit in the embedded database waits for the disk. Default true. */
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
    // Statements sent ahead of another one do not wait for their own response.
    pipeline: true,
    stream: () => new GatheringSocket(),
    verify(client, done) {
      assertPrimary(client).then(() => done(), done)
    },
  }
  const bounded = { ...connection, ...timeoutSettings(databaseStatementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS) }
  await waitForPostgres(bounded, patience)
  // One connection stays open, for a process that finds all others in use when it needs one.
  const pool = openPool({
    ...bounded,
    min: 1,
    max: poolSizeFor(databaseConnections),
    maxLifetimeSeconds: CONNECTION_LIFETIME_SECONDS,
  })
  await pool.connect().then(
    (client) => client.release(),
    // The first statement reports the error.
    () => {},
  )
  // A migration may take as long as it needs, and wait for another process that migrates.
  const unbounded = openPool({ ...connection, max: 1, idleTimeoutMillis: 1000 })
  return createPooledDatabase(pool, {
    embedded: false,
    sessions: unbounded,
    waitMs: CONNECTION_WAIT_MS,
    async close() {
      await Promise.all([pool.end(), unbounded.end()])
    },
  })
}

function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config)
  // The pool replaces a connection that is lost while idle. Without a listener the process would exit.
  pool.on('error', () => {})
  // If a connection is lost between two statements of a transaction, the next statement fails and is handled.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/**
 * A connection without traffic for this time is probed each second, and closed after ten probes without a response. The
 * probes also keep networks from dropping it.
 */
const KEEP_ALIVE_MS = 10_000

/** The server probes as well. Otherwise it would count the connections of a lost machine for two hours. */
const KEEP_ALIVE_SETTINGS = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4'

/**
 * JIT is off, because compiling a plan takes a report over many homes longer than running it, and all other statements
 * are too short for it.
 *
 * Prepared statements are planned for an organization of average size, which has few rows if most organizations are
 * small. With the default `random_page_cost` of hard disks, the planner would sort all rows of an organization instead
 * of following an index, and the lists of a large organization would become slower as they grow.
 */
const SESSION_SETTINGS = `-c TimeZone=UTC -c DateStyle=ISO -c jit=off -c random_page_cost=1.1 ${KEEP_ALIVE_SETTINGS}`

const DEFAULT_STATEMENT_TIMEOUT_MS = 10_000

/** How much longer than the server's own limit a statement can take before its connection counts as dead. */
const GRACE_MS = 5000

/**
 * Connections are replaced from time to time, because a prepared statement can keep a plan from when its tables were
 * small.
 */
const CONNECTION_LIFETIME_SECONDS = 600

/**
 * Returns timeouts, so that no statement runs, or waits for a row lock, as long as its client would wait: work that
 * continues after the client has left takes resources from those still waiting. A lock wait may take half as long as a
 * whole statement, so that a transaction with several waits ends within the time of a few. Between two statements a
 * transaction only computes, so one that pauses longer has lost its process or its connection.
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

/** How long to wait for a connection. On the embedded database everything waits for the only one. */
const CONNECTION_WAIT_MS = 5000
const EMBEDDED_WAIT_MS = 10_000

async function openEmbedded({ dataDir, embeddedFsync = true }: DatabaseConfig): Promise<Database> {
  const { openPGlite } = await import('./open-pglite.ts')
  assertNotRestoring(dataDir)
  const claim = claimDataFolder(dataDir)
  const folder = path.join(dataDir, 'database')
  const isNew = !existsSync(folder)
  const lite = await openPGlite(folder, { fsync: embeddedFsync }).catch((error: unknown) => {
    // Otherwise the next start would use an incomplete database.
    if (isNew) rmSync(folder, { recursive: true, force: true })
    claim.release()
    throw isOutOfSpace(error) || isDiskFull(dataDir)
      ? new DataFolderUnusable(DISK_FULL_MESSAGE)
      : (toDataFolderUnusable(error) ?? error)
  })
  const database = await createEmbeddedDatabase(lite)
  const { close } = database
  // Not a copy, which would keep the current value of `narrowRole`.
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

// PGlite gives no reason if PostgreSQL itself had no space. A start writes a few hundred kilobytes.
const MIN_FREE_BYTES = 1024 * 1024

function isDiskFull(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize < MIN_FREE_BYTES
}

/**
 * Returns the same interface over an open PGlite instance. It has one connection, so everything waits its turn.
 * PostgreSQL's timeouts do not work here: no second thread can check a clock while a statement runs, and without
 * another session there are no locks to wait for.
 */
export async function createEmbeddedDatabase(lite: PGlite): Promise<Database> {
  await lite.exec(`set timezone = 'UTC'`)
  const pool = openPool({
    stream: () => new EmbeddedStream(lite),
    ssl: false,
    pipeline: true,
    max: 1,
    // A new connection would be the same session.
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: EMBEDDED_WAIT_MS,
  })
  return createPooledDatabase(pool, {
    embedded: true,
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
  /** The pool for migrations. */
  sessions: pg.Pool
  /** How long an organization's work waits for its turn. */
  waitMs: number
  close(): Promise<void>
}

/** As many as the concurrent statements of one organization's requests. */
const MAX_WAITING = 1000

/** Far more organizations than a process serves at a time. */
const MAX_REMEMBERED_ORGANIZATIONS = 5000

function createPooledDatabase(pool: pg.Pool, { embedded, sessions, waitMs, close }: PoolParts): Database {
  const { max } = pool.options
  const most = connectionsPerOrganization(max)
  const shares = new TenantSemaphore({ of: 'database requests', most, mostWaiting: MAX_WAITING, waitMs })
  const open = (view: RowView | null, takeTurn?: () => Promise<() => void>): Access => {
    const statements = createKysely({ pool, view, isForMigrations: false, ...(takeTurn && { takeTurn }) })
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
    statements,
    transaction,
    sessions: createKysely({ pool: sessions, view: null, isForMigrations: true }),
    of(organizationId) {
      let access = accesses.get(organizationId)
      if (access === undefined) {
        access = openFor(organizationId)
        keepLatest(accesses, organizationId, access, MAX_REMEMBERED_ORGANIZATIONS)
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

/** Repeats a transaction that PostgreSQL ended because of a deadlock. */
async function retryDeadlocks<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!isDeadlock(error) || attempt === MAX_ATTEMPTS) throw error
    }
  }
}
