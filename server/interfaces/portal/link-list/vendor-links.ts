import { sql } from 'kysely'
import type { VendorLanguage } from '../../../../client/contract.gen.ts'
import { mailPortalLinks } from '../../../domain/vendors/vendors/invite-to-portal.ts'
import * as vendors from '../../../domain/vendors/vendors/queries.ts'
import type { Services } from '../../../platform/calls/call.ts'
import {
  findLinkUrls,
  getLatestExpiredDeadline,
  hasPortalLink,
  issuePortalLinks,
  revokePortalLink,
} from '../../../platform/keys/portal-links.ts'
import { createSystemCall } from '../../../platform/keys/principals.ts'

/** A link of a vendor: to the whole portal of a builder, or to one invitation. */
export interface VendorLink {
  organizationId: string
  builder: string
  vendorId: string
  companyName: string
  language: VendorLanguage | null
  /** The ID of the vendor for a link to the whole portal; otherwise, the ID of the invitation. */
  subjectId: string
  /** The bid request of the invitation; null for a link to the whole portal. */
  request: { number: string; title: string | null; scope: string; spanishScope: string | null } | null
}

/** The maximum number of links. A vendor works with few builders and has few open requests from each. */
const MAX_LINKS = 200

interface LinkRow extends Omit<VendorLink, 'request'> {
  number: string | null
  title: string | null
  scope: string | null
  spanishScope: string | null
}

/**
 * Returns the links from all builders to vendors with this email address. If a builder gave a link to the whole portal,
 * only that link is returned. Leaves out sandboxes and builders that have revoked the links.
 *
 * The query is not limited to one organization. The caller must have verified that the reader owns the mailbox. Every
 * table is joined by the organization of the vendor, because Citus does not accept outer joins by another table.
 */
export async function listVendorLinks(
  { clock, database }: Pick<Services, 'clock' | 'database'>,
  email: string,
): Promise<VendorLink[]> {
  const { rows } = await sql<LinkRow>`
    select o."id" as "organizationId", o."name" as "builder", v."id" as "vendorId", v."companyName", v."language",
      a."subjectId", r."number", r."title", r."scope", s."spanishName" as "spanishScope"
    from "vendors" as v
    join "organizations" as o on o."id" = v."organizationId"
    join "portalAddresses" as a on a."organizationId" = v."organizationId" and a."vendorId" = v."id"
    left join "invitations" as i on i."organizationId" = v."organizationId" and i."id" = a."subjectId"
    left join "bidRequests" as r on r."organizationId" = v."organizationId" and r."id" = i."bidRequestId"
    left join "scopes" as s on s."organizationId" = v."organizationId" and lower(s."name") = lower(r."scope")
      and s."archivedAt" is null
    where "vendorMailKeys"(v."email", v."contacts") @> array[lower(${email}::text)]
      and v."archivedAt" is null and v."status" <> 'inactive' and a."revokedAt" is null and a."copiedBy" is null
      and not exists (select from "sandboxes" as s where s."organizationId" = v."organizationId")
      and (a."subjectId" = v."id" or r."deadlineAt" > ${getLatestExpiredDeadline(clock.now()).toISOString()}
        and not exists (
          select from "portalAddresses" as p
          where p."organizationId" = v."organizationId" and p."subjectId" = v."id" and p."revokedAt" is null
            and p."copiedBy" is null))
    order by o."name", v."id", a."subjectId" desc limit ${MAX_LINKS}`.execute(database.statements)
  return rows.map(({ number, title, scope, spanishScope, ...link }) => ({
    ...link,
    request: number === null || scope === null ? null : { number, title, scope, spanishScope },
  }))
}

/**
 * Returns the URL of a link from the list. If a link to the whole portal has expired or its token is not stored,
 * creates and emails a new link. Returns null if the link does not exist for this address.
 */
export async function openVendorLink(services: Services, email: string, subjectId: unknown): Promise<string | null> {
  const link = (await listVendorLinks(services, email)).find((each) => each.subjectId === subjectId)
  if (link === undefined) return null
  const call = await createSystemCall(services, link.organizationId)
  return call.write(async (call) => {
    const vendor = await vendors.lock(call, link.vendorId)
    const url = (await findLinkUrls(call, [link.subjectId])).get(link.subjectId)
    if (link.request !== null) return url ?? null
    if (url !== undefined && (await hasPortalLink(call, link))) return url
    await revokePortalLink(call, vendor.id)
    const issued =
      (await issuePortalLinks(call, [{ subjectId: vendor.id, vendorId: vendor.id }])).get(vendor.id) ?? null
    await mailPortalLinks(call, [{ vendor, link: issued }])
    return issued
  })
}
