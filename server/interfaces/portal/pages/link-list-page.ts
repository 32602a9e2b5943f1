import type { VendorLink } from '../link-list/vendor-links.ts'
import { escapeHtml, renderLinkRequestForm, renderNote, renderPageFrame } from './html.ts'
import type { PageLocale } from './words/page-locale.ts'

/**
 * Renders the form with which a vendor requests an email with its links, or the confirmation that the email was sent.
 */
export function renderLinkRequestPage(reader: PageLocale, done: unknown): string {
  const { links } = reader.words
  const notes = {
    sent: renderNote('ok', links.sent, escapeHtml(links.sentHint)),
    wrong: renderNote('bad', links.wrong),
    used: renderNote('warn', links.used, escapeHtml(links.usedHint)),
  }
  const note = done === 'sent' || done === 'wrong' || done === 'used' ? notes[done] : ''
  const form = done === 'sent' ? '' : renderLinkRequestForm(reader)
  // The link to the other language opens the same path without the confirmation, so the confirmation has no such link.
  return renderListFrame(reader, links.title, `${note}${form}`, { isInOtherLanguage: done !== 'sent' })
}

/**
 * Renders the page for an emailed one-time link. Only the button on the page uses up the link, because programs may
 * open links on their own.
 */
export function renderConfirmPage(reader: PageLocale): string {
  const { links } = reader.words
  const button = `<form method="post"><button class="btn go">${escapeHtml(links.show)}</button></form>`
  return renderListFrame(reader, links.title, `<p>${escapeHtml(links.showHint)}</p>${button}`)
}

/** Renders the list of links for a confirmed email address, grouped by builder. */
export function renderLinkListPage(reader: PageLocale, email: string, links: readonly VendorLink[]): string {
  const words = reader.words.links
  const rows = links.map(({ builder, companyName, subjectId, request }) => {
    const what = request === null ? words.whole : `${request.number} · ${request.title ?? reader.tradeName(request)}`
    const label = `${words.open}<span class="sr"> ${escapeHtml(`${builder}, ${what}`)}</span>`
    return `<li><div><strong>${escapeHtml(builder)}</strong><div>${escapeHtml(what)}</div><small>${escapeHtml(reader.words.frame.forWhom(companyName))}</small></div><form method="post"><input type="hidden" name="link" value="${escapeHtml(subjectId)}"><button class="btn go" name="do" value="open">${label}</button></form></li>`
  })
  const list =
    rows.length === 0
      ? `<p>${escapeHtml(words.none)}</p>`
      : `<section class="sheet"><ul class="rows">${rows.join('\n')}</ul></section>`
  const forget = `<form method="post"><button class="btn" name="do" value="forget">${escapeHtml(words.forget)}</button></form>`
  return renderListFrame(reader, words.title, `<p class="lead">${escapeHtml(words.of(email))}</p>${list}${forget}`)
}

function renderListFrame(
  reader: PageLocale,
  title: string,
  content: string,
  { isInOtherLanguage = true } = {},
): string {
  const inOtherLanguage = isInOtherLanguage ? `?language=${reader.words.language === 'en' ? 'es' : 'en'}` : null
  return renderPageFrame({
    ...{ reader, title, between: null, overview: null, inOtherLanguage },
    content: `<h1>${escapeHtml(title)}</h1>\n${content}`,
  })
}
