import type { Services } from '../../../platform/calls/call.ts'
import { createSystemCall } from '../../../platform/keys/principals.ts'
import { Problem } from '../../../platform/problems/problem.ts'
import { LINK_PLACEHOLDER } from '../../office/mail/mail-link.ts'
import { queueInternalMail } from '../../office/mail/queue-mails.ts'
import { listMemberships } from './queries.ts'

const MINUTE_MS = 60_000

/** Long enough for a slow mail server, but short enough to protect links that remain in a mailbox. */
const LINK_LIFETIME_MS = 15 * MINUTE_MS

/**
 * Emails a sign-in link to the user with this address. Does nothing if there is no such user. The sender is the builder
 * to which the user last signed in. Otherwise, another builder could send such emails by inviting the user.
 */
export async function mailSignInLink(services: Services, email: string): Promise<void> {
  const members = await listMemberships(services.database.statements, email)
  const [member] = members.sort((one, other) => ((one.lastLoginAt ?? '') < (other.lastLoginAt ?? '') ? 1 : -1))
  if (member === undefined || !(await services.limits.takeSignInMail(email.toLowerCase()))) return
  const { organizationId, organizationName, userId, name } = member
  // Treat an invalid address like an unknown address.
  const link = await services.identity.makeLink(email, LINK_LIFETIME_MS).catch(ignoreInvalid)
  if (link === null) return
  const call = await createSystemCall(services, organizationId)
  await call.write((call) =>
    queueInternalMail(call, {
      kind: 'sign_in',
      to: email,
      userId,
      aboutId: userId,
      subject: `Sign in to ${organizationName}`,
      text: `${name},\n\nthis link signs you in. The link works only once, within 15 minutes. Anyone who has the link can sign in as you.\n\n${LINK_PLACEHOLDER}\n\nIf you did not request this link, you can ignore this email.`,
      link: link.url,
    }),
  )
}

function ignoreInvalid(error: unknown): null {
  if (error instanceof Problem && error.code === 'validation_failed') return null
  throw error
}
