import type { FieldError, MessageTemplate, MessageTemplateKind } from '../../../../client/contract.gen.ts'
import { isAlone, placeholderFaults } from '../../../platform/values/placeholders.ts'
import { PORTAL_URL, TEMPLATES, type Wording } from './defaults.ts'
import { withNeeded } from './letter.ts'

/** What a builder has worded, or wants to; what it leaves out is Plumbline's. */
export interface OwnWording {
  kind: MessageTemplateKind
  subject: string | null
  body: string | null
}

/** The template as it is shown. */
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

/** The words that a kind leaves with. */
export function inUse({ kind, subject, body }: OwnWording): Wording {
  const { needed, ...usual } = TEMPLATES[kind]
  return { subject: subject ?? usual.subject, body: withNeeded(body ?? usual.body, needed) }
}

/** What is wrong with words for a kind. */
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

/** A link within another address would be told to whoever owns that address. */
const LINK_WITHIN_TEXT: FieldError = {
  pointer: '/body',
  code: 'placeholder_not_alone',
  message: `must have a space or a line break before and after {{${PORTAL_URL}}}`,
}
