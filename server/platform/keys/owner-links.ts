import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Organization, Principal, Services, Tenant, WriteCall } from '../calls/call.ts'
import { formatTimestamp } from '../values/format.ts'
import { createAuthenticationProblem } from './credentials.ts'
import { findOrganizationByHash } from './find-organization-by-hash.ts'
import { hashKeySecret } from './key-secret.ts'
import { toHomeOwnerPrincipal } from './principals.ts'

/**
 * Manages the links of home owners, which have the form `/owner/<token>`. A token consists of the ID of the owner and
 * 192 random bits. Only its hash is stored. Each owner has at most one valid link.
 */
const RANDOM_BYTES = 24
const TOKEN_PATTERN = /^own_[0-9a-z]{26}\.[\w-]{32}$/

const DAY_MS = 86_400_000
/**
 * The lifetime of a link after its last use. This lifetime is longer than a year, because some owners return only for
 * the eleven-month walkthrough.
 */
const DAYS_AFTER_USE = 400

/** Creates a link that replaces the previous link of the owner, and returns its URL. */
export async function issueOwnerLink(call: WriteCall, homeOwnerId: string): Promise<string> {
  await revokeOwnerLinks(call, homeOwnerId)
  const token = `${homeOwnerId}.${randomBytes(RANDOM_BYTES).toString('base64url')}`
  await sql`
    insert into "ownerLinks" ("organizationId", "hash", "homeOwnerId", "createdAt", "lastUsedAt")
    values (${call.organizationId}, ${hashKeySecret(token)}, ${homeOwnerId}, ${call.now}, ${call.now})`.execute(call.db)
  return `${call.services.config.publicUrl}/owner/${token}`
}

/** Revokes the link of the owner, if there is one. */
export async function revokeOwnerLinks(
  { db, organizationId, now }: Pick<WriteCall, 'db' | 'organizationId' | 'now'>,
  homeOwnerId: string,
): Promise<void> {
  await sql`
    update "ownerLinks" set "revokedAt" = ${now}
    where "organizationId" = ${organizationId} and "homeOwnerId" = ${homeOwnerId} and "revokedAt" is null`.execute(db)
}

/** Returns whether the owner has ever had a link. */
export async function hasEverHadLink({ db, organizationId }: Tenant, homeOwnerId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from "ownerLinks"
    where "organizationId" = ${organizationId} and "homeOwnerId" = ${homeOwnerId} limit 1`.execute(db)
  return rows.length > 0
}

interface FoundLink extends Organization {
  homeOwnerId: string
  homeId: string
  revokedAt: string | null
  lastUsedAt: string
  isArchived: boolean
}

/**
 * Returns the owner to whom a token belongs, and records that the link was used. Throws `invalid_key`, `revoked_token`,
 * or `expired_token`.
 */
export async function authenticateHomeOwner(
  { clock, database }: Pick<Services, 'clock' | 'database'>,
  token: string,
): Promise<Principal> {
  const hash = hashKeySecret(token)
  // No permission check is necessary, because the token itself grants access to this row.
  const organizationId = TOKEN_PATTERN.test(token)
    ? await findOrganizationByHash(database.statements, 'ownerLinks', hash)
    : undefined
  const { rows } = organizationId
    ? await sql<FoundLink>`
        select o."id", o."name", o."tier", o."currency", o."timeZone", l."homeOwnerId", w."homeId", l."revokedAt",
          l."lastUsedAt", w."archivedAt" is not null as "isArchived"
        from "ownerLinks" as l
        join "organizations" as o on o."id" = l."organizationId"
        join "homeOwners" as w on w."organizationId" = l."organizationId" and w."id" = l."homeOwnerId"
        where w."organizationId" = ${organizationId} and l."hash" = ${hash}`.execute(database.statements)
    : { rows: [] }
  const [found] = rows
  if (found === undefined)
    throw createAuthenticationProblem(
      'invalid_key',
      'The link is not valid. Use the link exactly as the builder sent it.',
    )
  const { homeOwnerId, homeId, revokedAt, lastUsedAt, isArchived, ...organization } = found
  if (revokedAt !== null || isArchived) {
    const when = revokedAt === null ? '' : ` on ${formatTimestamp(revokedAt, organization.timeZone)}`
    throw createAuthenticationProblem(
      'revoked_token',
      `The link was revoked or replaced${when}. Ask the builder for a new link.`,
    )
  }
  const end = Date.parse(lastUsedAt) + DAYS_AFTER_USE * DAY_MS
  if (end <= clock.nowMs())
    throw createAuthenticationProblem(
      'expired_token',
      `The link expired on ${formatTimestamp(new Date(end), organization.timeZone)}. Ask the builder for a new link.`,
    )
  // Update the time at most once a day, which is precise enough.
  if (Date.parse(lastUsedAt) + DAY_MS <= clock.nowMs())
    await sql`update "ownerLinks" set "lastUsedAt" = ${clock.now()} where "hash" = ${hash}`.execute(database.statements)
  return toHomeOwnerPrincipal(organization, homeOwnerId, homeId)
}
