import type {
  PortalAttachment,
  PortalBid,
  PortalBidInvitation,
  PortalRequest,
} from '../../../../client/contract.gen.ts'
import { dateIn, daysBetween } from '../../../platform/values/calendar.ts'
import { toWords } from '../../../platform/values/format.ts'
import { submittedSheet } from './bid-sheet.ts'
import { fileSheet } from './files.ts'
import { addressLines, cells, fact, text } from './html.ts'
import { framed, type Place, sheet } from './place.ts'
import { steps } from './steps.ts'

/** Renders the request that a vendor is to price, with its reply and its own bid. */
export function requestPage(
  place: Place,
  invitation: PortalBidInvitation,
  bid: PortalBid,
  files: readonly PortalAttachment[],
): string {
  const { reader } = place
  const { request, community } = invitation
  const words = reader.words.request
  const where = [community.name, community.city].filter((part) => part !== null).join(', ')
  const content = [
    bid.canBid ? steps(place, 0) : '',
    `<div><p class="lead">${text(words.asks(place.builder, place.vendor))}</p><h1>${text(titleOf(invitation))}</h1><p class="lead">${text(words.number(request.number, where))}</p></div>`,
    `<p class="state">${text(stateOf(place, invitation))}</p>`,
    facts(place, invitation),
    request.message === null ? '' : `<p class="pre">${text(request.message)}</p>`,
    lineTable(place, request),
    fileSheet(place, files, invitation.id),
    submittedSheet(place, invitation, bid),
    invitation.canAnswer ? answerForm(place, invitation) : '',
  ]
  const go = bid.draft !== null ? words.goOn : bid.canWithdraw ? words.change : words.enterPrice
  const bar = `<a class="btn go" href="${text(`${place.root}/${invitation.id}/price`)}">${text(go)}</a>`
  return framed(place, `${request.number} · ${titleOf(invitation)}`, content.join('\n'), bid.canBid ? bar : undefined)
}

export function titleOf({ request, community }: PortalBidInvitation): string {
  return request.title ?? `${toWords(request.scope)}, ${community.name}`
}

/** Returns the last day for bids, in full, with its time zone. */
export function deadlineOf({ reader }: Place, { deadline, deadlineAt, timeZone }: PortalRequest): string {
  // The deadline is the midnight that ends the day. One second earlier, the day's own zone name still applies.
  const zone = reader.zoneName(new Date(Date.parse(deadlineAt) - 1000).toISOString(), timeZone)
  return reader.words.request.endOf(reader.longDate(deadline), zone)
}

/** Returns the remaining time for bids in words. */
export function leftOf({ reader, now }: Place, { deadline, deadlineAt, timeZone }: PortalRequest): string {
  const words = reader.words.request
  const hours = Math.floor((Date.parse(deadlineAt) - now.getTime()) / 3_600_000)
  if (Date.parse(deadlineAt) <= now.getTime()) return words.passed
  if (hours < 1) return words.soon
  const days = daysBetween(dateIn(timeZone, now), deadline)
  return hours < 24 || days < 1 ? words.hoursLeft(hours) : words.daysLeft(days)
}

function facts(place: Place, { request, community, homes }: PortalBidInvitation): string {
  const { reader } = place
  const words = reader.words.request
  const what = { lump_sum: words.lumpSum, unit_price: words.unitPrice, both: words.both }
  const day = (date: string | null) => (date === null ? null : reader.longDate(date))
  const lots = homes.map(({ name, address }) => [name, ...addressLines(address)].join(', ')).join('\n')
  return cells([
    fact(words.due, deadlineOf(place, request), { wide: true, more: leftOf(place, request) }),
    fact(homes.length > 1 ? words.homes : words.home, lots === '' ? null : lots, { wide: homes.length > 1 }),
    fact(words.community, [community.name, community.city, community.state].filter((part) => part !== null).join(', ')),
    fact(words.trade, toWords(request.scope)),
    fact(words.whatToQuote, what[request.bidType]),
    fact(words.pricesFrom, day(request.effectiveFrom)),
    fact(words.pricesUntil, day(request.effectiveTo)),
    fact(words.includes, request.inclusions, { wide: true }),
    fact(words.excludes, request.exclusions, { wide: true }),
  ])
}

function stateOf({ reader }: Place, { request, status }: PortalBidInvitation): string {
  const words = reader.words.request
  if (request.status === 'cancelled') return words.cancelled(request.cancelReason)
  if (status === 'submitted') return words.states.submitted
  if (request.status === 'awarded') return words.awarded
  if (request.status === 'closed') return request.acceptLate ? words.lateTaken : words.closed
  return words.states[status]
}

function lineTable({ reader }: Place, { lines }: PortalRequest): string {
  if (lines.length === 0) return ''
  const { whatToPrice, optional } = reader.words.request
  const rows = lines.map(
    ({ description, quantity, unit, required }) =>
      `<tr><th scope="row">${text(description)}${required ? '' : `<small>${text(optional)}</small>`}</th><td class="num">${reader.number(quantity)} ${text(unit)}</td></tr>`,
  )
  return sheet(whatToPrice, `<table><tbody>\n${rows.join('\n')}\n</tbody></table>`)
}

function answerForm({ reader }: Place, { status }: PortalBidInvitation): string {
  const words = reader.words.request
  const [yes, no] = status === 'declined' ? ['', ' checked'] : [' checked', '']
  return `<form class="sheet" method="post"><fieldset class="in"><legend class="q">${text(words.willYouBid)}</legend>
<label class="pick"><input type="radio" name="answer" value="will_bid"${yes}> <span>${text(words.yes)}<br><small>${text(words.yesHint)}</small></span></label>
<label class="pick"><input type="radio" name="answer" value="declined"${no}> <span>${text(words.no)}</span></label>
<div class="f"><label for="why">${text(words.whyNot)} <small>${text(words.optional)}</small></label><input id="why" name="reason" maxlength="1000"></div>
<button class="btn">${text(words.sendAnswer)}</button></fieldset></form>`
}
