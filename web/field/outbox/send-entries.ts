import type { Session } from '../../../client/contract.gen.ts'
import { isProblem } from '../../../client/problem.ts'
import type { FieldDatabase } from './database.ts'
import type { Basis, Entry, HoldReason } from './entry.ts'
import { completeEntry, listEntries, updateEntry } from './outbox.ts'

/** The connection of the phone to the service. */
export interface Connection {
  /** The URL of the service, without a slash at the end. */
  baseUrl: string
  fetch(url: string, request: RequestInit): Promise<Response>
  now(): Date
}

/**
 * The result of sending the entries. `offline`: the service did not respond. `busy`: at least one request must be
 * repeated later. `signed out`: the user has no session.
 */
export type RunEnd = 'complete' | 'offline' | 'busy' | 'signed out'

export interface Run {
  end: RunEnd
  /** The session with which the entries were sent; null if the session could not be read. */
  session: Session | null
  /** The number of entries that the service has received. */
  arrived: number
}

/**
 * The time for which an entry can be repeated automatically. The service keeps a user's Idempotency-Key for 7 days, and
 * one day is subtracted in case the phone's clock is wrong. After that, an entry that the service may have received is
 * sent again only if the user confirms.
 */
const REPEATABLE_MS = 6 * 24 * 60 * 60 * 1000
const TIMEOUT_MS = 30_000
/** The time limit for sending a photo, which takes longer over a slow connection. */
const FILE_TIMEOUT_MS = 120_000
/** The maximum number of attempts. Each change by another user requires one more. */
const MAX_ATTEMPTS = 4

/**
 * Sends the signed-in user's entries in order. An entry is removed from the outbox when its response arrives. If the
 * service rejects an entry, the entry is held and stores the reason. If the service fails while processing an entry,
 * the entry is skipped until the next run. Only later entries for the same record wait for a held or skipped entry.
 */
export async function sendEntries(db: FieldDatabase, connection: Connection): Promise<Run> {
  const { end, session } = await readSession(connection)
  if (session === null) return { end, session, arrived: 0 }
  const waiting = new Set<string>()
  let arrived = 0
  let hasSkipped = false
  for (const { sequence } of await listEntries(db)) {
    // Reads the entry again. The user may have deleted it, or an entry that was just sent may have released it.
    const entry = await db.get('entries', sequence)
    if (entry === undefined) continue
    const isOwn = entry.userId === session.user.id && entry.organizationId === session.organization.id
    if (!isOwn || entry.held !== null || entry.dependsOn !== null || waiting.has(entry.about)) {
      waiting.add(entry.about)
      continue
    }
    const outcome = await sendEntry(db, connection, entry)
    if (outcome === 'arrived') arrived++
    else if (outcome === 'held' || outcome === 'skipped') {
      waiting.add(entry.about)
      hasSkipped ||= outcome === 'skipped'
    } else return { end: outcome, session, arrived }
  }
  return { end: hasSkipped ? 'busy' : 'complete', session, arrived }
}

async function readSession(connection: Connection): Promise<{ end: RunEnd; session: Session | null }> {
  try {
    const response = await connection.fetch(`${connection.baseUrl}/api/admin/session`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (response.status === 401) return { end: 'signed out', session: null }
    if (!response.ok) return { end: 'busy', session: null }
    return { end: 'complete', session: (await response.json()) as Session }
  } catch {
    return { end: 'offline', session: null }
  }
}

/** The result of sending an entry. Every result except `arrived`, `held`, and `skipped` ends the run. */
type EntryOutcome = 'arrived' | 'held' | 'skipped' | Exclude<RunEnd, 'complete'>

async function sendEntry(db: FieldDatabase, connection: Connection, entry: Entry): Promise<EntryOutcome> {
  const hold = async (held: HoldReason): Promise<EntryOutcome> => {
    await updateEntry(db, entry, { held, firstSentAt: null })
    return 'held'
  }
  const now = connection.now()
  if (entry.firstSentAt !== null && now.getTime() - Date.parse(entry.firstSentAt) > REPEATABLE_MS) return hold(TOO_OLD)
  const file = entry.hasFile ? await db.get('files', entry.id) : undefined
  let current = entry
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    // Stores the time before sending the request, because the user can close the page at any moment.
    current = await updateEntry(db, current, { firstSentAt: current.firstSentAt ?? now.toISOString() })
    const response = await request(connection, current, file?.bytes)
    // On a slow connection, a photo may time out although other entries arrive.
    if (response === null) return entry.hasFile ? 'skipped' : 'offline'
    const { status, body } = response
    // The service sends JSON. Other content is from another system, such as the sign-in page of a Wi-Fi network.
    if (status < 400 && (typeof body !== 'object' || body === null)) return 'skipped'
    if (status >= 200 && status < 300) {
      await completeEntry(db, current, readId(body))
      return 'arrived'
    }
    if (status === 401) return 'signed out'
    const problem = isProblem(body) ? body : null
    // The rate limit applies to all requests of the user, so stop sending.
    if (status === 429) return 'busy'
    if (status >= 500 || status < 400 || problem?.code === 'idempotency_in_progress') return 'skipped'
    if (problem === null) return hold(REJECTED_IN_BETWEEN)
    if (problem.code === 'answer_not_kept') {
      await completeEntry(db, current, null)
      return 'arrived'
    }
    if (status === 412 && current.basis !== null) {
      const next = await rebase(connection, current, current.basis)
      if (next === 'arrived') {
        await completeEntry(db, current, null)
        return 'arrived'
      }
      if (typeof next === 'string') return next
      if ('title' in next) return hold(next)
      current = await updateEntry(db, current, { basis: next })
      continue
    }
    const { title, detail = '', errors = [] } = problem
    const fields = errors.map(({ pointer, message }) => `${pointer.replace(/^\//, '')} ${message}.`)
    const { conflictingId } = problem as { conflictingId?: string }
    return hold({ title, detail: [detail, ...fields].join(' '), ...(conflictingId !== undefined && { conflictingId }) })
  }
  return 'skipped'
}

const TOO_OLD: HoldReason = {
  title: 'The service may have already received this entry.',
  detail:
    'The entry was first sent more than 6 days ago, and the response was lost. Check the record. Then send the entry again or delete it.',
}

const REJECTED_IN_BETWEEN: HoldReason = {
  title: 'The request did not reach the service.',
  detail:
    'A system between this phone and the service, such as a proxy, rejected the entry. Send the entry again over a different connection, or ask the office.',
}

const GONE: HoldReason = {
  title: 'The record cannot be read.',
  detail: 'The record no longer exists, or you no longer have permission to read it. Delete this entry.',
}

/**
 * Sends the request. Returns null if there is no response. In this case, it is unknown whether the service performed
 * the request.
 */
async function request(
  { baseUrl, fetch }: Connection,
  { id, method, path, body, basis, hasFile }: Entry,
  bytes: ArrayBuffer | undefined,
): Promise<{ status: number; body: unknown } | null> {
  const headers: Record<string, string> = {}
  if (hasFile) headers['Content-Type'] = 'application/octet-stream'
  else if (body !== null) headers['Content-Type'] = 'application/json'
  if (method === 'POST') headers['Idempotency-Key'] = id
  if (basis !== null) headers['If-Match'] = `"${basis.version}"`
  try {
    const response = await fetch(`${baseUrl}${path}`, {
      ...{ method, headers, signal: AbortSignal.timeout(hasFile ? FILE_TIMEOUT_MS : TIMEOUT_MS) },
      body: hasFile ? (bytes ?? null) : body === null ? null : JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, body: parseJson(text) }
  } catch {
    return null
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function readId(body: unknown): string | null {
  const { id } = (body ?? {}) as { id?: unknown }
  return typeof id === 'string' ? id : null
}

/**
 * Reads the record that another user changed. Returns the basis for the next attempt if the fields on which the entry
 * depends are unchanged. Returns `arrived` if the record already has the values of the entry. Otherwise, returns the
 * reason to hold the entry.
 */
async function rebase(
  connection: Connection,
  { method, body }: Entry,
  basis: Basis,
): Promise<Basis | HoldReason | Exclude<EntryOutcome, 'held'>> {
  let response: Response
  let text: string
  try {
    response = await connection.fetch(`${connection.baseUrl}${basis.path}`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    text = await response.text()
  } catch {
    return 'offline'
  }
  if (response.status === 401) return 'signed out'
  if (response.status === 403 || response.status === 404) return GONE
  if (response.status === 429) return 'busy'
  const record = parseJson(text) as Record<string, unknown> | null
  if (!response.ok || record === null) return 'skipped'
  // The service may have performed an earlier attempt whose response was lost. A POST does not need this check, because
  // it has an idempotency key.
  if (method === 'PATCH' && contains(record, body)) return 'arrived'
  const changed = Object.entries(basis.fields)
    .filter(([field, seen]) => !contains(record[field], seen))
    .map(([field, seen]) => ({ field, seen, current: record[field] }))
  if (changed.length === 0) return { ...basis, version: Number(record.version) }
  return {
    title: 'Another user changed this record.',
    detail: 'Compare the two versions. Then send your version anyway or delete it.',
    changed,
  }
}

/**
 * Returns whether a value contains all parts of another value. The record may contain more, because the service adds
 * default values.
 */
function contains(value: unknown, part: unknown): boolean {
  if (typeof value !== 'object' || typeof part !== 'object' || value === null || part === null) return value === part
  if (Array.isArray(part) && !(Array.isArray(value) && value.length === part.length)) return false
  return Object.entries(part).every(([name, inner]) => contains((value as Record<string, unknown>)[name], inner))
}
