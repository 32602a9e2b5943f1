import type { Contract } from '../../../platform/calls/contract.ts'
import { toAnchor } from '../page/page.ts'

/** A paragraph of the contract's introduction. */
export interface Paragraph {
  /** The anchor on the overview, derived from the paragraph's first term; null if the paragraph explains no term. */
  readonly anchor: string | null
  /** The terms that the paragraph explains, such as `Money, Dates, instants`. */
  readonly title: string
  /** In Markdown. */
  readonly text: string
}

export function splitIntroduction({ document }: Contract): Paragraph[] {
  const { description = '' } = document.info
  return description
    .trim()
    .split(/\n\s*\n/)
    .map((text) => {
      const terms = [...text.matchAll(/\*\*(.+?)\*\*/g)].map(([, term = '']) => term.replace(/\.$/, ''))
      const [first] = terms
      return { anchor: first === undefined ? null : toAnchor(first), title: terms.join(', '), text }
    })
}

/** The overview's section about the documentation itself. */
export const ABOUT_THESE_PAGES = {
  anchor: 'these-pages',
  title: 'About these pages',
  text: 'Press / to search. The pages follow your system’s light or dark theme, work without external resources, and can be printed.',
}
