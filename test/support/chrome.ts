import type { Browser } from 'playwright-core'
import { findChromium, launchChromium } from '../../scripts/processes/chromium.ts'

export const chromium = findChromium()

let launched: Promise<Browser> | undefined

/**
 * Returns the browser of this process. A process runs many test files. The first file that needs the browser starts it,
 * each file closes its own windows, and the browser ends with the process.
 */
export async function openChromium(): Promise<Browser> {
  const before = await launched?.catch(() => undefined)
  if (before?.isConnected() === true) return before
  // Vitest ends its processes with this signal. Without this handler, Playwright would only close the browser, and the
  // process would continue.
  if (launched === undefined) process.once('SIGTERM', () => process.exit())
  launched = launchChromium(chromium ?? '')
  return launched
}

/** Closes the windows that a test file has left open, so that the next file starts without any. */
export async function closeWindows(): Promise<void> {
  const browser = await launched?.catch(() => undefined)
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()))
}
