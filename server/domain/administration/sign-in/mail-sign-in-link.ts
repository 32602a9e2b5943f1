import type { Services } from '../../../platform/calls/call.ts'
import { newSystemCall } from '../../../platform/keys/principals.ts'
import { Problem } from '../../../platform/problems/problem.ts'
import { LINK_PLACEHOLDER } from '../../office/mail/mail-link.ts'
import { queueInternalLetter } from '../../office/mail/queue-letters.ts'
import { listMemberships } from './queries.ts'

const MINUTE_MS = 60_000

/** Long enough for a slow mail server, short enough for a link that stays in a mailbox. */
const LINK_LIFETIME_MS = 15 * MINUTE_MS

/**
 * Mails a sign-in link to the user with this address; does nothing if there is none. The mail is sent in the name of
 * the builder where the user last signed in, so that another builder cannot send such mails by inviting people.
 */
export async function mailSignInLink(services: Services, email: string): Promise<void> {
  const members = await listMemberships(services.database.statements, email)
  const [member] = members.sort((one, other) => ((one.lastLoginAt ?? '') < (other.lastLoginAt ?? '') ? 1 : -1))
  if (member === undefined || !(await services.limits.takeSignInMail(email.toLowerCase()))) return
  const { organizationId, organizationName, userId, name } = member
  // An address that no user can have is treated like a stranger's.
  const link = await services.identity.makeLink(email, LINK_LIFETIME_MS).catch(ignoreInvalid)
  if (link === null) return
  const call = await newSystemCall(services, organizationId)
  await call.write((call) =>
    queueInternalLetter(call, {
      kind: 'sign_in',
      to: email,
      userId,
      subject: `Sign in to ${organizationName}`,
      text: `${name},\n\nthis link signs you in. It works once, for 15 minutes, and anyone who has it can sign in as you.\n\n${LINK_PLACEHOLDER}\n\nIf you did not request this link, you can ignore this email.`,
      link: link.url,
    }),
  )
}

function ignoreInvalid(error: unknown): null {
  if (error instanceof Problem && error.code === 'validation_failed') return null
  throw error
}
