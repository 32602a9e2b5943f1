import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { vault } from '../encryption/vault.ts'
import type { WriteCall } from './call.ts'
import { problem } from './problem.ts'

/**
 * An Idempotency-Key makes a POST safe to retry for 24 hours. The answer is stored in the transaction of the change, so
 * that there is never the one without the other; while that transaction runs, others with the same key are told to wait.
 * A request that was refused changed nothing and is not stored: it may be sent again under the same key. Answers are kept
 * encrypted, for some hold what is shown but once, such as the secret of a webhook.
 */
const KEPT_MS = 24 * 60 * 60 * 1000

export interface StoredAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

export async function idempotently(
  call: WriteCall,
  given: string,
  request: { method: string; url: string; body: unknown },
  perform: () => Promise<StoredAnswer>,
): Promise<StoredAnswer> {
  const { db, organizationId, now, principal } = call
  // What one caller was answered is nobody else's to hear, and two callers may well choose the same key.
  const key = `${principal.id} ${given}`
  const sealing = vault(call.surroundings.config.encryptionKey)
  const place = placeOfAnswer(organizationId, key)
  const alone = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${organizationId} ${key}`}, 74185002)) as "locked"`.execute(db)
  if (alone.rows[0]?.locked !== true) throw problem('idempotency_in_progress', 'Try again in a moment.')

  const fingerprint = createHash('sha256')
    .update(JSON.stringify([request.method, request.url, request.body ?? null]))
    .digest('hex')
  const stored = await db
    .selectFrom('idempotencyRecords')
    .select(['fingerprint', 'status', 'headers', 'body', 'createdAt'])
    .where('organizationId', '=', organizationId)
    .where('key', '=', key)
    .executeTakeFirst()
  if (stored !== undefined && now.getTime() - Date.parse(stored.createdAt) < KEPT_MS) {
    if (stored.fingerprint !== fingerprint) {
      throw problem('idempotency_key_reused', 'Use a new key for a new request.')
    }
    const headers = stored.headers as Record<string, string>
    return {
      status: stored.status,
      headers: { ...headers, 'Idempotent-Replayed': 'true' },
      body: sealing.open(stored.body, place),
    }
  }

  const answer = await perform()
  const { status, headers } = answer
  const record = {
    fingerprint,
    status,
    headers: JSON.stringify(headers),
    body: sealing.seal(answer.body, place),
    createdAt: now,
  }
  await db
    .insertInto('idempotencyRecords')
    .values({ organizationId, key, ...record })
    .onConflict((conflict) => conflict.columns(['organizationId', 'key']).doUpdateSet(record))
    .execute()
  return answer
}

/** What a stored answer is sealed for. */
export function placeOfAnswer(organizationId: string, key: string): string {
  return `answer ${organizationId} ${key}`
}

/** Removes what is past its 24 hours; a job of the clock. */
export async function forgetOldAnswers(database: Database, clock: Clock): Promise<void> {
  await database.statements
    .deleteFrom('idempotencyRecords')
    .where('createdAt', '<', new Date(clock.nowMs() - KEPT_MS).toISOString())
    .execute()
}
