import type { Message } from '../../../client/contract.gen.ts'
import { escapeHtml, renderField } from '../portal/pages/html.ts'
import { getTypedValue } from '../portal/pages/page-context.ts'
import { type OwnerPage, renderOwnerPage } from './owner-page.ts'

/** Renders the form for a new message to the builder. */
export function renderMessageFormPage(place: OwnerPage): string {
  const words = place.reader.words.message
  const subject = `<input id="subject" name="subject" maxlength="200" value="${getTypedValue(place, 'subject')}">`
  const content = `<h1>${escapeHtml(place.words.overview.write)}</h1>
<form class="sheet in" method="post">${renderField('subject', words.subject, subject, place.reader.words.bid.optional)}
${renderField('body', words.text, renderBodyField(place))}<button class="btn go">${escapeHtml(words.send)}</button></form>`
  return renderOwnerPage(place, place.words.overview.write, content)
}

/** Renders a thread with a form to reply, oldest message first. */
export function renderThreadPage(place: OwnerPage, thread: readonly Message[]): string {
  const words = place.reader.words.message
  const title = thread.find(({ subject }) => subject !== null)?.subject ?? words.title
  const written = thread.map(
    ({ sender, body }) =>
      `<section class="sheet in"><p class="small faint">${escapeHtml(sender.type === 'home_owner' ? words.youWrote(place.builder) : words.writes(place.builder))}</p><p class="pre">${escapeHtml(body)}</p></section>`,
  )
  const content = `<h1>${escapeHtml(title)}</h1>
${written.join('\n')}
<form class="sheet in" method="post">${renderField('body', words.answer, renderBodyField(place))}<button class="btn go">${escapeHtml(words.send)}</button></form>`
  return renderOwnerPage(place, title, content)
}

function renderBodyField(place: OwnerPage): string {
  return `<textarea id="body" name="body" rows="6" maxlength="5000" required>${getTypedValue(place, 'body')}</textarea>`
}
