import { cut, filledIn, hasPlaceholder, isAlone, type Values } from '../../../platform/values/placeholders.ts'
import { PORTAL_URL, type Wording } from './defaults.ts'

/** The maximum length of a mail's text, whatever values are inserted. */
const MOST_CHARACTERS = 40_000
/** Most programs cut longer subjects. The contract has the same limit. */
const MOST_SUBJECT_CHARACTERS = 400

/** A mail with its values filled in. */
export interface Letter {
  subject: string
  text: string
}

/**
 * Fills the values into the wording of a mail. Removes paragraphs that become empty. A subject is one line, so that
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

/** Appends the placeholder that this kind of mail needs, unless the body contains it where it will be replaced. */
export function withNeeded(body: string, needed: string | undefined): string {
  if (needed === undefined) return body
  const isFilledIn = hasPlaceholder(body, needed) && (needed !== PORTAL_URL || isAlone(body, needed))
  return isFilledIn ? body : `${body}\n\n{{${needed}}}`
}

/** Returns the text as HTML paragraphs. Only URLs become markup; everything else is escaped. */
export function htmlOf(text: string): string {
  const escaped = text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  const linked = escaped.replace(/https?:\/\/[\w./:?=~%#-]+[\w/]/g, (url) => `<a href="${url}">${url}</a>`)
  return linked
    .split('\n\n')
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
    .join('\n')
}
