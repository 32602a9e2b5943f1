import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the pages of payments', () => {
  let plumbline: TestPlumbline
  let browser: Browser

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    const created = async (path: string, body: object) => (await plumbline.post(path, body)).body
    const site = await created('/api/ext/communities', { name: 'Juniper Ridge', status: 'active' })
    const home = await created('/api/ext/homes', { name: 'Lot 14', lotNumber: '14', communityId: site.id })
    for (const companyName of ['Lone Star Framing', 'Travis Roof & Gutter']) {
      const vendor = await created('/api/ext/vendors', { companyName, scopes: ['framing'] })
      await created(`/api/ext/homes/${home.id}/budget/lines`, { scope: 'framing', amount: 50_000 })
      const lines = [{ description: 'Work', quantity: 1, unitPrice: 10_000 }]
      const order = await created('/api/ext/purchase-orders', {
        homeId: home.id,
        vendorId: vendor.id,
        scope: 'framing',
        lines,
      })
      for (const status of ['approved', 'issued', 'accepted', 'completed']) {
        const moved = await plumbline.post(`/api/ext/purchase-orders/${order.id}/status`, { status })
        expect([moved.status, moved.body]).toEqual([200, moved.body])
      }
    }
    const [held] = (await plumbline.get('/api/ext/vendors?q=travis')).body.data
    const hold = { status: 'on_hold', reason: 'Disputed work' }
    expect((await plumbline.post(`/api/ext/vendors/${held.id}/status`, hold)).status).toBe(200)
  })
  afterAll(async () => {
    await closeWindows()
    await plumbline.stop()
  })

  test('a payment of a payment run can be approved and paid with a lien waiver', async () => {
    const seen = await visit(browser, plumbline)
    const { page } = seen
    await page.goto(`${plumbline.url}/payments?through=2031-01-31`)
    await page.getByText('This run creates 1 payment totaling $10,000.').waitFor()
    const left = page.getByRole('row', { name: /Travis Roof & Gutter/ })
    await left.getByText('Vendor on hold').waitFor()
    expect((await plumbline.get('/api/ext/payments')).body.data).toEqual([])
    await page.getByRole('button', { name: 'Create 1 payment' }).click()
    await page.waitForURL('**/payments/runs/prn_*')
    const payment = page.getByRole('link', { name: 'PM-0001' })
    await payment.waitFor()
    await expectAccessible(page)
    await payment.click()
    await page.getByRole('button', { name: 'Request lien waiver' }).click()
    await page.getByText('waiting for the vendor').waitFor()
    const [waiver] = (await plumbline.get('/api/ext/lien-waivers')).body.data
    const signed = { status: 'signed', signedBy: 'Dana Whitfield' }
    await plumbline.post(`/api/ext/lien-waivers/${waiver.id}/status`, signed)
    await page.reload()
    await page.getByRole('button', { name: 'Accept', exact: true }).click()
    await page.getByText('Lien waiver accepted').waitFor()
    for (const [word, state] of [
      ['Approve', 'approved'],
      ['Mark as paid', 'paid'],
    ] as const) {
      await page.getByRole('button', { name: word, exact: true }).click()
      await page.getByText('will be made').waitFor()
      if (state === 'paid') await page.getByLabel('Check number').fill('20417')
      await page.getByRole('dialog').getByRole('button', { name: word, exact: true }).click()
      await page.getByText(`PM-0001: ${state}`).waitFor()
    }
    expect((await plumbline.get('/api/ext/payments')).body.data).toMatchObject([
      { status: 'paid', amount: 10_000, checkNumber: '20417', paidDate: expect.any(String) },
    ])
    expectNoComplaints(seen)
    await seen.close()
  })
})
