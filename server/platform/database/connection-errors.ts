import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { isDatabaseUnreachable } from '../problems/problem.ts'
import { formatCount } from '../values/format.ts'

/**
 * Thrown if PostgreSQL is unavailable or cannot be used. The message is for the operator and never contains the
 * password.
 */
export class DatabaseUnavailableError extends Error {}

export interface WaitOptions {
  /** The time in milliseconds to wait for a PostgreSQL server that does not respond. Defaults to 30 seconds. */
  ms?: number
  /** Called with a message when the wait begins, and then every five seconds. */
  report?(sentence: string): void
}

// The time that PostgreSQL needs to start if it is started together with the service.
const DEFAULT_WAIT_MS = 30_000
const ATTEMPT_MS = 5000
const PAUSE_MS = 250
const REPORT_EVERY_MS = 5000

/** Properties of the server that are known after the first connection. */
export interface ServerFeatures {
  /** Whether the database has the Citus extension. */
  hasCitus: boolean
}

/**
 * Resolves when PostgreSQL accepts a connection with this configuration. Waits if the server does not respond or is
 * still starting. Throws immediately if the server rejects the configuration (for example a wrong password or an
 * unknown database), because waiting would not help. Also throws immediately if clients share sessions because of a
 * connection pooler.
 *
 * @throws {DatabaseUnavailableError}
 */
export async function waitForPostgres(
  connection: pg.ClientConfig,
  patience: WaitOptions = {},
): Promise<ServerFeatures> {
  const { ms = DEFAULT_WAIT_MS, report } = patience
  const started = performance.now()
  let reportedAt = Number.NEGATIVE_INFINITY
  for (;;) {
    const left = ms - (performance.now() - started)
    const { place, failure, features } = await connectOnce(connection, Math.max(100, Math.min(ATTEMPT_MS, left)))
    if (features !== null) return features
    if (failure instanceof DatabaseUnavailableError) throw failure
    if (isPoolerError(failure)) throw poolerNotSupported(place, describeConnectionError(failure))
    if (!isDatabaseUnreachable(failure)) {
      throw new DatabaseUnavailableError(
        `PostgreSQL at ${place} refused the connection: ${describeConnectionError(failure)}. ${REMEDY}`,
      )
    }
    const now = performance.now()
    if (now - started + PAUSE_MS > ms) {
      const seconds = Math.round(ms / 1000)
      throw new DatabaseUnavailableError(
        `PostgreSQL at ${place} did not respond within ${seconds} s: ${describeConnectionError(failure)}. ${REMEDY}`,
      )
    }
    if (now - reportedAt >= REPORT_EVERY_MS) {
      reportedAt = now
      const seconds = Math.round((ms - (now - started)) / 1000)
      report?.(
        `PostgreSQL at ${place} is not responding (${describeConnectionError(failure)}). Waiting up to ${formatCount(seconds, 'more second')}.`,
      )
    }
    await delay(PAUSE_MS)
  }
}

const REMEDY = 'Check DATABASE_URL, and check that the database is running.'

async function connectOnce(
  connection: pg.ClientConfig,
  timeoutMs: number,
): Promise<{ place: string; failure: unknown; features: ServerFeatures | null }> {
  let client: pg.Client
  try {
    client = new pg.Client({ ...connection, connectionTimeoutMillis: timeoutMs })
  } catch (error) {
    // The URL cannot be parsed, or contains the path of a missing certificate file.
    throw new DatabaseUnavailableError(
      `DATABASE_URL is not valid: ${describeConnectionError(error)}. In a password, write # as %23 and / as %2F.`,
    )
  }
  const place = client.host.startsWith('/')
    ? `${client.host} (${client.database})`
    : `${client.host}:${client.port}/${client.database}`
  // Ignore errors after the connection is established, because it is closed in any case.
  client.on('error', () => {})
  try {
    await client.connect()
    await assertPrimary(client)
    await assertOwnSession(client, connection, place)
    return { place, failure: null, features: { hasCitus: await hasCitus(client) } }
  } catch (error) {
    return { place, failure: error, features: null }
  } finally {
    await client.end().catch(() => {})
  }
}

async function hasCitus(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(`select from "pg_extension" where "extname" = 'citus'`)
  return rowCount === 1
}

function isPoolerError(error: unknown): boolean {
  return error instanceof Error && /unsupported startup parameter/i.test(error.message)
}

function poolerNotSupported(place: string, why: string): DatabaseUnavailableError {
  return new DatabaseUnavailableError(
    `${place} is a connection pooler, such as PgBouncer, that does not provide dedicated sessions (${why}). The service has its own pool (DATABASE_CONNECTIONS) and needs a dedicated session for each connection. Set DATABASE_URL to the address of PostgreSQL itself.`,
  )
}

/** The settings with which a session starts. A connection pooler may silently ignore them. */
const SETTINGS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const

/**
 * Throws if a connection pooler shares sessions among clients. Each client must have its own session, because the
 * session has prepared statements, a pipeline, and the organization whose rows are visible. A connection pooler that
 * assigns sessions to single transactions would mix up sessions, and thereby the data of different builders.
 */
async function assertOwnSession(client: pg.Client, connection: pg.ClientConfig, place: string): Promise<void> {
  const { rows } = await client.query<Record<string, string>>(
    `select ${[...SETTINGS, 'TimeZone', 'jit']
      .map((name) => `(select "setting" from "pg_settings" where "name" = '${name}') as "${name}"`)
      .join()}`,
  )
  const requested = SETTINGS.flatMap((name): [string, string][] =>
    connection[name] ? [[name, `${connection[name]}`]] : [],
  )
  const options = [...(connection.options ?? '').matchAll(/-c (TimeZone|jit)=(\S+)/g)]
  const lost = [...requested, ...options.map(([, name = '', value = '']): [string, string] => [name, value])].find(
    ([name, value]) => rows[0]?.[name] !== value,
  )
  if (lost !== undefined) throw poolerNotSupported(place, `${lost[0]} is ${rows[0]?.[lost[0]]} instead of ${lost[1]}`)
  if (await isSessionShared(connection, client)) throw poolerNotSupported(place, 'it assigns sessions per transaction')
}

/** Returns whether another client can receive the session of this client between transactions. */
async function isSessionShared(connection: pg.ClientConfig, client: pg.Client): Promise<boolean> {
  const other = new pg.Client(connection)
  other.on('error', () => {})
  await other.connect()
  try {
    const before = await findServerProcess(client)
    await other.query('begin')
    return (await findServerProcess(other)) === before || (await findServerProcess(client)) !== before
  } finally {
    await other.end().catch(() => {})
  }
}

async function findServerProcess(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ process: string }>('select pg_backend_pid()::text as "process"')
  return rows[0]?.process
}

/**
 * Throws if the server is a replica. After a failover, the former primary can return as a replica at the same address.
 * Connections to it would stay open and read outdated data.
 */
export async function assertPrimary(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ isReplica: boolean }>('select pg_is_in_recovery() as "isReplica"')
  if (rows[0]?.isReplica === true) throw new ReplicaError()
}

/** Has the error code of a server that is not available yet, because another server may soon use this address. */
class ReplicaError extends Error {
  readonly code = CANNOT_CONNECT_NOW

  constructor() {
    super('the server is a read-only replica')
  }
}

const CANNOT_CONNECT_NOW = '57P03'

// If a host has several addresses, a failed connection has one error per address, and no message of its own.
function describeConnectionError(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(describeConnectionError))].join(', ')
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
}
