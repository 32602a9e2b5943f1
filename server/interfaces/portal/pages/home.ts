import { note, text } from './html.ts'
import { framed, type Place, sheet } from './place.ts'
import type { Words } from './words/english.ts'

/** The lists of the overview. Each also has pages of its own. */
export const SECTIONS = ['requests', 'orders', 'dates', 'waivers', 'payments', 'documents', 'messages'] as const

export type Section = (typeof SECTIONS)[number]

export interface Listed {
  section: Section
  /** The list as HTML; null if it is empty. */
  rows: string | null
  /** The cursor of the next page; null on the last page. */
  nextCursor: string | null
}

const NOTHING: Readonly<Record<Section, keyof Words['home']>> = {
  requests: 'noRequests',
  orders: 'noOrders',
  dates: 'noDates',
  waivers: 'noWaivers',
  payments: 'noPayments',
  documents: 'noDocuments',
  messages: 'noMessages',
}

/** Renders the overview of a vendor's portal, with the items that need its action marked. */
export function homePage(place: Place, lists: readonly Listed[]): string {
  const { home } = place.reader.words
  const sheets = lists.map((listed) => {
    const { section, nextCursor } = listed
    const way = nextCursor === null ? '' : ` <a href="${text(`${place.root}/${section}`)}">${text(home.all)}</a>`
    return sheet(home[section], listOf(place, listed) + handIn(place, section), way)
  })
  const content = `<div><h1>${text(place.vendor)}</h1><p class="lead">${text(home.from(place.builder))}</p></div>\n${sheets.join('\n')}`
  return framed(place, place.vendor, content)
}

/** Renders one page of a list. */
export function listPage(place: Place, listed: Listed, isHandedIn: boolean): string {
  const { home, document } = place.reader.words
  const { section, nextCursor } = listed
  const older =
    nextCursor === null
      ? ''
      : `<a class="btn" href="${text(`${place.root}/${section}?cursor=${encodeURIComponent(nextCursor)}`)}">${text(home.older)}</a>`
  const done = isHandedIn ? note('ok', document.done) : ''
  const content = `<h1>${text(home[section])}</h1>\n${done}<section class="sheet" aria-label="${text(home[section])}">${listOf(place, listed)}${handIn(place, section)}</section>\n${older}`
  return framed(place, home[section], content)
}

function listOf({ reader }: Place, { section, rows }: Listed): string {
  const nothing = reader.words.home[NOTHING[section]]
  return rows ?? `<p class="in faint small">${text(String(nothing))}</p>`
}

function handIn({ reader, root }: Place, section: Section): string {
  if (section !== 'documents') return ''
  return `<p class="in"><a class="btn" href="${text(`${root}/hand-in`)}">${text(reader.words.home.handIn)}</a></p>`
}
