import type { PortalBidInvitation, PortalVisit } from '../../../client/contract.gen.ts'
import type { Call } from '../../platform/calls/call.ts'
import { notFound } from '../../platform/problems/problem.ts'
import { handInPage } from './pages/hand-in.ts'
import { homePage, listPage, SECTIONS } from './pages/home.ts'
import { messagePage } from './pages/message.ts'
import { orderPage } from './pages/order.ts'
import type { Place } from './pages/place.ts'
import { type PriceView, pricePage } from './pages/price.ts'
import { formOf } from './pages/price-form.ts'
import { requestPage } from './pages/request.ts'
import { reviewPage } from './pages/review.ts'
import { taskPage } from './pages/task.ts'
import { waiverPage } from './pages/waiver.ts'
import { inShort, onPage } from './sections.ts'
import { kindOf } from './subject.ts'

/** The requested page, relative to the portal link. */
export interface Asked {
  /** An ID, or the name of a list; null for the overview. */
  subject: string | null
  /** The part of an invitation's pages. */
  part: string | null
  query: Readonly<Record<string, unknown>>
}

/** A page, or the path to redirect to. */
export type Shown = { html: string; status?: number } | { to: string }

/** Returns the place of the pages after a visit: whose they are, and in which language. */
export type Placing = (visit: PortalVisit) => Place

const MOST_FILES = 100

/** Renders the requested page. It first records the visit, so that the builder sees what was viewed. */
export async function show(call: Call, { subject, part, query }: Asked, placed: Placing): Promise<Shown> {
  const kind = subject === null ? null : kindOf(subject)
  const noticed = kind === 'invitation' ? { invitationId: subject } : kind === 'message' ? { messageId: subject } : {}
  const place = placed(await call.operation('openPortal', noticed))
  if (subject === null) {
    const lists = []
    for (const section of SECTIONS) lists.push(await inShort(call, place, section))
    return { html: homePage(place, lists) }
  }
  if (kind === 'invitation') return showInvitation(call, place, subject, part, query)
  if (part !== null) throw notFound()
  if (kind === 'task') return { html: taskPage(place, await call.operation('getPortalTask', { taskId: subject })) }
  if (kind === 'message')
    return { html: messagePage(place, await call.operation('getPortalMessage', { messageId: subject })) }
  if (kind === 'waiver')
    return { html: waiverPage(place, await call.operation('getPortalLienWaiver', { lienWaiverId: subject })) }
  if (kind === 'order') return showOrder(call, place, subject)
  // The lists and the upload form belong to the whole portal. A link to one invitation opens nothing else.
  if (!place.isWhole) throw notFound()
  if (subject === 'hand-in') return { html: handInPage(place) }
  const section = SECTIONS.find((name) => name === subject)
  if (section === undefined) throw notFound()
  const listed = await onPage(call, place, section, typeof query.cursor === 'string' ? query.cursor : undefined)
  return { html: listPage(place, listed, query.done === 'handed-in') }
}

async function showOrder(call: Call, place: Place, purchaseOrderId: string): Promise<Shown> {
  const order = await call.operation('getPortalOrder', { purchaseOrderId })
  const { data: files } = await call.operation('listPortalOrderAttachments', { purchaseOrderId, limit: MOST_FILES })
  return { html: orderPage(place, order, files) }
}

async function showInvitation(
  call: Call,
  place: Place,
  invitationId: string,
  part: string | null,
  query: Asked['query'],
): Promise<Shown> {
  const invitation: PortalBidInvitation = await call.operation('getPortalInvitation', { invitationId })
  const bid = await call.operation('getPortalBid', { invitationId })
  const { data: files } = await call.operation('listPortalAttachments', { invitationId, limit: MOST_FILES })
  if (part === null) return { html: requestPage(place, invitation, bid, files) }
  const own = files.filter(({ from }) => from === 'vendor')
  const { draft, review } = bid
  const above = { to: `${place.root}/${invitationId}` }
  // When bids are no longer accepted, the page of the request says so.
  if (!bid.canBid) return above
  if (part === 'review') {
    if (draft === null || review === null) return { to: `${above.to}/price` }
    return { html: reviewPage(place, { invitation, bid, draft, review, files: own }) }
  }
  if (part !== 'price') throw notFound()
  const done = query.done === 'saved' ? 'saved' : null
  const form = formOf(invitation, bid, query.by)
  return { html: pricePage(place, { invitation, bid, form, faults: new Map(), files: own, done }) }
}

/** Renders the price form as it was submitted, with the fields that cannot be parsed. */
export async function showFaults(
  call: Call,
  invitation: PortalBidInvitation,
  place: Place,
  rest: Pick<PriceView, 'form' | 'faults'>,
): Promise<Shown> {
  const bid = await call.operation('getPortalBid', { invitationId: invitation.id })
  return { status: 422, html: pricePage(place, { invitation, bid, files: [], done: null, ...rest }) }
}
