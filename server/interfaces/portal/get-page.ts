import type { PortalBidInvitation, PortalMessage, PortalVisit } from '../../../client/contract.gen.ts'
import type { Call } from '../../platform/calls/call.ts'
import { notFound } from '../../platform/problems/problem.ts'
import { readSearchText } from './forms/find-lines.ts'
import { readPriceForm, toDraft, toPriceForm } from './forms/price-form.ts'
import { isFormToken } from './forms/returned-forms.ts'
import { getSubjectKind } from './page-subject.ts'
import { renderBillFormPage, renderBillPage } from './pages/bill-page.ts'
import { renderDocumentFormPage } from './pages/document-form-page.ts'
import { renderMessagePage, renderNewMessagePage } from './pages/message-page.ts'
import { renderOrderPage } from './pages/order-page.ts'
import { renderListPage, renderOverviewPage, SECTIONS } from './pages/overview-page.ts'
import type { PageContext } from './pages/page-context.ts'
import { listEntryChanges } from './pages/price-changes.ts'
import { renderPricePage } from './pages/price-page.ts'
import { renderPunchPage } from './pages/punch-page.ts'
import { renderReceiptPage } from './pages/receipt-page.ts'
import { renderRequestPage } from './pages/request-page.ts'
import { renderResponsePage } from './pages/response-page.ts'
import { renderReviewPage } from './pages/review-page.ts'
import { renderTaskPage } from './pages/task-page.ts'
import { renderVisitPage } from './pages/visit-page.ts'
import { renderWaiverPage } from './pages/waiver-page.ts'
import { readCalendarUrl } from './portal-calendar.ts'
import { listOverviewSection, listSectionPage } from './sections.ts'

/** The requested page, as a path relative to the portal link. */
export interface PageAddress {
  /** The ID of a record or the name of a list; null for the overview. */
  subject: string | null
  /** The name of a page that belongs to an invitation, such as `review`; null for the invitation's main page. */
  part: string | null
  query: Readonly<Record<string, unknown>>
}

/** A page, or the path to which to redirect. */
export type PageResult = { html: string; status?: number } | { to: string }

/** Returns the context of a page: the vendor, the builder, and the language of the visitor. */
export type ToPageContext = (visit: PortalVisit) => PageContext

const MAX_FILES = 100

/** Renders the requested page. First records the visit, so that the builder knows which pages the vendor viewed. */
export async function getPage(
  call: Call,
  { subject, part, query }: PageAddress,
  placed: ToPageContext,
): Promise<PageResult> {
  const kind = subject === null ? null : getSubjectKind(subject)
  const noticed = kind === 'invitation' ? { invitationId: subject } : kind === 'message' ? { messageId: subject } : {}
  const place = placed(await call.operation('openPortal', noticed))
  if (subject === null) {
    const lists = []
    for (const section of SECTIONS) lists.push(await listOverviewSection(call, place, section))
    return { html: renderOverviewPage(place, lists) }
  }
  if (kind === 'invitation') return getInvitationPage(call, place, subject, part, query)
  if (kind === 'order' && part === 'bill') return getBillFormPage(call, place, subject, query)
  if (part !== null) throw notFound()
  if (subject === 'will-bid' || subject === 'pass') return getResponsePage(call, place, subject)
  if (kind === 'task')
    return { html: renderTaskPage(place, await call.operation('getPortalTask', { taskId: subject })) }
  if (kind === 'message') return showMessage(call, place, subject)
  if (kind === 'waiver')
    return { html: renderWaiverPage(place, await call.operation('getPortalLienWaiver', { lienWaiverId: subject })) }
  if (kind === 'punch')
    return { html: renderPunchPage(place, await call.operation('getPortalPunchItem', { punchItemId: subject })) }
  if (kind === 'visit')
    return { html: renderVisitPage(place, await call.operation('getPortalVisit', { visitId: subject })) }
  if (kind === 'order') return getOrderPage(call, place, subject)
  if (kind === 'bill')
    return { html: renderBillPage(place, await call.operation('getPortalBill', { billId: subject })) }
  // The lists and the form for uploads are part of the whole portal. A link to one invitation opens no other page.
  if (!place.isWhole) throw notFound()
  if (subject === 'hand-in') return { html: renderDocumentFormPage(place) }
  if (subject === 'write') return { html: renderNewMessagePage(place) }
  const section = SECTIONS.find((name) => name === subject)
  if (section === undefined) throw notFound()
  const listed = await listSectionPage(
    call,
    place,
    section,
    typeof query.cursor === 'string' ? query.cursor : undefined,
  )
  const calendarUrl = section === 'dates' ? readCalendarUrl(call, query.calendar) : null
  return { html: renderListPage(place, listed, { isHandedIn: query.done === 'handed-in', calendarUrl }) }
}

/**
 * Renders the page for a link in an invitation email. The page asks the vendor to confirm, because mail programs may
 * open links on their own. If the vendor can no longer respond, renders the page of the request instead.
 */
async function getResponsePage(call: Call, place: PageContext, answer: 'will-bid' | 'pass'): Promise<PageResult> {
  const { id, subjectId: invitationId } = call.principal
  if (invitationId === null || invitationId === id) throw notFound()
  const invitation = await call.operation('getPortalInvitation', { invitationId })
  if (!invitation.canAnswer) return { to: `${place.root}/${invitationId}` }
  return { html: renderResponsePage(place, invitation, answer === 'will-bid' ? 'will_bid' : 'declined') }
}

/** The maximum number of messages of a thread. Older messages are in the list of messages. */
const MAX_OF_THREAD = 100

async function showMessage(call: Call, place: PageContext, messageId: string): Promise<PageResult> {
  const message = await call.operation('getPortalMessage', { messageId })
  const { data } = await call.operation('listPortalMessages', { limit: MAX_OF_THREAD })
  // The first message of a thread has no threadId. All other messages have the ID of the first message as their
  // threadId.
  const threadOf = ({ id, content }: PortalMessage) => content.threadId ?? id
  const newest = data.filter((other) => threadOf(other) === threadOf(message))
  const thread = newest.some(({ id }) => id === messageId) ? newest : [...newest, message]
  return { html: renderMessagePage(place, message, thread.toReversed()) }
}

async function getOrderPage(call: Call, place: PageContext, poId: string): Promise<PageResult> {
  const order = await call.operation('getPortalOrder', { poId })
  const { data: files } = await call.operation('listPortalOrderAttachments', { poId, limit: MAX_FILES })
  const { data: bills } = await call.operation('listPortalBills', { poId, limit: MAX_BILLS })
  return { html: renderOrderPage(place, order, { files, bills }) }
}

/** Older bills of an order are in the list of bills. */
const MAX_BILLS = 20

/** Shows the form for a bill. If the order is not billed by the vendor, its page shows this. */
async function getBillFormPage(
  call: Call,
  place: PageContext,
  poId: string,
  query: PageAddress['query'],
): Promise<PageResult> {
  const order = await call.operation('getPortalOrder', { poId })
  if (!order.canBill) return { to: `${place.root}/${poId}${keepRetry(query)}` }
  return { html: renderBillFormPage(place, order, call) }
}

/** Returns the part of a URL with which the page of a redirect shows the form that was not accepted. */
function keepRetry({ retry }: PageAddress['query']): string {
  return isFormToken(retry) ? `?retry=${retry}` : ''
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
  if (part === null)
    return {
      html: renderRequestPage(place, invitation, bid, files, {
        ...{ done: query.done === 'asked' ? 'asked' : null, search: readSearchText(query.q) },
      }),
    }
  const own = files.filter(({ from }) => from === 'vendor')
  const { draft, review } = bid
  const retry = keepRetry(query)
  if (part === 'receipt') {
    if (bid.bid === null) throw notFound()
    const { submittedAt } = bid.bid
    const sent = own.filter(({ createdAt }) => createdAt <= submittedAt)
    return { html: renderReceiptPage(place, invitation, bid.bid, sent) }
  }
  const above = { to: `${place.root}/${invitationId}` }
  // The page of the request says that bids are no longer accepted.
  if (!bid.canBid) return { to: above.to + retry }
  if (part === 'review') {
    if (draft === null || review === null) return { to: `${above.to}/price${retry}` }
    return { html: renderReviewPage(place, { invitation, bid, draft, review, files: own }) }
  }
  if (part !== 'price') throw notFound()
  const { returned } = place
  if (returned === null) {
    const form = toPriceForm(invitation, bid, query.by)
    const done = query.done === 'saved' ? ('saved' as const) : null
    const search = readSearchText(query.find)
    const view = { invitation, bid, form, files: own, done, search }
    return { html: renderPricePage(place, { ...view, errors: new Map(), changes: [] }) }
  }
  const form = readPriceForm(invitation, returned.fields)
  const { errors } = toDraft(invitation.request, { form, before: bid.draft, currency: bid.currency })
  const isOverwriting = returned.reason === 'changed_meanwhile'
  const changes = isOverwriting ? listEntryChanges(place, invitation, form, toPriceForm(invitation, bid, form.by)) : []
  const view = { invitation, bid, form, errors, files: own, changes }
  return { html: renderPricePage(place, { ...view, done: null, search: readSearchText(returned.fields.find) }) }
}
