import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the pages of options', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    const created = async (name: string, path: string, body: object) => {
      const response = await plumbline.post(`/api/ext${path}`, body)
      expect([path, response.status, response.body]).toEqual([path, 201, response.body])
      ids[name] = response.body.id
    }
    await created('granite', '/parts', { sku: 'TOP-GRN', name: 'Granite', unit: 'SF' })
    await created('quartz', '/parts', { sku: 'TOP-QTZ', name: 'Quartz', unit: 'SF' })
    await created('community', '/communities', { name: 'Juniper Ridge' })
    await created('trade', '/scopes', { name: 'electrical' })
    await created('large', '/plans', {
      ...{ code: 'P2100', name: 'The Possumhaw', figures: [{ name: 'counterFeet', value: 72 }] },
      elevations: [{ code: 'A' }, { code: 'B', figures: [{ name: 'counterFeet', value: 80 }] }],
    })
    await created('small', '/plans', {
      ...{ code: 'P1650', name: 'The Persimmon', figures: [{ name: 'counterFeet', value: 58 }] },
    })
    const option = { name: 'Granite tops', code: 'KI-GRN', optionType: 'upgrade', price: 900 }
    await created('graniteTops', '/options', option)
    await created('upgrade', '/options', { ...option, name: 'Upper cabinets', code: 'KI-UP42' })
  })
  afterAll(async () => {
    // The tests provoke the rejection of a price and of takeoffs.
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !/412|422/.test(line)) })
    await closeWindows()
    await plumbline.stop()
  })

  const findOption = async () => (await plumbline.get('/api/ext/options?code=KI-QTZ')).body.data[0]
  const dialog = () => seen.page.getByRole('dialog')
  const cell = (column: string, line: number) =>
    seen.page
      .getByRole('combobox', { name: `${column}, line ${line}` })
      .or(seen.page.getByRole('textbox', { name: `${column}, line ${line}` }))
  const row = (line: number) => seen.page.locator('.table.sheet tbody tr').nth(line - 1)

  test('creating an option opens its page with the price, cost, and deadline', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/catalogue/options`)
    await page.getByRole('button', { name: 'New option' }).click()
    await dialog().getByLabel('Code', { exact: true }).fill('KI-QTZ')
    await dialog().getByLabel('Name', { exact: true }).fill('Quartz tops')
    await dialog()
      .getByLabel(/^Category/)
      .fill('Kitchen')
    await dialog()
      .getByLabel(/^Price for the buyer/)
      .fill('-2,580')
    await dialog()
      .getByLabel(/^Choose before/)
      .fill('Countertops set')
    await dialog()
      .getByLabel(/^Deadline in workdays/)
      .fill('10')
    await expectAccessible(page)
    await dialog().getByRole('button', { name: 'Create option' }).click()
    await dialog().getByText('must not be negative unless optionType is credit').waitFor()
    await dialog()
      .getByLabel(/^Price for the buyer/)
      .fill('2,580')
    await dialog().getByRole('button', { name: 'Create option' }).click()
    await page.getByRole('heading', { name: 'Quartz tops' }).waitFor()
    expect(await findOption()).toMatchObject({
      ...{ status: 'draft', category: 'Kitchen', optionType: 'upgrade', unit: 'EA', price: 2580, marginPercent: null },
      ...{ costBasis: 'computed', cost: null, cutoffTaskName: 'Countertops set', cutoffDaysBeforeStart: 10 },
    })
  })

  test('an option can have a margin in place of a price, and a fixed cost with a trade', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await dialog().getByLabel('Pricing method').selectOption({ label: 'Margin on the cost' })
    await dialog()
      .getByLabel(/^Margin, percent/)
      .fill('32.5')
    await dialog().getByLabel('Cost method').selectOption({ label: 'Fixed amount' })
    await dialog()
      .getByLabel(/^Cost, /)
      .fill('1,700')
    await dialog()
      .getByLabel(/^Trade/)
      .selectOption('electrical')
    await expectAccessible(page)
    await dialog().getByRole('button', { name: 'Save option' }).click()
    await page.getByText('Quartz tops changed').waitFor()
    expect(await findOption()).toMatchObject({
      ...{ price: null, marginPercent: 32.5, costBasis: 'fixed', cost: 1700, scope: 'electrical' },
    })
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await dialog().getByLabel('Pricing method').selectOption({ label: 'Fixed price' })
    await dialog()
      .getByLabel(/^Price for the buyer/)
      .fill('2,580')
    await dialog().getByLabel('Cost method').selectOption({ label: 'Computed from the takeoff' })
    await dialog().getByRole('button', { name: 'Save option' }).click()
    await expect.poll(findOption).toMatchObject({ price: 2580, marginPercent: null, costBasis: 'computed', cost: null })
  })

  test('the rules show where an option applies and which options it requires and excludes', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'Edit rules' }).click()
    for (const [label, text, name] of [
      [/^Plans/, 'possum', /The Possumhaw/],
      [/^Plans/, 'persimmon', /The Persimmon/],
      [/^Communities/, 'juni', /Juniper Ridge/],
      [/^Requires/, 'upper', /Upper cabinets/],
      [/^Excludes/, 'granite', /Granite tops/],
    ] as const) {
      await dialog().getByLabel(label).fill(text)
      await page.getByRole('option', { name }).click()
    }
    await page.keyboard.press('Tab')
    await expectAccessible(page)
    await dialog().getByRole('button', { name: 'Save rules' }).click()
    await page.getByText('Rules of Quartz tops changed').waitFor()
    expect(await findOption()).toMatchObject({
      ...{ planIds: [ids.large, ids.small], communityIds: [ids.community] },
      ...{ requiresOptionIds: [ids.upgrade], excludesOptionIds: [ids.graniteTops] },
    })
    const rules = page.getByRole('region', { name: 'Rules' })
    await rules.getByRole('link', { name: 'Upper cabinets' }).waitFor()
    await rules.getByRole('link', { name: 'Granite tops' }).waitFor()
    await expectAccessible(page)
  })

  test('the takeoff of an option shows its quantities for each plan and elevation', async () => {
    const { page } = seen
    await page.getByRole('link', { name: 'Edit takeoff' }).click()
    await cell('Part (SKU)', 1).fill('TOP-QTZ')
    await cell('Quantity or formula', 1).fill('counterFeet')
    await row(1).getByText('58 SF').waitFor()
    await page.getByLabel('Quantities for').selectOption({ label: 'The Possumhaw, elevation B' })
    await row(1).getByText('80 SF').waitFor()
    await page.getByRole('button', { name: 'Add line' }).click()
    await cell('Part (SKU)', 2).focus()
    await page.evaluate((text) => {
      const { document, ClipboardEvent, DataTransfer } = globalThis as unknown as {
        document: { activeElement: EventTarget }
        ClipboardEvent: new (type: string, init: object) => Event
        DataTransfer: new () => { setData(type: string, text: string): void }
      }
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', text)
      document.activeElement.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      )
    }, 'top-grn\tp2100\tB\t-counterFeet\t8%\nTOP-GRN\t\tA\t4\nTOP-GRN\tP9\t\troofs')
    await row(2).getByText('−86.4 SF').waitFor()
    await row(3).getByText('requires a plan').waitFor()
    await row(4).getByText('must be the code of a plan that can have the option').waitFor()
    await page.getByText('2 lines with errors').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Remove line 4' }).click()
    await cell('Plan', 3).fill('P1650')
    await row(3).getByText('must be empty').waitFor()
    await cell('Elevation', 3).fill('')
    await cell('Quantity or formula', 3).fill('counterFeet + roofs')
    await row(3).getByText('uses the unknown figure roofs (on P1650)').waitFor()
    await cell('Quantity or formula', 3).fill('counterFeet / 2')
    await page.getByRole('button', { name: 'Save takeoff' }).click()
    await page.getByText('Takeoff of Quartz tops saved').waitFor()
    expect((await plumbline.get(`/api/ext/options/${(await findOption()).id}/takeoff`)).body.lines).toMatchObject([
      { partId: ids.quartz, planId: null, formula: 'counterFeet', elevation: null },
      { partId: ids.granite, planId: ids.large, elevation: 'B', formula: '-counterFeet', wastePercent: 8 },
      { partId: ids.granite, planId: ids.small, elevation: null, formula: 'counterFeet / 2' },
    ])
  })

  test('an option takeoff is not overwritten if another user has saved it in the meantime', async () => {
    const { page } = seen
    const { id } = await findOption()
    const path = `/api/ext/options/${id}/takeoff`
    await page.goto(`${plumbline.url}/catalogue/options/${id}/takeoff`)
    await cell('Quantity or formula', 1).fill('counterFeet + 4')
    const { lines } = (await plumbline.get(path)).body
    expect((await plumbline.put(path, { lines: lines.slice(0, 2) })).status).toBe(200)
    await page.getByRole('button', { name: 'Save takeoff' }).click()
    await page.getByText('This record was changed while you were editing.').waitFor()
    await page.getByRole('button', { name: 'Combine with my changes' }).click()
    await page.getByText('1 line changed.').waitFor()
    await page.getByRole('button', { name: 'Save takeoff' }).click()
    await page.getByText('Takeoff of Quartz tops saved').waitFor()
    expect((await plumbline.get(path)).body.lines).toMatchObject([
      { formula: 'counterFeet + 4' },
      { partId: ids.granite, planId: ids.large },
    ])
  })
})
