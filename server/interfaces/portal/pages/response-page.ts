import type { PortalAnswer, PortalBidInvitation } from '../../../../client/contract.gen.ts'
import { escapeHtml, renderField } from './html.ts'
import { type PageContext, renderPortalPage } from './page-context.ts'
import { formatDeadline, formatRequestTitle } from './request-page.ts'

/** Renders the page on which a vendor confirms the response that it chose in an invitation email. */
export function renderResponsePage(
  place: PageContext,
  invitation: PortalBidInvitation,
  answer: PortalAnswer['answer'],
): string {
  const { reader, root, builder, vendor } = place
  const words = reader.words.request
  const willBid = answer === 'will_bid'
  const action = `${root}/${invitation.id}`
  const why = willBid
    ? ''
    : renderField('why', words.whyPass, '<input id="why" name="reason" maxlength="1000">', words.optional)
  const button = `<button class="btn ${willBid ? 'go' : 'no'}" name="answer" value="${answer}">${escapeHtml(willBid ? words.yes : words.no)}</button>`
  const content = [
    `<div><p class="lead">${escapeHtml(words.asks(builder, vendor))}</p><h1>${escapeHtml(formatRequestTitle(place, invitation))}</h1><p class="lead">${escapeHtml(`${words.due}: ${formatDeadline(place, invitation.request)}`)}</p></div>`,
    `<form class="sheet in" method="post" action="${escapeHtml(action)}"><p>${escapeHtml(willBid ? words.confirmYes : words.confirmNo)}</p>${why}${button}</form>`,
    `<p><a class="btn" href="${escapeHtml(action)}">${escapeHtml(words.readFirst)}</a></p>`,
  ]
  return renderPortalPage(place, formatRequestTitle(place, invitation), content.join('\n'))
}
