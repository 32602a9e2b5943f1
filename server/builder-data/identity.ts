import { invalid } from '../http/problem.ts'

/** A text that tells who somebody is, and what stands in its place once they are erased. */
export interface Mark {
  /** Every text that it is found in is like one of these, which is told a hundred times faster than by the pattern. */
  likes: string[]
  /** A regular expression of PostgreSQL. */
  pattern: string
  /** Case says nothing in an e-mail address, nor in a name of several words. */
  ignoresCase: boolean
  neutral: string
}

export const NEUTRAL = { name: 'Erased person', email: 'erased@erased.invalid', other: 'erased' } as const

/**
 * A mark is looked for as a whole: "Ann Lee" is not in "Joann Leeds", nor ann@example.com in joann@example.com. A single
 * word in small letters could be any word, a status or the name of a field, and is refused.
 */
export function markOf(text: string, neutral?: string): Mark {
  const kind = kindOf(text)
  if (kind === null) {
    throw invalid([
      { pointer: '--also', code: 'too_common', message: `"${text}" is too common a text to be looked for` },
    ])
  }
  // In JSON some characters are escaped, in a plain text they are not.
  const forms = [...new Set([text, JSON.stringify(text).slice(1, -1)])]
  const [before, after] = kind === 'email' ? AROUND_EMAIL : AROUND_WORD
  return {
    likes: forms.map((form) => `%${form.replace(/[\\%_]/g, '\\$&')}%`),
    pattern: `${before}(?:${forms.map(literally).join('|')})${after}`,
    ignoresCase: kind === 'email' || /\s/.test(text),
    neutral: neutral ?? NEUTRAL[kind],
  }
}

function kindOf(text: string): keyof typeof NEUTRAL | null {
  if (text.trim().length < 2) return null
  if (text.includes('@')) return 'email'
  if (/^[+\d\s().-]+$/.test(text)) return text.replace(/\D/g, '').length >= 5 ? 'other' : null
  return /[\s\p{Lu}\d]/u.test(text) ? 'name' : null
}

// What follows upon a line break in JSON is preceded by the letter n.
const ESCAPED = String.raw`(?<=\\[bfnrt])|(?<=\\u[[:xdigit:]]{4})`
const AROUND_WORD = [`(?:(?<![[:alnum:]_])|${ESCAPED})`, '(?![[:alnum:]_])'] as const
const AROUND_EMAIL = [`(?:(?<![[:alnum:]_.+%-])|${ESCAPED})`, String.raw`(?![[:alnum:]_-]|\.[[:alnum:]])`] as const

function literally(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '\\$&')
}
