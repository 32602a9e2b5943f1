import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { createPdf } from '../support/files.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the grid of a takeoff', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let planId = ''
  const partIds: Record<string, string> = {}

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    const created = async (path: string, body: object) => {
      const response = await plumbline.post(`/api/ext${path}`, body)
      expect([path, response.status, response.body]).toEqual([path, 201, response.body])
      return response.body
    }
    for (const [sku, name, unit] of [
      ['LUM-2X4', 'Stud 2x4', 'EA'],
      ['OSB-716', 'OSB sheet', 'SHT'],
      ['CON-3000', 'Concrete', 'CY'],
    ])
      partIds[sku ?? ''] = (await created('/parts', { sku, name, unit })).id
    await created('/cost-codes', { code: '06-100', name: 'Framing lumber', category: 'material' })
    const elevations = [{ code: 'A' }, { code: 'B', figures: [{ name: 'roofSquares', value: 40 }] }]
    const figures = [{ name: 'roofSquares', value: 37 }]
    planId = (await created('/plans', { code: 'P2100', name: 'The Possumhaw', squareFeet: 2100, elevations, figures }))
      .id
    const lines = [{ partId: partIds['LUM-2X4'], formula: 'squareFeet * 0.24', wastePercent: 7.5 }]
    expect((await plumbline.put(`/api/ext/plans/${planId}/takeoff`, { lines })).status).toBe(200)
    expect((await plumbline.post(`/api/ext/plans/${planId}/status`, { status: 'released' })).status).toBe(200)
  })
  afterAll(async () => {
    // The tests provoke the rejection of takeoffs.
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !/422|412/.test(line)) })
    await closeWindows()
    await plumbline.stop()
  })

  const cell = (column: string, line: number) =>
    seen.page
      .getByRole('combobox', { name: `${column}, line ${line}` })
      .or(seen.page.getByRole('textbox', { name: `${column}, line ${line}` }))
  const row = (line: number) => seen.page.locator('.table.sheet tbody tr').nth(line - 1)
  const paste = async (column: string, line: number, text: string) => {
    await cell(column, line).focus()
    await seen.page.evaluate((text) => {
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
    }, text)
  }

  test('a changed formula shows its quantity before it is saved', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/catalogue/plans/${planId}`)
    await page.getByRole('link', { name: 'Edit takeoff' }).click()
    await page.getByText('Revision 1 is released and never changes.').waitFor()
    await row(1).getByText('542 EA').waitFor()
    await cell('Quantity or formula', 1).fill('roofSquares * 10')
    await row(1).getByText('398 EA').waitFor()
    await page.getByLabel('Quantities for').selectOption('B')
    await row(1).getByText('430 EA').waitFor()
    await page.getByText('1 line changed.').waitFor()
  })

  test('cells from a spreadsheet add lines, and each cell shows its own error', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'Add line' }).click()
    await paste(
      'Part (SKU)',
      2,
      'osb-716\tB\tsquareFeet / 32\t10%\t06-100\tWalls framed\r\nCON-3000\t\t12.500\t\t\t\nNOPE-1\tC\troofs * 2\t\t99-999\t\n',
    )
    await row(2).getByText('OSB sheet').waitFor()
    await row(2).getByText('73 SHT').waitFor()
    await row(4).getByText('is not a known SKU').waitFor()
    await row(4).getByText('must be one of A, B').waitFor()
    await row(4).getByText('uses the unknown figure roofs').waitFor()
    await row(4).getByText('is not a known cost code').waitFor()
    expect(await cell('Quantity or formula', 3).getAttribute('aria-invalid')).toBe('true')
    await page.getByText('2 lines with errors').waitFor()
    expect(await page.getByRole('button', { name: 'Save takeoff' }).isDisabled()).toBe(true)
    await expectAccessible(page)
  })

  test('the changes are filled in again after the page was left', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'Remove line 4' }).click()
    await cell('Quantity or formula', 3).fill('12.5')
    await page.getByText('2 lines added, 1 changed.').waitFor()
    await page.goto(`${plumbline.url}/catalogue`)
    await page.goto(`${plumbline.url}/catalogue/plans/${planId}/takeoff`)
    await page.getByText(/^Your unsaved entries from .* have been filled in\.$/).waitFor()
    await page.getByText('2 lines added, 1 changed.').waitFor()
    await row(3).getByText('12.5 CY').waitFor()
  })

  test('Enter moves down, adds a line at the end, and Ctrl+D repeats the cell above', async () => {
    const { page } = seen
    await cell('Waste %', 2).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Control+d')
    expect(await cell('Waste %', 3).inputValue()).toBe('10%')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Part (SKU), line 4')
    await page.keyboard.type('LUM-2X4')
    await cell('Quantity or formula', 4).fill('4')
    await cell('Line ID', 4).fill('2')
    await row(4).getByText('4 EA').waitFor()
  })

  test('an error of the service is shown at its cell', async () => {
    const { page } = seen
    await cell('Line ID', 3).fill('2')
    await page.getByRole('button', { name: 'Save takeoff' }).click()
    await row(4).getByText('must be unique; another line has the same lineId').waitFor()
    await cell('Line ID', 3).fill('')
    await cell('Line ID', 4).fill('')
    await expect.poll(() => page.getByRole('button', { name: 'Save takeoff' }).isDisabled()).toBe(false)
  })

  test('one save stores all changes as a draft of the next revision', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'Save takeoff' }).click()
    await page.getByText('Takeoff saved as a draft of revision 2').waitFor()
    const { body } = await plumbline.get(`/api/ext/plans/${planId}/takeoff`)
    expect(body).toMatchObject({
      revision: 2,
      lines: [
        { partId: partIds['LUM-2X4'], formula: 'roofSquares * 10', wastePercent: 7.5 },
        {
          partId: partIds['OSB-716'],
          elevation: 'B',
          formula: 'squareFeet / 32',
          wastePercent: 10,
          taskName: 'Walls framed',
        },
        { partId: partIds['CON-3000'], quantity: 12.5, wastePercent: 10 },
        { partId: partIds['LUM-2X4'], quantity: 4 },
      ],
    })
    expect((await plumbline.get(`/api/ext/plans/${planId}/takeoff?revision=1`)).body.lines).toHaveLength(1)
  })

  test('the user can combine their changes with lines that another user saved in the meantime', async () => {
    const { page } = seen
    const path = `/api/ext/plans/${planId}/takeoff`
    await page.goto(`${plumbline.url}/catalogue/plans/${planId}/takeoff`)
    await cell('Quantity or formula', 3).fill('14')
    await cell('Quantity or formula', 4).fill('6')
    const { lines } = (await plumbline.get(path)).body
    const [studs, sheets, concrete, more] = lines
    const others = [
      studs,
      { ...sheets, wastePercent: 5 },
      concrete,
      { ...more, quantity: 9 },
      { partId: partIds['OSB-716'], quantity: 2, lineId: 'porch' },
    ]
    expect((await plumbline.put(path, { lines: others })).status).toBe(200)
    await page.getByRole('button', { name: 'Save takeoff' }).click()
    await page.getByText('This record was changed while you were editing.').waitFor()
    await page.getByText('You and another user changed the same line.').waitFor()
    await page.getByRole('button', { name: 'Show changes' }).click()
    const banner = page.getByRole('alert')
    await banner.getByText('Line porch').waitFor()
    await banner.getByText('Line 4 (changed by both)').waitFor()
    await banner.getByText('LUM-2X4, 9').waitFor()
    expect(await page.getByRole('button', { name: 'Save takeoff' }).isDisabled()).toBe(true)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Combine with my changes' }).click()
    await page.getByText('2 lines changed.').waitFor()
    await row(5).getByText('2 SHT').waitFor()
    expect(await cell('Quantity or formula', 4).inputValue()).toBe('6')
    expect((await plumbline.get(path)).body.lines[2].quantity).toBe(12.5)
    await page.getByRole('button', { name: 'Save takeoff' }).click()
    await page.getByText('Takeoff of The Possumhaw saved').waitFor()
    expect((await plumbline.get(path)).body.lines).toMatchObject([
      { formula: 'roofSquares * 10' },
      { partId: partIds['OSB-716'], wastePercent: 5 },
      { quantity: 14 },
      { quantity: 6 },
      { lineId: 'porch', quantity: 2 },
    ])
  })

  test('a takeoff whose plan was renamed in the meantime can be saved again', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/catalogue/plans/${planId}/takeoff`)
    await cell('Quantity or formula', 3).fill('15')
    expect((await plumbline.patch(`/api/ext/plans/${planId}`, { name: 'The Yaupon' })).status).toBe(200)
    await page.getByRole('button', { name: 'Save takeoff' }).click()
    await page.getByText('The plan was changed while you were editing, but its takeoff was not.').waitFor()
    await page.getByRole('button', { name: 'Save takeoff' }).click()
    await page.getByText('Takeoff of The Yaupon saved').waitFor()
    expect((await plumbline.get(`/api/ext/plans/${planId}/takeoff`)).body.lines[2].quantity).toBe(15)
  })

  test('restored entries show a warning if another user has changed the takeoff in the meantime', async () => {
    const { page } = seen
    const path = `/api/ext/plans/${planId}/takeoff`
    await page.goto(`${plumbline.url}/catalogue/plans/${planId}/takeoff`)
    await cell('Quantity or formula', 3).fill('16')
    await page.getByText('1 line changed.').waitFor()
    await page.goto(`${plumbline.url}/catalogue`)
    const [first, ...others] = (await plumbline.get(path)).body.lines
    expect((await plumbline.put(path, { lines: [...others, first] })).status).toBe(200)
    await page.goto(`${plumbline.url}/catalogue/plans/${planId}/takeoff`)
    await page.getByText('This takeoff was changed after you entered these lines.').waitFor()
    // The line has moved, and the entry belongs to the line and not to its position.
    expect(await cell('Quantity or formula', 2).inputValue()).toBe('16')
    await page.getByText('1 line changed.').waitFor()
    await page.getByRole('button', { name: 'Discard entries' }).click()
    await page.getByText('No changes').waitFor()
  })

  test('a file that is added on the page of a plan is stored with the plan', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/catalogue/plans/${planId}`)
    await page.getByText('No files yet.').waitFor()
    await page.getByRole('button', { name: 'Add file' }).click()
    const file = { name: 'Specifications.pdf', mimeType: 'application/pdf', buffer: createPdf() }
    await page.getByLabel('File', { exact: true }).setInputFiles(file)
    await page.getByRole('button', { name: 'Add file' }).click()
    await page.getByText('Specifications.pdf added').waitFor()
    const { data } = (await plumbline.get(`/api/ext/attachments?recordId=${planId}`)).body
    expect(data).toMatchObject([{ fileName: 'Specifications.pdf' }])
  })
})
