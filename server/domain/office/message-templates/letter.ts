import { cut, filledIn, hasPlaceholder, isAlone, type Values } from '../../../platform/values/placeholders.ts'
import { PORTAL_URL, type Wording } from './defaults.ts'

/** The longest that a mail's text gets, whatever is put into it. */
const MOST_CHARACTERS = 40_000
/** Longer subjects are cut by most programs; the contract says so too. */
const MOST_SUBJECT_CHARACTERS = 400

/** A mail as it is read: its subject, and its text. */
export interface Letter {
  subject: string
  text: string
}

/**
 * The wording of a mail with its values. A paragraph that has become empty is left out. A subject is one line, so that
 * nothing in it can become a header.
 */
export function letterOf({ subject, body }: Wording, values: Values): Letter {
  return {
    subject: cut(
      filledIn(subject ?? '', values, MOST_CHARACTERS)
        .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
        .replace(/ {2,}/g, ' ')
        .trim(),
      MOST_SUBJECT_CHARACTERS,
    ),
    text: filledIn(body, values, MOST_CHARACTERS)
      .replace(/\r\n?/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
  }
}

/** Appends the placeholder that a mail of this kind needs, unless the body has it and it is filled in there. */
export function withNeeded(body: string, needed: string | undefined): string {
  if (needed === undefined) return body
  const isFilledIn = hasPlaceholder(body, needed) && (needed !== PORTAL_URL || isAlone(body, needed))
  return isFilledIn ? body : `${body}\n\n{{${needed}}}`
}

/** The text as paragraphs, in which only addresses of pages are more than text. */
export function htmlOf(text: string): string {
  const escaped = text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  const linked = escaped.replace(/https?:\/\/[\w./:?=~%#-]+[\w/]/g, (url) => `<a href="${url}">${url}</a>`)
  return linked
    .split('\n\n')
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
    .join('\n')
}
