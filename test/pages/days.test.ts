import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addDays, toLocalDate } from '../../server/platform/values/calendar.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { visit } from './visit.ts'

/** Four users of one office work on the same home, using only the pages. Each day continues the day before. */
describe.skipIf(chromium === null)('the days of an office', () => {
  const ELENA = 'elena@harrowfinch.example.com'
  const SAM = 'sam@harrowfinch.example.com'
  const NORA = 'nora@harrowfinch.example.com'
  const NUMBER = 'PO-0014-01'
  /** The time limit for a poll, which is the same as for other waits in the tests of the pages. */
  const PATIENT = { timeout: 30_000 }
  let plumbline: TestPlumbline
  let browser: Browser
  let homeId = ''
  let today = ''

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    today = toLocalDate('America/Chicago', plumbline.clock.now())
    const created = async (path: string, body: object, options = {}) => {
      const response = await plumbline.post(path, body, options)
      expect([path, response.body, response.status]).toEqual([path, response.body, 201])
      return response.body
    }
    const owner = await plumbline.signIn()
    for (const user of [
      { name: 'Elena Ruiz', email: ELENA, role: 'estimator', poApprovalLimit: 20_000 },
      { name: 'Sam Ortega', email: SAM, role: 'superintendent' },
      { name: 'Nora Miller', email: NORA, role: 'accountant', poApprovalLimit: 25_000 },
    ])
      await created('/api/admin/users', user, owner)
    // A home in another community has the same lot number.
    const other = await created('/api/ext/communities', { name: 'Barton Bluff', status: 'active' })
    await created('/api/ext/homes', { name: 'Lot 14', communityId: other.id })
    const site = await created('/api/ext/communities', { name: 'Juniper Ridge', status: 'active' })
    homeId = (await created('/api/ext/homes', { name: 'Lot 14', lotNumber: '14', communityId: site.id })).id
    await created(`/api/ext/homes/${homeId}/budget/lines`, { scope: 'framing', amount: 30_000 })
    const framer = { companyName: 'Lone Star Framing', email: 'bids@lonestar.example.com', scopes: ['framing'] }
    await created('/api/ext/vendors', { ...framer, defaultRetainagePercent: 10, status: 'active' })
    await created('/api/ext/tasks', { homeId, name: 'Walls framed', durationDays: 5, plannedStart: today })
    await created('/api/ext/permits', {
      ...{ homeId, permitType: 'building', number: 'B-2027-114', authority: 'City of Leander' },
      ...{ issuedDate: addDays(today, -9), expiryDate: addDays(today, 120), inactivityDays: null },
    })
    const inspection = await created('/api/ext/tasks', { homeId, name: 'Framing inspection', taskKind: 'inspection' })
    await created('/api/ext/inspections', { homeId, taskId: inspection.id, scheduledDate: today, window: 'am' })
  })
  afterAll(async () => {
    await closeWindows()
    await plumbline.stop()
  })

  /** Performs a step of a record after the page has shown a preview. */
  const take = async (page: Page, step: string) => {
    await page.getByRole('button', { name: step, exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: step, exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }

  test('a purchasing agent can award framing and submit the order for approval', async () => {
    const { page, close } = await visit(browser, plumbline, { email: ELENA })
    await page.goto(`${plumbline.url}/vendors`)
    await page.getByRole('button', { name: 'New vendor' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Company', { exact: true }).fill('Hill Country Framers')
    await dialog.getByLabel(/^Email/).fill('office@hillcountry.example.com')
    await dialog.getByLabel(/^Trades/).fill('framing')
    await dialog.getByRole('button', { name: /^(Add|Create) vendor|^Save/ }).click()
    await dialog.waitFor({ state: 'detached' })

    await page.getByRole('link', { name: 'Bidding', exact: true }).first().click()
    await page.getByRole('link', { name: 'New request' }).first().click()
    await page.getByLabel('Community').selectOption('Juniper Ridge')
    await page.getByLabel('Home').selectOption('Lot 14')
    await page.getByLabel('Trade').selectOption('framing')
    await page.getByLabel('Title').fill('Framing, Lot 14')
    await page.getByLabel('Deadline').fill(addDays(today, 10))
    for (const name of [/^Lone Star/, /^Hill Country/]) await page.getByRole('checkbox', { name }).check()
    await page.getByRole('button', { name: 'Send to 2 vendors' }).click()
    await page.waitForURL(/\/bidding\/brq_/)

    await page.getByRole('link', { name: /^Invitations/ }).click()
    for (const [vendor, price, exclusions] of [
      ['Lone Star Framing', '24,000', 'Crane rental'],
      ['Hill Country Framers', '26,500', ''],
    ] as const) {
      await page
        .getByRole('row', { name: new RegExp(vendor) })
        .getByRole('button', { name: 'Record bid' })
        .click()
      await dialog.getByLabel('Total price').fill(price)
      await dialog.getByLabel(/^Exclusions/).fill(exclusions)
      await dialog.getByRole('button', { name: 'Record bid' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    await page.getByRole('link', { name: 'Comparison' }).click()
    await page.getByRole('row', { name: /^Exclusions.*Crane rental/ }).waitFor()
    await page.getByRole('button', { name: /^Level….*Lone Star/ }).click()
    await dialog.getByLabel('Exclusions: Crane rental').fill('500')
    await dialog.getByRole('button', { name: 'Level bid' }).click()
    await dialog.waitFor({ state: 'detached' })
    const facts = page.getByRole('region', { name: 'Key facts' })
    await expect
      .poll(() => facts.textContent(), PATIENT)
      .toContain('Lowest bid$24,500$5,500 under budgetBudgeted$30,000')

    await page.getByRole('button', { name: 'Award… to Lone Star' }).click()
    await dialog.getByText('This bid excludes work.').waitFor()
    await dialog.getByText('Crane rental').waitFor()
    await dialog.getByRole('button', { name: 'Award and create order' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('2 of 2').waitFor()
    await page.getByRole('link', { name: NUMBER }).click()
    await page.waitForURL(/\/orders\/po_/)
    await page.getByRole('heading', { name: NUMBER }).waitFor()
    await take(page, 'Approve')
    await page.getByText('The order exceeds your approval limit of $20,000.').waitFor()
    expect(await page.getByRole('button', { name: 'Approve', exact: true }).isDisabled()).toBe(true)
    const [order] = (await plumbline.get('/api/ext/purchase-orders')).body.data
    expect(order).toMatchObject({ number: NUMBER, status: 'pending_approval', total: 24_000, retainagePercent: 10 })
    await close()
  })

  test('an owner can approve the order, check the budget, and add a user', async () => {
    const { page, close } = await visit(browser, plumbline)
    await page.goto(`${plumbline.url}/today`)
    await page.getByText('Lone Star Framing · Lot 14, Juniper Ridge').waitFor()
    await page.getByRole('link', { name: `Approve ${NUMBER}, Framing` }).click()
    await page.getByRole('button', { name: 'Approve $24,000' }).click()
    await page.getByText(`${NUMBER} approved`).waitFor()
    await page.goto(`${plumbline.url}/homes/${homeId}`)
    const framing = page.getByRole('row', { name: /^Framing/ })
    await expect
      .poll(() => framing.getByRole('cell').allInnerTexts(), PATIENT)
      .toEqual(expect.arrayContaining(['30,000', '24,000']))
    await page.getByRole('link', { name: 'Orders', exact: true }).first().click()
    await page.getByRole('link', { name: NUMBER }).click()
    await take(page, 'Issue')
    await take(page, 'Accept')
    await page.goto(`${plumbline.url}/settings/people`)
    await page.getByRole('button', { name: 'Add user' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This server sends no email.').waitFor()
    await dialog.getByLabel('Name', { exact: true }).fill('Theo Marsh')
    await dialog.getByLabel('Email').fill('theo@harrowfinch.example.com')
    await dialog.getByLabel('Role').selectOption('Salesperson')
    await dialog.getByRole('button', { name: 'Add user' }).click()
    await page.getByText('Theo Marsh added').waitFor()
    await page.getByRole('row', { name: /Theo Marsh.*Salesperson/ }).waitFor()
    expect((await plumbline.get('/api/ext/purchase-orders')).body.data[0].status).toBe('accepted')
    await close()
  })

  test('a superintendent can report completed work, an inspection, and a problem', async () => {
    const { page, close } = await visit(browser, plumbline, { email: SAM })
    const dialog = page.getByRole('dialog')
    await page.goto(`${plumbline.url}/schedule`)
    await page.getByRole('link', { name: 'Walls framed' }).first().click()
    await page.getByRole('button', { name: 'Update task' }).click()
    await page.getByRole('menuitem', { name: 'Start…' }).click()
    await dialog.getByRole('button', { name: 'Start' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.goto(`${plumbline.url}/homes/${homeId}?tab=logs`)
    await page.getByRole('button', { name: 'Add log' }).click()
    await dialog.getByLabel('Weather', { exact: true }).selectOption('Rain')
    await dialog.getByLabel(/Work done/).fill('First floor walls are up.')
    await dialog.getByRole('button', { name: 'Add log' }).click()
    await page.getByRole('button', { name: /^Submit the log of/ }).click()
    await page.getByRole('row', { name: /Rain.*Submitted.*First floor walls are up/ }).waitFor()
    await page.goto(`${plumbline.url}/homes/${homeId}?tab=inspections`)
    await page.getByRole('button', { name: 'Record result of Framing inspection' }).click()
    await dialog.getByLabel('Result').selectOption('Failed')
    await dialog.getByLabel('Next attempt').fill(addDays(today, 7))
    await dialog.getByRole('button', { name: 'Record result' }).click()
    await page.getByRole('row', { name: /Framing inspection, attempt 2.*Scheduled/ }).waitFor()
    await page.goto(`${plumbline.url}/homes/${homeId}?tab=punch`)
    await page.getByRole('button', { name: 'Add punch item' }).click()
    await dialog.getByLabel('Work to do').fill('Replace the cracked stud at the stairs.')
    await dialog.getByRole('button', { name: 'Add item' }).click()
    await page.getByRole('row', { name: /P-1.*Replace the cracked stud/ }).waitFor()
    const { data } = (await plumbline.get(`/api/ext/tasks?homeId=${homeId}`)).body
    expect(data.find(({ name }: { name: string }) => name === 'Walls framed').status).toBe('in_progress')
    await close()
  })

  test('an accountant can pay for half of the work and close the period', async () => {
    const { page, close } = await visit(browser, plumbline, { email: NORA })
    const dialog = page.getByRole('dialog')
    await page.goto(`${plumbline.url}/orders`)
    await page.getByRole('link', { name: NUMBER }).click()
    await page.getByRole('button', { name: 'Record progress' }).click()
    await dialog.locator('input[inputmode="decimal"]').fill('50')
    await dialog.getByRole('button', { name: 'Record progress' }).click()
    await page.getByText(`Progress on ${NUMBER} recorded: $12,000.00 completed`).waitFor()
    await page.goto(`${plumbline.url}/payments?through=${addDays(today, 60)}`)
    await page.getByText('This run creates 1 payment totaling $10,800.00.').waitFor()
    await page.getByRole('button', { name: 'Create 1 payment' }).click()
    await page.waitForURL('**/payments/runs/prn_*')
    await page.getByRole('link', { name: 'PM-0001' }).click()
    await page.getByRole('button', { name: 'Request lien waiver' }).click()
    await page.getByText('waiting for the vendor').waitFor()
    const [waiver] = (await plumbline.get('/api/ext/lien-waivers')).body.data
    await plumbline.post(`/api/ext/lien-waivers/${waiver.id}/status`, { status: 'signed', signedBy: 'Dana Whitfield' })
    await page.reload()
    await page.getByRole('button', { name: 'Accept', exact: true }).click()
    await page.getByText('Lien waiver accepted').waitFor()
    await take(page, 'Approve')
    await page.getByRole('button', { name: 'Mark as paid', exact: true }).click()
    await page.getByText('will be made').waitFor()
    await page.getByLabel('Check number').fill('20417')
    await dialog.getByRole('button', { name: 'Mark as paid', exact: true }).click()
    await page.getByText('PM-0001: paid').waitFor()
    await page.goto(`${plumbline.url}/payments/all`)
    await page.getByRole('row', { name: /PM-0001.*Paid.*Lot 14, Juniper Ridge.*\$1,200\.00.*\$10,800\.00/ }).waitFor()
    await page.getByRole('link', { name: 'Accounting', exact: true }).click()
    await page.getByRole('link', { name: 'Periods' }).click()
    await page.getByRole('button', { name: 'Close period' }).first().click()
    await dialog.getByLabel('Last day to close').fill(addDays(today, -1))
    await dialog.getByRole('button', { name: 'Close period' }).click()
    await page.getByText(/^Closed through/).waitFor()
    // Only an owner can reopen a period.
    expect(await page.getByRole('button', { name: 'Reopen periods' }).count()).toBe(0)
    expect((await plumbline.get('/api/ext/payments')).body.data).toMatchObject([
      { status: 'paid', amount: 10_800, retainageWithheld: 1200, checkNumber: '20417' },
    ])
    expect((await plumbline.get('/api/ext/ledger/close')).body.closedThrough).toBe(addDays(today, -1))
    await close()
  })

  test('an owner can reopen a closed period with a reason', async () => {
    const { page, close } = await visit(browser, plumbline)
    await page.goto(`${plumbline.url}/accounting/periods`)
    await page.getByRole('button', { name: 'Reopen periods' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('A bill was missing.')
    await dialog.getByRole('button', { name: 'Reopen periods' }).click()
    await page.getByText('All periods reopened').waitFor()
    await page.getByRole('row', { name: /Reopened.*A bill was missing/ }).waitFor()
    expect((await plumbline.get('/api/ext/ledger/close')).body.closedThrough).toBeNull()
    await close()
  })
})
