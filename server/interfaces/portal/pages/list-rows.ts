import type {
  PortalBidInvitationSummary,
  PortalComplianceDocument,
  PortalDrawing,
  PortalLienWaiverSummary,
  PortalMessage,
  PortalOrderSummary,
  PortalPayment,
  PortalTaskSummary,
  TaskConfirmation,
} from '../../../../client/contract.gen.ts'
import { type BiddingState, getBiddingState, isBidAwaited } from '../../../domain/bidding/bid-requests/bidding-state.ts'
import { escapeHtml } from './html.ts'
import type { PageContext } from './page-context.ts'

/** A row of a list: a linked title, details, and a status. */
export interface ListRow {
  id: string | null
  name: string
  more: string
  state: string
  /** The color of the status: `now` if the vendor must act. */
  tone?: 'now' | 'ok' | 'bad' | undefined
}

export function renderRows({ root }: PageContext, listed: readonly ListRow[]): string {
  const items = listed.map(({ id, name, more, state, tone }) => {
    const shown = id === null ? escapeHtml(name) : `<a href="${escapeHtml(`${root}/${id}`)}">${escapeHtml(name)}</a>`
    const small = more === '' ? '' : `<small>${escapeHtml(more)}</small>`
    return `<li><div>${shown}${small}</div><span class="st${tone === undefined ? '' : ` ${tone}`}">${escapeHtml(state)}</span></li>`
  })
  return `<ul class="rows">${items.join('\n')}</ul>`
}

export function toInvitationRow(
  { reader, now }: PageContext,
  { id, status, bidStatus, request }: PortalBidInvitationSummary,
): ListRow {
  const { words } = reader
  const standing = getBiddingState({ invitation: status, request, bid: bidStatus }, now)
  return {
    id,
    name: `${request.number} · ${request.title ?? reader.tradeName(request)}`,
    more: words.home.due(reader.shortDate(request.deadline)),
    state: words.request.short[standing],
    tone: isBidAwaited(standing) ? 'now' : isGood(standing) ? 'ok' : undefined,
  }
}

function isGood(standing: BiddingState): boolean {
  return standing === 'received' || standing === 'received_closed' || standing === 'chosen'
}

export function toOrderRow({ reader }: PageContext, order: PortalOrderSummary): ListRow {
  const { id, number, status, total, currency, home } = order
  return {
    id,
    name: `${number}, ${reader.tradeName(order)}`,
    more: `${home.name}, ${home.community} · ${reader.money(total, currency)}`,
    state: reader.words.order.states[status],
    tone: status === 'issued' ? 'now' : status === 'accepted' || status === 'closed' ? 'ok' : undefined,
  }
}

export function toTaskRow(
  { reader }: PageContext,
  { id, plannedStart, home, confirmation, ...named }: PortalTaskSummary,
): ListRow {
  const isAsked = confirmation.status !== 'confirmed' && confirmation.status !== 'declined'
  return {
    id,
    name: `${reader.taskName(named)}, ${home.name}, ${home.community}`,
    more: reader.longDate(plannedStart),
    state: describeConfirmation({ reader }, confirmation),
    tone:
      confirmation.status === 'confirmed' ? 'ok' : isAsked && confirmation.proposedStart === null ? 'now' : undefined,
  }
}

function describeConfirmation(
  { reader }: Pick<PageContext, 'reader'>,
  { status, proposedStart }: TaskConfirmation,
): string {
  const { task } = reader.words
  if (status === 'confirmed') return task.shortConfirmed
  if (status === 'declined') return task.shortDeclined
  return proposedStart === null ? task.shortAsked : task.shortProposed(reader.shortDate(proposedStart))
}

export function toDocumentRow({ reader }: PageContext, document: PortalComplianceDocument): ListRow {
  const { type, status, carrier, policyNumber, expirationDate, fileNames } = document
  const words = reader.words.document
  const until = expirationDate === null ? null : words.until(reader.shortDate(expirationDate))
  return {
    id: null,
    name: words.types[type],
    more: [carrier, policyNumber, until, ...fileNames].filter((part) => part !== null).join(' · '),
    state: words.states[status],
    tone: status === 'valid' ? 'ok' : status === 'expired' || status === 'rejected' ? 'bad' : undefined,
  }
}

export function toWaiverRow({ reader }: PageContext, waiver: PortalLienWaiverSummary): ListRow {
  const { id, waiverType, status, paymentNumber, amount, currency } = waiver
  const { titles, states } = reader.words.waiver
  return {
    id,
    name: titles[waiverType],
    more: `${paymentNumber} · ${reader.money(amount, currency)}`,
    state: states[status],
    tone: status === 'requested' ? 'now' : status === 'accepted' ? 'ok' : undefined,
  }
}

export function toPaymentRow({ reader }: PageContext, payment: PortalPayment): ListRow {
  const { number, status, amount, currency, dueDate, paidDate, checkNumber, invoiceNumber } = payment
  const words = reader.words.payment
  const when = paidDate === null ? words.due(reader.shortDate(dueDate)) : words.paidOn(reader.shortDate(paidDate))
  const held = payment.retainageWithheld > 0 ? words.held(reader.money(payment.retainageWithheld, currency)) : null
  const parts = [
    ...[when, checkNumber === null ? null : words.check(checkNumber)],
    ...[invoiceNumber === null ? null : words.invoice(invoiceNumber), held],
    // Shows only the first orders, which are enough to identify a payment for many orders.
    ...payment.orders.slice(0, 3),
  ]
  const waits = payment.waitsFor.map((obstacle) => words.waits[obstacle]).join(', ')
  return {
    id: null,
    name: `${number}, ${reader.money(amount, currency)}`,
    more: parts.filter((part) => part !== null).join(' · '),
    state: status === 'paid' ? words.paid : waits === '' ? words.planned : waits,
    tone: status === 'paid' ? 'ok' : waits === '' ? undefined : 'now',
  }
}

export function toDrawingRow({ reader }: PageContext, drawing: PortalDrawing): ListRow {
  const { id, sheetNumber, title, label, issuedDate, note } = drawing
  const { drawing: words } = reader.words
  const issued = `${words.revision(label)}, ${reader.shortDate(issuedDate)}`
  return {
    id: `${id}/file`,
    name: `${sheetNumber} ${title}`,
    more: [issued, note].filter((part) => part !== null).join(' · '),
    state: words.current,
  }
}

export function toMessageRow({ reader, builder }: PageContext, { id, isOwn, readAt, content }: PortalMessage): ListRow {
  const { home } = reader.words
  return {
    id,
    name: content.subject ?? content.body.slice(0, 80),
    more: isOwn ? home.fromYou : builder,
    state: isOwn || readAt !== null ? '' : home.unread,
    tone: isOwn || readAt !== null ? undefined : 'now',
  }
}
