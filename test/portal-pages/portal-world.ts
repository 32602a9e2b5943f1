import { toLinkListCookie } from '../../server/interfaces/portal/link-list/link-list-tokens.ts'
import type { MailServer } from '../support/mail-server.ts'
import { buildSite, type Site } from '../support/site.ts'
import type { ServiceResponse, TestPlumbline } from '../support/test-plumbline.ts'

/** A portal with the longest texts and the largest amounts. */
export interface PortalWorld {
  site: Site
  vendorId: string
  /** The path of the whole portal. The other properties are paths of pages in it, one of each kind. */
  root: string
  invitation: string
  /** An invitation for which a bid with alternates was submitted. */
  received: string
  /** A request for one price, which has a link of its own. */
  lumpSum: { path: string; id: string }
  order: string
  /** An accepted order that the vendor bills, and one of its bills. */
  billedOrder: string
  bill: string
  task: string
  waiver: string
  message: string
  /** A punch item to which the vendor has not responded. The vendor has also not responded to the service visit. */
  punch: string
  serviceVisit: string
  paymentNumber: string
  /** The path of a one-time link to the list of the vendor's portal links, and the cookie with which the list opens. */
  linkList: { path: string; cookie: { name: string; value: string } }
  ext(path: string, body?: unknown): Promise<ServiceResponse['body']>
  get(path: string): Promise<ServiceResponse['body']>
}

const EMAIL = 'bids@example.com'

export const LONG_NAME = `${'Colorado River Builders Supply, Framing, Sheathing & Roofing of Central Texas and the Hill Country '.repeat(2).slice(0, 115)} LLC.`

export async function buildPortal(plumbline: TestPlumbline, mailServer: MailServer): Promise<PortalWorld> {
  const site = await buildSite(plumbline)
  const ext = async (path: string, body?: unknown) => {
    const response = await plumbline.post(`/api/ext${path}`, body, { key: site.key })
    if (response.status >= 300) throw new Error(`${path}: ${JSON.stringify(response.body)}`)
    return response.body
  }
  const get = async (path: string) => (await plumbline.get(`/api/ext${path}`, { key: site.key })).body
  const { id: vendorId } = await ext('/vendors', {
    ...{ companyName: LONG_NAME, email: EMAIL, scopes: ['framing'], lienWaiverRequired: true },
  })
  const linkTo = async (subjectId: string) => new URL(await plumbline.mailedLink(subjectId)).pathname
  await ext(`/vendors/${vendorId}/invite`)
  const root = await linkTo(vendorId)

  const ask = async (more: object) =>
    (await ext('/bids/request', { ...site.framing(), vendorIds: [vendorId, site.hillCountry], ...more })).invitations[0]
  const lines = Array.from({ length: 60 }, (_, i) => ({
    lineId: `line-${i + 1}`,
    description:
      i === 3 ? `Sheathing of ${'the roof over the covered patio and '.repeat(8)}the garage` : `Wall ${i + 1}`,
    ...{ quantity: i === 1 ? 1 : 2450.5, unit: i === 1 ? 'LS' : 'SF', required: i < 58 },
  }))
  const { id: invitation } = await ask({
    title: 'Framing, Lot 15',
    lines,
    bidType: 'unit_price',
    homeIds: [site.lot15],
  })
  const received = await ask({ title: 'Stairs', lines: lines.slice(0, 3), bidType: 'unit_price' })
  const key = root.split('/').at(-1) ?? ''
  const bid = `/api/portal/invitations/${received.id}/bid`
  const priced = lines.slice(0, 3).map(({ lineId }) => ({ lineId, unitPrice: 12.5 }))
  const alternates = [
    { description: `Steel ${'stairs and railings '.repeat(8)}`, amount: 123_456_789.12, note: 'Six weeks' },
    { description: 'No railing', amount: -450 },
  ]
  await plumbline.post(`${bid}/draft`, { lines: priced, alternates, validUntil: site.day(60) }, { key })
  const sent = await plumbline.post(`${bid}/submit`, {}, { key })
  if (sent.status !== 200) throw new Error(JSON.stringify(sent.body))
  const lumpSum = await ask({ title: 'Trusses', lines: lines.slice(0, 3), bidType: 'lump_sum', blind: true })

  const ordered = [{ description: `Walls ${'and more walls '.repeat(10)}`, quantity: 1, unitPrice: 123_456_789.12 }]
  const draft = { homeId: site.lot15, vendorId, scope: 'framing', lines: ordered, retainagePercent: 10 }
  const issued = async (upTo: string[], more: object = {}) => {
    const { id } = await ext('/purchase-orders', { ...draft, ...more })
    for (const status of upTo) await ext(`/purchase-orders/${id}/status`, { status })
    return id
  }
  const order = await issued(['approved', 'issued'])
  const done = await issued(['approved', 'issued', 'accepted'])
  const billedOrder = await issued(['approved', 'issued', 'accepted'], { billingMethod: 'by_bill' })
  const line = { poId: billedOrder, description: `Walls ${'of the first floor '.repeat(10)}`, amount: 23_456_789.12 }
  const billed = await plumbline.post('/api/portal/bills', { invoiceNumber: 'LS-2318-A', lines: [line] }, { key })
  await ext(`/purchase-orders/${done}/progress`, { completedPercent: 100 })
  const payment = await ext('/payments', { poId: done, grossAmount: 100_000_000 })
  const { id: waiver } = await ext(`/payments/${payment.id}/lien-waivers`, {})

  const planned = { plannedStart: site.day(20), vendorId }
  const { id: task } = await ext('/tasks', { homeId: site.lot15, name: 'Walls framed', ...planned })
  await ext(`/tasks/${task}/confirmation/request`)
  const { id: message } = await ext('/messages', {
    ...{ recipients: [{ type: 'vendor', id: vendorId }], subject: 'Framing of Lot 14' },
    body: 'Can you start a day earlier?\nThe slab is dry.',
  })
  const scratch = {
    homeId: site.lot15,
    location: 'Kitchen',
    description: `The wall ${'and the next one '.repeat(20)}bows.`,
  }
  const { id: punch } = await ext('/punch-items', { ...scratch, vendorId, dueDate: site.day(5) })
  const report = {
    homeId: site.lot15,
    location: 'Owner bath',
    description: `The floor ${'squeaks and '.repeat(20)}gives.`,
  }
  const { id: request } = await ext('/warranty-requests', report)
  await ext(`/warranty-requests/${request}/decision`, { decision: 'goodwill' })
  await ext(`/warranty-requests/${request}/assignment`, { vendorId })
  const { id: serviceVisit } = await ext('/visits', { requestIds: [request], date: site.day(6), window: 'am' })
  const sheet = { homeId: site.lot15, sheetNumber: 'S-101', title: 'Framing plan', discipline: 'structural' }
  const { id: drawing } = await ext('/drawings', sheet)
  const content = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64')
  const { id: attachmentId } = await ext(`/attachments?recordId=${drawing}&fileName=S-101.pdf`, { content })
  await ext(`/drawings/${drawing}/revisions`, { attachmentId, label: 'B' })
  await ext(`/vendors/${vendorId}/compliance-documents`, {
    ...{ type: 'general_liability', status: 'valid', carrier: 'Pecan Valley Mutual', expirationDate: site.day(200) },
  })
  return {
    ...{
      site,
      vendorId,
      root,
      invitation,
      received: received.id,
      order,
      billedOrder,
      bill: billed.body.id,
      task,
      waiver,
      message,
      punch,
      serviceVisit,
      ext,
      get,
    },
    lumpSum: { path: await linkTo(lumpSum.id), id: lumpSum.id },
    paymentNumber: payment.number,
    linkList: await buildLinkList(plumbline, mailServer),
  }
}

/** Adds a second builder that knows the vendor only by two invitations, and requests the email with all links. */
async function buildLinkList(plumbline: TestPlumbline, mailServer: MailServer): Promise<PortalWorld['linkList']> {
  const { key } = await plumbline.newBuilder({ name: 'Rio Bravo Homes' })
  const created = async (path: string, body: object) => (await plumbline.post(`/api/ext${path}`, body, { key })).body.id
  const communityId = await created('/communities', { name: 'Cedar Hollow', timeZone: 'America/Chicago' })
  const vendor = { companyName: 'Colorado River Builders Supply', email: EMAIL, scopes: ['framing'] }
  const vendorIds = [await created('/vendors', vendor)]
  for (const title of ['Framing, Lot 3', `Trusses ${'of the two-story house with the long porch '.repeat(4)}`.trim()])
    await created('/bids/request', { vendorIds, scope: 'framing', title, deadline: '2035-06-30', communityId })
  const body = new URLSearchParams({ email: EMAIL })
  await fetch(`${plumbline.url}/portal/links`, { method: 'POST', body })
  const value = toLinkListCookie(plumbline.app.services, EMAIL)
  for (;;) {
    const { source } = await mailServer.next(EMAIL)
    const [link] = /\/portal\/links\/[\w.~-]+/.exec(source.replaceAll('=\r\n', '')) ?? []
    if (link !== undefined) return { path: link, cookie: { name: 'portal_links', value } }
  }
}
