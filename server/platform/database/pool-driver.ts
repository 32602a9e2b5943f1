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

/** A statement as sent to the database, and whether it can see only the rows of one organization. */
export interface SentStatement {
  text: string
  narrow: boolean
}

/** Publishes each statement as a `SentStatement`, for example to tests that explain all statements. */
const statementChannel = channel('plumbline:statement')

/** The PostgreSQL setting that contains the ID of the organization whose rows a session can see. */
export const ORGANIZATION_SETTING = 'plumbline.organization'

/** A view of the rows of one organization, through the role that row-level security restricts. */
export interface RowView {
  readonly role: string
  readonly organizationId: string
}

export interface PoolDriverOptions {
  readonly pool: pg.Pool
  /** The rows that the connection can see; null for the rows of all organizations. */
  readonly view: RowView | null
  /**
   * Whether the connection is for migrations. Migrations do not prepare statements, because a text can contain several
   * statements. Migrations also execute several transactions in sequence on one connection.
   */
  readonly isForMigrations: boolean
  /**
   * Whether the tables are distributed with Citus. The nodes only see settings that are made with `set local` in a
   * transaction. Therefore, each statement for one organization is a transaction.
   */
  readonly isDistributed: boolean
  /** Waits until a connection may be used. Returns the function that ends the turn. */
  readonly takeTurn?: () => Promise<() => void>
}

/** Returns a Kysely dialect for a PostgreSQL pool whose connections have the `pipeline` option. */
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

  // The code that has opened the pool also closes it.
  async init(): Promise<void> {}
  async destroy(): Promise<void> {}
}

/** The known state of a pooled client's session. */
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
 * The maximum number of prepared statements per connection. A prepared list statement uses about 100 kB of the server's
 * memory. When the maximum is reached, the connection is closed at its release, because `pg` cannot deallocate prepared
 * statements.
 */
const MAX_PREPARED_STATEMENTS = 400

const DEADLOCK = '40P01'
export const MAX_ATTEMPTS = 4

export function isDeadlock(error: unknown): boolean {
  return (error as { code?: unknown }).code === DEADLOCK
}

/** A pooled client in use by one caller, for a single statement or for a transaction. */
class PoolConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient
  readonly #session: SessionState
  readonly #options: PoolDriverOptions
  readonly #endTurn: (() => void) | undefined
  /** The results of statements that were sent without waiting for a response. */
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
   * Makes the session see only the rows of this view, until another view is shown. If the role changes, waits for the
   * confirmation before another statement is sent. If only the organization changes, sends the change ahead of the next
   * statement, whose result is used only if both succeed.
   */
  async show(view: RowView | null): Promise<void> {
    const before = this.#session.view
    if (before?.role === view?.role && before?.organizationId === view?.organizationId) return
    const values = [view?.role ?? 'none', view?.organizationId ?? '']
    const showing = this.#send(SET_VIEW, values, getStatementName(SET_VIEW)).catch((error: unknown) => {
      // After an error, it is unknown which view the session shows.
      this.#isBroken = true
      throw error
    })
    this.#session.view = view
    if (before?.role === view?.role) this.#sendAhead(showing)
    else await showing
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { view } = this.#options
    const text = view === null ? sql : compareWithParameter(sql, parameters.indexOf(view.organizationId))
    if (statementChannel.hasSubscribers) {
      const sent: SentStatement = { text, narrow: view !== null }
      statementChannel.publish(sent)
    }
    for (let attempt = 1; ; attempt++) {
      if (this.#isOver) throw new Error('Cannot run the statement: the transaction is over.')
      try {
        const name = this.#options.isForMigrations ? undefined : getStatementName(text)
        const result = this.#needsTransaction()
          ? await this.#sendInTransaction(text, parameters, name)
          : await this.#send(text, parameters, name)
        return { rows: result.rows, numAffectedRows: BigInt(result.rowCount ?? 0) }
      } catch (error) {
        // PostgreSQL rolls back a deadlocked statement completely, so a single statement can be repeated. A transaction
        // must be repeated from its beginning.
        if (this.#isTransaction || !isDeadlock(error) || attempt === MAX_ATTEMPTS) throw error
      }
    }
  }

  streamQuery(): never {
    throw new Error('Streams are not supported, because a slow reader would occupy a connection.')
  }

  /** Sends `begin` ahead of the first statement of the transaction. */
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

  // Sends the commit together with the statement, without waiting for its result. After an error, PostgreSQL treats
  // this commit as a rollback.
  async #sendInTransaction(
    text: string,
    values: readonly unknown[],
    name: string | undefined,
  ): Promise<pg.QueryResult> {
    this.#sendBegin()
    const sent = this.#send(text, values, name)
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
    // Ignore the error here, because the next statement waits for this result and reports the error.
    sent.catch(() => {})
  }

  async commit(): Promise<void> {
    this.#endTransaction()
    const { command } = await this.#send('commit')
    // If a statement failed and its error was ignored, PostgreSQL responds to a commit with ROLLBACK.
    if (command === 'ROLLBACK') throw new AbortedTransactionError()
  }

  async rollback(): Promise<void> {
    this.#endTransaction()
    await this.#send('rollback').catch(() => {
      this.#isBroken = true
    })
  }

  /**
   * Makes the connection reject statements that were started during the transaction (for example with Promise.all) but
   * would be executed after it.
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
      // If an error does not come from the server, the state of the connection is unknown.
      if (!(error instanceof pg.DatabaseError) || STALE_STATEMENT_CODES.has(error.code)) this.#isBroken = true
      if (error instanceof Error && error.message === READ_TIMEOUT)
        suspectedAtMs.set(this.#options.pool, performance.now())
      throw error
    }
  }
}

/**
 * The error codes for a prepared statement that the server does not know, or whose columns have changed since, for
 * example during an upgrade.
 */
const STALE_STATEMENT_CODES: ReadonlySet<string | undefined> = new Set(['0A000', '26000'])

/** The error message of `pg` when its `query_timeout` is exceeded. */
const READ_TIMEOUT = 'Query read timeout'

/** Returns the statements that begin a transaction whose settings also apply on the nodes of a distributed database. */
function toDistributedBegin(view: RowView | null): string {
  const propagating = `begin; set local citus.propagate_set_commands = 'local'`
  if (view === null) return propagating
  return `${propagating}; set local ${ORGANIZATION_SETTING} = ${pg.escapeLiteral(view.organizationId)}`
}

/**
 * Replaces comparisons with the organization of another row by comparisons with the parameter that contains the
 * organization. A distributed database does not recognize the organization of a row in a nested subquery or in a part
 * of a `WITH`, and then looks for the rows on all nodes.
 *
 * @param index the position of the organization in the parameters, from 0; -1 if no parameter contains it
 */
export function compareWithParameter(text: string, index: number): string {
  return index === -1 ? text : text.replaceAll(/= "?\w+"?\."organizationId"/g, `= $${index + 1}`)
}

const SET_VIEW = `select set_config('role', $1, false), set_config('${ORGANIZATION_SETTING}', $2, false)`

/**
 * Returns the result of the last statement in a text. The types of `pg` do not declare it, but a text with several
 * statements has one result for each of them.
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
 * The time at which a connection of the pool was last found to be lost. Connections that were opened before this time
 * may also be lost.
 */
const suspectedAtMs = new WeakMap<pg.Pool, number>()

/**
 * Returns a client from the pool. If the server accepts no more connections, for example because other programs use
 * them, waits for an open connection to become free.
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
