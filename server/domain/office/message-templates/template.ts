import type { FieldError, MessageTemplate, MessageTemplateKind } from '../../../../client/contract.gen.ts'
import { isAlone, placeholderFaults } from '../../../platform/values/placeholders.ts'
import { PORTAL_URL, TEMPLATES, type Wording } from './defaults.ts'
import { withNeeded } from './letter.ts'

/** The wording that a builder has saved or wants to save. Null fields use the default. */
export interface OwnWording {
  kind: MessageTemplateKind
  subject: string | null
  body: string | null
}

/** Returns the template as responses show it. */
export function shown<Row extends OwnWording & Omit<MessageTemplate, keyof OwnWording | 'isDefault' | 'placeholders'>>(
  row: Row,
): MessageTemplate {
  const { id, kind, version, createdBy, createdAt, updatedAt } = row
  const { subject, body, placeholders } = TEMPLATES[kind]
  return {
    ...{ id, kind, subject: row.subject ?? subject, body: row.body ?? body, isDefault: row.body === null },
    placeholders: [...placeholders],
    ...{ version, createdBy, createdAt, updatedAt },
  }
}

/** Returns the wording that mails of a kind use. */
export function inUse({ kind, subject, body }: OwnWording): Wording {
  const { needed, ...usual } = TEMPLATES[kind]
  return { subject: subject ?? usual.subject, body: withNeeded(body ?? usual.body, needed) }
}

/** Returns the errors in a wording of a kind. */
export function faultsOf({ kind, subject, body }: OwnWording): FieldError[] {
  const { placeholders, subject: usual } = TEMPLATES[kind]
  const unknown = placeholderFaults(body ?? '', '/body', placeholders)
  const inBody = unknown.length === 0 && !isAlone(body ?? '', PORTAL_URL) ? [LINK_WITHIN_TEXT] : unknown
  if (subject === null) return inBody
  if (usual === null)
    return [{ pointer: '/subject', code: 'exclusive', message: 'must be null for a lien waiver' }, ...inBody]
  const ofSubjects = placeholders.filter((name) => name !== PORTAL_URL)
  return [...placeholderFaults(subject, '/subject', ofSubjects), ...inBody]
}

/** A link inside another URL would be revealed to the owner of that URL. */
const LINK_WITHIN_TEXT: FieldError = {
  pointer: '/body',
  code: 'placeholder_not_alone',
  message: `must have a space or a line break before and after {{${PORTAL_URL}}}`,
}
