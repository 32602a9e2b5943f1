import type {
  PortalAttachment,
  PortalBid,
  PortalBidInvitation,
  PortalRequest,
} from '../../../../client/contract.gen.ts'
import { getBiddingState, isBeforeDeadline } from '../../../domain/bidding/bid-requests/bidding-state.ts'
import { countDaysBetween, toLocalDate } from '../../../platform/values/calendar.ts'
import { findMatchingLines, MAX_SEARCH_LENGTH, MIN_LINES_TO_SEARCH } from '../forms/find-lines.ts'
import { renderSubmittedBid } from './bid-sheet.ts'
import { renderBidSteps } from './bid-steps.ts'
import { renderFileSheet } from './file-sheet.ts'
import { escapeHtml, renderFacts, renderNote, toAddressLines, toFact } from './html.ts'
import { renderQuestionForm } from './message-page.ts'
import { getTypedValue, type PageContext, renderPortalPage, renderSheet } from './page-context.ts'

/** Renders the bid request with the vendor's response and bid. */
export function renderRequestPage(
  place: PageContext,
  invitation: PortalBidInvitation,
  bid: PortalBid,
  files: readonly PortalAttachment[],
  {
    done,
    search,
  }: {
    /** The confirmation to show; null if the vendor has not submitted a form. */
    done: 'asked' | null
    /** The words to find in the lines; empty to show all lines. */
    search: string
  },
): string {
  const { reader } = place
  const { request, community } = invitation
  const words = reader.words.request
  const where = [community.name, community.city].filter((part) => part !== null).join(', ')
  const content = [
    done === 'asked' ? renderNote('ok', reader.words.message.asked) : '',
    bid.canBid ? renderBidSteps(place, 0) : '',
    `<div><p class="lead">${escapeHtml(words.asks(place.builder, place.vendor))}</p><h1>${escapeHtml(formatRequestTitle(place, invitation))}</h1><p class="lead">${escapeHtml(words.number(request.number, where))}</p></div>`,
    `<p class="state">${escapeHtml(renderState(place, invitation, bid))}</p>`,
    renderRequestFacts(place, invitation),
    request.message === null ? '' : `<p class="pre">${escapeHtml(request.message)}</p>`,
    renderLineTable(place, request, search),
    renderFileSheet(place, files, invitation.id),
    renderSubmittedBid(
      place,
      invitation,
      bid,
      files.filter(({ from }) => from === 'vendor'),
    ),
    invitation.canAnswer ? renderAnswerForm(place, invitation) : '',
    request.status === 'sent' || request.status === 'closed' ? renderQuestionForm(place) : '',
  ]
  const go = bid.draft !== null ? words.goOn : bid.canWithdraw ? words.change : words.enterPrice
  const bar = `<a class="btn go" href="${escapeHtml(`${place.root}/${invitation.id}/price`)}">${escapeHtml(go)}</a>`
  return renderPortalPage(
    place,
    `${request.number} · ${formatRequestTitle(place, invitation)}`,
    content.join('\n'),
    bid.canBid ? bar : undefined,
  )
}

export function formatRequestTitle(
  { reader }: Pick<PageContext, 'reader'>,
  { request, community }: PortalBidInvitation,
): string {
  return request.title ?? `${reader.tradeName(request)}, ${community.name}`
}

/** Returns the last day for bids as a long date with its time zone. */
export function formatDeadline({ reader }: PageContext, { deadline, deadlineAt, timeZone }: PortalRequest): string {
  // The deadline is midnight at the end of the last day. The name of the time zone may change at that time, so use the
  // name that it has one second earlier.
  const zone = reader.zoneName(new Date(Date.parse(deadlineAt) - 1000).toISOString(), timeZone)
  return reader.words.request.endOf(reader.longDate(deadline), zone)
}

/** Describes in words how much time is left to bid. */
export function formatTimeLeft(
  { reader, now }: PageContext,
  { status, deadline, deadlineAt, timeZone }: PortalRequest,
): string {
  const words = reader.words.request
  // If the request was closed early or canceled, the number of remaining days would mislead the vendor.
  if (status !== 'sent' && status !== 'closed') return ''
  if (status === 'closed' || !isBeforeDeadline({ status, deadlineAt }, now)) return words.passed
  const hours = Math.floor((Date.parse(deadlineAt) - now.getTime()) / 3_600_000)
  if (hours < 1) return words.soon
  const days = countDaysBetween(toLocalDate(timeZone, now), deadline)
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
    toFact(words.trade, reader.tradeName(request)),
    toFact(words.whatToQuote, what[request.bidType]),
    toFact(words.pricesFrom, day(request.effectiveFrom)),
    toFact(words.pricesUntil, day(request.effectiveTo)),
    toFact(words.includes, request.inclusions, { wide: true }),
    toFact(words.excludes, request.exclusions, { wide: true }),
  ])
}

function renderState(
  { reader, now }: PageContext,
  { request, status }: PortalBidInvitation,
  { bid }: PortalBid,
): string {
  const { standings, because } = reader.words.request
  const standing = getBiddingState({ invitation: status, request, bid: bid?.status ?? null }, now)
  const sentence = standings[standing]
  return standing === 'canceled' && request.cancelReason !== null
    ? `${sentence} ${because(request.cancelReason)}`
    : sentence
}

function renderLineTable(place: PageContext, request: PortalRequest, search: string): string {
  const { reader } = place
  const { lines } = request
  if (lines.length === 0) return ''
  const { whatToPrice, optional } = reader.words.request
  const shown = new Set(findMatchingLines(request, search))
  const rows = lines
    .filter((_line, i) => shown.has(i))
    .map(
      ({ description, quantity, unit, required }) =>
        `<tr><th scope="row">${escapeHtml(description)}${required ? '' : `<small>${escapeHtml(optional)}</small>`}</th><td class="num">${reader.number(quantity)} ${escapeHtml(unit)}</td></tr>`,
    )
  const table = rows.length === 0 ? '' : `<table><tbody>\n${rows.join('\n')}\n</tbody></table>`
  return renderSheet(whatToPrice, `${renderLineSearch(place, request, search, rows.length)}${table}`)
}

/** Renders a search that filters the lines of a long request. The search works without scripts. */
function renderLineSearch(
  { reader, here }: PageContext,
  { lines }: PortalRequest,
  search: string,
  count: number,
): string {
  if (lines.length < MIN_LINES_TO_SEARCH) return ''
  const words = reader.words.request
  const found = count === 0 ? words.noLineFound : words.found(count, lines.length)
  const result =
    search === ''
      ? ''
      : `<p class="small">${escapeHtml(found)} · <a href="${escapeHtml(here)}">${escapeHtml(words.allLines)}</a></p>`
  return `<form class="in" method="get"><div class="two"><div class="f"><label for="q">${escapeHtml(words.findLine)}</label><input id="q" name="q" type="search" maxlength="${MAX_SEARCH_LENGTH}" value="${escapeHtml(search)}"></div><button class="btn">${escapeHtml(words.find)}</button></div>${result}</form>`
}

/**
 * Renders the two response buttons, neither of which is preselected. A "no" can have a reason. A "yes" needs no other
 * entry.
 */
function renderAnswerForm(place: PageContext, { status }: PortalBidInvitation): string {
  const words = place.reader.words.request
  const yes =
    status === 'will_bid'
      ? ''
      : `<form method="post"><button class="btn" name="answer" value="will_bid">${escapeHtml(words.yes)}</button></form>`
  const why = `<div class="f"><label for="why">${escapeHtml(words.whyNot)} <small>${escapeHtml(words.optional)}</small></label><input id="why" name="reason" maxlength="1000" value="${getTypedValue(place, 'reason')}"></div>`
  const no =
    status === 'declined'
      ? ''
      : `<form method="post">${why}<button class="btn no" name="answer" value="declined">${escapeHtml(words.no)}</button></form>`
  return renderSheet(words.willYouBid, `<div class="in">${yes}${no}</div>`)
}
