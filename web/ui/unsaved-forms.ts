import { useSyncExternalStore } from 'react'

/** The forms on the page with entries that are not saved yet. */
const unsaved = new Set<object>()
const listeners = new Set<() => void>()

export function hasUnsavedForm(): boolean {
  return unsaved.size > 0
}

/** Returns whether any form has unsaved entries, and renders the component again when this changes. */
export function useHasUnsavedForm(): boolean {
  return useSyncExternalStore(subscribe, hasUnsavedForm)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Adds or removes a form. While any form has unsaved entries, the browser asks before it closes or reloads the page. */
export function setFormUnsaved(form: object, isUnsaved: boolean): void {
  if (isUnsaved) unsaved.add(form)
  else unsaved.delete(form)
  // A browser cannot keep a page with this listener for the Back button, so the listener exists only while needed.
  if (unsaved.size > 0) addEventListener('beforeunload', warn)
  else removeEventListener('beforeunload', warn)
  for (const listener of listeners) listener()
}

function warn(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
