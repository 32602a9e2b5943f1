import { showToast } from './toast.tsx'

/** Copies a text and shows a toast. `what` describes the text in the toast. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    showToast(`${what} copied`)
  } catch {
    // Without HTTPS, or if the user has denied access, the clipboard is not available. The user can then select the
    // text on the page.
    showToast(`${what} could not be copied. Select the text and copy it.`)
  }
}
