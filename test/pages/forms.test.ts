import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the forms of the pages', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let homeId = ''
  let vendorId = ''
  const tasks: string[] = []

  const created = async (path: string, body: object) => {
    const response = await plumbline.post(path, body)
    expect([path, response.status, response.body]).toEqual([path, 201, response.body])
    return response.body
  }

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    const site = await created('/api/ext/communities', { name: 'Juniper Ridge', status: 'active' })
    const home = { name: 'Lot 14', lotNumber: '14', communityId: site.id, basePrice: 400_000 }
    homeId = (await created('/api/ext/homes', home)).id
    vendorId = (
      await created('/api/ext/vendors', { companyName: 'Lone Star Framing', scopes: ['framing'], status: 'active' })
    ).id
    const plannedStart = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
    for (const [at, name] of ['Slab poured', 'Walls framed', 'Framing inspection'].entries()) {
      const predecessors = tasks.slice(-1).map((taskId) => ({ taskId }))
      const first = at === 0 ? { plannedStart, checklist: [{ text: 'Rebar photographed' }] } : { predecessors }
      const taskKind = at === 2 ? 'inspection' : 'work'
      const task = { homeId, name, durationDays: 2, taskKind, vendorId: at === 2 ? null : vendorId, ...first }
      tasks.push((await created('/api/ext/tasks', task)).id)
    }
  })
  afterAll(async () => {
    // These tests cause the browser to report rejected forms.
    const complaints = seen.complaints.filter((complaint) => !/status of (409|422)/.test(complaint))
    expectNoComplaints({ ...seen, complaints })
    await closeWindows()
    await plumbline.stop()
  })

  /** Chooses an entry from the menu of a task in the schedule. Returns the dialog that opens. */
  const report = async (task: string, choice: RegExp) => {
    const { page } = seen
    await page.getByRole('button', { name: `Actions for ${task}` }).click()
    await page.getByRole('menuitem', { name: choice }).click()
    return page.getByRole('dialog')
  }
  const taskNow = async (at: number) => (await plumbline.get(`/api/ext/tasks/${tasks[at]}`)).body

  test('a task moves to the date that its vendor proposed', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/schedule`)
    await (await report('Slab poured', /Request confirmation/)).getByRole('button', { name: 'Send request' }).click()
    await page.getByText('Confirmation of Slab poured requested').waitFor()
    const { plannedStart } = await taskNow(0)
    const other = new Date(Date.parse(plannedStart) + 7 * 86_400_000).toISOString().slice(0, 10)
    const response = await report('Slab poured', /Record vendor response/)
    await response.getByLabel(/^Response for /).selectOption('reschedule_requested')
    await response.getByRole('button', { name: 'Record' }).click()
    await response.locator('[aria-invalid="true"]').waitFor()
    await response.getByLabel('Proposed date').fill(other)
    await response.getByLabel('Note from the vendor').fill('The crew is in Dallas.')
    await response.getByRole('button', { name: 'Record' }).click()
    await page.getByText('Slab poured: other date proposed').waitFor()
    const decision = await report('Slab poured', /Review proposed date/)
    await decision.getByText('“The crew is in Dallas.”').waitFor()
    await expectAccessible(page)
    await decision.getByRole('button', { name: 'Move task' }).click()
    await page.getByText(/Slab poured starts/).waitFor()
    expect(await taskNow(0)).toMatchObject({ plannedStart: other, confirmation: { status: 'confirmed' } })
  })

  test('starting a task before its predecessor is completed requires an override reason', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/homes/${homeId}?tab=schedule&task=${tasks[1]}`)
    const choose = async (choice: string) => {
      await page.getByRole('button', { name: 'Update task' }).click()
      await page.getByRole('menuitem', { name: choice }).click()
      return page.getByRole('dialog')
    }
    const start = await choose('Start…')
    await start.getByRole('button', { name: 'Start' }).click()
    await start.getByText(/cannot start before Slab poured is done/).waitFor()
    await start.getByLabel('Reason for override').fill('The slab was poured on Friday.')
    await start.getByRole('button', { name: 'Start' }).click()
    await page.getByText('Walls framed: in progress').waitFor()
    await page.goto(`${plumbline.url}/homes/${homeId}?tab=schedule&task=${tasks[0]}`)
    const complete = await choose('Complete…')
    await complete.getByLabel('Rebar photographed').check()
    await complete.getByRole('button', { name: 'Complete' }).click()
    await page.getByText('Slab poured completed').waitFor()
    await page.goto(`${plumbline.url}/homes/${homeId}?tab=schedule&task=${tasks[1]}`)
    await (await choose('Complete…')).getByRole('button', { name: 'Complete' }).click()
    await page.getByText('Walls framed completed').waitFor()
    await page.goto(`${plumbline.url}/homes/${homeId}?tab=schedule&task=${tasks[2]}`)
    const inspection = await choose('Complete…')
    await inspection.getByLabel('Result').selectOption('failed')
    await inspection.getByRole('button', { name: 'Complete' }).click()
    await page.getByText('Framing inspection failed').waitFor()
    expect(await taskNow(0)).toMatchObject({ status: 'completed', checklist: [{ done: true }] })
    expect(await taskNow(2)).toMatchObject({ status: 'in_progress', inspectionResult: 'failed' })
  })

  test('an order can be created from budget lines', async () => {
    const { page } = seen
    const lines = `/api/ext/homes/${homeId}/budget/lines`
    await created(lines, { scope: 'framing', amount: 30_000, description: 'Framing labor' })
    await created(lines, { scope: 'framing', amount: 12_000, description: 'Trusses' })
    await page.goto(`${plumbline.url}/orders`)
    await page.getByRole('link', { name: 'New order' }).click()
    await page.getByLabel('Home').selectOption(homeId)
    await page.getByLabel('Trade').selectOption('framing')
    await page.getByLabel('Description').first().waitFor()
    await page.getByRole('button', { name: 'Create draft' }).click()
    await page.locator('[aria-invalid="true"]').first().waitFor()
    await page.getByLabel('Vendor', { exact: true }).selectOption(vendorId)
    await page.getByLabel('Unit price').first().fill('29,500')
    await page.getByRole('button', { name: 'Create draft' }).click()
    await page.getByRole('cell', { name: '41,500.00' }).first().waitFor()
    const [order] = (await plumbline.get('/api/ext/purchase-orders')).body.data
    expect(
      order.lines.map(({ unitPrice, budgetLineId }: Record<string, unknown>) => [unitPrice, typeof budgetLineId]),
    ).toEqual([
      [29_500, 'string'],
      [12_000, 'string'],
    ])
    for (const status of ['approved', 'issued', 'accepted'])
      await plumbline.post(`/api/ext/purchase-orders/${order.id}/status`, { status })
    await page.reload()
    await page.getByRole('button', { name: 'Record progress' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Framing labor').fill('110')
    await dialog.getByRole('button', { name: 'Record progress' }).click()
    await dialog.locator('[aria-invalid="true"]').waitFor()
    await dialog.getByLabel('Framing labor').fill('50')
    await dialog.getByRole('button', { name: 'Record progress' }).click()
    await page.getByText(`Progress on ${order.number} recorded: $14,750.00 completed`).waitFor()
    const after = (await plumbline.get(`/api/ext/purchase-orders/${order.id}`)).body
    expect(after).toMatchObject({ status: 'partially_completed', completedAmount: 14_750 })
  })

  test('an amount can be transferred between lines of a locked budget', async () => {
    const { page } = seen
    await plumbline.post(`/api/ext/homes/${homeId}/budget/lock`, {})
    await page.goto(`${plumbline.url}/homes/${homeId}`)
    await page.getByRole('button', { name: 'Transfer' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('From line').fill('labor')
    await page.getByRole('option', { name: 'Framing: Framing labor, $30,000' }).click()
    await dialog.getByLabel('To line').fill('trusses')
    await page.getByRole('option', { name: 'Framing: Trusses, $12,000' }).click()
    await dialog.getByLabel('Amount').fill('500')
    await dialog.getByRole('button', { name: 'Transfer' }).click()
    await dialog.locator('[aria-invalid="true"]').waitFor()
    await dialog.getByLabel('Reason').fill('The trusses became dearer.')
    await dialog.getByRole('button', { name: 'Transfer' }).click()
    await page.getByText('$500 transferred').waitFor()
    const { data } = (await plumbline.get(`/api/ext/homes/${homeId}/budget/lines?sort=createdAt`)).body
    expect(data.map(({ budgeted }: { budgeted: number }) => budgeted)).toEqual([29_500, 12_500])
  })

  test("a lead's page shows its activities and the next contact date", async () => {
    const { page } = seen
    const { id } = await created('/api/ext/leads', { lastName: 'Carrick', source: 'phone', phone: '+1 512 555 0155' })
    await page.goto(`${plumbline.url}/sales`)
    await page.getByRole('link', { name: 'Carrick' }).click()
    await page.getByText('No activities yet').waitFor()
    await page.getByRole('button', { name: 'Add activity' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Type', { exact: true }).selectOption('visit')
    await dialog.getByLabel('Next contact').fill('2099-01-05')
    await dialog.getByLabel('Notes').fill('Liked the kitchen of the model.')
    await dialog.getByRole('button', { name: 'Add activity' }).click()
    await page.getByText('Liked the kitchen of the model.').waitFor()
    await page.getByRole('button', { name: 'Move Carrick' }).click()
    await page.getByRole('menuitem', { name: 'Qualified' }).click()
    await page.getByText('Carrick: qualified').waitFor()
    const lead = (await plumbline.get(`/api/ext/leads/${id}`)).body
    expect([lead.status, lead.nextActivityAt]).toEqual(['qualified', '2099-01-05T06:00:00.000Z'])
  })

  test('an option can be activated and retired', async () => {
    const { page } = seen
    const option = {
      code: 'KI-UP42',
      name: 'Upper cabinets',
      optionType: 'upgrade',
      price: 1370,
      cost: 900,
      costBasis: 'fixed',
    }
    const { id } = await created('/api/ext/options', option)
    await page.goto(`${plumbline.url}/catalogue/options`)
    await page.getByRole('link', { name: 'Upper cabinets' }).click()
    await page.getByText('No parts in this option.').waitFor()
    await page.getByRole('button', { name: 'Offer option' }).click()
    await page.getByText('Upper cabinets is now offered').waitFor()
    await page.getByRole('button', { name: 'Retire' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Retire' }).click()
    await page.getByText('Upper cabinets retired').waitFor()
    expect((await plumbline.get(`/api/ext/options/${id}`)).body.status).toBe('retired')
  })

  test('a lead can be converted to a sale with a deposit and contingencies', async () => {
    const { page } = seen
    await created('/api/ext/leads', {
      firstName: 'Elena',
      lastName: 'Marsh',
      source: 'website',
      email: 'e@example.com',
    })
    await page.goto(`${plumbline.url}/sales`)
    await page.getByRole('button', { name: 'Move Elena Marsh' }).click()
    await page.getByRole('menuitem', { name: 'Create sale…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Home').selectOption(homeId)
    await dialog.getByLabel('First deposit').fill('10,000')
    await dialog.getByRole('button', { name: 'Create sale' }).click()
    await page.getByRole('heading', { name: 'Elena Marsh' }).waitFor()
    await page.getByRole('button', { name: 'Record result D1' }).click()
    await dialog.getByRole('button', { name: 'Record' }).click()
    await page.getByText(/^Deposit of .* received$/).waitFor()
    await page.getByRole('button', { name: 'Add contingency' }).click()
    await dialog.getByLabel('Note').fill('Texas Home Bank')
    await dialog.getByRole('button', { name: 'Add contingency' }).click()
    await page.getByRole('button', { name: 'Record result C1' }).click()
    await dialog.getByRole('button', { name: 'Record' }).click()
    await page.getByText('Financing contingency: result recorded').waitFor()
    await page.getByRole('button', { name: 'Add deposit' }).click()
    await dialog.getByLabel('Amount').fill('2,500')
    await dialog.getByRole('button', { name: 'Add deposit' }).click()
    await page.getByText('Deposit added to').waitFor()
    const [sale] = (await plumbline.get('/api/ext/sales')).body.data
    expect(sale).toMatchObject({
      deposits: [
        { amount: 10_000, status: 'received' },
        { amount: 2500, status: 'due' },
      ],
      contingencies: [{ type: 'financing', status: 'cleared', notes: 'Texas Home Bank' }],
    })
  })

  test('the Today page shows a webhook subscription whose receiver does not respond', async () => {
    const { page } = seen
    await created('/api/ext/webhooks', { url: 'http://127.0.0.1:1/hook', eventTypes: ['vendor.created'] })
    await created('/api/ext/vendors', { companyName: 'Travis Roof & Gutter' })
    await plumbline.until('/api/ext/webhooks', ({ body }) => body.data[0].consecutiveFailures > 0)
    await page.goto(`${plumbline.url}/today`)
    await page.getByRole('link', { name: 'Deliveries to 127.0.0.1:1 are failing' }).click()
    await page.waitForURL('**/settings/webhooks/*')
  })
})
