import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the pages of task templates', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let planId = ''

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    const created = async (path: string, body: object) => {
      const response = await plumbline.post(`/api/ext${path}`, body)
      expect([path, response.status]).toEqual([path, 201])
      return response.body
    }
    for (const name of ['concrete', 'framing', 'roofing']) await created('/scopes', { name })
    await created('/vendors', { companyName: 'Hill Country Framers', scopes: ['framing'] })
    planId = (await created('/plans', { code: 'P2100', name: 'The Possumhaw' })).id
  })
  afterAll(async () => {
    // The tests provoke these responses: a change by another user, and a rejected trade.
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !/412|422/.test(line)) })
    await closeWindows()
    await plumbline.stop()
  })

  const cell = (column: string, row: number) => seen.page.getByLabel(`${column}, row ${row}`, { exact: true })
  const gridRow = (row: number) => seen.page.locator('.table.sheet tbody tr').nth(row - 1)
  const choose = async (row: string, item: string) => {
    await seen.page.getByRole('button', { name: `More for ${row}`, exact: true }).click()
    await seen.page.getByRole('menuitem', { name: item }).click()
  }
  const paste = async (column: string, row: number, text: string) => {
    await cell(column, row).focus()
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
  const findTemplate = async (name: string) => {
    const { body: page } = await plumbline.get(`/api/ext/task-templates?q=${encodeURIComponent(name)}`)
    const { id } = page.data.find((template: { name: string }) => template.name === name)
    return (await plumbline.get(`/api/ext/task-templates/${id}`)).body
  }

  test('tasks from a spreadsheet become rows that wait for each other by row number', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/catalogue`)
    await page.getByRole('link', { name: 'Task templates' }).click()
    await page.getByText('No task templates yet').waitFor()
    await page.getByRole('link', { name: 'New template' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Slab house')
    await paste(
      'Task',
      1,
      'Slab poured\tColar la losa\tconcrete\t1\t\nWalls framed\t\tframing\t6\t1+4\nRoof sheathed\t\troofing\t2\t2, 1FF+3cd\n',
    )
    await gridRow(2).getByText('Slab poured (4 workdays later)').waitFor()
    await gridRow(2).getByText('6 to 11').waitFor()
    await gridRow(3).getByText('Walls framed; Slab poured (finish to finish, 3 calendar days later)').waitFor()
    await page.getByText('3 tasks in 13 workdays.').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create template' }).click()
    await page.getByText('Slab house created').waitFor()
    await page.getByRole('row', { name: /^Walls framed.*Slab poured \(4 workdays later\)/ }).waitFor()
    const { rows, workdays } = await findTemplate('Slab house')
    expect(workdays).toBe(13)
    expect(rows).toMatchObject([
      { name: 'Slab poured', spanishName: 'Colar la losa', scope: 'concrete', durationDays: 1, predecessors: [] },
      {
        ...{ name: 'Walls framed', spanishName: null, durationDays: 6 },
        predecessors: [{ name: 'Slab poured', type: 'FS', lagDays: 4, lagUnit: 'workdays' }],
      },
      {
        name: 'Roof sheathed',
        predecessors: [
          { name: 'Walls framed', type: 'FS', lagDays: 0 },
          { name: 'Slab poured', type: 'FF', lagDays: 3, lagUnit: 'calendar_days' },
        ],
      },
    ])
    await expectAccessible(page)
  })

  test('the form of a row sets its kind, its vendor, its predecessors, and its checklist', async () => {
    const { page } = seen
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await page.getByRole('button', { name: 'Add task' }).click()
    await cell('Task', 4).fill('Framing inspection')
    await page.getByRole('button', { name: 'Edit Framing inspection' }).click()
    const dialog = page.getByRole('dialog', { name: 'Framing inspection' })
    await dialog.getByLabel('Kind').selectOption('Inspection')
    await dialog.getByLabel(/^Phase/).fill('framing')
    await dialog.getByLabel(/^Usual vendor/).fill('Hill')
    await page.getByRole('option', { name: /Hill Country Framers/ }).click()
    await dialog.getByRole('button', { name: 'Add predecessor' }).click()
    await dialog.getByLabel('Task', { exact: true }).selectOption({ label: '3 Roof sheathed' })
    await dialog.getByLabel('Lag', { exact: true }).fill('1')
    await dialog.getByLabel(/^Checklist/).fill('Straps photographed\n\nHold-downs tight')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await gridRow(4).getByText('Inspection, Framing, 2 checks, Hill Country Framers').waitFor()
    expect(await cell('Waits for', 4).inputValue()).toBe('3+1')
    await page.getByRole('button', { name: 'Edit Roof sheathed' }).click()
    await page.getByText('Tasks that wait for this task: Framing inspection.').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
  })

  test('a renamed and moved row keeps the rows that wait for it', async () => {
    const { page } = seen
    await cell('Task', 2).fill('Walls raised')
    await gridRow(3)
      .getByText(/^Walls raised; Slab poured/)
      .waitFor()
    await choose('Walls raised', 'Move up')
    expect(await cell('Task', 1).inputValue()).toBe('Walls raised')
    expect(await cell('Waits for', 1).inputValue()).toBe('2+4')
    expect(await cell('Waits for', 3).inputValue()).toBe('1, 2FF+3cd')
    await page.getByRole('button', { name: 'Save template' }).click()
    await page.getByText('Slab house saved').waitFor()
    const { rows } = await findTemplate('Slab house')
    expect(rows).toMatchObject([
      { name: 'Walls raised', predecessors: [{ name: 'Slab poured' }] },
      { name: 'Slab poured' },
      { name: 'Roof sheathed', predecessors: [{ name: 'Walls raised' }, { name: 'Slab poured' }] },
      {
        ...{ name: 'Framing inspection', taskKind: 'inspection', phase: 'framing' },
        vendorId: expect.stringMatching(/^ven_/),
        ...{ predecessors: [{ name: 'Roof sheathed', lagDays: 1 }] },
        checklist: ['Straps photographed', 'Hold-downs tight'],
      },
    ])
  })

  test('the network shows the predecessors of each task and the critical path', async () => {
    const { page } = seen
    await page.getByRole('link', { name: 'Network' }).click()
    await page
      .getByRole('img', { name: 'Network of 4 tasks over 15 workdays. Tasks on the critical path: 4' })
      .waitFor()
    const list = page.getByRole('table', { name: /^Tasks with their first days/ })
    expect(await list.locator('tbody th a').allInnerTexts()).toEqual([
      ...['Slab poured', 'Walls raised', 'Roof sheathed', 'Framing inspection'],
    ])
    await list.getByRole('link', { name: 'Walls raised' }).click()
    const facts = page.getByRole('region', { name: 'Walls raised' })
    await facts.getByText('none: on the critical path').waitFor()
    await facts.getByText('Slab poured (4 workdays later)').waitFor()
    await facts.getByText('Roof sheathed').waitFor()
    await expectAccessible(page)
  })

  test('errors are shown at their rows, and nothing is saved before they are corrected', async () => {
    const { page } = seen
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await cell('Waits for', 2).fill('3')
    for (const row of [1, 2, 3])
      await gridRow(row)
        .getByText(/^must not form a cycle: .* waits for /)
        .waitFor()
    await page.getByText('Correct the marked errors to see the network.').waitFor()
    await cell('Waits for', 2).fill('9')
    await gridRow(2).getByText('must be row numbers; there is no row 9').waitFor()
    await cell('Waits for', 2).fill('')
    await cell('Task', 2).fill('Walls raised')
    await gridRow(2).getByText('must be unique; another row has the same name').waitFor()
    await cell('Task', 2).fill('Slab poured')
    await cell('Workdays', 2).fill('0')
    await gridRow(2).getByText('must be at least 1').waitFor()
    await cell('Workdays', 2).fill('1')
    await choose('Roof sheathed', 'Remove')
    await gridRow(3).getByText('waits for Roof sheathed, which is not in the template').waitFor()
    await page.getByText('1 task with errors').waitFor()
    expect(await page.getByRole('button', { name: 'Save template' }).isDisabled()).toBe(true)
    await expectAccessible(page)
    await cell('Waits for', 3).fill('1')
    await page.getByText('1 task with errors').waitFor({ state: 'detached' })
  })

  test('an error of the service is shown at its cell', async () => {
    const { page } = seen
    await cell('Trade', 3).fill('framming')
    await page.getByRole('button', { name: 'Save template' }).click()
    await gridRow(3).getByText('is not a trade of your organization: "framming"; did you mean "framing"?').waitFor()
    expect(await cell('Trade', 3).getAttribute('aria-invalid')).toBe('true')
    await cell('Trade', 3).fill('framing')
    await gridRow(3)
      .getByText(/is not a trade/)
      .waitFor({ state: 'detached' })
  })

  test('unsaved changes are filled in again, and a change by another user is overwritten only after a confirmation', async () => {
    const { page } = seen
    const { id } = await findTemplate('Slab house')
    await page.goto(`${plumbline.url}/catalogue`)
    await page.goto(`${plumbline.url}/catalogue/task-templates/${id}/edit`)
    await page.getByText(/^Your unsaved entries from .* have been filled in\.$/).waitFor()
    expect(await cell('Trade', 3).inputValue()).toBe('framing')
    expect((await plumbline.patch(`/api/ext/task-templates/${id}`, { name: 'Slab home' })).status).toBe(200)
    await page.getByRole('button', { name: 'Save template' }).click()
    await page.getByText('This record was changed while you were editing.').waitFor()
    expect((await findTemplate('Slab home')).taskCount).toBe(4)
    await page.getByRole('button', { name: 'Overwrite with my changes' }).click()
    await page.getByText('Slab house saved').waitFor()
    expect(await findTemplate('Slab house')).toMatchObject({ taskCount: 3, workdays: 12 })
  })

  test('a copy of a template can be limited to a plan', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Copy template' }).click()
    await page.getByRole('heading', { name: 'New task template' }).waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Copy of Slab house')
    await page.getByLabel('Name', { exact: true }).fill('Possumhaw')
    await page.getByLabel('Plan').selectOption('The Possumhaw')
    await page.getByRole('button', { name: 'Create template' }).click()
    await page.getByText('Possumhaw created').waitFor()
    const copy = await findTemplate('Possumhaw')
    expect(copy).toMatchObject({ planId, communityId: null })
    expect(copy.rows).toEqual((await findTemplate('Slab house')).rows)
  })

  test('an archived template is no longer listed', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Archive' }).click()
    await page.getByText('New schedules can no longer use the template.').waitFor()
    await page.getByRole('button', { name: 'Archive' }).click()
    await page.getByText('Possumhaw archived').waitFor()
    await page.getByRole('row', { name: /^Slab house/ }).waitFor()
    expect(await page.getByRole('row', { name: /^Possumhaw/ }).count()).toBe(0)
    await expectAccessible(page)
  })

  test('the list can include archived templates, which can be read and copied but not changed', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'Archived' }).click()
    await page.getByRole('menuitemradio', { name: 'Included' }).click()
    await page.getByRole('row', { name: /^Possumhaw archived.*The Possumhaw.*3.*12/ }).waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Possumhaw', exact: true }).click()
    await page.getByText(/^This template was archived on .* New schedules cannot use it\./).waitFor()
    await page.getByRole('row', { name: /^Walls raised/ }).waitFor()
    for (const name of ['Edit', 'More actions']) {
      const link = page.getByRole('link', { name, exact: true })
      expect(await link.or(page.getByRole('button', { name, exact: true })).count()).toBe(0)
    }
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Copy template' }).click()
    await page.getByRole('heading', { name: 'New task template' }).waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Copy of Possumhaw')
    await page.goto(`${plumbline.url}/catalogue/task-templates?includeArchived=true`)
    await page.getByRole('button', { name: 'Remove the filter Archived' }).click()
    await page.getByText('1 template', { exact: true }).waitFor()
  })

  test('the keyboard moves between rows, adds a row at the end, and repeats the cell above', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/catalogue/task-templates/new`)
    await cell('Task', 1).fill('Slab poured')
    await cell('Task', 1).press('Enter')
    await expect.poll(() => cell('Task', 2).evaluate((input) => input.matches(':focus'))).toBe(true)
    await page.keyboard.type('Walls framed')
    await cell('Waits for', 2).fill('1+4')
    await cell('Waits for', 2).press('Enter')
    await expect.poll(() => cell('Task', 3).evaluate((input) => input.matches(':focus'))).toBe(true)
    await page.keyboard.type('Roof sheathed')
    await cell('Waits for', 3).press('Control+d')
    expect(await cell('Waits for', 3).inputValue()).toBe('1+4')
    await gridRow(3).getByText('Slab poured (4 workdays later)').waitFor()
    await cell('Waits for', 3).press('Shift+Enter')
    await expect.poll(() => cell('Waits for', 2).evaluate((input) => input.matches(':focus'))).toBe(true)
    // The predecessors follow their rows when a row is inserted above them.
    await choose('Slab poured', 'Insert task below')
    await expect.poll(() => cell('Task', 2).evaluate((input) => input.matches(':focus'))).toBe(true)
    await page.keyboard.type('Plumbing rough-in')
    expect(await cell('Task', 4).inputValue()).toBe('Roof sheathed')
    await choose('Slab poured', 'Move down')
    expect(await cell('Waits for', 3).inputValue()).toBe('2+4')
    expect(await cell('Waits for', 4).inputValue()).toBe('2+4')
    await page.getByText('4 tasks in 6 workdays.').waitFor()
  })
})
