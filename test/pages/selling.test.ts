import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the pages of leads and sales', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  const created = async (path: string, body: object) => {
    const response = await plumbline.post(`/api/ext${path}`, body)
    expect([path, response.status, response.body]).toEqual([path, 201, response.body])
    return response.body
  }
  const findSale = async () => (await plumbline.get('/api/ext/sales')).body.data[0]

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    const site = await created('/communities', { name: 'Juniper Ridge', status: 'active' })
    await created('/homes', { name: 'Lot 14', lotNumber: '14', communityId: site.id, basePrice: 410_000 })
  })
  afterAll(async () => {
    expectNoComplaints(seen)
    await closeWindows()
    await plumbline.stop()
  })

  test('a lead is added and edited with its preferences', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/sales`)
    await page.getByRole('button', { name: 'New lead' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^First name/).fill('Dana')
    await dialog.getByLabel(/^Last name/).fill('Whitfield')
    await dialog.getByLabel(/^Budget up to/).fill('$450,000')
    await dialog.getByLabel(/^Communities/).fill('Juniper')
    await page.getByRole('option', { name: /Juniper Ridge/ }).click()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Add lead' }).click()
    await page.waitForURL('**/sales/leads/lead_*')
    await page.getByRole('heading', { name: 'Dana Whitfield' }).waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await dialog.getByLabel(/^Phone/).fill('+1 512 555 0144')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Dana Whitfield updated').waitFor()
    const { data } = (await plumbline.get('/api/ext/leads')).body
    expect(data).toMatchObject([{ phone: '+1 512 555 0144', budgetMax: 450_000, communityIds: [expect.any(String)] }])
  })

  test('a sale is created with two buyers, and its price is explained', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/sales/all`)
    await page.getByRole('button', { name: 'New sale' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Home', { exact: true }).selectOption({ label: 'Lot 14, Juniper Ridge' })
    await dialog.getByRole('button', { name: 'Add buyer' }).click()
    await dialog.getByLabel('Buyer', { exact: true }).nth(0).fill('Dana Whitfield')
    await dialog.getByLabel('Buyer', { exact: true }).nth(1).fill('Lee Whitfield')
    await dialog.getByLabel(/^Base price/).fill('410,000')
    await dialog.getByLabel(/^Lot premium/).fill('12,500')
    await dialog.getByLabel(/^First deposit/).fill('5,000')
    await dialog.getByLabel(/^Financing/).selectOption({ label: 'Conventional' })
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Create sale' }).click()
    await page.waitForURL('**/sales/sale_*')
    await page.getByRole('heading', { name: 'Dana Whitfield and Lee Whitfield' }).waitFor()
    await page.getByRole('region', { name: 'Price' }).getByText('$422,500.00').waitFor()
    await expectAccessible(page)
  })

  test('a sale is edited, and canceled with its deposits refunded', async () => {
    const { page } = seen
    const { id } = await findSale()
    await page.goto(`${plumbline.url}/sales/${id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Incentives/).fill('2,500')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('region', { name: 'Price' }).getByText('$420,000.00').waitFor()
    expect(await findSale()).toMatchObject({ totalPrice: 420_000, financing: { type: 'conventional' } })
    const received = { depositId: 'D1', status: 'received' }
    expect((await plumbline.post(`/api/ext/sales/${id}/deposits`, received)).status).toBe(200)
    await page.reload()
    await page.getByRole('button', { name: 'Cancel sale' }).click()
    await dialog.getByLabel('Reason').fill('The loan was declined.')
    await dialog.getByLabel('Deposits of $5,000.00').selectOption({ label: 'Refund to the buyers' })
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Cancel sale' }).click()
    await page.getByText(/SA-\d+ canceled/).waitFor()
    expect(await findSale()).toMatchObject({
      ...{ status: 'cancelled', cancelReason: 'The loan was declined.', depositsReceived: 0 },
      deposits: [{ status: 'refunded' }],
    })
  })
})
