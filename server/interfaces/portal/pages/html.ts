import type { Address } from '../../../../client/contract.gen.ts'
import { STYLE } from './portal-style.ts'
import type { Reader } from './reader.ts'

/** The frame and the components that all pages share. */
export interface PageFrame {
  reader: Reader
  /** The title in the browser. */
  title: string
  /** The builder and vendor of the page; null if the visitor is unknown. */
  between: { builder: string; vendor: string } | null
  /** The path of the overview above this page; null if there is none. */
  overview: string | null
  /** The URL of this page in the other language; null for a page that cannot be requested again. */
  inOtherLanguage: string | null
  content: string
  /** The content of the bar at the bottom of the window. */
  bar?: string
}

const LOGO =
  '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 1v6"/><path d="M9.8 7h4.5v2.5h-4.5zM7.3 10.5h9.5v4.2L12 23l-4.8-8.3z" fill="currentColor" stroke="none"/></svg>'

export function renderPage({ reader, title, between, overview, inOtherLanguage, content, bar }: PageFrame): string {
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

/** Renders a page that consists of one message. */
export function renderNoticePage(reader: Reader, title: string, message: string): string {
  const content = `<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(message)}</p>`
  return renderPage({ reader, title, between: null, overview: null, inOtherLanguage: null, content })
}

/** Renders facts in ruled cells, without those that have no value. */
export function renderFacts(facts: readonly (Fact | null)[]): string {
  const shown = facts.filter((fact) => fact !== null)
  const items = shown.map(
    ({ name, value, more, wide = false }) =>
      `<div${wide ? ' class="all"' : ''}><dt>${escapeHtml(name)}</dt><dd class="pre">${escapeHtml(value)}${more === undefined || more === '' ? '' : `<small>${escapeHtml(more)}</small>`}</dd></div>`,
  )
  return shown.length === 0 ? '' : `<dl class="cells">${items.join('')}</dl>`
}

export interface Fact {
  name: string
  value: string
  more?: string | undefined
  wide?: boolean
}

export function toFact(name: string, value: string | null, rest: Partial<Fact> = {}): Fact | null {
  return value === null ? null : { name, value, ...rest }
}

export function renderNote(tone: 'ok' | 'warn' | 'bad', strong: string, rest = ''): string {
  const role = tone === 'bad' ? ' role="alert"' : ''
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
