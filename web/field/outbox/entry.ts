import type { FieldClock, FieldDay } from '../../../client/contract.gen.ts'

/** Lists of a field day with records that an entry can change. */
type ChangedPart = 'tasks' | 'inspections' | 'punchItems' | 'walkthroughs' | 'logs'

/** How an entry changes the stored day, so that the phone shows the change before the service receives it. */
export type DayChange =
  | { [Part in ChangedPart]: { part: Part; id: string; set: Partial<FieldDay[Part][number]> } }[ChangedPart]
  | { [Part in ChangedPart]: { part: Part; add: FieldDay[Part][number] } }[ChangedPart]
  | { part: ChangedPart; remove: string }
  | { part: 'clock'; set: FieldClock | null }

/**
 * Basis of an entry with If-Match: the fields that the user saw when making the entry. Other fields of the record, such
 * as the dates of a task, can change in the meantime without a conflict.
 */
export interface Basis {
  /** Path of the record. `{recordId}` has the same meaning as in the path of the entry. */
  path: string
  version: number
  fields: Readonly<Record<string, unknown>>
}

/** Reason that an entry is not sent until the user decides. */
export interface HoldReason {
  title: string
  detail: string
  /** Fields that another user changed: the name, the value that the user saw, and the current value. */
  changed?: readonly { field: string; seen: unknown; current: unknown }[]
  /** ID of the record that prevents the request, if the service returned it. */
  conflictingId?: string
}

/** A change that waits to be sent. */
export interface Entry {
  /** Order in which the entries were made. Assigned by the database. */
  sequence: number
  /** ID of the entry, which is also the Idempotency-Key of the request. */
  id: string
  /** Action of the user, for example "Complete Framing". */
  title: string
  /** Place, for example "Lot 14". */
  place: string
  method: 'POST' | 'PATCH'
  /** Path and query. `{recordId}` is the ID of the record that the entry `dependsOn` creates. */
  path: string
  /** JSON body. Null if the body is the stored file or if there is no body. */
  body: object | null
  hasFile: boolean
  /** Entries for the same record are sent in order. If one of them is held, later entries wait. */
  about: string
  /** ID of the entry that must arrive first. Null after it has arrived. */
  dependsOn: string | null
  basis: Basis | null
  changes: readonly DayChange[]
  userId: string
  organizationId: string
  enteredAt: string
  /**
   * Timestamp of the first attempt that received no definite response. Null if there was none or if the last response
   * was definite.
   */
  firstSentAt: string | null
  held: HoldReason | null
}

/** An entry as the screens create it. */
export type NewEntry = Pick<Entry, 'title' | 'place' | 'method' | 'path' | 'about'> &
  Partial<Pick<Entry, 'body' | 'basis' | 'changes'>> & {
    file?: StoredFile
    /** Entry that must arrive first. */
    after?: string
  }

/** Bytes of a file that waits to be sent. The bytes are stored because Safari has lost stored blobs in the past. */
export interface StoredFile {
  bytes: ArrayBuffer
  type: string
}
