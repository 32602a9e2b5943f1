import { page, text } from './html.ts'
import type { Reader } from './reader.ts'

/** Where a page is, and who reads it. */
export interface Place {
  reader: Reader
  builder: string
  vendor: string
  now: Date
  /** Where the address begins, below which all of its pages are: /portal/<token>. */
  root: string
  /** The path of the page itself. */
  here: string
  /** Whether the address opens all that is the vendor's, and not one invitation alone. */
  isWhole: boolean
}

/** A page of the portal, with the way back to the overview and the one into the other language. */
export function framed(place: Place, title: string, content: string, bar?: string): string {
  const { reader, builder, vendor, root, here, isWhole } = place
  return page({
    ...{ reader, title: `${title} · ${builder}`, content },
    between: { builder, vendor },
    overview: isWhole && here !== root ? root : null,
    inOtherLanguage: `${here}?language=${reader.words.language === 'en' ? 'es' : 'en'}`,
    ...(bar !== undefined && { bar }),
  })
}

export function sheet(title: string, content: string, more = ''): string {
  return `<section class="sheet"><h2>${text(title)}${more}</h2>${content}</section>`
}
