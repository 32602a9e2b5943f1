import type { Contract } from '../../../platform/calls/contract.ts'
import { anchorFor } from '../page/page.ts'

/** A paragraph of what the contract says about all of itself. */
export interface Paragraph {
  /** Its address on the overview, by the first of its terms; null for one that explains none. */
  readonly anchor: string | null
  /** What it explains: `Money, Dates, instants`. */
  readonly title: string
  /** Markdown. */
  readonly text: string
}

export function introductionOf({ document }: Contract): Paragraph[] {
  const { description = '' } = document.info
  return description
    .trim()
    .split(/\n\s*\n/)
    .map((text) => {
      const terms = [...text.matchAll(/\*\*(.+?)\*\*/g)].map(([, term = '']) => term.replace(/\.$/, ''))
      const [first] = terms
      return { anchor: first === undefined ? null : anchorFor(first), title: terms.join(', '), text }
    })
}

/** What the overview says about the documentation itself. */
export const ABOUT_PAGES = {
  anchor: 'these-pages',
  title: 'About these pages',
  text: 'Press / to search. The pages follow your system’s light or dark theme, work without external resources, and can be printed.',
}
