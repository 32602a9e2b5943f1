import type {
  FieldError,
  PortalAttachment,
  PortalBid,
  PortalBidDraft,
  PortalBidInvitation,
  PortalBidReview,
} from '../../../../client/contract.gen.ts'
import { lineTotal } from '../../../platform/values/money.ts'
import { note, text } from './html.ts'
import { framed, type Place, sheet } from './place.ts'
import { deadlineOf, titleOf } from './request.ts'
import { steps } from './steps.ts'

export interface ReviewView {
  invitation: PortalBidInvitation
  bid: PortalBid
  draft: PortalBidDraft
  review: PortalBidReview
  files: readonly PortalAttachment[]
}

/** Renders the bid that a vendor is about to submit: the total, and the missing entries. */
export function reviewPage(place: Place, view: ReviewView): string {
  const { reader, root } = place
  const { invitation, bid, draft, review } = view
  const words = reader.words.bid
  const price = `${root}/${invitation.id}/price`
  const content = [
    steps(place, 2),
    `<div><h1>${text(words.checkTitle)}</h1><p class="lead">${text(words.nothingSent(titleOf(invitation)))}</p></div>`,
    ...notes(place, view, price),
    bidTable(place, view),
    terms(place, view),
    `<form method="post"><button class="btn" name="do" value="discard">${text(words.discard)}</button></form>`,
    `<p class="small faint">${text(words.untilDeadline(deadlineOf(place, invitation.request)))}</p>`,
  ]
  const amount = review.total === null ? '' : reader.money(review.total, bid.currency)
  const canSend = bid.canBid && review.problems.length === 0
  const send = canSend
    ? `<form method="post"><input type="hidden" name="version" value="${draft.version}"><button class="btn go" name="do" value="submit">${text(words.send(amount))}</button></form>`
    : ''
  const change = `<a class="btn${canSend ? '' : ' go'}" href="${text(price)}">${text(words.changeSomething)}</a>`
  return framed(place, words.checkTitle, content.join('\n'), send + change)
}

/** Returns the errors that prevent submitting, followed by entries that may have been forgotten. */
function notes({ reader }: Place, { invitation, draft, review }: ReviewView, price: string): string[] {
  const words = reader.words.bid
  const link = (place: string, shown: string) => `<a href="${text(`${price}#${place}`)}">${text(shown)}</a>`
  const isOpen = new Set(review.openLineIds)
  const { lines, bidType } = invitation.request
  const open = lines.flatMap((line, i) => (isOpen.has(line.lineId) ? [{ ...line, i }] : []))
  const missing = draft.lines.length > 0 || bidType !== 'lump_sum' ? open : []
  const needed = missing.filter(({ required }) => required && bidType !== 'lump_sum')
  const other = missing.filter((line) => !needed.includes(line))
  const named = (those: typeof open) => those.map(({ description, i }) => link(`p${i}`, description)).join(', ')
  const others = review.problems.filter(({ code }) => code !== 'missing_line')
  return [
    needed.length === 0 ? '' : note('bad', words.open(needed.length), `${text(words.openRequired)} ${named(needed)}`),
    // If a line has no price, the missing price has already been reported.
    ...others.map((problem) => note('bad', said({ reader }, problem), link('price', words.mend))),
    other.length === 0 ? '' : note('warn', words.open(other.length), `${text(words.openOptional)} ${named(other)}`),
    draft.validUntil === null
      ? note('warn', words.noValidity, `${text(words.noValidityHint)} ${link('validUntil', words.addDate)}`)
      : '',
    review.problems.length === 0 && other.length === 0 ? note('ok', words.ready) : '',
  ]
}

function said({ reader }: Pick<Place, 'reader'>, { pointer, code, message }: FieldError): string {
  const words = reader.words.bid
  if (pointer === '/validUntil') return words.validityPast
  if (code === 'required' || code === 'priced') return words.noPrice
  if (code === 'sum' || code === 'maximum') return words.wrongTotal
  return `${pointer}: ${message}`
}

function bidTable({ reader }: Place, { invitation, bid, draft, review }: ReviewView): string {
  const words = reader.words.bid
  const asked = new Map(invitation.request.lines.map((line) => [line.lineId, line]))
  const rows = draft.lines.map(({ lineId, description, unitPrice, excluded, alternate, note }) => {
    const line = asked.get(lineId ?? '')
    const { quantity = 1, unit = 'LS' } = line ?? {}
    const count = `${reader.number(quantity)} ${unit}`
    const at = unitPrice === null ? count : words.at(count, reader.unitPrice(unitPrice, bid.currency))
    const small = [at, alternate ? words.alternate : null, note].filter((part) => part !== null).join(' · ')
    const price = unitPrice === null ? '' : reader.money(lineTotal(quantity, unitPrice, bid.currency), bid.currency)
    return `<tr><th scope="row">${text(line?.description ?? description ?? '')}<small>${text(small)}</small></th><td class="num">${text(excluded ? words.notIncluded : price)}</td></tr>`
  })
  const total = review.total === null ? '' : reader.money(review.total, bid.currency)
  const foot = `<tfoot><tr><th scope="row">${text(words.total)}</th><td class="num">${text(total)}</td></tr></tfoot>`
  return sheet(words.yourBid, `<table><tbody>${rows.join('\n')}</tbody>${foot}</table>`)
}

function terms({ reader }: Place, { draft, files }: ReviewView): string {
  const words = reader.words.bid
  const facts = [
    [words.canStart, draft.leadTimeDays === null ? null : words.dayCount(draft.leadTimeDays)],
    [words.takes, draft.durationDays === null ? null : words.dayCount(draft.durationDays)],
    [words.validUntil, draft.validUntil === null ? null : reader.longDate(draft.validUntil)],
    [words.exclusions, draft.exclusions],
    [words.inclusions, draft.inclusions],
    [words.remark, draft.note],
    [words.files, files.length === 0 ? null : files.map(({ fileName }) => fileName).join(', ')],
  ] as const
  const items = facts.flatMap(([name, value]) =>
    value === null ? [] : [`<div><dt>${text(name)}</dt><dd class="pre">${text(value)}</dd></div>`],
  )
  return items.length === 0 ? '' : `<section class="sheet"><dl class="in">${items.join('')}</dl></section>`
}
