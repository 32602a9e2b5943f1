import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { LinkCopier } from '../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../calls/call.ts'
import { PLAN_EACH_TIME } from '../database/prepared-statements.ts'
import { createVault } from '../encryption/vault.ts'
import { hashKeySecret } from './key-secret.ts'

/**
 * Manages portal links, which have the form `/portal/<token>`. A token consists of the ID of its subject (an invitation
 * or a vendor) and 192 random bits. The service finds a token by its hash, so the token stays valid when the encryption
 * key is replaced. The encryption key is only for the stored tokens, which are used in reminders and in the vendor's
 * list of links. Each subject has at most one emailed link. A copied link has a separate token, which is stored with
 * the user who copied it, and is revoked together with the emailed link.
 */
const RANDOM_BYTES = 24
const TOKEN_PATTERN = /^(inv|ven)_[0-9a-z]{26}\.[\w-]{32}$/

const DAY_MS = 86_400_000
const DAYS_AFTER_DEADLINE = 14
/**
 * Half a year is longer than most homes take to build, but short enough that a link in a mailbox does not stay valid
 * for long.
 */
const PORTAL_LINK_DAYS = 180

/** The subject of a link: an invitation, or a vendor for its entire portal. */
export interface LinkSubject {
  subjectId: string
  vendorId: string
}

/** The data that determines when a link expires. */
export interface LinkPurpose {
  createdAt: string
  /** The deadline of the bid request; null unless the link is for an invitation. */
  deadlineAt: string | null
}

/**
 * Returns the time at which a link expires, which is the latest time in this list. Another reason to keep links valid
 * must be added here.
 */
export function computeLinkExpiry({ createdAt, deadlineAt }: LinkPurpose): Date {
  const reasons = [
    deadlineAt === null
      ? Date.parse(createdAt) + PORTAL_LINK_DAYS * DAY_MS
      : Date.parse(deadlineAt) + DAYS_AFTER_DEADLINE * DAY_MS,
  ]
  return new Date(Math.max(...reasons))
}

/** Returns the time for which all portal links that were created before it have expired. */
export function getEarliestPortalLink(now: Date): Date {
  return new Date(now.getTime() - PORTAL_LINK_DAYS * DAY_MS)
}

/** Returns the deadline for which all links to invitations with this or an earlier deadline have expired. */
export function getLatestExpiredDeadline(now: Date): Date {
  return new Date(now.getTime() - DAYS_AFTER_DEADLINE * DAY_MS)
}

/** Returns whether the text has the format of a token. Does not look up the token. */
export function isPortalToken(text: string): boolean {
  return TOKEN_PATTERN.test(text)
}

export function hashPortalToken(token: string): Buffer {
  return hashKeySecret(token)
}

/** Creates a link for each subject without a valid link. Returns the new tokens by subject. */
export async function issuePortalLinks(call: WriteCall, those: readonly LinkSubject[]): Promise<Map<string, string>> {
  if (those.length === 0) return new Map()
  const tokens = those.map(({ subjectId }) => newToken(subjectId))
  const sealed = those.map(({ subjectId }, i) =>
    createLinkVault(call).seal(tokens[i] ?? '', getPortalLinkEncryptionContext(call.organizationId, subjectId)),
  )
  const rows = those.map(
    ({ subjectId, vendorId }, i) =>
      sql`(${call.organizationId}, ${hashPortalToken(tokens[i] ?? '')}, ${subjectId}, ${vendorId}, ${sealed[i] ?? null},
        ${call.now.toISOString()})`,
  )
  await sql`
    insert into "portalAddresses" ("organizationId", "hash", "subjectId", "vendorId", "sealedToken", "createdAt")
    values ${sql.join(rows)}${sql.raw(PLAN_EACH_TIME)}`.execute(call.db)
  return new Map(those.map(({ subjectId }, i) => [subjectId, toPortalUrl(call, tokens[i] ?? '')]))
}

/** Revokes the link of an invitation or a vendor, and all copies of it. Returns false if there was no link. */
export async function revokePortalLink(call: WriteCall, subjectId: string): Promise<boolean> {
  const { rows } = await sql`
    update "portalAddresses" set "revokedAt" = ${call.now}, "sealedToken" = null
    where "organizationId" = ${call.organizationId} and "subjectId" = ${subjectId} and "revokedAt" is null
    returning 1`.execute(call.db)
  return rows.length > 0
}

/** A link that has just been revoked. */
export interface RevokedLink extends LinkSubject {
  createdAt: string
  isCopy: boolean
}

/** Revokes all links of these vendors: the links to their portals and to all invitations, including copies. */
export async function revokeVendorLinks(
  { db, organizationId, now }: Pick<WriteCall, 'db' | 'organizationId' | 'now'>,
  vendorIds: readonly string[],
): Promise<RevokedLink[]> {
  const { rows } = await sql<RevokedLink>`
    update "portalAddresses" set "revokedAt" = ${now}, "sealedToken" = null
    where "organizationId" = ${organizationId} and "vendorId" = any(${[...vendorIds]}::text[]) and "revokedAt" is null
    returning "subjectId", "vendorId", "createdAt", "copiedBy" is not null as "isCopy"`.execute(db)
  return rows
}

/** Returns whether the invitation or the vendor has a valid emailed link. Ignores copied links. */
export async function hasPortalLink(call: Call, { subjectId, vendorId }: LinkSubject): Promise<boolean> {
  const { rows } = await sql<{ createdAt: string }>`
    select "createdAt" from "portalAddresses"
    where "organizationId" = ${call.organizationId} and "subjectId" = ${subjectId} and "revokedAt" is null
      and "copiedBy" is null`.execute(call.db)
  // Whether the link of an invitation is valid depends on the deadline of the bid request, and not on the creation of
  // the link.
  return rows.some(
    ({ createdAt }) => subjectId !== vendorId || computeLinkExpiry({ createdAt, deadlineAt: null }) > call.now,
  )
}

/**
 * Returns whether the emailed link to the vendor's portal was revoked. If there has never been such a link, returns
 * whether all emailed links of the vendor were revoked. A new link ends this state.
 */
export async function hasRevokedLinks({ db, organizationId }: Call, vendorId: string): Promise<boolean> {
  const { rows } = await sql<{ isOfPortal: boolean; isRevoked: boolean }>`
    select distinct "subjectId" = ${vendorId} as "isOfPortal", "revokedAt" is not null as "isRevoked"
    from "portalAddresses"
    where "organizationId" = ${organizationId} and "vendorId" = ${vendorId} and "copiedBy" is null`.execute(db)
  const ofPortal = rows.filter(({ isOfPortal }) => isOfPortal)
  const decisive = ofPortal.length > 0 ? ofPortal : rows
  return decisive.length > 0 && decisive.every(({ isRevoked }) => isRevoked)
}

/**
 * Returns the vendors that have ever had a portal link of any kind. The links of a merged vendor count for the kept
 * vendor, which now has its invitations and bids.
 */
export async function findVendorsWithLinks(
  { db, organizationId }: Call,
  vendorIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const ids = [...vendorIds]
  const { rows } = await sql<{ vendorId: string }>`
    select distinct "vendorId" from "portalAddresses"
    where "organizationId" = ${organizationId} and "vendorId" = any(${ids}::text[])
    union
    select v."mergedIntoId" as "vendorId" from "vendors" v
    join "portalAddresses" a on a."organizationId" = v."organizationId" and a."vendorId" = v."id"
    where v."organizationId" = ${organizationId} and v."mergedIntoId" = any(${ids}::text[])`.execute(db)
  return new Set(rows.map(({ vendorId }) => vendorId))
}

/** Returns the number of valid copies of a link. */
export async function countLinkCopies(call: Call, { subjectId, vendorId }: LinkSubject): Promise<number> {
  const { rows } = await sql<{ createdAt: string }>`
    select "createdAt" from "portalAddresses"
    where "organizationId" = ${call.organizationId} and "subjectId" = ${subjectId} and "revokedAt" is null
      and "copiedBy" is not null`.execute(call.db)
  return rows.filter(
    ({ createdAt }) => subjectId !== vendorId || computeLinkExpiry({ createdAt, deadlineAt: null }) > call.now,
  ).length
}

/** Creates a copy of a link and returns it. The token of the copy is not stored, so it can be returned only once. */
export async function issueLinkCopy(
  call: WriteCall,
  { subjectId, vendorId }: LinkSubject,
  copiedBy: LinkCopier,
): Promise<string> {
  const token = newToken(subjectId)
  await sql`
    insert into "portalAddresses" ("organizationId", "hash", "subjectId", "vendorId", "createdAt", "copiedBy")
    values (${call.organizationId}, ${hashPortalToken(token)}, ${subjectId}, ${vendorId}, ${call.now.toISOString()},
      ${JSON.stringify(copiedBy)}::jsonb)`.execute(call.db)
  return toPortalUrl(call, token)
}

/**
 * Returns the stored links of the given invitations or vendors, for emails to the vendor and for the vendor's own list
 * of links. Responses to the builder must not contain them.
 */
export async function findLinkUrls(call: Call, subjectIds: readonly string[]): Promise<Map<string, string>> {
  if (subjectIds.length === 0) return new Map()
  const { rows } = await sql<{ subjectId: string; sealedToken: string }>`
    select "subjectId", "sealedToken" from "portalAddresses"
    where "organizationId" = ${call.organizationId} and "subjectId" = any(${[...subjectIds]}) and "revokedAt" is null
      and "sealedToken" is not null`.execute(call.db)
  return new Map(
    rows.map(({ subjectId, sealedToken }) => [
      subjectId,
      toPortalUrl(
        call,
        createLinkVault(call).open(sealedToken, getPortalLinkEncryptionContext(call.organizationId, subjectId)),
      ),
    ]),
  )
}

function newToken(subjectId: string): string {
  return `${subjectId}.${randomBytes(RANDOM_BYTES).toString('base64url')}`
}

function toPortalUrl({ services }: Call, token: string): string {
  return `${services.config.publicUrl}/portal/${token}`
}

function createLinkVault({ services }: Call) {
  return createVault(services.config.encryptionKey)
}

/** Returns the encryption context of a link's token. */
export function getPortalLinkEncryptionContext(organizationId: string, subjectId: string): string {
  return `portal address ${organizationId} ${subjectId}`
}
