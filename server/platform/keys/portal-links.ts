import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { LinkCopier } from '../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../calls/call.ts'
import { createVault } from '../encryption/vault.ts'
import { hashKeySecret } from './key-secret.ts'

/**
 * Portal links: `/portal/<token>`. A token is the ID of its target (an invitation or a vendor) and 192 random bits. It
 * is looked up by its hash, so it survives changes of the encryption key, which only encrypts the copies from which
 * reminders mail an invitation's link again. Each subject has at most one mailed link. A copied link has its own token,
 * which names the person who copied it and is revoked together with the mailed one.
 */
const RANDOM_BYTES = 24
const TOKEN_PATTERN = /^(inv|ven)_[0-9a-z]{26}\.[\w-]{32}$/

const DAY_MS = 86_400_000
const DAYS_AFTER_DEADLINE = 14
/** Half a year: longer than most homes take to build, but short enough that a link does not stay in a mailbox. */
const PORTAL_LINK_DAYS = 180

/** The target of a link: an invitation, or a vendor's whole portal. */
export interface LinkSubject {
  subjectId: string
  vendorId: string
}

/** Data that determines when a link expires. */
export interface LinkPurpose {
  createdAt: string
  /** Deadline of the bid request, if the link is for an invitation. */
  deadlineAt: string | null
}

/**
 * Returns when a link expires: when the last of these reasons ends. Add any new reason for keeping a link valid here.
 */
export function linkExpiry({ createdAt, deadlineAt }: LinkPurpose): Date {
  const reasons = [
    deadlineAt === null
      ? Date.parse(createdAt) + PORTAL_LINK_DAYS * DAY_MS
      : Date.parse(deadlineAt) + DAYS_AFTER_DEADLINE * DAY_MS,
  ]
  return new Date(Math.max(...reasons))
}

/** Returns whether a text is a well-formed token, without a lookup. */
export function isPortalToken(text: string): boolean {
  return TOKEN_PATTERN.test(text)
}

export function hashPortalToken(token: string): Buffer {
  return hashKeySecret(token)
}

/** Creates a link for each subject without a valid one, and returns the new tokens by subject. */
export async function issueLinks(call: WriteCall, those: readonly LinkSubject[]): Promise<Map<string, string>> {
  if (those.length === 0) return new Map()
  const tokens = those.map(({ subjectId }) => newToken(subjectId))
  // The link to a vendor's whole portal is mailed only once, so it is not stored.
  const sealed = those.map(({ subjectId, vendorId }, i) =>
    subjectId === vendorId
      ? null
      : createLinkVault(call).seal(tokens[i] ?? '', portalLinkSealContext(call.organizationId, subjectId)),
  )
  await sql`
    insert into "portalAddresses" ("organizationId", "hash", "subjectId", "vendorId", "sealedToken", "createdAt")
    select ${call.organizationId}, new.*, ${call.now.toISOString()}
    from unnest(${tokens.map(hashPortalToken)}::bytea[], ${those.map(({ subjectId }) => subjectId)}::text[],
      ${those.map(({ vendorId }) => vendorId)}::text[], ${sealed}::text[]) as new`.execute(call.db)
  return new Map(those.map(({ subjectId }, i) => [subjectId, toPortalUrl(call, tokens[i] ?? '')]))
}

/** Revokes the link of an invitation or a vendor and every copy of it. Returns false if there was none. */
export async function revokeLink(call: WriteCall, subjectId: string): Promise<boolean> {
  const { rows } = await sql`
    update "portalAddresses" set "revokedAt" = ${call.now}, "sealedToken" = null
    where "organizationId" = ${call.organizationId} and "subjectId" = ${subjectId} and "revokedAt" is null
    returning 1`.execute(call.db)
  return rows.length > 0
}

/** A link that was just revoked. */
export interface RevokedLink extends LinkSubject {
  createdAt: string
  isCopy: boolean
}

/** Revokes all links of these vendors: to their portals and to every invitation, including copies. */
export async function revokeAllLinks(
  { db, organizationId, now }: Pick<WriteCall, 'db' | 'organizationId' | 'now'>,
  vendorIds: readonly string[],
): Promise<RevokedLink[]> {
  const { rows } = await sql<RevokedLink>`
    update "portalAddresses" set "revokedAt" = ${now}, "sealedToken" = null
    where "organizationId" = ${organizationId} and "vendorId" = any(${[...vendorIds]}::text[]) and "revokedAt" is null
    returning "subjectId", "vendorId", "createdAt", "copiedBy" is not null as "isCopy"`.execute(db)
  return rows
}

/** Returns whether there is a valid link to mail for the invitation or the vendor's portal. Copies do not count. */
export async function hasLink(call: Call, { subjectId, vendorId }: LinkSubject): Promise<boolean> {
  const { rows } = await sql<{ createdAt: string }>`
    select "createdAt" from "portalAddresses"
    where "organizationId" = ${call.organizationId} and "subjectId" = ${subjectId} and "revokedAt" is null
      and "copiedBy" is null`.execute(call.db)
  // The link of an invitation expires with the deadline of its request, whenever it was created.
  return rows.some(({ createdAt }) => subjectId !== vendorId || linkExpiry({ createdAt, deadlineAt: null }) > call.now)
}

/**
 * Returns those of the vendors that have or had a portal link of any kind. The links of a merged vendor count for the
 * kept one, because it has the invitations and bids now.
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

/** Returns how many copies of a link are still valid. */
export async function countCopies(call: Call, { subjectId, vendorId }: LinkSubject): Promise<number> {
  const { rows } = await sql<{ createdAt: string }>`
    select "createdAt" from "portalAddresses"
    where "organizationId" = ${call.organizationId} and "subjectId" = ${subjectId} and "revokedAt" is null
      and "copiedBy" is not null`.execute(call.db)
  return rows.filter(
    ({ createdAt }) => subjectId !== vendorId || linkExpiry({ createdAt, deadlineAt: null }) > call.now,
  ).length
}

/** Creates a copy of a link and returns it. Its token is not stored, so it is shown once. */
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

/** Returns the links of these invitations for mails, for those that have one. No response contains them. */
export async function findLinkUrls(call: Call, invitationIds: readonly string[]): Promise<Map<string, string>> {
  if (invitationIds.length === 0) return new Map()
  const { rows } = await sql<{ subjectId: string; sealedToken: string }>`
    select "subjectId", "sealedToken" from "portalAddresses"
    where "organizationId" = ${call.organizationId} and "subjectId" = any(${[...invitationIds]}) and "revokedAt" is null
      and "sealedToken" is not null`.execute(call.db)
  return new Map(
    rows.map(({ subjectId, sealedToken }) => [
      subjectId,
      toPortalUrl(call, createLinkVault(call).open(sealedToken, portalLinkSealContext(call.organizationId, subjectId))),
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
export function portalLinkSealContext(organizationId: string, subjectId: string): string {
  return `portal address ${organizationId} ${subjectId}`
}
