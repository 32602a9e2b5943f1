import type { LienWaiverType, MessageTemplateKind } from '../../../../client/contract.gen.ts'
import type { TemplateWording } from './default-templates.ts'
import { SPANISH_TEMPLATES } from './spanish.ts'

/** The kinds of templates of emails. The other kinds are lien waivers, whose legal text is English. */
export type MailTemplateKind = Exclude<MessageTemplateKind, `lien_waiver_${LienWaiverType}`>

/** Returns the Spanish default wording of a kind; null for a lien waiver. */
export function getSpanishTemplate(kind: MessageTemplateKind): TemplateWording | null {
  return isMailTemplateKind(kind) ? SPANISH_TEMPLATES[kind] : null
}

function isMailTemplateKind(kind: MessageTemplateKind): kind is MailTemplateKind {
  return Object.hasOwn(SPANISH_TEMPLATES, kind)
}
