import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the pages of vendor contracts', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let homeId = ''
  let vendorId = ''
  let studId = ''
  const orderIds: string[] = []

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    const created = async (path: string, body: object) => {
      const response = await plumbline.post(`/api/ext${path}`, body)
      expect([path, response.status, response.body]).toEqual([path, 201, response.body])
      return response.body
    }
    const site = await created('/communities', { name: 'Juniper Ridge', status: 'active' })
    homeId = (await created('/homes', { name: 'Lot 14', lotNumber: '14', communityId: site.id })).id
    await created(`/homes/${homeId}/budget/lines`, { scope: 'framing', amount: 30_000 })
    vendorId = (await created('/vendors', { companyName: 'Lone Star Lumber', scopes: ['framing'], status: 'active' }))
      .id
    studId = (await created('/parts', { sku: 'LUM-2X4', name: 'Stud 2x4', unit: 'EA', scope: 'framing' })).id
    await created('/parts', { sku: 'OSB-716', name: 'OSB sheet', unit: 'SHT', scope: 'framing' })
    await created('/plans', { code: 'P2100', name: 'The Possumhaw', elevations: [{ code: 'A' }, { code: 'B' }] })
    await created('/options', { code: 'OPT-1', name: 'Covered patio', optionType: 'upgrade', price: 1370 })
  })
  afterAll(async () => {
    // The browser reports the activation that the service rejects in the preview.
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !/409|422/.test(line)) })
    await closeWindows()
    await plumbline.stop()
  })

  const cell = (column: string, line: number) =>
    seen.page
      .getByRole('combobox', { name: `${column}, line ${line}` })
      .or(seen.page.getByRole('textbox', { name: `${column}, line ${line}` }))
  const note = (text: string) => seen.page.locator('.cell-note', { hasText: text })
  const findContract = async (number: string, revision: number) => {
    const { data } = (await plumbline.get(`/api/ext/contracts?number=${number}`)).body
    return data.find((contract: { revision: number }) => contract.revision === revision)
  }

  test('a contract is drafted with its prices in a grid, and unsaved prices are filled in again', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/catalogue/contracts`)
    await page.getByText('No contracts yet').waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'New contract' }).click()
    await page.getByRole('combobox', { name: 'Vendor', exact: true }).fill('lone')
    await page.getByRole('option', { name: /Lone Star Lumber/ }).click()
    await page.getByLabel('Trade', { exact: true }).selectOption('framing')
    await page.getByLabel('Prices for', { exact: true }).selectOption('material')
    await page.getByRole('combobox', { name: /^Communities/ }).fill('juniper')
    await page.getByRole('option', { name: /Juniper Ridge/ }).click()
    await page.getByLabel('Valid from').fill('2026-01-01')
    await page.getByLabel(/^Valid until/).fill('2099-12-31')
    await cell('Part (SKU)', 1).fill('lum-2x4')
    await cell('Unit price', 1).fill('3.50')
    await note('Stud 2x4').waitFor()
    await page.getByRole('button', { name: 'Add line' }).click()
    await cell('Part (SKU)', 2).fill('NOPE')
    await cell('Unit price', 2).fill('18')
    await page.getByText('is not a known SKU').waitFor()
    expect(await page.getByRole('button', { name: 'Create draft' }).isDisabled()).toBe(true)
    await expectAccessible(page)
    await cell('Part (SKU)', 2).fill('OSB-716')
    await note('OSB sheet').waitFor()
    await page.reload()
    await page.getByText('have been filled in').waitFor()
    await expect.poll(() => cell('Unit price', 2).inputValue()).toBe('18')
    await expect.poll(() => page.getByLabel('Trade', { exact: true }).inputValue()).toBe('framing')
    await page.getByRole('button', { name: 'Create draft' }).click()
    await page.waitForURL('**/catalogue/contracts/ctr_*')
    await page.getByText('This revision is a draft.').waitFor()
    expect(await findContract('CT-0001', 1)).toMatchObject({
      ...{ status: 'draft', contractType: 'material', effectiveDate: '2026-01-01', expirationDate: '2099-12-31' },
      lines: [
        { partId: studId, unit: 'EA', unitPrice: 3.5, minQuantity: 0 },
        { unit: 'SHT', unitPrice: 18 },
      ],
    })
    await expectAccessible(page)
  })

  test('a draft is edited, and its lines keep their IDs', async () => {
    const { page } = seen
    const before = await findContract('CT-0001', 1)
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    expect(await cell('Part (SKU)', 1).inputValue()).toBe('LUM-2X4')
    await cell('Unit price', 1).fill('3.25')
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText('CT-0001 changed').waitFor()
    const after = await findContract('CT-0001', 1)
    expect(after.lines).toEqual([{ ...before.lines[0], unitPrice: 3.25 }, before.lines[1]])
  })

  test('activating a contract first shows the effect, and then applies its prices', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'Activate', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Activate CT-0001?' })
    await dialog.getByText('Contract status changed').waitFor()
    await expectAccessible(page)
    expect((await findContract('CT-0001', 1)).status).toBe('draft')
    await dialog.getByRole('button', { name: 'Activate', exact: true }).click()
    await page.getByText('CT-0001: active').waitFor()
    const { data } = (await plumbline.get(`/api/ext/parts/${studId}/prices`)).body
    expect(data).toMatchObject([{ unitPrice: 3.25, effectiveDate: '2026-01-01', expirationDate: '2099-12-31' }])
  })

  test('a new revision shows how each price changes', async () => {
    const { page } = seen
    for (const status of ['draft', 'approved']) {
      const lines = [{ partId: studId, quantity: 640 }]
      const order = { homeId, vendorId, scope: 'framing', lines }
      const { body } = await plumbline.post('/api/ext/purchase-orders', order)
      expect(body).toMatchObject({ total: 2080 })
      orderIds.push(body.id)
      if (status === 'approved') {
        const moved = await plumbline.post(`/api/ext/purchase-orders/${body.id}/status`, { status })
        expect(moved.body.status).toBe('approved')
      }
    }
    await page.getByRole('button', { name: 'New revision' }).click()
    const dialog = page.getByRole('dialog', { name: 'Draft revision 2 of CT-0001' })
    await dialog.getByText('the prices still end on').waitFor()
    await dialog.getByLabel('New prices valid from').fill('2027-03-01')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Create draft' }).click()
    await page.waitForURL('**/catalogue/contracts/ctr_*/edit')
    await page.getByRole('heading', { name: 'Edit CT-0001, revision 2' }).waitFor()
    await cell('Unit price', 1).fill('3.90')
    await page.getByRole('button', { name: 'Save draft' }).click()
    const stud = page.getByRole('table', { name: 'Prices' }).getByRole('row', { name: /Stud 2x4/ })
    await stud.getByText('+20%').waitFor()
    await stud.getByText('3.25').waitFor()
    await page.getByText('Until then, the previous revision stays valid.').waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Revision 1', exact: true }).click()
    await page.getByText('The next revision is a draft.').waitFor()
    expect(await page.getByRole('button', { name: 'New revision' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Open revision 2' }).click()
    await page.getByRole('button', { name: 'Activate', exact: true }).click()
    const activate = page.getByRole('dialog', { name: 'Activate CT-0001, revision 2?' })
    await activate.getByText('The prices of the previous revision end on the day before.').waitFor()
    await activate.getByText('will be made').waitFor()
    await activate.getByRole('button', { name: 'Activate', exact: true }).click()
    await page.getByText('CT-0001, revision 2: active').waitFor()
    expect((await findContract('CT-0001', 1)).status).toBe('superseded')
  })

  test('repricing shows the new totals before it changes draft orders', async () => {
    const { page } = seen
    await page.getByRole('link', { name: 'Reprice orders' }).click()
    await page.getByText('Apply the prices of CT-0001, revision 2').waitFor()
    expect(await page.getByLabel('Prices on').inputValue()).toBe('2027-03-01')
    await page.getByRole('button', { name: 'Preview new totals' }).click()
    const drafts = page.getByRole('table', { name: 'Drafts with new prices' }).getByRole('row', { name: /PO-0014-01/ })
    await drafts.getByText('2,080.00').waitFor()
    await drafts.getByText('2,496.00').waitFor()
    await drafts.getByText('+416.00').waitFor()
    const kept = page.getByRole('table', { name: 'Orders that keep their prices' })
    await kept.getByRole('row', { name: /PO-0014-02/ }).waitFor()
    await expectAccessible(page)
    const totals = async () =>
      (await Promise.all(orderIds.map((id) => plumbline.get(`/api/ext/purchase-orders/${id}`)))).map(
        ({ body }) => body.total,
      )
    expect(await totals()).toEqual([2080, 2080])
    // Another date needs another preview.
    await page.getByLabel('Prices on').fill('2027-02-01')
    await drafts.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Preview new totals' }).click()
    await page.getByText('1 draft already has these prices.').waitFor()
    await page.getByLabel('Prices on').fill('2027-03-01')
    await page.getByRole('button', { name: 'Preview new totals' }).click()
    await page.getByRole('button', { name: 'Reprice 1 order' }).click()
    await page.getByText('1 order repriced').waitFor()
    expect(await totals()).toEqual([2496, 2080])
  })

  test('a turnkey contract has a lump sum for each plan or option', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/vendors/${vendorId}`)
    await page.getByRole('link', { name: 'New contract' }).click()
    await page.getByLabel('Prices for', { exact: true }).selectOption('turnkey')
    await page.getByLabel('Trade', { exact: true }).selectOption('framing')
    await cell('Plan', 1).fill('p2100')
    await cell('Elevation', 1).fill('B')
    await cell('Amount', 1).fill('38,400')
    await note('The Possumhaw').waitFor()
    await cell('Amount', 1).press('Enter')
    // The new row takes the focus in the next frame, and `fill` types into the cell that has the focus.
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Plan, line 2')
    await cell('Option', 2).fill('OPT-1')
    await note('Covered patio').waitFor()
    await cell('Amount', 2).fill('1200')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create draft' }).click()
    await page.waitForURL('**/catalogue/contracts/ctr_*')
    await page.getByRole('table', { name: 'Lump sums' }).getByText('38,400.00').waitFor()
    await expectAccessible(page)
    expect((await findContract('CT-0002', 1)).lumpSums).toMatchObject([
      { elevation: 'B', optionId: null, amount: 38_400 },
      { planId: null, amount: 1200 },
    ])
  })

  test('an error of the service is shown at its cell', async () => {
    const { page } = seen
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await cell('Elevation', 1).fill('Z')
    await page.getByRole('button', { name: 'Save draft' }).click()
    await expect.poll(() => cell('Elevation', 1).getAttribute('aria-invalid')).toBe('true')
    await cell('Elevation', 1).fill('A')
    expect(await cell('Elevation', 1).getAttribute('aria-invalid')).toBe(null)
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText('CT-0002 changed').waitFor()
  })

  test('a terminated contract ends its prices today', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/catalogue/contracts`)
    await page.getByRole('link', { name: 'CT-0001, revision 2' }).click()
    await page.getByRole('button', { name: 'More', exact: true }).first().click()
    await page.getByRole('menuitem', { name: 'Terminate…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Terminate CT-0001, revision 2?' })
    await dialog.getByLabel(/^Reason/).fill('Late deliveries.')
    await dialog.getByText('will be made').waitFor()
    await dialog.getByRole('button', { name: 'Terminate', exact: true }).click()
    await page.getByText('CT-0001, revision 2: terminated').waitFor()
    expect((await findContract('CT-0001', 2)).status).toBe('terminated')
    expect((await plumbline.get(`/api/ext/parts/${studId}/prices?on=2027-06-01`)).body.data).toEqual([])
  })
})
