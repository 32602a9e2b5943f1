import { sql } from 'kysely'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type ObservedPage, openPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints } from './visit.ts'

const OWNER = 'priya@harrowfinch.example.com'

describe.skipIf(chromium === null)('passkeys, with a device that Chromium simulates', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  /** Passkeys are bound to the public URL, which is on localhost. */
  let url: string

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    url = plumbline.config.publicUrl
    browser = await openChromium()
    seen = await openPage(browser, url, 1440, { reducedMotion: 'reduce' })
    const { page } = seen
    const session = await plumbline.signIn()
    const [name = '', value = ''] = session.headers?.cookie?.split(/=(.*)/s) ?? []
    await page.context().addCookies([{ name, value, url }])
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
        ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
      },
    })
  })
  const ageSessions = () =>
    sql`update "sessions" set "createdAt" = now() - interval '11 minutes'`.execute(plumbline.database.statements)
  afterAll(async () => {
    await closeWindows()
    await plumbline.stop()
  })

  test('a user cannot add a second passkey on the same device', async () => {
    const { page } = seen
    await page.goto(`${url}/today`)
    await page.getByRole('button', { name: /Priya Harrow/ }).click()
    await page.getByRole('menuitem', { name: 'Your passkeys' }).click()
    await page.getByText('No passkeys yet').waitFor()
    const dialog = page.getByRole('dialog')
    for (const isFirst of [true, false]) {
      await page.getByRole('button', { name: 'Add passkey' }).first().click()
      await dialog.getByLabel('Name').fill('The office’s laptop')
      await dialog.getByRole('button', { name: 'Add passkey' }).click()
      if (isFirst) await dialog.waitFor({ state: 'detached' })
    }
    await dialog.getByText('This device already has your passkey.').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByRole('row', { name: /The office’s laptop/ }).waitFor()
  })

  test('a user can sign in with a passkey and only the keyboard', async () => {
    const { page } = seen
    await page.context().clearCookies()
    await page.goto(`${url}/vendors?status=active`)
    await page.waitForURL('**/sign-in?to=*')
    const button = page.getByRole('button', { name: 'Sign in with passkey' })
    await button.focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/vendors?status=active')
    await page.getByRole('heading', { name: 'Vendors' }).waitFor()
  })

  test('a user can sign in again with a passkey to create a key', async () => {
    const { page } = seen
    await ageSessions()
    await page.goto(`${url}/settings/keys`)
    await page.getByRole('button', { name: 'New key' }).first().click()
    const form = page.getByRole('dialog', { name: 'New API key' })
    await form.getByLabel('Name', { exact: true }).fill('Office agent')
    await form.getByLabel('Purchase orders: read').check()
    await form.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign in again?' })
    await dialog.getByText('within the last 10 minutes').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await form.getByText('A fresh sign-in is required.').waitFor()
    await form.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByRole('button', { name: 'Use passkey' }).click()
    await page.getByText('This secret is shown only once').waitFor()
  })

  test('without a mail server, the sign-in dialog explains how to get a sign-in link', async () => {
    const { page } = seen
    await ageSessions()
    await page.goto(`${url}/settings/passkeys`)
    await page.getByRole('button', { name: 'Remove The office’s laptop' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign in again?' })
    await dialog.getByRole('button', { name: 'Send sign-in link' }).click()
    await dialog.getByText('This server sends no email.').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('A fresh sign-in is required.').waitFor()
    await page.keyboard.press('Escape')
    await page.goto((await plumbline.app.services.identity.makeLink(OWNER, 60_000)).url)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL('**/settings/passkeys')
  })

  test('a removed passkey cannot be used to sign in', async () => {
    const { page } = seen
    await page.goto(`${url}/settings/passkeys`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Rename The office’s laptop' }).click()
    await dialog.getByLabel('Name').fill('Old laptop')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Remove Old laptop' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No passkeys yet').waitFor()
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !/401|403/.test(line)) })
    await page.context().clearCookies()
    await page.goto(`${url}/sign-in`)
    await page.getByRole('button', { name: 'Sign in with passkey' }).click()
    await page.getByText('Unknown passkey. Sign in another way.').waitFor()
    await expectAccessible(page)
  })
})
