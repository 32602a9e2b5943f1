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

/** A wording that a builder has saved or wants to save. A field that is null uses the default. */
export interface CustomWording {
  kind: MessageTemplateKind
  subject: string | null
  body: string | null
}

/** Returns the template as it appears in responses. */
export function toMessageTemplate<
  Row extends CustomWording & Omit<MessageTemplate, keyof CustomWording | 'isDefault' | 'placeholders'>,
>(row: Row): MessageTemplate {
  const { id, kind, version, createdBy, createdAt, updatedAt } = row
  const { subject, body, placeholders } = DEFAULT_TEMPLATES[kind]
  return {
    ...{ id, kind, subject: row.subject ?? subject, body: row.body ?? body, isDefault: row.body === null },
    placeholders: [...placeholders],
    ...{ version, createdBy, createdAt, updatedAt },
  }
}

/** A wording and the language in which dates and amounts are inserted into it. */
export interface LocalizedWording extends TemplateWording {
  language: VendorLanguage
}

/**
 * Returns the wording that is currently used for a kind of email to recipients with this language. The builder's own
 * wording is used for every language.
 */
export function getEffectiveWording(
  { kind, subject, body }: CustomWording,
  language: VendorLanguage = 'en',
): LocalizedWording {
  const { needed, ...defaults } = DEFAULT_TEMPLATES[kind]
  const spanish = language === 'es' && subject === null && body === null ? getSpanishTemplate(kind) : null
  if (spanish !== null) return { ...spanish, language: 'es' }
  return {
    ...{ subject: subject ?? defaults.subject, body: appendNeededPlaceholder(body ?? defaults.body, needed) },
    language: 'en',
  }
}

/** Returns the errors in the wording of a kind of email. */
export function findWordingErrors({ kind, subject, body }: CustomWording): FieldError[] {
  const { placeholders, subject: defaults } = DEFAULT_TEMPLATES[kind]
  const unknown = findPlaceholderErrors(body ?? '', '/body', placeholders)
  const inBody = unknown.length === 0 ? SECRET_URLS.flatMap((name) => findLinkWithinText(body ?? '', name)) : unknown
  if (subject === null) return inBody
  if (defaults === null)
    return [{ pointer: '/subject', code: 'exclusive', message: 'must be null for a lien waiver' }, ...inBody]
  const ofSubjects = placeholders.filter((name) => !SECRET_URLS.includes(name))
  return [...findPlaceholderErrors(subject, '/subject', ofSubjects), ...inBody]
}

/** If a link is part of another URL, a click reveals the link to the owner of that URL. */
function findLinkWithinText(body: string, name: string): FieldError[] {
  if (isPlaceholderStandalone(body, name)) return []
  const message = `must have a space or a line break before and after {{${name}}}`
  return [{ pointer: '/body', code: 'placeholder_not_alone', message }]
}
