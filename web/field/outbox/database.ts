import { type DBSchema, openDB } from 'idb'
import type { FieldDay } from '../../../client/contract.gen.ts'
import type { Entry, StoredFile } from './entry.ts'

/** The last day that was read, and its user. */
export interface StoredDay {
  day: FieldDay
  etag: string | null
  userId: string
  userName: string
  email: string
  organizationId: string
  permissions: readonly string[]
  /** Timestamp at which the day was read. */
  readAt: string
}

/** A revision of a drawing that the user stored on the phone. A newer revision does not replace it. */
export interface KeptDrawing {
  homeId: string
  drawingId: string
  sheetNumber: string
  title: string
  revision: number
  label: string
  contentType: string
  bytes: ArrayBuffer
}

export interface FieldSchema extends DBSchema {
  days: { key: 'last'; value: StoredDay }
  entries: { key: number; value: Entry }
  /** File, by the ID of the entry that sends it. */
  files: { key: string; value: StoredFile }
  drawings: { key: [homeId: string, drawingId: string]; value: KeptDrawing }
}

/** Opens the database on the phone. The last day and the entries remain in it when the page is closed. */
export async function openFieldDatabase(name = 'plumbline-field') {
  const db = await openDB<FieldSchema>(name, 3, {
    upgrade(db, oldVersion, _, transaction) {
      if (oldVersion < 1) {
        db.createObjectStore('days')
        db.createObjectStore('entries', { keyPath: 'sequence', autoIncrement: true })
        db.createObjectStore('files')
      }
      if (oldVersion < 2) db.createObjectStore('drawings', { keyPath: ['homeId', 'drawingId'] })
      // An earlier day has no walkthroughs. The day is read again.
      if (oldVersion < 3) void transaction.objectStore('days').clear()
    },
    // Another window with an earlier version of the page must not block the upgrade.
    blocking: () => db.close(),
  })
  return db
}

export type FieldDatabase = Awaited<ReturnType<typeof openFieldDatabase>>
