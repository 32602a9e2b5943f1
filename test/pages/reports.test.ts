import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../scripts/conformance/walked-contract.ts'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { REPORT_GROUPS } from '../../web/admin/reports/report-groups.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

test('each read-only composite skill is a report', () => {
  const skills = Object.entries(contract.document['x-skills'] as Record<string, { writes: boolean }>)
  const readOnly = skills.filter(([, { writes }]) => !writes).map(([name]) => name)
  expect(Object.values(REPORT_GROUPS).flat().sort()).toEqual(readOnly.sort())
})

describe.skipIf(chromium === null)('the report pages', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let communityId = ''

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    const create = async (path: string, body: object) => {
      const response = await plumbline.post(`/api/ext${path}`, body)
      expect([path, response.status, response.body]).toEqual([path, 201, response.body])
      return response.body
    }
    for (const [name, amount] of [
      ['Juniper Ridge', 1250.5],
      ['Cedar Hollow', 400],
    ] as const) {
      const community = await create('/communities', { name, status: 'active' })
      const home = await create('/homes', { name: 'Lot 1', communityId: community.id })
      const vendor = await create('/vendors', { companyName: `${name} Framing` })
      const lines = [{ description: 'Walls', quantity: 1, unitPrice: amount }]
      const order = await create('/purchase-orders', { homeId: home.id, vendorId: vendor.id, scope: 'framing', lines })
      for (const status of ['approved', 'issued'])
        expect((await plumbline.post(`/api/ext/purchase-orders/${order.id}/status`, { status })).status).toBe(200)
      communityId = community.id
    }
  })
  afterAll(async () => {
    expectNoComplaints(seen)
    await closeWindows()
    await plumbline.stop()
  })

  test('a report that is found with the search shows its lists with totals and a chart', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/reports`)
    await page.getByLabel('Search reports').fill('commitments')
    await page.getByRole('link', { name: 'Report open commitments by age' }).click()
    const oldest = page.getByRole('table', { name: 'Oldest', exact: true })
    await oldest.getByRole('link', { name: 'Lot 1, Juniper Ridge' }).waitFor()
    expect(await oldest.getByRole('row').filter({ hasText: 'Juniper Ridge' }).textContent()).toContain('$1,250.50')
    const chart = page.getByRole('table', { name: 'Chart: Buckets, total' })
    expect(await chart.getByRole('row').nth(1).textContent()).toContain('$1,650.50')
    await page.getByRole('combobox', { name: /^Chart/ }).selectOption({ label: 'Count' })
    await page.getByRole('table', { name: 'Chart: Buckets, count' }).waitFor()
    expect(new URL(page.url()).searchParams.get('chart')).toBe('count')
  })

  test('a report that is clicked before the search starts opens, even if its page loads slowly', async () => {
    // Playwright sets the clock for all pages of a browser context, so this test opens a context of its own.
    const own = await visit(browser, plumbline)
    const { page } = own
    await page.goto(`${plumbline.url}/reports`)
    const [requested, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route('**/*.js', async (route) => {
      requested.resolve()
      await held.promise
      await route.continue()
    })
    await page.clock.install()
    await page.getByLabel('Search reports').fill('commitments')
    await page.getByRole('link', { name: 'Report the backlog' }).click()
    await requested.promise
    await page.clock.runFor(1000)
    held.resolve()
    await page.getByRole('heading', { level: 1, name: 'Report the backlog' }).waitFor()
    expectNoComplaints(own)
  })

  test('the URL of a report contains its options', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/reports/committedCostAging`)
    await page.getByText('Change the period, community, or other options').click()
    await page.getByLabel(/^Community/).fill('cedar')
    await page.getByRole('option', { name: /Cedar Hollow/ }).click()
    await page.getByRole('button', { name: 'Show report' }).click()
    await page.getByText('Options that are set: 1').waitFor()
    expect(new URL(page.url()).searchParams.get('communityId')).toBe(communityId)
    await page.reload()
    const oldest = page.getByRole('table', { name: 'Oldest', exact: true })
    await oldest.getByRole('link', { name: 'Lot 1, Cedar Hollow' }).waitFor()
    expect(await oldest.getByText('Juniper Ridge').count()).toBe(0)
  })

  test('a list of a report can be exported as CSV with all columns', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/reports/committedCostAging?communityId=${communityId}`)
    const panel = page.getByRole('region', { name: 'Oldest', exact: true })
    const download = page.waitForEvent('download')
    await panel.getByRole('button', { name: 'Export' }).click()
    const file = await download
    expect(file.suggestedFilename()).toBe('committedCostAging-oldest.csv')
    const [head = '', row = ''] = (await readFile(await file.path(), 'utf8')).split('\r\n')
    expect(head).toContain('Home,')
    expect(row).toContain('"Lot 1, Cedar Hollow"')
    expect(row).toContain(',400')
  })

  test('a report that requires an input asks for the input first', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/reports/vendorStatement`)
    await page.getByLabel(/^Vendor/).fill('cedar')
    await page.getByRole('option', { name: /Cedar Hollow Framing/ }).click()
    await page.getByRole('button', { name: 'Show report' }).click()
    await page.getByText(/^Calculated /).waitFor()
  })

  test('a saved report appears in the navigation as a favorite of its owner', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/reports/committedCostAging?communityId=${communityId}`)
    await page.getByRole('button', { name: 'Save report' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Commitments of Cedar Hollow')
    await dialog.getByLabel('Share with all users who may read the report').check()
    await dialog.getByRole('button', { name: 'Save report' }).click()
    await page.getByRole('region', { name: 'Commitments of Cedar Hollow' }).waitFor()
    await page.goto(`${plumbline.url}/today`)
    const favorite = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Commitments of/ })
    await favorite.click()
    const oldest = page.getByRole('table', { name: 'Oldest', exact: true })
    await oldest.getByRole('link', { name: 'Lot 1, Cedar Hollow' }).waitFor()
    const [saved] = (await plumbline.get('/api/admin/saved-reports', await plumbline.signIn())).body.data
    expect(saved).toMatchObject({ isShared: true, input: { communityId }, favoriteUserIds: [saved.ownerId] })
  })

  test('the page of all reports lists favorites', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/reports`)
    const favorites = page.getByRole('region', { name: 'Favorites' })
    await favorites.getByRole('link', { name: 'Commitments of Cedar Hollow' }).click()
    await page.getByRole('button', { name: 'Remove from favorites' }).waitFor()
  })

  test('a saved report is scheduled as a weekly email', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'Email weekly' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Day').selectOption('friday')
    await dialog.getByLabel('Format').selectOption('csv')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Save schedule' }).click()
    await page.getByText('Weekly email of Commitments of Cedar Hollow scheduled').waitFor()
    await page.getByText('Friday, CSV').waitFor()
    const [{ ownerId, schedule }] = (await plumbline.get('/api/admin/saved-reports', await plumbline.signIn())).body
      .data
    expect(schedule).toEqual({ weekday: 'friday', format: 'csv', userIds: [ownerId] })
  })

  test('the report pages are accessible', async () => {
    for (const width of [1440, 390]) {
      const window = await visit(browser, plumbline, { width })
      const [saved] = (await plumbline.get('/api/admin/saved-reports', await plumbline.signIn())).body.data
      for (const path of ['/reports', `/reports/committedCostAging?communityId=${communityId}&saved=${saved.id}`]) {
        await window.page.goto(`${plumbline.url}${path}`)
        await window.page.waitForLoadState('networkidle')
        await expectAccessible(window.page)
      }
      expectNoComplaints(window)
    }
  })
})
