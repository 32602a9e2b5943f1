import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { expectNoComplaints as expectQuietPortal, openVisitor, type Visitor } from '../portal-pages/portal-browser.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { buildSite, type Site } from '../support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectNoComplaints, visit } from './visit.ts'

/** The maximum time until a user who watches a page sees another user's action. */
const BY_ITSELF = { timeout: 2000 }

/** Each user has a separate window. The builder has two, and the three framers have browsers without scripts. */
describe.skipIf(chromium === null)('the bidding pipeline, from the request to the accepted order', () => {
  const NAMES = ['Lone Star Framing LLC', 'Hill Country Framers', 'Redrock Carpentry'] as const
  const UNIT_PRICES = ['9.80', '10.08', '10.94'] as const
  const TOTALS = ['24,010', '24,696', '26,803'] as const
  let plumbline: TestPlumbline
  let site: Site
  let browser: Browser
  let office: ObservedPage
  let watching: ObservedPage
  let vendors: Visitor[] = []

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    site = await buildSite(plumbline)
    browser = await openChromium()
    const { organizationId } = site
    office = await visit(browser, plumbline, { organizationId })
    await office.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    watching = await visit(browser, plumbline, { organizationId })
    vendors = await Promise.all(NAMES.map(() => openVisitor(browser, plumbline.url)))
  })
  afterAll(async () => {
    await closeWindows()
    await plumbline.stop()
  })

  test('each invited vendor can open the bid request with the link in its email', async () => {
    const { page } = office
    await page.goto(`${plumbline.url}/bidding/new`)
    await page.getByLabel('Community').selectOption({ index: 1 })
    await page.getByLabel('Home').selectOption({ label: 'Lot 15' })
    await page.getByLabel('Trade').selectOption('framing')
    await page.getByLabel('Title').fill('Framing, Lot 15')
    await page.getByLabel('Deadline').fill(site.day(10))
    await page.getByRole('button', { name: 'Add line' }).click()
    await page.getByLabel('Description', { exact: true }).fill('Walls')
    await page.getByLabel('Quantity', { exact: true }).fill('2450')
    await page.getByLabel('Unit', { exact: true }).fill('SF')
    for (const name of NAMES) await page.getByRole('checkbox', { name: new RegExp(name) }).check()
    await page.getByLabel(/^Blind/).check()
    await page.getByRole('button', { name: 'Send to 3 vendors' }).click()
    await page.waitForURL(/\/bidding\/brq_/)
    await watching.page.goto(page.url())
    await watching.page.getByText('No bids yet.').waitFor()
    await page.getByRole('link', { name: /^Invitations/ }).click()
    // The request is blind, so the builder cannot open a vendor's page. Each vendor opens the link in its email.
    for (const name of NAMES) await page.getByRole('row', { name: new RegExp(name) }).waitFor()
    expect(await page.getByRole('button', { name: 'Copy link…' }).count()).toBe(0)
    const path = `/api/ext/bids/requests/${new URL(page.url()).pathname.split('/').at(-1)}`
    const { invitations } = (await plumbline.get(path, { key: site.key })).body
    for (const [i, vendorId] of [site.loneStar, site.hillCountry, site.redrock].entries()) {
      const { id } = invitations.find((invitation: { vendorId: string }) => invitation.vendorId === vendorId)
      await vendors[i]?.page.goto(plumbline.url + new URL(await plumbline.mailedLink(id)).pathname)
      await vendors[i]?.page.getByText('Waiting for your price.').waitFor()
    }
  })

  test('each vendor enters its price in the portal and sees no other price', async () => {
    for (const [i, { page }] of vendors.entries()) {
      const press = i === 0 ? pressByKeyboard : (of: Locator) => of.click()
      await press(page.getByRole('link', { name: 'Enter our price' }))
      const price = page.getByLabel('Price per SF')
      if (i === 0) {
        await reach(price)
        await page.keyboard.type(UNIT_PRICES[i] ?? '')
      } else await price.fill(UNIT_PRICES[i] ?? '')
      await press(page.getByRole('button', { name: 'Review' }))
      await press(page.getByRole('button', { name: `Send bid of $${TOTALS[i]}.00` }))
      await page.getByText('Your bid has been received.').waitFor()
      for (const [other, name] of NAMES.entries()) {
        if (other === i) continue
        const html = await page.content()
        expect(html).not.toContain(name)
        expect(html).not.toContain(TOTALS[other])
      }
    }
  })

  test('amounts of new bids appear on an open page only after bidding is closed', async () => {
    const { page } = watching
    await page.getByText('3 of 3').waitFor(BY_ITSELF)
    await page.getByText('This request is blind: amounts are hidden until bidding closes.').waitFor()
    expect(await amountsOn(page)).toEqual([])
    await office.page.reload()
    expect(await amountsOn(office.page)).toEqual([])
    await office.page.getByRole('button', { name: 'More' }).click()
    await office.page.getByRole('menuitem', { name: 'Close bidding…' }).click()
    await office.page.locator('.dialog').getByRole('button', { name: 'Close bidding' }).click()
    await office.page.locator('.dialog').waitFor({ state: 'detached' })
    await page.getByText(TOTALS[0]).first().waitFor(BY_ITSELF)
    expect(await amountsOn(page)).toEqual([...TOTALS])
  })

  test('an award appears on another open page within two seconds', async () => {
    const { page } = office
    await pressByKeyboard(page.getByRole('link', { name: 'Comparison' }))
    await pressByKeyboard(page.getByRole('button', { name: 'Award… to Lone Star' }))
    await page.getByText('2 bids will be rejected').waitFor()
    await reach(page.getByLabel('Reason, recorded with the award'))
    await page.keyboard.type('Lowest price')
    await pressByKeyboard(page.getByRole('button', { name: 'Award and create order' }))
    await page.locator('.dialog').waitFor({ state: 'detached' })
    await watching.page.getByText('Awarded', { exact: true }).first().waitFor(BY_ITSELF)
    await watching.page.getByText('Accepted', { exact: true }).first().waitFor(BY_ITSELF)
    const [winner, ...others] = vendors
    await winner?.page.reload()
    await winner?.page.getByText('Accepted').first().waitFor()
    for (const { page } of others) {
      await page.reload()
      await page.getByText('Not chosen').first().waitFor()
      expect(await page.content()).not.toContain(TOTALS[0])
    }
  })

  test('a vendor can accept an issued order on its portal page', async () => {
    const { page } = office
    await page.getByRole('link', { name: 'Orders', exact: true }).first().click()
    await page.getByRole('link', { name: /^PO-/ }).first().click()
    await page.waitForURL(/\/orders\/po_/)
    for (const step of ['Approve', 'Issue']) {
      await page.getByRole('button', { name: step, exact: true }).click()
      await page.locator('.dialog').getByRole('button', { name: step }).click()
      await page.locator('.dialog').waitFor({ state: 'detached' })
    }
    await page.goto(`${plumbline.url}/vendors/${site.loneStar}`)
    await page.getByRole('button', { name: 'Invite to portal' }).click()
    await page.getByRole('button', { name: 'Invite vendor' }).click()
    await page.getByRole('button', { name: 'Copy link…' }).click()
    await page.getByText('The history records that you copied it').waitFor()
    await page.getByRole('button', { name: 'Show link' }).click()
    await page.getByRole('button', { name: 'Copy link', exact: true }).click()
    await page.getByText('The link copied').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByText('Portal link copied by Priya Harrow').waitFor()
    const framer = vendors[0]?.page
    await framer?.goto(plumbline.url + (await copied()))
    await framer?.getByRole('link', { name: /^PO-/ }).click()
    await framer?.getByText(TOTALS[0]).first().waitFor()
    await framer?.getByRole('button', { name: 'Accept the order' }).click()
    await framer?.getByText('You accepted this order.').waitFor()
    const { data } = (await plumbline.get('/api/ext/purchase-orders', { key: site.key })).body
    expect(data).toMatchObject([{ status: 'accepted', total: 24_010 }])
  })

  test('no page logs an error in the browser during the bidding test', () => {
    expectNoComplaints(office)
    expectNoComplaints(watching)
    for (const vendor of vendors) expectQuietPortal(vendor)
  })

  /** Returns the path of the link that the builder has copied. */
  async function copied(): Promise<string> {
    return new URL(await office.page.evaluate<string>('navigator.clipboard.readText()')).pathname
  }

  async function amountsOn(page: Page): Promise<string[]> {
    const html = await page.content()
    return TOTALS.filter((total) => html.includes(total))
  }
})

/** The maximum number of tab stops. None of these pages has more. */
const MAX_STOPS = 120

/** Presses the Tab key until the target has the focus. */
async function reach(target: Locator): Promise<void> {
  await target.waitFor()
  const page = target.page()
  for (let stops = 0; stops < MAX_STOPS; stops++) {
    const isThere = await target.evaluate((element) => element === element.ownerDocument.activeElement)
    if (isThere) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`The Tab key does not reach ${target}.`)
}

async function pressByKeyboard(target: Locator): Promise<void> {
  await reach(target)
  await target.page().keyboard.press('Enter')
}
