import type { User } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { LINK_PLACEHOLDER } from '../../office/mail/mail-link.ts'
import { canSendMail, queueInternalLetter } from '../../office/mail/queue-letters.ts'

const DAY_MS = 86_400_000

/** Invited people may be away for some days. */
const INVITATION_LIFETIME_MS = 7 * DAY_MS

/** Creates the sign-in link of an invitation to this address. Returns null if the deployment sends no mail. */
export async function createInvitationLink(call: Call, email: string): Promise<string | null> {
  if (!canSendMail(call)) return null
  return (await call.services.identity.makeLink(email, INVITATION_LIFETIME_MS)).url
}

/** Mails an invitation. Only the recipient gets the link, because it signs them in wherever they work. */
export async function mailInvitation(call: WriteCall, { id, email, name }: User, link: string): Promise<void> {
  const builder = call.principal.organization.name
  await queueInternalLetter(call, {
    kind: 'user_invitation',
    to: email,
    userId: id,
    subject: `${builder} invites you to Plumbline`,
    text: `${name},\n\n${builder} invites you to its Plumbline account. This link signs you in. It works once, for 7 days, and anyone who has it can sign in as you.\n\n${LINK_PLACEHOLDER}\n\nAfter that, you sign in with your email address.`,
    link,
  })
}
