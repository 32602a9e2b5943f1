import { LINK_PLACEHOLDER } from '../../../domain/office/mail/mail-link.ts'
import { queueInternalMail } from '../../../domain/office/mail/queue-mails.ts'
import type { Services } from '../../../platform/calls/call.ts'
import { createSystemCall } from '../../../platform/keys/principals.ts'
import { createPageLocale } from '../pages/words/page-locale.ts'
import { createLinkListToken } from './link-list-tokens.ts'
import { listVendorLinks } from './vendor-links.ts'

/**
 * Sends an email with a one-time link to the list of a vendor's portal links, if any builder has the email address. The
 * email is in the outbox of one of the vendor's builders. It mentions no builder, so that builders do not learn about
 * each other.
 */
export async function mailLinkList(services: Services, email: string): Promise<void> {
  const [link] = await listVendorLinks(services, email)
  if (link === undefined || !(await services.limits.takeLinkListMail(email.toLowerCase()))) return
  const { links } = createPageLocale(link.language ?? 'en', services.clock.now()).words
  const call = await createSystemCall(services, link.organizationId)
  await call.write(async (call) => {
    const token = await createLinkListToken(call, email.toLowerCase())
    await queueInternalMail(call, {
      ...{ kind: 'portal_links', to: email, vendorId: link.vendorId, aboutId: link.vendorId },
      ...{ subject: links.mailSubject, text: links.mailText(LINK_PLACEHOLDER) },
      link: `${services.config.publicUrl}/portal/links/${token}`,
    })
  })
}
