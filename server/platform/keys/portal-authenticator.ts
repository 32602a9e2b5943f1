import type { IncomingHttpHeaders } from 'node:http'
import { sql } from 'kysely'
import type { LinkCopier } from '../../../client/contract.gen.ts'
import type { Organization, Principal } from '../calls/call.ts'
import type { Database } from '../database/database.ts'
import type { Clock } from '../runtime/clock.ts'
import { formatTimestamp } from '../values/format.ts'
import type { Authenticator, AuthenticatorParts } from './authenticator.ts'
import { readBearerToken, unauthenticated } from './credentials.ts'
import { hashPortalToken, isPortalToken, type LinkPurpose, linkExpiry } from './portal-links.ts'
import { toVendorPrincipal } from './principals.ts'

/** Finds the vendor of a portal token. The token names what it opens: a portal or an invitation. */
export function createPortalAuthenticator(parts: AuthenticatorParts): Authenticator {
  return {
    isAddressed: ({ authorization = '' }) => /^Bearer (inv|ven)_/i.test(authorization),
    async authenticate({ authorization }: IncomingHttpHeaders) {
      if (authorization === undefined || authorization === '')
        throw unauthenticated(
          'missing_key',
          'The request has no portal token. Send the last part of the portal link as "Authorization: Bearer …".',
        )
      return authenticateVendor(parts, readBearerToken(authorization) ?? '')
    },
  }
}

/** Returns the vendor of a token. Throws `invalid_key`, `revoked_token`, or `expired_token`. */
export async function authenticateVendor(
  { clock, database }: { clock: Clock; database: Database },
  token: string,
): Promise<Principal> {
  const found = isPortalToken(token) ? await findLink(database, token) : undefined
  if (found === undefined)
    throw unauthenticated('invalid_key', 'The portal link is not valid. Use the link exactly as the builder sent it.')
  const { vendorId, subjectId, revokedAt, copiedBy, isDropped, deadlineAt, createdAt, ...organization } = found
  if (revokedAt !== null) {
    const revokedOn = formatTimestamp(revokedAt, organization.timeZone)
    const detail = `The portal link was revoked or replaced on ${revokedOn}. Ask the builder for a new link.`
    throw unauthenticated('revoked_token', detail)
  }
  if (isDropped)
    throw unauthenticated('revoked_token', 'The builder has deactivated or archived this vendor. Contact the builder.')
  const end = linkExpiry({ createdAt, deadlineAt })
  if (end.getTime() <= clock.nowMs()) {
    const expiry = formatTimestamp(end, organization.timeZone)
    throw unauthenticated('expired_token', `The portal link expired on ${expiry}. Ask the builder for a new link.`)
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

// The token itself proves who may read this, so the query has no organization: the hash is unique and matches one row
// of each other table.
async function findLink(database: Database, token: string): Promise<FoundLink | undefined> {
  const { rows } = await sql<FoundLink>`
    select o."id", o."name", o."tier", o."currency", o."timeZone", a."vendorId", a."subjectId", a."createdAt", a."revokedAt",
      a."copiedBy",
      v."archivedAt" is not null or v."status" = 'inactive' as "isDropped", r."deadlineAt"
    from "portalAddresses" as a
    join "organizations" as o on o."id" = a."organizationId"
    join "vendors" as v on v."organizationId" = a."organizationId" and v."id" = a."vendorId"
    left join "invitations" as i on i."organizationId" = a."organizationId" and i."id" = a."subjectId"
    left join "bidRequests" as r on r."organizationId" = i."organizationId" and r."id" = i."bidRequestId"
    where a."hash" = ${hashPortalToken(token)}`.execute(database.statements)
  return rows[0]
}
