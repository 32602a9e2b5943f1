import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findViolations, keepFewOfEach, measureOverflow } from '../pages/visit.ts'
import { openVisitor, savePicture, type Visitor } from './portal-browser.ts'
import type { Setting } from './portal-pages.test.ts'
import type { PortalWorld } from './portal-world.ts'

/** Tests the appearance and size of pages with the longest names, 60 lines, and amounts of nine digits. */
const VIEWPORTS = [
  [320, 'light'],
  [390, 'light'],
  [390, 'dark'],
  [1440, 'dark'],
  [1440, 'light'],
] as const
const MAX_BYTES = 20_000

export const PAGES: readonly [name: string, path: (world: PortalWorld) => string][] = [
  ['overview', ({ root }) => root],
  ['request', ({ root, invitation }) => `${root}/${invitation}`],
  ['price-lines', ({ root, invitation }) => `${root}/${invitation}/price`],
  ['review', ({ root, invitation }) => `${root}/${invitation}/review`],
  ['request-alone', ({ lumpSum }) => lumpSum.path],
  ['price-sum', ({ lumpSum }) => `${lumpSum.path}/${lumpSum.id}/price`],
  ['order', ({ root, order }) => `${root}/${order}`],
  ['order-billed', ({ root, billedOrder }) => `${root}/${billedOrder}`],
  ['bill-form', ({ root, billedOrder }) => `${root}/${billedOrder}/bill`],
  ['bill', ({ root, bill }) => `${root}/${bill}`],
  ['bills', ({ root }) => `${root}/bills`],
  ['date', ({ root, task }) => `${root}/${task}`],
  ['waiver', ({ root, waiver }) => `${root}/${waiver}`],
  ['message', ({ root, message }) => `${root}/${message}`],
  ['punch-item', ({ root, punch }) => `${root}/${punch}`],
  ['punch-items', ({ root }) => `${root}/punch`],
  ['visit', ({ root, serviceVisit }) => `${root}/${serviceVisit}`],
  ['visits', ({ root }) => `${root}/visits`],
  ['drawings', ({ root }) => `${root}/drawings`],
  ['write', ({ root }) => `${root}/write`],
  ['documents', ({ root }) => `${root}/documents`],
  ['hand-in', ({ root }) => `${root}/hand-in`],
  ['dates', ({ root }) => `${root}/dates`],
  ['receipt', ({ root, received }) => `${root}/${received}/receipt`],
  ['will-bid', ({ lumpSum }) => `${lumpSum.path}/will-bid`],
  ['pass', ({ lumpSum }) => `${lumpSum.path}/pass`],
  ['payments', ({ root }) => `${root}/payments`],
  ['orders', ({ root }) => `${root}/orders`],
  ['requests', ({ root }) => `${root}/requests`],
  ['request-received', ({ root, received }) => `${root}/${received}`],
  ['links', () => '/portal/links'],
  ['links-confirm', ({ linkList }) => linkList.path],
  ['links-sent', () => '/portal/links?done=sent'],
  ['links-used', () => '/portal/links?done=used'],
  ['not-found', ({ root }) => `${root}x`],
]

export function testPortalLooks(setting: () => Setting): void {
  describe('portal pages', () => {
    let judge: Visitor
    beforeAll(async () => {
      await enterPrices(setting())
      const { chrome, plumbline, world } = setting()
      judge = await openVisitor(chrome, plumbline.url, { withScripts: true, cookie: world.linkList.cookie })
    })
    afterAll(() => judge.close())

    test.each(PAGES)(
      '%s: the page has no accessibility problem on a desktop and a phone, in the light and dark color schemes',
      async (name, path) => {
        const { plumbline, world } = setting()
        const { page } = judge
        await page.goto(plumbline.url + path(world))
        for (const [width, scheme] of VIEWPORTS) {
          await page.setViewportSize({ width, height: 850 })
          await page.emulateMedia({ colorScheme: scheme })
          expect([width, scheme, await measureOverflow(page)]).toEqual([width, scheme, 0])
          expect([width, scheme, await findOverflowing(page)]).toEqual([width, scheme, []])
          await savePicture(page, `${name}-${width}-${scheme}`)
        }
        await keepFewOfEach(page)
        for (const [width, scheme] of VIEWPORTS) {
          await page.setViewportSize({ width, height: 850 })
          await page.emulateMedia({ colorScheme: scheme })
          // In dark mode, only the colors differ, so only the contrast is checked.
          const found = await findViolations(page, scheme === 'dark' ? ['color-contrast'] : [])
          expect([width, scheme, found]).toEqual([width, scheme, []])
        }
      },
    )

    test.each(PAGES)(
      '%s: the page is small, has no scripts, and loads nothing from other servers',
      async (_name, path) => {
        const { plumbline, world } = setting()
        const response = await fetch(plumbline.url + path(world))
        const html = await response.text()
        expect(response.headers.get('content-encoding')).toBe('gzip')
        expect(Number(response.headers.get('content-length'))).toBeLessThan(MAX_BYTES)
        expect(html).not.toMatch(/<script|javascript:|\son\w+=|\sstyle=/i)
        const policy = response.headers.get('content-security-policy')
        expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^ ]+'; form-action 'self'/)
        expect(policy).not.toMatch(/unsafe|https?:|\*/)
      },
    )

    test('typical portal pages are small even without compression', async () => {
      const { plumbline, world } = setting()
      const { root, lumpSum, order, task, waiver } = world
      for (const path of [root, lumpSum.path, `${root}/${order}`, `${root}/${task}`, `${root}/${waiver}`]) {
        const plain = await fetch(plumbline.url + path, { headers: { 'accept-encoding': 'identity' } })
        expect(plain.headers.get('content-encoding')).toBeNull()
        expect(Buffer.byteLength(await plain.text()), path).toBeLessThan(MAX_BYTES)
      }
    })

    test('every portal page is in Spanish if Spanish is requested', async () => {
      const { chrome, plumbline, world } = setting()
      const guest = await openVisitor(chrome, plumbline.url, { locale: 'es-MX', cookie: world.linkList.cookie })
      for (const [name, path] of PAGES) {
        await guest.page.goto(plumbline.url + path(world))
        expect(await guest.page.locator('html').getAttribute('lang')).toBe('es')
        await savePicture(guest.page, `${name}-es`)
      }
      expect(guest.complaints).toEqual([])
      await guest.close()
    })
  })
}

/** Returns the fields and buttons that are wider than the elements that contain them. */
export function findOverflowing(page: Page): Promise<string[]> {
  return page.locator('.sheet :is(input, select, textarea, button, a)').evaluateAll((controls) =>
    controls
      .filter((control) => {
        const sheet = control.closest('.sheet')
        return sheet !== null && control.getBoundingClientRect().right > sheet.getBoundingClientRect().right
      })
      .map((control) => control.outerHTML),
  )
}

/** Saves a draft with amounts of nine digits and without prices for two lines. */
async function enterPrices({ plumbline, world }: Setting): Promise<void> {
  const key = world.root.split('/').at(-1) ?? ''
  const lines = Array.from({ length: 58 }, (_, i) => ({ lineId: `line-${i + 1}`, unitPrice: 8765.4321 }))
  const draft = { lines, leadTimeDays: 9, exclusions: 'Crane standby over 4 hours.' }
  await plumbline.post(`/api/portal/invitations/${world.invitation}/bid/draft`, draft, { key })
}
