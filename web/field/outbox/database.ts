import { type DBSchema, openDB } from 'idb'
import type { FieldDay } from '../../../client/contract.gen.ts'
import type { Entry, StoredFile } from './entry.ts'

/** A superintendent whose day another user has opened. */
export interface Superintendent {
  id: string
  name: string
}

/** The day as it was last read, and the user who read it. */
export interface StoredDay {
  day: FieldDay
  etag: string | null
  userId: string
  userName: string
  email: string
  organizationId: string
  /** The superintendent whose day is stored. Null if it is the user's own day. */
  superintendent: Superintendent | null
  permissions: readonly string[]
  /** The time at which the day was read. */
  readAt: string
}

/**
 * A revision of a drawing that the user has stored on the phone. A newer revision does not replace it automatically.
 */
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
  /** The files by the ID of the entry that sends them. */
  files: { key: string; value: StoredFile }
  drawings: { key: [homeId: string, drawingId: string]; value: KeptDrawing }
}

/** Opens the database on the phone. It keeps the last day and the entries after the page is closed. */
export async function openFieldDatabase(name = 'plumbline-field') {
  const db = await openDB<FieldSchema>(name, 4, {
    upgrade(db, oldVersion, _, transaction) {
      if (oldVersion < 1) {
        db.createObjectStore('days')
        db.createObjectStore('entries', { keyPath: 'sequence', autoIncrement: true })
        db.createObjectStore('files')
      }
      if (oldVersion < 2) db.createObjectStore('drawings', { keyPath: ['homeId', 'drawingId'] })
      // An earlier day has no walkthroughs or no superintendent. The day is read again.
      if (oldVersion < 4) void transaction.objectStore('days').clear()
    },
    // Closes the database, so that a window with an earlier version of the page does not block the upgrade.
    blocking: () => db.close(),
  })
  return db
}

export type FieldDatabase = Awaited<ReturnType<typeof openFieldDatabase>>
