import type { ConflictReason } from '../../../../client/contract.gen.ts'
import { createFormToken, type ReturnedForm } from '../forms/returned-forms.ts'
import { escapeHtml, renderContact, renderNote, renderPageFrame } from './html.ts'
import type { Words } from './words/english.ts'
import type { PageLocale } from './words/page-locale.ts'

/** The location of a page, and the language and settings of its reader. */
export interface PageContext {
  reader: PageLocale
  builder: string
  /** The phone number of the builder's office; null if it is unknown. */
  phone: string | null
  vendor: string
  now: Date
  /** The path with which all pages of this link start: /portal/<token>. */
  root: string
  /** The path of the page itself. */
  here: string
  /** Whether the link opens the vendor's whole portal instead of a single invitation. */
  isWhole: boolean
  /** A form on this page that was not accepted; null if there is none. */
  returned: ReturnedForm | null
}

/** Renders a page of the portal, with links back to the overview and to the other language. */
export function renderPortalPage(place: PageContext, title: string, content: string, bar?: string): string {
  const { reader, builder, vendor, root, here, isWhole } = place
  return renderPageFrame({
    ...{ reader, title: `${title} · ${builder}`, content: withTokens(returnedNote(place) + content) },
    between: { builder, vendor },
    overview: isWhole && here !== root ? root : null,
    inOtherLanguage: `${here}?language=${reader.words.language === 'en' ? 'es' : 'en'}`,
    ...(bar !== undefined && { bar: withTokens(bar) }),
  })
}

export function renderSheet(title: string, content: string, more = ''): string {
  return `<section class="sheet"><h2>${escapeHtml(title)}${more}</h2>${content}</section>`
}

/**
 * Returns the user's entry in a field of a form that was not accepted. If there is no such form, returns the default.
 */
export function getTypedValue({ returned }: PageContext, name: string, defaults = ''): string {
  return escapeHtml(returned?.fields[name] ?? defaults)
}

/**
 * Returns whether the user pressed this button in the form that was not accepted. If so, this part of the page is open.
 */
export function isSentWithButton({ returned }: PageContext, name: string, value: string): boolean {
  return returned?.fields[name] === value
}

/** Returns the sentence that explains a conflict. */
export function getConflictSentence(reason: ConflictReason | null, { conflicts }: Words): string | undefined {
  const sentences: { readonly [Reason in ConflictReason]?: string } = conflicts
  return reason === null ? undefined : sentences[reason]
}

/** Renders the reason why a form was not accepted. The price form instead shows errors next to the fields. */
function returnedNote({ returned, here, reader, builder, phone }: PageContext): string {
  const { words } = reader
  if (returned === null || SAID_BY_THE_FORM.has(returned.notice)) return ''
  if (returned.reason === 'changed_meanwhile' && here.endsWith('/price')) return ''
  const [title = '', message = ''] = words.notices[returned.notice]
  const sentence = escapeHtml(getConflictSentence(returned.reason, words) ?? message)
  const contact = returned.notice === 'tooLate' ? renderContact(reader, { builder, phone }) : ''
  return `${renderNote('bad', title, sentence)}${contact}\n`
}

const SAID_BY_THE_FORM: ReadonlySet<string> = new Set(['wrongEntries'])

/**
 * Adds a one-time token to each form that changes data, so that the service recognizes repeats. Texts in the HTML are
 * escaped and contain no tags, so the replacement never affects them.
 */
function withTokens(html: string): string {
  return html.replaceAll(
    /<form\b(?![^>]*method="get")[^>]*>/g,
    (tag) => `${tag}<input type="hidden" name="once" value="${createFormToken()}">`,
  )
}
