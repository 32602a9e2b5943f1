import type { PortalBidInvitation, PortalVisit } from '../../../client/contract.gen.ts'
import type { Call } from '../../platform/calls/call.ts'
import { notFound } from '../../platform/problems/problem.ts'
import { subjectKindOf } from './page-subject.ts'
import { renderDocumentFormPage } from './pages/document-form-page.ts'
import { renderMessagePage } from './pages/message-page.ts'
import { renderOrderPage } from './pages/order-page.ts'
import { renderListPage, renderOverviewPage, SECTIONS } from './pages/overview-page.ts'
import type { PageContext } from './pages/page-context.ts'
import { toPriceForm } from './pages/price-form.ts'
import { type PriceView, renderPricePage } from './pages/price-page.ts'
import { renderRequestPage } from './pages/request-page.ts'
import { renderReviewPage } from './pages/review-page.ts'
import { renderTaskPage } from './pages/task-page.ts'
import { renderWaiverPage } from './pages/waiver-page.ts'
import { listForOverview, listForPage } from './sections.ts'

/** The requested page, relative to the portal link. */
export interface PageAddress {
  /** An ID, or the name of a list; null for the overview. */
  subject: string | null
  /** The part of an invitation's pages. */
  part: string | null
  query: Readonly<Record<string, unknown>>
}

/** A page, or the path to redirect to. */
export type PageResult = { html: string; status?: number } | { to: string }

/** Returns the place of the pages after a visit: whose they are, and in which language. */
export type ToPageContext = (visit: PortalVisit) => PageContext

const MAX_FILES = 100

/** Renders the requested page. It first records the visit, so that the builder sees what was viewed. */
export async function getPage(
  call: Call,
  { subject, part, query }: PageAddress,
  placed: ToPageContext,
): Promise<PageResult> {
  const kind = subject === null ? null : subjectKindOf(subject)
  const noticed = kind === 'invitation' ? { invitationId: subject } : kind === 'message' ? { messageId: subject } : {}
  const place = placed(await call.operation('openPortal', noticed))
  if (subject === null) {
    const lists = []
    for (const section of SECTIONS) lists.push(await listForOverview(call, place, section))
    return { html: renderOverviewPage(place, lists) }
  }
  if (kind === 'invitation') return getInvitationPage(call, place, subject, part, query)
  if (part !== null) throw notFound()
  if (kind === 'task')
    return { html: renderTaskPage(place, await call.operation('getPortalTask', { taskId: subject })) }
  if (kind === 'message')
    return { html: renderMessagePage(place, await call.operation('getPortalMessage', { messageId: subject })) }
  if (kind === 'waiver')
    return { html: renderWaiverPage(place, await call.operation('getPortalLienWaiver', { lienWaiverId: subject })) }
  if (kind === 'order') return getOrderPage(call, place, subject)
  // The lists and the upload form belong to the whole portal. A link to one invitation opens nothing else.
  if (!place.isWhole) throw notFound()
  if (subject === 'hand-in') return { html: renderDocumentFormPage(place) }
  const section = SECTIONS.find((name) => name === subject)
  if (section === undefined) throw notFound()
  const listed = await listForPage(call, place, section, typeof query.cursor === 'string' ? query.cursor : undefined)
  return { html: renderListPage(place, listed, query.done === 'handed-in') }
}

async function getOrderPage(call: Call, place: PageContext, purchaseOrderId: string): Promise<PageResult> {
  const order = await call.operation('getPortalOrder', { purchaseOrderId })
  const { data: files } = await call.operation('listPortalOrderAttachments', { purchaseOrderId, limit: MAX_FILES })
  return { html: renderOrderPage(place, order, files) }
}

async function getInvitationPage(
  call: Call,
  place: PageContext,
  invitationId: string,
  part: string | null,
  query: PageAddress['query'],
): Promise<PageResult> {
  const invitation: PortalBidInvitation = await call.operation('getPortalInvitation', { invitationId })
  const bid = await call.operation('getPortalBid', { invitationId })
  const { data: files } = await call.operation('listPortalAttachments', { invitationId, limit: MAX_FILES })
  if (part === null) return { html: renderRequestPage(place, invitation, bid, files) }
  const own = files.filter(({ from }) => from === 'vendor')
  const { draft, review } = bid
  const above = { to: `${place.root}/${invitationId}` }
  // When bids are no longer accepted, the page of the request says so.
  if (!bid.canBid) return above
  if (part === 'review') {
    if (draft === null || review === null) return { to: `${above.to}/price` }
    return { html: renderReviewPage(place, { invitation, bid, draft, review, files: own }) }
  }
  if (part !== 'price') throw notFound()
  const done = query.done === 'saved' ? 'saved' : null
  const form = toPriceForm(invitation, bid, query.by)
  return { html: renderPricePage(place, { invitation, bid, form, faults: new Map(), files: own, done }) }
}

/** Renders the price form as it was submitted, with the fields that cannot be parsed. */
export async function getPageWithErrors(
  call: Call,
  invitation: PortalBidInvitation,
  place: PageContext,
  rest: Pick<PriceView, 'form' | 'faults'>,
): Promise<PageResult> {
  const bid = await call.operation('getPortalBid', { invitationId: invitation.id })
  return { status: 422, html: renderPricePage(place, { invitation, bid, files: [], done: null, ...rest }) }
}
