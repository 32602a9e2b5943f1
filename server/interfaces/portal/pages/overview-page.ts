import { escapeHtml, renderNote } from './html.ts'
import { type PageContext, renderPortalPage, renderSheet } from './page-context.ts'
import type { Words } from './words/english.ts'

/** The lists on the overview. Each list also has pages of its own. */
export const SECTIONS = [
  'requests',
  'orders',
  'dates',
  'punch',
  'visits',
  'drawings',
  'bills',
  'waivers',
  'payments',
  'documents',
  'messages',
] as const

export type Section = (typeof SECTIONS)[number]

export interface ListedSection {
  section: Section
  /** The list as HTML; null if the list is empty. */
  rows: string | null
  /** The cursor of the next page; null on the last page. */
  nextCursor: string | null
}

const EMPTY_STATES: Readonly<Record<Section, keyof Words['home']>> = {
  requests: 'noRequests',
  orders: 'noOrders',
  dates: 'noDates',
  punch: 'noPunch',
  visits: 'noVisits',
  drawings: 'noDrawings',
  bills: 'noBills',
  waivers: 'noWaivers',
  payments: 'noPayments',
  documents: 'noDocuments',
  messages: 'noMessages',
}

/** Renders the overview of a vendor's portal. Marks the items for which the vendor must act. */
export function renderOverviewPage(place: PageContext, lists: readonly ListedSection[]): string {
  const { home } = place.reader.words
  const sheets = lists.map((listed) => {
    const { section, nextCursor } = listed
    const way =
      nextCursor === null ? '' : ` <a href="${escapeHtml(`${place.root}/${section}`)}">${escapeHtml(home.all)}</a>`
    return renderSheet(home[section], renderList(place, listed) + renderFormLink(place, section), way)
  })
  const content = `<div><h1>${escapeHtml(place.vendor)}</h1><p class="lead">${escapeHtml(home.from(place.builder))}</p></div>\n${sheets.join('\n')}`
  return renderPortalPage(place, place.vendor, content)
}

/** Renders one page of a list. */
export function renderListPage(
  place: PageContext,
  listed: ListedSection,
  { isHandedIn, calendarUrl }: { isHandedIn: boolean; calendarUrl: string | null },
): string {
  const { home, document } = place.reader.words
  const { section, nextCursor } = listed
  const older =
    nextCursor === null
      ? ''
      : `<a class="btn" href="${escapeHtml(`${place.root}/${section}?cursor=${encodeURIComponent(nextCursor)}`)}">${escapeHtml(home.older)}</a>`
  const done = isHandedIn ? renderNote('ok', document.done) : ''
  const calendar = section === 'dates' ? renderCalendar(place, calendarUrl) : ''
  const content = `<h1>${escapeHtml(home[section])}</h1>\n${done}<section class="sheet" aria-label="${escapeHtml(home[section])}">${renderList(place, listed)}${section === 'dates' ? '' : renderFormLink(place, section)}</section>\n${calendar}${older}`
  return renderPortalPage(place, home[section], content)
}

/** Renders the button that creates a calendar feed, or the link to the feed that was just created. */
function renderCalendar({ reader: { words }, root }: PageContext, created: string | null): string {
  const { task } = words
  if (created === null)
    return `<form method="post" action="${escapeHtml(`${root}/dates`)}"><button class="btn">${escapeHtml(task.addCalendar)}</button></form>`
  const url = words.language === 'en' ? created : `${created}?language=${words.language}`
  const toProgram = url.replace(/^https?:/, 'webcal:')
  return `${renderNote('ok', task.calendarReady)}<a class="btn go" href="${escapeHtml(toProgram)}">${escapeHtml(task.openCalendar)}</a><section class="sheet in"><p class="small">${escapeHtml(task.calendarHint)}</p><p class="small">${escapeHtml(url)}</p></section>`
}

function renderList({ reader }: PageContext, { section, rows }: ListedSection): string {
  const nothing = reader.words.home[EMPTY_STATES[section]]
  return rows ?? `<p class="in faint small">${escapeHtml(String(nothing))}</p>`
}

/** Renders a link to the form for a new record, if vendors can add records to the list. */
function renderFormLink({ reader: { words }, root }: PageContext, section: Section): string {
  const forms: { readonly [Each in Section]?: readonly [page: string, title: string] } = {
    documents: ['hand-in', words.home.handIn],
    messages: ['write', words.message.new],
    dates: ['dates', words.task.addCalendar],
  }
  const form = forms[section]
  if (form === undefined) return ''
  const [page, title] = form
  return `<p class="in"><a class="btn" href="${escapeHtml(`${root}/${page}`)}">${escapeHtml(title)}</a></p>`
}
