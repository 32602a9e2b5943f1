import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { sql } from 'kysely'
import { type Call, getCredentialId, type Principal, type WriteCall } from '../../platform/calls/call.ts'
import type { Db } from '../../platform/database/database.ts'
import { createVault } from '../../platform/encryption/vault.ts'
import { Problem, problem } from '../../platform/problems/problem.ts'

/**
 * With an Idempotency-Key header, a client can safely retry a POST for 24 hours. For a user, the time is 7 days,
 * because a phone may have no connection for a whole weekend after it sent a request. The response is stored in the
 * same transaction as the change, so that both are committed together. While that transaction runs, other
 * requests with the same key get a problem that tells them to wait. A rejected request changes nothing and is not
 * stored, so the client may repeat it with the same key.
 *
 * The transaction starts with the first `call.write`, and nothing can be written outside it. A request that only reads
 * therefore opens no transaction and stores nothing, without any list of such requests. Stored responses are encrypted,
 * because only the caller may read them.
 */
/** The time for which a response to a program is stored, in milliseconds. */
export const RESPONSE_RETENTION_MS = 24 * 60 * 60 * 1000
const USER_RETENTION_MS = 7 * RESPONSE_RETENTION_MS

/**
 * Returns how long the response is stored. The time is shorter for programs, which send many more requests than users
 * and do not retry after several days.
 */
function getRetentionMs({ kind, via }: Principal): number {
  return kind === 'user' && via === undefined ? USER_RETENTION_MS : RESPONSE_RETENTION_MS
}

/** A row that an earlier version of the service stored has no expiry. */
function getExpiryMs({ createdAt, expiresAt }: { createdAt: string; expiresAt: string | null }): number {
  return expiresAt === null ? Date.parse(createdAt) + RESPONSE_RETENTION_MS : Date.parse(expiresAt)
}

/**
 * The maximum size in bytes of a stored response after compression and encryption. A response with one record and its
 * events needs about a twentieth of this size. Larger responses contain hundreds of records, and storing them for a day
 * would fill the disk.
 */
const MAX_STORED_BYTES = 64 * 1024
/** Larger texts are not compressed, because a retry is unlikely and compressing such a text takes too long. */
const MAX_COMPRESSED_BYTES = 2 * 1024 * 1024
/** Compressing a shorter text costs more than it saves. */
const MIN_COMPRESSED_BYTES = 4 * 1024
const COMPRESSED = 'deflated '

const compress = promisify(deflateRaw)
const expand = promisify(inflateRaw)

/** A response to be stored. */
export interface StorableResponse {
  status: number
  headers: Record<string, string>
  text: string
  /**
   * Returns the ID of the record in the response, or null if the record cannot be read again. Called only if the
   * response is too large to store.
   */
  resourceId(): string | null
}

/** The part of a response that is stored. */
export interface StoredResponse {
  status: number
  headers: Record<string, string>
  /** The text of the response; null if the text was too large to store. */
  text: string | null
  /** The ID of the record in the response, stored instead of the text if the response contained a single record. */
  resourceId: string | null
  /** The time of the original response. */
  at: string
}

export interface IdempotentWork<Answer> {
  /** Performs the request. Called at most once. All its writes must use the given call. */
  perform(call: Call): Promise<Answer>
  /** Returns the parts of the response to store. Called inside the transaction. */
  keep(response: Answer): StorableResponse
  /** Returns the response to a repeated request. Called outside any transaction. */
  tellAgain(stored: StoredResponse, call: Call): Promise<Answer>
}

export async function runWithIdempotencyKey<Answer>(
  call: Call,
  provided: string,
  request: { method: string; url: string; body: unknown },
  work: IdempotentWork<Answer>,
): Promise<Answer> {
  const attempt = createAttempt(call, provided, request)
  const before = await attempt.find(call.db)
  if (before !== undefined) return work.tellAgain(before, call)
  const once = createSingleTransaction(call, attempt)
  try {
    const response = await work.perform(once.call)
    await once.commit(() => work.keep(response))
    return response
  } catch (error) {
    await once.rollBack(error)
    // A concurrent request with the same key may have committed its change after this request looked for a stored
    // response. That change may be the reason for this rejection.
    const wasRefused = error instanceof Problem && !once.hasBegun()
    const first =
      error instanceof AlreadyStoredError ? error.answer : wasRefused ? await attempt.find(call.db) : undefined
    if (first === undefined) throw error
    return work.tellAgain(first, call)
  }
}

interface Attempt {
  /**
   * Returns the stored response to an earlier attempt. Throws `idempotency_key_reused` if the earlier request was
   * different.
   */
  find(db: Db): Promise<StoredResponse | undefined>
  /** Locks the key until the transaction ends. Throws if the key cannot be locked or the response is already stored. */
  claim(call: WriteCall): Promise<void>
  store(call: WriteCall, response: StorableResponse): Promise<void>
}

class AlreadyStoredError extends Error {
  readonly answer: StoredResponse

  constructor(response: StoredResponse) {
    super('An earlier request with the same Idempotency-Key has a response.')
    this.answer = response
  }
}

function createAttempt(
  { organizationId, principal, now, services }: Call,
  provided: string,
  request: { method: string; url: string; body: unknown },
): Attempt {
  // Different callers may choose the same key, so the stored key includes the caller's credential.
  const key = `${getCredentialId(principal)} ${provided}`
  const place = getResponseEncryptionContext(organizationId, key)
  const sealing = createVault(services.config.encryptionKey)
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([request.method, request.url, request.body ?? null]))
    .digest('hex')

  async function find(db: Db): Promise<StoredResponse | undefined> {
    const stored = await db
      .selectFrom('idempotencyRecords')
      .select(['fingerprint', 'status', 'headers', 'body', 'resourceId', 'createdAt', 'expiresAt'])
      .where('organizationId', '=', organizationId)
      .where('key', '=', key)
      .executeTakeFirst()
    if (stored === undefined || now.getTime() >= getExpiryMs(stored)) return undefined
    if (stored.fingerprint !== fingerprint)
      throw problem('idempotency_key_reused', 'This Idempotency-Key was used for a different request. Use a new key.')
    const { status, headers, body, resourceId, createdAt } = stored
    const text = body === null ? null : await decompressText(sealing.open(body, place))
    return { status, headers: headers as Record<string, string>, text, resourceId, at: createdAt }
  }

  return {
    find,

    async claim({ db }) {
      const alone = await sql<{ locked: boolean }>`
        select pg_try_advisory_xact_lock(hashtextextended(${`${organizationId} ${key}`}, 74185002)) as "locked"`.execute(
        db,
      )
      if (alone.rows[0]?.locked !== true)
        throw problem(
          'idempotency_in_progress',
          'A request with this Idempotency-Key is still in progress. Try again in a moment.',
        )
      // This must be a separate statement. The statement that gets the lock may not see the data that the previous lock
      // holder committed.
      const done = await find(db)
      if (done !== undefined) throw new AlreadyStoredError(done)
    },

    async store({ db }, { status, headers, text, resourceId }) {
      const body = sealing.seal(await compressText(text), place)
      const isKept = body.length <= MAX_STORED_BYTES
      const record = {
        fingerprint,
        status,
        headers: JSON.stringify(headers),
        body: isKept ? body : null,
        resourceId: isKept ? null : resourceId(),
        createdAt: now,
        expiresAt: new Date(now.getTime() + getRetentionMs(principal)),
      }
      await db
        .insertInto('idempotencyRecords')
        .values({ organizationId, key, ...record })
        .onConflict((conflict) => conflict.columns(['organizationId', 'key']).doUpdateSet(record))
        .execute()
    },
  }
}

/** Returns the encryption context of a stored response. */
export function getResponseEncryptionContext(organizationId: string, key: string): string {
  return `answer ${organizationId} ${key}`
}

async function compressText(text: string): Promise<string> {
  if (text.length < MIN_COMPRESSED_BYTES || text.length > MAX_COMPRESSED_BYTES) return text
  return COMPRESSED + (await compress(text, { level: 1 })).toString('base64')
}

async function decompressText(text: string): Promise<string> {
  if (!text.startsWith(COMPRESSED)) return text
  return (await expand(Buffer.from(text.slice(COMPRESSED.length), 'base64'))).toString('utf8')
}

interface SingleTransaction {
  /** The call that the work must use for all reads and writes. */
  call: Call
  hasBegun(): boolean
  /** Stores the response and commits the transaction. Does nothing if no transaction has started. */
  commit(keep: () => StorableResponse): Promise<void>
  rollBack(error: unknown): Promise<void>
}

/**
 * Wraps the call so that all writes happen in a single transaction. The first `write` starts the transaction and locks
 * the key. All later reads and writes use the same transaction, which stays open until the response is stored.
 */
function createSingleTransaction(outer: Call, attempt: Attempt): SingleTransaction {
  let within: WriteCall | null = null
  let ended: Promise<void> = Promise.resolve()
  const responded = Promise.withResolvers<StorableResponse>()

  async function begin<T>(work: (call: WriteCall) => Promise<T>): Promise<T> {
    const result = Promise.withResolvers<T>()
    ended = outer.write(async (inner) => {
      // After a deadlock, the database repeats the transaction. The work cannot be repeated here, because it has
      // already received the result of the first attempt, so the client must retry.
      if (within !== null)
        throw new Problem(
          'timed_out',
          'Another request changed the same records at the same time. Try again.',
          {},
          { 'Retry-After': '1' },
        )
      await attempt.claim(inner)
      const done = await work(inner)
      within = inner
      result.resolve(done)
      await attempt.store(inner, await responded.promise)
    })
    ended.catch(result.reject)
    return result.promise
  }

  const call: Call = {
    ...outer,
    get db() {
      return within?.db ?? outer.db
    },
    get isWriting() {
      return within !== null
    },
    write: (work) => (within === null ? begin(work) : work(within)),
    operation: (id, input) => outer.services.operate(call, id, input),
  }
  return {
    call,
    hasBegun: () => within !== null,
    async commit(keep) {
      if (within === null) return
      responded.resolve(keep())
      await ended
    },
    async rollBack(error) {
      if (within === null) return
      responded.reject(error)
      await ended.catch(() => {})
    },
  }
}
