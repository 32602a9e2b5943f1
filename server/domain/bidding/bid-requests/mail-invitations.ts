import type { Vendor } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { findLinkUrls } from '../../../platform/keys/portal-links.ts'
import { canSendMail, queueMails } from '../../office/mail/queue-mails.ts'
import type { MailLocale } from '../../office/message-templates/mail-locale.ts'
import { findSpanishScope } from '../../vendors/scopes/queries.ts'
import { toRequestValues } from '../../vendors/vendors/notice-mails.ts'
import { listRecipients } from '../../vendors/vendors/vendor.ts'
import * as requests from './queries.ts'

/** Emails the new portal links of the invitations, if the deployment can send email. */
export async function mailInvitations(
  call: WriteCall,
  bidRequestId: string,
  invited: readonly Vendor[],
): Promise<void> {
  if (!canSendMail(call) || invited.length === 0) return
  const request = await requests.find(call, bidRequestId)
  const mailed = { ...request, spanishScope: await findSpanishScope(call, request.scope) }
  const invitations = new Map(request.invitations.map(({ vendorId, id }) => [vendorId, id]))
  const links = await findLinkUrls(call, [...invitations.values()])
  await queueMails(
    call,
    invited.flatMap((vendor) => {
      const id = invitations.get(vendor.id)
      if (id === undefined) return []
      const named = { 'vendor.companyName': vendor.companyName, message: request.message }
      const values = (locale: MailLocale) => ({ ...named, ...toRequestValues(mailed, locale) })
      const link = links.get(id) ?? null
      return {
        kind: 'bid_invitation' as const,
        to: listRecipients(vendor),
        vendorId: vendor.id,
        aboutId: id,
        replySubjectId: id,
        values,
        link,
      }
    }),
  )
}
