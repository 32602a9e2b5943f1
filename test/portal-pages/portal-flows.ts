import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectNoComplaints, openVisitor, type Visitor } from './portal-browser.ts'
import type { Setting } from './portal-pages.test.ts'

const PDF = { name: 'Quote, lot 15.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4\n%%EOF\n') }

const PHOTO = {
  ...{ name: 'Wall.png', mimeType: 'image/png' },
  buffer: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEklEQVR4nGPomLmKAYSgFAAAK1IGP0FG2OAAAAAASUVORK5CYII=',
    'base64',
  ),
}

/** Tests a vendor's actions in the portal step by step, on a phone whose browser runs no scripts. */
export function testPortalFlows(setting: () => Setting): void {
  describe('a vendor', () => {
    let guest: Visitor
    let page: Page
    let open: (path: string) => Promise<unknown>
    beforeAll(async () => {
      const { chrome, plumbline } = setting()
      guest = await openVisitor(chrome, plumbline.url)
      open = (path) => page.goto(plumbline.url + path)
    })
    beforeEach(() => {
      page = guest.page
    })
    afterAll(async () => {
      expectNoComplaints(guest)
      await guest.close()
    })

    const says = (text: string | RegExp) => page.getByText(text).first().waitFor()
    const press = (name: string | RegExp) => page.getByRole('button', { name }).click()
    const follow = (name: string | RegExp) => page.getByRole('link', { name }).first().click()

    test('a vendor can price a bid request line by line, submit the bid, revise it, and withdraw it', async () => {
      const { world } = setting()
      const { ext, get, site, vendorId } = world
      const lines = [
        { lineId: 'walls', description: 'Wall framing', quantity: 2450, unit: 'SF' },
        { lineId: 'trusses', description: 'Trusses', quantity: 1, unit: 'LS' },
        { lineId: 'crane', description: 'Crane', quantity: 1, unit: 'LS' },
      ]
      const requested = {
        ...site.framing(),
        vendorIds: [vendorId],
        lines,
        bidType: 'unit_price',
        title: 'Framing, Lot 14',
      }
      const { id: requestId } = await ext('/bids/request', requested)
      const bids = async () => (await get(`/bids?bidRequestId=${requestId}`)).data

      await open(world.root)
      await follow(/Framing, Lot 14/)
      await says(/13 days left|14 days left/)
      await follow('Enter our price')
      await page.getByLabel('Price per SF').fill('9,80')
      await page.getByLabel('Lump sum').first().fill('11,200')
      await press('Save draft')
      await says('Please correct 1 entry.')
      await says('Use a period only before the cents, for example 9.80.')
      await page.getByLabel('Price per SF').fill('9.80')
      await page.getByLabel('Not included in our price').fill('Crane standby')
      await page.getByLabel('Days until we can start').fill('9')
      await page.getByLabel('Quote file').setInputFiles(PDF)
      await press('Save draft')
      await says('Your draft is saved. Nothing has been sent yet.')
      await says('$35,210.00')
      await press('Review')
      await says('1 line has no price.')
      expect(await page.getByRole('button', { name: /Send bid/ }).count()).toBe(0)
      expect(await bids()).toEqual([])

      await page.getByRole('link', { name: 'Crane' }).click()
      await page.getByLabel('Offer').nth(2).selectOption('Not included')
      await page.getByLabel('Note').nth(1).fill('From another plant')
      await page.locator('summary', { hasText: 'Alternates' }).click()
      await page.getByLabel('What are you offering?').first().fill('Trusses of steel')
      await page.getByLabel('Amount').first().fill('2,500')
      await press('Review')
      await says('All required prices are entered.')
      await says('From another plant')
      await says('Quote, lot 15.pdf')
      await press('Send bid of $35,210.00')
      await says('Your bid has been received.')
      const [bid] = await bids()
      expect(bid).toMatchObject({ amount: 35_210, source: 'portal', revision: 1, exclusions: 'Crane standby' })
      expect(bid.lines).toMatchObject([
        { unitPrice: 9.8, excluded: false },
        { unitPrice: 11_200, note: 'From another plant' },
        { excluded: true },
      ])
      expect(bid.alternates).toMatchObject([{ description: 'Trusses of steel', amount: 2500 }])
      await follow('Receipt to print')
      await says('add $2,500.00')
      await page.goBack()

      await follow('Change our bid')
      expect(await page.getByLabel('Price per SF').inputValue()).toBe('9.8')
      await page.getByLabel('Price per SF').fill('9.5')
      await press('Save draft')
      await follow('Overview')
      await follow(/Framing, Lot 14/)
      await says('You have saved changes that you have not sent yet.')
      await follow('Review')
      await press(/Send bid of/)
      await says('revision 2')
      expect((await bids())[0]).toMatchObject({ revision: 2, amount: 34_475 })
      await page.locator('summary', { hasText: 'Withdraw the bid' }).click()
      await press('Withdraw the bid')
      await says('You withdrew your bid.')
      expect((await bids())[0].status).toBe('withdrawn')
    })

    test('a vendor can enter a single price in Spanish with an invitation link', async () => {
      const { chrome, plumbline, world } = setting()
      const { path } = world.lumpSum
      const speaker = await openVisitor(chrome, plumbline.url, { locale: 'es-US' })
      page = speaker.page
      await page.goto(plumbline.url + path)
      await says('Esperamos su precio.')
      await follow('Poner nuestro precio')
      await page.getByLabel('Precio por todo').fill('123,456,789.50')
      await press('Revisar')
      await says('Revise antes de enviar')
      await page.getByRole('button', { name: 'Enviar cotización de $123,456,789.50' }).waitFor()
      await press('Borrar el borrador')
      await follow('Poner nuestro precio')
      await follow('Mejor cotizar línea por línea')
      await page.getByLabel('Suma global').fill('50')
      await press('Actualizar totales')
      await says('$50.00')
      // The link to one invitation opens no other page.
      const other = await page.goto(`${plumbline.url}${path}/orders`)
      expect(other?.status()).toBe(404)
      await says('Este enlace no es válido')
      expectNoComplaints(speaker)
      await speaker.close()
    })

    test('a vendor can announce a bid and later decline with a reason', async () => {
      const { world } = setting()
      await open(world.lumpSum.path)
      await press('We’ll bid')
      await says('You said that you will bid.')
      await page.getByLabel('If not, why?').fill('Fully booked')
      await press('No, we’ll pass')
      await says('You passed on this job.')
    })

    test('a vendor can accept or decline an order in the portal', async () => {
      const { world } = setting()
      await open(world.root)
      await follow(/^PO-/)
      await says('Please accept the order')
      await press('Accept the order')
      await says('You accepted this order.')
      expect((await world.get(`/purchase-orders/${world.order}`)).status).toBe('accepted')

      const draft = { homeId: world.site.lot14, vendorId: world.vendorId, scope: 'framing' }
      const lines = [{ description: 'Repair', quantity: 1, unitPrice: 100 }]
      const { id, number } = await world.ext('/purchase-orders', { ...draft, lines })
      for (const status of ['approved', 'issued']) await world.ext(`/purchase-orders/${id}/status`, { status })
      await open(`${world.root}/${id}`)
      await page.locator('summary', { hasText: 'Decline the order' }).click()
      await page.getByLabel('Reason').fill('No crew until March')
      await press(`Decline ${number}`)
      await says('You declined this order.')
      expect((await world.get(`/purchase-orders/${id}`)).status).toBe('declined')
    })

    test('a vendor can confirm a task date or propose another date in the portal', async () => {
      const { world } = setting()
      await open(world.root)
      await follow(/Walls framed/)
      await press('We will be there')
      await says('You said that you will be there.')
      await page.locator('summary', { hasText: 'Propose another date' }).click()
      await page.getByLabel('Date when we can come').fill(world.site.day(40))
      await press('Propose date')
      await says('You proposed to come on')
    })

    test('a vendor can promise to fix a punch item and then report the fix with a photo', async () => {
      const { world } = setting()
      await open(world.root)
      await follow(/Kitchen/)
      await says('Please fix this, take a photo, and tell the builder.')
      await page.locator('summary', { hasText: 'We will fix it later' }).click()
      await page.getByLabel('Date when we will fix it').fill(world.site.day(3))
      await press('Send date')
      await says('You said that you will fix it on')
      await page.getByLabel(/Photo of the finished work/).setInputFiles(PDF)
      await press('It is fixed')
      await says('The file was not accepted')
      await page.getByLabel(/Photo of the finished work/).setInputFiles(PHOTO)
      await press('It is fixed')
      await says('You said that it is fixed. The builder will check it.')
      await says('Wall.png')
      expect((await world.get(`/punch-items/${world.punch}`)).status).toBe('fixed')
    })

    test('a vendor can confirm and complete a service visit in the portal', async () => {
      const { world } = setting()
      await open(`${world.root}/${world.serviceVisit}`)
      await press('We will be there')
      await says('You said that you will be there.')
      await page.locator('summary', { hasText: 'Everything is fixed' }).click()
      await page.getByLabel(/Photo of the finished work/).setInputFiles(PHOTO)
      await press('Everything is fixed')
      await says('You said that everything is fixed.')
      expect((await world.get(`/visits/${world.serviceVisit}`)).status).toBe('done')
    })

    test('a vendor can open the drawings of its orders in the portal', async () => {
      const { plumbline, world } = setting()
      await open(`${world.root}/drawings`)
      const link = await page.getByRole('link', { name: /S-101/ }).getAttribute('href')
      expect((await fetch(`${plumbline.url}${link}`)).status).toBe(200)
    })

    test('a vendor can upload a compliance document in the portal', async () => {
      const { world } = setting()
      await open(world.root)
      await follow('Upload a document')
      await page.getByLabel('Type').selectOption('License')
      await page.getByLabel('Coverage limit').fill('2,000,000')
      await page.getByLabel('Document file').setInputFiles({ ...PDF, buffer: Buffer.from('MZ\0\0program') })
      await press('Upload document')
      await says('The file was not accepted')
      expect(await page.getByLabel('Type').inputValue()).toBe('license')
      expect(await page.getByLabel('Coverage limit').inputValue()).toBe('2,000,000')
      await page.getByLabel('Valid until').fill(world.site.day(200))
      await page.getByLabel('Document file').setInputFiles(PDF)
      await press('Upload document')
      await says('Your document was uploaded. The builder will review it.')
      await says('being reviewed')
      const { data } = await world.get(`/vendors/${world.vendorId}/compliance-documents?type=license`)
      expect(data).toMatchObject([{ status: 'pending_review', expirationDate: world.site.day(200) }])
    })

    test('a vendor can sign the lien waiver for which a payment waits', async () => {
      const { world } = setting()
      await open(world.root)
      await says('waiting for the builder’s approval, waiting for your lien waiver')
      await follow(/Conditional lien waiver/)
      await page.getByLabel('Your full name (this is your signature)').fill('Joan Abbott')
      await page.getByLabel(/I am authorized to sign for/).check()
      await press('Sign and send')
      await says(/^Signed by Joan Abbott on/)
      await follow('Overview')
      await says(/^▲? ?waiting for the builder’s approval$/)
      await follow('Framing of Lot 14')
      await page.getByLabel('Your reply').fill('Yes, on Monday.')
      await press('Send')
      await says('Yes, on Monday.')
      await says('Can you start a day earlier?')
      await follow('Overview')
      await says('from you')
    })

    test('the language link in the portal overrides the language in the vendor record', async () => {
      const { plumbline, world } = setting()
      const noted = { language: 'es' }
      await plumbline.patch(`/api/ext/vendors/${world.vendorId}`, noted, { key: world.site.key })
      await open(world.root)
      await says('Solicitudes de cotización')
      await follow('English')
      await says('Bid requests')
      expect(page.url()).toBe(plumbline.url + world.root)
      await follow(/Walls framed/)
      await says('First day')
      await follow('Español')
      await says('Primer día')
    })
  })
}
