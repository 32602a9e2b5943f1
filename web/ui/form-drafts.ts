import { findSession } from '../api/session.ts'

/** The unsaved entries of a form: the controls that the user has changed, and entries that belong to no control. */
export interface Draft {
  /** The time of the last change, in milliseconds. */
  at: number
  controls: readonly ControlDraft[]
  entries?: unknown
}

export interface ControlDraft {
  name: string
  /**
   * The text of the control. For a checkbox or a radio button, its value, which distinguishes controls with the same
   * name.
   */
  value: string
  /** Whether the control is checked. Only for checkboxes and radio buttons. */
  checked?: boolean
}

/**
 * The time for which drafts are kept, in days. They may contain personal data, so the time is only as long as a user is
 * likely to return.
 */
export const DRAFT_DAYS = 7
const DRAFT_MS = DRAFT_DAYS * 86_400_000
/**
 * The maximum number of drafts. Browsers allow about 5 MB for a site. This limit and the next one keep all drafts
 * within 1 MB.
 */
const MAX_DRAFTS = 20
const MAX_DRAFT_LENGTH = 50_000
const PREFIX = 'plumbline draft '
/** Matches the names of entries that are never stored in the browser. */
const PRIVATE_NAME = /password|secret|token|tax_?-?id|ssn|ein$|routing|account_?number/i

/** Returns the signed-in user's draft of a form; null if there is none or it is too old. */
export function readDraft(form: string): Draft | null {
  const key = toStorageKey(form)
  if (key === null) return null
  const draft = readStoredDraft(key)
  return draft !== null && draft.at > Date.now() - DRAFT_MS ? draft : null
}

/** Stores a draft, unless it is too large. */
export function writeDraft(form: string, draft: Draft): void {
  const key = toStorageKey(form)
  if (key === null) return
  const text = JSON.stringify(draft, (name, value: unknown) => (isPrivateName(name) ? undefined : value))
  try {
    if (text.length > MAX_DRAFT_LENGTH) {
      localStorage.removeItem(key)
      return
    }
    const isNew = localStorage.getItem(key) === null
    localStorage.setItem(key, text)
    if (isNew) deleteOldDrafts()
  } catch {
    // Ignores the error if the browser's storage is full or turned off. The page still warns the user before leaving.
  }
}

export function deleteDraft(form: string): void {
  const key = toStorageKey(form)
  if (key !== null) localStorage.removeItem(key)
}

/** Deletes all drafts in this browser, including those of other organizations and previous users. */
export function deleteAllDrafts(): void {
  for (const { key } of listStoredDrafts()) localStorage.removeItem(key)
}

/** Returns whether entries with this name are never stored. */
export function isPrivateName(name: string): boolean {
  return PRIVATE_NAME.test(name)
}

function toStorageKey(form: string): string | null {
  const session = findSession()
  return session === undefined ? null : `${PREFIX}${session.organization.id} ${session.user.id} ${form}`
}

function deleteOldDrafts(): void {
  const oldestFirst = listStoredDrafts().sort((a, b) => a.at - b.at)
  const tooMany = oldestFirst.length - MAX_DRAFTS
  for (const [place, { key, at }] of oldestFirst.entries())
    if (place < tooMany || at < Date.now() - DRAFT_MS) localStorage.removeItem(key)
}

function listStoredDrafts(): { key: string; at: number }[] {
  const keys = Array.from({ length: localStorage.length }, (_, place) => localStorage.key(place))
  return keys.flatMap((key) => (key?.startsWith(PREFIX) === true ? [{ key, at: readStoredDraft(key)?.at ?? 0 }] : []))
}

function readStoredDraft(key: string): Draft | null {
  try {
    const draft: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
    return isDraft(draft) ? draft : null
  } catch {
    return null
  }
}

function isDraft(value: unknown): value is Draft {
  return (
    typeof value === 'object' &&
    value !== null &&
    'at' in value &&
    typeof value.at === 'number' &&
    'controls' in value &&
    Array.isArray(value.controls)
  )
}
