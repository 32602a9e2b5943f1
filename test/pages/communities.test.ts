import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the pages of communities', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let id = ''

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    const sam = { name: 'Sam Ortega', email: 'sam@harrowfinch.example.com', role: 'superintendent' }
    expect((await plumbline.post('/api/admin/users', sam, await plumbline.signIn())).status).toBe(201)
  })
  afterAll(async () => {
    // The tests provoke these responses: a change by another user, a dry run with an open home, and too few lots.
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !/409|412/.test(line)) })
    await closeWindows()
    await plumbline.stop()
  })

  const readCommunity = async () => (await plumbline.get(`/api/ext/communities/${id}`)).body

  test('a community can be added with its superintendent and its time zone', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/communities`)
    await page.getByRole('button', { name: 'New community' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New community' })
    await dialog.getByLabel('Name', { exact: true }).fill('Cedar Bend')
    await dialog.getByLabel(/^Lots/).fill('3')
    await dialog.getByLabel(/^Superintendent/).selectOption('Sam Ortega')
    await dialog.getByLabel('Time zone').fill('Denver')
    await page.getByRole('option', { name: 'America/Denver' }).click()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Add community' }).click()
    await page.getByText('Cedar Bend added').waitFor()
    await page.getByRole('link', { name: 'Cedar Bend' }).click()
    await page.getByRole('heading', { name: 'Cedar Bend', level: 1 }).waitFor()
    id = page.url().split('/').at(-1) ?? ''
    expect(await readCommunity()).toMatchObject({
      ...{ status: 'active', lotCount: 3, timeZone: 'America/Denver', workdays: [1, 2, 3, 4, 5] },
      superintendentId: expect.stringMatching(/^usr_/),
    })
  })

  test('changing one field does not change the other fields', async () => {
    const { page } = seen
    const before = await readCommunity()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit Cedar Bend' })
    await dialog.getByLabel(/^City/).fill('Austin')
    await dialog.getByLabel(/^Target starts per week/).fill('2')
    await dialog.getByRole('button', { name: 'Save community' }).click()
    await page.getByText('Cedar Bend changed').waitFor()
    await page.getByText('Austin').waitFor()
    const { version, updatedAt, ...after } = await readCommunity()
    expect({ version, updatedAt }).not.toEqual({ version: before.version, updatedAt: before.updatedAt })
    expect({ ...after, version: before.version, updatedAt: before.updatedAt }).toEqual({
      ...before,
      ...{ city: 'Austin', startsPerWeekTarget: 2 },
    })
    await page.getByRole('link', { name: 'Figures' }).click()
    await page.getByRole('region', { name: 'Details' }).getByText('Sam Ortega').waitFor()
    await expectAccessible(page)
  })

  test('the service rejects fewer lots than homes, and the dialog shows the reason', async () => {
    const { page } = seen
    expect((await plumbline.post('/api/ext/homes', { name: 'Lot 1', lotNumber: '1', communityId: id })).status).toBe(
      201,
    )
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit Cedar Bend' })
    await dialog.getByLabel(/^Lots/).fill('0')
    await dialog.getByRole('button', { name: 'Save community' }).click()
    await dialog.getByText('The number of lots of Cedar Bend is too low: 1 lot already has a home.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
  })

  test('a calendar that another user changed in the meantime is overwritten only after a confirmation', async () => {
    const { page } = seen
    await page.getByRole('link', { name: 'Calendar' }).click()
    await page.getByRole('button', { name: 'Edit workdays and holidays' }).click()
    await page.getByRole('checkbox', { name: 'Saturday' }).check()
    await page.getByText('No task moves.').waitFor()
    await expectAccessible(page)
    expect((await plumbline.patch(`/api/ext/communities/${id}`, { code: 'CB' })).status).toBe(200)
    await page.getByRole('button', { name: 'Save calendar' }).click()
    await page.getByText('This record was changed while you were editing.').waitFor()
    expect((await readCommunity()).workdays).toEqual([1, 2, 3, 4, 5])
    await page.getByRole('button', { name: 'Overwrite with my changes' }).click()
    await page.getByText('Monday, Tuesday, Wednesday, Thursday, Friday, Saturday').waitFor()
    expect(await readCommunity()).toMatchObject({ workdays: [1, 2, 3, 4, 5, 6], code: 'CB' })
  })

  test('the status changes step by step, and an open home prevents closing', async () => {
    const { page } = seen
    const dialog = page.getByRole('dialog', { name: 'Change status of Cedar Bend' })
    await page.getByRole('button', { name: 'Change status' }).click()
    await dialog.getByText('No more homes can be added.').waitFor()
    await dialog.getByLabel(/^Reason/).fill('The last lot is under contract.')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Set to sold out' }).click()
    await page.getByText('Cedar Bend: sold out').waitFor()
    expect((await readCommunity()).status).toBe('sold_out')
    await page.getByRole('button', { name: 'Change status' }).click()
    await dialog
      .getByRole('alert')
      .getByText(/^Cannot close or archive Cedar Bend: 1 home is not closed/)
      .waitFor()
    await dialog.getByLabel('New status').selectOption('Active')
    await dialog.getByRole('button', { name: 'Set to active' }).click()
    await page.getByText('Cedar Bend: active').waitFor()
    expect((await readCommunity()).status).toBe('active')
  })
})
