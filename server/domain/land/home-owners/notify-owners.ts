import type { HomeOwner } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { hasEverHadLink } from '../../../platform/keys/owner-links.ts'
import { canReach, queueInternalMail } from '../../office/mail/queue-mails.ts'
import * as homes from '../homes/queries.ts'
import * as owners from './queries.ts'
import { OWNER_MAIL_WORDS } from './words/owner-mail-words.ts'

/**
 * Emails the previous address of the owner that its link is no longer valid, so that an owner who did not request the
 * change can object. Does nothing if the owner has never had a link.
 */
export async function notifyFormerAddress(
  call: WriteCall,
  before: HomeOwner,
  notice: 'addressChanged' | 'accessEnded',
): Promise<void> {
  if (await hasEverHadLink(call, before.id))
    await mailNotice(call, before, (words, home) => words[notice](call.principal.organization.name, home, before.name))
}

/** Emails the other owners with a link that this owner now also has access to the page of the home. */
export async function notifyOtherOwners(call: WriteCall, added: HomeOwner): Promise<void> {
  for (const owner of await owners.findAllWith(call, { homeId: [added.homeId] })) {
    if (owner.id === added.id || owner.archivedAt !== null || owner.invitedAt === null) continue
    await mailNotice(call, owner, (words, home) =>
      words.personAdded(call.principal.organization.name, home, owner.name, added.name),
    )
  }
}

type Words = (typeof OWNER_MAIL_WORDS)[HomeOwner['language']]

async function mailNotice(
  call: WriteCall,
  { id, homeId, email, language }: HomeOwner,
  write: (words: Words, home: string) => { subject: string; text: string },
): Promise<void> {
  if (email === null || !(await canReach(call, [email]))) return
  const { name } = await homes.find(call, homeId)
  const notice = write(OWNER_MAIL_WORDS[language], name)
  await queueInternalMail(call, { kind: 'owner_notice', to: email, aboutId: id, ...notice, link: null })
}
