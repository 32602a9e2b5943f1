import type { Surroundings } from '../../../platform/calls/call.ts'
import { systemCall } from '../../../platform/keys/principals.ts'
import { Problem } from '../../../platform/problems/problem.ts'
import { LINK } from '../../office/mail/link.ts'
import { queueOwnLetter } from '../../office/mail/queue.ts'
import { membersOf } from './queries.ts'

const MINUTE_MS = 60_000

/** Long enough for a slow mail server, short enough for a link that stays in a mailbox. */
const LINK_LIFE_MS = 15 * MINUTE_MS

/**
 * Mails a sign-in link to the user with this address; does nothing if there is none. The mail is sent in the name of
 * the builder where the user last signed in, so that another builder cannot send such mails by inviting people.
 */
export async function mailLink(surroundings: Surroundings, email: string): Promise<void> {
  const members = await membersOf(surroundings.database.statements, email)
  const [member] = members.sort((one, other) => ((one.lastLoginAt ?? '') < (other.lastLoginAt ?? '') ? 1 : -1))
  if (member === undefined || !(await surroundings.limits.takeSignInMail(email.toLowerCase()))) return
  const { organizationId, organizationName, userId, name } = member
  // An address that no user can have is treated like a stranger's.
  const link = await surroundings.identity.makeLink(email, LINK_LIFE_MS).catch(unlessInvalid)
  if (link === null) return
  const call = await systemCall(surroundings, organizationId)
  await call.write((call) =>
    queueOwnLetter(call, {
      kind: 'sign_in',
      to: email,
      userId,
      subject: `Sign in to ${organizationName}`,
      text: `${name},\n\nthis link signs you in. It works once, for 15 minutes, and anyone who has it can sign in as you.\n\n${LINK}\n\nIf you did not request this link, you can ignore this email.`,
      link: link.url,
    }),
  )
}

function unlessInvalid(error: unknown): null {
  if (error instanceof Problem && error.code === 'validation_failed') return null
  throw error
}
