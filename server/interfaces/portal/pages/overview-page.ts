import { escapeHtml, renderNote } from './html.ts'
import { type PageContext, renderPortalPage, renderSheet } from './page-context.ts'
import type { Words } from './words/english.ts'

/** The lists of the overview. Each also has pages of its own. */
export const SECTIONS = ['requests', 'orders', 'dates', 'waivers', 'payments', 'documents', 'messages'] as const

export type Section = (typeof SECTIONS)[number]

export interface ListedSection {
  section: Section
  /** The list as HTML; null if it is empty. */
  rows: string | null
  /** The cursor of the next page; null on the last page. */
  nextCursor: string | null
}

const EMPTY_STATES: Readonly<Record<Section, keyof Words['home']>> = {
  requests: 'noRequests',
  orders: 'noOrders',
  dates: 'noDates',
  waivers: 'noWaivers',
  payments: 'noPayments',
  documents: 'noDocuments',
  messages: 'noMessages',
}

/** Renders the overview of a vendor's portal, with the items that need its action marked. */
export function renderOverviewPage(place: PageContext, lists: readonly ListedSection[]): string {
  const { home } = place.reader.words
  const sheets = lists.map((listed) => {
    const { section, nextCursor } = listed
    const way =
      nextCursor === null ? '' : ` <a href="${escapeHtml(`${place.root}/${section}`)}">${escapeHtml(home.all)}</a>`
    return renderSheet(home[section], renderList(place, listed) + renderDocumentLink(place, section), way)
  })
  const content = `<div><h1>${escapeHtml(place.vendor)}</h1><p class="lead">${escapeHtml(home.from(place.builder))}</p></div>\n${sheets.join('\n')}`
  return renderPortalPage(place, place.vendor, content)
}

/** Renders one page of a list. */
export function renderListPage(place: PageContext, listed: ListedSection, isHandedIn: boolean): string {
  const { home, document } = place.reader.words
  const { section, nextCursor } = listed
  const older =
    nextCursor === null
      ? ''
      : `<a class="btn" href="${escapeHtml(`${place.root}/${section}?cursor=${encodeURIComponent(nextCursor)}`)}">${escapeHtml(home.older)}</a>`
  const done = isHandedIn ? renderNote('ok', document.done) : ''
  const content = `<h1>${escapeHtml(home[section])}</h1>\n${done}<section class="sheet" aria-label="${escapeHtml(home[section])}">${renderList(place, listed)}${renderDocumentLink(place, section)}</section>\n${older}`
  return renderPortalPage(place, home[section], content)
}

function renderList({ reader }: PageContext, { section, rows }: ListedSection): string {
  const nothing = reader.words.home[EMPTY_STATES[section]]
  return rows ?? `<p class="in faint small">${escapeHtml(String(nothing))}</p>`
}

function renderDocumentLink({ reader, root }: PageContext, section: Section): string {
  if (section !== 'documents') return ''
  return `<p class="in"><a class="btn" href="${escapeHtml(`${root}/hand-in`)}">${escapeHtml(reader.words.home.handIn)}</a></p>`
}
