import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the tree of cost codes', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    for (const code of [
      { code: '06-000', name: 'Wood', category: 'material' },
      { code: '07-000', name: 'Roof', category: 'subcontract' },
    ])
      expect((await plumbline.post('/api/ext/cost-codes', code)).status).toBe(201)
  })
  afterAll(async () => {
    expectNoComplaints(seen)
    await closeWindows()
    await plumbline.stop()
  })

  const findCode = async (code: string) => (await plumbline.get(`/api/ext/cost-codes?code=${code}`)).body.data[0]

  test('a code can be added below another code', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/catalogue/cost-codes`)
    await page.getByRole('button', { name: 'Add below 06-000' }).click()
    const dialog = page.getByRole('dialog', { name: 'New cost code' })
    await dialog.getByLabel('Code', { exact: true }).fill('06-100')
    await dialog.getByLabel('Name', { exact: true }).fill('Framing lumber')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Create cost code' }).click()
    await page.getByText('06-100 created').waitFor()
    await page.getByRole('row', { name: /06-100/ }).waitFor()
    expect(await findCode('06-100')).toMatchObject({ category: 'material', parentId: (await findCode('06-000')).id })
  })

  test('the codes below a code can be hidden', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'Hide the codes below 06-000' }).click()
    await page.getByRole('row', { name: /06-100/ }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Show the codes below 06-000' }).click()
    await page.getByRole('row', { name: /06-100/ }).waitFor()
  })

  test('a code can be moved below another code, but not below itself', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'Edit 06-000' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit 06-000' })
    expect(await dialog.getByLabel('Parent').locator('option').allTextContents()).toEqual(['Top level', '07-000 Roof'])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Edit 06-100' }).click()
    await page.getByLabel('Parent').selectOption({ label: '07-000 Roof' })
    await page.getByRole('button', { name: 'Save cost code' }).click()
    await page.getByText('06-100 changed').waitFor()
    expect((await findCode('06-100')).parentId).toBe((await findCode('07-000')).id)
    await expectAccessible(page)
  })
})
