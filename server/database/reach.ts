import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { isDatabaseAway } from '../http/problem.ts'

/** PostgreSQL cannot be used. The message is a sentence for the operator, and never contains the password. */
export class DatabaseUnavailable extends Error {}

export interface Patience {
  /** How long to wait, in milliseconds, for a PostgreSQL that does not answer; default 30 s. */
  ms?: number
  /** Called with a sentence when the wait begins, and every five seconds after that. */
  report?(sentence: string): void
}

// As long as PostgreSQL takes to start if it is started together with the service.
const USUAL_PATIENCE_MS = 30_000
const ATTEMPT_MS = 5000
const PAUSE_MS = 250
const REPORT_EVERY_MS = 5000

/**
 * Resolves once PostgreSQL accepts this configuration. Waits for a server that does not answer or is still starting,
 * but not for one that refuses (a wrong password, an unknown database), because waiting would not help.
 *
 * @throws {DatabaseUnavailable}
 */
export async function reachPostgres(connection: pg.ClientConfig, patience: Patience = {}): Promise<void> {
  const { ms = USUAL_PATIENCE_MS, report } = patience
  const begun = performance.now()
  let reportedAt = Number.NEGATIVE_INFINITY
  for (;;) {
    const left = ms - (performance.now() - begun)
    const { place, failure } = await connectOnce(connection, Math.max(100, Math.min(ATTEMPT_MS, left)))
    if (failure === null) return
    if (!isDatabaseAway(failure)) {
      throw new DatabaseUnavailable(`PostgreSQL at ${place} refused the connection: ${inWords(failure)}. ${REMEDY}`)
    }
    const now = performance.now()
    if (now - begun + PAUSE_MS > ms) {
      const seconds = Math.round(ms / 1000)
      throw new DatabaseUnavailable(
        `PostgreSQL at ${place} did not answer within ${seconds} s: ${inWords(failure)}. ${REMEDY}`,
      )
    }
    if (now - reportedAt >= REPORT_EVERY_MS) {
      reportedAt = now
      const seconds = Math.round((ms - (now - begun)) / 1000)
      report?.(`PostgreSQL at ${place} does not answer (${inWords(failure)}); waiting for up to ${seconds} s more`)
    }
    await delay(PAUSE_MS)
  }
}

const REMEDY = 'Check DATABASE_URL, and that the database is up.'

async function connectOnce(
  connection: pg.ClientConfig,
  timeoutMs: number,
): Promise<{ place: string; failure: unknown }> {
  let client: pg.Client
  try {
    client = new pg.Client({ ...connection, connectionTimeoutMillis: timeoutMs })
  } catch (error) {
    // An unparsable address, or one that names a missing certificate file.
    throw new DatabaseUnavailable(
      `DATABASE_URL cannot be used: ${inWords(error)}. In a password, signs like # and / are written as %23 and %2F.`,
    )
  }
  const place = client.host.startsWith('/')
    ? `${client.host} (${client.database})`
    : `${client.host}:${client.port}/${client.database}`
  // Losing the connection after it was made does not matter here.
  client.on('error', () => {})
  try {
    await client.connect()
    return { place, failure: null }
  } catch (error) {
    return { place, failure: error }
  } finally {
    await client.end().catch(() => {})
  }
}

// A host with several addresses fails with one error for each, and no message of its own.
function inWords(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(inWords))].join(', ')
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
}
