import type {
  PortalAttachment,
  PortalBid,
  PortalBidInvitation,
  PortalRequest,
} from '../../../../client/contract.gen.ts'
import { dateIn, daysBetween } from '../../../platform/values/calendar.ts'
import { humanizeValue } from '../../../platform/values/format.ts'
import { renderSubmittedBid } from './bid-sheet.ts'
import { renderBidSteps } from './bid-steps.ts'
import { renderFileSheet } from './file-sheet.ts'
import { escapeHtml, renderFacts, toAddressLines, toFact } from './html.ts'
import { type PageContext, renderPortalPage, renderSheet } from './page-context.ts'

/** Renders the request that a vendor is to price, with its reply and its own bid. */
export function renderRequestPage(
  place: PageContext,
  invitation: PortalBidInvitation,
  bid: PortalBid,
  files: readonly PortalAttachment[],
): string {
  const { reader } = place
  const { request, community } = invitation
  const words = reader.words.request
  const where = [community.name, community.city].filter((part) => part !== null).join(', ')
  const content = [
    bid.canBid ? renderBidSteps(place, 0) : '',
    `<div><p class="lead">${escapeHtml(words.asks(place.builder, place.vendor))}</p><h1>${escapeHtml(formatRequestTitle(invitation))}</h1><p class="lead">${escapeHtml(words.number(request.number, where))}</p></div>`,
    `<p class="state">${escapeHtml(renderState(place, invitation))}</p>`,
    renderRequestFacts(place, invitation),
    request.message === null ? '' : `<p class="pre">${escapeHtml(request.message)}</p>`,
    renderLineTable(place, request),
    renderFileSheet(place, files, invitation.id),
    renderSubmittedBid(place, invitation, bid),
    invitation.canAnswer ? renderAnswerForm(place, invitation) : '',
  ]
  const go = bid.draft !== null ? words.goOn : bid.canWithdraw ? words.change : words.enterPrice
  const bar = `<a class="btn go" href="${escapeHtml(`${place.root}/${invitation.id}/price`)}">${escapeHtml(go)}</a>`
  return renderPortalPage(
    place,
    `${request.number} · ${formatRequestTitle(invitation)}`,
    content.join('\n'),
    bid.canBid ? bar : undefined,
  )
}

export function formatRequestTitle({ request, community }: PortalBidInvitation): string {
  return request.title ?? `${humanizeValue(request.scope)}, ${community.name}`
}

/** Returns the last day for bids, in full, with its time zone. */
export function formatDeadline({ reader }: PageContext, { deadline, deadlineAt, timeZone }: PortalRequest): string {
  // The deadline is the midnight that ends the day. One second earlier, the day's own zone name still applies.
  const zone = reader.zoneName(new Date(Date.parse(deadlineAt) - 1000).toISOString(), timeZone)
  return reader.words.request.endOf(reader.longDate(deadline), zone)
}

/** Returns the remaining time for bids in words. */
export function formatTimeLeft(
  { reader, now }: PageContext,
  { deadline, deadlineAt, timeZone }: PortalRequest,
): string {
  const words = reader.words.request
  const hours = Math.floor((Date.parse(deadlineAt) - now.getTime()) / 3_600_000)
  if (Date.parse(deadlineAt) <= now.getTime()) return words.passed
  if (hours < 1) return words.soon
  const days = daysBetween(dateIn(timeZone, now), deadline)
  return hours < 24 || days < 1 ? words.hoursLeft(hours) : words.daysLeft(days)
}

function renderRequestFacts(place: PageContext, { request, community, homes }: PortalBidInvitation): string {
  const { reader } = place
  const words = reader.words.request
  const what = { lump_sum: words.lumpSum, unit_price: words.unitPrice, both: words.both }
  const day = (date: string | null) => (date === null ? null : reader.longDate(date))
  const lots = homes.map(({ name, address }) => [name, ...toAddressLines(address)].join(', ')).join('\n')
  return renderFacts([
    toFact(words.due, formatDeadline(place, request), { wide: true, more: formatTimeLeft(place, request) }),
    toFact(homes.length > 1 ? words.homes : words.home, lots === '' ? null : lots, { wide: homes.length > 1 }),
    toFact(
      words.community,
      [community.name, community.city, community.state].filter((part) => part !== null).join(', '),
    ),
    toFact(words.trade, humanizeValue(request.scope)),
    toFact(words.whatToQuote, what[request.bidType]),
    toFact(words.pricesFrom, day(request.effectiveFrom)),
    toFact(words.pricesUntil, day(request.effectiveTo)),
    toFact(words.includes, request.inclusions, { wide: true }),
    toFact(words.excludes, request.exclusions, { wide: true }),
  ])
}

function renderState({ reader }: PageContext, { request, status }: PortalBidInvitation): string {
  const words = reader.words.request
  if (request.status === 'cancelled') return words.cancelled(request.cancelReason)
  if (status === 'submitted') return words.states.submitted
  if (request.status === 'awarded') return words.awarded
  if (request.status === 'closed') return request.acceptLate ? words.lateTaken : words.closed
  return words.states[status]
}

function renderLineTable({ reader }: PageContext, { lines }: PortalRequest): string {
  if (lines.length === 0) return ''
  const { whatToPrice, optional } = reader.words.request
  const rows = lines.map(
    ({ description, quantity, unit, required }) =>
      `<tr><th scope="row">${escapeHtml(description)}${required ? '' : `<small>${escapeHtml(optional)}</small>`}</th><td class="num">${reader.number(quantity)} ${escapeHtml(unit)}</td></tr>`,
  )
  return renderSheet(whatToPrice, `<table><tbody>\n${rows.join('\n')}\n</tbody></table>`)
}

function renderAnswerForm({ reader }: PageContext, { status }: PortalBidInvitation): string {
  const words = reader.words.request
  const [yes, no] = status === 'declined' ? ['', ' checked'] : [' checked', '']
  return `<form class="sheet" method="post"><fieldset class="in"><legend class="q">${escapeHtml(words.willYouBid)}</legend>
<label class="pick"><input type="radio" name="answer" value="will_bid"${yes}> <span>${escapeHtml(words.yes)}<br><small>${escapeHtml(words.yesHint)}</small></span></label>
<label class="pick"><input type="radio" name="answer" value="declined"${no}> <span>${escapeHtml(words.no)}</span></label>
<div class="f"><label for="why">${escapeHtml(words.whyNot)} <small>${escapeHtml(words.optional)}</small></label><input id="why" name="reason" maxlength="1000"></div>
<button class="btn">${escapeHtml(words.sendAnswer)}</button></fieldset></form>`
}
