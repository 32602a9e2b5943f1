import type {
  PortalBidInvitationSummary,
  PortalComplianceDocument,
  PortalLienWaiverSummary,
  PortalMessage,
  PortalOrderSummary,
  PortalPayment,
  PortalTaskSummary,
  TaskConfirmation,
} from '../../../../client/contract.gen.ts'
import { toWords } from '../../../platform/values/format.ts'
import { text } from './html.ts'
import type { Place } from './place.ts'

/** A row of a list: a title with a link, details, and a status. */
export interface Row {
  id: string | null
  name: string
  more: string
  state: string
  /** `now` if the vendor has to act. */
  tone?: 'now' | 'ok' | 'bad' | undefined
}

export function rows({ root }: Place, listed: readonly Row[]): string {
  const items = listed.map(({ id, name, more, state, tone }) => {
    const shown = id === null ? text(name) : `<a href="${text(`${root}/${id}`)}">${text(name)}</a>`
    const small = more === '' ? '' : `<small>${text(more)}</small>`
    return `<li><div>${shown}${small}</div><span class="st${tone === undefined ? '' : ` ${tone}`}">${text(state)}</span></li>`
  })
  return `<ul class="rows">${items.join('\n')}</ul>`
}

export function requestRow({ reader }: Place, { id, status, request }: PortalBidInvitationSummary): Row {
  const { words } = reader
  const isOpen = request.status === 'sent'
  const awaited = isOpen && (status === 'sent' || status === 'viewed' || status === 'will_bid')
  return {
    id,
    name: `${request.number} · ${request.title ?? toWords(request.scope)}`,
    more: words.home.due(reader.shortDate(request.deadline)),
    state: isOpen ? words.request.short[status] : words.request.shortOf[request.status],
    tone: awaited ? 'now' : status === 'submitted' ? 'ok' : undefined,
  }
}

export function orderRow({ reader }: Place, order: PortalOrderSummary): Row {
  const { id, number, scope, status, total, currency, home } = order
  return {
    id,
    name: `${number}, ${toWords(scope)}`,
    more: `${home.name}, ${home.community} · ${reader.money(total, currency)}`,
    state: reader.words.order.states[status],
    tone: status === 'issued' ? 'now' : status === 'accepted' || status === 'closed' ? 'ok' : undefined,
  }
}

export function taskRow({ reader }: Place, { id, name, plannedStart, home, confirmation }: PortalTaskSummary): Row {
  const isAsked = confirmation.status !== 'confirmed' && confirmation.status !== 'declined'
  return {
    id,
    name: `${name}, ${home.name}, ${home.community}`,
    more: reader.longDate(plannedStart),
    state: shortAnswer({ reader }, confirmation),
    tone:
      confirmation.status === 'confirmed' ? 'ok' : isAsked && confirmation.proposedStart === null ? 'now' : undefined,
  }
}

function shortAnswer({ reader }: Pick<Place, 'reader'>, { status, proposedStart }: TaskConfirmation): string {
  const { task } = reader.words
  if (status === 'confirmed') return task.shortConfirmed
  if (status === 'declined') return task.shortDeclined
  return proposedStart === null ? task.shortAsked : task.shortProposed(reader.shortDate(proposedStart))
}

export function documentRow({ reader }: Place, document: PortalComplianceDocument): Row {
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

export function waiverRow({ reader }: Place, waiver: PortalLienWaiverSummary): Row {
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

export function paymentRow({ reader }: Place, payment: PortalPayment): Row {
  const { number, status, amount, currency, dueDate, paidDate, checkNumber, invoiceNumber } = payment
  const words = reader.words.payment
  const when = paidDate === null ? words.due(reader.shortDate(dueDate)) : words.paidOn(reader.shortDate(paidDate))
  const held = payment.retainageWithheld > 0 ? words.held(reader.money(payment.retainageWithheld, currency)) : null
  const parts = [
    ...[when, checkNumber === null ? null : words.check(checkNumber)],
    ...[invoiceNumber === null ? null : words.invoice(invoiceNumber), held],
    // For a payment of many orders, the first few identify it.
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

export function messageRow({ reader, builder }: Place, { id, isOwn, readAt, content }: PortalMessage): Row {
  const { home } = reader.words
  return {
    id,
    name: content.subject ?? content.body.slice(0, 80),
    more: isOwn ? home.fromYou : builder,
    state: isOwn || readAt !== null ? '' : home.unread,
    tone: isOwn || readAt !== null ? undefined : 'now',
  }
}
