import { useRef, useState } from 'react'

/**
 * Returns a function that saves the entries of a screen or row only once. A second tap is ignored, because it would
 * store the same entries again. If saving fails, the user can try again.
 */
export function useSaveOnce(): { isSaving: boolean; saveOnce(work: () => Promise<void>): void } {
  // A ref is needed, because the state changes only at the next rendering, which may be after the second tap.
  const hasStarted = useRef(false)
  const [isSaving, setSaving] = useState(false)
  const allowSaving = (isAllowed: boolean) => {
    hasStarted.current = !isAllowed
    setSaving(!isAllowed)
  }
  const saveOnce = (work: () => Promise<void>) => {
    if (hasStarted.current) return
    allowSaving(false)
    work().catch((error: unknown) => {
      allowSaving(true)
      throw error
    })
  }
  return { isSaving, saveOnce }
}
