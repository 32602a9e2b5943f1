import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the details of a vendor', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  const ids: string[] = []

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    for (const companyName of ['Lone Star Framing', 'Lonestar Framing LLC']) {
      const { status, body } = await plumbline.post('/api/ext/vendors', { companyName, scopes: ['framing'] })
      expect(status).toBe(201)
      ids.push(body.id)
    }
  })
  afterAll(async () => {
    expectNoComplaints(seen)
    await closeWindows()
    await plumbline.stop()
  })

  const openDialog = async (item: string) => {
    const { page } = seen
    await page.goto(`${plumbline.url}/vendors/${ids[0]}`)
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: item }).click()
    return page.getByRole('dialog')
  }

  test('the address, contacts, terms, tax, and notices of a vendor are edited', async () => {
    const { page } = seen
    const dialog = await openDialog('Edit address, terms, and tax…')
    await dialog.getByLabel(/^Street/).fill('4410 Burnet Rd')
    await dialog.getByLabel(/^City/).fill('Austin')
    await dialog.getByLabel(/^State/).fill('TX')
    await dialog.getByLabel(/^ZIP code/).fill('78756')
    await dialog.getByRole('button', { name: 'Add contact' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('June Park')
    await dialog.getByLabel('Payment due in days').fill('30')
    await dialog.getByLabel('Discount in percent').fill('2')
    await dialog.getByLabel('Discount within days').fill('10')
    await dialog.getByLabel('Retainage in percent').fill('10')
    await dialog.getByLabel('Lien waiver').selectOption({ label: 'Required before payment' })
    await dialog.getByLabel(/^Tax ID/).fill('12-3454821')
    await dialog.getByLabel(/^Notice before work/).fill('7')
    await dialog.getByLabel('Language of the portal and emails').selectOption({ label: 'Spanish' })
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Lone Star Framing updated').waitFor()
    expect((await plumbline.get(`/api/ext/vendors/${ids[0]}`)).body).toMatchObject({
      address: { line1: '4410 Burnet Rd', city: 'Austin', state: 'TX', postalCode: '78756' },
      contacts: [{ name: 'June Park', notify: false }],
      paymentTerms: { netDays: 30, discountPercent: 2, discountDays: 10 },
      ...{ defaultRetainagePercent: 10, lienWaiverRequired: true, taxIdLast4: '4821', is1099: true, language: 'es' },
      notificationPreferences: { advanceNoticeDays: 7 },
    })
  })

  test('a duplicate is merged into a vendor after a preview', async () => {
    const { page } = seen
    const dialog = await openDialog('Merge a duplicate…')
    await dialog.getByLabel('Duplicate').fill('Lonestar')
    await page.getByRole('option', { name: /Lonestar Framing LLC/ }).click()
    await dialog.getByText('Lonestar Framing LLC will be archived.').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Merge' }).click()
    await page.getByText('Lonestar Framing LLC merged into Lone Star Framing').waitFor()
    expect((await plumbline.get(`/api/ext/vendors/${ids[1]}`)).body.archivedAt).not.toBeNull()
  })

  test('the notices and messages of a vendor are a tab of its page', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/vendors/${ids[0]}?tab=notices`)
    await page.getByText('No notices yet').waitFor()
    await page.getByText('No messages yet').waitFor()
    await expectAccessible(page)
  })

  test('a notice about a task, a home, or a bid request is sent after a preview of its recipients', async () => {
    const { page } = seen
    const created = async (path: string, body: object) => {
      const response = await plumbline.post(`/api/ext${path}`, body)
      expect([path, response.status, response.body]).toEqual([path, 201, response.body])
      return response.body
    }
    const [vendorId] = ids
    const site = await created('/communities', { name: 'Juniper Ridge', status: 'active' })
    const home = await created('/homes', { name: 'Lot 14', communityId: site.id })
    const task = await created('/tasks', {
      ...{ homeId: home.id, name: 'Walls framed', plannedStart: '2030-01-07', durationDays: 5, vendorId },
    })
    const dialog = await openDialog('Send notice…')
    await dialog.getByText('The vendor has no email address for notices.').waitFor()
    await page.keyboard.press('Escape')
    const contact = { email: 'office@lonestar.example.com', contacts: [] }
    expect((await plumbline.patch(`/api/ext/vendors/${vendorId}`, contact)).status).toBe(200)

    await page.goto(`${plumbline.url}/vendors/${vendorId}?tab=notices`)
    await page.getByRole('button', { name: 'Send notice' }).click()
    const send = dialog.getByRole('button', { name: 'Send notice' })
    expect(await send.isDisabled()).toBe(true)
    await dialog.getByRole('combobox', { name: 'Task' }).fill('Walls')
    await page.getByRole('option', { name: 'Walls framed, Lot 14, Jan 7, 2030' }).click()
    await dialog.getByText('The notice is sent to office@lonestar.example.com for Jan 7, 2030.').waitFor()
    await dialog.getByLabel(/^Message/).fill('The slab is ready.')
    await expectAccessible(page)
    await send.click()
    await page.getByText('Notice to Lone Star Framing sent').waitFor()
    await page.getByRole('row', { name: /Notice of work.*Jan 7, 2030.*office@lonestar\.example\.com/ }).waitFor()

    await page.getByRole('button', { name: 'Send notice' }).click()
    await dialog.getByLabel('About').selectOption({ label: 'Other work on a home' })
    await dialog.getByLabel('Kind').selectOption({ label: 'Reminder' })
    await dialog.getByLabel('Home', { exact: true }).fill('Lot 14')
    await page.getByRole('option', { name: /Lot 14/ }).click()
    await dialog.getByLabel('Date of work').fill('2030-02-04')
    await dialog.getByText('for Feb 4, 2030.').waitFor()
    await expectAccessible(page)
    await send.click()
    await page.getByRole('row', { name: /Reminder.*Feb 4, 2030/ }).waitFor()

    await page.getByRole('button', { name: 'Send notice' }).click()
    await dialog.getByLabel('About').selectOption({ label: 'The deadline of a bid request' })
    await dialog.getByText('The vendor has no open bid requests.').waitFor()
    await page.keyboard.press('Escape')
    const { data } = (await plumbline.get(`/api/ext/vendors/${vendorId}/notifications?sort=createdAt`)).body
    expect(data).toMatchObject([
      { kind: 'advance', taskId: task.id, date: '2030-01-07', message: 'The slab is ready.' },
      { kind: 'reminder', homeId: home.id, taskId: null, date: '2030-02-04', message: null },
    ])
  })

  test('a vendor is archived after a confirmation', async () => {
    const { page } = seen
    const dialog = await openDialog('Archive vendor…')
    await dialog.getByRole('button', { name: 'Archive' }).click()
    await page.getByText('Lone Star Framing archived').waitFor()
    await page.waitForURL('**/vendors')
    expect((await plumbline.get('/api/ext/vendors')).body.data).toEqual([])
  })
})
