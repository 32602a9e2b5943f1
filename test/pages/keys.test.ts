import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { createUser } from '../../server/domain/office/users/users.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the sign-in and the pages of API keys', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
  })
  afterAll(async () => {
    await closeWindows()
    await plumbline.stop()
  })

  test('after signing in with a link, a user returns to the previous page', async () => {
    const door = await visit(browser, plumbline)
    const { page } = door
    await page.context().clearCookies()
    await page.goto(`${plumbline.url}/bidding?status=sent`)
    await page.waitForURL('**/sign-in?to=*')
    const { url } = await plumbline.app.services.identity.makeLink('priya@harrowfinch.example.com', 60_000)
    await page.goto(`${page.url()}#${url.split('#')[1]}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/bidding?status=sent')
    await page.getByRole('heading', { name: 'Bid requests' }).waitFor()
    await page.getByRole('button', { name: /Priya Harrow/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    await page.goto(`${page.url()}#${url.split('#')[1]}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'Send another link' }).click()
    await page.getByLabel('Email').fill('priya@harrowfinch.example.com')
    await page.getByRole('button', { name: 'Send sign-in link' }).click()
    await page.getByText('This server sends no email').waitFor()
    expect(door.strayed).toEqual([])
    await door.close()
  })

  test.each([
    ...['/\t/evil.example.com/', '/\n/evil.example.com/', '/\r\\evil.example.com/', '//evil.example.com/'],
    ...['/\\evil.example.com/', '\t//evil.example.com/', 'https://evil.example.com/', '.evil.example.com/'],
    ...['@evil.example.com/', 'javascript:alert(1)'],
  ])('a sign-in does not redirect to another origin with to=%j', async (to) => {
    const door = await visit(browser, plumbline)
    const { page } = door
    const { url } = await plumbline.app.services.identity.makeLink('priya@harrowfinch.example.com', 60_000)
    await page.goto(`${plumbline.url}/sign-in?${new URLSearchParams({ to })}#${url.split('#')[1]}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${plumbline.url}/today`, { timeout: 10_000 })
    expectNoComplaints(door)
    await door.close()
  })

  test('a key can be created with only the keyboard', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/settings/keys`)
    const create = page.getByRole('button', { name: 'New key' })
    await create.focus()
    await page.keyboard.press('Enter')
    await page.locator('.dialog').waitFor()
    await page.keyboard.press('Tab')
    await page.getByLabel('Name', { exact: true }).focus()
    await page.keyboard.type('Voice agent')
    await page.getByRole('radio', { name: 'Voice agent' }).focus()
    await page.keyboard.press('Space')
    await page.getByLabel('Purchase orders: read').focus()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Create key' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('This secret is shown only once').waitFor()
    const secret = (await page.locator('.secret code').textContent()) ?? ''
    expect(secret).toMatch(/^plb_/)
    const me = await plumbline.get('/api/ext/me', { key: secret })
    expect(me.body.name).toBe('Voice agent')
    expect(me.body.permissions).toContain('pos:read')
    expect(me.body.permissions).not.toContain('vendors:write')
    await page.keyboard.press('Escape')
    expect(await page.locator('.dialog').count()).toBe(1)
    await page.getByLabel('I have stored the secret').focus()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Done' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('.dialog').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Voice agent' }).waitFor()
    expect(await page.content()).not.toContain(secret)
  })

  test('an error in the form for a new key is shown at its field', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('radio', { name: 'Read all' }).check({ force: true })
    await page.getByLabel('Allowed IP addresses').fill('nowhere')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.locator('[aria-invalid="true"]').first().waitFor()
    const wrong = page.getByLabel('Name', { exact: true })
    expect(await wrong.getAttribute('aria-invalid')).toBe('true')
    expect(await page.evaluate('document.activeElement?.getAttribute("name")')).toBe('name')
    await page.keyboard.press('Escape')
  })

  test('a key can be rotated with an overlap and then revoked', async () => {
    const { page } = seen
    await page.getByRole('link', { name: 'Voice agent' }).click()
    await page.getByRole('button', { name: 'Rotate' }).click()
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByText('This secret is shown only once').waitFor()
    const secret = (await page.locator('.secret code').textContent()) ?? ''
    await page.getByLabel('I have stored the secret').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('Rotating').waitFor()
    expect((await plumbline.get('/api/ext/me', { key: secret })).status).toBe(200)
    await page.getByRole('button', { name: 'Revoke' }).click()
    const revoke = page.getByRole('button', { name: 'Revoke key' })
    expect(await revoke.isDisabled()).toBe(true)
    await page.getByLabel('Type the name to confirm').fill('Voice agent')
    await revoke.click()
    await page.getByText('Revoked', { exact: true }).first().waitFor()
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !line.includes('422')) })
  })

  test('users whose role cannot manage keys do not see the page for keys', async () => {
    await createUser(plumbline.database, plumbline.clock, {
      ...{ organizationId: plumbline.organizationId, name: 'Vera Okafor', email: 'vera@harrowfinch.example.com' },
      ...{ role: 'viewer', poApprovalLimit: null },
    })
    const other = await visit(browser, plumbline, { email: 'vera@harrowfinch.example.com' })
    await other.page.goto(`${plumbline.url}/bidding`)
    await other.page.getByRole('heading', { name: 'Bid requests' }).waitFor()
    expect(await other.page.getByRole('link', { name: 'API keys' }).count()).toBe(0)
    expect(await other.page.getByRole('link', { name: 'New request' }).count()).toBe(0)
    await other.close()
  })
})
