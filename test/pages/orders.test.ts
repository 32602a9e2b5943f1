import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { createPdf, sha256 as sha256Of } from '../support/files.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the pages of orders', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  const orders: string[] = []

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    const created = async (path: string, body: object) => (await plumbline.post(path, body)).body
    const site = await created('/api/ext/communities', { name: 'Juniper Ridge', status: 'active' })
    const home = await created('/api/ext/homes', { name: 'Lot 14', lotNumber: '14', communityId: site.id })
    const vendor = await created('/api/ext/vendors', {
      ...{ companyName: 'Travis Roof & Gutter', email: 'office@travisroof.example.com', scopes: ['roofing'] },
    })
    await created(`/api/ext/homes/${home.id}/budget/lines`, { scope: 'roofing', amount: 30_000 })
    for (const unitPrice of [33_869, 34_000]) {
      const lines = [{ description: 'Shingles', quantity: 1, unitPrice }]
      const order = await created('/api/ext/purchase-orders', {
        homeId: home.id,
        vendorId: vendor.id,
        scope: 'roofing',
        lines,
      })
      orders.push(order.id)
      const requested = await plumbline.post(`/api/ext/purchase-orders/${order.id}/status`, {
        status: 'pending_approval',
      })
      expect(requested.body.status).toBe('pending_approval')
    }
  })
  afterAll(async () => {
    // The browser reports the rejected file.
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !line.includes('422')) })
    await closeWindows()
    await plumbline.stop()
  })

  test('an order in the approval queue can be approved or returned', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/orders/approvals`)
    await page.getByText('Orders that need approval: $67,869 in total.').waitFor()
    await page.getByText('$3,869 above the roofing budget.').waitFor()
    await page.getByRole('heading', { name: 'PO-0014-01' }).waitFor()
    await page.keyboard.press('j')
    await page.getByRole('heading', { name: 'PO-0014-02' }).waitFor()
    await page.keyboard.press('r')
    await page.keyboard.type('Ask for the price of last year.')
    await page.getByRole('button', { name: 'Send back' }).click()
    await page.getByText('PO-0014-02 sent back').waitFor()
    await page.getByRole('button', { name: 'Approve $33,869' }).click()
    await page.getByText('No orders to approve', { exact: true }).waitFor()
    const [first, second] = await Promise.all(orders.map((id) => plumbline.get(`/api/ext/purchase-orders/${id}`)))
    expect(first?.body.status).toBe('approved')
    expect(second?.body).toMatchObject({
      ...{ status: 'draft', approval: { rejectedReason: 'Ask for the price of last year.' } },
    })
  })

  test('the approval on the page of an order shows its effect on the budget first', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/orders/${orders[1]}`)
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Approve PO-0014-02?' })
    await dialog.getByText('Committed $33,869, and $67,869 after the approval.').waitFor()
    await dialog.getByText('All orders of the trade together exceed its budget by $37,869.').waitFor()
    await expectAccessible(page)
    expect((await plumbline.get(`/api/ext/purchase-orders/${orders[1]}`)).body.status).toBe('draft')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
  })

  test('editing a draft shows the effect on the budget while the user types', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/orders/${orders[1]}`)
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await page.getByRole('heading', { name: 'Edit draft' }).waitFor()
    await page.getByText('Total $34,000.00.').waitFor()
    await page.getByLabel('Unit price').fill('25,000')
    await page.getByLabel('Tax %').fill('8')
    await page.getByText('The previous total was $34,000.00.').waitFor()
    await page.getByText('Total $27,000.00.').waitFor()
    await page.getByText(/and this change −\$7,000\./).waitFor()
    await expectAccessible(page)
    // The entries are kept if the page is left.
    await page.reload()
    await page.getByText('have been filled in').waitFor()
    await page.getByText('Total $27,000.00.').waitFor()
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText('PO-0014-02 changed').waitFor()
    expect((await plumbline.get(`/api/ext/purchase-orders/${orders[1]}`)).body).toMatchObject({
      ...{ total: 27_000, taxTotal: 2000, retainagePercent: 0 },
      lines: [{ lineId: 'line-1', description: 'Shingles', quantity: 1, unitPrice: 25_000, taxPercent: 8 }],
    })
  })

  test('an approved order cannot be edited, and a draft cannot have a change order', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/orders/${orders[1]}`)
    await page.getByRole('button', { name: 'Follow-up' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate…' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Change order…' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.goto(`${plumbline.url}/orders/${orders[1]}/new/change`)
    await page.getByText('A change order needs an order that has been issued.').waitFor()
    await page.goto(`${plumbline.url}/orders/${orders[0]}/edit`)
    await page.getByText('Only a draft can be edited').waitFor()
    await page.goto(`${plumbline.url}/orders/${orders[0]}/new/other`)
    await page.waitForURL(`**/orders/${orders[0]}`)
  })

  test('the page of an order previews the effect of each status change', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/orders`)
    await page.getByRole('link', { name: 'PO-0014-01' }).click()
    await page.getByRole('cell', { name: '33,869.00' }).first().waitFor()
    const release = Promise.withResolvers<void>()
    await page.route('**/api/ext/execute', async (route) => {
      await release.promise
      await route.fallback()
    })
    await page.getByRole('button', { name: 'Issue', exact: true }).click()
    const dialog = page.getByRole('dialog')
    // The button is disabled until the page shows the effect of the step.
    expect(await dialog.getByRole('button', { name: 'Issue', exact: true }).isDisabled()).toBe(true)
    release.resolve()
    await dialog.getByText('Order status changed').waitFor()
    expect((await plumbline.get(`/api/ext/purchase-orders/${orders[0]}`)).body.status).toBe('approved')
    await dialog.getByRole('button', { name: 'Issue', exact: true }).click()
    await page.getByText('PO-0014-01: issued').waitFor()
    await page.unroute('**/api/ext/execute')
    await page.getByText('Waiting for the vendor').waitFor()
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'PDF' }).click()])
    expect(file.suggestedFilename()).toBe('PO-0014-01.pdf')
  })

  test("the vendor of an order sees the files that are shared on the order's page", async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/orders/${orders[0]}`)
    await page.getByText('No files yet.').waitFor()
    const bytes = createPdf()
    await page.getByRole('button', { name: 'Add file' }).click()
    const file = page.getByLabel('File', { exact: true })
    const add = page.getByRole('button', { name: 'Add file' })
    await file.setInputFiles({
      name: 'Scan.exe',
      mimeType: 'application/pdf',
      buffer: Buffer.from('MZ\x90\0\x03', 'latin1'),
    })
    await add.click()
    await page.getByText('must be a PDF, image, Word').waitFor()
    await file.setInputFiles({ name: "The roofer's plan.pdf", mimeType: 'application/pdf', buffer: bytes })
    await add.click()
    await page.getByText("The roofer's plan.pdf added").waitFor()

    const { data } = (await plumbline.get(`/api/ext/attachments?recordId=${orders[0]}`)).body
    const [{ id, sha256 }] = data
    expect([data.length, sha256]).toEqual([1, sha256Of(bytes)])
    const { vendorId } = (await plumbline.get(`/api/ext/purchase-orders/${orders[0]}`)).body
    await plumbline.post(`/api/ext/vendors/${vendorId}/invite`)
    const portalUrl = await plumbline.mailedLink(vendorId)
    const portal = async () => (await fetch(`${plumbline.url}${new URL(portalUrl).pathname}/${orders[0]}`)).text()
    expect(await portal()).not.toContain(id)
    // The checkbox is checked only after the service has stored the change.
    const shared = page.getByRole('checkbox', { name: "Share The roofer's plan.pdf with the vendor" })
    await shared.click()
    await page.getByText("The roofer's plan.pdf shared with the vendor").waitFor()
    await expect.poll(() => shared.isChecked()).toBe(true)
    expect(await portal()).toContain(`/files/${id}`)
    await expectAccessible(page)

    const link = page.getByRole('link', { name: "The roofer's plan.pdf" })
    const [saved] = await Promise.all([page.waitForEvent('download'), link.click()])
    expect(saved.suggestedFilename()).toBe("The roofer's plan.pdf")
    await page.getByRole('button', { name: "Delete The roofer's plan.pdf" }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('No files yet.').waitFor()
    expect(await portal()).not.toContain(id)
  })

  test('several approved orders are issued at once after a preview', async () => {
    const { page } = seen
    const { body: order } = await plumbline.get(`/api/ext/purchase-orders/${orders[0]}`)
    const { homeId, vendorId } = order
    const numbers: string[] = []
    for (const unitPrice of [400, 500, 600]) {
      const lines = [{ description: 'Vents', quantity: 1, unitPrice }]
      const { body } = await plumbline.post('/api/ext/purchase-orders', { homeId, vendorId, scope: 'roofing', lines })
      const approve = () => plumbline.post(`/api/ext/purchase-orders/${body.id}/status`, { status: 'approved' })
      // The first request adds the order to the approval queue, because the trade is over its budget.
      await approve()
      expect((await approve()).body.status).toBe('approved')
      numbers.push(body.number)
    }
    await page.goto(`${plumbline.url}/orders`)
    await page.getByRole('link', { name: 'Issue orders' }).click()
    await page.getByText('3 orders of $1,500.00 will be issued').waitFor()
    await page.getByRole('checkbox', { name: new RegExp(`^${numbers[1]}`) }).uncheck()
    await page.getByText('2 orders of $1,000.00 will be issued').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Issue 2 orders' }).click()
    await page.getByText('2 orders issued').waitFor()
    const { data } = (await plumbline.get('/api/ext/purchase-orders?status=approved')).body
    expect(data).toMatchObject([{ number: numbers[1] }])
  })

  const openFollowUp = async (name: string) => {
    const { page } = seen
    await page.goto(`${plumbline.url}/orders/${orders[0]}`)
    await page.getByRole('button', { name: 'Follow-up' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  const createdOrder = async () => {
    const { page } = seen
    await page.waitForURL(/\/orders\/po_[0-9a-z]+$/)
    return (await plumbline.get(`/api/ext/purchase-orders/${page.url().split('/').at(-1)}`)).body
  }

  test('a change order can copy a line of the order and shows the new total with all changes', async () => {
    const { page } = seen
    await openFollowUp('Change order…')
    await page.getByRole('button', { name: 'Remove line 1' }).click()
    await page.getByText('An order needs at least one line.').waitFor()
    await page.getByRole('button', { name: 'Add line of PO-0014-01' }).click()
    await page.getByRole('menuitem', { name: 'Shingles' }).click()
    expect(await page.getByLabel('Description').inputValue()).toBe('Shingles')
    expect(await page.getByLabel('Unit price').inputValue()).toBe('33869')
    await page.getByLabel('Quantity').fill('1')
    await page.getByLabel('Unit price').fill('-869')
    await page
      .getByText('The total of PO-0014-01 with its changes is $33,869.00, and $33,000.00 with this change.')
      .waitFor()
    await page.getByText(/and this order −\$869\./).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create change order' }).click()
    expect(await createdOrder()).toMatchObject({
      ...{ poType: 'change', parentPoId: orders[0], rootPoId: orders[0], total: -869, status: 'draft' },
      lines: [{ lineId: 'line-1', description: 'Shingles', quantity: 1, unitPrice: -869 }],
    })
    await page.getByText('Change order, roofing').waitFor()
    await page.getByText('follows').getByRole('link', { name: 'PO-0014-01' }).click()
    const followUps = page.getByRole('table', { name: 'Follow-up orders' })
    await followUps
      .getByRole('row', { name: /Change/ })
      .getByText('−$869.00')
      .waitFor()
  })

  test('a variance order requires a reason, and a note if the reason is not specific', async () => {
    const { page } = seen
    await openFollowUp('Variance order…')
    await page.getByLabel('Description').fill('Replace shingles after the storm')
    await page.getByLabel('Quantity').fill('14')
    await page.getByLabel('Unit', { exact: true }).fill('HR')
    await page.getByLabel('Unit price').fill('68.50')
    await page.getByText('Total $959.00.').waitFor()
    await page.getByRole('button', { name: 'Create variance order' }).click()
    await expect.poll(() => page.locator('[aria-invalid="true"]').count()).toBe(2)
    await page.getByLabel('Reason for the variance').selectOption({ label: 'Other' })
    await page.getByText('Explain the variance here. The reason alone is not specific enough.').waitFor()
    await page.getByLabel('Reason for the variance').selectOption({ label: 'Weather' })
    await page.getByLabel('Responsible party').selectOption('builder')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create variance order' }).click()
    expect(await createdOrder()).toMatchObject({
      ...{ poType: 'variance', parentPoId: orders[0], total: 959 },
      ...{ varianceReasonCode: 'weather', varianceResponsible: 'builder' },
    })
  })

  test('a backcharge is entered as a positive amount and stored as a negative one', async () => {
    const { page } = seen
    await openFollowUp('Backcharge…')
    await page.getByLabel('Description').fill('Cleaning of the gutters')
    await page.getByLabel('Unit price').fill('250.50')
    await page.getByText('The vendor owes $250.50.').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create backcharge' }).click()
    const backcharge = await createdOrder()
    expect(backcharge).toMatchObject({ poType: 'backcharge', parentPoId: orders[0], total: -250.5 })
    await page.getByText('Backcharge, roofing').waitFor()
    // The form of a backcharge draft also shows positive amounts.
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    expect(await page.getByLabel('Unit price').inputValue()).toBe('250.5')
    await page.getByLabel('Unit price').fill('300')
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText(`${backcharge.number} changed`).waitFor()
    expect((await plumbline.get(`/api/ext/purchase-orders/${backcharge.id}`)).body.total).toBe(-300)
  })

  test('an order can be duplicated for another home, and a duplicate for the same home shows a warning', async () => {
    const { page } = seen
    const { communityId } = (await plumbline.get('/api/ext/homes?q=Lot+14')).body.data[0]
    const { body: lot15 } = await plumbline.post('/api/ext/homes', { name: 'Lot 15', lotNumber: '15', communityId })
    await openFollowUp('Duplicate…')
    await page.getByText('Total $33,869.00.').waitFor()
    await page.getByRole('button', { name: 'Create draft' }).click()
    const same = await createdOrder()
    expect(same).toMatchObject({ poType: 'base', parentPoId: null, total: 33_869, number: 'PO-0014-09' })
    await page.getByText('This order may be a duplicate.').waitFor()
    await page.locator('.banner').getByRole('link', { name: 'PO-0014-01' }).waitFor()
    await expectAccessible(page)
    await openFollowUp('Duplicate…')
    await page.getByLabel('Home').selectOption({ label: 'Lot 15, Juniper Ridge' })
    await page.getByRole('button', { name: 'Create draft' }).click()
    expect(await createdOrder()).toMatchObject({ homeId: lot15.id, total: 33_869, number: 'PO-0015-01' })
    expect(await page.getByText('This order may be a duplicate.').count()).toBe(0)
  })
})
