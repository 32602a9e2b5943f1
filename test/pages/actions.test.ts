import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { getSkillCatalog } from '../../server/interfaces/skills/skill-catalog.ts'
import { actions } from '../../web/admin/actions/actions.gen.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

/** Skills that have no form, because they send a file. Each has another page on which users upload the file. */
const OTHER_PAGES: Readonly<Record<string, string>> = {
  uploadAttachment: 'the files of a record',
  uploadImport: 'the imports',
}

describe.skipIf(chromium === null)('the forms of actions', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let communityId = ''

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    await seen.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const community = { name: 'Juniper Ridge', status: 'active', lotCount: 40 }
    communityId = (await plumbline.post('/api/ext/communities', community)).body.id
    for (const [sku, name] of [
      ['STUD', 'Stud 2x4'],
      ['NAIL', 'Framing nails'],
    ])
      expect((await plumbline.post('/api/ext/parts', { sku, name, unit: 'EA' })).status).toBe(201)
  })
  afterAll(async () => {
    // The browser reports the rejected plan.
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !line.includes('409')) })
    await closeWindows()
    await plumbline.stop()
  })

  test('every operation for keys and every composite skill has a form, except those that a named page performs', () => {
    const names = getSkillCatalog(plumbline.app.services.contract).skills.map(({ name }) => name)
    expect(names.filter((name) => !Object.hasOwn(actions, name))).toEqual(Object.keys(OTHER_PAGES))
    expect(Object.keys(actions).filter((name) => !names.includes(name))).toEqual([])
  })

  test('a form asks about an amount that could mean two numbers', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/actions/createPlan`)
    await page.getByLabel('Code', { exact: true }).fill('P1850')
    await page.getByLabel('Name', { exact: true }).fill('The Laurel')
    await page.getByText('More fields').click()
    await page.getByLabel(/^Base price/).fill('512,0')
    await page.getByRole('button', { name: 'Create a plan' }).click()
    await page.getByText(/is ambiguous; write 512/).waitFor()
    await page.getByLabel(/^Base price/).fill('512,000')
    await page.getByLabel(/^Communities/).fill('juni')
    await page.getByRole('option', { name: /Juniper Ridge/ }).click()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('nothing has been changed yet').waitFor()
    expect((await plumbline.get('/api/ext/plans')).body.data).toEqual([])
    await page.getByRole('button', { name: 'Create a plan' }).click()
    await page.getByRole('heading', { name: 'The Laurel' }).waitFor()
    const [plan] = (await plumbline.get('/api/ext/plans')).body.data
    expect(plan).toMatchObject({ code: 'P1850', basePrice: 512_000, communityIds: [communityId] })
  })

  test('a form keeps the entered values if its action is rejected', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/actions/createPlan`)
    await page.getByLabel('Code', { exact: true }).fill('P1850')
    await page.getByLabel('Name', { exact: true }).fill('Another Laurel')
    await page.getByRole('button', { name: 'Create a plan' }).click()
    await page
      .getByText(/already|another plan/i)
      .first()
      .waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Another Laurel')
  })

  test('cells of a spreadsheet can be pasted into the takeoff of a plan', async () => {
    const { page } = seen
    const [plan] = (await plumbline.get('/api/ext/plans')).body.data
    await page.goto(`${plumbline.url}/catalogue/plans/${plan.id}`)
    await page.getByRole('button', { name: 'All actions' }).click()
    await page.getByRole('menuitem', { name: "Replace a plan's takeoff" }).click()
    await page.getByRole('button', { name: 'Add row' }).click()
    const cells = 'studs\t\tSTUD\t120\t\t5\nnails\t\tNAIL\t40\t\t0'
    await page.getByLabel('Line, row 1').click()
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(cells)})`)
    await page.keyboard.press('Control+V')
    await page.getByLabel('Quantity, row 2').waitFor()
    await page.getByRole('button', { name: "Replace a plan's takeoff" }).click()
    await page.getByText("Done: Replace a plan's takeoff").waitFor()
    const { lines } = (await plumbline.get(`/api/ext/plans/${plan.id}/takeoff`)).body
    expect(
      lines.map(({ lineId, quantity, wastePercent }: Record<string, unknown>) => [lineId, quantity, wastePercent]),
    ).toEqual([
      ['studs', 120, 5],
      ['nails', 40, 0],
    ])
  })

  test('a form can be saved again after another change', async () => {
    const { page } = seen
    const { id } = (await plumbline.post('/api/ext/scopes', { name: 'Framing' })).body
    await page.goto(`${plumbline.url}/actions/updateScope?scopeId=${id}`)
    for (const sequence of ['40', '50']) {
      await page.getByLabel(/^Sequence/).fill(sequence)
      await page.getByRole('button', { name: 'Update a trade' }).click()
      await expect.poll(async () => String((await plumbline.get(`/api/ext/scopes/${id}`)).body.sequence)).toBe(sequence)
      await page.getByRole('heading', { name: 'Result' }).waitFor()
      await expect.poll(() => page.getByLabel(/^Sequence/).inputValue()).toBe(sequence)
    }
  })

  test('clicking a button twice on a slow network creates only one record', async () => {
    const { page } = seen
    await page.route('**/api/ext/execute', async (route) => {
      await new Promise((resolve) => page.once('console', resolve))
      await route.continue()
    })
    await page.goto(`${plumbline.url}/actions/createCommunity`)
    await page.getByLabel('Name', { exact: true }).fill('Barton Bluff')
    const button = page.getByRole('button', { name: 'Create a community' })
    await button.click()
    await button.click()
    await page.evaluate(() => console.info('go on'))
    await page.waitForURL(/\/communities\/com_/)
    await page.unroute('**/api/ext/execute')
    expect((await plumbline.get('/api/ext/communities?q=barton')).body.data).toHaveLength(1)
  })

  test('a report page can be read on a phone', async () => {
    const phone = await visit(browser, plumbline, { width: 390 })
    const { page } = phone
    await page.goto(`${plumbline.url}/actions?q=cash`)
    await page
      .getByRole('link', { name: /cash flow/i })
      .first()
      .click()
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('heading', { name: 'Result' }).waitFor()
    await expectAccessible(page)
    expectNoComplaints(phone)
  })

  test('a viewer sees only actions that the role allows', async () => {
    const vera = { name: 'Vera Okafor', email: 'vera@harrowfinch.example.com', role: 'viewer' }
    expect((await plumbline.post('/api/admin/users', vera, await plumbline.signIn())).status).toBe(201)
    const viewer = await visit(browser, plumbline, { email: vera.email })
    const { page } = viewer
    await page.goto(`${plumbline.url}/actions?q=plan`)
    await page.getByRole('link', { name: 'List plans' }).waitFor()
    expect(await page.getByRole('link', { name: 'Create a plan' }).count()).toBe(0)
    await page.goto(`${plumbline.url}/actions/createPlan`)
    await page.getByText('Your role does not allow this action').waitFor()
    expectNoComplaints(viewer)
  })
})
