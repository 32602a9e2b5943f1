import type { Browser } from 'playwright-core'
import { findChromium, launchChromium } from '../../scripts/processes/chromium.ts'

export const chromium = findChromium()

let launched: Promise<Browser> | undefined

/**
 * The browser of this process, which runs many test files. The first file that needs the browser starts it, each file
 * closes its own windows, and the browser ends with the process.
 */
export async function openChromium(): Promise<Browser> {
  const before = await launched?.catch(() => undefined)
  if (before?.isConnected() === true) return before
  // Vitest ends its processes with this signal. By itself, Playwright would then only close the browser.
  if (launched === undefined) process.once('SIGTERM', () => process.exit())
  launched = launchChromium(chromium ?? '')
  return launched
}

/** Closes the windows that a file has left open, so that the next file gets a clean browser. */
export async function closeWindows(): Promise<void> {
  const browser = await launched?.catch(() => undefined)
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()))
}
