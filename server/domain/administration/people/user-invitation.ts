import type { User } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { LINK_PLACEHOLDER } from '../../office/mail/mail-link.ts'
import { canSendMail, queueInternalMail } from '../../office/mail/queue-mails.ts'

const DAY_MS = 86_400_000

/** Long enough for an invited user who is away for a few days. */
const INVITATION_LIFETIME_MS = 7 * DAY_MS

/** Creates a sign-in link for the invitation of this address. Returns null if the deployment does not send email. */
export async function createInvitationLink(call: Call, email: string): Promise<string | null> {
  if (!canSendMail(call)) return null
  return (await call.services.identity.makeLink(email, INVITATION_LIFETIME_MS)).url
}

/**
 * Emails an invitation. Only the recipient receives the link, because it gives access to all builders for which the
 * user works.
 */
export async function mailInvitation(call: WriteCall, { id, email, name }: User, link: string): Promise<void> {
  const builder = call.principal.organization.name
  await queueInternalMail(call, {
    kind: 'user_invitation',
    to: email,
    userId: id,
    aboutId: id,
    subject: `${builder} invites you to Plumbline`,
    text: `${name},\n\n${builder} invites you to its Plumbline account. This link signs you in. The link works only once, within 7 days. Anyone who has the link can sign in as you.\n\n${LINK_PLACEHOLDER}\n\nAfter that, you sign in with your email address.`,
    link,
  })
}
