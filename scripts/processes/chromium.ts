import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import own from '../../package.json' with { type: 'json' }

/** The folder into which the packaged Chromium (211 MB) is unpacked, once for each version. */
const UNPACKED = path.join(import.meta.dirname, `../../dist/chromium-${own.devDependencies['@sparticuz/chromium']}`)

/**
 * Returns the path of Chromium. Uses CHROMIUM_PATH if it is set. Otherwise, uses the package `@sparticuz/chromium` or,
 * if the package does not run, an installed browser with one of the usual names. The package is the same on all
 * machines and needs a third of the processor time of an installed browser. Returns null if there is no browser, for
 * example on a Mac or an ARM machine without an installed browser.
 */
export function findChromium(): string | null {
  const { CHROMIUM_PATH } = process.env
  if (CHROMIUM_PATH !== undefined) return CHROMIUM_PATH
  if (process.platform === 'linux' && process.arch === 'x64') return unpackChromium()
  const found = findInstalled()
  if (found === null) {
    console.error(
      '### No Chromium on this machine (set CHROMIUM_PATH): what has to be seen in a browser is NOT tested. ###',
    )
  }
  return found
}

function findInstalled(): string | null {
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
      // There is no browser with this name.
    }
  }
  return null
}

/**
 * Returns the packaged Chromium, with the libraries and fonts that a minimal container lacks. The first call takes
 * three seconds.
 */
function unpackChromium(): string {
  if (!existsSync(UNPACKED)) {
    mkdirSync(path.dirname(UNPACKED), { recursive: true })
    const folder = mkdtempSync(`${UNPACKED}-`)
    // The package unpacks into TMPDIR. It unpacks its libraries only if AWS_LAMBDA_JS_RUNTIME is set.
    execFileSync(
      process.execPath,
      ['--input-type=module', '-e', "await (await import('@sparticuz/chromium')).default.executablePath()"],
      {
        cwd: import.meta.dirname,
        env: { ...process.env, TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs24.x' },
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    )
    writeFileSync(
      path.join(folder, 'fonts.conf'),
      `<fontconfig><dir>${UNPACKED}/fonts</dir><cachedir>${UNPACKED}/fonts-cache</cachedir></fontconfig>`,
    )
    try {
      renameSync(folder, UNPACKED)
    } catch (error) {
      // Another process has unpacked the browser in the meantime.
      rmSync(folder, { recursive: true })
      if (!existsSync(UNPACKED)) throw error
    }
  }
  return path.join(UNPACKED, 'chromium')
}

/** Starts a browser that can reach only this machine, unless `anywhere` is true. */
export function launchChromium(executablePath: string, options: { anywhere?: boolean } = {}): Promise<Browser> {
  const isPackaged = executablePath.startsWith(UNPACKED)
  // Under root, which is common in containers, Chromium runs only without its sandbox. The packaged Chromium has no
  // sandbox at all.
  const args = isPackaged || process.getuid?.() === 0 ? ['--no-sandbox'] : []
  // Turns off V8's optimizing compilers, which use a tenth of the processor time, because no page here runs long enough
  // to benefit. The baseline compiler compiles functions immediately, which saves a sixth of the time.
  args.push('--js-flags=--no-opt --always-sparkplug')
  if (options.anywhere !== true) args.push(`--host-resolver-rules=${LOCAL_ONLY_RULES}`)
  return chromium.launch({ executablePath, args, ...(isPackaged && { env: createEnvironment() }) })
}

const LOCAL_ONLY_RULES = 'MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1'

/**
 * Returns the environment in which the packaged Chromium finds its libraries and, if the machine has none, its fonts.
 */
function createEnvironment(): NodeJS.ProcessEnv {
  const libraries = path.join(UNPACKED, 'al2023/lib')
  const fonts = existsSync('/etc/fonts/fonts.conf') ? {} : { FONTCONFIG_FILE: path.join(UNPACKED, 'fonts.conf') }
  const { LD_LIBRARY_PATH } = process.env
  return { ...process.env, ...fonts, LD_LIBRARY_PATH: LD_LIBRARY_PATH ? `${libraries}:${LD_LIBRARY_PATH}` : libraries }
}

/** A page of a certain width that should reach only one origin. */
export interface ObservedPage {
  readonly page: Page
  /** The URLs of other origins that the page tried to load. The browser can reach only this machine. */
  readonly strayed: readonly string[]
  /** The errors from scripts and in the console, including violations of the Content-Security-Policy. */
  readonly complaints: readonly string[]
  close(): Promise<void>
}

export async function openPage(
  browser: Browser,
  origin: string,
  width: number,
  options: Pick<BrowserContextOptions, 'colorScheme' | 'reducedMotion'> = {},
): Promise<ObservedPage> {
  const context: BrowserContext = await browser.newContext({ viewport: { width, height: 850 }, ...options })
  const strayed: string[] = []
  const complaints: string[] = []
  // Only observes requests, because intercepting them would disable the browser's cache.
  context.on('request', (request) => {
    const url = request.url()
    if (/^(https?|wss?):/.test(url) && !url.startsWith(`${origin}/`)) strayed.push(url)
  })
  const page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  return { page, strayed, complaints, close: () => context.close() }
}

/**
 * Resolves when a page has loaded: no request is pending, and nothing has changed for half a second. Open connections
 * do not matter, because a page with live updates always has one that waits for events.
 */
export async function waitUntilSettled(page: Page): Promise<void> {
  await page.waitForFunction(
    () => {
      const { document, seen } = globalThis as unknown as {
        document: { body: { innerHTML: string }; querySelector(of: string): unknown }
        seen?: { text: string; since: number }
      }
      const text = document.body.innerHTML
      const isLoading = document.querySelector('.skeleton, [aria-busy="true"]') !== null
      if (!isLoading && seen?.text === text) return performance.now() - seen.since > 500
      Object.assign(globalThis, { seen: { text, since: performance.now() } })
      return false
    },
    undefined,
    { polling: 100 },
  )
}
