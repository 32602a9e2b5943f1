import type { User } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { LINK } from '../../office/mail/link.ts'
import { queueOwnLetter, sendsMail } from '../../office/mail/queue.ts'

const DAY_MS = 86_400_000

/** Invited people may be away for some days. */
const INVITATION_LIFE_MS = 7 * DAY_MS

/** Creates the sign-in link of an invitation to this address. Returns null if the deployment sends no mail. */
export async function linkFor(call: Call, email: string): Promise<string | null> {
  if (!sendsMail(call)) return null
  return (await call.surroundings.identity.makeLink(email, INVITATION_LIFE_MS)).url
}

/** Mails an invitation. Only the recipient gets the link, because it signs them in wherever they work. */
export async function mailInvitation(call: WriteCall, { id, email, name }: User, link: string): Promise<void> {
  const builder = call.principal.organization.name
  await queueOwnLetter(call, {
    kind: 'user_invitation',
    to: email,
    userId: id,
    subject: `${builder} invites you to Plumbline`,
    text: `${name},\n\n${builder} invites you to its Plumbline account. This link signs you in. It works once, for 7 days, and anyone who has it can sign in as you.\n\n${LINK}\n\nAfter that, you sign in with your email address.`,
    link,
  })
}
