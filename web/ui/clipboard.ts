import { showToast } from './toast.tsx'

/** Copies a text and shows a toast that names it. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    showToast(`${what} copied`)
  } catch {
    // Without HTTPS, and where the user said no, there is no clipboard; the text is on the page to be marked.
    showToast(`${what} could not be copied. Select the text and copy it.`)
  }
}
