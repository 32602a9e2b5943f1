import { useRef, useState } from 'react'

/**
 * Runs the work of a screen or row that disappears after its entries are stored. A second tap is ignored, because each
 * tap would store entries of its own. If the work fails, the user can save again.
 */
export function useSaveOnce(): { isSaving: boolean; saveOnce(work: () => Promise<void>): void } {
  // The state changes only with the next rendering, which can be later than the second tap.
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
