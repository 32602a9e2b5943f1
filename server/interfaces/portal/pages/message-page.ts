import type { PortalMessage } from '../../../../client/contract.gen.ts'
import { escapeHtml, renderField } from './html.ts'
import { type PageContext, renderPortalPage } from './page-context.ts'

/** Renders a message with a form to reply. */
export function renderMessagePage(place: PageContext, { isOwn, content: { subject, body } }: PortalMessage): string {
  const { reader, builder } = place
  const words = reader.words.message
  const title = subject ?? words.title
  const area = '<textarea id="body" name="body" rows="6" maxlength="5000" required></textarea>'
  const content = `<div><p class="lead">${escapeHtml(isOwn ? words.youWrote(builder) : words.writes(builder))}</p><h1>${escapeHtml(title)}</h1></div>
<p class="sheet in pre">${escapeHtml(body)}</p>
<form class="sheet in" method="post">${renderField('body', words.answer, area)}<button class="btn go">${escapeHtml(words.send)}</button></form>`
  return renderPortalPage(place, title, content)
}
