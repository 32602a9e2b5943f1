import type { WriteCall } from '../../../platform/calls/call.ts'
import { queueInternalMail } from '../../office/mail/queue-mails.ts'
import * as homes from '../homes/queries.ts'
import * as owners from './queries.ts'
import { OWNER_MAIL_WORDS } from './words/owner-mail-words.ts'

/** Emails the one-time link that an owner requested to the owner's own address. */
export async function queueRequestedLink(call: WriteCall, id: string, link: string): Promise<void> {
  const { name, email, homeId, language } = await owners.find(call, id)
  if (email === null) return
  const { name: home } = await homes.find(call, homeId)
  const { subject, text } = OWNER_MAIL_WORDS[language].requested(call.principal.organization.name, home, name)
  await queueInternalMail(call, { kind: 'owner_invitation', to: email, aboutId: id, subject, text, link })
}
