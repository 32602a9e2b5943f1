import { escapeHtml, renderPage } from './html.ts'
import type { Reader } from './reader.ts'

/** The location of a page and its reader. */
export interface PageContext {
  reader: Reader
  builder: string
  vendor: string
  now: Date
  /** The path that all pages of this link begin with: /portal/<token>. */
  root: string
  /** The path of the page itself. */
  here: string
  /** Whether the link opens the vendor's whole portal rather than a single invitation. */
  isWhole: boolean
}

/** Renders a page of the portal, with links back to the overview and to the other language. */
export function renderPortalPage(place: PageContext, title: string, content: string, bar?: string): string {
  const { reader, builder, vendor, root, here, isWhole } = place
  return renderPage({
    ...{ reader, title: `${title} · ${builder}`, content },
    between: { builder, vendor },
    overview: isWhole && here !== root ? root : null,
    inOtherLanguage: `${here}?language=${reader.words.language === 'en' ? 'es' : 'en'}`,
    ...(bar !== undefined && { bar }),
  })
}

export function renderSheet(title: string, content: string, more = ''): string {
  return `<section class="sheet"><h2>${escapeHtml(title)}${more}</h2>${content}</section>`
}
