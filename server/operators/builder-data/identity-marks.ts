import { validationFailed } from '../../platform/problems/problem.ts'

/** A text that identifies a person, and the text that replaces it. */
export interface IdentityMark {
  /**
   * LIKE patterns, one of which matches any text that contains the mark. Testing them is a hundred times faster than
   * the regular expression.
   */
  likes: string[]
  /** A PostgreSQL regular expression that matches the mark. */
  pattern: string
  /** Whether the search ignores case, as it does for an email address or a name of several words. */
  ignoresCase: boolean
  neutral: string
}

export const NEUTRAL_TEXTS = { name: 'Erased person', email: 'erased@erased.invalid', other: 'erased' } as const

/**
 * Returns the mark for a text. A mark matches only whole words: "Ann Lee" does not match "Joann Leeds", and
 * ann@example.com does not match joann@example.com. Throws for a single lowercase word, because it could be an ordinary
 * word, a status, or a field name.
 */
export function toIdentityMark(text: string, neutral?: string): IdentityMark {
  const kind = markKindOf(text)
  if (kind === null) {
    throw validationFailed([
      {
        pointer: '--also',
        code: 'too_common',
        message: `must be more specific than "${text}", which is too common to search for`,
      },
    ])
  }
  // In JSON, some characters are escaped, so the text is also searched for in its escaped form.
  const forms = [...new Set([text, JSON.stringify(text).slice(1, -1)])]
  const [before, after] = kind === 'email' ? AROUND_EMAIL : AROUND_WORD
  return {
    likes: forms.map((form) => `%${form.replace(/[\\%_]/g, '\\$&')}%`),
    pattern: `${before}(?:${forms.map(escapePattern).join('|')})${after}`,
    ignoresCase: kind === 'email' || /\s/.test(text),
    neutral: neutral ?? NEUTRAL_TEXTS[kind],
  }
}

function markKindOf(text: string): keyof typeof NEUTRAL_TEXTS | null {
  if (text.trim().length < 2) return null
  if (text.includes('@')) return 'email'
  if (/^[+\d\s().-]+$/.test(text)) return text.replace(/\D/g, '').length >= 5 ? 'other' : null
  return /[\s\p{Lu}\d]/u.test(text) ? 'name' : null
}

// In JSON, a line break is an escape sequence, so the text after it follows the letter n.
const ESCAPED = String.raw`(?<=\\[bfnrt])|(?<=\\u[[:xdigit:]]{4})`
const AROUND_WORD = [`(?:(?<![[:alnum:]_])|${ESCAPED})`, '(?![[:alnum:]_])'] as const
const AROUND_EMAIL = [`(?:(?<![[:alnum:]_.+%-])|${ESCAPED})`, String.raw`(?![[:alnum:]_-]|\.[[:alnum:]])`] as const

function escapePattern(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '\\$&')
}
