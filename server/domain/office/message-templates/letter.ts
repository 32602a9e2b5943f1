import {
  fillPlaceholders,
  hasPlaceholder,
  isPlaceholderAlone,
  type PlaceholderValues,
  truncate,
} from '../../../platform/values/placeholders.ts'
import { PORTAL_URL, type TemplateWording } from './default-templates.ts'

/** The maximum length of a mail's text, whatever values are inserted. */
const MAX_CHARACTERS = 40_000
/** Most programs cut longer subjects. The contract has the same limit. */
const MAX_SUBJECT_CHARACTERS = 400

/** A mail with its values filled in. */
export interface WrittenLetter {
  subject: string
  text: string
}

/**
 * Fills the values into the wording of a mail. Removes paragraphs that become empty. A subject is one line, so that
 * nothing in it can become a header.
 */
export function writeLetter({ subject, body }: TemplateWording, values: PlaceholderValues): WrittenLetter {
  return {
    subject: truncate(
      fillPlaceholders(subject ?? '', values, MAX_CHARACTERS)
        .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
        .replace(/ {2,}/g, ' ')
        .trim(),
      MAX_SUBJECT_CHARACTERS,
    ),
    text: fillPlaceholders(body, values, MAX_CHARACTERS)
      .replace(/\r\n?/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
  }
}

/** Appends the placeholder that this kind of mail needs, unless the body contains it where it will be replaced. */
export function appendNeeded(body: string, needed: string | undefined): string {
  if (needed === undefined) return body
  const isFilledIn = hasPlaceholder(body, needed) && (needed !== PORTAL_URL || isPlaceholderAlone(body, needed))
  return isFilledIn ? body : `${body}\n\n{{${needed}}}`
}

/** Returns the text as HTML paragraphs. Only URLs become markup; everything else is escaped. */
export function toHtml(text: string): string {
  const escaped = text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  const linked = escaped.replace(/https?:\/\/[\w./:?=~%#-]+[\w/]/g, (url) => `<a href="${url}">${url}</a>`)
  return linked
    .split('\n\n')
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
    .join('\n')
}
