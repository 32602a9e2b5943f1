import { loadavg } from 'node:os'
import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { findChromium, launchChromium } from '../processes/chromium.ts'
import { startDemoService } from './demo-service.ts'
import { SUPERINTENDENTS } from './phone-screens.ts'
import { createRecordFinder } from './screens.ts'

/**
 * Measures the size and speed of the pages with the demo builder's data and an empty browser cache: `npm run figures`.
 * Exits with 1 if a figure exceeds the promised limit.
 */
const MAX_FIRST_LOAD = 250_000
const MAX_PORTAL_PAGE = 20_000
/** The factor by which the processor is slowed down, to measure the speed on a device such as a phone. */
const SLOWDOWN = 4
const MAX_MS = 1500
/** Limits of the superintendent's page at the first visit. */
const MAX_FIELD_MS = 2000
const MAX_FIELD_LOAD = 120_000
/** The number of measurements. Their median is reported. */
const TRIES = 5
const VENDORS = 10_000
const AT_ONCE = 500

const chromium = findChromium()
if (chromium === null) process.exit(1)

const service = await startDemoService()
const figures: { what: string; figure: string; isKept: boolean }[] = []
try {
  const browser = await launchChromium(chromium)
  await measureFirstLoad(browser)
  await measureInteractive(browser)
  await measureField(browser)
  await measurePortal()
  await scrollVendors(browser)
  await browser.close()
} finally {
  await service.stop()
}
for (const { what, figure, isKept } of figures) console.log(`${isKept ? 'kept  ' : 'MISSED'} ${what}: ${figure}`)
// Prints the load of the machine, because measurements on a busy machine mean little.
console.log(
  `Load of the machine over the last minutes: ${loadavg()
    .map((load) => load.toFixed(1))
    .join(', ')}`,
)
if (figures.some(({ isKept }) => !isKept)) process.exitCode = 1

function recordFigure(what: string, figure: string, isKept: boolean): void {
  figures.push({ what, figure, isKept })
}

async function openSignedIn(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const [name = '', value = ''] = service.cookie.split(/=(.*)/s)
  await context.addCookies([{ name, value, url: service.url }])
  return context
}

/** Measures how many bytes the first page loads without its API calls: the document, the scripts, and the styles. */
async function measureFirstLoad(browser: Browser): Promise<void> {
  const context = await openSignedIn(browser)
  const page = await context.newPage()
  const files: Promise<{ plain: Buffer; sent: number }>[] = []
  page.on('requestfinished', (request) => {
    if (new URL(request.url()).pathname.startsWith('/api/')) return
    files.push(
      (async () => {
        const [response, sizes] = await Promise.all([request.response(), request.sizes()])
        return { plain: (await response?.body()) ?? Buffer.of(), sent: sizes.responseBodySize }
      })(),
    )
  })
  await page.goto(`${service.url}/today`)
  await page.locator('.line-list li').first().waitFor()
  await page.waitForLoadState('networkidle')
  const loaded = await Promise.all(files)
  const gz = loaded.reduce((sum, { plain }) => sum + gzipSync(plain).length, 0)
  const sent = loaded.reduce((sum, file) => sum + file.sent, 0)
  recordFigure(
    'first load of the admin area',
    `${formatKilobytes(gz)} gzip, ${formatKilobytes(sent)} as sent, in ${loaded.length} files`,
    gz <= MAX_FIRST_LOAD,
  )
  await context.close()
}

/** Measures the time from the navigation until the items that need action are visible and the browser is idle. */
async function measureInteractive(browser: Browser): Promise<void> {
  const times: number[] = []
  for (let tried = 0; tried < TRIES; tried++) {
    const context = await openSignedIn(browser)
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
    await page.addInitScript(recordWhenReady, '.line-list li a')
    await page.goto(`${service.url}/today`)
    const ready = await page.waitForFunction(() => (globalThis as { readyMs?: number }).readyMs)
    times.push(Number(await ready.jsonValue()))
    await context.close()
  }
  const middle = times.toSorted((a, b) => a - b)[Math.floor(TRIES / 2)] ?? Number.NaN
  const all = times.map((ms) => Math.round(ms)).join(', ')
  recordFigure(`Today can be used, at ${SLOWDOWN} × slowdown`, `${Math.round(middle)} ms (${all})`, middle <= MAX_MS)
}

/** Measures the first visit of the superintendent's page until the tasks of the day are shown and the browser is idle. */
async function measureField(browser: Browser): Promise<void> {
  const find = createRecordFinder(service.url, service.cookie)
  const superintendentId = await find('/api/ext/users?limit=200', ({ email }) => email === SUPERINTENDENTS[0])
  const times: number[] = []
  let bytes = 0
  for (let tried = 0; tried < TRIES; tried++) {
    const context = await openSignedIn(browser)
    // Nobody can sign in as a superintendent of the demo, so the owner sees the day of the superintendent.
    await context.route('**/field/day?*', (route) =>
      route.continue({ url: `${service.url}/api/ext/field/day?superintendentId=${superintendentId}` }),
    )
    const page = await context.newPage()
    const sizes: Promise<number>[] = []
    page.on('requestfinished', (request) => {
      if (new URL(request.url()).pathname.startsWith('/api/')) return
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
    })
    const devtools = await context.newCDPSession(page)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
    await page.addInitScript(recordWhenReady, '.row-card')
    await page.goto(`${service.url}/field/`)
    const ready = await page.waitForFunction(() => (globalThis as { readyMs?: number }).readyMs)
    times.push(Number(await ready.jsonValue()))
    bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    await context.close()
  }
  const middle = times.toSorted((a, b) => a - b)[Math.floor(TRIES / 2)] ?? Number.NaN
  const all = times.map((ms) => Math.round(ms)).join(', ')
  recordFigure(
    `Field can be used, at ${SLOWDOWN} × slowdown`,
    `${Math.round(middle)} ms (${all})`,
    middle <= MAX_FIELD_MS,
  )
  recordFigure('first load of Field', `${formatKilobytes(bytes)} as sent`, bytes <= MAX_FIELD_LOAD)
}

/** This function runs in the page before any of the page's scripts. */
function recordWhenReady(selector: string): void {
  const window = globalThis as unknown as {
    document: { querySelector(of: string): unknown }
    requestIdleCallback(run: () => void): void
    requestAnimationFrame(run: () => void): void
    readyMs?: number
  }
  const look = () => {
    if (window.document.querySelector(selector) === null) return window.requestAnimationFrame(look)
    window.requestIdleCallback(() => {
      window.readyMs = performance.now()
    })
  }
  window.requestAnimationFrame(look)
}

/** Measures the size of the portal pages of vendors with a bid request and with an order that the vendor bills. */
async function measurePortal(): Promise<void> {
  const find = createRecordFinder(service.url, service.cookie)
  // A builder's own link to a portal does not show blind requests that are still open.
  const requestId = await find('/api/ext/bids/requests?status=sent', ({ blind }) => blind === false)
  const request = await fetchJson(`/api/ext/bids/requests/${requestId}`)
  const [invitation] = request.invitations
  const bidder = await openPortal(invitation.vendorId)
  const sections = ['requests', 'orders', 'bills', 'dates', 'punch', 'visits', 'drawings', 'payments', 'documents']
  const paths = ['', `/${invitation.id}`, `/${invitation.id}/price`, '/messages', '/write', '/hand-in']
  const poId = await find('/api/ext/purchase-orders?limit=200', ({ billingMethod }) => billingMethod === 'by_bill')
  const { vendorId } = await fetchJson(`/api/ext/purchase-orders/${poId}`)
  const billing = await openPortal(vendorId)
  const [bill] = (await fetchJson(`/api/ext/bills?vendorId=${vendorId}`)).data
  const urls = [
    ...[...paths, ...sections.map((name) => `/${name}`)].map((path) => bidder + path),
    ...[`/${poId}`, `/${poId}/bill`, `/${bill.id}`, '/bills'].map((path) => billing + path),
  ]
  const sizes = await Promise.all(
    urls.map(async (url) => {
      const answer = await fetch(service.url + url, { headers: { 'accept-encoding': 'gzip' } })
      if (!answer.ok) throw new Error(`${url} returned ${answer.status}.`)
      return Number(answer.headers.get('content-length'))
    }),
  )
  const max = Math.max(...sizes)
  recordFigure(
    'the largest page of the portal',
    `${formatKilobytes(max)} as sent, of ${sizes.length} pages`,
    max <= MAX_PORTAL_PAGE,
  )
}

/** Invites the vendor to the portal, and returns the path of the builder's own link to the portal. */
async function openPortal(vendorId: string): Promise<string> {
  await fetchJson(`/api/ext/vendors/${vendorId}/invite`, {})
  const { portalUrl } = await fetchJson(`/api/ext/vendors/${vendorId}/portal-link`, {})
  return new URL(portalUrl).pathname
}

/**
 * Goes through all pages of a list of ten thousand vendors. Each page must load, and each vendor must appear exactly
 * once.
 */
async function scrollVendors(browser: Browser): Promise<void> {
  for (let first = 0; first < VENDORS; first += AT_ONCE) {
    const rows = Array.from({ length: AT_ONCE }, (_, i) => ({
      ...{
        companyName: `Trade ${String(first + i).padStart(5, '0')}`,
        scopes: ['framing'],
        externalId: `T-${first + i}`,
      },
    }))
    await fetchJson('/api/ext/vendors/batch', { mode: 'all_or_nothing', match: 'externalId', rows })
  }
  const context = await openSignedIn(browser)
  const page = await context.newPage()
  await page.goto(`${service.url}/vendors`)
  const seen = new Set<string>()
  const turns: number[] = []
  for (let before = ''; ; ) {
    const links = await waitForRows(page, before)
    for (const link of links) seen.add(link)
    before = links[0] ?? ''
    const next = page.getByRole('button', { name: 'Next' })
    if (await next.isDisabled()) break
    const startedMs = performance.now()
    await next.click()
    await waitForRows(page, before)
    turns.push(performance.now() - startedMs)
  }
  turns.sort((a, b) => a - b)
  const at = (share: number) => `${Math.round(turns[Math.floor(turns.length * share)] ?? 0)} ms`
  recordFigure(
    `${VENDORS} vendors, looked through`,
    `${seen.size} seen on ${turns.length + 1} pages; turning one took ${at(0.5)}, at most ${at(0.999)}`,
    seen.size >= VENDORS,
  )
  await context.close()
}

/** Waits until the first link has changed, and returns the links of all rows. */
async function waitForRows(page: Page, before: string): Promise<string[]> {
  const rows = await page.waitForFunction((before) => {
    const { document } = globalThis as unknown as {
      document: { querySelectorAll(of: string): Iterable<{ getAttribute(name: string): string | null }> }
    }
    const found = [...document.querySelectorAll('tbody th a')].map((link) => link.getAttribute('href') ?? '')
    return found.length > 0 && found[0] !== before ? found : null
  }, before)
  return (await rows.jsonValue()) ?? []
}

// biome-ignore lint/suspicious/noExplicitAny: the values of a response are used at once.
async function fetchJson(path: string, body?: unknown): Promise<any> {
  const answer = await fetch(service.url + path, {
    headers: { cookie: service.cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${path} returned ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

function formatKilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`
}
