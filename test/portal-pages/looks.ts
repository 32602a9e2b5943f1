import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keepFewOfEach, overflow, violations } from '../pages/pages.ts'
import { keepPicture, type Visitor, visitor } from './browser.ts'
import type { Setting } from './portal-pages.test.ts'
import type { PortalWorld } from './world.ts'

/** How the pages look with the longest names, 60 lines and amounts of nine digits, and their size. */
const LOOKS = [
  [320, 'light'],
  [390, 'light'],
  [390, 'dark'],
  [1440, 'dark'],
  [1440, 'light'],
] as const
const MOST_BYTES = 20_000

const PAGES: readonly [name: string, path: (world: PortalWorld) => string][] = [
  ['overview', ({ root }) => root],
  ['request', ({ root, invitation }) => `${root}/${invitation}`],
  ['price-lines', ({ root, invitation }) => `${root}/${invitation}/price`],
  ['review', ({ root, invitation }) => `${root}/${invitation}/review`],
  ['request-alone', ({ lumpSum }) => lumpSum.path],
  ['price-sum', ({ lumpSum }) => `${lumpSum.path}/${lumpSum.id}/price`],
  ['order', ({ root, order }) => `${root}/${order}`],
  ['date', ({ root, task }) => `${root}/${task}`],
  ['waiver', ({ root, waiver }) => `${root}/${waiver}`],
  ['message', ({ root, message }) => `${root}/${message}`],
  ['documents', ({ root }) => `${root}/documents`],
  ['hand-in', ({ root }) => `${root}/hand-in`],
  ['payments', ({ root }) => `${root}/payments`],
  ['not-found', ({ root }) => `${root}x`],
]

export function looks(setting: () => Setting): void {
  describe('its pages', () => {
    let judge: Visitor
    beforeAll(async () => {
      await enterPrices(setting())
      judge = await visitor(setting().chrome, setting().plumbline.url, { withScripts: true })
    })
    afterAll(() => judge.close())

    test.each(PAGES)('%s: has no findings on a desktop and a phone, in light and dark', async (name, path) => {
      const { plumbline, world } = setting()
      const { page } = judge
      await page.goto(plumbline.url + path(world))
      for (const [width, scheme] of LOOKS) {
        await page.setViewportSize({ width, height: 850 })
        await page.emulateMedia({ colorScheme: scheme })
        expect([width, scheme, await overflow(page)]).toEqual([width, scheme, 0])
        expect([width, scheme, await beyondTheirSheet(page)]).toEqual([width, scheme, []])
        await keepPicture(page, `${name}-${width}-${scheme}`)
      }
      await keepFewOfEach(page)
      for (const [width, scheme] of LOOKS) {
        await page.setViewportSize({ width, height: 850 })
        await page.emulateMedia({ colorScheme: scheme })
        // The color scheme changes only colors.
        const found = await violations(page, scheme === 'dark' ? ['color-contrast'] : [])
        expect([width, scheme, found]).toEqual([width, scheme, []])
      }
    })

    test.each(PAGES)('%s: is small, has no scripts, and loads nothing from elsewhere', async (_name, path) => {
      const { plumbline, world } = setting()
      const answer = await fetch(plumbline.url + path(world))
      const html = await answer.text()
      expect(answer.headers.get('content-encoding')).toBe('gzip')
      expect(Number(answer.headers.get('content-length'))).toBeLessThan(MOST_BYTES)
      expect(html).not.toMatch(/<script|javascript:|\son\w+=|\sstyle=/i)
      const policy = answer.headers.get('content-security-policy')
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^ ]+'; form-action 'self'/)
      expect(policy).not.toMatch(/unsafe|https?:|\*/)
    })

    test('typical pages are small even without compression', async () => {
      const { plumbline, world } = setting()
      const { root, lumpSum, order, task, waiver } = world
      for (const path of [root, lumpSum.path, `${root}/${order}`, `${root}/${task}`, `${root}/${waiver}`]) {
        const plain = await fetch(plumbline.url + path, { headers: { 'accept-encoding': 'identity' } })
        expect(plain.headers.get('content-encoding')).toBeNull()
        expect(Buffer.byteLength(await plain.text()), path).toBeLessThan(MOST_BYTES)
      }
    })

    test('every page is in Spanish if requested, and none violates its policy', async () => {
      const { chrome, plumbline, world } = setting()
      const guest = await visitor(chrome, plumbline.url, { locale: 'es-MX' })
      for (const [name, path] of PAGES) {
        await guest.page.goto(plumbline.url + path(world))
        expect(await guest.page.locator('html').getAttribute('lang')).toBe('es')
        await keepPicture(guest.page, `${name}-es`)
      }
      expect(guest.complaints).toEqual([])
      await guest.close()
    })
  })
}

/** Returns the fields and buttons that are wider than their container. */
function beyondTheirSheet(page: Page): Promise<string[]> {
  return page.locator('.sheet :is(input, select, textarea, button, a)').evaluateAll((controls) =>
    controls
      .filter((control) => {
        const sheet = control.closest('.sheet')
        return sheet !== null && control.getBoundingClientRect().right > sheet.getBoundingClientRect().right
      })
      .map((control) => control.outerHTML),
  )
}

/** Saves a draft with amounts of nine digits and two missing lines. */
async function enterPrices({ plumbline, world }: Setting): Promise<void> {
  const key = world.root.split('/').at(-1) ?? ''
  const lines = Array.from({ length: 58 }, (_, i) => ({ lineId: `line-${i + 1}`, unitPrice: 8765.4321 }))
  const draft = { lines, leadTimeDays: 9, exclusions: 'Crane standby over 4 hours.' }
  await plumbline.post(`/api/portal/invitations/${world.invitation}/bid/draft`, draft, { key })
}
