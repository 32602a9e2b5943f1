import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, findViolations, visit } from './visit.ts'

describe.skipIf(chromium === null)('the pages of homes', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let homeId = ''
  let slab = ''

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    const created = async (path: string, body: object) => {
      const response = await plumbline.post(path, body)
      expect([path, response.body, response.status]).toEqual([path, response.body, 201])
      return response.body
    }
    const site = await created('/api/ext/communities', { name: 'Juniper Ridge', status: 'active', lotCount: 40 })
    const home = await created('/api/ext/homes', { name: 'Lot 14', lotNumber: '14', communityId: site.id })
    homeId = home.id
    const vendor = await created('/api/ext/vendors', { companyName: 'Lone Star Framing', scopes: ['framing'] })
    await created(`/api/ext/homes/${homeId}/budget/lines`, { scope: 'framing', amount: 40_000 })
    await created(`/api/ext/homes/${homeId}/budget/lines`, { scope: 'roofing', amount: 12_000 })
    await created('/api/ext/purchase-orders', {
      ...{ homeId, vendorId: vendor.id, scope: 'framing' },
      lines: [{ description: 'Walls', quantity: 1, unitPrice: 42_500 }],
    })
    slab = (
      await created('/api/ext/tasks', { homeId, name: 'Slab poured', durationDays: 5, plannedStart: '2030-01-07' })
    ).id
    const after = { predecessors: [{ taskId: slab }], vendorId: vendor.id }
    await created('/api/ext/tasks', { homeId, name: 'Walls framed', durationDays: 10, ...after })
  })
  afterAll(async () => {
    // The browser reports the rejected requests: a delay without a note, and a status that the budget does not allow.
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !/409|422/.test(line)) })
    await closeWindows()
    await plumbline.stop()
  })

  test('the page of a home shows the budget by trade and warns of trades over budget', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/homes`)
    await page.getByRole('link', { name: 'Lot 14' }).click()
    await page.getByRole('heading', { name: 'Lot 14, Juniper Ridge' }).waitFor()
    await page.getByText('1 trade is forecast to exceed its budget.').waitFor()
    await page
      .getByRole('img', { name: 'Framing: $0 committed and $42,500 pending of $40,000 budgeted, forecast $42,500' })
      .waitFor()
    const framing = page.getByRole('row', { name: /^Framing/ })
    expect(await framing.getByRole('cell').allInnerTexts()).toEqual(
      expect.arrayContaining(['40,000', '0', '42,500', '−2,500']),
    )
    await framing.getByRole('link').click()
    const dialog = page.getByRole('dialog', { name: 'Framing' })
    await dialog.getByRole('link', { name: 'PO-0014-01' }).waitFor()
    await dialog.getByRole('link', { name: 'Lone Star Framing' }).waitFor()
    await dialog.getByRole('link', { name: 'All orders' }).click()
    await page.getByRole('button', { name: 'Remove the filter Trade' }).waitFor()
    await page.getByRole('link', { name: 'PO-0014-01' }).waitFor()
  })

  test('costs without an order reduce the remaining budget, and each trade links to its bills and postings', async () => {
    const { page } = seen
    const created = async (path: string, body: object) => {
      const response = await plumbline.post(`/api/ext${path}`, body)
      expect([path, response.status, response.body]).toEqual([path, 201, response.body])
      return response.body
    }
    const site = await created('/communities', { name: 'Oak Hollow', status: 'active' })
    const home = await created('/homes', { name: 'Lot 7', communityId: site.id })
    const vendor = await created('/vendors', {
      companyName: 'Summit Electric',
      scopes: ['electrical'],
      status: 'active',
    })
    const code = await created('/cost-codes', { code: '16-100', name: 'Rough electrical', category: 'subcontract' })
    const line = { scope: 'electrical', costCodeId: code.id, amount: 10_000 }
    await created(`/homes/${home.id}/budget/lines`, line)
    await created('/purchase-orders', {
      ...{ homeId: home.id, vendorId: vendor.id, scope: 'electrical' },
      lines: [{ description: 'Rough-in', quantity: 1, unitPrice: 6000, costCodeId: code.id }],
    })
    await created('/ledger/journals', {
      note: 'Temporary power.',
      lines: [{ homeId: home.id, scope: 'electrical', costCodeId: code.id, amount: 1250.25 }],
    })
    const bill = await created('/bills', {
      vendorId: vendor.id,
      lines: [{ homeId: home.id, description: 'Trash removal', amount: 400 }],
    })
    expect((await plumbline.post(`/api/ext/bills/${bill.id}/status`, { status: 'approved' })).status).toBe(200)

    await page.goto(`${plumbline.url}/homes/${home.id}`)
    const cellsOf = (name: RegExp) => page.getByRole('row', { name }).getByRole('cell').allInnerTexts()
    await page.getByRole('row', { name: /^Electrical/ }).waitFor()
    // Budgeted, committed, pending, actual, forecast, and left.
    expect((await cellsOf(/^Electrical/)).slice(-6)).toEqual(['10,000', '0', '6,000', '1,250', '10,000', '2,750'])
    expect((await cellsOf(/^Unassigned/)).slice(-6)).toEqual(['0', '0', '0', '400', '400', '−400'])
    expect((await cellsOf(/^Total/)).slice(-6)).toEqual(['10,000', '0', '6,000', '1,650', '10,400', '2,350'])
    const help = await page.getByRole('columnheader', { name: 'Left' }).getAttribute('aria-describedby')
    expect(await page.locator(`#${help}`).textContent()).toBe(
      '“Left” is the budget minus committed and pending orders, and minus costs without an order: approved time, bills without an order, journals, and cost transfers.',
    )
    await expectAccessible(page)

    await page.getByRole('link', { name: 'Unassigned' }).click()
    const unassigned = page.getByRole('dialog', { name: 'Unassigned' })
    await unassigned.getByRole('row', { name: /B-0001.*Approved.*Summit Electric.*\$400\.00/ }).waitFor()
    await unassigned.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('link', { name: 'Electrical' }).click()
    const electrical = page.getByRole('dialog', { name: 'Electrical' })
    await electrical
      .getByRole('row', {
        name: /16-100.*\$10,000\.00.*0.*\$6,000\.00.*\$1,250\.25.*\$2,749\.75.*\$1,250\.25/,
      })
      .waitFor()
    await electrical.getByText('No bills.').waitFor()
    await expectAccessible(page)
    await electrical.getByRole('link', { name: '$1,250.25' }).click()
    await page.getByRole('row', { name: /JE-0001.*\$1,250\.25/ }).waitFor()
    await page.getByText('Cost code: 16-100').waitFor()
    await expectAccessible(page)
    expect(await page.getByRole('row', { name: /B-0001/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Remove the filter Trade' }).click()
    await page.getByRole('button', { name: 'Remove the filter Cost code' }).click()
    await page.getByRole('row', { name: /B-0001.*\$400\.00/ }).waitFor()

    // The postings of the trade are those of all accounts.
    await page.goto(`${plumbline.url}/homes/${home.id}?trade=electrical`)
    await electrical.getByRole('link', { name: 'All postings' }).click()
    await page.getByText('Trade: Electrical').waitFor()
    const postings = page.getByRole('table', { name: 'postings' })
    await postings.getByRole('row', { name: /Cost.*JE-0001.*Lot 7.*Electrical.*\$1,250\.25/ }).waitFor()
    await postings.getByRole('row', { name: /Journals.*JE-0001.*Lot 7.*Electrical.*\$1,250\.25/ }).waitFor()
    expect(await postings.getByRole('row', { name: /B-0001/ }).count()).toBe(0)
    await expectAccessible(page)
  })

  test('a delay of a task is previewed before it is saved', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/homes/${homeId}?tab=schedule`)
    const framed = page
      .getByRole('table', { name: 'Tasks with their dates' })
      .getByRole('row', { name: /Walls framed/ })
    expect(await framed.textContent()).toMatch(/on the critical path.*Jan 14.*Jan 25/)
    await page.getByRole('link', { name: 'Slab poured' }).click()
    await page.getByRole('button', { name: 'Delay task' }).click()
    await page.getByLabel('Workdays').fill('3')
    await page.getByText('Preview: Slab poured ends Jan 16, 2030 instead of Jan 11, 2030.').waitFor()
    await page.getByText('2 tasks move').waitFor()
    expect((await plumbline.get(`/api/ext/tasks/${slab}`)).body.plannedStart).toBe('2030-01-07')
    await page.getByLabel('Reason').selectOption('Other')
    await page.getByRole('button', { name: 'Apply delay' }).click()
    const note = page.getByRole('textbox', { name: /Note/ })
    await page.locator('[aria-invalid]').waitFor()
    await note.fill('Rain since Monday.')
    await page.getByRole('button', { name: 'Apply delay' }).click()
    await page.getByText('Slab poured delayed, 2 tasks moved').waitFor()
    expect(await framed.textContent()).toMatch(/Jan 17.*Jan 30/)
    expect((await plumbline.get(`/api/ext/tasks/${slab}`)).body.delays).toMatchObject([
      { days: 3, reasonCode: 'other', note: 'Rain since Monday.' },
    ])
  })

  test('the tasks that a new holiday moves are shown before the holiday is saved', async () => {
    const { page } = seen
    const { body: site } = await plumbline.post('/api/ext/communities', { name: 'Cedar Bend', status: 'active' })
    const { body: home } = await plumbline.post('/api/ext/homes', { name: 'Lot 3', communityId: site.id })
    const gate = { homeId: home.id, name: 'Gate set', plannedStart: '2030-01-03' }
    const { body: task } = await plumbline.post('/api/ext/tasks', gate)
    await page.goto(`${plumbline.url}/communities/${site.id}?tab=calendar`)
    await page.getByRole('button', { name: 'Edit workdays and holidays' }).click()
    await page.getByLabel('Add a holiday').fill('2030-01-03')
    await page.getByRole('button', { name: 'Add holiday' }).click()
    await page.getByText('1 task moves in 1 home.').waitFor()
    await page.getByText('Gate set (Jan 3, 2030 to Jan 4, 2030)').waitFor()
    expect(await findViolations(page)).toEqual([])
    expect((await plumbline.get(`/api/ext/tasks/${task.id}`)).body.plannedStart).toBe('2030-01-03')
    await page.getByRole('button', { name: 'Save calendar' }).click()
    await page.getByText('Cedar Bend updated, 1 task moved').waitFor()
    await page.getByText('Jan 3, 2030').waitFor()
    expect((await plumbline.get(`/api/ext/tasks/${task.id}`)).body.plannedStart).toBe('2030-01-04')
  })

  test('reasons that prevent a status change of a home are shown in advance', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/homes/${homeId}`)
    const dialog = page.locator('.dialog')
    for (const word of ['Permitting', 'Ready to start']) {
      await page.getByRole('button', { name: 'Change status' }).click()
      await dialog.getByText('will be made').waitFor()
      await dialog.getByRole('button', { name: `Set to ${word.toLowerCase()}` }).click()
      await page.getByText(`Lot 14: ${word.toLowerCase()}`).waitFor()
    }
    await page.getByRole('button', { name: 'Change status' }).click()
    await dialog
      .getByRole('alert')
      .getByText(/budget/)
      .first()
      .waitFor()
    const status = dialog.getByLabel('New status')
    await status.selectOption('warranty')
    await dialog
      .getByText('A home that is ready to start can become under construction, on hold and canceled.')
      .waitFor()
    expect(await status.locator('option').count()).toBe(4)
    await status.selectOption('on_hold')
    await dialog.getByLabel('Reason').fill('Waiting for the utility company.')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Change status' }).click()
    await expect.poll(() => dialog.getByLabel('Reason').inputValue()).toBe('Waiting for the utility company.')
    await dialog.getByLabel('New status').selectOption('on_hold')
    await dialog.getByRole('button', { name: 'Set to on hold' }).click()
    await page.getByText('Lot 14: on hold').waitFor()
    expect((await plumbline.get(`/api/ext/homes/${homeId}`)).body).toMatchObject({
      ...{ status: 'on_hold', statusBeforeHold: 'ready_to_start' },
    })
  })

  test('a budget transfer that is closed with Escape keeps its lines and its reason', async () => {
    const { page } = seen
    const dialog = page.getByRole('dialog', { name: 'Transfer budget' })
    expect((await plumbline.post(`/api/ext/homes/${homeId}/budget/lock`, {})).status).toBe(200)
    await page.goto(`${plumbline.url}/homes/${homeId}`)
    await page.getByRole('button', { name: 'Transfer' }).click()
    await dialog.getByLabel('From line').fill('fram')
    await page.getByRole('option', { name: 'Framing, $40,000' }).click()
    await dialog.getByLabel('To line').fill('roof')
    await page.getByRole('option', { name: 'Roofing, $12,000' }).click()
    await dialog.getByLabel('Amount').fill('1,500')
    await dialog.getByLabel('Reason').fill('The roof has a steeper pitch.')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Transfer' }).click()
    await expect.poll(() => dialog.getByLabel('From line').inputValue()).toBe('Framing, $40,000')
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('The roof has a steeper pitch.')
    await dialog.getByRole('button', { name: 'Transfer' }).click()
    await page.getByText('$1,500 transferred').waitFor()
    const { data } = (await plumbline.get(`/api/ext/homes/${homeId}/budget/transfers`)).body
    expect(data).toMatchObject([{ amount: 1500, reason: 'The roof has a steeper pitch.' }])
    await page.getByRole('button', { name: 'Transfer' }).click()
    await dialog.getByLabel('From line').waitFor()
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('')
  })
})
