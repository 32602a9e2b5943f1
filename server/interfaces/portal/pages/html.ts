import type { Address } from '../../../../client/contract.gen.ts'
import { STYLE } from './portal-style.ts'
import type { PageLocale } from './words/page-locale.ts'

/** The parts of a page that surround its content. */
export interface PageFrame {
  reader: PageLocale
  /** The title in the browser tab. */
  title: string
  /** The names of the builder and the vendor; null if the visitor is unknown. */
  between: { builder: string; vendor: string } | null
  /** The path of the portal's overview; null if the page does not link to an overview. */
  overview: string | null
  /** The URL of this page in the other language; null if requesting the page again is not possible. */
  inOtherLanguage: string | null
  content: string
  /** The content of the bar at the bottom of the window. */
  bar?: string
}

const LOGO =
  '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 1v6"/><path d="M9.8 7h4.5v2.5h-4.5zM7.3 10.5h9.5v4.2L12 23l-4.8-8.3z" fill="currentColor" stroke="none"/></svg>'

export function renderPageFrame({
  reader,
  title,
  between,
  overview,
  inOtherLanguage,
  content,
  bar,
}: PageFrame): string {
  const { language, frame } = reader.words
  const other = language === 'en' ? 'es' : 'en'
  const nav = overview === null ? '' : `<nav><a href="${escapeHtml(overview)}">${escapeHtml(frame.overview)}</a></nav>`
  const top =
    between === null
      ? ''
      : `<header class="top">${LOGO}<div><strong>${escapeHtml(between.builder)}</strong><span>${escapeHtml(frame.forWhom(between.vendor))}</span></div>${nav}</header>\n`
  const alone = between === null ? '' : `<span>${escapeHtml(frame.notPassedOn(between.vendor))}</span>`
  const switched =
    inOtherLanguage === null
      ? ''
      : `<span><a href="${escapeHtml(inOtherLanguage)}" lang="${other}" hreflang="${other}">${escapeHtml(frame.otherLanguage)}</a></span>`
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${top}<main>
${content}
</main>
${bar === undefined ? '' : `<div class="bar" role="region" aria-label="${escapeHtml(frame.nextStep)}"><div>${bar}</div></div>\n`}<footer class="by">${alone}${switched}<span>${escapeHtml(frame.sentWith)}</span></footer>
</body>
</html>
`
}

interface NoticeContent {
  title: string
  message: string
  /** The builder that sent the link; null if the builder is unknown. */
  contact: BuilderContact | null
  /** The path of the page to which the Back link leads; null if there is no such link. */
  back: string | null
  /** Whether the page has a form with which a vendor can request its links. */
  canRequestLinks: boolean
}

export interface BuilderContact {
  builder: string
  phone: string | null
}

/** Renders a page that consists of one message and links that help the visitor continue. */
export function renderNoticePage(reader: PageLocale, notice: NoticeContent): string {
  const { title, message, contact, back, canRequestLinks } = notice
  const { links } = reader.words
  const content = [
    `<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(message)}</p>`,
    contact === null ? '' : renderContact(reader, contact),
    back === null ? '' : `<p><a class="btn" href="${escapeHtml(back)}">${escapeHtml(links.back)}</a></p>`,
    canRequestLinks ? renderLinkRequestForm(reader) : '',
  ]
  return renderPageFrame({
    ...{ reader, title, between: null, overview: null, inOtherLanguage: null, content: content.join('\n') },
  })
}

/** Renders the builder's name and the phone number to call. */
export function renderContact({ words: { links } }: PageLocale, { builder, phone }: BuilderContact): string {
  if (phone === null) return `<p>${escapeHtml(links.from(builder))}</p>`
  const number = `<a href="tel:${escapeHtml(phone.replaceAll(/[^\d+,;]/g, ''))}">${escapeHtml(phone)}</a>`
  return `<p>${escapeHtml(links.from(builder))} ${escapeHtml(links.call)} ${number}</p>`
}

/** Renders the form with which a vendor requests an email with its links. */
export function renderLinkRequestForm({ words: { links } }: PageLocale): string {
  const email = renderField(
    'email',
    links.email,
    '<input id="email" name="email" type="email" autocomplete="email" maxlength="254" required>',
  )
  return `<form class="sheet in" method="post" action="/portal/links"><p>${escapeHtml(links.ask)}</p>${email}<button class="btn go">${escapeHtml(links.send)}</button></form>`
}

/** Renders labeled values in bordered cells. Leaves out entries without a value. */
export function renderFacts(facts: readonly (Fact | null)[]): string {
  const shown = facts.filter((fact) => fact !== null)
  const items = shown.map(
    ({ name, value, more, wide = false, isAmount = false }) =>
      `<div${wide ? ' class="all"' : ''}><dt>${escapeHtml(name)}</dt><dd class="${isAmount ? 'num' : 'pre'}">${escapeHtml(value)}${more === undefined || more === '' ? '' : `<small>${escapeHtml(more)}</small>`}</dd></div>`,
  )
  return shown.length === 0 ? '' : `<dl class="cells">${items.join('')}</dl>`
}

export interface Fact {
  name: string
  value: string
  more?: string | undefined
  wide?: boolean
  /** Whether the value is an amount, which is never broken into two lines. */
  isAmount?: boolean
}

export function toFact(name: string, value: string | null, rest: Partial<Fact> = {}): Fact | null {
  return value === null ? null : { name, value, ...rest }
}

export function renderNote(tone: 'ok' | 'warn' | 'bad', strong: string, rest = ''): string {
  // Moves the focus to an error, so that screen readers announce the error first.
  const role = tone === 'bad' ? ' role="alert" tabindex="-1" autofocus' : ''
  return `<div class="note ${tone}"${role}><p><strong>${escapeHtml(strong)}</strong>${rest === '' ? '' : ` ${rest}`}</p></div>`
}

export function renderField(id: string, label: string, control: string, hint = ''): string {
  return `<div class="f"><label for="${id}">${escapeHtml(label)}${hint === '' ? '' : ` <small>${escapeHtml(hint)}</small>`}</label>${control}</div>`
}

export function toAddressLines(address: Address | null): string[] {
  if (address === null) return []
  return [address.line1, address.line2, address.city, address.state, address.postalCode].filter((part) => part !== null)
}

export function formatFileSize(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for an element or a quoted attribute. */
export function escapeHtml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
