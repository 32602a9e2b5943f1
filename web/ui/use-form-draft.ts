import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useLocation } from 'react-router'
import { savedChange } from '../api/saved-change.ts'
import { fillControl, findStorableControl, isSameControl, readControl } from './form-controls.ts'
import { type ControlDraft, deleteDraft, readDraft, writeDraft } from './form-drafts.ts'
import { setFormUnsaved } from './unsaved-forms.ts'

/** Entries of a form that belong to no named control, such as chosen records or the number of rows. */
export interface FormEntries<Entries> {
  current: Entries
  isChanged: boolean
  restore(entries: Entries): void
  /** Whether the named controls only show these entries. If true, the controls are not stored. */
  isWhole?: boolean
}

/** The functions that discard the drafts of open forms, by the ID of the form. Buttons of dialogs call them. */
const openForms = new Map<string, () => void>()

/** Deletes the draft of an open form after the user has decided to discard the entries. */
export function discardDraft(formId: string): void {
  openForms.get(formId)?.()
}

/**
 * Stores the entries of a form in this browser until they are saved, so that they are not lost if the session ends or
 * the user closes the window or leaves the page by mistake. Fills in the entries when the form is opened again. Returns
 * the time of the restored entries, or null if there are none.
 */
export function useFormDraft<Entries>(options: {
  form: RefObject<HTMLFormElement | null>
  id: string
  /** Identifies the form on its page; null for a form that saves nothing, such as the input of a report. */
  name: string | null
  entries: FormEntries<Entries> | undefined
  /** The error of the last submission. */
  error: unknown
}): { restoredAt: number | null; noteSubmit(): void; undo(): void } {
  const { form, id, name, entries, error } = options
  const { pathname } = useLocation()
  // A form belongs to the page on which it was opened, even while the next page loads.
  const [key] = useState(name === null ? null : `${pathname} ${name}`)
  const [restoredAt, setRestoredAt] = useState<number | null>(null)
  const latest = useRef(entries)
  latest.current = entries
  const [initial] = useState(entries?.current)
  const state = useMemo(() => new DraftState(), [])

  const store = useCallback(() => {
    if (key === null) return
    const own = latest.current
    if (state.controls.length === 0 && own?.isChanged !== true) return
    state.isSubmitted = false
    setFormUnsaved(state, true)
    writeDraft(key, {
      at: Date.now(),
      controls: state.controls,
      ...(own?.isChanged === true && { entries: own.current }),
    })
  }, [key, state])
  const forget = useCallback(() => {
    state.controls = []
    state.pending = []
    state.isSubmitted = false
    setFormUnsaved(state, false)
    if (key !== null) deleteDraft(key)
    setRestoredAt(null)
  }, [key, state])

  useEffect(() => {
    const element = form.current
    if (element === null || key === null) return
    const isWhole = latest.current?.isWhole === true
    const draft = readDraft(key)
    const note = (event: Event) => {
      const control = isWhole ? null : findStorableControl(event.target)
      if (control === null) return
      const changed = readControl(control)
      state.controls = [...state.controls.filter((one) => !isSameControl(one, changed)), changed]
      store()
    }
    element.addEventListener('input', note)
    element.addEventListener('change', note)
    const fillPending = () => {
      for (const one of state.pending) {
        const before = fillControl(element, one)
        if (before === null) continue
        state.pending = state.pending.filter((other) => other !== one)
        state.replaced.push(before)
      }
    }
    // Waits for controls that are added later because they depend on loaded data or on other entries.
    const observer = new MutationObserver(fillPending)
    if (draft !== null) {
      state.pending = draft.controls
      if (draft.entries !== undefined) latest.current?.restore(draft.entries as Entries)
      fillPending()
      observer.observe(element, { childList: true, subtree: true })
      setRestoredAt(draft.at)
    }
    const stopListening = savedChange.listen(() => {
      if (state.isSubmitted) forget()
    })
    openForms.set(id, forget)
    return () => {
      element.removeEventListener('input', note)
      element.removeEventListener('change', note)
      observer.disconnect()
      stopListening()
      openForms.delete(id)
      setFormUnsaved(state, false)
    }
  }, [form, id, key, state, store, forget])

  // Ensures that rejected entries stay unsaved when another change succeeds.
  useEffect(() => {
    if (error !== null && error !== undefined) state.isSubmitted = false
  }, [error, state])

  const entered = entries?.isChanged === true ? entries.current : undefined
  useEffect(store, [store, entered])

  return {
    restoredAt,
    noteSubmit() {
      state.isSubmitted = true
    },
    undo() {
      const { replaced } = state
      if (initial !== undefined) latest.current?.restore(initial)
      if (form.current !== null) for (const one of replaced.toReversed()) fillControl(form.current, one)
      state.replaced = []
      forget()
    },
  }
}

/** The state that a form keeps between renderings. */
class DraftState {
  /** The controls that the user has changed. */
  controls: readonly ControlDraft[] = []
  /** The restored entries whose controls do not exist yet. */
  pending: readonly ControlDraft[] = []
  /** The entries that the draft has replaced. */
  replaced: ControlDraft[] = []
  /** Whether the user has submitted the entries and not changed them since. */
  isSubmitted = false
}
