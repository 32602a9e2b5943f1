import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { sql } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Database, Db } from '../database/database.ts'
import { vault } from '../encryption/vault.ts'
import type { Call, WriteCall } from './call.ts'
import { Problem, problem } from './problem.ts'

/**
 * An Idempotency-Key makes a POST safe to retry for 24 hours. The answer is stored in the transaction of the change, so
 * that there is never the one without the other; while that transaction runs, others with the same key are told to wait.
 * A request that was refused changed nothing and is not stored: it may be sent again under the same key.
 *
 * The transaction begins when the work first asks to write, and what never asks has none: nothing can be written outside
 * of `call.write`, so a request that only reads is neither held by a connection nor stored, without anybody having to say
 * which requests those are. What is stored is encrypted, because it is nobody's but the caller's.
 */
const KEPT_MS = 24 * 60 * 60 * 1000

/**
 * The most characters of a stored answer, compressed and sealed. A record and its events take a twentieth of it. What is
 * larger is an answer with hundreds of records in it, and a day of those, kept for each request, fills the disk.
 */
const MOST_KEPT = 64 * 1024
/** What is longer is not compressed in the hope that it fits: that costs more time than a repeat is worth. */
const MOST_COMPRESSED = 2 * 1024 * 1024
/** Below this, compression saves less than it costs. */
const LEAST_COMPRESSED = 4 * 1024
const COMPRESSED = 'deflated '

const compress = promisify(deflateRaw)
const expand = promisify(inflateRaw)

/** An answer as it is to be kept. */
export interface Keepable {
  status: number
  headers: Record<string, string>
  text: string
  /** The record that it shows, where it shows one that can be read again; asked where the text is too large to be kept. */
  resourceId(): string | null
}

/** What was kept of an answer. */
export interface KeptAnswer {
  status: number
  headers: Record<string, string>
  /** Null where it was too large. */
  text: string | null
  /** In place of the text, where it showed one record. */
  resourceId: string | null
  /** When it was given. */
  at: string
}

export interface Work<Answer> {
  /** Done once. It writes with the call that it is given. */
  perform(call: Call): Promise<Answer>
  /** What of the answer is to be kept; asked within the transaction. */
  keep(answer: Answer): Keepable
  /** The answer to a repeat, outside of any transaction. */
  tellAgain(kept: KeptAnswer, call: Call): Promise<Answer>
}

export async function idempotently<Answer>(
  call: Call,
  given: string,
  request: { method: string; url: string; body: unknown },
  work: Work<Answer>,
): Promise<Answer> {
  const attempt = attemptOf(call, given, request)
  const before = await attempt.find(call.db)
  if (before !== undefined) return work.tellAgain(before, call)
  const once = writingOnce(call, attempt)
  try {
    const answer = await work.perform(once.call)
    await once.commit(() => work.keep(answer))
    return answer
  } catch (error) {
    await once.rollBack(error)
    // Of two at the same time the second one may have begun before the first was answered, and have been refused because
    // of what the first one did.
    const wasRefused = error instanceof Problem && !once.hasBegun()
    const first = error instanceof AlreadyDone ? error.answer : wasRefused ? await attempt.find(call.db) : undefined
    if (first === undefined) throw error
    return work.tellAgain(first, call)
  }
}

interface Attempt {
  /** What an earlier attempt was answered; throws `idempotency_key_reused` where that was another request. */
  find(db: Db): Promise<KeptAnswer | undefined>
  /** Holds the key until the transaction ends; throws where that is not possible, or no longer necessary. */
  claim(call: WriteCall): Promise<void>
  store(call: WriteCall, answer: Keepable): Promise<void>
}

class AlreadyDone extends Error {
  readonly answer: KeptAnswer

  constructor(answer: KeptAnswer) {
    super('An earlier request with the same Idempotency-Key has been answered.')
    this.answer = answer
  }
}

function attemptOf(
  { organizationId, principal, now, surroundings }: Call,
  given: string,
  request: { method: string; url: string; body: unknown },
): Attempt {
  // What one caller was answered is nobody else's to hear, and two callers may well choose the same key.
  const key = `${principal.id} ${given}`
  const place = placeOfAnswer(organizationId, key)
  const sealing = vault(surroundings.config.encryptionKey)
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([request.method, request.url, request.body ?? null]))
    .digest('hex')

  async function find(db: Db): Promise<KeptAnswer | undefined> {
    const stored = await db
      .selectFrom('idempotencyRecords')
      .select(['fingerprint', 'status', 'headers', 'body', 'resourceId', 'createdAt'])
      .where('organizationId', '=', organizationId)
      .where('key', '=', key)
      .executeTakeFirst()
    if (stored === undefined || now.getTime() - Date.parse(stored.createdAt) >= KEPT_MS) return undefined
    if (stored.fingerprint !== fingerprint) throw problem('idempotency_key_reused', 'Use a new key for a new request.')
    const { status, headers, body, resourceId, createdAt } = stored
    const text = body === null ? null : await unpacked(sealing.open(body, place))
    return { status, headers: headers as Record<string, string>, text, resourceId, at: createdAt }
  }

  return {
    find,

    async claim({ db }) {
      const alone = await sql<{ locked: boolean }>`
        select pg_try_advisory_xact_lock(hashtextextended(${`${organizationId} ${key}`}, 74185002)) as "locked"`.execute(
        db,
      )
      if (alone.rows[0]?.locked !== true) throw problem('idempotency_in_progress', 'Try again in a moment.')
      // A statement of its own: the one that takes the lock may see what was before the one who held it committed.
      const done = await find(db)
      if (done !== undefined) throw new AlreadyDone(done)
    },

    async store({ db }, { status, headers, text, resourceId }) {
      const body = sealing.seal(await packed(text), place)
      const isKept = body.length <= MOST_KEPT
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

/** What a stored answer is sealed for. */
export function placeOfAnswer(organizationId: string, key: string): string {
  return `answer ${organizationId} ${key}`
}

async function packed(text: string): Promise<string> {
  if (text.length < LEAST_COMPRESSED || text.length > MOST_COMPRESSED) return text
  return COMPRESSED + (await compress(text, { level: 1 })).toString('base64')
}

async function unpacked(text: string): Promise<string> {
  if (!text.startsWith(COMPRESSED)) return text
  return (await expand(Buffer.from(text.slice(COMPRESSED.length), 'base64'))).toString('utf8')
}

interface WritingOnce {
  /** The call with which the work is done. */
  call: Call
  hasBegun(): boolean
  /** Stores the answer and ends the transaction; nothing to do where none was begun. */
  commit(keep: () => Keepable): Promise<void>
  rollBack(error: unknown): Promise<void>
}

/**
 * The call as one that writes in a single transaction, which begins with its first `write` under the claimed key and stays
 * open until the answer is there to be stored with it. From then on all that the work reads and writes is part of it.
 */
function writingOnce(outer: Call, attempt: Attempt): WritingOnce {
  let within: WriteCall | null = null
  let ended: Promise<void> = Promise.resolve()
  const answered = Promise.withResolvers<Keepable>()

  async function begin<T>(work: (call: WriteCall) => Promise<T>): Promise<T> {
    const result = Promise.withResolvers<T>()
    ended = outer.write(async (inner) => {
      // What was handed over cannot be taken back, so a deadlock after it is the caller's to try again.
      if (within !== null) throw new Problem('timed_out', 'Others wanted the same.', {}, { 'Retry-After': '1' })
      await attempt.claim(inner)
      const done = await work(inner)
      within = inner
      result.resolve(done)
      await attempt.store(inner, await answered.promise)
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
    answerIsKept: true,
    write: (work) => (within === null ? begin(work) : work(within)),
    operation: (id, input) => outer.surroundings.operate(call, id, input),
  }
  return {
    call,
    hasBegun: () => within !== null,
    async commit(keep) {
      if (within === null) return
      answered.resolve(keep())
      await ended
    },
    async rollBack(error) {
      if (within === null) return
      answered.reject(error)
      await ended.catch(() => {})
    },
  }
}

/** So many rows a statement, so that none holds locks or the embedded database for long. */
const BATCH_ROWS = 1000

/** Removes what is past its 24 hours; a job of the clock. */
export async function forgetOldAnswers(database: Database, clock: Clock): Promise<void> {
  const keptSince = new Date(clock.nowMs() - KEPT_MS).toISOString()
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from "idempotencyRecords" where ctid = any(array(
        select ctid from "idempotencyRecords" where "createdAt" < ${keptSince} order by "createdAt" limit ${BATCH_ROWS}))`.execute(
      database.statements,
    )
    if (numAffectedRows < BATCH_ROWS) return
  }
}
