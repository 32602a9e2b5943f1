import type { Browser } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the pages of messages and files', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let vendorId = ''
  const created = async (path: string, body: object) => {
    const response = await plumbline.post(`/api/ext${path}`, body)
    expect([path, response.status, response.body]).toEqual([path, 201, response.body])
    return response.body
  }

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    const vendor = { companyName: 'Lone Star Framing', email: 'bids@lonestar.example.com', scopes: ['framing'] }
    vendorId = (await created('/vendors', vendor)).id
  })
  afterAll(async () => {
    // The tests provoke the rejection of a template.
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !line.includes('422')) })
    await closeWindows()
    await plumbline.stop()
  })

  test('a message to a vendor is written from the page of the vendor', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/vendors/${vendorId}`)
    await page.getByRole('button', { name: 'All actions' }).click()
    await page.getByRole('menuitem', { name: 'Send a message' }).click()
    await page.getByRole('button', { name: 'Remove Lone Star Framing' }).waitFor()
    await page.getByLabel('Subject').fill('Framing of Lot 14')
    await page.getByLabel('Text', { exact: true }).fill('Can you start on Tuesday?')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Send message' }).click()
    await page.waitForURL('**/messages/msg_*')
    await page.getByText('Can you start on Tuesday?').waitFor()
    const { data } = (await plumbline.get('/api/ext/messages')).body
    expect(data).toMatchObject([
      { subject: 'Framing of Lot 14', recipients: [{ id: vendorId }], relatedTo: { type: 'vendor', id: vendorId } },
    ])
  })

  test('a conversation is continued with a reply, and lists its messages', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/messages`)
    await page.getByRole('link', { name: 'Framing of Lot 14' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Framing of Lot 14' }).click()
    await page.getByLabel('Text', { exact: true }).fill('The slab is ready.')
    await page.getByRole('button', { name: 'Send reply' }).click()
    await page.getByText('The slab is ready.').waitFor()
    await expect.poll(() => page.getByRole('article').count()).toBe(2)
    await expect.poll(() => page.getByLabel('Text', { exact: true }).inputValue()).toBe('')
    await expectAccessible(page)
  })

  test('the emails of a message are listed with their status', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/messages/emails`)
    await page.getByRole('heading', { name: 'Emails', level: 1 }).waitFor()
    await page.locator('tbody tr th .lead, .state').first().waitFor()
    await expectAccessible(page)
  })

  test('a template is previewed for a vendor, saved, and reset', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/messages/templates`)
    await page.getByRole('link', { name: 'Bid reminder' }).click()
    const text = page.getByLabel('Text', { exact: true })
    await text.fill('Dear {{vendor.companyName}}, {{nothing}}')
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    await page.getByRole('alert').waitFor()
    await text.fill('Dear {{vendor.companyName}}, your bid is due. {{portalUrl}}')
    await page.getByLabel(/^Vendor for the preview/).fill('Lone')
    await page.getByRole('option', { name: /Lone Star/ }).click()
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    await page.getByText('Dear Lone Star Framing, your bid is due.').waitFor()
    await expectAccessible(page)
    await page
      .getByLabel(/^Spanish text/)
      .fill('{{vendor.companyName}}: hasta el {{bidRequest.deadline}}. {{portalUrl}}')
    await page.getByRole('button', { name: 'Preview in Spanish' }).click()
    await page.getByText('Lone Star Framing: hasta el miércoles, 4 de diciembre de 2030.').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Template saved').waitFor()
    const saved = (await plumbline.get('/api/ext/message-templates?kind=bid_reminder')).body.data
    expect(saved).toMatchObject([{ spanishBody: expect.stringContaining('hasta el'), isDefault: false }])
    await page.getByRole('button', { name: 'Use Plumbline’s text' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click()
    await page.getByText('Bid reminder reset').waitFor()
    const { data } = (await plumbline.get('/api/ext/message-templates?kind=bid_reminder')).body
    expect(data).toMatchObject([{ isDefault: true }])
  })

  test('the certificate of a vendor is opened before it is accepted', async () => {
    const { page } = seen
    const document = await created(`/vendors/${vendorId}/compliance-documents`, {
      ...{ type: 'general_liability', carrier: 'Texas Mutual', expirationDate: '2099-12-31' },
    })
    const pending = { status: 'pending_review' }
    await plumbline.post(`/api/ext/compliance-documents/${document.id}/status`, pending)
    await page.goto(`${plumbline.url}/vendors/${vendorId}`)
    await page.getByRole('button', { name: 'Files of General liability' }).click()
    await page.getByText('No file yet.').waitFor()
    await page.getByRole('button', { name: 'Add file' }).click()
    const picture = sharp({ create: { width: 600, height: 800, channels: 3, background: '#5577aa' } })
    const file = { name: 'certificate.png', mimeType: 'image/png', buffer: await picture.png().toBuffer() }
    await page.getByLabel('File', { exact: true }).setInputFiles(file)
    await page.getByRole('button', { name: 'Add file' }).click()
    await page.getByRole('img', { name: 'certificate.png' }).waitFor()
    await expectAccessible(page)
  })
})
