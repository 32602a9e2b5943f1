import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Organization, Principal, Surroundings, WriteCall } from '../../../platform/calls/call.ts'
import { secretHash } from '../../../platform/keys/secret.ts'
import { Problem, problem } from '../../../platform/problems/problem.ts'

/**
 * The addresses of calendar feeds: `/calendars/<token>.ics`. A token is the id of the feed and 192 random bits, and is
 * looked up by its hash, which is all that is stored. Calendar programs send no key, so whoever has the address reads
 * the feed, and nothing else.
 */
const RANDOM_BYTES = 24
const FORM = /^cal_[0-9a-z]{26}\.[\w-]{32}$/

/** Makes the address of a new feed. */
export async function issueAddress(call: WriteCall, feedId: string): Promise<string> {
  const token = `${feedId}.${randomBytes(RANDOM_BYTES).toString('base64url')}`
  const { organizationId } = call
  await call.db
    .insertInto('calendarAddresses')
    .values({ organizationId, hash: secretHash(token), feedId })
    .execute()
  return `${call.surroundings.config.publicUrl}/calendars/${token}.ics`
}

/** An open feed, and what its calendar is called by. */
export interface OpenFeed {
  feedId: string
  vendorId: string | null
  userId: string | null
  communityId: string | null
  /** The vendor or the user. */
  owner: string
  community: string | null
  organization: Organization
}

/** The feed behind a token; throws `not_found`, or `revoked_token` for one that has ended. */
export async function feedBehind({ database, clock }: Parts, token: string): Promise<OpenFeed> {
  const found = FORM.test(token) ? await find({ database, clock }, token) : undefined
  if (found === undefined) throw problem('not_found', 'This calendar link is not valid.')
  const { isOver, id, name, tier, currency, timeZone, ...feed } = found
  if (isOver) throw new Problem('revoked_token', 'This calendar link is no longer valid.')
  return { ...feed, organization: { id, name, tier, currency, timeZone } }
}

type Parts = Pick<Surroundings, 'database' | 'clock'>

type Found = Omit<OpenFeed, 'organization'> & Organization & { isOver: boolean }

// The token itself proves who may read this, so the query has no tenant: the hash is unique and leads to one row of
// each other table. A feed that an app created ends with the grant by which the app acted.
async function find({ database, clock }: Parts, token: string): Promise<Found | undefined> {
  const { rows } = await sql<Found>`
    select o."id", o."name", o."tier", o."currency", o."timeZone", f."id" as "feedId", f."vendorId", f."userId",
      f."communityId", coalesce(v."companyName", u."name") as "owner", c."name" as "community",
      f."archivedAt" is not null or v."archivedAt" is not null or coalesce(v."status" = 'inactive', false)
        or coalesce(u."status" = 'disabled', false)
        or f."createdBy"->'via' is not null
          and (g."id" is null or g."revokedAt" is not null or g."expiresAt" <= ${clock.now().toISOString()}) as "isOver"
    from "calendarAddresses" as a
    join "organizations" as o on o."id" = a."organizationId"
    join "calendarFeeds" as f on f."organizationId" = a."organizationId" and f."id" = a."feedId"
    left join "vendors" as v on v."organizationId" = f."organizationId" and v."id" = f."vendorId"
    left join "users" as u on u."organizationId" = f."organizationId" and u."id" = f."userId"
    left join "oauthGrants" as g on g."organizationId" = f."organizationId"
      and g."id" = f."createdBy"->'via'->>'grantId'
    left join "communities" as c on c."organizationId" = f."organizationId" and c."id" = f."communityId"
    where a."hash" = ${secretHash(token)}`.execute(database.statements)
  return rows[0]
}

/** Whoever reads the feed: nobody with permissions, counted by the feed like an address of the portal. */
export function readerOf({ feedId, vendorId, userId, organization }: OpenFeed): Principal {
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
