import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { sql } from 'kysely'
import { type Call, credentialIdOf, type WriteCall } from '../../platform/calls/call.ts'
import type { Db } from '../../platform/database/database.ts'
import { createVault } from '../../platform/encryption/vault.ts'
import { Problem, problem } from '../../platform/problems/problem.ts'

/**
 * An Idempotency-Key makes a POST safe to retry for 24 hours. The response is stored in the transaction of the change,
 * so neither exists without the other. While that transaction runs, other requests with the same key get a problem that
 * asks them to wait. A rejected request changed nothing and is not stored, so it may be sent again under the same key.
 *
 * The transaction starts with the first `call.write`. Nothing can be written outside of it, so a request that only
 * reads opens no transaction, uses no connection and stores nothing, and no list of such requests is needed. Stored
 * responses are encrypted, because they are only for the caller.
 */
export const RETENTION_MS = 24 * 60 * 60 * 1000

/**
 * The maximum size in bytes of a stored response, compressed and sealed. A record and its events need a twentieth of
 * it. Larger responses contain hundreds of records, and storing a day's worth of those would fill the disk.
 */
const MAX_STORED_BYTES = 64 * 1024
/** Longer texts, in characters, are not compressed: that would take more time than a repeat is worth. */
const MAX_COMPRESSED_BYTES = 2 * 1024 * 1024
/** Below this length, compression saves less than it costs. */
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
   * Returns the ID of the record in the response, if that can be read again. Called only if the text is too large to
   * store.
   */
  resourceId(): string | null
}

/** The stored part of a response. */
export interface StoredResponse {
  status: number
  headers: Record<string, string>
  /** Null if the text was too large. */
  text: string | null
  /** Stored instead of the text, if the response showed a single record. */
  resourceId: string | null
  /** When the original response was sent. */
  at: string
}

export interface IdempotentWork<Answer> {
  /** Runs once. All writes must go through the given call. */
  perform(call: Call): Promise<Answer>
  /** Returns what to store of the response. Called within the transaction. */
  keep(response: Answer): StorableResponse
  /** Returns the response to a repeat. Called outside of any transaction. */
  tellAgain(stored: StoredResponse, call: Call): Promise<Answer>
}

export async function withIdempotencyKey<Answer>(
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
    // Of two concurrent requests, the second may have started before the first was answered, and been rejected because
    // of the first one's change.
    const wasRefused = error instanceof Problem && !once.hasBegun()
    const first = error instanceof AlreadyStored ? error.answer : wasRefused ? await attempt.find(call.db) : undefined
    if (first === undefined) throw error
    return work.tellAgain(first, call)
  }
}

interface Attempt {
  /** Returns the response to an earlier attempt. Throws `idempotency_key_reused` if that was a different request. */
  find(db: Db): Promise<StoredResponse | undefined>
  /** Locks the key until the transaction ends. Throws if that is impossible or no longer necessary. */
  claim(call: WriteCall): Promise<void>
  store(call: WriteCall, response: StorableResponse): Promise<void>
}

class AlreadyStored extends Error {
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
  // A response is only for its own caller, and two callers may choose the same key.
  const key = `${credentialIdOf(principal)} ${provided}`
  const place = responseSealContext(organizationId, key)
  const sealing = createVault(services.config.encryptionKey)
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([request.method, request.url, request.body ?? null]))
    .digest('hex')

  async function find(db: Db): Promise<StoredResponse | undefined> {
    const stored = await db
      .selectFrom('idempotencyRecords')
      .select(['fingerprint', 'status', 'headers', 'body', 'resourceId', 'createdAt'])
      .where('organizationId', '=', organizationId)
      .where('key', '=', key)
      .executeTakeFirst()
    if (stored === undefined || now.getTime() - Date.parse(stored.createdAt) >= RETENTION_MS) return undefined
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
      // Must be a separate statement, because the statement that takes the lock may not see what its previous holder
      // committed.
      const done = await find(db)
      if (done !== undefined) throw new AlreadyStored(done)
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
      }
      await db
        .insertInto('idempotencyRecords')
        .values({ organizationId, key, ...record })
        .onConflict((conflict) => conflict.columns(['organizationId', 'key']).doUpdateSet(record))
        .execute()
    },
  }
}

/** Returns the context that a stored response is sealed for. */
export function responseSealContext(organizationId: string, key: string): string {
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
  /** The call to do the work with. */
  call: Call
  hasBegun(): boolean
  /** Stores the response and commits the transaction. Does nothing if no transaction was started. */
  commit(keep: () => StorableResponse): Promise<void>
  rollBack(error: unknown): Promise<void>
}

/**
 * Wraps the call so that it writes in a single transaction, which starts with the first `write` under the claimed key
 * and stays open until the response can be stored in it. From then on, all reads and writes of the work happen in it.
 */
function createSingleTransaction(outer: Call, attempt: Attempt): SingleTransaction {
  let within: WriteCall | null = null
  let ended: Promise<void> = Promise.resolve()
  const responded = Promise.withResolvers<StorableResponse>()

  async function begin<T>(work: (call: WriteCall) => Promise<T>): Promise<T> {
    const result = Promise.withResolvers<T>()
    ended = outer.write(async (inner) => {
      // The inner call was already handed out, so after a deadlock the caller has to retry.
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
