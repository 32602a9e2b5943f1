import { changeDay, replaceEntryId } from './change-day.ts'
import type { FieldDatabase } from './database.ts'
import type { Basis, Entry, HoldReason, NewEntry } from './entry.ts'

/** The user who makes the entries. Entries are never sent as another user. */
export interface Author {
  userId: string
  organizationId: string
}

/**
 * Stores entries with their files in one transaction, in the order in which they must be sent. An entry for a record
 * that does not exist yet waits for the entry that creates the record. Returns the IDs of the entries.
 */
export async function addEntries(
  db: FieldDatabase,
  { userId, organizationId }: Author,
  added: readonly NewEntry[],
  now: Date,
): Promise<string[]> {
  const transaction = db.transaction(['entries', 'files'], 'readwrite')
  const ids: string[] = []
  const waiting = await transaction.objectStore('entries').getAll()
  for (const { file, after, body = null, basis: given = null, changes = [], ...rest } of added) {
    const id = crypto.randomUUID()
    // Until the service has created the record, the stored day shows it with the ID of the entry that creates it.
    const creator = waiting.find((other) => rest.path.includes(other.id))
    const { path, basis } =
      creator === undefined ? { path: rest.path, basis: given } : toPlaceholder(rest.path, given, creator.id)
    const dependsOn = after === 'previous' ? (ids.at(-1) ?? null) : (after ?? creator?.id ?? null)
    const entry: Omit<Entry, 'sequence'> = {
      ...{
        ...rest,
        path,
        id,
        body,
        basis,
        changes: replaceEntryId(changes, '', id),
        hasFile: file !== undefined,
        dependsOn,
      },
      ...{ userId, organizationId, enteredAt: now.toISOString(), firstSentAt: null, held: null },
    }
    // The database assigns the sequence number.
    await transaction.objectStore('entries').add(entry as Entry)
    if (file !== undefined) await transaction.objectStore('files').add(file, id)
    ids.push(id)
  }
  await transaction.done
  return ids
}

function toPlaceholder(path: string, basis: Basis | null, entryId: string): { path: string; basis: Basis | null } {
  return {
    path: path.replace(entryId, '{recordId}'),
    basis: basis === null ? null : { ...basis, path: basis.path.replace(entryId, '{recordId}') },
  }
}

/** Returns the entries that the service has not received yet, in order. */
export function listEntries(db: FieldDatabase): Promise<Entry[]> {
  return db.getAll('entries')
}

/**
 * Removes an entry that the service has received. In the same transaction, applies its changes to the stored day and
 * releases the entries that depend on it. `recordId` is the ID of the record in the response, or null if the response
 * is not known.
 */
export async function completeEntry(db: FieldDatabase, entry: Entry, recordId: string | null): Promise<void> {
  const transaction = db.transaction(['entries', 'files', 'days'], 'readwrite')
  const entries = transaction.objectStore('entries')
  await entries.delete(entry.sequence)
  await transaction.objectStore('files').delete(entry.id)
  for (const other of await entries.getAll()) {
    if (other.dependsOn !== entry.id) continue
    const released: Entry = { ...other, dependsOn: null }
    if (recordId !== null) {
      released.path = other.path.replace('{recordId}', recordId)
      released.changes = replaceEntryId(other.changes, entry.id, recordId)
      if (other.basis !== null)
        released.basis = { ...other.basis, path: other.basis.path.replace('{recordId}', recordId) }
    } else if (other.path.includes('{recordId}')) released.held = RECORD_UNKNOWN
    await entries.put(released)
  }
  const days = transaction.objectStore('days')
  const stored = await days.get('last')
  if (stored !== undefined && stored.userId === entry.userId) {
    const changes = recordId === null ? entry.changes : replaceEntryId(entry.changes, entry.id, recordId)
    await days.put({ ...stored, day: changeDay(stored.day, changes), etag: null }, 'last')
  }
  await transaction.done
}

const RECORD_UNKNOWN: HoldReason = {
  title: 'The record cannot be found.',
  detail:
    'The record was created, but its ID is no longer stored on this phone. Delete this entry and add it to the record again.',
}

/** Updates an entry. Does nothing if the user has deleted it in the meantime. */
export async function updateEntry(db: FieldDatabase, entry: Entry, changes: Partial<Entry>): Promise<Entry> {
  const transaction = db.transaction('entries', 'readwrite')
  const changed = { ...entry, ...changes }
  if ((await transaction.store.get(entry.sequence)) !== undefined) await transaction.store.put(changed)
  await transaction.done
  return changed
}

/**
 * Releases a held entry, so that it is sent again. If `overwrites` is true, the entry is sent even if other users have
 * changed the record.
 */
export async function retryEntry(db: FieldDatabase, entry: Entry, overwrites = false): Promise<void> {
  await updateEntry(db, entry, { held: null, firstSentAt: null, ...(overwrites && { basis: null }) })
}

/** Deletes an entry and the entries that depend on it. */
export async function deleteEntry(db: FieldDatabase, entry: Entry): Promise<void> {
  const transaction = db.transaction(['entries', 'files'], 'readwrite')
  const entries = transaction.objectStore('entries')
  const gone = new Set([entry.id])
  for (const other of await entries.getAll()) {
    if (!gone.has(other.id) && !(other.dependsOn !== null && gone.has(other.dependsOn))) continue
    gone.add(other.id)
    await entries.delete(other.sequence)
    await transaction.objectStore('files').delete(other.id)
  }
  await transaction.done
}
