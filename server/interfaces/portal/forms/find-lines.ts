import type { PortalRequest } from '../../../../client/contract.gen.ts'

/** The minimum number of lines for which the page has a search. Shorter requests fit on a few screens. */
export const MIN_LINES_TO_SEARCH = 10
export const MAX_SEARCH_LENGTH = 100

/** Returns the positions of the lines whose description contains all words, ignoring case and accents. */
export function findMatchingLines({ lines }: Pick<PortalRequest, 'lines'>, words: string): number[] {
  const wanted = simplify(words)
    .split(/\s+/)
    .filter((word) => word !== '')
  return lines.flatMap(({ description }, i) => {
    const text = simplify(description)
    return wanted.every((word) => text.includes(word)) ? [i] : []
  })
}

/** Returns the words to search for; empty if there are none. */
export function readSearchText(value: unknown): string {
  return typeof value === 'string' ? value.trim().slice(0, MAX_SEARCH_LENGTH) : ''
}

function simplify(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}
