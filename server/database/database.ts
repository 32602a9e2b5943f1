import { existsSync, rmSync, statfsSync } from 'node:fs'
import path from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import {
  CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import pg from 'pg'
import { Shares } from '../http/shares.ts'
import { divided } from './connection-plan.ts'
import { assertNotRestoring, asUnusable, claimDataFolder, DataFolderUnusable } from './data-folder.ts'
import { EmbeddedStream } from './embedded-stream.ts'
import { isAsJson } from './json-rows.ts'
import { PrimaryClient } from './primary.ts'
import { type Patience, reachPostgres } from './reach.ts'
import { isRead } from './reads.ts'
import { type Insertion, SharedStatements } from './shared-statements.ts'
import { Silence, unansweredOn } from './silence.ts'
import type { DB as Tables } from './tables.gen.ts'
import {
  EmbeddedDriver,
  EmbeddedSession,
  EmbeddedSessions,
  OwnConnection,
  TransactionConnection,
  Transactions,
} from './transaction-drivers.ts'
import { installWireTypes } from './wire-types.ts'

export type { Tables }
/** What a query runs on: the shared connections, the pool, or a transaction. */
export type Db = Kysely<Tables>

/** `statements` runs single statements, each its own transaction; `transaction` runs several as one. */
export interface Access {
  readonly statements: Db
  transaction<T>(work: (trx: Db) => Promise<T>): Promise<T>
}

/** What the calls of one organization run on. */
export interface OrganizationAccess extends Access {
  /** A transaction that waits for its organization's turn, so that no organization takes every connection. */
  transactionInTurn<T>(work: (trx: Db) => Promise<T>): Promise<T>
}

/**
 * The database of one process: PostgreSQL if there is an address, otherwise the embedded database, through the same
 * `pg` pool interface.
 *
 * Queries run directly on it see the rows of every organization. That is for code that is not working for a single one:
 * authentication, jobs, deliveries, operators. A call uses `of`, whose queries only ever see its organization's rows,
 * even if they omit the condition.
 */
export interface Database extends Access {
  readonly embedded: boolean
  of(organizationId: string): OrganizationAccess
  /**
   * The role that `of` works as, to which the database shows only the organization's rows; set by wall.ts. If null,
   * `of` sees all rows, and only the conditions of the queries keep organizations apart.
   */
  readonly narrowRole: string | null
  narrowTo(role: string | null): void
  /** For work that needs its own session; only the migrator does. */
  readonly sessions: Db
  /** The current state of the connections. */
  connections(): Connections
  /** Resolves once a statement has been answered; fails if the database is unreachable. */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface Connections {
  /** For transactions: how many are open, how many of those are idle, and the maximum. */
  open: number
  idle: number
  most: number
  /** Transactions waiting for a connection, or for their organization's turn. */
  waiting: number
  /** Those that single statements share. */
  shared: number
}

installWireTypes()

/** Resolves once the database can be used; the caller may choose how long to wait for PostgreSQL. */
export async function openDatabase(config: DatabaseConfig, patience?: Patience): Promise<Database> {
  return config.databaseUrl === null
    ? openEmbedded(config.dataDir)
    : openPostgres({ ...config, databaseUrl: config.databaseUrl }, patience)
}

export interface DatabaseConfig {
  databaseUrl: string | null
  /** All connections of this process, at least `LEAST_CONNECTIONS`. */
  databaseConnections: number
  /** The time in milliseconds after which PostgreSQL cancels a statement; default 10,000. */
  databaseStatementTimeoutMs?: number
  dataDir: string
}

async function openPostgres(
  { databaseUrl, databaseConnections, databaseStatementTimeoutMs }: DatabaseConfig & { databaseUrl: string },
  patience?: Patience,
): Promise<Database> {
  const { transactions: poolSize, calls, others } = divided(databaseConnections)
  const connection: pg.ClientConfig = {
    connectionString: databaseUrl,
    application_name: 'plumbline',
    options: SETTINGS,
    connectionTimeoutMillis: CONNECTION_WAIT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  }
  const statementMs = databaseStatementTimeoutMs ?? USUAL_STATEMENT_TIMEOUT_MS
  const bounded = { ...connection, ...timeouts(statementMs) }
  await reachPostgres(bounded, patience)
  // One is kept, so that whoever begins a transaction when the database takes no more connections has one to wait for.
  const pool = new pg.Pool({ ...bounded, min: 1, max: poolSize, Client: PrimaryClient })
  // A migration may take as long as it needs, and wait for another process that migrates. It ends soon after startup.
  const unbounded = new pg.Pool({ ...connection, max: 1, idleTimeoutMillis: 1000, Client: PrimaryClient })
  for (const each of [pool, unbounded]) {
    // The pool replaces a connection that is lost while idle; without a listener the process would exit.
    each.on('error', () => {})
    // The same if it is lost between two statements of a transaction: the next statement fails, and is handled.
    each.on('connect', (client) => client.on('error', () => {}))
  }
  const silence = new Silence(statementMs)
  pool.on('connect', (client) => silence.watch(unansweredOn(client)))
  pool.on('remove', (client) => silence.forget(unansweredOn(client)))
  await pool.connect().then(
    (client) => client.release(),
    // Who wants to do something with it is told.
    () => {},
  )
  const shared = new SharedStatements(bounded, null, others, silence)
  const acquire = async () => new TransactionConnection(await connect(pool, poolSize))
  const sessions = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: unbounded }) })
  const shares = transactionShares(poolSize, CONNECTION_WAIT_MS)
  const statements = overConnection(sharing(shared, null))
  const transaction = transactions(new Transactions(acquire, null))
  let ofCalls: { role: string | null; shared: SharedStatements } = {
    role: null,
    shared: new SharedStatements(bounded, null, calls, silence),
  }
  const accesses = new Remembered((organizationId) => {
    const { role, shared } = ofCalls
    const statements = overConnection(sharing(shared, role === null ? null : organizationId))
    if (role === null) return takingTurns({ statements, transaction }, shares, organizationId)
    const own = transactions(new Transactions(acquire, { role, organizationId }))
    return takingTurns({ statements, transaction: own }, shares, organizationId)
  })
  return {
    embedded: false,
    statements,
    sessions,
    transaction,
    of: (organizationId) => accesses.get(organizationId),
    get narrowRole() {
      return ofCalls.role
    },
    narrowTo(role) {
      if (role === ofCalls.role) return
      ofCalls.shared.end().catch(() => {})
      ofCalls = { role, shared: new SharedStatements(bounded, role, calls, silence) }
      accesses.forget()
    },
    connections: () => ({
      ...counted(pool, poolSize, shares),
      shared: shared.connections + ofCalls.shared.connections,
    }),
    ping: () => ping(statements),
    async close() {
      await Promise.all([shared.end(), ofCalls.shared.end()])
      await pool.end()
      await sessions.destroy()
      silence.end()
    },
  }
}

/**
 * A connection on which nothing was said for this time is asked for a sign of life, then each second, and ends after ten
 * questions without one. Networks that forget what is silent do not forget it.
 */
const KEEP_ALIVE_MS = 10_000

/** The database asks as well: it would count the connections of a machine that is lost for two hours. */
const LOST_AFTER = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4'

/**
 * Compiling a plan costs a report over many homes more than running it does, and all else is too short for it.
 *
 * What is prepared is planned for a builder of average size. Beside many small builders that is a few rows, and if each
 * page costs four times as much where it is read out of order, as on a turning disk, the planner rather sorts all rows of
 * a builder than follow an index; a large builder's lists then take as long as they are.
 */
const SETTINGS = `-c TimeZone=UTC -c DateStyle=ISO -c jit=off -c random_page_cost=1.1 ${LOST_AFTER}`

const USUAL_STATEMENT_TIMEOUT_MS = 10_000

/**
 * No statement runs, or waits for a row lock, for as long as its client would wait: work that continues after the
 * client has gone takes resources from those still waiting. A lock wait may take half as long as a whole statement, so
 * that a transaction with several waits ends within the time of a few. Between two statements a transaction only
 * computes, so one that pauses for longer has lost its process or its connection.
 */
function timeouts(statementMs: number): pg.ClientConfig {
  return {
    statement_timeout: statementMs,
    lock_timeout: Math.ceil(statementMs / 2),
    idle_in_transaction_session_timeout: statementMs,
  }
}

/**
 * One organization may use at most half of the connections for transactions. Its queue is as long as its default number
 * of concurrent requests, and a turn is waited for as long as a connection is.
 */
function transactionShares(poolSize: number, waitMs: number): Shares {
  const most = Math.max(1, Math.floor(poolSize / 2))
  return new Shares({ of: 'transactions', most, mostWaiting: 200, waitMs })
}

/**
 * A connection for a transaction. Where the database takes no more, as when others have taken what it allows, those that
 * there are have to do: one of them is waited for, and more are asked for again after a while.
 *
 * @param most how many there may be
 */
async function connect(pool: pg.Pool, most: number): Promise<pg.PoolClient> {
  for (let refused = 0; ; refused++) {
    try {
      return await pool.connect()
    } catch (error) {
      const isAtItsLimit = (error as { code?: unknown }).code === TOO_MANY_CONNECTIONS
      if (!isAtItsLimit || pool.totalCount === 0 || refused === most) throw error
      if (pool.options.max === most) setTimeout(() => Object.assign(pool.options, { max: most }), MORE_AFTER_MS).unref()
      pool.options.max = Math.min(pool.options.max, pool.totalCount)
    }
  }
}

const TOO_MANY_CONNECTIONS = '53300'
const MORE_AFTER_MS = 5000

/** How long to wait for a connection. On the embedded database everything waits for the only one. */
const CONNECTION_WAIT_MS = 5000
const EMBEDDED_WAIT_MS = 10_000

function over(createDriver: () => Driver): Db {
  return new Kysely<Tables>({ dialect: dialectOf(createDriver) })
}

function dialectOf(createDriver: () => Driver): Dialect {
  return {
    createDriver,
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => adapter,
    createIntrospector: (db) => new PostgresIntrospector(db),
  }
}

const adapter = new PostgresAdapter()
const compiler = new PostgresQueryCompiler()

/** Queries of one connection, which is never handed over to anybody else. */
function overConnection(connection: DatabaseConnection): Db {
  const driver = new OwnConnection(connection)
  const dialect = dialectOf(() => driver)
  return new Kysely<Tables>({ config: { dialect }, dialect, driver, executor: new DirectExecutor(connection) })
}

/** Kysely asks for a connection before each query and gives it back after it: a chain of promises that leads nowhere here. */
class DirectExecutor extends DefaultQueryExecutor {
  readonly #connection: DatabaseConnection

  constructor(connection: DatabaseConnection) {
    super(compiler, adapter, { provideConnection: (work) => work(connection) })
    this.#connection = connection
  }

  override executeQuery<R>(
    query: CompiledQuery,
    options?: Parameters<DefaultQueryExecutor['executeQuery']>[1],
  ): Promise<QueryResult<R>> {
    return options?.signal === undefined ? this.#connection.executeQuery(query) : super.executeQuery(query, options)
  }
}

function takingTurns(access: Access, shares: Shares, organizationId: string): OrganizationAccess {
  const transactionInTurn: Access['transaction'] = (work) => shares.run(organizationId, () => access.transaction(work))
  return { ...access, transactionInTurn }
}

// Far more organizations than a process serves at a time, and little memory.
const MOST_REMEMBERED = 10_000

class Remembered {
  readonly #made = new Map<string, OrganizationAccess>()
  readonly #make: (organizationId: string) => OrganizationAccess

  constructor(make: (organizationId: string) => OrganizationAccess) {
    this.#make = make
  }

  get(organizationId: string): OrganizationAccess {
    let access = this.#made.get(organizationId)
    if (access === undefined) {
      access = this.#make(organizationId)
      if (this.#made.size >= MOST_REMEMBERED) this.#made.clear()
      this.#made.set(organizationId, access)
    }
    return access
  }

  forget(): void {
    this.#made.clear()
  }
}

async function openEmbedded(dataDir: string): Promise<Database> {
  const { PGlite } = await import('@electric-sql/pglite')
  assertNotRestoring(dataDir)
  const claim = claimDataFolder(dataDir)
  const folder = path.join(dataDir, 'database')
  const isNew = !existsSync(folder)
  const lite = await PGlite.create(folder).catch((error: unknown) => {
    // Half a database would be taken for a complete one at the next start.
    if (isNew) rmSync(folder, { recursive: true, force: true })
    claim.release()
    throw isOutOfSpace(error) || isFull(dataDir) ? new DataFolderUnusable(DISK_FULL) : (asUnusable(error) ?? error)
  })
  const database = await overPGlite(lite)
  const { close } = database
  // A copy would keep what `narrowRole` is now.
  return Object.assign(database, {
    async close() {
      await close()
      claim.release()
    },
  })
}

const DISK_FULL =
  'The data folder cannot be used: its disk is full. Make room there, or set DATA_DIR to another folder.'

// PGlite passes on its file system's error, as an error number of the WebAssembly system interface.
const WASI_NO_SPACE = 51

function isOutOfSpace(error: unknown): boolean {
  const { name, errno } = error as { name?: unknown; errno?: unknown }
  return name === 'ErrnoError' && errno === WASI_NO_SPACE
}

// It only says that it has failed if PostgreSQL itself had no room. A start writes a few hundred kilobytes.
const LEAST_BYTES = 1024 * 1024

function isFull(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize < LEAST_BYTES
}

/**
 * The same interface over an open PGlite instance. It has one connection, so everything waits its turn. PostgreSQL's
 * timeouts do not work here: no second thread can check a clock while a statement runs, and there are no locks to wait
 * for, because there is no other session. What we can do is bound how long a statement waits for the connection, and
 * interleave the transactions of different organizations.
 */
export async function overPGlite(lite: PGlite): Promise<Database> {
  await lite.exec(`set timezone = 'UTC'`)
  const pool = new pg.Pool({
    stream: () => new EmbeddedStream(lite),
    ssl: false,
    max: 1,
    // Nothing is gained by a new one.
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: EMBEDDED_WAIT_MS,
    Client: PrimaryClient,
  })
  pool.on('error', () => {})
  const session = new EmbeddedSession()
  const shares = transactionShares(1, EMBEDDED_WAIT_MS)
  const withSight = (role: string | null, organizationId: string | null): Access => {
    const driver = new EmbeddedDriver(pool, session, role, organizationId)
    const own = new Transactions(() => driver.acquireConnection(), null)
    return { statements: over(() => driver), transaction: transactions(own) }
  }
  const { statements, transaction } = withSight(null, null)
  let narrowRole: string | null = null
  const accesses = new Remembered((organizationId) => {
    const access = narrowRole === null ? { statements, transaction } : withSight(narrowRole, organizationId)
    return takingTurns(access, shares, organizationId)
  })
  return {
    embedded: true,
    statements,
    sessions: over(() => new EmbeddedSessions(pool, session)),
    transaction,
    of: (organizationId) => accesses.get(organizationId),
    get narrowRole() {
      return narrowRole
    },
    narrowTo(role) {
      narrowRole = role
      accesses.forget()
    },
    connections: () => ({ ...counted(pool, 1, shares), shared: 0 }),
    ping: () => ping(statements),
    async close() {
      await statements.destroy()
      await lite.close()
    },
  }
}

function counted(pool: pg.Pool, most: number, shares: Shares) {
  return { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount + shares.waiting, most }
}

async function ping(db: Db): Promise<void> {
  await db.executeQuery(CompiledQuery.raw('select 1'))
}

// Two transactions took the same locks in a different order. PostgreSQL undoes one of them, which can be retried.
const DEADLOCK = '40P01'
const MOST_ATTEMPTS = 4

function transactions(own: Transactions): Access['transaction'] {
  return (work) => retryDeadlocks(() => own.run((connection) => work(overConnection(connection))))
}

async function retryDeadlocks<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if ((error as { code?: unknown }).code !== DEADLOCK || attempt === MOST_ATTEMPTS) throw error
    }
  }
}

const ROW_OF = Symbol('row of an insertion')

/**
 * One row of an insertion. The shared connections add it together with others that arrive at the same time; any other
 * connection adds it by itself.
 */
export function insertTogether(insertion: Insertion, values: readonly unknown[]): CompiledQuery<never> {
  return { ...CompiledQuery.raw(insertion.text(1), [...values]), [ROW_OF]: insertion } as CompiledQuery<never>
}

function sharing(shared: SharedStatements, organizationId: string | null): DatabaseConnection {
  return {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const run = () =>
        ROW_OF in query
          ? shared.insertTogether(organizationId, query[ROW_OF] as Insertion, query.parameters)
          : shared.run(organizationId, query.sql, query.parameters, isAsJson(query))
      // Each is its own transaction, so that of one that was undone nothing was written.
      const { rows, rowCount } = await (isRead(query.sql) ? run() : retryDeadlocks(run))
      return { rows: rows as R[], numAffectedRows: BigInt(rowCount) }
    },
    streamQuery: () => {
      throw new Error('A stream needs a connection of its own; use a transaction.')
    },
  }
}
