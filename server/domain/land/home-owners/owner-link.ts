import type { HomeOwner } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { issueOwnerLink, revokeOwnerLinks } from '../../../platform/keys/owner-links.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { canReach, queueInternalMail } from '../../office/mail/queue-mails.ts'
import * as homes from '../homes/queries.ts'
import { notifyOtherOwners } from './notify-owners.ts'
import * as owners from './queries.ts'
import { assertCanMailLink, canApproveEmail } from './reroute-guards.ts'
import { OWNER_MAIL_WORDS } from './words/owner-mail-words.ts'

/**
 * Emails a new link to the owner. Throws `conflict` if the service cannot send email to the owner, and
 * `permission_denied` if the caller must not email a link to the owner's address.
 */
export async function inviteOwner(call: WriteCall, id: string): Promise<HomeOwner> {
  const before = await lockActive(call, id)
  const { name, email, homeId, language } = before
  if (email === null)
    throw conflict(
      'no_recipient',
      `Cannot email the link: ${name} has no email address. Add an email address, or copy the link with copyHomeOwnerLink.`,
    )
  await assertCanMailLink(call, before)
  if (!(await canReach(call, [email])))
    throw conflict(
      'not_available',
      'Cannot email the link: the service does not send email to home owners. Copy the link with copyHomeOwnerLink.',
    )
  const link = await issueOwnerLink(call, id)
  const { name: home } = await homes.find(call, homeId)
  const { subject, text } = OWNER_MAIL_WORDS[language].invitation(call.principal.organization.name, home, name)
  await queueInternalMail(call, { kind: 'owner_invitation', to: email, aboutId: id, subject, text, link })
  if (canApproveEmail(call)) await owners.approveEmail(call, id)
  return storeInvitation(call, before)
}

/**
 * Returns a new link that the builder gives to the owner by phone or on paper. Throws `conflict` if the service can
 * email links to the owner.
 */
export async function copyOwnerLink(call: WriteCall, id: string): Promise<string> {
  const before = await lockActive(call, id)
  if (before.email !== null && (await canReach(call, [before.email])))
    throw conflict(
      'not_available',
      `Cannot copy the link: the service can email the link to ${before.name}. Invite the owner with inviteHomeOwner instead.`,
    )
  const link = await issueOwnerLink(call, id)
  await storeInvitation(call, before)
  return link
}

/**
 * Returns a new link for an owner who confirmed a requested one-time link. Null if the builder archived the owner or
 * revoked the link in the meantime.
 */
export async function issueRequestedLink(call: WriteCall, id: string): Promise<string | null> {
  const { archivedAt, invitedAt } = await owners.lock(call, id)
  return archivedAt !== null || invitedAt === null ? null : issueOwnerLink(call, id)
}

export async function revokeLinkOfOwner(call: WriteCall, id: string): Promise<HomeOwner> {
  const before = await owners.lock(call, id)
  await revokeOwnerLinks(call, id)
  return before.invitedAt === null ? before : owners.update(call, before, { invitedAt: null })
}

async function lockActive(call: WriteCall, id: string): Promise<HomeOwner> {
  const owner = await owners.lock(call, id)
  if (owner.archivedAt !== null) throw conflict('archived', `Cannot create a link: ${owner.name} is archived.`)
  return owner
}

async function storeInvitation(call: WriteCall, before: HomeOwner): Promise<HomeOwner> {
  if (before.invitedAt === null) await notifyOtherOwners(call, before)
  return owners.update(call, before, { invitedAt: call.now.toISOString() })
}
