import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { addDays, toLocalDate } from '../../server/platform/values/calendar.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the pages of accounting', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let homeId = ''
  let today = ''
  const created = async (path: string, body: object) => {
    const response = await plumbline.post(`/api/ext${path}`, body)
    expect([path, response.status, response.body]).toEqual([path, 201, response.body])
    return response.body
  }
  const moved = async (path: string, body: object) =>
    expect((await plumbline.post(`/api/ext${path}`, body)).status).toBe(200)

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    today = toLocalDate('America/Chicago', plumbline.clock.now())
    const site = await created('/communities', { name: 'Juniper Ridge', status: 'active' })
    homeId = (await created('/homes', { name: 'Lot 14', lotNumber: '14', communityId: site.id })).id
    await created('/homes', { name: 'Lot 15', lotNumber: '15', communityId: site.id })
    const vendor = { companyName: 'Lone Star Framing', scopes: ['framing'], status: 'active', taxId: '12-3454821' }
    const framer = await created('/vendors', vendor)
    const bill = await created('/bills', {
      ...{ vendorId: framer.id, invoiceDate: today, receivedDate: today },
      lines: [{ homeId, description: 'Framing repairs', amount: 2500 }],
    })
    await moved(`/bills/${bill.id}/status`, { status: 'approved' })
    const payment = await created('/payments', { billId: bill.id, amount: 2500 })
    await moved(`/payments/${payment.id}/status`, { status: 'approved' })
    await moved(`/payments/${payment.id}/status`, { status: 'paid', paidDate: today, method: 'check' })
  })
  afterAll(async () => {
    expectNoComplaints(seen)
    await closeWindows()
    await plumbline.stop()
  })

  test('a record that was entered by hand leaves the sync queue', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/accounting?type=vendor`)
    await page.getByRole('link', { name: 'Lone Star Framing' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Mark as synced Lone Star Framing' }).click()
    await page.getByRole('dialog').getByLabel('Accounting ID').fill('QB-1042')
    await page.getByRole('dialog').getByRole('button', { name: 'Mark as synced' }).click()
    await page.getByText('Everything is synced').waitFor()
    const { data } = (await plumbline.get('/api/ext/vendors')).body
    expect(data).toMatchObject([{ accountingId: 'QB-1042' }])
  })

  test('an ID that another record has is refused with the reason', async () => {
    const { page } = seen
    await created('/vendors', { companyName: 'Summit Electric', status: 'active' })
    await page.goto(`${plumbline.url}/accounting?type=vendor`)
    await page.getByRole('button', { name: 'Mark as synced Summit Electric' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Accounting ID').fill('QB-1042')
    await dialog.getByRole('button', { name: 'Mark as synced' }).click()
    await dialog.getByText('Lone Star Framing is already linked to QB-1042').waitFor()
    await dialog.getByLabel('Accounting ID').fill('QB-1043')
    await dialog.getByRole('button', { name: 'Mark as synced' }).click()
    await page.getByText('Summit Electric marked as synced').waitFor()
  })

  test('a failed record shows its error, and can be retried without waiting', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/accounting?type=home`)
    await page.getByRole('button', { name: 'Report error for Lot 15' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Error').fill('The class is inactive.')
    await dialog.getByRole('button', { name: 'Report error' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Failed, waiting for a retry' }).click()
    await page.getByRole('row', { name: /Lot 15.*Failed.*The class is inactive\./ }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Retry now Lot 15' }).click()
    await page.getByText('No failed records').waitFor()
    await page.getByRole('link', { name: 'To sync now' }).click()
    await page.getByRole('row', { name: /Lot 15.*Failed.*1 attempt/ }).waitFor()
  })

  test('a file from the accounting system is compared with the records', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/accounting/reconciliation`)
    await page.getByLabel('Records', { exact: true }).selectOption({ label: 'Vendors' })
    const csv = 'List ID,Company Name\r\nQB-1042,Lone Star Framing LLC\r\nQB-9000,Unknown Roofing\r\n'
    const file = { name: 'vendors.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) }
    await page.locator('input[type="file"]').setInputFiles(file)
    await page.getByText('2 rows in vendors.csv').waitFor()
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByRole('row', { name: /QB-1042.*Name differs.*Lone Star Framing.*Lone Star Framing LLC/ }).waitFor()
    await page.getByRole('row', { name: /QB-1043.*Summit Electric.*Missing in accounting/ }).waitFor()
    await page.getByRole('row', { name: /QB-9000.*Missing in Plumbline/ }).waitFor()
    await expectAccessible(page)
  })

  test('a journal with two lines appears in the cost ledger of its home', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/accounting/journals`)
    await page.getByRole('link', { name: 'New journal' }).first().click()
    await page.getByLabel('Reason').fill('Permit fees')
    await page.getByRole('button', { name: 'Add line' }).click()
    for (const [at, amount] of ['1,250.50', '300'].entries()) {
      await page.getByLabel('Home', { exact: true }).nth(at).fill('Lot 14')
      await page.getByRole('option', { name: /Lot 14/ }).click()
      await page.getByLabel('Amount', { exact: true }).nth(at).fill(amount)
    }
    await page.getByText('Total $1,550.50').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create journal' }).click()
    await page.waitForURL('**/accounting/journals/ent_*')
    await page.getByRole('heading', { name: 'JE-0001' }).waitFor()
    await page.goto(`${plumbline.url}/homes/${homeId}?tab=costs`)
    await page.getByRole('row', { name: /JE-0001.*Permit fees.*\$1,250\.50/ }).waitFor()
    await page.getByRole('row', { name: /Lone Star Framing.*\$2,500\.00.*\$2,500\.00/ }).waitFor()
    await page.getByText('$4,050.50').first().waitFor()
    await expectAccessible(page)
  })

  test('a cost is transferred to another home, and the transfer is reversed', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/homes/${homeId}?tab=costs`)
    await page.getByRole('link', { name: 'Transfer cost' }).click()
    const homes = page.getByLabel('Home', { exact: true })
    await expect.poll(() => homes.first().inputValue()).toMatch(/Lot 14/)
    await homes.nth(1).fill('Lot 15')
    await page.getByRole('option', { name: /Lot 15/ }).click()
    await page.getByLabel('Amount', { exact: true }).fill('300')
    await page.getByLabel('Reason').fill('Wrong lot')
    await page.getByRole('button', { name: 'Transfer cost' }).click()
    await page.waitForURL('**/accounting/journals/ent_*')
    await page.getByRole('button', { name: 'Reverse' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('It was the correct lot.')
    await dialog.getByRole('button', { name: 'Reverse' }).click()
    await page.getByText('JE-0002 reversed by JE-0003').waitFor()
    await page.getByRole('link', { name: 'JE-0003' }).waitFor()
    expect((await plumbline.get(`/api/ext/homes/${homeId}/ledger`)).body.closing).toBe(4050.5)
  })

  test('the ledger shows the balances of a day, and each balance links to its postings', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/accounting/ledger`)
    await page.getByRole('row', { name: /^Cost \S*.*\$4,050\.50/ }).waitFor()
    await page.getByRole('row', { name: /^Paid.*Cost.*\$2,500\.00/ }).waitFor()
    await page.getByRole('row', { name: /^Journals.*Cost.*\$1,550\.50/ }).waitFor()
    await expectAccessible(page)
    await page.getByLabel('Balances by').selectOption({ label: 'Vendor' })
    await page.getByRole('row', { name: /Lone Star Framing.*2,500\.00.*2,500\.00/ }).waitFor()
    await page.getByRole('row', { name: /No vendor.*1,550\.50/ }).waitFor()
    await expectAccessible(page)
    await page.getByLabel('Balances by').selectOption({ label: 'Home' })
    const lot = page.getByRole('row', { name: /Lot 14/ })
    await lot.getByRole('link', { name: '$4,050.50' }).click()
    await page.getByText('$4,050.50').first().waitFor()
    const amounts = async () => {
      const texts = await page
        .getByRole('table', { name: 'postings' })
        .locator('tbody tr td:last-child')
        .allInnerTexts()
      return texts.map((text) => Number(text.replaceAll(/[$,]/g, '').replace('−', '-')))
    }
    await expect.poll(amounts).toContain(2500)
    expect((await amounts()).reduce((sum, amount) => sum + amount, 0)).toBe(4050.5)
    await page.getByRole('link', { name: 'JE-0001' }).first().waitFor()
    await expectAccessible(page)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('postings.csv')
  })

  test('the balance of a trade leads to its postings, and so does the balance of amounts without a trade', async () => {
    const { page } = seen
    const lines = [{ homeId, scope: 'framing', amount: 75 }]
    const { id } = await created('/ledger/journals', { note: 'Rented tools', lines })
    await page.goto(`${plumbline.url}/accounting/ledger?groupBy=scope`)
    await page
      .getByRole('row', { name: /^Framing/ })
      .getByRole('link', { name: '$75.00' })
      .first()
      .click()
    await page.getByText('Trade: Framing').waitFor()
    const postings = page.getByRole('table', { name: 'postings' })
    await postings.getByRole('row', { name: /JE-0004.*Rented tools.*Lot 14.*Framing.*\$75\.00/ }).waitFor()
    expect(await postings.locator('tbody tr').count()).toBe(1)
    // The balance above the list has the same filters.
    await page.locator('.title-block').getByText('$75.00').waitFor()
    await expectAccessible(page)
    await page.goto(`${plumbline.url}/accounting/ledger?groupBy=scope`)
    await page.getByRole('link', { name: 'No trade' }).click()
    await page.getByText('Trade: Unassigned').waitFor()
    await postings
      .getByRole('row', { name: /Permit fees/ })
      .first()
      .waitFor()
    expect(await postings.getByRole('row', { name: /JE-0004/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Remove the filter Trade' }).click()
    await postings
      .getByRole('row', { name: /JE-0004/ })
      .first()
      .waitFor()
    expect((await plumbline.post(`/api/ext/ledger/journals/${id}/reverse`, { reason: 'Returned' })).status).toBe(201)
  })

  test('the balances of an earlier day are exported as CSV', async () => {
    const { page } = seen
    const before = addDays(today, -1)
    await page.goto(`${plumbline.url}/accounting/ledger?asOf=${before}`)
    await page.getByText('No balances on this day').waitFor()
    await page.getByLabel('As of').fill(today)
    await page.getByLabel('Balances by').selectOption({ label: 'Home' })
    await page.getByRole('row', { name: /Lot 14/ }).waitFor()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ])
    expect(file.suggestedFilename()).toBe(`balances-${today}.csv`)
    const chunks: Buffer[] = []
    for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer)
    const [heads, first] = Buffer.concat(chunks).toString().replace('\uFEFF', '').split('\r\n')
    expect(heads).toMatch(/^Home,Cost,"Completed, not billed",Approved bills to pay,Retainage held,Paid,/)
    expect(first).toMatch(/^"Lot 14, Juniper Ridge",4050\.5,0,0,0,2500,/)
  })

  test('the API calls of a page leave out the lookups of its fields', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/accounting/ledger`)
    await page.getByLabel('Home', { exact: true }).fill('Lot 14')
    await page.getByRole('option', { name: /Lot 14/ }).click()
    await page.waitForURL('**homeId=hom_*')
    await page.getByRole('row', { name: /^Cost/ }).waitFor()
    const [method, target] = [page.locator('.foot .method'), page.locator('.foot code')]
    expect([await method.textContent(), await target.textContent()]).toEqual([
      'GET',
      `/api/ext/ledger/balances?asOf=${today}&groupBy=total&homeId=${homeId}&limit=100`,
    ])
    await page.goto(`${plumbline.url}/accounting/journals/new`)
    await page.getByLabel('Home', { exact: true }).fill('Lot 14')
    await page.getByRole('option', { name: /Lot 14/ }).click()
    await page.getByRole('button', { name: 'Add line' }).waitFor()
    expect(await page.locator('.foot .method').allTextContents()).not.toContain('CHOICES')
    await page.goto(`${plumbline.url}/reports/wipReport`)
    await expect.poll(() => target.textContent()).toBe('/api/ext/execute')
    expect(await method.textContent()).toBe('POST')
    await page.getByRole('button', { name: 'View as API call' }).click()
    const call = page
      .getByRole('dialog')
      .getByRole('region', { name: /^curl for/ })
      .first()
    expect(await call.textContent()).toContain('"skill":"wipReport"')
  })

  test('the filing of a Form 1099 is recorded, and a later change appears as a correction', async () => {
    const { page } = seen
    const year = today.slice(0, 4)
    await page.goto(`${plumbline.url}/accounting/form-1099?year=${year}`)
    await page.getByRole('row', { name: /Lone Star Framing.*1099-NEC.*ends with 4821.*\$2,500\.00/ }).waitFor()
    await page.getByRole('button', { name: 'Record filing for Lone Star Framing' }).click()
    await page.getByRole('dialog').getByLabel('Services, box 1').fill('2,400')
    await page.getByRole('dialog').getByRole('button', { name: 'Record filing' }).click()
    await page.getByText('Filing for Lone Star Framing recorded').waitFor()
    await page.getByRole('row', { name: /Lone Star Framing.*Amount.*\$2,400\.00.*\$2,500\.00/ }).waitFor()
    await expectAccessible(page)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ])
    expect(file.suggestedFilename()).toBe(`form-1099-${year}.csv`)
  })

  test('accounting records are exported as a file', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/accounting/export`)
    await page.getByRole('heading', { name: 'Export', level: 1 }).waitFor()
    await expectAccessible(page)
    const [bills] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export records' }).click(),
    ])
    expect(bills.suggestedFilename()).toBe('bills.csv')
    const [postings] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export postings' }).click(),
    ])
    expect(postings.suggestedFilename()).toBe('postings.csv')
  })

  test('the form that closes a period warns of bills that are not approved', async () => {
    const { page } = seen
    const { data } = (await plumbline.get('/api/ext/vendors?q=Lone')).body
    const invoiceDate = addDays(today, -40)
    await created('/bills', {
      ...{ vendorId: data[0].id, invoiceDate },
      lines: [{ homeId, description: 'Dumpster', amount: 200 }],
    })
    await page.goto(`${plumbline.url}/accounting/periods`)
    await page.getByRole('button', { name: 'Close period' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Last day to close').fill(addDays(today, -30))
    await dialog.getByRole('link', { name: '1 received bill' }).waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Close period' }).click()
    await page.getByText('No amounts can be posted to these days.').waitFor()
    expect((await plumbline.get('/api/ext/ledger/close')).body.closedThrough).toBe(addDays(today, -30))
  })
})
