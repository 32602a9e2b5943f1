import type {
  PortalAttachment,
  PortalBid,
  PortalBidInvitation,
  PortalSubmittedBid,
} from '../../../../client/contract.gen.ts'
import { renderAlternateList } from './alternate-list.ts'
import { renderBidTerms } from './bid-terms.ts'
import { escapeHtml, renderNote } from './html.ts'
import { type PageContext, renderSheet } from './page-context.ts'

/** Renders the bid that a vendor has submitted, with a button to withdraw the bid; empty before the first bid. */
export function renderSubmittedBid(
  place: PageContext,
  { id, request }: PortalBidInvitation,
  { bid, draft, canWithdraw }: PortalBid,
  files: readonly PortalAttachment[],
) {
  const { reader, root } = place
  const words = reader.words.bid
  const unsent =
    draft === null
      ? ''
      : renderNote(
          'warn',
          words.unsentChanges,
          `<a href="${escapeHtml(`${root}/${id}/review`)}">${escapeHtml(words.review)}</a>`,
        )
  if (bid === null) return unsent
  const toReceipt = ` <a href="${escapeHtml(`${root}/${id}/receipt`)}">${escapeHtml(words.receipt)}</a>`
  const withdraw = canWithdraw
    ? `\n<details class="sheet"><summary>${escapeHtml(words.withdraw)}</summary><form class="in" method="post"><div class="f"><label for="withdraw">${escapeHtml(words.withdrawWhy)} <small>${escapeHtml(words.optional)}</small></label><input id="withdraw" name="reason" maxlength="1000"></div><button class="btn no" name="do" value="withdraw">${escapeHtml(words.withdraw)}</button></form></details>`
    : ''
  return `${unsent}\n${renderBidDetails(place, request, bid, files, toReceipt)}${withdraw}`
}

/** Renders everything that a vendor has submitted with its bid. */
export function renderBidDetails(
  place: PageContext,
  request: PortalBidInvitation['request'],
  bid: PortalSubmittedBid,
  files: readonly PortalAttachment[],
  /** A link in the heading of the prices. */
  link = '',
): string {
  const { reader } = place
  const words = reader.words.bid
  const rows = bid.lines.map(({ description, quantity, unit, unitPrice, amount, excluded, alternate, note }) => {
    const count = `${reader.number(quantity)} ${unit}`
    const at = unitPrice === null ? count : words.at(count, reader.unitPrice(unitPrice, bid.currency))
    const details = [at, alternate ? words.alternateLine : null, note].filter((part) => part !== null).join(' · ')
    const small = `<small>${escapeHtml(details)}</small>`
    const price = excluded || amount === null ? words.notIncluded : reader.money(amount, bid.currency)
    return `<tr><th scope="row">${escapeHtml(description)}${small}</th><td class="num">${escapeHtml(price)}</td></tr>`
  })
  const sent = words.submittedOn(reader.dayOf(bid.submittedAt, request.timeZone))
  const more = bid.revision > 1 ? `${sent}, ${words.revision(bid.revision)}` : sent
  const state = bid.status === 'submitted' ? more : `${words.statuses[bid.status]}, ${more}`
  const total = `<tr><th scope="row">${escapeHtml(words.total)}<small>${escapeHtml(state)}</small></th><td class="num">${escapeHtml(reader.money(bid.amount, bid.currency))}</td></tr>`
  const table = `<table><tbody>${rows.join('\n')}</tbody><tfoot>${total}</tfoot></table>`
  return `${renderSheet(words.yourBid, table, link)}\n${renderAlternateList(place, bid.alternates, bid.currency)}\n${renderBidTerms(place, bid, files)}`
}
