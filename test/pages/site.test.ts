import type { Browser } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { addDays, toLocalDate } from '../../server/platform/values/calendar.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the pages of the site and of warranty', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let homeId = ''
  let today = ''

  const created = async (path: string, body: object) => {
    const response = await plumbline.post(`/api/ext/${path}`, body)
    expect([path, response.body, response.status]).toEqual([path, response.body, 201])
    return response.body
  }

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    today = toLocalDate('America/Chicago', plumbline.clock.now())
    const site = await created('communities', { name: 'Juniper Ridge', status: 'active', lotCount: 40 })
    homeId = (await created('homes', { name: 'Lot 14', lotNumber: '14', communityId: site.id })).id
    const vendor = await created('vendors', { companyName: 'Hill Country Paint', scopes: ['painting'] })
    await created('permits', {
      ...{ homeId, permitType: 'building', number: 'B-2027-114', authority: 'City of Leander' },
      ...{ issuedDate: addDays(today, -9), expiryDate: addDays(today, 12), inactivityDays: null },
    })
    const inspection = { homeId, name: 'Framing inspection', taskKind: 'inspection' }
    const task = await created('tasks', inspection)
    await created('inspections', { homeId, taskId: task.id, scheduledDate: today, window: 'am' })
    const late = { vendorId: vendor.id, dueDate: addDays(today, 3), location: 'Kitchen', scope: 'painting' }
    const item = await created('punch-items', { homeId, description: 'Paint is scratched.', ...late })
    await plumbline.post(`/api/ext/punch-items/${item.id}/status`, { status: 'fixed' })
    await created('punch-items', { homeId, description: 'The door does not close.', location: 'Garage' })
    const picture = sharp({ create: { width: 800, height: 600, channels: 3, background: '#5577aa' } })
    const photo = (await picture.jpeg().toBuffer()).toString('base64')
    await created(`attachments?recordId=${item.id}&fileName=Kitchen.jpg&kind=photo&caption=Scratch`, { content: photo })
    const sheet = await created('drawings', {
      ...{ homeId, sheetNumber: 'A-101', title: 'First floor plan', discipline: 'architectural' },
    })
    const file = await created(`attachments?recordId=${sheet.id}&fileName=A-101.jpg`, { content: photo })
    await plumbline.post(`/api/ext/drawings/${sheet.id}/revisions`, { attachmentId: file.id, label: 'C' })
    await created('warranty-requests', {
      ...{ homeId, description: 'The faucet drips.', location: 'Owner bath', severity: 'urgent' },
    })
  })
  afterAll(async () => {
    expectNoComplaints(seen)
    await closeWindows()
    await plumbline.stop()
  })

  const open = async (tab: string) => {
    await seen.page.goto(`${plumbline.url}/homes/${homeId}?tab=${tab}`)
    await seen.page.getByRole('heading', { name: 'Lot 14, Juniper Ridge' }).waitFor()
  }

  test('the open tab of a home is visible on a phone', async () => {
    const { page } = await visit(browser, plumbline, { width: 390 })
    await page.goto(`${plumbline.url}/homes/${homeId}?tab=owners`)
    const bar = page.getByRole('navigation', { name: 'Home' })
    const box = await bar.getByRole('link', { name: 'Owners' }).boundingBox()
    expect(box?.x).toBeGreaterThan(0)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(390)
    await page.close()
  })

  test('the result of an inspection can be recorded with the date of the reinspection', async () => {
    const { page } = seen
    await open('inspections')
    await page.getByRole('row', { name: /Building.*B-2027-114.*Issued/ }).waitFor()
    await page.getByRole('row', { name: /Framing inspection.*Scheduled.*morning/ }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Record result of Framing inspection' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Result').selectOption('Failed')
    await dialog.getByText('The task stays in progress').waitFor()
    await dialog.getByLabel('Next attempt').fill(addDays(today, 7))
    await dialog.getByLabel('Inspector').fill('R. Alvarez')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Record result' }).click()
    await page.getByText('Framing inspection: result recorded, next attempt added').waitFor()
    await page.getByRole('row', { name: /R. Alvarez.*Failed/ }).waitFor()
    await page.getByRole('row', { name: /Framing inspection, attempt 2.*Scheduled/ }).waitFor()
  })

  test('a daily log can be added and submitted', async () => {
    const { page } = seen
    await open('logs')
    await page.getByText('No daily logs yet').waitFor()
    await page.getByRole('button', { name: 'Add log' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Weather', { exact: true }).selectOption('Rain')
    await dialog.getByLabel(/Work done/).fill('Walls are up on the first floor.')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Add log' }).click()
    await page.getByRole('row', { name: /Rain.*Draft.*Walls are up on the first floor/ }).waitFor()
    await page.getByRole('button', { name: /^Submit the log of/ }).click()
    await page.getByRole('row', { name: /Submitted/ }).waitFor()
    await expectAccessible(page)
    const link = await page.getByRole('link', { name: /^PDF of the log/ }).getAttribute('href')
    expect((await page.request.get(`${plumbline.url}${link}`)).headers()['content-type']).toBe('application/pdf')
  })

  test('a fixed punch item can be verified in the list', async () => {
    const { page } = seen
    await open('punch')
    await page.getByRole('row', { name: /P-2, Garage.*The door does not close.*Open/ }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Verify P-1' }).click()
    await page.getByText('P-1 verified').waitFor()
    await page.getByRole('row', { name: /P-1, Kitchen.*Verified.*Hill Country Paint/ }).waitFor()
  })

  test('the photos of a home include photos of its records', async () => {
    const { page } = seen
    await open('photos')
    const photo = page.getByRole('img', { name: 'Scratch' })
    await photo.waitFor()
    await expect
      .poll(() => photo.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBeGreaterThan(0)
    await page.getByText('Punch item').waitFor()
    await expectAccessible(page)
    const link = await page.getByRole('link', { name: 'Scratch' }).getAttribute('href')
    expect((await page.request.get(`${plumbline.url}${link}`)).headers()['content-type']).toBe('image/webp')
  })

  test('the list of drawings links to the current revision of each drawing', async () => {
    const { page } = seen
    await open('drawings')
    const sheet = page.getByRole('row', { name: /A-101.*First floor plan/ })
    const link = await sheet.getByRole('link', { name: /^C, / }).getAttribute('href')
    expect((await page.request.get(`${plumbline.url}${link}`)).status()).toBe(200)
    await expectAccessible(page)
  })

  test('the list of warranty requests shows the urgency of each request', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/warranty`)
    await page.getByRole('row', { name: /W-0001, Owner bath.*The faucet drips.*Lot 14.*New.*Urgent/ }).waitFor()
    await expectAccessible(page)
  })
})
