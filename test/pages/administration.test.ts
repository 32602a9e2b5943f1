import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { type RequestOptions, startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the pages of users, the organization and its history', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let owner: RequestOptions

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    owner = await plumbline.signIn()
  })
  afterAll(async () => {
    await closeWindows()
    await plumbline.stop()
  })

  test('a user can be added only with an email address that no other user has', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/settings/people`)
    const dialog = page.locator('.dialog')
    for (const name of ['Elena Ruiz', 'Somebody else']) {
      await page.getByRole('button', { name: 'Add user', exact: true }).click()
      await dialog.getByLabel('Name', { exact: true }).fill(name)
      await dialog.getByLabel('Email').fill('elena@harrowfinch.example.com')
      await dialog.getByLabel('Role').selectOption('estimator')
      await dialog.getByText('Finds vendors, requests bids').waitFor()
      await dialog.getByLabel('Approval limit').fill('25,000')
      await dialog.getByRole('button', { name: 'Add user' }).click()
      if (name === 'Elena Ruiz') await dialog.waitFor({ state: 'detached' })
    }
    await dialog.locator('[aria-invalid="true"], [role="alert"]').first().waitFor()
    await page.keyboard.press('Escape')
    const { body } = await plumbline.get('/api/ext/users?role=estimator')
    expect(body.data).toEqual([
      expect.objectContaining({ name: 'Elena Ruiz', status: 'invited', poApprovalLimit: 25_000 }),
    ])
  })

  test('an edit of a user shows concurrent changes before it overwrites them', async () => {
    const { page } = seen
    const row = page.getByRole('row', { name: /Elena Ruiz/ })
    await row.getByRole('button', { name: /Actions for/ }).click()
    await page.getByRole('menuitem', { name: 'Edit…' }).click()
    const dialog = page.locator('.dialog')
    await dialog.getByLabel('Role').selectOption('accountant')
    const { body: before } = await plumbline.get('/api/ext/users?role=estimator')
    await plumbline.patch(`/api/admin/users/${before.data[0].id}`, { phone: '+1 512 555 0177' }, owner)
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.getByText('This record was changed while you were editing.').waitFor()
    await dialog.getByRole('button', { name: 'Overwrite with my changes' }).click()
    await dialog.waitFor({ state: 'detached' })
    await row.getByText('Accountant').waitFor()
  })

  test('changing the phone number of a salesperson does not change the role', async () => {
    const { page } = seen
    const invited = { email: 'sol@harrowfinch.example.com', name: 'Sol Vega', role: 'salesperson' }
    const { body } = await plumbline.post('/api/admin/users', invited, owner)
    await page.goto(`${plumbline.url}/settings/people`)
    const row = page.getByRole('row', { name: /Sol Vega/ })
    await row.getByRole('button', { name: /Actions for/ }).click()
    await page.getByRole('menuitem', { name: 'Edit…' }).click()
    const dialog = page.locator('.dialog')
    await dialog.getByLabel('Phone').fill('+1 512 555 0142')
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    const { body: after } = await plumbline.get(`/api/ext/users/${body.id}`)
    expect(after).toMatchObject({ role: 'salesperson', phone: '+1 512 555 0142' })
  })

  test('a user can be deactivated and reactivated', async () => {
    const { page } = seen
    const row = page.getByRole('row', { name: /Elena Ruiz/ })
    for (const [item, word, state] of [
      ['Deactivate…', 'Deactivate', 'Disabled'],
      ['Reactivate…', 'Reactivate user', 'Active'],
    ] as const) {
      await row.getByRole('button', { name: /Actions for/ }).click()
      await page.getByRole('menuitem', { name: item }).click()
      await page.locator('.dialog').getByRole('button', { name: word, exact: true }).click()
      await row
        .getByText(state, { exact: true })
        .or(row.getByText('Invited', { exact: true }))
        .waitFor()
    }
  })

  test('the users page shows the permissions of each role in a table', async () => {
    const { page } = seen
    await page.getByRole('link', { name: 'Roles', exact: true }).click()
    const table = page.getByRole('table', { name: 'Permissions of each role' })
    const cells = table.getByRole('row', { name: /^API keys/ }).getByRole('cell')
    await expect
      .poll(() => cells.allTextContents())
      .toEqual([...['reads, writes', 'reads, writes'], ...['nothing', 'nothing', 'nothing', 'nothing', 'nothing']])
  })

  test('each organization setting can be saved separately', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/settings/organization`)
    const dialog = page.locator('.dialog')
    await page.getByRole('button', { name: 'Edit general settings' }).click()
    await dialog.getByLabel('Time zone').fill('Mars/Olympus')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.locator('[name="timeZone"][aria-invalid="true"]').waitFor()
    await dialog.getByLabel('Time zone').fill('America/Denver')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('America/Denver').waitFor()
    await page.getByRole('button', { name: 'Edit overtime' }).click()
    await dialog.getByLabel('Hours per day').fill('8')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('8 hours a day').waitFor()
    await page.getByRole('button', { name: 'Edit sale stages' }).click()
    await dialog.getByLabel('Stages in order, one per line').fill('Contract signed\nWalked through\n\nClosed')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Walked through', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Edit order terms' }).click()
    await dialog.getByLabel('Terms').fill('Paid within 30 days.')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Paid within 30 days.').waitFor()
    expect((await plumbline.get('/api/admin/organization', owner)).body).toMatchObject({
      ...{ timeZone: 'America/Denver', salePipelineStages: ['contract_signed', 'walked_through', 'closed'] },
      ...{ overtimeRule: { weeklyAfterHours: 40, dailyAfterHours: 8 }, poTerms: 'Paid within 30 days.' },
    })
  })

  test('the page of an event shows what its subscribers received', async () => {
    const { page } = seen
    await plumbline.post('/api/ext/vendors', { companyName: 'Brazos Framing', scopes: ['framing'] })
    await page.goto(`${plumbline.url}/settings/events`)
    await page.getByRole('button', { name: 'Type', exact: true }).click()
    await page.getByRole('menuitemradio', { name: 'vendor.created' }).click()
    await page.waitForURL('**/settings/events?type=vendor.created')
    await page
      .getByRole('row', { name: /Brazos Framing/ })
      .getByRole('link')
      .first()
      .click()
    await page.getByRole('region', { name: 'The payload' }).getByText('"companyName": "Brazos Framing"').waitFor()
    await page.getByText('No webhook is subscribed to it.').waitFor()
    await page.getByRole('link', { name: 'All events for this record' }).click()
    await page.waitForURL('**/settings/events?resourceId=ven_*')
  })

  test('the filters of the audit trail are kept in the URL', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/settings/audit?resourceType=organization`)
    const row = page.getByRole('row', { name: /Organization updated/ }).first()
    await row.getByRole('link', { name: 'Organization updated' }).click()
    await page.waitForURL('**/settings/audit?resourceType=organization&action=organization.updated')
    await expect.poll(() => page.getByRole('row', { name: /Organization updated/ }).count()).toBe(4)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ])
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n')
    expect(lines[0]).toMatch(/^Action,Outcome,Reason,Changed fields,Record,Performed by,IP address,When/)
    expect(lines).toHaveLength(5)
    expect(lines[1]).toContain('poTerms')
    await page.getByLabel('Before').fill('2020-01-01')
    await page.getByText('No matching entries').waitFor()
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !/409|412|422/.test(line)) })
  })
})
