import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { createKey } from '../../server/platform/keys/keys.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectAccessible, expectNoComplaints, visit } from './visit.ts'

describe.skipIf(chromium === null)('the pages of proposals', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  /** An API key that may only propose changes. */
  let agent = ''
  let vendorId = ''

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    seen = await visit(browser, plumbline)
    const { database, clock, organizationId } = plumbline
    agent = (await createKey(database, clock, { organizationId, name: 'Voice agent', proposeOnly: true })).secret
    const vendor = { companyName: 'Lone Star Framing', phone: '+1 512 555 0100', status: 'active' }
    vendorId = (await plumbline.post('/api/ext/vendors', vendor)).body.id
  })
  afterAll(async () => {
    // The browser reports the proposals that could no longer be approved.
    expectNoComplaints({ ...seen, complaints: seen.complaints.filter((line) => !/status of 4/.test(line)) })
    await closeWindows()
    await plumbline.stop()
  })

  const propose = async (method: 'POST' | 'PATCH', path: string, body: object): Promise<string> => {
    const { status, body: proposal } = await plumbline.request(method, path, body, { key: agent })
    expect([path, status]).toEqual([path, 202])
    return proposal.id
  }

  test('a proposal can be opened from the Today page, previewed, and approved', async () => {
    const id = await propose('PATCH', `/api/ext/vendors/${vendorId}`, { phone: '+1 512 555 0199' })
    const { page } = seen
    await page.goto(`${plumbline.url}/today`)
    await page.getByRole('link', { name: 'Agent proposal: update vendor' }).click()
    await page.getByRole('heading', { name: 'Update a vendor' }).waitFor()
    const sent = page.getByRole('table', { name: 'Input of updateVendor' })
    await sent.getByRole('row', { name: /Vendor\s*Lone Star Framing/ }).waitFor()
    await page.getByText('+1 512 555 0100 → +1 512 555 0199').waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 change will be made').waitFor()
    expect((await plumbline.get(`/api/ext/vendors/${vendorId}`)).body.phone).toBe('+1 512 555 0100')
    await dialog.getByRole('button', { name: 'Approve and run' }).click()
    await page.getByText('Update vendor approved and completed').waitFor()
    await page.getByRole('region', { name: 'Changes made' }).waitFor()
    expect((await plumbline.get(`/api/ext/vendors/${vendorId}`)).body.phone).toBe('+1 512 555 0199')
    expect((await plumbline.get(`/api/ext/proposals/${id}`)).body.decidedBy.type).toBe('user')
  })

  test('a proposal can be rejected with a reason', async () => {
    const id = await propose('POST', '/api/ext/vendors', { companyName: 'Redrock Concrete', scopes: ['concrete'] })
    const { page } = seen
    await page.goto(`${plumbline.url}/agents/proposals?status=proposed`)
    await page.getByRole('link', { name: 'Create a vendor' }).click()
    await page.getByRole('button', { name: 'Reject' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByRole('button', { name: 'Reject' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Reason').fill('We have enough concrete crews.')
    await dialog.getByRole('button', { name: 'Reject' }).click()
    await page.getByText('Reason for rejection: We have enough concrete crews.').waitFor()
    expect((await plumbline.get(`/api/ext/proposals/${id}`)).body.decisionReason).toMatch(/enough/)
  })

  test('proposals can be filtered by outcome', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/agents/proposals`)
    await page.getByRole('navigation', { name: 'Proposals' }).getByRole('link', { name: 'Rejected' }).click()
    await page.getByRole('row', { name: /Create a vendor.*Voice agent/ }).waitFor()
  })

  test('the page of a proposal explains why the proposal cannot be approved', async () => {
    const taken = { externalId: 'erp-77' }
    const blocked = await propose('PATCH', `/api/ext/vendors/${vendorId}`, taken)
    await plumbline.post('/api/ext/vendors', { companyName: 'Was Faster', ...taken })
    const decided = await propose('POST', '/api/ext/vendors', { companyName: 'Decided Elsewhere' })
    const { page } = seen
    const dialog = page.getByRole('dialog')
    await page.goto(`${plumbline.url}/agents/proposals/${blocked}`)
    await page.getByRole('button', { name: 'Approve' }).click()
    await dialog.getByText(/Records have changed since this proposal was created/).waitFor()
    await page.goto(`${plumbline.url}/agents/proposals/${decided}`)
    await page.getByRole('button', { name: 'Approve' }).click()
    await dialog.getByText('1 change will be made').waitFor()
    await plumbline.post(`/api/ext/proposals/${decided}/refuse`, {})
    await dialog.getByRole('button', { name: 'Approve and run' }).click()
    await dialog.getByText('This proposal is already rejected.').waitFor()

    const owner = await plumbline.signIn()
    const colleague = { name: 'Marcus Reed', email: 'marcus@harrowfinch.example.com', role: 'superintendent' }
    expect((await plumbline.post('/api/admin/users', colleague, owner)).status).toBe(201)
    const other = await visit(browser, plumbline, { email: colleague.email })
    await other.page.goto(`${plumbline.url}/agents/proposals`)
    await other.page.getByText('No proposals yet').waitFor()
    await other.page.goto(`${plumbline.url}/agents/proposals/${blocked}`)
    await other.page.getByText('The proposal could not be loaded').waitFor()
    await other.close()
  })

  test('if a record has changed, approving a proposal shows the change', async () => {
    const id = await propose('PATCH', `/api/ext/vendors/${vendorId}`, { contactName: 'Ann' })
    const { page } = seen
    await page.goto(`${plumbline.url}/agents/proposals/${id}`)
    await page.getByRole('button', { name: 'Approve' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 change will be made').waitFor()
    await plumbline.patch(`/api/ext/vendors/${vendorId}`, { phone: '+1 512 555 0142' })
    await dialog.getByRole('button', { name: 'Approve and run' }).click()
    const changes = dialog.getByRole('table', { name: 'Values changed since the proposal' })
    await changes.getByRole('row', { name: /Lone Star Framing.*Phone.*0199.*0142/ }).waitFor()
    await dialog.getByText(/Request a new proposal/).waitFor()
    await expectAccessible(page)
    expect((await plumbline.get(`/api/ext/proposals/${id}`)).body.status).toBe('proposed')
  })

  test('the page of a proposed batch shows each step with its input', async () => {
    const steps = [
      { name: 'vendor', skill: 'createVendor', input: { companyName: 'Pecan Street Painters' } },
      {
        name: 'hold',
        skill: 'changeVendorStatus',
        input: { vendorId: '$steps.vendor.id', status: 'on_hold', reason: 'New.' },
      },
    ]
    const id = await propose('POST', '/api/ext/execute/batch', { steps })
    const { page } = seen
    await page.goto(`${plumbline.url}/agents/proposals/${id}`)
    await page.getByRole('heading', { name: 'Create a vendor, and 1 more step' }).waitFor()
    await page.getByRole('region', { name: 'Step 2' }).getByText('$steps.vendor.id').waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve and run' }).click()
    await page.getByText('approved and completed').waitFor()
    await expectAccessible(page)
    const { body } = await plumbline.get('/api/ext/vendors?q=pecan')
    expect(body.data).toMatchObject([{ companyName: 'Pecan Street Painters', status: 'on_hold' }])
  })
})
