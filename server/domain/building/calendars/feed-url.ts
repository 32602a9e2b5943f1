import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { VendorLanguage } from '../../../../client/contract.gen.ts'
import type { Organization, Principal, Services, WriteCall } from '../../../platform/calls/call.ts'
import { findOrganizationByHash } from '../../../platform/keys/find-organization-by-hash.ts'
import { hashKeySecret } from '../../../platform/keys/key-secret.ts'
import { getEarliestPortalLink } from '../../../platform/keys/portal-links.ts'
import { Problem, problem } from '../../../platform/problems/problem.ts'

/**
 * The URLs of calendar feeds: `/calendars/<token>.ics`. A token consists of the feed's ID and 192 random bits. Only the
 * token's hash is stored. Calendar programs send no key, so anyone with the URL can read the feed, but nothing else.
 */
const RANDOM_BYTES = 24
const TOKEN_PATTERN = /^cal_[0-9a-z]{26}\.[\w-]{32}$/

/** Creates a new URL for a feed, stores the hash of its token, and returns the URL. */
export async function issueFeedUrl(call: WriteCall, feedId: string): Promise<string> {
  const token = `${feedId}.${randomBytes(RANDOM_BYTES).toString('base64url')}`
  const { organizationId } = call
  await call.db
    .insertInto('calendarAddresses')
    .values({ organizationId, hash: hashKeySecret(token), feedId })
    .execute()
  return `${call.services.config.publicUrl}/calendars/${token}.ics`
}

/** An active feed, with the names in the title of its calendar. */
export interface OpenFeed {
  feedId: string
  vendorId: string | null
  userId: string | null
  communityId: string | null
  /** The name of the vendor or user. */
  owner: string
  community: string | null
  /** The portal language of the vendor; null for a user, or if the builder has not chosen one. */
  language: VendorLanguage | null
  organization: Organization
}

/**
 * Returns the feed with this token. Throws `not_found` if the token is unknown, or `revoked_token` if the feed is
 * revoked.
 */
export async function findFeedByToken({ database, clock }: FeedParts, token: string): Promise<OpenFeed> {
  const found = TOKEN_PATTERN.test(token) ? await findFeed({ database, clock }, token) : undefined
  if (found === undefined) throw problem('not_found', 'This calendar link is not valid.')
  const { isOver, id, name, tier, currency, timeZone, ...feed } = found
  if (isOver) throw new Problem('revoked_token', 'This calendar link is no longer valid.')
  return { ...feed, organization: { id, name, tier, currency, timeZone } }
}

type FeedParts = Pick<Services, 'database' | 'clock'>

type FoundFeed = Omit<OpenFeed, 'organization'> & Organization & { isOver: boolean }

// No permission check is necessary, because the token itself grants access to the feed. At most one row matches,
// because the hash is unique and each joined table has one row for the feed. A feed that an app created ends when
// access of the app is revoked. A feed that a vendor created in the portal ends with the portal link, and a later link
// does not reactivate it.
async function findFeed({ database, clock }: FeedParts, token: string): Promise<FoundFeed | undefined> {
  const hash = hashKeySecret(token)
  const organizationId = await findOrganizationByHash(database.statements, 'calendarAddresses', hash)
  if (organizationId === undefined) return undefined
  const { rows } = await sql<FoundFeed>`
    select o."id", o."name", o."tier", o."currency", o."timeZone", f."id" as "feedId", f."vendorId", f."userId",
      f."communityId", coalesce(v."companyName", u."name") as "owner", c."name" as "community", v."language",
      f."archivedAt" is not null or v."archivedAt" is not null or coalesce(v."status" = 'inactive', false)
        or coalesce(u."status" = 'disabled', false)
        or f."createdBy"->'via' is not null
          and (g."id" is null or g."revokedAt" is not null or g."expiresAt" <= ${clock.now().toISOString()})
        or f."createdBy"->>'type' = 'vendor' and not exists (
          select from "portalAddresses" as p
          where p."organizationId" = f."organizationId" and p."subjectId" = f."createdBy"->>'id'
            and p."revokedAt" is null and p."createdAt" <= f."createdAt"
            and p."createdAt" > ${getEarliestPortalLink(clock.now()).toISOString()}) as "isOver"
    from "calendarAddresses" as a
    join "organizations" as o on o."id" = a."organizationId"
    join "calendarFeeds" as f on f."organizationId" = a."organizationId" and f."id" = a."feedId"
    left join "vendors" as v on v."organizationId" = f."organizationId" and v."id" = f."vendorId"
    left join "users" as u on u."organizationId" = f."organizationId" and u."id" = f."userId"
    left join "oauthGrants" as g on g."organizationId" = f."organizationId"
      and g."id" = f."createdBy"->'via'->>'grantId'
    left join "communities" as c on c."organizationId" = f."organizationId" and c."id" = f."communityId"
    where f."organizationId" = ${organizationId} and a."hash" = ${hash}`.execute(database.statements)
  return rows[0]
}

/**
 * Returns the principal for requests to the feed. The principal has no permissions. Requests through the feed count
 * toward the limits of the feed, just as requests through a portal link count toward the limits of the link.
 */
export function toFeedReader({ feedId, vendorId, userId, organization }: OpenFeed): Principal {
  return {
    kind: vendorId === null ? 'user' : 'vendor',
    id: vendorId ?? userId,
    organization,
    permissions: new Set(),
    poApprovalLimit: null,
    subjectId: feedId,
    counters: { minute: `minute:${feedId}`, kind: 'portal', day: null },
  }
}
