import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { controlNetwork, type Network, openVisitor, type Visitor } from './portal-browser.ts'
import type { Setting } from './portal-pages.test.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const PDF = { name: 'License.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4\n%%EOF\n') }

/**
 * Tests forms that are sent twice because the user tapped twice. The vendor must see the result of the first tap, and
 * nothing may be stored twice.
 */
export function testDoubleTaps(setting: () => Setting): void {
  describe('a vendor that taps every button twice', () => {
    let guest: Visitor
    let page: Page
    let network: Network
    beforeAll(async () => {
      const { chrome, plumbline, world } = setting()
      await plumbline.patch(`/api/ext/vendors/${world.vendorId}`, { language: null }, { key: world.site.key })
      guest = await openVisitor(chrome, plumbline.url, { width: 360 })
      page = guest.page
      network = await controlNetwork(page)
    })
    beforeEach(() => open(''))
    afterAll(() => guest.close())

    const says = (text: string | RegExp) => page.getByText(text).first().waitFor()
    /** Taps twice on a slow connection, so that the second tap arrives before the response to the first. */
    const tapTwice = async (name: string | RegExp) => {
      await network.slowDown()
      await page.getByRole('button', { name }).first().dblclick()
    }
    const open = async (path: string) => {
      await network.speedUp()
      await page.goto(`${setting().plumbline.url}${setting().world.root}${path && `/${path}`}`)
    }
    const isNotTooLate = async () => expect(await page.getByText(/Too late|no longer possible/).count()).toBe(0)

    test('a vendor that taps every button twice submits and withdraws a bid only once', async () => {
      const { world } = setting()
      const { ext, get, site, vendorId } = world
      const requested = { ...site.framing(), vendorIds: [vendorId], title: 'Stairs' }
      const { id, invitations } = await ext('/bids/request', requested)
      const [{ id: invitationId }] = invitations
      await open(`${invitationId}/price`)
      await page.getByLabel('Total price').fill('18,000')
      await tapTwice('Review')
      await tapTwice('Send bid of $18,000.00')
      await says('Your bid has been received.')
      await isNotTooLate()
      const bids = async () => (await get(`/bids?bidRequestId=${id}`)).data
      expect(await bids()).toMatchObject([{ amount: 18_000, revision: 1, status: 'submitted' }])
      await page.locator('summary', { hasText: 'Withdraw the bid' }).click()
      await tapTwice('Withdraw the bid')
      await says('You withdrew your bid.')
      await isNotTooLate()
      expect(await bids()).toMatchObject([{ status: 'withdrawn' }])
    })

    test('a vendor that taps every button twice sends a question and a message only once', async () => {
      const { world } = setting()
      const { ext, get, site, vendorId } = world
      const { id, invitations } = await ext('/bids/request', { ...site.framing(), vendorIds: [vendorId] })
      await open(invitations[0].id)
      await page.locator('summary', { hasText: 'Ask a question' }).click()
      await page.getByLabel('Your question').fill('Is the crane included?')
      await tapTwice('Send question')
      await says('Is the crane included?')
      expect((await get(`/messages?relatedToId=${id}`)).data).toHaveLength(1)
      await open('write')
      await page.getByLabel('Your message').fill('We moved to a new yard.')
      await tapTwice('Send')
      await says('We moved to a new yard.')
      const sent = (await get('/messages?limit=100')).data.filter(
        ({ body }: { body: string }) => body === 'We moved to a new yard.',
      )
      expect(sent).toHaveLength(1)
    })

    test('a vendor that taps every button twice replies to a message only once', async () => {
      const { world } = setting()
      const recipients = [{ type: 'vendor', id: world.vendorId }]
      const { id } = await world.ext('/messages', { recipients, subject: 'Gate', body: 'Is the gate open?' })
      await open(id)
      await page.getByLabel('Your reply').fill('The gate is open.')
      await tapTwice('Send')
      await says('The gate is open.')
      await isNotTooLate()
      const { data } = await world.get(`/messages?threadId=${id}`)
      expect(data.map(({ body }: { body: string }) => body)).toEqual(['The gate is open.', 'Is the gate open?'])
    })

    test('a vendor that taps every button twice signs a lien waiver only once', async () => {
      const { ext, get, site, vendorId } = setting().world
      const lines = [{ description: 'Stairs', quantity: 1, unitPrice: 1000 }]
      const { id: poId } = await ext('/purchase-orders', { homeId: site.lot14, vendorId, scope: 'framing', lines })
      for (const status of ['approved', 'issued', 'accepted']) await ext(`/purchase-orders/${poId}/status`, { status })
      await ext(`/purchase-orders/${poId}/progress`, { completedPercent: 100 })
      const payment = await ext('/payments', { poId, grossAmount: 1000 })
      const { id } = await ext(`/payments/${payment.id}/lien-waivers`, {})
      await open(id)
      await page.getByLabel('Your full name (this is your signature)').fill('Joan Abbott')
      await page.getByLabel(/I am authorized to sign for/).check()
      await tapTwice('Sign and send')
      await says(/^Signed by Joan Abbott on/)
      await isNotTooLate()
      expect(await get(`/lien-waivers/${id}`)).toMatchObject({ status: 'signed', signedBy: 'Joan Abbott' })
    })

    test('a bill is sent once', async () => {
      const { ext, get, site, vendorId } = setting().world
      const lines = [{ description: 'Stairs', quantity: 1, unitPrice: 1000 }]
      const ordered = { homeId: site.lot14, vendorId, scope: 'framing', lines, billingMethod: 'by_bill' }
      const { id } = await ext('/purchase-orders', ordered)
      for (const status of ['approved', 'issued', 'accepted']) await ext(`/purchase-orders/${id}/status`, { status })
      await open(id)
      await page.getByRole('link', { name: 'Send a bill' }).click()
      await page.getByLabel('Invoice number').fill('LS-40')
      await page.getByLabel('Amount of this bill').fill('800')
      await page.getByLabel('Invoice file').setInputFiles(PDF)
      await tapTwice('Send the bill')
      await says('The builder has your bill and will check it.')
      await isNotTooLate()
      expect((await get(`/bills?poId=${id}`)).data).toMatchObject([{ invoiceNumber: 'LS-40', grossAmount: 800 }])
    })

    test('a fixed item and a completed visit are reported once', async () => {
      const { world } = setting()
      const { ext, get, site, vendorId } = world
      const photo = { name: 'Done.png', mimeType: 'image/png', buffer: PNG }
      const item = await ext('/punch-items', {
        homeId: site.lot14,
        description: 'A stud is bowed.',
        vendorId,
        dueDate: site.day(5),
      })
      await open(item.id)
      await page.getByLabel('Photo of the finished work').setInputFiles(photo)
      await tapTwice('It is fixed')
      await says('You said that it is fixed.')
      await isNotTooLate()
      expect((await get(`/attachments?recordId=${item.id}`)).data).toHaveLength(1)
      const { id } = await ext('/warranty-requests', { homeId: site.lot14, description: 'The floor squeaks.' })
      await ext(`/warranty-requests/${id}/decision`, { decision: 'goodwill' })
      await ext(`/warranty-requests/${id}/assignment`, { vendorId })
      const { id: visitId } = await ext('/visits', { requestIds: [id], date: site.day(6), window: 'am' })
      await open(visitId)
      await tapTwice('We will be there')
      await says('You said that you will be there.')
      await page.locator('summary', { hasText: 'Everything is fixed' }).click()
      await page.getByLabel('Photo of the finished work').setInputFiles(photo)
      await tapTwice('Everything is fixed')
      await says('You said that everything is fixed.')
      await isNotTooLate()
    })

    test('a vendor that taps every button twice uploads a document only once', async () => {
      const { world } = setting()
      const documents = async () =>
        (await world.get(`/vendors/${world.vendorId}/compliance-documents?type=w9`)).data.length
      await open('hand-in')
      await page.getByLabel('Type').selectOption('Form W-9')
      await page.getByLabel('Document file').setInputFiles(PDF)
      await tapTwice('Upload document')
      await says('Uploaded. The builder will review it.')
      expect(await documents()).toBe(1)
    })

    test('a vendor that taps every button twice creates a calendar only once', async () => {
      const { world } = setting()
      await open('dates')
      await tapTwice('Add dates to my calendar')
      await says('Your calendar link is ready.')
      expect((await world.get(`/calendar-feeds?vendorId=${world.vendorId}`)).data).toHaveLength(1)
    })

    test('a vendor that taps a response to an invitation, an order, or a task date twice sees its result', async () => {
      const { world } = setting()
      const { ext, site, vendorId } = world
      const { invitations } = await ext('/bids/request', { ...site.framing(), vendorIds: [vendorId] })
      await open(invitations[0].id)
      await tapTwice('We’ll bid')
      await says('You said that you will bid.')
      await isNotTooLate()
      const lines = [{ description: 'Repair', quantity: 1, unitPrice: 100 }]
      const { id } = await ext('/purchase-orders', { homeId: site.lot14, vendorId, scope: 'framing', lines })
      for (const status of ['approved', 'issued']) await ext(`/purchase-orders/${id}/status`, { status })
      await open(id)
      await tapTwice('Accept the order')
      await says('You accepted this order.')
      await isNotTooLate()
      const planned = { homeId: site.lot14, name: 'Stairs set', plannedStart: site.day(25), vendorId }
      const { id: taskId } = await ext('/tasks', planned)
      await ext(`/tasks/${taskId}/confirmation/request`)
      await open(taskId)
      await tapTwice('We will be there')
      await says('You said that you will be there.')
      await isNotTooLate()
    })
  })
}
