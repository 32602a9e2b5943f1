import { useSyncExternalStore } from 'react'
import type { DailyLog, DailyLogCreate, FieldDay, Session } from '../../../client/contract.gen.ts'
import { changeDay } from '../outbox/change-day.ts'
import { type FieldDatabase, openFieldDatabase, type StoredDay, type Superintendent } from '../outbox/database.ts'
import type { Entry, NewEntry } from '../outbox/entry.ts'
import { addEntries, deleteEntry, listEntries, retryEntry, updateEntry } from '../outbox/outbox.ts'
import { type Connection, type RunEnd, sendEntries } from '../outbox/send-entries.ts'
import { addToLog } from './actions.ts'
import { root } from './root.ts'

/** The state that the screens show. */
export interface FieldState {
  /** The day as it was last read; null before the first time. */
  stored: StoredDay | null
  /** The day including the changes of entries that have not been sent; null before the day is first read. */
  day: FieldDay | null
  entries: readonly Entry[]
  /** The result of the last attempt to reach the service; null before the first attempt. */
  lastRun: RunEnd | null
  isSyncing: boolean
  /** A message about the last action, such as "Framing completed". */
  notice: string | null
}

/** The interval at which the phone sends the entries in the outbox, and the age at which it reads the day again. */
const SEND_INTERVAL_MS = 30_000
const MAX_DAY_AGE_MS = 5 * 60_000
const NOTICE_MS = 5000

let state: FieldState = { stored: null, day: null, entries: [], lastRun: null, isSyncing: false, notice: null }
const listeners = new Set<() => void>()
const database: Promise<FieldDatabase> = openFieldDatabase()
const connection: Connection = {
  baseUrl: root,
  fetch: (url, request) => fetch(url, { cache: 'no-store', ...request }),
  now: () => new Date(),
}

export function useField(): FieldState {
  return useSyncExternalStore(subscribe, () => state)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function setState(changes: Partial<FieldState>): void {
  state = { ...state, ...changes }
  for (const listener of listeners) listener()
}

/**
 * Shows the stored day. Then sends the entries and reads the day, and repeats this whenever the phone may have a
 * connection again.
 */
export async function startField(): Promise<void> {
  await showStored()
  void syncField(true)
  addEventListener('online', () => void syncField(true))
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void syncField(false)
  })
  setInterval(() => void syncField(false), SEND_INTERVAL_MS)
}

async function showStored(): Promise<void> {
  const db = await database
  const [stored = null, entries] = await Promise.all([db.get('days', 'last'), listEntries(db)])
  const own = stored === null ? [] : entries.filter((entry) => entry.userId === stored.userId)
  const day = stored === null ? null : own.reduce((day, { changes }) => changeDay(day, changes), stored.day)
  setState({ stored, day, entries })
}

/** Stores entries, shows their effect, and sends them if there is a connection. */
export async function recordEntries(added: readonly NewEntry[], notice: string): Promise<void> {
  const { stored } = state
  if (stored === null) return
  await addEntries(await database, stored, added, new Date())
  // Requests persistent storage. Otherwise, browsers delete the data of pages that are rarely opened.
  void navigator.storage?.persist?.()
  await showStored()
  showNotice(notice)
  void syncField(false)
}

export async function retryHeldEntry(entry: Entry, overwrites: boolean): Promise<void> {
  await retryEntry(await database, entry, overwrites)
  await showStored()
  void syncField(false)
}

/** Returns whether an entry creates a daily log for a day that already has a log. */
export function isForExistingLog({ held, path }: Entry): boolean {
  return held?.conflictingId !== undefined && path === '/api/ext/daily-logs'
}

/** Changes the entry of a new daily log, so that it adds its content to the existing log of the day instead. */
export async function addToExistingLog(entry: Entry): Promise<void> {
  const path = `/api/ext/daily-logs/${entry.held?.conflictingId}`
  const response = await connection.fetch(`${root}${path}`, {}).catch(() => null)
  if (!response?.ok) return showNotice('The log could not be loaded. Try again when you are online.')
  const log = (await response.json()) as DailyLog
  const { status, version, workDone, crews, safety } = log
  const db = await database
  // A log that has already been submitted does not need to be submitted again.
  if (status !== 'draft') {
    const submits = (await listEntries(db)).filter(
      ({ dependsOn, path }) => dependsOn === entry.id && path.endsWith('/submit'),
    )
    for (const submit of submits) await deleteEntry(db, submit)
  }
  await updateEntry(db, entry, {
    ...{ title: 'Add to the daily log', method: 'PATCH', path, body: addToLog(log, entry.body as DailyLogCreate) },
    ...{ basis: { path, version, fields: { workDone, crews, safety } }, changes: [], held: null, firstSentAt: null },
  })
  await showStored()
  void syncField(false)
}

export async function discardEntry(entry: Entry): Promise<void> {
  await deleteEntry(await database, entry)
  await showStored()
}

let noticeTimer: ReturnType<typeof setTimeout> | undefined
export function showNotice(notice: string): void {
  clearTimeout(noticeTimer)
  setState({ notice })
  noticeTimer = setTimeout(() => setState({ notice: null }), NOTICE_MS)
}

let running: Promise<void> | null = null
/** Set if another run follows the current one. `readsDay` is whether that run reads the day. */
let nextRun: { readsDay: boolean } | null = null

/**
 * Sends the entries. Then reads the day if it is outdated or `readsDay` is true. If a run is already in progress, one
 * more run follows it.
 */
export async function syncField(readsDay: boolean): Promise<void> {
  if (running !== null) {
    nextRun = { readsDay: readsDay || nextRun?.readsDay === true }
    return running
  }
  running = runOnce(readsDay).finally(() => {
    running = null
  })
  await running
  const next = nextRun
  nextRun = null
  if (next !== null) await syncField(next.readsDay)
}

async function runOnce(readsDay: boolean): Promise<void> {
  const age = state.stored === null ? Number.POSITIVE_INFINITY : Date.now() - Date.parse(state.stored.readAt)
  if (!readsDay && age < MAX_DAY_AGE_MS && !state.entries.some(({ held }) => held === null)) return
  setState({ isSyncing: true })
  try {
    await withLock(async () => {
      const db = await database
      const { end, session, arrived } = await sendEntries(db, connection)
      if (arrived > 0) await showStored()
      const isOtherUser = session !== null && session.user.id !== state.stored?.userId
      // An entry that is skipped repeatedly must not prevent updates of the day.
      const isConnected = session !== null && (end === 'complete' || end === 'busy')
      const read =
        isConnected && (readsDay || arrived > 0 || isOtherUser || age >= MAX_DAY_AGE_MS)
          ? await readDay(db, session)
          : end
      setState({ lastRun: read === 'complete' ? end : read })
    })
  } finally {
    await showStored()
    setState({ isSyncing: false })
  }
}

/** Uses a lock, so that only one window of the page sends entries at a time. */
async function withLock(work: () => Promise<void>): Promise<void> {
  await navigator.locks.request('plumbline-field', work)
}

/** The superintendent whose day is read next. Null is the user; undefined is the superintendent of the stored day. */
let nextSuperintendent: Superintendent | null | undefined

/**
 * Opens the day of a superintendent, or the user's own day if it is null. Shows a message if the day cannot be read
 * now. In this case, the stored day remains.
 */
export async function openDayOf(superintendent: Superintendent | null): Promise<void> {
  // A run that is in progress may already have read the day of the previous superintendent.
  while (running !== null) await running
  nextSuperintendent = superintendent
  await syncField(true)
  nextSuperintendent = undefined
  if (state.stored?.superintendent?.id !== superintendent?.id)
    showNotice('The day could not be loaded. Try again when you are online.')
}

/** Returns the superintendents whose day the user can open. Returns null if the service does not respond. */
export async function readSuperintendents(): Promise<readonly Superintendent[] | null> {
  // The most rows that one page has. A builder has fewer superintendents.
  const path = '/api/ext/users?role=superintendent&sort=name&limit=200'
  const response = await connection.fetch(`${root}${path}`, {}).catch(() => null)
  if (!response?.ok) return null
  return ((await response.json()) as { data: Superintendent[] }).data
}

/** Reads the day of the chosen superintendent, or of the signed-in user, and stores it. */
async function readDay(db: FieldDatabase, session: Session): Promise<RunEnd> {
  const before = await db.get('days', 'last')
  const isSameUser = before?.userId === session.user.id && before.organizationId === session.organization.id
  const superintendent =
    nextSuperintendent === undefined && isSameUser ? before.superintendent : (nextSuperintendent ?? null)
  const isSameDay = isSameUser && before.superintendent?.id === superintendent?.id
  const headers: Record<string, string> = {}
  if (isSameDay && before.etag !== null) headers['If-None-Match'] = before.etag
  let day: FieldDay
  let etag: string | null
  try {
    const superintendentId = superintendent?.id ?? session.user.id
    const response = await connection.fetch(`${root}/api/ext/field/day?superintendentId=${superintendentId}`, {
      headers,
    })
    if (response.status === 401) return 'signed out'
    if (response.status === 304 && isSameDay) ({ day, etag } = before)
    else if (!response.ok) return 'busy'
    else {
      day = (await response.json()) as FieldDay
      etag = response.headers.get('ETag')
    }
  } catch {
    return 'offline'
  }
  const { user, organization, permissions } = session
  const stored: StoredDay = {
    ...{ day, etag, superintendent, permissions, readAt: new Date().toISOString() },
    ...{ userId: user.id, userName: user.name, email: user.email, organizationId: organization.id },
  }
  await db.put('days', stored, 'last')
  return 'complete'
}

/** Deletes the stored day and drawings of the user who signed out. The entries remain until the user signs in again. */
export async function forgetDay(): Promise<void> {
  const db = await database
  await db.delete('days', 'last')
  await db.clear('drawings')
  await showStored()
  setState({ lastRun: 'signed out' })
}
