import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the selections of a home', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let homeId = ''
  const created = async (path: string, body: object) => {
    const response = await plumbline.post(`/api/ext${path}`, body)
    expect([path, response.status, response.body]).toEqual([path, 201, response.body])
    return response.body
  }
  const offered = async (option: object) => {
    const shared = { optionType: 'upgrade', costBasis: 'fixed', scope: 'cabinets' }
    const { id } = await created('/options', { ...shared, ...option })
    expect((await plumbline.post(`/api/ext/options/${id}/status`, { status: 'active' })).status).toBe(200)
    return id
  }
  const getHome = async () => (await plumbline.get(`/api/ext/homes/${homeId}`)).body
  const listSelections = async () =>
    (await plumbline.get(`/api/ext/selections?homeId=${homeId}&sort=createdAt`)).body.data
  const openTab = async () => {
    await seen.page.goto(`${plumbline.url}/homes/${homeId}?tab=selections`)
    await seen.page.getByRole('table', { name: 'Options to choose' }).waitFor()
  }
  const openMenu = async (name: string, item: string) => {
    await seen.page.getByRole('button', { name: new RegExp(`^Change ${name}`) }).click()
    await seen.page.getByRole('menuitem', { name: item }).click()
    return seen.page.getByRole('dialog')
  }

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    const site = await created('/communities', { name: 'Juniper Ridge', status: 'active' })
    await created('/scopes', { name: 'cabinets' })
    homeId = (
      await created('/homes', {
        ...{ name: 'Lot 14', lotNumber: '14', communityId: site.id, basePrice: 400_000 },
      })
    ).id
    await created(`/homes/${homeId}/budget/lines`, { scope: 'cabinets', amount: 9000 })
    expect((await plumbline.post(`/api/ext/homes/${homeId}/budget/lock`, {})).status).toBe(200)
    for (const status of ['permitting', 'ready_to_start', 'under_construction'])
      expect((await plumbline.post(`/api/ext/homes/${homeId}/status`, { status })).status).toBe(200)
    const tall = await offered({ code: 'KI-UP42', name: 'Tall cabinets', price: 1370.5, cost: 900 })
    await offered({ code: 'KI-GRM', name: 'Cooking package', price: 4200, cost: 3000, requiresOptionIds: [tall] })
    await offered({ code: 'FR-GAR', name: 'Third garage', price: 21_000, cost: 15_000, cutoffDaysBeforeStart: 60 })
    await offered({ code: 'KI-ISL', name: 'Kitchen island', price: 2600, cost: 1800, excludesOptionIds: [tall] })
  })
  afterAll(async () => {
    // The browser reports the dry runs that are rejected.
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !/409/.test(line)) })
    await closeWindows()
    await plumbline.stop()
  })

  test('an option is chosen with a preview of its price, and approved with the new price of the home', async () => {
    const { page } = seen
    await openTab()
    await page.getByRole('row', { name: /Cooking package.*requires KI-UP42.*\$4,200/ }).waitFor()
    await page.getByRole('row', { name: /Third garage.*deadline passed.*\$21,000/ }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Choose Tall cabinets' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Quantity').fill('2')
    await dialog.getByText('Price $2,741.00. Once approved').waitFor()
    await dialog.getByText('from $400,000.00 to $402,741.00').waitFor()
    await dialog.getByLabel(/^Color/).fill('Linen')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Choose', exact: true }).click()
    await page.getByText('Tall cabinets chosen').waitFor()
    expect(await listSelections()).toMatchObject([{ quantity: 2, price: 2741, color: 'Linen', status: 'pending' }])
    await page.getByText('1 selection, +$2,741').waitFor()

    const approval = await openMenu('Tall cabinets', 'Approve…')
    await approval.getByText('The price of the home changes from $400,000.00 to $402,741.00.').waitFor()
    await approval.getByText("The cost of $1,800.00 is added to the home's budget.").waitFor()
    await expectAccessible(page)
    await approval.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Tall cabinets approved').waitFor()
    await page.getByText('$402,741.00').first().waitFor()
    expect(await getHome()).toMatchObject({ optionsTotal: 2741, price: 402_741 })
    await page.getByRole('row', { name: /Kitchen island.*excluded by KI-UP42/ }).waitFor()
  })

  test('changing a selection shows the new price of the home before it is saved', async () => {
    const { page } = seen
    await openTab()
    const dialog = await openMenu('Tall cabinets', 'Change selection…')
    await dialog.getByLabel('Quantity').fill('3')
    await dialog.getByText('Price $4,111.50 instead of $2,741.00.').waitFor()
    await dialog.getByText('The price of the home changes by +$1,371 to $404,111.50.').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Tall cabinets changed').waitFor()
    expect(await getHome()).toMatchObject({ optionsTotal: 4111.5, price: 404_111.5 })
  })

  test('an option whose deadline has passed can be chosen only with a reason', async () => {
    const { page } = seen
    await openTab()
    await page.getByRole('button', { name: 'Choose Third garage' }).click()
    const dialog = page.getByRole('dialog')
    const choose = dialog.getByRole('button', { name: 'Choose', exact: true })
    expect(await choose.isDisabled()).toBe(true)
    await dialog.getByLabel('Reason for a change after the deadline').fill('Slab not poured yet.')
    await dialog.getByText('from $404,111.50 to $425,111.50').waitFor()
    await choose.click()
    await page.getByText('Third garage chosen').waitFor()
    await page.getByRole('row', { name: /Third garage.*Pending.*deadline passed, needs a reason.*overdue/ }).waitFor()
    await expectAccessible(page)
  })

  test('a custom item is added, and a selection is removed with the effect on the price', async () => {
    const { page } = seen
    await openTab()
    await page.getByRole('button', { name: 'Add custom item' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Description').fill('Dog wash')
    await dialog.getByLabel('Unit price').fill('1,850')
    await dialog.getByLabel(/^Total cost/).fill('1,210')
    await dialog.getByLabel(/^Trade/).selectOption({ label: 'Cabinets' })
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Add item' }).click()
    await page.getByText('Dog wash chosen').waitFor()
    const removal = await openMenu('Tall cabinets', 'Remove…')
    await removal.getByText('The price of the home changes from $404,111.50 to $400,000.00.').waitFor()
    await removal.getByRole('button', { name: 'Remove selection' }).click()
    await page.getByText('Tall cabinets removed').waitFor()
    expect(await getHome()).toMatchObject({ optionsTotal: 0, price: 400_000 })
    await page.getByRole('row', { name: /Tall cabinets.*Canceled.*Locked: canceled permanently/ }).waitFor()
    expect(
      (await listSelections()).map(({ status, price }: { status: string; price: number }) => [status, price]),
    ).toEqual([
      ['cancelled', 4111.5],
      ['pending', 21_000],
      ['pending', 1850],
    ])
  })

  test('the selections of a canceled home are locked', async () => {
    const { page } = seen
    expect((await plumbline.post(`/api/ext/homes/${homeId}/status`, { status: 'cancelled' })).status).toBe(200)
    await page.goto(`${plumbline.url}/homes/${homeId}?tab=selections`)
    await page.getByText('Selections are locked: the home is canceled.').waitFor()
    await page.getByRole('row', { name: /Dog wash.*Locked: the home is canceled/ }).waitFor()
    expect(await page.getByRole('button', { name: /^Change Dog wash/ }).count()).toBe(0)
    expect(await page.getByRole('table', { name: 'Options to choose' }).count()).toBe(0)
  })
})
