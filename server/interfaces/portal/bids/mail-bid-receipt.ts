import { hasSealedAmounts } from '../../../domain/bidding/bid-requests/bid-request.ts'
import type { BidRequestRow } from '../../../domain/bidding/bid-requests/queries.ts'
import type { BidRow } from '../../../domain/bidding/bids/queries.ts'
import { queueMails } from '../../../domain/office/mail/queue-mails.ts'
import type { MailLocale } from '../../../domain/office/message-templates/mail-locale.ts'
import { findSpanishScope } from '../../../domain/vendors/scopes/queries.ts'
import { toRequestValues } from '../../../domain/vendors/vendors/notice-mails.ts'
import * as vendors from '../../../domain/vendors/vendors/queries.ts'
import { listRecipients } from '../../../domain/vendors/vendors/vendor.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { findLinkUrls } from '../../../platform/keys/portal-links.ts'
import { createPageLocale } from '../pages/words/page-locale.ts'

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
  const mailed = { ...request, spanishScope: await findSpanishScope(call, request.scope) }
  const links = await findLinkUrls(call, [invitationId, vendor.id])
  await queueMails(call, [
    {
      ...{ kind: 'bid_receipt', to: listRecipients(vendor), vendorId: vendor.id, aboutId: bid.id },
      replySubjectId: invitationId,
      link: links.get(invitationId) ?? links.get(vendor.id) ?? null,
      values: (locale) => ({
        'vendor.companyName': vendor.companyName,
        ...toRequestValues(mailed, locale),
        // The builder can read the email, so it must not contain amounts that are hidden from the builder.
        'bid.summary': hasSealedAmounts(request) ? null : describeBid(call, bid, locale),
      }),
    },
  ])
}

function describeBid(call: WriteCall, bid: BidRow, { language, date }: MailLocale): string {
  const { words, money: format } = createPageLocale(language, call.now)
  const { receipt } = words.mailed
  const money = (amount: number) => format(amount, bid.currency)
  const lines = bid.lines.slice(0, MAX_LINES).map(({ description, amount, alternate }) => {
    const name = alternate ? receipt.alternateLine(description) : description
    return `${name}: ${amount === null ? receipt.notIncluded : money(amount)}`
  })
  const alternates = bid.alternates.map(({ description, amount }) => {
    if (amount === null) return description
    return `${description}: ${receipt[amount < 0 ? 'deduct' : 'add'](money(Math.abs(amount)))}`
  })
  const rest = bid.lines.length > MAX_LINES ? [receipt.more(bid.lines.length - MAX_LINES)] : []
  return [
    ...[`${words.bid.total}: ${money(bid.amount)}`, ...(bid.revision > 1 ? [receipt.revision(bid.revision)] : [])],
    ...(bid.validUntil === null ? [] : [receipt.validUntil(date(bid.validUntil))]),
    ...(lines.length === 0 ? [] : ['', receipt.prices, ...lines, ...rest]),
    ...(alternates.length === 0 ? [] : ['', receipt.alternates, ...alternates]),
    ...(bid.exclusions === null ? [] : ['', receipt.exclusions, bid.exclusions]),
  ].join('\n')
}
