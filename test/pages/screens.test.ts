import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type ObservedPage, openPage } from '../../scripts/processes/chromium.ts'
import { createRecordFinder, SCREENS, WIDTHS } from '../../scripts/screenshots/screens.ts'
import { createDemo } from '../../server/operators/demo/create-demo.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, goToPage } from './visit.ts'

/** Tests every screen in the list of screenshots with the demo builder's data. */
describe.skipIf(chromium === null)('every screen', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let cookie: string

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    const { organizationId } = await createDemo(plumbline.database, plumbline.config, plumbline.app.services.contract)
    const owner = await plumbline.database.statements
      .selectFrom('users')
      .select('email')
      .where('organizationId', '=', organizationId)
      .where('role', '=', 'owner')
      .executeTakeFirstOrThrow()
    const session = await plumbline.signIn(owner.email)
    await plumbline.post('/api/admin/session/organization', { organizationId }, session)
    cookie = session.headers?.cookie ?? ''
    browser = await openChromium()
  })
  afterAll(async () => {
    await closeWindows()
    await plumbline.stop()
  })

  /**
   * The window of the last screen, which is reused; null after a failure, because the window may then be in any state.
   */
  let seen: ObservedPage | null = null

  test.each(SCREENS)('$name has no accessibility problem in either color scheme or on a phone', async (screen) => {
    const address = await screen.path(createRecordFinder(plumbline.url, cookie))
    const shown = seen ?? (await visitWith(cookie))
    seen = null
    const { page } = shown
    await goToPage(page, address)
    await page.locator(screen.ready).first().waitFor()
    await screen.act?.(page)
    await expectAccessible(page)
    expectNoComplaints(shown)
    // Does not reuse the window after an action. The action may have left unsaved entries, so the next page would show
    // a question.
    seen = screen.act === undefined ? shown : null
  })

  async function visitWith(session: string): Promise<ObservedPage> {
    const opened = await openPage(browser, plumbline.url, WIDTHS[0], { reducedMotion: 'reduce' })
    const [name = '', value = ''] = session.split(/=(.*)/s)
    await opened.page.context().addCookies([{ name, value, url: plumbline.url }])
    await opened.page.goto(`${plumbline.url}/sign-in`)
    return opened
  }
})
