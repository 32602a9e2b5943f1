import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { buildSite, type Site } from '../support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectNoComplaints, measureOverflow, visit } from './visit.ts'

describe.skipIf(chromium === null)('the bidding pages', () => {
  let plumbline: TestPlumbline
  let site: Site
  let browser: Browser
  let seen: ObservedPage

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    site = await buildSite(plumbline)
    browser = await openChromium()
    seen = await visit(browser, plumbline, { organizationId: site.organizationId })
  })
  afterAll(async () => {
    await closeWindows()
    await plumbline.stop()
  })

  test('a user can request bids for several lines from two vendors', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/bidding`)
    await page.getByRole('link', { name: 'New request' }).first().click()
    await page.getByLabel('Community').selectOption({ index: 1 })
    await page.getByLabel('Home').selectOption({ label: 'Lot 15' })
    await page.getByLabel('Trade').selectOption('framing')
    await page.getByLabel('Title').fill('Framing, Lot 15')
    await page.getByRole('button', { name: 'Add line' }).click()
    await page.getByLabel('Description', { exact: true }).fill('Walls')
    await page.getByLabel('Quantity', { exact: true }).fill('2450')
    await page.getByLabel('Unit', { exact: true }).fill('SF')
    await page.getByRole('checkbox', { name: /Lone Star/ }).check()
    await page.getByRole('checkbox', { name: /Hill Country/ }).check()
    await page.getByRole('button', { name: 'Send to 2 vendors' }).click()
    // The service rejects a request without a deadline, and the field for the deadline shows the error.
    const deadline = page.getByLabel('Deadline')
    await page.locator('[aria-invalid="true"]').first().waitFor()
    expect(await deadline.getAttribute('aria-invalid')).toBe('true')
    await deadline.fill(site.day(10))
    await page.getByRole('button', { name: 'Send to 2 vendors' }).click()
    await page.waitForURL(/\/bidding\/brq_/)
    await page.getByRole('heading', { name: 'Framing, Lot 15' }).waitFor()
  })

  test('a new bid appears in the comparison within two seconds', async () => {
    const { page } = seen
    await page.getByRole('link', { name: /^Invitations/ }).click()
    const row = page.getByRole('row', { name: /Lone Star/ })
    await row.getByRole('button', { name: 'Record bid' }).click()
    await page.getByLabel('Walls').fill('9.80')
    await page.locator('.dialog').getByRole('button', { name: 'Record bid' }).click()
    await page.getByRole('link', { name: 'Comparison' }).click()
    await page.getByText('24,010').first().waitFor()
    const id = page.url().split('/').at(-1)?.split('?')[0]
    const bid = await plumbline.post(
      '/api/ext/bids',
      {
        ...{ bidRequestId: id, vendorId: site.hillCountry, source: 'email' },
        lines: [{ lineId: 'line-1', unitPrice: 10 }],
        ...{ leadTimeDays: 3, durationDays: 1 },
      },
      { key: site.key },
    )
    expect(bid.status).toBe(201)
    await page.getByText('24,500').first().waitFor({ timeout: 4000 })
    await page.getByRole('cell', { name: '3 + 1 day', exact: true }).waitFor()
  })

  test("a user can answer a vendor's question for all invited vendors without revealing who asked", async () => {
    const { page } = seen
    const id = page.url().split('/').at(-1)?.split('?')[0]
    const { body: request } = await plumbline.get(`/api/ext/bids/requests/${id}`, { key: site.key })
    const tokenOf = async (invitation: { id: string }) => ({
      key: (await plumbline.mailedLink(invitation.id)).split('/').at(-1) ?? '',
    })
    const [asking, other] = request.invitations
    const question = { invitationId: asking.id, body: 'Is the crane included?' }
    expect((await plumbline.post('/api/portal/messages', question, await tokenOf(asking))).status).toBe(200)
    await page.getByRole('link', { name: 'Questions' }).click()
    await page.getByText('Is the crane included?').waitFor()
    await page.getByRole('button', { name: 'Reply to all invited vendors…' }).click()
    await page.locator('.dialog').getByLabel('Answer').fill('Is the crane included? No, price it as a line.')
    await page.locator('.dialog').getByRole('button', { name: 'Send' }).click()
    await page.getByText('Reply sent to 2 vendors').waitFor()
    const about = `/api/ext/messages?relatedToId=${id}&recipientId=${other.vendorId}`
    const { body: messages } = await plumbline.get(about, { key: site.key })
    expect(messages.data).toMatchObject([{ body: 'Is the crane included? No, price it as a line.' }])
    await page.getByRole('link', { name: 'Comparison' }).click()
  })

  test('an award is previewed before it is made', async () => {
    const { page } = seen
    const id = page.url().split('/').at(-1)?.split('?')[0]
    await page.getByRole('button', { name: 'Award… to Lone Star' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('4 changes will be made').waitFor()
    await page.getByText('1 bid will be rejected').waitFor()
    expect((await plumbline.get(`/api/ext/bids/requests/${id}`, { key: site.key })).body.status).toBe('sent')
    await page.getByLabel('Reason, recorded with the award').fill('Lowest price')
    await page.keyboard.press('Escape')
    await page.locator('.dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Award… to Lone Star' }).click()
    await expect.poll(() => page.getByLabel('Reason, recorded with the award').inputValue()).toBe('Lowest price')
    await page.getByText('4 changes will be made').waitFor()
    await page.getByRole('button', { name: 'Award and create order' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('.dialog').waitFor({ state: 'detached' })
    await page.getByText('Awarded', { exact: true }).first().waitFor()
    const { body } = await plumbline.get(`/api/ext/bids/requests/${id}`, { key: site.key })
    expect(body.status).toBe('awarded')
    const accepted = await plumbline.get(`/api/ext/bids/${body.acceptedBidIds[0]}`, { key: site.key })
    expect(accepted.body).toMatchObject({ decisionReason: 'Lowest price', decidedBy: { type: 'user' } })
    expect(accepted.body.poIds).toHaveLength(1)
  })

  test('the preview of an award includes the chosen alternates in the order and the budget', async () => {
    const { page } = seen
    const as = { key: site.key }
    const { body: home } = await plumbline.post('/api/ext/homes', { name: 'Lot 78', communityId: site.communityId }, as)
    const budgeted = { scope: 'framing', description: 'Framing', amount: 40_000 }
    await plumbline.post(`/api/ext/homes/${home.id}/budget/lines`, budgeted, as)
    const lines = ['walls', 'crane'].map((lineId) => ({ lineId, description: `All ${lineId}`, required: false }))
    const requested = { ...site.framing(), lines, homeIds: [home.id], title: 'With alternates' }
    const { body: request } = await plumbline.post('/api/ext/bids/request', requested, as)
    const same = `Steel stairs ${'with railings and landings '.repeat(4)}`
    const bid = {
      ...{ bidRequestId: request.id, vendorId: site.loneStar, source: 'email' },
      lines: [
        { lineId: 'walls', unitPrice: 39_000 },
        { lineId: 'crane', unitPrice: 900, alternate: true },
      ],
      alternates: [
        { description: same, amount: 1450 },
        { description: same, amount: 2900 },
        { description: 'No blocking', amount: -300 },
      ],
    }
    expect((await plumbline.post('/api/ext/bids', bid, as)).status).toBe(201)
    await page.goto(`${plumbline.url}/bidding/${request.id}`)
    await page.getByRole('button', { name: 'Award… to Lone Star' }).click()
    const dialog = page.locator('.dialog')
    await dialog.getByText('$39,000 of $40,000').waitFor()
    await dialog.getByRole('checkbox', { name: 'All crane: +$900' }).check()
    await dialog.getByRole('checkbox', { name: /^Steel stairs .*: \+\$2,900$/ }).check()
    await dialog.getByRole('checkbox', { name: 'No blocking: −$300' }).check()
    await dialog.getByText('$42,500 of $40,000').waitFor()
    await dialog.getByText('4 lines').waitFor()
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      expect([width, await measureOverflow(page)]).toEqual([width, 0])
    }
    await page.setViewportSize({ width: 1440, height: 900 })
    await dialog.getByRole('button', { name: 'Award and create order' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { body } = await plumbline.get(`/api/ext/purchase-orders?homeId=${home.id}`, as)
    expect(body.data).toMatchObject([{ total: 42_500 }])
  })

  test('after the higher bid is awarded, the lowest amount and the budget difference come from the same bid', async () => {
    const { page } = seen
    const as = { key: site.key }
    const { body: home } = await plumbline.post(
      '/api/ext/homes',
      { name: 'Lot 77', communityId: site.framing().communityId },
      as,
    )
    const line = { scope: 'framing', description: 'Framing', amount: 26_004 }
    expect((await plumbline.post(`/api/ext/homes/${home.id}/budget/lines`, line, as)).status).toBe(201)
    const requested = { ...site.framing(), homeIds: [home.id], title: 'To the dearer' }
    const { body: request } = await plumbline.post('/api/ext/bids/request', requested, as)
    const bids: string[] = []
    for (const [at, amount] of [24_475, 25_595].entries()) {
      const bid = { bidRequestId: request.id, vendorId: requested.vendorIds[at], amount, source: 'email' }
      bids.push((await plumbline.post('/api/ext/bids', bid, as)).body.id)
    }
    expect((await plumbline.post(`/api/ext/bids/${bids[1]}/accept`, {}, as)).status).toBe(200)
    await page.goto(`${plumbline.url}/bidding/${request.id}`)
    await page.getByText('$1,529 under budget').waitFor()
    const facts = await page.getByRole('region', { name: 'Key facts' }).textContent()
    expect(facts).toContain('Lowest bid$24,475$1,529 under budgetBudgeted$26,004')
  })

  test('the amounts of a blind bid request are hidden until bidding closes', async () => {
    const requested = { ...site.framing(), blind: true, title: 'Blind one' }
    const request = await plumbline.post('/api/ext/bids/request', requested, { key: site.key })
    await plumbline.post(
      '/api/ext/bids',
      {
        ...{ bidRequestId: request.body.id, vendorId: request.body.vendorIds[0], amount: 31_234, source: 'email' },
      },
      { key: site.key },
    )
    const { page } = seen
    await page.goto(`${plumbline.url}/bidding/${request.body.id}`)
    await page.getByText('This request is blind').waitFor()
    expect(await page.content()).not.toContain('31,234')
    await page.getByRole('button', { name: 'Extend' }).click()
    await page.getByLabel('Deadline', { exact: true }).fill(site.day(40))
    await page.locator('.dialog').getByRole('button', { name: 'Extend' }).click()
    await page.getByText('39 days left to bid').or(page.getByText('40 days left to bid')).waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Close bidding…' }).click()
    await page.locator('.dialog').getByRole('button', { name: 'Close bidding' }).click()
    await page.getByText('31,234').first().waitFor()
  })

  test('a bid request can be canceled with a reason', async () => {
    const { page } = seen
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Cancel request…' }).click()
    await page.getByLabel('Reason (visible to the vendors)').fill('The plan was withdrawn.')
    await page.getByRole('button', { name: 'Cancel request' }).click()
    await page.getByText('Canceled', { exact: true }).first().waitFor()
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !line.includes('422')) })
  })

  test('the page of an unknown bid request says that it could not be loaded', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/bidding/brq_01m7y975jzfesvq6da0jsw32jg`)
    await page.getByText('The request could not be loaded').waitFor()
  })
})
