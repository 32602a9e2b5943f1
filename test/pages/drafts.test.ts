import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, visit } from './visit.ts'

describe.skipIf(chromium === null)('unsaved entries of forms', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let communityId = ''

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    communityId = (await plumbline.post('/api/ext/communities', { name: 'Juniper Ridge', status: 'active' })).body.id
    const vendor = { companyName: 'Lone Star Framing', scopes: ['framing'], status: 'active' }
    expect((await plumbline.post('/api/ext/vendors', vendor)).status).toBe(201)
  })
  afterAll(async () => {
    await closeWindows()
    await plumbline.stop()
  })

  const storedDrafts = () =>
    seen.page.evaluate<string>(`JSON.stringify(Object.entries(localStorage).filter(([key]) => key.includes('draft')))`)

  const signIn = async (organizationId?: string) => {
    const session = await plumbline.signIn()
    if (organizationId !== undefined)
      expect((await plumbline.post('/api/admin/session/organization', { organizationId }, session)).status).toBe(200)
    const [name = '', value = ''] = session.headers?.cookie?.split(/=(.*)/s) ?? []
    await seen.page.context().addCookies([{ name, value, url: plumbline.url }])
  }

  test('the user is asked before a link leaves a page with unsaved entries', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/bidding/new?communityId=${communityId}`)
    await page.getByLabel('Title').fill('Framing, phase two')
    await page.getByRole('link', { name: 'Vendors' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await dialog.waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Stay on page' }).click()
    expect(await page.getByLabel('Title').inputValue()).toBe('Framing, phase two')
  })

  test('entries are filled in again when the user returns to the form', async () => {
    const { page } = seen
    await page.getByLabel('Trade').selectOption('framing')
    await page.getByLabel('Lone Star Framing').check()
    await page.getByRole('button', { name: 'Add line' }).click()
    await page.getByLabel('Description').fill('Second floor walls')
    await page.getByLabel('Blind bidding').check()
    await page.getByRole('link', { name: 'Vendors' }).first().click()
    await page.getByRole('button', { name: 'Leave page' }).click()
    await page.waitForURL('**/vendors')
    await page.goto(`${plumbline.url}/bidding/new`)
    await page.getByText(/^Your unsaved entries from .* have been filled in\.$/).waitFor()
    await expect.poll(() => page.getByLabel('Description').inputValue()).toBe('Second floor walls')
    await expect.poll(() => page.getByLabel('Community').inputValue()).toBe(communityId)
    expect(await page.getByLabel('Title').inputValue()).toBe('Framing, phase two')
    expect(await page.getByLabel('Lone Star Framing').isChecked()).toBe(true)
    expect(await page.getByLabel('Blind bidding').isChecked()).toBe(true)
    await expectAccessible(page)
  })

  test('a new window with the same form gets the entries of a closed window', async () => {
    const { page } = seen
    const second = await page.context().newPage()
    await second.goto(`${plumbline.url}/bidding/new`)
    await second.getByText('have been filled in').waitFor()
    expect(await second.getByLabel('Title').inputValue()).toBe('Framing, phase two')
    await second.close()
  })

  test('discarding restored entries empties the form', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'Discard entries' }).click()
    await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('')
    expect(await page.getByLabel('Description').count()).toBe(0)
    expect(await storedDrafts()).toBe('[]')
    await page.getByRole('link', { name: 'Vendors' }).first().click()
    await page.waitForURL('**/vendors')
  })

  test('a dialog that is closed with Escape keeps its entries', async () => {
    const { page } = seen
    const dialog = page.getByRole('dialog')
    await page.goto(`${plumbline.url}/communities`)
    await page.getByRole('button', { name: 'New community' }).first().click()
    await dialog.getByLabel('Name', { exact: true }).fill('Barton Bluff')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'New community' }).first().click()
    await expect.poll(() => dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('Barton Bluff')
  })

  test('Cancel discards the entries of a dialog', async () => {
    const { page } = seen
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'New community' }).first().click()
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('')
    expect(await storedDrafts()).toBe('[]')
  })

  test('a request that failed because the session had ended continues after the user signs in', async () => {
    const { page } = seen
    const dialog = page.getByRole('dialog', { name: 'New community' })
    await dialog.getByLabel('Name', { exact: true }).fill('Barton Bluff')
    await page.context().clearCookies()
    const keys: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/api/ext/communities'))
        keys.push(request.headers()['idempotency-key'])
    })
    await dialog.getByRole('button', { name: 'Add community' }).click()
    const signIn = page.getByRole('dialog', { name: 'Your session has ended' })
    await signIn.waitFor()
    await expectAccessible(page)
    await signIn.getByRole('button', { name: 'Send sign-in link' }).click()
    await signIn.getByRole('button', { name: 'Continue' }).click()
    await signIn.getByText('You are not signed in yet.').waitFor()
    const session = await plumbline.signIn()
    const [name = '', value = ''] = session.headers?.cookie?.split(/=(.*)/s) ?? []
    await page.context().addCookies([{ name, value, url: plumbline.url }])
    await signIn.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Barton Bluff added').waitFor()
    expect((await plumbline.get('/api/ext/communities?q=barton')).body.data).toHaveLength(1)
    expect(keys).toHaveLength(2)
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(keys[1]).toBe(keys[0])
  })

  test('a saved form leaves no draft', async () => {
    expect(await storedDrafts()).toBe('[]')
  })

  test('the form of an action keeps its entries, except tax IDs', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/actions/createVendor`)
    await page.getByLabel('Company', { exact: true }).fill('Hill Country Tile')
    await page.getByText('More fields').click()
    await page
      .getByLabel(/^Tax ID/)
      .first()
      .fill('12-3456789')
    await expect.poll(storedDrafts).toContain('Hill Country Tile')
    expect(await storedDrafts()).not.toContain('3456789')
    await page.goto(`${plumbline.url}/actions/createVendor`)
    await page.getByText('have been filled in').waitFor()
    expect(await page.getByLabel('Company', { exact: true }).inputValue()).toBe('Hill Country Tile')
  })

  test('the permissions of a new key are filled in again, even if they differ from the chosen preset', async () => {
    const { page } = seen
    const dialog = page.getByRole('dialog', { name: 'New API key' })
    const open = async () => {
      await page.goto(`${plumbline.url}/settings/keys`)
      await page.getByRole('button', { name: 'New key' }).first().click()
    }
    await open()
    await dialog.getByLabel('Name', { exact: true }).fill('Voice agent')
    await dialog.getByRole('radio', { name: 'Read all' }).check({ force: true })
    await dialog.getByLabel('Purchase orders: read').uncheck()
    await dialog.getByLabel('Vendors: write').check()
    await open()
    await dialog.getByText(/^Your unsaved entries from .* have been filled in\.$/).waitFor()
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('Voice agent')
    expect(await dialog.getByLabel('Vendors: write').isChecked()).toBe(true)
    expect(await dialog.getByLabel('Vendors: read').isChecked()).toBe(true)
    expect(await dialog.getByLabel('Purchase orders: read').isChecked()).toBe(false)
    expect(await dialog.getByRole('radio', { name: 'Custom' }).isChecked()).toBe(true)
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Discard entries' }).click()
    await dialog.getByText(/^0 of /).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await storedDrafts()).not.toContain('Voice agent')
  })

  test('the events of a webhook are filled in again', async () => {
    const { page } = seen
    const dialog = page.getByRole('dialog', { name: 'New webhook' })
    const event = (name: RegExp) => dialog.getByRole('checkbox', { name })
    const open = async () => {
      await page.goto(`${plumbline.url}/settings/webhooks`)
      await page.getByRole('button', { name: 'New webhook' }).first().click()
    }
    await open()
    await event(/^vendor.created/).check()
    await event(/^home.created/).check()
    await event(/^vendor.created/).uncheck()
    await event(/^Skip events/).check()
    await open()
    await dialog.getByText(/^Your unsaved entries from .* have been filled in\.$/).waitFor()
    await event(/^home.created/).waitFor()
    expect(await event(/^home.created/).isChecked()).toBe(true)
    expect(await event(/^vendor.created/).isChecked()).toBe(false)
    expect(await event(/^Skip events/).isChecked()).toBe(true)
    await event(/^All events/).check()
    await open()
    await expect.poll(() => event(/^All events/).isChecked()).toBe(true)
    await dialog.getByRole('button', { name: 'Discard entries' }).click()
    expect(await event(/^All events/).isChecked()).toBe(false)
    expect(await event(/^home.created/).isChecked()).toBe(false)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
  })

  test('a form does not show the unsaved entries of another user', async () => {
    const { page } = seen
    const vera = { name: 'Vera Okafor', email: 'vera@harrowfinch.example.com', role: 'admin' }
    expect((await plumbline.post('/api/admin/users', vera, await plumbline.signIn())).status).toBe(201)
    const session = await plumbline.signIn(vera.email)
    const [name = '', value = ''] = session.headers?.cookie?.split(/=(.*)/s) ?? []
    await page.context().addCookies([{ name, value, url: plumbline.url }])
    await page.goto(`${plumbline.url}/actions/createVendor`)
    await page.getByRole('button', { name: /Vera Okafor/ }).waitFor()
    expect(await page.getByLabel('Company', { exact: true }).inputValue()).toBe('')
  })

  test('signing out deletes the drafts of all users of the browser', async () => {
    const { page } = seen
    expect(await storedDrafts()).toContain('Hill Country Tile')
    await page.getByRole('button', { name: /Vera Okafor/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    expect(await storedDrafts()).toBe('[]')
  })

  test('signing out deletes the drafts even if the session has already ended', async () => {
    const { page } = seen
    await signIn()
    await page.goto(`${plumbline.url}/actions/createVendor`)
    await page.getByLabel('Company', { exact: true }).fill('Hill Country Tile')
    await expect.poll(storedDrafts).toContain('Hill Country Tile')
    await page.context().clearCookies()
    await page.getByRole('button', { name: /Priya Harrow/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    expect(await storedDrafts()).toBe('[]')
    await signIn()
  })

  test('the error of a field disappears when the user corrects the field', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/communities`)
    await page.getByRole('button', { name: 'New community' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add community' }).click()
    const field = dialog.locator('[aria-invalid="true"]').first()
    await field.waitFor()
    await dialog.getByLabel('Name', { exact: true }).fill('Walnut Springs')
    await dialog.locator('[aria-invalid="true"]').waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
  })

  test('the fields that a status dialog adds are filled in again after the session has ended', async () => {
    const { page } = seen
    const created = async (path: string, body: object) => {
      const response = await plumbline.post(path, body)
      expect([response.status, response.body]).toEqual([201, response.body])
      return response.body
    }
    const home = await created('/api/ext/homes', { name: 'Lot 14', lotNumber: '14', communityId })
    await created(`/api/ext/homes/${home.id}/budget/lines`, { scope: 'framing', amount: 50_000 })
    const [vendor] = (await plumbline.get('/api/ext/vendors?q=lone')).body.data
    const order = await created('/api/ext/purchase-orders', {
      ...{ homeId: home.id, vendorId: vendor.id, scope: 'framing', lienWaiverRequired: true },
      lines: [{ description: 'Walls', quantity: 1, unitPrice: 10_000 }],
    })
    for (const status of ['approved', 'issued', 'accepted', 'completed'])
      expect((await plumbline.post(`/api/ext/purchase-orders/${order.id}/status`, { status })).status).toBe(200)
    const payment = await created('/api/ext/payments', { poId: order.id, paymentType: 'final', method: 'check' })
    expect((await plumbline.post(`/api/ext/payments/${payment.id}/status`, { status: 'approved' })).status).toBe(200)

    const dialog = page.getByRole('dialog', { name: /^Mark PM-0001 as paid/ })
    const openDialog = async () => {
      await page.goto(`${plumbline.url}/payments/${payment.id}`)
      await page.getByRole('button', { name: 'Mark as paid' }).click()
      // The dry run finds the missing lien waiver, which can only be overridden with a reason.
      await dialog.getByLabel('Reason for override').waitFor()
    }
    await openDialog()
    await dialog.getByLabel('Paid on').fill('2026-01-05')
    await dialog.getByLabel('Check number').fill('20417')
    await dialog.getByLabel('Reason for override').fill('The vendor signs on Monday.')
    await expect.poll(storedDrafts).toContain('The vendor signs on Monday.')
    await page.context().clearCookies()
    await page.goto(`${plumbline.url}/payments/${payment.id}`)
    await page.waitForURL('**/sign-in*')
    await signIn()
    await openDialog()
    await dialog.getByText('have been filled in').waitFor()
    expect(await dialog.getByLabel('Paid on').inputValue()).toBe('2026-01-05')
    expect(await dialog.getByLabel('Check number').inputValue()).toBe('20417')
    await expect.poll(() => dialog.getByLabel('Reason for override').inputValue()).toBe('The vendor signs on Monday.')
    await dialog.getByRole('button', { name: 'Mark as paid' }).click()
    await page.getByText('PM-0001: paid').waitFor()
    const { body } = await plumbline.get(`/api/ext/payments/${payment.id}`)
    expect(body).toMatchObject({ status: 'paid', paidDate: '2026-01-05', checkNumber: '20417' })
    expect(await storedDrafts()).toBe('[]')
  })

  test('the chosen status of a home is filled in again when its dialog is opened again', async () => {
    const { page } = seen
    const [home] = (await plumbline.get('/api/ext/homes?q=Lot+14')).body.data
    await page.goto(`${plumbline.url}/homes/${home.id}`)
    const dialog = page.getByRole('dialog', { name: 'Change status of Lot 14' })
    const open = () => page.getByRole('button', { name: 'Change status' }).first().click()
    await open()
    await dialog.getByLabel('New status').selectOption('cancelled')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await open()
    await expect.poll(() => dialog.getByLabel('New status').inputValue()).toBe('cancelled')
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
  })

  test('a list that cannot be loaded offline loads when the connection returns', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/vendors`)
    await page.getByRole('link', { name: 'Lone Star Framing' }).waitFor()
    await page.context().setOffline(true)
    await page.getByText('Changes cannot be saved.').waitFor()
    await page.getByRole('searchbox', { name: 'Search vendors' }).fill('Star')
    await page.getByText('The vendors could not be loaded').waitFor()
    await expectAccessible(page)
    await page.context().setOffline(false)
    await page.getByRole('link', { name: 'Lone Star Framing' }).waitFor()
    await page.getByText('Changes cannot be saved.').waitFor({ state: 'detached' })
  })

  test('a page that cannot be loaded offline loads when the connection returns', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/vendors`)
    await page.getByRole('link', { name: 'Lone Star Framing' }).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Catalog' }).first().click()
    await page.getByText('This page loads as soon as the connection returns.').waitFor()
    await page.context().setOffline(false)
    await page.getByRole('heading', { name: 'Plans' }).first().waitFor()
  })

  test('after the session has ended, a user who last used another organization continues in the organization of the page', async () => {
    const { page } = seen
    const other = await plumbline.newBuilder()
    await page.goto(`${plumbline.url}/communities`)
    await page.getByRole('button', { name: 'New community' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New community' })
    await dialog.getByLabel('Name', { exact: true }).fill('Walnut Springs')
    await page.context().clearCookies()
    await dialog.getByRole('button', { name: 'Add community' }).click()
    const signInAgain = page.getByRole('dialog', { name: 'Your session has ended' })
    await signInAgain.getByRole('button', { name: 'Send sign-in link' }).click()
    await signIn(other.organizationId)
    await signInAgain.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Walnut Springs added').waitFor()
    expect((await plumbline.get('/api/ext/communities?q=walnut')).body.data).toHaveLength(1)
  })
})
