import { sql } from 'kysely'
import type { Vendor } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import {
  computeLinkExpiry,
  issuePortalLinks,
  type RevokedLink,
  revokeVendorLinks,
} from '../../../platform/keys/portal-links.ts'
import { queueMails } from '../../office/mail/queue-mails.ts'
import type { MailLocale } from '../../office/message-templates/mail-locale.ts'
import { toSpanishScopeSql } from '../scopes/queries.ts'
import { mailPortalLinks } from './invite-to-portal.ts'
import { type MailedRequest, toRequestValues } from './notice-mails.ts'
import { findPortalObstacle, listRecipients } from './vendor.ts'

interface ChangedVendor {
  before: Vendor
  after: Vendor
}

/**
 * Revokes all portal links of vendors from which an email address was removed, because a former employee may still read
 * email at that address. Then emails new links to the remaining addresses, for the portal and for the invitations to
 * open bid requests. A vendor without a remaining address receives no new link. The vendors must already be locked and
 * stored.
 */
export async function replaceVendorLinks(call: WriteCall, changes: readonly ChangedVendor[]): Promise<void> {
  const vendors = new Map(changes.filter(hasRemovedAddress).map(({ after }) => [after.id, after]))
  if (vendors.size === 0) return
  const revoked = await revokeVendorLinks(call, [...vendors.keys()])
  const mailable = revoked.flatMap((link) => {
    const vendor = vendors.get(link.vendorId)
    return vendor === undefined || link.isCopy || !isReachable(vendor) ? [] : [{ ...link, vendor }]
  })
  await replacePortalLinks(
    call,
    mailable.filter(({ subjectId, vendorId }) => subjectId === vendorId),
  )
  await replaceInvitationLinks(
    call,
    mailable.filter(({ subjectId, vendorId }) => subjectId !== vendorId),
  )
}

interface MailableVendor extends RevokedLink {
  vendor: Vendor
}

async function replacePortalLinks(call: WriteCall, links: readonly MailableVendor[]): Promise<void> {
  const current = links.filter(({ createdAt }) => computeLinkExpiry({ createdAt, deadlineAt: null }) > call.now)
  const issued = await issuePortalLinks(call, current)
  await mailPortalLinks(
    call,
    current.map(({ vendor }) => ({ vendor, link: issued.get(vendor.id) ?? null })),
  )
}

// Neither locks nor changes the bid requests and invitations, because other transactions lock them before the vendor.
async function replaceInvitationLinks(call: WriteCall, links: readonly MailableVendor[]): Promise<void> {
  if (links.length === 0) return
  const vendors = new Map(links.map(({ subjectId, vendor }) => [subjectId, vendor]))
  const { rows } = await sql<OpenInvitation>`
    select i."id", i."vendorId", r."number", r."title", r."scope", r."deadline"::text as "deadline", r."message",
      ${sql.raw(toSpanishScopeSql('r."scope"', 'r'))} as "spanishScope"
    from "invitations" as i
    join "bidRequests" as r on r."organizationId" = i."organizationId" and r."id" = i."bidRequestId"
    where i."organizationId" = ${call.organizationId} and i."id" = any(${[...vendors.keys()]}::text[])
      and r."status" = 'sent' and r."deadlineAt" > ${call.now}
    order by i."id"`.execute(call.db)
  const issued = await issuePortalLinks(
    call,
    rows.map(({ id, vendorId }) => ({ subjectId: id, vendorId })),
  )
  const mails = rows.flatMap((row) => {
    const vendor = vendors.get(row.id)
    if (vendor === undefined) return []
    const named = { 'vendor.companyName': vendor.companyName, message: row.message }
    const values = (locale: MailLocale) => ({ ...named, ...toRequestValues(row, locale) })
    const about = { vendorId: vendor.id, aboutId: row.id, link: issued.get(row.id) ?? null }
    return { kind: 'bid_invitation' as const, to: listRecipients(vendor), values, ...about }
  })
  await queueMails(call, mails)
}

/** An invitation to an open bid request, with the data of the request for the email. */
interface OpenInvitation extends MailedRequest {
  id: string
  vendorId: string
  message: string | null
}

/**
 * Returns whether an email address of the vendor was removed, regardless of letter case. The address of a contact that
 * no longer receives email counts as removed, because links may have been emailed to it.
 */
function hasRemovedAddress({ before, after }: ChangedVendor): boolean {
  const stored = getEmails(after)
  return [...getEmails(before)].some((email) => !stored.has(email))
}

function getEmails({ email, contacts }: Vendor): Set<string> {
  const emails = [email, ...contacts.map((contact) => contact.email)]
  return new Set(emails.flatMap((each) => each?.toLowerCase() ?? []))
}

function isReachable(vendor: Vendor): boolean {
  return listRecipients(vendor).length > 0 && findPortalObstacle(vendor) === null
}
