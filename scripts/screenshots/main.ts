import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { findChromium, launchChromium, waitUntilSettled } from '../processes/chromium.ts'
import { startDemoService } from './demo-service.ts'
import { FIELD_SCREENS, OWNER_SCREENS, SUPERINTENDENTS, WALK_SCREENS } from './phone-screens.ts'
import { createRecordFinder, type FindRecord, SCREENS, type Screen, WIDTHS } from './screens.ts'

/**
 * Takes screenshots of every screen of the admin area with the demo builder's data and stores them in dist/screenshots:
 * `npm run screenshots`. `--base-url` and `--cookie` select a running service. `--only` selects screens by the start of
 * their names. `--readme` takes only the two pictures of the README and stores them in docs/pictures.
 */
const { values } = parseArgs({
  options: {
    'base-url': { type: 'string' },
    cookie: { type: 'string' },
    only: { type: 'string' },
    dark: { type: 'boolean' },
    readme: { type: 'boolean' },
  },
})
const folder = path.join(import.meta.dirname, '../../dist/screenshots')
/**
 * The pictures of the README. WebP files have a third of the size of PNG files, which matters because they stay in the
 * Git history forever.
 */
const PICTURES = { folder: path.join(import.meta.dirname, '../../docs/pictures'), quality: 80 }
const PHONE_WIDTH = 390
const PICTURED = ['bidding-comparison', 'home-schedule']
const chromium = findChromium()
if (chromium === null) process.exit(1)

const { 'base-url': url, cookie } = values
const service =
  url !== undefined && cookie !== undefined ? { url, cookie, stop: async () => {} } : await startDemoService()
try {
  mkdirSync(folder, { recursive: true })
  const browser = await launchChromium(chromium, { anywhere: url !== undefined })
  const find = createRecordFinder(service.url, service.cookie)
  if (values.readme === true) await takePictures(browser, find)
  else {
    await photographScreens(browser, find)
    await photographPhones(browser, find)
  }
  await browser.close()
} finally {
  await service.stop()
}

function isChosen({ name }: { name: string }): boolean {
  return (values.only ?? '').split(',').some((start) => name.startsWith(start))
}

/** Takes a screenshot of every screen at each width, with the height of its content. */
async function photographScreens(browser: Browser, find: FindRecord): Promise<void> {
  for (const width of WIDTHS) {
    for (const scheme of values.dark === true ? (['light', 'dark'] as const) : (['light'] as const)) {
      const context = await browser.newContext({
        ...{ viewport: { width, height: width > 1000 ? 900 : 844 }, colorScheme: scheme, reducedMotion: 'reduce' },
      })
      await context.addCookies([sessionCookie()])
      for (const screen of SCREENS.filter(isChosen)) {
        const page = await openScreen(context, screen, find)
        // Makes the window as high as the page, so that sticky elements are in their places.
        const height = await page.evaluate('document.documentElement.scrollHeight')
        if (screen.act === undefined) await page.setViewportSize({ width, height: Math.max(Number(height), 844) })
        const file = `${screen.name}-${width}${scheme === 'dark' ? '-dark' : ''}.png`
        await page.screenshot({ path: path.join(folder, file) })
        await page.close()
        console.log(path.join('dist/screenshots', file))
      }
      await context.close()
    }
  }
}

/** Takes pictures of the superintendents' and the owners' pages at the width of a phone. */
async function photographPhones(browser: Browser, find: FindRecord): Promise<void> {
  const phone = {
    ...({ reducedMotion: 'reduce', serviceWorkers: 'block' } as const),
    viewport: { width: PHONE_WIDTH, height: 844 },
  }
  const shoot = async (page: Page, name: string) => {
    const height = await page.evaluate('document.documentElement.scrollHeight')
    await page.setViewportSize({ width: PHONE_WIDTH, height: Math.max(Number(height), 844) })
    const file = `${name}-${PHONE_WIDTH}.png`
    await page.screenshot({ path: path.join(folder, file) })
    console.log(path.join('dist/screenshots', file))
  }
  for (const [i, screens] of [FIELD_SCREENS, WALK_SCREENS].entries()) {
    const chosen = screens.filter(isChosen)
    if (chosen.length === 0) continue
    const context = await browser.newContext(phone)
    await context.addCookies([sessionCookie()])
    // Nobody can sign in as a superintendent of the demo, so the owner sees the day of the superintendent.
    const superintendentId = await find('/api/ext/users?limit=200', ({ email }) => email === SUPERINTENDENTS[i])
    await context.route('**/field/day?*', (route) =>
      route.continue({ url: `${service.url}/api/ext/field/day?superintendentId=${superintendentId}` }),
    )
    for (const screen of chosen) {
      const page = await openScreen(context, screen, find)
      await shoot(page, screen.name)
      await page.close()
    }
    await context.close()
  }
  for (const { name, home, path: below } of OWNER_SCREENS.filter(isChosen)) {
    const context = await browser.newContext(phone)
    const page = await context.newPage()
    await page.goto((await createOwnerLink(find, home)) + below)
    await waitUntilSettled(page)
    await shoot(page, name)
    await context.close()
  }
}

/** Returns a new link of the first owner of a demo home. */
async function createOwnerLink(find: FindRecord, line1: string): Promise<string> {
  const homeId = await find(
    '/api/ext/homes?limit=200',
    ({ address }) => (address as { line1?: string } | null)?.line1 === line1,
  )
  const ownerId = await find(`/api/ext/home-owners?homeId=${homeId}`)
  const response = await fetch(`${service.url}/api/ext/home-owners/${ownerId}/link`, {
    method: 'POST',
    headers: { cookie: service.cookie, 'sec-fetch-site': 'same-origin' },
  })
  const { ownerUrl } = (await response.json()) as { ownerUrl?: string }
  if (ownerUrl === undefined) throw new Error(`The link of an owner returned ${response.status}.`)
  return service.url + new URL(ownerUrl).pathname
}

/** Takes the README's pictures in a window of a common size. */
async function takePictures(browser: Browser, find: FindRecord): Promise<void> {
  mkdirSync(PICTURES.folder, { recursive: true })
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  await context.addCookies([sessionCookie()])
  for (const screen of SCREENS.filter(({ name }) => PICTURED.includes(name))) {
    const page = await openScreen(context, screen, find)
    const devtools = await context.newCDPSession(page)
    const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: PICTURES.quality })
    const picture = Buffer.from(data, 'base64')
    writeFileSync(path.join(PICTURES.folder, `${screen.name}.webp`), picture)
    console.log(`docs/pictures/${screen.name}.webp, ${Math.ceil(picture.length / 1000)} kB`)
  }
}

/** Opens a screen in its own browser page and waits until the screen is complete. */
async function openScreen(context: BrowserContext, screen: Screen, find: FindRecord): Promise<Page> {
  const page = await context.newPage()
  await page.goto(service.url + (await screen.path(find)))
  await page.locator(screen.ready).first().waitFor()
  await screen.act?.(page)
  await waitUntilSettled(page)
  return page
}

function sessionCookie(): { name: string; value: string; url: string } {
  const [name = '', value = ''] = service.cookie.split(/=(.*)/s)
  return { name, value, url: service.url }
}
