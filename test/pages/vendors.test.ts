import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { buildSite, type Site } from '../support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the pages of vendors and Today', () => {
  let plumbline: TestPlumbline
  let site: Site
  let browser: Browser
  let seen: ObservedPage

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    site = await buildSite(plumbline)
    browser = await openChromium()
    seen = await visit(browser, plumbline, { organizationId: site.organizationId })
  })
  afterAll(async () => {
    await closeWindows()
    await plumbline.stop()
  })

  test('an edit of a vendor shows changes that another user made in the meantime', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/vendors`)
    await page.getByRole('button', { name: 'New vendor' }).click()
    await page.getByLabel('Company').fill('Summit Electric Co.')
    await page.getByLabel('Trades').fill('electrical, low voltage')
    await page.getByRole('button', { name: 'Add vendor' }).click()
    await page.waitForURL(/\/vendors\/ven_/)
    await page.getByRole('heading', { name: 'Summit Electric Co.' }).waitFor()
    const id = page.url().split('/').at(-1)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Phone').fill('+1 512 555 0199')
    await plumbline.patch(`/api/ext/vendors/${id}`, { contactName: 'June Park' }, { key: site.key })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This record was changed while you were editing.').waitFor()
    await page.getByRole('button', { name: 'Show changes' }).click()
    await page.getByText('June Park').first().waitFor()
    await page.getByRole('button', { name: 'Overwrite with my changes' }).click()
    await page.locator('.dialog').waitFor({ state: 'detached' })
    const { body } = await plumbline.get(`/api/ext/vendors/${id}`, { key: site.key })
    expect(body).toMatchObject({ phone: '+1 512 555 0199', scopes: ['electrical', 'low voltage'] })
  })

  test('the Today page links to each order that awaits approval', async () => {
    const { page } = seen
    const budget = `/api/ext/homes/${site.lot15}/budget/lines`
    await plumbline.post(budget, { scope: 'framing', amount: 1000 }, { key: site.key })
    const order = await plumbline.post(
      '/api/ext/purchase-orders',
      {
        ...{ homeId: site.lot15, vendorId: site.loneStar, scope: 'framing' },
        lines: [{ description: 'Walls', quantity: 1, unit: 'LS', unitPrice: 1500 }],
      },
      { key: site.key },
    )
    const status = `/api/ext/purchase-orders/${order.body.id}/status`
    const requested = await plumbline.post(status, { status: 'approved' }, { key: site.key })
    expect(requested.body.status).toBe('pending_approval')
    await page.goto(plumbline.url)
    await page.waitForURL('**/today')
    const line = page.getByRole('link', { name: `Approve ${order.body.number}, Framing` })
    await line.waitFor()
    expect(await line.getAttribute('href')).toContain(order.body.id)
    await page.getByRole('link', { name: 'Lot 15 is over-committed' }).waitFor()
    const refused = /412/
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((message) => !refused.test(message)) })
  })
})
