import {
  fillPlaceholders,
  hasPlaceholder,
  isPlaceholderStandalone,
  type PlaceholderValues,
  truncateText,
} from '../../../platform/values/placeholders.ts'
import { PORTAL_URL, type TemplateWording } from './default-templates.ts'

/** The maximum length of an email's text, including the inserted values. */
const MAX_CHARACTERS = 40_000
/** Most mail programs truncate longer subjects. The API contract has the same limit. */
const MAX_SUBJECT_CHARACTERS = 400

/** An email in which all placeholders are replaced. */
export interface RenderedMail {
  subject: string
  text: string
}

/**
 * Replaces the placeholders in the wording of an email. Removes paragraphs that become empty. The subject becomes a
 * single line, so that it cannot add headers to the email.
 */
export function renderMail({ subject, body }: TemplateWording, values: PlaceholderValues): RenderedMail {
  return {
    subject: truncateText(
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

/**
 * Appends the placeholder that this kind of email needs, unless the body already contains it in a position where it
 * will be replaced.
 */
export function appendNeededPlaceholder(body: string, needed: string | undefined): string {
  if (needed === undefined) return body
  const isFilledIn = hasPlaceholder(body, needed) && (needed !== PORTAL_URL || isPlaceholderStandalone(body, needed))
  return isFilledIn ? body : `${body}\n\n{{${needed}}}`
}

/** Returns the text as HTML paragraphs. Turns URLs into links, and escapes all other text. */
export function toHtml(text: string): string {
  const escaped = text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  const linked = escaped.replace(/https?:\/\/[\w./:?=~%#-]+[\w/]/g, (url) => `<a href="${url}">${url}</a>`)
  return linked
    .split('\n\n')
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
    .join('\n')
}
