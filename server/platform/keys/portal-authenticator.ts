import type { IncomingHttpHeaders } from 'node:http'
import { sql } from 'kysely'
import type { LinkCopier, VendorLanguage } from '../../../client/contract.gen.ts'
import type { Organization, Principal } from '../calls/call.ts'
import type { Database } from '../database/database.ts'
import type { Clock } from '../runtime/clock.ts'
import { formatTimestamp } from '../values/format.ts'
import type { Authenticator, AuthenticatorParts } from './authenticator.ts'
import { createAuthenticationProblem, readBearerToken } from './credentials.ts'
import { findOrganizationByHash } from './find-organization-by-hash.ts'
import { computeLinkExpiry, hashPortalToken, isPortalToken, type LinkPurpose } from './portal-links.ts'
import { toVendorPrincipal } from './principals.ts'

/**
 * Finds the vendor to which a portal token belongs. The token also identifies its subject, which is a portal or an
 * invitation.
 */
export function createPortalAuthenticator(parts: AuthenticatorParts): Authenticator {
  return {
    isAddressed: ({ authorization = '' }) => /^Bearer (inv|ven)_/i.test(authorization),
    async authenticate({ authorization }: IncomingHttpHeaders) {
      if (authorization === undefined || authorization === '')
        throw createAuthenticationProblem(
          'missing_key',
          'The request has no portal token. Send the last part of the portal link as "Authorization: Bearer …".',
        )
      return authenticateVendor(parts, readBearerToken(authorization) ?? '')
    },
  }
}

/** Returns the vendor to which a token belongs. Throws `invalid_key`, `revoked_token`, or `expired_token`. */
export async function authenticateVendor(
  { clock, database }: { clock: Clock; database: Database },
  token: string,
): Promise<Principal> {
  const found = isPortalToken(token) ? await findLink(database, token) : undefined
  if (found === undefined)
    throw createAuthenticationProblem(
      'invalid_key',
      'The portal link is not valid. Use the link exactly as the builder sent it.',
    )
  const { vendorId, subjectId, revokedAt, copiedBy, isDropped, deadlineAt, createdAt, ...organization } = found
  if (revokedAt !== null) {
    const revokedOn = formatTimestamp(revokedAt, organization.timeZone)
    const detail = `The portal link was revoked or replaced on ${revokedOn}. Ask the builder for a new link.`
    throw createAuthenticationProblem('revoked_token', detail)
  }
  if (isDropped)
    throw createAuthenticationProblem(
      'revoked_token',
      'The builder has deactivated or archived this vendor. Contact the builder.',
    )
  const end = computeLinkExpiry({ createdAt, deadlineAt })
  if (end.getTime() <= clock.nowMs()) {
    const expiry = formatTimestamp(end, organization.timeZone)
    throw createAuthenticationProblem(
      'expired_token',
      `The portal link expired on ${expiry}. Ask the builder for a new link.`,
    )
  }
  return toVendorPrincipal(organization, vendorId, subjectId, copiedBy)
}

interface FoundLink extends Organization, LinkPurpose {
  vendorId: string
  subjectId: string
  revokedAt: string | null
  copiedBy: LinkCopier | null
  isDropped: boolean
}

/** The builder and the vendor to which a link belongs. The link may no longer be valid. */
export interface LinkOwner {
  builder: string
  phone: string | null
  language: VendorLanguage | null
}

/**
 * Returns the builder and vendor to which a token belongs, even if the link has expired or was revoked; null if the
 * token was never issued.
 */
export async function findLinkOwner(database: Database, token: string): Promise<LinkOwner | null> {
  if (!isPortalToken(token)) return null
  const hash = hashPortalToken(token)
  const organizationId = await findOrganizationByHash(database.statements, 'portalAddresses', hash)
  if (organizationId === undefined) return null
  const { rows } = await sql<LinkOwner>`
    select o."name" as "builder", o."phone", v."language" from "portalAddresses" as a
    join "organizations" as o on o."id" = a."organizationId"
    join "vendors" as v on v."organizationId" = a."organizationId" and v."id" = a."vendorId"
    where v."organizationId" = ${organizationId} and a."hash" = ${hash}`.execute(database.statements)
  return rows[0] ?? null
}

// No permission check is necessary, because the token itself grants access to these rows. The first query finds the
// organization by the hash of the token, and the second query reads only rows of this organization.
async function findLink(database: Database, token: string): Promise<FoundLink | undefined> {
  const hash = hashPortalToken(token)
  const organizationId = await findOrganizationByHash(database.statements, 'portalAddresses', hash)
  if (organizationId === undefined) return undefined
  const { rows } = await sql<FoundLink>`
    select o."id", o."name", o."tier", o."currency", o."timeZone", a."vendorId", a."subjectId", a."createdAt", a."revokedAt",
      a."copiedBy",
      v."archivedAt" is not null or v."status" = 'inactive' as "isDropped", r."deadlineAt"
    from "portalAddresses" as a
    join "organizations" as o on o."id" = ${organizationId}
    join "vendors" as v on v."organizationId" = o."id" and v."id" = a."vendorId"
    left join "invitations" as i on i."organizationId" = o."id" and i."id" = a."subjectId"
    left join "bidRequests" as r on r."organizationId" = o."id" and r."id" = i."bidRequestId"
    where a."hash" = ${hash}`.execute(database.statements)
  return rows[0]
}
