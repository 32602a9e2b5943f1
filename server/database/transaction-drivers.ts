import type { Duplex } from 'node:stream'
import {
  AbortedTransactionError,
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDriver,
  type QueryResult,
} from 'kysely'
import type pg from 'pg'
import { execute, type Preamble, type StatementResult, type Watch } from './lean-query.ts'
import { statementOf } from './shared-statements.ts'
import { ORGANIZATION_SETTING } from './wall.ts'

const LATER = Symbol('sent with what comes next')

/**
 * A statement whose rows nobody wants. A transaction sends it with what comes next, at the latest with its commit, so
 * that nobody waits for it; if it is refused, that fails. By itself it runs at once.
 */
export function later(query: CompiledQuery): CompiledQuery<never> {
  return { ...query, [LATER]: true } as unknown as CompiledQuery<never>
}

/**
 * Transactions of the pool. What begins one goes out with its first statement, and what ends it with what was left for
 * later, because a transaction costs the service little else than the packets that it waits for.
 */
export class TransactionDriver implements Driver {
  readonly #pool: pg.Pool
  readonly #opening: readonly Preamble[]

  /** @param narrow as whom it works, and whose rows it sees; null for the connecting user, who sees all */
  constructor(pool: pg.Pool, narrow: { role: string; organizationId: string } | null) {
    this.#pool = pool
    const begin = { statement: statementOf('begin', false), values: [] }
    const set = { statement: statementOf(NARROW, false), values: [narrow?.role, narrow?.organizationId] }
    this.#opening = narrow === null ? [begin] : [begin, set]
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<TransactionConnection> {
    return new TransactionConnection(await this.#pool.connect())
  }

  async beginTransaction(connection: TransactionConnection): Promise<void> {
    connection.begin(this.#opening)
  }

  commitTransaction(connection: TransactionConnection): Promise<void> {
    return connection.commit()
  }

  rollbackTransaction(connection: TransactionConnection): Promise<void> {
    return connection.rollback()
  }

  async releaseConnection(connection: TransactionConnection): Promise<void> {
    connection.release()
  }

  async destroy(): Promise<void> {}
}

const NARROW = `select set_config('role', $1, true), set_config('${ORGANIZATION_SETTING}', $2, true)`

/** More than a few are sent when the next one comes, because what waits takes memory. */
const MOST_UNSENT = 8

class TransactionConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient
  #unsent: Preamble[] = []
  #isTransaction = false
  /** Whether the database knows of the transaction. */
  #isOpen = false
  #isLost = false

  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  begin(opening: readonly Preamble[]): void {
    this.#unsent = [...opening]
    this.#isTransaction = true
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (LATER in query && this.#isTransaction && this.#unsent.length < MOST_UNSENT) {
      this.#unsent.push({ statement: statementOf(query.sql, false), values: query.parameters })
      return { rows: [] }
    }
    const { rows, rowCount } = await this.#send(query.sql, query.parameters)
    return { rows: rows as R[], numAffectedRows: BigInt(rowCount) }
  }

  streamQuery(): never {
    throw new Error('A stream would hold the connection for as long as its reader likes; read pages.')
  }

  async commit(): Promise<void> {
    if (!this.#isOpen && this.#unsent.every(({ statement }) => OPENING.has(statement.text))) return
    const { command } = await this.#send('commit', [])
    // After a statement that failed, which somebody took for a success.
    if (command === 'ROLLBACK') throw new AbortedTransactionError()
  }

  async rollback(): Promise<void> {
    this.#unsent = []
    if (!this.#isOpen) return
    try {
      await this.#send('rollback', [])
    } catch (error) {
      this.#isLost = true
      throw error
    }
  }

  release(): void {
    this.#client.release(this.#isLost)
  }

  #send(text: string, values: readonly unknown[]): Promise<StatementResult> {
    const before = this.#unsent
    this.#unsent = []
    this.#isOpen = true
    const { stream } = (this.#client as unknown as { connection: { stream: Duplex } }).connection
    stream.cork()
    try {
      return execute(this.#client, UNWATCHED, null, statementOf(text, false), values, { isBroken: false }, before)
    } finally {
      stream.uncork()
    }
  }
}

const OPENING: ReadonlySet<string> = new Set(['begin', NARROW])

const UNWATCHED: Watch = { answered() {} }

/** The single session of the embedded database. */
export class EmbeddedSession {
  /** What it can see right now. */
  #narrowness = ''

  /** Lets the connection see the rows of this organization alone; with null, of all. */
  async narrow(connection: DatabaseConnection, role: string | null, organizationId: string | null): Promise<void> {
    const wanted = role === null ? '' : `${organizationId} ${role}`
    if (this.#narrowness === wanted) return
    await connection.executeQuery(CompiledQuery.raw(SHOW, [role ?? 'none', organizationId ?? '']))
    this.#narrowness = wanted
  }
}

const SHOW = `select set_config('role', $1, false), set_config('${ORGANIZATION_SETTING}', $2, false)`

/** The embedded database's single connection, narrowed to what its next user may see before it is handed over. */
export class EmbeddedDriver extends TransactionDriver {
  readonly #pool: pg.Pool
  readonly #narrow: (connection: TransactionConnection) => Promise<void>

  constructor(pool: pg.Pool, session: EmbeddedSession, role: string | null, organizationId: string | null) {
    super(pool, null)
    this.#pool = pool
    this.#narrow = (connection) => session.narrow(connection, role, organizationId)
  }

  override async acquireConnection(): Promise<TransactionConnection> {
    const connection = await super.acquireConnection()
    try {
      await this.#narrow(connection)
      return connection
    } catch (error) {
      await this.releaseConnection(connection)
      throw error
    }
  }

  override destroy(): Promise<void> {
    return this.#pool.end()
  }
}

/** The same connection as `pg` uses it, which takes several statements as one text, as migrations have them. */
export class EmbeddedSessions extends PostgresDriver {
  readonly #session: EmbeddedSession

  constructor(pool: pg.Pool, session: EmbeddedSession) {
    super({ pool })
    this.#session = session
  }

  override async acquireConnection(
    ...options: Parameters<PostgresDriver['acquireConnection']>
  ): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection(...options)
    try {
      await this.#session.narrow(connection, null, null)
      return connection
    } catch (error) {
      await this.releaseConnection(connection as Parameters<PostgresDriver['releaseConnection']>[0])
      throw error
    }
  }
}
