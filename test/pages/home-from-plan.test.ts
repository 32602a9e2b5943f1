import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('a home that is created from a plan', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let planId = ''
  let homeId = ''

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    const created = async (path: string, body: object) => {
      const response = await plumbline.post(`/api/ext${path}`, body)
      expect([path, response.status, response.body]).toEqual([path, 201, response.body])
      return response.body
    }
    await created('/communities', { name: 'Juniper Ridge', status: 'active' })
    const vendor = await created('/vendors', { companyName: 'Colorado River Supply', scopes: ['framing'] })
    const stud = await created('/parts', { sku: 'LUM-2X4', name: 'Stud 2x4', unit: 'EA', scope: 'framing' })
    const cap = await created('/parts', { sku: 'STN-CAP', name: 'Cast stone cap', unit: 'LF', scope: 'framing' })
    await created(`/parts/${stud.id}/prices`, { vendorId: vendor.id, unitPrice: 4, effectiveDate: '2020-01-01' })
    const elevations = [
      { code: 'A', name: 'Hill country' },
      { code: 'B', name: 'Farmhouse', price: 6500 },
    ]
    const plan = { code: 'P2100', name: 'The Possumhaw', basePrice: 364_990, squareFeet: 2100, elevations }
    planId = (await created('/plans', plan)).id
    const lines = [
      { partId: stud.id, quantity: 500 },
      { partId: cap.id, quantity: 14 },
    ]
    expect((await plumbline.put(`/api/ext/plans/${planId}/takeoff`, { lines })).status).toBe(200)
    expect((await plumbline.post(`/api/ext/plans/${planId}/status`, { status: 'released' })).status).toBe(200)
    const rosa = { name: 'Rosa Lindqvist', email: 'rosa@harrowfinch.example.com', role: 'superintendent' }
    expect((await plumbline.post('/api/admin/users', rosa, await plumbline.signIn())).status).toBe(201)
  })
  afterAll(async () => {
    // The tests provoke these responses: a home without an elevation, and a home that another user has changed.
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !/ 4(12|22) /.test(line)) })
    await closeWindows()
    await plumbline.stop()
  })

  test('a new home gets its plan, elevation, and superintendent', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/homes`)
    await page.getByRole('link', { name: 'New home' }).click()
    await page.getByLabel('Community').selectOption({ label: 'Juniper Ridge' })
    await page.getByLabel('Lot number').fill('22')
    await page.getByRole('combobox', { name: /^Plan/ }).selectOption({ label: 'The Possumhaw (P2100)' })
    await page.getByText('Defaults to $364,990.00 for the plan, plus the price of the elevation.').waitFor()
    await page.getByLabel('Superintendent').selectOption({ label: 'Rosa Lindqvist' })
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create home' }).click()
    await expect.poll(() => page.getByLabel('Elevation').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Elevation').selectOption('B')
    await page.getByRole('button', { name: 'Create home' }).click()
    await page.waitForURL('**/homes/hom_*')
    homeId = page.url().split('/').at(-1) ?? ''
    expect((await plumbline.get(`/api/ext/homes/${homeId}`)).body).toMatchObject({
      ...{ name: 'Lot 22', lotNumber: '22', planId, elevation: 'B', basePrice: 371_490 },
      superintendentId: expect.stringMatching(/^usr_/),
    })
  })

  test('an estimate shows its unpriced lines before the budget is changed', async () => {
    const { page } = seen
    const dialog = page.getByRole('dialog', { name: 'Estimate budget' })
    await page.getByText('No budget yet').waitFor()
    await page.getByRole('button', { name: 'Estimate from plan' }).click()
    await dialog.getByText('1 line without a price.').waitFor()
    const unpriced = dialog.getByRole('row', { name: /Cast stone cap/ })
    expect(await unpriced.textContent()).toContain('has no price')
    await dialog.getByText('$2,000').waitFor()
    await expectAccessible(page)
    expect((await plumbline.get(`/api/ext/homes/${homeId}/budget`)).body.scopes).toEqual([])
    await dialog.getByRole('button', { name: 'Estimate budget' }).click()
    await page.getByText('Budget estimated, $2,000, 1 line without a price').waitFor()
    expect((await plumbline.get(`/api/ext/homes/${homeId}/budget`)).body.totalBudgeted).toBe(2000)
  })

  test('a line can be added before the budget is locked', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'Add line' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add budget line' })
    await dialog.getByLabel('Trade').selectOption('framing')
    await dialog.getByLabel('Description').fill('Crane')
    await dialog.getByLabel('Amount').fill('1,250')
    await dialog.getByRole('button', { name: 'Add line' }).click()
    await page.getByText('Framing line added, $1,250').waitFor()
    await page.getByRole('button', { name: 'Lock', exact: true }).click()
    await page.getByRole('dialog', { name: 'Lock the budget at $3,250?' }).waitFor()
    await page.getByText('will be made').waitFor()
    await page.getByRole('button', { name: 'Lock budget' }).click()
    await page.getByText('Budget locked').waitFor()
    await page.getByRole('button', { name: 'Transfer' }).waitFor()
    const { body } = await plumbline.get(`/api/ext/homes/${homeId}/budget`)
    expect(body).toMatchObject({ totalOriginalBudgeted: 3250, lockedAt: expect.any(String) })
  })

  test('a home with a locked budget can get another superintendent', async () => {
    const { page } = seen
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Superintendent').selectOption('')
    await page.getByLabel('Street').fill('118 Juniper Ridge Dr')
    await page.getByRole('button', { name: 'Save home' }).click()
    await page.getByText('Lot 22 changed').waitFor()
    expect((await plumbline.get(`/api/ext/homes/${homeId}`)).body).toMatchObject({
      ...{ superintendentId: null, planId, elevation: 'B', basePrice: 371_490 },
      address: { line1: '118 Juniper Ridge Dr' },
    })
  })

  test('a change of a home by another user is shown before it is overwritten', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/homes/${homeId}/edit`)
    await page.getByLabel('Block').fill('7')
    const other = await plumbline.patch(`/api/ext/homes/${homeId}`, { accountingId: 'QB-22' })
    expect(other.status).toBe(200)
    // The page loads the home again when its window gets the focus.
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))')
    await page.getByRole('button', { name: 'Save home' }).click()
    await page.getByText('This record was changed while you were editing.').waitFor()
    expect((await plumbline.get(`/api/ext/homes/${homeId}`)).body.block).toBe(null)
    await page.getByRole('button', { name: 'Overwrite' }).click()
    await page.waitForURL(`**/homes/${homeId}`)
    expect((await plumbline.get(`/api/ext/homes/${homeId}`)).body).toMatchObject({ block: '7' })
  })
})
