import {
  AbortedTransactionError,
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDriver,
  type QueryResult,
} from 'kysely'
import type pg from 'pg'
import { isAsJson } from './json-rows.ts'
import { execute, type Preamble, type StatementResult, type Watch } from './lean-query.ts'
import { streamOf, type Unanswered, unansweredOn } from './silence.ts'
import { publishStatement, statementOf } from './statements.ts'
import { ORGANIZATION_SETTING } from './wall.ts'

const LATER = Symbol('sent with what comes next')

/**
 * A statement whose rows nobody wants. A transaction sends it with what comes next, at the latest with its commit, so
 * that nobody waits for it; if it is refused, that fails. By itself it runs at once.
 */
export function later(query: CompiledQuery<unknown>): CompiledQuery<never> {
  return { ...query, [LATER]: true } as unknown as CompiledQuery<never>
}

/**
 * Transactions of the pool. What begins one goes out with its first statement, and what ends it with what was left for
 * later, because a transaction costs the service little else than the packets that it waits for. Statements that are
 * asked for in one turn of the event loop, as by `Promise.all`, leave in one packet too, in their order; if one of them
 * is refused, all of the packet are.
 */
export class Transactions {
  readonly #acquire: () => Promise<TransactionConnection>
  readonly #opening: readonly Preamble[]

  /** @param narrow as whom they work, and whose rows they see; null for the connecting user, who sees all */
  constructor(acquire: () => Promise<TransactionConnection>, narrow: { role: string; organizationId: string } | null) {
    this.#acquire = acquire
    const begin = { statement: statementOf('begin', false), values: [] }
    const set = { statement: statementOf(NARROW, false), values: [narrow?.role, narrow?.organizationId] }
    this.#opening = narrow === null ? [begin] : [begin, set]
  }

  /** Does the work in a transaction, which is committed unless the work fails. */
  async run<T>(work: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    const connection = await this.#acquire()
    try {
      connection.begin(this.#opening)
      const result = await work(connection)
      await connection.commit()
      return result
    } catch (error) {
      // A connection that cannot even undo is not used again.
      await connection.rollback().catch(() => {})
      throw error
    } finally {
      connection.release()
    }
  }
}

const NARROW = `select set_config('role', $1, true), set_config('${ORGANIZATION_SETTING}', $2, true)`

/** More than a few are sent when the next one comes, because what waits takes memory. */
const MOST_UNSENT = 8

interface Unsent extends Preamble {
  failed?(error: unknown): void
}

export class TransactionConnection implements DatabaseConnection, Watch {
  readonly #client: pg.PoolClient
  readonly #unanswered: Unanswered
  #unsent: Unsent[] = []
  #isScheduled = false
  #isTransaction = false
  /** Whether the database knows of the transaction. */
  #isOpen = false
  #isLost = false
  #isNarrow = false
  #isReleased = false

  constructor(client: pg.PoolClient) {
    this.#client = client
    this.#unanswered = unansweredOn(client)
  }

  answered(): void {
    this.#unanswered.answered()
  }

  begin(opening: readonly Preamble[]): void {
    this.#unsent = [...opening]
    this.#isNarrow = opening.some(({ statement }) => statement.text === NARROW)
    this.#isTransaction = true
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#isReleased) throw new Error('The transaction is over.')
    const statement = statementOf(query.sql, isAsJson(query))
    const values = query.parameters
    publishStatement(query.sql, this.#isNarrow)
    if (!this.#isTransaction) return queryResult(await this.#send({ statement, values }))
    if (LATER in query && this.#unsent.length < MOST_UNSENT) {
      this.#unsent.push({ statement, values })
      return { rows: [] }
    }
    const result = await new Promise<StatementResult>((answered, failed) => {
      this.#unsent.push({ statement, values, answered, failed })
      if (this.#isScheduled) return
      this.#isScheduled = true
      setImmediate(this.#flush)
    })
    return queryResult(result)
  }

  streamQuery(): never {
    throw new Error('A stream would hold the connection for as long as its reader likes; read pages.')
  }

  async commit(): Promise<void> {
    if (!this.#isOpen && this.#unsent.every(({ statement }) => OPENING.has(statement.text))) return
    const { command } = await this.#send({ statement: statementOf('commit', false), values: [] })
    // After a statement that failed, which somebody took for a success.
    if (command === 'ROLLBACK') throw new AbortedTransactionError()
  }

  async rollback(): Promise<void> {
    for (const { failed } of this.#unsent.splice(0)) failed?.(new AbortedTransactionError())
    if (!this.#isOpen) return
    try {
      await this.#send({ statement: statementOf('rollback', false), values: [] })
    } catch (error) {
      this.#isLost = true
      throw error
    }
  }

  release(): void {
    this.#isReleased = true
    this.#client.release(this.#isLost)
  }

  readonly #flush = (): void => {
    this.#isScheduled = false
    const last = this.#unsent.pop()
    // Nothing is left if the commit has taken it along.
    if (last !== undefined) this.#send(last).then(last.answered, last.failed ?? ignore)
  }

  // With what waits, in one packet.
  #send({ statement, values }: Preamble): Promise<StatementResult> {
    const before = this.#unsent
    this.#unsent = []
    this.#isOpen = true
    const stream = streamOf(this.#client)
    stream.cork()
    try {
      this.#unanswered.sent(1 + before.filter(({ statement }) => !OPENING.has(statement.text)).length)
      const sent = execute(this.#client, this, null, statement, values, { isBroken: false }, before)
      for (const { failed } of before) if (failed !== undefined) sent.catch(failed)
      return sent
    } finally {
      stream.uncork()
    }
  }
}

function ignore(): void {}

function queryResult<R>({ rows, rowCount }: StatementResult): QueryResult<R> {
  return { rows: rows as R[], numAffectedRows: BigInt(rowCount) }
}

const OPENING: ReadonlySet<string> = new Set(['begin', NARROW])

/** Hands out connections for queries. A transaction has connections of its own, so nobody begins one by these. */
abstract class QueryDriver implements Driver {
  abstract acquireConnection(): Promise<DatabaseConnection>
  async init(): Promise<void> {}
  async beginTransaction(): Promise<void> {
    throw new Error('Database.transaction begins transactions, and inside one there is no other.')
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(_connection: DatabaseConnection): Promise<void> {}
  async destroy(): Promise<void> {}
}

/** One connection for all queries, which need not wait for each other. */
export class OwnConnection extends QueryDriver {
  readonly #connection: DatabaseConnection

  constructor(connection: DatabaseConnection) {
    super()
    this.#connection = connection
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }
}

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
export class EmbeddedDriver extends QueryDriver {
  readonly #pool: pg.Pool
  readonly #narrow: (connection: DatabaseConnection) => Promise<void>

  constructor(pool: pg.Pool, session: EmbeddedSession, role: string | null, organizationId: string | null) {
    super()
    this.#pool = pool
    this.#narrow = (connection) => session.narrow(connection, role, organizationId)
  }

  async acquireConnection(): Promise<TransactionConnection> {
    const connection = new TransactionConnection(await this.#pool.connect())
    try {
      await this.#narrow(connection)
      return connection
    } catch (error) {
      connection.release()
      throw error
    }
  }

  override async releaseConnection(connection: TransactionConnection): Promise<void> {
    connection.release()
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
