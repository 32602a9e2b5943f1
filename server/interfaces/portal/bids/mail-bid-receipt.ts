import { hasSealedAmounts } from '../../../domain/bidding/bid-requests/bid-request.ts'
import type { BidRequestRow } from '../../../domain/bidding/bid-requests/queries.ts'
import type { BidRow } from '../../../domain/bidding/bids/queries.ts'
import { queueMails } from '../../../domain/office/mail/queue-mails.ts'
import { toRequestValues } from '../../../domain/vendors/vendors/notice-mails.ts'
import * as vendors from '../../../domain/vendors/vendors/queries.ts'
import { listRecipients } from '../../../domain/vendors/vendors/vendor.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { findLinkUrls } from '../../../platform/keys/portal-links.ts'
import { formatAmount, formatDate } from '../../../platform/values/format.ts'

/** The maximum number of lines in the email. The email links to the page that shows the complete bid. */
const MAX_LINES = 100

/** Sends the vendor an email that confirms the bid that it just submitted. */
export async function mailBidReceipt(
  call: WriteCall,
  invitationId: string,
  request: BidRequestRow,
  bid: BidRow,
): Promise<void> {
  const vendor = await vendors.find(call, bid.vendorId)
  const links = await findLinkUrls(call, [invitationId, vendor.id])
  await queueMails(call, [
    {
      ...{ kind: 'bid_receipt', to: listRecipients(vendor), vendorId: vendor.id, aboutId: bid.id },
      replySubjectId: invitationId,
      link: links.get(invitationId) ?? links.get(vendor.id) ?? null,
      values: {
        'vendor.companyName': vendor.companyName,
        ...toRequestValues(request),
        // The builder can read the email, so it must not contain amounts that are hidden from the builder.
        'bid.summary': hasSealedAmounts(request) ? null : describeBid(bid),
      },
    },
  ])
}

function describeBid(bid: BidRow): string {
  const money = (amount: number) => formatAmount(amount, bid.currency)
  const lines = bid.lines.slice(0, MAX_LINES).map(({ description, amount, alternate }) => {
    const name = alternate ? `${description} (alternate, not in the total)` : description
    return `${name}: ${amount === null ? 'not included' : money(amount)}`
  })
  const alternates = bid.alternates.map(({ description, amount }) =>
    amount === null ? description : `${description}: ${amount < 0 ? 'deduct' : 'add'} ${money(Math.abs(amount))}`,
  )
  const rest = bid.lines.length > MAX_LINES ? [`and ${bid.lines.length - MAX_LINES} more lines`] : []
  return [
    ...[`Total: ${money(bid.amount)}`, ...(bid.revision > 1 ? [`Revision ${bid.revision}`] : [])],
    ...(bid.validUntil === null ? [] : [`Valid until ${formatDate(bid.validUntil)}`]),
    ...(lines.length === 0 ? [] : ['', 'Prices', ...lines, ...rest]),
    ...(alternates.length === 0 ? [] : ['', 'Alternates, not in the total', ...alternates]),
    ...(bid.exclusions === null ? [] : ['', 'Not in the price', bid.exclusions]),
  ].join('\n')
}
