import type { Notice } from '../portal/forms/problem-notices.ts'
import { escapeHtml, renderField, renderNote, renderPageFrame } from '../portal/pages/html.ts'
import type { PageLocale } from '../portal/pages/words/page-locale.ts'
import { chooseWords } from './owner-page.ts'

export const OWNER_PAGE = '/owner'

/** What happened to the last request. */
export type LinkRequestNote = 'sent' | 'wrong' | 'used'

export function toLinkRequestNote(value: unknown): LinkRequestNote | null {
  return value === 'sent' || value === 'wrong' || value === 'used' ? value : null
}

/** Renders the form with which an owner requests a new link by email, or the confirmation that it was sent. */
export function renderLinkRequestPage(reader: PageLocale, note: LinkRequestNote | null): string {
  const { link } = chooseWords({ reader })
  const notes = {
    sent: renderNote('ok', link.sent, escapeHtml(link.sentHint)),
    wrong: renderNote('bad', link.wrong),
    used: renderNote('warn', link.used, escapeHtml(link.usedHint)),
  }
  const shown = note === null ? '' : notes[note]
  return renderFrame(reader, link.title, `${shown}${note === 'sent' ? '' : renderForm(reader)}`)
}

/** Renders why a link does not work, with the form to request a new one. */
export function renderLostLinkPage(reader: PageLocale, notice: Notice): string {
  const [title = '', message = ''] = reader.words.notices[notice]
  return renderFrame(reader, title, `<p>${escapeHtml(message)}</p>${renderForm(reader)}`)
}

function renderForm(reader: PageLocale): string {
  const { link } = chooseWords({ reader })
  const email = renderField(
    'email',
    link.email,
    '<input id="email" name="email" type="email" autocomplete="email" maxlength="254" required>',
  )
  return `<form class="sheet in" method="post" action="${OWNER_PAGE}"><p>${escapeHtml(link.ask)}</p>${email}<button class="btn go">${escapeHtml(link.send)}</button></form>`
}

/** Renders the page behind an emailed one-time link. Only its button uses the link up, because programs open links too. */
export function renderLinkConfirmPage(reader: PageLocale): string {
  const { link } = chooseWords({ reader })
  const button = `<form method="post"><button class="btn go">${escapeHtml(link.open)}</button></form>`
  return renderFrame(reader, link.title, `<p>${escapeHtml(link.openHint)}</p>${button}`)
}

function renderFrame(reader: PageLocale, title: string, content: string): string {
  return renderPageFrame({
    ...{ reader, title, between: null, overview: null, inOtherLanguage: null },
    content: `<h1>${escapeHtml(title)}</h1>\n${content}`,
  })
}
