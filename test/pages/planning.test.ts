import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the pages of the schedule, sales and the catalog', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let saleId = ''

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    const created = async (path: string, body: object) => {
      const response = await plumbline.post(path, body)
      expect([path, response.status, response.body]).toEqual([path, 201, response.body])
      return response.body
    }
    const site = await created('/api/ext/communities', { name: 'Juniper Ridge', status: 'active' })
    const home = await created('/api/ext/homes', { name: 'Lot 14', communityId: site.id, basePrice: 400_000 })
    for (const [companyName, name] of [
      ['Lone Star Framing', 'Walls framed'],
      ['Travis Roof & Gutter', 'Roof dried in'],
    ]) {
      const vendor = await created('/api/ext/vendors', { companyName })
      await created('/api/ext/tasks', {
        homeId: home.id,
        name,
        durationDays: 3,
        plannedStart: '2030-01-09',
        vendorId: vendor.id,
      })
    }
    await created('/api/ext/leads', {
      firstName: 'Elena',
      lastName: 'Marsh',
      source: 'website',
      email: 'e@example.com',
    })
    saleId = (await created('/api/ext/sales', { homeId: home.id, buyers: [{ name: 'Oswin Carrick' }] })).id
  })
  afterAll(async () => {
    expectNoComplaints(seen)
    await closeWindows()
    await plumbline.stop()
  })

  test('the look-ahead can be filtered by vendor', async () => {
    const ahead = await visit(browser, plumbline)
    const { page } = ahead
    await page.clock.setFixedTime('2030-01-08T18:00:00Z')
    await page.goto(`${plumbline.url}/schedule`)
    await page.getByRole('link', { name: 'Walls framed' }).waitFor()
    await page.getByRole('link', { name: 'Roof dried in' }).waitFor()
    await page.getByRole('link', { name: 'Workload by vendor' }).click()
    const load = page.getByRole('table', { name: 'Workload by vendor and week' })
    await load.getByRole('link', { name: 'Travis Roof & Gutter' }).click()
    await page.getByRole('link', { name: 'Roof dried in' }).waitFor()
    await page.getByRole('link', { name: 'Walls framed' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Roof dried in' }).click()
    await page.getByRole('heading', { name: 'Roof dried in' }).waitFor()
    expectNoComplaints(ahead)
    await ahead.close()
  })

  test('on a weekend, the look-ahead opens the next week, and this week can still be opened', async () => {
    const ahead = await visit(browser, plumbline)
    const { page } = ahead
    await page.clock.setFixedTime('2030-01-05T18:00:00Z')
    await page.goto(`${plumbline.url}/schedule`)
    await page.getByRole('link', { name: 'Walls framed' }).waitFor()
    await page.getByRole('link', { name: /^This week/ }).click()
    await page.getByText('No tasks start in the selected week').waitFor()
    expectNoComplaints(ahead)
    await ahead.close()
  })

  test('moving a lead to lost on the board requires a reason', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/sales`)
    await page.getByRole('button', { name: 'Move Elena Marsh' }).click()
    await page.getByRole('menuitem', { name: 'Contacted' }).click()
    await page.getByText('Elena Marsh: contacted').waitFor()
    await page.getByRole('region', { name: 'Contacted' }).getByRole('button', { name: 'Move Elena Marsh' }).click()
    await page.getByRole('menuitem', { name: 'Lost' }).click()
    await page.getByLabel('Reason').fill('Bought elsewhere.')
    await page.getByRole('button', { name: 'Mark as lost' }).click()
    await page.getByText('Elena Marsh: lost').waitFor()
  })

  test('the stages of a sale can be completed or waived', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/sales/all`)
    await page.getByRole('link', { name: 'Oswin Carrick' }).click()
    await page.getByRole('button', { name: 'Approve sale' }).click()
    await page.getByText(/^\S+ approved$/).waitFor()
    await page.getByRole('button', { name: 'Mark as done' }).click()
    await page.getByText('contract signed completed').waitFor()
    await page.getByRole('button', { name: 'Waive' }).click()
    await page.getByLabel('Reason').fill('Paid in cash.')
    await page.getByRole('dialog').getByRole('button', { name: 'Waive' }).click()
    await page.getByText(/^\S+: .+ waived$/).waitFor()
    const { status, pipeline } = (await plumbline.get(`/api/ext/sales/${saleId}`)).body
    expect(status).toBe('approved')
    expect(pipeline.slice(0, 2)).toMatchObject([{ status: 'done' }, { status: 'waived', reason: 'Paid in cash.' }])
  })
})
