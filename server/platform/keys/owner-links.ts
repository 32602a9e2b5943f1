import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Organization, Principal, Services, Tenant, WriteCall } from '../calls/call.ts'
import { formatTimestamp } from '../values/format.ts'
import { createAuthenticationProblem } from './credentials.ts'
import { findOrganizationByHash } from './find-organization-by-hash.ts'
import { hashKeySecret } from './key-secret.ts'
import { toHomeOwnerPrincipal } from './principals.ts'

/**
 * Manages the links of home owners: `/owner/<token>`. A token consists of the ID of the owner and 192 random bits, and
 * only its hash is stored. Each owner has at most one valid link.
 */
const RANDOM_BYTES = 24
const TOKEN_PATTERN = /^own_[0-9a-z]{26}\.[\w-]{32}$/

const DAY_MS = 86_400_000
/** Longer than a year, because some owners return only for the eleven-month walkthrough. */
const DAYS_AFTER_USE = 400

/** Creates a link, which replaces the owner's previous link, and returns its URL. */
export async function issueOwnerLink(call: WriteCall, homeOwnerId: string): Promise<string> {
  await revokeOwnerLinks(call, homeOwnerId)
  const token = `${homeOwnerId}.${randomBytes(RANDOM_BYTES).toString('base64url')}`
  await sql`
    insert into "ownerLinks" ("organizationId", "hash", "homeOwnerId", "createdAt", "lastUsedAt")
    values (${call.organizationId}, ${hashKeySecret(token)}, ${homeOwnerId}, ${call.now}, ${call.now})`.execute(call.db)
  return `${call.services.config.publicUrl}/owner/${token}`
}

/** Revokes the owner's link, if any. */
export async function revokeOwnerLinks(
  { db, organizationId, now }: Pick<WriteCall, 'db' | 'organizationId' | 'now'>,
  homeOwnerId: string,
): Promise<void> {
  await sql`
    update "ownerLinks" set "revokedAt" = ${now}
    where "organizationId" = ${organizationId} and "homeOwnerId" = ${homeOwnerId} and "revokedAt" is null`.execute(db)
}

/** Returns whether the owner has or had a link. */
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
 * Returns the owner of a token and records that the link was used. Throws `invalid_key`, `revoked_token`, or
 * `expired_token`.
 */
export async function authenticateHomeOwner(
  { clock, database }: Pick<Services, 'clock' | 'database'>,
  token: string,
): Promise<Principal> {
  const hash = hashKeySecret(token)
  // The token itself proves that its sender can read this row.
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
  // Storing the time once a day is precise enough.
  if (Date.parse(lastUsedAt) + DAY_MS <= clock.nowMs())
    await sql`update "ownerLinks" set "lastUsedAt" = ${clock.now()} where "hash" = ${hash}`.execute(database.statements)
  return toHomeOwnerPrincipal(organization, homeOwnerId, homeId)
}
