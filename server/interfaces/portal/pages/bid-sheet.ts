import type { PortalBid, PortalBidInvitation } from '../../../../client/contract.gen.ts'
import { note, text } from './html.ts'
import { type Place, sheet } from './place.ts'

/** Shows the bid that a vendor has submitted, with a button to withdraw it; empty before the first bid. */
export function submittedSheet(
  place: Place,
  { id, request }: PortalBidInvitation,
  { bid, draft, canWithdraw }: PortalBid,
) {
  const { reader, root } = place
  const words = reader.words.bid
  const unsent =
    draft === null
      ? ''
      : note('warn', words.unsentChanges, `<a href="${text(`${root}/${id}/review`)}">${text(words.review)}</a>`)
  if (bid === null) return unsent
  const rows = bid.lines.map(({ description, amount, excluded, alternate }) => {
    const small = alternate ? `<small>${text(words.alternate)}</small>` : ''
    const price = excluded || amount === null ? words.notIncluded : reader.money(amount, bid.currency)
    return `<tr><th scope="row">${text(description)}${small}</th><td class="num">${text(price)}</td></tr>`
  })
  const sent = words.submittedOn(reader.dayOf(bid.submittedAt, request.timeZone))
  const more = bid.revision > 1 ? `${sent}, ${words.revision(bid.revision)}` : sent
  const total = `<tr><th scope="row">${text(words.total)}<small>${text(words.statuses[bid.status])}, ${text(more)}</small></th><td class="num">${text(reader.money(bid.amount, bid.currency))}</td></tr>`
  const table = `<table><tbody>${rows.join('\n')}</tbody><tfoot>${total}</tfoot></table>`
  const withdraw = canWithdraw
    ? `\n<details class="sheet"><summary>${text(words.withdraw)}</summary><form class="in" method="post"><div class="f"><label for="withdraw">${text(words.withdrawWhy)} <small>${text(words.optional)}</small></label><input id="withdraw" name="reason" maxlength="1000"></div><button class="btn no" name="do" value="withdraw">${text(words.withdraw)}</button></form></details>`
    : ''
  return `${unsent}\n${sheet(words.yourBid, table)}${withdraw}`
}
