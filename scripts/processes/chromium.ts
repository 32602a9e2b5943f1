import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

/** A Chromium on this machine, from CHROMIUM_PATH or under one of its usual names; null if there is none. */
export function findChromium(): string | null {
  const { CHROMIUM_PATH } = process.env
  if (CHROMIUM_PATH !== undefined) return CHROMIUM_PATH
  const onMac = [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ]
  const found = onMac.find(existsSync)
  if (found !== undefined) return found
  for (const name of ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']) {
    try {
      return execFileSync('which', [name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
    } catch {
      // Not under this name.
    }
  }
  console.error(
    '### No Chromium on this machine (set CHROMIUM_PATH): what has to be seen in a browser is NOT tested. ###',
  )
  return null
}

export function launchChromium(executablePath: string): Promise<Browser> {
  // As root, which a container often is, Chromium only runs without its sandbox.
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
}

/** A page of a given width that can reach one origin and no other. */
export interface Seen {
  readonly page: Page
  /** What the page tried to load from elsewhere; all of it was blocked. */
  readonly strayed: readonly string[]
  /** Script errors and console errors, including violations of the Content-Security-Policy. */
  readonly complaints: readonly string[]
  close(): Promise<void>
}

export async function openPage(
  browser: Browser,
  origin: string,
  width: number,
  options: Pick<BrowserContextOptions, 'colorScheme' | 'reducedMotion'> = {},
): Promise<Seen> {
  const context: BrowserContext = await browser.newContext({ viewport: { width, height: 850 }, ...options })
  const strayed: string[] = []
  const complaints: string[] = []
  await context.route('**', (route) => {
    const url = route.request().url()
    if (url.startsWith(`${origin}/`)) return route.continue()
    strayed.push(url)
    return route.abort()
  })
  const page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  return { page, strayed, complaints, close: () => context.close() }
}
