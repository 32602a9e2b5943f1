import type { PortalMessage } from '../../../../client/contract.gen.ts'
import { escapeHtml, renderField } from './html.ts'
import { getTypedValue, isSentWithButton, type PageContext, renderPortalPage } from './page-context.ts'

/** Renders the form for a new message to the builder. */
export function renderNewMessagePage(place: PageContext): string {
  const words = place.reader.words.message
  const { optional } = place.reader.words.bid
  const subject = `<input id="subject" name="subject" maxlength="200" value="${getTypedValue(place, 'subject')}">`
  const content = `<h1>${escapeHtml(words.new)}</h1>
<form class="sheet in" method="post">${renderField('subject', words.subject, subject, optional)}
${renderField('body', words.text, renderTextArea(place))}<button class="btn go">${escapeHtml(words.send)}</button></form>`
  return renderPortalPage(place, words.new, content)
}

/** Renders the form for a question about the request that the page shows. */
export function renderQuestionForm(place: PageContext): string {
  const words = place.reader.words.message
  const open = isSentWithButton(place, 'do', 'ask') ? ' open' : ''
  return `<details class="sheet"${open}><summary>${escapeHtml(words.question)}</summary><form class="in" method="post">${renderField('body', words.yourQuestion, renderTextArea(place), words.onlyBuilder)}<button class="btn" name="do" value="ask">${escapeHtml(words.sendQuestion)}</button></form></details>`
}

function renderTextArea(place: PageContext): string {
  return `<textarea id="body" name="body" rows="6" maxlength="5000" required>${getTypedValue(place, 'body')}</textarea>`
}

/** Renders the thread of a message, oldest first, with a form to reply. */
export function renderMessagePage(
  place: PageContext,
  { content: { subject } }: PortalMessage,
  thread: readonly PortalMessage[],
): string {
  const { reader, builder } = place
  const words = reader.words.message
  const title = subject ?? words.title
  const written = thread.map(
    ({ isOwn, content: { body } }) =>
      `<section class="sheet in"><p class="small faint">${escapeHtml(isOwn ? words.youWrote(builder) : words.writes(builder))}</p><p class="pre">${escapeHtml(body)}</p></section>`,
  )
  const content = `<h1>${escapeHtml(title)}</h1>
${written.join('\n')}
<form class="sheet in" method="post">${renderField('body', words.answer, renderTextArea(place))}<button class="btn go">${escapeHtml(words.send)}</button></form>`
  return renderPortalPage(place, title, content)
}
