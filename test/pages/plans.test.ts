import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the pages of plans', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let communityId = ''

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    communityId = (await plumbline.post('/api/ext/communities', { name: 'Juniper Ridge' })).body.id
    expect(communityId).toMatch(/^com_/)
  })
  afterAll(async () => {
    // The tests provoke the rejection of a code, a figure, and a version.
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !/409|412|422/.test(line)) })
    await closeWindows()
    await plumbline.stop()
  })

  const findPlan = async () => (await plumbline.get('/api/ext/plans?code=P2100')).body.data[0]
  const dialog = () => seen.page.getByRole('dialog')

  test('creating a plan opens its page with its fields', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/catalogue`)
    await page.getByRole('button', { name: 'New plan' }).click()
    await dialog().getByLabel('Code', { exact: true }).fill('P2100')
    await dialog().getByLabel('Name', { exact: true }).fill('The Possumhaw')
    await dialog()
      .getByLabel(/^Base price/)
      .fill('$364,990')
    await dialog()
      .getByLabel(/^Heated/)
      .fill('2,100')
    await dialog()
      .getByLabel(/^Bathrooms/)
      .fill('2.5')
    await dialog()
      .getByLabel(/^Communities/)
      .fill('juni')
    await page.getByRole('option', { name: /Juniper Ridge/ }).click()
    await expectAccessible(page)
    await dialog().getByRole('button', { name: 'Create plan' }).click()
    await page.getByRole('heading', { name: 'The Possumhaw' }).waitFor()
    await page.getByText('This plan is a draft. Release it to build homes from it.').waitFor()
    expect(await findPlan()).toMatchObject({
      ...{ basePrice: 364_990, squareFeet: 2100, bathrooms: 2.5, bedrooms: null, communityIds: [communityId] },
    })
  })

  test('a plan with the code of another plan is rejected, and the form keeps its entries', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/catalogue`)
    await page.getByRole('button', { name: 'New plan' }).click()
    await dialog().getByLabel('Code', { exact: true }).fill('P2100')
    await dialog().getByLabel('Name', { exact: true }).fill('The Other')
    await dialog().getByRole('button', { name: 'Create plan' }).click()
    await expect.poll(() => dialog().getByLabel('Code', { exact: true }).getAttribute('aria-invalid')).toBe('true')
    expect(await dialog().getByLabel('Name', { exact: true }).inputValue()).toBe('The Other')
    await dialog().getByRole('button', { name: 'Cancel' }).click()
  })

  test('figures can be added, and a figure without a value is reported at its field', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/catalogue/plans/${(await findPlan()).id}`)
    await page.getByRole('button', { name: 'Edit figures' }).click()
    await dialog().getByRole('button', { name: 'Add figure' }).click()
    const figure = (number: number) => dialog().getByRole('group', { name: `Figure ${number}`, exact: true })
    await figure(1).getByLabel('Name').fill('roofSquares')
    await dialog().getByRole('button', { name: 'Save figures' }).click()
    await expect.poll(() => figure(1).getByLabel('Value').getAttribute('aria-invalid')).toBe('true')
    await expectAccessible(page)
    await figure(1).getByLabel('Value').fill('37')
    await dialog().getByRole('button', { name: 'Add figure' }).click()
    await figure(2).getByLabel('Name').fill('porchFeet')
    await dialog().getByRole('button', { name: 'Remove figure 2' }).click()
    await dialog().getByRole('button', { name: 'Save figures' }).click()
    await page.getByText('Figures of The Possumhaw changed').waitFor()
    expect((await findPlan()).figures).toEqual([{ name: 'roofSquares', value: 37 }])
  })

  test('elevations can be added with their own figures, changed, and removed', async () => {
    const { page } = seen
    for (const [code, name] of [
      ['A', 'Hill country'],
      ['B', 'Farmhouse'],
      ['C', 'Modern'],
    ] as const) {
      await page.getByRole('button', { name: 'Add elevation' }).click()
      await dialog().getByLabel('Code', { exact: true }).fill(code)
      await dialog().getByLabel(/^Name/).first().fill(name)
      if (code === 'B') {
        await dialog()
          .getByLabel(/^Price in addition/)
          .fill('6,500')
        await dialog().getByRole('button', { name: 'Add figure' }).click()
        await dialog().getByRole('group', { name: 'Figure 1' }).getByLabel('Name').fill('roofSquares')
        await dialog().getByRole('group', { name: 'Figure 1' }).getByLabel('Value').fill('38.5')
      }
      await dialog().getByRole('button', { name: 'Add elevation' }).click()
      await page.getByRole('button', { name: `Remove elevation ${code}` }).waitFor()
    }
    await page.getByRole('button', { name: 'Edit elevation A' }).click()
    await dialog().getByLabel(/^Name/).fill('Traditional')
    await dialog().getByRole('button', { name: 'Save elevation' }).click()
    await page.getByRole('row', { name: /Traditional/ }).waitFor()
    await page.getByRole('button', { name: 'Remove elevation C' }).click()
    await dialog().getByRole('button', { name: 'Remove elevation' }).click()
    await page.getByText('Elevation C removed').waitFor()
    expect((await findPlan()).elevations).toEqual([
      { code: 'A', name: 'Traditional', price: 0, figures: [] },
      { code: 'B', name: 'Farmhouse', price: 6500, figures: [{ name: 'roofSquares', value: 38.5 }] },
    ])
    await expectAccessible(page)
  })

  test('an elevation with takeoff lines cannot be removed, and its dialog links to the takeoff', async () => {
    const { page } = seen
    const { id } = await findPlan()
    const { id: partId } = (await plumbline.post('/api/ext/parts', { sku: 'LUM-2X4', name: 'Stud', unit: 'EA' })).body
    const lines = [{ partId, quantity: 4, elevation: 'B' }]
    expect((await plumbline.put(`/api/ext/plans/${id}/takeoff`, { lines })).status).toBe(200)
    await page.reload()
    await page.getByRole('button', { name: 'Remove elevation B' }).click()
    await dialog().getByText('The takeoff has 1 line for this elevation.').waitFor()
    expect(await dialog().getByRole('button', { name: 'Remove elevation' }).isDisabled()).toBe(true)
    await expectAccessible(page)
    await dialog().getByRole('link', { name: 'takeoff' }).click()
    await page.waitForURL(`**/catalogue/plans/${id}/takeoff`)
    // A renamed elevation is rejected by the service, which names the lines.
    await page.goto(`${plumbline.url}/catalogue/plans/${id}`)
    await page.getByRole('button', { name: 'Edit elevation B' }).click()
    await dialog().getByLabel('Code', { exact: true }).fill('D')
    await dialog().getByRole('button', { name: 'Save elevation' }).click()
    await dialog()
      .getByText('Cannot remove elevation B from P2100: the takeoff has 1 line for it. Delete the line or change its')
      .waitFor()
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    expect((await plumbline.put(`/api/ext/plans/${id}/takeoff`, { lines: [] })).status).toBe(200)
    await page.reload()
  })

  test('a code that another elevation has is reported at its field', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'Add elevation' }).click()
    await dialog().getByLabel('Code', { exact: true }).fill('B')
    await dialog().getByRole('button', { name: 'Add elevation' }).click()
    await dialog().getByText('must be unique; another item has the same code').waitFor()
    await dialog().getByRole('button', { name: 'Cancel' }).click()
  })

  test('changing the price of a released plan creates a draft of the next revision', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'Release revision 1' }).click()
    await dialog().getByText('This is a preview.').waitFor()
    await dialog().getByRole('button', { name: 'Release' }).click()
    await page.getByText('Revision 1 of The Possumhaw released').waitFor()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await dialog().getByText('Revision 1 is released and never changes.').waitFor()
    await dialog()
      .getByLabel(/^Base price/)
      .fill('369,990')
    await dialog().getByRole('button', { name: 'Save plan' }).click()
    await page.getByText('Revision 2 is a draft. New homes use revision 1 until you release the draft.').waitFor()
    expect(await findPlan()).toMatchObject({ status: 'draft', revision: 2, releasedRevision: 1, basePrice: 369_990 })
  })

  test('released revisions show what changed, and keep their own figures and elevations', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'Release revision 2' }).click()
    await dialog().getByRole('button', { name: 'Release' }).click()
    const revisions = page.getByRole('region', { name: 'Released revisions' })
    await revisions.getByRole('row', { name: /Revision 2.*base price/ }).waitFor()
    await revisions.getByRole('button', { name: 'Show revision 1' }).click()
    await dialog().getByText('$364,990').waitFor()
    await dialog()
      .getByRole('row', { name: /Farmhouse.*6,500.*roofSquares 38.5/ })
      .waitFor()
    await dialog().getByText('This revision has no takeoff.').waitFor()
    await expectAccessible(page)
    await dialog().getByRole('button', { name: 'Close' }).last().click()
  })

  test('a plan that another user changed in the meantime is overwritten only after a confirmation', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const { id } = await findPlan()
    expect((await plumbline.patch(`/api/ext/plans/${id}`, { externalId: 'MODEL-7' })).status).toBe(200)
    await dialog().getByLabel('Name', { exact: true }).fill('The Possumhaw II')
    await dialog().getByRole('button', { name: 'Save plan' }).click()
    await dialog().getByText('This record was changed while you were editing.').waitFor()
    expect(await findPlan()).toMatchObject({ name: 'The Possumhaw', externalId: 'MODEL-7' })
    await dialog().getByRole('button', { name: 'Cancel' }).click()
  })

  test('a retired plan cannot be changed', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'Retire' }).click()
    await dialog().getByRole('button', { name: 'Retire' }).click()
    await page.getByText('The Possumhaw retired').waitFor()
    await page.getByText('P2100, revision 2, retired').waitFor()
    for (const name of ['Edit', 'Edit figures', 'Add elevation', 'Retire'])
      expect([name, await page.getByRole('button', { name, exact: true }).count()]).toEqual([name, 0])
    expect(await page.getByRole('link', { name: 'Edit takeoff' }).count()).toBe(0)
  })
})
