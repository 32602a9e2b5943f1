import type { PortalBid, PortalBidInvitation } from '../../../../client/contract.gen.ts'
import { escapeHtml, renderNote } from './html.ts'
import { type PageContext, renderSheet } from './page-context.ts'

/** Shows the bid that a vendor has submitted, with a button to withdraw it; empty before the first bid. */
export function renderSubmittedBid(
  place: PageContext,
  { id, request }: PortalBidInvitation,
  { bid, draft, canWithdraw }: PortalBid,
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
  const rows = bid.lines.map(({ description, amount, excluded, alternate }) => {
    const small = alternate ? `<small>${escapeHtml(words.alternate)}</small>` : ''
    const price = excluded || amount === null ? words.notIncluded : reader.money(amount, bid.currency)
    return `<tr><th scope="row">${escapeHtml(description)}${small}</th><td class="num">${escapeHtml(price)}</td></tr>`
  })
  const sent = words.submittedOn(reader.dayOf(bid.submittedAt, request.timeZone))
  const more = bid.revision > 1 ? `${sent}, ${words.revision(bid.revision)}` : sent
  const total = `<tr><th scope="row">${escapeHtml(words.total)}<small>${escapeHtml(words.statuses[bid.status])}, ${escapeHtml(more)}</small></th><td class="num">${escapeHtml(reader.money(bid.amount, bid.currency))}</td></tr>`
  const table = `<table><tbody>${rows.join('\n')}</tbody><tfoot>${total}</tfoot></table>`
  const withdraw = canWithdraw
    ? `\n<details class="sheet"><summary>${escapeHtml(words.withdraw)}</summary><form class="in" method="post"><div class="f"><label for="withdraw">${escapeHtml(words.withdrawWhy)} <small>${escapeHtml(words.optional)}</small></label><input id="withdraw" name="reason" maxlength="1000"></div><button class="btn no" name="do" value="withdraw">${escapeHtml(words.withdraw)}</button></form></details>`
    : ''
  return `${unsent}\n${renderSheet(words.yourBid, table)}${withdraw}`
}
