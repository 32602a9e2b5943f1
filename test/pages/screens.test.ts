import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { findChromium, launchChromium, openPage } from '../../scripts/processes/chromium.ts'
import { finder, SCREENS, WIDTHS } from '../../scripts/screenshots/screens.ts'
import { makeDemo } from '../../server/demo/demo.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/plumbline.ts'
import { expectNoComplaints, overflow, violations } from './pages.ts'

/** Every screen with the demo builder's data, as the screenshots show them too. */
const chromium = findChromium()

// What a page looks like does not depend on the database, so one of the suite's two runs is enough.
describe.skipIf(chromium === null || inject('postgres') !== null)('every screen', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let cookie: string

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    const { organizationId } = await makeDemo(plumbline.database, plumbline.config)
    const owner = await plumbline.database.statements
      .selectFrom('users')
      .select('email')
      .where('organizationId', '=', organizationId)
      .where('role', '=', 'owner')
      .executeTakeFirstOrThrow()
    const session = await plumbline.signIn(owner.email)
    await plumbline.post('/api/admin/session/organization', { organizationId }, session)
    cookie = session.headers?.cookie ?? ''
    browser = await launchChromium(chromium ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await plumbline.stop()
  })

  test.each(SCREENS)(
    '$name holds no finding of axe, light and dark, and does not scroll sideways on a phone',
    async (screen) => {
      const seen = await openPage(browser, plumbline.url, WIDTHS[0], { reducedMotion: 'reduce' })
      const { page } = seen
      const [name = '', value = ''] = cookie.split(/=(.*)/s)
      await page.context().addCookies([{ name, value, url: plumbline.url }])
      await page.goto(plumbline.url + (await screen.path(finder(plumbline.url, cookie))))
      await page.locator(screen.ready).first().waitFor()
      await screen.act?.(page)
      const found: Record<string, string[]> = {}
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 850 })
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
          // The scheme changes colors alone.
          const findings = await violations(page, colorScheme === 'dark' ? ['color-contrast'] : [])
          if (findings.length > 0) found[`${width} ${colorScheme}`] = findings
        }
        expect({ width, overflow: await overflow(page) }).toEqual({ width, overflow: 0 })
      }
      expect(found).toEqual({})
      expectNoComplaints(seen)
      await seen.close()
    },
  )
})
