import type { PortalAttachment, PortalBidInvitation, PortalSubmittedBid } from '../../../../client/contract.gen.ts'
import { renderBidDetails } from './bid-sheet.ts'
import { escapeHtml, renderFacts, toFact } from './html.ts'
import { type PageContext, renderPortalPage } from './page-context.ts'
import { formatRequestTitle } from './request-page.ts'

/** Renders a receipt for the vendor's bid, which the vendor can print or save. */
export function renderReceiptPage(
  place: PageContext,
  invitation: PortalBidInvitation,
  bid: PortalSubmittedBid,
  files: readonly PortalAttachment[],
): string {
  const { reader, builder, vendor } = place
  const words = reader.words.bid
  const { request, community } = invitation
  const where = [community.name, community.city].filter((part) => part !== null).join(', ')
  const content = [
    `<div><h1>${escapeHtml(words.receiptTitle)}</h1><p class="lead">${escapeHtml(`${words.receiptFor(builder)} · ${vendor}`)}</p></div>`,
    `<p class="lead">${escapeHtml(`${formatRequestTitle(place, invitation)} · ${reader.words.request.number(request.number, where)}`)}</p>`,
    renderFacts([
      toFact(words.sentAt, reader.timeOf(bid.submittedAt, request.timeZone), { wide: true }),
      toFact(words.bidNumber, bid.id, { wide: true }),
    ]),
    renderBidDetails(place, request, bid, files),
    `<p class="small faint no-print">${escapeHtml(words.printHint)}</p>`,
  ]
  return renderPortalPage(place, words.receiptTitle, content.join('\n'))
}
