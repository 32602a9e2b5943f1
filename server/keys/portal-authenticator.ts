import type { IncomingHttpHeaders } from 'node:http'
import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { Organization, Principal } from '../http/call.ts'
import type { Authenticator, AuthenticatorParts } from './authenticate.ts'
import { bearerToken, unauthenticated } from './bearer.ts'
import { openPortalToken } from './portal-token.ts'
import { vendorOf } from './principals.ts'

/**
 * Finds the vendor that a portal token was made for. A token names what it opens, the vendor's whole portal or a single
 * invitation, so each is looked up where it lies; what is not there any more opens nothing.
 */
export function portalAuthenticator(parts: AuthenticatorParts): Authenticator {
  return {
    isAddressed: ({ authorization = '' }) => /^Bearer (inv|ven)_/i.test(authorization),
    async authenticate({ authorization }: IncomingHttpHeaders) {
      if (authorization === undefined || authorization === '')
        throw unauthenticated('missing_key', 'Send the last part of the portal address as "Authorization: Bearer …".')
      const token = bearerToken(authorization)
      const vendor = token === null ? null : await vendorBehind(parts, token)
      if (vendor === null) throw unauthenticated('invalid_key', 'It is not a token of the vendor portal.')
      return vendor
    },
  }
}

/** The vendor that a token lets in; null for a token that opens nothing. */
export async function vendorBehind(
  { config, database }: Pick<AuthenticatorParts, 'config' | 'database'>,
  token: string,
): Promise<Principal | null> {
  const subjectId = openPortalToken(config, token)
  if (subjectId === null) return null
  const found = subjectId.startsWith('inv_')
    ? await behindInvitation(database.statements, subjectId)
    : await behindVendor(database.statements, subjectId)
  if (found === undefined) return null
  const { vendorId, ...organization } = found
  return vendorOf(organization, vendorId, subjectId)
}

type Found = Organization & { vendorId: string }

const ORGANIZATION = sql`o."id", o."name", o."tier", o."currency", o."timeZone"`

// The token is the proof of who may read this, so these are queries without a tenant. The primary keys begin with the
// organization; going through the few organizations uses them.
async function behindVendor(db: Db, vendorId: string): Promise<Found | undefined> {
  const { rows } = await sql<Found>`
    select ${ORGANIZATION}, v."id" as "vendorId"
    from "organizations" as o join "vendors" as v on v."organizationId" = o."id" and v."id" = ${vendorId}`.execute(db)
  return rows[0]
}

async function behindInvitation(db: Db, invitationId: string): Promise<Found | undefined> {
  const { rows } = await sql<Found>`
    select ${ORGANIZATION}, i."vendorId"
    from "organizations" as o join "invitations" as i on i."organizationId" = o."id" and i."id" = ${invitationId}
    where i."status" <> 'pending'`.execute(db)
  return rows[0]
}
