import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('a new builder', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
  })
  afterAll(async () => {
    // The browser reports the rejected file without rows.
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !line.includes('422')) })
    await closeWindows()
    await plumbline.stop()
  })

  const step = (title: string) =>
    seen.page
      .getByRole('region', { name: 'From your first home to your first order' })
      .getByRole('listitem')
      .filter({ hasText: title })

  test('existing records complete the first steps on the Today page', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/today`)
    // This organization already has an API key.
    await page.getByText('1 of 5 done').waitFor()
    await expectAccessible(page)
    expect(await step('Connect another system').getAttribute('class')).toBe('done')
    await step('Add community').getByRole('button').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Juniper Ridge')
    await dialog.getByLabel('City').fill('Austin')
    await dialog.getByRole('button', { name: 'Add community' }).click()
    await page.getByText('2 of 5 done').waitFor()
    const [site] = (await plumbline.get('/api/ext/communities')).body.data
    expect(site).toMatchObject({ name: 'Juniper Ridge', city: 'Austin', status: 'active' })
  })

  test('a new builder can import vendors from a file after previewing the errors', async () => {
    const { page } = seen
    await step('Import vendors').getByRole('link', { name: 'Import file' }).click()
    const choose = (text: string) =>
      page
        .getByLabel('File', { exact: true })
        // Users can choose a file only after the kinds of records are loaded.
        .and(page.locator(':enabled'))
        .setInputFiles({ name: 'v.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await choose('Vendor Name;Main e-mail\n')
    await page.getByText('The file has no rows').waitFor()
    await expectAccessible(page)
    // The service processes the file in several pieces, and the error is not in the first piece.
    const many = Array.from(
      { length: 205 },
      (_, at) => `"Vendor ${at}, Inc.";v${at}@example.com;framing, trusses;V-${at}`,
    )
    await choose(
      `\uFEFFVendor Name;Billing;Trades;External ID\n${many.join('\n')}\n"No Address";not an address;painting;X-1\n`,
    )
    expect(await page.getByLabel('Field for Vendor Name').inputValue()).toBe('companyName')
    expect(await page.getByLabel('Field for External ID').inputValue()).toBe('externalId')
    expect(await page.getByLabel('Encoding').inputValue()).toBe('utf-8')
    // The service recognizes the column by its content.
    expect(await page.getByLabel('Field for Billing').inputValue()).toBe('email')
    await page.getByRole('button', { name: 'Preview 206 rows' }).click()
    await page.getByText(/205 rows would be added, 0 changed, 0 unchanged, 0 skipped, 1 with errors/).waitFor()
    const fault = page.getByRole('table', { name: 'Rows with errors' }).getByRole('row', { name: /No Address/ })
    expect(await fault.textContent()).toMatch(/207.*Email/)
    expect((await plumbline.get('/api/ext/vendors')).body.data).toEqual([])
    await page.getByRole('button', { name: 'Import 205 rows' }).click()
    await page.getByText(/205 rows added, 0 changed/).waitFor()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Rows with errors' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('v errors.csv')
    const [found] = (await plumbline.get('/api/ext/vendors?externalId=V-204')).body.data
    expect(found).toMatchObject({
      companyName: 'Vendor 204, Inc.',
      email: 'v204@example.com',
      scopes: ['framing', 'trusses'],
    })
    await page.getByRole('link', { name: 'View vendors' }).click()
    await page.getByRole('link', { name: 'Vendor 0, Inc.' }).waitFor()
  })

  test('the first steps disappear after a user dismisses them or after the first order', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/today`)
    await page.getByText('3 of 5 done').waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByText("You're all caught up.").waitFor()
    await page.reload()
    await page.getByText("You're all caught up.").waitFor()
    const other = await visit(browser, plumbline)
    await other.page.goto(`${plumbline.url}/today`)
    await other.page.getByText('3 of 5 done').waitFor()
    const created = async (path: string, body: object) => (await plumbline.post(path, body)).body
    const [{ id: communityId }] = (await plumbline.get('/api/ext/communities')).body.data
    const [{ id: vendorId }] = (await plumbline.get('/api/ext/vendors?limit=1')).body.data
    const { id: homeId } = await created('/api/ext/homes', { name: 'Lot 1', lotNumber: '1', communityId })
    const lines = [{ description: 'Walls', quantity: 1, unitPrice: 100 }]
    await created('/api/ext/purchase-orders', { homeId, vendorId, scope: 'framing', lines })
    await other.page.reload()
    await other.page.getByText(/(needs? attention|all caught up)\.$/).waitFor()
    expect(await other.page.getByText('From your first home to your first order').count()).toBe(0)
    await other.close()
  })
})
