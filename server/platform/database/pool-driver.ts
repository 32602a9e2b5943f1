import { channel } from 'node:diagnostics_channel'
import { setTimeout as delay } from 'node:timers/promises'
import {
  AbortedTransactionError,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import pg from 'pg'
import { getStatementName } from './prepared-statements.ts'

/** A statement in the form in which it was sent, and whether it sees only the rows of one organization. */
export interface SentStatement {
  text: string
  narrow: boolean
}

/** Publishes each statement as a `SentStatement`, for example to tests that explain all statements. */
const statementChannel = channel('plumbline:statement')

/** The PostgreSQL setting that selects the organization whose rows a session can see. */
export const ORGANIZATION_SETTING = 'plumbline.organization'

/** The rows of one organization, as seen by the role that row-level security restricts. */
export interface RowView {
  readonly role: string
  readonly organizationId: string
}

export interface PoolDriverOptions {
  readonly pool: pg.Pool
  /** Null shows the rows of all organizations. */
  readonly view: RowView | null
  /**
   * Migrations do not prepare statements, because one text can contain several statements. Migrations also run several
   * transactions in a row on one connection.
   */
  readonly isForMigrations: boolean
  /**
   * Whether the tables are distributed with Citus. Its workers learn a setting only from `set local` in a transaction,
   * so a statement for one organization is a transaction of its own.
   */
  readonly isDistributed: boolean
  /** Waits for permission to use a connection. Returns the function that ends the turn. */
  readonly takeTurn?: () => Promise<() => void>
}

/** Returns a Kysely dialect for PostgreSQL over a pool whose connections have the `pipeline` option. */
export function createPoolDialect(options: PoolDriverOptions): Dialect {
  return {
    createDriver: () => new PoolDriver(options),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  }
}

class PoolDriver implements Driver {
  readonly #options: PoolDriverOptions

  constructor(options: PoolDriverOptions) {
    this.#options = options
  }

  async acquireConnection(): Promise<PoolConnection> {
    const endTurn = await this.#options.takeTurn?.()
    const client = await connectWithRetry(this.#options.pool).catch((error: unknown) => {
      endTurn?.()
      throw error
    })
    const connection = new PoolConnection(client, this.#options, endTurn)
    try {
      await connection.show(this.#options.view)
      return connection
    } catch (error) {
      connection.release()
      throw error
    }
  }

  async beginTransaction(connection: PoolConnection): Promise<void> {
    connection.begin()
  }

  commitTransaction(connection: PoolConnection): Promise<void> {
    return connection.commit()
  }

  rollbackTransaction(connection: PoolConnection): Promise<void> {
    return connection.rollback()
  }

  async releaseConnection(connection: PoolConnection): Promise<void> {
    connection.release()
  }

  // The code that opened the pool closes it.
  async init(): Promise<void> {}
  async destroy(): Promise<void> {}
}

/** Known session state of a pooled client. */
interface SessionState {
  readonly openedMs: number
  view: RowView | null
  /** The names of the session's prepared statements. */
  readonly prepared: Set<string>
}

const sessions = new WeakMap<pg.PoolClient, SessionState>()

function getSession(client: pg.PoolClient): SessionState {
  let session = sessions.get(client)
  if (session === undefined) {
    session = { openedMs: performance.now(), view: null, prepared: new Set() }
    sessions.set(client, session)
  }
  return session
}

/**
 * A prepared list statement takes about 100 kB of the server's memory. A connection with this many prepared statements
 * is closed when it is released, because `pg` cannot deallocate a prepared statement.
 */
const MAX_PREPARED_STATEMENTS = 400

const DEADLOCK = '40P01'
export const MAX_ATTEMPTS = 4

export function isDeadlock(error: unknown): boolean {
  return (error as { code?: unknown }).code === DEADLOCK
}

/** A pooled client that one caller uses, for a single statement or for a transaction. */
class PoolConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient
  readonly #session: SessionState
  readonly #options: PoolDriverOptions
  readonly #endTurn: (() => void) | undefined
  /** Results of statements that were sent without waiting for the response. */
  #ahead: Promise<unknown>[] = []
  #isTransaction = false
  #isOver = false
  #isBroken = false

  constructor(client: pg.PoolClient, options: PoolDriverOptions, endTurn: (() => void) | undefined) {
    this.#client = client
    this.#session = getSession(client)
    this.#options = options
    this.#endTurn = endTurn
  }

  /**
   * Makes the session show the rows of this view from now on. The session keeps this view until a later use needs
   * another view. A change of the role is confirmed before another statement is sent. A change of the organization is
   * sent ahead of the next statement. The result of that statement is used only if both succeed.
   */
  async show(view: RowView | null): Promise<void> {
    const before = this.#session.view
    if (before?.role === view?.role && before?.organizationId === view?.organizationId) return
    const values = [view?.role ?? 'none', view?.organizationId ?? '']
    const showing = this.#send(SET_VIEW, values, getStatementName(SET_VIEW)).catch((error: unknown) => {
      // After an error, the session may show either view.
      this.#isBroken = true
      throw error
    })
    this.#session.view = view
    if (before?.role === view?.role) this.#sendAhead(showing)
    else await showing
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (statementChannel.hasSubscribers) {
      const sent: SentStatement = { text: query.sql, narrow: this.#session.view !== null }
      statementChannel.publish(sent)
    }
    for (let attempt = 1; ; attempt++) {
      if (this.#isOver) throw new Error('Cannot run the statement: the transaction is over.')
      try {
        const name = this.#options.isForMigrations ? undefined : getStatementName(query.sql)
        const result = this.#needsTransaction()
          ? await this.#sendInTransaction(query, name)
          : await this.#send(query.sql, query.parameters, name)
        return { rows: result.rows, numAffectedRows: BigInt(result.rowCount ?? 0) }
      } catch (error) {
        // A deadlock rolls back a single statement completely, so the statement can be repeated. A transaction must be
        // repeated from its beginning.
        if (this.#isTransaction || !isDeadlock(error) || attempt === MAX_ATTEMPTS) throw error
      }
    }
  }

  streamQuery(): never {
    throw new Error('Streams are not supported, because a slow reader would occupy a connection.')
  }

  /** Sends `begin` ahead of the transaction's first statement. */
  begin(): void {
    this.#isTransaction = true
    this.#sendBegin()
  }

  #sendBegin(): void {
    const { isDistributed, view } = this.#options
    this.#sendAhead(this.#send(isDistributed ? toDistributedBegin(view) : 'begin'))
  }

  #needsTransaction(): boolean {
    return this.#options.isDistributed && this.#options.view !== null && !this.#isTransaction
  }

  // The commit does not wait for the result. After an error it is a rollback.
  async #sendInTransaction(query: CompiledQuery, name: string | undefined): Promise<pg.QueryResult> {
    this.#sendBegin()
    const sent = this.#send(query.sql, query.parameters, name)
    const [result, committed] = await Promise.allSettled([sent, this.#client.query('commit')])
    if (committed.status === 'rejected') {
      this.#isBroken = true
      if (result.status === 'fulfilled') throw committed.reason
    }
    if (result.status === 'rejected') throw result.reason
    return result.value
  }

  #sendAhead(sent: Promise<unknown>): void {
    this.#ahead.push(sent)
    // The next statement waits for the result of this one and reports its error.
    sent.catch(() => {})
  }

  async commit(): Promise<void> {
    this.#endTransaction()
    const { command } = await this.#send('commit')
    // PostgreSQL responds with ROLLBACK to a commit if a statement failed and its error was ignored.
    if (command === 'ROLLBACK') throw new AbortedTransactionError()
  }

  async rollback(): Promise<void> {
    this.#endTransaction()
    await this.#send('rollback').catch(() => {
      this.#isBroken = true
    })
  }

  /**
   * Makes the connection reject statements that were started in the transaction, for example by Promise.all, but would
   * run after it.
   */
  #endTransaction(): void {
    this.#isTransaction = false
    this.#isOver = !this.#options.isForMigrations
  }

  release(): void {
    this.#isOver = true
    const isUnanswered = this.#ahead.length > 0
    this.#client.release(this.#isBroken || isUnanswered || this.#session.prepared.size >= MAX_PREPARED_STATEMENTS)
    this.#endTurn?.()
  }

  /** @param name the name under which to prepare the statement */
  async #send(text: string, values: readonly unknown[] = [], name?: string): Promise<pg.QueryResult> {
    const sent = this.#client.query({ name, text, values: [...values] })
    if (name !== undefined) this.#session.prepared.add(name)
    const ahead = this.#ahead
    this.#ahead = []
    try {
      if (ahead.length > 0) await Promise.all([sent, ...ahead])
      return lastResult(await sent)
    } catch (error) {
      // After an error that does not come from the server, the state of the connection is unknown.
      if (!(error instanceof pg.DatabaseError) || STALE_STATEMENT_CODES.has(error.code)) this.#isBroken = true
      if (error instanceof Error && error.message === READ_TIMEOUT)
        suspectedAtMs.set(this.#options.pool, performance.now())
      throw error
    }
  }
}

/**
 * Errors of a prepared statement that the server does not know, or whose columns have changed since it was prepared, as
 * during an upgrade.
 */
const STALE_STATEMENT_CODES: ReadonlySet<string | undefined> = new Set(['0A000', '26000'])

/** The message with which `pg` reports its `query_timeout`. */
const READ_TIMEOUT = 'Query read timeout'

/** Returns the statements that begin a transaction whose settings reach the workers of a distributed database. */
function toDistributedBegin(view: RowView | null): string {
  const propagating = `begin; set local citus.propagate_set_commands = 'local'`
  if (view === null) return propagating
  return `${propagating}; set local ${ORGANIZATION_SETTING} = ${pg.escapeLiteral(view.organizationId)}`
}

const SET_VIEW = `select set_config('role', $1, false), set_config('${ORGANIZATION_SETTING}', $2, false)`

/**
 * Returns the result of the last statement in a text. A text with several statements has one result for each statement,
 * although the types of `pg` do not declare this.
 */
function lastResult(result: pg.QueryResult | pg.QueryResult[]): pg.QueryResult {
  const last = Array.isArray(result) ? result.at(-1) : result
  if (last === undefined) throw new Error('The database returned no result.')
  return last
}

const TOO_MANY_CONNECTIONS = '53300'
const RETRY_AFTER_MS = 50
const MAX_CONNECT_RETRIES = 100

/**
 * The time at which a connection of the pool was last found dead. Connections that were opened before this time may
 * also be dead.
 */
const suspectedAtMs = new WeakMap<pg.Pool, number>()

/**
 * Returns a client from the pool. If the server accepts no more connections, for example because other programs use
 * them, waits until an open connection is free.
 */
async function connectWithRetry(pool: pg.Pool): Promise<pg.PoolClient> {
  for (let retries = 0; ; retries++) {
    try {
      const client = await pool.connect()
      if (getSession(client).openedMs >= (suspectedAtMs.get(pool) ?? 0)) return client
      client.release(true)
    } catch (error) {
      const isFull = (error as { code?: unknown }).code === TOO_MANY_CONNECTIONS
      if (!isFull || pool.totalCount === 0 || retries === MAX_CONNECT_RETRIES) throw error
      await delay(RETRY_AFTER_MS)
    }
  }
}
