import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDemo } from '../../server/operators/demo/create-demo.ts'
import { findViolations, measureOverflow } from '../pages/visit.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectNoComplaints, openVisitor, savePicture } from './portal-browser.ts'

/** Tests the home owner's pages in a browser without scripts, with the demo data. */
const VIEWPORTS = [
  [320, 'light'],
  [390, 'dark'],
  [390, 'light'],
  [1440, 'light'],
] as const
const MAX_BYTES = 20_000

describe.skipIf(chromium === null)('the pages of home owners in a browser', () => {
  let plumbline: TestPlumbline
  let chrome: Browser
  let key: string
  let closed: string
  let building: string

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    key = (await createDemo(plumbline.database, plumbline.config)).key
    chrome = await openChromium()
    closed = await openPage('Rosalind Keppler')
    building = await openPage('Nadine Ferrow')
    const { data: sales } = (await plumbline.get('/api/ext/sales?limit=200', { key })).body
    const sale = sales.find(({ buyers }: { buyers: { name: string }[] }) => buyers[0]?.name === 'Nadine Ferrow')
    const lines = [{ description: 'Screened porch', scope: 'framing', price: 21_500, cost: 14_800 }]
    const change = { title: 'Screened porch', lines, description: 'Behind the kitchen.' }
    const { id } = (await plumbline.post(`/api/ext/sales/${sale.id}/changes`, change, { key })).body
    await plumbline.post(`/api/ext/buyer-changes/${id}/status`, { status: 'sent' }, { key })
  }, 240_000)
  afterAll(async () => {
    await closeWindows()
    await plumbline.stop()
  })

  /** Creates a new link for the owner with this name and returns its path. */
  async function openPage(name: string): Promise<string> {
    const { data } = (await plumbline.get('/api/ext/home-owners?limit=200', { key })).body
    const owner = data.find((each: { name: string }) => each.name === name)
    const { body } = await plumbline.post(`/api/ext/home-owners/${owner.id}/link`, undefined, { key })
    return new URL(body.ownerUrl).pathname
  }

  test('each page of a home owner is small, accessible, and fits phones and desktops', async () => {
    const judge = await openVisitor(chrome, plumbline.url, { withScripts: true })
    const { page } = judge
    const paths = new Map<string, string>()
    for (const [name, root] of [['closed', closed] as const, ['building', building] as const]) {
      await page.goto(plumbline.url + root)
      const links = await page
        .locator('main .rows a')
        .evaluateAll((all) => all.map((a) => a.getAttribute('href') ?? ''))
      const records = links.filter((link) => /\/(sel|bco|wlk|wrq|msg)_/.test(link))
      const all = [root, ...records.slice(0, 4), `${root}/write`, `${root}/report`, `${root}/news`]
      for (const [i, each] of all.entries()) paths.set(`${name}-${i}`, each)
    }
    expect(paths.size).toBeGreaterThan(9)
    for (const [name, path] of paths) {
      const plain = await fetch(plumbline.url + path, { headers: { 'accept-encoding': 'identity' } })
      const html = await plain.text()
      expect([path, plain.status]).toEqual([path, 200])
      expect(Buffer.byteLength(html), path).toBeLessThan(MAX_BYTES)
      expect(html).not.toMatch(/<script|javascript:|\son\w+=|\sstyle=/i)
      await page.goto(plumbline.url + path)
      for (const [width, scheme] of VIEWPORTS) {
        await page.setViewportSize({ width, height: 850 })
        await page.emulateMedia({ colorScheme: scheme })
        expect([path, width, await measureOverflow(page)]).toEqual([path, width, 0])
        expect([path, width, scheme, await findViolations(page, [])]).toEqual([path, width, scheme, []])
        await savePicture(page, `owner-${name}-${width}-${scheme}`)
      }
    }
    await judge.close()
  }, 240_000)

  test('a home owner can sign a change with only a keyboard and without scripts', async () => {
    const guest = await openVisitor(chrome, plumbline.url)
    const { page } = guest
    await page.goto(plumbline.url + building)
    await page
      .getByRole('link', { name: /Screened porch/ })
      .first()
      .click()
    await page.getByLabel('Type your full name').fill('Nadine Ferrow')
    await page.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Sign and approve' }).press('Enter')
    await page.getByText('You approved this change').waitFor()
    expectNoComplaints(guest)
    await guest.close()
  }, 60_000)

  test("the home owner's page is in Spanish if the owner chooses Spanish", async () => {
    const guest = await openVisitor(chrome, plumbline.url)
    await guest.page.goto(plumbline.url + closed)
    await guest.page.getByRole('link', { name: 'Español' }).click()
    await guest.page.getByText('Pendiente de usted').waitFor()
    expect(await guest.page.locator('html').getAttribute('lang')).toBe('es')
    await savePicture(guest.page, 'owner-es')
    expectNoComplaints(guest)
    await guest.close()
  }, 60_000)
})
