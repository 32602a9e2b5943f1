import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { measureOverflow } from '../pages/visit.ts'
import { openVisitor, savePicture, type Visitor } from './portal-browser.ts'
import { findOverflowing, PAGES } from './portal-looks.ts'
import type { Setting } from './portal-pages.test.ts'

/** Phones in the ways in which vendors use them: small, held sideways, and with a larger font size in the browser. */
const DEVICES = [
  { device: 'a phone of 360 px', width: 360, height: 740, locale: 'en-US', percent: 100 },
  { device: 'a phone of 390 px', width: 390, height: 844, locale: 'en-US', percent: 100 },
  { device: 'a phone of 360 px in Spanish', width: 360, height: 740, locale: 'es-US', percent: 100 },
  { device: 'a small phone in landscape', width: 780, height: 360, locale: 'en-US', percent: 100 },
  { device: 'a phone in landscape', width: 844, height: 390, locale: 'en-US', percent: 100 },
  { device: 'a phone in landscape in Spanish', width: 844, height: 390, locale: 'es-US', percent: 100 },
  { device: 'a phone with a font of 130 %', width: 360, height: 740, locale: 'en-US', percent: 130 },
  { device: 'a phone with a font of 130 % in Spanish', width: 360, height: 740, locale: 'es-US', percent: 130 },
] as const

const DEFAULT_FONT_PX = 16

export function testPortalDevices(setting: () => Setting): void {
  describe.each(DEVICES)('on $device', ({ width, height, locale, percent }) => {
    let guest: Visitor
    let page: Page
    beforeAll(async () => {
      const { chrome, plumbline, world } = setting()
      const { cookie } = world.linkList
      guest = await openVisitor(chrome, plumbline.url, { width, locale, withScripts: true, cookie })
      page = guest.page
      await page.setViewportSize({ width, height })
      const session = await page.context().newCDPSession(page)
      const standard = Math.round((DEFAULT_FONT_PX * percent) / 100)
      await session.send('Page.setFontSizes', { fontSizes: { standard, fixed: standard } })
    })
    afterAll(() => guest.close())

    test('no portal page is wider than the screen', async () => {
      const { plumbline, world } = setting()
      const wide: [name: string, overflow: number, controls: string[]][] = []
      for (const [name, path] of PAGES) {
        await page.goto(plumbline.url + path(world))
        const [overflow, controls] = [await measureOverflow(page), await findOverflowing(page)]
        await savePicture(page, `${name}-${locale}-${width}x${height}-${percent}`)
        if (overflow > 0 || controls.length > 0) wide.push([name, overflow, controls])
      }
      expect(wide).toEqual([])
    })

    test('portal text follows the font size of the browser', async () => {
      const { plumbline, world } = setting()
      await page.goto(plumbline.url + world.root)
      const size = await findFontSize(page)
      expect(Math.round((size / DEFAULT_FONT_PX) * 100)).toBeGreaterThanOrEqual(percent - 5)
    })

    test('no focused control of the price page is hidden behind the bar at the bottom', async () => {
      const { plumbline, world } = setting()
      await page.goto(`${plumbline.url}${world.root}/${world.invitation}/price`)
      const hidden: string[] = []
      for (let i = 0; i < MAX_TABS; i++) {
        await page.keyboard.press('Tab')
        const covered = await findCoveredFocus(page)
        if (covered !== null) hidden.push(covered)
      }
      expect(hidden).toEqual([])
    })
  })
}

/**
 * The number of times to press Tab: enough for several lines of a long request, each of which makes the page scroll.
 */
const MAX_TABS = 30

/** Returns the focused control if the bar at the bottom covers its middle; otherwise, null. */
function findCoveredFocus(page: Page): Promise<string | null> {
  return page.evaluate(`(() => {
    const control = document.activeElement
    const bar = document.querySelector('.bar')
    if (control === null || bar === null || bar.contains(control) || control === document.body) return null
    const { top, bottom } = control.getBoundingClientRect()
    const edge = bar.getBoundingClientRect()
    const isCovered = (top + bottom) / 2 > edge.top && top < edge.bottom
    return isCovered && getComputedStyle(bar).position === 'sticky' ? control.outerHTML : null
  })()`)
}

/** Returns the font size of the first text on a page, in pixels. */
function findFontSize(page: Page): Promise<number> {
  return page.evaluate(`Number.parseFloat(getComputedStyle(document.querySelector('main p')).fontSize)`)
}
