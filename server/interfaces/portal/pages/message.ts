import type { PortalMessage } from '../../../../client/contract.gen.ts'
import { field, text } from './html.ts'
import { framed, type Place } from './place.ts'

/** Renders a message with a form to reply. */
export function messagePage(place: Place, { isOwn, content: { subject, body } }: PortalMessage): string {
  const { reader, builder } = place
  const words = reader.words.message
  const title = subject ?? words.title
  const area = '<textarea id="body" name="body" rows="6" maxlength="5000" required></textarea>'
  const content = `<div><p class="lead">${text(isOwn ? words.youWrote(builder) : words.writes(builder))}</p><h1>${text(title)}</h1></div>
<p class="sheet in pre">${text(body)}</p>
<form class="sheet in" method="post">${field('body', words.answer, area)}<button class="btn go">${text(words.send)}</button></form>`
  return framed(place, title, content)
}
