import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { fixed } from '../database/fixed.ts'
import { later } from '../database/transaction-drivers.ts'
import { vault } from '../encryption/vault.ts'
import type { Call, WriteCall } from '../http/call.ts'
import { secretHash } from './secret.ts'

/**
 * The portal addresses sent to vendors: `/portal/<token>`. A token is the id of what it opens (an invitation or a
 * vendor) and 192 random bits. It is looked up by its hash, so it survives changes of the encryption key, which only
 * seals the copies from which invitation addresses are shown again. Each subject has one address at a time.
 */
const RANDOM_BYTES = 24
const FORM = /^(inv|ven)_[0-9a-z]{26}\.[\w-]{32}$/

const DAY_MS = 86_400_000
const DAYS_AFTER_DEADLINE = 14
/** Half a year: longer than most homes take to build, but short enough that an address does not linger in a mailbox. */
const DAYS_OF_PORTAL = 180

/** What an address opens: an invitation, or a vendor's whole portal. */
export interface Addressed {
  subjectId: string
  vendorId: string
}

/** What determines when an address expires. */
export interface Purpose {
  createdAt: string
  /** Of the bid request, if the address is for an invitation. */
  deadlineAt: string | null
}

/** An address is valid until the last of these reasons ends. Add any new reason to keep one open here. */
export function endOf({ createdAt, deadlineAt }: Purpose): Date {
  const reasons = [
    deadlineAt === null
      ? Date.parse(createdAt) + DAYS_OF_PORTAL * DAY_MS
      : Date.parse(deadlineAt) + DAYS_AFTER_DEADLINE * DAY_MS,
  ]
  return new Date(Math.max(...reasons))
}

/** Whether a text is a well-formed token; needs no look-up. */
export function isPortalToken(text: string): boolean {
  return FORM.test(text)
}

export function hashOf(token: string): Buffer {
  return secretHash(token)
}

/** Creates an address for each subject that has no valid one, and returns the new addresses by subject. */
export async function issueAddresses(call: WriteCall, those: readonly Addressed[]): Promise<Map<string, string>> {
  const tokens = those.map(({ subjectId }) => `${subjectId}.${randomBytes(RANDOM_BYTES).toString('base64url')}`)
  // The address of a vendor's whole portal is shown only once.
  const sealed = those.map(({ subjectId, vendorId }, i) =>
    subjectId === vendorId ? null : sealing(call).seal(tokens[i] ?? '', placeOfAddress(call.organizationId, subjectId)),
  )
  const inserted = fixed`
    insert into "portalAddresses" ("organizationId", "hash", "subjectId", "vendorId", "sealedToken", "createdAt")
    select ${call.organizationId}, new.*, ${call.now.toISOString()}
    from unnest(${tokens.map(hashOf)}::bytea[], ${those.map(({ subjectId }) => subjectId)}::text[],
      ${those.map(({ vendorId }) => vendorId)}::text[], ${sealed}::text[]) as new`
  if (those.length > 0) await call.db.executeQuery(later(inserted))
  return new Map(those.map(({ subjectId }, i) => [subjectId, urlOf(call, tokens[i] ?? '')]))
}

/** Revokes the address of an invitation or a vendor; false if there was none. */
export async function revokeAddress(call: WriteCall, subjectId: string): Promise<boolean> {
  const { rows } = await sql`
    update "portalAddresses" set "revokedAt" = ${call.now}, "sealedToken" = null
    where "organizationId" = ${call.organizationId} and "subjectId" = ${subjectId} and "revokedAt" is null
    returning 1`.execute(call.db)
  return rows.length > 0
}

/** Whether the vendor has an address of its whole portal that opens it still. */
export async function hasPortal(call: Call, vendorId: string): Promise<boolean> {
  const { rows } = await sql<{ createdAt: string }>`
    select "createdAt" from "portalAddresses"
    where "organizationId" = ${call.organizationId} and "subjectId" = ${vendorId} and "revokedAt" is null`.execute(
    call.db,
  )
  return rows.some(({ createdAt }) => endOf({ createdAt, deadlineAt: null }) > call.now)
}

/**
 * Whether this caller may see addresses, since anyone who has one can act as the vendor. A dry run shows none, because
 * those it creates are undone.
 */
export function seesAddresses({ permissions, isDryRun }: Pick<Call, 'permissions' | 'isDryRun'>): boolean {
  return permissions.has('bids:write') && !isDryRun
}

/** The addresses of these invitations, for those that have one. */
export async function addressesOf(call: Call, invitationIds: readonly string[]): Promise<Map<string, string>> {
  if (invitationIds.length === 0) return new Map()
  const { rows } = await sql<{ subjectId: string; sealedToken: string }>`
    select "subjectId", "sealedToken" from "portalAddresses"
    where "organizationId" = ${call.organizationId} and "subjectId" = any(${[...invitationIds]}) and "revokedAt" is null
      and "sealedToken" is not null`.execute(call.db)
  return new Map(
    rows.map(({ subjectId, sealedToken }) => [
      subjectId,
      urlOf(call, sealing(call).open(sealedToken, placeOfAddress(call.organizationId, subjectId))),
    ]),
  )
}

function urlOf({ surroundings }: Call, token: string): string {
  return `${surroundings.config.publicUrl}/portal/${token}`
}

function sealing({ surroundings }: Call) {
  return vault(surroundings.config.encryptionKey)
}

/** The context that an address's token is sealed for. */
export function placeOfAddress(organizationId: string, subjectId: string): string {
  return `portal address ${organizationId} ${subjectId}`
}
