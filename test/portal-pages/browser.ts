import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'

/** A vendor's browser, which runs no script: all that the portal's pages do has to work without. */
export interface Visitor {
  readonly page: Page
  /** What the page tried to load from elsewhere, and what the browser complained of. */
  readonly complaints: readonly string[]
  close(): Promise<void>
}

export interface Look {
  width?: number
  scheme?: 'light' | 'dark'
  locale?: string
  /** Only what judges a page runs scripts. */
  withScripts?: boolean
}

export async function visitor(browser: Browser, origin: string, look: Look = {}): Promise<Visitor> {
  const { width = 390, scheme = 'light', locale = 'en-US', withScripts = false } = look
  const context = await browser.newContext({
    ...{ viewport: { width, height: 850 }, colorScheme: scheme, locale, javaScriptEnabled: withScripts },
    // axe itself is not in the policy of the pages.
    ...(withScripts && { bypassCSP: true }),
  })
  const complaints: string[] = []
  // Watched and not intercepted, because the browser reaches nothing beyond this machine.
  context.on('request', (request) => {
    const url = request.url()
    if (/^(https?|wss?):/.test(url) && !url.startsWith(`${origin}/`)) complaints.push(`it loads ${url}`)
  })
  const page = await context.newPage()
  page.on('console', (message) => {
    // A page that refuses something says so by its status, which the browser notes as well.
    const isStatus = message.text().startsWith('Failed to load resource')
    if (message.type() !== 'info' && message.type() !== 'log' && !isStatus) complaints.push(message.text())
  })
  return { page, complaints, close: () => context.close() }
}

export function expectNoComplaints({ complaints }: Visitor): void {
  expect(complaints).toEqual([])
}

/** Keeps a picture of a page where PORTAL_SCREENSHOTS names a folder, for somebody to look at. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env.PORTAL_SCREENSHOTS
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true })
}
