import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the pages of prices', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let studId = ''
  let sheetId = ''

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    const created = async (path: string, body: object) => {
      const response = await plumbline.post(`/api/ext${path}`, body)
      expect([path, response.status, response.body]).toEqual([path, 201, response.body])
      return response.body
    }
    const vendor = await created('/vendors', { companyName: 'Colorado River Supply', scopes: ['framing'] })
    const other = await created('/vendors', { companyName: 'Lone Star Lumber', scopes: ['framing'] })
    studId = (await created('/parts', { sku: 'LUM-2X4', name: 'Stud 2x4', unit: 'EA' })).id
    sheetId = (await created('/parts', { sku: 'OSB-716', name: 'OSB sheet', unit: 'SHT' })).id
    const since = { effectiveDate: '2026-01-01' }
    await created(`/parts/${studId}/prices`, { vendorId: vendor.id, unitPrice: 4, ...since })
    await created(`/parts/${studId}/prices`, { vendorId: other.id, unitPrice: 3.9, ...since })
    await created(`/parts/${sheetId}/prices`, { vendorId: vendor.id, unitPrice: 18, ...since })
  })
  afterAll(async () => {
    // The tests provoke the rejection of a price change without a percentage.
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !line.includes('422')) })
    await closeWindows()
    await plumbline.stop()
  })

  const listPrices = async (partId: string) =>
    (await plumbline.get(`/api/ext/parts/${partId}/prices?sort=-effectiveDate`)).body.data

  test('a new price ends the previous price of the vendor, and the history shows the change', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/catalogue/parts/${studId}`)
    await page.getByRole('button', { name: 'Add price' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add price' })
    await dialog.getByLabel('Vendor', { exact: true }).fill('colorado')
    await page.getByRole('option', { name: /Colorado River Supply/ }).click()
    await dialog.getByLabel('Price for each EA, USD').fill('4.25')
    await dialog.getByLabel('Valid from').fill('2099-01-01')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Add price' }).click()
    await expect.poll(() => dialog.getByLabel('Vendor', { exact: true }).inputValue()).toBe('Colorado River Supply')
    await dialog.getByRole('button', { name: 'Add price' }).click()
    await page.getByText('Price of Stud 2x4 added, 4.25 for each EA').waitFor()
    await page
      .getByRole('row', { name: /Jan 1, 2099/ })
      .getByText('+6.3%')
      .waitFor()
    await page.getByLabel('Vendor', { exact: true }).selectOption({ label: 'Lone Star Lumber' })
    expect(await page.getByRole('rowheader').count()).toBe(1)
    const prices = await listPrices(studId)
    expect(prices.map(({ expirationDate }: { expirationDate: string | null }) => expirationDate).sort()).toEqual([
      ...['2098-12-31', null, null],
    ])
  })

  test('a price gets a last day', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'End', exact: true }).click()
    await page.getByLabel('Last day').fill('2098-06-30')
    await page.getByRole('button', { name: 'Save end date' }).click()
    await page.getByText('Price ends on Jun 30, 2098').waitFor()
    const dates = (await listPrices(studId)).map(({ expirationDate }: { expirationDate: string }) => expirationDate)
    expect(dates).toContain('2098-06-30')
  })

  test('a change of many prices is shown before it is applied', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/catalogue/parts`)
    await page.getByRole('link', { name: 'Change prices' }).click()
    await page.getByLabel(/^Vendor/).fill('colorado')
    await page.getByRole('option', { name: /Colorado River Supply/ }).click()
    await page.getByLabel('Change in percent').fill('10')
    await page.getByLabel('Valid from').fill('2097-01-01')
    await page.getByRole('button', { name: 'Preview new prices' }).click()
    const preview = page.getByRole('table', { name: 'New prices' })
    await preview
      .getByRole('row', { name: /OSB sheet/ })
      .getByText('19.80')
      .waitFor()
    expect((await listPrices(sheetId)).length).toBe(1)
    await expectAccessible(page)
    // Other values need another preview.
    await page.getByLabel('Change in percent').fill('5')
    await preview.waitFor({ state: 'detached' })
    await page.getByLabel('Valid from').fill('2099-06-01')
    await page.getByRole('button', { name: 'Preview new prices' }).click()
    await preview
      .getByRole('row', { name: /OSB sheet/ })
      .getByText('18.90')
      .waitFor()
    await page.getByRole('button', { name: 'Change 2 prices' }).click()
    await page.getByText('2 prices changed from Jun 1, 2099').waitFor()
    expect((await listPrices(sheetId))[0]).toMatchObject({ unitPrice: 18.9, effectiveDate: '2099-06-01' })
  })

  test('a part is created and changed on its page', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/catalogue/parts`)
    await page.getByRole('button', { name: 'New part' }).click()
    const dialog = page.getByRole('dialog', { name: 'New part' })
    await dialog.getByLabel('SKU').fill('CON-3000')
    await dialog.getByLabel('Name').fill('Concrete, 3,000 psi')
    await dialog.getByLabel('Unit', { exact: true }).fill('CY')
    await dialog.getByRole('button', { name: 'Create part' }).click()
    await page.waitForURL('**/catalogue/parts/prt_*')
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel(/^Lead time/).fill('3')
    await page.getByRole('button', { name: 'Save part' }).click()
    await page.getByText('Concrete, 3,000 psi changed').waitFor()
    const { data } = (await plumbline.get('/api/ext/parts?sku=CON-3000')).body
    expect(data).toMatchObject([{ unit: 'CY', leadTimeDays: 3 }])
  })
})
