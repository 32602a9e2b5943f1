import { note, text } from './html.ts'
import { framed, type Place, sheet } from './place.ts'
import type { Words } from './words/english.ts'

/** The lists of the overview, each of which also has pages of its own. */
export const SECTIONS = ['requests', 'orders', 'dates', 'waivers', 'payments', 'documents', 'messages'] as const

export type Section = (typeof SECTIONS)[number]

export interface Listed {
  section: Section
  /** The list as HTML; null where there is nothing in it. */
  rows: string | null
  /** Where the next page begins; null on the last one. */
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

/** All that there is for a vendor, what it has to do something about being marked. */
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

/** One of the lists, page by page. */
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
