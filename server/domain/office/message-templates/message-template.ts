import type { FieldError, MessageTemplate, MessageTemplateKind } from '../../../../client/contract.gen.ts'
import { findPlaceholderErrors, isPlaceholderStandalone } from '../../../platform/values/placeholders.ts'
import { DEFAULT_TEMPLATES, SECRET_URLS, type TemplateWording } from './default-templates.ts'
import { appendNeededPlaceholder } from './render-mail.ts'

/** The wording that a builder has saved or wants to save. Null fields use the default. */
export interface CustomWording {
  kind: MessageTemplateKind
  subject: string | null
  body: string | null
}

/** Returns the template in the form of responses. */
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

/** Returns the wording that emails of a kind use. */
export function getEffectiveWording({ kind, subject, body }: CustomWording): TemplateWording {
  const { needed, ...defaults } = DEFAULT_TEMPLATES[kind]
  return { subject: subject ?? defaults.subject, body: appendNeededPlaceholder(body ?? defaults.body, needed) }
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

/** A link inside another URL would be revealed to the owner of that URL. */
function findLinkWithinText(body: string, name: string): FieldError[] {
  if (isPlaceholderStandalone(body, name)) return []
  const message = `must have a space or a line break before and after {{${name}}}`
  return [{ pointer: '/body', code: 'placeholder_not_alone', message }]
}
