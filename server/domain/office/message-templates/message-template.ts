import type {
  FieldError,
  MessageTemplate,
  MessageTemplateKind,
  VendorLanguage,
} from '../../../../client/contract.gen.ts'
import { findPlaceholderErrors, isPlaceholderStandalone } from '../../../platform/values/placeholders.ts'
import { DEFAULT_TEMPLATES, SECRET_URLS, type TemplateWording } from './default-templates.ts'
import { appendNeededPlaceholder } from './render-mail.ts'
import { getSpanishTemplate } from './spanish-templates.ts'

/**
 * A wording that a builder has saved or wants to save. A subject that is null uses the default. If `body` is null, the
 * default applies in both languages. If only `spanishBody` is null, the wording applies to all vendors.
 */
export interface CustomWording {
  kind: MessageTemplateKind
  subject: string | null
  body: string | null
  spanishSubject: string | null
  spanishBody: string | null
}

/** Returns the template as it appears in responses. */
export function toMessageTemplate<
  Row extends CustomWording & Omit<MessageTemplate, keyof CustomWording | 'isDefault' | 'placeholders'>,
>(row: Row): MessageTemplate {
  const { id, kind, version, createdBy, createdAt, updatedAt } = row
  const { subject, body, placeholders } = DEFAULT_TEMPLATES[kind]
  const spanish = getSpanishTemplate(kind)
  const hasSpanish = row.body === null || row.spanishBody !== null
  return {
    ...{ id, kind, subject: row.subject ?? subject, body: row.body ?? body },
    spanishSubject: hasSpanish ? (row.spanishSubject ?? spanish?.subject ?? null) : null,
    spanishBody: hasSpanish ? (row.spanishBody ?? spanish?.body ?? null) : null,
    ...{ isDefault: row.body === null, placeholders: [...placeholders] },
    ...{ version, createdBy, createdAt, updatedAt },
  }
}

/** A wording and the language in which dates and amounts are inserted into it. */
export interface LocalizedWording extends TemplateWording {
  language: VendorLanguage
}

/**
 * Returns the wording that is currently used for a kind of email to recipients with this language. If the builder's own
 * wording has no Spanish text, it is used for every language.
 */
export function getEffectiveWording(custom: CustomWording, language: VendorLanguage): LocalizedWording {
  const { kind, subject, body, spanishSubject, spanishBody } = custom
  const { needed, ...defaults } = DEFAULT_TEMPLATES[kind]
  const spanish = getSpanishTemplate(kind)
  if (language === 'es' && spanish !== null && (body === null || spanishBody !== null)) {
    const own = appendNeededPlaceholder(spanishBody ?? spanish.body, needed)
    return { subject: spanishSubject ?? spanish.subject, body: own, language: 'es' }
  }
  const own = appendNeededPlaceholder(body ?? defaults.body, needed)
  return { subject: subject ?? defaults.subject, body: own, language: 'en' }
}

/** Returns the errors in the wording of a kind of email in both languages. */
export function findWordingErrors({ kind, subject, body, spanishSubject, spanishBody }: CustomWording): FieldError[] {
  return [
    ...findTextErrors(kind, { subject, body }, { subject: '/subject', body: '/body' }),
    ...findSpanishErrors(kind, spanishSubject, spanishBody),
    ...findTextErrors(
      kind,
      { subject: spanishSubject, body: spanishBody },
      { subject: '/spanishSubject', body: '/spanishBody' },
    ),
  ]
}

function findSpanishErrors(kind: MessageTemplateKind, subject: string | null, body: string | null): FieldError[] {
  if (body === null)
    return subject === null ? [] : [{ pointer: '/spanishSubject', code: 'required', message: 'requires spanishBody' }]
  if (getSpanishTemplate(kind) !== null) return []
  return [{ pointer: '/spanishBody', code: 'exclusive', message: 'must be null for a lien waiver' }]
}

/** Returns the errors in the wording of a kind of email in one language. `pointers` name the fields in the errors. */
export function findTextErrors(
  kind: MessageTemplateKind,
  { subject, body }: { subject: string | null; body: string | null },
  pointers: { subject: string; body: string },
): FieldError[] {
  const { placeholders, subject: defaults } = DEFAULT_TEMPLATES[kind]
  const unknown = findPlaceholderErrors(body ?? '', pointers.body, placeholders)
  const inBody =
    unknown.length === 0 ? SECRET_URLS.flatMap((name) => findLinkWithinText(body ?? '', name, pointers.body)) : unknown
  if (subject === null) return inBody
  if (defaults === null)
    return [{ pointer: pointers.subject, code: 'exclusive', message: 'must be null for a lien waiver' }, ...inBody]
  const ofSubjects = placeholders.filter((name) => !SECRET_URLS.includes(name))
  return [...findPlaceholderErrors(subject, pointers.subject, ofSubjects), ...inBody]
}

/** If a link is part of another URL, a click reveals the link to the owner of that URL. */
function findLinkWithinText(body: string, name: string, pointer: string): FieldError[] {
  if (isPlaceholderStandalone(body, name)) return []
  const message = `must have a space or a line break before and after {{${name}}}`
  return [{ pointer, code: 'placeholder_not_alone', message }]
}
