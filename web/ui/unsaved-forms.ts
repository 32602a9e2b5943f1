import { useSyncExternalStore } from 'react'

/** The forms on the page that have unsaved entries. */
const unsaved = new Set<object>()
const listeners = new Set<() => void>()

export function hasUnsavedForm(): boolean {
  return unsaved.size > 0
}

/** Returns whether any form has unsaved entries. Renders the component again when this changes. */
export function useHasUnsavedForm(): boolean {
  return useSyncExternalStore(subscribe, hasUnsavedForm)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Marks a form as having unsaved entries or not. While any form has unsaved entries, the browser asks before it closes
 * or reloads the page.
 */
export function setFormUnsaved(form: object, isUnsaved: boolean): void {
  if (isUnsaved) unsaved.add(form)
  else unsaved.delete(form)
  // Adds this listener only while needed, because a browser cannot keep a page that has it in memory for the Back
  // button.
  if (unsaved.size > 0) addEventListener('beforeunload', warn)
  else removeEventListener('beforeunload', warn)
  for (const listener of listeners) listener()
}

function warn(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
