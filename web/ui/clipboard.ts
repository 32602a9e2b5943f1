import { say } from './toast.tsx'

/** Copies a text, and says what it was. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    say(`${what} copied`)
  } catch {
    // Without HTTPS, and where the user said no, there is no clipboard; the text is on the page to be marked.
    say(`${what} could not be copied. Select the text and copy it.`)
  }
}
