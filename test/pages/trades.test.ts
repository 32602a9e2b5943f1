import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

const CABINETS = { name: 'cabinets', spanishName: 'gabinetes' }
const SIDING = { name: 'siding', spanishName: 'revestimiento' }

describe.skipIf(chromium === null)('the page of trades', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    const created = async (path: string, body: object) => {
      const response = await plumbline.post(`/api/ext${path}`, body)
      expect([path, response.status]).toEqual([path, 201])
    }
    await created('/cost-codes', { code: '06-100', name: 'Framing lumber', category: 'material' })
    await created('/scopes', { name: 'plumbing', sequence: 100 })
    await created('/scopes', { name: 'siding', sequence: 80 })
    await created('/vendors', { companyName: 'Brightwater Plumbing', scopes: ['plumbing'] })
  })
  afterAll(async () => {
    // The tests provoke the rejection of a new name.
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !line.includes('409')) })
    await closeWindows()
    await plumbline.stop()
  })

  const findTrade = async (name: string) => (await plumbline.get(`/api/ext/scopes?name=${name}`)).body.data[0]

  test('a trade can be created with its Spanish name, after the last trade by default', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/catalogue`)
    await page.getByRole('link', { name: 'Trades' }).click()
    await page.getByRole('row', { name: /^Plumbing/ }).waitFor()
    await page.getByRole('button', { name: 'New trade' }).click()
    const dialog = page.getByRole('dialog', { name: 'New trade' })
    await dialog.getByLabel('Name', { exact: true }).fill(CABINETS.name)
    await dialog.getByLabel(/^Spanish name/).fill(CABINETS.spanishName)
    expect(await dialog.getByLabel('Position').inputValue()).toBe('110')
    await dialog.getByRole('combobox', { name: /^Cost code/ }).fill('06-1')
    await page.getByRole('option', { name: /Framing lumber/ }).click()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Create trade' }).click()
    await page.getByText('Cabinets created').waitFor()
    const row = page.getByRole('row', { name: /^Cabinets/ })
    await row.getByText(CABINETS.spanishName).waitFor()
    await row.getByText('06-100').waitFor()
    expect(await findTrade('cabinets')).toMatchObject({ ...CABINETS, sequence: 110 })
    expect((await findTrade('cabinets')).defaultCostCodeId).not.toBeNull()
    await expectAccessible(page)
  })

  test('a changed position moves the trade in the list', async () => {
    const { page } = seen
    const names = () => page.locator('tbody th').allInnerTexts()
    expect(await names()).toEqual(['Siding', 'Plumbing', 'Cabinets'])
    await page.getByRole('button', { name: 'Edit siding' }).click()
    await page.getByLabel('Position').fill('105')
    await page.getByLabel(/^Spanish name/).fill(SIDING.spanishName)
    await page.getByRole('button', { name: 'Save trade' }).click()
    await page.getByText('Siding changed').waitFor()
    await expect.poll(names).toEqual(['Plumbing', 'Siding', 'Cabinets'])
    expect(await findTrade('siding')).toMatchObject({ ...SIDING, sequence: 105 })
  })

  test('the name of a trade in use cannot be changed, and the dialog shows the reason', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'Edit plumbing' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit plumbing' })
    await dialog.getByLabel('Name', { exact: true }).fill('pipes')
    await dialog.getByRole('button', { name: 'Save trade' }).click()
    await dialog.getByText('Cannot rename "plumbing": it is in use (vendors: 1, warranty terms: 1).').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await findTrade('plumbing')).toMatchObject({ version: 1 })
  })

  test('a user without the permission to change trades can only read them', async () => {
    const { body: user } = await plumbline.post(
      '/api/admin/users',
      { name: 'Ana Ruiz', email: 'ana@hearth.example.com', role: 'viewer' },
      await plumbline.signIn(),
    )
    const reader = await visit(browser, plumbline, { email: user.email })
    await reader.page.goto(`${plumbline.url}/catalogue/trades`)
    await reader.page.getByRole('row', { name: /^Siding/ }).waitFor()
    expect(await reader.page.getByRole('button', { name: /^(New trade|Edit)/ }).count()).toBe(0)
    expectNoComplaints(reader)
  })
})
