import type { Browser } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the pages of bills', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let homeId = ''
  let framerId = ''
  const created = async (path: string, body: object) => {
    const response = await plumbline.post(`/api/ext${path}`, body)
    expect([path, response.status, response.body]).toEqual([path, 201, response.body])
    return response.body
  }
  const billed = async (vendorId: string, amount: number) =>
    created('/bills', { vendorId, lines: [{ homeId, description: 'Dumpster', amount }] })
  const approve = async (id: string) =>
    expect((await plumbline.post(`/api/ext/bills/${id}/status`, { status: 'approved' })).status).toBe(200)
  const findBill = async (number: string) => {
    const { data } = (await plumbline.get(`/api/ext/bills?number=${number}`)).body
    return data[0]
  }

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    const site = await created('/communities', { name: 'Juniper Ridge', status: 'active' })
    homeId = (await created('/homes', { name: 'Lot 14', lotNumber: '14', communityId: site.id })).id
    const vendor = { companyName: 'Lone Star Framing', scopes: ['framing'], paymentTerms: { netDays: 30 } }
    framerId = (await created('/vendors', vendor)).id
    const lines = [{ description: 'Walls', quantity: 1, unitPrice: 10_000 }]
    const order = await created('/purchase-orders', {
      ...{ homeId, vendorId: framerId, scope: 'framing', lines, retainagePercent: 10, billingMethod: 'by_bill' },
    })
    for (const status of ['approved', 'issued'])
      expect((await plumbline.post(`/api/ext/purchase-orders/${order.id}/status`, { status })).status).toBe(200)
    const progress = { completedPercent: 50 }
    expect((await plumbline.post(`/api/ext/purchase-orders/${order.id}/progress`, progress)).status).toBe(200)
  })
  afterAll(async () => {
    // The browser reports the rejected bill with a repeated number.
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !line.includes('409')) })
    await closeWindows()
    await plumbline.stop()
  })

  test('the form for a new bill shows the attached file beside the fields', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/payments/bills`)
    await page.getByRole('button', { name: 'New bill' }).first().click()
    await page.getByLabel('Vendor', { exact: true }).fill('lone')
    await page.getByRole('option', { name: /Lone Star Framing/ }).click()
    await page.getByLabel(/^Invoice number/).fill('LS-2317')
    const picture = sharp({ create: { width: 600, height: 800, channels: 3, background: '#5577aa' } })
    const file = { name: 'invoice.png', mimeType: 'image/png', buffer: await picture.png().toBuffer() }
    await page.locator('input[type="file"]').setInputFiles(file)
    await page.getByRole('img', { name: 'invoice.png' }).waitFor()
    const order = page.getByLabel('Order', { exact: true })
    await order.selectOption({ label: 'PO-0014-01, Framing, Lot 14 ($5,000 unbilled)' })
    expect(await page.getByLabel('Amount', { exact: true }).inputValue()).toBe('5000')
    await page.getByText('$5,000.00 completed and not billed; $10,000.00 of $10,000.00 left to bill').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create bill' }).click()
    await page.waitForURL('**/payments/bills/bill_*')
    await page.getByRole('img', { name: 'invoice.png' }).waitFor()
    await page.getByText('Matched').waitFor()
    expect(await findBill('B-0001')).toMatchObject({ status: 'received', grossAmount: 5000, retainageWithheld: 500 })
    await expectAccessible(page)
  })

  test('a repeated invoice number is accepted only with a reason', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/payments/bills/new`)
    await page.getByLabel('Vendor', { exact: true }).fill('lone')
    await page.getByRole('option', { name: /Lone Star Framing/ }).click()
    await page.getByLabel(/^Invoice number/).fill('ls 2317')
    await page.getByLabel('Home', { exact: true }).fill('Lot 14')
    await page.getByRole('option', { name: /Lot 14/ }).click()
    await page.getByLabel('Description').fill('Dumpster')
    await page.getByLabel('Amount', { exact: true }).fill('300')
    await page.getByRole('button', { name: 'Create bill' }).click()
    await page.getByRole('link', { name: 'Open the record with the same invoice number' }).waitFor()
    await page.getByLabel('Reason to enter the bill anyway').fill('The vendor reused the number.')
    await page.getByRole('button', { name: 'Create bill' }).click()
    await page.waitForURL('**/payments/bills/bill_*')
    expect(await findBill('B-0002')).toMatchObject({ match: 'no_order', amount: 300 })
  })

  test('a received bill can be corrected', async () => {
    const { page } = seen
    const { id } = await findBill('B-0002')
    await page.goto(`${plumbline.url}/payments/bills/${id}`)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Amount', { exact: true }).fill('250.50')
    await page.getByText('Total 250.50').waitFor()
    await page.getByRole('button', { name: 'Save bill' }).click()
    await page.getByText('B-0002 changed').waitFor()
    expect(await findBill('B-0002')).toMatchObject({ amount: 250.5, invoiceNumber: 'ls 2317' })
  })

  test('a bill is rejected with a reason that its page shows', async () => {
    const { page } = seen
    const { id } = await findBill('B-0002')
    await page.goto(`${plumbline.url}/payments/bills/${id}`)
    await page.getByRole('button', { name: 'Reject', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('The dumpster was never delivered.')
    await dialog.getByRole('button', { name: 'Reject', exact: true }).click()
    await page.getByText('The dumpster was never delivered.').waitFor()
    expect((await findBill('B-0002')).status).toBe('rejected')
  })

  test('the approval of a bill appears in its history', async () => {
    const { page } = seen
    const { id } = await findBill('B-0001')
    await page.goto(`${plumbline.url}/payments/bills/${id}`)
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('will be made').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('B-0001: approved').waitFor()
    const history = page.getByRole('region', { name: 'History' })
    await history.getByText('Received → Approved').waitFor()
  })

  test('a user cannot approve a bill above the approval limit', async () => {
    const bill = await billed(framerId, 900)
    const rosa = { name: 'Rosa Lindqvist', email: 'rosa@harrowfinch.example.com', role: 'admin', poApprovalLimit: 500 }
    expect((await plumbline.post('/api/admin/users', rosa, await plumbline.signIn())).status).toBe(201)
    const limited = await visit(browser, plumbline, { email: rosa.email })
    await limited.page.goto(`${plumbline.url}/payments/bills/${bill.id}`)
    await limited.page.getByRole('button', { name: 'Approve', exact: true }).click()
    const dialog = limited.page.getByRole('dialog')
    await dialog.getByText('Your approval limit is $500.', { exact: false }).first().waitFor()
    await dialog.getByRole('alert').waitFor()
    expect(await dialog.getByRole('button', { name: 'Approve', exact: true }).isDisabled()).toBe(true)
    await limited.close()
  })

  test('a user can pay part of a bill', async () => {
    const { page } = seen
    const { id } = await findBill('B-0001')
    await page.goto(`${plumbline.url}/payments/bills/${id}`)
    await page.getByRole('button', { name: 'Pay', exact: true }).click()
    await page.getByLabel('Amount', { exact: true }).fill('1,500')
    await page.getByText('$3,000.00').last().waitFor()
    await page.getByRole('button', { name: 'Create payment' }).click()
    await page.waitForURL('**/payments/pay_*')
    await page.getByRole('link', { name: 'B-0001' }).waitFor()
    expect(await findBill('B-0001')).toMatchObject({ openAmount: 4500, reservedAmount: 1500 })
  })

  test('marking a payment as paid warns of a lien waiver that is not signed', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'Request lien waiver' }).click()
    await page.getByText('waiting for the vendor').waitFor()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('will be made').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByRole('button', { name: 'Mark as paid', exact: true }).click()
    await page.getByText('The lien waiver is not signed.').waitFor()
    await page.getByText('will be made').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Mark as paid', exact: true }).click()
    await page.getByText('PM-0001: paid').waitFor()
  })

  test('the history of a payment shows its approval and its payment', async () => {
    const { page } = seen
    await page.reload()
    const history = page.getByRole('region', { name: 'History' })
    await history.getByText('Pending → Approved').waitFor()
    await history.getByText('Approved → Paid').waitFor()
  })

  test('a user can reverse a paid payment with a reason', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'Void', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('The check was lost.')
    await dialog.getByText('will be made').waitFor()
    await dialog.getByRole('button', { name: 'Void', exact: true }).click()
    await page.getByText('PM-0001: voided').waitFor()
    await page.getByText('The check was lost.').waitFor()
    expect(await findBill('B-0001')).toMatchObject({ status: 'approved', openAmount: 4500, reservedAmount: 0 })
  })

  test('a user can select several bills and pay them together', async () => {
    const { page } = seen
    const other = await created('/vendors', { companyName: 'Travis Roof & Gutter', paymentTerms: { netDays: 45 } })
    const [one, two] = [await billed(framerId, 120), await billed(other.id, 80)]
    for (const { id } of [one, two]) await approve(id)
    await page.goto(`${plumbline.url}/payments/bills?status=approved`)
    await page.getByRole('checkbox', { name: `Pay ${one.number}` }).check()
    await page.getByRole('checkbox', { name: `Pay ${two.number}` }).check()
    await page.getByText('2 bills chosen, $200.00 open.').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Pay 2 bills' }).click()
    await page.getByRole('table', { name: 'Payments to create' }).getByText('$80.00').waitFor()
    await page.getByLabel('Method').selectOption('ach')
    await page.getByRole('button', { name: 'Create 2 payments' }).click()
    await page.waitForURL('**/payments/runs/prn_*')
    expect((await plumbline.get('/api/ext/payment-runs')).body.data).toMatchObject([
      { amount: 200, method: 'ach', billIds: [one.id, two.id] },
    ])
  })
})
