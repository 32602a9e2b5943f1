import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'

/** A vendor's browser, without scripts, because the portal must work without them. */
export interface Visitor {
  readonly page: Page
  /** The URLs of other origins that the page tried to load, and the error messages of the browser. */
  readonly complaints: readonly string[]
  close(): Promise<void>
}

export interface VisitorOptions {
  width?: number
  scheme?: 'light' | 'dark'
  locale?: string
  /** Whether scripts run. Only some checks of a page need scripts. */
  withScripts?: boolean
  /** A cookie that the browser already has. */
  cookie?: { name: string; value: string }
}

export async function openVisitor(browser: Browser, origin: string, look: VisitorOptions = {}): Promise<Visitor> {
  const { width = 390, scheme = 'light', locale = 'en-US', withScripts = false, cookie } = look
  const context = await browser.newContext({
    ...{ viewport: { width, height: 850 }, colorScheme: scheme, locale, javaScriptEnabled: withScripts },
    // Bypasses the Content-Security-Policy of the pages, which does not allow axe.
    ...(withScripts && { bypassCSP: true }),
  })
  if (cookie !== undefined) await context.addCookies([{ ...cookie, url: origin }])
  const complaints: string[] = []
  // Only observes requests instead of intercepting them, because the browser can reach no other machine.
  context.on('request', (request) => {
    const url = request.url()
    if (/^(https?|wss?):/.test(url) && !url.startsWith(`${origin}/`)) complaints.push(`it loads ${url}`)
  })
  const page = await context.newPage()
  page.on('console', (message) => {
    // Ignores the log entry for an error status, which is the expected status of a page that rejects a form.
    const isStatus = message.text().startsWith('Failed to load resource')
    if (message.type() !== 'info' && message.type() !== 'log' && !isStatus) complaints.push(message.text())
  })
  return { page, complaints, close: () => context.close() }
}

/** Switches the network of a window between its full speed and a phone's connection on a building site. */
export interface Network {
  /** Limits the speed to 50 kB/s, with 800 ms until a response begins. */
  slowDown(): Promise<void>
  speedUp(): Promise<void>
}

export async function controlNetwork(page: Page): Promise<Network> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  const limit = async (latency: number, throughput: number) => {
    await session.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency, downloadThroughput: throughput, uploadThroughput: throughput },
    })
  }
  return { slowDown: () => limit(800, 50_000), speedUp: () => limit(0, -1) }
}

export function expectNoComplaints({ complaints }: Visitor): void {
  expect(complaints).toEqual([])
}

/** Saves a screenshot of a page if PORTAL_SCREENSHOTS contains the path of a folder. */
export async function savePicture(page: Page, name: string): Promise<void> {
  const folder = process.env.PORTAL_SCREENSHOTS
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true })
}
