import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { addDays, getStartOfWeek, toLocalDate } from '../../server/platform/values/calendar.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the pages of time', () => {
  const SAM = 'sam@harrowfinch.example.com'
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let monday = ''
  const created = async (path: string, body: object, options = {}) => {
    const response = await plumbline.post(path, body, options)
    expect([path, response.status, response.body]).toEqual([path, 201, response.body])
    return response.body
  }
  const listTimesheets = async () => (await plumbline.get('/api/ext/timesheets')).body.data

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    const owner = await plumbline.signIn()
    await created('/api/admin/users', { name: 'Sam Ortega', email: SAM, role: 'superintendent' }, owner)
    const site = await created('/api/ext/communities', { name: 'Juniper Ridge', status: 'active' })
    await created('/api/ext/homes', { name: 'Lot 14', lotNumber: '14', communityId: site.id })
    const today = toLocalDate('America/Chicago', plumbline.clock.now())
    // The last whole week, so that the hours of every day lie in the past.
    monday = addDays(getStartOfWeek(today, 1), -7)
    seen = await visit(browser, plumbline, { email: SAM })
  })
  afterAll(async () => {
    expectNoComplaints(seen)
    await closeWindows()
    await plumbline.stop()
  })

  test('a user clocks in and out', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/time`)
    await page.getByRole('button', { name: 'Clock in' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Home/).fill('Lot 14')
    await page.getByRole('option', { name: /Lot 14/ }).click()
    await dialog.getByRole('button', { name: 'Clock in' }).click()
    await page.getByText('Clocked in since').waitFor()
    await page.getByRole('cell', { name: 'clocked in' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Clock out' }).click()
    await dialog.getByRole('button', { name: 'Clock out' }).click()
    await page.getByText('You are not clocked in.').waitFor()
  })

  test('a user enters the hours of a week and submits them', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/time?week=${monday}`)
    await page.getByRole('button', { name: 'Start timesheet' }).click()
    const dialog = page.getByRole('dialog')
    for (const [at, hours] of ['8', '7.5'].entries()) {
      await page.getByRole('button', { name: /^Add/ }).nth(at).click()
      await dialog.getByLabel('Hours').fill(hours)
      await dialog.getByLabel(/^Home/).fill('Lot 14')
      await page.getByRole('option', { name: /Lot 14/ }).click()
      await dialog.getByRole('button', { name: 'Add time' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('cell', { name: hours, exact: true }).waitFor()
    }
    await page.getByRole('button', { name: /^Edit/ }).first().click()
    await dialog.getByLabel('Hours').fill('9')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('16.5').first().waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: /^Submit/ }).click()
    await dialog.getByRole('button', { name: 'Submit' }).click()
    await page.getByText('Timesheet submitted').waitFor()
    const submitted = (await listTimesheets()).filter(({ status }: { status: string }) => status === 'submitted')
    expect(submitted).toMatchObject([{ weekStarting: monday, totalHours: 16.5 }])
  })

  test('the office sends a week back, and approves it after the correction', async () => {
    const { page: own } = seen
    const { page, close } = await visit(browser, plumbline)
    await page.goto(`${plumbline.url}/time/approval`)
    await page.getByRole('row', { name: /Sam Ortega.*9.*7\.5.*16\.5/ }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: /^Reject/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('Tuesday was a holiday.')
    await dialog.getByRole('button', { name: 'Reject' }).click()
    await page.getByText('You’re all caught up').or(page.getByText("You're all caught up")).waitFor()
    await own.goto(`${plumbline.url}/time?week=${monday}`)
    for (const step of ['Reopen', 'Submit']) {
      await own.getByRole('button', { name: new RegExp(`^${step}`) }).click()
      await own.getByRole('dialog').getByRole('button', { name: step }).click()
      await own.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await page.reload()
    await page.getByRole('button', { name: /^Approve all of the week/ }).click()
    await dialog.getByRole('button', { name: 'Approve all' }).click()
    await page.getByText('1 timesheet approved with 16.5 hours').waitFor()
    await close()
  })

  test('approved hours are saved as a file for payroll and marked as exported', async () => {
    const { page, close } = await visit(browser, plumbline)
    await page.goto(`${plumbline.url}/time/payroll`)
    await page.getByRole('row', { name: /Sam Ortega.*16\.5/ }).waitFor()
    await expectAccessible(page)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save file' }).click(),
    ])
    expect(file.suggestedFilename()).toMatch(/^hours-.*\.csv$/)
    await page.getByRole('button', { name: 'Mark all as exported' }).click()
    await page.getByText('1 timesheet marked as exported').waitFor()
    const exported = (await listTimesheets()).filter(({ status }: { status: string }) => status === 'exported')
    expect(exported).toHaveLength(1)
    await page.goto(`${plumbline.url}/time/week?week=${monday}`)
    await page.getByRole('link', { name: 'Sam Ortega' }).click()
    await page.getByRole('heading', { name: /^Sam Ortega, week of/ }).waitFor()
    await expectAccessible(page)
    await close()
  })
})
