import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { type Receiver, startReceiver } from '../../scripts/processes/receiver.ts'
import { insertSandbox } from '../../server/domain/office/organizations/sandboxes.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, goToPage, visit } from './visit.ts'

describe.skipIf(chromium === null)('the pages of settings', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let receiver: Receiver

  beforeAll(async () => {
    plumbline = await startTestPlumbline({ QUOTA_PER_DAY: '20' })
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    receiver = await startReceiver()
  })
  afterAll(async () => {
    await closeWindows()
    await receiver.close()
    await plumbline.stop()
  })

  test('the usage page compares the requests of keys with both limits', async () => {
    const { page } = seen
    const narrow = await plumbline.newKey(['vendors:read'])
    for (let sent = 0; sent < 3; sent++) await plumbline.get('/api/ext/vendors', { key: narrow })
    await plumbline.get('/api/ext/vendors')
    await plumbline.app.usage.write()
    await page.goto(`${plumbline.url}/settings/usage`)
    await page.getByText('of 20 requests').waitFor()
    await page.getByText('16 left').waitFor()
    const today = page.getByRole('table', { name: 'Requests by day' }).getByRole('row').last()
    expect(await today.getByRole('cell').allTextContents()).toEqual(['4', '0'])
    const keys = page.getByRole('table', { name: 'Usage by key' })
    await keys
      .getByRole('row', { name: /Narrow/ })
      .getByText('75%')
      .waitFor()
    await page.getByRole('combobox', { name: 'Key', exact: true }).selectOption({ label: 'Narrow' })
    await page.waitForURL('**/settings/usage?key=*')
    await expect.poll(() => today.getByRole('cell').allTextContents()).toEqual(['3', '0'])
    await page.getByRole('combobox', { name: 'Period' }).selectOption('90')
    await expect.poll(() => page.locator('.chart.days g').count()).toBe(90)
    expectNoComplaints(seen)
  })

  test('the test of a new webhook shows the response of the receiver', async () => {
    const { page } = seen
    receiver.answer((_received, response) => response.writeHead(503).end('down for repair'))
    await page.goto(`${plumbline.url}/settings/webhooks`)
    await page.getByText('No webhooks yet').waitFor()
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.locator('[aria-invalid="true"]').first().waitFor()
    await page.getByLabel('Receiver URL').fill(receiver.url)
    await page.getByRole('checkbox', { name: /^vendor.created/ }).check()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByText('This secret is shown only once').waitFor()
    expect(await page.locator('.secret code').textContent()).toMatch(/^whsec_/)
    await page.getByLabel('I have stored the secret').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.waitForURL(/\/settings\/webhooks\/whk_/)
    await page.getByText('No deliveries yet').waitFor()
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.locator('.dialog').getByRole('button', { name: 'Send test event' }).click()
    await page.waitForURL(/\/deliveries\/dlv_/)
    await page.getByText('503, not accepted').waitFor()
    expect(receiver.received.at(-1)?.headers['webhook-test']).toBe('true')
  })

  test('failed deliveries can be sent again or recovered', async () => {
    const { page } = seen
    await plumbline.post('/api/ext/vendors', { companyName: 'Brazos Framing', scopes: ['framing'] })
    await page.getByRole('link', { name: 'Deliveries' }).click()
    const row = page.getByRole('row', { name: /vendor.created/ }).filter({ hasNotText: 'test event' })
    await row.getByRole('cell', { name: '503', exact: true }).waitFor()
    await page.getByText('Failing').waitFor()
    await row.getByRole('link', { name: 'vendor.created' }).click()
    await page.getByRole('region', { name: 'Request' }).getByText('Brazos Framing').waitFor()
    receiver.answer((_received, response) => response.writeHead(200).end('thank you'))
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('200, accepted').waitFor()
    await page.getByText('Succeeded').first().waitFor()
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Resend missed events…' }).click()
    await page.getByLabel('From').fill('2026-01-01T00:00')
    await page.locator('.dialog').getByRole('button', { name: 'Resend events' }).click()
    await page.getByText(/deliveries queued/).waitFor()
  })

  test('a webhook can be paused, resumed, rotated, and deleted', async () => {
    const { page } = seen
    const address = new URL(page.url()).pathname
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.locator('.dialog').getByRole('button', { name: 'Pause' }).click()
    await page.getByText('The webhook was paused.').waitFor()
    const list = await plumbline.get('/api/ext/webhooks')
    const { body: deliveries } = await plumbline.get(`/api/ext/webhooks/${list.body.data[0].id}/deliveries`)
    const delivery = `${address}/deliveries/${deliveries.data[0].id}`
    await expectAccessible(page)
    for (const [to, has] of [
      ['/settings/webhooks', receiver.url],
      [delivery, 'Request'],
    ] as const) {
      await goToPage(page, to)
      await page.getByText(has).first().waitFor()
      await expectAccessible(page)
    }
    await goToPage(page, address)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.locator('.dialog').getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Active', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Rotate secret…' }).click()
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByLabel('I have stored the secret').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText(/old secret valid until/).waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete webhook' }).click()
    await page.getByText('No webhooks yet').waitFor()
    // The service rejects an empty form, which the browser reports.
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !line.includes('422')) })
  })

  test("the page of an agent's execution shows its input and links to all executions of the same actor", async () => {
    const agent = await plumbline.newKey(['vendors:read', 'vendors:write', 'skills:read', 'skills:write'])
    const run = (skill: string, input: object, dryRun = false) =>
      plumbline.post('/api/ext/execute', { skill, input, dryRun }, { key: agent })
    await run('createVendor', { companyName: 'Comal Framing', scopes: ['framing'] })
    await run('createVendor', { companyName: 'Tried alone', scopes: ['framing'] }, true)
    await run('getVendor', { vendorId: 'ven_01m7y975jyfesvq69a4tb31vbx' })
    await plumbline.until('/api/ext/executions', ({ body }) => body.data.length >= 3)
    const { page, ...rest } = await visit(browser, plumbline)
    await page.goto(`${plumbline.url}/settings/runs`)
    await page.getByText('3 runs').waitFor()
    await page.getByText('dry run', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Denied' }).click()
    await page.getByText('not found').waitFor()
    await page.getByRole('link', { name: 'Done' }).click()
    await page.getByRole('link', { name: 'Create a vendor' }).last().click()
    await page.getByText('changes made').waitFor()
    await page.getByRole('table', { name: 'Input of createVendor' }).getByText('Comal Framing').waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'All runs by the same caller' }).click()
    await page.getByText('3 runs').waitFor()
    expectNoComplaints({ page, ...rest })
  })

  test('emptying a sandbox requires a confirmation', async () => {
    const { page } = await visit(browser, plumbline)
    const { organizationId, database, clock } = plumbline
    await page.goto(`${plumbline.url}/settings/organization`)
    await page.getByRole('heading', { name: 'Order terms' }).waitFor()
    expect(await page.getByRole('heading', { name: 'Sandbox' }).count()).toBe(0)
    const { organizationId: other } = await plumbline.newBuilder()
    await insertSandbox(database.statements, other, 'empty')
    await insertSandbox(database.statements, organizationId, 'filled', clock.now())
    await page.reload()
    await page.getByRole('button', { name: 'Empty sandbox…' }).click()
    await page.locator('.dialog').getByRole('button', { name: 'Cancel' }).click()
    const there = await visit(browser, plumbline, { organizationId: other })
    await there.page.goto(`${plumbline.url}/settings/organization`)
    await there.page.getByRole('button', { name: 'Add example data' }).click()
    await there.page.getByRole('progressbar', { name: 'Adding example data' }).waitFor()
    await there.page.getByText(/day [1-9]\d* of 401/).waitFor()
    expectNoComplaints(there)
  })
})
