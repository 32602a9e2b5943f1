import type { ConflictReason } from '../../../../client/contract.gen.ts'
import { createFormToken, type ReturnedForm } from '../forms/returned-forms.ts'
import { escapeHtml, renderContact, renderNote, renderPageFrame } from './html.ts'
import type { PageLocale } from './page-locale.ts'
import type { Words } from './words/english.ts'

/** The location of a page, and the person who reads it. */
export interface PageContext {
  reader: PageLocale
  builder: string
  /** Phone number of the builder's office; null if it is unknown. */
  phone: string | null
  vendor: string
  now: Date
  /** The path prefix of all pages of this link: /portal/<token>. */
  root: string
  /** The path of the page itself. */
  here: string
  /** Whether the link opens the vendor's whole portal, and not only a single invitation. */
  isWhole: boolean
  /** The form on this page that was not accepted; null if there is no such form. */
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
 * Returns the text that was typed into a field of a form that was not accepted. If there is no such form, returns the
 * usual value.
 */
export function getTypedValue({ returned }: PageContext, name: string, defaults = ''): string {
  return escapeHtml(returned?.fields[name] ?? defaults)
}

/**
 * Returns whether the form that was not accepted was sent with this button. If so, this part of the page is shown open.
 */
export function isSentWithButton({ returned }: PageContext, name: string, value: string): boolean {
  return returned?.fields[name] === value
}

/** Returns the sentence for a conflict. */
export function getConflictSentence(reason: ConflictReason | null, { conflicts }: Words): string | undefined {
  const sentences: { readonly [Reason in ConflictReason]?: string } = conflicts
  return reason === null ? undefined : sentences[reason]
}

/** Shows why a form was not accepted. The price form instead shows the reason next to each entry. */
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
 * Gives each form that changes something a one-time token, by which a repeat is recognized. Texts cannot contain a tag,
 * so no text is changed.
 */
function withTokens(html: string): string {
  return html.replaceAll(
    /<form\b(?![^>]*method="get")[^>]*>/g,
    (tag) => `${tag}<input type="hidden" name="once" value="${createFormToken()}">`,
  )
}
