import type {
  FieldError,
  PortalAttachment,
  PortalBid,
  PortalBidDraft,
  PortalBidInvitation,
  PortalBidReview,
} from '../../../../client/contract.gen.ts'
import { computeLineTotal } from '../../../platform/values/money.ts'
import { renderAlternateList } from './alternate-list.ts'
import { renderBidSteps } from './bid-steps.ts'
import { renderBidTerms } from './bid-terms.ts'
import { escapeHtml, renderNote } from './html.ts'
import { type PageContext, renderPortalPage, renderSheet } from './page-context.ts'
import { formatDeadline, formatRequestTitle } from './request-page.ts'

export interface ReviewView {
  invitation: PortalBidInvitation
  bid: PortalBid
  draft: PortalBidDraft
  review: PortalBidReview
  files: readonly PortalAttachment[]
}

/** Renders the bid that a vendor is about to submit, with its total and a list of missing entries. */
export function renderReviewPage(place: PageContext, view: ReviewView): string {
  const { reader, root } = place
  const { invitation, bid, draft, review, files } = view
  const words = reader.words.bid
  const price = `${root}/${invitation.id}/price`
  const content = [
    renderBidSteps(place, 2),
    `<div><h1>${escapeHtml(words.checkTitle)}</h1><p class="lead">${escapeHtml(words.nothingSent(formatRequestTitle(place, invitation)))}</p></div>`,
    ...renderReviewNotes(place, view, price),
    renderBidTable(place, view),
    renderAlternateList(place, draft.alternates, bid.currency),
    renderBidTerms(place, draft, files),
    `<form method="post"><button class="btn" name="do" value="discard">${escapeHtml(words.discard)}</button></form>`,
    `<p class="small faint">${escapeHtml(words.untilDeadline(formatDeadline(place, invitation.request)))}</p>`,
  ]
  const amount = review.total === null ? '' : reader.money(review.total, bid.currency)
  const canSend = bid.canBid && review.problems.length === 0
  const send = canSend
    ? `<form method="post"><input type="hidden" name="version" value="${draft.version}">${confirmation(place, view)}<button class="btn go" name="do" value="submit">${escapeHtml(words.send(amount))}</button></form>`
    : ''
  const change = `<a class="btn${canSend ? '' : ' go'}" href="${escapeHtml(price)}">${escapeHtml(words.changeSomething)}</a>`
  return renderPortalPage(place, words.checkTitle, content.join('\n'), send + change)
}

/** Asks the vendor to confirm unusual values, which are negative prices and a bid of zero; empty for all other bids. */
function confirmation({ reader }: PageContext, { draft, review, bid }: ReviewView): string {
  const { sureNegative, sureZero } = reader.words.bid
  const negative = draft.lines.flatMap(({ unitPrice }) => (unitPrice !== null && unitPrice < 0 ? [unitPrice] : []))
  const questions = [
    ...(review.total === 0 ? [sureZero(reader.money(0, bid.currency))] : []),
    ...(negative.length > 0
      ? [
          sureNegative(
            negative
              .map((price) => reader.unitPrice(price, bid.currency))
              .slice(0, 3)
              .join(', '),
          ),
        ]
      : []),
  ]
  if (questions.length === 0) return ''
  return `<input type="hidden" name="unusual" value="ask"><label class="pick"><input type="checkbox" name="sure" value="yes" required> <span>${escapeHtml(questions.join(' '))}</span></label>`
}

/**
 * Renders the errors that prevent the vendor from submitting the bid, followed by entries that the vendor may have
 * forgotten.
 */
function renderReviewNotes(
  { reader }: PageContext,
  { invitation, draft, review }: ReviewView,
  price: string,
): string[] {
  const words = reader.words.bid
  const link = (place: string, shown: string) => `<a href="${escapeHtml(`${price}#${place}`)}">${escapeHtml(shown)}</a>`
  const isOpen = new Set(review.openLineIds)
  const { lines, bidType } = invitation.request
  const open = lines.flatMap((line, i) => (isOpen.has(line.lineId) ? [{ ...line, i }] : []))
  const missing = draft.lines.length > 0 || bidType !== 'lump_sum' ? open : []
  const needed = missing.filter(({ required }) => required && bidType !== 'lump_sum')
  const other = missing.filter((line) => !needed.includes(line))
  const named = (those: typeof open) => those.map(({ description, i }) => link(`p${i}`, description)).join(', ')
  const others = review.problems.filter(({ code }) => code !== 'missing_line')
  return [
    needed.length === 0
      ? ''
      : renderNote('bad', words.open(needed.length), `${escapeHtml(words.openRequired)} ${named(needed)}`),
    // Missing prices of lines have already been reported above.
    ...others.map((problem) => renderNote('bad', describeReviewError({ reader }, problem), link('price', words.mend))),
    other.length === 0
      ? ''
      : renderNote('warn', words.open(other.length), `${escapeHtml(words.openOptional)} ${named(other)}`),
    draft.validUntil === null
      ? renderNote('warn', words.noValidity, `${escapeHtml(words.noValidityHint)} ${link('validUntil', words.addDate)}`)
      : '',
    review.problems.length === 0 && other.length === 0 ? renderNote('ok', words.ready) : '',
  ]
}

function describeReviewError({ reader }: Pick<PageContext, 'reader'>, { pointer, code, message }: FieldError): string {
  const words = reader.words.bid
  if (pointer === '/validUntil') return words.validityPast
  if (pointer === '/amount' && code === 'sum') return words.sumDiffers
  if (pointer.startsWith('/alternates/')) return words.incompleteAlternate(Number(pointer.split('/')[2]) + 1)
  if (code === 'required' || code === 'priced') return words.noPrice
  if (code === 'sum' || code === 'maximum') return words.wrongTotal
  return `${pointer}: ${message}`
}

function renderBidTable({ reader }: PageContext, { invitation, bid, draft, review }: ReviewView): string {
  const words = reader.words.bid
  const requested = new Map(invitation.request.lines.map((line) => [line.lineId, line]))
  const rows = draft.lines.map(({ lineId, description, unitPrice, excluded, alternate, note }) => {
    const line = requested.get(lineId ?? '')
    const { quantity = 1, unit = 'LS' } = line ?? {}
    const count = `${reader.number(quantity)} ${unit}`
    const at = unitPrice === null ? count : words.at(count, reader.unitPrice(unitPrice, bid.currency))
    const small = [at, alternate ? words.alternateLine : null, note].filter((part) => part !== null).join(' · ')
    const price =
      unitPrice === null ? '' : reader.money(computeLineTotal(quantity, unitPrice, bid.currency), bid.currency)
    return `<tr><th scope="row">${escapeHtml(line?.description ?? description ?? '')}<small>${escapeHtml(small)}</small></th><td class="num">${escapeHtml(excluded ? words.notIncluded : price)}</td></tr>`
  })
  const total = review.total === null ? '' : reader.money(review.total, bid.currency)
  const foot = `<tfoot><tr><th scope="row">${escapeHtml(words.total)}</th><td class="num">${escapeHtml(total)}</td></tr></tfoot>`
  return renderSheet(words.yourBid, `<table><tbody>${rows.join('\n')}</tbody>${foot}</table>`)
}
