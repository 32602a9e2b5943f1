import type { FieldClock, FieldDay } from '../../../client/contract.gen.ts'

/** The lists of a day whose records an entry can change. */
type ChangedPart = 'tasks' | 'inspections' | 'punchItems' | 'walkthroughs' | 'logs'

/**
 * The change that an entry makes to the stored day. The phone shows the change before the service has received the
 * entry.
 */
export type DayChange =
  | { [Part in ChangedPart]: { part: Part; id: string; set: Partial<FieldDay[Part][number]> } }[ChangedPart]
  | { [Part in ChangedPart]: { part: Part; add: FieldDay[Part][number] } }[ChangedPart]
  | { part: ChangedPart; remove: string }
  | { part: 'clock'; set: FieldClock | null }

/**
 * The fields that the user saw when making an entry that uses If-Match. If only other fields of the record change in
 * the meantime, such as the dates of a task, there is no conflict.
 */
export interface Basis {
  /** The path of the record. `{recordId}` has the same meaning as in the path of the entry. */
  path: string
  version: number
  fields: Readonly<Record<string, unknown>>
}

/** The reason why an entry is not sent until the user makes a decision. */
export interface HoldReason {
  title: string
  detail: string
  /** The fields that another user changed: the name, the value that the user saw, and the current value. */
  changed?: readonly { field: string; seen: unknown; current: unknown }[]
  /** The ID of the record that prevents the request, if the service returned it. */
  conflictingId?: string
}

/** A change that has not been sent yet. */
export interface Entry {
  /** The position in the order in which the entries were made. The database assigns it. */
  sequence: number
  /** The ID of the entry, which is also the Idempotency-Key of its request. */
  id: string
  /** The user's action, such as "Complete Framing". */
  title: string
  /** The place of the action, such as "Lot 14". */
  place: string
  method: 'POST' | 'PATCH'
  /**
   * The path and query of the request. `{recordId}` stands for the ID of the record that the entry in `dependsOn`
   * creates.
   */
  path: string
  /** The JSON body. Null if the body is the stored file or if there is no body. */
  body: object | null
  hasFile: boolean
  /**
   * The record to which the entry belongs. Entries for the same record are sent in order. If one is held, later ones
   * wait.
   */
  about: string
  /** The ID of an entry that must be sent first. Null after the service has received that entry. */
  dependsOn: string | null
  basis: Basis | null
  changes: readonly DayChange[]
  userId: string
  organizationId: string
  enteredAt: string
  /**
   * The time of the first attempt after which it is unknown whether the service received the entry. Null if there is no
   * such attempt, or if the last response was definite.
   */
  firstSentAt: string | null
  held: HoldReason | null
}

/** An entry in the form in which the screens create it. */
export type NewEntry = Pick<Entry, 'title' | 'place' | 'method' | 'path' | 'about'> &
  Partial<Pick<Entry, 'body' | 'basis' | 'changes'>> & {
    file?: StoredFile
    /** The ID of an entry that must be sent first. */
    after?: string
  }

/**
 * The bytes of a file that has not been sent yet. Bytes are stored instead of a Blob, because Safari has lost stored
 * Blobs in the past.
 */
export interface StoredFile {
  bytes: ArrayBuffer
  type: string
}
