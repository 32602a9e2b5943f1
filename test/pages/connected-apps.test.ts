import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { createOauthApp, type OauthApp, VERIFIER } from '../support/oauth-app.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, visit } from './visit.ts'

/** Connects and disconnects an app with clicks. */
describe.skipIf(chromium === null)('a user in a browser', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let app: OauthApp
  /**
   * The redirect URI of the app belongs to another site, so the test only checks that the browser is redirected there.
   */
  const redirect = () => 'http://localhost:7777/done'

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    app = await createOauthApp(plumbline, { client_name: 'Claude Desktop', redirect_uris: [redirect()] })
    browser = await openChromium()
  })
  afterAll(async () => {
    await closeWindows()
    await plumbline.stop()
  })

  test('a user can connect an app with selected permissions and disconnect it in the settings', async () => {
    const seen = await visit(browser, plumbline)
    const { page } = seen
    await page.goto(plumbline.url + app.address({ redirect_uri: redirect() }))
    await page.getByText('Choose permissions').click()
    await expectAccessible(page)
    await page.getByLabel('Change: Payments and lien waivers').uncheck()
    await page.getByLabel(/Propose only/).check()
    const led = page.waitForRequest((request) => request.url().startsWith(`${redirect()}?code=`))
    await page.getByRole('button', { name: 'Allow access' }).click({ noWaitAfter: true })
    const code = new URL((await led).url()).searchParams.get('code') ?? ''
    const { body } = await app.token({ grant_type: 'authorization_code', code, code_verifier: VERIFIER })
    expect(body.scope).toContain('payments:read')
    expect(body.scope).not.toContain('payments:write')

    // Nothing responds at this URL. Does not wait for the browser's error page to load.
    await page.waitForURL('chrome-error://**', { waitUntil: 'commit' })
    await page.goto(`${plumbline.url}/settings/apps`)
    await page
      .getByRole('row', { name: /Claude Desktop/ })
      .getByText('proposes only')
      .waitFor()
    await page.getByRole('button', { name: 'Disconnect Claude Desktop' }).click()
    await page.locator('.dialog').getByRole('button', { name: 'Disconnect' }).click()
    await page.getByText('Claude Desktop disconnected').waitFor()
    await page
      .getByRole('row', { name: /Claude Desktop/ })
      .getByText('Revoked')
      .waitFor()
    expect((await plumbline.get('/api/ext/vendors', { key: body.access_token })).status).toBe(401)
    // Only the request to the app has failed.
    expect(seen.complaints.filter((each) => !each.includes('ERR_CONNECTION_REFUSED'))).toEqual([])
    await seen.close()
  })

  test('after signing in, a user returns to the consent page of the app', async () => {
    const seen = await visit(browser, plumbline)
    const { page } = seen
    const address = app.address({ redirect_uri: redirect() })
    const { url } = await plumbline.app.services.identity.makeLink('priya@harrowfinch.example.com', 60_000)
    await page.context().clearCookies()
    await page.goto(plumbline.url + address)
    await page.waitForURL(/\/sign-in\?to=/)
    await page.getByLabel('Email').fill('priya@harrowfinch.example.com')
    await page.getByRole('button', { name: 'Send sign-in link' }).click()
    await page.getByRole('status').waitFor()
    const other = await page.context().newPage()
    await other.goto(new URL(new URL(url).pathname + new URL(url).hash, page.url()).href)
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.getByRole('heading', { name: 'Connect “Claude Desktop”?' }).waitFor()
    await seen.close()
  })
})
